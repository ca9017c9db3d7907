//! What labels ask and do, in the words of the user's program.

use super::refusal::Refusal;
use super::types::Types;
use prequel_formats::promela::syntax::{Model, Type, Unit};
use prequel_program::components::{Change, Fact, Part, Touch};
use prequel_program::{Program, ValueType};
use rustc_hash::FxHashMap;

/// A value that no message has: programs that use it are not put into components.
const NO_INT: i32 = i32::MIN + 0x0BAD;

/// Names of what is shared, and of proctypes that are started.
#[derive(Debug)]
pub struct Words<'a> {
    program: &'a Program,
    model: &'a Model,
    types: Types<'a>,
    /// Variables that always mean a channel.
    channels: Vec<Option<&'a str>>,
    /// Proctypes that take the place of the user's, by slot.
    pub replaced: FxHashMap<u32, String>,
}

impl<'a> Words<'a> {
    /// The words of a program.
    pub fn new(program: &'a Program, model: &'a Model) -> Self {
        let types = Types::new(model);
        let mut channels = vec![None; program.channels.len()];
        for (cell, &value) in program.globals.iter().zip(&program.initial) {
            let number = usize::try_from(value).ok().and_then(|value| value.checked_sub(1));
            // A channel is numbered where it is declared, so its variable is the first one with that number.
            if let Some(name) = number.and_then(|number| channels.get_mut(number))
                && !cell.stored
                && name.is_none()
                && types.of_cell(&cell.name) == Some(&Type::Chan)
            {
                *name = Some(&*cell.name);
            }
        }
        Self { program, model, types, channels, replaced: FxHashMap::default() }
    }

    /// The name of a channel.
    pub fn channel(&self, number: u32) -> Result<&'a str, Refusal> {
        self.channels.get(number as usize - 1).copied().flatten().ok_or_else(|| {
            let message = format!("no variable always means channel {number}");
            Refusal::new("channel without a name", None, message)
        })
    }

    /// A value that no field of this channel has, in place of its first field.
    pub fn impossible(&self, channel: u32) -> i32 {
        let kind = &self.program.channel_types[self.program.channels[channel as usize - 1] as usize];
        match kind.fields[0] {
            ValueType::Unsigned(bits) if bits < 31 => -1,
            ValueType::Name(_) | ValueType::Channel => -1,
            ValueType::Short => 1 << 16,
            ValueType::Unsigned(_) | ValueType::Int => NO_INT,
        }
    }

    /// A value as people write it: a channel or a constant by its name.
    fn value(&self, ty: Option<&Type>, value: i32) -> Result<String, Refusal> {
        match ty {
            Some(Type::Chan) if value > 0 => self.channel(value as u32).map(str::to_owned),
            Some(ty) => Ok(self.types.constant(ty, value).map_or_else(|| value.to_string(), str::to_owned)),
            None => Ok(value.to_string()),
        }
    }

    /// The fields of a message on a channel.
    pub fn message(&self, channel: u32, message: &[i32]) -> Result<Vec<String>, Refusal> {
        let types = self.types.of_fields(self.channel(channel)?);
        let exact = types.len() == message.len();
        message
            .iter()
            .enumerate()
            .map(|(at, value)| self.value(types.get(at).copied().filter(|_| exact), *value))
            .collect()
    }

    fn list(&self, channel: u32, message: &[i32]) -> Result<String, Refusal> {
        Ok(self.message(channel, message)?.join(","))
    }

    /// The fields of a message as a receive matches them: the name of a channel alone would be a variable to store in.
    pub fn matched(&self, channel: u32, message: &[i32]) -> Result<Vec<String>, Refusal> {
        let names_variable = |field: &String| self.channels.iter().flatten().any(|name| name == field);
        let matched = |field: String| if names_variable(&field) { format!("eval({field})") } else { field };
        Ok(self.message(channel, message)?.into_iter().map(matched).collect())
    }

    fn poll(&self, channel: u32, message: &[i32]) -> Result<String, Refusal> {
        Ok(format!("{}?[{}]", self.channel(channel)?, self.matched(channel, message)?.join(",")))
    }

    /// What must be so before.
    pub fn asks(&self, touches: &[Touch]) -> Result<Vec<String>, Refusal> {
        let mut asked = Vec::new();
        for touch in touches {
            for fact in &touch.facts {
                asked.push(self.fact(touch.part, fact)?);
            }
        }
        Ok(asked)
    }

    fn fact(&self, part: Part, fact: &Fact) -> Result<String, Refusal> {
        Ok(match (part, fact) {
            (Part::Cell(cell), Fact::Value(value)) => {
                let cell = &self.program.globals[cell as usize];
                format!("{} == {}", cell.name, self.value(self.types.of_cell(&cell.name), *value)?)
            }
            (Part::Channel(number), fact) => {
                let name = self.channel(number)?;
                match fact {
                    Fact::Room(slots, true) => format!("len({name}) < {slots}"),
                    Fact::Room(slots, false) => format!("len({name}) == {slots}"),
                    Fact::Some(true) => format!("len({name}) > 0"),
                    Fact::Some(false) => format!("len({name}) == 0"),
                    Fact::Length(length) => format!("len({name}) == {length}"),
                    Fact::Head(head) => self.poll(number, head)?,
                    Fact::Whole(whole) => match &whole[..] {
                        [length @ (0 | 1)] | [length @ 0, ..] => format!("len({name}) == {length}"),
                        [_, message @ ..] => format!("len({name}) == 1 && {}", self.poll(number, message)?),
                        [] => "true".into(),
                    },
                    _ => "true".into(),
                }
            }
            (Part::Slot(slot), Fact::Present(true)) => format!("_nr_pr > {slot}"),
            (Part::Slot(slot), Fact::Present(false)) => format!("_nr_pr <= {slot}"),
            (Part::Cell(_) | Part::Slot(_), _) => "true".into(),
        })
    }

    /// What is done, and whether a process is started by it.
    pub fn does(&self, touches: &[Touch]) -> Result<(Vec<String>, bool), Refusal> {
        let (mut done, mut starts) = (Vec::new(), false);
        for touch in touches {
            for change in &touch.changes {
                match (touch.part, change) {
                    (Part::Cell(cell), Change::Set(to)) => {
                        let cell = &self.program.globals[cell as usize];
                        let to = self.value(self.types.of_cell(&cell.name), to[0])?;
                        done.push(format!("{} = {to}", cell.name));
                    }
                    (Part::Channel(number), Change::Push(message)) => {
                        done.push(format!("{}!{}", self.channel(number)?, self.list(number, message)?));
                    }
                    (Part::Channel(number), Change::Pop) => done.push(self.pop(number)?),
                    (Part::Channel(number), Change::Set(to)) => {
                        let whole = |fact: &Fact| if let Fact::Whole(whole) = fact { Some(whole[0]) } else { None };
                        for _ in 0..touch.facts.iter().find_map(whole).unwrap_or(0) {
                            done.push(self.pop(number)?);
                        }
                        let width = (to.len() - 1).checked_div(to[0] as usize).unwrap_or(1).max(1);
                        for message in to[1..].chunks(width) {
                            done.push(format!("{}!{}", self.channel(number)?, self.list(number, message)?));
                        }
                    }
                    (Part::Slot(slot), Change::Set(frame)) => {
                        starts = true;
                        done.push(self.run(slot, frame)?);
                    }
                    (Part::Cell(_) | Part::Slot(_), _) => {}
                }
            }
        }
        Ok((done, starts))
    }

    fn pop(&self, number: u32) -> Result<String, Refusal> {
        let kind = &self.program.channel_types[self.program.channels[number as usize - 1] as usize];
        Ok(format!("{}?{}", self.channel(number)?, vec!["_"; kind.fields.len()].join(",")))
    }

    fn run(&self, slot: u32, frame: &[i32]) -> Result<String, Refusal> {
        if let Some(name) = self.replaced.get(&slot) {
            return Ok(format!("run {name}()"));
        }
        let kind = &self.program.proctypes[frame[0] as usize];
        let declared = self.model.units.iter().filter_map(|unit| match unit {
            Unit::Proctype(proctype) if proctype.name.text == kind.name => Some(&proctype.parameters),
            _ => None,
        });
        let types: Vec<&Type> = declared
            .flatten()
            .flat_map(|declaration| declaration.variables.iter().map(move |_| &declaration.ty))
            .collect();
        let arguments = frame[2..].iter().take(kind.parameters as usize).enumerate();
        let arguments: Result<Vec<String>, Refusal> =
            arguments.map(|(at, value)| self.value(types.get(at).copied(), *value)).collect();
        Ok(format!("run {}({})", kind.name, arguments?.join(", ")))
    }
}
