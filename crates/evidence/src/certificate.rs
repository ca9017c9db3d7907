//! Certificates: what a verdict rests on, and whether it does.
//!
//! | the verdict says that | the certificate is | why it is one |
//! | --- | --- | --- |
//! | something is reached | a witness on the network itself | it is replayed |
//! | nothing is reached | classes of the states of components, and the smaller components | see below |
//! | nothing is reached | some of the components | see `parts.rs` |
//! | nothing is reached | a set of global states | see [`super::locations`] |
//! | nothing is reached | empty: a claim | it is none; whoever checks it looks at all states |
//!
//! A map h from a component N to a smaller one A is a homomorphism: the initial state goes to the initial state, and every edge
//! n -a-> n' has an edge h(n) -a-> h(n') in A. So every path of the network is one of the network with A in N's place, and where
//! the smaller network does not reach what is looked for, the original does not either. What is looked for must be seen from
//! the classes: states of a class agree on every condition of a goal, and for deadlocks a state has every label that its class
//! has (or a step of its own, and is never stuck). The converse is nothing that a checker has to believe: it looks at the
//! smaller network itself. The maps are checked in linear time, and so is the rest, in the size of the smaller network's product.
//!
//! Read off the definitions: nothing here is shared with the engines.

use super::checked::Replay;
use super::cover::{self, Difference, Uncovered};
use super::explore::{Ended, explore as explore_all};
use super::locations;
use super::parts;
pub use super::proof::Proof;
use super::set::SavedSet;
use super::witness;
use prequel_model::{
    ClassMap, Component, ComponentId, Edge, Goal, LabelId, Labels, LocationSet, Lts, Move, Network, Problem, Query,
    StateId, Step, Trace, Transition,
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// What `kind` says in a certificate file.
pub const KIND: &str = "certificate";

/// A certificate file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Certificate {
    /// [`SCHEMA`].
    pub schema: u32,
    /// [`KIND`].
    pub kind: String,
    /// A number for the network and the query: see [`fingerprint`].
    pub model: String,
    /// The query, as given on the command line.
    pub query: String,
    /// `true`, `false`, or `unknown` where nothing was decided and only the maps are claimed.
    pub verdict: String,
    /// What it says that it holds; files of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The components that are replaced.
    pub replaced: Vec<Replacement>,
    /// The path to what is looked for, where the verdict says that it is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Vec<CertifiedStep>>,
    /// What the witness needs of the network, where that is less than everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<CertifiedNeeds>,
    /// For each alternative of a goal, components that rule it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<Vec<String>>>,
    /// A set of global states that is not left. Its inputs are bits of the numbers of components' states; no name is the monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariant: Option<SavedSet<Option<String>>>,
}

/// How much a check may cost.
#[derive(Clone)]
pub struct Bounds {
    /// States of a smaller network that are looked at.
    pub states: usize,
    /// Asked now and then whether to give up.
    pub stop: Rc<dyn Fn() -> bool>,
}

impl From<usize> for Bounds {
    fn from(states: usize) -> Self {
        Self { states, stop: Rc::new(|| false) }
    }
}

/// What a witness needs: it is one of every network that has these components, if nobody else takes part in these labels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CertifiedNeeds {
    /// By name.
    pub components: Vec<String>,
    /// By name.
    pub labels: Vec<String>,
}

/// One component and the smaller one in its place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replacement {
    /// The component's name.
    pub component: String,
    /// The class of each of its states.
    pub class_of: Vec<u32>,
    /// The initial class.
    pub initial: u32,
    /// Edges between classes; no label is tau.
    pub edges: Vec<(u32, Option<String>, u32)>,
    /// The labels that it takes part in, for [`check_changed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alphabet: Option<Vec<String>>,
}

/// One step of a witness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CertifiedStep {
    /// The label; none is tau.
    pub label: Option<String>,
    /// Who moves, from where, to where.
    pub moves: Vec<(String, u32, u32)>,
}

/// Why a certificate shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// It was made for something else.
    #[error("it is about another model or query: {found}, and this one is {expected}")]
    Other {
        /// The number of the model and query at hand.
        expected: String,
        /// What the certificate says.
        found: String,
    },
    /// The verdict is neither `true` nor `false`.
    #[error("`{0}` is no verdict")]
    Verdict(String),
    /// It holds something else than it says.
    #[error("it says that its proof is `{}`, and what it holds is `{}`", .claimed.word(), .held.word())]
    Mislabelled {
        /// What it says.
        claimed: Proof,
        /// What is in it.
        held: Proof,
    },
    /// A name that the model does not have, or a number out of range, or something given twice.
    #[error("{0}")]
    Unknown(String),
    /// A class that no state belongs to.
    #[error("`{component}`: no state is in class {class}")]
    Empty {
        /// Whose.
        component: String,
        /// Which.
        class: u32,
    },
    /// The initial state is not in the initial class.
    #[error("`{component}`: its initial state is in class {found}, but {claimed} is said to be the initial class")]
    Initial {
        /// Whose.
        component: String,
        /// Where it is.
        found: u32,
        /// Where it is said to be.
        claimed: u32,
    },
    /// A transition that the smaller component does not have.
    #[error("`{component}`: the transition {from:?} -{label}-> {to:?} has no counterpart between classes")]
    Lost {
        /// Whose.
        component: String,
        /// From where.
        from: StateId,
        /// Its label.
        label: String,
        /// To where.
        to: StateId,
    },
    /// A class whose states differ in a condition of the goal.
    #[error("`{component}`: states of class {class} differ in what the goal asks")]
    Condition {
        /// Whose.
        component: String,
        /// Which.
        class: u32,
    },
    /// A state that may be stuck where its class is not.
    #[error("`{component}`: class {class} can take `{label}`, but its state {state:?} cannot")]
    Stuck {
        /// Whose.
        component: String,
        /// Which class.
        class: u32,
        /// Which state.
        state: StateId,
        /// What it lacks.
        label: String,
    },
    /// A changed process that does what its assumption does not.
    #[error("`{component}` is not covered by its assumption: {}", told(why))]
    Uncovered {
        /// Which.
        component: String,
        /// What it does.
        why: Box<Uncovered>,
    },
    /// A witness is about one model.
    #[error("the certificate is a witness, which is about the model as it was; check the changed one anew")]
    Witnessed,
    /// Parts of a network that do not rule out all that is looked for.
    #[error("alternative {alternative} of {of} is not ruled out by any of the parts")]
    Open {
        /// Counted from 1.
        alternative: usize,
        /// How many there are.
        of: usize,
    },
    /// A witness that needs more than is said.
    #[error("the witness needs more than is said: {0}")]
    Needs(String),
    /// The first state is not in the invariant.
    #[error("the first state is not in the invariant")]
    NotInitial,
    /// A step leads out of the invariant.
    #[error("the invariant is left by {0}")]
    Left(String),
    /// Something that is looked for is in the invariant.
    #[error("a state of the invariant is one that the verdict says is not reached")]
    Inside,
    /// Somebody wanted it to end.
    #[error("a limit was reached before it was checked")]
    Stopped,
    /// The smaller network does reach what the verdict denies.
    #[error("the smaller network reaches what the verdict says is not reached")]
    Reached,
    /// A verdict that needs a witness has none.
    #[error("the verdict needs a witness, and there is none")]
    NoWitness,
    /// The witness is none.
    #[error(transparent)]
    Witness(#[from] witness::Rejected),
    /// The smaller network is too large to look at.
    #[error("the smaller network has more than {0} states")]
    TooLarge(usize),
    /// The queries that certificates speak of are those of states that are reached.
    #[error("there are no certificates for {0}")]
    Query(&'static str),
}

impl From<Ended> for Rejected {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::TooMany(most) => Rejected::TooLarge(most),
            Ended::Stopped => Rejected::Stopped,
        }
    }
}

impl Certificate {
    /// The certificate of a verdict: with maps where nothing is reached, with a trace where something is.
    pub fn new(problem: &Problem, query: &str, verdict: bool, maps: &[ClassMap], trace: Option<&Trace>) -> Self {
        let network = &problem.network;
        let label = |l: LabelId| (!l.is_tau()).then(|| network.labels().name(l).to_owned());
        let name = |c: ComponentId| network.component(c).name.to_string();
        let replacement = |map: &ClassMap| Replacement {
            component: name(map.component),
            class_of: map.class_of.iter().map(|c| c.0).collect(),
            initial: map.quotient.initial().0,
            edges: map.quotient.transitions().map(|t| (t.source.0, label(t.label), t.target.0)).collect(),
            alphabet: Some(network.component(map.component).alphabet().iter().filter_map(|&l| label(l)).collect()),
        };
        let step = |step: &Step| CertifiedStep {
            label: label(step.label),
            moves: step.moves.iter().map(|m| (name(m.component), m.from.0, m.to.0)).collect(),
        };
        let maps_or_none = if maps.is_empty() { Proof::None } else { Proof::Maps };
        Self {
            schema: SCHEMA,
            kind: KIND.into(),
            model: fingerprint(problem),
            query: query.into(),
            verdict: verdict.to_string(),
            proof: Some(if trace.is_some() { Proof::Witness } else { maps_or_none }),
            replaced: maps.iter().map(replacement).collect(),
            witness: trace.map(|trace| trace.steps.iter().map(step).collect()),
            needs: None,
            parts: None,
            invariant: None,
        }
    }

    /// The same, resting on parts of the network alone.
    pub fn with_parts(mut self, network: &Network, parts: &[Vec<ComponentId>]) -> Self {
        self.parts = Some(parts.iter().map(|part| names(network, part)).collect());
        self.proof = Some(Proof::Parts);
        self
    }

    /// The same, resting on a set of global states.
    pub fn with_invariant(mut self, network: &Network, set: &LocationSet) -> Self {
        self.invariant = Some(locations::saved(network, set));
        self.proof = Some(Proof::Invariant);
        self
    }

    /// The same for every network with these components in which nobody else takes part in these labels.
    pub fn with_needs(mut self, network: &Network, components: &[ComponentId], labels: &[LabelId]) -> Self {
        let labels = labels.iter().map(|&l| network.labels().name(l).to_owned()).collect();
        self.needs = Some(CertifiedNeeds { components: names(network, components), labels });
        self
    }

    /// What of it shows its verdict on such a query, whatever it says of itself.
    pub fn proof_for(&self, query: &Query) -> Proof {
        if self.verdict == query.witness_shows().to_string() {
            return if self.witness.is_some() { Proof::Witness } else { Proof::None };
        }
        let decided = self.verdict != "unknown";
        if decided && self.parts.is_some() {
            Proof::Parts
        } else if decided && self.invariant.is_some() {
            Proof::Invariant
        } else if self.replaced.is_empty() {
            Proof::None
        } else {
            Proof::Maps
        }
    }

    /// Whether it holds what it says that it holds.
    fn as_labelled(&self, query: &Query) -> Result<(), Rejected> {
        let held = self.proof_for(query);
        match self.proof {
            Some(claimed) if claimed != held => Err(Rejected::Mislabelled { claimed, held }),
            _ => Ok(()),
        }
    }

    /// The file.
    pub fn to_json(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("plain data");
        text.push(b'\n');
        text
    }
}

fn names(network: &Network, components: &[ComponentId]) -> Vec<String> {
    components.iter().map(|&c| network.component(c).name.to_string()).collect()
}

/// A certificate as evidence on a problem.
#[derive(Clone)]
pub struct Certified<'a> {
    /// The network, and what is asked of it.
    pub problem: &'a Problem,
    /// The certificate.
    pub certificate: Certificate,
    /// How much the check may cost.
    pub bounds: Bounds,
}

impl Replay for Certified<'_> {
    /// How many states were looked at.
    type End = usize;
    type Rejected = Rejected;

    fn replay(&self) -> Result<usize, Rejected> {
        check(self.problem, &self.certificate, self.bounds.clone())
    }

    fn shows(&self) -> Option<bool> {
        self.certificate.verdict.parse().ok()
    }

    fn proof(&self) -> Proof {
        self.certificate.proof_for(&self.problem.query)
    }
}

/// Whether a certificate shows its verdict; tells how many states of the smaller network were looked at.
pub fn check(problem: &Problem, certificate: &Certificate, bounds: impl Into<Bounds>) -> Result<usize, Rejected> {
    let bounds = bounds.into();
    let expected = fingerprint(problem);
    if certificate.model != expected {
        return Err(Rejected::Other { expected, found: certificate.model.clone() });
    }
    let verdict = match certificate.verdict.as_str() {
        "true" => true,
        "false" => false,
        // Nothing is claimed but that the maps are homomorphisms.
        "unknown" => {
            certificate.as_labelled(&problem.query)?;
            return smaller(problem, certificate).map(|_| 0);
        }
        other => return Err(Rejected::Verdict(other.into())),
    };
    if verdict == problem.query.witness_shows() {
        let steps = certificate.witness.as_ref().ok_or(Rejected::NoWitness)?;
        certificate.as_labelled(&problem.query)?;
        let by_name = problem.network.by_name();
        let trace = trace(&problem.network, &by_name, steps)?;
        let last = witness::check(problem, &trace)?;
        if let Some(CertifiedNeeds { components, labels }) = &certificate.needs {
            let components = found(&by_name, components)?;
            let label = |name: &String| named(problem.network.labels(), &Some(name.clone()));
            let labels = labels.iter().map(label).collect::<Result<Vec<_>, _>>()?;
            parts::suffice(problem, &trace, &last, &components, &labels)?;
        }
        return Ok(steps.len() + 1);
    }
    certificate.as_labelled(&problem.query)?;
    if let Some(shown) = without_maps(problem, certificate, &bounds) {
        return shown;
    }
    let (components, of_class) = smaller(problem, certificate)?;
    explore(problem, components, &of_class, &bounds)
}

/// Whether what a certificate says is not reached is not reached either after processes were changed: each replaced one must be
/// covered by its assumption ([`super::cover`]), and the network with the assumptions is looked at as it is now. Tells how
/// many of its states were looked at.
pub fn check_changed(
    problem: &Problem,
    certificate: &Certificate,
    bounds: impl Into<Bounds>,
) -> Result<usize, Rejected> {
    let bounds = bounds.into();
    let verdict = match certificate.verdict.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        "unknown" => None,
        other => return Err(Rejected::Verdict(other.into())),
    };
    if verdict == Some(problem.query.witness_shows()) {
        return Err(Rejected::Witnessed);
    }
    certificate.as_labelled(&problem.query)?;
    if let Some(shown) = verdict.and_then(|_| without_maps(problem, certificate, &bounds)) {
        return shown;
    }
    let mut components: Vec<Component> = problem.network.components().to_vec();
    let replaced = replaced(problem, certificate)?;
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
    if verdict.is_none() {
        return Ok(0);
    }
    // Goals are about components that were not replaced: their states are their own.
    let states = |c: &Component| (0..c.lts.num_states()).map(StateId::new).collect();
    let of_class: Vec<Vec<StateId>> = components.iter().map(states).collect();
    explore(problem, components, &of_class, &bounds)
}

/// Whether a certificate that replaces nothing shows that nothing is reached; none where it needs maps, or the whole network. What it
/// holds is put to the network at hand, so it does not matter which one it was made for.
fn without_maps(problem: &Problem, certificate: &Certificate, bounds: &Bounds) -> Option<Result<usize, Rejected>> {
    let Certificate { parts, invariant, .. } = certificate;
    let ruled_out = parts.as_ref().map(|parts| ruled_out(problem, parts, bounds));
    ruled_out.or_else(|| {
        let checked = locations::named(problem, invariant.as_ref()?).and_then(|set| {
            let stop = bounds.stop.clone();
            locations::check(problem, &set, move || stop())
        });
        Some(checked.map(|()| 0))
    })
}

/// Whether components of these names rule out what is looked for.
fn ruled_out(problem: &Problem, parts: &[Vec<String>], bounds: &Bounds) -> Result<usize, Rejected> {
    let by_name = problem.network.by_name();
    let parts = parts.iter().map(|part| found(&by_name, part)).collect::<Result<Vec<_>, _>>()?;
    parts::rule_out(problem, &parts, bounds)
}

/// The components of these names, each once.
fn found(by_name: &FxHashMap<&str, ComponentId>, names: &[String]) -> Result<Vec<ComponentId>, Rejected> {
    let mut done = FxHashSet::default();
    let one = |name: &String| match by_name.get(&**name) {
        None => Err(Rejected::Unknown(format!("the model has no component `{name}`"))),
        Some(c) if !done.insert(*c) => Err(Rejected::Unknown(format!("`{name}` is named twice"))),
        Some(c) => Ok(*c),
    };
    names.iter().map(one).collect()
}

/// The replaced components, each once.
fn replaced<'c>(
    problem: &Problem,
    certificate: &'c Certificate,
) -> Result<Vec<(ComponentId, &'c Replacement)>, Rejected> {
    let names: Vec<String> = certificate.replaced.iter().map(|replacement| replacement.component.clone()).collect();
    let components = found(&problem.network.by_name(), &names)?;
    Ok(components.into_iter().zip(&certificate.replaced).collect())
}

/// The components of the smaller network, and for each a state of each class, where the maps keep everything that matters.
fn smaller(problem: &Problem, certificate: &Certificate) -> Result<(Vec<Component>, Vec<Vec<StateId>>), Rejected> {
    let mut smaller: Vec<Component> = problem.network.components().to_vec();
    let mut of_class: Vec<Vec<StateId>> = smaller.iter().map(|c| c.lts.states().collect()).collect();
    for (component, replacement) in replaced(problem, certificate)? {
        let (lts, members) = homomorphic(problem, component, replacement)?;
        let old = &smaller[component.at()];
        smaller[component.at()] = Component::with_alphabet(old.name.clone(), lts, old.alphabet().to_vec());
        of_class[component.at()] = members;
    }
    if matches!(problem.query, Query::DeadlockFree) {
        let impossible = blocked(&smaller);
        for (component, replacement) in replaced(problem, certificate)? {
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
pub(super) fn replacement_edges(
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
        match named(network.labels(), label) {
            Ok(label) => edges.push(Transition::new(*from, label, *to)),
            Err(_) if old => {}
            Err(unknown) => return Err(unknown),
        }
    }
    Ok(edges)
}

/// What a changed process does that its assumption does not.
fn told(why: &Uncovered) -> String {
    let label = |l: &Option<String>| l.clone().unwrap_or_else(|| "i".into());
    let path: Vec<String> = why.path.iter().map(label).collect();
    let place = if path.is_empty() { "at the beginning".into() } else { format!("after {}", path.join(", ")) };
    match &why.what {
        Difference::Step { label: l, to } => {
            let (from, to, l) = (why.state.0, to.0, label(l));
            format!("{place} it has {from} -{l}-> {to}, and class {} has no step `{l}`", why.class)
        }
        Difference::Stuck { label } => {
            format!("{place} its state {} cannot take `{label}`, which class {} can", why.state.0, why.class)
        }
    }
}

/// Labels that some participant never takes: they are enabled nowhere. It is the smaller components that are asked: an edge that a
/// process does not have may have been put into what is in its place.
fn blocked(components: &[Component]) -> FxHashSet<LabelId> {
    components.iter().flat_map(Component::blocked).collect()
}

/// Looks at all states of the smaller network, and is content when there is nothing to be found.
fn explore(
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

/// The label of a name.
fn named(labels: &Labels, name: &Option<String>) -> Result<LabelId, Rejected> {
    let Some(name) = name else { return Ok(LabelId::TAU) };
    let found = labels.get(name).filter(|l| !l.is_tau());
    found.ok_or_else(|| Rejected::Unknown(format!("the model has no label `{name}`")))
}

/// The steps of a witness, by numbers.
fn trace(
    network: &Network,
    by_name: &FxHashMap<&str, ComponentId>,
    steps: &[CertifiedStep],
) -> Result<Trace, Rejected> {
    let step = |step: &CertifiedStep| -> Result<Step, Rejected> {
        let label = named(network.labels(), &step.label)?;
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

/// A number for a network and a query, the same wherever both are the same: FNV-1a in 128 bits. It tells one model from
/// another by mistake, not by malice: the certificate itself is checked in any case.
pub fn fingerprint(problem: &Problem) -> String {
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    let (network, labels) = (&problem.network, problem.network.labels());
    for label in labels.visible() {
        hash.text(labels.name(label));
        hash.number(labels.action(label).0);
    }
    for component in network.components() {
        hash.component(component);
    }
    hash.text(problem.query.kind());
    match &problem.query {
        Query::Reach(goal) => hash.goal(goal),
        Query::Safety(monitor) => hash.component(&monitor.automaton),
        Query::DeadlockFree | Query::Nonblocking => {}
    }
    format!("{:032x}", hash.0)
}

struct Fnv(u128);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn number(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.bytes(text.as_bytes());
    }

    fn component(&mut self, component: &Component) {
        self.text(&component.name);
        self.number(component.alphabet().len() as u32);
        component.alphabet().iter().for_each(|l| self.number(l.0));
        let lts = &component.lts;
        self.number(lts.initial().0);
        self.number(lts.num_states() as u32);
        self.number(lts.num_transitions() as u32);
        for t in lts.transitions() {
            for n in [t.source.0, t.label.0, t.target.0] {
                self.number(n);
            }
        }
        lts.marked().for_each(|s| self.number(s.0));
        self.number(u32::MAX);
    }

    fn goal(&mut self, goal: &Goal) {
        match goal {
            Goal::In(c, states) => {
                self.number(0);
                self.number(c.0);
                self.number(states.len() as u32);
                states.iter().for_each(|s| self.number(s.0));
            }
            Goal::And(goals) | Goal::Or(goals) => {
                self.number(if matches!(goal, Goal::And(_)) { 1 } else { 2 });
                self.number(goals.len() as u32);
                goals.iter().for_each(|g| self.goal(g));
            }
            Goal::Not(goal) => {
                self.number(3);
                self.goal(goal);
            }
        }
    }
}
