//! The sliding window protocol: `sliding-window`.
//!
//! The benchmark of B. Finkbeiner, S. Schewe and M. Brill, *Automatic Synthesis of Assumptions for Compositional Model Checking*,
//! Section 7: red, white and blue messages, a sender that keeps a window of them until they are confirmed, an unreliable
//! network, a receiver that takes them in order and gives them to its user. The size is the window; the paper's is 2. The paper
//! does not print its processes (192 states each): these are ours. With a window of w there are w + 1 sequence numbers, enough for a
//! receiver that takes only the number that it waits for.
//! A receiver that also keeps what comes early (2w numbers) has assumptions of 6, 1, 6 and 2 states for w = 2: one more than the
//! paper's for Property D, as there are then pairs of states from which nothing is ever put out.
//!
//! | part | state | means |
//! | --- | --- | --- |
//! | sender | number, messages | the number of the oldest message that is not confirmed, and all that follow, up to w |
//! | receiver | number, messages | the number that is wanted next, and those that the user has not got yet, up to w |
//!
//! Labels: `in-C` and `out-C` at the users, `net-C-k` for a message of colour C with number k that arrives, `ack-k` for "all before k
//! has come" that arrives, `lost` and `lost-ack` for those that do not.

use super::family::{Builder, Instance, StateNames, Suggested};
use prequel_formats::pattern;
use prequel_model::{Component, LabelId, Lts, StateId, Transition};
use rustc_hash::FxHashMap;

/// The colours of messages, as labels name them.
const COLOURS: [&str; 3] = ["red", "white", "blue"];

/// A number and the messages that are kept.
type State = (usize, Vec<u8>);

/// The protocol with a window of `size` messages.
pub fn protocol(size: usize, _seed: u64) -> Instance {
    let mut build = Builder::default();
    let numbers = size + 1;
    let mut label = |name: String| build.labels.intern(&name);
    let ins = COLOURS.map(|c| label(format!("in-{c}")));
    let outs = COLOURS.map(|c| label(format!("out-{c}")));
    let net: Vec<Vec<LabelId>> =
        COLOURS.iter().map(|c| (0..numbers).map(|k| label(format!("net-{c}-{k}"))).collect()).collect();
    let acks: Vec<LabelId> = (0..numbers).map(|k| label(format!("ack-{k}"))).collect();
    let [lost, lost_ack] = ["lost", "lost-ack"].map(|name| label(name.into()));

    let (sender, names) = explore(|(base, kept): &State| {
        let mut steps = Vec::new();
        if kept.len() < size {
            for (colour, &label) in ins.iter().enumerate() {
                steps.push((label, (*base, [kept.as_slice(), &[colour as u8]].concat())));
            }
        }
        for (at, &colour) in kept.iter().enumerate() {
            steps.push((net[usize::from(colour)][(base + at) % numbers], (*base, kept.clone())));
        }
        if !kept.is_empty() {
            steps.push((lost, (*base, kept.clone())));
        }
        for (k, &ack) in acks.iter().enumerate() {
            // What is no number of the window confirms nothing.
            let confirmed = Some((k + numbers - base) % numbers).filter(|&n| n <= kept.len()).unwrap_or(0);
            steps.push((ack, ((base + confirmed) % numbers, kept[confirmed..].to_vec())));
        }
        steps
    });
    build.add(Component::new("sender", sender), &names);

    let (receiver, names) = explore(|(next, come): &State| {
        let mut steps = Vec::new();
        for (colour, labels) in net.iter().enumerate() {
            for (k, &label) in labels.iter().enumerate() {
                // What is not wanted, or finds no room, is dropped.
                let after = match k == *next && come.len() < size {
                    true => ((next + 1) % numbers, [come.as_slice(), &[colour as u8]].concat()),
                    false => (*next, come.clone()),
                };
                steps.push((label, after));
            }
        }
        if let Some((&colour, rest)) = come.split_first() {
            steps.push((outs[usize::from(colour)], (*next, rest.to_vec())));
        }
        steps.push((acks[*next], (*next, come.clone())));
        steps.push((lost_ack, (*next, come.clone())));
        steps
    });
    build.add(Component::new("receiver", receiver), &names);

    let mut instance = build.finish();
    let white: Vec<String> = (0..numbers).map(|k| format!("net-white-{k}")).collect();
    let white = format!("{{{}}}", white.join(", "));
    let queries = [
        ("precedes(in-white, out-white)".to_owned(), true, "A: the protocol invents no white message"),
        (format!("precedes(in-white, {white})"), true, "B: nor does the sender"),
        (format!("precedes({white}, out-white)"), true, "C: nor does the receiver"),
        ("never({out-red, out-white, out-blue})".to_owned(), false, "D: the receiver puts nothing out"),
    ];
    for (text, expected, why) in queries {
        let (monitor, _) = pattern::monitor(&text, &instance.network).expect("its labels are those of the network");
        instance.queries.push(Suggested::pattern(&text, monitor, expected, why));
    }
    instance
}

/// All states that a process can reach alone, and what they are called: `2:rw` for the number 2, red and white.
fn explore(steps: impl Fn(&State) -> Vec<(LabelId, State)>) -> (Lts, StateNames) {
    let mut states: Vec<State> = vec![(0, Vec::new())];
    let mut numbers: FxHashMap<State, u32> = FxHashMap::from_iter([(states[0].clone(), 0)]);
    let mut transitions = Vec::new();
    let mut at = 0;
    while at < states.len() {
        for (label, target) in steps(&states[at]) {
            let next = states.len() as u32;
            let target = *numbers.entry(target.clone()).or_insert_with(|| {
                states.push(target);
                next
            });
            transitions.push(Transition::new(at as u32, label, target));
        }
        at += 1;
    }
    let initial = |&colour: &u8| &COLOURS[usize::from(colour)][..1];
    let show = |(number, kept): &State| format!("{number}:{}", kept.iter().map(initial).collect::<String>()).into();
    (Lts::new(StateId(0), states.len(), transitions), states.iter().map(show).collect())
}
