//! Are two models equivalent, and if not, what tells them apart?

use super::convert::{one_system, subset_cap};
use super::failure::Failure;
use super::models::Reading;
use super::observer::Observer;
use prequel_engine::algo::compare as algorithm;
use prequel_engine::algo::compare::Difference;
use prequel_engine::algo::equivalence::Equivalence;
use prequel_model::run::Run;
use prequel_model::{LabelId, Labels, Lts, Network, Why};
use std::path::PathBuf;
use std::slice::from_ref;

/// Two models, and what they are compared by. A network counts as its product, seen from outside.
#[derive(Clone, Debug)]
pub struct Compare {
    /// The two models.
    pub models: [PathBuf; 2],
    /// How to read them.
    pub reading: Reading,
    /// When they count as the same.
    pub equivalence: Equivalence,
}

/// What tells two models apart, if anything does.
#[derive(Debug)]
pub struct Comparison {
    /// The difference; none where they are equivalent.
    pub difference: Option<Difference>,
    /// The labels of both.
    pub labels: Labels,
}

/// Compares two models.
pub fn compare(request: &Compare, run: &Run, observer: &dyn Observer) -> Result<Comparison, Failure> {
    let mut labels = Labels::new();
    let [left, right] = &request.models;
    let mut system = |path: &PathBuf| -> Result<Lts, Failure> {
        let (network, _) = request.reading.subject(from_ref(path), run, observer)?.network(run, observer)?;
        match observer.during(run, "product", || one_system(network, run)) {
            Ok(network) => Ok(shared(network, &mut labels)),
            Err(why) => Err(Failure::Undecided(format!("{why} in the product of {}", path.display()), why)),
        }
    };
    let (left, right) = (system(left)?, system(right)?);
    let most = subset_cap(run);
    let work = || algorithm::compare(&left, &right, request.equivalence, Some(most));
    let verdict = observer
        .during(run, "compare", work)
        .map_err(|e| Failure::Undecided(format!("{e}; raise it with --states"), Why::States(most as u64)))?;
    let difference = match verdict {
        algorithm::Verdict::Equivalent => None,
        algorithm::Verdict::Different(difference) => Some(difference),
    };
    Ok(Comparison { difference, labels })
}

/// A network of one system, over the label table that both share.
fn shared(network: Network, labels: &mut Labels) -> Lts {
    let (own, components) = network.into_parts();
    let lts = components.into_iter().next().expect("one system").lts;
    lts.relabelled(|l| if l.is_tau() { LabelId::TAU } else { labels.intern(own.name(l)) })
}
