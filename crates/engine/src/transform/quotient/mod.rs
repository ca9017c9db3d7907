//! Quotient assumptions: a process is replaced by a quotient that keeps whether the error is reachable.
//!
//! B. Finkbeiner, S. Schewe, M. Brill: *Automatic Synthesis of Assumptions for Compositional Model Checking*.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | error LTS (Section 2) | `error::Error`, `system::System` |
//! | forward and backward labels (Sections 3, 4) | `labelling::Labelling`, `part::Direction` |
//! | modal transition system of M, may and must (Section 5) | `part::Part`, `system::Abstract` |
//! | lower bounds, upper bounds | `labelling::Labelling::analyse`, `labelling::Labelling::upper` |
//! | equivalence classes of N from its labels | `labelling::Labelling::classes`, `extract` |
//! | choice of the may edge, split, retained lower bounds (Section 6) | `labelling::Labelling::refine` |
//! | ten steps forward, ten steps backward (Section 7) | `assume::assume` |
//!
//! Beyond the paper: several processes (`system`), deadlocks and goals (`error`), counterexamples lifted back (`lift`).
//! Processes are replaced one after another, each against the others as they are by then; replacing all at once, each
//! against the originals, would be wrong (`Q_simultaneous_FB_original`).
//!
//! **Order.** The process with the most states comes first: its states count in the labels of all others, so that it
//! should be small when they have their turn; of equal ones, the one with fewer labels shared with others. Passes go on
//! until one of them makes nothing smaller. Refining one process to its end before the others are looked at is not the best
//! way: classes of an early step are often coarser than those of a later one, as F then has changed what B works on, and a process that
//! is small makes the labels of all others small. So the first passes may take few steps only ([`Options::first_pass`]).
//!
//! **Departures.** "It suffices to consider each edge at most once" (Sections 3, 4) is wrong for edges on a cycle
//! (`Q_each_edge_once`): here each triple is looked at once. Section 6 prints "iff" in the refined relation; it must be "not
//! equivalent". States with unknown labels are never merged, equal or not (`Q_merge_unknown_F`). Alphabets stay
//! (`Q_alphabet_from_edges`).

mod allowance;
mod assume;
pub(super) mod error;
mod extract;
mod labelling;
mod part;
mod partition;
mod system;
mod triples;
mod way_back;

use super::{Lift as _, Replaced, Smaller, Stop, Transform, with_quotient};
use crate::Refusal;
pub use assume::{Decided, Options};
use assume::{Failed, assume};
use prequel_model::run::Run;
use prequel_model::{ClassMap, ComponentId, Problem, Query, Trace, Why};
use system::System;
use way_back::{Layer, Layers};

/// Triples that an analysis may hold, where nothing else is said: some 200 MB.
pub const MOST_LABELS: usize = 4_000_000;

/// Steps of the first passes, where processes are made small for a search that follows: a turn forward and one back.
pub const FIRST_PASS: u64 = 20;

/// The transform and its options.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// Which components to replace, in this order; all of them where the list is empty.
    pub replace: Vec<ComponentId>,
    /// When to stop refining.
    pub options: Options,
}

impl Default for Quotient {
    fn default() -> Self {
        let options = Options {
            steps: None,
            target_states: None,
            labels: MOST_LABELS,
            effort: None,
            decide: false,
            first_pass: None,
        };
        Self { replace: Vec::new(), options }
    }
}

/// What is left of a problem, and what was found out on the way.
#[derive(Debug)]
pub struct Outcome {
    /// The smaller problem.
    pub smaller: Smaller,
    /// The verdict, where it was looked for and found: a trace is one of the original problem.
    pub decided: Option<Decided>,
    /// Whether nothing is left to refine.
    pub complete: bool,
}

impl Transform for Quotient {
    fn name(&self) -> &'static str {
        "quotient"
    }

    fn apply(&self, problem: &Problem, run: &Run) -> Result<Smaller, Stop> {
        Ok(self.outcome(problem, run)?.smaller)
    }
}

impl Quotient {
    /// Whether the verdict of such a query is kept.
    pub fn keeps(problem: &Problem) -> Result<(), Refusal> {
        match problem.query {
            Query::Nonblocking => {
                Err(Refusal::new("quotients keep the verdict of safety, reach and deadlock-free, not of nonblocking"))
            }
            _ => Ok(()),
        }
    }

    /// Replaces processes until nothing shrinks, or until the verdict is known where that is what is wanted.
    pub fn outcome(&self, problem: &Problem, run: &Run) -> Result<Outcome, Stop> {
        Self::keeps(problem)?;
        let mut now = problem.clone();
        let mut layers: Vec<Layer> = Vec::new();
        let mut replaced: Vec<Replaced> = Vec::new();
        let mut decided = None;
        if accepts_at_once(problem) {
            // Whatever the network does, the monitor accepts: there is nothing to keep, and nothing to find out.
            decided = Some(Decided::Reached(Trace::default()));
        }
        let mut pass = self.options.shallow();
        let mut complete = false;
        while decided.is_none() {
            let mut shrunk = false;
            complete = true;
            for component in self.order(&now) {
                if now.network.component(component).lts.num_states() < 2 || !self.options.allow(run) {
                    continue;
                }
                let assumption = match assume(&now, component, &pass, run) {
                    Ok(assumption) => assumption,
                    Err(Failed::Interrupted) => return Err(Why::Interrupted.into()),
                    Err(Failed::Lift(e)) => return Err(e.into()),
                };
                let so_far = Layers { last: now.clone(), layers };
                decided = match assumption.decided {
                    Some(Decided::Reached(trace)) => Some(Decided::Reached(so_far.lift(&trace)?)),
                    other => other,
                };
                layers = so_far.layers;
                shrunk |= !assumption.layers.is_empty();
                complete &= assumption.complete;
                let mut map: Option<ClassMap> = None;
                for layer in &assumption.layers {
                    now = with_quotient(&now, &layer.map);
                    map = Some(map.map_or_else(|| layer.map.clone(), |before| before.then(&layer.map)));
                }
                note(&mut replaced, component, map, assumption.steps, assumption.labels, assumption.kept);
                layers.extend(assumption.layers);
                if decided.is_some() {
                    break;
                }
            }
            if self.options.target_states.is_some() {
                break;
            }
            if !shrunk {
                match self.options.deeper(&pass).filter(|_| !complete && self.options.allow(run)) {
                    Some(deeper) => pass = deeper,
                    None => break,
                }
            }
        }
        let lift = Box::new(Layers { last: now.clone(), layers });
        Ok(Outcome { smaller: Smaller::new(now, replaced, lift), decided, complete })
    }

    /// In which order processes are replaced.
    fn order(&self, problem: &Problem) -> Vec<ComponentId> {
        if !self.replace.is_empty() {
            return self.replace.clone();
        }
        let network = &problem.network;
        let mut order: Vec<ComponentId> = network.ids().collect();
        order.sort_by_key(|&c| {
            let component = network.component(c);
            let shared = component.alphabet().iter().filter(|&&l| network.participants(l).len() > 1).count();
            (std::cmp::Reverse(component.lts.num_states()), shared, c)
        });
        order
    }
}

/// Adds what was done to a component to the report; several passes are reported as one.
fn note(
    all: &mut Vec<Replaced>,
    component: ComponentId,
    map: Option<ClassMap>,
    steps: u64,
    labels: usize,
    kept: Option<String>,
) {
    let at = all.iter().position(|r| r.component == component).unwrap_or_else(|| {
        all.push(Replaced { component, map: None, steps: 0, labels: 0, kept: None });
        all.len() - 1
    });
    let known = &mut all[at];
    known.map = match (known.map.take(), map) {
        (Some(before), Some(next)) => Some(before.then(&next)),
        (before, next) => before.or(next),
    };
    known.steps += steps;
    known.labels = known.labels.max(labels);
    known.kept = kept;
}

/// Whether the monitor accepts before anything happened.
fn accepts_at_once(problem: &Problem) -> bool {
    let system = System::new(problem);
    let initial = system.initial();
    (0..system.parts.len()).any(|part| system.error.is_pi(part, initial[part]))
}
