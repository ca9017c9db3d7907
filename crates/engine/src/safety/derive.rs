//! Where derivations begin: the parts and the monitor, as they follow from components and the question.

use super::Safety;
use prequel_model::{Component, ComponentId, Derivation, Ground, LabelId, Premise, Shows, StateId};
use rustc_hash::FxHashMap;

/// A derivation that knows the parts and the monitor; nobody's where none is asked for.
#[derive(Clone, Debug)]
pub struct Derived {
    derivation: Option<Derivation>,
}

impl Derived {
    /// The step of the monitor; that of a part comes as many steps after it as its place says, and one more.
    pub const MONITOR: usize = 0;

    /// Of a question, if its proof is asked for.
    pub fn of(safety: &Safety, proves: bool) -> Self {
        if !proves {
            return Self { derivation: None };
        }
        let mut derivation = Derivation::new(Shows::NoWord);
        derivation.order.clone_from(&safety.order);
        derivation.ends = safety.ended();
        let mut derived = Self { derivation: Some(derivation) };
        derived.add(|| Ground::from(vec![Premise::Question]), &safety.monitor, true);
        for (part, &id) in safety.parts.iter().zip(&safety.ids) {
            derived.add(|| Ground::from(vec![Premise::Component(id)]), part, false);
        }
        derived
    }

    /// About something else than words: it knows nothing yet.
    pub fn about(shows: Shows, proves: bool) -> Self {
        Self { derivation: proves.then(|| Derivation::new(shows)) }
    }

    /// The step of a part.
    pub fn part(at: usize) -> usize {
        Self::MONITOR + 1 + at
    }

    /// Whether it is asked for.
    pub fn is_asked(&self) -> bool {
        self.derivation.is_some()
    }

    /// Adds a step, and gives its number; any where nobody asked.
    pub fn add(&mut self, ground: impl FnOnce() -> Ground, automaton: &Component, has_marks: bool) -> usize {
        self.derivation.as_mut().map_or(0, |derivation| derivation.add(ground(), automaton.clone(), has_marks))
    }

    /// The proof, by steps that are never marked together.
    pub fn ended(&mut self, last: impl IntoIterator<Item = usize>) -> Option<Derivation> {
        self.derivation.take().map(|derivation| derivation.ended(last.into_iter().map(Premise::Step).collect()))
    }
}

impl Safety {
    /// The proof where the monitor alone can never be marked.
    pub fn never_bad(&self, proves: bool) -> Option<Derivation> {
        Derived::of(self, proves).ended([Derived::MONITOR])
    }

    /// The labels of ends in their order: whose, and the first of the states.
    fn ended(&self) -> Vec<(ComponentId, StateId)> {
        let mut first: FxHashMap<LabelId, (ComponentId, StateId)> = FxHashMap::default();
        for (&c, labels) in &self.ends {
            for (s, &label) in labels.iter().enumerate() {
                first.entry(label).or_insert((c, StateId::new(s)));
            }
        }
        let mut ends: Vec<(LabelId, (ComponentId, StateId))> = first.into_iter().collect();
        ends.sort_unstable();
        ends.into_iter().map(|(_, end)| end).collect()
    }
}
