//! What may be done next in a run, one statement at a time: for whoever chooses the steps of a run by hand or by chance.

use super::data::{Action, Program};
use super::expression::{Expression, Fault};
use super::machine::{Context, Machine};
use super::telling::{Waiting, waiting_in};
use super::value::ValueType;
use super::witness::{Step, Walk, anyone_can_move, can_do, stands_still};
use super::wording::{expressions, looked_at};

/// A step that may be taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// The process, the claim counted.
    pub process: usize,
    /// Which transition of its control state.
    pub transition: usize,
    /// Which statement.
    pub statement: u32,
}

impl Walk<'_> {
    /// What may be done next, process by process, by whoever has the turn. After a fault that nobody passes there is nothing.
    pub fn choices(&self) -> Vec<Choice> {
        let (program, base) = (self.program(), self.program().base());
        if !self.may_go_on() {
            return Vec::new();
        }
        if program.claim.is_some() && self.is_turn_of_claim() {
            return self.of_process(self.machine(), 0).into_iter().filter(|choice| self.allows(choice)).collect();
        }
        let mut machine = self.machine().clone();
        let receives = machine.handshake != 0;
        machine.timeout = !receives && !anyone_can_move(program, &machine);
        let processes = base..machine.processes.len();
        processes.flat_map(|process| self.of_process(&machine, process)).filter(|choice| self.allows(choice)).collect()
    }

    /// What one process could do.
    fn of_process(&self, machine: &Machine, process: usize) -> Vec<Choice> {
        let program = self.program();
        let kind = &program.proctypes[machine.proctype(process)];
        let holds = |condition: &Expression| Context::new(program, machine, process).value(condition) != 0;
        if kind.provided.as_ref().is_some_and(|provided| !holds(provided)) {
            return Vec::new();
        }
        let (mut choices, mut escape) = (Vec::new(), 0);
        for (number, transition) in kind.states[machine.control(process)].transitions.iter().enumerate() {
            if escape != 0 && transition.escape != escape {
                break;
            }
            let able = match machine.handshake {
                0 if transition.action == Action::Else => choices.is_empty(),
                0 => can_do(program, machine, process, &transition.action),
                _ => machine.enabled(program, process, &transition.action, !choices.is_empty()).unwrap_or(true),
            };
            if able {
                escape = transition.escape;
                choices.push(Choice { process, transition: number, statement: transition.statement });
            }
        }
        choices
    }

    /// Whether it is possible in this very state: an atomic sequence of somebody else may go on.
    fn allows(&self, choice: &Choice) -> bool {
        self.clone().step(choice.process, choice.transition).is_ok()
    }

    /// Takes a step that was offered.
    pub fn choose(&mut self, choice: Choice) -> Option<Step> {
        self.step(choice.process, choice.transition).ok()
    }

    /// Whether no process can ever move again.
    pub fn is_over(&self) -> bool {
        stands_still(self.program(), self.machine())
    }

    /// The value of an expression over global names in this state; the program of the expression may be a later reading of the same text.
    pub fn value(&self, of: &Program, expression: &Expression) -> Result<i32, Fault> {
        Context::new(of, self.machine(), usize::MAX).checked(expression)
    }

    /// The same as people write it: a constant by its name.
    pub fn worded(&self, of: &Program, expression: &Expression) -> Result<String, Fault> {
        let value = self.value(of, expression)?;
        let ty = match expression {
            Expression::Global(cell) => of.globals[*cell as usize].ty,
            Expression::Element(place) | Expression::RemoteCell(_, place) => place.ty,
            _ => ValueType::Int,
        };
        Ok(of.worded(ty, value))
    }

    /// Where each process stands, the claim left out: what it is called, and the statements that come next.
    pub fn places(&self) -> Vec<(String, Vec<u32>)> {
        let (program, machine) = (self.program(), self.machine());
        let place = |process| {
            let kind = machine.proctype(process);
            let next = program.proctypes[kind].states[machine.control(process)].transitions.iter();
            (program.process_name(kind, process), next.map(|transition| transition.statement).collect())
        };
        (program.base()..machine.processes.len()).map(place).collect()
    }

    /// The values of all variables and channels, by name.
    pub fn all_values(&self) -> Vec<(String, String)> {
        super::values::now(self.program(), self.machine())
    }

    /// What the statement of a choice looks at, and its values.
    pub fn looked_at(&self, choice: Choice) -> Vec<(String, String)> {
        let (program, machine) = (self.program(), self.machine());
        let kind = &program.proctypes[machine.proctype(choice.process)];
        let action = &kind.states[machine.control(choice.process)].transitions[choice.transition].action;
        looked_at(program, machine, choice.process, &expressions(action))
    }

    /// Where each process that has not ended waits, and for what.
    pub fn waiting(&self) -> Vec<Waiting> {
        waiting_in(self.program(), self.machine())
    }
}
