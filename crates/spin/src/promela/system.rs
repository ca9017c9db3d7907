//! A problem as what is written: one network, the monitor a component of it, and the state to look for.

use super::Unwritable;
use fixedbitset::FixedBitSet;
use prequel_model::{
    Component, ComponentId, Goal, LabelId, Labels, Move, Origin, Participants, Problem, Query, StateId, Transition,
};
use std::borrow::Cow;

/// The components, the monitor last, without what cannot happen in any of them by itself.
pub(super) struct System<'a> {
    pub labels: &'a Labels,
    pub components: Vec<&'a Component>,
    origin: &'a Origin,
    participants: Participants,
    /// What must not be reached; deadlocks where there is none.
    pub target: Option<Cow<'a, Goal>>,
    /// Whether the last component is a monitor.
    pub monitored: bool,
    /// Whether it is an error to be stuck.
    pub stuck: bool,
    /// For each component the states that it can be in.
    live: Vec<FixedBitSet>,
    /// For each label whether every participant enables it in a live state.
    happens: Vec<bool>,
}

impl<'a> System<'a> {
    pub fn new(problem: &'a Problem, origin: &'a Origin) -> Result<Self, Unwritable> {
        let labels = problem.network.labels();
        let mut components: Vec<&Component> = problem.network.components().iter().collect();
        let mut monitored = false;
        let target = match &problem.query {
            Query::DeadlockFree => None,
            Query::Reach(goal) => Some(Cow::Borrowed(goal)),
            Query::Safety(monitor) => {
                let accepting = monitor.automaton.lts.marked().collect();
                components.push(&monitor.automaton);
                monitored = true;
                Some(Cow::Owned(Goal::In(ComponentId::new(components.len() - 1), accepting)))
            }
            Query::Nonblocking => return Err(Unwritable::Query(problem.query.kind())),
        };
        let stuck = target.is_none();
        let participants = Participants::of(labels.len(), components.iter().copied());
        let happens = (0..labels.len()).map(|l| l == 0 || !participants.of_label(LabelId::new(l)).is_empty()).collect();
        let mut system =
            Self { labels, components, origin, participants, target, monitored, stuck, live: Vec::new(), happens };
        system.drop_what_cannot_happen();
        Ok(system)
    }

    /// A label that one participant never enables does not happen; states behind such labels are not reached; and so on.
    fn drop_what_cannot_happen(&mut self) {
        loop {
            self.live = self.components.iter().map(|c| reached(c, &self.happens)).collect();
            let mut offers = vec![0usize; self.happens.len()];
            for c in 0..self.components.len() {
                let mut offered: Vec<LabelId> = self.transitions(c).map(|t| t.label).collect();
                offered.sort_unstable();
                offered.dedup();
                offered.iter().for_each(|l| offers[l.at()] += 1);
            }
            let before = self.happens.iter().filter(|&&h| h).count();
            for label in self.labels.visible() {
                self.happens[label.at()] &= offers[label.at()] == self.participants.of_label(label).len();
            }
            if self.happens.iter().filter(|&&h| h).count() == before {
                return;
            }
        }
    }

    /// The transitions of a component that may happen, row by row.
    pub fn transitions(&self, c: usize) -> impl Iterator<Item = Transition> + '_ {
        self.states(c).flat_map(move |source| self.row(c, source))
    }

    /// The transitions of a state that may happen.
    pub fn row(&self, c: usize, source: StateId) -> impl Iterator<Item = Transition> + '_ {
        let row = self.components[c].lts.row(source).iter();
        row.filter(|e| self.happens[e.label.at()]).map(move |e| Transition { source, label: e.label, target: e.target })
    }

    /// The states that a component can be in.
    pub fn states(&self, c: usize) -> impl Iterator<Item = StateId> + '_ {
        self.live[c].ones().map(StateId::new)
    }

    /// The visible labels that may happen.
    pub fn happening(&self) -> impl Iterator<Item = LabelId> + '_ {
        self.labels.visible().filter(|l| self.happens[l.at()])
    }

    /// Who takes part in a label; nobody in tau.
    pub fn participants(&self, label: LabelId) -> &[ComponentId] {
        self.participants.of_label(label)
    }

    /// What a comment says of a component: how large it is, and where it came from.
    pub fn about(&self, c: usize) -> String {
        let component = self.components[c];
        let (states, transitions) = (self.live[c].count_ones(..), self.transitions(c).count());
        let size = format!("{}: states {states}, transitions {transitions}", component.name);
        if self.file(c).is_empty() { size } else { format!("{size}, {}", self.file(c)) }
    }

    /// The file of a component, without its folder; empty where there is none.
    pub fn file(&self, c: usize) -> String {
        let file = self.origin.of(ComponentId::new(c)).and_then(|source| source.file.as_deref());
        file.and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// What a state is called where that is more than its number.
    pub fn state_name(&self, c: usize, s: StateId) -> Option<String> {
        let named = self.origin.of(ComponentId::new(c)).is_some_and(|source| source.state_names.is_some());
        named.then(|| self.origin.state_name(ComponentId::new(c), s))
    }
}

/// The states of a component that it reaches by labels that happen.
fn reached(component: &Component, happens: &[bool]) -> FixedBitSet {
    let lts = &component.lts;
    let mut live = FixedBitSet::with_capacity(lts.num_states());
    live.insert(lts.initial().at());
    let mut open = vec![lts.initial()];
    while let Some(s) = open.pop() {
        for e in lts.row(s).iter().filter(|e| happens[e.label.at()]) {
            if !live.put(e.target.at()) {
                open.push(e.target);
            }
        }
    }
    live
}

/// A component's transition as its part in a step.
pub(super) fn part(c: usize, t: Transition) -> Move {
    Move { component: ComponentId::new(c), from: t.source, to: t.target }
}
