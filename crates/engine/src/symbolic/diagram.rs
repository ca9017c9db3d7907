//! Functions of a circuit as binary decision diagrams, and back.

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::{AllocResult, OutOfMemory};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager, ManagerRef,
    Subst,
};
use prequel_model::{Aig, Bit, Lit, Node};
use rustc_hash::FxHashMap;

/// A function.
pub type Bdd = BCDDFunction;

/// Diagrams over the variables of a circuit, now and after the step, in one order.
pub struct Diagrams {
    manager: BCDDManagerRef,
    nodes: usize,
    /// By input of the circuit: its variable.
    inputs: Vec<Bdd>,
    /// By level: the input.
    by_level: Vec<u32>,
    /// What takes states after the step to states now.
    back: Subst<Bdd>,
    /// What takes states now to states after the step.
    forth: Subst<Bdd>,
    /// Diagrams of functions of the graph that were asked for.
    known: FxHashMap<Lit, Bdd>,
}

impl Diagrams {
    /// With the variables in this order and room for so many nodes.
    pub fn new(order: &[Bit], nodes: usize) -> AllocResult<Self> {
        let manager = new_manager(nodes, nodes / 2, 1);
        let mut inputs = vec![None; order.len() * 2];
        let mut by_level = Vec::with_capacity(order.len() * 2);
        manager.with_manager_exclusive(|m| -> AllocResult<()> {
            m.add_vars(order.len() as u32 * 2);
            for input in order.iter().flat_map(|bit| [bit.now(), bit.next()]) {
                inputs[input as usize] = Some(Bdd::var(m, by_level.len() as u32)?);
                by_level.push(input);
            }
            Ok(())
        })?;
        let inputs: Vec<Bdd> = inputs.into_iter().map(|f| f.expect("the order has every variable")).collect();
        let mut levels = vec![0u32; by_level.len()];
        by_level.iter().zip(0..).for_each(|(&input, level)| levels[input as usize] = level);
        let level = |input: u32| levels[input as usize];
        let bits: Vec<Bit> = (0..order.len() as u32).map(Bit).collect();
        let back = Subst::new(
            bits.iter().map(|bit| level(bit.next())).collect::<Vec<_>>(),
            bits.iter().map(|bit| inputs[bit.now() as usize].clone()).collect::<Vec<_>>(),
        );
        let forth = Subst::new(
            bits.iter().map(|bit| level(bit.now())).collect::<Vec<_>>(),
            bits.iter().map(|bit| inputs[bit.next() as usize].clone()).collect::<Vec<_>>(),
        );
        Ok(Self { manager, nodes, inputs, by_level, back, forth, known: FxHashMap::default() })
    }

    /// How many inputs the circuit has.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Makes room where little is left.
    pub fn tidy(&self) {
        self.manager.with_manager_shared(|m| {
            if m.approx_num_inner_nodes() > self.nodes / 2 {
                m.gc();
            }
        });
    }

    /// The constant.
    pub fn constant(&self, value: bool) -> Bdd {
        self.manager.with_manager_shared(|m| if value { Bdd::t(m) } else { Bdd::f(m) })
    }

    /// The diagram of a function of the graph.
    pub fn of(&mut self, aig: &Aig, f: Lit) -> AllocResult<Bdd> {
        Ok(self.all(aig, &[f])?.remove(0))
    }

    /// The diagrams of functions of the graph, what they have in common computed once.
    pub fn all(&mut self, aig: &Aig, functions: &[Lit]) -> AllocResult<Vec<Bdd>> {
        let wanted: Vec<Lit> = functions.iter().copied().filter(|f| !self.known.contains_key(f)).collect();
        let cone = aig.cone(&wanted);
        // How often each is used still: diagrams that nobody needs any more go.
        let mut uses: FxHashMap<usize, u32> = FxHashMap::default();
        let parts = |at: &usize| match aig.nodes()[*at] {
            Node::And(a, b) => vec![a, b],
            _ => Vec::new(),
        };
        for used in cone.iter().flat_map(parts).chain(wanted.iter().copied()) {
            *uses.entry(used.node()).or_default() += 1;
        }
        let mut made: FxHashMap<usize, Bdd> = FxHashMap::default();
        let signed = |f: Lit, made: &FxHashMap<usize, Bdd>| {
            let found = &made[&f.node()];
            if f.is_negated() { found.not() } else { Ok(found.clone()) }
        };
        for at in cone {
            let diagram = match aig.nodes()[at] {
                Node::False => self.constant(false),
                Node::Input(input) => self.inputs[input as usize].clone(),
                Node::And(a, b) => {
                    let both = signed(a, &made)?.and(&signed(b, &made)?)?;
                    for used in [a.node(), b.node()] {
                        let left = uses.get_mut(&used).expect("counted");
                        *left -= 1;
                        if *left == 0 {
                            made.remove(&used);
                        }
                    }
                    both
                }
            };
            made.insert(at, diagram);
        }
        for f in wanted {
            self.known.insert(f, signed(f, &made)?);
        }
        Ok(functions.iter().map(|f| self.known[f].clone()).collect())
    }

    /// All of them at once, as a set to quantify over.
    pub fn cube(&self, inputs: impl IntoIterator<Item = u32>) -> AllocResult<Bdd> {
        let mut levels: Vec<usize> = inputs.into_iter().map(|input| self.level(input)).collect();
        levels.sort_unstable();
        let mut cube = self.constant(true);
        for level in levels.into_iter().rev() {
            cube = self.inputs[self.by_level[level] as usize].and(&cube)?;
        }
        Ok(cube)
    }

    /// That these inputs have these values.
    pub fn assignment(&self, values: impl IntoIterator<Item = (u32, bool)>) -> AllocResult<Bdd> {
        let mut values: Vec<(usize, bool)> =
            values.into_iter().map(|(input, value)| (self.level(input), value)).collect();
        values.sort_unstable();
        let mut all = self.constant(true);
        for (level, value) in values.into_iter().rev() {
            let variable = &self.inputs[self.by_level[level] as usize];
            all = if value { variable.and(&all)? } else { variable.not()?.and(&all)? };
        }
        Ok(all)
    }

    fn level(&self, input: u32) -> usize {
        // Variables are never reordered: their numbers are their levels.
        let variable = &self.inputs[input as usize];
        variable.with_manager_shared(|m, e| m.get_node(e).unwrap_inner().level() as usize)
    }

    /// Both, without these variables.
    pub fn and_exists(&self, a: &Bdd, b: &Bdd, cube: &Bdd) -> AllocResult<Bdd> {
        a.apply_exists(BooleanOperator::And, b, cube)
    }

    /// A set of states after the step as a set of states now.
    pub fn renamed(&self, f: &Bdd) -> AllocResult<Bdd> {
        f.substitute(&self.back)
    }

    /// A set of states now as a set of states after the step.
    pub fn renamed_next(&self, f: &Bdd) -> AllocResult<Bdd> {
        f.substitute(&self.forth)
    }

    /// The inputs that a function depends on, in order.
    pub fn support(&self, f: &Bdd) -> Vec<u32> {
        let mut found: Vec<u32> = self.nodes(f).into_iter().map(|(_, input, ..)| input).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Every node below a function once, lower ones first: itself, its input, and what it is where that is true and false.
    fn nodes(&self, f: &Bdd) -> Vec<(Bdd, u32, Bdd, Bdd)> {
        let (mut found, mut seen) = (Vec::new(), FxHashMap::default());
        let mut open = vec![(f.clone(), false)];
        while let Some((f, below)) = open.pop() {
            let Some((high, low)) = f.cofactors() else { continue };
            if below {
                let level = f.with_manager_shared(|m, e| m.get_node(e).unwrap_inner().level() as usize);
                found.push((f, self.by_level[level], high, low));
            } else if seen.insert(f.clone(), ()).is_none() {
                open.push((f, true));
                open.extend([(high, false), (low, false)]);
            }
        }
        found
    }

    /// A function of the graph for a diagram.
    #[allow(clippy::mutable_key_type)] // A function is its edge; what is mutable about it is the count of references.
    pub fn function(&self, f: &Bdd, aig: &mut Aig) -> Lit {
        let mut made: FxHashMap<Bdd, Lit> = FxHashMap::default();
        let constant = |f: &Bdd| if f.valid() { Lit::TRUE } else { Lit::FALSE };
        for (node, input, high, low) in self.nodes(f) {
            let of = |f: &Bdd| made.get(f).copied().unwrap_or_else(|| constant(f));
            let (high, low) = (of(&high), of(&low));
            let input = aig.input(input);
            let choice = aig.choose(input, high, low);
            made.insert(node, choice);
        }
        made.get(f).copied().unwrap_or_else(|| constant(f))
    }

    /// A state in a set that is not empty, by variable.
    pub fn state(&self, set: &Bdd) -> Option<Vec<bool>> {
        let values = set.pick_cube(|_, _, _| false)?;
        let mut state = vec![false; self.inputs.len() / 2];
        for (level, value) in values.into_iter().enumerate() {
            if let (bit, false) = Bit::of(self.by_level[level]) {
                state[bit.0 as usize] = value == oxidd::util::OptBool::True;
            }
        }
        Some(state)
    }
}

/// Why a diagram is not there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There was no room for its nodes.
    Full,
    /// A limit of the run.
    Limit(prequel_model::Why),
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Self {
        Stop::Full
    }
}

impl From<prequel_model::Why> for Stop {
    fn from(why: prequel_model::Why) -> Self {
        Stop::Limit(why)
    }
}
