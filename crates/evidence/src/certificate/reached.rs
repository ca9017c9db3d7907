//! The set of states that a certificate leaves, whatever it holds, for checkers that know sets alone.
//!
//! An invariant is such a set. Parts of a network, and a network with smaller components, are looked at state by state, and what they
//! reach is written as one: equal remainders of states share their gates.

use super::by_name::once;
use super::maps::smaller;
use super::{Bounds, Certificate, CertifiedProof, Rejected, Replacement};
use crate::explore::explore;
use crate::{locations, parts};
use prequel_model::{Aig, Bit, Component, ComponentId, Lit, LocationSet, Network, Problem, Query, StateId};
use rustc_hash::FxHashMap;

/// States of a smaller network from which a set is made: it is written down gate by gate.
const MOST: usize = 200_000;

/// What is reached at most, if the certificate is right, which is not checked here: a set of global states that is not left.
pub fn reached(problem: &Problem, certificate: &Certificate, bounds: &Bounds) -> Result<LocationSet, Rejected> {
    match &certificate.proof {
        CertifiedProof::Invariant(set) => locations::named(problem, set),
        CertifiedProof::Parts(parts) => of_parts(problem, parts, bounds),
        proof => of_whole(problem, smaller(problem, proof.replaced())?.0, proof.replaced(), bounds),
    }
}

/// Where components can be together: what some of them reach on their own, each.
fn of_parts(problem: &Problem, parts: &[Vec<String>], bounds: &Bounds) -> Result<LocationSet, Rejected> {
    let by_name = problem.network.by_name();
    let (mut set, mut each) = (Building::new(problem), Vec::new());
    for part in parts {
        let mut part = once(&by_name, part.iter().map(String::as_str))?;
        let network = parts::alone(problem, &part);
        part.extend(monitor(problem));
        let members: Vec<Members> = part.iter().map(|&c| Members::single(problem, c)).collect();
        each.push(set.reached(&network, &part, &members, bounds)?);
    }
    let holds = set.aig.all(each);
    Ok(set.finish(holds))
}

/// Where all components can be, of whom some are replaced by smaller ones.
fn of_whole(
    problem: &Problem,
    mut components: Vec<Component>,
    replaced: &[Replacement],
    bounds: &Bounds,
) -> Result<LocationSet, Rejected> {
    let mut members: Vec<Members> = problem.network.ids().map(|c| Members::single(problem, c)).collect();
    let by_name = problem.network.by_name();
    for (c, replacement) in once(&by_name, replaced.iter().map(|map| &*map.component))?.into_iter().zip(replaced) {
        members[c.at()] = Members::of(&replacement.class_of);
    }
    let mut all: Vec<ComponentId> = problem.network.ids().collect();
    if let Query::Safety(question) = &problem.query {
        components.push(question.automaton.clone());
    }
    let last = monitor(problem);
    all.extend(last);
    members.extend(last.map(|c| Members::single(problem, c)));
    let network = Network::new(problem.network.labels().clone(), components);
    let mut set = Building::new(problem);
    let holds = set.reached(&network, &all, &members, bounds)?;
    Ok(set.finish(holds))
}

/// The number of the monitor, after those of the components.
fn monitor(problem: &Problem) -> Option<ComponentId> {
    matches!(problem.query, Query::Safety(_)).then(|| ComponentId::new(problem.network.components().len()))
}

/// For each state of a smaller component the states that it stands for.
struct Members(Vec<Vec<StateId>>);

impl Members {
    fn of(class_of: &[u32]) -> Self {
        let mut members = vec![Vec::new(); class_of.iter().max().map_or(0, |&last| last as usize + 1)];
        class_of.iter().enumerate().for_each(|(s, &class)| members[class as usize].push(StateId::new(s)));
        Self(members)
    }

    fn single(problem: &Problem, c: ComponentId) -> Self {
        let lts = match &problem.query {
            Query::Safety(monitor) if c.at() == problem.network.components().len() => &monitor.automaton.lts,
            _ => &problem.network.component(c).lts,
        };
        Self(lts.states().map(|s| vec![s]).collect())
    }
}

/// A set under construction.
struct Building {
    bits: Vec<(ComponentId, u32)>,
    /// For each component its first bit, and how many there are.
    of: Vec<(u32, u32)>,
    aig: Aig,
}

impl Building {
    fn new(problem: &Problem) -> Self {
        let mut building = Self { bits: Vec::new(), of: Vec::new(), aig: Aig::default() };
        let own = match &problem.query {
            Query::Safety(monitor) => Some(&monitor.automaton),
            _ => None,
        };
        for (c, component) in problem.network.components().iter().chain(own).enumerate() {
            let width = LocationSet::width(component.lts.num_states());
            building.of.push((building.bits.len() as u32, width));
            building.bits.extend((0..width).map(|place| (ComponentId::new(c), place)));
        }
        building
    }

    fn finish(self, holds: Lit) -> LocationSet {
        LocationSet { bits: self.bits, aig: self.aig, holds }
    }

    /// That a component is in a state.
    fn at(&mut self, c: ComponentId, state: StateId) -> Lit {
        let (first, width) = self.of[c.at()];
        let bits: Vec<Lit> = (0..width)
            .map(|place| self.aig.input(Bit(first + place).now()).negated_if(state.0 >> place & 1 == 0))
            .collect();
        self.aig.all(bits)
    }

    /// What a network reaches whose components stand for these, each of its states for these members.
    fn reached(
        &mut self,
        network: &Network,
        whose: &[ComponentId],
        members: &[Members],
        bounds: &Bounds,
    ) -> Result<Lit, Rejected> {
        let bounds = Bounds { states: bounds.states.min(MOST), ..bounds.clone() };
        let mut states: Vec<Vec<StateId>> = Vec::new();
        explore::<Rejected>(network, &bounds, |state, _| {
            states.push(state.to_vec());
            Ok(())
        })?;
        states.sort_unstable();
        let places: Vec<(ComponentId, &Members)> = whose.iter().copied().zip(members).collect();
        Ok(self.one_of(&states, &places, 0))
    }

    /// That the components from one on are as in one of these states, which agree on those before it. Equal remainders share their gates.
    fn one_of(&mut self, states: &[Vec<StateId>], places: &[(ComponentId, &Members)], depth: usize) -> Lit {
        let Some(&(c, members)) = places.get(depth) else { return Lit::TRUE };
        let mut by_rest: FxHashMap<Lit, Vec<StateId>> = FxHashMap::default();
        let mut order = Vec::new();
        for same in states.chunk_by(|a, b| a[depth] == b[depth]) {
            let rest = self.one_of(same, places, depth + 1);
            let class = same[0][depth];
            by_rest
                .entry(rest)
                .or_insert_with(|| {
                    order.push(rest);
                    Vec::new()
                })
                .extend(&members.0[class.at()]);
        }
        let mut ways = Vec::with_capacity(order.len());
        for rest in order {
            let here: Vec<Lit> = by_rest[&rest].clone().into_iter().map(|s| self.at(c, s)).collect();
            let here = self.aig.any(here);
            ways.push(self.aig.and(here, rest));
        }
        self.aig.any(ways)
    }
}
