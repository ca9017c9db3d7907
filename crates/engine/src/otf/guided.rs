//! A run of a program and its claim along steps that are known already: those that a run of a smaller program stands for.
//!
//! Only the processes' steps are given. What the claim does beside them is found by the search of `cycles`, on the part of the product that
//! takes these steps in this order: a state is a state of the product and the number of steps that were taken. So what is found is a
//! run of the program, whoever gave the steps, and it is fair where that was asked. Where the steps alone are no such run, steps may
//! be put in between that change nothing but the process that takes them.

use super::cycles::{Found, MarkedSpace, Seeks, search};
use super::program::Outcome;
use super::{Expansion, Stop};
use indexmap::IndexSet;
use prequel_model::Why;
use prequel_model::run::{Limits, Run};
use prequel_program::{
    ACCEPT, Cycle, Endless, EndlessKind, MOST_MARK_WORDS, Machine, Marks, Offer, Offers, Program, RawStep, Sought,
    Step, Violation, Witness, offers,
};
use rustc_hash::FxBuildHasher;
use std::cell::RefCell;

/// States of the product that are looked at besides some for each step.
const MOST: u64 = 200_000;

/// Steps of processes that lead to something.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guide {
    /// Who moves, as the program counts processes, by which transition of its control state.
    pub moves: Vec<(u32, u32)>,
    /// The first of those that are repeated for ever; none where the steps have an end. Behind the last, nothing moves any more.
    pub from: Option<usize>,
}

/// A violation along these steps, if there is one that is looked for.
pub fn follow(program: &Program, sought: Sought<'_>, guide: &Guide, run: &Run) -> Outcome {
    let limits = Limits { states: Some(MOST + 4 * guide.moves.len() as u64), ..run.limits.clone() };
    let attempt = |quiet| Guided::search(program, sought, guide, quiet, &run.within(limits.clone()));
    match attempt(false) {
        Outcome::Holds => attempt(true),
        outcome => outcome,
    }
}

/// The part of the product along a guide.
struct Guided<'a> {
    program: &'a Program,
    endless: Endless,
    sought: Sought<'a>,
    guide: &'a Guide,
    /// Whether steps are put in that change nothing but their process.
    quiet: bool,
    /// Steps taken, and the state; packed, a state is its number here.
    states: RefCell<IndexSet<(usize, Machine), FxBuildHasher>>,
}

impl<'a> Guided<'a> {
    fn search(program: &'a Program, sought: Sought<'a>, guide: &'a Guide, quiet: bool, run: &Run) -> Outcome {
        let endless = sought.endless(program);
        let Ok(machine) = Machine::initial(program) else {
            return Outcome::Unknown(Why::Refused("the program cannot start".into()));
        };
        let states = RefCell::new(IndexSet::from_iter([(guide.again(0), machine)]));
        let space = Self { program, endless: endless.unwrap_or(Endless::ACCEPTING), sought, guide, quiet, states };
        match search::<_, MOST_MARK_WORDS>(&space, run) {
            Ok(Some(Found::Target(path))) => space.with_end(&path),
            // Without a claim that comes to an accept label nobody asked for cycles.
            Ok(Some(Found::Lasso(stem, cycle))) if endless.is_some() => space.without_end(&stem, &cycle),
            Ok(_) => Outcome::Holds,
            Err(Stop::Limit(why)) => Outcome::Unknown(why),
            Err(Stop::Outgrown) => unreachable!("a number fits into a word"),
        }
    }

    fn state(&self, packed: &[u64]) -> (usize, Machine) {
        self.states.borrow().get_index(packed[0] as usize).expect("it was numbered").clone()
    }

    fn offers(&self, packed: &[u64]) -> (usize, Machine, Offers) {
        let (at, machine) = self.state(packed);
        let offers = offers(self.program, self.endless, &mut machine.clone());
        (at, machine, offers)
    }

    /// The steps that were taken behind an edge, if it goes along the guide.
    fn along(&self, at: usize, from: &Machine, offer: &Offer) -> Option<usize> {
        let base = self.program.base() as u32;
        let moves = || offer.steps.iter().filter_map(|step| Some((step.process.checked_sub(base)?, step.transition)));
        let followed = self.guide.after(at, moves());
        followed.or((self.quiet && moves().next().is_some() && is_quiet(from, offer, base)).then_some(at))
    }

    /// The violation that a step out of this state shows.
    fn violation<'o>(&self, offers: &'o Offers) -> Option<&'o (Violation, Vec<RawStep>)> {
        offers.violations.iter().find(|(violation, _)| self.sought.is(*violation))
    }

    fn with_end(&self, path: &[Vec<u64>]) -> Outcome {
        let mut way = self.way(path);
        let last = path.last().map(|last| self.offers(last).2).unwrap_or_default();
        let Some((violation, steps)) = self.violation(&last) else { return Outcome::Holds };
        way.extend(steps);
        Outcome::Violated(Witness { steps: self.steps(&way), violation: *violation })
    }

    fn without_end(&self, stem: &[Vec<u64>], cycle: &[(Vec<u64>, Marks)]) -> Outcome {
        let mut way = self.way(stem);
        let from = way.len();
        for (at, (state, marks)) in cycle.iter().enumerate() {
            let (next, _) = cycle.get(at + 1).unwrap_or(&cycle[0]);
            way.extend(self.edge(state, next, marks));
        }
        let violation = Violation::Cycle(Cycle { from, of: self.endless });
        Outcome::Violated(Witness { steps: self.steps(&way), violation })
    }

    fn way(&self, path: &[Vec<u64>]) -> Vec<RawStep> {
        path.windows(2).flat_map(|pair| self.edge(&pair[0], &pair[1], &Marks::default())).collect()
    }

    /// The steps of an edge between two states with at least these marks.
    fn edge(&self, from: &[u64], to: &[u64], marks: &Marks) -> Vec<RawStep> {
        let (at, machine, offers) = self.offers(from);
        let (after, target) = self.state(to);
        let fits = |offer: &&Offer| {
            let marked = (0..MOST_MARK_WORDS).all(|word| marks[word] & !offer.marks[word] == 0);
            marked && offer.machine == target && self.along(at, &machine, offer) == Some(after)
        };
        offers.edges.iter().find(fits).map(|offer| offer.steps.clone()).unwrap_or_default()
    }

    fn steps(&self, way: &[RawStep]) -> Vec<Step> {
        let Ok(mut machine) = Machine::initial(self.program) else { return Vec::new() };
        way.iter().map(|&raw| Step::take(self.program, &mut machine, raw)).collect()
    }
}

impl Guide {
    /// How many steps were taken after some more; nothing if these are others.
    fn after(&self, at: usize, moves: impl Iterator<Item = (u32, u32)>) -> Option<usize> {
        let (mut at, mut moved) = (at, false);
        for taken in moves {
            if self.moves.get(at) != Some(&taken) {
                return None;
            }
            (at, moved) = (self.again(at + 1), true);
        }
        // Only behind the last step nothing moves.
        (moved || at == self.moves.len()).then_some(at)
    }

    /// Behind the last step comes the first of those that are repeated.
    fn again(&self, at: usize) -> usize {
        if at == self.moves.len() { self.from.unwrap_or(at) } else { at }
    }
}

/// Whether an edge changes nothing but the one process that moves, and the claim.
fn is_quiet(from: &Machine, offer: &Offer, base: u32) -> bool {
    let mut movers = offer.steps.iter().map(|step| step.process).filter(|&process| process >= base);
    let Some(mover) = movers.next().filter(|&mover| movers.all(|other| other == mover)) else { return false };
    let to = &offer.machine;
    if (&from.processes, &from.channels) != (&to.processes, &to.channels) || from.cells.len() != to.cells.len() {
        return false;
    }
    let starts = || from.processes.iter().chain(&from.channels).map(|&start| start as usize);
    let own = |process: u32| {
        let start = from.processes[process as usize] as usize;
        start..starts().filter(|&other| other > start).min().unwrap_or(from.cells.len())
    };
    let mut owned: Vec<std::ops::Range<usize>> = vec![own(mover)];
    owned.extend((0..base).map(own));
    (0..from.cells.len()).all(|cell| from.cells[cell] == to.cells[cell] || owned.iter().any(|own| own.contains(&cell)))
}

impl MarkedSpace<MOST_MARK_WORDS> for Guided<'_> {
    type Scratch = ();

    fn scratch(&self) -> Self::Scratch {}

    fn words(&self) -> usize {
        1
    }

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn edges(&self, state: &[u64], (): &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        let (at, machine, offers) = self.offers(state);
        if self.violation(&offers).is_some() {
            return Expansion::Target;
        }
        for offer in offers.edges {
            let Some(after) = self.along(at, &machine, &offer) else { continue };
            let (number, _) = self.states.borrow_mut().insert_full((after, offer.machine));
            out.push(number as u64);
            out.extend(offer.marks);
        }
        Expansion::Complete
    }

    fn seeks(&self) -> Seeks {
        Seeks::Cycle((self.endless.kind == EndlessKind::NonProgress).then_some(ACCEPT))
    }
}
