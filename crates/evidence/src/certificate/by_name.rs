//! From the names in a certificate to the numbers of a network.

use super::Rejected;
use super::proof::CertifiedStep;
use prequel_model::{ComponentId, LabelId, Labels, Move, Network, StateId, Step, Trace};
use rustc_hash::{FxHashMap, FxHashSet};

/// The components of these names, each once.
pub(super) fn once<'n>(
    by_name: &FxHashMap<&str, ComponentId>,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<ComponentId>, Rejected> {
    let mut done = FxHashSet::default();
    let one = |name: &str| match by_name.get(name) {
        None => Err(Rejected::Unknown(format!("the model has no component `{name}`"))),
        Some(c) if !done.insert(*c) => Err(Rejected::Unknown(format!("`{name}` is named twice"))),
        Some(c) => Ok(*c),
    };
    names.into_iter().map(one).collect()
}

/// The label of a name; none is tau.
pub(super) fn label(labels: &Labels, name: &Option<String>) -> Result<LabelId, Rejected> {
    let Some(name) = name else { return Ok(LabelId::TAU) };
    let found = labels.get(name).filter(|l| !l.is_tau());
    found.ok_or_else(|| Rejected::Unknown(format!("the model has no label `{name}`")))
}

/// The steps of a witness, by numbers.
pub(super) fn trace(
    network: &Network,
    by_name: &FxHashMap<&str, ComponentId>,
    steps: &[CertifiedStep],
) -> Result<Trace, Rejected> {
    let step = |step: &CertifiedStep| -> Result<Step, Rejected> {
        let label = label(network.labels(), &step.label)?;
        let moves = step.moves.iter().map(|(name, from, to)| {
            let unknown = || Rejected::Unknown(format!("the model has no component `{name}`"));
            let component = *by_name.get(&**name).ok_or_else(unknown)?;
            let states = network.component(component).lts.num_states();
            if [from, to].iter().any(|s| **s as usize >= states) {
                return Err(Rejected::Unknown(format!("`{name}` has no state {}", from.max(to))));
            }
            Ok(Move { component, from: StateId(*from), to: StateId(*to) })
        });
        Ok(Step { label, moves: moves.collect::<Result<_, _>>()? })
    };
    Ok(Trace { steps: steps.iter().map(step).collect::<Result<_, _>>()? })
}
