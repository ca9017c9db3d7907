//! Sets of global states that a network does not leave, checked with a SAT solver.
//!
//! | what a set must be | how it is asked |
//! | --- | --- |
//! | the network begins in it | its function is evaluated |
//! | no step leads out of it | is there a step from a state that is in it to one that is not? |
//! | nothing that is looked for is in it | is there a state that is in it and is looked for? |
//!
//! Then nothing that is looked for is reached. States need not be reachable to be asked about, and components that the set says nothing
//! about may be anywhere; they count where they can keep the others from a label. So a question is as large as the components that
//! matter, whatever else there is.
//!
//! A component has a variable for each of its states, which implies the bits of the state's number. A step is one action, that of a label
//! or a component's tau; each participant has one of its transitions, and who takes no part keeps its bits. Read off the
//! definitions: nothing here is shared with the engines but the solver.

use super::certificate::Rejected;
use super::invariant::Question;
use super::set::SavedSet;
use prequel_model::{
    Aig, Bit, Component, ComponentId, Goal, LabelId, LocationSet, Network, Participants, Problem, Query,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set as it is saved, by the names of components; the monitor has none.
pub fn saved(network: &Network, set: &LocationSet) -> SavedSet<Option<String>> {
    SavedSet::new(&set.aig, set.holds, |input| {
        let (component, place) = set.bits[Bit::of(input).0.0 as usize];
        (network.components().get(component.at()).map(|c| c.name.to_string()), place as usize)
    })
}

/// The set for a saved one.
pub fn named(problem: &Problem, saved: &SavedSet<Option<String>>) -> Result<LocationSet, Rejected> {
    let (by_name, components) = (problem.network.by_name(), components(problem));
    let (mut aig, mut bits, mut inputs) = (Aig::default(), Vec::new(), Vec::with_capacity(saved.inputs.len()));
    let mut known: FxHashMap<(ComponentId, u32), Bit> = FxHashMap::default();
    for (name, place) in &saved.inputs {
        let component = match name {
            Some(name) => by_name.get(&**name).copied(),
            None => Some(ComponentId::new(problem.network.components().len())).filter(|c| c.at() < components.len()),
        };
        let called = name.as_ref().map_or_else(|| "monitor".into(), |name| format!("component `{name}`"));
        let component = component.ok_or_else(|| Rejected::Unknown(format!("the model has no {called}")))?;
        let states = components[component.at()].lts.num_states();
        let place =
            u32::try_from(*place).ok().filter(|place| *place < LocationSet::width(states)).ok_or_else(|| {
                Rejected::Unknown(format!("the {called} has {states} states, and their numbers no bit {place}"))
            })?;
        let bit = *known.entry((component, place)).or_insert_with(|| {
            bits.push((component, place));
            Bit(bits.len() as u32 - 1)
        });
        inputs.push(aig.input(bit.now()));
    }
    let holds = saved.function(&mut aig, inputs).map_err(|undefined| Rejected::Unknown(undefined.to_string()))?;
    Ok(LocationSet { bits, aig, holds })
}

/// Checks that the network begins in a set, that no step leads out of it, and that nothing that is looked for is in it.
pub fn check(
    problem: &Problem,
    set: &LocationSet,
    stop: impl FnMut() -> bool + Clone + 'static,
) -> Result<(), Rejected> {
    let components = components(problem);
    let first = |input: u32| {
        let (component, place) = set.bits[Bit::of(input).0.0 as usize];
        components[component.at()].lts.initial().0 >> place & 1 == 1
    };
    if !set.aig.values(&[set.holds], first)[0] {
        return Err(Rejected::NotInitial);
    }
    let participants = Participants::of(problem.network.labels().len(), components.iter().copied());
    let system = System { problem, set, components, participants };
    if let Some(step) = system.leaves(stop.clone())? {
        return Err(Rejected::Left(step));
    }
    if system.has_what_is_looked_for(stop)? { Err(Rejected::Inside) } else { Ok(()) }
}

/// The components, and the monitor of a safety question as the last.
fn components(problem: &Problem) -> Vec<&Component> {
    let monitor = match &problem.query {
        Query::Safety(monitor) => Some(&monitor.automaton),
        _ => None,
    };
    problem.network.components().iter().chain(monitor).collect()
}

struct System<'a> {
    problem: &'a Problem,
    set: &'a LocationSet,
    components: Vec<&'a Component>,
    participants: Participants,
}

/// Somebody's step: a label, or a component's tau.
struct Action {
    label: LabelId,
    who: Vec<ComponentId>,
    happens: i32,
}

impl System<'_> {
    /// A step that leads out of the set, in words.
    fn leaves(&self, stop: impl FnMut() -> bool + 'static) -> Result<Option<String>, Rejected> {
        let mut asked = Asked::new(self);
        asked.question.demand(&self.set.aig, !self.set.holds, true);
        let own = self.set.components();
        // The transitions that somebody may take; of components that only have to be ready, the states that they are taken from.
        let mut moves: FxHashMap<(ComponentId, LabelId), Vec<i32>> = FxHashMap::default();
        for &c in &own {
            let (now, after) = (asked.place(c, false), asked.place(c, true));
            for t in self.components[c.at()].lts.transitions() {
                let taken = asked.question.solver.variable();
                asked.demand(&[-taken, now.at[t.source.at()]]);
                asked.demand(&[-taken, after.at[t.target.at()]]);
                moves.entry((c, t.label)).or_default().push(taken);
            }
        }
        let mut labels: Vec<LabelId> = own.iter().flat_map(|c| self.components[c.at()].alphabet()).copied().collect();
        labels.sort_unstable();
        labels.dedup();
        let others = labels.iter().flat_map(|&label| self.participants.of_label(label));
        let mut others: Vec<ComponentId> = others.copied().filter(|c| own.binary_search(c).is_err()).collect();
        others.sort_unstable();
        others.dedup();
        for c in others {
            let now = asked.place(c, false);
            for t in self.components[c.at()].lts.transitions().filter(|t| labels.binary_search(&t.label).is_ok()) {
                moves.entry((c, t.label)).or_default().push(now.at[t.source.at()]);
            }
        }
        let shared = labels.iter().map(|&label| (label, self.participants.of_label(label).to_vec()));
        let taus = own.iter().filter(|&&c| moves.contains_key(&(c, LabelId::TAU))).map(|&c| (LabelId::TAU, vec![c]));
        let actions: Vec<Action> = shared
            .chain(taus)
            .map(|(label, who)| Action { label, who, happens: asked.question.solver.variable() })
            .collect();
        asked.one_of(&actions.iter().map(|action| action.happens).collect::<Vec<_>>());
        let mut takes_part: FxHashMap<ComponentId, Vec<i32>> = FxHashMap::default();
        for Action { label, who, happens } in &actions {
            for &c in who {
                let some = moves.get(&(c, *label)).into_iter().flatten().copied();
                asked.demand(&[-happens].into_iter().chain(some).collect::<Vec<_>>());
                takes_part.entry(c).or_default().push(*happens);
            }
        }
        for &c in &own {
            let (now, after) = (asked.place(c, false), asked.place(c, true));
            let changes = asked.question.solver.variable();
            let mine = takes_part.get(&c).into_iter().flatten().copied();
            asked.demand(&[-changes].into_iter().chain(mine).collect::<Vec<_>>());
            for (&before, &after) in now.bits.iter().zip(&after.bits) {
                asked.demand(&[changes, -before, after]);
                asked.demand(&[changes, before, -after]);
            }
        }
        if !asked.possible(stop)? {
            return Ok(None);
        }
        let Action { label, who, .. } =
            actions.iter().find(|action| asked.holds(action.happens)).expect("one of them happens");
        let moved: Vec<String> = who
            .iter()
            .filter(|c| own.binary_search(c).is_ok())
            .map(|&c| format!("{} {}→{}", self.name(c), asked.state(c, false), asked.state(c, true)))
            .collect();
        Ok(Some(format!("`{}` ({})", self.problem.network.labels().name(*label), moved.join(", "))))
    }

    fn name(&self, c: ComponentId) -> &str {
        self.problem.network.components().get(c.at()).map_or("the monitor", |component| &component.name)
    }

    /// Whether a state of the set is one that a witness would lead to.
    fn has_what_is_looked_for(&self, stop: impl FnMut() -> bool + 'static) -> Result<bool, Rejected> {
        let mut asked = Asked::new(self);
        match &self.problem.query {
            Query::Reach(goal) => {
                let goal = asked.goal(goal);
                asked.demand(&[goal]);
            }
            Query::Safety(monitor) => {
                let place = asked.place(ComponentId::new(self.components.len() - 1), false);
                let accepting: Vec<i32> = monitor.automaton.lts.marked().map(|s| place.at[s.at()]).collect();
                asked.demand(&accepting);
            }
            Query::DeadlockFree => asked.deadlock(),
            Query::Nonblocking => return Err(Rejected::Query(self.problem.query.kind())),
        }
        asked.possible(stop)
    }
}

/// Where a component is.
struct Place {
    /// The bits of its state's number.
    bits: Vec<i32>,
    /// For each of its states, that it is there.
    at: Vec<i32>,
}

/// A question about a state of the set, and perhaps the one after it.
struct Asked<'a> {
    system: &'a System<'a>,
    question: Question,
    variables: FxHashMap<(ComponentId, u32), Bit>,
    places: FxHashMap<(ComponentId, bool), Rc<Place>>,
}

impl<'a> Asked<'a> {
    fn new(system: &'a System<'a>) -> Self {
        let mut question = Question::new();
        question.demand(&system.set.aig, system.set.holds, false);
        let variables = system.set.support().map(|(bit, component, place)| ((component, place), bit)).collect();
        Self { system, question, variables, places: FxHashMap::default() }
    }

    /// Demands one of these literals.
    fn demand(&mut self, clause: &[i32]) {
        self.question.solver.add(0, clause);
    }

    fn possible(&mut self, stop: impl FnMut() -> bool + 'static) -> Result<bool, Rejected> {
        self.question.possible(stop).ok_or(Rejected::Stopped)
    }

    fn holds(&mut self, variable: i32) -> bool {
        self.question.solver.value(variable)
    }

    /// Where a component is, now or after the step: in just one of its states.
    fn place(&mut self, c: ComponentId, next: bool) -> Rc<Place> {
        if let Some(known) = self.places.get(&(c, next)) {
            return known.clone();
        }
        let states = self.system.components[c.at()].lts.num_states();
        let variable = |place| match self.variables.get(&(c, place)) {
            Some(&bit) => self.question.variable(bit, next),
            None => self.question.solver.variable(),
        };
        let bits: Vec<i32> = (0..LocationSet::width(states)).map(variable).collect();
        let at: Vec<i32> = (0..states).map(|_| self.question.solver.variable()).collect();
        for (state, here) in at.iter().enumerate() {
            for (place, &bit) in bits.iter().enumerate() {
                self.demand(&[-here, if state >> place & 1 == 1 { bit } else { -bit }]);
            }
        }
        self.demand(&at);
        let place = Rc::new(Place { bits, at });
        self.places.insert((c, next), place.clone());
        place
    }

    /// The number of the state that a component is in, in what was found.
    fn state(&mut self, c: ComponentId, next: bool) -> usize {
        let place = self.place(c, next);
        place.at.iter().position(|&here| self.holds(here)).expect("it is somewhere")
    }

    /// Demands that just one of these holds: none after the first.
    fn one_of(&mut self, literals: &[i32]) {
        self.demand(literals);
        let mut before: Option<i32> = None;
        for &literal in literals {
            let so_far = self.question.solver.variable();
            self.demand(&[-literal, so_far]);
            if let Some(before) = before {
                self.demand(&[-before, so_far]);
                self.demand(&[-before, -literal]);
            }
            before = Some(so_far);
        }
    }

    /// A literal that holds just where a goal does.
    fn goal(&mut self, goal: &Goal) -> i32 {
        match goal {
            Goal::In(c, states) => {
                let place = self.place(*c, false);
                let others = states.iter().map(|s| -place.at[s.at()]).collect();
                -self.all(others)
            }
            Goal::And(goals) => {
                let goals = goals.iter().map(|goal| self.goal(goal)).collect();
                self.all(goals)
            }
            Goal::Or(goals) => {
                let denied = goals.iter().map(|goal| -self.goal(goal)).collect();
                -self.all(denied)
            }
            Goal::Not(goal) => -self.goal(goal),
        }
    }

    /// A literal that holds just where all of these do.
    fn all(&mut self, literals: Vec<i32>) -> i32 {
        let all = self.question.solver.variable();
        literals.iter().for_each(|&literal| self.demand(&[-all, literal]));
        let not_all: Vec<i32> = literals.iter().map(|literal| -literal).chain([all]).collect();
        self.demand(&not_all);
        all
    }

    /// Demands that nobody can move: no tau is possible, and each label lacks a participant.
    fn deadlock(&mut self) {
        let system = self.system;
        let mut lacking: FxHashMap<LabelId, Vec<i32>> = FxHashMap::default();
        for (c, component) in system.components.iter().enumerate() {
            let place = self.place(ComponentId::new(c), false);
            let mut absent: FxHashMap<LabelId, i32> = FxHashMap::default();
            for &label in component.alphabet() {
                let literal = self.question.solver.variable();
                absent.insert(label, literal);
                lacking.entry(label).or_default().push(literal);
            }
            for t in component.lts.transitions() {
                let here = place.at[t.source.at()];
                match absent.get(&t.label) {
                    Some(&absent) => self.demand(&[-absent, -here]),
                    None => self.demand(&[-here]),
                }
            }
        }
        lacking.values().for_each(|lacking| self.demand(lacking));
    }
}

#[cfg(test)]
mod tests;
