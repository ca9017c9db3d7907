//! Mutual exclusion of two processes: `mutex`.
//!
//! The running example of B. Finkbeiner, S. Schewe and M. Brill, *Automatic Synthesis of Assumptions for Compositional Model
//! Checking*, Figure 1: request (r), obtain (c) and release (n) a resource, each action taken by both processes together. The
//! figure is a drawing; this system has all that the text says of it: nine states each, named as there; m to p unreachable
//! and merged into R going forward; k, l and R, and q and r, merged going backward; and {b, …, g}, {h, i} an abstraction of the
//! first process that suffices for the forward step.
//!
//! It was chosen for that, among protocols of this kind, and with the reading of Figure 2 that makes every step it does not show an
//! error; with milder readings (the pattern below, for one) the assumption has four states. That the classes are the paper's shows
//! that the method can give them, not that this is the system of the figure.
//!
//! A process knows what itself and the other one do: nothing (a, j), one of them requests (b, c; k, l), both are busy (d to g; m to p),
//! one has the resource (h, i; q, r). It would request at any time and enters without looking. What keeps the other one out is
//! that it takes part in no request of the other while it is busy itself.

use super::family::{Builder, Instance, Suggested, state_names};
use prequel_formats::{aut, monitor, pattern};
use prequel_model::{Component, Lts, Monitor, Network, StateId, Transition};

/// Edges of the first process by its states' letters; the second has the same with 1 and 2 exchanged.
const EDGES: [(&str, &str); 15] = [
    ("ab", "r1"),
    ("ac", "r2"),
    ("bh", "c1"),
    ("ci", "c2"),
    ("ha", "n1"),
    ("ia", "n2"),
    ("cd", "r1"),
    ("ie", "r1"),
    ("df", "c1"),
    ("eg", "c1"),
    ("eb", "n2"),
    ("ee", "c2"),
    ("fc", "n1"),
    ("gi", "n1"),
    ("gh", "n2"),
];

/// The two processes.
pub fn pair(_size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    for (name, letters, own) in [("M", "abcdefghi", ['1', '2']), ("N", "jklmnopqr", ['2', '1'])] {
        let edge = |(states, action): &(&str, &str)| {
            let [from, to] = [0, 1].map(|at| u32::from(states.as_bytes()[at] - b'a'));
            let (action, who) = action.split_at(1);
            let label = build.labels.intern(&format!("{action}{}", own[usize::from(who == "2")]));
            Transition::new(from, label, to)
        };
        let lts = Lts::new(StateId(0), letters.len(), EDGES.iter().map(edge).collect());
        let names: Vec<&str> = letters.split("").filter(|letter| !letter.is_empty()).collect();
        build.add(Component::new(name, lts), &state_names(&names));
    }
    let mut instance = build.finish();
    let text = "at-most(1, {c1, c2}, {n1, n2})";
    let (monitor, _) = pattern::monitor(text, &instance.network).expect("its labels are those of the network");
    instance.queries.push(Suggested::pattern(text, monitor, true, "nobody enters before a release"));
    instance
}

/// Figure 2, a property in the paper's sense: a step that it does not have is an error.
pub const PROPERTY: &str = "des (0,4,3)\n(0,\"c1\",1)\n(0,\"c2\",2)\n(1,\"n1\",0)\n(2,\"n2\",0)\n";

/// The monitor of [`PROPERTY`].
pub fn property(network: &Network) -> Monitor {
    let read = monitor::property("Figure 2", PROPERTY.as_bytes(), &aut::Dialect::default(), network);
    read.expect("its labels are those of the network").0
}
