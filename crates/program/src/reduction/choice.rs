//! The choice of processes in a state.

use super::table::{Instance, Place, Step};
use super::{Kept, Reduction};
use crate::data::Action;
use crate::machine::{Context, HEAD, Machine};
use rustc_hash::FxHashMap;

/// More processes than this are not looked at.
const MOST_PROCESSES: usize = 128;

/// Instances that are told apart; those that are met after them count as any of their proctype. A program that starts processes
/// with ever new arguments would otherwise be looked at for longer than it is searched.
const MOST_INSTANCES: usize = 64;

/// A set of processes, by position.
pub type Processes = u128;

/// Chooses the processes that move; it remembers what it found out about instances.
#[derive(Default)]
pub struct Chooser {
    /// The control states of all instances.
    places: Vec<Place>,
    /// Where the control states of an instance begin.
    numbers: FxHashMap<Instance, u32>,
    /// Whether a control state depends on another one, as far as that is known: by the one and the other.
    known: Vec<Vec<Dependence>>,
    /// Who was at each position last, and where its control states begin.
    last: Vec<(Instance, u32)>,
    /// Where each process is now.
    at: Vec<u32>,
    /// For each process those that it depends on, whatever is possible.
    surely: Vec<Processes>,
    /// For each process, once it is known, those that it depends on, and whether it can move.
    depends: Vec<Option<(Processes, bool)>>,
}

/// Whether the steps at a control state depend on a process at another one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Dependence {
    /// That was not asked before.
    #[default]
    Unknown,
    Never,
    /// It does where certain steps are possible, or are not.
    Sometimes,
    Always,
}

impl Chooser {
    /// Processes whose steps are enough in a state, if they can move at all; none if nothing is known about that.
    pub fn choose(&mut self, reduction: &Reduction<'_>, machine: &Machine) -> Option<Processes> {
        let count = machine.processes.len();
        if !(2..=MOST_PROCESSES).contains(&count) {
            return None;
        }
        self.locate(reduction, machine);
        self.relate(reduction.program.base());
        self.depends.clear();
        self.depends.resize(count, None);
        // The claim moves with everybody.
        let base = reduction.program.base();
        let all = Processes::MAX >> (MOST_PROCESSES - count) & Processes::MAX << base;
        let (breaking, faulty) = match reduction.kept {
            Kept::EndStates => (0, 0),
            Kept::Faults => self.careful(),
            Kept::Claim | Kept::Accept | Kept::Progress => (self.careful().0, all),
        };
        let refused = |chosen: Processes| chosen & breaking != 0 && faulty & !chosen != 0;
        for first in (base..count).rev().filter(|&first| !refused(1 << first)) {
            if self.surely[first] == 0 && self.depends(reduction, machine, first) == (0, true) {
                return Some(1 << first);
            }
        }
        let mut best = all;
        for first in (base..count).rev() {
            let mut chosen = self.closure_of_sure(1 << first);
            if refused(chosen) {
                chosen = self.closure_of_sure(chosen | faulty);
            }
            // To leave out those that cannot move is no gain.
            if (chosen | self.blocked()) & all == all || !self.depends(reduction, machine, first).1 {
                continue;
            }
            chosen = self.closure(reduction, machine, chosen);
            if refused(chosen) {
                chosen = self.closure(reduction, machine, chosen | faulty);
            }
            if chosen.count_ones() < best.count_ones() {
                best = chosen;
            }
        }
        Some(best & !self.blocked())
    }

    /// Processes of which it is known that they cannot move.
    fn blocked(&self) -> Processes {
        let youngest = self.at.len() - 1;
        let mut blocked = 0;
        for (process, (known, &at)) in self.depends.iter().zip(&self.at).enumerate() {
            // Only the youngest process can end.
            let waits = self.places[at as usize].only_ends && process != youngest;
            blocked |= Processes::from(waits || known.is_some_and(|(_, moves)| !moves)) << process;
        }
        blocked
    }

    /// Finds out where all processes are.
    fn locate(&mut self, reduction: &Reduction<'_>, machine: &Machine) {
        self.at.clear();
        for process in 0..machine.processes.len() {
            let proctype = machine.proctype(process) as u32;
            let frame = machine.processes[process] as usize + HEAD;
            let constants =
                || reduction.keys[proctype as usize].iter().map(|&cell| machine.cells[frame + cell as usize]);
            let known = self.last.get(process).filter(|(instance, _)| {
                instance.proctype == proctype && constants().eq(instance.constants.iter().flatten().copied())
            });
            let first = match known {
                Some((_, first)) => *first,
                None => {
                    let constants = constants().map(Some).collect();
                    let pid = process.checked_sub(reduction.program.base()).map(|pid| pid as i32);
                    self.meet(reduction, process, Instance { proctype, pid, constants })
                }
            };
            self.at.push(first + machine.control(process) as u32);
        }
    }

    #[cold]
    fn meet(&mut self, reduction: &Reduction<'_>, process: usize, instance: Instance) -> u32 {
        let told_apart = self.numbers.len() < MOST_INSTANCES || self.numbers.contains_key(&instance);
        let known =
            if told_apart { instance.clone() } else { Instance::any(instance.proctype, instance.constants.len()) };
        let first = *self.numbers.entry(known).or_insert_with_key(|known| {
            let first = self.places.len() as u32;
            self.places.extend(reduction.places_of(known));
            first
        });
        match self.last.get_mut(process) {
            Some(last) => *last = (instance, first),
            None => self.last.push((instance, first)),
        }
        first
    }

    /// Finds out which processes depend on which, whatever is possible in this state; the first ones are left out.
    fn relate(&mut self, base: usize) {
        self.surely.clear();
        self.known.resize_with(self.places.len(), Vec::new);
        for &here in &self.at {
            let row = &mut self.known[here as usize];
            if row.len() < self.places.len() {
                row.resize(self.places.len(), Dependence::Unknown);
            }
            let mut surely = 0;
            for (other, &there) in self.at.iter().enumerate() {
                let known = &mut row[there as usize];
                if *known == Dependence::Unknown {
                    *known = dependence(&self.places[here as usize], &self.places[there as usize]);
                }
                surely |= Processes::from(*known == Dependence::Always) << other;
            }
            self.surely.push(surely);
        }
        // Nobody waits for itself.
        self.surely
            .iter_mut()
            .enumerate()
            .for_each(|(process, surely)| *surely &= Processes::MAX << base & !(1 << process));
    }

    /// Processes at a control state that breaks a cycle, and those that may still go wrong.
    fn careful(&self) -> (Processes, Processes) {
        let (mut breaking, mut faulty) = (0, 0);
        for (process, &at) in self.at.iter().enumerate() {
            let place = &self.places[at as usize];
            breaking |= Processes::from(place.breaks) << process;
            faulty |= Processes::from(place.may_fault) << process;
        }
        (breaking, faulty)
    }

    /// The processes that another one depends on, and whether it can move. A send by rendezvous counts as possible.
    fn depends(&mut self, reduction: &Reduction<'_>, machine: &Machine, process: usize) -> (Processes, bool) {
        if let Some(known) = self.depends[process] {
            return known;
        }
        let program = reduction.program;
        let here = self.at[process] as usize;
        let (place, row) = (&self.places[here], &self.known[here]);
        let kind = &program.proctypes[machine.proctype(process)];
        let transitions = &kind.states[machine.control(process)].transitions;
        let others = self.at.iter().enumerate().skip(program.base()).filter(|&(other, _)| other != process);
        let mut unsure = 0;
        for (other, &there) in others {
            unsure |= Processes::from(row[there as usize] == Dependence::Sometimes) << other;
        }
        let (mut found, mut moves) = (self.surely[process], false);
        for (transition, step) in transitions.iter().zip(&place.steps) {
            let possible = machine.enabled(program, process, &transition.action, moves) != Ok(false);
            moves |= possible;
            if transition.action == Action::End && !possible {
                // Whoever came after it goes first.
                found |= 1 << (process + 1);
            }
            if unsure == 0 {
                continue;
            }
            let marks = match &transition.action {
                _ if possible => &step.minds,
                Action::Receive(receive) if is_empty(reduction, machine, process, &receive.channel) => {
                    &step.lacks_message
                }
                _ => &step.lacks,
            };
            let mut left = unsure;
            while left != 0 {
                let other = left.trailing_zeros() as usize;
                left &= left - 1;
                if self.places[self.at[other] as usize].future.meets(marks) {
                    found |= 1 << other;
                    unsure &= !(1 << other);
                }
            }
        }
        self.depends[process] = Some((found, moves));
        (found, moves)
    }

    /// The smallest set with these processes in it that is closed as far as is sure.
    fn closure_of_sure(&self, mut chosen: Processes) -> Processes {
        let mut open = chosen;
        while open != 0 {
            let new = self.surely[open.trailing_zeros() as usize] & !chosen;
            open = open & (open - 1) | new;
            chosen |= new;
        }
        chosen
    }

    /// The smallest closed set with these processes in it.
    fn closure(&mut self, reduction: &Reduction<'_>, machine: &Machine, mut chosen: Processes) -> Processes {
        let mut open = chosen;
        while open != 0 {
            let process = open.trailing_zeros() as usize;
            let new = self.depends(reduction, machine, process).0 & !chosen;
            open = open & (open - 1) | new;
            chosen |= new;
        }
        chosen
    }
}

/// Whether the steps of one process depend on all that another may do.
fn dependence(here: &Place, there: &Place) -> Dependence {
    let minds = |step: &Step| there.future.meets(&step.minds);
    let lacks = |step: &Step| [there.future.meets(&step.lacks), there.future.meets(&step.lacks_message)];
    let steps = || here.steps.iter();
    if !here.steps.is_empty() && steps().all(|step| minds(step) && (!step.may_wait || lacks(step) == [true; 2])) {
        Dependence::Always
    } else if steps().any(|step| minds(step) || step.may_wait && lacks(step) != [false; 2]) {
        Dependence::Sometimes
    } else {
        Dependence::Never
    }
}

fn is_empty(
    reduction: &Reduction<'_>,
    machine: &Machine,
    process: usize,
    channel: &crate::expression::Expression,
) -> bool {
    let context = Context::new(reduction.program, machine, process);
    context.channel(context.value(channel)).is_some_and(|channel| machine.cells[channel + 1] == 0)
}
