//! A shorter counterexample near the one that was found.
//!
//! | step | |
//! | --- | --- |
//! | it ends where it first blocks | what follows a blocking state blocks, so that state is found by bisection |
//! | no state comes twice | what lies between is cut out |
//! | steps go that those who block do not need | `sliced`; few components often block by themselves (`core`) |
//! | shortcuts | searches from states of the path, to later ones or to where the few block |
//!
//! Each search looks at no more than a part of so many states.

use super::breadth::{Breadth, End};
use super::core::{Blocks, blocks};
use crate::algo::product::Product;
use prequel_model::run::Run;
use prequel_model::{ComponentId, Network, StateId, Step, Trace, Why};
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

type Packed = Box<[u64]>;

/// Longer paths are not sliced: that looks at the whole path for each of its steps.
const MOST_SLICED: usize = 2000;

/// A path to a blocking state that is no longer than this one.
pub fn shorten(network: &Network, trace: &Trace, most: u64, run: &Run) -> Result<Trace, Why> {
    let mut steps = trace.steps.clone();
    let mut few = cut(network, &mut steps, most / 8, run)?;
    if few.len() < network.components().len() && steps.len() <= MOST_SLICED {
        steps = sliced(network, steps, &few);
        few = cut(network, &mut steps, most / 8, run)?;
    }
    let product = Product::new(network.labels().len(), network.components().iter().collect());
    let states = states(network, &steps);
    let end = &states[states.len() - 1];
    let path = states.iter().map(|state| Packed::from(product.pack(state.iter().copied()))).collect();
    let known = |state: &[u64]| few.iter().all(|&c| product.local(state, c) == end[c.at()]);
    let path = shortcuts(&product, path, known, most / 2, run)?;
    let steps = path.windows(2).map(|pair| product.step_between(&pair[0], &pair[1]).expect("a successor has a step"));
    Ok(Trace { steps: steps.collect() })
}

/// The global states along a path.
fn states(network: &Network, steps: &[Step]) -> Vec<Vec<StateId>> {
    let mut all = vec![network.initial()];
    for step in steps {
        let mut next = all[all.len() - 1].clone();
        step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
        all.push(next);
    }
    all
}

/// Ends a path at its first state that is known to block, and says who blocks there by themselves; all, if that is not known.
fn cut(network: &Network, steps: &mut Vec<Step>, most: u64, run: &Run) -> Result<Vec<ComponentId>, Why> {
    let states = states(network, steps);
    let mut few: Vec<ComponentId> = network.ids().collect();
    // The state at `high` blocks; those before `low` do not, or it is not known.
    let (mut low, mut high) = (0, steps.len());
    if let Blocks::By(members) = blocks(network, &states[high], most, run)? {
        few = members;
    }
    while low < high {
        let middle = (low + high) / 2;
        match blocks(network, &states[middle], most, run)? {
            Blocks::By(members) => (high, few) = (middle, members),
            Blocks::No | Blocks::Unknown => low = middle + 1,
        }
    }
    steps.truncate(high);
    Ok(few)
}

/// The path without steps that the members do not need to end where they end: each in its turn goes, and whatever cannot follow without it.
fn sliced(network: &Network, mut steps: Vec<Step>, members: &[ComponentId]) -> Vec<Step> {
    let mut end = network.initial();
    steps.iter().flat_map(|step| &step.moves).for_each(|m| end[m.component.at()] = m.to);
    let mut at = 0;
    while at < steps.len() {
        let (fewer, there) = without(network, &steps, at);
        if members.iter().all(|c| there[c.at()] == end[c.at()]) {
            steps = fewer;
        } else {
            at += 1;
        }
    }
    steps
}

/// The path without a step and without what cannot follow then, and where it ends.
fn without(network: &Network, steps: &[Step], at: usize) -> (Vec<Step>, Vec<StateId>) {
    let (mut kept, mut now) = (steps[..at].to_vec(), network.initial());
    kept.iter().flat_map(|step| &step.moves).for_each(|m| now[m.component.at()] = m.to);
    for step in &steps[at + 1..] {
        // Somebody who takes part is not where it starts: it goes, too.
        if step.moves.iter().all(|m| now[m.component.at()] == m.from) {
            step.moves.iter().for_each(|m| now[m.component.at()] = m.to);
            kept.push(step.clone());
        }
    }
    (kept, now)
}

/// The path with shortcuts to later states of it, or to one that is known to block.
fn shortcuts(
    product: &Product,
    mut path: Vec<Packed>,
    known: impl Fn(&[u64]) -> bool,
    most: u64,
    run: &Run,
) -> Result<Vec<Packed>, Why> {
    without_loops(&mut path);
    let (mut at, mut left) = (0, most);
    while at + 1 < path.len() && left > 0 {
        let ahead: FxHashMap<&[u64], usize> = path.iter().enumerate().skip(at).map(|(n, s)| (&**s, n)).collect();
        // States of the path, and those known to block, each nearer to the end than those before.
        let mut nearer: Vec<(usize, usize)> = Vec::new();
        let share = (most / 4).min(left);
        let (found, end) = Breadth::search(product, &path[at], share, run, |n, state| {
            let rest = ahead.get(state).map(|&on| path.len() - 1 - on);
            let rest = if known(state) { Some(0) } else { rest };
            if let Some(rest) = rest.filter(|&rest| nearer.last().is_none_or(|&(least, _)| rest < least)) {
                nearer.push((rest, n));
            }
            if rest == Some(0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        left = left.saturating_sub(found.states().count() as u64);
        let ways = nearer.into_iter().map(|(rest, n)| (found.way_to(n), rest));
        let (way, rest) = ways.min_by_key(|(way, rest)| way.len() + rest).expect("the first state is on the path");
        if at + way.len() + rest < path.len() {
            let after = path.split_off(path.len() - rest);
            path.truncate(at);
            path.extend(way.iter().map(|&(n, _)| Packed::from(found.state(n))));
            path.extend(after);
        }
        // From the first state to the last one, and nothing shorter was overlooked: there is none.
        if end != End::TooLarge {
            break;
        }
        at += (way.len() / 2).max(1);
    }
    Ok(path)
}

/// Cuts out what comes between two visits of a state.
fn without_loops(path: &mut Vec<Packed>) {
    let last: FxHashMap<Packed, usize> = path.iter().enumerate().map(|(at, s)| (s.clone(), at)).collect();
    let (mut at, mut kept) = (0, Vec::with_capacity(path.len()));
    while at < path.len() {
        kept.push(path[at].clone());
        at = last[&path[at]] + 1;
    }
    *path = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_evidence::witness::check;
    use prequel_families::control::{cluster, diners};
    use prequel_model::run::Limits;
    use prequel_model::{Problem, Query};

    /// The steps of some labels from the initial state, one after the other.
    fn path(network: &Network, labels: &[&str]) -> Vec<Step> {
        let mut now = network.initial();
        let step = |label: &&str| {
            let step = network.steps(&now).into_iter().find(|s| network.labels().name(s.label) == *label);
            let step = step.unwrap_or_else(|| panic!("{label} cannot happen"));
            step.moves.iter().for_each(|m| now[m.component.at()] = m.to);
            step
        };
        labels.iter().map(step).collect()
    }

    #[test]
    fn what_others_do_is_sliced_away() {
        let network = diners::alike(4, 0).network;
        // The last one eats and puts a fork back before the first takes one; a third holds one fork.
        let steps = path(&network, &["take3.3", "take3.0", "take2.2", "put3.3", "put3.0", "take0.0", "take0.1"]);
        let first: Vec<ComponentId> = ["phil0", "fork0"].iter().map(|name| network.find(name).unwrap()).collect();
        let names =
            |steps: &[Step]| steps.iter().map(|s| network.labels().name(s.label).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&sliced(&network, steps, &first)), ["take0.0", "take0.1"]);
    }

    #[test]
    fn a_long_way_to_a_blocking_state_becomes_short() {
        let network = cluster::one_way(2, 0).network;
        let wafer = ["enter0", "start0", "work0", "finish0", "pass0"];
        let through = ["enter1", "start1", "work1", "finish1", "pass1", "fetch0", "leave0"];
        // One wafer goes all the way; the second waits in the last chamber, the third in the buffer, the fourth in the first chamber.
        let second = [&wafer[..], &through[..3]].concat();
        let labels = [&wafer[..], &through, &second, &wafer, &wafer[..3]].concat();
        let steps = path(&network, &labels);
        let problem = Problem { network, query: Query::Nonblocking };
        check(&problem, &Trace { steps: steps.clone() }).unwrap();
        let run = Run::new(Limits::default(), 0);
        let short = shorten(&problem.network, &Trace { steps }, 1 << 10, &run).unwrap();
        check(&problem, &short).unwrap();
        assert!(short.steps.len() < labels.len() - through.len(), "{} steps", short.steps.len());
    }
}
