//! Mutual exclusion by a token that goes round a ring: `token-ring`.
//!
//! Corbett's benchmark as used by Jezequel and Lime, "Lazy Reachability Analysis in Distributed Systems" (CONCUR 2016),
//! Table 1 and section 4.4, where it is the family on which laziness fails: that there is one token only shows in the
//! whole ring.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | cell | 0 | without the token |
//! | | 1 | holds the token |
//! | | 2 | holds it and is in its critical section |
//!
//! Labels: `k`i gives the token to cell i, `e`i and `l`i enter and leave the critical section.

use super::family::{Builder, Instance, Suggested, all_at, state_names};
use prequel_model::{Component, ComponentId, Lts, StateId, Transition};

/// A ring of `size` cells, the token at cell 0.
pub fn ring(size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    let names = state_names(&["without", "token", "critical"]);
    for i in 0..size {
        let next = (i + 1) % size;
        let [comes, goes] = [i, next].map(|to| build.labels.intern(&format!("k{to}")));
        let [enter, leave] = ["e", "l"].map(|l| build.labels.intern(&format!("{l}{i}")));
        let transitions = vec![
            Transition::new(0, comes, 1),
            Transition::new(1, goes, 0),
            Transition::new(1, enter, 2),
            Transition::new(2, leave, 1),
        ];
        let lts = Lts::new(StateId(u32::from(i == 0)), 3, transitions);
        build.add(Component::new(format!("cell{i}"), lts), &names);
    }
    let mut instance = build.finish();
    let (network, half) = (&instance.network, ComponentId::new(size / 2));
    let queries = [
        Suggested::reach(network, all_at([ComponentId(0), half], 2), false, "the paper's property: there is one token"),
        Suggested::reach(network, all_at([half], 2), true, "the token goes round"),
        Suggested::deadlock_free(true, "the token goes round for ever"),
    ];
    instance.queries.extend(queries);
    instance
}
