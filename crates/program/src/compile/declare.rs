//! Declarations: types and variables get their shape and place, globals and channels what they start as.

use super::types::{Item, Record, Shape};
use super::{Compiler, MOST_CELLS, body, promise};
use crate::data::{ChannelType, Setup};
use crate::expression::{Binary, Expression};
use crate::value::ValueType;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{
    Channel, Declaration, Expression as Ast, ExpressionKind, Initial, Name, Type, Variable, Visibility,
};

/// How deep types may be nested in each other.
const DEEPEST: u32 = 200;

/// What a cell starts as.
pub enum Start<'m> {
    /// The value of an expression.
    Value(&'m Ast),
    /// A new channel of this type.
    Channel(u32),
}

impl Start<'_> {
    /// That a cell starts so.
    pub fn setup(self, cell: u32, value: impl FnOnce(&Ast) -> Expression) -> Setup {
        match self {
            Start::Value(expression) => Setup::Value(cell, value(expression)),
            Start::Channel(ty) => Setup::Channel(cell, ty),
        }
    }
}

impl<'m> Compiler<'m> {
    pub fn typedef(&mut self, name: &Name, fields: &'m [Declaration]) {
        let mut record = Record { name: name.text.clone(), ..Record::default() };
        let number = self.types.records.len();
        for declaration in fields {
            for variable in &declaration.variables {
                let Some(mut item) = self.item(declaration, variable) else { continue };
                item.offset = record.size;
                record.size = record.size.saturating_add(self.types.size(&item));
                record.depth = record.depth.max(self.types.depth(&item.shape) + 1);
                if let Some(initial) = &variable.initial {
                    self.field_initials.insert((number, record.fields.len()), initial);
                }
                record.fields.push(item);
            }
        }
        if record.size > MOST_CELLS {
            self.error(name.span, format!("`{}` is too large", name.text));
            (record.size, record.fields) = (0, Vec::new());
        }
        if record.depth > DEEPEST {
            self.error(name.span, format!("in `{}` types are nested more than {DEEPEST} levels deep", name.text));
            (record.depth, record.fields) = (0, Vec::new());
        }
        if self.types.by_name.insert(name.text.clone(), number).is_some() {
            self.error(name.span, format!("`{}` is defined twice", name.text));
        }
        self.types.records.push(record);
    }

    /// A declared variable without its place.
    pub fn item(&mut self, declaration: &Declaration, variable: &Variable) -> Option<Item> {
        let mut shape = self.shape(&declaration.ty, variable.width, variable.span)?;
        if variable.size.is_some() && matches!(declaration.ty, Type::Bit | Type::Bool) {
            // SPIN has no arrays of bits.
            shape = Shape::Scalar(ValueType::Unsigned(8));
        }
        let length = match &variable.size {
            None => None,
            Some(size) => match self.constant(size) {
                Some(length) if length > 0 && length as u32 <= MOST_CELLS => Some(length as u32),
                Some(_) => {
                    self.error(size.span, "the size of an array must be at least 1");
                    return None;
                }
                None => {
                    self.error(size.span, "the size of an array must be constant");
                    return None;
                }
            },
        };
        let hidden = declaration.visibility == Some(Visibility::Hidden);
        let promised = declaration.visibility == Some(Visibility::Local)
            && promise::is_kept(&self.model.units, &variable.name.text);
        let item = Item { name: variable.name.text.clone(), offset: 0, length, shape, hidden, promised };
        if self.types.size(&item) > MOST_CELLS {
            self.error(variable.span, format!("`{}` is too large", item.name));
            return None;
        }
        Some(item)
    }

    /// The type of an `mtype` of some kind. Kinds beyond 255 are numbers to us, as all are to SPIN.
    fn names_of(&mut self, kind: Option<&Name>) -> ValueType {
        let kind = kind.map_or("", |kind| &kind.text);
        match self.kinds.iter().position(|other| &**other == kind).map(u8::try_from) {
            Some(Ok(number)) => ValueType::Name(number),
            _ => ValueType::Unsigned(8),
        }
    }

    fn shape(&mut self, ty: &Type, width: Option<u32>, span: Span) -> Option<Shape> {
        Some(match ty {
            Type::Bit | Type::Bool => Shape::Scalar(ValueType::Unsigned(1)),
            Type::Byte | Type::Pid => Shape::Scalar(ValueType::Unsigned(8)),
            Type::Mtype(kind) => Shape::Scalar(self.names_of(kind.as_ref())),
            Type::Short => Shape::Scalar(ValueType::Short),
            Type::Int => Shape::Scalar(ValueType::Int),
            Type::Chan => Shape::Channel,
            Type::Unsigned => match width {
                Some(bits @ 1..=31) => Shape::Scalar(ValueType::Unsigned(bits as u8)),
                Some(32) => Shape::Scalar(ValueType::Int),
                _ => {
                    self.error(span, "`unsigned` needs a width between 1 and 32, as in `unsigned x : 3`");
                    return None;
                }
            },
            Type::User(name) => match self.types.by_name.get(&name.text) {
                Some(&record) => Shape::Record(record),
                None => {
                    self.error(name.span, format!("`{}` is no type", name.text));
                    return None;
                }
            },
        })
    }

    pub fn global(&mut self, declaration: &'m Declaration) {
        for variable in &declaration.variables {
            let Some(mut item) = self.item(declaration, variable) else { continue };
            item.offset = self.initial.len() as u32;
            let size = self.types.size(&item) as usize;
            self.initial.resize(self.initial.len() + size, 0);
            let mut setups = Vec::new();
            self.initials(&item, item.offset, variable.initial.as_ref(), &mut setups);
            let leaves = self.types.cells(&item);
            for (cell, setup) in setups {
                let ty = leaves[(cell - item.offset) as usize].1;
                self.initial[cell as usize] = match setup {
                    Start::Value(value) => match self.constant(value) {
                        Some(value) => ty.store(value),
                        None => {
                            self.error(value.span, "the initial value of a global must be constant");
                            0
                        }
                    },
                    Start::Channel(ty) => {
                        self.channels.push(ty);
                        self.channel_names.push(leaves[(cell - item.offset) as usize].0.as_str().into());
                        self.channels.len() as i32
                    }
                };
            }
            if self.global_names.insert(item.name.clone(), self.globals.len()).is_some() {
                self.error(variable.name.span, format!("`{}` is declared twice", item.name));
            }
            self.globals.push(item);
        }
    }

    /// What sets the cells of a variable whose first cell is given.
    pub fn initials(
        &mut self,
        item: &Item,
        offset: u32,
        initial: Option<&'m Initial>,
        out: &mut Vec<(u32, Start<'m>)>,
    ) {
        let stride = self.types.stride(&item.shape);
        let elements = item.length.unwrap_or(1);
        if let Shape::Record(record) = item.shape {
            let fields = self.types.records[record].fields.clone();
            for element in 0..elements {
                for (number, field) in fields.iter().enumerate() {
                    let initial = self.field_initials.get(&(record, number)).copied();
                    self.initials(field, offset + element * stride + field.offset, initial, out);
                }
            }
            return;
        }
        match initial {
            None => {}
            Some(Initial::Value(value)) => out.extend((0..elements).map(|at| (offset + at, Start::Value(value)))),
            Some(Initial::List(values)) => {
                if item.length.is_none() {
                    if let Some(first) = values.first() {
                        self.error(first.span, format!("`{}` is no array", item.name));
                    }
                } else {
                    let within = values.iter().take(elements as usize).enumerate();
                    out.extend(within.map(|(at, value)| (offset + at as u32, Start::Value(value))));
                }
            }
            Some(Initial::Channel(channel)) => {
                let Some(ty) = self.channel_type(channel) else { return };
                out.extend((0..elements).map(|at| (offset + at, Start::Channel(ty))));
            }
        }
    }

    fn channel_type(&mut self, channel: &Channel) -> Option<u32> {
        let capacity = match self.constant(&channel.capacity) {
            Some(capacity @ 0..=255) => capacity as u32,
            _ => {
                self.error(channel.capacity.span, "the capacity of a channel must be a constant between 0 and 255");
                return None;
            }
        };
        let mut fields = Vec::new();
        for ty in &channel.fields {
            let shape = self.shape(ty, Some(8), channel.span)?;
            fields.extend(self.types.leaves(&shape).into_iter().map(|(_, ty)| ty));
        }
        let kind = ChannelType { capacity, fields };
        let number = self.channel_types.iter().position(|other| *other == kind).unwrap_or_else(|| {
            self.channel_types.push(kind);
            self.channel_types.len() - 1
        });
        Some(number as u32)
    }

    /// The value of a constant expression; globals count with what they start as.
    pub fn constant(&self, expression: &Ast) -> Option<i32> {
        Some(match &*expression.kind {
            ExpressionKind::Number(value) => *value,
            ExpressionKind::Reference(reference) => {
                let [part] = reference.parts.as_slice() else { return None };
                if let Some(&number) = self.global_names.get(&part.name.text) {
                    let item = &self.globals[number];
                    if matches!(item.shape, Shape::Record(_)) {
                        return None;
                    }
                    let at = part.index.as_ref().map_or(Some(0), |index| self.constant(index))?;
                    let at = u32::try_from(at).ok().filter(|&at| at < item.length.unwrap_or(1))?;
                    self.initial[(item.offset + at) as usize]
                } else {
                    *self.constants.get(&part.name.text)?
                }
            }
            ExpressionKind::Unary(op, a) => op.apply(self.constant(a)?),
            ExpressionKind::Binary(Binary::And, a, b) => i32::from(self.constant(a)? != 0 && self.constant(b)? != 0),
            ExpressionKind::Binary(Binary::Or, a, b) => i32::from(self.constant(a)? != 0 || self.constant(b)? != 0),
            ExpressionKind::Binary(op, a, b) => op.apply(self.constant(a)?, self.constant(b)?)?,
            ExpressionKind::Conditional { condition, yes, no } => {
                if self.constant(condition)? != 0 {
                    self.constant(yes)?
                } else {
                    self.constant(no)?
                }
            }
            _ => return None,
        })
    }

    /// The value of a number or an `mtype` constant.
    pub fn literal(&self, expression: &Ast) -> Option<i32> {
        match &*expression.kind {
            ExpressionKind::Number(value) => Some(*value),
            ExpressionKind::Reference(reference) => match reference.parts.as_slice() {
                [part] if part.index.is_none() && !self.global_names.contains_key(&part.name.text) => {
                    self.constants.get(&part.name.text).copied()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Gives every local variable of a proctype its place, in the order of the text.
    pub fn locals(&mut self, number: usize) {
        let mut declarations = Vec::new();
        declarations.extend(self.unfinished[number].parameters);
        body::declarations(self.unfinished[number].body, &mut declarations);
        for declaration in declarations {
            for variable in &declaration.variables {
                // One that makes no sense still takes its turn, so that the rest keeps its order.
                let item = self.item(declaration, variable).unwrap_or(Item {
                    name: variable.name.text.clone(),
                    offset: 0,
                    length: None,
                    shape: Shape::Scalar(ValueType::Int),
                    hidden: false,
                    promised: false,
                });
                self.allocate(number, item);
            }
        }
    }

    /// Gives a local variable its place; tells its number.
    pub fn allocate(&mut self, number: usize, mut item: Item) -> usize {
        let size = self.types.size(&item);
        let unfinished = &mut self.unfinished[number];
        item.offset = unfinished.size;
        unfinished.size = unfinished.size.saturating_add(size);
        unfinished.items.push(item);
        unfinished.items.len() - 1
    }
}
