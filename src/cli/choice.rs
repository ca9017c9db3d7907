//! Which engine answers, and how: `--engine`, `--engine-option`, `--search`, `--no-por`.

use super::exit::Failure;
use crate::engines::engines;
use prequel_engine::otf::{Otf, Search};
use prequel_engine::{Engine, Refusal};
use prequel_model::Problem;

/// The engine that is asked for.
#[derive(clap::Args, Clone, Debug)]
pub struct EngineArgs {
    /// Which engine answers (see `prequel engines`)
    #[arg(long = "engine", value_name = "ENGINE", default_value = "auto", help_heading = "Engine")]
    pub name: String,
    /// Set an option of the engine; several with commas between them, or one by one (see `prequel engines`)
    #[arg(long = "engine-option", value_name = "NAME=VALUE", value_delimiter = ',', value_parser = setting, help_heading = "Engine")]
    options: Vec<(String, String)>,
    /// For `lazy`: complete products, as the paper's prototype has them (short for complete=on,minimise=off)
    #[arg(long, help_heading = "Engine")]
    complete: bool,
    /// Order of the on-the-fly search
    #[arg(long, value_enum, default_value_t = Order::Breadth, help_heading = "Engine")]
    search: Order,
    /// Explore every interleaving: no partial-order reduction (of programs, in Promela or DVE, only SPIN leaves any out)
    #[arg(long, help_heading = "Engine")]
    pub no_por: bool,
    /// Look longer for a short counterexample to nonblocking
    #[arg(long, help_heading = "Engine")]
    shorten: bool,
}

/// States that `--shorten` looks at.
const SHORTEN: &str = "1048576";

/// The order of the on-the-fly search.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Level by level; shortest witness
    Breadth,
    /// Deep first; one thread
    Depth,
}

/// `NAME=VALUE`.
fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    Ok((name.trim().into(), value.trim().into()))
}

impl EngineArgs {
    /// The engine of this name, with its defaults.
    pub fn called(name: &str) -> Self {
        Self {
            name: name.into(),
            options: Vec::new(),
            complete: false,
            search: Order::Breadth,
            no_por: false,
            shorten: false,
        }
    }

    /// SPIN, with or without its partial-order reduction.
    pub fn spin(no_por: bool) -> Self {
        Self { no_por, ..Self::called("spin") }
    }

    /// The on-the-fly engine as the user wants it.
    pub fn otf(&self) -> Otf {
        let search = if self.search == Order::Depth { Search::Depth } else { Search::Breadth };
        Otf { search, reduce: !self.no_por }
    }

    /// The options of the engine, with what is short for some of them.
    fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let prototype = self.complete.then_some([("complete", "on"), ("minimise", "off")]);
        let given = self.options.iter().map(|(name, value)| (&**name, &**value));
        prototype.into_iter().flatten().chain(given)
    }

    /// The engine of this name with its options set; none for `auto`.
    ///
    /// Fails where there is no such engine or option.
    pub fn named(&self) -> Result<Option<Box<dyn Engine>>, Failure> {
        if self.name == "auto" {
            return match self.settings().next() {
                None => Ok(None),
                Some((name, _)) => {
                    let help = "name the engine, as in `--engine icc`; `prequel engines` lists their options";
                    Err(Failure::input("--engine-option", format!("`{name}` is an option of one engine"), help))
                }
            };
        }
        let all = engines(self.otf());
        let names: Vec<&str> = all.iter().map(|engine| engine.name()).collect();
        let help = format!("engines are auto, {}; `prequel engines` tells more", names.join(", "));
        let mut engine = all
            .into_iter()
            .find(|engine| engine.name() == self.name)
            .ok_or_else(|| Failure::input("--engine", format!("no engine is called `{}`", self.name), help))?;
        for (name, value) in self.settings() {
            let options = engine.options();
            let help = match options.iter().find(|o| o.name == name) {
                Some(option) => format!("`{name}` is {}; {} unless set", option.values, option.default),
                None if options.is_empty() => format!("`{}` has no options", self.name),
                None => {
                    let names: Vec<&str> = options.iter().map(|o| o.name).collect();
                    format!("options of `{}` are {}", self.name, names.join(", "))
                }
            };
            engine.set(name, value).map_err(|why| Failure::input("--engine-option", why, help))?;
        }
        Ok(Some(self.shortening(engine)?))
    }

    /// The engine that looks longer for a short counterexample, if that is asked for.
    fn shortening(&self, mut engine: Box<dyn Engine>) -> Result<Box<dyn Engine>, Failure> {
        if self.shorten && engine.set("shorten", SHORTEN).is_err() {
            let why = format!("`{}` does not shorten what it finds", engine.name());
            return Err(Failure::input("--shorten", why, "it is for nonblocking, and the engine `conflict`"));
        }
        Ok(engine)
    }

    /// The engine that was asked for, or the first that takes the problem.
    pub fn choose(&self, problem: &Problem) -> Result<Box<dyn Engine>, Failure> {
        if let Some(engine) = self.named()? {
            engine.accepts(problem)?;
            return Ok(engine);
        }
        let mut refusals = Vec::new();
        let mut ours: Vec<Box<dyn Engine>> =
            engines(self.otf()).into_iter().filter(|e| e.external().is_none()).collect();
        // Who decides nothing else was made for it.
        ours.sort_by_key(|engine| engine.queries() != [problem.query.kind()]);
        for engine in ours {
            match engine.accepts(problem) {
                Ok(()) => return self.shortening(engine),
                Err(refusal) => refusals.push(refusal.to_string()),
            }
        }
        Err(Refusal::new(format!("no engine takes this query: {}", refusals.join("; "))).into())
    }
}
