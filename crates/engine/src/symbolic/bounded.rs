//! Bounded model checking: is there a path of so many steps to a bad state?
//!
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu: *Symbolic model checking without BDDs* (TACAS 1999).

use super::unroll::Frames;
use super::{Verdict, Work};
use prequel_model::run::Run;
use prequel_model::{Circuit, Why};
use prequel_sat::{Outcome, Solver};

/// What a question of one length came to.
pub enum Bounded {
    /// A path of just this length.
    Path(Vec<Vec<bool>>),
    /// There is none; the refutation.
    Refuted(Refuted),
}

/// Why there is no path of a length, with its parts told apart: the first states, each group at each step, the bad states.
pub struct Refuted {
    /// The solver, with its proof.
    pub solver: Solver,
    /// Its variables.
    pub frames: Frames,
    groups: u32,
}

impl Refuted {
    /// The number of the part that a group's step at a time is.
    pub fn part(&self, group: usize, time: u32) -> u32 {
        part(self.groups, group, time)
    }
}

fn part(groups: u32, group: usize, time: u32) -> u32 {
    1 + time * groups + group as u32
}

/// Solves; an answer, or the limit that was reached.
pub fn solved(solver: &mut Solver, run: &Run) -> Result<bool, Why> {
    run.allowed()?;
    let watch = run.watch();
    match solver.solve(move || watch.allowed().is_err()) {
        Outcome::Satisfiable => Ok(true),
        Outcome::Unsatisfiable => Ok(false),
        Outcome::Stopped => Err(run.allowed().err().unwrap_or(Why::Interrupted)),
    }
}

/// Whether there is a path of `steps` steps; what the groups of parts say is told apart.
pub fn bounded(circuit: &Circuit, groups: &[Vec<usize>], steps: u32, run: &Run) -> Result<Bounded, Why> {
    run.check();
    let (mut solver, mut frames) = (Solver::new(true), Frames::default());
    let many = groups.len() as u32;
    for part in &circuit.parts {
        frames.demand(&mut solver, 0, &circuit.aig, part.initial, 0);
    }
    for time in 0..steps {
        for (at, group) in groups.iter().enumerate() {
            for &of in group {
                frames.demand(&mut solver, part(many, at, time), &circuit.aig, circuit.parts[of].step, time);
            }
        }
    }
    frames.demand(&mut solver, u32::MAX, &circuit.aig, circuit.bad(), steps);
    Ok(match solved(&mut solver, run)? {
        true => Bounded::Path(frames.path(&mut solver, circuit.bits, steps)),
        false => Bounded::Refuted(Refuted { solver, frames, groups: many }),
    })
}

/// Paths of length 0, 1, 2 and so on, up to a number of steps: the shortest one, or none so far.
pub fn deepen(work: &Work, depth: u32) -> Result<Verdict, Why> {
    let Work { circuit, run, .. } = work;
    let (mut solver, mut frames) = (Solver::new(false), Frames::default());
    for part in &circuit.parts {
        frames.demand(&mut solver, 0, &circuit.aig, part.initial, 0);
    }
    for steps in 0..=depth {
        run.check();
        let bad = frames.literal(&mut solver, 0, &circuit.aig, circuit.bad(), steps);
        solver.assume(bad);
        if solved(&mut solver, run)? {
            return Ok(Verdict::Path(frames.path(&mut solver, circuit.bits, steps)));
        }
        for part in &circuit.parts {
            frames.demand(&mut solver, 0, &circuit.aig, part.step, steps);
        }
    }
    Err(Why::Incomplete(format!("bmc: no path of up to {depth} steps; it cannot tell whether there is a longer one")))
}
