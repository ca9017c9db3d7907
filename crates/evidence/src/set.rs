//! Sets of states as certificates hold them: graphs of gates over named bits.

use prequel_model::{Aig, Lit, Node};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A set of states as a graph, numbered as AIGER does: variables are the inputs from 1 on and then the gates; a literal is twice its
/// variable, and one more where it is negated; 0 is false.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedSet<Name = String> {
    /// What each input is a bit of, and which, counted from the lowest.
    pub inputs: Vec<(Name, usize)>,
    /// The two literals of each gate.
    pub gates: Vec<(u64, u64)>,
    /// The literal that holds in the set.
    pub holds: u64,
}

/// A literal of a variable that is not there yet where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the literal {literal} is not defined before it is used")]
pub struct Undefined {
    /// Which.
    pub literal: u64,
    /// The gate that uses it and which of its two literals it is, from 0 on; none is what holds in the set.
    pub gate: Option<(usize, usize)>,
}

impl<Name> SavedSet<Name> {
    /// A function of a graph as it is saved; inputs by name.
    pub fn new(aig: &Aig, set: Lit, name: impl Fn(u32) -> (Name, usize)) -> Self {
        let cone = aig.cone(&[set]);
        let mut variable: FxHashMap<usize, u64> = FxHashMap::default();
        let (mut inputs, mut gates) = (Vec::new(), Vec::new());
        for &node in &cone {
            if let Node::Input(input) = aig.nodes()[node] {
                inputs.push(name(input));
                variable.insert(node, inputs.len() as u64);
            }
        }
        let literal = |variable: &FxHashMap<usize, u64>, f: Lit| {
            2 * variable.get(&f.node()).copied().unwrap_or(0) + u64::from(f.is_negated())
        };
        for &node in &cone {
            if let Node::And(a, b) = aig.nodes()[node] {
                gates.push((literal(&variable, a), literal(&variable, b)));
                variable.insert(node, (inputs.len() + gates.len()) as u64);
            }
        }
        let holds = literal(&variable, set);
        Self { inputs, gates, holds }
    }

    /// Literals that are used before they are defined.
    pub fn undefined(&self) -> impl Iterator<Item = Undefined> + '_ {
        let of_gate = |(at, &(a, b)): (usize, &(u64, u64))| [(a, at, Some((at, 0))), (b, at, Some((at, 1)))];
        let uses = self.gates.iter().enumerate().flat_map(of_gate);
        let uses = uses.chain([(self.holds, self.gates.len(), None)]);
        let known = move |gates: usize| (1 + self.inputs.len() + gates) as u64;
        uses.filter(move |&(literal, gates, _)| literal / 2 >= known(gates))
            .map(|(literal, _, gate)| Undefined { literal, gate })
    }

    /// The function that holds in the set, in a graph in which the inputs are these functions.
    pub fn function(&self, aig: &mut Aig, inputs: Vec<Lit>) -> Result<Lit, Undefined> {
        if let Some(undefined) = self.undefined().next() {
            return Err(undefined);
        }
        let mut functions = vec![Lit::FALSE];
        functions.extend(inputs);
        let of = |functions: &[Lit], literal: u64| functions[(literal / 2) as usize].negated_if(literal % 2 == 1);
        for &(a, b) in &self.gates {
            let (a, b) = (of(&functions, a), of(&functions, b));
            functions.push(aig.and(a, b));
        }
        Ok(of(&functions, self.holds))
    }
}
