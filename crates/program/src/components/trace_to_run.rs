//! From a trace of the network to a run of the program.

use super::Components;
use super::part::Part;
use crate::data::Program;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::sought::{Shown, Sought, along};
use crate::witness::Step;
use prequel_model::{StateId, Trace};

impl Components {
    /// The steps of the program that a trace of the network stands for, and the violation at its end, if there is one: the fault
    /// that leads to `error`, or an invalid end state. None if the trace is no path of this network.
    pub fn lift(&self, program: &Program, trace: &Trace) -> Option<(Vec<Step>, Option<Shown>)> {
        let mut state = self.network.initial();
        let mut machines = vec![self.machine(program, &state)?];
        let mut sought = Sought::EndState;
        for step in &trace.steps {
            for moved in &step.moves {
                *state.get_mut(moved.component.at())? = moved.to;
            }
            if self.errors.iter().any(|(component, error)| state[component.at()] == *error) {
                sought = Sought::Violation;
                break;
            }
            let machine = self.machine(program, &state)?;
            // Where the program may end, the network goes round in circles.
            if machines.last() != Some(&machine) {
                machines.push(machine);
            }
        }
        let mut words = Layout::first_guess(program);
        loop {
            let layout = Layout::new(program, words);
            let pack = |machine: &Machine| {
                let mut packed = Vec::new();
                layout.pack(machine, &mut packed).map(|()| packed)
            };
            match machines.iter().map(pack).collect::<Result<Vec<_>, _>>() {
                Ok(path) => return Some(along(program, &layout, &path, sought)),
                Err(_) => words *= 2,
            }
        }
    }

    /// The state of the program that a state of the network stands for.
    pub fn machine(&self, program: &Program, state: &[StateId]) -> Option<Machine> {
        let mut machine = Machine { cells: program.initial.clone(), ..Machine::default() };
        let mut queues = vec![None; self.base.channels.len()];
        let mut frames = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let contents = self.states[number].get_index(state[number].at())?;
            match part {
                Part::Slot(_) => frames.push(contents),
                Part::Cell(cell) => machine.cells[*cell as usize] = contents[0],
                Part::Channel(channel) => queues[*channel as usize - 1] = Some(contents),
            }
        }
        // Channels stand where they came to be: after the globals, or after the process that made them.
        let fixed = program.channels.len();
        let mut rest = self.base.channels.iter().zip(queues);
        let mut place = |machine: &mut Machine, count: usize| {
            for (&start, contents) in rest.by_ref().take(count) {
                let start = start as usize;
                let kind = &program.channel_types[self.base.cells[start] as usize];
                let at = machine.cells.len();
                machine.channels.push(at as u32);
                machine.cells.push(self.base.cells[start]);
                machine.cells.resize(at + 2 + kind.slots() * kind.fields.len(), 0);
                if let Some(contents) = contents {
                    machine.cells[at + 1..at + 1 + contents.len()].copy_from_slice(contents);
                }
            }
        };
        place(&mut machine, fixed);
        for frame in frames.into_iter().take_while(|frame| !frame.is_empty()) {
            machine.processes.push(machine.cells.len() as u32);
            machine.cells.extend_from_slice(frame);
            place(&mut machine, program.own_channels(frame[0] as u32));
        }
        Some(machine)
    }
}
