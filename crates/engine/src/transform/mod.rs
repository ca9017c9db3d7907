//! Transforms: a problem becomes a smaller one with the same verdict, and remembers the way back.

pub mod icc;
pub mod minimise;
pub mod quotient;
pub mod together;

use crate::Refusal;
use prequel_model::run::Run;
use prequel_model::{ClassMap, Component, ComponentId, Lts, Network, Problem, Query, Trace, Why};

/// The way back: from a witness of the smaller problem to one of the problem it was made from.
pub trait Lift: std::fmt::Debug {
    /// Lifts a witness. By construction every witness lifts; an error here is a fault of the transform.
    fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted>;
}

/// A witness of the smaller problem that could not be lifted: never the user's fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a witness of the smaller problem does not lift: {0}")]
pub struct NotLifted(pub String);

/// A smaller problem. There is none without a way back.
#[derive(Debug)]
pub struct Smaller {
    /// The problem: the same components by name and number, some of them smaller.
    pub problem: Problem,
    /// What was done to each component that was looked at.
    pub replaced: Vec<Replaced>,
    lift: Box<dyn Lift>,
}

impl Smaller {
    /// A smaller problem and the way back from it.
    pub fn new(problem: Problem, replaced: Vec<Replaced>, lift: Box<dyn Lift>) -> Self {
        Self { problem, replaced, lift }
    }

    /// Lifts a witness of the smaller problem.
    pub fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted> {
        self.lift.lift(trace)
    }

    /// The maps of the components that became smaller.
    pub fn maps(&self) -> Vec<ClassMap> {
        self.replaced.iter().filter_map(|r| r.map.clone()).collect()
    }
}

/// What was done to one component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replaced {
    /// Which one.
    pub component: ComponentId,
    /// The homomorphism from its states to those of the one in its place, for methods that have one; none where it stayed as
    /// it was.
    pub map: Option<ClassMap>,
    /// Refinement steps that this took.
    pub steps: u64,
    /// The largest number of labels held at once.
    pub labels: usize,
    /// Why it stayed as it was, where that was not for want of equivalent states.
    pub kept: Option<String>,
}

/// Why there is no smaller problem.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stop {
    /// The transform does not keep the verdict of such a query.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A limit was reached before there was anything to show.
    #[error(transparent)]
    Limit(#[from] Why),
    /// A fault of the transform: something that is certain could not be shown.
    #[error(transparent)]
    Broken(#[from] NotLifted),
}

/// What a query that stays undecided says of it: a fault of ours is told as one, and never as a verdict that a check might catch.
impl From<Stop> for Why {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(why) => Why::Refused(why.to_string()),
            Stop::Limit(why) => why,
            Stop::Broken(why) => Why::Broken(why.to_string()),
        }
    }
}

/// A way to make problems smaller.
pub trait Transform {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Makes a problem smaller. The verdict stays the same, whatever the limits.
    fn apply(&self, problem: &Problem, run: &Run) -> Result<Smaller, Stop>;
}

/// The problem with one component replaced by its quotient, and what is asked of that component asked of classes.
/// States of a class must agree on every condition of the query.
fn with_quotient(problem: &Problem, map: &ClassMap) -> Problem {
    with_system(problem, map.component, map.quotient.clone(), map.query(&problem.query))
}

/// The problem with another system in the place of one component, which keeps its name and alphabet, and another query.
fn with_system(problem: &Problem, component: ComponentId, lts: Lts, query: Query) -> Problem {
    let (labels, mut components) = problem.network.clone().into_parts();
    let old = &mut components[component.at()];
    *old = Component::with_alphabet(old.name.clone(), lts, old.alphabet().to_vec());
    Problem { network: Network::new(labels, components), query }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_lift_is_an_internal_error_and_no_verdict() {
        let stop = Stop::Broken(NotLifted("step 3".into()));
        assert!(matches!(Why::from(stop), Why::Broken(why) if why.contains("step 3")));
        assert_eq!(Why::from(Stop::Limit(Why::States(7))), Why::States(7));
    }
}
