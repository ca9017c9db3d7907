//! Declared types: which values have names of their own.

use prequel_formats::promela::syntax::{Channel, Declaration, Initial, Model, Type, Unit};
use rustc_hash::FxHashMap;

/// A declared variable or field.
#[derive(Clone, Copy, Debug)]
struct Declared<'m> {
    ty: &'m Type,
    initial: Option<&'m Initial>,
}

/// What a model declares.
#[derive(Debug, Default)]
pub struct Types<'m> {
    globals: FxHashMap<&'m str, Declared<'m>>,
    typedefs: FxHashMap<&'m str, Vec<(&'m str, Declared<'m>)>>,
    /// The constants of each kind of `mtype`, by their numbers from 1.
    constants: FxHashMap<&'m str, Vec<&'m str>>,
}

fn variables(declaration: &Declaration) -> impl Iterator<Item = (&str, Declared<'_>)> {
    let declared = |initial| Declared { ty: &declaration.ty, initial };
    declaration.variables.iter().map(move |variable| (&*variable.name.text, declared(variable.initial.as_ref())))
}

impl<'m> Types<'m> {
    /// Of a model.
    pub fn new(model: &'m Model) -> Self {
        let mut types = Self::default();
        for unit in &model.units {
            match unit {
                Unit::Declaration(declaration) => types.globals.extend(variables(declaration)),
                Unit::Typedef(typedef) => {
                    let fields = typedef.fields.iter().flat_map(variables).collect();
                    types.typedefs.insert(&typedef.name.text, fields);
                }
                Unit::Mtype(mtype) => {
                    let kind = mtype.kind.as_ref().map_or("", |kind| &kind.text);
                    let names = mtype.constants.iter().rev().map(|name| &*name.text);
                    types.constants.entry(kind).or_default().extend(names);
                }
                _ => {}
            }
        }
        types
    }

    /// The type of a cell, as people write it: `x`, `a[2].b`.
    pub fn of_cell(&self, name: &str) -> Option<&'m Type> {
        self.declared(name).map(|declared| declared.ty)
    }

    /// The types of the fields of a message, by the cell that declares the channel.
    pub fn of_fields(&self, cell: &str) -> Vec<&'m Type> {
        match self.declared(cell).and_then(|declared| declared.initial) {
            Some(Initial::Channel(Channel { fields, .. })) => fields.iter().flat_map(|ty| self.leaves(ty)).collect(),
            _ => Vec::new(),
        }
    }

    /// The name of an `mtype` value.
    pub fn constant(&self, ty: &Type, value: i32) -> Option<&'m str> {
        let Type::Mtype(kind) = ty else { return None };
        let names = self.constants.get(kind.as_ref().map_or("", |kind| &kind.text))?;
        names.get(usize::try_from(value).ok()?.checked_sub(1)?).copied()
    }

    fn declared(&self, cell: &str) -> Option<Declared<'m>> {
        let mut parts = cell.split('.').map(|part| part.split('[').next().unwrap_or(part));
        let mut declared = *self.globals.get(parts.next()?)?;
        for part in parts {
            let Type::User(record) = declared.ty else { return None };
            declared = self.typedefs.get(&*record.text)?.iter().find(|(name, _)| *name == part)?.1;
        }
        Some(declared)
    }

    /// The types of the cells of one value; arrays inside of messages are not told apart.
    fn leaves(&self, ty: &'m Type) -> Vec<&'m Type> {
        match ty {
            Type::User(record) => {
                let fields = self.typedefs.get(&*record.text).map_or(&[][..], |fields| fields);
                fields.iter().flat_map(|(_, field)| self.leaves(field.ty)).collect()
            }
            ty => vec![ty],
        }
    }
}
