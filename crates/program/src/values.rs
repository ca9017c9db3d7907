//! What has a value in the states of a run, and how that changes from step to step: variables, what is in channels, and where each
//! process stands.

use super::data::Program;
use super::expand::RawStep;
use super::machine::{HEAD, Machine};
use super::value::ValueType;
use super::witness::Step;
use prequel_formats::picture::page::Values;
use std::collections::BTreeMap;

/// What has a value, in the order in which people look for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Global(usize),
    Channel(usize),
    /// The control state of a process of some kind; the claim has the first number.
    Control(usize, usize),
    Local(usize, usize, usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Number(ValueType, i32),
    /// What a channel holds, in words.
    Messages(String),
    /// The control state of a process of some kind.
    At(usize, usize),
}

/// The values of everything along a run.
pub fn values(program: &Program, steps: &[Step]) -> Values {
    let Ok(mut machine) = Machine::initial(program) else { return Values::default() };
    let first = held(program, &machine);
    let mut known: BTreeMap<Holder, Option<Value>> = first.iter().map(|(&who, is)| (who, Some(is.clone()))).collect();
    let (mut before, mut changes) = (first, Vec::new());
    for step in steps {
        let process = step.process.map_or(0, |process| process + program.base() as u32);
        let (transition, statement) = (step.transition, step.statement);
        Step::take(program, &mut machine, RawStep { process, transition, statement, before: 0 });
        let after = held(program, &machine);
        let new =
            after.iter().filter(|(who, is)| before.get(who) != Some(is)).map(|(&who, is)| (who, Some(is.clone())));
        let gone = before.keys().filter(|who| !after.contains_key(who)).map(|&who| (who, None));
        let changed: Vec<(Holder, Option<Value>)> = new.chain(gone).collect();
        for &(who, _) in &changed {
            known.entry(who).or_default();
        }
        changes.push(changed);
        before = after;
    }
    let number: BTreeMap<Holder, usize> = known.keys().enumerate().map(|(number, &who)| (who, number)).collect();
    let told = |is: &Option<Value>| is.as_ref().map(|is| told(program, is));
    Values {
        names: known.keys().map(|&who| name(program, who)).collect(),
        first: known.values().map(told).collect(),
        changes: changes.iter().map(|step| step.iter().map(|(who, is)| (number[who], told(is))).collect()).collect(),
    }
}

/// The values of everything in one state.
pub fn now(program: &Program, machine: &Machine) -> Vec<(String, String)> {
    held(program, machine).into_iter().map(|(who, is)| (name(program, who), told(program, &is))).collect()
}

/// Everything that has a value in a state. A variable that nothing but its channel is ever put in is shown by that.
fn held(program: &Program, machine: &Machine) -> BTreeMap<Holder, Value> {
    let cells = &machine.cells;
    let mut held = BTreeMap::new();
    let is_channel = |at: usize| {
        let channel = program.channel_names.iter().position(|name| *name == program.globals[at].name);
        channel.is_some_and(|channel| cells[at] == channel as i32 + 1)
    };
    let globals = (0..program.globals.len()).filter(|&at| !is_channel(at));
    held.extend(globals.map(|at| (Holder::Global(at), Value::Number(program.globals[at].ty, cells[at]))));
    let messages = |number| (Holder::Channel(number), Value::Messages(machine.contents(program, number)));
    held.extend((0..machine.channels.len()).map(messages));
    for (number, &at) in machine.processes.iter().enumerate() {
        let kind = machine.proctype(number);
        held.insert(Holder::Control(number, kind), Value::At(kind, machine.control(number)));
        let locals = program.proctypes[kind].cells.iter().map(|cell| cell.ty).enumerate();
        let value = |cell: usize, ty| Value::Number(ty, cells[at as usize + HEAD + cell]);
        held.extend(locals.map(|(cell, ty)| (Holder::Local(number, kind, cell), value(cell, ty))));
    }
    held
}

fn name(program: &Program, who: Holder) -> String {
    let process = |number: usize, kind: usize| program.process_name(kind, number);
    match who {
        Holder::Global(cell) => program.globals[cell].name.to_string(),
        Holder::Channel(number) => program.channel_name(number),
        Holder::Control(number, kind) => process(number, kind),
        Holder::Local(number, kind, cell) => {
            format!("{}:{}", process(number, kind), program.proctypes[kind].cells[cell].name)
        }
    }
}

fn told(program: &Program, value: &Value) -> String {
    match value {
        Value::Number(ty, number) => program.worded(*ty, *number),
        Value::Messages(contents) => contents.clone(),
        Value::At(kind, control) => place(program, *kind, *control),
    }
}

/// Where a process stands: the name of the state where it has one, else the line of what comes next.
fn place(program: &Program, kind: usize, control: usize) -> String {
    let state = &program.proctypes[kind].states[control];
    let line = state.transitions.first().map(|t| &program.statements[t.statement as usize]);
    match (&state.name, line) {
        (Some(name), _) => format!("at {name}"),
        (None, Some(_)) if state.transitions.iter().all(|t| t.action == super::data::Action::End) => {
            "at its end".into()
        }
        (None, Some(statement)) => format!("at line {}", statement.line),
        (None, None) => "at its end".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, compile, retrace};
    use prequel_formats::promela;
    use std::path::Path;

    /// What each state of the run of these processes shows of some name.
    fn shown(text: &str, moves: &[u32], name: &str) -> Vec<Option<String>> {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).unwrap();
        let (program, _) = compile(&model, Claim::None).unwrap();
        let moves: Vec<(Option<u32>, u32)> = moves.iter().map(|&process| (Some(process), 0)).collect();
        let values = values(&program, &retrace(&program, &moves).unwrap());
        let at = values.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("{:?}", values.names));
        let mut shown = vec![values.first[at].clone()];
        for step in &values.changes {
            let new = step.iter().find(|(which, _)| *which == at).map(|(_, value)| value.clone());
            shown.push(new.unwrap_or_else(|| shown[shown.len() - 1].clone()));
        }
        shown
    }

    #[test]
    fn messages_and_places_are_shown_and_what_comes_and_goes() {
        let text = "chan c = [2] of { byte, byte }\nbyte x = 7;\n\
            proctype p(byte n) {\n c ! n, 1;\n c ? x, _\n}\n\
            init {\n run p(3);\n c ! 4, 5\n}";
        let moves = [0, 1, 0, 1, 1];
        let some = |values: &[&str]| values.iter().map(|value| Some((*value).to_owned())).collect::<Vec<_>>();
        let messages = some(&["empty", "empty", "[3,1]", "[3,1] [4,5]", "[4,5]", "[4,5]"]);
        assert_eq!(shown(text, &moves, "c"), messages);
        assert_eq!(shown(text, &moves, "x"), some(&["7", "7", "7", "7", "3", "3"]));
        let process = shown(text, &moves, "p(1):n");
        assert_eq!((&process[0], &process[1], &process[5]), (&None, &Some("3".into()), &None));
        let places = some(&["at line 4", "at line 4", "at line 5", "at line 5", "at its end"]);
        assert_eq!(shown(text, &moves, "p(1)")[1..5], places[1..]);
        assert_eq!(shown(text, &moves, ":init:(0)")[..2], some(&["at line 8", "at line 9"]));
    }
}
