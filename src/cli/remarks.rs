//! What a check found, as remarks beside lines of code: SARIF 2.1.0, which code-scanning services and editors read, and the commands that
//! GitHub's runners understand.

use super::witness::Shown;
use crate::job::{Finding, Verdict};
use prequel_formats::diag::{Diagnostic, Severity};
use serde_json::{Value, json};

/// Steps of a run beyond which only its ends are told: services take ten thousand.
const MOST_STEPS: usize = 1_000;
/// Of these, the ones that a long run begins with.
const FIRST: usize = 200;

/// How bad a remark is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    /// Nothing is wrong.
    Passed,
    /// It is not known whether something is.
    Open,
}

/// Something to be said about a place.
pub struct Remark {
    /// What kind of remark it is, for filters.
    rule: String,
    level: Level,
    text: String,
    place: Place,
    /// The steps that lead there.
    steps: Vec<Step>,
}

/// A place in a file; line 0 is the file as a whole.
#[derive(Clone)]
struct Place {
    file: String,
    line: usize,
    /// From which column to which, counted from 1.
    columns: Option<[usize; 2]>,
}

struct Step {
    number: usize,
    place: Place,
    text: String,
}

impl Place {
    /// Of `file:line`.
    fn of(text: &str) -> Option<Self> {
        let (file, line) = text.rsplit_once(':')?;
        Some(Self { file: file.into(), line: line.parse().ok()?, columns: None })
    }
}

/// What is wrong with the input, or odd about it.
pub fn of_diagnostic(found: &Diagnostic) -> Remark {
    let (level, rule) = match found.severity {
        Severity::Error => (Level::Error, "input"),
        Severity::Warning => (Level::Warning, "warning"),
    };
    let place = match &found.place {
        Some(place) => {
            let start = place.column();
            let length = place.text.get(place.span.clone()).map_or(0, |inside| inside.chars().count());
            Place { file: found.file.clone(), line: place.line, columns: Some([start, start + length.max(1)]) }
        }
        None => Place { file: found.file.clone(), line: 0, columns: None },
    };
    let help = found.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
    Remark { rule: rule.into(), level, text: format!("{}{help}", found.message), place, steps: Vec::new() }
}

/// Why there is no answer, where no place is to blame.
pub fn of_reason(model: &str, reason: &str) -> Remark {
    let place = Place { file: model.into(), line: 0, columns: None };
    Remark { rule: "no-answer".into(), level: Level::Open, text: reason.into(), place, steps: Vec::new() }
}

/// An answer, and the run that shows it.
pub fn of_answer(model: &str, finding: &Finding, shown: Option<&dyn Shown>) -> Remark {
    let whole = Place { file: model.into(), line: 0, columns: None };
    let (level, text) = match &finding.verdict {
        Verdict::False { .. } => (Level::Error, format!("{} is false", finding.query)),
        Verdict::True { .. } => (Level::Passed, format!("{} is true", finding.query)),
        Verdict::Unknown(why) => (Level::Open, format!("undecided: {why}")),
    };
    let rule = rule(&finding.query);
    let Some(shown) = shown else { return Remark { rule, level, text, place: whole, steps: Vec::new() } };
    let page = shown.page(false);
    let count = page.rows.len();
    let left_out = if count > MOST_STEPS { FIRST..count - (MOST_STEPS - FIRST) } else { 0..0 };
    let last_column = page.columns.iter().position(|&column| column == "line").unwrap_or(page.columns.len());
    let step = |at: usize| {
        let place = page.lines.get(at).and_then(|lines| lines.first()).and_then(|line| Place::of(line));
        let said: Vec<&str> =
            page.rows[at][..last_column].iter().map(String::as_str).filter(|cell| !cell.is_empty()).collect();
        let again = if page.cycle == Some(at) { "again and again: " } else { "" };
        let text = format!("{}. {again}{}", at + 1, said.join(" | "));
        Step { number: at + 1, place: place.unwrap_or_else(|| whole.clone()), text }
    };
    let steps: Vec<Step> = (0..count).filter(|at| !left_out.contains(at)).map(step).collect();
    let place = steps.last().map_or(whole, |last| last.place.clone());
    Remark { rule, level, text: format!("{text}: {}", page.shows), place, steps }
}

/// A short name for a kind of question.
fn rule(query: &str) -> String {
    match query.split(' ').next() {
        Some(option) if option.starts_with("--") => option.trim_start_matches('-').to_owned(),
        Some("formula") => "formula".into(),
        _ => "stated".into(),
    }
}

/// What a rule is about.
fn about(rule: &str) -> String {
    match rule {
        "input" => "The model cannot be read".into(),
        "warning" => "Something about the model that is probably not what was meant".into(),
        "no-answer" => "No answer was found".into(),
        "stated" => "What the model states by itself: assertions, end states, its claims and formulas".into(),
        "formula" => "A formula that the model states".into(),
        "reach" => "Some reachable state satisfies a condition".into(),
        "deadlock-free" => "No reachable state is without a successor".into(),
        "assertions" => "No assertion fails".into(),
        other => format!("The property that --{other} asks for"),
    }
}

/// All remarks as one SARIF document.
pub fn sarif(remarks: &[Remark], exit: u8) -> String {
    let mut rules: Vec<&str> = remarks.iter().map(|remark| &*remark.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let result = |remark: &Remark| {
        let index = rules.iter().position(|rule| *rule == remark.rule);
        // A level is for what failed only.
        let (kind, level) = match remark.level {
            Level::Error => ("fail", "error"),
            Level::Warning => ("fail", "warning"),
            Level::Passed => ("pass", "none"),
            Level::Open => ("open", "none"),
        };
        let mut result = json!({
            "ruleId": remark.rule,
            "ruleIndex": index,
            "kind": kind,
            "level": level,
            "message": { "text": remark.text },
            "locations": [location(&remark.place)],
        });
        if !remark.steps.is_empty() {
            let last = remark.steps.len() - 1;
            let step = |(at, step): (usize, &Step)| {
                let mut location = location(&step.place);
                location["message"] = json!({ "text": step.text });
                let importance = if at == last { "essential" } else { "important" };
                json!({ "location": location, "executionOrder": step.number, "importance": importance })
            };
            let steps: Vec<Value> = remark.steps.iter().enumerate().map(step).collect();
            result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
        }
        result
    };
    let rule = |rule: &&str| json!({ "id": rule, "shortDescription": { "text": about(rule) } });
    let document = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": exit < 3, "exitCode": exit }],
            "results": remarks.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{}\n", serde_json::to_string_pretty(&document).expect("a JSON value prints"))
}

fn location(place: &Place) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&place.file) } });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
        if let Some([start, end]) = place.columns {
            physical["region"]["startColumn"] = start.into();
            physical["region"]["endColumn"] = end.into();
        }
    }
    json!({ "physicalLocation": physical })
}

/// A path as a reference: relative as it is, but for signs that mean something else there.
fn uri(path: &str) -> String {
    let mut out = String::new();
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// A line for GitHub's runners, which show it beside the code.
pub fn github(remark: &Remark) -> String {
    let command = match remark.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Passed | Level::Open => "notice",
    };
    let Place { file, line, columns } = &remark.place;
    let mut properties = format!("file={}", property(file));
    if *line > 0 {
        properties += &format!(",line={line}");
    }
    if let Some([start, end]) = columns.filter(|_| *line > 0) {
        properties += &format!(",col={start},endColumn={end}");
    }
    let steps: String = remark.steps.iter().map(|step| format!("\n{}", step.text)).collect();
    let title = property(&about(&remark.rule));
    format!("::{command} {properties},title={title}::{}\n", data(&format!("{}{steps}", remark.text)))
}

/// A text behind the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text between them, where colons and commas end it too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_is_escaped() {
        let found = Diagnostic::error("a,b:c.pml", "100 % wrong\nindeed").help("x");
        let line = github(&of_diagnostic(&found));
        assert_eq!(line, "::error file=a%2Cb%3Ac.pml,title=The model cannot be read::100 %25 wrong%0Aindeed (x)\n");
    }

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("a b/ü#1.pml"), "a%20b/%C3%BC%231.pml");
        assert_eq!(uri("/tmp/x.pml"), "file:///tmp/x.pml");
    }

    #[test]
    fn a_place_has_columns_counted_in_characters() {
        let place = prequel_formats::diag::Place::in_line(3, "ü = y".as_bytes(), 5..6);
        let remark = of_diagnostic(&Diagnostic::error("m.pml", "no").at(place));
        assert_eq!((remark.place.line, remark.place.columns), (3, Some([5, 6])));
        let document: Value = serde_json::from_str(&sarif(&[remark], 3)).unwrap();
        let result = &document["runs"][0]["results"][0];
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 5);
        assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }
}
