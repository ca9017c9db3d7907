//! Functions of a graph as clauses of a solver, each once and when it is first asked for: what a question is not about is never there.

use prequel_model::{Aig, Bit, Lit, Node};
use prequel_sat::Prober;
use rustc_hash::FxHashMap;

/// The functions that have clauses so far.
pub struct Gates<'a> {
    aig: &'a Aig,
    /// Variables that are functions of the state before: no other variable stands for them after the step.
    functions: FxHashMap<Bit, Lit>,
    /// By node: how often it is used, as far as that is once or more than once.
    shared: Vec<bool>,
    /// By node: its literal; 0 where it has none.
    literals: Vec<i32>,
    /// By input: its variable; 0 where it has none.
    inputs: Vec<i32>,
    /// By variable of the solver: what it is made of.
    origins: Vec<Origin>,
    /// The variables that gates are made of.
    parts: Vec<i32>,
    /// By variable: the last walk that came across it.
    seen: Vec<u32>,
    walk: u32,
}

/// What a variable of the solver stands for.
#[derive(Clone, Copy)]
enum Origin {
    /// Nothing of the graph.
    Other,
    /// An input.
    Input(u32),
    /// A function of these: a range of `parts`.
    Gate(u32, u32),
}

/// What a node is made of.
enum Made {
    Constant,
    Input(u32),
    Same(Lit),
    All(Vec<Lit>),
    /// If the first, then the second, else the third.
    Choice([Lit; 3]),
}

impl Made {
    fn parts(&self) -> &[Lit] {
        match self {
            Made::Constant | Made::Input(_) => &[],
            Made::Same(f) => std::slice::from_ref(f),
            Made::All(parts) => parts,
            Made::Choice(parts) => parts,
        }
    }
}

impl<'a> Gates<'a> {
    pub fn new(aig: &'a Aig, functions: FxHashMap<Bit, Lit>) -> Self {
        let nodes = aig.nodes().len();
        let (mut used, mut shared) = (vec![false; nodes], vec![false; nodes]);
        for node in aig.nodes() {
            if let Node::And(a, b) = node {
                for part in [a, b] {
                    shared[part.node()] |= std::mem::replace(&mut used[part.node()], true);
                }
            }
        }
        Self {
            aig,
            functions,
            shared,
            literals: vec![0; nodes],
            inputs: Vec::new(),
            origins: Vec::new(),
            parts: Vec::new(),
            seen: Vec::new(),
            walk: 0,
        }
    }

    /// Whether a variable is a function of the state before.
    pub fn is_function(&self, bit: Bit) -> bool {
        self.functions.contains_key(&bit)
    }

    /// The literal of a variable now.
    pub fn now(&mut self, solver: &mut Prober, bit: Bit) -> i32 {
        self.input(solver, bit.now())
    }

    /// The literal of a variable after the step.
    pub fn next(&mut self, solver: &mut Prober, bit: Bit) -> i32 {
        match self.functions.get(&bit) {
            Some(&f) => self.literal(solver, f),
            None => self.input(solver, bit.next()),
        }
    }

    fn input(&mut self, solver: &mut Prober, input: u32) -> i32 {
        let at = input as usize;
        if self.inputs.len() <= at {
            self.inputs.resize(at + 1, 0);
        }
        if self.inputs[at] == 0 {
            self.inputs[at] = self.variable(solver, Origin::Input(input));
        }
        self.inputs[at]
    }

    fn variable(&mut self, solver: &mut Prober, origin: Origin) -> i32 {
        let made = solver.variable();
        self.origins.resize(made as usize, Origin::Other);
        self.origins.push(origin);
        made
    }

    /// A literal that is as a function is.
    pub fn literal(&mut self, solver: &mut Prober, f: Lit) -> i32 {
        // Deep graphs: what is under way is kept by hand.
        let mut open = vec![f.node()];
        while let Some(&node) = open.last() {
            if self.literals[node] != 0 {
                open.pop();
                continue;
            }
            let made = self.made(node);
            let before = open.len();
            open.extend(made.parts().iter().map(|part| part.node()).filter(|&part| self.literals[part] == 0));
            if open.len() == before {
                self.literals[node] = self.gate(solver, &made);
                open.pop();
            }
        }
        self.known(f)
    }

    fn known(&self, f: Lit) -> i32 {
        let literal = self.literals[f.node()];
        if f.is_negated() { -literal } else { literal }
    }

    fn made(&self, node: usize) -> Made {
        match self.aig.nodes()[node] {
            Node::False => Made::Constant,
            Node::Input(input) => match Bit::of(input) {
                (bit, true) if self.is_function(bit) => Made::Same(self.functions[&bit]),
                _ => Made::Input(input),
            },
            Node::And(a, b) => self.choice(a, b).map_or_else(|| Made::All(self.conjuncts(a, b)), Made::Choice),
        }
    }

    /// Both of these, where that is a choice: not both p and q, and not both ¬p and r.
    fn choice(&self, a: Lit, b: Lit) -> Option<[Lit; 3]> {
        let parts = |f: Lit| match self.aig.node(f) {
            Node::And(x, y) if f.is_negated() => Some([x, y]),
            _ => None,
        };
        let ([p, q], [r, s]) = (parts(a)?, parts(b)?);
        for (p, q) in [(p, q), (q, p)] {
            for (r, s) in [(r, s), (s, r)] {
                if p == !r {
                    return Some([p, !q, !s]);
                }
            }
        }
        None
    }

    /// Both of these, taken apart as long as nobody else uses the parts.
    fn conjuncts(&self, a: Lit, b: Lit) -> Vec<Lit> {
        let (mut found, mut open) = (Vec::new(), vec![a, b]);
        while let Some(f) = open.pop() {
            match self.aig.node(f) {
                Node::And(a, b) if !f.is_negated() && !self.shared[f.node()] && self.choice(a, b).is_none() => {
                    open.extend([a, b]);
                }
                _ => found.push(f),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The literal of a node whose parts have theirs.
    fn gate(&mut self, solver: &mut Prober, made: &Made) -> i32 {
        let parts: Vec<i32> = made.parts().iter().map(|&part| self.known(part)).collect();
        let first = self.parts.len() as u32;
        let origin = Origin::Gate(first, first + parts.len() as u32);
        match made {
            Made::Same(_) => parts[0],
            Made::Input(input) => self.input(solver, *input),
            Made::Constant => {
                let never = self.variable(solver, origin);
                solver.add(&[-never]);
                never
            }
            Made::All(_) => {
                self.parts.extend(&parts);
                let all = self.variable(solver, origin);
                parts.iter().for_each(|&part| solver.add(&[-all, part]));
                let mut clause: Vec<i32> = parts.iter().map(|part| -part).collect();
                clause.push(all);
                solver.add(&clause);
                all
            }
            Made::Choice(_) => {
                self.parts.extend(&parts);
                let (choice, [p, q, r]) = (self.variable(solver, origin), [parts[0], parts[1], parts[2]]);
                for clause in [[-p, -q, choice], [-p, q, -choice], [p, -r, choice], [p, r, -choice]] {
                    solver.add(&clause);
                }
                // What both ways say need not wait for the choice.
                solver.add(&[-q, -r, choice]);
                solver.add(&[q, r, -choice]);
                choice
            }
        }
    }

    /// The variables that literals are made of, themselves included.
    pub fn cone(&mut self, roots: &[i32]) -> Vec<i32> {
        self.walk += 1;
        self.seen.resize(self.origins.len().max(self.seen.len()), 0);
        let Self { parts, seen, walk, origins, .. } = self;
        let (mut found, mut at) = (Vec::new(), 0);
        let mut meet = |found: &mut Vec<i32>, literals: &[i32]| {
            for variable in literals.iter().map(|literal| literal.abs()) {
                if std::mem::replace(&mut seen[variable as usize], *walk) != *walk {
                    found.push(variable);
                }
            }
        };
        meet(&mut found, roots);
        while let Some(&variable) = found.get(at) {
            if let Origin::Gate(from, to) = origins[variable as usize] {
                meet(&mut found, &parts[from as usize..to as usize]);
            }
            at += 1;
        }
        found
    }

    /// The inputs that literals are made of, with their variables.
    pub fn inputs(&mut self, roots: &[i32]) -> Vec<(i32, u32)> {
        let cone = self.cone(roots);
        let input = |variable: i32| match self.origins[variable as usize] {
            Origin::Input(input) => Some((variable, input)),
            _ => None,
        };
        cone.into_iter().filter_map(input).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;
    use prequel_sat::Outcome;

    const BITS: u32 = 5;

    /// A function of the state now, with choices and long conjunctions among its parts.
    fn function(aig: &mut Aig, rng: &mut Rng, depth: usize) -> Lit {
        let f = if depth == 0 {
            aig.input(Bit(rng.below(BITS as usize) as u32).now())
        } else {
            let parts: Vec<Lit> = (0..3).map(|_| function(aig, rng, depth - 1)).collect();
            match rng.below(3) {
                0 => aig.choose(parts[0], parts[1], parts[2]),
                1 => aig.xor(parts[0], parts[1]),
                _ => aig.all(parts),
            }
        };
        f.negated_if(rng.chance(50))
    }

    #[test]
    fn literals_are_as_their_functions_are_and_their_cones_decide_them() {
        for seed in 0..200 {
            let (mut aig, rng) = (Aig::default(), &mut Rng::new(seed));
            let [f, g] = [(); 2].map(|()| function(&mut aig, rng, 3));
            // `g` also says what the first variable is after the step, and something else is said of that.
            let after = aig.input(Bit(0).next());
            let both = aig.xor(f, after);
            let mut gates = Gates::new(&aig, [(Bit(0), g)].into_iter().collect());
            let mut solver = Prober::default();
            let literals = [f, both].map(|f| gates.literal(&mut solver, f));
            assert_eq!(gates.next(&mut solver, Bit(0)), gates.literal(&mut solver, g), "seed {seed}");
            let cone = gates.cone(&literals);
            for state in 0..1u32 << BITS {
                let bit = |input: u32| state >> Bit::of(input).0.0 & 1 == 1;
                let [f, g]: [bool; 2] = aig.values(&[f, g], bit).try_into().expect("two functions");
                for (variable, input) in gates.inputs(&literals) {
                    assert!(!Bit::of(input).1, "seed {seed}: the function stands for the variable");
                    solver.assume(if bit(input) { variable } else { -variable });
                }
                assert!(matches!(solver.solve(|| cone.clone(), |_| false), Outcome::Satisfiable));
                let value = |literal: i32| solver.value(literal.abs()).map(|value| value == (literal > 0));
                assert_eq!(literals.map(value), [Some(f), Some(f != g)], "seed {seed}, state {state}");
            }
        }
    }
}
