//! McMillan's synchronous bus arbiter: `sba`, the rows SBA of Table I.
//!
//! K. McMillan, *Symbolic Model Checking* (1992). Cells in a ring; a token goes round, a step a cell. The first cell that asks for the
//! bus gets it, unless a cell that has waited for a whole round of the token overrides this.
//!
//! | part | variable | after the step |
//! | --- | --- | --- |
//! | `cell`a`.`i | `request` | anything |
//! | | `token` (at first that of cell 0) | that of the cell before it |
//! | | `waits` (at first false) | `request` and (`waits` or `token`) |
//!
//! Cell i is acknowledged if it asks and no cell before it does and nobody overrides, or if it has the token, waits and asks. Property:
//! two cells of an arbiter are not acknowledged at once. The table's numbers, 4n components and 6n properties, are those of n
//! arbiters of four cells with a property for each pair of cells, so this is what a size is.

use super::{BooleanSystem, draft::Draft};

const CELLS: usize = 4;

/// `size` arbiters of four cells.
pub(crate) fn arbiters(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    for arbiter in 0..size {
        let cells: Vec<_> = (0..CELLS)
            .map(|i| {
                let cell = draft.part(format!("cell{arbiter}.{i}"));
                let request = draft.free(cell, "request");
                (cell, request, draft.truth(cell, "token", i == 0), draft.truth(cell, "waits", false))
            })
            .collect();
        let (mut overrides, mut tokens) = (Vec::new(), Vec::new());
        for (cell, request, token, waits) in &cells {
            let (has, waiting) = (draft.is(token, 1), draft.is(waits, 1));
            let either = draft.any([waiting, has]);
            let goes_on = draft.all([*request, either]);
            draft.next(*cell, waits, &[(goes_on, 1), (!goes_on, 0)]);
            overrides.push(draft.all([has, waiting, *request]));
            tokens.push(has);
        }
        for (i, (cell, _, token, _)) in cells.iter().enumerate() {
            let before = tokens[(i + CELLS - 1) % CELLS];
            draft.next(*cell, token, &[(before, 1), (!before, 0)]);
        }
        let mut grant = !draft.any(overrides.iter().copied());
        let mut acknowledged = Vec::new();
        for (i, (_, request, ..)) in cells.iter().enumerate() {
            let first = draft.all([grant, *request]);
            acknowledged.push(draft.any([first, overrides[i]]));
            grant = draft.all([grant, !*request]);
        }
        for i in 0..CELLS {
            for j in i + 1..CELLS {
                let bad = draft.all([acknowledged[i], acknowledged[j]]);
                draft.never(format!("arbiter {arbiter}: cells {i} and {j} do not both have the bus"), bad);
            }
        }
    }
    draft.finish()
}
