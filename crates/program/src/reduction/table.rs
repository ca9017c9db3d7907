//! What is known before the search of a process with certain constants: for each control state what its steps mind, and what the
//! process may still do from there on.

use super::effects::{Effects, Marks};
use super::known::Known;
use super::{Reduction, cycles};
use crate::data::{Action, Proctype, State, Then, Transition};
use rustc_hash::FxHashSet;

/// A kind of process: its proctype, its number if that is known, and the values of its cells that stay as they are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    /// Which proctype.
    pub proctype: u32,
    /// Its number, as the program sees it.
    pub pid: Option<i32>,
    /// The cells of [`Reduction::keys`] in their order.
    pub constants: Vec<Option<i32>>,
}

impl Instance {
    /// Any process of a proctype that has so many keys.
    pub fn any(proctype: u32, keys: usize) -> Self {
        Self { proctype, pid: None, constants: vec![None; keys] }
    }
}

/// A control state of an instance.
pub struct Place {
    /// By transition.
    pub steps: Vec<Step>,
    /// All that the process, and those that it starts, may do from here on.
    pub future: Marks,
    /// Something of that may go wrong.
    pub may_fault: bool,
    /// A step from here can come through a state that breaks a cycle; or is visible, where runs are kept.
    pub breaks: bool,
    /// There is nothing left to do but to end.
    pub only_ends: bool,
}

/// A transition at a control state.
pub struct Step {
    /// What done by others makes a difference to it, if it is possible.
    pub minds: Marks,
    /// There are states in which it is not possible.
    pub may_wait: bool,
    /// What others must do before it is possible, if it is not.
    pub lacks: Marks,
    /// The same if it waits for a message and there is none.
    pub lacks_message: Marks,
}

/// What a step may do that goes on from a control state.
struct Inner {
    does: Marks,
    minds: Marks,
    breaks: bool,
    /// Something of it may go wrong.
    may_fault: bool,
    /// It may come back to the state.
    returns: bool,
}

/// Whether what is possible at a state depends on what else is possible there.
fn depends_on_others(kind: &Proctype, state: &State) -> bool {
    kind.deterministic || state.transitions.iter().any(|t| t.action == Action::Else || t.escape != 0)
}

/// Whether there are states in which an action is not possible.
fn may_block(action: &Action) -> bool {
    let never = matches!(action, Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::Print(_));
    !never && !matches!(action, Action::Run(_) | Action::SetPriority(_))
}

impl Reduction<'_> {
    /// The control states of an instance.
    pub(super) fn places_of(&self, instance: &Instance) -> Vec<Place> {
        let known = self.known(instance);
        let kind = &self.program.proctypes[instance.proctype as usize];
        let mut places = self.places(instance, &known);
        for (number, state) in kind.states.iter().enumerate() {
            for started in state.transitions.iter().flat_map(|t| self.started(&known, t)) {
                let (future, may_fault) = self.once_started(&started);
                places[number].future.join(&future);
                places[number].may_fault |= may_fault;
            }
        }
        spread(kind, &mut places);
        places
    }

    /// Whether a step goes on where a transition leads to.
    fn goes_on(&self, transition: &Transition) -> bool {
        // Where control changes hands it may come back.
        transition.atomic || self.handed_on && matches!(transition.action, Action::Send(_) | Action::Receive(_))
    }

    /// For each control state what a step may do that goes on from there.
    fn inner(&self, instance: &Instance, known: &Known<'_>) -> Vec<Inner> {
        let proctype = instance.proctype as usize;
        let kind = &self.program.proctypes[proctype];
        let again = cycles::on_cycles(kind, |t| self.goes_on(t));
        let alone = |(number, state): (usize, &State)| {
            let mut effects = Effects::new(self.program, &self.resources, known);
            effects.is_at(state);
            for transition in &state.transitions {
                effects.inner(transition);
                transition.target.iter().for_each(|&target| effects.is_at(&kind.states[target as usize]));
            }
            let (breaks, returns) = (self.breakers[proctype][number], again[number]);
            let may_fault = state.transitions.iter().any(|t| may_go_wrong(known, t));
            Inner { does: effects.does, minds: effects.minds, breaks, may_fault, returns }
        };
        let mut inner: Vec<Inner> = kind.states.iter().enumerate().map(alone).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (number, state) in kind.states.iter().enumerate().rev() {
                for target in state.transitions.iter().filter(|t| self.goes_on(t)).filter_map(|t| t.target) {
                    let there = &inner[target as usize];
                    let there = Inner { does: there.does.clone(), minds: there.minds.clone(), ..*there };
                    let here = &mut inner[number];
                    changed |= here.does.join(&there.does) | here.minds.join(&there.minds);
                    changed |= there.breaks & !here.breaks | there.returns & !here.returns;
                    changed |= there.may_fault & !here.may_fault;
                    here.breaks |= there.breaks;
                    here.may_fault |= there.may_fault;
                    here.returns |= there.returns;
                }
            }
        }
        inner
    }

    /// The control states of an instance, what its processes may do later left out.
    fn places(&self, instance: &Instance, known: &Known<'_>) -> Vec<Place> {
        let inner = self.inner(instance, known);
        let states = &self.program.proctypes[instance.proctype as usize].states;
        (0..states.len()).map(|number| self.place(instance, known, number, &inner)).collect()
    }

    fn place(&self, instance: &Instance, known: &Known<'_>, number: usize, inner: &[Inner]) -> Place {
        let proctype = instance.proctype as usize;
        let kind = &self.program.proctypes[proctype];
        let state = &kind.states[number];
        let effects = || Effects::new(self.program, &self.resources, known);
        let mut shared = effects();
        kind.provided.iter().for_each(|provided| shared.reads(provided));
        if depends_on_others(kind, state) {
            state.transitions.iter().for_each(|t| shared.guard(&t.action));
        }
        let (mut future, mut may_fault) = (self.resources.none(), kind.deterministic && state.transitions.len() > 1);
        let mut breaks = self.breakers[proctype][number];
        let mut steps = Vec::new();
        for transition in &state.transitions {
            let mut whole = shared.clone();
            whole.moves(instance.proctype, number as u32, transition.target.filter(|_| !self.goes_on(transition)));
            whole.is_at(state);
            transition.target.iter().for_each(|&target| whole.is_at(&kind.states[target as usize]));
            whole.transition(transition);
            if transition.action == Action::End && self.program.own_channels(instance.proctype) > 0 {
                whole.takes_channels_along();
            }
            may_fault |= may_go_wrong(known, transition);
            if let Some(target) = transition.target.filter(|_| self.goes_on(transition)) {
                let there = &inner[target as usize];
                whole.does.join(&there.does);
                whole.minds.join(&there.minds);
                breaks |= there.breaks;
                // A sequence that comes back to itself may have no end.
                may_fault |= there.returns | there.may_fault;
            }
            breaks |= self.kept.runs() && (may_fault || whole.does.meets(&self.visible));
            future.join(&whole.does);
            let lacks = |empty: bool| {
                let mut lacks = effects().lacks(&transition.action, empty);
                lacks.join(&shared.minds);
                lacks
            };
            let may_wait = kind.provided.is_some() || depends_on_others(kind, state) || may_block(&transition.action);
            let minds = whole.minds;
            steps.push(Step { minds, may_wait, lacks: lacks(false), lacks_message: lacks(true) });
        }
        let only_ends = state.transitions.iter().all(|t| t.action == Action::End);
        Place { steps, future, may_fault, breaks, only_ends }
    }

    /// The processes that a transition starts.
    fn started(&self, known: &Known<'_>, transition: &Transition) -> Vec<Instance> {
        let mut found = Vec::new();
        each_action(transition, &mut |action| {
            if let Action::Run(run) = action {
                let cells = self.keys[run.proctype as usize].iter();
                let value = |&cell: &u32| {
                    let parameters = self.program.proctypes[run.proctype as usize].parameters;
                    let ty = self.program.proctypes[run.proctype as usize].cells[cell as usize].ty;
                    let argument = run.arguments.get(cell as usize).filter(|_| cell < parameters)?;
                    known.value(argument).map(|value| ty.store(value))
                };
                found.push(Instance { proctype: run.proctype, pid: None, constants: cells.map(value).collect() });
            }
        });
        found
    }

    /// All that a process may do that is about to start, and those that it starts; whether something of it may go wrong.
    pub(super) fn once_started(&self, instance: &Instance) -> (Marks, bool) {
        let (mut future, mut may_fault) = (self.resources.none(), false);
        let mut seen: FxHashSet<Instance> = FxHashSet::default();
        let mut open = vec![instance.clone()];
        while let Some(mut instance) = open.pop() {
            if seen.len() > MOST_STARTED {
                instance.constants.fill(None);
            }
            if !seen.insert(instance.clone()) {
                continue;
            }
            let known = self.known(&instance);
            let kind = &self.program.proctypes[instance.proctype as usize];
            for (place, state) in self.places(&instance, &known).iter().zip(&kind.states) {
                future.join(&place.future);
                may_fault |= place.may_fault;
                open.extend(state.transitions.iter().flat_map(|t| self.started(&known, t)));
            }
        }
        (future, may_fault)
    }
}

/// Processes with known arguments that one process may start, before the arguments are not looked at any more.
const MOST_STARTED: usize = 64;

/// Looks at the action of a transition, and at those inside of it and behind it.
pub fn each_action<'t>(transition: &'t Transition, look: &mut impl FnMut(&'t Action)) {
    fn inside<'t>(action: &'t Action, look: &mut impl FnMut(&'t Action)) {
        look(action);
        if let Action::Steps(steps) = action {
            for node in &steps.nodes {
                if let crate::data::Node::Do(action, ..) = node {
                    inside(action, look);
                }
            }
        }
    }
    inside(&transition.action, look);
    for then in &transition.then {
        if let Then::Do { action, .. } = then {
            inside(action, look);
        }
    }
}

fn may_go_wrong(known: &Known<'_>, transition: &Transition) -> bool {
    let behind = transition.then.iter().filter_map(|then| match then {
        Then::Do { action, .. } => Some(action),
        Then::Reset(_) => None,
    });
    known.may_go_wrong(&transition.action) || behind.into_iter().any(|action| known.may_go_wrong(action))
}

/// What can be done later can be done from all states before.
fn spread(kind: &Proctype, places: &mut [Place]) {
    let mut changed = true;
    while changed {
        changed = false;
        for number in (0..places.len()).rev() {
            for target in kind.states[number].transitions.iter().filter_map(|t| t.target) {
                let (future, may_fault) = (places[target as usize].future.clone(), places[target as usize].may_fault);
                changed |= places[number].future.join(&future);
                changed |= may_fault && !places[number].may_fault;
                places[number].may_fault |= may_fault;
            }
        }
    }
}
