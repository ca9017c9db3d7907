//! Derivations as certificates hold them: by the names of components and labels, and by numbers within one certificate.

use super::Rejected;
use super::by_name::{label, once};
use prequel_model::{
    Component, ComponentId, Derivation, DerivationStep, Ground, LabelId, Lts, Network, Premise, Problem, Shows,
    StateId, Transition,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A proof by small checks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedSteps {
    shows: SavedShows,
    /// Whose ends are looked at, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
    /// What automata hear: labels, and ends of components in a state and all like it.
    labels: Vec<SavedLabel>,
    /// One for each step.
    automata: Vec<SavedStep>,
    /// Those that are never marked, or never at rest, together.
    last: Vec<SavedPremise>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedShows {
    NoWord,
    NoDeadlock,
    Nonblocking,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SavedLabel {
    Label(String),
    End(String, u32),
}

/// An automaton and what it follows from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SavedStep {
    /// None where it is assumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Vec<SavedPremise>>,
    /// The assumption that it no longer rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    without: Option<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    early: bool,
    /// Places of labels.
    hears: Vec<usize>,
    #[serde(default, skip_serializing_if = "is_first")]
    initial: u32,
    /// From, the place of a label or none, to.
    edges: Vec<(u32, Option<usize>, u32)>,
    /// None where all of them are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    marked: Option<Vec<u32>>,
}

/// The place of a step, the name of a component, or the question, which has no name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SavedPremise {
    Step(usize),
    Component(String),
    Question(()),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_first(state: &u32) -> bool {
    *state == 0
}

impl SavedSteps {
    /// By names.
    pub fn of(network: &Network, derivation: &Derivation) -> Self {
        let name = |c: ComponentId| network.component(c).name.to_string();
        let labels = network.labels();
        let (mut names, mut place) = (Vec::new(), FxHashMap::<LabelId, usize>::default());
        let premise = |premise: &Premise| match premise {
            Premise::Step(at) => SavedPremise::Step(*at),
            Premise::Component(c) => SavedPremise::Component(name(*c)),
            Premise::Question => SavedPremise::Question(()),
        };
        let mut automata = Vec::with_capacity(derivation.steps.len());
        for DerivationStep { ground, automaton, has_marks } in &derivation.steps {
            let mut hears = Vec::with_capacity(automaton.alphabet().len());
            for &l in automaton.alphabet() {
                hears.push(*place.entry(l).or_insert_with(|| {
                    names.push(match derivation.end(labels.len(), l) {
                        Some((c, state)) => SavedLabel::End(name(c), state.0),
                        None => SavedLabel::Label(labels.name(l).to_owned()),
                    });
                    names.len() - 1
                }));
            }
            let lts = &automaton.lts;
            let edges = lts.transitions().map(|t| (t.source.0, place.get(&t.label).copied(), t.target.0)).collect();
            let marked = has_marks.then(|| lts.marked().map(|s| s.0).collect());
            let (from, without, early) = match ground {
                Ground::Assumed => (None, None, false),
                Ground::From { premises, without, early } => {
                    (Some(premises.iter().map(premise).collect()), *without, *early)
                }
            };
            automata.push(SavedStep { from, without, early, hears, initial: lts.initial().0, edges, marked });
        }
        let shows = match derivation.shows {
            Shows::NoWord => SavedShows::NoWord,
            Shows::NoDeadlock => SavedShows::NoDeadlock,
            Shows::Nonblocking => SavedShows::Nonblocking,
        };
        let order = derivation.order.iter().map(|&c| name(c)).collect();
        Self { shows, order, labels: names, automata, last: derivation.last.iter().map(premise).collect() }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.automata.len()
    }

    /// Whether there is no step but the last one.
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty()
    }

    /// By numbers of the network at hand.
    pub fn read(&self, problem: &Problem) -> Result<Derivation, Rejected> {
        let network = &problem.network;
        let by_name = network.by_name();
        let component = |name: &String| {
            let known = by_name.get(&**name).copied();
            known.ok_or_else(|| Rejected::Unknown(format!("the model has no component `{name}`")))
        };
        let mut ends = Vec::new();
        let mut labels = Vec::with_capacity(self.labels.len());
        for saved in &self.labels {
            labels.push(match saved {
                SavedLabel::Label(name) => label(network.labels(), &Some(name.clone()))?,
                SavedLabel::End(name, state) => {
                    ends.push((component(name)?, StateId(*state)));
                    LabelId::new(network.labels().len() + ends.len() - 1)
                }
            });
        }
        let premise = |saved: &SavedPremise| {
            Ok(match saved {
                SavedPremise::Step(at) => Premise::Step(*at),
                SavedPremise::Component(name) => Premise::Component(component(name)?),
                SavedPremise::Question(()) => Premise::Question,
            })
        };
        let premises = |saved: &[SavedPremise]| saved.iter().map(premise).collect::<Result<Vec<_>, Rejected>>();
        let mut steps = Vec::with_capacity(self.automata.len());
        for (at, saved) in self.automata.iter().enumerate() {
            let ground = match &saved.from {
                None => Ground::Assumed,
                Some(from) => Ground::From { premises: premises(from)?, without: saved.without, early: saved.early },
            };
            let automaton = saved.automaton(&labels).map_err(|why| Rejected::Step { step: at + 1, why })?;
            steps.push(DerivationStep { ground, automaton, has_marks: saved.marked.is_some() });
        }
        let shows = match self.shows {
            SavedShows::NoWord => Shows::NoWord,
            SavedShows::NoDeadlock => Shows::NoDeadlock,
            SavedShows::Nonblocking => Shows::Nonblocking,
        };
        let order = once(&by_name, self.order.iter().map(String::as_str))?;
        Ok(Derivation { shows, order, ends, steps, last: premises(&self.last)? })
    }
}

impl SavedStep {
    fn automaton(&self, labels: &[LabelId]) -> Result<Component, String> {
        let known = |place: usize| labels.get(place).copied().ok_or_else(|| format!("there is no label {place}"));
        let hears = self.hears.iter().map(|&place| known(place)).collect::<Result<Vec<_>, _>>()?;
        let mut heard = hears.clone();
        heard.sort_unstable();
        let marked = self.marked.as_deref().unwrap_or_default();
        let named = self.edges.iter().flat_map(|edge| [edge.0, edge.2]).chain(marked.iter().copied());
        let states = named.chain([self.initial]).max().map_or(0, |last| last as usize + 1);
        // A number costs as much as all below it.
        if states > 2 * self.edges.len() + marked.len() + 1 {
            return Err(format!("state {} is one of an automaton with {} edges", states - 1, self.edges.len()));
        }
        let mut transitions = Vec::with_capacity(self.edges.len());
        for &(from, place, to) in &self.edges {
            let label = place.map_or(Ok(LabelId::TAU), known)?;
            if !label.is_tau() && heard.binary_search(&label).is_err() {
                return Err(format!("it has an edge with label {} and does not hear it", place.unwrap_or_default()));
            }
            transitions.push(Transition::new(from, label, to));
        }
        let lts = Lts::new(StateId(self.initial), states, transitions);
        Ok(Component::with_alphabet("step", lts.with_marked(marked.iter().map(|&s| StateId(s))), hears))
    }
}
