//! A binary counter: `counter`.
//!
//! In the spirit of the n-bit counter that is the running example of Lin, Sun, Nguyen, Liu and Dong, "Interpolation Guided
//! Compositional Verification" (ASE 2015), Fig. 2. There, cells share carry variables; here it is a network: one component per bit, bit 0 the lowest. Adding one turns the ones below the lowest zero into zeros and that zero
//! into a one, in a single step: label `carry`k moves bits 0 to k together. `overflow` turns all ones into all zeros.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | bit | 0 | zero |
//! | | 1 | one |
//!
//! The counter is deterministic and passes through all 2^n states; the last one is 2^n - 1 steps away. Bit i takes part in
//! n - i + 1 labels, so that an instance is of quadratic size.

use super::family::{Builder, Instance, Suggested, all_at, state_names};
use prequel_model::{Component, ComponentId, LabelId, Lts, StateId, Transition};

/// A counter of `size` bits.
pub fn bits(size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    let names = state_names(&["zero", "one"]);
    let carry: Vec<LabelId> = (0..size).map(|k| build.labels.intern(&format!("carry{k}"))).collect();
    let overflow = build.labels.intern("overflow");
    for i in 0..size {
        let mut transitions = vec![Transition::new(0, carry[i], 1)];
        transitions.extend(carry[i + 1..].iter().map(|&higher| Transition::new(1, higher, 0)));
        transitions.push(Transition::new(1, overflow, 0));
        build.add(Component::new(format!("bit{i}"), Lts::new(StateId(0), 2, transitions)), &names);
    }
    let mut instance = build.finish();
    let (network, all) = (&instance.network, (0..size).map(ComponentId::new));
    let queries = [
        Suggested::reach(network, all_at(all, 1), true, "the last of 2^n states, 2^n - 1 steps away"),
        Suggested::reach(network, all_at([ComponentId::new(size - 1)], 1), true, "the highest bit, 2^(n-1) steps away"),
        Suggested::deadlock_free(true, "the counter starts again at zero"),
    ];
    instance.queries.extend(queries);
    instance
}
