//! Automata on infinite words: a run is accepted if it takes edges of each set again and again.

use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use rustc_hash::FxHashMap;

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The state that it leads to.
    pub to: usize,
    /// The letters that it reads.
    pub when: Condition,
    /// The sets that it belongs to, a bit each.
    pub marks: u64,
}

/// An automaton. It starts in its first state; without states it accepts nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// The edges of each state.
    pub states: Vec<Vec<Edge>>,
    /// All sets, a bit each.
    pub sets: u64,
}

/// Strongly connected components.
pub struct Components {
    /// The component of each state; what a component leads to has smaller numbers.
    pub of: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// By R. Tarjan's algorithm; `next` gives the successors of a state.
    pub fn find(count: usize, next: impl Fn(usize) -> Vec<usize>) -> Self {
        const UNSEEN: usize = usize::MAX;
        let (mut of, mut low, mut order) = (vec![UNSEEN; count], vec![UNSEEN; count], vec![UNSEEN; count]);
        let (mut open, mut path, mut seen, mut found) = (Vec::new(), Vec::new(), 0, 0);
        for start in 0..count {
            if order[start] == UNSEEN {
                path.push((start, next(start)));
            }
            while let Some((state, rest)) = path.last_mut() {
                let state = *state;
                if order[state] == UNSEEN {
                    (order[state], low[state]) = (seen, seen);
                    seen += 1;
                    open.push(state);
                }
                if let Some(to) = rest.pop() {
                    if order[to] == UNSEEN {
                        path.push((to, next(to)));
                    } else if of[to] == UNSEEN {
                        low[state] = low[state].min(order[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some((before, _)) = path.last() {
                    low[*before] = low[*before].min(low[state]);
                }
                if low[state] == order[state] {
                    while let Some(member) = open.pop() {
                        of[member] = found;
                        if member == state {
                            break;
                        }
                    }
                    found += 1;
                }
            }
        }
        Self { of, count: found }
    }
}

impl Automaton {
    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// What people compare automata by.
    pub fn size(&self) -> (usize, usize) {
        (self.states.len(), self.edges())
    }

    /// The strongly connected components.
    pub fn components(&self) -> Components {
        Components::find(self.states.len(), |state| self.states[state].iter().map(|edge| edge.to).collect())
    }

    /// For each component the sets that all of its edges inside have between them, or nothing if there are no edges.
    fn inside(&self, components: &Components) -> Vec<Option<u64>> {
        let mut inside = vec![None; components.count];
        for (state, edges) in self.states.iter().enumerate() {
            for edge in edges.iter().filter(|edge| components.of[edge.to] == components.of[state]) {
                *inside[components.of[state]].get_or_insert(0) |= edge.marks;
            }
        }
        inside
    }

    /// Whether a component has a cycle that is accepted.
    pub fn accepting(&self, components: &Components) -> Vec<bool> {
        self.inside(components).into_iter().map(|marks| marks == Some(self.sets)).collect()
    }

    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        let components = self.components();
        !self.accepting(&components).contains(&true)
    }

    /// Leaves out states that no accepted run comes through, and makes one edge of several.
    pub fn trimmed(&self, conditions: &mut Conditions) -> Self {
        if self.states.is_empty() {
            return self.clone();
        }
        let components = self.components();
        let accepting = self.accepting(&components);
        // Components come after those that they lead to.
        let mut useful = accepting;
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|&state| components.of[state]);
        for state in order {
            let leads = self.states[state].iter().any(|edge| edge.when != NEVER && useful[components.of[edge.to]]);
            useful[components.of[state]] |= leads;
        }
        let keeps = |state: usize| useful[components.of[state]];
        self.restricted(&keeps, conditions)
    }

    /// Only some of the states, and of these only those that can be reached.
    fn restricted(&self, keeps: &dyn Fn(usize) -> bool, conditions: &mut Conditions) -> Self {
        let (mut numbers, mut order) = (vec![usize::MAX; self.states.len()], Vec::new());
        if keeps(0) {
            numbers[0] = 0;
            order.push(0);
        }
        let (mut at, mut states) = (0, Vec::new());
        while at < order.len() {
            let mut edges = Vec::new();
            for edge in self.states[order[at]].iter().filter(|edge| edge.when != NEVER && keeps(edge.to)) {
                if numbers[edge.to] == usize::MAX {
                    numbers[edge.to] = order.len();
                    order.push(edge.to);
                }
                edges.push(Edge { to: numbers[edge.to], ..*edge });
            }
            states.push(merged(edges, conditions));
            at += 1;
        }
        Self { states, sets: self.sets }
    }

    /// The words that both accept; nothing if that takes more than `most` states.
    pub fn product(&self, other: &Self, conditions: &mut Conditions, most: usize) -> Option<Self> {
        let shift = self.sets.count_ones();
        if self.states.is_empty() || other.states.is_empty() || shift + other.sets.count_ones() > 64 {
            return (shift + other.sets.count_ones() <= 64).then(Self::default);
        }
        let mut numbers = FxHashMap::from_iter([((0, 0), 0)]);
        let (mut order, mut states) = (vec![(0, 0)], Vec::new());
        while states.len() < order.len() {
            let (a, b) = order[states.len()];
            let mut edges = Vec::new();
            for one in &self.states[a] {
                for two in &other.states[b] {
                    let when = conditions.and(one.when, two.when);
                    if when == NEVER {
                        continue;
                    }
                    let to = *numbers.entry((one.to, two.to)).or_insert_with(|| {
                        order.push((one.to, two.to));
                        order.len() - 1
                    });
                    let marks = one.marks | two.marks.checked_shl(shift).unwrap_or(0);
                    edges.push(Edge { to, when, marks });
                }
            }
            if order.len() > most {
                return None;
            }
            states.push(edges);
        }
        Some(Self { states, sets: self.sets | other.sets.checked_shl(shift).unwrap_or(0) })
    }

    /// Marks that make no difference are taken from edges: those of edges that lie on no cycle or on none that is accepted. Sets that
    /// follow from others are left out, and the rest is numbered from 0 on.
    pub fn with_fewer_marks(&self, on_no_cycle: bool) -> Self {
        let components = self.components();
        let accepting = self.accepting(&components);
        let mut fewer = self.clone();
        for (state, edges) in fewer.states.iter_mut().enumerate() {
            for edge in edges {
                if components.of[edge.to] != components.of[state] {
                    edge.marks = if on_no_cycle { self.sets } else { 0 };
                } else if !accepting[components.of[state]] {
                    edge.marks = 0;
                }
            }
        }
        let bits = |sets: u64| (0..64).filter(move |bit| sets >> bit & 1 == 1);
        // A set is superfluous if some other one has no edge on an accepted cycle that this one lacks.
        let mut kept = self.sets;
        for set in bits(self.sets) {
            let follows = |from: u32| {
                let lies = |state: usize, edge: &&Edge| {
                    components.of[edge.to] == components.of[state] && accepting[components.of[state]]
                };
                let mut inner = fewer.states.iter().enumerate();
                inner.all(|(state, edges)| {
                    edges.iter().filter(|edge| lies(state, edge)).all(|e| e.marks >> from & 1 <= e.marks >> set & 1)
                })
            };
            if bits(kept).any(|from| from != set && follows(from)) {
                kept &= !(1 << set);
            }
        }
        for edge in fewer.states.iter_mut().flatten() {
            let marks = bits(kept).enumerate().map(|(to, from)| (edge.marks >> from & 1) << to).sum();
            edge.marks = marks;
        }
        let count = kept.count_ones();
        fewer.sets = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        fewer
    }

    /// Whether everything is accepted from a state because it may stay there for ever.
    pub fn accepts_all(&self, state: usize) -> bool {
        self.states[state].iter().any(|edge| edge.to == state && edge.when == ALWAYS && edge.marks == self.sets)
    }

    /// All conditions on edges.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut all: Vec<Condition> = self.states.iter().flatten().map(|edge| edge.when).collect();
        all.sort();
        all.dedup();
        all
    }
}

/// Edges with the same target and marks as one; what another edge with more marks reads is not read twice.
pub fn merged(mut edges: Vec<Edge>, conditions: &mut Conditions) -> Vec<Edge> {
    edges.sort_by_key(|edge| (edge.to, edge.marks, edge.when));
    let mut fewer: Vec<Edge> = Vec::new();
    for edge in edges {
        match fewer.last_mut() {
            Some(last) if (last.to, last.marks) == (edge.to, edge.marks) => {
                last.when = conditions.or(last.when, edge.when);
            }
            _ => fewer.push(edge),
        }
    }
    let all = fewer.clone();
    fewer.retain(|edge| {
        let better =
            |other: &Edge| other.to == edge.to && other.marks != edge.marks && other.marks | edge.marks == other.marks;
        !all.iter().any(|other| better(other) && conditions.implies(edge.when, other.when))
    });
    fewer
}
