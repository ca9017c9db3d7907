//! What an answer rests on, and for which other systems it holds.

use prequel_model::Network;
use prequel_model::run::Needs;
use std::fmt;

/// The components that decide a question, by name, and the labels that nobody else may take part in.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The components.
    pub components: Vec<String>,
    /// The labels; any system with these components will do where there are none.
    pub labels: Vec<String>,
    /// How many components there are.
    pub of: usize,
}

impl Scope {
    /// What was noted while the question was answered.
    pub fn new(network: &Network, needs: &Needs) -> Self {
        Self {
            components: needs.components.iter().map(|&c| network.component(c).name.to_string()).collect(),
            labels: needs.labels.iter().map(|&l| network.labels().name(l).to_owned()).collect(),
            of: network.components().len(),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} components decide it: {}", self.components.len(), self.of, few(&self.components))?;
        f.write_str("any system with them has the same answer")?;
        match self.labels.is_empty() {
            true => Ok(()),
            false => write!(f, " if nobody else takes part in {}", few(&self.labels)),
        }
    }
}

/// Some names, and how many more there are.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 8;
    match names.get(..SHOWN) {
        Some(shown) if names.len() > SHOWN => format!("{}, … ({} more)", shown.join(", "), names.len() - SHOWN),
        _ => names.join(", "),
    }
}
