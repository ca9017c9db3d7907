//! Are two models equivalent, and if not, what tells them apart?

use super::convert::{one_system, subset_cap};
use super::failure::Failure;
use super::models::Reading;
use super::observer::Observer;
use prequel_engine::algo::compare as algorithm;
use prequel_engine::algo::compare::Difference;
use prequel_engine::algo::equivalence::Equivalence;
use prequel_evidence::Checked;
use prequel_evidence::distinction::Differing;
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
    pub difference: Option<ModelDifference>,
    /// The labels of both.
    pub labels: Labels,
}

/// What tells two models apart.
#[derive(Debug)]
pub enum ModelDifference {
    /// This, which was tried on both.
    Shown(Box<Checked<Differing>>),
    /// They are weakly bisimilar: only the options that are lost along silent steps differ.
    SilentChoice,
    /// They are branching bisimilar: only one of two matching states can go round silently for ever.
    Divergence,
    /// What tells them apart would be too long to be read.
    Unexplained,
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
        algorithm::Verdict::Different(difference) => Some(checked(left, right, difference)?),
    };
    Ok(Comparison { difference, labels })
}

/// A difference that can be tried is.
fn checked(left: Lts, right: Lts, difference: Difference) -> Result<ModelDifference, Failure> {
    Ok(match difference {
        Difference::Shown { distinction, steps } => {
            let shown = Checked::new(Differing { left, right, distinction, steps })
                .map_err(|why| Failure::Internal(format!("what should tell them apart does not: {why}")))?;
            ModelDifference::Shown(Box::new(shown))
        }
        Difference::SilentChoice => ModelDifference::SilentChoice,
        Difference::Divergence => ModelDifference::Divergence,
        Difference::Unexplained => ModelDifference::Unexplained,
    })
}

/// A network of one system, over the label table that both share.
fn shared(network: Network, labels: &mut Labels) -> Lts {
    let (own, components) = network.into_parts();
    let lts = components.into_iter().next().expect("one system").lts;
    lts.relabelled(|l| if l.is_tau() { LabelId::TAU } else { labels.intern(own.name(l)) })
}
