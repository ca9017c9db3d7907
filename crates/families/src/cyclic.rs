//! Milner's cyclic scheduler: `cyclic`, `cyclic-hard`.
//!
//! Corbett's benchmark as used by Jezequel and Lime, "Lazy Reachability Analysis in Distributed Systems" (CONCUR 2016),
//! Table 1. Cell i starts task i when its turn comes and passes the turn on, before or after the task has finished.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | cell | 0 | idle, waits for the turn |
//! | | 1 | has the turn, is to start its task |
//! | | 2 | has the turn, its task runs |
//! | | 3 | has the turn, its task has finished |
//! | | 4 | has passed the turn on, its task still runs |
//! | task | 0 | idle |
//! | | 1 | waiting to be started |
//! | | 2 | running |
//!
//! Labels: `c`i gives the turn to cell i, `s`i starts task i, `f`i finishes it, `r`i makes it wait again.
//!
//! The paper does not say which state is a task's waiting one; its timings fit only one that a task reaches alone. The hard
//! variant asks for running tasks instead: that needs the cells, and laziness alone does not help.

use super::family::{Builder, Instance, Suggested, all_at, state_names};
use prequel_model::{Component, ComponentId, LabelId, Lts, StateId, Transition};

/// The paper's question: every second task waits.
pub fn easy(size: usize, _seed: u64) -> Instance {
    let why = "the paper's property: one task in two can be waiting together; a task gets there alone";
    asking(size, 1, why)
}

/// The same scheduler: every second task runs.
pub fn hard(size: usize, _seed: u64) -> Instance {
    asking(size, 2, "cells pass the turn on while their tasks run, all round the ring")
}

fn asking(size: usize, state: u32, why: &'static str) -> Instance {
    let mut instance = scheduler(size);
    // Tasks come after the cells.
    let goal = all_at((0..size).step_by(2).map(|i| ComponentId::new(size + i)), state);
    instance.queries.push(Suggested::reach(&instance.network, goal, true, why));
    instance.queries.push(Suggested::deadlock_free(true, "the turn goes round for ever"));
    instance
}

fn scheduler(size: usize) -> Instance {
    let mut build = Builder::default();
    let mut each =
        |name: &str| -> Vec<LabelId> { (0..size).map(|i| build.labels.intern(&format!("{name}{i}"))).collect() };
    let (turn, start, finish, ready) = (each("c"), each("s"), each("f"), each("r"));
    let names = state_names(&["idle", "turn", "turn, running", "turn, finished", "running"]);
    for i in 0..size {
        let next = turn[(i + 1) % size];
        let transitions = vec![
            Transition::new(0, turn[i], 1),
            Transition::new(1, start[i], 2),
            Transition::new(2, finish[i], 3),
            Transition::new(2, next, 4),
            Transition::new(3, next, 0),
            Transition::new(4, finish[i], 0),
        ];
        let lts = Lts::new(StateId(u32::from(i == 0)), 5, transitions);
        build.add(Component::new(format!("cell{i}"), lts), &names);
    }
    let names = state_names(&["idle", "waiting", "running"]);
    for i in 0..size {
        let transitions =
            vec![Transition::new(0, ready[i], 1), Transition::new(1, start[i], 2), Transition::new(2, finish[i], 0)];
        build.add(Component::new(format!("task{i}"), Lts::new(StateId(0), 3, transitions)), &names);
    }
    build.finish()
}
