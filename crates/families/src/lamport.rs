//! Lamport's fast mutual exclusion: `lamport`, `lamport-faulty`.
//!
//! L. Lamport, "A fast mutual exclusion algorithm", ACM Transactions on Computer Systems 5 (1987), Algorithm 2. Without
//! contention a process makes a constant number of steps: it tells its number in `x`, looks whether `y` is free, takes `y`, and looks
//! whether `x` is still its own. Each process, `x`, `y` and each `b` (who is in the way) is a component; numbers in `x` and `y` are
//! one higher than those of the processes, and 0 in `y` is free.
//!
//! The ICC paper's Lamport8 is an instance of BEEM in which mutual exclusion fails; what is wrong in it we do not know. In
//! `lamport-faulty` a process that finds `x` changed does not wait for those who are in the way: the step that Lamport
//! calls essential.

use super::family::{Instance, Suggested, mutex};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Idle,
    Announce,
    LookAtY,
    StepBack,
    AwaitY,
    TakeY,
    LookAtX,
    Withdraw,
    /// Waits for those before this number.
    AwaitB(usize),
    StillMine,
    Enter,
    Critical,
    FreeB,
}

/// The algorithm.
pub fn right(size: usize, _seed: u64) -> Instance {
    processes(size, true)
}

/// The algorithm without its wait for others.
pub fn faulty(size: usize, _seed: u64) -> Instance {
    processes(size, false)
}

fn processes(size: usize, waits: bool) -> Instance {
    let mut system = System::default();
    let [x, y] = ["x", "y"].map(|name| system.variable(name, size as u32 + 1, 0));
    let b: Vec<Object> = (0..size).map(|i| system.variable(format!("b{i}"), 2, 0)).collect();
    for i in 0..size {
        let (who, me) = (format!("p{i}"), i as u32 + 1);
        system.process(who.clone(), At::Idle, |system, at| match *at {
            At::Idle => vec![(system.set(&who, b[i], 1), At::Announce)],
            At::Announce => vec![(system.set(&who, x, me), At::LookAtY)],
            At::LookAtY => vec![(system.is(&who, y, 0), At::TakeY), (system.is_not(&who, y, 0), At::StepBack)],
            At::StepBack => vec![(system.set(&who, b[i], 0), At::AwaitY)],
            At::AwaitY => vec![(system.is(&who, y, 0), At::Idle)],
            At::TakeY => vec![(system.set(&who, y, me), At::LookAtX)],
            At::LookAtX => vec![(system.is(&who, x, me), At::Enter), (system.is_not(&who, x, me), At::Withdraw)],
            At::Withdraw => vec![(system.set(&who, b[i], 0), if waits { At::AwaitB(0) } else { At::StillMine })],
            At::AwaitB(k) if k == size => vec![(Act::own(format!("{who}:nobody")), At::StillMine)],
            At::AwaitB(k) => vec![(system.is(&who, b[k], 0), At::AwaitB(k + 1))],
            At::StillMine => vec![(system.is(&who, y, me), At::Enter), (system.is_not(&who, y, me), At::AwaitY)],
            At::Enter => vec![(Act::own(format!("enter{i}")), At::Critical)],
            At::Critical => vec![(system.set(&who, y, 0).named(format!("leave{i}")), At::FreeB)],
            At::FreeB => vec![(system.set(&who, b[i], 0), At::Idle)],
        });
    }
    let mut instance = system.finish();
    let why = if waits { "mutual exclusion" } else { "mutual exclusion: two that meet at y both go on" };
    instance.queries.push(Suggested::pattern_on(&instance.network, &mutex(0..size), waits, why));
    instance
}
