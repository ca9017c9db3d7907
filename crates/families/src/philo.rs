//! Dining philosophers: `philo`, `philo-dict`, `philo-sync`.
//!
//! Corbett's benchmarks as used by Jezequel and Lime, "Lazy Reachability Analysis in Distributed Systems" (CONCUR 2016),
//! Table 1. Philosopher i sits between fork i on the left and fork i + 1 on the right; n philosophers, n forks.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | philosopher | 0 | thinking, no fork |
//! | | 1 | holds the left fork |
//! | | 2 | eating, holds both |
//! | | 3 | has put the left fork back, holds the right one |
//! | | 4 | (`philo-dict` only) thinking, holds the dictionary |
//! | fork | 0 | on the table |
//! | | 1 | held by the philosopher to whom it is the left one |
//! | | 2 | held by the one to whom it is the right one |
//!
//! Labels: `tl`, `tr` take the left and right fork, `rl`, `rr` put them back, `d`i hands the dictionary to philosopher i.
//! In `philo-sync` both forks are taken (`t`) and put back (`r`) in one step of three parties, and philosophers have the
//! states 0 thinking and 1 eating.

use super::family::{Builder, Instance, StateNames, Suggested, all_at, state_names};
use prequel_model::{Component, ComponentId, LabelId, Lts, StateId, Transition};

/// Philosophers that take the left fork first.
pub fn plain(size: usize, _seed: u64) -> Instance {
    let mut instance = one_by_one(size, false);
    instance.queries.push(Suggested::deadlock_free(false, "everybody holds the left fork and waits for the right one"));
    instance.queries.push(every_second_eats(&instance, size, 2));
    instance
}

/// Philosophers who hand round a dictionary; its holder takes no fork.
pub fn dictionary(size: usize, _seed: u64) -> Instance {
    let mut instance = one_by_one(size, true);
    let why = "whoever holds the dictionary leaves a fork to a neighbour";
    instance.queries.push(Suggested::deadlock_free(true, why));
    instance.queries.push(every_second_eats(&instance, size, 2));
    instance
}

/// Philosophers who take both forks in one step.
pub fn synchronous(size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    let names = state_names(&["thinking", "eating"]);
    let mut both = |i: usize| (build.labels.intern(&format!("t{i}")), build.labels.intern(&format!("r{i}")));
    let taking: Vec<(LabelId, LabelId)> = (0..size).map(&mut both).collect();
    for (i, &(take, put)) in taking.iter().enumerate() {
        let lts = Lts::new(StateId(0), 2, vec![Transition::new(0, take, 1), Transition::new(1, put, 0)]);
        build.add(Component::new(format!("phil{i}"), lts), &names);
    }
    add_forks(&mut build, &taking, &taking);
    let mut instance = build.finish();
    instance.queries.push(Suggested::deadlock_free(true, "nobody ever holds a single fork"));
    instance.queries.push(every_second_eats(&instance, size, 1));
    instance
}

/// Philosophers who take and put back forks one by one, and their forks.
fn one_by_one(size: usize, dictionary: bool) -> Instance {
    let mut build = Builder::default();
    let names = match dictionary {
        false => state_names(&["thinking", "left", "eating", "right"]),
        true => state_names(&["thinking", "left", "eating", "right", "reading"]),
    };
    let (mut left, mut right) = (Vec::with_capacity(size), Vec::with_capacity(size));
    for i in 0..size {
        let [tl, tr, rl, rr] = ["tl", "tr", "rl", "rr"].map(|l| build.labels.intern(&format!("{l}{i}")));
        left.push((tl, rl));
        right.push((tr, rr));
        let mut transitions = vec![
            Transition::new(0, tl, 1),
            Transition::new(1, tr, 2),
            Transition::new(2, rl, 3),
            Transition::new(3, rr, 0),
        ];
        let mut initial = 0;
        if dictionary {
            let [comes, goes] = [i, (i + 1) % size].map(|to| build.labels.intern(&format!("d{to}")));
            transitions.extend([Transition::new(0, comes, 4), Transition::new(4, goes, 0)]);
            initial = if i == 0 { 4 } else { 0 };
        }
        let lts = Lts::new(StateId(initial), names.len(), transitions);
        build.add(Component::new(format!("phil{i}"), lts), &names);
    }
    add_forks(&mut build, &left, &right);
    build.finish()
}

/// Adds the forks; philosopher i takes and puts back fork i by `left[i]` and fork i + 1 by `right[i]`.
fn add_forks(build: &mut Builder, left: &[(LabelId, LabelId)], right: &[(LabelId, LabelId)]) {
    let names: StateNames = state_names(&["free", "held as left", "held as right"]);
    for (i, &(take, put)) in left.iter().enumerate() {
        let (other_take, other_put) = right[(i + left.len() - 1) % left.len()];
        let transitions = vec![
            Transition::new(0, take, 1),
            Transition::new(0, other_take, 2),
            Transition::new(1, put, 0),
            Transition::new(2, other_put, 0),
        ];
        build.add(Component::new(format!("fork{i}"), Lts::new(StateId(0), 3, transitions)), &names);
    }
}

fn every_second_eats(instance: &Instance, size: usize, eating: u32) -> Suggested {
    let goal = all_at((0..size).step_by(2).map(ComponentId::new), eating);
    let why = "the paper's property: one philosopher in two can eat together, unless the first and last are neighbours";
    Suggested::reach(&instance.network, goal, size.is_multiple_of(2), why)
}
