//! Automated guided vehicles: `agv`, `agv-ring`.
//!
//! After the plant of Holloway and Krogh, in which vehicles carry parts between workstations and their paths cross in zones that hold one
//! vehicle at a time. Vehicle i loads a part at station i and brings it to station i + 1, through zone i and then zone i + 1; empty it
//! comes back the same way.
//!
//! | part | states |
//! | --- | --- |
//! | `vehicle`i | home, loaded, in the first and second zone, there, and back; events `load`i, `out`i`.`1 to 3, `unload`i, `back`i`.`1 to 3 |
//! | `zone`z | free or taken |
//! | `station`s | empty or full; parts come to station 0 without end and leave the last one |
//!
//! | family | zones | verdict |
//! | --- | --- | --- |
//! | `agv` | in a row: the last vehicle's second zone is its own | nonblocking |
//! | `agv-ring` | in a ring: it is the first vehicle's first zone | blocking: every vehicle is in a zone and waits for the next one |
//!
//! Chosen: one station between neighbours, with one place; a vehicle leaves a zone in the step in which it enters the next.

use super::{Plants, Step};
use crate::Instance;

/// Zones in a row.
pub fn row(size: usize, _seed: u64) -> Instance {
    vehicles(size, size + 1).finish(true, "the last vehicle can always go on, then the one before it")
}

/// Zones in a ring.
pub fn ring(size: usize, _seed: u64) -> Instance {
    vehicles(size, size).finish(false, "all vehicles go the same way and each waits for the next zone")
}

fn vehicles(size: usize, zones: usize) -> Plants {
    let mut plants = Plants::default();
    let mut taken: Vec<Vec<Step<'_>>> = vec![Vec::new(); zones];
    for i in 0..size {
        let event = |what: &str| format!("{what}{i}");
        let steps: Vec<Step<'_>> = vec![
            ("home", event("load"), "loaded"),
            ("loaded", format!("out{i}.1"), "out 1"),
            ("out 1", format!("out{i}.2"), "out 2"),
            ("out 2", format!("out{i}.3"), "there"),
            ("there", event("unload"), "empty"),
            ("empty", format!("back{i}.1"), "back 1"),
            ("back 1", format!("back{i}.2"), "back 2"),
            ("back 2", format!("back{i}.3"), "home"),
        ];
        let states = ["home", "loaded", "out 1", "out 2", "there", "empty", "back 1", "back 2"];
        plants.add(event("vehicle"), &states, steps);
        let [first, second] = [i, (i + 1) % zones];
        for (way, [one, two]) in [("out", [first, second]), ("back", [second, first])] {
            taken[one].extend([("free", format!("{way}{i}.1"), "taken"), ("taken", format!("{way}{i}.2"), "free")]);
            taken[two].extend([("free", format!("{way}{i}.2"), "taken"), ("taken", format!("{way}{i}.3"), "free")]);
        }
    }
    for (z, steps) in taken.into_iter().enumerate() {
        plants.add(format!("zone{z}"), &["free", "taken"], steps);
    }
    for s in 1..size {
        plants.count(format!("station{s}"), 1, &[format!("unload{}", s - 1)], &[format!("load{s}")]);
    }
    plants
}
