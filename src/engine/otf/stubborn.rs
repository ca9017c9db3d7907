//! Partial-order reduction by stubborn sets that are guided by the question.
//!
//! After Valmari's stubborn sets and Kristensen, Schmidt, Valmari, *Question-guided stubborn set methods for state
//! properties* (2006). In a network a stubborn set is given by a set C of components, closed under:
//!
//! * every label that a component of C offers in its present state is in the set;
//! * if such a label is enabled, all its participants are in C;
//! * if it is disabled, one participant that does not offer it is in C.
//!
//! No step outside the set moves a component of C. Hence a step of the set that comes first on a path can be moved to its
//! front, and the path stays a path of the same length to the same state. What remains is to make sure that every path that
//! matters has a step of the set: for a deadlock, one enabled step in the set suffices; for a target, C starts from
//! components at least one of which must move before the target holds. No cycle condition is needed, and breadth-first
//! search still finds a shortest path.

use crate::algo::product::Product;
use crate::model::{ComponentId, Goal};

/// What the set must keep.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// Every reachable deadlock.
    Deadlocks,
    /// Whether the goal can be reached.
    Goal(&'a Goal),
}

/// Per-worker memory; nothing is cleared between states, a stamp tells what is current.
#[derive(Debug)]
pub struct Scratch {
    stamp: u32,
    /// The stamp under which a component was entered.
    entered: Vec<u32>,
    /// Tarjan's numbers, valid where `entered` is current.
    low: Vec<u32>,
    number: Vec<u32>,
    /// Components whose strongly connected component is not complete.
    open: Vec<ComponentId>,
    /// The search path: a component and how many of its edges are done.
    path: Vec<(ComponentId, usize)>,
    /// C, the result.
    pub chosen: Vec<ComponentId>,
    /// Components that a goal asks for.
    seeds: Vec<ComponentId>,
    /// Components that depend on what is looked at.
    next: Vec<ComponentId>,
}

impl Scratch {
    /// For a product of `components` components.
    pub fn new(components: usize) -> Self {
        let zeros = || vec![0; components];
        let (open, path, chosen, seeds, next) = (vec![], vec![], vec![], vec![], vec![]);
        Self { stamp: 0, entered: zeros(), low: zeros(), number: zeros(), open, path, chosen, seeds, next }
    }

    fn begin(&mut self) {
        self.chosen.clear();
        self.open.clear();
        self.path.clear();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entered.fill(0);
            self.stamp = 1;
        }
    }

    fn is_entered(&self, c: ComponentId) -> bool {
        self.entered[c.at()] == self.stamp
    }
}

/// Computes the components whose steps suffice in a state; they are in `scratch.chosen`.
pub fn choose(product: &Product, state: &[u64], keep: Keep, scratch: &mut Scratch) {
    scratch.begin();
    match keep {
        Keep::Deadlocks => first_component_with_a_step(product, state, scratch),
        Keep::Goal(goal) => {
            let mut seeds = std::mem::take(&mut scratch.seeds);
            seeds.clear();
            must_move(product, state, goal, false, &mut seeds);
            closure(product, state, &seeds, scratch);
            scratch.seeds = seeds;
        }
    }
}

/// Components of which at least one must move before the goal changes from `now` to its opposite.
fn must_move(product: &Product, state: &[u64], goal: &Goal, now: bool, seeds: &mut Vec<ComponentId>) {
    let local = |c| product.local(state, c);
    match goal {
        Goal::In(c, _) => seeds.push(*c),
        Goal::Not(inner) => must_move(product, state, inner, !now, seeds),
        // Opposite of a false conjunction: every false part must change, so any one of them will do.
        Goal::And(parts) if !now => {
            let part = parts.iter().find(|g| !g.holds(&local)).expect("a false conjunction has a false part");
            must_move(product, state, part, false, seeds);
        }
        Goal::Or(parts) if now => {
            let part = parts.iter().find(|g| g.holds(&local)).expect("a true disjunction has a true part");
            must_move(product, state, part, true, seeds);
        }
        // Here one part changing is enough, and it may be any of them.
        Goal::And(parts) | Goal::Or(parts) => {
            for part in parts {
                must_move(product, state, part, now, seeds);
            }
        }
    }
}

/// Appends the components that the `edge`-th offer of component `c` depends on; tells whether that offer is enabled.
fn depends(product: &Product, state: &[u64], c: ComponentId, edge: usize, scratch: &mut Scratch) -> bool {
    let label = product.part(c).lts.row(product.local(state, c))[edge].label;
    if label.is_tau() {
        return true;
    }
    let mut blocker = None;
    for &p in product.participants(label) {
        if product.offers(state, p, label).is_empty() {
            // One that is in the set anyway costs nothing.
            if scratch.is_entered(p) {
                blocker = Some(p);
                break;
            }
            blocker = blocker.or(Some(p));
        }
    }
    match blocker {
        Some(p) => scratch.next.push(p),
        None => scratch.next.extend_from_slice(product.participants(label)),
    }
    blocker.is_none()
}

/// Everything that the seeds depend on.
fn closure(product: &Product, state: &[u64], seeds: &[ComponentId], scratch: &mut Scratch) {
    let enter = |scratch: &mut Scratch, c: ComponentId| {
        if !scratch.is_entered(c) {
            scratch.entered[c.at()] = scratch.stamp;
            scratch.chosen.push(c);
        }
    };
    for &c in seeds {
        enter(scratch, c);
    }
    let mut at = 0;
    while let Some(&c) = scratch.chosen.get(at) {
        at += 1;
        for edge in 0..product.part(c).lts.row(product.local(state, c)).len() {
            scratch.next.clear();
            depends(product, state, c, edge, scratch);
            for n in 0..scratch.next.len() {
                enter(scratch, scratch.next[n]);
            }
        }
    }
}

/// A small closed set with an enabled step: the first strongly connected component of the dependency graph, in the order in
/// which Tarjan's algorithm completes them, that has one, with all before it. Empty only in a deadlock.
fn first_component_with_a_step(product: &Product, state: &[u64], scratch: &mut Scratch) {
    let mut count = 0;
    // Which strongly connected components contain an enabled offer is noted on their members.
    let mut enabled_below = Vec::new();
    for root in (0..product.len()).map(ComponentId::new) {
        if scratch.is_entered(root) {
            continue;
        }
        enter(scratch, root, &mut count, &mut enabled_below);
        while let Some(&(c, edge)) = scratch.path.last() {
            if edge < product.part(c).lts.row(product.local(state, c)).len() {
                scratch.path.last_mut().expect("it is there").1 += 1;
                scratch.next.clear();
                let enabled = depends(product, state, c, edge, scratch);
                *enabled_below.last_mut().expect("as long as the path") |= enabled;
                for n in 0..scratch.next.len() {
                    let next = scratch.next[n];
                    if !scratch.is_entered(next) {
                        // Come back to this edge: its other dependencies are looked at again then.
                        scratch.path.last_mut().expect("it is there").1 = edge;
                        enter(scratch, next, &mut count, &mut enabled_below);
                        break;
                    }
                    if scratch.number[next.at()] != u32::MAX {
                        scratch.low[c.at()] = scratch.low[c.at()].min(scratch.number[next.at()]);
                    }
                }
                continue;
            }
            scratch.path.pop();
            let enabled = enabled_below.pop().expect("as long as the path");
            if let Some(&(parent, _)) = scratch.path.last() {
                scratch.low[parent.at()] = scratch.low[parent.at()].min(scratch.low[c.at()]);
            }
            if scratch.low[c.at()] == scratch.number[c.at()] {
                // Complete: its members are the open ones from c on. A number of u32::MAX marks them as closed.
                while let Some(member) = scratch.open.pop() {
                    scratch.number[member.at()] = u32::MAX;
                    scratch.chosen.push(member);
                    if member == c {
                        break;
                    }
                }
                if enabled {
                    return;
                }
            } else if let Some(above) = enabled_below.last_mut() {
                *above |= enabled;
            }
        }
    }
}

fn enter(scratch: &mut Scratch, c: ComponentId, count: &mut u32, enabled_below: &mut Vec<bool>) {
    scratch.entered[c.at()] = scratch.stamp;
    scratch.number[c.at()] = *count;
    scratch.low[c.at()] = *count;
    *count += 1;
    scratch.open.push(c);
    scratch.path.push((c, 0));
    enabled_below.push(false);
}
