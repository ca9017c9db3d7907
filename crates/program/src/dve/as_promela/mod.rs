//! A DVE model as a Promela text, statement by statement, and the way back for its runs.
//!
//! | DVE | Promela |
//! | --- | --- |
//! | a process | an active proctype that never ends |
//! | a state | a label; where all is well if nothing can move, its name begins with `end` |
//! | a transition | a `d_step` of its guard and its effects |
//! | a rendezvous | the guards of both sides choose an element of an array of channels: the first, or one where nobody answers |
//! | effects of the receiver | in one `atomic` with the receive |
//! | effects of the sender | a step of their own behind the send, or the receiver's |
//!
//! In DVE a rendezvous and the effects of both sides are one step. In Promela the sender is not heard again before others may have moved. So
//! effects come later of which nobody can tell when they come: they look at nothing that others set, and set nothing that others look at. A
//! sender whose effects are still to come counts as being where it goes to. Others that are about global variables alone are done by the
//! receiver, who is told in the message which. A model with yet others is refused ([`SenderEffects`]).
//!
//! Guards and messages of a rendezvous are computed where nobody may be there to meet, so that one without a value is a fault which it may
//! not be in DVE.

mod names;
mod sender_effects;

use crate::data::{Action, Cell, Proctype, Program, Setup, State, Then, Transition};
use crate::expand::Violation;
use crate::expression::Expression;
use crate::text::{Naming, Writer};
use crate::value::ValueType;
use crate::witness::{Step, Witness};
use names::named;
use rustc_hash::{FxHashMap, FxHashSet};
use sender_effects::{At, SenderEffects, values};
use std::fmt::Write as _;

/// A text that means the same, and what its lines stand for.
#[derive(Clone, Debug)]
pub struct PromelaForm {
    /// For SPIN and for whoever reads Promela.
    pub text: String,
    /// By line, counted from 1: the transition of its control state that begins there.
    heads: FxHashMap<usize, u32>,
    /// Lines of effects that come after the step that they belong to.
    late: FxHashSet<usize>,
    /// By line, where it is one of a transition: where that stands in the model.
    places: FxHashMap<usize, String>,
}

impl PromelaForm {
    /// The form of a program that a DVE model became; why it has none.
    pub fn of(program: &Program) -> Result<Self, String> {
        if let Some((statement, why)) =
            program.proctypes.iter().zip(0..).find_map(|(kind, process)| unseen(kind, process))
        {
            let place = &program.statements[statement as usize];
            return Err(format!("{}:{}: {why}", place.file, place.line));
        }
        let senders = SenderEffects::of(program)?;
        let mut form = Form { program: named(program), senders, out: Self::empty(), line: 1 };
        form.declarations();
        for process in 0..form.program.proctypes.len() as u32 {
            form.process(process);
        }
        Ok(form.out)
    }

    fn empty() -> Self {
        Self {
            text: String::new(),
            heads: FxHashMap::default(),
            late: FxHashSet::default(),
            places: FxHashMap::default(),
        }
    }

    /// A text that was made of this one, with places in the model where comments name lines of this one.
    pub fn with_places(&self, text: &str) -> String {
        let mut parts = text.split("/* ");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let named =
                part.split_once(" */").and_then(|(line, rest)| Some((self.places.get(&line.parse().ok()?)?, rest)));
            let _ = match named {
                Some((place, rest)) => write!(out, "/* {place} */{rest}"),
                None => write!(out, "/* {part}"),
            };
        }
        out
    }

    /// The transitions of the model that a run of this text stands for. `form` is the program that the text means.
    pub fn moves(&self, form: &Program, witness: &Witness) -> Vec<(Option<u32>, u32)> {
        let line = |step: &Step| form.statements[step.statement as usize].line;
        let begun = |step: &Step| Some((step.process, *self.heads.get(&line(step))?));
        let mut moves: Vec<_> = witness.steps.iter().filter_map(begun).collect();
        // Where late effects go wrong, the model is wrong as soon as its rendezvous is over.
        if let (Violation::Fault { .. }, Some(last)) = (witness.violation, witness.steps.last())
            && self.late.contains(&line(last))
        {
            let sent = moves.iter().rposition(|(process, _)| *process == last.process);
            moves.truncate(sent.map_or(0, |sent| sent + 2));
        }
        moves
    }
}

/// Where a receiver keeps the number of the sender whose effects it has.
const SENDER: &str = "from_sender";

/// A text in the making.
struct Form {
    /// With names that can stand in it.
    program: Program,
    senders: SenderEffects,
    out: PromelaForm,
    line: usize,
}

impl Form {
    fn line(&mut self, text: &str) {
        self.out.text += text;
        self.out.text.push('\n');
        self.line += 1;
    }

    fn declarations(&mut self) {
        let initial = self.program.initial.clone();
        for line in variables(&self.program.globals, &initial) {
            self.line(&line);
        }
        for number in 0..self.program.channels.len() {
            let kind = &self.program.channel_types[self.program.channels[number] as usize];
            let number_of_sender = (!self.senders.handed(number as i32 + 1).is_empty()).then_some("byte");
            let fields = number_of_sender.into_iter().chain(kind.fields.iter().map(|&ty| type_name(ty)));
            let fields: Vec<&str> = fields.collect();
            let fields = if fields.is_empty() { "bit".into() } else { fields.join(", ") };
            // One for those whose guards hold, one for senders whose guards do not, and one for such receivers.
            let several = if self.has_guards(number as i32 + 1) { "[3]" } else { "" };
            let line = format!(
                "chan {}{several} = [{}] of {{ {fields} }};",
                self.program.channel_names[number], kind.capacity
            );
            self.line(&line);
        }
    }

    /// Whether a rendezvous of a channel depends on guards.
    fn has_guards(&self, channel: i32) -> bool {
        let transitions =
            self.program.proctypes.iter().flat_map(|kind| &kind.states).flat_map(|state| &state.transitions);
        let mut guarded = transitions.filter_map(|transition| match &transition.action {
            Action::Send(send) => send.guard.is_some().then_some(&send.channel),
            Action::Receive(receive) => receive.guard.is_some().then_some(&receive.channel),
            _ => None,
        });
        !self.is_buffered(channel) && guarded.any(|of| *of == Expression::Number(channel))
    }

    fn is_buffered(&self, channel: i32) -> bool {
        let kind = self.program.channels[channel as usize - 1];
        self.program.channel_types[kind as usize].capacity > 0
    }

    fn process(&mut self, process: u32) {
        let kind = self.program.proctypes[process as usize].clone();
        self.line(&format!("active proctype {}() {{", kind.name));
        let mut initial = vec![0; kind.cells.len()];
        for setup in &kind.prologue {
            if let Setup::Value(cell, Expression::Number(value)) = setup {
                initial[*cell as usize] = *value;
            }
        }
        for line in variables(&kind.cells, &initial) {
            self.line(&format!("  {line}"));
        }
        let transitions = kind.states.iter().flat_map(|state| &state.transitions);
        let received = transitions.filter_map(|transition| match &transition.action {
            Action::Receive(receive) => Some(number(&receive.channel)),
            _ => None,
        });
        if received.into_iter().any(|channel| !self.senders.handed(channel).is_empty()) {
            self.line(&format!("  byte {SENDER};"));
        }
        for (number, state) in kind.states.iter().enumerate() {
            let label = &state.labels[0];
            if state.transitions.is_empty() {
                self.line(&format!("{label}: false;"));
                continue;
            }
            self.line(&format!("{label}: if"));
            for (position, transition) in state.transitions.iter().enumerate() {
                self.out.heads.insert(self.line, position as u32);
                self.transition(&kind.states, (process, number as u32, position as u32), transition);
            }
            self.line("  fi;");
        }
        self.line("}");
    }

    fn transition(&mut self, states: &[State], at: At, transition: &Transition) {
        let names = FormNames { form: self, process: at.0 };
        let writer = Writer::new(&self.program, &names);
        let (head, message) = self.head(&writer, at, &transition.action);
        let sender = self.senders.at(at);
        let mut done: Vec<String> = message.into_iter().collect();
        for (position, then) in transition.then.iter().enumerate() {
            if let Then::Do { action, .. } = then
                && sender.is_none_or(|sender| sender.late.contains(&position))
            {
                done.push(writer.action(action));
            }
        }
        if let Action::Receive(receive) = &transition.action {
            done.extend(self.handed(&writer, number(&receive.channel)));
        }
        let done = done.join("; ");
        let target = transition.target.map_or("", |to| &states[to as usize].labels[0]);
        let buffered = match &transition.action {
            Action::Send(send) => self.is_buffered(number(&send.channel)),
            Action::Receive(receive) => self.is_buffered(number(&receive.channel)),
            _ => true,
        };
        // A transition begins in its first line; what it does in others is no beginning.
        let lines = match transition.action {
            _ if done.is_empty() => vec![format!("  :: {head} -> goto {target}")],
            Action::Send(_) if !buffered => {
                let label = sender.and_then(|sender| sender.label.as_ref());
                let label = label.map_or_else(String::new, |label| format!("{label}: "));
                self.out.late.insert(self.line + 1);
                vec![format!("  :: {head};"), format!("     {label}atomic {{ {done} }}; goto {target}")]
            }
            // SPIN lets nobody look at other processes in a d_step.
            _ if !buffered || looks_elsewhere(transition) => {
                vec![format!("  :: atomic {{ {head};"), format!("     {done} }}; goto {target}")]
            }
            _ => vec![format!("  :: d_step {{ {head}; {done} }}; goto {target}")],
        };
        let statement = &self.program.statements[transition.statement as usize];
        let place = format!("{}:{}", statement.file, statement.line);
        for line in lines {
            self.out.places.insert(self.line, place.clone());
            self.line(&format!("{line} /* {place} */"));
        }
    }

    /// What a receiver does for whoever sent.
    fn handed(&self, writer: &Writer<'_>, channel: i32) -> Option<String> {
        let senders = self.senders.handed(channel);
        let options = (1..).zip(senders).map(|(number, at @ &(process, state, position))| {
            let transition =
                &self.program.proctypes[process as usize].states[state as usize].transitions[position as usize];
            let handed = self.senders.at(*at).map_or(&[][..], |sender| &sender.handed);
            let effects = handed.iter().filter_map(|&effect| match &transition.then[effect] {
                Then::Do { action, .. } => Some(writer.action(action)),
                Then::Reset(_) => None,
            });
            format!(":: {SENDER} == {number} -> {}", effects.collect::<Vec<_>>().join("; "))
        });
        let options = options.collect::<Vec<_>>().join(" ");
        (!senders.is_empty()).then(|| format!("if {options} :: else fi; {SENDER} = 0"))
    }

    /// What has to be possible for a transition, and what is done in the same step without waiting.
    fn head(&self, writer: &Writer<'_>, at: At, action: &Action) -> (String, Option<String>) {
        // A message without fields has one, since SPIN knows no other.
        let listed = |first: Option<String>, fields: String, none: &str| match first {
            None if fields.is_empty() => none.to_owned(),
            None => fields,
            Some(first) if fields.is_empty() => first,
            Some(first) => format!("{first},{fields}"),
        };
        let (message, nobody, room, guard, channel) = match action {
            // SPIN refuses to go round in circles where it sees that nothing can end that.
            Action::Skip => return ("(_pid >= 0)".into(), None),
            Action::Condition(condition) => return (writer.expression(condition), None),
            Action::Send(send) => {
                let handed = self.senders.handed(number(&send.channel));
                let own = handed.iter().position(|of| *of == at).map_or(0, |position| position + 1);
                let fields = listed((!handed.is_empty()).then(|| own.to_string()), writer.list(&send.arguments), "0");
                (format!("!{fields}"), 1, "nfull", &send.guard, number(&send.channel))
            }
            Action::Receive(receive) => {
                let from = !self.senders.handed(number(&receive.channel)).is_empty();
                let fields = listed(from.then(|| SENDER.to_owned()), writer.patterns(receive), "_");
                (format!("?{fields}"), 2, "nempty", &receive.guard, number(&receive.channel))
            }
            _ => unreachable!("no transition of DVE is such an action"),
        };
        let name = &self.program.channel_names[channel as usize - 1];
        match guard {
            None if self.has_guards(channel) => (format!("{name}[0]{message}"), None),
            None => (format!("{name}{message}"), None),
            Some(guard) if self.is_buffered(channel) => {
                let possible = format!("({} && {room}({name}))", writer.expression(guard));
                (possible, Some(format!("{name}{message}")))
            }
            Some(guard) => (format!("{name}[({} -> 0 : {nobody})]{message}", writer.expression(guard)), None),
        }
    }
}

/// What things are called in one process.
struct FormNames<'a> {
    form: &'a Form,
    process: u32,
}

impl Naming for FormNames<'_> {
    fn local(&self, cell: u32) -> Option<String> {
        let cells = &self.form.program.proctypes[self.process as usize].cells;
        cells.get(cell as usize).map(|cell| cell.name.to_string())
    }

    fn local_type(&self, cell: u32) -> Option<ValueType> {
        let cells = &self.form.program.proctypes[self.process as usize].cells;
        cells.get(cell as usize).map(|cell| cell.ty)
    }

    fn started(&self, proctype: u32) -> String {
        self.form.program.proctypes[proctype as usize].name.to_string()
    }

    fn labels(&self, label: u32, proctype: u32) -> Vec<String> {
        let Some(state) = self.form.program.labels[label as usize] else { return Vec::new() };
        let at = &self.form.program.proctypes[proctype as usize].states[state as usize].labels[0];
        std::iter::once(at.to_string()).chain(self.form.senders.on_the_way_to(proctype, state)).collect()
    }
}

/// Whether a transition depends on where other processes are or on their variables.
fn looks_elsewhere(transition: &Transition) -> bool {
    let mut found = false;
    looks(transition, |part| found |= matches!(part, Expression::At(..) | Expression::RemoteCell(..)));
    found
}

/// The first statement of a process that looks at others in a way that Promela does not have, and why that is so.
fn unseen(kind: &Proctype, process: u32) -> Option<(u32, &'static str)> {
    kind.states.iter().flat_map(|state| &state.transitions).find_map(|transition| {
        let (mut ahead, mut meeting) = (false, false);
        looks(transition, |part| match part {
            Expression::At(of, _) | Expression::RemoteCell(of, _) => ahead |= of.proctype >= process,
            _ => {}
        });
        if let Action::Receive(receive) = &transition.action {
            let at = &mut |part: &Expression| meeting |= matches!(part, Expression::At(..));
            receive.guard.iter().for_each(|guard| guard.visit(at));
        }
        let why = match (ahead, meeting) {
            (true, _) => "in Promela a process can look at those before it only",
            (_, true) => "in Promela the sender has moved when the receiver looks where others are",
            _ => return None,
        };
        Some((transition.statement, why))
    })
}

/// Looks at all that a transition computes.
fn looks(transition: &Transition, mut look: impl FnMut(&Expression)) {
    let then = transition.then.iter().filter_map(|then| match then {
        Then::Do { action, .. } => Some(action),
        Then::Reset(_) => None,
    });
    for action in std::iter::once(&transition.action).chain(then) {
        values(action, &mut |value| value.visit(&mut look));
    }
}

/// The number of a channel, which is never computed.
fn number(channel: &Expression) -> i32 {
    match channel {
        Expression::Number(number) => *number,
        _ => unreachable!("channels of DVE are called by their names"),
    }
}

/// The declarations of variables with what they start as.
fn variables(cells: &[Cell], initial: &[i32]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut first = 0;
    while let Some(cell) = cells.get(first) {
        let array = cell.name.find('[');
        let name = &cell.name[..array.unwrap_or(cell.name.len())];
        let next = |at: &usize| {
            array.is_some() && cells.get(*at).is_some_and(|cell| *cell.name == format!("{name}[{}]", at - first))
        };
        let end = (first + 1..).find(|at| !next(at)).unwrap_or(first + 1);
        let values = &initial[first..end];
        let mut line = format!("{} {name}", type_name(cell.ty));
        if array.is_some() {
            let _ = write!(line, "[{}]", end - first);
        }
        if values.iter().any(|value| *value != values[0]) {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            let _ = write!(line, " = {{ {} }}", values.join(", "));
        } else if values[0] != 0 {
            let _ = write!(line, " = {}", values[0]);
        }
        lines.push(line + ";");
        first = end;
    }
    lines
}

fn type_name(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Unsigned(_) | ValueType::Name(_) | ValueType::Channel => "byte",
        ValueType::Short => "short",
        ValueType::Int => "int",
    }
}
