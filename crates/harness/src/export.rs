//! A suite for those who outgrow one machine: scripts for GNU parallel and for Slurm, tasks for BenchExec.
//!
//! Scripts run parts of a suite (`bench --part K/N`), each into a file of its own; all belong to one night, so a report puts them
//! together. A part that is run again goes on where it stopped.

use super::runner::write_models;
use super::task::{Plan, Source, Task};
use super::tool::Tool;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// How parts are run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// This program.
    pub prequel: String,
    /// The suite.
    pub suite: String,
    /// The folder for results.
    pub results: String,
    /// What all parts are called together.
    pub night: String,
    /// Seed of the order of runs, the same for all parts.
    pub seed: u64,
    /// How many parts.
    pub of: usize,
}

impl Parts {
    fn command(&self, number: &str) -> String {
        let Parts { prequel, suite, results, night, seed, of } = self;
        let [prequel, suite, results] = [prequel, suite, results].map(|word| quoted(word));
        format!("{prequel} bench {suite} --results {results} --night {night} --seed {seed} --part {number}/{of}")
    }

    fn report(&self) -> String {
        format!("{} report {} -o report.html", quoted(&self.prequel), quoted(&self.results))
    }

    /// A script for GNU parallel: one part at a time on each machine of `--sshlogin`, or as many as are asked for here.
    pub fn parallel(&self) -> String {
        format!(
            "#!/bin/sh\n# Runs all parts, `-j` at a time: more than one on a machine disturbs the times. Then: {}\n\
             # On other machines with the same folders: add --sshlogin a,b,c --wd . ; again after a failure: goes on.\n\
             exec parallel -j \"${{JOBS:-1}}\" --halt soon,fail=1 \"$@\" {} ::: $(seq 1 {})\n",
            self.report(),
            quoted(&self.command("{}")),
            self.of
        )
    }

    /// A job array for Slurm.
    pub fn slurm(&self, plan: &Plan) -> String {
        // The harness itself needs little; a run may use what the suite allows.
        let megabytes = (plan.limits.memory >> 20) + 512;
        format!(
            "#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --array=1-{}\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n#SBATCH --mem={megabytes}M\n\
             #SBATCH --output={}-%a.log\n# A job is one part; --exclusive gives it a machine of its own. When all are done: {}\n\
             exec {}\n",
            self.night,
            self.of,
            self.night,
            self.report(),
            self.command("\"$SLURM_ARRAY_TASK_ID\"")
        )
    }
}

/// A word as the shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=+:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// What was written for BenchExec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// How many tasks there are.
    pub tasks: usize,
    /// The benchmark definitions, one for each tool.
    pub definitions: Vec<String>,
    /// What of the suite is not in them, by name.
    pub left_out: Vec<String>,
}

/// Tools that `benchmarks/benchexec` has a tool-info module for, with its name.
const MODULES: [(&str, &str); 3] = [
    ("prequel", "prequel_tools.prequel"),
    ("prequel-spin", "prequel_tools.prequel_spin"),
    ("spin", "prequel_tools.spin"),
];

/// The module of a tool. One that a suite describes itself is another, whatever it is called.
fn module(tool: &Tool) -> Option<&'static str> {
    MODULES.iter().find(|(name, _)| *name == tool.name && tool.is_known()).map(|(_, module)| *module)
}

/// Tasks for BenchExec: a folder with the models of families, a property file for each question (the words of the query, one a line), a
/// task definition for each model and question, and for each tool a benchmark definition with its engines, each with what it is asked.
pub fn benchexec(plan: &Plan, folder: &Path) -> io::Result<Exported> {
    // The folder itself, not what it is in.
    if !folder.is_dir() {
        std::fs::create_dir(folder)?;
    }
    let models = write_models(plan, folder)?;
    let mut questions: BTreeMap<String, usize> = BTreeMap::new();
    let mut tasks: BTreeMap<(String, String), String> = BTreeMap::new();
    let modules: Vec<Option<&str>> = plan.tools.iter().map(|(tool, _)| module(tool)).collect();
    for task in plan.tasks.iter().filter(|task| modules[task.tool].is_some()) {
        let query = task.query.join("\n");
        let next = questions.len() + 1;
        let number = *questions.entry(query.clone()).or_insert(next);
        let path: PathBuf = match &task.source {
            // Beside the tasks, so that the folder can be moved.
            Source::Family(..) | Source::Property(..) => {
                models[&task.source].strip_prefix(folder).map_err(io::Error::other)?.to_owned()
            }
            Source::File(_) => models[&task.source].clone(),
        };
        let mut text = String::from("format_version: \"2.0\"\n");
        let _ = writeln!(text, "input_files: {}", yaml(&path.display().to_string()));
        let _ = writeln!(text, "properties:\n  - property_file: question-{number}.prp");
        if let Some((answer, source)) = &task.expected {
            let _ = writeln!(text, "    # {}\n    expected_verdict: {answer}", source.replace('\n', " "));
        }
        if !task.model_options.is_empty() {
            let words: Vec<String> = task.model_options.iter().map(|word| yaml(word)).collect();
            let _ = writeln!(text, "options:\n  words: [{}]", words.join(", "));
        }
        tasks.insert((task.model.clone(), query), text);
    }
    for (query, number) in &questions {
        std::fs::write(folder.join(format!("question-{number}.prp")), format!("{query}\n"))?;
    }
    let mut names: BTreeMap<&(String, String), String> = BTreeMap::new();
    for (at, (key, text)) in tasks.iter().enumerate() {
        let name = format!("task-{:04}.yml", at + 1);
        std::fs::write(folder.join(&name), text)?;
        names.insert(key, name);
    }
    let left_out = left_out(plan, &modules);
    let mut definitions = Vec::new();
    for (at, (tool, _)) in plan.tools.iter().enumerate() {
        let own: Vec<&Task> = plan.tasks.iter().filter(|task| task.tool == at).collect();
        let (Some(module), false) = (modules[at], own.is_empty()) else { continue };
        let named = |task: &Task| {
            let query = task.query.join("\n");
            (questions[&query], names[&(task.model.clone(), query)].clone())
        };
        let name = format!("{}.xml", tool.name);
        std::fs::write(folder.join(&name), definition(plan, module, &own, named, &left_out))?;
        definitions.push(name);
    }
    Ok(Exported { tasks: tasks.len(), definitions, left_out })
}

/// What of a suite BenchExec is not told, by name.
fn left_out(plan: &Plan, modules: &[Option<&str>]) -> Vec<String> {
    let mut found: Vec<String> = plan.skipped.clone();
    for (at, (tool, _)) in plan.tools.iter().enumerate().filter(|(at, _)| modules[*at].is_none()) {
        let own: Vec<&Task> = plan.tasks.iter().filter(|task| task.tool == at).collect();
        let engines: BTreeSet<&str> = own.iter().map(|task| &*task.engine).collect();
        if !own.is_empty() {
            let engines = engines.into_iter().collect::<Vec<_>>().join(", ");
            let (runs, name) = (own.len(), &tool.name);
            found.push(format!("{engines}: benchmarks/benchexec has no module for the tool {name} ({runs} questions)"));
        }
    }
    if plan.repetitions > 1 || plan.warmup > 0 {
        let Plan { repetitions, warmup, .. } = plan;
        found.push(format!("repetitions = {repetitions}, warmup = {warmup}: BenchExec runs everything once"));
    }
    found
}

/// BenchExec's benchmark definition: the engines of a tool, each with the tasks that it is asked, by the number of the question and the
/// name of the file.
fn definition(
    plan: &Plan,
    module: &str,
    own: &[&Task],
    named: impl Fn(&Task) -> (usize, String),
    left_out: &[String],
) -> String {
    let (seconds, megabytes) = (plan.limits.wall.ceil(), plan.limits.memory >> 20);
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE benchmark PUBLIC \"+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN\" \"https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd\">\n\
         <benchmark tool=\"{module}\" timelimit=\"{seconds} s\" memlimit=\"{megabytes} MB\">\n"
    );
    for what in left_out {
        // Two hyphens would end the comment.
        let _ = writeln!(text, "  <!-- left out: {} -->", what.replace("--", "- -"));
    }
    for engine in own.iter().map(|task| &*task.engine).collect::<BTreeSet<&str>>() {
        let asked: Vec<&&Task> = own.iter().filter(|task| task.engine == engine).collect();
        let _ = writeln!(text, "  <rundefinition name=\"{}\">", xml(engine));
        if module == MODULES[0].1 {
            let _ = writeln!(text, "    <option name=\"--engine\">{}</option>", xml(&asked[0].called));
        }
        for word in &asked[0].options[asked[0].model_options.len()..] {
            let _ = writeln!(text, "    <option name=\"{}\"/>", xml(word));
        }
        // One property for each set of tasks: BenchExec takes a task to a set if it has the set's property.
        let mut sets: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for (number, file) in asked.iter().map(|task| named(task)) {
            sets.entry(number).or_default().insert(file);
        }
        for (number, files) in sets {
            let files: String = files.iter().map(|file| format!("<include>{file}</include>")).collect();
            let property = format!("<propertyfile>question-{number}.prp</propertyfile>");
            let _ = writeln!(text, "    <tasks name=\"question-{number}\">{files}{property}</tasks>");
        }
        text += "  </rundefinition>\n";
    }
    text + "</benchmark>\n"
}

/// A text inside of an element or an attribute.
fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// A text as YAML reads it.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{suite, task};

    #[test]
    fn engines_are_asked_what_the_suite_asks_them_and_the_rest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let text = "name = \"s\"\nrepetitions = 3\n\
            [[tool]]\nname = \"mine\"\nversion = [\"sh\", \"-c\", \"echo 1\"]\nphases = [[\"sh\"]]\n\
            [[engine]]\nname = \"mine\"\ntool = \"mine\"\n\
            [[engine]]\nname = \"otf\"\n[[engine]]\nname = \"plain\"\nengine = \"otf\"\noptions = [\"--no-por\"]\n\
            [[model]]\nfamily = \"philo\"\nsizes = [3, 4]\nquery = [\"--deadlock-free\"]\n\
            [[model]]\nfamily = \"philo\"\nsizes = [5]\nquery = [\"--deadlock-free\"]\nengines = [\"plain\"]\n";
        let plan = task::plan("s.toml", text, &suite::read("s.toml", text).unwrap(), folder.path()).unwrap();
        // The program of the tests is not ours, so whatever it says of its version counts.
        let exported = benchexec(&plan, folder.path()).unwrap();
        assert_eq!((exported.tasks, &*exported.definitions), (3, &["prequel.xml".to_owned()][..]));
        let [mine, again] = &exported.left_out[..] else { panic!("{:?}", exported.left_out) };
        assert!(mine.starts_with("mine: ") && mine.contains("tool mine (2 questions)"), "{mine}");
        assert!(again.starts_with("repetitions = 3"), "{again}");
        let definition = std::fs::read_to_string(folder.path().join("prequel.xml")).unwrap();
        let of = |engine: &str| {
            let own =
                definition.split("<rundefinition").find(|part| part.contains(&format!("name=\"{engine}\""))).unwrap();
            (
                own.matches("<include>").count(),
                own.contains("<option name=\"--engine\">otf</option>"),
                own.contains("--no-por"),
            )
        };
        assert_eq!((of("otf"), of("plain")), ((2, true, false), (3, true, true)));
        assert!(definition.contains("<!-- left out: mine: "), "{definition}");
    }

    #[test]
    fn words_survive_the_shell() {
        for word in ["plain/path.toml", "two words", "it's", "$HOME `x`", ""] {
            let script = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }
}
