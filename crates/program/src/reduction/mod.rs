//! Partial-order reduction: of the steps that a state offers, some that are enough.
//!
//! A set of processes is *closed* in a state if no other process can, now or later, do anything that makes a difference to the
//! present transitions of those in the set: not to those that are possible ([`table::Step::minds`]), and for each that is not, some
//! condition that it needs is in nobody else's hands ([`table::Step::lacks`]). Where such a set can move at all, its moves are enough:
//! they are a strong stubborn set. What others *can do later* is known by control state, and so is who they are: channels and
//! indices that depend on parameters and `_pid` only are computed for each process ([`table::Instance`]).
//!
//! **End states.** In any run to a state where nothing moves, some process of the set moves: otherwise its moves would still be
//! possible there. Its first move could as well have been taken at once, since nothing before it made a difference to it or made it
//! possible. So every end state is still met. `timeout` needs no care: as long as nobody of the set has moved, somebody can, so nothing
//! before that move is a `timeout`.
//!
//! **Assertions and other faults.** A run to a statement that goes wrong needs no move of the set, so the set could be preferred for
//! ever and the fault never be met. This cannot be where all processes that may still go wrong are in the set: the fault itself is a
//! move of theirs, or comes after one. Otherwise no process of the set may be at a control state that breaks a cycle
//! ([`cycles::breakers`]). Then the run to the fault can be done after a move of the set too, as it is. That does not go on for ever:
//! in a cycle of states the oldest process that moves is never gone in between (who starts it again would be older), so it
//! comes round a cycle of its control, and through a state that breaks it. So in the end a state is met where a move of the run itself
//! is taken, and what is left of it is shorter.
//!
//! **Runs beside a claim.** A claim that does not count, and a label that is looked for, see no difference between a run and one that
//! repeats some of its states. Every run of the program has such a twin among those that are left, and the other way round, by the
//! conditions of D. Peled, "All from one, one for all" (CAV 1993): either everybody moves that can, or no process of the set has a
//! *visible* step, one that may change what is looked at or that may go wrong, and none is at a control state that breaks a cycle: so
//! in every cycle of states there is one in which everybody moves. What moves is chosen by the state of the program alone and not by
//! where the claim is, nor by the order of the search. It has to be: S. Siegel, "What's wrong with on-the-fly partial order reduction"
//! (CAV 2019), shows a claim that is missed otherwise. For the same reason it is not enough that each *component* of the states has
//! one in which everybody moves: a run may stay in a cycle of it that has none.
//!
//! This does not depend on the order of the search, nor on what was found before: any order and any number of threads meet the same
//! states, as long as there are not more instances than are told apart ([`choice`]).

mod choice;
mod cycles;
mod effects;
mod known;
mod table;

use super::data::{Action, Program, State};
use super::expression::{Expression, Pattern, Place};
use super::ltl;
pub use choice::{Chooser, Processes};
use effects::{Effects, Marks, Resources};
use known::Known;
use table::{Instance, each_action};

/// What the choice of steps needs to know of a program.
#[derive(Debug)]
pub struct Reduction<'a> {
    program: &'a Program,
    /// Global cells that nobody sets, and their values.
    constants: Vec<Option<i32>>,
    resources: Resources,
    /// For each proctype the cells that tell its instances apart.
    keys: Vec<Vec<u32>>,
    /// For each proctype the control states that break its cycles.
    breakers: Vec<Vec<bool>>,
    /// A step that begins with one process may go on with another.
    handed_on: bool,
    kept: Kept,
    /// What makes a step visible.
    visible: Marks,
}

/// What a reduction keeps of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Invalid end states.
    EndStates,
    /// These, assertions and other faults.
    Faults,
    /// What the claim says of runs, and faults.
    Claim,
    /// When some process is at an accept label, and faults.
    Accept,
    /// When some process is at a progress label, and faults.
    Progress,
}

impl Kept {
    /// Whether it is about runs, and not only about states that are reached.
    fn runs(self) -> bool {
        !matches!(self, Kept::EndStates | Kept::Faults)
    }
}

impl<'a> Reduction<'a> {
    /// For a program that is searched as it is. None where a step may concern everybody: with a trace, priorities, `_last`, `enabled`,
    /// and where senders move last; with a claim that may count, or that looks at whether anybody can move.
    pub fn of(program: &'a Program, kept: Kept) -> Option<Self> {
        let everybody = program.trace.is_some() || program.last.is_some() || program.watches_standstill;
        if everybody || program.priorities || program.senders_last {
            return None;
        }
        if program.claim.is_some() != (kept == Kept::Claim) || kept == Kept::Claim && ltl::counts(program) {
            return None;
        }
        let mut facts = Facts::of(program);
        if facts.enabled {
            return None;
        }
        facts.labels.extend(labels_of(program, kept));
        let constants = program.initial.iter().zip(&facts.set_globals).map(|(&value, &set)| (!set).then_some(value));
        let constants: Vec<Option<i32>> = constants.collect();
        let resources = Resources::new(program, &constants, &facts.watched, &facts.labels);
        let breakers = program.proctypes.iter().map(|kind| vec![false; kind.states.len()]).collect();
        let (keys, handed_on, visible) = (facts.keys, facts.handed_on, resources.none());
        let mut reduction = Self { program, constants, resources, keys, breakers, handed_on, kept, visible };
        reduction.visible = reduction.what_is_looked_at();
        if kept != Kept::EndStates {
            reduction.breakers = reduction.choose_breakers();
        }
        Some(reduction)
    }

    /// What others do that makes a difference to the claim, or to labels that are looked for.
    fn what_is_looked_at(&self) -> Marks {
        let known = Known::new(self.program, &self.constants, None, Vec::new());
        let mut effects = Effects::new(self.program, &self.resources, &known);
        for (proctype, state) in labels_of(self.program, self.kept) {
            effects.looks_at(proctype, state);
        }
        for claim in self.program.claim.iter().map(|&claim| &self.program.proctypes[claim as usize]) {
            for transition in claim.states.iter().flat_map(|state| &state.transitions) {
                each_action(transition, &mut |action| each_expression(action, &mut |value| effects.reads(value)));
            }
        }
        effects.minds
    }

    /// Every cycle is broken where others are in the way most, since there the least is lost.
    fn choose_breakers(&self) -> Vec<Vec<bool>> {
        let anyone = |proctype: usize| Instance::any(proctype as u32, self.keys[proctype].len());
        let kinds = 0..self.program.proctypes.len();
        let places: Vec<Vec<table::Place>> = kinds.clone().map(|kind| self.places_of(&anyone(kind))).collect();
        let first: Vec<Option<&Marks>> = places.iter().map(|of| of.first().map(|place| &place.future)).collect();
        let several = |kind: usize| {
            let active = self.program.active.iter().filter(|&&active| active as usize == kind).count();
            active > 1 || active == 0
        };
        let breakers = |kind: usize| {
            let others = first.iter().enumerate().filter(|(other, _)| *other != kind || several(kind));
            let others: Vec<&Marks> = others.filter_map(|(_, future)| *future).collect();
            let weight = |state: usize| {
                let steps = &places[kind][state].steps;
                let minded = |other: &&&Marks| steps.iter().any(|s| s.minds.meets(other) || s.lacks.meets(other));
                // Where a step is visible, everybody moves anyway.
                (places[kind][state].breaks, others.iter().filter(minded).count())
            };
            cycles::breakers(&self.program.proctypes[kind], weight)
        };
        kinds.map(breakers).collect()
    }

    fn known(&self, instance: &Instance) -> Known<'_> {
        let proctype = instance.proctype as usize;
        let mut locals = vec![None; self.program.proctypes[proctype].cells.len()];
        for (&cell, &value) in self.keys[proctype].iter().zip(&instance.constants) {
            locals[cell as usize] = value;
        }
        Known::new(self.program, &self.constants, instance.pid, locals)
    }
}

/// Control states with a label that is looked for, by proctype.
fn labels_of(program: &Program, kept: Kept) -> Vec<(u32, u32)> {
    let mut labels = Vec::new();
    for (proctype, kind) in program.proctypes.iter().enumerate() {
        let is = |state: &State| match kept {
            Kept::Accept => state.accept,
            Kept::Progress => state.progress,
            Kept::EndStates | Kept::Faults | Kept::Claim => false,
        };
        let states = kind.states.iter().enumerate().filter(|(_, state)| is(state));
        labels.extend(states.map(|(number, _)| (proctype as u32, number as u32)));
    }
    labels
}

/// What is found by one look at all statements.
struct Facts {
    set_globals: Vec<bool>,
    watched: Vec<bool>,
    labels: Vec<(u32, u32)>,
    keys: Vec<Vec<u32>>,
    handed_on: bool,
    /// Somebody asks whether another process could move.
    enabled: bool,
}

/// Cells that tell instances of a proctype apart; more of them are not looked at.
const MOST_KEYS: usize = 8;

impl Facts {
    fn of(program: &Program) -> Self {
        let mut facts = Facts {
            set_globals: vec![false; program.globals.len()],
            watched: vec![false; program.proctypes.len()],
            labels: Vec::new(),
            keys: Vec::new(),
            handed_on: false,
            enabled: false,
        };
        for kind in &program.proctypes {
            let mut set = vec![false; kind.cells.len()];
            let mut telling = vec![false; kind.cells.len()];
            kind.provided.iter().for_each(|provided| facts.look(program, provided, &mut telling));
            for setup in &kind.prologue {
                if let super::data::Setup::Value(_, value) = setup {
                    facts.look(program, value, &mut telling);
                }
            }
            for transition in kind.states.iter().flat_map(|state| &state.transitions) {
                facts.handed_on |= transition.atomic && may_accept(program, &transition.action);
                each_action(transition, &mut |action| {
                    each_expression(action, &mut |value| facts.look(program, value, &mut telling));
                    each_channel(action, &mut |channel| tells(channel, &mut telling));
                    each_place(action, &mut |place| {
                        if !place.local {
                            place.indices.iter().for_each(|index| tells(&index.at, &mut telling));
                        }
                        let cells = if place.local { &mut set } else { &mut facts.set_globals };
                        cells[extent(place)].fill(true);
                    });
                });
            }
            let keys = (0..kind.cells.len()).filter(|&cell| telling[cell] && !set[cell]);
            facts.keys.push(keys.map(|cell| cell as u32).take(MOST_KEYS).collect());
        }
        facts
    }

    fn look(&mut self, program: &Program, expression: &Expression, telling: &mut [bool]) {
        expression.visit(&mut |part| match part {
            Expression::Enabled(_) | Expression::Priority(_) => self.enabled = true,
            Expression::RemoteCell(remote, _) => self.watched[remote.proctype as usize] = true,
            Expression::At(remote, label) => {
                let state = program.labels[*label as usize].map(|state| (remote.proctype, state));
                self.labels.extend(state.filter(|state| !self.labels.contains(state)));
            }
            Expression::Length(channel) | Expression::Probe(_, channel) => tells(channel, telling),
            Expression::Poll(receive) => tells(&receive.channel, telling),
            Expression::Element(place) if !place.local => {
                place.indices.iter().for_each(|index| tells(&index.at, telling));
            }
            _ => {}
        });
    }
}

/// Whether an action may be the second half of a rendezvous.
fn may_accept(program: &Program, action: &Action) -> bool {
    let rendezvous = program.channel_types.iter().any(|kind| kind.capacity == 0);
    rendezvous && matches!(action, Action::Receive(_) | Action::Steps(_))
}

/// The cells in an expression tell which channel, element or argument is meant.
fn tells(expression: &Expression, telling: &mut [bool]) {
    expression.visit(&mut |part| {
        if let Expression::Local(cell) = part
            && let Some(telling) = telling.get_mut(*cell as usize)
        {
            *telling = true;
        }
    });
}

/// All cells that a place could mean.
fn extent(place: &Place) -> std::ops::Range<usize> {
    let more: u32 = place.indices.iter().map(|index| (index.length - 1) * index.stride).sum();
    place.offset as usize..(place.offset + more) as usize + 1
}

fn each_expression(action: &Action, look: &mut impl FnMut(&Expression)) {
    match action {
        Action::Skip | Action::Else | Action::End | Action::Steps(_) => {}
        Action::Condition(value) | Action::Assert(value) => look(value),
        Action::Assign(_, value) => look(value),
        Action::Print(values) => values.iter().for_each(&mut *look),
        Action::Send(send) => send.guard.iter().chain([&send.channel]).chain(&send.arguments).for_each(&mut *look),
        Action::Receive(receive) => {
            receive.guard.iter().chain([&receive.channel]).for_each(&mut *look);
            for pattern in &receive.patterns {
                if let Pattern::Match(value) = pattern {
                    look(value);
                }
            }
        }
        Action::Run(run) => run.arguments.iter().for_each(&mut *look),
        Action::SetPriority(pair) => [&pair.0, &pair.1].into_iter().for_each(&mut *look),
    }
    each_place(action, &mut |place: &Place| place.indices.iter().for_each(|index| look(&index.at)));
}

/// Channels that an action names, and arguments, which may be channels for others.
fn each_channel(action: &Action, look: &mut impl FnMut(&Expression)) {
    match action {
        Action::Send(send) => look(&send.channel),
        Action::Receive(receive) => look(&receive.channel),
        Action::Run(run) => run.arguments.iter().for_each(look),
        _ => {}
    }
}

/// Places that an action sets.
fn each_place(action: &Action, look: &mut impl FnMut(&Place)) {
    match action {
        Action::Assign(Some(place), _) => look(place),
        Action::Receive(receive) => {
            for pattern in &receive.patterns {
                if let Pattern::Store(place) = pattern {
                    look(place);
                }
            }
        }
        Action::Run(run) => run.into.iter().for_each(look),
        _ => {}
    }
}
