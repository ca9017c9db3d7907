//! Runs of a program without an end: the product of the program and its claim, as [`edges`] gives it, for the search of `cycles`.

use super::cycles::{Found, MarkedSpace, Seeks, search_together as find};
use super::program::{Outcome, with_room};
use super::{Expansion, Stop};
use prequel_model::run::Run;
use prequel_program::{
    ACCEPT, Base, Chooser, EdgeSink, Endless, EndlessKind, Kept, Lasso, Layout, MOST_MARK_WORDS, Machine, Marks,
    Program, Reduction, Sought, Violation, Witness, Work, along_lasso, along_product, edges, free, stuck_after,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Looks for a run without an end, and for violations with an end that are looked for; or for a process that can never move again.
pub fn search(program: &Program, endless: Endless, sought: Sought<'_>, reduce: bool, run: &Run) -> Outcome {
    let kept = match endless.kind {
        // What a step of another process does to who can move is lost with the step.
        _ if endless.fair => None,
        EndlessKind::NonProgress => Some(Kept::Progress),
        EndlessKind::Accepting if program.claim.is_some() => Some(Kept::Claim),
        EndlessKind::Accepting => Some(Kept::Accept),
    };
    let reduction = kept.filter(|_| reduce).and_then(|kept| Reduction::of(program, kept));
    with_room(program, sought, run, |layout, initial| {
        let wide = AtomicBool::new(false);
        let space = CycleSpace { program, layout, initial, endless, sought, reduction: reduction.as_ref(), wide };
        // Nearly always there are so few processes that one word of marks is enough.
        let before = run.effort();
        let found = explore::<1>(&space, run);
        if found.is_none() && space.wide.load(Relaxed) {
            run.set_back(&before);
            return explore::<MOST_MARK_WORDS>(&space, run);
        }
        found
    })
}

/// What is found with so many words of marks; nothing if there is no room for a state or for the marks of an edge.
fn explore<const K: usize>(space: &CycleSpace<'_>, run: &Run) -> Option<Outcome> {
    let CycleSpace { program, endless, sought, .. } = *space;
    let found = match find::<_, K>(space, run) {
        Ok(None) => return Some(Outcome::Holds),
        Ok(Some(found)) => found,
        Err(Stop::Limit(why)) => return Some(Outcome::Unknown(why)),
        Err(Stop::Outgrown) => return None,
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
    Some(Outcome::Violated(Witness { steps, violation }))
}

/// The product of a program and its claim.
struct CycleSpace<'a> {
    program: &'a Program,
    layout: Layout,
    initial: Vec<u64>,
    endless: Endless,
    sought: Sought<'a>,
    reduction: Option<&'a Reduction<'a>>,
    /// The marks of an edge need more words.
    wide: AtomicBool,
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
    const FANS: bool = true;

    fn edge(&mut self, machine: &Machine, marks: &Marks, _: u32) {
        self.outgrown |= self.layout.pack_near(self.base, machine, self.out).is_err();
        self.out.extend_from_slice(&marks[..self.words]);
    }

    #[inline]
    fn again(&mut self, claim: u32) {
        if !self.outgrown {
            self.layout.again(claim, self.words, self.out);
        }
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.target |= self.sought.is(violation);
        !self.target
    }
}

impl<const K: usize> MarkedSpace<K> for CycleSpace<'_> {
    type Scratch = (Machine, Base, Work, Chooser);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn edges(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        let (machine, base, work, chooser) = scratch;
        self.layout.unpack_base(state, machine, base);
        let some = self.reduction.and_then(|reduction| chooser.choose(reduction, machine));
        let before = out.len();
        let (layout, sought) = (&self.layout, self.sought);
        let mut packer = Packer { layout, base, sought, out, words: K, outgrown: false, target: false };
        let besides = edges(self.program, self.endless, machine, some, work, &mut packer);
        if packer.target {
            return Expansion::Target;
        }
        if packer.outgrown {
            return Expansion::Outgrown;
        }
        // All that is not in the marks of an edge is the same for all of its state.
        if besides[K..].iter().any(|&word| word != u64::MAX) {
            self.wide.store(true, Relaxed);
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
