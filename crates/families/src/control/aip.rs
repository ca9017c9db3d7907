//! A manufacturing cell with a central loop: `aip`, `aip-blocking`.
//!
//! After the Atelier Inter-établissement de Productique, in which pallets go round a central loop, and transfer units let them into side loops
//! with assembly stations and back.
//!
//! | part | states |
//! | --- | --- |
//! | `section`k of the central loop | empty, or with a pallet that is raw or finished |
//! | `side`k | idle, working, ready; `in`k takes a raw pallet out of section k, `back`k puts it there finished |
//! | `limit` (`aip` only) | pallets that are in the cell |
//!
//! Pallets come into section 0 (`enter`) and leave it finished (`leave`); `raw`k and `done`k move a pallet from section k to the next one.
//!
//! | family | | verdict |
//! | --- | --- | --- |
//! | `aip` | fewer pallets than sections | nonblocking |
//! | `aip-blocking` | as many as come | blocking: the loop is full of raw pallets, and no station is idle |
//!
//! Chosen: a section holds one pallet, a side loop one, any station finishes any pallet. The original has three stations, two kinds of products
//! and sensors and gates in between.

use super::{Plants, Step};
use crate::Instance;

/// Fewer pallets than sections.
pub fn limited(size: usize, _seed: u64) -> Instance {
    loops(size, true).finish(true, "there is always an empty section, so pallets can go round")
}

/// As many pallets as come.
pub fn unlimited(size: usize, _seed: u64) -> Instance {
    loops(size, false).finish(false, "the loop is full of raw pallets, and no station is idle")
}

fn loops(size: usize, limited: bool) -> Plants {
    let mut plants = Plants::default();
    for k in 0..size {
        let event = |what: &str| format!("{what}{k}");
        let before = |what: &str| format!("{what}{}", (k + size - 1) % size);
        let mut section: Vec<Step<'_>> = vec![
            ("empty", before("raw"), "raw"),
            ("empty", before("done"), "finished"),
            ("raw", event("raw"), "empty"),
            ("finished", event("done"), "empty"),
            ("raw", event("in"), "empty"),
            ("empty", event("back"), "finished"),
        ];
        if k == 0 {
            section.extend([("empty", "enter".into(), "raw"), ("finished", "leave".into(), "empty")]);
        }
        plants.add(event("section"), &["empty", "raw", "finished"], section);
        let side: Vec<Step<'_>> = vec![
            ("idle", event("in"), "working"),
            ("working", event("work"), "ready"),
            ("ready", event("back"), "idle"),
        ];
        plants.add(event("side"), &["idle", "working", "ready"], side);
    }
    if limited {
        plants.count("limit", size - 1, &["enter".into()], &["leave".into()]);
    }
    plants
}
