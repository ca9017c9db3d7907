//! A flexible manufacturing system: `fms`, `fms-blocking`.
//!
//! After the plant of de Queiroz, Cury and Wonham. Conveyors bring blocks and pegs; a robot carries them to a mill, a lathe and on to an assembly
//! machine; some pegs are painted, and a third conveyor takes these from the robot's place to the painting device and back.
//!
//! | device | events | from | to |
//! | --- | --- | --- | --- |
//! | `conveyor1`, `conveyor2` | `block`, `block.in`; `peg`, `peg.in` | outside | B1, B2 |
//! | `robot` | `r13`, `r24`, `r35`, `r46`, `r47`, each with `.in` | B1, B2, B3, B4, B4 | B3, B4, B5, B6, B7 |
//! | `mill`, `lathe` | `mill`; `turn` or `cone`; each with `.in` | B3, B4 | the same |
//! | `conveyor3` | `c78`, `c87`, with `.in` | B7, B8 | B8, B7 |
//! | `painter` | `paint`, `paint.in` | B8 | B8 |
//! | `assembly` | `base`, then `plain` or `painted`, then `product` | B5, B6 or B7 | outside |
//!
//! Buffers have one place, and are reserved when something is fetched for them. A product is the block of the next cell: cell i has `size` - 1 - i
//! cells behind it. Events have the number of the cell.
//!
//! | family | B7 | verdict |
//! | --- | --- | --- |
//! | `fms` | stays reserved for the peg that is being painted | nonblocking |
//! | `fms-blocking` | is free for the next peg meanwhile | blocking: the painted peg cannot come back, the next one cannot go |
//!
//! Chosen: cells in a row, as the original is one cell; a supervisor for each buffer that reserves it.

use super::{Plants, Step};
use crate::Instance;

/// Nothing comes to B7 while its peg is being painted.
pub fn reserved(size: usize, _seed: u64) -> Instance {
    cells(size, true).finish(true, "a painted peg always finds its place")
}

/// B7 is free while its peg is being painted.
pub fn careless(size: usize, _seed: u64) -> Instance {
    cells(size, false).finish(false, "a peg comes to where the painted one must come back to")
}

fn cells(size: usize, reserved: bool) -> Plants {
    let mut plants = Plants::default();
    for cell in 0..size {
        machines(&mut plants, cell);
        buffers(&mut plants, cell, reserved);
        if cell + 1 < size {
            plants.count(format!("between{cell}"), 1, &[format!("product{cell}")], &[format!("block{}", cell + 1)]);
        }
    }
    plants
}

/// What works in a cell.
fn machines(plants: &mut Plants, cell: usize) {
    let event = |what: &str| format!("{what}{cell}");
    // A device that does one of some things at a time.
    let device = |things: &[&'static str]| -> (Vec<&'static str>, Vec<Step<'static>>) {
        let steps = things.iter().flat_map(|&t| [("idle", event(t), t), (t, event(&format!("{t}.in")), "idle")]);
        (["idle"].iter().chain(things).copied().collect(), steps.collect())
    };
    for (name, things) in [
        ("conveyor1", &["block"][..]),
        ("conveyor2", &["peg"]),
        ("robot", &["r13", "r24", "r35", "r46", "r47"]),
        ("mill", &["mill"]),
        ("lathe", &["turn", "cone"]),
        ("conveyor3", &["c78", "c87"]),
        ("painter", &["paint"]),
    ] {
        let (states, steps) = device(things);
        plants.add(event(name), &states, steps);
    }
    let assembly: Vec<Step<'_>> = vec![
        ("idle", event("base"), "base"),
        ("base", event("plain"), "ready"),
        ("base", event("painted"), "ready"),
        ("ready", event("product"), "idle"),
    ];
    plants.add(event("assembly"), &["idle", "base", "ready"], assembly);
}

/// What pieces lie in between.
fn buffers(plants: &mut Plants, cell: usize, reserved: bool) {
    let event = |what: &str| format!("{what}{cell}");
    // Reserved by the first event, filled by the second, emptied by the third.
    let simple = |by: [&str; 3]| -> Vec<Step<'static>> {
        let [reserve, fill, fetch] = by.map(event);
        vec![("empty", reserve, "reserved"), ("reserved", fill, "full"), ("full", fetch, "empty")]
    };
    for (name, by) in [
        ("B1.", ["block", "block.in", "r13"]),
        ("B2.", ["peg", "peg.in", "r24"]),
        ("B5.", ["r35", "r35.in", "base"]),
        ("B6.", ["r46", "r46.in", "plain"]),
    ] {
        plants.add(event(name), &["empty", "reserved", "full"], simple(by));
    }
    let worked = ["empty", "reserved", "raw", "away", "done"];
    let b3: Vec<Step<'_>> = vec![
        ("empty", event("r13"), "reserved"),
        ("reserved", event("r13.in"), "raw"),
        ("raw", event("mill"), "away"),
        ("away", event("mill.in"), "done"),
        ("done", event("r35"), "empty"),
    ];
    plants.add(event("B3."), &worked, b3);
    let b4: Vec<Step<'_>> = vec![
        ("empty", event("r24"), "reserved"),
        ("reserved", event("r24.in"), "raw"),
        ("raw", event("turn"), "away"),
        ("raw", event("cone"), "away"),
        ("away", event("turn.in"), "round"),
        ("away", event("cone.in"), "cone"),
        ("round", event("r46"), "empty"),
        ("cone", event("r47"), "empty"),
    ];
    plants.add(event("B4."), &["empty", "reserved", "raw", "away", "round", "cone"], b4);
    let b7: Vec<Step<'_>> = vec![
        ("empty", event("r47"), "reserved"),
        ("reserved", event("r47.in"), "raw"),
        ("raw", event("c78"), if reserved { "away" } else { "empty" }),
        (if reserved { "away" } else { "empty" }, event("c87.in"), "done"),
        ("done", event("painted"), "empty"),
    ];
    plants.add(event("B7."), &worked, b7);
    let b8: Vec<Step<'_>> = vec![
        ("empty", event("c78"), "reserved"),
        ("reserved", event("c78.in"), "raw"),
        ("raw", event("paint"), "away"),
        ("away", event("paint.in"), "done"),
        ("done", event("c87"), "empty"),
    ];
    plants.add(event("B8."), &worked, b8);
}
