//! Reports: what saved results say, as a page, as Markdown and as CSV. Nothing is run again.
//!
//! The page is `page.html` with the data put into it: one file that needs no network.

mod markdown;

pub use markdown::markdown;

use super::compare::{Change, Comparison, Measure, Turned, compare, median};
use super::paper;
use super::provenance::date;
use super::record::{Category, Key, Record};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const PAGE: &str = include_str!("page.html");
/// Where the data goes.
const HERE: &str = "/*DATA*/";
/// Bytes of a kept file that are put into the page.
const LONGEST: usize = 64 << 10;
/// Changes that are listed.
const LISTED: usize = 40;

/// All runs of one command.
#[derive(Clone, Debug)]
pub struct Night {
    /// What they are called together.
    pub name: String,
    /// When the first of them started.
    pub date: String,
    /// The commit.
    pub commit: String,
    /// The runs.
    pub records: Vec<Record>,
}

/// All nights of one suite, the last one last. There is one at least.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// Its nights.
    pub nights: Vec<Night>,
}

impl Suite {
    /// The night that is shown.
    pub fn last(&self) -> &Night {
        self.nights.last().expect("a suite has a night")
    }

    /// What changed since the night before, if there was one.
    pub fn comparison(&self) -> Option<Comparison> {
        previous(&self.nights).map(|before| compare(&before.records, &self.last().records))
    }
}

/// One question to one engine: all repetitions.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// The model's name.
    pub model: String,
    /// What was asked.
    pub query: String,
    /// Who was asked.
    pub engine: String,
    /// What became of it, at worst.
    pub category: &'static str,
    /// The answer.
    pub verdict: String,
    /// Median of the wall times.
    pub seconds: f64,
    /// Largest memory.
    pub memory: u64,
    states: Option<u64>,
    states_peak: Option<u64>,
    checks: Option<u64>,
    expected: String,
    source: String,
    reason: String,
    command: String,
    tool: String,
    family: String,
    size: Option<u64>,
    /// What papers print of it.
    pub paper: Vec<paper::Cell>,
    runs: Vec<Value>,
    files: BTreeMap<String, String>,
}

/// The suites of some results, the one that was run last first.
pub fn suites(records: Vec<Record>) -> Vec<Suite> {
    let mut found: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        found.entry(record.suite.clone()).or_default().push(record);
    }
    let mut suites: Vec<Suite> =
        found.into_iter().map(|(name, records)| Suite { name, nights: nights(records) }).collect();
    suites.sort_by(|a, b| (&b.last().date, &a.name).cmp(&(&a.last().date, &b.name)));
    suites
}

/// The nights of the results of a suite, the last one last.
fn nights(records: Vec<Record>) -> Vec<Night> {
    let mut found: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        found.entry(record.night.clone()).or_default().push(record);
    }
    let mut nights: Vec<Night> = found
        .into_iter()
        .map(|(name, records)| {
            let first = records.iter().map(|record| record.date).min().unwrap_or(0);
            Night { name, date: date(first), commit: records[0].commit.clone(), records }
        })
        .collect();
    nights.sort_by(|a, b| (&a.date, &a.name).cmp(&(&b.date, &b.name)));
    nights
}

/// What is known of each question in a night; `results` is where outputs were kept.
pub fn questions(night: &Night, results: &[PathBuf], paper: &[paper::Cell]) -> Vec<Question> {
    let mut by_key: BTreeMap<Key, Vec<&Record>> = BTreeMap::new();
    for record in &night.records {
        by_key.entry(record.key()).or_default().push(record);
    }
    by_key.into_values().map(|runs| question(&runs, results, paper)).collect()
}

fn question(runs: &[&Record], results: &[PathBuf], paper: &[paper::Cell]) -> Question {
    let badness = |record: &&&Record| match record.category {
        Category::Wrong => 6,
        Category::Error => 5,
        Category::OutOfMemory => 4,
        Category::Timeout => 3,
        Category::Unknown => 2,
        Category::Unverified | Category::Correct => 1,
    };
    let worst = runs.iter().max_by_key(badness).expect("a question has a run");
    let times: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let (family, size) = match worst.model.split_once(' ') {
        Some((family, rest)) => (family, rest.split(' ').next().and_then(|size| size.parse().ok())),
        None => ("", None),
    };
    let mut files = BTreeMap::new();
    if !worst.output.is_empty() {
        let kept = results.iter().map(|folder| folder.join(&worst.output)).find(|kept| kept.is_dir());
        for name in ["stdout", "stderr", "witness.json"] {
            if let Some(Ok(text)) = kept.as_ref().map(|kept| std::fs::read(kept.join(name))) {
                files.insert(name.to_owned(), String::from_utf8_lossy(&text[..text.len().min(LONGEST)]).into_owned());
            }
        }
    }
    Question {
        model: worst.model.clone(),
        query: worst.query.clone(),
        engine: worst.engine.clone(),
        category: worst.category.words(),
        verdict: worst.verdict.clone(),
        seconds: median(&times),
        memory: runs.iter().map(|run| run.memory).max().unwrap_or(0),
        states: worst.states,
        states_peak: worst.states_peak,
        checks: worst.checks,
        expected: worst.expected.clone(),
        source: worst.source.clone(),
        reason: worst.reason.clone(),
        command: worst.command.clone(),
        tool: worst.tool.clone(),
        family: family.to_owned(),
        size,
        paper: paper.iter().filter(|cell| cell.is_beside(worst)).cloned().collect(),
        runs: runs.iter().map(|run| json!({ "seconds": run.seconds, "category": run.category.words() })).collect(),
        files,
    }
}

/// The page: every suite, one of them shown at a time.
pub fn html(suites: &[Suite], results: &[PathBuf], paper: &[paper::Cell]) -> String {
    let data: Value = suites.iter().map(|suite| data(suite, results, paper)).collect();
    // Inside a script element nothing else could end it.
    PAGE.replace(HERE, &data.to_string().replace("</", "<\\/"))
}

/// What the page shows of a suite.
fn data(suite: &Suite, results: &[PathBuf], paper: &[paper::Cell]) -> Value {
    let (nights, last) = (&suite.nights, suite.last());
    let (before, comparison) = (previous(nights), suite.comparison());
    json!({
        "suite": suite.name,
        "title": format!("{} on {}", suite.name, last.date),
        "about": about(last),
        "alarms": alarms(last, comparison.as_ref()),
        "limit": last.records.iter().map(|run| run.limit_seconds).fold(1.0, f64::max),
        "questions": questions(last, results, paper),
        "history": history(nights),
        "comparison": before.zip(comparison.as_ref()).map(|(before, found)| json!({
            "about": format!("compared with {} (commit {}): {} as before", before.date, short(&before.commit), found.same),
            "turned": found.turned.iter().map(turned_line).collect::<Vec<_>>(),
            "worse": listed(&found.worse),
            "better": listed(&found.better),
        })),
    })
}

/// The night before the last one.
fn previous(nights: &[Night]) -> Option<&Night> {
    nights.split_last()?.1.last()
}

/// Where and with what it was measured, in one line.
pub fn about(night: &Night) -> String {
    let run = &night.records[0];
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    format!(
        "{} runs on {} ({}, {} cores, {:.0} GiB, Linux {}); limits {} s, {:.1} GiB by {}; commit {}{}; {}",
        night.records.len(),
        run.host,
        run.processor,
        run.host_cores,
        gib(run.host_memory),
        run.kernel,
        run.limit_seconds,
        gib(run.limit_memory),
        run.isolation,
        short(&run.commit),
        if run.dirty { " with changes" } else { "" },
        run.compiler,
    )
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(if commit.is_empty() { "none" } else { commit })
}

/// What nobody must miss.
fn alarms(night: &Night, comparison: Option<&Comparison>) -> Vec<String> {
    let wrong = night.records.iter().filter(|run| run.category == Category::Wrong);
    let line = |run: &Record| {
        format!(
            "Wrong: {} says {} to {} {}, expected is {} ({})",
            run.engine, run.verdict, run.model, run.query, run.expected, run.source
        )
    };
    let mut found: BTreeSet<String> = wrong.map(line).collect();
    if let Some(comparison) = comparison.filter(|comparison| comparison.is_regression()) {
        let (worse, turned) =
            (comparison.worse.len(), comparison.turned.iter().filter(|turned| turned.is_worse()).count());
        found.insert(format!("Regression: {turned} answers worse, {worse} times or memories beyond the noise"));
    }
    found.into_iter().collect()
}

/// How long each engine takes, night by night, for the questions that it answers in all of them.
fn history(nights: &[Night]) -> Vec<Value> {
    let answered = |night: &Night| -> BTreeMap<Key, f64> {
        let mut times: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
        for run in night.records.iter().filter(|run| matches!(run.category, Category::Correct | Category::Unverified)) {
            times.entry(run.key()).or_default().push(run.seconds);
        }
        times.into_iter().map(|(key, times)| (key, median(&times))).collect()
    };
    let all: Vec<BTreeMap<Key, f64>> = nights.iter().map(answered).collect();
    let common: Vec<&Key> = all.first().map_or(Vec::new(), |first| {
        first.keys().filter(|key| all.iter().all(|night| night.contains_key(*key))).collect()
    });
    let mut found = Vec::new();
    for (at, night) in nights.iter().enumerate() {
        let mut logs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for key in &common {
            logs.entry(&key.2).or_default().push(all[at][*key].max(1e-6).ln());
        }
        let engines: BTreeMap<&str, f64> = logs
            .into_iter()
            .map(|(engine, logs)| (engine, (logs.iter().sum::<f64>() / logs.len() as f64).exp()))
            .collect();
        let regressions = previous(&nights[..=at]).map_or(0, |before| {
            let found = compare(&before.records, &night.records);
            found.worse.len() + found.turned.iter().filter(|turned| turned.is_worse()).count()
        });
        found.push(json!({ "date": night.date, "commit": short(&night.commit), "engines": engines, "regressions": regressions }));
    }
    found
}

/// A changed answer, in one line.
pub fn turned_line(turned: &Turned) -> String {
    let said = |(category, verdict): &(Category, String)| format!("{verdict} ({})", category.words());
    format!("{}: {} instead of {}", name(&turned.key), said(&turned.after), said(&turned.before))
}

/// A changed measure, in one line.
pub fn change_line((key, change): &(Key, Change)) -> String {
    let Change { before, after, ratio, interval: (low, high), .. } = change;
    let measure = match change.measure {
        Measure::Time => format!("{after:.3} s instead of {before:.3} s"),
        Measure::Memory => {
            format!("{:.1} MiB instead of {:.1} MiB", after / f64::from(1 << 20), before / f64::from(1 << 20))
        }
    };
    format!("{}: {measure}, a factor of {ratio:.2} ({low:.2} to {high:.2})", name(key))
}

fn listed(changes: &[(Key, Change)]) -> Vec<String> {
    let mut lines: Vec<String> = changes.iter().take(LISTED).map(change_line).collect();
    if changes.len() > LISTED {
        lines.push(format!("and {} more", changes.len() - LISTED));
    }
    lines
}

fn name((model, query, engine): &Key) -> String {
    if query.is_empty() { format!("{engine} on {model}") } else { format!("{engine} on {model} {query}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    fn night(name: &str, date: u64, seconds: f64) -> Vec<Record> {
        let mut runs = vec![
            record("philo 3", "otf", 1, seconds),
            record("philo 3", "icc", 1, 0.5),
            record("philo 4", "otf", 1, 2.0),
        ];
        for run in &mut runs {
            (run.night, run.date) = (name.into(), date);
        }
        runs
    }

    #[test]
    fn runs_are_put_together_by_night_and_question() {
        let all = suites([night("b", 200, 1.0), night("a", 100, 1.0)].concat());
        let [suite] = &all[..] else { panic!("one suite") };
        assert_eq!(suite.nights.iter().map(|night| &*night.name).collect::<Vec<_>>(), ["a", "b"]);
        let cells = paper::read("model,engine,column,value,source\nphilo 3,icc,checks,12,Table 2\n").unwrap();
        let questions = questions(&suite.nights[0], &[], &cells);
        assert_eq!(questions.len(), 3);
        assert_eq!((questions[0].family.as_str(), questions[0].size), ("philo", Some(3)));
        let papers: Vec<&[paper::Cell]> = questions.iter().map(|question| &*question.paper).collect();
        assert_eq!(papers, [&cells[..], &[], &[]]);
        let text = markdown(suite, &questions);
        assert!(text.contains("| paper |") && text.contains("checks 12 (Table 2)"), "{text}");
    }

    #[test]
    fn the_page_holds_all_and_needs_nothing_else() {
        let mut runs = night("a", 100, 1.0);
        runs[0].reason = "</script><b>".into();
        let page = html(&suites(runs), &[], &[]);
        assert!(!page.contains(HERE) && !page.contains("</script><b>"));
        // The one address is the name of SVG, which nobody fetches.
        assert_eq!(page.matches("://").count(), page.matches("http://www.w3.org/2000/svg").count());
        assert!(!page.contains("src=") && !page.contains("<link"));
        assert!(page.contains("philo 4"));
    }

    #[test]
    fn suites_are_not_nights_of_each_other() {
        let mut other = night("a", 300, 9.0);
        other.iter_mut().for_each(|run| run.suite = "other".into());
        let all = suites([night("a", 100, 1.0), other, night("b", 200, 1.0)].concat());
        let told: Vec<(&str, usize)> = all.iter().map(|suite| (&*suite.name, suite.nights.len())).collect();
        assert_eq!(told, [("other", 1), ("s", 2)]);
        assert!(all[0].comparison().is_none() && !all[1].comparison().unwrap().is_regression());
        let page = html(&all, &[], &[]);
        assert!(page.contains("\"suite\":\"other\"") && page.contains("\"suite\":\"s\""));
    }

    #[test]
    fn a_slower_night_is_marked() {
        let all = nights([night("a", 100, 1.0), night("b", 200, 9.0)].concat());
        let history = history(&all);
        assert_eq!((history[0]["regressions"].as_u64(), history[1]["regressions"].as_u64()), (Some(0), Some(1)));
        assert!(alarms(&all[1], Some(&compare(&all[0].records, &all[1].records)))[0].contains("Regression"));
    }
}
