//! Dining philosophers with marks: `diners`, `diners-mixed`.
//!
//! Philosopher i takes fork i and fork i + 1 and eats; then the forks go back one after the other. At home everybody thinks and every fork
//! is on the table.
//!
//! | family | who | verdict |
//! | --- | --- | --- |
//! | `diners` | all take the left fork first | blocking: everybody holds one fork, after `size` steps |
//! | `diners-mixed` | philosopher 0 takes the right fork first | nonblocking |
//!
//! Chosen: two automata for each philosopher, itself and its fork; events `take`i`.`j and `put`i`.`j with j the fork.

use super::{Plants, Step};
use crate::Instance;

/// All take the left fork first.
pub fn alike(size: usize, _seed: u64) -> Instance {
    table(size, false).finish(false, "everybody holds the left fork and waits for the right one")
}

/// One takes the right fork first.
pub fn mixed(size: usize, _seed: u64) -> Instance {
    table(size, true).finish(true, "somebody does not wait in the circle")
}

fn table(size: usize, mixed: bool) -> Plants {
    let mut plants = Plants::default();
    for i in 0..size {
        let (left, right) = (i, (i + 1) % size);
        let [first, second] = if mixed && i == 0 { [right, left] } else { [left, right] };
        let [take, put] = ["take", "put"].map(|what| move |fork: usize| format!("{what}{i}.{fork}"));
        let steps: Vec<Step<'_>> = vec![
            ("thinking", take(first), "one fork"),
            ("one fork", take(second), "eating"),
            ("eating", put(first), "done"),
            ("done", put(second), "thinking"),
        ];
        plants.add(format!("phil{i}"), &["thinking", "one fork", "eating", "done"], steps);
    }
    for fork in 0..size {
        let users = [fork, (fork + size - 1) % size];
        let steps = users
            .into_iter()
            .flat_map(|i| [("free", format!("take{i}.{fork}"), "taken"), ("taken", format!("put{i}.{fork}"), "free")]);
        plants.add(format!("fork{fork}"), &["free", "taken"], steps.collect());
    }
    plants
}
