//! Szymanski's mutual exclusion: `szymanski`.
//!
//! B. K. Szymanski, "A simple solution to Lamport's concurrent programming problem with linear wait", ICS 1988. Processes gather in
//! a waiting room, the last one to come in closes the door, then they go on by number. Each process and each `flag` is a
//! component; a process looks at the flags of the others one by one.
//!
//! | flag | means |
//! | --- | --- |
//! | 0 | not interested |
//! | 1 | wants into the waiting room |
//! | 2 | in it, waits for others to come in |
//! | 3 | stands in its door |
//! | 4 | in it, the door is closed |
//!
//! The ICC paper's Szymanski5 is BEEM's instance 5.

use super::family::{Instance, Suggested, mutex};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Idle,
    /// The door is open as far as those before this number tell.
    Door(usize),
    /// Is anybody about to come in? Those before this number are not.
    Others(usize),
    Stay,
    /// Looks for somebody who has closed the door, this one next.
    Wait(usize),
    Close,
    /// Those before this number are gone.
    Before(usize),
    Enter,
    Critical,
    /// Those between this process and this number are in the room or away.
    After(usize),
}

/// `size` processes.
pub fn processes(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let flag: Vec<Object> = (0..size).map(|i| system.variable(format!("flag{i}"), 5, 0)).collect();
    for i in 0..size {
        let who = format!("p{i}");
        let next = |k: usize| if k + 1 == i { k + 2 } else { k + 1 };
        let first = usize::from(i == 0);
        system.process(who.clone(), At::Idle, |system, at| match *at {
            At::Idle => vec![(system.set(&who, flag[i], 1), At::Door(first))],
            At::Door(k) if k >= size => vec![(system.set(&who, flag[i], 3), At::Others(first))],
            At::Door(k) => vec![(system.is_in(&who, flag[k], &[0, 1, 2]), At::Door(next(k)))],
            At::Others(k) if k >= size => vec![(Act::own(format!("{who}:nobody")), At::Close)],
            At::Others(k) => {
                vec![(system.is(&who, flag[k], 1), At::Stay), (system.is_not(&who, flag[k], 1), At::Others(next(k)))]
            }
            At::Stay => vec![(system.set(&who, flag[i], 2), At::Wait(first))],
            At::Wait(k) => {
                let further = if next(k) >= size { first } else { next(k) };
                vec![(system.is(&who, flag[k], 4), At::Close), (system.is_not(&who, flag[k], 4), At::Wait(further))]
            }
            At::Close => vec![(system.set(&who, flag[i], 4), At::Before(0))],
            At::Before(k) if k == i => vec![(Act::own(format!("{who}:first")), At::Enter)],
            At::Before(k) => vec![(system.is_in(&who, flag[k], &[0, 1]), At::Before(k + 1))],
            At::Enter => vec![(Act::own(format!("enter{i}")), At::Critical)],
            At::Critical => vec![(Act::own(format!("leave{i}")), At::After(i + 1))],
            At::After(k) if k == size => vec![(system.set(&who, flag[i], 0), At::Idle)],
            At::After(k) => vec![(system.is_in(&who, flag[k], &[0, 1, 4]), At::After(k + 1))],
        });
    }
    let mut instance = system.finish();
    instance.queries.push(Suggested::pattern_on(&instance.network, &mutex(0..size), true, "mutual exclusion"));
    instance
}
