//! Formulas about a network: `component@state` for where components are, `action(NAME)` for the action of a step.
//!
//! An action is what an observer sees. The internal step has no name.

use super::{Idiom, OPTION, action, read as formula};
use crate::diag::Diagnostic;
use crate::goal;
use crate::text::{inline, suggest};
use prequel_model::{LabelId, Network, NetworkAtom, Origin, Temporal};

/// Reads a formula; components, states and actions are those of a network and its origin.
pub fn read(text: &str, network: &Network, origin: &Origin) -> Result<Temporal<NetworkAtom>, Vec<Diagnostic>> {
    let idiom = Idiom { bare: goal::is_bare, quotes: true, single: true, denies_comparisons: true, owners: &[] };
    formula(text, &idiom, |atom| match action(atom) {
        Some(named) => {
            let (name, span) = named.map_err(|found| vec![found])?;
            let labels: Vec<LabelId> = seen_as(network, &name);
            if labels.is_empty() {
                let message = format!("no step is seen as `{name}`");
                let actions: Vec<&str> = network.labels().visible().map(|label| network.labels().seen(label)).collect();
                let help = match &*name {
                    "tau" | "i" => "the internal step has no name: ask for the states around it".into(),
                    _ => suggest::help(&name, "actions", actions.iter().copied()),
                };
                return Err(vec![inline::error(OPTION, atom, span, message, &help)]);
            }
            Ok(Temporal::Atom(NetworkAtom::Takes(labels)))
        }
        None => goal::read(OPTION, atom, network, origin).map(|goal| Temporal::Atom(NetworkAtom::In(goal))),
    })
}

/// The labels that are seen as an action of this name.
fn seen_as(network: &Network, name: &str) -> Vec<LabelId> {
    let labels = network.labels();
    let seen = |label: &LabelId| !labels.action(*label).is_tau() && labels.seen(*label) == name;
    labels.visible().filter(seen).collect()
}
