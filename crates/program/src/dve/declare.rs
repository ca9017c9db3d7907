//! Declarations: variables get their cells, channels their types, processes their states.

use super::names::Variable;
use super::{Automaton, Compiler, Known};
use crate::data::Cell;
use crate::expression::{Binary, Expression, Place};
use crate::value::ValueType;
use prequel_formats::dve::syntax::{Channel, Expression as Ast, Process, Sync, Type, Variable as Declared};
use rustc_hash::FxHashSet;
use std::collections::hash_map::Entry;

/// Cells that one variable may have.
const MOST_CELLS: i32 = 1 << 20;
/// Messages that a channel may hold.
const MOST_MESSAGES: usize = 255;

impl<'s> Compiler<'s> {
    /// Gives a variable its cells; those of a process are its own, unless they never change.
    pub fn variable(&mut self, process: Option<usize>, declared: &'s Declared) {
        let ty = value_type(declared.ty);
        let name = &declared.name;
        let length = declared.length.as_ref().map(|length| match self.constant(process, length) {
            Some(length @ 1..=MOST_CELLS) => length as u32,
            Some(_) => {
                self.error(&length.span, "the length of an array must be at least 1", "");
                1
            }
            None => 1,
        });
        let cells = length.unwrap_or(1) as usize;
        let mut values: Vec<i32> = Vec::new();
        for initial in &declared.initial {
            let value = self.constant(process, initial).unwrap_or(0);
            if ty.store(value) != value {
                let message = format!("`{}` cannot hold {value}", name.text);
                self.error(&initial.span, message, "`byte` is 0..255, `int` is -32768..32767");
            }
            values.push(value);
        }
        if values.len() > cells {
            let message = format!("`{}` has {cells} cells, and {} values", name.text, values.len());
            self.error(&name.span, message, "leave the rest away");
        }
        values.resize(cells, 0);
        let scalar = (declared.constant && length.is_none()).then(|| values[0]);
        let local = process.filter(|_| !declared.constant);
        let (all_cells, initial) = match local {
            Some(process) => {
                let Automaton { cells, initial, .. } = &mut self.processes[process];
                (cells, initial)
            }
            None => (&mut self.globals, &mut self.initial),
        };
        let offset = initial.len() as u32;
        if scalar.is_none() {
            let element =
                |at: usize| if length.is_some() { format!("{}[{at}]", name.text) } else { name.text.to_string() };
            all_cells.extend((0..cells).map(|at| Cell { name: element(at).into(), ty, stored: true }));
            initial.extend(values);
        }
        let variable = Variable { local: local.is_some(), offset, length, ty, scalar, constant: declared.constant };
        let scope = process.map_or(&mut self.shared, |process| &mut self.processes[process].scope);
        if scope.variables.insert(&name.text, variable).is_some() {
            self.error(&name.span, format!("`{}` is declared twice", name.text), "give one of them another name");
        }
    }

    pub fn channel(&mut self, process: Option<usize>, declared: &'s Channel) {
        let capacity = match declared.capacity.as_ref().map(|capacity| (capacity, self.constant(process, capacity))) {
            Some((capacity, Some(value))) => {
                u32::try_from(value).ok().filter(|&c| c as usize <= MOST_MESSAGES).unwrap_or_else(|| {
                    let message = format!("the capacity of a channel must be between 0 and {MOST_MESSAGES}");
                    self.error(&capacity.span, message, "");
                    0
                })
            }
            _ => 0,
        };
        if capacity > 0 && declared.fields.is_none() {
            let help = format!("as in `channel {{byte}} {}[{capacity}];`", declared.name.text);
            self.error(&declared.name.span, "a channel that holds messages needs the types of their values", help);
        }
        let fields = declared.fields.iter().flatten().map(|&ty| value_type(ty)).collect();
        let number = self.channels.len();
        self.channels.push(Known { declared, capacity, fields, committed: None });
        let scope = process.map_or(&mut self.shared, |process| &mut self.processes[process].scope);
        if scope.channels.insert(&declared.name.text, number).is_some() {
            let message = format!("`{}` is declared twice", declared.name.text);
            self.error(&declared.name.span, message, "give one of them another name");
        }
    }

    /// The variables and states of a process.
    pub fn process(&mut self, process: &'s Process) {
        let number = self.processes.len();
        if self.shared.processes.insert(&process.name.text, number as u32).is_some() {
            let message = format!("there are two processes `{}`", process.name.text);
            self.error(&process.name.span, message, "give one of them another name");
        }
        let (scope, cells, initial, states, names, committed) = Default::default();
        self.processes.push(Automaton { scope, cells, initial, states, names, committed });
        for declared in &process.locals.variables {
            self.variable(Some(number), declared);
        }
        for declared in &process.locals.channels {
            self.channel(Some(number), declared);
        }
        // The initial state is the first one, wherever it is listed.
        for name in process.initial.iter().chain(&process.states) {
            let automaton = &mut self.processes[number];
            let next = automaton.names.len() as u32;
            if let Entry::Vacant(entry) = automaton.states.entry(&name.text) {
                entry.insert(next);
                automaton.names.push(&name.text);
            }
        }
        let mut listed = FxHashSet::default();
        for name in process.states.iter().filter(|name| !listed.insert(&name.text)) {
            let message = format!("there are two states `{}`", name.text);
            self.error(&name.span, message, "give one of them another name");
        }
        match &process.initial {
            None => {
                let message = format!("`{}` does not say where it starts", process.name.text);
                self.error(&process.name.span, message, "add `init STATE;` behind its states");
            }
            Some(initial) if !process.states.iter().any(|state| state.text == initial.text) => {
                self.error(&initial.span, format!("there is no state `{}`", initial.text), "list it behind `state`");
            }
            Some(_) => {}
        }
        for name in &process.committed {
            if let Some(state) = self.state(number, name) {
                self.processes[number].committed.push(state);
            }
        }
    }

    /// Channels without types take as many values as are sent or wanted.
    pub fn fit(&mut self, process: usize, sync: &'s Sync) {
        let Some(channel) = self.channel_of(process, sync) else { return };
        let known = &mut self.channels[channel];
        if known.declared.fields.is_none() {
            let width = known.fields.len().max(sync.message.width());
            known.fields.resize(width, ValueType::Int);
        }
    }

    /// Makes two of a rendezvous channel that is used in committed states.
    pub fn pair(&mut self, processes: &[&'s Process]) {
        let mut next = self.channels.len() as u32;
        for (number, process) in processes.iter().enumerate() {
            for transition in &process.transitions {
                let committed = self.processes[number].states.get(&*transition.from.text);
                let committed = committed.is_some_and(|state| self.processes[number].committed.contains(state));
                let Some(sync) = transition.sync.as_ref().filter(|_| committed) else { continue };
                let Some(channel) = self.channel_of(number, sync) else { continue };
                let known = &mut self.channels[channel];
                if known.capacity == 0 && known.committed.is_none() {
                    known.committed = Some(u32::MAX);
                }
            }
        }
        for known in self.channels.iter_mut().filter(|known| known.committed.is_some()) {
            next += 1;
            known.committed = Some(next);
        }
    }

    /// The value of an expression that must not depend on a state; variables count with what they start as.
    fn constant(&mut self, process: Option<usize>, expression: &'s Ast) -> Option<i32> {
        let value = self.value(process, expression);
        let found = self.fold(process, &value);
        if found.is_none() {
            self.error(&expression.span, "this has no constant value", "use numbers and constants");
        }
        found
    }

    fn fold(&self, process: Option<usize>, expression: &Expression) -> Option<i32> {
        let cell = |place: &Place| {
            let mut at = place.offset as usize;
            for index in &place.indices {
                let value = self.fold(process, &index.at)?;
                at += u32::try_from(value).ok().filter(|&value| value < index.length)? as usize;
            }
            let cells = if place.local { &self.processes[process?].initial } else { &self.initial };
            cells.get(at).copied()
        };
        Some(match expression {
            Expression::Number(value) => *value,
            Expression::Global(at) => *self.initial.get(*at as usize)?,
            Expression::Local(at) => *self.processes[process?].initial.get(*at as usize)?,
            Expression::Element(place) => cell(place)?,
            Expression::Unary(op, a) => op.apply(self.fold(process, a)?),
            Expression::Binary(Binary::And, pair) => {
                i32::from(self.fold(process, &pair.0)? != 0 && self.fold(process, &pair.1)? != 0)
            }
            Expression::Binary(Binary::Or, pair) => {
                i32::from(self.fold(process, &pair.0)? != 0 || self.fold(process, &pair.1)? != 0)
            }
            Expression::Binary(op, pair) => op.apply(self.fold(process, &pair.0)?, self.fold(process, &pair.1)?)?,
            _ => return None,
        })
    }
}

fn value_type(ty: Type) -> ValueType {
    match ty {
        Type::Byte => ValueType::Unsigned(8),
        Type::Int => ValueType::Short,
    }
}
