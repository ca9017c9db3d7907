//! Dining philosophers: `dp`, `dpd`, `dph`, `dpfm`.
//!
//! Philosopher i has fork i on the left and fork i + 1 on the right. A fork knows only whether it is taken.
//!
//! * `dp`: everybody takes the left fork first, so all may wait for the right one.
//! * `dpd`: a dictionary goes round; who has it takes no fork. Forks are taken and put back in any order. Processes, states and
//!   transitions are as many as in the classic net, reachable states fewer (468 and 600 for four): when exactly the dictionary
//!   may be handed on is a guess.
//! * `dph`: a host lets n - 1 philosophers into the room at a time. It counts as an Ada task would: it starts its loop in a step
//!   of its own, and would fail were it left by more than came in.
//! * `dpfm`: a manager gives and takes back both forks at once. It knows which forks are taken, not by whom, so as a process it
//!   has many states more than are ever reached.

use crate::family::{Instance, Suggested};
use crate::system::{Act, System};

/// Philosophers and forks.
pub fn dp(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        system.chart(format!("phil{i}"), &format!("thinks -tl{i}-> left -tr{i}-> eats -rl{i}-> right -rr{i}-> thinks"));
    }
    forks(&mut system, size);
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(false, "everybody holds the left fork and waits for the right one"));
    instance
}

fn forks(system: &mut System, size: usize) {
    for i in 0..size {
        let j = (i + size - 1) % size;
        let text = format!("free -tl{i}-> taken -rl{i}-> free; free -tr{j}-> taken -rr{j}-> free");
        system.chart(format!("fork{i}"), &text);
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Host {
    Starts,
    Inside(usize),
    Fails,
    Ended,
}

/// Philosophers, forks and a host.
pub fn dph(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let meal = format!("in -tl{i}-> left -tr{i}-> eats -rl{i}-> right -rr{i}-> done");
        system.chart(format!("phil{i}"), &format!("thinks -enter{i}-> in; {meal} -leave{i}-> thinks"));
    }
    forks(&mut system, size);
    let act = |what: &str, i: usize| Act::own(format!("{what}{i}"));
    system.process("host".into(), Host::Starts, |_, at| match *at {
        Host::Starts => vec![(Act::own("open"), Host::Inside(0))],
        Host::Inside(k) => {
            let enters = (0..size).filter(|_| k + 1 < size).map(|i| (act("enter", i), Host::Inside(k + 1)));
            let fewer = k.checked_sub(1).map_or(Host::Fails, Host::Inside);
            enters.chain((0..size).map(|i| (act("leave", i), fewer.clone()))).collect()
        }
        Host::Fails => vec![(Act::own("fail"), Host::Ended)],
        Host::Ended => Vec::new(),
    });
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "one philosopher in the room has both forks to himself"));
    instance
}

/// Philosophers and a fork manager.
pub fn dpfm(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        system.chart(format!("phil{i}"), &format!("thinks -take{i}-> eats -put{i}-> thinks"));
    }
    system.process("manager".into(), None, |_, taken: &Option<u32>| {
        let Some(taken) = *taken else { return vec![(Act::own("open"), Some(0))] };
        let step = |i: usize| {
            let both = 1 << i | 1 << ((i + 1) % size);
            match taken & both {
                0 => Some((Act::own(format!("take{i}")), Some(taken | both))),
                held if held == both => Some((Act::own(format!("put{i}")), Some(taken & !both))),
                _ => None,
            }
        };
        (0..size).filter_map(step).collect()
    });
    let mut instance = system.finish();
    instance.queries.push(Suggested::deadlock_free(true, "nobody ever holds a single fork"));
    instance
}

/// Philosophers, forks and a dictionary that goes round.
pub fn dpd(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let (next, first) = ((i + 1) % size, if i == 0 { "reads" } else { "thinks" });
        let take = format!("thinks -tl{i}-> left -tr{i}-> eats; thinks -tr{i}-> right -tl{i}-> eats");
        let put = format!("eats -rl{i}-> only_right -rr{i}-> thinks; eats -rr{i}-> only_left -rl{i}-> thinks");
        let dictionary = format!("thinks -d{i}-> reads -d{next}-> thinks");
        system.chart(format!("phil{i}"), &format!("{first}; {take}; {put}; {dictionary}"));
    }
    forks(&mut system, size);
    let mut instance = system.finish();
    let why = "whoever has the dictionary holds no fork, so a neighbour gets both";
    instance.queries.push(Suggested::deadlock_free(true, why));
    instance
}
