//! A process as a transition system: its control and its folded variables are states, residual statements are labels.

use super::domain::Domains;
use super::facts::{Urgent, rendezvous};
use super::fold::{Residue, Unfoldable, negated};
use super::outcome::{Context, Outcome};
use super::plan::Variable;
use crate::data::{Action, Program, Setup, State, Transition};
use crate::expression::{Binary, Expression};
use crate::text::{UserNames, Writer};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The number of the label of steps that nobody else can notice.
pub const TAU: u32 = 0;
/// The number of the label with which a process goes away.
pub const END: u32 = 1;
/// Steps that are passed through at once before somebody is taken to go round in circles.
const MOST_PASSED: usize = 1000;

/// What a step does, as everybody else sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// What is left of the statement; nothing for [`TAU`].
    pub action: Action,
    /// One of the statements that it comes from.
    pub statement: u32,
}

/// A step of a process on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// What is done, as a number into the labels.
    pub label: u32,
    /// Where it leads.
    pub target: u32,
    /// The transitions of the program that it stands for, each of the control state that the one before leads to.
    pub path: Box<[u32]>,
}

/// A state of a process on its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Where control is; nowhere once the process is gone.
    pub control: Option<u32>,
    /// The folded variables.
    pub values: Box<[i32]>,
    /// The process has just moved and goes on at once if it can.
    pub held: bool,
}

/// A process as a transition system. It starts in state 0.
#[derive(Clone, Debug, Default)]
pub struct Unfolding {
    /// Its states.
    pub places: IndexMap<Place, Vec<Edge>, FxBuildHasher>,
    /// Labels by their text.
    pub labels: IndexMap<String, Label, FxBuildHasher>,
}

/// What is asked about the unfolding of a process.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Of which process, and what is known.
    pub context: Context<'a>,
    /// By control state: what others can see of it. Steps between states that look different are noticed.
    pub marks: &'a [u32],
    /// Every step counts.
    pub strong: bool,
    /// More states are too many.
    pub most: usize,
}

/// Why there is no unfolding.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// This variable cannot be folded.
    Keep(Variable),
    /// There are too many states, and nothing that could be kept instead.
    TooLarge,
}

impl From<Unfoldable> for Stopped {
    fn from(Unfoldable(variable): Unfoldable) -> Self {
        Stopped::Keep(variable)
    }
}

/// A transition with one of its outcomes.
struct Way<'a> {
    number: u32,
    transition: &'a Transition,
    outcome: Outcome,
}

impl<'a> Wanted<'a> {
    /// The transition system of the process.
    pub fn unfold(&self) -> Result<Unfolding, Stopped> {
        let mut unfolding = Unfolding::default();
        let label = |action| Label { action, statement: 0 };
        unfolding.labels.insert("true".into(), label(Action::Skip));
        unfolding.labels.insert("-end-".into(), label(Action::End));
        let first = Place { control: Some(0), values: self.start()?, held: false };
        unfolding.places.insert(first, Vec::new());
        let mut at = 0;
        while at < unfolding.places.len() {
            let (place, _) = unfolding.places.get_index(at).expect("it is one of them");
            let place = place.clone();
            let edges = self.edges(&place, &mut unfolding)?;
            unfolding.places[at] = edges;
            if unfolding.places.len() > self.most {
                return Err(self.widest(&unfolding));
            }
            at += 1;
        }
        Ok(unfolding)
    }

    /// What the folded variables start as.
    fn start(&self) -> Residue<Box<[i32]>> {
        let Context { program, plan, proctype, .. } = self.context;
        let initial = |variable: &Variable| match variable {
            Variable::Global(cell) => program.initial[*cell as usize],
            Variable::Local(_) => 0,
        };
        let mut values: Box<[i32]> = plan.folded().iter().map(initial).collect();
        let kind = &program.proctypes[proctype as usize];
        for setup in &kind.prologue {
            let Setup::Value(cell, value) = setup else { continue };
            let Some(at) = plan.position(Variable::Local(*cell)) else { continue };
            match self.context.known(&values).fold(value)? {
                Expression::Number(value) => values[at] = kind.cells[*cell as usize].ty.store(value),
                _ => return Err(Unfoldable(Variable::Local(*cell))),
            }
        }
        Ok(values)
    }

    /// The variable with most values is kept instead; of arrays all of it.
    fn widest(&self, unfolding: &Unfolding) -> Stopped {
        let folded = self.context.plan.folded();
        let different = |at: usize| -> usize {
            unfolding.places.keys().filter_map(|place| place.values.get(at).copied()).collect::<FxHashSet<i32>>().len()
        };
        let weight = |at: &usize| different(*at) * self.context.plan.group(folded[*at]).len();
        match (0..folded.len()).max_by_key(weight).filter(|at| different(*at) > 1) {
            Some(at) => Stopped::Keep(folded[at]),
            None => Stopped::TooLarge,
        }
    }

    fn state(&self, control: u32) -> &'a State {
        &self.context.program.proctypes[self.context.proctype as usize].states[control as usize]
    }

    /// All ways to go on from a control state.
    fn ways(&self, control: u32, values: &[i32]) -> Residue<Vec<Way<'a>>> {
        let mut ways: Vec<Way<'a>> = Vec::new();
        for (number, transition) in self.state(control).transitions.iter().enumerate() {
            let number = number as u32;
            if transition.action == Action::Else {
                if let Some(action) = otherwise(&ways) {
                    let outcome = Outcome { action, values: values.into() };
                    ways.push(Way { number, transition, outcome });
                }
                continue;
            }
            for outcome in self.context.outcomes(&transition.action, values)? {
                ways.push(Way { number, transition, outcome });
            }
        }
        Ok(ways)
    }

    fn edges(&self, place: &Place, unfolding: &mut Unfolding) -> Residue<Vec<Edge>> {
        let Some(control) = place.control else { return Ok(Vec::new()) };
        let mut edges = Vec::new();
        for Way { number, transition, outcome } in self.ways(control, &place.values)? {
            let label = match &outcome.action {
                None => TAU,
                Some(Action::End) => END,
                Some(action) => self.label(action, transition.statement, control, unfolding),
            };
            let mut path = vec![number];
            let target = match transition.target {
                None => Place { control: None, values: Box::default(), held: false },
                Some(target) => {
                    let seen = self.marks[control as usize] != self.marks[target as usize];
                    // Whether others move before or after a step that nobody notices makes no difference to anybody, unless the
                    // process could be met where it never waits.
                    let noticed = || self.is_met(target, &outcome.values);
                    let held = transition.atomic && (self.strong || seen || label != TAU || place.held || noticed()?);
                    self.settled(Place { control: Some(target), values: outcome.values, held }, &mut path)?
                }
            };
            let entry = unfolding.places.entry(target);
            let target = entry.index() as u32;
            entry.or_default();
            edges.push(Edge { label, target, path: path.into() });
        }
        Ok(edges)
    }

    /// Whether another process can come to a rendezvous here, though this one may have something else to do: in the middle of an
    /// `atomic` it is not waited for then.
    fn is_met(&self, control: u32, values: &[i32]) -> Residue<bool> {
        let program = self.context.program;
        let ways = self.ways(control, values)?;
        let may_be_met = |way: &Way<'_>| match &way.outcome.action {
            Some(Action::Receive(receive)) => rendezvous(program, &receive.channel) != Some(false),
            Some(Action::Steps(_)) => program.channel_types.iter().any(|kind| kind.capacity == 0),
            _ => false,
        };
        let waits = |way: &Way<'_>| match &way.outcome.action {
            Some(Action::Receive(receive)) => rendezvous(program, &receive.channel) == Some(true),
            _ => false,
        };
        // Who has nothing else to do waits.
        Ok(ways.iter().any(may_be_met) && !ways.iter().all(waits))
    }

    /// Where a process comes to that goes on at once, as long as there is only one way and nobody notices.
    fn settled(&self, mut place: Place, path: &mut Vec<u32>) -> Residue<Place> {
        for _ in 0..MOST_PASSED {
            let Some(control) = place.control.filter(|_| place.held && !self.strong) else { return Ok(place) };
            let mut ways = self.ways(control, &place.values)?;
            let (Some(way), true) = (ways.pop(), ways.is_empty()) else { return Ok(place) };
            let Some(target) = way.transition.target.filter(|_| way.outcome.action.is_none()) else { return Ok(place) };
            if self.marks[control as usize] != self.marks[target as usize] {
                return Ok(place);
            }
            path.push(way.number);
            place = Place { control: Some(target), values: way.outcome.values, held: way.transition.atomic };
        }
        Ok(place)
    }

    fn label(&self, action: &Action, statement: u32, control: u32, unfolding: &mut Unfolding) -> u32 {
        let names = UserNames { program: self.context.program, proctype: self.context.proctype };
        let mut text = Writer::new(self.context.program, &names).action(action);
        if *action == Action::Else {
            // It means something else beside other statements.
            text += &format!(" at {control}");
        }
        let entry = unfolding.labels.entry(text);
        let number = entry.index() as u32;
        entry.or_insert_with(|| Label { action: action.clone(), statement });
        number
    }
}

/// What `else` comes to beside these: a step, a condition, or nothing where another way is always open.
fn otherwise(ways: &[Way<'_>]) -> Option<Option<Action>> {
    let mut none: Option<Expression> = None;
    for way in ways {
        let guard = match (&way.transition.action, &way.outcome.action) {
            (Action::Condition(_) | Action::Steps(_), Some(Action::Condition(guard))) => guard,
            (Action::Send(_) | Action::Receive(_) | Action::Steps(_), Some(_)) => return Some(Some(Action::Else)),
            // This can always be done.
            _ => return None,
        };
        let mut global = false;
        guard.visit(&mut |part| global |= matches!(part, Expression::Timeout));
        if global {
            return Some(Some(Action::Else));
        }
        let not = negated(guard.clone());
        none = Some(match none {
            None => not,
            Some(before) => Expression::Binary(Binary::And, Box::new((before, not))),
        });
    }
    Some(none.map(Action::Condition))
}

impl Unfolding {
    /// Adds the rendezvous that somebody may wait for here in the middle of an `atomic`.
    pub fn note_urgent(&self, program: &Program, states: &[State], urgent: &mut Urgent) {
        for (place, edges) in &self.places {
            if place.held || place.control.is_some_and(|control| states[control as usize].is_ranked()) {
                edges.iter().for_each(|edge| urgent.add(program, &self.labels[edge.label as usize].action));
            }
        }
    }

    /// Adds what its labels say to the domains.
    pub fn note(&self, domains: &mut Domains<'_>, proctype: u32, folded: &[Variable]) {
        for label in self.labels.values() {
            domains.note(&label.action, proctype);
        }
        for place in self.places.keys() {
            for (&variable, &value) in folded.iter().zip(&place.values) {
                domains.note_value(variable, value, proctype);
            }
        }
    }
}
