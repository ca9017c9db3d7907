//! Programs that a suite can ask: how they are called, and what they print. Those that are known by themselves are described in
//! `benchmarks/tools.toml`, in the same words that a suite uses for its own.

use prequel_spin::embedded;
use prequel_spin::process::find;
use prequel_spin::report::{Incomplete, Report};
use prequel_spin::tools::Tools;
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

const KNOWN: &str = include_str!("../../../benchmarks/tools.toml");

/// The option that allows it to compile and run C of a model.
const ALLOW_C: &str = "--allow-c";

/// A program.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// What a suite calls it.
    pub name: String,
    /// The command that prints its version.
    pub version: Vec<String>,
    /// Extensions of models that it takes; all, if none are named.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Queries that it takes; all, if none are named.
    #[serde(default)]
    pub asks: Vec<String>,
    /// Whether C that is embedded in a model is compiled and run by it.
    #[serde(default)]
    pub runs_c: bool,
    /// Commands, one after the other.
    pub phases: Vec<Vec<String>>,
    /// How the last one is understood.
    #[serde(default)]
    pub output: Speaks,
    /// Marks of `true`.
    #[serde(default, rename = "true")]
    pub yes: Vec<String>,
    /// Marks of `false`.
    #[serde(default, rename = "false")]
    pub no: Vec<String>,
    /// Marks of no answer, which go before the others.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// What the number of states stands before.
    pub states: Option<String>,
}

/// How the output of a program is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speaks {
    /// As our own `--json`.
    Prequel,
    /// As the report of SPIN's verifier.
    Pan,
    /// By marks.
    #[default]
    Marks,
}

/// What a program said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Said {
    /// Its answer, if it gave one.
    pub verdict: Option<bool>,
    /// Whether it says that its evidence was checked.
    pub checked: Option<bool>,
    /// States that it explored, all checks together.
    pub states: Option<u64>,
    /// States of its largest check.
    pub largest: Option<u64>,
    /// How many checks.
    pub checks: Option<u64>,
    /// Why there is no answer, in its own words.
    pub reason: Option<String>,
    /// The kind of that reason, where it tells.
    pub reason_kind: Option<String>,
}

/// What a command line is filled with.
#[derive(Clone, Debug, Default)]
pub struct Filling<'a> {
    /// The file.
    pub model: &'a str,
    /// The question, in words of our command line.
    pub query: &'a [String],
    /// The engine's name.
    pub engine: &'a str,
    /// Options of engine and model.
    pub options: &'a [String],
    /// Wall time.
    pub seconds: f64,
    /// Memory.
    pub megabytes: u64,
}

/// The known programs, and those of a suite in front of them.
pub fn all(own: &[Tool]) -> Vec<Tool> {
    #[derive(Deserialize)]
    struct File {
        tool: Vec<Tool>,
    }
    let known: File = toml::from_str(KNOWN).expect("the file is part of this program, and a test reads it");
    own.iter().cloned().chain(known.tool).collect()
}

impl Tool {
    /// Whether it is one of those that are known by themselves, and not another of the same name.
    pub fn is_known(&self) -> bool {
        all(&[]).contains(self)
    }

    /// Its version, if it is installed.
    pub fn installed(&self) -> Option<String> {
        let (program, arguments) = self.version.split_first()?;
        let own = std::env::current_exe().ok()?;
        let program = if program == "{prequel}" { own } else { find(program)? };
        let output = Command::new(program).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        Some(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unknown version").to_owned())
    }

    /// Why it cannot be asked this about such a file.
    pub fn refuses(&self, model: &Path, query: &str) -> Option<String> {
        let extension = model.extension().unwrap_or_default().to_string_lossy().into_owned();
        if !self.reads.is_empty() && !self.reads.contains(&extension) {
            return Some(format!("{} does not read .{extension}", self.name));
        }
        let takes = self.asks.is_empty() || self.asks.iter().any(|asks| asks == query);
        (!takes).then(|| {
            format!("{} cannot be asked {}", self.name, if query.is_empty() { "what the model states" } else { query })
        })
    }

    /// Why it must not be asked about a file with these options: it would run C of that file, and nobody allowed that.
    pub fn would_run_c(&self, model: &Path, options: &[String]) -> Option<String> {
        if !self.runs_c || options.iter().any(|option| option == ALLOW_C) {
            return None;
        }
        match embedded::in_file(model, options, Tools::find().ok()?) {
            Ok(found) => found.map(|found| found.headline()),
            Err(why) => Some(format!("{}: whether there is embedded C is not known: {why}", model.display())),
        }
    }

    /// The command lines of its phases.
    pub fn commands(&self, with: &Filling<'_>) -> Vec<Vec<String>> {
        let mut own = Vec::new();
        // What allows it is for us.
        if self.runs_c {
            own.extend(with.options.iter().filter(|option| *option != ALLOW_C).cloned());
        }
        let with = &Filling { options: if self.runs_c { &own } else { with.options }, ..with.clone() };
        self.phases.iter().map(|phase| phase.iter().flat_map(|word| with.fill(word)).collect()).collect()
    }

    /// What its last phase said.
    pub fn understand(&self, code: Option<i32>, stdout: &str, stderr: &str) -> Said {
        match self.output {
            Speaks::Prequel => prequel(stdout),
            Speaks::Pan => pan(&format!("{stdout}\n{stderr}")),
            Speaks::Marks => self.by_marks(code, &format!("{stdout}\n{stderr}")),
        }
    }

    fn by_marks(&self, code: Option<i32>, text: &str) -> Said {
        let exit = code.map(|code| format!("exit {code}"));
        let shows = |marks: &[String]| marks.iter().any(|mark| exit.as_ref() == Some(mark) || text.contains(&**mark));
        let verdict = match (shows(&self.unknown), shows(&self.yes), shows(&self.no)) {
            (false, true, false) => Some(true),
            (false, false, true) => Some(false),
            _ => None,
        };
        let before = |mark: &String| text.split_once(&**mark)?.0.split_whitespace().last()?.parse().ok();
        Said { verdict, states: self.states.as_ref().and_then(before), ..Said::default() }
    }
}

impl Filling<'_> {
    fn fill(&self, word: &str) -> Vec<String> {
        match word {
            "{query}" => return self.query.to_vec(),
            "{options}" => return self.options.to_vec(),
            _ => {}
        }
        let own = std::env::current_exe().map(|path| path.display().to_string()).unwrap_or_default();
        let stem = Path::new(self.model).file_stem().unwrap_or_default().to_string_lossy();
        let filled = word.replace("{prequel}", &own).replace("{model}", self.model).replace("{stem}", &stem);
        let filled = filled.replace("{engine}", self.engine).replace("{seconds}", &self.seconds.to_string());
        vec![filled.replace("{megabytes}", &self.megabytes.to_string())]
    }
}

fn prequel(stdout: &str) -> Said {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(stdout) else { return Said::default() };
    let verdict = match value["verdict"].as_str() {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    let effort = &value["effort"];
    Said {
        verdict,
        checked: value["evidence"]["checked"].as_bool(),
        states: effort["states_total"].as_u64(),
        largest: effort["states_peak"].as_u64(),
        checks: effort["checks"].as_u64(),
        reason: value["reason"].as_str().map(str::to_owned),
        reason_kind: value["reason_kind"].as_str().map(str::to_owned),
    }
}

fn pan(text: &str) -> Said {
    let report = Report::read(text);
    let verdict = if report.clean() { Some(true) } else { report.fault.map(|_| false) };
    let why = report.incomplete.first().filter(|_| verdict.is_none());
    Said {
        verdict,
        states: Some(report.stored),
        largest: Some(report.stored),
        checks: Some(1),
        reason: why.map(ToString::to_string),
        reason_kind: why.map(|why| if *why == Incomplete::Memory { "memory" } else { "incomplete" }.to_owned()),
        checked: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> Tool {
        all(&[]).into_iter().find(|tool| tool.name == name).expect("it is known")
    }

    #[test]
    fn command_lines_are_filled() {
        let (query, options) = (["--reach".to_owned(), "a@1".into()], ["--no-por".to_owned()]);
        let with =
            Filling { model: "m.aut", query: &query, engine: "otf", options: &options, seconds: 2.5, megabytes: 64 };
        let commands = tool("prequel").commands(&with);
        let line = commands[0][1..].join(" ");
        assert_eq!(
            line,
            "check m.aut --reach a@1 --engine otf --no-por --json --time 2.5s --memory 64M --witness witness.json"
        );
        assert_eq!(tool("spin").commands(&with).len(), 3);
    }

    #[test]
    fn tools_say_what_they_cannot_do() {
        let spin = tool("spin");
        assert_eq!(spin.refuses(Path::new("a/m.pml"), ""), None);
        assert_eq!(spin.refuses(Path::new("m.aut"), "").as_deref(), Some("spin does not read .aut"));
        assert_eq!(
            spin.refuses(Path::new("m.pml"), "--deadlock-free").as_deref(),
            Some("spin cannot be asked --deadlock-free")
        );
        assert_eq!(tool("prequel").refuses(Path::new("m.aut"), "--deadlock-free"), None);
    }

    #[test]
    fn marks_that_contradict_each_other_are_no_answer() {
        let ltsmin = tool("ltsmin");
        let said = |code, text: &str| ltsmin.by_marks(Some(code), text);
        assert_eq!(
            (said(0, "explored 12 states").verdict, said(0, "explored 12 states").states),
            (Some(true), Some(12))
        );
        assert_eq!((said(1, "").verdict, said(255, "").verdict), (Some(false), None));
        let both = Tool { yes: vec!["yes".into()], no: vec!["no".into()], ..ltsmin };
        assert_eq!(both.by_marks(None, "yes and no").verdict, None);
    }

    #[test]
    fn our_own_answer_is_read_from_json() {
        let text = r#"{"schema":1,"verdict":"false","evidence":{"checked":true},"effort":{"states_total":9,"states_peak":5,"checks":3}}"#;
        let expected = Said {
            verdict: Some(false),
            checked: Some(true),
            states: Some(9),
            largest: Some(5),
            checks: Some(3),
            ..Said::default()
        };
        assert_eq!(prequel(text), expected);
        assert_eq!(prequel("Segmentation fault"), Said::default());
    }

    #[test]
    fn an_incomplete_search_of_pan_is_no_answer() {
        assert_eq!(
            pan("error: max search depth too small\nState-vector 8 byte, depth reached 9, errors: 0\n").verdict,
            None
        );
        assert_eq!(pan("").verdict, None);
    }
}
