//! Which engine answers, and how.

use super::failure::Failure;
use super::portfolio::rules::Entry;
use crate::engines::engines;
use prequel_engine::option::{self, Declared};
use prequel_engine::otf::{Otf, Search};
use prequel_engine::{Engine, Refusal};
use prequel_model::Problem;

/// The engine that is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineChoice {
    /// What it is called; `auto` is whoever has the answer first.
    pub name: String,
    /// Its options with their values, in the order in which they are set.
    pub options: Vec<(String, String)>,
    /// The order of the on-the-fly search.
    pub search: Search,
    /// Whether interleavings may be left out that do not matter.
    pub reduce: bool,
    /// Whether to look longer for a short counterexample to nonblocking.
    pub shorten: bool,
}

/// The option of `auto` that says how long a turn is.
pub const TURN: &str = "turn";

/// The options of `auto`: the work of a turn, where it is set.
const OF_AUTO: &[Declared<Option<u64>>] = &[Declared::number(
    TURN,
    "by engine",
    "states and transitions that an engine looks at before it is another's turn",
    |turn, work| *turn = Some(work),
)];

/// States that are looked at for a shorter counterexample.
const SHORTEN: &str = "1048576";

impl Default for EngineChoice {
    fn default() -> Self {
        Self::called("auto")
    }
}

impl EngineChoice {
    /// The engine of this name, with its defaults.
    pub fn called(name: &str) -> Self {
        Self { name: name.into(), options: Vec::new(), search: Search::Breadth, reduce: true, shorten: false }
    }

    /// SPIN, with or without its partial-order reduction.
    pub fn spin(reduce: bool) -> Self {
        Self { reduce, ..Self::called("spin") }
    }

    /// Whether it is left open who answers.
    pub fn is_auto(&self) -> bool {
        self.name == "auto"
    }

    /// The work of a turn of those whom `auto` asks, where it is set.
    fn turn(&self) -> Result<Option<u64>, Failure> {
        let mut turn = None;
        for (name, value) in &self.options {
            let wrong = |message: String, help: &str| Failure::input("--engine-option", message, help);
            let known = option::list(OF_AUTO).into_iter().find(|option| option.name == name).ok_or_else(|| {
                let help = "name the engine, as in `--engine icc`; `prequel engines` lists their options";
                wrong(format!("`{name}` is an option of one engine"), help)
            })?;
            option::set(OF_AUTO, &mut turn, name, value).map_err(|why| wrong(why, known.about))?;
        }
        Ok(turn)
    }

    /// The work of an engine that `auto` asks: at first, and each time that it is its turn.
    pub fn shares(&self, entry: &Entry) -> [u64; 2] {
        self.turn().ok().flatten().map_or(entry.shares, |work| [work; 2])
    }

    /// An engine that `auto` asks, with what else is wanted of it. Where one order of search is wanted, that is the order.
    pub fn entry(&self, entry: &Entry) -> Self {
        let options = entry.options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let search = if entry.depth_first { Search::Depth } else { self.search };
        let shorten = self.shorten && entry.engine == "conflict";
        Self { name: entry.engine.into(), options, search, reduce: self.reduce, shorten }
    }

    /// The on-the-fly engine as it is wanted.
    pub fn otf(&self) -> Otf {
        Otf { search: self.search, reduce: self.reduce }
    }

    /// The engine of this name with its options set; none for `auto`.
    ///
    /// Fails where there is no such engine or option.
    pub fn named(&self) -> Result<Option<Box<dyn Engine>>, Failure> {
        if self.is_auto() {
            return self.turn().map(|_| None);
        }
        let all = engines(self.otf());
        let names: Vec<&str> = all.iter().map(|engine| engine.name()).collect();
        let help = format!("engines are auto, {}; `prequel engines` tells more", names.join(", "));
        let mut engine = all
            .into_iter()
            .find(|engine| engine.name() == self.name)
            .ok_or_else(|| Failure::input("--engine", format!("no engine is called `{}`", self.name), help))?;
        for (name, value) in &self.options {
            let options = engine.options();
            let help = match options.iter().find(|o| o.name == *name) {
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
