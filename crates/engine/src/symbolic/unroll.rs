//! Steps of a circuit as clauses: each variable at each time is a variable of the solver.

use prequel_model::{Aig, Bit, Lit};
use prequel_sat::{Encoder, Solver};
use rustc_hash::FxHashMap;

/// Which solver's variable is which of the circuit at which time. Every function that is demanded belongs to a part and has
/// helping variables of its own, so that nothing but variables of the circuit is shared.
#[derive(Debug, Default)]
pub struct Frames {
    of: FxHashMap<(Bit, u32), i32>,
    back: Vec<(Bit, u32)>,
}

impl Frames {
    /// The solver's variable for a variable at a time.
    pub fn variable(&mut self, solver: &mut Solver, bit: Bit, time: u32) -> i32 {
        *self.of.entry((bit, time)).or_insert_with(|| {
            let made = solver.variable();
            // Helping variables are in between.
            self.back.resize(made as usize + 1, (Bit(u32::MAX), 0));
            self.back[made as usize] = (bit, time);
            made
        })
    }

    /// Demands a function of the state at a time, and of the state after it where it is about a step.
    pub fn demand(&mut self, solver: &mut Solver, part: u32, aig: &Aig, f: Lit, time: u32) {
        Encoder::new(aig, part).demand(solver, f, &mut |solver, input| self.input(solver, input, time));
    }

    /// The same where all these literals hold.
    pub fn demand_if(&mut self, solver: &mut Solver, on: &[i32], aig: &Aig, f: Lit, time: u32) {
        let off: Vec<i32> = on.iter().map(|literal| -literal).collect();
        Encoder::new(aig, 0).demand_or(solver, f, &off, &mut |solver, input| self.input(solver, input, time));
    }

    /// A literal that is as a function of the state at a time is.
    pub fn literal(&mut self, solver: &mut Solver, part: u32, aig: &Aig, f: Lit, time: u32) -> i32 {
        Encoder::new(aig, part).literal(solver, f, &mut |solver, input| self.input(solver, input, time))
    }

    fn input(&mut self, solver: &mut Solver, input: u32, time: u32) -> i32 {
        let (bit, next) = Bit::of(input);
        self.variable(solver, bit, time + u32::from(next))
    }

    /// The circuit's input for a solver's variable, seen from a time.
    pub fn seen_from(&self, variable: u32, time: u32) -> u32 {
        let (bit, at) = self.back[variable as usize];
        if at == time { bit.now() } else { bit.next() }
    }

    /// The states along the path that the solver found, `steps` steps long.
    pub fn path(&self, solver: &mut Solver, bits: u32, steps: u32) -> Vec<Vec<bool>> {
        let mut state = |time: u32| {
            // What nobody says anything about can be anything.
            (0..bits).map(|bit| self.of.get(&(Bit(bit), time)).is_some_and(|&v| solver.value(v))).collect()
        };
        (0..=steps).map(&mut state).collect()
    }
}
