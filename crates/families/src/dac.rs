//! Divide and conquer: `dac`.
//!
//! Corbett's benchmark as used by Jezequel and Lime, "Lazy Reachability Analysis in Distributed Systems" (CONCUR 2016),
//! Table 1. A process that is called solves its part alone or forks the next process and waits for it; process 0 starts.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | process | 0 | not called yet |
//! | | 1 | called, decides |
//! | | 2 | solves alone |
//! | | 3 | waits for the process it forked |
//! | | 4 | solved, waits to be joined |
//! | | 5 | joined |
//!
//! Labels: `alone`i and `done`i begin and end the work of process i, `fork`i and `join`i are between i - 1 and i.

use super::family::{Builder, Instance, Suggested, all_at, state_names};
use prequel_model::{Component, ComponentId, Lts, StateId, Transition};

/// At most `size` processes.
pub fn processes(size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    let names = state_names(&["idle", "called", "alone", "forked", "solved", "joined"]);
    for i in 0..size {
        let mut label = |name: &str, of: usize| build.labels.intern(&format!("{name}{of}"));
        let mut transitions = vec![Transition::new(1, label("alone", i), 2), Transition::new(2, label("done", i), 4)];
        if i > 0 {
            transitions.extend([Transition::new(0, label("fork", i), 1), Transition::new(4, label("join", i), 5)]);
        }
        if i + 1 < size {
            let (fork, join) = (label("fork", i + 1), label("join", i + 1));
            transitions.extend([Transition::new(1, fork, 3), Transition::new(3, join, 4)]);
        }
        let lts = Lts::new(StateId(u32::from(i == 0)), 6, transitions);
        build.add(Component::new(format!("proc{i}"), lts), &names);
    }
    let mut instance = build.finish();
    let network = &instance.network;
    let alone = |i: usize| all_at([ComponentId::new(i)], 2);
    let queries = [
        Suggested::reach(network, alone(2), true, "the paper's property: a given process can decide to solve alone"),
        Suggested::reach(network, alone(size - 1), true, "all processes before the last one have forked"),
        Suggested::deadlock_free(false, "the computation ends"),
    ];
    instance.queries.extend(queries);
    instance
}
