//! From parts that reach the goal back to a path of the network: each product is searched again for a run on the word that is known
//! so far, which tells the letters that were hidden in it.

use super::goal::PartialState;
use super::part::{Of, Part, product};
use super::solve::{System, may_end};
use crate::engine::run::Run;
use crate::engine::weave::{interleave, run_on, weave};
use crate::model::{LabelId, Network, StateId, Trace, Why};

/// A path to the goal, and the labels on it.
pub fn trace(
    network: &Network,
    system: &System<'_>,
    state: &PartialState,
    parts: &[Part],
    run: &Run,
) -> Result<(Trace, Vec<LabelId>), Why> {
    // What a component does alone was hidden from the start: any run with the other letters will do.
    let alone = |l: LabelId| l.is_tau() || system.participants(l).len() == 1;
    let mut full = Vec::new();
    let mut runs = vec![Vec::new(); network.components().len()];
    for part in parts {
        // Alone: by labels that nobody else takes part in, the only ones left if they are hidden.
        let inside = |l: LabelId| l.is_tau() || system.participants(l).iter().all(|c| part.members.contains(c));
        let path = run_on(&part.lts, &[], inside, |s| part.lts.is_marked(s)).expect("the part is complete");
        let letters: Vec<LabelId> = path.iter().map(|t| t.label).filter(|l| !l.is_tau()).collect();
        let word = word(part, &letters, run)?;
        for &c in part.members.iter().filter(|c| c.at() < network.components().len()) {
            let component = network.component(c);
            let own: Vec<LabelId> = word.iter().copied().filter(|&l| component.takes_part(l) && !alone(l)).collect();
            let ends = |s: StateId| may_end(state, c, s);
            runs[c.at()] = run_on(&component.lts, &own, alone, ends).expect("words come from runs");
        }
        full.extend(word);
    }
    // What only the monitor does is no step of the network.
    full.retain(|&l| !alone(l) && !network.participants(l).is_empty());
    let trace = weave(network, &full, &runs);
    let mut labels: Vec<LabelId> = trace.steps.iter().map(|step| step.label).filter(|l| !l.is_tau()).collect();
    labels.sort_unstable();
    labels.dedup();
    Ok((trace, labels))
}

/// A word of all components of a part, hidden letters included, that the part sees as `seen` and that reaches the goal.
fn word(part: &Part, seen: &[LabelId], run: &Run) -> Result<Vec<LabelId>, Why> {
    let Of::Joint(children) = &part.of else {
        return Ok(seen.to_vec());
    };
    let [one, other] = &**children;
    let joint = product(one, other, run)?;
    let hidden = |l: LabelId| !part.takes_part(l);
    let path = run_on(&joint, seen, hidden, |s| joint.is_marked(s)).expect("minimisation keeps words to the goal");
    let letters: Vec<LabelId> = path.iter().map(|t| t.label).filter(|l| !l.is_tau()).collect();
    let below = |child: &Part| {
        let own: Vec<LabelId> = letters.iter().copied().filter(|&l| child.takes_part(l)).collect();
        word(child, &own, run)
    };
    let parts = [below(one)?, below(other)?];
    Ok(interleave(&letters, &parts, |at, l| children[at].takes_part(l)))
}
