//! Abstraction rules: each gives a smaller machine that is conflict equivalent, and where the states went.
//!
//! All but limited certain conflicts satisfy Definition 8 with the map itself: a word that leads the abstraction into a state leads the
//! original into some state that went there, and every such state is content with no more than the abstract one. So one
//! search (`expand`) goes back over any number of them at once. Rules are applied one after the other, never
//! joined: two sound relations together are not (the joined quotient of active events and silent continuation is wrong).

mod active_events;
pub mod certain_conflicts;
mod incoming;
mod marking_removal;
mod marking_saturation;
mod observation;
mod only_silent_incoming;
mod only_silent_outgoing;
mod silent_continuation;
mod silent_incoming;
mod tau_loops;
#[cfg(test)]
mod tests;
mod transition_removal;

use super::fsm::{Fsm, StateMap};
use super::special::Others;

/// Weak steps beyond which rules that need them are passed over: thirty-two megabytes of edges.
const MOST_WEAK: usize = 1 << 22;

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Silent cycles become one state.
    TauLoops,
    /// Transitions go that follow from others.
    TransitionRemoval,
    /// Marks go that follow from others.
    MarkingRemoval,
    /// Silent steps into unstable states become what these states can do.
    SilentIncoming,
    /// Unstable states go that are only reached silently.
    OnlySilentIncoming,
    /// Unmarked states go that can only go on silently.
    OnlySilentOutgoing,
    /// Unstable states are merged that are reached alike.
    SilentContinuation,
    /// States are merged that are reached alike and can do the same.
    ActiveEvents,
    /// States that block in every context in which they are reached become one.
    CertainConflicts,
    /// Weakly bisimilar states are merged.
    Observation,
    /// States that can silently become marked are marked.
    MarkingSaturation,
}

impl Rule {
    /// All of them, in the paper's order.
    pub const ALL: [Rule; 11] = [
        Rule::TauLoops,
        Rule::TransitionRemoval,
        Rule::MarkingRemoval,
        Rule::SilentIncoming,
        Rule::OnlySilentIncoming,
        Rule::OnlySilentOutgoing,
        Rule::SilentContinuation,
        Rule::ActiveEvents,
        Rule::CertainConflicts,
        Rule::Observation,
        Rule::MarkingSaturation,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Rule::TauLoops => "tau-loops",
            Rule::TransitionRemoval => "transition-removal",
            Rule::MarkingRemoval => "marking-removal",
            Rule::SilentIncoming => "silent-incoming",
            Rule::OnlySilentIncoming => "only-silent-incoming",
            Rule::OnlySilentOutgoing => "only-silent-outgoing",
            Rule::SilentContinuation => "silent-continuation",
            Rule::ActiveEvents => "active-events",
            Rule::CertainConflicts => "certain-conflicts",
            Rule::Observation => "observation",
            Rule::MarkingSaturation => "marking-saturation",
        }
    }

    /// Applies it once; none where it changes nothing.
    pub fn apply(self, fsm: &Fsm, others: &Others) -> Option<Abstraction> {
        let applied = match self {
            Rule::TauLoops => tau_loops::apply(fsm),
            Rule::TransitionRemoval => transition_removal::apply(fsm),
            Rule::MarkingRemoval => marking_removal::apply(fsm),
            Rule::SilentIncoming => silent_incoming::apply(fsm),
            Rule::OnlySilentIncoming => only_silent_incoming::apply(fsm),
            Rule::OnlySilentOutgoing => only_silent_outgoing::apply(fsm),
            Rule::SilentContinuation => silent_continuation::apply(fsm),
            Rule::ActiveEvents => active_events::apply(fsm),
            Rule::CertainConflicts => certain_conflicts::apply(fsm, others),
            Rule::Observation => observation::apply(fsm),
            Rule::MarkingSaturation => marking_saturation::apply(fsm),
        }?;
        Some(match applied.fsm.reachable() {
            Some((fsm, map)) => Abstraction { map: applied.map.then(&map), fsm, ..applied },
            None => applied,
        })
    }
}

/// What a rule makes of a machine.
pub struct Abstraction {
    /// The abstraction.
    pub fsm: Fsm,
    /// Where the states went.
    pub map: StateMap,
    /// For limited certain conflicts: the level of each state of the original that is one of them.
    pub levels: Option<Vec<Option<u32>>>,
}

impl Abstraction {
    /// The states are the same.
    pub fn same(fsm: Fsm) -> Self {
        Self { map: StateMap::identity(fsm.len()), fsm, levels: None }
    }

    /// The quotient by a partition into fewer classes than there are states.
    fn merged(fsm: &Fsm, classes: &[u32], count: usize) -> Option<Self> {
        (count < fsm.len()).then(|| {
            let class = |s: prequel_model::StateId| prequel_model::StateId(classes[s.at()]);
            Self { fsm: fsm.quotient(count, class), map: StateMap::classes(fsm.len(), class), levels: None }
        })
    }
}
