//! Cluster tools in a row, for wafers: `cluster`, `cluster-blocking`.
//!
//! After the linear cluster tools of Su, van Schuppen and Rooda. Tool i has a robot and a chamber, and passes wafers to tool i + 1 and back over
//! buffers with one place. A wafer is worked on in the chamber of each tool on its way in, and comes back through all buffers.
//!
//! | event | the robot of tool i |
//! | --- | --- |
//! | `enter`i, `start`i | fetches a wafer from where it comes in, puts it into the chamber |
//! | `finish`i, `pass`i | fetches it from the chamber, puts it into the buffer to the next tool; in the last one, into the way back |
//! | `fetch`i, `leave`i | fetches a wafer that comes back from the next tool, puts it into the buffer to the tool before |
//!
//! `work`i is the chamber's own. Wafers come to tool 0 without end, and leave it. A robot fetches a wafer only where there is a place for
//! it: the place is reserved in the same step.
//!
//! | family | between tools | verdict |
//! | --- | --- | --- |
//! | `cluster` | a buffer for each direction | nonblocking |
//! | `cluster-blocking` | one buffer for both | blocking: a wafer on its way in and one on its way out wait for each other's place |
//!
//! Chosen: one chamber for each tool.

use super::{Plants, Step};
use crate::Instance;

/// Two buffers between tools.
pub(crate) fn two_ways(size: usize, _seed: u64) -> Instance {
    tools(size, true).finish(true, "wafers that come back are in nobody's way")
}

/// One buffer between tools.
pub fn one_way(size: usize, _seed: u64) -> Instance {
    tools(size, false).finish(false, "a wafer goes in while the one before it comes out")
}

fn tools(size: usize, two_ways: bool) -> Plants {
    let mut plants = Plants::default();
    for i in 0..size {
        let event = |what: &str| format!("{what}{i}");
        let last = i + 1 == size;
        let mut robot: Vec<Step<'_>> = vec![
            ("free", event("enter"), "brings"),
            ("brings", event("start"), "free"),
            ("free", event("finish"), "takes"),
            ("takes", event("pass"), "free"),
        ];
        let mut states = vec!["free", "brings", "takes"];
        if !last {
            robot.extend([("free", event("fetch"), "returns"), ("returns", event("leave"), "free")]);
            states.push("returns");
        }
        plants.add(event("robot"), &states, robot);
        let chamber: Vec<Step<'_>> = vec![
            ("empty", event("enter"), "reserved"),
            ("reserved", event("start"), "busy"),
            ("busy", event("work"), "done"),
            ("done", event("finish"), "empty"),
        ];
        plants.add(event("chamber"), &["empty", "reserved", "busy", "done"], chamber);
        if i == 0 {
            continue;
        }
        // Between the tool before and this one.
        let before = |what: &str| format!("{what}{}", i - 1);
        let inward: Vec<Step<'_>> = vec![
            ("empty", before("finish"), "coming"),
            ("coming", before("pass"), "in"),
            ("in", event("enter"), "empty"),
        ];
        let (reserve, put) = if last { (event("finish"), event("pass")) } else { (event("fetch"), event("leave")) };
        let outward: Vec<Step<'_>> =
            vec![("empty", reserve, "going"), ("going", put, "out"), ("out", before("fetch"), "empty")];
        if two_ways {
            plants.add(event("in"), &["empty", "coming", "in"], inward);
            plants.add(event("out"), &["empty", "going", "out"], outward);
        } else {
            let both = inward.into_iter().chain(outward).collect();
            plants.add(event("buffer"), &["empty", "coming", "in", "going", "out"], both);
        }
    }
    plants
}
