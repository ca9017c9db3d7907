//! What a search asks its solver: of first states, of steps, and of what matters in a state.

use super::Cube;
use super::functions::functions;
use super::gates::Gates;
use crate::symbolic::reach::Question;
use prequel_model::run::{Run, Watch};
use prequel_model::{Bit, Lit, Node, Why};
use prequel_sat::{Outcome, Prober};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many literals that a solver propagates are as much work as a state of a search, or less.
const UNIT: u64 = 16;

/// What leads to a cube.
pub enum Before {
    /// Each of these states does.
    State(Found),
    /// No state; the literals of the cube that show it.
    Nothing(Cube),
}

/// States of which one was found.
#[derive(Default)]
pub struct Found {
    /// What matters in them.
    pub cube: Cube,
    /// Values of variables that say nothing of whether a state is reached: they can be so in every state of the cube.
    pub free: Cube,
}

pub struct Model<'a> {
    watch: Watch,
    solver: Prober,
    gates: Gates<'a>,
    first: First,
    /// What is said of steps beside functions.
    relations: Vec<i32>,
    /// What switches these on: bad states need no step.
    moves: i32,
    bad: i32,
    /// By level: what switches on the clauses of that level and of those above. At level 0 that is the first states.
    on: Vec<i32>,
    /// The variables that say nothing of whether a state is reached: they are free after every step, and at first.
    free: FxHashSet<Bit>,
    /// Clauses of levels so far, those that have been replaced by others included.
    clauses: usize,
}

/// What is said of the first state.
struct First {
    /// Variables that have a value.
    values: FxHashMap<Bit, bool>,
    /// What is said beyond that.
    rest: Vec<i32>,
}

impl<'a> Model<'a> {
    pub fn new(question: &Question<'a>, run: &'a Run) -> Self {
        let aig = question.aig;
        let (functions, relations) = functions(aig, question.steps);
        let free = free(question);
        let (mut solver, mut gates) = (Prober::default(), Gates::new(aig, functions));
        let [begins, moves] = [solver.variable(), solver.variable()];
        let mut first = First { values: FxHashMap::default(), rest: Vec::new() };
        for f in question.initial.iter().flat_map(|&f| aig.conjuncts(f)) {
            let literal = gates.literal(&mut solver, f);
            solver.add(&[-begins, literal]);
            let value = match aig.node(f) {
                Node::Input(input) => Some(Bit::of(input).0),
                _ => None,
            };
            let known = value.map(|bit| *first.values.entry(bit).or_insert(!f.is_negated()));
            if known != Some(!f.is_negated()) {
                first.rest.push(literal);
            }
        }
        let relations: Vec<i32> = relations.into_iter().map(|f| gates.literal(&mut solver, f)).collect();
        relations.iter().for_each(|&related| solver.add(&[-moves, related]));
        let bad = gates.literal(&mut solver, question.bad);
        let watch = run.watch();
        Self { watch, solver, gates, first, relations, moves, bad, on: vec![begins], free, clauses: 0 }
    }

    /// Clauses of levels so far, those that have been replaced by others included.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    fn now(&mut self, (bit, value): (Bit, bool)) -> i32 {
        let literal = self.gates.now(&mut self.solver, bit);
        if value { literal } else { -literal }
    }

    fn next(&mut self, (bit, value): (Bit, bool)) -> i32 {
        let literal = self.gates.next(&mut self.solver, bit);
        if value { literal } else { -literal }
    }

    /// Solves what was assumed, which is about these literals.
    fn solved(&mut self, about: &[i32]) -> Result<bool, Why> {
        let (mut stopped, Self { solver, gates, watch, .. }) = (None, self);
        let stop = |work| {
            stopped = watch.allowed_after(work / UNIT).err();
            stopped.is_some()
        };
        match solver.solve(|| gates.cone(about), stop) {
            Outcome::Satisfiable => Ok(true),
            Outcome::Unsatisfiable => Ok(false),
            Outcome::Stopped => Err(stopped.unwrap_or(Why::Interrupted)),
        }
    }

    /// Levels up to this one exist.
    fn reach(&mut self, level: usize) {
        while self.on.len() <= level {
            let below = self.on[self.on.len() - 1];
            let variable = self.solver.variable();
            self.solver.add(&[-below, variable]);
            self.on.push(variable);
        }
    }

    /// Bad states that may be reached within so many steps.
    pub fn bad_at(&mut self, level: usize) -> Result<Option<Found>, Why> {
        self.reach(level);
        self.solver.assume(self.on[level]);
        self.solver.assume(self.bad);
        let mut about = vec![self.bad];
        if level == 0 {
            about.extend(&self.first.rest);
        }
        if self.solved(&about)? { self.enough(&[self.bad]).map(Some) } else { Ok(None) }
    }

    /// Whether there are states that may be reached within so many steps and lead into a cube from outside it.
    fn has_before(&mut self, cube: &Cube, level: usize) -> Result<(bool, Vec<i32>), Why> {
        self.reach(level);
        let outside: Vec<i32> = cube.iter().map(|&literal| -self.now(literal)).collect();
        let after: Vec<i32> = cube.iter().map(|&literal| self.next(literal)).collect();
        self.solver.constrain(&outside);
        self.solver.assume(self.on[level]);
        let mut about = [&after[..], &outside].concat();
        if !self.relations.is_empty() {
            self.solver.assume(self.moves);
            about.extend(&self.relations);
        }
        if level == 0 {
            about.extend(&self.first.rest);
        }
        after.iter().for_each(|&literal| self.solver.assume(literal));
        Ok((self.solved(&about)?, after))
    }

    /// The literals of a cube that show that nothing leads there from outside it which may be reached within so many steps, if that is so.
    pub fn unreached(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Why> {
        let (found, after) = self.has_before(cube, level)?;
        let needed = || cube.iter().zip(after).filter(|(_, after)| self.solver.failed(*after)).map(|(one, _)| *one);
        Ok((!found).then(|| needed().collect()))
    }

    /// States that may be reached within so many steps and lead into a cube from outside it.
    pub fn before(&mut self, cube: &Cube, level: usize) -> Result<Before, Why> {
        let (found, after) = self.has_before(cube, level)?;
        let literals = cube.iter().zip(after);
        if !found {
            let needed = literals.filter(|(_, after)| self.solver.failed(*after)).map(|(literal, _)| *literal);
            return Ok(Before::Nothing(needed.collect()));
        }
        let functions = literals.filter(|((bit, _), _)| self.gates.is_function(*bit)).map(|(_, after)| after);
        let mut wanted: Vec<i32> = functions.collect();
        wanted.extend(&self.relations);
        self.enough(&wanted).map(Before::State)
    }

    /// The literals of the state that was found which suffice for these to hold, with the successor as it is.
    fn enough(&mut self, wanted: &[i32]) -> Result<Found, Why> {
        let mut found = Found::default();
        // What cannot be left away comes first: it makes the rest follow from less.
        let (mut fixed, mut open) = (Vec::new(), Vec::new());
        for (variable, input) in self.gates.inputs(wanted) {
            let value = self.solver.value(variable).unwrap_or_default();
            let (bit, after) = Bit::of(input);
            let literal = if value { variable } else { -variable };
            if after || self.free.contains(&bit) {
                fixed.push(literal);
                if !after {
                    found.free.push((bit, value));
                }
            } else {
                open.push(((bit, value), literal));
            }
        }
        let refuted: Vec<i32> = wanted.iter().map(|literal| -literal).collect();
        self.solver.constrain(&refuted);
        let all = fixed.iter().chain(open.iter().map(|(_, literal)| literal));
        all.for_each(|&literal| self.solver.assume(literal));
        if self.solved(wanted)? {
            return Err(Why::Broken("a state does not do what it was found for".into()));
        }
        let needed = open.into_iter().filter(|(_, literal)| self.solver.failed(*literal)).map(|(literal, _)| literal);
        found.cube = needed.collect();
        found.cube.sort_unstable();
        Ok(found)
    }

    /// Whether one of these states is a first one.
    pub fn begins(&mut self, cube: &Cube) -> Result<bool, Why> {
        let differs = |(bit, value): &(Bit, bool)| self.first.values.get(bit).is_some_and(|first| first != value);
        if cube.iter().any(differs) {
            return Ok(false);
        }
        Ok(self.first.rest.is_empty() || self.assumed_first(cube)?.0)
    }

    fn assumed_first(&mut self, cube: &Cube) -> Result<(bool, Vec<i32>), Why> {
        let literals: Vec<i32> = cube.iter().map(|&literal| self.now(literal)).collect();
        self.solver.assume(self.on[0]);
        literals.iter().for_each(|&literal| self.solver.assume(literal));
        let about = self.first.rest.clone();
        Ok((self.solved(&about)?, literals))
    }

    /// The needed literals of a cube without first states, and as many more of it as it takes that they have none either.
    pub fn beginning_kept(&mut self, cube: &Cube, needed: Cube) -> Result<Cube, Why> {
        if !self.begins(&needed)? {
            return Ok(needed);
        }
        let mut kept = needed;
        let differs = |(bit, value): &&(Bit, bool)| self.first.values.get(bit).is_some_and(|first| first != value);
        if let Some(&literal) = cube.iter().find(differs) {
            kept.push(literal);
        } else {
            let (first, literals) = self.assumed_first(cube)?;
            if first {
                return Err(Why::Broken("a first state was to be excluded".into()));
            }
            let failed = cube.iter().zip(literals).filter(|(_, now)| self.solver.failed(*now));
            kept.extend(failed.map(|(literal, _)| *literal));
        }
        kept.sort_unstable();
        kept.dedup();
        Ok(kept)
    }

    /// From now on these states are not among those of a level.
    pub fn exclude(&mut self, cube: &Cube, level: usize) {
        self.reach(level);
        let mut clause = vec![-self.on[level]];
        for &literal in cube {
            clause.push(-self.now(literal));
        }
        self.solver.add(&clause);
        self.clauses += 1;
    }

    /// The states of so many variables along a path through cubes, each of which leads to the next one; the first has a first state.
    pub fn walk(&mut self, bits: u32, cubes: &[Found]) -> Result<Vec<Vec<bool>>, Why> {
        let now: Vec<i32> = (0..bits).map(|bit| self.now((Bit(bit), true))).collect();
        let next: Vec<i32> = (0..bits).map(|bit| self.next((Bit(bit), true))).collect();
        let mut path: Vec<Vec<bool>> = Vec::with_capacity(cubes.len());
        for Found { cube, free } in cubes {
            let mut about = Vec::new();
            if let Some(state) = path.last() {
                self.solver.assume(self.moves);
                for (&variable, &value) in now.iter().zip(state) {
                    self.solver.assume(if value { variable } else { -variable });
                }
                about.extend(next.iter().chain(&self.relations));
            } else {
                self.solver.assume(self.on[0]);
                about.extend(now.iter().chain(&self.first.rest));
            }
            for &literal in cube.iter().chain(free) {
                let literal = if path.is_empty() { self.now(literal) } else { self.next(literal) };
                self.solver.assume(literal);
            }
            if !self.solved(&about)? {
                return Err(Why::Broken("the path that was found cannot be walked".into()));
            }
            let variables = if path.is_empty() { &now } else { &next };
            let value = |&literal: &i32| self.solver.value(literal.abs()).unwrap_or_default() == (literal > 0);
            path.push(variables.iter().map(value).collect());
        }
        Ok(path)
    }
}

/// The variables of which no step says what they are after it, and nobody what they are at first.
fn free(question: &Question) -> FxHashSet<Bit> {
    let aig = question.aig;
    let support = |functions: &[Lit]| {
        let input = |node: usize| match aig.nodes()[node] {
            Node::Input(input) => Some(Bit::of(input)),
            _ => None,
        };
        aig.cone(functions).into_iter().filter_map(input).collect::<Vec<_>>()
    };
    let (steps, first, bad) = (support(question.steps), support(question.initial), support(&[question.bad]));
    let after = steps.iter().filter(|(_, after)| *after).chain(&first);
    let said: FxHashSet<Bit> = after.map(|(bit, _)| *bit).collect();
    steps.iter().chain(&bad).map(|(bit, _)| *bit).filter(|bit| !said.contains(bit)).collect()
}
