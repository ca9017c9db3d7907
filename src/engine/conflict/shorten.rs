//! A shorter counterexample near the one that was found.
//!
//! The path ends at its first state that blocks, and goes through no state twice. Then searches from its states look for shortcuts: to a later
//! state of the path, or to a state that is known to block. All together look at no more than so many states.

use super::breadth::{Breadth, End};
use crate::algo::product::Product;
use crate::engine::run::Run;
use crate::model::{ComponentId, Network, StateId, Trace, Why};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

type Packed = Box<[u64]>;

/// A path to a blocking state that is no longer than this one.
pub fn shorten(network: &Network, trace: &Trace, most: u64, run: &Run) -> Result<Trace, Why> {
    let product = Product::new(network.labels().len(), network.components().iter().collect());
    let mut path: Vec<Packed> = vec![product.initial().into()];
    let mut locals: Vec<StateId> = network.initial();
    for step in &trace.steps {
        step.moves.iter().for_each(|m| locals[m.component.at()] = m.to);
        path.push(product.pack(locals.iter().copied()).into());
    }
    let mut blocking = Blocking { product: &product, network, known: FxHashSet::default() };
    // Half of it for the end: where that is not enough, shortcuts lead to states of the path only.
    let mut left = most / 2;
    if blocking.is_blocking(&path[path.len() - 1], &mut left, run)? {
        while path.len() > 1 && blocking.is_blocking(&path[path.len() - 2], &mut left, run)? {
            path.pop();
        }
    }
    left += most / 2;
    without_loops(&mut path);
    let mut at = 0;
    while at + 1 < path.len() && left > 0 {
        let ahead: FxHashMap<&[u64], usize> = path.iter().enumerate().skip(at).map(|(n, s)| (&**s, n)).collect();
        // States of the path, and those known to block, each nearer to the end than those before.
        let mut nearer: Vec<(usize, usize)> = Vec::new();
        let share = (most / 8).min(left);
        let (found, end) = Breadth::search(&product, &path[at], share, run, |n, state| {
            let rest = ahead.get(state).map(|&on| path.len() - 1 - on);
            let rest = if blocking.known.contains(state) { Some(0) } else { rest };
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
    let steps = path.windows(2).map(|pair| product.step_between(&pair[0], &pair[1]).expect("a successor has a step"));
    Ok(Trace { steps: steps.collect() })
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

/// The states that are known to block.
struct Blocking<'a> {
    product: &'a Product<'a>,
    network: &'a Network,
    known: FxHashSet<Packed>,
}

impl Blocking<'_> {
    /// Whether no marked state can be reached from here; no, if that takes too many states.
    fn is_blocking(&mut self, state: &[u64], left: &mut u64, run: &Run) -> Result<bool, Why> {
        let is_marked = |s: &[u64]| {
            let marked = |c: ComponentId| self.network.component(c).lts.is_marked(self.product.local(s, c));
            self.network.ids().all(marked)
        };
        let (found, end) = Breadth::search(self.product, state, *left, run, |_, s| {
            if is_marked(s) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        *left = left.saturating_sub(found.states().count() as u64);
        if end == End::Exhausted {
            self.known.extend(found.states().map(Packed::from));
        }
        Ok(end == End::Exhausted)
    }
}
