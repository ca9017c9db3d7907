//! Whether a certificate shows its verdict.
//!
//! Read off the definitions: nothing here is shared with the engines.

use super::by_name::{label, once, trace};
use super::maps::{blocked, explore, replaced, smaller};
use super::proof::{CertifiedNeeds, CertifiedProof, CertifiedStep};
use super::{Bounds, Certificate, Rejected, fingerprint};
use crate::{cover, derivation, locations, parts, witness};
use prequel_model::{Component, Problem, StateId};

/// Whether a certificate shows its verdict; tells how many states of the smaller network were looked at.
pub fn check(problem: &Problem, certificate: &Certificate, bounds: impl Into<Bounds>) -> Result<usize, Rejected> {
    let bounds = bounds.into();
    let expected = fingerprint(problem);
    if certificate.model != expected {
        return Err(Rejected::Other { expected, found: certificate.model.clone() });
    }
    let maps = certificate.proof.replaced();
    let Some(verdict) = certificate.verdict else {
        // Nothing is claimed but that the maps are homomorphisms.
        certificate.as_labelled(&problem.query)?;
        return smaller(problem, maps).map(|_| 0);
    };
    if verdict == problem.query.witness_shows() {
        let CertifiedProof::Witness { steps, needs } = &certificate.proof else { return Err(Rejected::NoWitness) };
        return replayed(problem, steps, needs.as_ref());
    }
    certificate.as_labelled(&problem.query)?;
    if let Some(shown) = without_maps(problem, &certificate.proof, &bounds) {
        return shown;
    }
    let (components, of_class) = smaller(problem, maps)?;
    explore(problem, components, &of_class, &bounds)
}

/// Whether what a certificate says is not reached is not reached either after processes were changed: each replaced one must be
/// covered by its assumption ([`crate::cover`]), and the network with the assumptions is looked at as it is now. Tells how
/// many of its states were looked at.
pub fn check_changed(
    problem: &Problem,
    certificate: &Certificate,
    bounds: impl Into<Bounds>,
) -> Result<usize, Rejected> {
    let bounds = bounds.into();
    if certificate.verdict == Some(problem.query.witness_shows()) {
        return Err(Rejected::Witnessed);
    }
    certificate.as_labelled(&problem.query)?;
    if let Some(shown) = without_maps(problem, &certificate.proof, &bounds) {
        return shown;
    }
    let mut components: Vec<Component> = problem.network.components().to_vec();
    let replaced = replaced(problem, certificate.proof.replaced())?;
    for &(component, replacement) in &replaced {
        components[component.at()] = cover::assumption(problem, component, replacement)?;
    }
    let impossible = blocked(&components);
    for (component, _) in replaced {
        if let Some(why) = cover::uncovered(problem, component, &components[component.at()], &impossible) {
            let component = problem.network.component(component).name.to_string();
            return Err(Rejected::Uncovered { component, why: Box::new(why) });
        }
    }
    if certificate.verdict.is_none() {
        return Ok(0);
    }
    // Goals are about components that were not replaced: their states are their own.
    let states = |c: &Component| (0..c.lts.num_states()).map(StateId::new).collect();
    let of_class: Vec<Vec<StateId>> = components.iter().map(states).collect();
    explore(problem, components, &of_class, &bounds)
}

/// Whether a witness leads to what is looked for and needs no more than it says; tells how many states it passes.
fn replayed(problem: &Problem, steps: &[CertifiedStep], needs: Option<&CertifiedNeeds>) -> Result<usize, Rejected> {
    let by_name = problem.network.by_name();
    let trace = trace(&problem.network, &by_name, steps)?;
    let last = witness::check(problem, &trace)?;
    if let Some(CertifiedNeeds { components, labels }) = needs {
        let components = once(&by_name, components.iter().map(String::as_str))?;
        let labels = labels.iter().map(|name| label(problem.network.labels(), &Some(name.clone())));
        let labels = labels.collect::<Result<Vec<_>, _>>()?;
        parts::suffice(problem, &trace, &last, &components, &labels)?;
    }
    Ok(steps.len() + 1)
}

/// Whether a proof that replaces nothing shows that nothing is reached; none where it needs maps, or the whole network. What it
/// holds is put to the network at hand, so it does not matter which one it was made for.
fn without_maps(problem: &Problem, proof: &CertifiedProof, bounds: &Bounds) -> Option<Result<usize, Rejected>> {
    match proof {
        CertifiedProof::Parts(parts) => Some(ruled_out(problem, parts, bounds)),
        CertifiedProof::Invariant(set) => {
            let stop = bounds.stop.clone();
            let set = locations::named(problem, set);
            Some(set.and_then(|set| locations::check(problem, &set, move || stop())).map(|()| 0))
        }
        CertifiedProof::Steps(steps) => {
            Some(steps.read(problem).and_then(|derivation| derivation::check(problem, &derivation, bounds)))
        }
        CertifiedProof::Maps(_) | CertifiedProof::Witness { .. } | CertifiedProof::Nothing => None,
    }
}

/// Whether components of these names rule out what is looked for.
fn ruled_out(problem: &Problem, parts: &[Vec<String>], bounds: &Bounds) -> Result<usize, Rejected> {
    let by_name = problem.network.by_name();
    let named = |part: &Vec<String>| once(&by_name, part.iter().map(String::as_str));
    let parts = parts.iter().map(named).collect::<Result<Vec<_>, _>>()?;
    parts::rule_out(problem, &parts, bounds)
}
