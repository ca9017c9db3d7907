//! The transit node: `transit`.
//!
//! L. Mounier, "A LOTOS specification of a Transit-Node", Rapport SPECTRE 94-8, 1994, after the common example of the RACE project
//! SPECS: a message router. It is told over a control port which routes there are and when faulty messages are to be sent; a data
//! message names a route and leaves by the port of that route; what names an unknown route, or stays too long, is faulty.
//!
//! | part | what it is |
//! | --- | --- |
//! | `control` | takes commands: `route`r`:`p adds route r to port p, `flush` has faulty messages sent |
//! | `table`r | the port of route r, once there is one |
//! | `in`p | takes messages `in`p`:`r, one at a time, and looks up their route |
//! | `queue`p, `out`p | a place for a message that waits for port p; it is sent (`out`p`:`r) or gets too old (`late`p) |
//! | `faults` | counts faulty messages up to two, further ones replace an old one; sends them (`fault`) |
//!
//! Chosen: as many ports as routes, a place for one message before each port. The ICC paper's instance has 3,480,248 states.

use super::family::{Instance, Suggested};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum In {
    Empty,
    Holds(usize),
    For(usize, usize),
    Faulty,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Out {
    Idle,
    Sends(usize),
    Late,
}

/// `size` ports and routes.
pub fn node(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    // 0: unknown, 1 + p: by port p.
    let table: Vec<Object> = (0..size).map(|r| system.variable(format!("table{r}"), size as u32 + 1, 0)).collect();
    let names: Vec<String> = (0..size).map(|r| format!("r{r}")).collect();
    let messages: Vec<&str> = names.iter().map(|n| &**n).collect();
    let queue: Vec<Object> = (0..size).map(|p| system.place(format!("queue{p}"), &messages)).collect();
    let faults = system.variable("faults", 3, 0);
    let fault = |system: &System, who: &str| system.act(who, "+1", faults, |v| Some((v + 1).min(2)));
    system.process("control".into(), false, |system, &flushing| match flushing {
        true => vec![
            (system.act("control", "-1", faults, |v| v.checked_sub(1)).named("fault"), true),
            (system.is("control", faults, 0), false),
        ],
        false => {
            let routes = (0..size * size).map(|n| (n / size, n % size));
            let add = |(r, p): (usize, usize)| {
                (system.set("control", table[r], p as u32 + 1).named(format!("route{r}:{p}")), false)
            };
            routes.map(add).chain([(Act::own("flush"), true)]).collect()
        }
    });
    for p in 0..size {
        let who = format!("in{p}");
        system.process(who.clone(), In::Empty, |system, at| match *at {
            In::Empty => (0..size).map(|r| (Act::own(format!("in{p}:{r}")), In::Holds(r))).collect(),
            In::Holds(r) => {
                let found = (0..size).map(|to| (system.is(&who, table[r], to as u32 + 1), In::For(r, to)));
                found.chain([(system.is(&who, table[r], 0), In::Faulty)]).collect()
            }
            In::For(r, to) => vec![(system.put(&who, queue[to], &names[r]), In::Empty)],
            In::Faulty => vec![(fault(system, &who), In::Empty)],
        });
        let who = format!("out{p}");
        system.process(who.clone(), Out::Idle, |system, at| match *at {
            Out::Idle => (0..size).map(|r| (system.take(&who, queue[p], &names[r]), Out::Sends(r))).collect(),
            Out::Sends(r) => {
                vec![(Act::own(format!("out{p}:{r}")), Out::Idle), (Act::own(format!("late{p}")), Out::Late)]
            }
            Out::Late => vec![(fault(system, &who), Out::Idle)],
        });
    }
    let mut instance = system.finish();
    let network = &instance.network;
    let sent: Vec<String> = (0..size).map(|p| format!("out{p}:0")).collect();
    let queries = [
        Suggested::pattern_on(
            network,
            &format!("excluded(in0:0, in0:0, {{{}, fault}})", sent.join(", ")),
            false,
            "bounded response: a message is sent before the next one comes in; it may wait in the queue",
        ),
        Suggested::pattern_on(
            network,
            &format!(
                "precedes({{{}}}, out1:0)",
                (0..size).map(|r| format!("route{r}:1")).collect::<Vec<_>>().join(", ")
            ),
            true,
            "mandatory precedence: a port sends only after it got a route",
        ),
    ];
    instance.queries.extend(queries);
    instance
}
