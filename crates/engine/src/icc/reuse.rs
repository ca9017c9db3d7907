//! What was explored before is not explored again.
//!
//! Everything behind a blamed place starts anew, and much of it comes back as it was: the same words are selected beside the same
//! component under the same restriction, above all where the one to blame is looked for, and where all words of a component are
//! selected. Beyond the paper: equal selections and restrictions are kept once, so that a check is known by what it is made of, and
//! what it has explored is at hand until `reuse` states are kept.

use crate::algo::explicit::Until;
use prequel_model::{Component, Lts};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a check is made of. Selections and restrictions are told by where they are kept, which is for good.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Made {
    beside: Box<[*const Component]>,
    part: usize,
    seen_through: bool,
    restriction: Option<*const Component>,
    until: Until,
}

impl Made {
    /// Of words selected before, in their order, and a part, or what they and the property see of it.
    pub fn of<'c>(
        beside: impl Iterator<Item = &'c Rc<Component>>,
        part: usize,
        seen_through: bool,
        restriction: Option<&Rc<Component>>,
        until: Until,
    ) -> Self {
        let (beside, restriction) = (beside.map(Rc::as_ptr).collect(), restriction.map(Rc::as_ptr));
        Self { beside, part, seen_through, restriction, until }
    }
}

/// What one search has explored.
pub struct Explored {
    /// By part: its selections and restrictions, each once.
    automata: Vec<Vec<Rc<Component>>>,
    spaces: FxHashMap<Made, Rc<Lts>>,
    /// How many more states may be kept.
    room: u64,
}

impl Explored {
    /// Nothing yet, of this many parts; at most this many states are to be kept.
    pub fn new(parts: usize, most: u64) -> Self {
        Self { automata: vec![Vec::new(); parts], spaces: FxHashMap::default(), room: most }
    }

    /// An automaton over the words of a part: the one that is kept already, if there is an equal one.
    pub fn kept(&mut self, part: usize, automaton: Component) -> Rc<Component> {
        let known = &mut self.automata[part];
        if let Some(equal) = known.iter().find(|known| known.lts == automaton.lts) {
            return equal.clone();
        }
        let automaton = Rc::new(automaton);
        known.push(automaton.clone());
        automaton
    }

    /// What a check has explored, where it is still at hand.
    pub fn find(&self, check: &Made) -> Option<Rc<Lts>> {
        self.spaces.get(check).cloned()
    }

    /// Keeps what a check has explored, as long as there is room.
    pub fn keep(&mut self, check: Made, space: Lts) -> Rc<Lts> {
        let (states, space) = (space.num_states() as u64, Rc::new(space));
        if let Some(room) = self.room.checked_sub(states) {
            self.room = room;
            self.spaces.insert(check, space.clone());
        }
        space
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Icc, Options};
    use super::*;
    use crate::Engine;
    use prequel_families::find;
    use prequel_model::run::{Limits, Run};
    use prequel_model::{Problem, StateId};

    #[test]
    fn equal_automata_are_kept_once_and_spaces_while_there_is_room() {
        let automaton = |states| Component::new("words", Lts::new(StateId(0), states, Vec::new()));
        let mut explored = Explored::new(2, 3);
        let [one, same, other] = [(0, 1), (0, 1), (1, 1)].map(|(part, states)| explored.kept(part, automaton(states)));
        assert!(Rc::ptr_eq(&one, &same) && !Rc::ptr_eq(&one, &other));
        let check = |words| Made::of([words].into_iter(), 1, false, None, Until::Marked);
        explored.keep(check(&one), automaton(2).lts);
        explored.keep(check(&other), automaton(2).lts);
        assert!(explored.find(&check(&same)).is_some() && explored.find(&check(&other)).is_none());
    }

    /// The same answer from fewer states.
    #[test]
    fn what_was_explored_is_not_explored_again() {
        let mut fewer = 0;
        for (family, size) in [("cyclic", 8), ("token-ring", 5), ("gas-station", 3), ("philo", 3), ("lamport", 2)] {
            let instance = (find(family).expect("a family").build)(size, 0);
            for asked in instance.queries {
                let problem = Problem { network: instance.network.clone(), query: asked.query };
                let effort = |reuse| {
                    let run = Run::new(Limits::default(), 0);
                    let options = Options { level: 0, patience: u64::MAX, reuse, ..Options::default() };
                    (Icc { options }.solve(&problem, &run).word(), run.effort().states_total)
                };
                let ((word, states), (same, with)) = (effort(0), effort(Options::default().reuse));
                assert!(word == same && with <= states, "{family}: {states} states, then {with}");
                fewer += usize::from(with < states);
            }
        }
        assert!(fewer >= 3, "{fewer} questions");
    }
}
