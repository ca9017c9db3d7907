//! Milner's cyclic scheduler: `scheduler`.
//!
//! A cell that has the turn starts its task and passes the turn on; it takes the next turn before or after its task has ended, but
//! starts the task only when both have happened. Cells other than the first wait for their first turn in a state of its own. These
//! are the processes, states, transitions and reachable states of the classic net; `cyclic` has tasks that get ready by themselves.

use crate::family::{Instance, Suggested};
use crate::system::System;

/// `size` cells and their tasks.
pub fn scheduler(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let first = if i == 0 { String::new() } else { format!("waits -turn{i}-> ready; ") };
        let next = (i + 1) % size;
        system.chart(
            format!("cell{i}"),
            &format!(
                "{first}ready -start{i}-> started -turn{next}-> runs -end{i}-> idle -turn{i}-> ready; \
                 runs -turn{i}-> again -end{i}-> ready"
            ),
        );
        system.chart(format!("task{i}"), &format!("idle -start{i}-> runs -end{i}-> idle"));
    }
    let mut instance = system.finish();
    instance.queries = vec![
        Suggested::deadlock_free(true, "the turn goes round for ever"),
        Suggested::pattern_on(&instance.network, "precedes(start0, start1)", true, "the first cell has the first turn"),
    ];
    instance
}
