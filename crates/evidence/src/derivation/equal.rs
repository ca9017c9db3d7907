//! Whether a system and an automaton are branching bisimilar, marks included.
//!
//! Classes of states are refined until states of a class can do the same: what a state can do is each step that it has after silent steps
//! within its class. Two systems whose first states are in one class can take each other's place in every context, as far as it is asked
//! what can still be reached.

use prequel_model::LabelId;
use rustc_hash::FxHashMap;

/// Steps by their labels and where they lead.
type Steps = Vec<(LabelId, u32)>;

/// A system that grows state by state.
#[derive(Default)]
pub(super) struct Graph {
    pub edges: Vec<Steps>,
    pub marked: Vec<bool>,
}

impl Graph {
    /// A new state.
    pub fn state(&mut self, marked: bool) -> u32 {
        self.edges.push(Vec::new());
        self.marked.push(marked);
        self.marked.len() as u32 - 1
    }

    /// Whether two states are in one class once all are told apart; none where somebody wanted it to end.
    pub fn bisimilar(&self, a: u32, b: u32, stop: &dyn Fn() -> bool) -> Option<bool> {
        let mut class: Vec<u32> = self.marked.iter().map(|&marked| u32::from(marked)).collect();
        let mut classes = 0;
        loop {
            if stop() {
                return None;
            }
            let can = self.can(&class);
            let mut number: FxHashMap<(u32, &Steps), u32> = FxHashMap::default();
            let finer: Vec<u32> = class
                .iter()
                .zip(&can)
                .map(|(&class, can)| {
                    let fresh = number.len() as u32;
                    *number.entry((class, can)).or_insert(fresh)
                })
                .collect();
            if number.len() == classes || finer[a as usize] != finer[b as usize] {
                return Some(finer[a as usize] == finer[b as usize]);
            }
            classes = number.len();
            class = finer;
        }
    }

    /// What each state can do: steps out of its class or with a label, by the classes that they lead to, in order.
    fn can(&self, class: &[u32]) -> Vec<Steps> {
        let is_silent =
            |from: usize, &(label, to): &(LabelId, u32)| label.is_tau() && class[from] == class[to as usize];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); class.len()];
        let mut can: Vec<Steps> = Vec::with_capacity(class.len());
        for (from, edges) in self.edges.iter().enumerate() {
            edges
                .iter()
                .filter(|edge| is_silent(from, edge))
                .for_each(|edge| before[edge.1 as usize].push(from as u32));
            let mut own: Steps = edges
                .iter()
                .filter(|edge| !is_silent(from, edge))
                .map(|&(label, to)| (label, class[to as usize]))
                .collect();
            own.sort_unstable();
            own.dedup();
            can.push(own);
        }
        // Who comes here silently can do the same.
        let mut open: Vec<u32> = (0..class.len() as u32).filter(|&s| !before[s as usize].is_empty()).collect();
        while let Some(s) = open.pop() {
            for &from in &before[s as usize] {
                let known = can[from as usize].len();
                let mut more = can[from as usize].clone();
                more.extend_from_slice(&can[s as usize]);
                more.sort_unstable();
                more.dedup();
                if more.len() > known {
                    can[from as usize] = more;
                    open.push(from);
                }
            }
        }
        can
    }
}
