//! A suite for those who outgrow one machine: scripts for GNU parallel and for Slurm, tasks for BenchExec.
//!
//! Scripts run parts of a suite (`bench --part K/N`), each into a file of its own; all belong to one night, so a report puts them
//! together. A part that is run again goes on where it stopped.

use super::runner::write_models;
use super::task::{Plan, Source};
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
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=+:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Tasks for BenchExec: a folder with the models of families, a property file for each question (the words of the query, one a line) and a
/// task definition for each model and question. Returns how many tasks there are.
pub fn benchexec(plan: &Plan, folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let models = write_models(plan, folder)?;
    let mut questions: BTreeMap<String, usize> = BTreeMap::new();
    let mut tasks: BTreeMap<(String, String), (usize, String)> = BTreeMap::new();
    for task in &plan.tasks {
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
        tasks.insert((task.model.clone(), query), (number, text));
    }
    for (query, number) in &questions {
        std::fs::write(folder.join(format!("question-{number}.prp")), format!("{query}\n"))?;
    }
    // One property for each set of tasks: BenchExec takes a task to a set if it has the set's property.
    let mut sets: BTreeMap<usize, String> = BTreeMap::new();
    for (at, (number, text)) in tasks.values().enumerate() {
        let name = format!("task-{:04}.yml", at + 1);
        std::fs::write(folder.join(&name), text)?;
        let _ = write!(sets.entry(*number).or_default(), "<include>{name}</include>");
    }
    let ours = plan.tasks.iter().filter(|task| plan.tools[task.tool].0.name == "prequel").map(|task| &task.called);
    std::fs::write(folder.join("prequel.xml"), definition(plan, &ours.collect(), &sets))?;
    Ok(tasks.len())
}

/// BenchExec's benchmark definition: our engines, and the tasks of each question.
fn definition(plan: &Plan, engines: &BTreeSet<&String>, sets: &BTreeMap<usize, String>) -> String {
    let (seconds, megabytes) = (plan.limits.wall.ceil(), plan.limits.memory >> 20);
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE benchmark PUBLIC \"+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN\" \"https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd\">\n\
         <benchmark tool=\"prequel_tools.prequel\" timelimit=\"{seconds} s\" memlimit=\"{megabytes} MB\">\n"
    );
    for engine in engines {
        let name = engine.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let option = format!("<option name=\"--engine\">{name}</option>");
        let _ = writeln!(text, "  <rundefinition name=\"{name}\">{option}</rundefinition>");
    }
    for (number, files) in sets {
        let property = format!("<propertyfile>question-{number}.prp</propertyfile>");
        let _ = writeln!(text, "  <tasks name=\"question-{number}\">{files}{property}</tasks>");
    }
    text + "</benchmark>\n"
}

/// A text as YAML reads it.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        for word in ["plain/path.toml", "two words", "it's", "$HOME `x`", ""] {
            let script = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }
}
