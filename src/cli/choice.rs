//! Which engine answers, and how: `--engine`, `--engine-option`, `--search`, `--no-por`.

use crate::job::{EngineChoice, Search};

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
    /// Explore every interleaving: no partial-order reduction
    #[arg(long, help_heading = "Engine")]
    no_por: bool,
    /// Look longer for a short counterexample to nonblocking
    #[arg(long, help_heading = "Engine")]
    shorten: bool,
}

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
    /// What is chosen, with what `--complete` is short for.
    pub fn choice(&self) -> EngineChoice {
        let prototype = [("complete", "on"), ("minimise", "off")].map(|(name, value)| (name.into(), value.into()));
        let options = prototype.into_iter().filter(|_| self.complete).chain(self.options.iter().cloned()).collect();
        let search = if self.search == Order::Depth { Search::Depth } else { Search::Breadth };
        EngineChoice { name: self.name.clone(), options, search, reduce: !self.no_por, shorten: self.shorten }
    }
}
