//! What is asked of a network. Every query is a statement that is true or false.

use super::index::{ComponentId, LabelId, StateId};
use super::network::{Component, Network};

/// A statement about a network.
#[derive(Clone, Debug)]
pub enum Query {
    /// No reachable state is without a successor.
    DeadlockFree,
    /// Some reachable state satisfies the goal.
    Reach(Goal),
    /// The monitor never accepts.
    Safety(Monitor),
    /// From every reachable state a state can be reached in which every component is in a marked state.
    ///
    /// There is no other rule: a component that has nothing to say about marks has all its states marked, and with one that
    /// has no marked state at all nothing is ever marked.
    Nonblocking,
}

impl Query {
    /// The query's kind in one word, as `--json` and messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Query::DeadlockFree => "deadlock-free",
            Query::Reach(_) => "reach",
            Query::Safety(_) => "safety",
            Query::Nonblocking => "nonblocking",
        }
    }

    /// The same query after the states of one component got other numbers; those without one are gone.
    pub fn renumbered(&self, component: ComponentId, number: impl Fn(StateId) -> Option<StateId>) -> Query {
        match self {
            Query::Reach(goal) => Query::Reach(goal.renumbered(component, &number)),
            other => other.clone(),
        }
    }

    /// The verdict that a witness trace shows: `true` for reach, `false` for everything else.
    pub fn witness_shows(&self) -> bool {
        matches!(self, Query::Reach(_))
    }
}

/// A Boolean combination of local conditions on a global state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The component is in one of these states (sorted).
    In(ComponentId, Vec<StateId>),
    /// All of them; the empty one is true.
    And(Vec<Goal>),
    /// One of them; the empty one is false.
    Or(Vec<Goal>),
    /// Not this.
    Not(Box<Goal>),
}

impl Goal {
    /// The component is in this state.
    pub fn at(component: ComponentId, state: StateId) -> Goal {
        Goal::In(component, vec![state])
    }

    /// Whether a global state satisfies it; `local` gives a component's state.
    pub fn holds(&self, local: &impl Fn(ComponentId) -> StateId) -> bool {
        match self {
            Goal::In(c, states) => states.binary_search(&local(*c)).is_ok(),
            Goal::And(all) => all.iter().all(|g| g.holds(local)),
            Goal::Or(any) => any.iter().any(|g| g.holds(local)),
            Goal::Not(g) => !g.holds(local),
        }
    }

    /// Whether it holds where only some local states are known; nothing where that depends on the others.
    pub fn decided(&self, known: &impl Fn(ComponentId) -> Option<StateId>) -> Option<bool> {
        // One that is `decisive` decides; else one that is open leaves all open.
        let each = |goals: &[Goal], decisive: bool| {
            let mut all = Some(!decisive);
            for goal in goals {
                match goal.decided(known) {
                    Some(holds) if holds == decisive => return Some(decisive),
                    Some(_) => {}
                    None => all = None,
                }
            }
            all
        };
        match self {
            Goal::In(c, states) => known(*c).map(|s| states.binary_search(&s).is_ok()),
            Goal::And(goals) => each(goals, false),
            Goal::Or(goals) => each(goals, true),
            Goal::Not(goal) => goal.decided(known).map(|holds| !holds),
        }
    }

    /// The goals of which one must hold, each with whether it is meant as it stands or denied.
    pub fn alternatives(&self) -> Vec<(&Goal, bool)> {
        fn collect<'g>(goal: &'g Goal, positive: bool, into: &mut Vec<(&'g Goal, bool)>) {
            match (goal, positive) {
                (Goal::Or(goals), true) | (Goal::And(goals), false) => {
                    goals.iter().for_each(|goal| collect(goal, positive, into));
                }
                (Goal::Not(goal), _) => collect(goal, !positive, into),
                _ => into.push((goal, positive)),
            }
        }
        let mut all = Vec::new();
        collect(self, true, &mut all);
        all
    }

    /// The same goal after the states of one component got other numbers; those without one are gone.
    pub fn renumbered(&self, component: ComponentId, number: &impl Fn(StateId) -> Option<StateId>) -> Goal {
        let all = |goals: &[Goal]| goals.iter().map(|g| g.renumbered(component, number)).collect();
        match self {
            Goal::In(c, states) if *c == component => {
                let mut states: Vec<StateId> = states.iter().filter_map(|&s| number(s)).collect();
                states.sort_unstable();
                states.dedup();
                Goal::In(*c, states)
            }
            Goal::In(c, states) => Goal::In(*c, states.clone()),
            Goal::And(goals) => Goal::And(all(goals)),
            Goal::Or(goals) => Goal::Or(all(goals)),
            Goal::Not(goal) => Goal::Not(Box::new(goal.renumbered(component, number))),
        }
    }

    /// The sets of states of a component that the goal asks about.
    pub fn conditions(&self, component: ComponentId) -> Vec<&[StateId]> {
        match self {
            Goal::In(c, states) if *c == component => vec![states],
            Goal::In(..) => Vec::new(),
            Goal::And(goals) | Goal::Or(goals) => goals.iter().flat_map(|g| g.conditions(component)).collect(),
            Goal::Not(goal) => goal.conditions(component),
        }
    }

    /// The components that the goal mentions, sorted, each once.
    pub fn support(&self) -> Vec<ComponentId> {
        fn collect(goal: &Goal, into: &mut Vec<ComponentId>) {
            match goal {
                Goal::In(c, _) => into.push(*c),
                Goal::And(gs) | Goal::Or(gs) => gs.iter().for_each(|g| collect(g, into)),
                Goal::Not(g) => collect(g, into),
            }
        }
        let mut support = Vec::new();
        collect(self, &mut support);
        support.sort_unstable();
        support.dedup();
        support
    }
}

/// An automaton for the negation of a safety property, run beside the network.
///
/// It synchronises like a component (a label of its alphabet that it does not enable is blocked), its marked states accept,
/// and its tau steps are its own. It may be nondeterministic.
#[derive(Clone, Debug)]
pub struct Monitor {
    /// Over the network's labels; accepting states are the marked ones.
    pub automaton: Component,
}

impl Monitor {
    /// Whether a sequence of the network's labels can lead the monitor into an accepting state at its very end.
    pub fn accepts(&self, word: impl IntoIterator<Item = LabelId>) -> bool {
        let lts = &self.automaton.lts;
        let mut now = self.closed(vec![lts.initial()]);
        for label in word {
            if !self.automaton.takes_part(label) {
                continue;
            }
            let next = now.iter().flat_map(|&s| lts.row_on(s, label)).map(|e| e.target).collect();
            now = self.closed(next);
        }
        now.iter().any(|&s| lts.is_marked(s))
    }

    /// Closes a set of states under tau.
    fn closed(&self, mut states: Vec<StateId>) -> Vec<StateId> {
        states.sort_unstable();
        states.dedup();
        let mut at = 0;
        while at < states.len() {
            for e in self.automaton.lts.row_on(states[at], LabelId::TAU) {
                if !states.contains(&e.target) {
                    states.push(e.target);
                }
            }
            at += 1;
        }
        states
    }
}

/// A network and what is asked of it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The system.
    pub network: Network,
    /// The statement.
    pub query: Query,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::{Lts, Transition};

    #[test]
    fn goals_combine() {
        let at = |c, s| Goal::at(ComponentId(c), StateId(s));
        let local = |c: ComponentId| StateId(c.0 * 10);
        assert!(Goal::And(vec![at(0, 0), at(1, 10)]).holds(&local));
        assert!(!Goal::And(vec![at(0, 0), at(1, 11)]).holds(&local));
        assert!(Goal::Or(vec![at(0, 5), Goal::Not(Box::new(at(1, 11)))]).holds(&local));
        assert!(Goal::And(vec![]).holds(&local) && !Goal::Or(vec![]).holds(&local));
        assert_eq!(Goal::Or(vec![at(3, 0), at(1, 0), at(3, 1)]).support(), [ComponentId(1), ComponentId(3)]);
    }

    #[test]
    fn what_is_not_known_decides_nothing_and_never_wrongly() {
        let at = |c, s| Goal::at(ComponentId(c), StateId(s));
        let not = |g| Goal::Not(Box::new(g));
        let known = |c: ComponentId| (c.0 == 0).then_some(StateId(1));
        for (goal, decided) in [
            (at(0, 1), Some(true)),
            (at(1, 1), None),
            (Goal::And(vec![at(1, 1), at(0, 0)]), Some(false)),
            (Goal::And(vec![at(1, 1), at(0, 1)]), None),
            (Goal::Or(vec![at(1, 1), at(0, 1)]), Some(true)),
            (not(Goal::Or(vec![at(1, 1), at(0, 0)])), None),
            (not(Goal::And(vec![])), Some(false)),
        ] {
            assert_eq!(goal.decided(&known), decided, "{goal:?}");
        }
    }

    #[test]
    fn a_denied_conjunction_is_a_choice() {
        let at = |c, s| Goal::at(ComponentId(c), StateId(s));
        let goal =
            Goal::Or(vec![Goal::Not(Box::new(Goal::And(vec![at(0, 0), Goal::Not(Box::new(at(1, 1)))]))), at(2, 2)]);
        let alternatives: Vec<(Goal, bool)> = goal.alternatives().into_iter().map(|(g, p)| (g.clone(), p)).collect();
        assert_eq!(alternatives, [(at(0, 0), false), (at(1, 1), true), (at(2, 2), true)]);
    }

    #[test]
    fn a_nondeterministic_monitor_accepts_if_some_run_does() {
        let (a, b) = (LabelId(1), LabelId(2));
        let lts = Lts::new(
            StateId(0),
            4,
            vec![
                Transition::new(0, a, 1),
                Transition::new(0, a, 2),
                Transition::new(2, LabelId::TAU, 3),
                Transition::new(1, b, 1),
            ],
        )
        .with_marked([StateId(3)]);
        let monitor = Monitor { automaton: Component::new("m", lts) };
        assert!(monitor.accepts([a]));
        assert!(!monitor.accepts([]));
        assert!(!monitor.accepts([a, b]), "acceptance is at the end");
        assert!(!monitor.accepts([b, a]), "a missing edge blocks");
        assert!(monitor.accepts([LabelId(9), a]), "foreign labels do not move it");
    }
}
