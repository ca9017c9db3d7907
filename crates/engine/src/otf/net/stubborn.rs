//! What the transitions of a net depend on, for stubborn sets.
//!
//! Nodes are the transitions and, for each place, three groups of them, so that the graph has no more edges than the net has
//! arcs:
//!
//! | node | depends on |
//! | --- | --- |
//! | transition that can fire | those that take from a place which it leaves with less: firing it may disable them |
//! | | (deadlocks) those that leave less in a place which it reads: they may disable it |
//! | transition that cannot fire | those that leave more in one place where tokens are missing: one of them comes first |
//! | group | its members |
//!
//! A place that a transition takes from and gives back as much is only read; two that only read it do not depend on each other.
//! For a target nothing has to stay able to fire, hence the second line is for deadlocks alone.

use super::space::NetSpace;
use crate::otf::stubborn::{Dependencies, Entered};
use prequel_model::{Comparison, Condition, Net, PlaceId, TransitionId};

/// Which transitions of a place.
#[derive(Clone, Copy, Debug)]
enum Group {
    /// Those that take from it, those that only read included.
    Takers,
    /// Those that leave less in it.
    Losers,
    /// Those that leave more in it.
    Gainers,
}

/// How a transition changes a place.
fn change(net: &Net, t: TransitionId, p: PlaceId) -> i64 {
    let weight = |arcs: &[prequel_model::Arc]| {
        arcs.binary_search_by_key(&p, |arc| arc.place).map_or(0, |at| i64::from(arcs[at].weight))
    };
    weight(net.outputs(t)) - weight(net.inputs(t))
}

/// The graph as far as it does not depend on a marking.
#[derive(Debug)]
pub struct Arcs {
    transitions: u32,
    /// For each node where its list starts: groups that a transition depends on once it can fire, members of a group.
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Arcs {
    /// Of a net; `to_stay` says that what can fire must stay so outside a set.
    pub fn new(net: &Net, to_stay: bool) -> Self {
        let transitions = net.transitions().len() as u32;
        let mut arcs = Self { transitions, starts: vec![0], lists: Vec::new() };
        for t in net.transitions() {
            for p in net.inputs(t).iter().map(|arc| arc.place) {
                if change(net, t, p) < 0 {
                    arcs.lists.push(arcs.group(p, Group::Takers));
                } else if to_stay {
                    arcs.lists.push(arcs.group(p, Group::Losers));
                }
            }
            arcs.starts.push(arcs.lists.len() as u32);
        }
        let (takers, givers) = (net.by_place(Net::inputs), net.by_place(Net::outputs));
        for p in net.places() {
            let (takers, givers) = (&takers[p.at()], &givers[p.at()]);
            let losers = takers.iter().filter(|&&t| change(net, t, p) < 0);
            let gainers = givers.iter().filter(|&&t| change(net, t, p) > 0);
            let groups: [Vec<u32>; 3] =
                [takers.iter().map(|t| t.0).collect(), losers.map(|t| t.0).collect(), gainers.map(|t| t.0).collect()];
            for members in groups {
                arcs.lists.extend(members);
                arcs.starts.push(arcs.lists.len() as u32);
            }
        }
        arcs
    }

    fn group(&self, p: PlaceId, group: Group) -> u32 {
        self.transitions + 3 * p.0 + group as u32
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The transition that a node is.
    pub fn transition(&self, node: u32) -> Option<TransitionId> {
        (node < self.transitions).then_some(TransitionId(node))
    }

    fn list(&self, node: u32) -> &[u32] {
        let [from, to] = [node, node + 1].map(|at| self.starts[at as usize] as usize);
        &self.lists[from..to]
    }

    /// How many transitions a node stands for.
    fn weight(&self, node: u32) -> usize {
        if node < self.transitions { 1 } else { self.list(node).len() }
    }

    /// The graph in markings of a space.
    pub fn at<'a>(&'a self, space: &'a NetSpace<'a>) -> Marked<'a> {
        Marked { arcs: self, space }
    }
}

/// The graph in a marking.
#[derive(Clone, Copy)]
pub struct Marked<'a> {
    arcs: &'a Arcs,
    space: &'a NetSpace<'a>,
}

/// What is looked for, with the transitions that bring sums of tokens nearer to it.
#[derive(Debug)]
pub struct Sought<'a> {
    condition: &'a Condition,
    /// For a sum of tokens: transitions that make it larger, and smaller.
    rising: Vec<u32>,
    falling: Vec<u32>,
    /// Of a composed condition.
    parts: Vec<Sought<'a>>,
}

impl<'a> Sought<'a> {
    /// A condition and its parts.
    pub fn new(net: &Net, condition: &'a Condition) -> Self {
        let mut sought = Self { condition, rising: Vec::new(), falling: Vec::new(), parts: Vec::new() };
        match condition {
            Condition::Tokens(sum, ..) => {
                for t in net.transitions() {
                    let part = |&(p, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(change(net, t, p));
                    match sum.iter().map(part).sum::<i128>() {
                        0 => {}
                        1.. => sought.rising.push(t.0),
                        _ => sought.falling.push(t.0),
                    }
                }
            }
            Condition::And(parts) | Condition::Or(parts) => {
                sought.parts = parts.iter().map(|part| Self::new(net, part)).collect();
            }
            Condition::Not(inner) => sought.parts = vec![Self::new(net, inner)],
            Condition::Fireable(_) | Condition::Dead => {}
        }
        sought
    }

    /// Whether markings in which nothing can fire are all that is looked for.
    pub fn is_deadlock(&self) -> bool {
        *self.condition == Condition::Dead
    }
}

impl Marked<'_> {
    fn holds(&self, state: &[u64], condition: &Condition) -> bool {
        condition.holds(self.space.net(), &|p| self.space.tokens(state, p))
    }

    /// Appends the shortest of what each of some things would append.
    fn shortest<T>(&self, seeds: &mut Vec<u32>, among: impl Iterator<Item = T>, append: impl Fn(T, &mut Vec<u32>)) {
        let (start, mut best) = (seeds.len(), None);
        for one in among {
            let from = seeds.len();
            append(one, seeds);
            let weight: usize = seeds[from..].iter().map(|&node| self.arcs.weight(node)).sum();
            if best.is_none_or(|best| weight < best) {
                best = Some(weight);
                seeds.drain(start..from);
            } else {
                seeds.truncate(from);
            }
        }
    }

    /// Nodes of which at least one must fire before the condition changes from `now` to its opposite.
    pub fn must_fire(&self, state: &[u64], sought: &Sought, now: bool, seeds: &mut Vec<u32>) {
        let (arcs, net) = (self.arcs, self.space.net());
        let losers = |t: TransitionId, seeds: &mut Vec<u32>| {
            seeds.extend(net.inputs(t).iter().map(|arc| arcs.group(arc.place, Group::Losers)));
        };
        match (sought.condition, now) {
            (Condition::Tokens(sum, comparison, number), _) => {
                let part = |&(p, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(self.space.tokens(state, p));
                let (up, down) = match (comparison, now) {
                    (Comparison::AtLeast, false) | (Comparison::AtMost, true) => (true, false),
                    (Comparison::AtLeast, true) | (Comparison::AtMost, false) => (false, true),
                    (Comparison::Equal, true) => (true, true),
                    (Comparison::Equal, false) => {
                        let below = sum.iter().map(part).sum::<i128>() < i128::from(*number);
                        (below, !below)
                    }
                };
                seeds.extend(sought.rising.iter().filter(|_| up));
                seeds.extend(sought.falling.iter().filter(|_| down));
            }
            (Condition::Fireable(t), false) => seeds.extend(self.missing(state, *t, |_| false)),
            (Condition::Fireable(t), true) => losers(*t, seeds),
            // Whatever can fire now must be disabled, so any one of them will do.
            (Condition::Dead, false) => {
                let mut first = None;
                self.space.candidates(state, |t| {
                    first = first.or_else(|| self.space.enabled(t, state).then_some(t));
                });
                first.into_iter().for_each(|t| losers(t, seeds));
            }
            // Nothing happens any more.
            (Condition::Dead, true) => {}
            (Condition::Not(_), _) => self.must_fire(state, &sought.parts[0], !now, seeds),
            // Every part that is as the whole must change, so any one of them will do.
            (Condition::And(_), false) | (Condition::Or(_), true) => {
                let parts = sought.parts.iter().filter(|part| self.holds(state, part.condition) == now);
                self.shortest(seeds, parts, |part, seeds| self.must_fire(state, part, now, seeds));
            }
            // Here one part changing is enough, and it may be any of them.
            (Condition::And(_), true) | (Condition::Or(_), false) => {
                sought.parts.iter().for_each(|part| self.must_fire(state, part, now, seeds));
            }
        }
    }

    /// The group of those that leave more in a place where a transition misses tokens, `None` where it can fire: one that
    /// costs nothing, or else the smallest.
    fn missing(&self, state: &[u64], t: TransitionId, is_free: impl Fn(u32) -> bool) -> Option<u32> {
        let net = self.space.net();
        let short = net.inputs(t).iter().filter(|arc| self.space.tokens(state, arc.place) < arc.weight);
        short
            .map(|arc| self.arcs.group(arc.place, Group::Gainers))
            .min_by_key(|&group| if is_free(group) { 0 } else { 1 + self.arcs.weight(group) })
    }
}

impl Dependencies for Marked<'_> {
    fn roots(&self, state: &[u64], roots: &mut Vec<u32>) {
        self.space.candidates(state, |t| roots.extend(Some(t.0).filter(|_| self.space.enabled(t, state))));
    }

    fn kinds(&self, _: &[u64], _: u32) -> usize {
        1
    }

    fn depends(&self, state: &[u64], node: u32, _: usize, entered: &Entered, next: &mut Vec<u32>) -> bool {
        let missing = self.arcs.transition(node).and_then(|t| self.missing(state, t, |group| entered.has(group)));
        match missing {
            Some(group) => next.push(group),
            None => next.extend_from_slice(self.arcs.list(node)),
        }
        missing.is_none() && node < self.arcs.transitions
    }
}
