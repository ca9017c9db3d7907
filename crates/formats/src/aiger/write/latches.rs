//! Which variables of a circuit are latches: those whose next value is a function of the state.

use prequel_model::{Aig, Bit, Circuit, Lit, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// A circuit taken apart.
pub struct Latches {
    /// The graph that all functions here are in; it has those of the circuit too.
    pub aig: Aig,
    /// The next value of latches: a function of the state, or none where it is chosen. Other variables are as they like, always.
    pub next: FxHashMap<Bit, Option<Lit>>,
    /// The first value of latches that have just one.
    pub reset: FxHashMap<Bit, bool>,
    /// What else is said of the first state.
    pub initial: Lit,
    /// What else is said of a step; of next values only those that are chosen are left in it.
    pub steps: Lit,
    /// What is said of every state.
    pub always: Vec<Lit>,
}

impl Latches {
    /// Takes a circuit apart.
    pub fn of(circuit: &Circuit) -> Self {
        let source = &circuit.aig;
        let mut aig = source.clone();
        let conjuncts = |f: fn(&prequel_model::Part) -> Lit| -> Vec<Lit> {
            let mut all: Vec<Lit> = circuit.parts.iter().flat_map(|part| source.conjuncts(f(part))).collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|&f| f != Lit::TRUE);
            all
        };
        let (mut initial, mut steps) = (conjuncts(|part| part.initial), conjuncts(|part| part.step));

        // What holds at first and after every step always holds.
        let mut always = Vec::new();
        let known: FxHashSet<Lit> = initial.iter().copied().collect();
        steps.retain(|&conjunct| {
            let ahead = source.support(conjunct).into_iter().all(|input| Bit::of(input).1);
            if !ahead || conjunct == Lit::FALSE {
                return true;
            }
            let now = source.copy(&[conjunct], &mut aig, |aig, input| aig.input(Bit::of(input).0.now()))[0];
            let holds = known.contains(&now);
            if holds {
                always.push(now);
            }
            !holds
        });
        initial.retain(|conjunct| !always.contains(conjunct));

        let functions = functions(source, &steps, &looks_ahead(source));
        let said: FxHashSet<Lit> = functions.values().flat_map(|(_, said)| said.iter().copied()).collect();
        steps.retain(|conjunct| !said.contains(conjunct));

        let steps = source.copy(&steps, &mut aig, |aig, input| match Bit::of(input) {
            (bit, true) if functions.contains_key(&bit) => functions[&bit].0,
            _ => aig.input(input),
        });
        let steps = aig.all(steps);
        let mut next: FxHashMap<Bit, Option<Lit>> = functions.into_iter().map(|(bit, (f, _))| (bit, Some(f))).collect();
        for (bit, ahead) in aig.support(steps).into_iter().map(Bit::of) {
            if ahead {
                next.insert(bit, None);
            }
        }
        let mut reset = FxHashMap::default();
        initial.retain(|&conjunct| {
            let Node::Input(input) = aig.node(conjunct) else { return true };
            let (bit, _) = Bit::of(input);
            let first = next.contains_key(&bit) && !reset.contains_key(&bit);
            if first {
                reset.insert(bit, !conjunct.is_negated());
            }
            !first
        });
        let initial = aig.all(initial);
        Self { aig, next, reset, initial, steps, always }
    }
}

/// Whether each node is made of next values.
fn looks_ahead(aig: &Aig) -> Vec<bool> {
    let mut ahead: Vec<bool> = Vec::with_capacity(aig.nodes().len());
    for node in aig.nodes() {
        ahead.push(match *node {
            Node::False => false,
            Node::Input(input) => Bit::of(input).1,
            Node::And(a, b) => ahead[a.node()] || ahead[b.node()],
        });
    }
    ahead
}

/// Next values that are functions of the state, and the conjuncts that say so: `x' = f` is `x'` or `!x'` where f is constant, and
/// elsewhere both `!(x' & !f)` and `!(!x' & f)`.
fn functions(aig: &Aig, steps: &[Lit], looks_ahead: &[bool]) -> FxHashMap<Bit, (Lit, Vec<Lit>)> {
    let mut found: FxHashMap<Bit, (Lit, Vec<Lit>)> = FxHashMap::default();
    // For each variable and function: the conjunct that says that the variable has it as an upper bound.
    let mut above: FxHashMap<(Bit, Lit), Lit> = FxHashMap::default();
    let mut below: Vec<(Bit, Lit, Lit)> = Vec::new();
    for &conjunct in steps {
        match aig.node(conjunct) {
            Node::Input(input) => {
                let (bit, ahead) = Bit::of(input);
                if ahead {
                    let constant = Lit::TRUE.negated_if(conjunct.is_negated());
                    found.entry(bit).or_insert((constant, vec![conjunct]));
                }
            }
            Node::And(a, b) if conjunct.is_negated() => {
                for (one, other) in [(a, b), (b, a)] {
                    let Node::Input(input) = aig.node(one) else { continue };
                    let (bit, ahead) = Bit::of(input);
                    if !ahead || looks_ahead[other.node()] {
                        continue;
                    }
                    if one.is_negated() {
                        below.push((bit, other, conjunct));
                    } else {
                        above.insert((bit, !other), conjunct);
                    }
                }
            }
            _ => {}
        }
    }
    for (bit, function, lower) in below {
        if let Some(&upper) = above.get(&(bit, function)) {
            found.entry(bit).or_insert((function, vec![lower, upper]));
        }
    }
    found
}
