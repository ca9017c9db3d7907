//! A program's state space for the on-the-fly search, and the search for violations.

use super::data::Program;
use super::expand::{START, Sink, Violation, Work, expand};
use super::expression::Fault;
use super::layout::{Base, Layout};
use super::machine::Machine;
use super::witness::{Step, Witness, unmerge};
use crate::engine::otf::{Expansion, Search, Space, Stop, search};
use crate::engine::run::Run;
use crate::model::Why;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What became of the search for violations.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// There is one, and this leads to it.
    Violated(Witness),
    /// There is none.
    Holds,
    /// The whole space was searched past violations, and these kinds were seen.
    Explored(Seen),
    /// The search did not come to an end.
    Unknown(Why),
}

/// Kinds of violations that were seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Violated assertions, wrong indices included, as SPIN counts them.
    pub assertion: bool,
    /// Invalid end states.
    pub end_state: bool,
    /// The end of the claim.
    pub claim: bool,
    /// Other errors at run time.
    pub other: bool,
}

/// A program run directly.
#[derive(Debug)]
pub struct ProgramSpace<'a> {
    program: &'a Program,
    layout: Layout,
    initial: Vec<u64>,
    /// Whether a violation is what the search looks for; otherwise violations are noted and passed.
    stop: bool,
    seen: [AtomicBool; 4],
}

/// Searches a program, or what it was optimised to, for violations; `stop` at the first one, or explore everything. The steps
/// of a witness are those of the program itself.
pub fn verify(program: &Program, order: Search, stop: bool, run: &Run) -> Outcome {
    let Some(optimised) = &program.optimised else { return explore(program, order, stop, run) };
    match explore(optimised, order, stop, run) {
        // One that cannot be told in the steps of the program is left as it is: it will not replay.
        Outcome::Violated(witness) => Outcome::Violated(unmerge(program, optimised, &witness).unwrap_or(witness)),
        outcome => outcome,
    }
}

fn explore(program: &Program, order: Search, stop: bool, run: &Run) -> Outcome {
    let mut words = Layout::first_guess(program);
    loop {
        let space = match ProgramSpace::new(program, words, stop) {
            Ok(space) => space,
            Err(Some(violation)) => return Outcome::Violated(Witness { steps: Vec::new(), violation }),
            Err(None) => {
                words *= 2;
                continue;
            }
        };
        return match search(&space, order, run) {
            Ok(None) if stop => Outcome::Holds,
            Ok(None) => Outcome::Explored(space.seen()),
            Ok(Some(path)) => Outcome::Violated(space.witness(&path)),
            Err(Stop::Limit(why)) => Outcome::Unknown(why),
            Err(Stop::Outgrown) => {
                words = words + words / 4 + 1;
                continue;
            }
        };
    }
}

impl<'a> ProgramSpace<'a> {
    /// With states of so many words. Nothing if the first state needs more, a violation if it cannot be set up.
    pub fn new(program: &'a Program, words: usize, stop: bool) -> Result<Self, Option<Violation>> {
        let layout = Layout::new(program, words);
        let machine =
            Machine::initial(program).map_err(|fault| Some(Violation::Fault { fault, process: 0, statement: 0 }))?;
        let mut initial = Vec::new();
        layout.pack(&machine, &mut initial).map_err(|_| None)?;
        Ok(Self { program, layout, initial, stop, seen: Default::default() })
    }

    /// Kinds of violations that were met so far.
    pub fn seen(&self) -> Seen {
        let [assertion, end_state, claim, other] = &self.seen;
        let is = |flag: &AtomicBool| flag.load(Relaxed);
        Seen { assertion: is(assertion), end_state: is(end_state), claim: is(claim), other: is(other) }
    }

    fn note(&self, violation: Violation) {
        let kind = match violation {
            Violation::Fault { fault: Fault::Assertion | Fault::Index, .. } => 0,
            Violation::EndState => 1,
            Violation::Claim => 2,
            Violation::Fault { .. } => 3,
        };
        self.seen[kind].store(true, Relaxed);
    }

    /// The steps along a path of stored states, and those to the violation behind its end.
    pub fn witness(&self, path: &[Vec<u64>]) -> Witness {
        let mut steps = Vec::new();
        let mut machine = Machine::default();
        let mut work = Work::default();
        let mut violation = Violation::EndState;
        for (at, state) in path.iter().enumerate() {
            self.layout.unpack(state, &mut machine);
            let goal = path.get(at + 1).map(Vec::as_slice);
            let mut finder = Finder { space: self, goal, packed: Vec::new(), found: None };
            expand(self.program, &mut machine, &mut work, &mut finder);
            let Some((end, found)) = finder.found else { continue };
            violation = found.unwrap_or(violation);
            let mut chain = Vec::new();
            let mut step = end;
            while step != START {
                let raw = work.trail[step as usize];
                chain.push(raw);
                step = raw.before;
            }
            self.layout.unpack(state, &mut machine);
            steps.extend(chain.into_iter().rev().map(|raw| Step::take(self.program, &mut machine, raw)));
        }
        Witness { steps, violation }
    }
}

/// Packs what is found.
struct Packer<'s> {
    space: &'s ProgramSpace<'s>,
    base: &'s Base,
    out: &'s mut Vec<u64>,
    outgrown: bool,
    target: bool,
}

impl Sink for Packer<'_> {
    const TRAIL: bool = false;

    #[inline]
    fn state(&mut self, machine: &Machine, _: u32) {
        self.outgrown |= self.space.layout.pack_near(self.base, machine, self.out).is_err();
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        if self.space.stop {
            self.target = true;
        } else {
            self.space.note(violation);
        }
        !self.space.stop
    }
}

/// Looks for the steps to a state, or to a violation.
struct Finder<'s> {
    space: &'s ProgramSpace<'s>,
    goal: Option<&'s [u64]>,
    packed: Vec<u64>,
    found: Option<(u32, Option<Violation>)>,
}

impl Sink for Finder<'_> {
    const TRAIL: bool = true;

    fn state(&mut self, machine: &Machine, step: u32) {
        self.packed.clear();
        if self.found.is_none()
            && self.goal.is_some()
            && self.space.layout.pack(machine, &mut self.packed).is_ok()
            && self.goal == Some(&self.packed)
        {
            self.found = Some((step, None));
        }
    }

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        if self.goal.is_none() && self.found.is_none() {
            self.found = Some((step, Some(violation)));
        }
        true
    }
}

impl Space for ProgramSpace<'_> {
    type Scratch = (Machine, Base, Work);

    fn scratch(&self) -> (Machine, Base, Work) {
        Default::default()
    }

    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn successors(&self, state: &[u64], scratch: &mut (Machine, Base, Work), out: &mut Vec<u64>) -> Expansion {
        let (machine, base, work) = scratch;
        self.layout.unpack_base(state, machine, base);
        let mut packer = Packer { space: self, base, out, outgrown: false, target: false };
        expand(self.program, machine, work, &mut packer);
        if packer.target {
            Expansion::Target
        } else if packer.outgrown {
            Expansion::Outgrown
        } else {
            Expansion::Complete
        }
    }

    fn is_target(&self, _: &[u64]) -> bool {
        false
    }

    fn stuck_is_target(&self) -> bool {
        false
    }
}
