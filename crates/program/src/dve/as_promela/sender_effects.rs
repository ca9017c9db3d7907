//! Effects of senders, which are over in DVE when the rendezvous is.
//!
//! In Promela the sender is not heard again before others may have moved. So what it does is done later, where nobody can notice that, or by
//! the receiver, where only global variables matter.

use crate::data::{Action, Program, Then, Transition};
use crate::expression::{Expression, Pattern, Place};
use rustc_hash::{FxHashMap, FxHashSet};

/// A transition by its process, its state and its position there.
pub type At = (u32, u32, u32);

/// The effects of all senders.
#[derive(Debug)]
pub struct SenderEffects {
    senders: FxHashMap<At, Sender>,
    /// By channel: the transitions some of whose effects the receiver has.
    handed: FxHashMap<i32, Vec<At>>,
}

/// The effects of a sender, by their positions.
#[derive(Debug, Default)]
pub struct Sender {
    /// Those that come later.
    pub late: Vec<usize>,
    /// Those that the receiver has.
    pub handed: Vec<usize>,
    /// A label in front of late effects, if somebody asks whether the process is where it goes to.
    pub label: Option<String>,
    target: Option<u32>,
}

impl SenderEffects {
    /// Divides them; tells what can be done neither later nor by the receiver.
    pub fn of(program: &Program) -> Result<Self, String> {
        let uses = Uses::of(program);
        let mut all = Self { senders: FxHashMap::default(), handed: FxHashMap::default() };
        for (process, kind) in (0..).zip(&program.proctypes) {
            for (state, of) in (0..).zip(&kind.states) {
                for (position, transition) in (0..).zip(&of.transitions) {
                    let Some(channel) = sends(program, transition) else { continue };
                    let mut sender = uses.divide(process, transition).ok_or_else(|| {
                        let statement = &program.statements[transition.statement as usize];
                        format!(
                            "{}:{}: in Promela the sender comes later with its effects than in DVE, and others would notice that here",
                            statement.file, statement.line
                        )
                    })?;
                    let asked = |target: &u32| uses.places.contains(&(process, *target));
                    if !sender.late.is_empty() && transition.target.as_ref().is_some_and(asked) {
                        sender.target = transition.target;
                        sender.label = Some(format!("late{}", all.senders.len()));
                    }
                    if !sender.handed.is_empty() {
                        all.handed.entry(channel).or_default().push((process, state, position));
                    }
                    all.senders.insert((process, state, position), sender);
                }
            }
        }
        Ok(all)
    }

    /// Those of a transition, if it is a sender with effects.
    pub fn at(&self, at: At) -> Option<&Sender> {
        self.senders.get(&at)
    }

    /// The senders on a channel that hand effects to the receiver; each is known by its number there, counted from 1.
    pub fn handed(&self, channel: i32) -> &[At] {
        self.handed.get(&channel).map_or(&[], Vec::as_slice)
    }

    /// Labels of late effects of a process on its way to a state.
    pub fn on_the_way_to(&self, process: u32, state: u32) -> Vec<String> {
        let leads = self.senders.iter().filter(|((of, ..), sender)| *of == process && sender.target == Some(state));
        let mut labels: Vec<String> = leads.filter_map(|(_, sender)| sender.label.clone()).collect();
        labels.sort_unstable();
        labels
    }
}

/// The channel of a transition that is the sending side of a rendezvous and does more.
fn sends(program: &Program, transition: &Transition) -> Option<i32> {
    let Action::Send(send) = &transition.action else { return None };
    let Expression::Number(channel) = send.channel else { return None };
    let kind = program.channels[channel as usize - 1];
    let alone = program.channel_types[kind as usize].capacity > 0 || transition.then.is_empty();
    (!alone).then_some(channel)
}

/// Who looks at what, and who sets it.
#[derive(Default)]
struct Uses {
    /// By global cell: the processes that look at it or set it.
    readers: FxHashMap<u32, FxHashSet<u32>>,
    writers: FxHashMap<u32, FxHashSet<u32>>,
    /// Cells of processes that others look at.
    watched: FxHashSet<(u32, u32)>,
    /// States of processes that are asked for.
    places: FxHashSet<(u32, u32)>,
}

impl Uses {
    fn of(program: &Program) -> Self {
        let mut uses = Self::default();
        for (process, kind) in program.proctypes.iter().enumerate() {
            let process = process as u32;
            for transition in kind.states.iter().flat_map(|state| &state.transitions) {
                uses.action(program, process, &transition.action);
                for then in &transition.then {
                    if let Then::Do { action, .. } = then {
                        uses.action(program, process, action);
                    }
                }
            }
        }
        uses
    }

    fn action(&mut self, program: &Program, process: u32, action: &Action) {
        values(action, &mut |value| self.value(program, process, value));
        each_set(action, &mut |place| self.set(process, place));
    }

    fn value(&mut self, program: &Program, process: u32, value: &Expression) {
        value.visit(&mut |part| match part {
            Expression::Global(cell) => {
                self.readers.entry(*cell).or_default().insert(process);
            }
            Expression::Element(place) if !place.local => {
                for cell in cells(place) {
                    self.readers.entry(cell).or_default().insert(process);
                }
            }
            Expression::RemoteCell(remote, place) => {
                self.watched.extend(cells(place).map(|cell| (remote.proctype, cell)));
            }
            Expression::At(remote, label) => {
                self.places.extend(program.labels[*label as usize].map(|state| (remote.proctype, state)));
            }
            _ => {}
        });
    }

    fn set(&mut self, process: u32, place: &Place) {
        if !place.local {
            for cell in cells(place) {
                self.writers.entry(cell).or_default().insert(process);
            }
        }
    }

    /// Which effects of a sender come later and which the receiver has; nothing where one can be neither.
    fn divide(&self, process: u32, transition: &Transition) -> Option<Sender> {
        let effects: Vec<(&Place, &Expression)> = transition
            .then
            .iter()
            .filter_map(|then| match then {
                Then::Do { action: Action::Assign(Some(place), value), .. } => Some((place, value)),
                _ => None,
            })
            .collect();
        let mut sender = Sender::default();
        for (position, &(place, value)) in effects.iter().enumerate() {
            if self.is_unnoticed(process, place, value) {
                sender.late.push(position);
            } else if is_global(place, value) {
                sender.handed.push(position);
            } else {
                return None;
            }
        }
        // What the receiver does comes before what is late: that makes a difference only where one sets what the other looks at.
        let disturb = |first: usize, second: usize| {
            let ((set, _), (place, value)) = (effects[first], effects[second]);
            let mut found = set.local == place.local && overlap(set, place);
            looked_at(place, value, &mut |local, range| {
                found |= local == set.local && cells(set).any(|c| range.contains(&c))
            });
            found
        };
        let apart = sender.late.iter().all(|&late| {
            sender
                .handed
                .iter()
                .filter(|&&handed| handed > late)
                .all(|&handed| !disturb(late, handed) && !disturb(handed, late))
        });
        apart.then_some(sender)
    }

    /// Whether an assignment of a process comes to the same whatever others do before it, and whatever they look at meanwhile.
    fn is_unnoticed(&self, process: u32, place: &Place, value: &Expression) -> bool {
        let others = |who: &FxHashMap<u32, FxHashSet<u32>>, cell: u32| {
            who.get(&cell).is_some_and(|who| who.iter().any(|&other| other != process))
        };
        let mut alone = !asks_others(place, value);
        looked_at(place, value, &mut |local, mut cells| {
            alone &= local || !cells.any(|cell| others(&self.writers, cell))
        });
        alone
            && cells(place).all(|cell| match place.local {
                true => !self.watched.contains(&(process, cell)),
                false => !others(&self.readers, cell) && !others(&self.writers, cell),
            })
    }
}

/// Whether an assignment is about global variables alone.
fn is_global(place: &Place, value: &Expression) -> bool {
    let mut global = !place.local && !asks_others(place, value);
    looked_at(place, value, &mut |local, _| global &= !local);
    global
}

/// Whether an assignment depends on where other processes are or on their variables.
fn asks_others(place: &Place, value: &Expression) -> bool {
    let mut found = false;
    let mut look = |part: &Expression| found |= matches!(part, Expression::RemoteCell(..) | Expression::At(..));
    value.visit(&mut look);
    place.indices.iter().for_each(|index| index.at.visit(&mut look));
    found
}

/// The variables that an assignment looks at: whether they are the process's own, and which cells they may be.
fn looked_at(place: &Place, value: &Expression, look: &mut impl FnMut(bool, std::ops::Range<u32>)) {
    let mut part = |part: &Expression| match part {
        Expression::Global(cell) => look(false, *cell..cell + 1),
        Expression::Local(cell) => look(true, *cell..cell + 1),
        Expression::Element(place) => look(place.local, cells(place)),
        _ => {}
    };
    value.visit(&mut part);
    place.indices.iter().for_each(|index| index.at.visit(&mut part));
}

fn overlap(a: &Place, b: &Place) -> bool {
    let b = cells(b);
    cells(a).any(|cell| b.contains(&cell))
}

/// The places that an action sets.
fn each_set<'a>(action: &'a Action, look: &mut impl FnMut(&'a Place)) {
    match action {
        Action::Assign(place, _) => place.iter().for_each(look),
        Action::Receive(receive) => {
            for pattern in &receive.patterns {
                if let Pattern::Store(place) = pattern {
                    look(place);
                }
            }
        }
        _ => {}
    }
}

/// The values that an action of a DVE model looks at.
pub fn values<'a>(action: &'a Action, look: &mut impl FnMut(&'a Expression)) {
    match action {
        Action::Condition(value) | Action::Assert(value) | Action::Assign(_, value) => look(value),
        Action::Send(send) => send.guard.iter().chain(&send.arguments).for_each(&mut *look),
        Action::Receive(receive) => receive.guard.iter().for_each(&mut *look),
        _ => {}
    }
    each_set(action, &mut |place| place.indices.iter().for_each(|index| look(&index.at)));
}

/// The cells that a place may be.
fn cells(place: &Place) -> std::ops::Range<u32> {
    let more: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    place.offset..place.offset + more + 1
}
