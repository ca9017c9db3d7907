//! `--monitor FILE.aut` and `--property FILE.aut`: automata over the actions that an observer sees.
//!
//! A monitor is an automaton for the negation. Its accepting states are those with a self-loop labelled `accept`. It may be
//! nondeterministic, may have tau, and blocks an action of its alphabet where it has no edge for it. `*` stands for every
//! visible action for which the same state has no edge of its own; a monitor with `*` has all visible actions in its alphabet.
//!
//! A property is a deterministic system without tau: the traces of the network, projected on the file's alphabet, are all
//! traces of it. It becomes a monitor with one more state, accepting and without edges, where every missing action leads.

use super::aut;
use super::bind::{self, OTHERWISE, Source};
use crate::diag::{Diagnostic, Place, Read};
use crate::text::errors::Errors;
use prequel_model::{LabelId, Labels, Lts, Monitor, Network, StateId, Transition};

/// The reserved label whose self-loops mark the accepting states of a monitor file; it is no action.
pub(crate) const ACCEPT: &str = "accept";
/// Pairs of a state and an action that a property may have: each becomes a transition.
const MOST_COMPLETED: u64 = 1 << 26;

/// Reads an automaton for the negation and binds its actions to a network.
pub fn monitor(file: &str, text: &[u8], dialect: &aut::Dialect, network: &Network) -> Read<Monitor> {
    let mut labels = Labels::new();
    let (lts, mut warnings) = aut::read(file, text, dialect, &mut labels)?;
    let accept = labels.get(ACCEPT);
    let is_accept = |t: &Transition| Some(t.label) == accept;

    let mut errors = Errors::default();
    for t in lts.transitions().filter(|t| is_accept(t) && t.source != t.target) {
        errors.push(|| {
            let message = format!("`{ACCEPT}` leads from {:?} to {:?}, but it is no action", t.source, t.target);
            let help = format!("to accept in state {:?} write `({:?}, {ACCEPT}, {:?})`", t.source, t.source, t.source);
            at_line(Diagnostic::error(file, message), text, line_of(text, &t, &[ACCEPT])).help(help)
        });
    }
    let accepting: Vec<StateId> = lts.transitions().filter(is_accept).map(|t| t.source).collect();
    let moves = lts.transitions().filter(|t| !is_accept(t)).collect();
    let lts = Lts::new(lts.initial(), lts.num_states(), moves).with_marked(accepting);

    let place = |action: &str| aut::find_label(text, action);
    let bound = bind::bind(&Source { file, name: "monitor", place: &place }, &lts, &labels, network);
    // Both kinds of errors belong to the same file: report them together.
    let bound = match (errors.none(file), bound) {
        (Ok(()), bound) => bound?,
        (Err(errors), Ok(_)) => return Err(errors),
        (Err(errors), Err(more)) => return Err([errors, more].concat()),
    };
    if !bind::can_accept(&bound.automaton.lts) {
        let message = if lts.has_marked() {
            "no accepting state can be reached: the answer is `true` whatever the network does"
        } else {
            "no accepting state: the answer is `true` whatever the network does"
        };
        let help = format!("mark accepting states by a self-loop, as in `(1, {ACCEPT}, 1)`");
        warnings.push(Diagnostic::warning(file, message).help(help));
    } else if bound.automaton.alphabet().is_empty() {
        let message = "it names no action and accepts at once: the answer is `false` whatever the network does";
        warnings.push(Diagnostic::warning(file, message).help("label its transitions with actions of the network"));
    }
    Ok((bound, warnings))
}

/// Reads a deterministic system that allows all traces of the network and turns it into a monitor.
pub fn property(file: &str, text: &[u8], dialect: &aut::Dialect, network: &Network) -> Read<Monitor> {
    let mut labels = Labels::new();
    let (lts, mut warnings) = aut::read(file, text, dialect, &mut labels)?;
    let used: Vec<LabelId> = lts.used_labels();
    let mut errors = Errors::default();
    reserved(file, text, &labels, &mut errors);
    choices(file, text, dialect, &lts, &labels, &mut errors);

    let place = |action: &str| aut::find_label(text, action);
    let source = Source { file, name: "property", place: &place };
    if let Err(mut errors) = errors.none(file) {
        // Unknown actions are worth a word beside choices, but a reserved label is no unknown action.
        if [ACCEPT, OTHERWISE].iter().all(|l| labels.get(l).is_none()) {
            errors.extend(bind::bind(&source, &lts, &labels, network).err().unwrap_or_default());
        }
        return Err(errors);
    }
    let completed = completed(file, &lts, &used)?;
    let bound = bind::bind(&source, &completed, &labels, network)?;
    if !bind::can_accept(&bound.automaton.lts) {
        let (message, help) = match used.is_empty() {
            true => ("it names no action of the network", "label its transitions with actions of the network"),
            false => {
                ("the property allows every trace over its alphabet", "leave out the transitions that must not happen")
            }
        };
        let message = format!("{message}: the answer is `true` whatever the network does");
        warnings.push(Diagnostic::warning(file, message).help(help));
    }
    Ok((bound, warnings))
}

/// The system as a monitor file holds it: a self-loop labelled `accept` at each marked state, which [`monitor`] reads back.
pub fn with_accept_loops(lts: &Lts, labels: &mut Labels) -> Lts {
    let accept = labels.intern(ACCEPT);
    let loops = lts.marked().map(|s| Transition { source: s, label: accept, target: s });
    Lts::new(lts.initial(), lts.num_states(), lts.transitions().chain(loops).collect())
}

/// Labels that have no meaning in a property.
fn reserved(file: &str, text: &[u8], labels: &Labels, errors: &mut Errors) {
    let why = [
        (ACCEPT, "a property has no accepting states", "did you mean --monitor?"),
        (OTHERWISE, "`*` has no meaning in a property", "name the actions, or did you mean --monitor?"),
    ];
    for (label, message, help) in why.into_iter().filter(|(label, ..)| labels.get(label).is_some()) {
        errors.push(|| {
            let error = Diagnostic::error(file, message).help(help);
            match aut::find_label(text, label) {
                Some(place) => error.at(place),
                None => error,
            }
        });
    }
}

/// What makes a system nondeterministic: each tau, and each further edge under a label.
fn choices(file: &str, text: &[u8], dialect: &aut::Dialect, lts: &Lts, labels: &Labels, errors: &mut Errors) {
    let taus: Vec<&str> = dialect.tau.iter().map(String::as_str).collect();
    let mut before: Option<Transition> = None;
    for t in lts.transitions() {
        let first = before.filter(|b| b.source == t.source && b.label == t.label);
        if t.label.is_tau() {
            errors.push(|| {
                let error = Diagnostic::error(file, "tau in a property");
                let help = "a property is over what an observer sees; remove its internal steps first";
                at_line(error, text, line_of(text, &t, &taus)).help(help)
            });
        } else if let Some(first) = first {
            errors.push(|| {
                let name = labels.name(t.label);
                let error =
                    Diagnostic::error(file, format!("state {:?} has a second transition under `{name}`", t.source));
                let other =
                    line_of(text, &first, &[name]).map_or(String::new(), |n| format!(" (the other is on line {n})"));
                let help = format!("a property is deterministic{other}; determinise it first");
                at_line(error, text, line_of(text, &t, &[name])).help(help)
            });
        }
        before = Some(t);
    }
}

/// Leads every missing action to a new state, which accepts.
fn completed(file: &str, lts: &Lts, alphabet: &[LabelId]) -> Result<Lts, Vec<Diagnostic>> {
    let states = lts.num_states();
    if (states as u64) * (alphabet.len() as u64) > MOST_COMPLETED {
        let message = format!("the property has {states} states and {} actions", alphabet.len());
        let help = format!("at most {MOST_COMPLETED} pairs of a state and an action are supported");
        return Err(vec![Diagnostic::error(file, message).help(help)]);
    }
    let violated = StateId::new(states);
    let missing = lts.states().flat_map(|source| {
        let free = alphabet.iter().filter(move |&&l| lts.row_on(source, l).is_empty());
        free.map(move |&label| Transition { source, label, target: violated })
    });
    let transitions: Vec<Transition> = lts.transitions().chain(missing).collect();
    Ok(Lts::new(lts.initial(), states + 1, transitions).with_marked([violated]))
}

/// The first line that holds a transition under one of these names.
fn line_of(text: &[u8], t: &Transition, names: &[&str]) -> Option<usize> {
    aut::find_lines(text, &[(t.source, names, t.target)])[0]
}

/// Points a diagnostic at a whole line, where it is known.
fn at_line(diagnostic: Diagnostic, text: &[u8], number: Option<usize>) -> Diagnostic {
    let Some((number, line)) = number.and_then(|n| Some((n, text.split(|&b| b == b'\n').nth(n - 1)?))) else {
        return diagnostic;
    };
    let start = line.len() - line.trim_ascii_start().len();
    diagnostic.at(Place::in_line(number, line, start..line.trim_ascii_end().len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::Component;
    use prequel_model::rng::Rng;

    /// Labels: a; b and b2 both seen as b; h hidden; c seen as d.
    fn network() -> Network {
        let mut labels = Labels::new();
        let ids = ["a", "b", "b2", "h", "c", "d"].map(|n| labels.intern(n));
        let [_, b, b2, h, c, d] = ids;
        labels.show(b2, b);
        labels.show(h, LabelId::TAU);
        labels.show(c, d);
        let lts = Lts::new(StateId(0), 1, ids[..5].iter().map(|&l| Transition::new(0, l, 0)).collect());
        Network::new(labels, vec![Component::new("monitor", lts)])
    }

    fn ok(read: Read<Monitor>) -> (Monitor, Vec<String>) {
        let (monitor, warnings) = read.unwrap_or_else(|e| panic!("{}", e[0].render()));
        (monitor, warnings.iter().map(Diagnostic::headline).collect())
    }

    fn errors(read: Read<Monitor>) -> Vec<String> {
        let line = |e: &Diagnostic| format!("{} [{}]", e.headline(), e.help.as_deref().unwrap_or_default());
        read.unwrap_err().iter().map(line).collect()
    }

    fn from(text: &str) -> Read<Monitor> {
        monitor("m.aut", text.as_bytes(), &aut::Dialect::default(), &network())
    }

    fn stating(text: &str) -> Read<Monitor> {
        property("p.aut", text.as_bytes(), &aut::Dialect::default(), &network())
    }

    /// The word as labels, one letter each; `B` is b2.
    fn word(text: &str) -> Vec<LabelId> {
        let network = network();
        let id = |c: char| if c == 'B' { "b2".to_owned() } else { c.to_string() };
        text.chars().map(|c| network.labels().get(&id(c)).unwrap()).collect()
    }

    #[test]
    fn an_action_is_all_labels_seen_as_it_and_accept_is_none() {
        let (monitor, warnings) = ok(from("des (0,3,2)\n(0,b,1)\n(1,accept,1)\n(0,i,0)\n"));
        assert!(warnings.is_empty());
        for (text, accepted) in [("b", true), ("B", true), ("", false), ("ahcb", true), ("bb", false), ("ba", true)] {
            assert_eq!(monitor.accepts(word(text)), accepted, "{text}");
        }
        assert_eq!(monitor.automaton.alphabet(), [LabelId(2), LabelId(3)]);
        assert_eq!(&*monitor.automaton.name, "monitor#2", "a component is called monitor");
    }

    #[test]
    fn star_is_every_visible_action_without_an_edge_of_its_own() {
        let (monitor, _) = ok(from("des (0,4,3)\n(0,b,1)\n(0,*,0)\n(1,*,2)\n(2,accept,2)\n"));
        assert_eq!(monitor.automaton.alphabet().len(), 4, "hidden labels are not visible");
        for (text, accepted) in [("Ba", true), ("aacBb", true), ("b", false), ("Bh", false), ("Baa", false)] {
            assert_eq!(monitor.accepts(word(text)), accepted, "{text}");
        }
    }

    #[test]
    fn all_errors_of_a_monitor_are_reported_at_their_places() {
        let text = "des (0,5,2)\n(0,aa,1)\n(0,h,1)\n(0,accept,1)\n(1,c,1)\n(1,accept,1)\n";
        assert_eq!(
            errors(from(text)),
            [
                "m.aut:4:1: `accept` leads from 0 to 1, but it is no action [to accept in state 0 write `(0, accept, 0)`]",
                "m.aut:2:4: no component has an action `aa` [did you mean `a`?]",
                "m.aut:3:4: no component has an action `h` [the network hides `h`: no observer sees it]",
                "m.aut:5:4: no component has an action `c` [the network renames it: it is seen as `d`]",
            ]
        );
        let many: String = (0..50).map(|n| format!("(0,xyz{n},0)\n")).collect();
        let found = errors(from(&format!("des (0,50,1)\n{many}")));
        assert_eq!(found.len(), crate::text::errors::MOST_ERRORS + 1);
        assert!(found.last().unwrap().contains("and 30 more"));
    }

    #[test]
    fn a_monitor_that_cannot_accept_is_warned_of() {
        assert!(ok(from("des (0,1,1)\n(0,a,0)\n")).1[0].contains("no accepting state:"));
        assert!(ok(from("des (0,1,1)\n(0,accept,0)\n")).1[0].contains("names no action"));
        assert!(ok(from("des (0,1,2)\n(1,accept,1)\n")).1[0].contains("can be reached"));
        assert!(ok(stating("des (0,1,1)\n(0,a,0)\n")).1[0].contains("allows every trace"));
        assert!(ok(stating("des (0,0,1)\n")).1[0].contains("names no action of the network"));
    }

    #[test]
    fn a_property_is_left_by_the_first_missing_action() {
        let (monitor, _) = ok(stating("des (0,2,2)\n(0,a,1)\n(1,b,0)\n"));
        for (text, accepted) in [("ab", false), ("b", true), ("B", true), ("acha", true), ("abaB", false)] {
            assert_eq!(monitor.accepts(word(text)), accepted, "{text}");
        }
    }

    #[test]
    fn a_property_with_a_choice_tau_or_accept_is_refused() {
        let text = "des (0,6,3)\n(0,\"a\",1)\n(0,i,1)\n(0,a,2)\n(1,tau,1)\n(1,accept,1)\n(0,*,0)\n";
        assert_eq!(
            errors(stating(text)),
            [
                "p.aut:6:4: a property has no accepting states [did you mean --monitor?]",
                "p.aut:7:4: `*` has no meaning in a property [name the actions, or did you mean --monitor?]",
                "p.aut:3:1: tau in a property [a property is over what an observer sees; remove its internal steps first]",
                "p.aut:4:1: state 0 has a second transition under `a` [a property is deterministic (the other is on line 2); determinise it first]",
                "p.aut:5:1: tau in a property [a property is over what an observer sees; remove its internal steps first]",
            ]
        );
        let both = errors(stating("des (0,3,2)\n(0,a,1)\n(0,a,0)\n(0,zebra,0)\n"));
        assert!(both.len() == 2 && both[1].starts_with("p.aut:4:4: no component has an action `zebra`"), "{both:?}");
    }

    /// All words up to a length over some labels.
    fn words(labels: &[LabelId], length: usize) -> Vec<Vec<LabelId>> {
        let mut all = vec![vec![]];
        let mut last = vec![vec![]];
        for _ in 0..length {
            last = last
                .iter()
                .flat_map(|w: &Vec<LabelId>| labels.iter().map(move |&l| [w.as_slice(), &[l]].concat()))
                .collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn a_written_monitor_is_read_back() {
        for seed in 0..300 {
            let network = random::network(seed, &Shape::default());
            let monitor = random::monitor(&mut Rng::new(seed), &network).automaton;
            let mut labels = network.labels().clone();
            let looped = with_accept_loops(&monitor.lts, &mut labels);
            let mut text = Vec::new();
            crate::aut::write(&looped, |l| labels.name(l), &mut text).unwrap();
            let (again, _) = super::monitor("m.aut", &text, &aut::Dialect::default(), &network).unwrap();
            assert_eq!(again.automaton.lts, monitor.lts, "seed {seed}");
        }
    }

    /// Against the definition: a word leaves the property at the first action the property does not allow.
    #[test]
    fn a_property_is_violated_by_exactly_the_words_that_are_no_traces_of_it() {
        for seed in 0..200 {
            let network = random::network(seed, &Shape { components: 2, labels: 3, ..Shape::default() });
            let visible: Vec<LabelId> =
                network.labels().visible().filter(|l| !network.participants(*l).is_empty()).collect();
            let drawn = random::lts(&mut Rng::new(seed), 3, &visible, 3);
            // Keep the first edge under each label.
            let mut kept: Vec<Transition> = drawn.transitions().filter(|t| !t.label.is_tau()).collect();
            kept.dedup_by_key(|t| (t.source, t.label));
            let lts = Lts::new(drawn.initial(), drawn.num_states(), kept);
            let mut text = Vec::new();
            crate::aut::write(&lts, |l| network.labels().name(l), &mut text).unwrap();
            let (monitor, _) = super::property("p.aut", &text, &aut::Dialect::default(), &network).unwrap();
            let alphabet = lts.used_labels();
            for word in words(&visible, 4) {
                let mut now = Some(lts.initial());
                for l in word.iter().filter(|l| alphabet.contains(l)) {
                    now = now.and_then(|s| lts.row_on(s, *l).first()).map(|e| e.target);
                }
                let violated = (0..=word.len()).any(|n| monitor.accepts(word[..n].iter().copied()));
                assert_eq!(violated, now.is_none(), "seed {seed}, {word:?}");
            }
        }
    }

    #[test]
    fn junk_never_panics() {
        let pieces = [
            "des (0,2,2)\n",
            "des (0,1,2)\n",
            "(0,",
            "a",
            ",1)\n",
            "(1,accept,1)\n",
            "(0,*,0)\n",
            "(0,a,1)\n",
            "\u{fffd}",
            "\0",
            "i",
            "(0,i,1)\n",
        ];
        let mut rng = Rng::new(3);
        for _ in 0..5_000 {
            let mut text: Vec<u8> = (0..rng.below(8)).flat_map(|_| rng.pick(&pieces).bytes()).collect();
            if rng.chance(30) {
                text.push(0xff);
            }
            for read in [monitor, property] {
                if let Err(errors) = read("x.aut", &text, &aut::Dialect::default(), &network()) {
                    assert!(errors.iter().all(|e| !e.render().is_empty()));
                }
            }
        }
    }
}
