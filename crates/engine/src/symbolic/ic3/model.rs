//! The solvers of a search: one for steps, one for first states, one for what matters in a state.

use super::Cube;
use super::lift::Lift;
use crate::symbolic::bounded::solved;
use crate::symbolic::reach::Question;
use crate::symbolic::unroll::Frames;
use prequel_model::run::Run;
use prequel_model::{Bit, Lit, Why};
use prequel_sat::Solver;
use rustc_hash::FxHashSet;

/// What leads to a cube.
pub enum Before {
    /// Each of these states does.
    State(Cube),
    /// No state; the literals of the cube that show it.
    Nothing(Cube),
}

pub struct Model<'a> {
    run: &'a Run,
    steps: Solver,
    frames: Frames,
    first: Solver,
    first_frames: Frames,
    lift: Lift<'a>,
    /// What switches on the steps: bad states need none.
    moves: i32,
    bad: i32,
    /// By level: what switches on the clauses of that level. At level 0 that is the first states.
    on: Vec<i32>,
    /// The variables that steps, first states or bad states look at.
    seen: Vec<Bit>,
    /// Of those, the ones that say nothing of whether a state is reached: they are free after every step, and at first.
    free: FxHashSet<Bit>,
    /// Clauses of levels so far, those that have been replaced by others included.
    clauses: usize,
}

impl<'a> Model<'a> {
    pub fn new(question: &Question<'a>, run: &'a Run) -> Self {
        let aig = question.aig;
        let (mut steps, mut frames) = (Solver::for_many(), Frames::default());
        let (mut first, mut first_frames) = (Solver::for_many(), Frames::default());
        let begins = steps.variable();
        let mut seen: Vec<Bit> = Vec::new();
        let mut note = |f: Lit| seen.extend(aig.support(f).into_iter().map(|input| Bit::of(input).0));
        for &f in question.initial {
            first_frames.demand(&mut first, 0, aig, f, 0);
            for conjunct in aig.conjuncts(f) {
                note(conjunct);
                let literal = frames.literal(&mut steps, 0, aig, conjunct, 0);
                steps.add(0, &[-begins, literal]);
            }
        }
        let moves = steps.variable();
        for &f in question.steps {
            note(f);
            frames.demand_if(&mut steps, &[moves], aig, f, 0);
        }
        note(question.bad);
        let bad = frames.literal(&mut steps, 0, aig, question.bad, 0);
        seen.sort_unstable();
        seen.dedup();
        let free = free(question, &seen);
        let lift = Lift::new(aig, question.steps, question.bad, run);
        Self { run, steps, frames, first, first_frames, lift, moves, bad, on: vec![begins], seen, free, clauses: 0 }
    }

    fn literal(&mut self, (bit, value): (Bit, bool), time: u32) -> i32 {
        let variable = self.frames.variable(&mut self.steps, bit, time);
        if value { variable } else { -variable }
    }

    /// Levels up to this one exist.
    fn reach(&mut self, level: usize) {
        while self.on.len() <= level {
            let variable = self.steps.variable();
            self.on.push(variable);
        }
    }

    fn switch_on(&mut self, level: usize) {
        self.reach(level);
        for &on in &self.on[level..] {
            self.steps.assume(on);
        }
    }

    /// The state that the solver has found, now or after the step.
    fn state(&mut self, time: u32) -> Cube {
        let Self { frames, steps, seen, .. } = self;
        seen.iter().filter_map(|&bit| Some((bit, steps.value(frames.known(bit, time)?)))).collect()
    }

    /// A cube without what is free: if one of its states is reached, so is the one that was found.
    fn bound(&self, mut cube: Cube) -> Cube {
        cube.retain(|(bit, _)| !self.free.contains(bit));
        cube
    }

    /// Clauses of levels so far, those that have been replaced by others included.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Bad states that may be reached within so many steps.
    pub fn bad_at(&mut self, level: usize) -> Result<Option<Cube>, Why> {
        self.switch_on(level);
        self.steps.assume(self.bad);
        if !solved(&mut self.steps, self.run)? {
            return Ok(None);
        }
        let state = self.state(0);
        self.lift.bad(&state).map(|cube| Some(self.bound(cube)))
    }

    /// States that may be reached within so many steps and lead into a cube from outside it.
    pub fn before(&mut self, cube: &Cube, level: usize) -> Result<Before, Why> {
        self.switch_on(level);
        self.steps.assume(self.moves);
        let outside: Vec<i32> = cube.iter().map(|&literal| -self.literal(literal, 0)).collect();
        self.steps.constrain(&outside);
        let after: Vec<i32> = cube.iter().map(|&literal| self.literal(literal, 1)).collect();
        for &literal in &after {
            self.steps.assume(literal);
        }
        if solved(&mut self.steps, self.run)? {
            let (now, next) = (self.state(0), self.state(1));
            return self.lift.step(&now, &next, cube).map(|cube| Before::State(self.bound(cube)));
        }
        let needed = cube.iter().zip(after).filter(|(_, after)| self.steps.failed(*after)).map(|(literal, _)| *literal);
        Ok(Before::Nothing(needed.collect()))
    }

    /// Whether one of these states is a first one.
    pub fn begins(&mut self, cube: &Cube) -> Result<bool, Why> {
        self.assume_first(cube);
        solved(&mut self.first, self.run)
    }

    fn assume_first(&mut self, cube: &Cube) -> Vec<i32> {
        let mut literals = Vec::with_capacity(cube.len());
        for &(bit, value) in cube {
            let variable = self.first_frames.variable(&mut self.first, bit, 0);
            let literal = if value { variable } else { -variable };
            self.first.assume(literal);
            literals.push(literal);
        }
        literals
    }

    /// The needed literals of a cube without first states, and as many more of it as it takes that they have none either.
    pub fn beginning_kept(&mut self, cube: &Cube, needed: Cube) -> Result<Cube, Why> {
        if !self.begins(&needed)? {
            return Ok(needed);
        }
        let literals = self.assume_first(cube);
        if solved(&mut self.first, self.run)? {
            return Err(Why::Broken("a first state was to be excluded".into()));
        }
        let mut kept = needed;
        kept.extend(cube.iter().zip(literals).filter(|(_, l)| self.first.failed(*l)).map(|(literal, _)| *literal));
        kept.sort_unstable();
        kept.dedup();
        Ok(kept)
    }

    /// From now on these states are not among those of a level.
    pub fn exclude(&mut self, cube: &Cube, level: usize) {
        self.reach(level);
        let mut clause = vec![-self.on[level]];
        for &literal in cube {
            clause.push(-self.literal(literal, 0));
        }
        self.steps.add(0, &clause);
        self.clauses += 1;
    }
}

/// The variables of which no step says what they are after it, and nobody what they are at first.
fn free(question: &Question, seen: &[Bit]) -> FxHashSet<Bit> {
    let aig = question.aig;
    let after = question.steps.iter().flat_map(|&f| aig.support(f)).map(Bit::of).filter(|(_, after)| *after);
    let first = question.initial.iter().flat_map(|&f| aig.support(f)).map(Bit::of);
    let said: FxHashSet<Bit> = after.chain(first).map(|(bit, _)| bit).collect();
    seen.iter().copied().filter(|bit| !said.contains(bit)).collect()
}
