//! Which network and query a certificate was made for.

use prequel_model::{Component, Goal, Problem, Query};

/// A number for a network and a query, the same wherever both are the same: FNV-1a in 128 bits. It tells one model from
/// another by mistake, not by malice: the certificate itself is checked in any case.
pub fn fingerprint(problem: &Problem) -> String {
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    let (network, labels) = (&problem.network, problem.network.labels());
    for label in labels.visible() {
        hash.text(labels.name(label));
        hash.number(labels.action(label).0);
    }
    for component in network.components() {
        hash.component(component);
    }
    hash.text(problem.query.kind());
    match &problem.query {
        Query::Reach(goal) => hash.goal(goal),
        Query::Safety(monitor) => hash.component(&monitor.automaton),
        Query::DeadlockFree | Query::Nonblocking => {}
    }
    format!("{:032x}", hash.0)
}

struct Fnv(u128);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn number(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.bytes(text.as_bytes());
    }

    fn component(&mut self, component: &Component) {
        self.text(&component.name);
        self.number(component.alphabet().len() as u32);
        component.alphabet().iter().for_each(|l| self.number(l.0));
        let lts = &component.lts;
        self.number(lts.initial().0);
        self.number(lts.num_states() as u32);
        self.number(lts.num_transitions() as u32);
        for t in lts.transitions() {
            for n in [t.source.0, t.label.0, t.target.0] {
                self.number(n);
            }
        }
        lts.marked().for_each(|s| self.number(s.0));
        self.number(u32::MAX);
    }

    fn goal(&mut self, goal: &Goal) {
        match goal {
            Goal::In(c, states) => {
                self.number(0);
                self.number(c.0);
                self.number(states.len() as u32);
                states.iter().for_each(|s| self.number(s.0));
            }
            Goal::And(goals) | Goal::Or(goals) => {
                self.number(if matches!(goal, Goal::And(_)) { 1 } else { 2 });
                self.number(goals.len() as u32);
                goals.iter().for_each(|g| self.goal(g));
            }
            Goal::Not(goal) => {
                self.number(3);
                self.goal(goal);
            }
        }
    }
}
