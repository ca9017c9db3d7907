//! Dining philosophers, all at once: `dining`, the rows DP of Table I.
//!
//! | part | values of `at` | what happens |
//! | --- | --- | --- |
//! | `philosopher`i | thinks, hungry, left, eats | takes fork i, then fork i + 1, eats, and puts both back |
//! | `fork`i | free, left, right | lies between philosophers i - 1 and i; `left`: philosopher i has it as his left one, `right`: the other |
//!
//! Property i: philosophers i and i + 1 do not eat at the same time. Chosen: who is hungry, how long one eats, and who gets a fork
//! that both want, are free; a philosopher sees one step later that he has a fork.

use super::{BooleanSystem, draft::Draft};

const HUNGRY: usize = 1;
const LEFT: usize = 2;
const EATS: usize = 3;
const FORK_LEFT: usize = 1;
const FORK_RIGHT: usize = 2;

/// `size` philosophers and as many forks.
pub fn philosophers(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    let all: Vec<_> = (0..size)
        .map(|i| {
            let (philosopher, fork) = (draft.part(format!("philosopher{i}")), draft.part(format!("fork{i}")));
            let at = draft.names(philosopher, "at", &["thinks", "hungry", "left", "eats"]);
            let go = draft.free(philosopher, "go");
            let has = draft.names(fork, "at", &["free", "left", "right"]);
            let toss = draft.free(fork, "toss");
            (philosopher, at, go, fork, has, toss)
        })
        .collect();
    let mut eats = Vec::new();
    for i in 0..size {
        let (philosopher, at, go, fork, has, toss) = &all[i];
        let (_, other_at, other_go, ..) = &all[(i + size - 1) % size];
        let right_fork = &all[(i + 1) % size].4;
        let [thinks, hungry, left, eating] = [0, HUNGRY, LEFT, EATS].map(|value| draft.is(at, value));
        let (mine, right) = (draft.is(has, FORK_LEFT), draft.is(right_fork, FORK_RIGHT));
        let cases = [
            (draft.all([thinks, *go]), HUNGRY),
            (draft.all([hungry, mine]), LEFT),
            (draft.all([left, right]), EATS),
            (draft.all([eating, *go]), 0),
        ];
        draft.next(*philosopher, at, &cases);
        eats.push(eating);
        let (free, other_has) = (draft.is(has, 0), draft.is(has, FORK_RIGHT));
        let (other_wants, other_eats) = (draft.is(other_at, LEFT), draft.is(other_at, EATS));
        let goes_right = draft.all([other_wants, *toss]);
        let cases = [
            (draft.all([free, hungry, !goes_right]), FORK_LEFT),
            (draft.all([free, other_wants]), FORK_RIGHT),
            (draft.all([mine, eating, *go]), 0),
            (draft.all([other_has, other_eats, *other_go]), 0),
        ];
        draft.next(*fork, has, &cases);
    }
    for i in 0..size {
        let bad = draft.all([eats[i], eats[(i + 1) % size]]);
        draft.never(format!("philosophers {i} and {} do not both eat", (i + 1) % size), bad);
    }
    draft.finish()
}
