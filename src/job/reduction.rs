//! How processes are replaced by smaller ones.

use super::failure::Failure;
use prequel_engine::icc;
use prequel_engine::transform::Transform;
use prequel_engine::transform::icc::Icc;
use prequel_engine::transform::minimise::Minimise;
use prequel_engine::transform::quotient::{FIRST_PASS, Options, Quotient};
use prequel_model::run::Limits;
use prequel_model::{ComponentId, Network};
pub use prequel_program::residual::Rule;

/// States and triples that are looked at where the user sets no limit: some seconds. What is found later is rarely worth the wait.
pub const MOST_TRIPLES: u64 = 500_000;

/// How processes are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By quotients that keep whether the error is reachable.
    Quotient,
    /// By bisimilar components.
    Minimise,
    /// By what a search for counterexamples has not ruled out.
    Icc,
    /// By what is left of the statements of a Promela model once local variables are folded into control.
    Residual,
}

impl Method {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quotient => "quotient",
            Self::Minimise => "minimise",
            Self::Icc => "icc",
            Self::Residual => "residual",
        }
    }
}

/// Which processes are replaced, and how far that goes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReductionChoice {
    /// How they are replaced; by what suits the model where nothing is said.
    pub method: Option<Method>,
    /// These, in this order; all of them where the list is empty.
    pub replace: Vec<String>,
    /// Refinement steps for each process; for icc, checks.
    pub steps: Option<u64>,
    /// A process with no more states than this is small enough.
    pub target_states: Option<usize>,
    /// With icc: where a counterexample is found, the words that make it are kept and nothing else.
    pub selected: bool,
    /// With residual: every step of a run stays one.
    pub keep_states: bool,
    /// With residual: runs that are fair to every process stay so, and no others become fair.
    pub keep_fairness: bool,
    /// With residual: assertions alone are kept, and not end states.
    pub assertions: bool,
    /// With residual: what is not made smaller.
    pub without: Vec<Rule>,
}

impl ReductionChoice {
    /// The method for networks.
    pub fn of_networks(&self) -> Method {
        self.method.unwrap_or(Method::Quotient)
    }

    /// Where something else is done than residual statements, no rule of theirs can be left out.
    pub fn has_no_rules(&self) -> Result<(), Failure> {
        let help = "leave it away; --method residual takes it, for a Promela model that is written as a text";
        match self.without.first() {
            Some(rule) => {
                Err(Failure::input("--without", format!("`{}` is no part of this method", rule.name()), help))
            }
            None => Ok(()),
        }
    }

    /// The method as a transform; `options` are for quotients.
    pub fn transform(&self, network: &Network, options: Options) -> Result<Box<dyn Transform>, Failure> {
        self.has_no_rules()?;
        let replace = named(network, &self.replace)?;
        if self.selected && self.method != Some(Method::Icc) {
            return Err(Failure::input("--selected", "only icc selects words", "add --method icc, or leave it away"));
        }
        Ok(match self.of_networks() {
            Method::Residual => {
                let help = "leave --method away, or use quotient, minimise or icc";
                return Err(Failure::input("--method", "only Promela models have residual statements", help));
            }
            Method::Minimise => Box::new(Minimise { replace }),
            Method::Quotient => Box::new(Quotient { replace, options }),
            Method::Icc => {
                let usual = icc::Options::default();
                // Steps are those of the search: no level comes before it then.
                let level = if self.steps.is_some() { 0 } else { usual.level };
                let options = icc::Options { checks: self.steps.unwrap_or(usual.checks), level, ..usual };
                Box::new(Icc { replace, options, selected: self.selected })
            }
        })
    }

    /// Whether anything is said about how to reduce.
    pub fn is_set(&self) -> bool {
        let bounded = self.steps.is_some() || self.target_states.is_some();
        bounded || self.method.is_some() || !self.replace.is_empty() || !self.without.is_empty()
    }

    /// When to stop refining.
    pub fn options(&self) -> Options {
        let (steps, target_states) = (self.steps, self.target_states);
        Options { steps, target_states, effort: None, ..usual() }
    }

    /// The same, and not much later than it pays, where the user sets no limit.
    pub fn bounded(&self, limits: &Limits) -> Options {
        let limited = limits.time.is_some() || limits.states.is_some() || self.steps.is_some();
        Options { effort: (!limited).then_some(MOST_TRIPLES), ..self.options() }
    }
}

/// When to stop refining where nothing is said about it: not much later than it pays.
pub fn usual() -> Options {
    Options { first_pass: Some(FIRST_PASS), effort: Some(MOST_TRIPLES), ..Quotient::default().options }
}

/// The components of these names.
pub fn named(network: &Network, names: &[String]) -> Result<Vec<ComponentId>, Failure> {
    let mut replace: Vec<ComponentId> = Vec::new();
    for name in names {
        let unknown = || {
            let names: Vec<&str> = network.components().iter().take(20).map(|c| &*c.name).collect();
            let more = if network.components().len() > names.len() { ", …" } else { "" };
            let help = format!("processes are {}{more}", names.join(", "));
            Failure::input("--replace", format!("no process is called `{name}`"), help)
        };
        let component = network.find(name).ok_or_else(unknown)?;
        if !replace.contains(&component) {
            replace.push(component);
        }
    }
    Ok(replace)
}
