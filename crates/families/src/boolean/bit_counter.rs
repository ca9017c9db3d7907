//! The n-bit counter of the paper's Section II (Fig. 2): `bit-counter`.
//!
//! | part | variable | after the step |
//! | --- | --- | --- |
//! | `cell`j | `bit` (at first 0) | `bit` ⊕ `in` |
//! | | `in` | the `out` of the cell below; that of cell 1 is true at first and then anything, as in the paper's T₁ |
//! | | `out` | `bit` ∧ `in` |
//!
//! As in the paper, `out` and the carries of higher cells are anything at first. Property j: `out`, `bit` and `in` of cell j are
//! not all true. The cell itself is all that matters.

use super::{BooleanSystem, draft::Draft};

/// `size` cells.
pub fn cells(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    let mut below = None;
    for j in 1..=size {
        let cell = draft.part(format!("cell{j}"));
        let bit = draft.truth(cell, "bit", false);
        let carry = match below {
            None => draft.truth(cell, "in", true),
            Some(_) => draft.open(cell, "in"),
        };
        let out = draft.open(cell, "out");
        let [is_bit, is_in, is_out] = [&bit, &carry, &out].map(|word| draft.is(word, 1));
        let (both, one) = (draft.all([is_bit, is_in]), draft.any([is_bit, is_in]));
        let sum = draft.all([one, !both]);
        draft.next(cell, &bit, &[(sum, 1), (!sum, 0)]);
        draft.next(cell, &out, &[(both, 1), (!both, 0)]);
        if let Some(below) = below {
            draft.next(cell, &carry, &[(below, 1), (!below, 0)]);
        }
        below = Some(is_out);
        let bad = draft.all([is_out, is_bit, is_in]);
        draft.never(format!("cell{j}: out, bit and in are not all true"), bad);
    }
    draft.finish()
}
