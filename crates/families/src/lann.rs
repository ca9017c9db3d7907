//! Le Lann's token ring: `lann`.
//!
//! G. Le Lann, "Distributed systems: towards a formal approach", IFIP Congress 1977. Who has the token may enter its critical
//! section. Links lose tokens; then nodes notice by time that there is none and elect the one that makes a new one. An election:
//! claims go round the ring, a node swallows claims of lower nodes and claims itself instead, and passes on claims of higher ones;
//! whose claim comes back is elected.
//!
//! | part | what it is |
//! | --- | --- |
//! | `node`i | waits, holds the token, claims, or is passive because a higher node has claimed |
//! | `link`i | a place for one message from node i to the next one; it may lose a token |
//! | `clock` | lets nodes notice only a token that is really lost |
//!
//! Chosen: claims are not lost, a passive node does not claim before it has seen the new token, a node waits until its link is
//! empty. The ICC paper's Lann5 is BEEM's instance 5.

use super::family::{Instance, Suggested, mutex};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Waits,
    Token,
    Critical,
    Passes,
    /// Sends a claim of this node, then waits for its own or for the token.
    Sends(usize),
    Claimed,
    Passive,
    Elected,
}

/// `size` nodes; node 0 has the token.
pub fn ring(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let claims: Vec<String> = (0..size).map(|i| format!("claim{i}")).collect();
    let messages: Vec<&str> = ["token"].into_iter().chain(claims.iter().map(|c| &**c)).collect();
    let link: Vec<Object> = (0..size).map(|i| system.place(format!("link{i}"), &messages)).collect();
    // 0: there is a token, 1: it is lost.
    let clock = system.variable("clock", 2, 0);
    for i in 0..size {
        let who = format!("node{i}");
        let before = link[(i + size - 1) % size];
        let start = if i == 0 { At::Token } else { At::Waits };
        system.process(who.clone(), start, |system, at| {
            let mut steps = match *at {
                At::Token => {
                    vec![(Act::own(format!("enter{i}")), At::Critical), (Act::own(format!("{who}:idle")), At::Passes)]
                }
                At::Critical => return vec![(Act::own(format!("leave{i}")), At::Passes)],
                At::Passes => return vec![(system.put(&who, link[i], "token"), At::Waits)],
                At::Sends(claim) => {
                    let then = if claim == i { At::Claimed } else { At::Passive };
                    return vec![(system.put(&who, link[i], &claims[claim]), then)];
                }
                At::Elected => {
                    let made = system.act(&who, ":made", clock, |v| (v == 1).then_some(0));
                    return vec![(made, At::Token)];
                }
                At::Waits => vec![(system.is(&who, clock, 1), At::Sends(i))],
                At::Claimed | At::Passive => Vec::new(),
            };
            if *at != At::Token {
                steps.push((system.take(&who, before, "token"), At::Token));
            }
            for (claim, text) in claims.iter().enumerate() {
                let then = match claim {
                    higher if higher > i => At::Sends(higher),
                    own if own == i => At::Elected,
                    // A lower claim is swallowed.
                    _ if *at == At::Waits => At::Sends(i),
                    _ => at.clone(),
                };
                steps.push((system.take(&who, before, text), then));
            }
            steps
        });
    }
    for (i, &link) in link.iter().enumerate() {
        let who = format!("loss{i}");
        system.process(who.clone(), At::Waits, |system, _| {
            let lost = system.take(&who, link, "token").and(system.set(&who, clock, 1));
            vec![(lost.named(format!("lose{i}")), At::Waits)]
        });
    }
    let mut instance = system.finish();
    let network = &instance.network;
    let queries = [
        Suggested::pattern_on(network, &mutex(0..size), true, "mutual exclusion: there is one token"),
        Suggested::pattern_on(network, &mutex([0, size - 1]), true, "mutual exclusion of two nodes"),
    ];
    instance.queries.extend(queries);
    instance
}
