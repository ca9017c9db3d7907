//! Runs of networks.

use super::{Lasso, Outcome, System, find};
use crate::algo::product::Product;
use prequel_model::run::Run;
use prequel_model::{ComponentId, LabelId, Move, Network, NetworkAtom, Step, Temporal, Why};
use prequel_program::Excluded;

/// Looks for a run of a network that a formula excludes.
pub fn network(network: &Network, formula: &Temporal<NetworkAtom>, run: &Run) -> Outcome<Step> {
    let (atoms, numbered) = formula.numbered();
    let Some(excluded) = Excluded::by(&numbered) else {
        return Outcome::Unknown(Why::Refused(
            "the automaton of the formula is too large: split the formula up".into(),
        ));
    };
    let product = Product::new(network.labels().len(), network.components().iter().collect());
    let system = Components { product, atoms };
    match find(&system, &excluded, run) {
        None => unreachable!("the states of a product all have the same size"),
        Some(Outcome::Found(Lasso { steps, from })) => {
            let steps = steps.iter().map(|(state, label, next)| system.step(state, *label, next)).collect();
            Outcome::Found(Lasso { steps, from })
        }
        Some(Outcome::Absent) => Outcome::Absent,
        Some(Outcome::Unknown(why)) => Outcome::Unknown(why),
    }
}

/// A network and the atoms of a formula about it.
struct Components<'a> {
    product: Product<'a>,
    atoms: Vec<&'a NetworkAtom>,
}

impl Components<'_> {
    /// The step with a label between two states.
    fn step(&self, state: &[u64], label: LabelId, next: &[u64]) -> Step {
        let local = |of: &[u64], c| self.product.local(of, c);
        let change = |component| Move { component, from: local(state, component), to: local(next, component) };
        let mut all = (0..self.product.len()).map(ComponentId::new);
        let alone = |&c: &ComponentId| {
            let Move { from, to, .. } = change(c);
            // A step that changes nothing is one of whoever has such a loop.
            (from != to || state == next) && self.product.part(c).lts.has(from, LabelId::TAU, to)
        };
        let moves = match label.is_tau() {
            true => all.find(alone).into_iter().map(change).collect(),
            false => self.product.participants(label).iter().map(|&c| change(c)).collect(),
        };
        Step { label, moves }
    }
}

impl System for Components<'_> {
    type Deed = LabelId;

    fn words(&self) -> usize {
        self.product.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.product.initial()
    }

    fn steps(&self, state: &[u64], out: &mut Vec<u64>, deeds: &mut Vec<LabelId>) -> bool {
        self.product.labelled_successors(state, out, deeds);
        true
    }

    fn holds(&self, atom: u32, state: &[u64], deed: Option<LabelId>) -> bool {
        match self.atoms[atom as usize] {
            NetworkAtom::In(goal) => goal.holds(&|c| self.product.local(state, c)),
            NetworkAtom::Takes(labels) => deed.is_some_and(|label| labels.contains(&label)),
        }
    }
}
