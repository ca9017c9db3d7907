//! HAVi leader election: `havi`.
//!
//! J. Romijn, "Model checking the HAVi leader election protocol", CWI report SEN-R9915, 1999. Controllers in a home network, each
//! with a manager. After a reset of the bus all managers know who is attached. The highest one is the initial leader: the others
//! tell it whether they are able to lead, and it names the final leader to all.
//!
//! | part | what it is |
//! | --- | --- |
//! | `bus` | resets: `reset`c, where the bits of c say who is attached; what was under way is lost |
//! | `manager`i | `able`i, `unable`i: decides what to tell; `leader`i`:`l: takes l for the final leader |
//! | `from`i`to`j | a place for one message |
//!
//! Chosen: whether a manager is able is open at every election; the final leader is the highest manager that is able, the
//! initial leader if none is; a reset reaches all managers at once (that it need not is where Romijn finds errors). The ICC
//! paper's instance has 19,554,248 states.

use super::family::{Instance, Suggested};
use super::system::{Act, Object, System};
use prequel_model::Network;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Off,
    /// Decides whether it is able; the first number is the initial leader.
    Decides(usize),
    Tells(usize, bool),
    AwaitsLeader(usize),
    /// Initial leader: those attached, those it has heard of, the best that is able.
    Gathers(u32, u32, usize),
    /// Initial leader: to whom it still tells, and whom.
    Names(u32, usize),
    Takes(usize),
    Done,
}

/// `size` managers.
pub fn managers(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let leaders: Vec<String> = (0..size).map(|l| format!("leader{l}")).collect();
    let mut place = |from: usize, to: usize| {
        let named = if from > to { leaders.iter().map(|l| &**l).collect() } else { vec!["able", "unable"] };
        system.place(format!("from{from}to{to}"), &named)
    };
    let channel: Vec<Vec<Object>> = (0..size)
        .map(|from| (0..size).map(|to| if from == to { Object::NONE } else { place(from, to) }).collect())
        .collect();
    let all: Vec<Object> = channel.iter().flatten().copied().filter(|&c| c != Object::NONE).collect();
    let resets: Vec<u32> = (1..1 << size).collect();
    let reset = |system: &System, attached: u32| {
        let empty = all.iter().map(|&c| system.act("", "", c, |_| Some(0)));
        empty.fold(Act::own(""), Act::and).named(format!("reset{attached}"))
    };
    system.process("bus".into(), (), |system, ()| resets.iter().map(|&c| (reset(system, c), ())).collect());
    for (i, to) in channel.iter().enumerate() {
        let who = format!("manager{i}");
        system.process(who.clone(), At::Off, |system, at| {
            let after = |attached: u32| {
                let first = attached.ilog2() as usize;
                match attached >> i & 1 == 1 {
                    false => At::Off,
                    true if first == i => At::Gathers(attached, 1 << i, i),
                    true => At::Decides(first),
                }
            };
            let mut steps: Vec<(Act, At)> = resets.iter().map(|&c| (reset(system, c), after(c))).collect();
            match *at {
                At::Off | At::Done => {}
                At::Decides(first) => {
                    steps.push((Act::own(format!("able{i}")), At::Tells(first, true)));
                    steps.push((Act::own(format!("unable{i}")), At::Tells(first, false)));
                }
                At::Tells(first, able) => {
                    let text = if able { "able" } else { "unable" };
                    steps.push((system.put(&who, to[first], text), At::AwaitsLeader(first)));
                }
                At::AwaitsLeader(first) => {
                    let named = |l: usize| (system.take(&who, channel[first][i], &leaders[l]), At::Takes(l));
                    steps.extend((0..size).map(named));
                }
                At::Gathers(attached, heard, best) if heard == attached => {
                    steps.push((Act::own(format!("{who}:chooses{best}")), At::Names(attached & !(1 << i), best)));
                }
                At::Gathers(attached, heard, best) => {
                    for j in (0..size).filter(|&j| attached >> j & 1 == 1 && heard >> j & 1 == 0) {
                        let better = if best == i { j } else { best.max(j) };
                        for (text, best) in [("able", better), ("unable", best)] {
                            let heard = At::Gathers(attached, heard | 1 << j, best);
                            steps.push((system.take(&who, channel[j][i], text), heard));
                        }
                    }
                }
                At::Names(0, best) => steps.push((Act::own(format!("leader{i}:{best}")), At::Done)),
                At::Names(left, best) => {
                    let j = left.ilog2() as usize;
                    let told = At::Names(left & !(1 << j), best);
                    steps.push((system.put(&who, to[j], &leaders[best]), told));
                }
                At::Takes(l) => steps.push((Act::own(format!("leader{i}:{l}")), At::Done)),
            }
            steps
        });
    }
    let mut instance = system.finish();
    let queries = bounded_responses(&instance.network, size);
    instance.queries.extend(queries);
    instance
}

/// What the standard asks of resets and leaders.
fn bounded_responses(network: &Network, size: usize) -> [Suggested; 2] {
    let set = |labels: Vec<String>| format!("{{{}}}", labels.join(", "));
    let taken = |l: usize| (0..size).map(move |i| format!("leader{i}:{l}"));
    let any_reset = set((1..1u32 << size).map(|c| format!("reset{c}")).collect());
    let others = set((1..size).flat_map(taken).collect());
    [
        Suggested::pattern_on(
            network,
            &format!("excluded({others}, {}, {any_reset})", set(taken(0).collect())),
            true,
            "bounded response: after somebody has taken manager 0 for the leader, a reset comes before anybody takes another",
        ),
        Suggested::pattern_on(
            network,
            &format!(
                "excluded({}, {any_reset}, {{able0, unable0}})",
                set((1..size).map(|l| format!("leader0:{l}")).collect())
            ),
            true,
            "bounded response: manager 0 follows nobody before it has told whether it is able",
        ),
    ]
}
