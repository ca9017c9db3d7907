//! From what each component does on the way to the goal to a path of the network.

use super::goal::{PartialState, may_end};
use super::solve::Share;
use super::system::System;
use crate::weave::{meet, run_on, weave};
use prequel_model::{LabelId, Network, StateId, Trace};

/// A path to the goal, and the labels on it.
pub fn trace(
    network: &Network,
    system: &System<'_>,
    state: &PartialState,
    shares: Vec<Share>,
) -> (Trace, Vec<LabelId>) {
    let components = network.components();
    let mut runs = vec![Vec::new(); components.len()];
    let mut letters = vec![Vec::new(); system.len()];
    for share in shares {
        let c = share.component;
        if let Some(component) = components.get(c.at()) {
            // What a component does alone was hidden from the start: any run with the other letters will do.
            let ends = |s: StateId| may_end(state, c, s);
            let run = run_on(&component.lts, &share.letters, |l| system.alone(l), ends);
            runs[c.at()] = run.expect("words come from runs");
        }
        letters[c.at()] = share.letters;
    }
    let mut word = meet(&letters, |l| system.participants(l));
    // What only the monitor does is no step of the network.
    word.retain(|&l| !network.participants(l).is_empty());
    let trace = weave(network, &word, &runs);
    let mut labels: Vec<LabelId> = trace.steps.iter().map(|step| step.label).filter(|l| !l.is_tau()).collect();
    labels.sort_unstable();
    labels.dedup();
    (trace, labels)
}
