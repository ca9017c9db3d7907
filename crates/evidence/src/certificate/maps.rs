//! Certificates that replace components: whether their maps are homomorphisms, and what the smaller network reaches.
//!
//! A map h from a component N to a smaller one A is a homomorphism: the initial state goes to the initial state, and every edge
//! n -a-> n' has an edge h(n) -a-> h(n') in A. So every path of the network is one of the network with A in N's place, and where
//! the smaller network does not reach what is looked for, the original does not either. What is looked for must be seen from
//! the classes: states of a class agree on every condition of a goal, and for deadlocks a state has every label that its class
//! has (or a step of its own, and is never stuck). The converse is nothing that a checker has to believe: it looks at the
//! smaller network itself. The maps are checked in linear time, and so is the rest, in the size of the smaller network's product.

use super::by_name::{label as label_of, once};
use super::proof::Replacement;
use super::{Bounds, Rejected};
use crate::explore::explore as explore_all;
use prequel_model::{Component, ComponentId, Edge, LabelId, Lts, Network, Problem, Query, StateId, Transition};
use rustc_hash::FxHashSet;

/// The replaced components, each once.
pub(super) fn replaced<'c>(
    problem: &Problem,
    maps: &'c [Replacement],
) -> Result<Vec<(ComponentId, &'c Replacement)>, Rejected> {
    let components = once(&problem.network.by_name(), maps.iter().map(|map| &*map.component))?;
    Ok(components.into_iter().zip(maps).collect())
}

/// The components of the smaller network, and for each a state of each class, where the maps keep everything that matters.
pub(super) fn smaller(
    problem: &Problem,
    maps: &[Replacement],
) -> Result<(Vec<Component>, Vec<Vec<StateId>>), Rejected> {
    let mut smaller: Vec<Component> = problem.network.components().to_vec();
    let mut of_class: Vec<Vec<StateId>> = smaller.iter().map(|c| c.lts.states().collect()).collect();
    for (component, replacement) in replaced(problem, maps)? {
        let (lts, members) = homomorphic(problem, component, replacement)?;
        let old = &smaller[component.at()];
        smaller[component.at()] = Component::with_alphabet(old.name.clone(), lts, old.alphabet().to_vec());
        of_class[component.at()] = members;
    }
    if matches!(problem.query, Query::DeadlockFree) {
        let impossible = blocked(&smaller);
        for (component, replacement) in replaced(problem, maps)? {
            stuck_together(&problem.network, component, replacement, &smaller[component.at()].lts, &impossible)?;
        }
    }
    Ok((smaller, of_class))
}

/// Whether a state has every label that its class has, or a step of its own; labels that nobody can take apart.
fn stuck_together(
    network: &Network,
    c: ComponentId,
    given: &Replacement,
    small: &Lts,
    impossible: &FxHashSet<LabelId>,
) -> Result<(), Rejected> {
    let lts = &network.component(c).lts;
    let class = |s: StateId| StateId(given.class_of[s.at()]);
    let alone = |l: LabelId| l.is_tau() || network.participants(l).len() == 1;
    for s in lts.states().filter(|&s| !lts.row(s).iter().any(|e| alone(e.label))) {
        let lacks = |e: &&Edge| lts.row_on(s, e.label).is_empty() && !impossible.contains(&e.label);
        if let Some(e) = small.row(class(s)).iter().find(lacks) {
            let label = network.labels().name(e.label).into();
            return Err(Rejected::Stuck { component: given.component.clone(), class: class(s).0, state: s, label });
        }
    }
    Ok(())
}

/// The smaller component, and a state of each class, where the map keeps everything that matters.
fn homomorphic(problem: &Problem, c: ComponentId, given: &Replacement) -> Result<(Lts, Vec<StateId>), Rejected> {
    let (network, component) = (&problem.network, problem.network.component(c));
    let (lts, name) = (&component.lts, &given.component);
    let unknown = |what: String| Rejected::Unknown(format!("`{name}`: {what}"));
    if given.class_of.len() != lts.num_states() {
        return Err(unknown(format!("{} classes are given for {} states", given.class_of.len(), lts.num_states())));
    }
    let classes = given.class_of.iter().map(|&class| class as usize + 1).max().unwrap_or(0);
    if classes > lts.num_states() {
        return Err(unknown(format!("class {} of {} states", classes - 1, lts.num_states())));
    }
    let mut members: Vec<Option<StateId>> = vec![None; classes];
    for (s, &class) in given.class_of.iter().enumerate() {
        members[class as usize].get_or_insert(StateId::new(s));
    }
    if let Some(class) = members.iter().position(Option::is_none) {
        return Err(Rejected::Empty { component: name.clone(), class: class as u32 });
    }
    let members: Vec<StateId> = members.into_iter().flatten().collect();
    let edges = replacement_edges(network, given, classes, false)?;
    if let Some(edge) = edges.iter().find(|t| !t.label.is_tau() && !component.takes_part(t.label)) {
        return Err(unknown(format!("it takes no part in `{}`", network.labels().name(edge.label))));
    }
    let found = given.class_of[lts.initial().at()];
    if found != given.initial {
        return Err(Rejected::Initial { component: name.clone(), found, claimed: given.initial });
    }
    let small = Lts::new(StateId(given.initial), classes, edges);
    let class = |s: StateId| StateId(given.class_of[s.at()]);
    if let Some(t) = lts.transitions().find(|t| !small.has(class(t.source), t.label, class(t.target))) {
        let label = network.labels().name(t.label).into();
        return Err(Rejected::Lost { component: name.clone(), from: t.source, label, to: t.target });
    }
    match &problem.query {
        Query::Reach(goal) => {
            for states in goal.conditions(c) {
                let inside = |s: StateId| states.binary_search(&s).is_ok();
                if let Some(s) = lts.states().find(|&s| inside(s) != inside(members[class(s).at()])) {
                    return Err(Rejected::Condition { component: name.clone(), class: class(s).0 });
                }
            }
        }
        // Deadlocks are looked at when all smaller components are there.
        Query::DeadlockFree | Query::Safety(_) => {}
        Query::Nonblocking => return Err(Rejected::Query(problem.query.kind())),
    }
    Ok((small, members))
}

/// The edges of a smaller component, by numbers. `old` labels may have gone from the model: nobody takes them.
pub(crate) fn replacement_edges(
    network: &Network,
    given: &Replacement,
    classes: usize,
    old: bool,
) -> Result<Vec<Transition>, Rejected> {
    let mut edges = Vec::with_capacity(given.edges.len());
    for (from, label, to) in &given.edges {
        if [from, to].iter().any(|class| **class as usize >= classes) {
            let what = format!("an edge from class {from} to class {to} of {classes}");
            return Err(Rejected::Unknown(format!("`{}`: {what}", given.component)));
        }
        match label_of(network.labels(), label) {
            Ok(label) => edges.push(Transition::new(*from, label, *to)),
            Err(_) if old => {}
            Err(unknown) => return Err(unknown),
        }
    }
    Ok(edges)
}

/// Labels that some participant never takes: they are enabled nowhere. It is the smaller components that are asked: an edge that a
/// process does not have may have been put into what is in its place.
pub(super) fn blocked(components: &[Component]) -> FxHashSet<LabelId> {
    components.iter().flat_map(Component::blocked).collect()
}

/// Looks at all states of the smaller network, and is content when there is nothing to be found.
pub(super) fn explore(
    problem: &Problem,
    mut components: Vec<Component>,
    of_class: &[Vec<StateId>],
    bounds: &Bounds,
) -> Result<usize, Rejected> {
    let own = components.len();
    if let Query::Safety(monitor) = &problem.query {
        components.push(monitor.automaton.clone());
    }
    let network = Network::new(problem.network.labels().clone(), components);
    explore_all(&network, bounds, |state, steps| {
        let found = match &problem.query {
            Query::DeadlockFree => steps.is_empty(),
            Query::Reach(goal) => goal.holds(&|c: ComponentId| of_class[c.at()][state[c.at()].at()]),
            Query::Safety(monitor) => monitor.automaton.lts.is_marked(state[own]),
            Query::Nonblocking => return Err(Rejected::Query(problem.query.kind())),
        };
        if found { Err(Rejected::Reached) } else { Ok(()) }
    })
}
