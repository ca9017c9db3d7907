//! `--marking LABEL`: marked states of systems that have no other way to say which, by a self-loop.
//!
//! The label is no action: its loops are taken out, and nobody takes part in it any more. A component without it is silent about
//! marks, so all its states are marked.

use crate::diag::{Diagnostic, Read};
use crate::text::errors::Errors;
use crate::text::suggest;
use prequel_model::{Component, LabelId, Lts, Network, Origin, StateId, Transition};

/// The label that marks states, unless another is chosen.
pub const OMEGA: &str = "omega";

/// The network with the states marked that have a self-loop seen as `label`.
pub fn marked(network: Network, origin: &Origin, label: &str) -> Read<Network> {
    let marks: Vec<LabelId> = network
        .labels()
        .get(label)
        .into_iter()
        .flat_map(|action| network.seen_as(action).collect::<Vec<_>>())
        .collect();
    if marks.is_empty() {
        let labels = network.labels();
        let seen = labels.visible().map(|l| labels.seen(l));
        let near = suggest::nearest(label, seen);
        let help = match near.first() {
            Some(near) => format!("did you mean --marking {near}?"),
            None => format!("give marked states a self-loop `{label}`, or name another label with --marking"),
        };
        let message = format!("no state is marked: no component has the label `{label}`");
        return Err(vec![Diagnostic::error("--nonblocking", message).help(help)]);
    }
    let is_mark = |label: LabelId| marks.binary_search(&label).is_ok();
    let (mut errors, mut warnings) = (Errors::default(), Vec::new());
    let mut components = Vec::with_capacity(network.components().len());
    for c in network.ids() {
        let component = network.component(c);
        let (lts, name) = (&component.lts, &component.name);
        if !component.alphabet().iter().any(|&l| is_mark(l)) {
            let mut component = component.clone();
            component.lts = component.lts.clone().with_marked(lts.states());
            components.push(component);
            continue;
        }
        for t in lts.transitions().filter(|t| is_mark(t.label) && t.source != t.target) {
            errors.push(|| {
                let state = |s: StateId| origin.state_name(c, s);
                let (from, to) = (state(t.source), state(t.target));
                let message = format!("`{label}` of `{name}` leads from {from} to {to}, but it is no action");
                let help = format!("to mark state {from} let `{label}` lead from it to itself");
                Diagnostic::error("--marking", message).help(help)
            });
        }
        let marked: Vec<StateId> = lts.transitions().filter(|t| is_mark(t.label)).map(|t| t.source).collect();
        if marked.is_empty() {
            let message = format!("no state of `{name}` is marked: the answer is `false` whatever the others do");
            let help = format!("give marked states a self-loop `{label}`");
            warnings.push(Diagnostic::warning("--nonblocking", message).help(help));
        }
        let rest: Vec<Transition> = lts.transitions().filter(|t| !is_mark(t.label)).collect();
        let lts = Lts::new(lts.initial(), lts.num_states(), rest).with_marked(marked);
        let alphabet = component.alphabet().iter().copied().filter(|&l| !is_mark(l));
        components.push(Component::with_alphabet(name.clone(), lts, alphabet));
    }
    errors.none("--marking")?;
    let (labels, _) = network.into_parts();
    Ok((Network::new(labels, components), warnings))
}

/// The same, with all states marked where no component has the label.
pub fn marked_or_all(network: Network, origin: &Origin, label: &str) -> Read<Network> {
    let labels = network.labels();
    if labels.get(label).is_some_and(|action| network.seen_as(action).next().is_some()) {
        return marked(network, origin, label);
    }
    let (labels, mut components) = network.into_parts();
    for component in &mut components {
        component.lts = component.lts.clone().with_marked(component.lts.states());
    }
    Ok((Network::new(labels, components), Vec::new()))
}

/// The network with a self-loop at each marked state, which [`marked`] reads back; components that are marked
/// everywhere have none, unless all are.
pub fn with_loops(network: Network, label: &str) -> Network {
    let (mut labels, components) = network.into_parts();
    let mark = labels.fresh(label);
    let marked_everywhere = |c: &Component| c.lts.states().all(|s| c.lts.is_marked(s));
    // Somebody must have the label, or nothing would be marked.
    let nobody_else = components.iter().all(marked_everywhere);
    let looped = |component: Component| {
        let lts = &component.lts;
        if !nobody_else && marked_everywhere(&component) {
            return component;
        }
        let loops = lts.marked().map(|s| Transition { source: s, label: mark, target: s });
        let all = lts.transitions().chain(loops).collect();
        let with = Lts::new(lts.initial(), lts.num_states(), all);
        Component::with_alphabet(component.name.clone(), with, component.alphabet().iter().copied().chain([mark]))
    };
    let components = components.into_iter().map(looped).collect();
    Network::new(labels, components)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Labels;

    fn network(edges: &[(u32, &str, u32)]) -> Network {
        let mut labels = Labels::new();
        let edges: Vec<Transition> =
            edges.iter().map(|&(s, label, t)| Transition::new(s, labels.intern(label), t)).collect();
        let silent = Lts::new(StateId(0), 2, edges.iter().copied().filter(|t| t.source != t.target).collect());
        let says = Lts::new(StateId(0), 2, edges);
        Network::new(labels, vec![Component::new("says", says), Component::new("silent", silent)])
    }

    #[test]
    fn loops_become_marks_and_back() {
        let with = network(&[(0, "a", 1), (1, "omega", 1)]);
        let (read, warnings) = marked(with, &Origin::default(), OMEGA).unwrap();
        let marks = |c: usize| read.components()[c].lts.marked().collect::<Vec<_>>();
        assert_eq!((marks(0), marks(1)), (vec![StateId(1)], vec![StateId(0), StateId(1)]));
        assert!(warnings.is_empty());
        assert!(read.components().iter().all(|c| c.alphabet().len() == 1 && c.lts.num_transitions() == 1));
        let again = marked(with_loops(read.clone(), "mark"), &Origin::default(), "mark").unwrap().0;
        for (a, b) in read.components().iter().zip(again.components()) {
            assert_eq!((&a.lts, a.alphabet()), (&b.lts, b.alphabet()));
        }
    }

    #[test]
    fn a_mark_that_moves_and_a_mark_that_nobody_has_are_errors() {
        let says = |edges: &[(u32, &str, u32)], label: &str| {
            marked(network(edges), &Origin::default(), label).unwrap_err()[0].message.clone()
        };
        assert_eq!(says(&[(0, "omega", 1)], OMEGA), "`omega` of `says` leads from 0 to 1, but it is no action");
        assert_eq!(says(&[(0, "a", 1)], OMEGA), "no state is marked: no component has the label `omega`");
    }
}
