//! A partition by unsatisfiable cores: Algorithms 3 and 4 of the paper.
//!
//! Beyond the paper, which asks all components for every path with a solver of its own: those near to what matters are asked first
//! (`neighbours`), and one solver keeps what it learned of shorter paths and fewer components.

use super::bounded::solved;
use super::check::{Checker, Found};
use super::neighbours::Neighbours;
use super::unroll::Frames;
use super::{Verdict, Work};
use prequel_model::{Lit, Why};
use prequel_sat::Solver;

/// Algorithm 4, as what it comes to: components are taken as they are, or nothing is known of them; those whose steps a
/// refutation needs are taken as they are from then on. The first ones come from paths of length two.
pub fn partition(work: &Work) -> Result<Verdict, Why> {
    const FIRST_LENGTH: u32 = 2;
    let Work { circuit, run, .. } = work;
    let near = Neighbours::new(circuit);
    let mut paths = Paths::new(work);
    let mut first = match run.timed("bmc", || paths.near(&near, &near.asked(circuit), FIRST_LENGTH))? {
        Near::Path(path) => return Ok(Verdict::Path(path)),
        Near::Needed(parts) => parts,
    };
    let mut checker = Checker::new(work);
    loop {
        let steps: Vec<Lit> = first.iter().map(|&part| circuit.parts[part].step).collect();
        let k = match run.timed("check", || checker.check(&circuit.aig, &steps))? {
            Found::Nothing(invariant) => return Ok(Verdict::Invariant(invariant)),
            Found::Distance(k) => k,
        };
        let needed = match run.timed("bmc", || paths.near(&near, &first, k))? {
            Near::Path(path) => return Ok(Verdict::Path(path)),
            Near::Needed(parts) => parts,
        };
        run.count("repartitions", 1);
        let before = first.len();
        first.extend(needed.into_iter().filter(|part| !first.contains(part)).collect::<Vec<_>>());
        if first.len() == before {
            return Err(Why::Broken(format!("the refutation of {k} steps needs nobody new")));
        }
    }
}

/// What became of a path of some length.
enum Near {
    /// There is one.
    Path(Vec<Vec<bool>>),
    /// There is none, and that is shown with the steps of these.
    Needed(Vec<usize>),
}

/// The paths of a circuit in one solver. What a component says of a step, and what all say of the step at a time, is switched on
/// where it is asked for.
struct Paths<'a> {
    work: &'a Work<'a>,
    solver: Solver,
    frames: Frames,
    /// By component: what switches it on, and how many of its steps are there.
    parts: Vec<(i32, u32)>,
    /// By time: what switches the step on.
    times: Vec<i32>,
    /// By time: that the state is bad.
    bad: Vec<i32>,
}

impl<'a> Paths<'a> {
    fn new(work: &'a Work<'a>) -> Self {
        let (mut solver, mut frames) = (Solver::new(false), Frames::default());
        let circuit = work.circuit;
        for part in &circuit.parts {
            frames.demand(&mut solver, 0, &circuit.aig, part.initial, 0);
        }
        let parts = circuit.parts.iter().map(|_| (solver.variable(), 0)).collect();
        Self { work, solver, frames, parts, times: Vec::new(), bad: Vec::new() }
    }

    /// Whether there is a path of `steps` steps; `first` and their neighbours are asked first, then theirs, at last all.
    fn near(&mut self, near: &Neighbours, first: &[usize], steps: u32) -> Result<Near, Why> {
        let mut asked = first.to_vec();
        loop {
            asked = near.wider(&asked);
            match self.bounded(&asked, steps)? {
                Near::Path(_) if asked.len() < self.parts.len() => {}
                found => return Ok(found),
            }
        }
    }

    /// Whether these components allow a path of `steps` steps.
    fn bounded(&mut self, asked: &[usize], steps: u32) -> Result<Near, Why> {
        let Self { work: Work { circuit, run, .. }, solver, frames, parts, times, bad } = self;
        run.check();
        while bad.len() <= steps as usize {
            bad.push(frames.literal(solver, 0, &circuit.aig, circuit.bad(), bad.len() as u32));
            times.push(solver.variable());
        }
        for &part in asked {
            let (on, there) = &mut parts[part];
            for time in *there..steps {
                frames.demand_if(solver, &[*on, times[time as usize]], &circuit.aig, circuit.parts[part].step, time);
            }
            *there = steps.max(*there);
        }
        solver.assume(bad[steps as usize]);
        times[..steps as usize].iter().for_each(|&on| solver.assume(on));
        asked.iter().for_each(|&part| solver.assume(parts[part].0));
        Ok(match solved(solver, run)? {
            true => Near::Path(frames.path(solver, circuit.bits, steps)),
            false => Near::Needed(asked.iter().copied().filter(|&part| solver.failed(parts[part].0)).collect()),
        })
    }
}
