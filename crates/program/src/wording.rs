//! Values in words: constants and channels by their names, messages, and what an expression looks at.

use super::data::{Action, Proctype, Program};
use super::expression::{Expression, Pattern, Place, Receive};
use super::machine::{Context, Machine};
use super::text::{UserNames, Writer};
use super::value::ValueType;

impl Program {
    /// A value as people write it: `mtype` constants and channels by their names.
    pub fn worded(&self, ty: ValueType, value: i32) -> String {
        let place = usize::try_from(value).ok().and_then(|value| value.checked_sub(1));
        let name = place.and_then(|place| match ty {
            ValueType::Name(kind) => self.names.get(kind as usize)?.get(place).map(ToString::to_string),
            ValueType::Channel => Some(self.channel_name(place)),
            ValueType::Unsigned(_) | ValueType::Short | ValueType::Int => None,
        });
        name.unwrap_or_else(|| value.to_string())
    }

    /// What a process is called: its proctype and its number, the claim not counted.
    pub fn process_name(&self, kind: usize, process: usize) -> String {
        match process.checked_sub(self.base()) {
            Some(number) => format!("{}({number})", self.proctypes[kind].name),
            None => "never".into(),
        }
    }

    /// The proctype that a statement belongs to.
    pub fn kind_of(&self, statement: u32) -> Option<usize> {
        let transitions =
            |kind: &Proctype| kind.states.iter().flat_map(|state| &state.transitions).any(|t| t.statement == statement);
        self.proctypes.iter().position(transitions)
    }

    /// The `file:line` of a statement.
    pub fn place_of(&self, statement: u32) -> String {
        let statement = &self.statements[statement as usize];
        format!("{}:{}", statement.file, statement.line)
    }

    /// A message of a channel of some type: its fields, with commas between them.
    pub fn message(&self, channel_type: usize, fields: &[i32]) -> String {
        let types = &self.channel_types[channel_type].fields;
        let fields = types.iter().zip(fields).map(|(&ty, &value)| self.worded(ty, value));
        fields.collect::<Vec<_>>().join(",")
    }
}

impl Machine {
    /// The messages in a channel, by its position among the channels, the oldest first.
    pub fn messages<'a>(&'a self, program: &'a Program, channel: usize) -> impl Iterator<Item = &'a [i32]> + Clone {
        let at = self.channels[channel] as usize;
        let width = program.channel_types[self.cells[at] as usize].fields.len();
        let length = self.cells[at + 1] as usize;
        (0..length).map(move |slot| &self.cells[at + 2 + slot * width..at + 2 + (slot + 1) * width])
    }

    /// The type of a channel, by its position among the channels.
    pub fn channel_type(&self, channel: usize) -> usize {
        self.cells[self.channels[channel] as usize] as usize
    }

    /// What is in a channel, in words: `[req,1] [ack,0]`, or `empty`.
    pub fn contents(&self, program: &Program, channel: usize) -> String {
        let kind = self.channel_type(channel);
        let shown = self.messages(program, channel).map(|message| format!("[{}]", program.message(kind, message)));
        let shown = shown.collect::<Vec<_>>().join(" ");
        if shown.is_empty() { "empty".into() } else { shown }
    }
}

/// What the values that an expression looks at are called, and what they are, each once and in the order of the text.
pub fn looked_at(
    program: &Program,
    machine: &Machine,
    process: usize,
    expressions: &[&Expression],
) -> Vec<(String, String)> {
    let kind = machine.proctype(process);
    let names = UserNames { program, proctype: kind as u32 };
    let writer = Writer::new(program, &names).brief();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut look = |part: &Expression| {
        let ty = match part {
            Expression::Global(cell) => program.globals[*cell as usize].ty,
            Expression::Local(cell) => program.proctypes[kind].cells[*cell as usize].ty,
            Expression::Element(place) | Expression::RemoteCell(_, place) => place.ty,
            Expression::Length(_) | Expression::ProcessCount | Expression::Priority(_) => ValueType::Int,
            Expression::At(..) | Expression::Probe(..) | Expression::Poll(_) | Expression::Enabled(_) => {
                ValueType::Unsigned(1)
            }
            _ => return,
        };
        // A fault stays noted in a context, so each value has one of its own.
        let Ok(value) = Context::new(program, machine, process).checked(part) else { return };
        let (name, value) = (writer.expression(part), program.worded(ty, value));
        // A channel is known by its name already.
        if name != value && !found.iter().any(|(other, _)| *other == name) {
            found.push((name, value));
        }
    };
    expressions.iter().for_each(|expression| expression.visit(&mut look));
    found
}

/// The same in words: `x = 1, turn = red`.
pub fn equations(values: &[(String, String)]) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// The expressions that decide whether an action can be done, or what it does.
pub fn expressions(action: &Action) -> Vec<&Expression> {
    fn indices(place: &Place) -> impl Iterator<Item = &Expression> {
        place.indices.iter().map(|index| &index.at)
    }
    match action {
        Action::Skip | Action::Else | Action::End | Action::Steps(_) => Vec::new(),
        Action::Condition(value) | Action::Assert(value) => vec![value],
        Action::Assign(place, value) => place.iter().flat_map(indices).chain([value]).collect(),
        Action::Print(values) => values.iter().collect(),
        Action::Send(send) => send.guard.iter().chain([&send.channel]).chain(&send.arguments).collect(),
        Action::Receive(receive) => {
            let Receive { guard, channel, patterns, .. } = &**receive;
            let matched = patterns.iter().filter_map(|pattern| match pattern {
                Pattern::Match(value) => Some(value),
                Pattern::Store(_) | Pattern::Ignore => None,
            });
            guard.iter().chain([channel]).chain(matched).collect()
        }
        Action::Run(run) => run.arguments.iter().collect(),
        Action::SetPriority(pair) => vec![&pair.0, &pair.1],
    }
}
