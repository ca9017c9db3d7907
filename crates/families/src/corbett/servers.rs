//! Clients and a server: `rw`, `gas_nq`, `gas_q`, `mmgt`.
//!
//! * `rw`: n readers and n writers; the controller starts its loop in a step of its own.
//! * `gas_nq`, `gas_q`: D. Helmbold and D. Luckham, "Debugging Ada tasking programs", IEEE Software 2 (1985), with n customers, an
//!   operator and two pumps. Without a queue a customer pays only for a pump that is free; with queues the operator remembers
//!   who has paid for which pump. Chosen: what the operator may do while it has change in its hand (nothing else), and that the
//!   pump tells the operator who is due.
//! * `mmgt`: n users each ask a memory manager for two blocks, one after the other, out of n + 1; a swapper moves the first block
//!   of a waiting user to the disk, but only while the disk is not busy with a clean-up, which waits for the manager.

use crate::family::{Instance, Suggested};
use crate::system::{Act, Steps, System};

fn act(what: &str, i: usize) -> Act {
    Act::own(format!("{what}{i}"))
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Controller {
    Starts,
    Reading(usize),
    Writing,
}

/// `size` readers and as many writers.
pub fn rw(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        system.chart(format!("reader{i}"), &format!("idle -read{i}-> reads -stop_read{i}-> idle"));
        system.chart(format!("writer{i}"), &format!("idle -write{i}-> writes -stop_write{i}-> idle"));
    }
    system.process("controller".into(), Controller::Starts, |_, at| {
        use Controller::*;
        let each = |what: &str, to: Controller| -> Steps<Controller> {
            (0..size).map(|i| (act(what, i), to.clone())).collect()
        };
        match *at {
            Starts => vec![(Act::own("open"), Reading(0))],
            Writing => each("stop_write", Reading(0)),
            Reading(0) => [each("read", Reading(1)), each("write", Writing)].concat(),
            Reading(k) if k == size => each("stop_read", Reading(k - 1)),
            Reading(k) => [each("read", Reading(k + 1)), each("stop_read", Reading(k - 1))].concat(),
        }
    });
    let mut instance = system.finish();
    let network = &instance.network;
    instance.queries = vec![
        Suggested::deadlock_free(true, "readers and writers always end"),
        Suggested::pattern_on(
            network,
            "mutex(write0/stop_write0, read0/stop_read0)",
            true,
            "nobody reads while somebody writes",
        ),
    ];
    instance
}

/// What a pump does.
fn pumps(system: &mut System, size: usize) {
    for p in 0..2 {
        let way = |i| {
            format!("free -on{p}_{i}-> on{i} -start{p}_{i}-> runs{i} -finish{p}_{i}-> due{i} -charge{p}_{i}-> free")
        };
        let text: Vec<String> = (0..size).map(way).collect();
        system.chart(format!("pump{p}"), &text.join("; "));
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Hand {
    Empty,
    /// Is to switch a pump on for a customer.
    Activates(usize, usize),
    /// Has change for a customer.
    Change(usize),
}

/// Customers who pay only for a free pump.
pub fn gas_nq(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let way = |p| {
            format!("idle -pay{p}_{i}-> paid{p} -start{p}_{i}-> pumps{p} -finish{p}_{i}-> waits{p} -change{i}-> idle")
        };
        system.chart(format!("customer{i}"), &format!("{}; {}", way(0), way(1)));
    }
    pumps(&mut system, size);
    system.process("operator".into(), ([false; 2], Hand::Empty), |_, (busy, hand)| {
        let label = |what: &str, p: usize, i: usize| Act::own(format!("{what}{p}_{i}"));
        let busy_at = |p: usize, b: bool| {
            let mut all = *busy;
            all[p] = b;
            all
        };
        match *hand {
            Hand::Change(i) => vec![(act("change", i), (*busy, Hand::Empty))],
            Hand::Activates(p, i) => vec![(label("on", p, i), (*busy, Hand::Empty))],
            Hand::Empty => (0..2)
                .flat_map(|p| (0..size).map(move |i| (p, i)))
                .map(|(p, i)| match busy[p] {
                    false => (label("pay", p, i), (busy_at(p, true), Hand::Activates(p, i))),
                    true => (label("charge", p, i), (busy_at(p, false), Hand::Change(i))),
                })
                .collect(),
        }
    });
    asked(system.finish())
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Queues {
    /// Who has paid for which pump; the first one's turn it is.
    paid: [Vec<usize>; 2],
    /// Whether the pump is on for the first.
    on: [bool; 2],
    change: Option<usize>,
}

/// Customers who pay at any time.
pub fn gas_q(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let way = |p| format!("idle -pay{p}_{i}-> paid -start{p}_{i}-> pumps -finish{p}_{i}-> waits -change{i}-> idle");
        system.chart(format!("customer{i}"), &format!("{}; {}", way(0), way(1)));
    }
    pumps(&mut system, size);
    let start = Queues { paid: [Vec::new(), Vec::new()], on: [false; 2], change: None };
    system.process("operator".into(), start, |_, at| {
        let with = |change: &dyn Fn(&mut Queues)| {
            let mut next = at.clone();
            change(&mut next);
            next
        };
        if let Some(i) = at.change {
            return vec![(act("change", i), with(&|next| next.change = None))];
        }
        let mut steps = Vec::new();
        for p in 0..2 {
            let label = |what: &str, i: usize| Act::own(format!("{what}{p}_{i}"));
            let waits = |i: &usize| !at.paid.iter().flatten().any(|j| j == i);
            steps.extend(
                (0..size).filter(waits).map(|i| (label("pay", i), with(&|next: &mut Queues| next.paid[p].push(i)))),
            );
            match at.paid[p].first() {
                Some(&i) if at.on[p] => {
                    let paid = |next: &mut Queues| {
                        next.paid[p].remove(0);
                        (next.on[p], next.change) = (false, Some(i));
                    };
                    steps.push((label("charge", i), with(&paid)));
                }
                Some(&i) => steps.push((label("on", i), with(&|next| next.on[p] = true))),
                None => {}
            }
        }
        steps
    });
    asked(system.finish())
}

fn asked(mut instance: Instance) -> Instance {
    let why = "nobody gets petrol before he has paid";
    let right = Suggested::pattern_on(&instance.network, "precedes(pay0_0, start0_0)", true, why);
    instance.queries = vec![Suggested::deadlock_free(true, "whoever has paid gets petrol and change"), right];
    instance
}

/// `size` users of a memory manager.
pub fn mmgt(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let text =
            format!("idle -first{i}-> one -second{i}-> both -free{i}-> idle; one -out{i}-> swapped -in{i}-> one");
        system.chart(format!("user{i}"), &text);
    }
    let blocks = size + 1;
    system.process("manager".into(), 0, |_, &used: &usize| {
        let mut steps = Vec::new();
        for i in 0..size {
            if used < blocks {
                steps.extend(["first", "second", "in"].map(|what| (act(what, i), used + 1)));
            }
            if used >= 2 {
                steps.push((act("free", i), used - 2));
            }
            if used >= 1 {
                steps.push((act("out", i), used - 1));
            }
        }
        steps.push((Act::own("tidy"), used));
        steps
    });
    let each = |what: &str, from: &str, to: &str| -> Vec<String> {
        (0..size).map(|i| format!("{from} -{what}{i}-> {to}")).collect()
    };
    let swaps = [each("out", "idle", "full"), each("in", "full", "idle")].concat().join("; ");
    system.chart("swapper", &swaps);
    let disk = [each("out", "ready", "writes"), each("in", "ready", "reads")].concat().join("; ");
    system.chart(
        "disk",
        &format!("{disk}; writes -done-> ready; reads -done-> ready; ready -spin-> dirty -tidy-> ready"),
    );
    system.chart("clock", "waits -spin-> due -done-> waits; waits -done-> waits; due -tidy-> waits");
    let mut instance = system.finish();
    instance
        .queries
        .push(Suggested::deadlock_free(true, "with one block more than users somebody gets his second one"));
    instance
}
