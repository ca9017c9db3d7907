//! The link layer of IEEE 1394 (FireWire): `link1394`.
//!
//! S. P. Luttik, "Description and formal specification of the link layer of P1394", CWI report SEN-R9706, 1997. Between the
//! transaction layer of a node and the bus, the link sends a packet signal by signal when it has won the bus, waits for the
//! acknowledgement, and acknowledges what it gets.
//!
//! | label | means |
//! | --- | --- |
//! | `LDreq`i`:`d, `LDcon`i`:`c | node i wants a packet sent to d (`all`: everybody); how that went |
//! | `LDind`i`:`x, `LDres`i | a packet came in; answer it |
//! | `PAreq`i`:fair`, `PAreq`i`:now`, `PAcon`i`:won`, `PAcon`i`:lost` | the link asks for the bus |
//! | `PCind`i, `PDreq`i`:`s, `PDind`i`:`s | the bus asks for a signal, takes one, delivers one |
//!
//! | signal | means |
//! | --- | --- |
//! | `start`, `to`d, `head`, `data`, `ack`, `end` | a packet is start to d head data end, an acknowledgement start ack end |
//! | `badhead`, `baddata`, `badack` | what the bus may make of them |
//! | `hold` | the acknowledging link keeps the bus |
//! | `gap` | the end of a subaction |
//!
//! Chosen: destinations are not damaged (so at most one link acknowledges), signals neither get lost nor come from nowhere, and
//! a node asks for one packet at a time. The ICC paper has 69,518 states for its 1394 and 563,040 for the altered one.

use super::family::{Instance, Suggested};
use super::system::{Act, Steps, System};

/// A packet for everybody, as a destination.
const ALL: usize = usize::MAX;

fn to(destination: usize) -> String {
    if destination == ALL { "toall".into() } else { format!("to{destination}") }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Link {
    /// With the destination of a packet that waits, if there is one.
    Idle(Option<usize>),
    Asked(usize),
    /// The signal to be sent next, and whether the bus has asked for it.
    Sends(usize, usize, bool),
    Sent(usize),
    AwaitsAck,
    AckStarted,
    /// Whether it was whole.
    AckRead(bool),
    /// Tells the transaction layer.
    Tells(String, Box<Link>),
    /// A packet starts; what waits is kept through it.
    Started(Option<usize>),
    Asks(Option<usize>),
    Head(Option<usize>, bool),
    Data(Option<usize>, bool),
    End(Option<usize>, bool, bool),
    AwaitsBus(Option<usize>),
    /// Keeps the bus until the transaction layer answers; whether the bus has asked for a signal.
    Holds(Option<usize>, bool),
    Acknowledges(Option<usize>, usize, bool),
    /// Reads on to the gap; whether it has asked for the bus meanwhile.
    ToGap(Option<usize>, bool),
    GivesUp(Option<usize>, bool),
}

const ACK: [&str; 3] = ["start", "ack", "end"];

fn packet(destination: usize) -> [String; 5] {
    ["start".into(), to(destination), "head".into(), "data".into(), "end".into()]
}

/// Every signal that the bus may deliver to a link. With two nodes, a link only sees its own number as a destination.
fn signals(i: usize, size: usize) -> Vec<String> {
    let plain = ["start", "head", "badhead", "data", "baddata", "ack", "badack", "end", "hold", "gap"];
    let named = (0..size).filter(|&d| d == i || size > 2).chain([ALL]).map(to);
    plain.iter().map(|&s| s.to_owned()).chain(named).collect()
}

/// What an idle link is asked to send, or asks the bus for.
fn requests(i: usize, size: usize, waits: Option<usize>) -> Steps<Link> {
    if let Some(d) = waits {
        return vec![(Act::own(format!("PAreq{i}:fair")), Link::Asked(d))];
    }
    let request = |d| (Act::own(format!("LDreq{i}:{}", to(d).split_off(2))), Link::Idle(Some(d)));
    (0..size).filter(|&d| d != i).chain([ALL]).map(request).collect()
}

fn link(i: usize, size: usize, at: &Link) -> Steps<Link> {
    use Link::*;
    let ind = |s: &str| Act::own(format!("PDind{i}:{s}"));
    let req = |s: &str| Act::own(format!("PDreq{i}:{s}"));
    let clock = || Act::own(format!("PCind{i}"));
    let (won, lost) = (Act::own(format!("PAcon{i}:won")), Act::own(format!("PAcon{i}:lost")));
    let con = |c: &str, then: Link| Tells(format!("LDcon{i}:{c}"), Box::new(then));
    let told = |x: &str, then: Link| Tells(format!("LDind{i}:{x}"), Box::new(then));
    // Reads a signal: some lead on, all others as given.
    let read = |known: &[(&str, Link)], other: Link| -> Steps<Link> {
        let then = |s: &str| known.iter().find(|(k, _)| *k == s).map_or(other.clone(), |(_, then)| then.clone());
        signals(i, size).iter().map(|s| (ind(s), then(s))).collect()
    };
    match at.clone() {
        Idle(waits) => {
            let mut steps = read(&[("start", Started(waits))], Idle(waits));
            steps.extend(requests(i, size, waits));
            steps
        }
        Asked(d) => vec![(won, Sends(d, 0, false)), (lost, Idle(Some(d)))],
        Sends(d, n, false) => vec![(clock(), Sends(d, n, true))],
        Sends(d, n, true) => {
            let then = if n == 4 { Sent(d) } else { Sends(d, n + 1, false) };
            vec![(req(&packet(d)[n]), then)]
        }
        Sent(ALL) => vec![(Act::own(format!("LDcon{i}:broadcast")), Idle(None))],
        Sent(_) => vec![(Act::own(format!("link{i}:waits")), AwaitsAck)],
        AwaitsAck => read(
            &[("hold", AwaitsAck), ("gap", con("missing", Idle(None))), ("start", AckStarted)],
            con("missing", ToGap(None, false)),
        ),
        AckStarted => read(
            &[("gap", con("missing", Idle(None))), ("ack", AckRead(true)), ("badack", AckRead(false))],
            con("missing", ToGap(None, false)),
        ),
        AckRead(whole) => {
            let outcome = if whole { "received" } else { "missing" };
            let missing = con("missing", ToGap(None, false));
            read(&[("end", con(outcome, ToGap(None, false))), ("gap", con("missing", Idle(None)))], missing)
        }
        Tells(what, then) => vec![(Act::own(what), *then)],
        Started(waits) => {
            let known = [("gap", Idle(waits)), (&*to(i), Asks(waits)), (&*to(ALL), Head(waits, true))];
            read(&known, ToGap(waits, false))
        }
        Asks(waits) => vec![(Act::own(format!("PAreq{i}:now")), Head(waits, false))],
        Head(waits, all) => read(&[("gap", Idle(waits)), ("head", Data(waits, all))], ToGap(waits, !all)),
        Data(waits, all) => {
            let known = [("gap", Idle(waits)), ("data", End(waits, all, true)), ("baddata", End(waits, all, false))];
            read(&known, ToGap(waits, !all))
        }
        End(waits, all, whole) => {
            let then = match (all, whole) {
                (true, true) => told("all", Idle(waits)),
                (true, false) => Idle(waits),
                (false, true) => told("good", AwaitsBus(waits)),
                (false, false) => told("bad", AwaitsBus(waits)),
            };
            read(&[("end", then), ("gap", Idle(waits))], ToGap(waits, !all))
        }
        AwaitsBus(waits) => vec![(won, Holds(waits, false))],
        Holds(waits, false) => {
            vec![(clock(), Holds(waits, true)), (Act::own(format!("LDres{i}")), Acknowledges(waits, 0, false))]
        }
        Holds(waits, true) => vec![(req("hold"), Holds(waits, false))],
        Acknowledges(waits, n, false) => vec![(clock(), Acknowledges(waits, n, true))],
        Acknowledges(waits, n, true) => {
            let then = if n == 2 { Idle(waits) } else { Acknowledges(waits, n + 1, false) };
            vec![(req(ACK[n]), then)]
        }
        ToGap(waits, asked) => {
            let mut steps = read(&[("gap", Idle(waits))], ToGap(waits, asked));
            steps.extend(asked.then_some((won, GivesUp(waits, false))));
            steps
        }
        GivesUp(waits, false) => vec![(clock(), GivesUp(waits, true))],
        GivesUp(waits, true) => vec![(req("end"), Idle(waits))],
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Bus {
    /// Nobody sends.
    Idle,
    /// This one has asked.
    Asked(usize),
    Refuses(usize, Box<Bus>),
    /// This one sends, this one will acknowledge.
    Busy(usize, Option<usize>),
    Gets(usize, Option<usize>),
    /// A signal on its way to this one and those after it.
    Delivers(usize, Option<usize>, String, usize),
    Grants(usize),
    Gap(usize),
}

/// The bus: who had it since the last reset of fairness, and what it does.
fn bus(size: usize, (had, at): &(u32, Bus)) -> Steps<(u32, Bus)> {
    use Bus::*;
    let had = *had;
    let asks = |j: usize, how: &str| Act::own(format!("PAreq{j}:{how}"));
    let answers = |j: usize, how: &str| Act::own(format!("PAcon{j}:{how}"));
    // Others may ask for the bus while one sends.
    let others = |sender: usize, later: &dyn Fn(Option<usize>) -> Bus, now: Option<usize>| -> Steps<(u32, Bus)> {
        let each = (0..size).filter(move |&j| j != sender);
        each.flat_map(|j| {
            let refused = Refuses(j, Box::new(later(now)));
            [(asks(j, "fair"), (had, refused)), (asks(j, "now"), (had, later(Some(j))))]
        })
        .collect()
    };
    match at.clone() {
        Idle => {
            let mut steps: Steps<(u32, Bus)> = (0..size).map(|j| (asks(j, "fair"), (had, Asked(j)))).collect();
            if had != 0 {
                steps.push((Act::own("reset"), (0, Idle)));
            }
            steps
        }
        Asked(j) if had >> j & 1 == 1 => vec![(answers(j, "lost"), (had, Idle))],
        Asked(j) => vec![(answers(j, "won"), (had | 1 << j, Busy(j, None)))],
        Refuses(j, then) => vec![(answers(j, "lost"), (had, *then))],
        Busy(sender, next) => {
            let mut steps = others(sender, &|next| Busy(sender, next), next);
            steps.push((Act::own(format!("PCind{sender}")), (had, Gets(sender, next))));
            steps
        }
        Gets(sender, next) => {
            let named = (0..size).filter(|&d| d != sender).chain([ALL]).map(to);
            let plain = ["start", "head", "data", "ack", "end", "hold"].map(String::from);
            let first = usize::from(sender == 0);
            let got = |s: String| (Act::own(format!("PDreq{sender}:{s}")), (had, Delivers(sender, next, s, first)));
            plain.into_iter().chain(named).map(got).collect()
        }
        Delivers(_, Some(next), s, j) if j >= size && s == "end" => vec![(Act::own("bus:over"), (had, Grants(next)))],
        Delivers(_, None, s, j) if j >= size && s == "end" => vec![(Act::own("bus:over"), (had, Gap(0)))],
        Delivers(sender, next, _, j) if j >= size => vec![(Act::own("bus:next"), (had, Busy(sender, next)))],
        Delivers(sender, next, s, j) => {
            let mut steps = others(sender, &|next| Delivers(sender, next, s.clone(), j), next);
            let after = if j + 1 == sender { j + 2 } else { j + 1 };
            let damaged = matches!(&*s, "head" | "data" | "ack").then(|| format!("bad{s}"));
            for delivered in [Some(s.clone()), damaged].into_iter().flatten() {
                let then = (had, Delivers(sender, next, s.clone(), after));
                steps.push((Act::own(format!("PDind{j}:{delivered}")), then));
            }
            steps
        }
        Grants(next) => vec![(answers(next, "won"), (had, Busy(next, None)))],
        Gap(j) if j == size => vec![(Act::own("bus:gap"), (had, Idle))],
        Gap(j) => vec![(Act::own(format!("PDind{j}:gap")), (had, Gap(j + 1)))],
    }
}

/// `size` nodes.
pub fn nodes(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    for i in 0..size {
        let user = |_: &System, &waits: &bool| match waits {
            false => (0..size)
                .filter(|&d| d != i)
                .chain([ALL])
                .map(|d| (Act::own(format!("LDreq{i}:{}", to(d).split_off(2))), true))
                .collect(),
            true => ["broadcast", "missing", "received"].map(|c| (Act::own(format!("LDcon{i}:{c}")), false)).into(),
        };
        system.process(format!("user{i}"), false, user);
        let server = |_: &System, &answers: &bool| match answers {
            false => [("all", false), ("good", true), ("bad", true)]
                .map(|(x, answers)| (Act::own(format!("LDind{i}:{x}")), answers))
                .into(),
            true => vec![(Act::own(format!("LDres{i}")), false)],
        };
        system.process(format!("server{i}"), false, server);
        system.process(format!("link{i}"), Link::Idle(None), |_, at| link(i, size, at));
    }
    system.process("bus".into(), (0, Bus::Idle), |_, at| bus(size, at));
    let mut instance = system.finish();
    let won: Vec<String> = (0..size).map(|i| format!("PAcon{i}:won")).collect();
    let network = &instance.network;
    let queries = [
        Suggested::pattern_on(
            network,
            &format!("at-most(2, {{{}}}, PDind0:gap)", won.join(", ")),
            true,
            "limited action occurrence: between two gaps the bus is won at most twice, for a packet and its acknowledgement",
        ),
        Suggested::pattern_on(
            network,
            "at-most(1, LDind1:good, LDcon0:received)",
            false,
            "limited action occurrence: an acknowledgement may be damaged, and the packet sent again",
        ),
    ];
    instance.queries.extend(queries);
    instance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signal that only one side knows would happen by itself.
    #[test]
    fn every_signal_has_two_sides() {
        for size in [2, 3] {
            let network = nodes(size, 0).network;
            for label in network.labels().visible().filter(|&l| network.labels().name(l).starts_with(['L', 'P'])) {
                assert_eq!(network.participants(label).len(), 2, "{}", network.labels().name(label));
            }
        }
    }
}
