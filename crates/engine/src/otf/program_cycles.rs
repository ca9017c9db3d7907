//! Runs of a program without an end: the product of the program and its claim, as [`edges`] gives it, for the search of `cycles`.

use super::cycles::{Found, MarkedSpace, Seeks, search as find};
use super::program::Outcome;
use super::{Expansion, Stop};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{
    ACCEPT, Base, EdgeSink, Endless, EndlessKind, Fault, Lasso, Layout, MOST_MARK_WORDS, Machine, Marks, Program,
    Sought, Violation, Witness, Work, along_lasso, along_product, edges, free, stuck_after,
};
use std::cell::Cell;

/// Looks for a run without an end, and for violations with an end that are looked for; or for a process that can never move again.
pub fn search(program: &Program, endless: Endless, sought: Sought<'_>, run: &Run) -> Outcome {
    let (mut words, mut narrow) = (Layout::first_guess(program), true);
    loop {
        let before = run.effort();
        // Nearly always there are so few processes that one word of marks is enough.
        let found = if narrow {
            explore::<1>(program, endless, sought, words, run)
        } else {
            explore::<MOST_MARK_WORDS>(program, endless, sought, words, run)
        };
        match found {
            Ok(outcome) => return outcome,
            Err(Outgrown::State) => words = words + words / 4 + 1,
            Err(Outgrown::Marks) => narrow = false,
        }
        run.set_back(&before);
    }
}

/// What there was no room for.
enum Outgrown {
    /// A state.
    State,
    /// Marks of an edge.
    Marks,
}

fn explore<const K: usize>(
    program: &Program,
    endless: Endless,
    sought: Sought<'_>,
    words: usize,
    run: &Run,
) -> Result<Outcome, Outgrown> {
    let layout = Layout::new(program, words);
    let machine = match Machine::initial(program) {
        Ok(machine) => machine,
        Err(fault) => return Ok(no_start(fault, sought)),
    };
    let mut initial = Vec::new();
    layout.pack(&machine, &mut initial).map_err(|_| Outgrown::State)?;
    let space = CycleSpace { program, layout, initial, endless, sought, wide: Cell::new(false) };
    let found = match find::<_, K>(&space, run) {
        Ok(None) => return Ok(Outcome::Holds),
        Ok(Some(found)) => found,
        Err(Stop::Limit(why)) => return Ok(Outcome::Unknown(why)),
        Err(Stop::Outgrown) if space.wide.get() => return Err(Outgrown::Marks),
        Err(Stop::Outgrown) => return Err(Outgrown::State),
    };
    let (steps, violation) = match found {
        Found::Target(path) => {
            let (steps, violation) = along_product(program, &space.layout, &path, endless, sought);
            (steps, violation.expect("the search stopped for a reason"))
        }
        Found::Lasso(stem, cycle) => {
            let widen = |marks: [u64; K]| std::array::from_fn(|word| marks.get(word).copied().unwrap_or(0));
            let cycle = cycle.into_iter().map(|(state, marks)| (state, widen(marks))).collect();
            let (steps, cycle) = along_lasso(program, &space.layout, &Lasso { stem, cycle }, endless);
            (steps, Violation::Cycle(cycle))
        }
        Found::Trap(path) => {
            let (steps, _) = along_product(program, &space.layout, &path, endless, sought);
            let stuck = stuck_after(program, &steps).ok().flatten().expect("some process can never move");
            (steps, Violation::Stuck(stuck))
        }
    };
    Ok(Outcome::Violated(Witness { steps, violation }))
}

fn no_start(fault: Fault, sought: Sought<'_>) -> Outcome {
    let violation = Violation::Fault { fault, process: 0, statement: 0 };
    match sought.is(violation) {
        true => Outcome::Violated(Witness { steps: Vec::new(), violation }),
        false => Outcome::Unknown(Why::Refused(format!("the program cannot start: {fault}"))),
    }
}

/// The product of a program and its claim.
struct CycleSpace<'a> {
    program: &'a Program,
    layout: Layout,
    initial: Vec<u64>,
    endless: Endless,
    sought: Sought<'a>,
    /// The marks of an edge need more words.
    wide: Cell<bool>,
}

/// Packs edges.
struct Packer<'s> {
    layout: &'s Layout,
    base: &'s Base,
    sought: Sought<'s>,
    out: &'s mut Vec<u64>,
    /// Words of marks.
    words: usize,
    outgrown: bool,
    target: bool,
}

impl EdgeSink for Packer<'_> {
    fn edge(&mut self, machine: &Machine, marks: &Marks, _: u32) {
        self.outgrown |= self.layout.pack_near(self.base, machine, self.out).is_err();
        self.out.extend_from_slice(&marks[..self.words]);
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.target |= self.sought.is(violation);
        !self.target
    }
}

impl<const K: usize> MarkedSpace<K> for CycleSpace<'_> {
    type Scratch = (Machine, Base, Work);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn edges(&self, state: &[u64], (machine, base, work): &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        self.layout.unpack_base(state, machine, base);
        let before = out.len();
        let (layout, sought) = (&self.layout, self.sought);
        let mut packer = Packer { layout, base, sought, out, words: K, outgrown: false, target: false };
        let besides = edges(self.program, self.endless, machine, work, &mut packer);
        if packer.target {
            return Expansion::Target;
        }
        if packer.outgrown {
            return Expansion::Outgrown;
        }
        // All that is not in the marks of an edge is the same for all of its state.
        if besides[K..].iter().any(|&word| word != u64::MAX) {
            self.wide.set(true);
            return Expansion::Outgrown;
        }
        let stride = self.layout.words() + K;
        if self.sought == Sought::Stuck {
            let free = free(self.program, machine, &besides);
            for edge in out[before..].chunks_exact_mut(stride) {
                edge[stride - K..].copy_from_slice(&free[..K]);
            }
            return Expansion::Complete;
        }
        for edge in out[before..].chunks_exact_mut(stride) {
            edge[stride - K..].iter_mut().zip(&besides).for_each(|(marks, besides)| *marks |= besides);
        }
        Expansion::Complete
    }

    fn seeks(&self) -> Seeks {
        match (self.sought, self.endless.kind) {
            (Sought::Stuck, _) => Seeks::Trap,
            (_, EndlessKind::NonProgress) => Seeks::Cycle(Some(ACCEPT)),
            (_, EndlessKind::Accepting) => Seeks::Cycle(None),
        }
    }
}
