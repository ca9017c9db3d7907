//! The choice of processes in a state.

use super::Reduction;
use super::table::{Instance, Place, Table};
use crate::data::Action;
use crate::machine::{Context, HEAD, Machine};
use rustc_hash::FxHashMap;

/// More processes than this are not looked at.
const MOST_PROCESSES: usize = 128;

/// A set of processes, by position.
pub type Processes = u128;

/// Chooses the processes that move; it remembers what it found out about instances.
#[derive(Default)]
pub struct Chooser {
    tables: Vec<Table>,
    numbers: FxHashMap<Instance, u32>,
    /// Who was at each position last, and its table.
    last: Vec<(Instance, u32)>,
    /// Where each process is now: table and control state.
    at: Vec<(u32, u32)>,
    /// For each process, once it is known, those that it depends on, and whether it can move.
    depends: Vec<Option<(Processes, bool)>>,
}

impl Chooser {
    /// Processes whose steps are enough in a state, if they can move at all; none if all processes have to be asked.
    pub fn choose(&mut self, reduction: &Reduction<'_>, machine: &Machine) -> Option<Processes> {
        let count = machine.processes.len();
        if !(2..=MOST_PROCESSES).contains(&count) {
            return None;
        }
        self.locate(reduction, machine);
        self.depends.clear();
        self.depends.resize(count, None);
        let all = Processes::MAX >> (MOST_PROCESSES - count);
        let (breaking, faulty) = if reduction.faults { self.careful() } else { (0, 0) };
        let mut best: Option<Processes> = None;
        for first in (0..count).rev() {
            if self.depends(reduction, machine, first) != (0, true) {
                continue;
            }
            let alone = 1 << first;
            if alone & breaking == 0 || faulty & !alone == 0 {
                return Some(alone);
            }
        }
        for first in (0..count).rev() {
            if !self.depends(reduction, machine, first).1 {
                continue;
            }
            let mut chosen = self.closure(reduction, machine, 1 << first);
            if chosen & breaking != 0 && faulty & !chosen != 0 {
                chosen = self.closure(reduction, machine, chosen | faulty);
            }
            if chosen != all && best.is_none_or(|best| chosen.count_ones() < best.count_ones()) {
                best = Some(chosen);
            }
        }
        best
    }

    fn place(&self, process: usize) -> &Place {
        let (table, state) = self.at[process];
        &self.tables[table as usize].places[state as usize]
    }

    /// Finds the tables of all processes.
    fn locate(&mut self, reduction: &Reduction<'_>, machine: &Machine) {
        self.at.clear();
        for process in 0..machine.processes.len() {
            let proctype = machine.proctype(process) as u32;
            let frame = machine.processes[process] as usize + HEAD;
            let constants = || reduction.keys[proctype as usize].iter().map(|&cell| machine.cells[frame + cell as usize]);
            let known = self.last.get(process).filter(|(instance, _)| {
                instance.proctype == proctype && constants().eq(instance.constants.iter().flatten().copied())
            });
            let table = match known {
                Some((_, table)) => *table,
                None => {
                    let constants = constants().map(Some).collect();
                    self.meet(reduction, process, Instance { proctype, pid: Some(process as i32), constants })
                }
            };
            self.at.push((table, machine.control(process) as u32));
        }
    }

    #[cold]
    fn meet(&mut self, reduction: &Reduction<'_>, process: usize, instance: Instance) -> u32 {
        let table = *self.numbers.entry(instance.clone()).or_insert_with(|| {
            self.tables.push(reduction.table(&instance));
            self.tables.len() as u32 - 1
        });
        if self.last.len() <= process {
            self.last.push((instance, table));
        } else {
            self.last[process] = (instance, table);
        }
        table
    }

    /// Processes at a control state that breaks a cycle, and those that may still go wrong.
    fn careful(&self) -> (Processes, Processes) {
        let (mut breaking, mut faulty) = (0, 0);
        for process in 0..self.at.len() {
            let place = self.place(process);
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
        let place = self.place(process);
        let kind = &program.proctypes[machine.proctype(process)];
        let transitions = &kind.states[machine.control(process)].transitions;
        let (mut found, mut moves) = (0, false);
        for (transition, step) in transitions.iter().zip(&place.steps) {
            let possible = machine.enabled(program, process, &transition.action, moves) != Ok(false);
            if place.free {
                moves |= possible;
                continue;
            }
            let marks = match &transition.action {
                _ if possible => &step.minds,
                Action::Receive(receive) if is_empty(reduction, machine, process, &receive.channel) => {
                    &step.lacks_message
                }
                Action::End => {
                    // Whoever came after it goes first.
                    found |= 1 << (process + 1);
                    &step.lacks
                }
                _ => &step.lacks,
            };
            moves |= possible;
            for other in (0..self.at.len()).filter(|&other| other != process) {
                if found >> other & 1 == 0 && self.place(other).future.meets(marks) {
                    found |= 1 << other;
                }
            }
        }
        self.depends[process] = Some((found, moves));
        (found, moves)
    }

    /// The smallest closed set with these processes in it.
    fn closure(&mut self, reduction: &Reduction<'_>, machine: &Machine, mut chosen: Processes) -> Processes {
        let mut open = chosen;
        while open != 0 {
            let process = open.trailing_zeros() as usize;
            open &= open - 1;
            let new = self.depends(reduction, machine, process).0 & !chosen;
            chosen |= new;
            open |= new;
        }
        chosen
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
