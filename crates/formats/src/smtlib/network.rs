//! Sets of global states of networks.
//!
//! A component is `c0`, `c1`, …; `c0.1` is a bit of the number of the state that it is in, `c0=5` that it is in state 5, `c0+=5` that it is
//! there after the step. A step is one action, that of a label or a component's tau, with a number of its own: `a=7` says that it is this
//! one, so that no two happen at once. Components that the set says nothing about may be anywhere; they count where they can keep the
//! others from a label.

use super::begin;
use super::script::{Script, all, any, not};
use prequel_model::{
    Bit, Component, ComponentId, Goal, LabelId, LocationSet, Network, Participants, Problem, Query, StateId,
};
use rustc_hash::FxHashMap;

/// The obligations that show that nothing that is looked for is reached, by a set of global states; none for a question that is not about
/// reaching a state.
pub fn network(problem: &Problem, query: &str, set: &LocationSet) -> Option<Vec<u8>> {
    let monitor = match &problem.query {
        Query::Safety(monitor) => Some(&monitor.automaton),
        Query::Nonblocking => return None,
        Query::Reach(_) | Query::DeadlockFree => None,
    };
    let components: Vec<&Component> = problem.network.components().iter().chain(monitor).collect();
    let participants = Participants::of(problem.network.labels().len(), components.iter().copied());
    let system = System { problem, set, own: set.components(), components, participants };
    Some(system.obligations(query))
}

/// What can happen: a label, or a component's tau.
struct Action {
    label: LabelId,
    who: Vec<ComponentId>,
}

struct System<'a> {
    problem: &'a Problem,
    set: &'a LocationSet,
    /// The components that the set says something about.
    own: Vec<ComponentId>,
    /// The components, and the monitor of a safety question as the last.
    components: Vec<&'a Component>,
    participants: Participants,
}

impl System<'_> {
    fn obligations(&self, query: &str) -> Vec<u8> {
        let mut script = Script::default();
        let about = format!("They are about a network of {} components.", self.problem.network.components().len());
        begin(&mut script, &about, query);
        let actions = self.actions();
        let mut named: Vec<ComponentId> = actions.iter().flat_map(|action| &action.who).copied().collect();
        named.extend(self.own.iter().copied().chain(self.looked_at()));
        named.sort_unstable();
        named.dedup();
        named.iter().for_each(|&c| self.place(&mut script, c));
        script.define("places", &all(&named.iter().filter_map(|&c| self.somewhere(c)).collect::<Vec<_>>()));
        self.define_set(&mut script);
        self.define_step(&mut script, &actions);
        script.comment("what is looked for");
        script.define("looked-for", &self.looked_for());
        let first = |&c: &ComponentId| at(c, self.lts(c).initial(), false);
        script.define("first", &all(&self.own.iter().map(first).collect::<Vec<_>>()));
        script.impossible("1. the first state, outside of the set", ["first", &not("set")]);
        script.impossible("2. a step from the set to outside of it", ["places", "set", "step", &not("set+")]);
        script.impossible("3. a state of the set that is looked for", ["places", "set", "looked-for"]);
        script.finish()
    }

    fn lts(&self, c: ComponentId) -> &prequel_model::Lts {
        &self.components[c.at()].lts
    }

    fn is_own(&self, c: ComponentId) -> bool {
        self.own.binary_search(&c).is_ok()
    }

    fn name(&self, c: ComponentId) -> &str {
        self.problem.network.components().get(c.at()).map_or("the monitor", |component| &component.name)
    }

    /// What a component with a place in the set can take part in: each label, and each own tau.
    fn actions(&self) -> Vec<Action> {
        let mut labels: Vec<LabelId> =
            self.own.iter().flat_map(|c| self.components[c.at()].alphabet()).copied().collect();
        labels.sort_unstable();
        labels.dedup();
        let shared = labels.into_iter().map(|label| Action { label, who: self.participants.of_label(label).to_vec() });
        let alone = |c: &&ComponentId| self.lts(**c).transitions().any(|t| t.label.is_tau());
        let taus = self.own.iter().filter(alone).map(|&c| Action { label: LabelId::TAU, who: vec![c] });
        shared.chain(taus).collect()
    }

    /// The components that what is looked for is about.
    fn looked_at(&self) -> Vec<ComponentId> {
        match &self.problem.query {
            Query::Reach(goal) => goal.support(),
            Query::Safety(_) => vec![ComponentId::new(self.components.len() - 1)],
            Query::DeadlockFree | Query::Nonblocking => self.problem.network.ids().collect(),
        }
    }

    /// Declares where a component is, and after the step if the set says something about it.
    fn place(&self, script: &mut Script, c: ComponentId) {
        let lts = self.lts(c);
        let (states, first) = (lts.num_states(), lts.initial().0);
        script.comment(&format!("c{} is {}, with states 0 to {}, at first {first}", c.at(), self.name(c), states - 1));
        for next in [false, true].into_iter().take(if self.is_own(c) { 2 } else { 1 }) {
            let width = LocationSet::width(states);
            (0..width).for_each(|place| script.declare(&bit(c, place, next)));
            for state in lts.states() {
                let is = |place| {
                    let bit = bit(c, place, next);
                    if state.0 >> place & 1 == 1 { bit } else { not(&bit) }
                };
                script.define(&at(c, state, next), &all(&(0..width).map(is).collect::<Vec<_>>()));
            }
        }
    }

    /// That a component is in one of its states, where its bits could say something else.
    fn somewhere(&self, c: ComponentId) -> Option<String> {
        let states = self.lts(c).num_states();
        let all_numbers = 1usize << LocationSet::width(states);
        (states < all_numbers).then(|| any(&self.lts(c).states().map(|s| at(c, s, false)).collect::<Vec<_>>()))
    }

    fn define_set(&self, script: &mut Script) {
        script.comment("the set, of the state now and of the one after a step");
        for next in [false, true] {
            let mark = if next { "+" } else { "" };
            let input = |number: u32| {
                let (component, place) = self.set.bits[Bit::of(number).0.0 as usize];
                bit(component, place, next)
            };
            let LocationSet { aig, holds, .. } = self.set;
            let graph = script.graph(aig, &[*holds], |gate| format!("s{gate}{mark}"), input);
            script.define(&format!("set{mark}"), &graph.of(*holds));
        }
    }

    /// A step: one action, which all who take part in it can do; who takes no part stays.
    fn define_step(&self, script: &mut Script, actions: &[Action]) {
        script.comment("a step is one action");
        let width = LocationSet::width(actions.len().max(1));
        (0..width).for_each(|place| script.declare(&format!("a.{place}")));
        let mut takes_part: FxHashMap<ComponentId, Vec<String>> = FxHashMap::default();
        let mut steps = Vec::with_capacity(actions.len());
        for (number, Action { label, who }) in actions.iter().enumerate() {
            let called = match (label.is_tau(), &who[..]) {
                (true, [c, ..]) => format!("a step of {} alone", self.name(*c)),
                _ => format!("`{}`", self.problem.network.labels().name(*label)),
            };
            script.comment(&format!("a={number} is {called}"));
            let name = format!("a={number}");
            let is = |place: u32| {
                let bit = format!("a.{place}");
                if number >> place & 1 == 1 { bit } else { not(&bit) }
            };
            script.define(&name, &all(&(0..width).map(is).collect::<Vec<_>>()));
            let mut parts = vec![name.clone()];
            parts.extend(who.iter().map(|&c| self.moves(c, *label)));
            steps.push(all(&parts));
            who.iter().for_each(|&c| takes_part.entry(c).or_default().push(name.clone()));
        }
        let stays = |&c: &ComponentId| {
            let width = LocationSet::width(self.lts(c).num_states());
            let same: Vec<String> =
                (0..width).map(|p| format!("(= {} {})", bit(c, p, false), bit(c, p, true))).collect();
            let or = takes_part.get(&c).cloned().unwrap_or_default();
            any(&[vec![all(&same)], or].concat())
        };
        let parts: Vec<String> = std::iter::once(any(&steps)).chain(self.own.iter().map(stays)).collect();
        script.define("step", &all(&parts));
    }

    /// That a component takes one of its transitions with a label; that it is ready to, if the set says nothing about it.
    fn moves(&self, c: ComponentId, label: LabelId) -> String {
        let lts = self.lts(c);
        let from = |source: StateId| {
            let here = at(c, source, false);
            let row = lts.row_on(source, label);
            if row.is_empty() || !self.is_own(c) {
                return (!row.is_empty()).then_some(here);
            }
            let there: Vec<String> = row.iter().map(|edge| at(c, edge.target, true)).collect();
            Some(all(&[here, any(&there)]))
        };
        any(&lts.states().filter_map(from).collect::<Vec<_>>())
    }

    fn looked_for(&self) -> String {
        match &self.problem.query {
            Query::Reach(goal) => reached(goal),
            Query::Safety(monitor) => {
                let c = ComponentId::new(self.components.len() - 1);
                any(&monitor.automaton.lts.marked().map(|s| at(c, s, false)).collect::<Vec<_>>())
            }
            Query::DeadlockFree | Query::Nonblocking => self.deadlock(),
        }
    }

    /// That nobody has a step of its own, and each label lacks somebody.
    fn deadlock(&self) -> String {
        let network: &Network = &self.problem.network;
        let mut parts = Vec::new();
        for c in network.ids() {
            let lts = self.lts(c);
            let free: Vec<String> =
                lts.states().filter(|&s| !lts.row_on(s, LabelId::TAU).is_empty()).map(|s| at(c, s, false)).collect();
            parts.push(not(&any(&free)));
        }
        for label in network.labels().visible() {
            let who = network.participants(label);
            if !who.is_empty() {
                parts.push(not(&all(&who.iter().map(|&c| self.ready(c, label)).collect::<Vec<_>>())));
            }
        }
        all(&parts)
    }

    fn ready(&self, c: ComponentId, label: LabelId) -> String {
        let lts = self.lts(c);
        any(&lts.states().filter(|&s| !lts.row_on(s, label).is_empty()).map(|s| at(c, s, false)).collect::<Vec<_>>())
    }
}

/// That a component is in a state.
fn at(c: ComponentId, state: StateId, next: bool) -> String {
    format!("c{}{}={}", c.at(), if next { "+" } else { "" }, state.0)
}

/// A bit of the number of a component's state.
fn bit(c: ComponentId, place: u32, next: bool) -> String {
    format!("c{}{}.{place}", c.at(), if next { "+" } else { "" })
}

/// That a goal holds.
fn reached(goal: &Goal) -> String {
    match goal {
        Goal::In(c, states) => any(&states.iter().map(|&s| at(*c, s, false)).collect::<Vec<_>>()),
        Goal::And(goals) => all(&goals.iter().map(reached).collect::<Vec<_>>()),
        Goal::Or(goals) => any(&goals.iter().map(reached).collect::<Vec<_>>()),
        Goal::Not(goal) => not(&reached(goal)),
    }
}
