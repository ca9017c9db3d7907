//! Suites: which models, which questions, which engines, how long. The text is TOML.

use prequel_families::boolean;
use prequel_formats::diag::{Diagnostic, Place};
use prequel_formats::text::suggest;
use prequel_formats::units;
use prequel_formats::units::time;
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// What a suite says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// What it is called in results and reports.
    pub name: Spanned<String>,
    /// One line about it.
    #[serde(default)]
    pub about: String,
    /// How often each run is repeated.
    #[serde(default = "once")]
    pub repetitions: u32,
    /// Runs before those that count.
    #[serde(default)]
    pub warmup: u32,
    /// What each run may use.
    #[serde(default)]
    pub limits: Limits,
    /// Who is asked.
    #[serde(rename = "engine")]
    pub engines: Vec<Engine>,
    /// What is asked about.
    #[serde(rename = "model")]
    pub models: Vec<Models>,
    /// Programs that are not known by themselves.
    #[serde(default, rename = "tool")]
    pub tools: Vec<super::tool::Tool>,
}

/// What each run may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall time, as in `30s`.
    pub time: Spanned<String>,
    /// CPU time; twice the wall time, if absent.
    pub cpu: Option<Spanned<String>>,
    /// Memory, as in `4G`.
    pub memory: Spanned<String>,
}

/// An engine with its options.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// What it is called in results.
    pub name: Spanned<String>,
    /// What the program calls it; its name in results, if absent. One engine can be there more than once, with other options.
    pub engine: Option<String>,
    /// Which program runs it.
    pub tool: Option<Spanned<String>>,
    /// More arguments.
    #[serde(default)]
    pub options: Vec<String>,
    /// Kinds of queries that it is asked, as `--reach`; all, if none are named.
    #[serde(default)]
    pub asks: Vec<String>,
}

/// Models with a question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Models {
    /// Files, as in `examples/*.pml`, from the folder of the suite.
    pub path: Option<Spanned<String>>,
    /// A family of `prequel generate`.
    pub family: Option<Spanned<String>>,
    /// Its sizes.
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Options that go with the model, as `-DN=3`.
    #[serde(default)]
    pub options: Vec<String>,
    /// What is asked, as on the command line; what the model states, or what the family is made for, if absent.
    pub query: Option<Spanned<Vec<String>>>,
    /// The answer, if it is known: `true` or `false`.
    pub expected: Option<Spanned<String>>,
    /// How it is known.
    #[serde(default)]
    pub source: String,
    /// Names of engines; all, if absent.
    pub engines: Option<Vec<Spanned<String>>>,
}

fn once() -> u32 {
    1
}

impl Default for Limits {
    fn default() -> Self {
        let text = |text: &str| Spanned::new(0..0, text.to_owned());
        Self { time: text("60s"), cpu: None, memory: text("4G") }
    }
}

impl Limits {
    /// In numbers; the text was checked when the suite was read.
    pub(crate) fn allowance(&self) -> super::supervise::Allowance {
        let seconds = |text: &str| time(text).map_or(60.0, |time| time.as_secs_f64());
        let wall = seconds(self.time.get_ref());
        let cpu = self.cpu.as_ref().map_or(2.0 * wall, |cpu| seconds(cpu.get_ref()));
        let memory = units::bytes(self.memory.get_ref()).unwrap_or(4 << 30);
        super::supervise::Allowance { wall, cpu, memory, output: 16 << 20 }
    }
}

/// Reads a suite; all errors at once, as far as the text is TOML at all.
pub fn read(file: &str, text: &str) -> Result<Suite, Vec<Diagnostic>> {
    let at = |span: Range<usize>, message: String| {
        Diagnostic::error(file, message).at(Place::in_text(text.as_bytes(), span))
    };
    let suite: Suite = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        vec![misspelt(at(span, error.message().into()), error.message())]
    })?;
    let mut errors = Vec::new();
    let limits = [Some(&suite.limits.time), suite.limits.cpu.as_ref()];
    for limit in limits.into_iter().flatten() {
        if let Err(why) = time(limit.get_ref()) {
            errors.push(at(limit.span(), why).help("a time is a number with a unit, as in 30s"));
        }
    }
    if let Err(why) = units::bytes(suite.limits.memory.get_ref()) {
        errors.push(at(suite.limits.memory.span(), why).help("memory is a number with a unit, as in 4G"));
    }
    let tools = super::tool::all(&suite.tools);
    for engine in &suite.engines {
        if let Some(tool) = &engine.tool
            && !tools.iter().any(|known| known.name == *tool.get_ref())
        {
            let help = suggest::help(tool.get_ref(), "tools", tools.iter().map(|tool| &*tool.name));
            errors.push(at(tool.span(), format!("no tool is called `{}`", tool.get_ref())).help(help));
        }
    }
    for models in &suite.models {
        errors.extend(models.errors(&suite, &at));
    }
    if errors.is_empty() { Ok(suite) } else { Err(errors) }
}

impl Models {
    fn errors(&self, suite: &Suite, at: &impl Fn(Range<usize>, String) -> Diagnostic) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        match (&self.path, &self.family) {
            (Some(path), Some(_)) => {
                errors.push(
                    at(path.span(), "a model is a file or of a family, not both".into()).help("make it two entries"),
                );
            }
            (None, None) => {
                let message = "a model without `path` and without `family`";
                errors.push(at(suite.name.span(), message.into()).help("say which files, or which family"));
            }
            (None, Some(family)) if boolean::find(family.get_ref()).is_some() => {
                let known = boolean::find(family.get_ref()).expect("just found");
                if self.sizes.is_empty() {
                    let range = format!("sizes from {} to {}", known.smallest, known.largest);
                    errors.push(at(family.span(), "a family without `sizes`".into()).help(range));
                } else if let Some(message) = self.sizes.iter().find_map(|&size| known.has(size).err()) {
                    errors.push(at(family.span(), message).help("choose others"));
                }
            }
            (None, Some(family)) => match prequel_families::find(family.get_ref()) {
                None => {
                    let names = prequel_families::FAMILIES.iter().map(|family| family.name);
                    let names = names.chain(boolean::FAMILIES.iter().map(|family| family.name));
                    let help = suggest::help(family.get_ref(), "families", names);
                    errors.push(at(family.span(), format!("no family is called `{}`", family.get_ref())).help(help));
                }
                Some(known) => {
                    let (least, most) = (known.smallest, known.largest);
                    let range = format!("sizes from {least} to {most}");
                    if self.sizes.is_empty() {
                        errors.push(at(family.span(), "a family without `sizes`".into()).help(range));
                    } else if let Some(size) = self.sizes.iter().find(|size| !(least..=most).contains(size)) {
                        errors.push(
                            at(family.span(), format!("{} has {range}, not {size}", known.name)).help("choose others"),
                        );
                    }
                }
            },
            (Some(_), None) => {}
        }
        if let Some(expected) = &self.expected
            && !["true", "false"].contains(&expected.get_ref().as_str())
        {
            let message = format!("`{}` is no answer", expected.get_ref());
            errors.push(at(expected.span(), message).help("an answer is \"true\" or \"false\""));
        }
        for name in self.engines.iter().flatten() {
            if !suite.engines.iter().any(|engine| engine.name.get_ref() == name.get_ref()) {
                let known = suite.engines.iter().map(|engine| engine.name.get_ref().as_str());
                let help = suggest::help(name.get_ref(), "engines of this suite", known);
                errors.push(at(name.span(), format!("no engine is called `{}`", name.get_ref())).help(help));
            }
        }
        errors
    }
}

/// Adds the nearest field to a message about an unknown one.
fn misspelt(found: Diagnostic, message: &str) -> Diagnostic {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (Some(field), true) = (quoted.next(), message.starts_with("unknown field")) else {
        return found.help("see docs/bench.md for what a suite can say");
    };
    let known: Vec<&str> = quoted.collect();
    found.help(suggest::help(field, "fields", known.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
name = "small"
[limits]
time = "5s"
[[engine]]
name = "otf"
[[model]]
family = "philo"
sizes = [3, 4]
"#;

    fn headlines(text: &str) -> Vec<String> {
        read("s.toml", text).unwrap_err().iter().map(Diagnostic::render).collect()
    }

    #[test]
    fn a_suite_is_read() {
        let suite = read("s.toml", GOOD).unwrap();
        assert_eq!((suite.name.get_ref().as_str(), suite.repetitions, suite.warmup), ("small", 1, 0));
        let allowance = suite.limits.allowance();
        assert_eq!((allowance.wall, allowance.cpu, allowance.memory), (5.0, 10.0, 4 << 30));
    }

    #[test]
    fn a_misspelt_field_is_named_with_what_was_meant() {
        let said = headlines(&GOOD.replace("sizes", "size"));
        assert!(said[0].contains("s.toml:9:1") && said[0].contains("did you mean `sizes`?"), "{}", said[0]);
    }

    #[test]
    fn all_errors_are_reported_at_their_places() {
        let text =
            GOOD.replace("5s", "5 parsecs").replace("philo", "pilo").replace("sizes = [3, 4]", "expected = \"maybe\"");
        let said = headlines(&text).join("\n");
        for part in [
            "s.toml:4:8",
            "unknown unit",
            "no family is called `pilo`",
            "did you mean `philo`?",
            "`maybe` is no answer",
        ] {
            assert!(said.contains(part), "{part} in {said}");
        }
    }

    #[test]
    fn engines_and_tools_must_be_known() {
        let text = GOOD
            .replace("sizes = [3, 4]", "sizes = [3]\nengines = [\"oft\"]")
            .replace("name = \"otf\"", "name = \"otf\"\ntool = \"spni\"");
        let said = headlines(&text).join("\n");
        assert!(said.contains("did you mean `otf`?") && said.contains("did you mean `spin`?"), "{said}");
        assert!(headlines(&GOOD.replace("[3, 4]", "[1]"))[0].contains("philo has sizes from"));
    }
}
