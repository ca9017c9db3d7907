//! What matters in a state: fewer literals of it, all of whose states do what it does.

use super::Cube;
use crate::symbolic::bounded::solved;
use crate::symbolic::unroll::Frames;
use prequel_model::run::Run;
use prequel_model::{Aig, Bit, Lit, Node, Why};
use prequel_sat::Solver;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a step demands, taken apart. Some variables are functions of the state before: such a demand can always be met, so it
/// matters only where a value is asked for. What is left relates states; it is kept for the successor that was found.
pub struct Lift<'a> {
    aig: &'a Aig,
    run: &'a Run,
    solver: Solver,
    frames: Frames,
    functions: FxHashMap<Bit, Known>,
    relations: Vec<Known>,
    bad: Known,
}

/// A function with its literal, once there is one, and what it looks at.
struct Known {
    f: Lit,
    literal: Option<i32>,
    looks_at: Vec<u32>,
}

impl Known {
    fn new(aig: &Aig, f: Lit) -> Self {
        Self { f, literal: None, looks_at: aig.support(f) }
    }
}

impl<'a> Lift<'a> {
    pub fn new(aig: &'a Aig, steps: &[Lit], bad: Lit, run: &'a Run) -> Self {
        let (functions, relations) = functions(aig, steps);
        let known = |f: Lit| Known::new(aig, f);
        Self {
            aig,
            run,
            solver: Solver::for_many(),
            frames: Frames::default(),
            functions: functions.into_iter().map(|(bit, f)| (bit, known(f))).collect(),
            relations: relations.into_iter().map(known).collect(),
            bad: known(bad),
        }
    }

    /// The literals of a bad state that make it one.
    pub fn bad(&mut self, state: &Cube) -> Result<Cube, Why> {
        let Self { aig, solver, frames, bad, .. } = self;
        let literal = demanded(bad, aig, solver, frames);
        let looks_at = bad.looks_at.clone();
        self.enough(state, &Cube::new(), &[literal], &looks_at)
    }

    /// The literals of a state by which it has a step into a cube; `next` is such a successor.
    pub fn step(&mut self, now: &Cube, next: &Cube, cube: &Cube) -> Result<Cube, Why> {
        let Self { aig, solver, frames, functions, relations, .. } = self;
        let (mut wanted, mut looks_at) = (Vec::new(), Vec::new());
        for (bit, value) in cube {
            if let Some(function) = functions.get_mut(bit) {
                let literal = demanded(function, aig, solver, frames);
                wanted.push(if *value { literal } else { -literal });
                looks_at.extend_from_slice(&function.looks_at);
            }
        }
        for relation in relations.iter_mut() {
            wanted.push(demanded(relation, aig, solver, frames));
            looks_at.extend_from_slice(&relation.looks_at);
        }
        looks_at.sort_unstable();
        looks_at.dedup();
        self.enough(now, next, &wanted, &looks_at)
    }

    /// The literals of a state that suffice for these to hold, with the successor as it is.
    fn enough(&mut self, now: &Cube, next: &Cube, wanted: &[i32], looks_at: &[u32]) -> Result<Cube, Why> {
        if wanted.is_empty() {
            return Ok(Cube::new());
        }
        let refuted: Vec<i32> = wanted.iter().map(|literal| -literal).collect();
        self.solver.constrain(&refuted);
        let value = |cube: &Cube, bit: Bit| cube.binary_search_by_key(&bit, |(bit, _)| *bit).is_ok_and(|at| cube[at].1);
        let mut assumed = Vec::new();
        for &input in looks_at {
            let (bit, after) = Bit::of(input);
            let value = value(if after { next } else { now }, bit);
            let variable = self.frames.variable(&mut self.solver, bit, u32::from(after));
            let literal = if value { variable } else { -variable };
            self.solver.assume(literal);
            if !after {
                assumed.push(((bit, value), literal));
            }
        }
        if solved(&mut self.solver, self.run)? {
            return Err(Why::Broken("a state does not do what it was found for".into()));
        }
        let solver = &mut self.solver;
        Ok(assumed.into_iter().filter(|(_, literal)| solver.failed(*literal)).map(|(literal, _)| literal).collect())
    }
}

fn demanded(known: &mut Known, aig: &Aig, solver: &mut Solver, frames: &mut Frames) -> i32 {
    *known.literal.get_or_insert_with(|| frames.literal(solver, 0, aig, known.f, 0))
}

/// Variables that are functions of the state before, and what else the steps demand.
fn functions(aig: &Aig, steps: &[Lit]) -> (FxHashMap<Bit, Lit>, Vec<Lit>) {
    let mut conjuncts: Vec<Lit> = steps.iter().flat_map(|&f| aig.conjuncts(f)).collect();
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let after = |f: Lit| match aig.node(f) {
        Node::Input(input) => Some(Bit::of(input)).filter(|(_, after)| *after).map(|(bit, _)| bit),
        _ => None,
    };
    // `x' ⇔ f` is two conjuncts: not both x' and ¬f, not both ¬x' and f.
    let mut halves: FxHashMap<(Bit, bool), Vec<(usize, Lit)>> = FxHashMap::default();
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        if let (Some(bit), _) = (after(conjunct), ()) {
            let value = if conjunct.is_negated() { Lit::FALSE } else { Lit::TRUE };
            halves.entry((bit, true)).or_default().push((at, value));
            halves.entry((bit, false)).or_default().push((at, value));
        } else if let (true, Node::And(a, b)) = (conjunct.is_negated(), aig.node(conjunct)) {
            for (one, other) in [(a, b), (b, a)] {
                if let Some(bit) = after(one) {
                    let f = if one.is_negated() { other } else { !other };
                    halves.entry((bit, one.is_negated())).or_default().push((at, f));
                }
            }
        }
    }
    // By variable after the step: the conjuncts that look at it.
    let mut users: FxHashMap<Bit, Vec<usize>> = FxHashMap::default();
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        for (bit, _) in aig.support(conjunct).into_iter().map(Bit::of).filter(|(_, after)| *after) {
            users.entry(bit).or_default().push(at);
        }
    }
    let (mut functions, mut used) = (FxHashMap::default(), FxHashSet::default());
    for (bit, users) in &users {
        let of = |sign: bool| halves.get(&(*bit, sign)).map_or(&[][..], Vec::as_slice);
        let found =
            of(false).iter().find_map(|&(a, f)| of(true).iter().find(|(_, g)| *g == f).map(|&(b, _)| (a, b, f)));
        if let Some((a, b, f)) = found
            && users.iter().all(|user| [a, b].contains(user))
            && aig.support(f).into_iter().all(|input| !Bit::of(input).1)
        {
            functions.insert(*bit, f);
            used.extend([a, b]);
        }
    }
    let relations = (0..conjuncts.len()).filter(|at| !used.contains(at)).map(|at| conjuncts[at]);
    (functions, relations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_relations() {
        let mut aig = Aig::default();
        let [x, y, z] = [0, 1, 2].map(Bit);
        let [now_x, now_y] = [x, y].map(|bit| aig.input(bit.now()));
        let [next_x, next_y, next_z] = [x, y, z].map(|bit| aig.input(bit.next()));
        let f = aig.xor(now_x, now_y);
        let function = aig.equal(next_x, f);
        let related = aig.implies(next_y, next_z);
        let step = aig.all([function, related]);
        let (found, others) = functions(&aig, &[step]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(x, f)]);
        assert_eq!(others, [related]);
        // Where another demand looks at it, it is no function any more.
        let also = aig.implies(next_x, next_z);
        let (found, others) = functions(&aig, &[step, also]);
        assert!(found.is_empty());
        assert_eq!(others.len(), 4);
        let constant = aig.and(next_x, !next_z);
        let (found, others) = functions(&aig, &[constant]);
        assert_eq!((found.len(), others.len()), (2, 0));
    }
}
