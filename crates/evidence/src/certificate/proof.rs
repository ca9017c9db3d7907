//! What certificates hold, by the names of components and labels.

use super::steps::SavedSteps;
use crate::locations;
use crate::proof::Proof;
use crate::set::SavedSet;
use prequel_model::run::Needs;
use prequel_model::{ClassMap, ComponentId, Evidence, LabelId, LocationSet, Network, Step, Trace};
use serde::{Deserialize, Serialize};

/// What a verdict rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CertifiedProof {
    /// The path to what is looked for.
    Witness {
        /// Its steps.
        steps: Vec<CertifiedStep>,
        /// What it needs of the network, where that is less than everything.
        needs: Option<CertifiedNeeds>,
    },
    /// The components that are replaced: at least one.
    Maps(Vec<Replacement>),
    /// For each alternative of a goal, components that rule it out.
    Parts(Vec<Vec<String>>),
    /// A set of global states that is not left. Its inputs are bits of the numbers of components' states; no name is the monitor.
    Invariant(SavedSet<Option<String>>),
    /// Small checks, each made from what those before it have shown.
    Steps(SavedSteps),
    /// Nothing: a claim.
    Nothing,
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
    /// The labels that it takes part in, for [`super::check_changed`].
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

impl CertifiedProof {
    /// What an engine shows for its answer. A witness may need less than everything.
    pub fn of(network: &Network, evidence: &Evidence, needs: Option<&Needs>) -> Self {
        match evidence {
            Evidence::Witness(trace) => Self::witness(network, trace, needs),
            Evidence::Quotients(maps) => Self::maps(network, maps),
            Evidence::Parts(parts) => Self::parts(network, parts),
            Evidence::Invariant(set) => Self::invariant(network, set),
            Evidence::Derivation(derivation) => Self::Steps(SavedSteps::of(network, derivation)),
            Evidence::Exhausted => Self::Nothing,
        }
    }

    /// A path to what is looked for.
    pub fn witness(network: &Network, trace: &Trace, needs: Option<&Needs>) -> Self {
        let step = |step: &Step| CertifiedStep {
            label: label(network, step.label),
            moves: step.moves.iter().map(|m| (name(network, m.component), m.from.0, m.to.0)).collect(),
        };
        let needs = needs.map(|Needs { components, labels }| CertifiedNeeds {
            components: names(network, components),
            labels: labels.iter().map(|&l| network.labels().name(l).to_owned()).collect(),
        });
        Self::Witness { steps: trace.steps.iter().map(step).collect(), needs }
    }

    /// Smaller components; without any of them it is a claim.
    pub fn maps(network: &Network, maps: &[ClassMap]) -> Self {
        let replacement = |map: &ClassMap| Replacement {
            component: name(network, map.component),
            class_of: map.class_of.iter().map(|c| c.0).collect(),
            initial: map.quotient.initial().0,
            edges: map.quotient.transitions().map(|t| (t.source.0, label(network, t.label), t.target.0)).collect(),
            alphabet: {
                let alphabet = network.component(map.component).alphabet();
                Some(alphabet.iter().filter_map(|&l| label(network, l)).collect())
            },
        };
        if maps.is_empty() { Self::Nothing } else { Self::Maps(maps.iter().map(replacement).collect()) }
    }

    /// Parts of the network that rule out what is looked for.
    pub fn parts(network: &Network, parts: &[Vec<ComponentId>]) -> Self {
        Self::Parts(parts.iter().map(|part| names(network, part)).collect())
    }

    /// A set of global states.
    pub fn invariant(network: &Network, set: &LocationSet) -> Self {
        Self::Invariant(locations::saved(network, set))
    }

    /// Which of them it is.
    pub fn kind(&self) -> Proof {
        match self {
            Self::Witness { .. } => Proof::Witness,
            Self::Maps(_) => Proof::Maps,
            Self::Parts(_) => Proof::Parts,
            Self::Invariant(_) => Proof::Invariant,
            Self::Steps(_) => Proof::Steps,
            Self::Nothing => Proof::None,
        }
    }

    /// The components that are replaced.
    pub fn replaced(&self) -> &[Replacement] {
        if let Self::Maps(maps) = self { maps } else { &[] }
    }
}

fn label(network: &Network, label: LabelId) -> Option<String> {
    (!label.is_tau()).then(|| network.labels().name(label).to_owned())
}

fn name(network: &Network, component: ComponentId) -> String {
    network.component(component).name.to_string()
}

fn names(network: &Network, components: &[ComponentId]) -> Vec<String> {
    components.iter().map(|&c| name(network, c)).collect()
}
