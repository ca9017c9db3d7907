//! The macros that a piece came out of, which must not be expanded in it again.
//!
//! A piece may have come out of tens of thousands, one in the other, and every piece has such a set of its own. So a set is a list
//! of tables, each at least twice as large as the one before: what is added makes a table of one, and tables of like size are
//! merged. Adding to a set of n names costs log n on the average, and so does a look; sets share their tables.

use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A set of names that is never changed.
#[derive(Clone, Debug, Default)]
pub struct Hidden(Option<Rc<Table>>);

#[derive(Debug)]
struct Table {
    names: FxHashSet<Rc<str>>,
    /// Larger tables.
    rest: Hidden,
    /// Names here and in the rest.
    len: usize,
}

impl Hidden {
    /// How many names are in it.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |table| table.len)
    }

    /// Whether a name is in it.
    pub fn contains(&self, name: &Rc<str>) -> bool {
        self.tables().any(|table| table.names.contains(name))
    }

    /// The same with a name more.
    pub fn with(&self, name: &Rc<str>) -> Self {
        if self.contains(name) {
            return self.clone();
        }
        let mut names = FxHashSet::from_iter([name.clone()]);
        let mut rest = self.clone();
        while let Some(table) = rest.0.clone().filter(|table| table.names.len() <= names.len()) {
            names.extend(table.names.iter().cloned());
            rest = table.rest.clone();
        }
        let len = names.len() + rest.len();
        Self(Some(Rc::new(Table { names, rest, len })))
    }

    /// The names of both.
    pub fn and(&self, other: &Self) -> Self {
        let (few, many) = if self.len() < other.len() { (self, other) } else { (other, self) };
        if few.0.as_ref().zip(many.0.as_ref()).is_none_or(|(few, many)| Rc::ptr_eq(few, many)) {
            return many.clone();
        }
        few.tables().flat_map(|table| &table.names).fold(many.clone(), |all, name| all.with(name))
    }

    fn tables(&self) -> impl Iterator<Item = &Table> {
        std::iter::successors(self.0.as_deref(), |table| table.rest.0.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_set_that_shares() {
        let name = |n: usize| -> Rc<str> { format!("m{n}").into() };
        let sets: Vec<Hidden> =
            std::iter::successors(Some(Hidden::default()), |set| Some(set.with(&name(set.len())))).take(300).collect();
        for (size, set) in sets.iter().enumerate() {
            assert_eq!(set.len(), size);
            assert!((0..size).all(|n| set.contains(&name(n))) && !set.contains(&name(size)));
            assert!(set.tables().count() <= 10);
        }
        let other = Hidden::default().with(&name(7)).with(&name(1000));
        let both = sets[100].and(&other);
        assert_eq!((both.len(), both.contains(&name(1000)), both.contains(&name(99))), (101, true, true));
        assert_eq!(other.and(&sets[100]).len(), 101);
        assert_eq!(sets[100].and(&sets[100]).len(), 100);
    }
}
