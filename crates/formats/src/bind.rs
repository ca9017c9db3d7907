//! From actions to labels: an automaton over what an observer sees becomes a monitor over a network's labels.

use crate::diag::{Diagnostic, Place};
use crate::text::errors::Errors;
use crate::text::suggest;
use fixedbitset::FixedBitSet;
use prequel_model::{Component, LabelId, Labels, Lts, Monitor, Network, StateId, Transition};

/// The label that stands for every visible action for which the same state has no edge of its own (TGV's otherwise).
pub const OTHERWISE: &str = "*";
/// Transitions after binding: one edge of the automaton may stand for all labels of the network.
const MOST_TRANSITIONS: u64 = 1 << 26;

/// What the messages about an automaton need.
pub struct Source<'a> {
    /// The file or option.
    pub file: &'a str,
    /// What to call the monitor, changed where a component is already called so.
    pub name: &'a str,
    /// Where an action stands.
    pub place: &'a dyn Fn(&str) -> Option<Place>,
}

/// Binds an automaton whose labels (in `labels`) are actions to the labels of a network seen as them. Marked states accept.
pub fn bind(source: &Source, lts: &Lts, labels: &Labels, network: &Network) -> Result<Monitor, Vec<Diagnostic>> {
    let seen = Seen::of(network);
    let used = lts.used_labels();
    let otherwise = labels.get(OTHERWISE).filter(|l| used.contains(l));
    let mut errors = Errors::default();
    let mut own: Vec<&[LabelId]> = vec![&[]; labels.len()];
    for &l in used.iter().filter(|&&l| !l.is_tau() && Some(l) != otherwise) {
        own[l.at()] = seen.labels(network, labels.name(l));
        if own[l.at()].is_empty() {
            errors.push(|| seen.unknown(source, network, labels.name(l)));
        }
    }
    errors.none(source.file)?;

    let count: u64 = lts
        .transitions()
        .map(|t| if Some(t.label) == otherwise { seen.all.len() } else { own[t.label.at()].len().max(1) } as u64)
        .sum();
    if count > MOST_TRANSITIONS {
        let message = format!("on the labels of this network the automaton has {count} transitions");
        let help = format!("at most {MOST_TRANSITIONS} are supported; use `*` in fewer states");
        return Err(vec![Diagnostic::error(source.file, message).help(help)]);
    }
    let mut transitions = Vec::with_capacity(count as usize);
    let mut covered = FixedBitSet::with_capacity(network.labels().len());
    for s in lts.states() {
        let row = lts.row(s);
        for e in row.iter().filter(|e| e.label.is_tau()) {
            transitions.push(Transition { source: s, label: e.label, target: e.target });
        }
        for e in row {
            for &label in own[e.label.at()] {
                transitions.push(Transition { source: s, label, target: e.target });
            }
        }
        let Some(otherwise) = otherwise.filter(|&l| !lts.row_on(s, l).is_empty()) else { continue };
        covered.clear();
        row.iter().flat_map(|e| own[e.label.at()]).for_each(|l| covered.insert(l.at()));
        for e in lts.row_on(s, otherwise) {
            for &label in seen.all.iter().filter(|l| !covered.contains(l.at())) {
                transitions.push(Transition { source: s, label, target: e.target });
            }
        }
    }
    let alphabet: Vec<LabelId> = if otherwise.is_some() { seen.all.clone() } else { own.concat() };
    let bound = Lts::new(lts.initial(), lts.num_states(), transitions).with_marked(lts.marked());
    Ok(Monitor { automaton: Component::with_alphabet(unused_name(source.name, network), bound, alphabet) })
}

/// Whether an accepting state can be reached from the initial one.
pub fn can_accept(lts: &Lts) -> bool {
    let mut reached = FixedBitSet::with_capacity(lts.num_states());
    let mut open: Vec<StateId> = vec![lts.initial()];
    reached.insert(lts.initial().at());
    while let Some(s) = open.pop() {
        if lts.is_marked(s) {
            return true;
        }
        open.extend(lts.row(s).iter().map(|e| e.target).filter(|t| !reached.put(t.at())));
    }
    false
}

/// A monitor may be put into the network, where names must differ.
fn unused_name(name: &str, network: &Network) -> String {
    let numbered = (2u32..).map(|n| format!("{name}#{n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|n| network.find(n).is_none()).expect("some number is unused")
}

/// What an observer sees of a network: [`Network::seen_as`] for all actions in one pass.
struct Seen {
    /// Labels by the action they are seen as.
    by_action: Vec<Vec<LabelId>>,
    /// All labels that are seen, in order.
    all: Vec<LabelId>,
}

impl Seen {
    fn of(network: &Network) -> Self {
        let labels = network.labels();
        let mut by_action = vec![Vec::new(); labels.len()];
        let taken = |l: &LabelId| !network.participants(*l).is_empty() && !labels.action(*l).is_tau();
        let all: Vec<LabelId> = labels.visible().filter(taken).collect();
        all.iter().for_each(|&l| by_action[labels.action(l).at()].push(l));
        Self { by_action, all }
    }

    fn labels(&self, network: &Network, action: &str) -> &[LabelId] {
        network.labels().get(action).map_or(&[], |a| &self.by_action[a.at()])
    }

    fn unknown(&self, source: &Source, network: &Network, action: &str) -> Diagnostic {
        let labels = network.labels();
        let actions = (0..labels.len()).map(LabelId::new).filter(|a| !self.by_action[a.at()].is_empty());
        let help = match labels.get(action).filter(|&l| labels.action(l) != l && !network.participants(l).is_empty()) {
            Some(l) if labels.action(l).is_tau() => format!("the network hides `{action}`: no observer sees it"),
            Some(l) => format!("the network renames it: it is seen as `{}`", labels.seen(l)),
            None => suggest::help(action, "actions", actions.map(|a| labels.name(a))),
        };
        let error = Diagnostic::error(source.file, format!("no component has an action `{action}`")).help(help);
        match (source.place)(action) {
            Some(place) => error.at(place),
            None => error,
        }
    }
}
