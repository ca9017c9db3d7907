//! The states in which an automaton may be after the letters that it heard.

use prequel_model::{Component, LabelId, StateId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An automaton that listens, with the sets of states that it was in so far.
pub(super) struct Follower<'a> {
    automaton: &'a Component,
    sets: Vec<Set>,
    number: FxHashMap<Rc<[StateId]>, u32>,
    after: FxHashMap<(u32, LabelId), u32>,
    is_marked: Vec<bool>,
    /// Whether a state is marked and has a loop for all that the automaton hears.
    all: Vec<bool>,
}

struct Set {
    states: Rc<[StateId]>,
    marked: bool,
    does_all: bool,
}

impl<'a> Follower<'a> {
    /// The set without any states.
    pub const NOWHERE: u32 = 0;

    pub fn new(automaton: &'a Component, is_marked: impl Fn(StateId) -> bool) -> Self {
        let lts = &automaton.lts;
        let is_marked: Vec<bool> = lts.states().map(is_marked).collect();
        let loops = |s: StateId| automaton.alphabet().iter().all(|&l| lts.has(s, l, s));
        let all = lts.states().map(|s| is_marked[s.at()] && loops(s)).collect();
        let mut follower = Self {
            automaton,
            sets: Vec::new(),
            number: FxHashMap::default(),
            after: FxHashMap::default(),
            is_marked,
            all,
        };
        follower.keep(Vec::new());
        follower
    }

    /// Where it is at first.
    pub fn start(&mut self) -> u32 {
        self.keep(vec![self.automaton.lts.initial()])
    }

    /// Where it is after a letter.
    pub fn after(&mut self, set: u32, label: LabelId) -> u32 {
        if let Some(&known) = self.after.get(&(set, label)) {
            return known;
        }
        let lts = &self.automaton.lts;
        let next: Vec<StateId> =
            self.states(set).iter().flat_map(|&s| lts.row_on(s, label)).map(|edge| edge.target).collect();
        let next = self.keep(next);
        self.after.insert((set, label), next);
        next
    }

    pub fn states(&self, set: u32) -> &[StateId] {
        &self.sets[set as usize].states
    }

    pub fn is_marked(&self, set: u32) -> bool {
        self.sets[set as usize].marked
    }

    /// Whether it can do whatever comes and stay marked.
    pub fn does_all(&self, set: u32) -> bool {
        self.sets[set as usize].does_all
    }

    /// The number of a set of states and of all that lies behind their steps without a letter.
    fn keep(&mut self, mut states: Vec<StateId>) -> u32 {
        states.sort_unstable();
        states.dedup();
        let mut at = 0;
        while at < states.len() {
            for edge in self.automaton.lts.row_on(states[at], LabelId::TAU) {
                if !states.contains(&edge.target) {
                    states.push(edge.target);
                }
            }
            at += 1;
        }
        states.sort_unstable();
        let states: Rc<[StateId]> = states.into();
        if let Some(&known) = self.number.get(&states) {
            return known;
        }
        let number = self.sets.len() as u32;
        let marked = states.iter().any(|s| self.is_marked[s.at()]);
        let does_all = states.iter().any(|s| self.all[s.at()]);
        self.number.insert(states.clone(), number);
        self.sets.push(Set { states, marked, does_all });
        number
    }
}
