//! Verdicts that rest on some components of a network, whatever the others are.
//!
//! Without some of its components a network can do more, as far as the others are concerned: nobody is left to keep them from a label. So
//! what some components do not reach on their own, they do not reach beside others either. A goal may have alternatives; each must be
//! ruled out by some components. The other way round, a path on which only some components move is a path beside any others that take
//! part in none of its labels, and it shows a goal that is decided by where those components are.

use super::certificate::{Bounds, Rejected};
use super::explore::explore;
use prequel_model::{Component, ComponentId, LabelId, Labels, Network, Problem, Query, StateId, Trace};
use rustc_hash::FxHashMap;

/// Whether these parts rule out everything that is looked for; tells how many states they have together.
pub fn rule_out(problem: &Problem, parts: &[Vec<ComponentId>], bounds: &Bounds) -> Result<usize, Rejected> {
    let goals = match &problem.query {
        Query::Reach(goal) => goal.alternatives(),
        Query::Safety(_) => Vec::new(),
        other => return Err(Rejected::Unknown(format!("parts of a network tell nothing about {}", other.kind()))),
    };
    // How many alternatives are left; the monitor of a safety question is one.
    let mut open = vec![true; if let Query::Safety(_) = problem.query { 1 } else { goals.len() }];
    let mut states = 0;
    // Where a component is in the part at hand.
    let mut place: Vec<Option<usize>> = vec![None; problem.network.components().len()];
    for part in parts {
        part.iter().enumerate().for_each(|(at, c)| place[c.at()] = Some(at));
        let network = alone(problem, part);
        let mut impossible = open.clone();
        states += explore(&network, bounds, |state, _| {
            if let Query::Safety(monitor) = &problem.query {
                impossible[0] &= !monitor.automaton.lts.is_marked(state[part.len()]);
            }
            let known = |c: ComponentId| place[c.at()].map(|at| state[at]);
            for (impossible, (goal, positive)) in impossible.iter_mut().zip(&goals) {
                *impossible = *impossible && goal.decided(&known) == Some(!positive);
            }
            Ok::<(), Rejected>(())
        })?;
        open.iter_mut().zip(impossible).for_each(|(open, impossible)| *open &= !impossible);
        part.iter().for_each(|c| place[c.at()] = None);
    }
    match open.iter().position(|open| *open) {
        Some(at) => Err(Rejected::Open { alternative: at + 1, of: open.len() }),
        None => Ok(states),
    }
}

/// Some components on their own, with the monitor of a safety question as the last, and no labels but theirs.
pub(crate) fn alone(problem: &Problem, part: &[ComponentId]) -> Network {
    let network = &problem.network;
    let monitor = match &problem.query {
        Query::Safety(monitor) => Some(&monitor.automaton),
        _ => None,
    };
    let own = || part.iter().map(|&c| network.component(c)).chain(monitor);
    let mut labels = Labels::new();
    let mut number: FxHashMap<LabelId, LabelId> = FxHashMap::from_iter([(LabelId::TAU, LabelId::TAU)]);
    for &label in own().flat_map(Component::alphabet) {
        number.entry(label).or_insert_with(|| labels.intern(network.labels().name(label)));
    }
    let renumbered = |component: &Component| {
        let lts = component.lts.clone().relabelled(|l| number[&l]);
        let alphabet: Vec<LabelId> = component.alphabet().iter().map(|l| number[l]).collect();
        Component::with_alphabet(component.name.clone(), lts, alphabet)
    };
    let components = own().map(renumbered).collect();
    Network::new(labels, components)
}

/// Whether a witness needs no more than these components, and that nobody else takes part in these labels. It was replayed before.
pub fn suffice(
    problem: &Problem,
    trace: &Trace,
    last: &[StateId],
    components: &[ComponentId],
    labels: &[LabelId],
) -> Result<(), Rejected> {
    let network = &problem.network;
    let mut used = vec![false; network.components().len()];
    components.iter().for_each(|c| used[c.at()] = true);
    let mut named = vec![false; network.labels().len()];
    labels.iter().for_each(|l| named[l.at()] = true);
    for step in &trace.steps {
        if let Some(m) = step.moves.iter().find(|m| !used[m.component.at()]) {
            return Err(Rejected::Needs(format!("`{}` moves in the witness", network.component(m.component).name)));
        }
        if !step.label.is_tau() && !named[step.label.at()] {
            return Err(Rejected::Needs(format!("`{}` happens in the witness", network.labels().name(step.label))));
        }
    }
    let known = |c: ComponentId| used[c.at()].then(|| last[c.at()]);
    match &problem.query {
        Query::Reach(goal) if goal.decided(&known) != Some(true) => {
            Err(Rejected::Needs("the goal depends on further components".into()))
        }
        Query::Reach(_) | Query::Safety(_) => Ok(()),
        other => Err(Rejected::Needs(format!("{} is about all components", other.kind()))),
    }
}
