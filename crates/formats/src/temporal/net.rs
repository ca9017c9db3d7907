//! Formulas about a Petri net: conditions on markings as `--reach` has them, `action(t)` where transition `t` fires.

use super::{Idiom, OPTION, action, read as formula};
use crate::diag::Diagnostic;
use crate::formula::condition;
use crate::text::{inline, suggest};
use prequel_model::{Net, NetAtom, Temporal, TransitionId};
use rustc_hash::FxHashMap;

/// Reads a formula; places and transitions are those of a net.
pub fn read(text: &str, net: &Net) -> Result<Temporal<NetAtom>, Vec<Diagnostic>> {
    let idiom =
        Idiom { bare: crate::formula::is_bare, quotes: true, single: true, denies_comparisons: true, owners: &[] };
    let transitions: FxHashMap<&str, TransitionId> = net.transitions().map(|t| (net.transition(t), t)).collect();
    formula(text, &idiom, |atom| match action(atom) {
        Some(named) => {
            let (name, span) = named.map_err(|found| vec![found])?;
            let fires = transitions.get(&*name).ok_or_else(|| {
                let help = suggest::help(&name, "transitions", net.transitions().map(|t| net.transition(t)));
                vec![inline::error(OPTION, atom, span, format!("there is no transition `{name}`"), &help)]
            })?;
            Ok(Temporal::Atom(NetAtom::Fires(*fires)))
        }
        None => condition(OPTION, atom, net).map(|condition| Temporal::Atom(NetAtom::Holds(condition))),
    })
}
