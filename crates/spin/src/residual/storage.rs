//! How SPIN keeps variables in its states, as far as that decides how long a state is.
//!
//! The variables of a process follow its number and its place; those of one type stand together, bit-fields first, single ones before
//! arrays. What everybody shares and each process begins at a whole word, so a narrower type counts only where that saves a word.
//!
//! SPIN leaves bytes behind the last variable of a process out of its states, and counts bit-fields as if they could begin in one unit
//! of 32 bits and end in the next. They cannot: a process that ends with bit-fields of more than 32 bits would lose the last of them.

use prequel_formats::promela::syntax::{Declaration, Model, Type};
use prequel_program::Program;

/// The types in the order in which they stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kept {
    /// `unsigned x : n`.
    Unsigned(u32),
    /// `bit` and `bool`.
    Bit,
    /// `byte` and `pid`.
    Byte,
    /// `chan` and `mtype`.
    Name,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// A type of the user's, in bytes and what it is aligned to.
    User,
}

/// A variable: its type, and how many elements it has, if it is an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Its type.
    pub kept: Kept,
    /// Its elements.
    pub array: Option<u32>,
}

impl Stored {
    /// How a variable of a declaration is kept, which has so many cells; nothing if its width is not known.
    pub fn of(declaration: &Declaration, number: usize, cells: usize) -> Option<Self> {
        let variable = &declaration.variables[number];
        let kept = match &declaration.ty {
            Type::Bit | Type::Bool => Kept::Bit,
            Type::Byte | Type::Pid => Kept::Byte,
            Type::Short => Kept::Short,
            Type::Int => Kept::Int,
            Type::Unsigned => Kept::Unsigned(variable.width?),
            Type::Chan | Type::Mtype(_) => Kept::Name,
            Type::User(_) => Kept::User,
        };
        let elements = if kept == Kept::User { Some(cells as u32) } else { None };
        Some(Self { kept, array: elements.or_else(|| variable.size.is_some().then_some(cells as u32)) })
    }
}

/// A word, to which what everybody shares and each process are filled up.
const WORD: u32 = 8;
/// The bits of a unit of bit-fields.
const UNIT: u32 = 32;

/// At least so many bits are for the number of a process, its kind and its place.
const LEAST_HEAD: u32 = 10;

/// At most so many are.
pub fn most_head(model: &Model, program: &Program) -> u32 {
    let states = program.proctypes.iter().map(|kind| {
        let transitions: usize = kind.states.iter().map(|state| state.transitions.len()).sum();
        4 * (kind.states.len() + transitions) + 20
    });
    let bits = |most: usize| usize::BITS - most.leading_zeros() + 1;
    8 + bits(model.units.len() + 1) + bits(states.max().unwrap_or(0)).max(9)
}

/// Whether SPIN may lose a part of variables of a process, for whose number and place there are so many bits at most.
pub fn loses(most_head: u32, variables: &[Stored]) -> bool {
    let mut ordered = variables.to_vec();
    ordered.sort_by_key(|stored| place(*stored));
    let crosses = |head: u32| {
        let mut bits = head;
        ordered.iter().map(|stored| field(*stored)).take_while(|&width| width > 0).any(|width| {
            let crosses = bits % UNIT + width > UNIT;
            bits += width;
            crosses
        })
    };
    ends_in_field(variables) && (LEAST_HEAD..=most_head).any(crosses)
}

/// Whether the last of them is a bit-field.
fn ends_in_field(variables: &[Stored]) -> bool {
    let last = variables.iter().map(|stored| place(*stored)).max();
    last.is_some_and(|last| last < place(Stored { kept: Kept::Bit, array: Some(1) }))
}

/// Whose variables they are.
#[derive(Clone, Copy, Debug)]
pub enum Owner {
    /// Everybody's.
    Everybody,
    /// Those of a process; at most so many bits are for its number and its place.
    Process(u32),
}

impl Owner {
    /// How many bytes variables take, filled up. What comes before those that everybody shares is 6 bytes, or 8 where cycles are looked
    /// for: both count.
    pub fn size(self, variables: &[Stored]) -> u32 {
        let filled = |first: u32| bytes(first, variables).div_ceil(WORD) * WORD;
        match self {
            Owner::Everybody => filled(6 * 8) + filled(8 * 8),
            Owner::Process(bits) => filled(bits),
        }
    }

    /// Whether SPIN keeps all of them.
    pub fn keeps_all(self, variables: &[Stored]) -> bool {
        let Owner::Process(bits) = self else { return true };
        let fields = variables.iter().map(|stored| field(*stored));
        !ends_in_field(variables) || bits + fields.sum::<u32>() <= UNIT
    }
}

/// Where a variable stands among others.
fn place(stored: Stored) -> (u32, bool) {
    let order = match stored.kept {
        Kept::Unsigned(_) => 0,
        Kept::Bit => 1,
        Kept::Byte => 2,
        Kept::Name => 3,
        Kept::Short => 4,
        Kept::Int => 5,
        Kept::User => 6,
    };
    (order, stored.array.is_some())
}

/// The bits of a bit-field; none of what is no bit-field.
fn field(stored: Stored) -> u32 {
    match stored {
        Stored { kept: Kept::Unsigned(bits), array: None } => bits,
        Stored { kept: Kept::Bit, array: None } => 1,
        _ => 0,
    }
}

/// The bytes of variables behind so many bits.
fn bytes(first: u32, variables: &[Stored]) -> u32 {
    let mut ordered = variables.to_vec();
    ordered.sort_by_key(|stored| place(*stored));
    let mut bits = first;
    for stored in ordered {
        let unit = match stored.kept {
            _ if field(stored) > 0 => {
                let width = field(stored);
                if bits % UNIT + width > UNIT {
                    bits = bits.next_multiple_of(UNIT);
                }
                bits += width;
                continue;
            }
            Kept::Unsigned(_) | Kept::Bit | Kept::Byte | Kept::Name => 8,
            Kept::Short => 16,
            Kept::Int | Kept::User => 32,
        };
        bits = bits.next_multiple_of(unit) + unit * stored.array.unwrap_or(1);
    }
    bits.div_ceil(UNIT) * (UNIT / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: Stored = Stored { kept: Kept::Byte, array: None };
    const BIT: Stored = Stored { kept: Kept::Bit, array: None };

    #[test]
    fn bytes_of_a_process_are_those_of_a_c_struct() {
        // struct { unsigned pid : 8, t : 2, p : 5; uchar a, b, c; }
        assert_eq!(bytes(15, &[BYTE; 3]), 8);
        assert_eq!(bytes(15, &[BYTE; 2]), 4);
        assert_eq!(bytes(15, &[BIT; 16]), 4);
        assert_eq!(bytes(15, &[BIT; 18]), 8);
        assert_eq!(bytes(15, &[Stored { kept: Kept::Unsigned(20), array: None }; 1]), 8);
        assert_eq!(bytes(15, &[Stored { kept: Kept::Int, array: Some(3) }, BYTE]), 16);
        assert_eq!(Owner::Process(15).size(&[BYTE; 3]), 8);
        assert_eq!(Owner::Process(15).size(&[BYTE; 7]), 16);
    }

    #[test]
    fn a_process_does_not_end_with_fields_that_spin_loses() {
        let wide = Stored { kept: Kept::Unsigned(12), array: None };
        assert!(!Owner::Process(15).keeps_all(&[wide, wide]));
        assert!(Owner::Process(15).keeps_all(&[wide, BIT]));
        assert!(Owner::Process(15).keeps_all(&[wide, wide, BYTE]));
        assert!(Owner::Everybody.keeps_all(&[wide, wide, wide]));
        assert!(loses(20, &[wide, wide]));
        assert!(!loses(20, &[wide, wide, BYTE]) && !loses(20, &[wide]) && !loses(20, &[BIT; 60]));
    }
}
