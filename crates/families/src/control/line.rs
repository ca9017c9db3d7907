//! Wonham's transfer line: `line`, `line-blocking`.
//!
//! Station i has a buffer of three places, a machine, a buffer of one place and a test unit. The test unit sends a workpiece on to the next
//! station or back to the first buffer of its own.
//!
//! | part of station i | its events |
//! | --- | --- |
//! | `machine` | `load`i from the first buffer, `unload`i into the second |
//! | `test` | `test`i from the second buffer; `good`i then `accept`i, or `bad`i then `reject`i |
//! | `first`, three places | filled by `accept` of the station before and by `reject`i |
//! | `second`, one place | filled by `unload`i |
//! | `limit` (`line` only) | at most five workpieces in the station |
//!
//! | family | | verdict |
//! | --- | --- | --- |
//! | `line` | with `limit` | nonblocking |
//! | `line-blocking` | without | blocking: six workpieces fill a station, the one that was tested is bad and has no place to go to |
//!
//! Chosen: buffers do not overflow, who has no place to put a workpiece waits; the test unit decides before it moves, or it could always
//! call a workpiece good. Workpieces come to station 0 without end (`accept-1`) and leave the last one.

use super::{Plants, Step};
use crate::Instance;

/// As many workpieces in a station as can get out again.
const MOST: usize = 5;

/// With a limit for each station.
pub fn limited(size: usize, _seed: u64) -> Instance {
    stations(size, true).finish(true, "a bad workpiece finds a place in the first buffer")
}

/// Without limits.
pub fn unlimited(size: usize, _seed: u64) -> Instance {
    stations(size, false).finish(false, "a full station cannot take its bad workpiece back")
}

fn stations(size: usize, limited: bool) -> Plants {
    let mut plants = Plants::default();
    for i in 0..size {
        let event = |what: &str| format!("{what}{i}");
        let coming = format!("accept{}", i as isize - 1);
        let machine: Vec<Step<'_>> = vec![("idle", event("load"), "busy"), ("busy", event("unload"), "idle")];
        plants.add(event("machine"), &["idle", "busy"], machine);
        let test: Vec<Step<'_>> = vec![
            ("idle", event("test"), "busy"),
            ("busy", event("good"), "good"),
            ("busy", event("bad"), "bad"),
            ("good", event("accept"), "idle"),
            ("bad", event("reject"), "idle"),
        ];
        plants.add(event("test"), &["idle", "busy", "good", "bad"], test);
        plants.count(event("first"), 3, &[coming.clone(), event("reject")], &[event("load")]);
        plants.count(event("second"), 1, &[event("unload")], &[event("test")]);
        if limited {
            plants.count(event("limit"), MOST, &[coming], &[event("accept")]);
        }
    }
    plants
}
