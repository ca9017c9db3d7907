//! What declarations give: shapes of variables, and the cells that they take.

use crate::value::ValueType;
use rustc_hash::FxHashMap;

/// The type of one variable or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One cell.
    Scalar(ValueType),
    /// One cell that holds the number of a channel.
    Channel,
    /// Fields, by number of the `typedef`.
    Record(usize),
}

/// A variable or field: where its first cell is, and what it consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its name.
    pub name: Box<str>,
    /// First cell, from the start of the frame, the globals or the record.
    pub offset: u32,
    /// Elements, if it is an array.
    pub length: Option<u32>,
    /// Of one element.
    pub shape: Shape,
    /// Never part of a state.
    pub hidden: bool,
    /// Declared `local`: only one process uses it, says the model.
    pub promised: bool,
}

/// A `typedef`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Its name.
    pub name: Box<str>,
    /// Its fields.
    pub fields: Vec<Item>,
    /// Cells of a value.
    pub size: u32,
    /// How deep types are nested in it.
    pub depth: u32,
}

/// All types of a model.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// Every `typedef`.
    pub records: Vec<Record>,
    /// Their names.
    pub by_name: FxHashMap<Box<str>, usize>,
}

impl Types {
    /// Cells of one element.
    pub fn stride(&self, shape: &Shape) -> u32 {
        match shape {
            Shape::Scalar(_) | Shape::Channel => 1,
            Shape::Record(record) => self.records[*record].size,
        }
    }

    /// How deep types are nested in one element.
    pub fn depth(&self, shape: &Shape) -> u32 {
        match shape {
            Shape::Scalar(_) | Shape::Channel => 0,
            Shape::Record(record) => self.records[*record].depth,
        }
    }

    /// Cells of a whole variable.
    pub fn size(&self, item: &Item) -> u32 {
        self.stride(&item.shape).saturating_mul(item.length.unwrap_or(1))
    }

    /// The cells of one element, with what is behind the name of the variable: `.a[0]`.
    pub fn leaves(&self, shape: &Shape) -> Vec<(String, ValueType)> {
        match shape {
            Shape::Scalar(ty) => vec![(String::new(), *ty)],
            Shape::Channel => vec![(String::new(), ValueType::Channel)],
            Shape::Record(record) => {
                let fields = &self.records[*record].fields;
                fields.iter().flat_map(|field| self.cells(field)).map(|(name, ty)| (format!(".{name}"), ty)).collect()
            }
        }
    }

    /// The cells of a variable, with their names.
    pub fn cells(&self, item: &Item) -> Vec<(String, ValueType)> {
        let leaves = self.leaves(&item.shape);
        match item.length {
            None => leaves.into_iter().map(|(rest, ty)| (format!("{}{rest}", item.name), ty)).collect(),
            Some(length) => {
                let element = |at: u32| {
                    leaves.iter().map(move |(rest, ty)| (format!("{}[{at}]{rest}", item.name), *ty)).collect::<Vec<_>>()
                };
                (0..length).flat_map(element).collect()
            }
        }
    }
}
