//! From the states of a component to those of a smaller one in its place.

use super::index::{ComponentId, StateId};
use super::lts::{Lts, Transition};
use super::query::Query;

/// A component's quotient: each class of its states is a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassMap {
    /// Whose states.
    pub component: ComponentId,
    /// The class of each state.
    pub class_of: Vec<StateId>,
    /// The system in its place.
    pub quotient: Lts,
}

impl ClassMap {
    /// The quotient in which a class has every edge of each of its members. Classes are numbered without gaps.
    pub fn of(component: ComponentId, lts: &Lts, class_of: Vec<StateId>) -> Self {
        let class = |s: StateId| class_of[s.at()];
        let classes = class_of.iter().max().map_or(0, |c| c.at() + 1);
        let mapped = |t: Transition| Transition { source: class(t.source), label: t.label, target: class(t.target) };
        let quotient = Lts::new(class(lts.initial()), classes, lts.transitions().map(mapped).collect());
        Self { component, class_of, quotient }
    }

    /// This map, then one of its classes.
    pub fn then(&self, next: &ClassMap) -> ClassMap {
        let class_of = self.class_of.iter().map(|c| next.class_of[c.at()]).collect();
        ClassMap { component: self.component, class_of, quotient: next.quotient.clone() }
    }

    /// The states of each class.
    pub fn members(&self) -> Vec<Vec<StateId>> {
        let mut members = vec![Vec::new(); self.quotient.num_states()];
        for (s, class) in self.class_of.iter().enumerate() {
            members[class.at()].push(StateId::new(s));
        }
        members
    }

    /// The same question, asked of classes: a class satisfies a condition where its members do.
    pub fn query(&self, query: &Query) -> Query {
        query.renumbered(self.component, |s| Some(self.class_of[s.at()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Goal, LabelId};

    #[test]
    fn a_class_has_the_edges_of_its_members() {
        let (a, b) = (LabelId(1), LabelId(2));
        let lts = Lts::new(StateId(1), 3, vec![Transition::new(1, a, 0), Transition::new(2, b, 0)]);
        let map = ClassMap::of(ComponentId(4), &lts, vec![StateId(0), StateId(1), StateId(1)]);
        let row: Vec<_> = map.quotient.row(StateId(1)).iter().map(|e| (e.label, e.target.0)).collect();
        assert_eq!((map.quotient.initial(), row), (StateId(1), vec![(a, 0), (b, 0)]));
        assert_eq!(map.members(), [vec![StateId(0)], vec![StateId(1), StateId(2)]]);
        let goal = Goal::Not(Box::new(Goal::In(ComponentId(4), vec![StateId(1), StateId(2)])));
        let Query::Reach(asked) = map.query(&Query::Reach(goal)) else { unreachable!() };
        assert_eq!(asked, Goal::Not(Box::new(Goal::at(ComponentId(4), StateId(1)))));
        let all = ClassMap::of(ComponentId(4), &map.quotient, vec![StateId(0); 2]);
        assert_eq!(map.then(&all).class_of, vec![StateId(0); 3]);
    }
}
