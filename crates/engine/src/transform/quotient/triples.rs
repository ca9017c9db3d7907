//! Triples (cm, n, p), packed: one class per part, the replaced process in the lowest bits so that sorting groups by (cm, p).
//!
//! Label sets are what this method costs. A triple is one 128-bit key in an array; a table of 32-bit positions finds it.

use super::partition::Class;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher as _;

/// A packed tuple of classes.
pub type Key = u128;

/// Where each part's class is in a key.
#[derive(Clone, Debug)]
pub struct Layout {
    fields: Vec<(u8, u128)>,
    lowest: u32,
}

impl Layout {
    /// Makes room for so many classes of each part, `first` in the lowest bits; none where 128 bits are not enough.
    pub fn new(classes: &[usize], first: usize) -> Option<Self> {
        let bits = |count: usize| usize::BITS - count.saturating_sub(1).leading_zeros();
        let lowest = bits(classes[first]);
        let mut used = lowest;
        let fields = classes.iter().enumerate().map(|(part, &count)| {
            let width = bits(count);
            let shift = if part == first { 0 } else { used };
            if part != first {
                used += width;
            }
            // A part with one class has no bits; its shift must still be a legal one.
            (used <= 128).then_some(((shift % 128) as u8, (1u128.checked_shl(width).unwrap_or(0)).wrapping_sub(1)))
        });
        Some(Self { fields: fields.collect::<Option<_>>()?, lowest })
    }

    /// The class of a part.
    #[inline]
    pub fn get(&self, key: Key, part: usize) -> Class {
        let (shift, mask) = self.fields[part];
        ((key >> shift) & mask) as Class
    }

    /// The key with another class of a part.
    #[inline]
    pub fn with(&self, key: Key, part: usize, class: Class) -> Key {
        let (shift, mask) = self.fields[part];
        (key & !(mask << shift)) | Key::from(class) << shift
    }

    /// The key without the part in the lowest bits: (cm, p) alone.
    #[inline]
    pub fn rest(&self, key: Key) -> Key {
        key.checked_shr(self.lowest).unwrap_or(0)
    }
}

/// A set of keys, numbered in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Triples {
    keys: Vec<Key>,
    table: HashTable<u32>,
}

fn hash(key: Key) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(key as u64);
    hasher.write_u64((key >> 64) as u64);
    hasher.finish()
}

impl Triples {
    /// Adds a key; tells its number and whether it is new.
    #[inline]
    pub fn insert(&mut self, key: Key) -> (u32, bool) {
        let keys = &self.keys;
        let (is_key, rehash) = (|&at: &u32| keys[at as usize] == key, |&at: &u32| hash(keys[at as usize]));
        match self.table.entry(hash(key), is_key, rehash) {
            hashbrown::hash_table::Entry::Occupied(found) => (*found.get(), false),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let at = keys.len() as u32;
                free.insert(at);
                self.keys.push(key);
                (at, true)
            }
        }
    }

    /// The number of a key.
    #[inline]
    pub fn find(&self, key: Key) -> Option<u32> {
        self.table.find(hash(key), |&at| self.keys[at as usize] == key).copied()
    }

    /// Whether a key is there.
    #[inline]
    pub fn contains(&self, key: Key) -> bool {
        self.find(key).is_some()
    }

    /// The key of a number.
    #[inline]
    pub fn key(&self, at: u32) -> Key {
        self.keys[at as usize]
    }

    /// All keys in the order in which they were added.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_touch_each_other() {
        let layout = Layout::new(&[5, 1, 300, 2], 2).unwrap();
        let mut key = 0;
        for (part, class) in [(0, 4), (1, 0), (2, 299), (3, 1), (0, 2)] {
            key = layout.with(key, part, class);
        }
        assert_eq!((0..4).map(|p| layout.get(key, p)).collect::<Vec<_>>(), [2, 0, 299, 1]);
        assert_eq!(layout.rest(key), layout.rest(layout.with(key, 2, 7)));
        assert_ne!(layout.rest(key), layout.rest(layout.with(key, 0, 1)));
        assert!(Layout::new(&[1 << 20; 6], 0).is_some() && Layout::new(&[1 << 20; 7], 0).is_none());
        let full = Layout::new(&[1usize << 32; 4], 3).unwrap();
        let key = full.with(full.with(0, 0, u32::MAX), 3, 5);
        assert_eq!([full.get(key, 0), full.get(key, 1), full.get(key, 3)], [u32::MAX, 0, 5]);
    }

    #[test]
    fn a_key_is_added_once() {
        let mut triples = Triples::default();
        assert_eq!(
            [triples.insert(9), triples.insert(1 << 100), triples.insert(9)],
            [(0, true), (1, true), (0, false)]
        );
        assert_eq!((triples.find(1 << 100), triples.find(3), triples.len()), (Some(1), None, 2));
    }
}
