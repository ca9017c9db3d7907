//! The runs that a suite stands for.

use super::suite::{Models, Suite};
use super::supervise::Allowance;
use super::tool::{self, Tool};
use prequel_families as families;
use prequel_families::boolean;
use prequel_formats::diag::{Diagnostic, Place};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

/// Where a model comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// An instance of a family.
    Family(&'static str, usize),
    /// An instance of a family of Boolean systems, with one of its properties, counted from 1.
    Property(&'static str, usize, usize),
}

/// A model, a question and an engine.
#[derive(Clone, Debug)]
pub struct Task {
    /// The model's name in results.
    pub model: String,
    /// Where it comes from.
    pub source: Source,
    /// Options that go with the model and the engine.
    pub options: Vec<String>,
    /// Those of them that go with the model.
    pub model_options: Vec<String>,
    /// What is asked.
    pub query: Vec<String>,
    /// The answer, if it is known, and how.
    pub expected: Option<(bool, String)>,
    /// The engine's name in results.
    pub engine: String,
    /// What its program calls it.
    pub called: String,
    /// Who runs it, by position in [`Plan::tools`].
    pub tool: usize,
}

/// All that is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The suite's name.
    pub name: String,
    /// Programs, with their version where they are installed.
    pub tools: Vec<(Tool, Option<String>)>,
    /// In the order of the suite.
    pub tasks: Vec<Task>,
    /// What cannot be run, and why.
    pub skipped: Vec<String>,
    /// What each run may use.
    pub limits: Allowance,
    /// Runs of each task that count.
    pub repetitions: u32,
    /// Runs before those.
    pub warmup: u32,
}

impl Task {
    /// What it is called in results: the same in every night.
    pub fn key(&self) -> (String, String, String) {
        (self.model.clone(), self.query.join(" "), self.engine.clone())
    }
}

/// The runs of a suite; `folder` is where it stands. Finds what is wrong with it before anything is run.
pub fn plan(file: &str, text: &str, suite: &Suite, folder: &Path) -> Result<Plan, Vec<Diagnostic>> {
    let tools: Vec<(Tool, Option<String>)> = tool::all(&suite.tools).into_iter().map(|tool| (tool, None)).collect();
    let mut plan = Plan {
        name: suite.name.get_ref().clone(),
        tools,
        tasks: Vec::new(),
        skipped: Vec::new(),
        limits: suite.limits.allowance(),
        repetitions: suite.repetitions.max(1),
        warmup: suite.warmup,
    };
    let mut errors = Vec::new();
    let mut known: FxHashMap<(String, String), (bool, usize)> = FxHashMap::default();
    for (number, models) in suite.models.iter().enumerate() {
        let at = |span: std::ops::Range<usize>, message: String| {
            Diagnostic::error(file, message).at(Place::in_text(text.as_bytes(), span))
        };
        let found = match instances(models, folder) {
            Ok(found) => found,
            Err(message) => {
                let span = models.path.as_ref().map_or(0..0, toml::Spanned::span);
                errors.push(at(span, message).help("paths start at the folder of the suite"));
                continue;
            }
        };
        for (model, source) in found {
            for (query, expected) in questions(models, &source) {
                let place = models.expected.as_ref().map_or(0..0, toml::Spanned::span);
                if let Some((answer, _)) = &expected {
                    let asked = (model.clone() + &models.options.join(" "), query.join(" "));
                    let &mut (before, entry) = known.entry(asked).or_insert((*answer, number));
                    if before != *answer {
                        let message = format!(
                            "{model} {}: expected {answer} here, {before} in model entry {}",
                            query.join(" "),
                            entry + 1
                        );
                        errors.push(at(place, message).help("only one of them can be right"));
                    }
                }
                plan.add(suite, models, &model, &source, &query, expected.as_ref());
            }
        }
    }
    if errors.is_empty() { Ok(plan) } else { Err(errors) }
}

impl Plan {
    fn add(
        &mut self,
        suite: &Suite,
        models: &Models,
        model: &str,
        source: &Source,
        query: &[String],
        expected: Option<&(bool, String)>,
    ) {
        let wanted =
            |name: &String| models.engines.as_ref().is_none_or(|all| all.iter().any(|one| one.get_ref() == name));
        let asked = |asks: &[String]| asks.is_empty() || asks.iter().any(|kind| query.first() == Some(kind));
        for engine in suite.engines.iter().filter(|engine| wanted(engine.name.get_ref()) && asked(&engine.asks)) {
            let name = engine.tool.as_ref().map_or("prequel", |tool| tool.get_ref());
            let number = self
                .tools
                .iter()
                .position(|(tool, _)| tool.name == name)
                .expect("it was looked for when the suite was read");
            let (tool, version) = &mut self.tools[number];
            if version.is_none() {
                *version = tool.installed();
            }
            let path = match source {
                Source::File(path) => path.clone(),
                Source::Family(name, _) => PathBuf::from(format!("{name}.exp")),
                Source::Property(name, ..) => PathBuf::from(format!("{name}.smv")),
            };
            let missing = version.is_none().then(|| format!("{name} is not installed"));
            let options: Vec<String> = models.options.iter().chain(&engine.options).cloned().collect();
            let unfit = missing.or_else(|| tool.refuses(&path, &query.join(" ")));
            if let Some(why) = unfit.or_else(|| tool.would_run_c(&path, &options)) {
                if !self.skipped.contains(&why) {
                    self.skipped.push(why);
                }
                continue;
            }
            self.tasks.push(Task {
                model: model.to_owned(),
                source: source.clone(),
                model_options: models.options.clone(),
                options,
                query: query.to_vec(),
                expected: expected.cloned(),
                engine: engine.name.get_ref().clone(),
                called: engine.engine.as_ref().unwrap_or(engine.name.get_ref()).clone(),
                tool: number,
            });
        }
    }
}

/// The models of an entry, with their names.
fn instances(models: &Models, folder: &Path) -> Result<Vec<(String, Source)>, String> {
    let options = if models.options.is_empty() { String::new() } else { format!(" {}", models.options.join(" ")) };
    if let Some(family) = models.family.as_ref().and_then(|family| boolean::find(family.get_ref())) {
        let name = family.name;
        let properties = |&size: &usize| {
            let of = move |number| (format!("{name} {size} property {number}"), Source::Property(name, size, number));
            (1..=(family.build)(size).properties.len()).map(of)
        };
        let named = |(model, source)| (format!("{model}{options}"), source);
        return Ok(models.sizes.iter().flat_map(properties).map(named).collect());
    }
    if let Some(family) = &models.family {
        let name = families::find(family.get_ref()).expect("it was looked for when the suite was read").name;
        let instance = |&size: &usize| (format!("{name} {size}{options}"), Source::Family(name, size));
        return Ok(models.sizes.iter().map(instance).collect());
    }
    let pattern = models.path.as_ref().map_or("", |path| path.get_ref());
    let found = matching(folder, pattern)?;
    if found.is_empty() {
        return Err(format!("no file is called `{pattern}`"));
    }
    Ok(found.into_iter().map(|(name, path)| (format!("{name}{options}"), Source::File(path))).collect())
}

/// The words of a question, and its answer if it is known, with how.
type Asked = (Vec<String>, Option<(bool, String)>);

/// The questions of an entry about one of its models.
fn questions(models: &Models, source: &Source) -> Vec<Asked> {
    let expected = models.expected.as_ref().map(|expected| (expected.get_ref() == "true", models.source.clone()));
    match (&models.query, source) {
        (Some(query), _) => vec![(query.get_ref().clone(), expected)],
        (None, Source::File(_)) => vec![(Vec::new(), expected)],
        (None, Source::Property(name, size, number)) => {
            let family = boolean::find(name).expect("it has its name from there");
            let claimed = (family.build)(*size).properties.swap_remove(number - 1).name;
            vec![(Vec::new(), expected.or(Some((true, claimed))))]
        }
        (None, Source::Family(name, size)) => {
            let family = families::find(name).expect("it has its name from there");
            let suggested = (family.build)(*size, 0).queries;
            let asked = |q: families::Suggested| {
                let known = q.expected.map(|answer| (answer, q.why.to_owned()));
                (words(&q.text), known.or_else(|| expected.clone()))
            };
            suggested.into_iter().map(asked).collect()
        }
    }
}

/// The words of a command line, without its quotes.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(letter),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The files that a pattern stands for, in order, with their names below the folder. `*` stands for a part of a name, `**` for
/// any folders.
fn matching(folder: &Path, pattern: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let parts: Vec<&str> = pattern.split('/').collect();
    // Where the first star is, the walk begins.
    let fixed = parts.iter().take_while(|part| !part.contains('*')).count();
    let start = folder.join(parts[..fixed].join("/"));
    if fixed == parts.len() {
        return Ok(if start.is_file() { vec![(pattern.to_owned(), start)] } else { Vec::new() });
    }
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(&start).sort_by_file_name().into_iter().flatten() {
        let Ok(below) = entry.path().strip_prefix(&start) else { continue };
        let names: Vec<String> =
            below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if entry.file_type().is_file() && fits(&parts[fixed..], &names) {
            let whole: Vec<&str> = parts[..fixed].iter().copied().chain(names.iter().copied()).collect();
            found.push((whole.join("/"), entry.path().to_owned()));
        }
    }
    Ok(found)
}

fn fits(pattern: &[&str], names: &[&str]) -> bool {
    match (pattern.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            fits(rest, names) || names.split_first().is_some_and(|(_, names)| fits(pattern, names))
        }
        (Some((part, rest)), Some((name, names))) => fits_name(part.as_bytes(), name.as_bytes()) && fits(rest, names),
        _ => false,
    }
}

fn fits_name(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|at| fits_name(rest, &name[at..])),
        Some((first, rest)) => {
            name.split_first().is_some_and(|(letter, name)| letter == first && fits_name(rest, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::read;

    #[test]
    fn stars_stand_for_parts_of_names_and_folders() {
        assert!(fits(&["*.pml"], &["a.pml"]) && !fits(&["*.pml"], &["b", "a.pml"]));
        assert!(fits(&["**", "*.pml"], &["b", "c", "a.pml"]) && fits(&["**", "*.pml"], &["a.pml"]));
        assert!(fits(&["a*b*.x"], &["a1b2.x"]) && !fits(&["a*b"], &["abc"]));
    }

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(words("--reach 'a@1 & b@2' --x"), ["--reach", "a@1 & b@2", "--x"]);
    }

    fn planned(text: &str, folder: &Path) -> Result<Plan, String> {
        let suite = read("s.toml", text).map_err(|e| e[0].render())?;
        plan("s.toml", text, &suite, folder).map_err(|e| e[0].render())
    }

    #[test]
    fn every_engine_is_asked_about_every_instance() {
        let text = "name = \"n\"\n[[engine]]\nname = \"otf\"\n[[engine]]\nname = \"icc\"\n[[model]]\nfamily = \"philo\"\nsizes = [3, 4]\n";
        let plan = planned(text, Path::new(".")).unwrap();
        let questions = prequel_families::find("philo").map(|f| (f.build)(3, 0).queries.len()).unwrap();
        assert_eq!(plan.tasks.len(), 2 * 2 * questions);
        assert_eq!(plan.tasks[0].model, "philo 3");
    }

    #[test]
    fn every_property_of_a_boolean_system_is_a_model() {
        let head = "name = \"n\"\n[[engine]]\nname = \"bdd\"\n[[model]]\nfamily = \"fms-smv\"\n";
        let plan = planned(&format!("{head}sizes = [2]\n"), Path::new(".")).unwrap();
        let models: Vec<&str> = plan.tasks.iter().map(|task| task.model.as_str()).collect();
        assert_eq!((models.len(), models[0]), (6, "fms-smv 2 property 1"));
        let (holds, why) = plan.tasks[0].expected.as_ref().unwrap();
        assert!(*holds && why.contains("buffer 1"), "{why}");
        let odd = planned(&format!("{head}sizes = [3]\n"), Path::new(".")).unwrap_err();
        assert!(odd.contains("fms-smv has sizes from 2 to 1000 in steps of 2, not 3"), "{odd}");
    }

    #[test]
    fn engines_are_asked_the_kinds_of_queries_that_the_suite_names() {
        let text = "name = \"n\"\n[[engine]]\nname = \"lazy\"\nasks = [\"--reach\"]\n[[model]]\nfamily = \"philo\"\nsizes = [3]\n";
        let plan = planned(text, Path::new(".")).unwrap();
        assert!(!plan.tasks.is_empty() && plan.tasks.iter().all(|task| task.query[0] == "--reach"));
    }

    #[test]
    fn patterns_without_files_and_contradictions_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let head = "name = \"n\"\n[[engine]]\nname = \"otf\"\n";
        let nothing = planned(&format!("{head}[[model]]\npath = \"none/*.aut\"\n"), folder.path()).unwrap_err();
        assert!(nothing.contains("s.toml:5:8") && nothing.contains("no file is called"), "{nothing}");
        std::fs::write(folder.path().join("a.aut"), "des (0, 0, 1)\n").unwrap();
        let entry = |answer: &str| {
            format!("[[model]]\npath = \"a.aut\"\nquery = [\"--deadlock-free\"]\nexpected = \"{answer}\"\n")
        };
        let both = planned(&format!("{head}{}{}", entry("true"), entry("false")), folder.path()).unwrap_err();
        assert!(both.contains("expected false here, true in model entry 1"), "{both}");
    }

    #[test]
    fn what_is_not_installed_is_skipped_with_a_note() {
        let text = "name = \"n\"\n[[tool]]\nname = \"mine\"\nversion = [\"no-such-program\"]\nphases = [[\"no-such-program\"]]\n\
            [[engine]]\nname = \"mine\"\ntool = \"mine\"\n[[model]]\nfamily = \"philo\"\nsizes = [3]\n";
        let plan = planned(text, Path::new(".")).unwrap();
        assert_eq!((plan.tasks.len(), plan.skipped.as_slice()), (0, &["mine is not installed".to_owned()][..]));
    }
}
