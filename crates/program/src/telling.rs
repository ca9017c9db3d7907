//! A run in words: who moves, which message goes where, what has another value then; who waits at the end of it, where and for what.

use super::data::{Action, Node, Program, Transition};
use super::expand::RawStep;
use super::expression::{Expression, Fault};
use super::machine::{Context, Machine};
use super::witness::Step;
use super::wording::{equations, expressions, looked_at};

/// A step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// Who moves, as in `client(2)`.
    pub who: String,
    /// What has another value after it: variables, and channels with what is in them.
    pub changes: Vec<(String, String)>,
    /// Messages that are sent or received in it.
    pub messages: Vec<Passed>,
}

/// A message that a step sends or receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// As people write it: `c!red,1`, `c?red,1`.
    pub text: String,
    /// Its fields.
    pub fields: String,
    /// Which channel, by its position.
    pub channel: usize,
    /// The step that sent it, counted from 0, where this is the one that receives it.
    pub sent: Option<usize>,
    /// The channel holds no messages: who sends it and who receives it move together.
    pub rendezvous: bool,
}

impl Told {
    /// The messages, in one line.
    pub fn passed(&self) -> String {
        self.messages.iter().map(|message| &*message.text).collect::<Vec<_>>().join(" ")
    }

    /// The changes, in one line.
    pub fn changed(&self) -> String {
        equations(&self.changes)
    }
}

/// Tells a run, one step after the other.
#[derive(Clone, Debug)]
pub struct Teller<'a> {
    program: &'a Program,
    machine: Machine,
    /// For each message of each channel the step that sent it.
    senders: Vec<Vec<Option<usize>>>,
    count: usize,
}

impl<'a> Teller<'a> {
    /// At the start of a run; none if a program does not even start.
    pub fn start(program: &'a Program) -> Option<Self> {
        Some(Self { program, machine: Machine::initial(program).ok()?, senders: Vec::new(), count: 0 })
    }

    /// The state after the steps that were told.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Takes a step that is known to be possible, and tells of it.
    pub fn tell(&mut self, step: &Step) -> Told {
        let program = self.program;
        let process = step.process.map_or(0, |process| process as usize + program.base());
        let who = program.process_name(self.machine.proctype(process), process);
        let before = self.machine.clone();
        let raw =
            RawStep { process: process as u32, transition: step.transition, statement: step.statement, before: 0 };
        Step::take(program, &mut self.machine, raw);
        let changed = step.changes.iter().filter(|change| !change.is_length());
        let mut changes: Vec<(String, String)> =
            changed.map(|change| (change.name(program), change.text(program))).collect();
        let messages = self.passed(&before, &mut changes);
        self.count += 1;
        Told { who, changes, messages }
    }

    /// The messages that came and went, and the channels that hold others now.
    fn passed(&mut self, before: &Machine, changes: &mut Vec<(String, String)>) -> Vec<Passed> {
        let (program, machine) = (self.program, &self.machine);
        self.senders.resize(machine.channels.len(), Vec::new());
        let mut passed = Vec::new();
        for channel in 0..machine.channels.len().min(before.channels.len()) {
            let old: Vec<&[i32]> = before.messages(program, channel).collect();
            let new: Vec<&[i32]> = machine.messages(program, channel).collect();
            if old == new {
                continue;
            }
            let (kind, name) = (machine.channel_type(channel), program.channel_name(channel));
            let rendezvous = program.channel_types[kind].capacity == 0;
            let [kept, rest] = common(&old, &new);
            let senders = &mut self.senders[channel];
            senders.resize(old.len(), None);
            let message = |mark: char, fields: &[i32], sent| {
                let fields = program.message(kind, fields);
                Passed { text: format!("{name}{mark}{fields}"), fields, channel, sent, rendezvous }
            };
            let gone = old[kept..old.len() - rest]
                .iter()
                .zip(senders.splice(kept..old.len() - rest, vec![Some(self.count); new.len() - kept - rest]));
            passed.extend(gone.map(|(fields, sent)| message('?', fields, sent)));
            passed.extend(new[kept..new.len() - rest].iter().map(|fields| message('!', fields, None)));
            if !rendezvous {
                changes.push((name, machine.contents(program, channel)));
            }
        }
        passed
    }
}

/// How many messages two channels have in common at their beginning and, without these, at their end: the first message goes out and a
/// new one comes in at the end, where that explains it.
fn common(old: &[&[i32]], new: &[&[i32]]) -> [usize; 2] {
    let most = old.len().min(new.len());
    let starts = |most: usize| (0..most).take_while(|&at| old[at] == new[at]).count();
    let ends = |most: usize| (1..=most).take_while(|&at| old[old.len() - at] == new[new.len() - at]).count();
    if new.len() > old.len() {
        let kept = starts(most);
        [kept, ends(most - kept)]
    } else {
        let rest = ends(most);
        [starts(most - rest), rest]
    }
}

/// All steps of a run, told; of those that nobody wants nothing is kept.
pub fn told(program: &Program, steps: &[Step], wanted: impl Fn(usize) -> bool) -> Vec<Option<Told>> {
    let Some(mut teller) = Teller::start(program) else { return Vec::new() };
    steps.iter().enumerate().map(|(at, step)| Some(teller.tell(step)).filter(|_| wanted(at))).collect()
}

/// A process that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// Who.
    pub who: String,
    /// The `file:line` where it stands.
    pub place: String,
    /// The process may end here, so that it is not its fault.
    pub may_end: bool,
    /// What it could do next, and why it cannot.
    pub choices: Vec<(String, String)>,
}

/// Options of a process that are told one by one.
const MOST_CHOICES: usize = 4;

impl Waiting {
    /// In one line.
    pub fn words(&self) -> String {
        let choice = |(statement, why): &(String, String)| format!("`{statement}`: {why}");
        let mut told: Vec<String> = self.choices.iter().take(MOST_CHOICES).map(choice).collect();
        if let Some(more) = self.choices.len().checked_sub(MOST_CHOICES).filter(|&more| more > 0) {
            told.push(format!("… {more} more"));
        }
        let end = if self.may_end { "may end here; " } else { "" };
        format!("{} at {} {end}waits at {}", self.who, self.place, told.join("; or "))
    }
}

/// Where each process that has not ended waits behind these steps, and for what. The claim waits for nothing.
pub fn waiting(program: &Program, steps: &[Step]) -> Vec<Waiting> {
    let Some(mut teller) = Teller::start(program) else { return Vec::new() };
    for step in steps {
        teller.tell(step);
    }
    waiting_in(program, &teller.machine)
}

/// The same for the state that a run has come to.
pub(crate) fn waiting_in(program: &Program, machine: &Machine) -> Vec<Waiting> {
    let waits = |&process: &usize| !machine.has_ended(program, process);
    let told = |process| {
        let kind = &program.proctypes[machine.proctype(process)];
        let state = &kind.states[machine.control(process)];
        let first = state.transitions.first()?;
        let barred = kind.provided.as_ref().filter(|&only| Context::new(program, machine, process).value(only) == 0);
        let choice = |transition: &Transition| {
            let why = match barred {
                Some(only) => format!("its `provided` does not hold{}", values(program, machine, process, &[only])),
                None => obstacle(program, machine, process, &transition.action),
            };
            (program.statements[transition.statement as usize].text.to_string(), why)
        };
        Some(Waiting {
            who: program.process_name(machine.proctype(process), process),
            place: program.place_of(first.statement),
            may_end: state.end,
            choices: state.transitions.iter().map(choice).collect(),
        })
    };
    (program.base()..machine.processes.len()).filter(waits).filter_map(told).collect()
}

/// Why an action cannot be done.
fn obstacle(program: &Program, machine: &Machine, process: usize, action: &Action) -> String {
    let value = |expression: &Expression| Context::new(program, machine, process).checked(expression);
    let guard = match action {
        Action::Send(send) => send.guard.as_ref(),
        Action::Receive(receive) => receive.guard.as_ref(),
        _ => None,
    };
    if let Some(guard) = guard.filter(|&guard| value(guard) == Ok(0)) {
        return format!("its guard does not hold{}", values(program, machine, process, &[guard]));
    }
    let channel = match action {
        Action::Send(send) => &send.channel,
        Action::Receive(receive) => &receive.channel,
        Action::End => return "it ends once the processes that came after it have ended".into(),
        Action::Else => return "something else could be done".into(),
        Action::Steps(steps) => {
            let first = steps.nodes.iter().find_map(|node| match node {
                Node::Do(action, ..) => Some(action),
                _ => None,
            });
            return first.map_or("it is blocked".into(), |first| obstacle(program, machine, process, first));
        }
        other => return format!("does not hold{}", values(program, machine, process, &expressions(other))),
    };
    let position = value(channel).ok().and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
    let Some(position) = position.filter(|&at| at < machine.channels.len()) else {
        return "there is no channel".into();
    };
    let kind = &program.channel_types[machine.channel_type(position)];
    let (name, sends) = (program.channel_name(position), matches!(action, Action::Send(_)));
    match (kind.capacity, sends) {
        (0, true) => format!("nobody receives it from {name}"),
        (0, false) => format!("nobody sends it to {name}"),
        (_, true) => format!("{name} is full: {}", machine.contents(program, position)),
        (_, false) if machine.messages(program, position).next().is_none() => format!("{name} is empty"),
        (_, false) => {
            let matched = values(program, machine, process, &expressions(action));
            format!("{name} holds {}{matched}", machine.contents(program, position))
        }
    }
}

/// `, where x = 1`, if anything is looked at.
fn values(program: &Program, machine: &Machine, process: usize, of: &[&Expression]) -> String {
    let found = looked_at(program, machine, process, of);
    if found.is_empty() { String::new() } else { format!(", where {}", equations(&found)) }
}

/// What the values were in the statement that a run ends with: those that make an assertion fail, or what a faulty statement looks at.
pub fn failing(program: &Program, steps: &[Step], fault: Fault, statement: u32) -> Vec<(String, String)> {
    let Some((last, before)) = steps.split_last() else { return Vec::new() };
    let Some(mut teller) = Teller::start(program) else { return Vec::new() };
    for step in before {
        teller.tell(step);
    }
    let process = last.process.map_or(0, |process| process as usize + program.base());
    let machine = teller.machine();
    let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
    let Some(taken) = state.transitions.get(last.transition as usize) else { return Vec::new() };
    let action = match &taken.action {
        Action::Steps(steps) => steps.nodes.iter().find_map(|node| match node {
            Node::Do(action, _, at) if *at == statement => Some(action),
            _ => None,
        }),
        action => Some(action).filter(|_| taken.statement == statement),
    };
    let Some(action) = action else { return Vec::new() };
    let shown = |machine: &Machine| looked_at(program, machine, process, &expressions(action));
    let Action::Assert(value) = action else { return shown(machine) };
    // Inside of a longer step others may have set the values before: then it is the state behind it that shows them, if it does.
    let fails = |machine: &Machine| Context::new(program, machine, process).checked(value) == Ok(0);
    if fails(machine) {
        return shown(machine);
    }
    teller.tell(last);
    let machine = teller.machine();
    let there = process < machine.processes.len() && fault == Fault::Assertion;
    if there && fails(machine) { shown(machine) } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, compile, retrace};
    use prequel_formats::promela;
    use std::path::Path;

    fn program(text: &str) -> Program {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        compile(&model, Claim::None).expect("a program").0
    }

    fn steps(program: &Program, moves: &[(u32, u32)]) -> Vec<Step> {
        let moves: Vec<(Option<u32>, u32)> = moves.iter().map(|&(process, at)| (Some(process), at)).collect();
        retrace(program, &moves).expect("steps")
    }

    const TALK: &str = "mtype = { red, green };\nchan c = [2] of { mtype, chan };\nchan r = [0] of { byte };\n\
        active proctype p() {\n mtype m = red;\n c!m,r; c!green,c; r!7\n}\n\
        active proctype q() {\n mtype x; byte n;\n c??green,_; r?n; assert(x == red && n < 7)\n}";

    #[test]
    fn names_messages_and_their_senders_are_told() {
        let program = program(TALK);
        let steps = steps(&program, &[(0, 0), (0, 0), (1, 0), (0, 0), (1, 0)]);
        let told: Vec<Told> = told(&program, &steps, |_| true).into_iter().flatten().collect();
        let said: Vec<String> = told.iter().map(Told::passed).collect();
        assert_eq!(said, ["c!red,r", "c!green,c", "c?green,c", "r!7", "r?7"]);
        let changed: Vec<String> = told.iter().map(Told::changed).collect();
        assert_eq!(changed[..3], ["c = [red,r]", "c = [red,r] [green,c]", "c = [red,r]"]);
        assert_eq!((&*changed[3], &*changed[4]), ("", "q(1):n = 7"));
        // The second message was taken, and the rendezvous came right before.
        assert_eq!((told[2].messages[0].sent, told[4].messages[0].sent), (Some(1), Some(3)));
        assert_eq!((&*told[0].who, &*told[2].who), ("p(0)", "q(1)"));
    }

    #[test]
    fn what_fails_is_told_with_its_values() {
        let program = program(TALK);
        let steps = steps(&program, &[(0, 0), (0, 0), (1, 0), (0, 0), (1, 0), (1, 0)]);
        let statement = steps[5].statement;
        let values = failing(&program, &steps, Fault::Assertion, statement);
        assert_eq!(equations(&values), "x = 0, n = 7");
        assert!(failing(&program, &steps[..5], Fault::Assertion, statement).is_empty());
    }

    #[test]
    fn whoever_waits_is_told_with_what_for() {
        let text = "chan c = [1] of { byte }; chan r = [0] of { byte }; byte x = 3;\n\
            active proctype fill() { c!1; c!2 }\nactive proctype send() { r!1 }\n\
            active proctype other() { c?[9]; x = 1 }\nactive proctype when() { x == 4 -> skip }\n\
            active proctype take() { c?5 }\nactive proctype ends() { end: r?_ }\nactive proctype gone() { skip }";
        let program = program(text);
        let told = waiting(&program, &steps(&program, &[(0, 0), (6, 0)]));
        let words: Vec<String> = told.iter().map(Waiting::words).collect();
        assert_eq!(words[0], "fill(0) at m.pml:2 waits at `c!2`: c is full: [1]");
        assert_eq!(words[1], "send(1) at m.pml:3 waits at `r!1`: nobody receives it from r");
        assert_eq!(words[3], "when(3) at m.pml:5 waits at `x == 4`: does not hold, where x = 3");
        assert_eq!(words[4], "take(4) at m.pml:6 waits at `c?5`: c holds [1]");
        assert_eq!(words[5], "ends(5) at m.pml:7 may end here; waits at `r?_`: nobody sends it to r");
        assert_eq!(words.len(), 6, "{words:?}");
    }
}
