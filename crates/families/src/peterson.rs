//! Peterson's mutual exclusion for n processes: `peterson`.
//!
//! G. L. Peterson, "Myths about the mutual exclusion problem", Information Processing Letters 12 (1981). A process climbs through
//! n - 1 levels; at each it waits until it is not the last one to have come there, or nobody else is as high. It looks at
//! the others one by one. Each process, each `pos` (how high a process is) and each `step` (who came to a level last) is a
//! component.
//!
//! | label | means |
//! | --- | --- |
//! | `p`i`:pos`i`:=`l | process i climbs to level l |
//! | `p`i`:step`l`:=`i | it is the last one there |
//! | `p`i`:pos`k`<`l, `p`i`:step`l`!=`i | it looks at process k, at the level |
//! | `enter`i, `leave`i | the critical section |
//!
//! BEEM's instances keep values of local variables that are not used any more, so they have more states than these: 12,498 for 3
//! processes and 1,119,560 for 4. The ICC paper's Peterson7 is BEEM's instance 7, with 5 processes.

use super::family::{Instance, Suggested, mutex};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Idle,
    /// About to climb.
    Climb(usize),
    /// About to tell that it is the last one there.
    Last(usize),
    /// Waits at a level, and has found the processes before the second number to be lower.
    Wait(usize, usize),
    Critical,
}

/// `size` processes.
pub fn processes(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let pos: Vec<Object> = (0..size).map(|i| system.variable(format!("pos{i}"), size as u32, 0)).collect();
    let step: Vec<Object> = (1..size).map(|l| system.variable(format!("step{l}"), size as u32, 0)).collect();
    for i in 0..size {
        let who = format!("p{i}");
        system.process(who.clone(), At::Idle, |system, at| match *at {
            At::Idle => vec![(Act::own(format!("{who}:start")), At::Climb(1))],
            At::Climb(level) if level == size => vec![(Act::own(format!("enter{i}")), At::Critical)],
            At::Climb(level) => vec![(system.set(&who, pos[i], level as u32), At::Last(level))],
            At::Last(level) => vec![(system.set(&who, step[level - 1], i as u32), At::Wait(level, 0))],
            At::Wait(level, seen) => {
                let mut steps = vec![(system.is_not(&who, step[level - 1], i as u32), At::Climb(level + 1))];
                if seen == size {
                    steps.push((Act::own(format!("{who}:alone{level}")), At::Climb(level + 1)));
                } else if seen == i {
                    steps.push((Act::own(format!("{who}:skip{level}")), At::Wait(level, seen + 1)));
                } else {
                    let lower = |v| (v < level as u32).then_some(v);
                    steps.push((system.act(&who, &format!("<{level}"), pos[seen], lower), At::Wait(level, seen + 1)));
                }
                steps
            }
            At::Critical => vec![(system.set(&who, pos[i], 0).named(format!("leave{i}")), At::Idle)],
        });
    }
    let mut instance = system.finish();
    let top = size - 1;
    let queries = [
        Suggested::pattern_on(
            &instance.network,
            &format!("precedes(p0:pos0:={top}, enter0)"),
            true,
            "mandatory precedence: who enters has been at the top level",
        ),
        Suggested::pattern_on(
            &instance.network,
            &format!("precedes({{p0:step{top}!=0, p0:alone{top}}}, enter0)"),
            true,
            "mandatory precedence: who enters has seen that it may",
        ),
        Suggested::pattern_on(&instance.network, &mutex(0..size), true, "mutual exclusion"),
    ];
    instance.queries.extend(queries);
    instance
}
