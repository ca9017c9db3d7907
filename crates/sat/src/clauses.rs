//! Functions of a graph as clauses.

use super::Solver;
use prequel_model::{Aig, Lit, Node};
use rustc_hash::FxHashMap;

/// Clauses for functions of one graph that belong to one part. Helping variables are the part's own: parts share nothing but
/// inputs, so that interpolants speak of inputs only.
pub struct Encoder<'a> {
    aig: &'a Aig,
    part: u32,
    helpers: FxHashMap<usize, i32>,
}

impl<'a> Encoder<'a> {
    /// For functions of this graph.
    pub fn new(aig: &'a Aig, part: u32) -> Self {
        Self { aig, part, helpers: FxHashMap::default() }
    }

    /// Demands that a function holds; `input` gives the solver's variable for an input.
    pub fn demand(&mut self, solver: &mut Solver, f: Lit, input: &mut impl FnMut(&mut Solver, u32) -> i32) {
        self.demand_or(solver, f, &[], input);
    }

    /// Demands that a function holds, or one of these literals.
    pub fn demand_or(
        &mut self,
        solver: &mut Solver,
        f: Lit,
        or: &[i32],
        input: &mut impl FnMut(&mut Solver, u32) -> i32,
    ) {
        for conjunct in self.aig.conjuncts(f) {
            // A disjunction is one clause of its parts.
            let mut clause: Vec<i32> = match self.aig.node(conjunct) {
                Node::And(..) => {
                    let parts = self.aig.conjuncts(!conjunct);
                    parts.into_iter().map(|part| -self.literal(solver, part, input)).collect()
                }
                Node::False if conjunct == Lit::TRUE => continue,
                Node::False => Vec::new(),
                Node::Input(_) => vec![self.literal(solver, conjunct, input)],
            };
            clause.extend_from_slice(or);
            solver.add(self.part, &clause);
        }
    }

    /// A literal that is as a function is.
    pub fn literal(&mut self, solver: &mut Solver, f: Lit, input: &mut impl FnMut(&mut Solver, u32) -> i32) -> i32 {
        let sign = |f: Lit, variable: i32| if f.is_negated() { -variable } else { variable };
        // Deep graphs: what is under way is kept by hand.
        let mut open = vec![f.node()];
        while let Some(&node) = open.last() {
            if self.helpers.contains_key(&node) {
                open.pop();
                continue;
            }
            let variable = match self.aig.nodes()[node] {
                Node::Input(number) => input(solver, number),
                Node::False => {
                    let variable = solver.variable();
                    solver.add(self.part, &[-variable]);
                    variable
                }
                Node::And(a, b) => {
                    let known = |f: Lit| self.helpers.get(&f.node()).map(|&variable| sign(f, variable));
                    let (Some(x), Some(y)) = (known(a), known(b)) else {
                        open.extend([a, b].iter().filter(|f| known(**f).is_none()).map(|f| f.node()));
                        continue;
                    };
                    let variable = solver.variable();
                    solver.add(self.part, &[-variable, x]);
                    solver.add(self.part, &[-variable, y]);
                    solver.add(self.part, &[variable, -x, -y]);
                    variable
                }
            };
            self.helpers.insert(node, variable);
            open.pop();
        }
        sign(f, self.helpers[&f.node()])
    }
}
