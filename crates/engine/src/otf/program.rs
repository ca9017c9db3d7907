//! `otf` on a program that is run directly: its state space for the search.
//!
//! What is looked for is found at the step that leads to it, where the state is at hand unpacked: so no state is unpacked for a
//! question, and the state that the search stops at is the one before.

use super::{Expansion, Otf, Space, Stop, program_cycles, search};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{
    Base, Chooser, Fault, Kept, Layout, Machine, Memo, Of, PackedSink, Program, RawStep, Reduction, Shown, Sink,
    Sought, Step, Violation, Witness, Work, along, expand_remembered, expand_some, holds, unmerge,
};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What became of a search.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// There is a violation, and this leads to it.
    Violated(Witness),
    /// The goal is reached by these steps.
    Reached(Vec<Step>),
    /// What was looked for is not there.
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
    sought: Sought<'a>,
    reduction: Option<Reduction<'a>>,
    /// Moves are remembered: no goal is looked for in each state, and the program allows it.
    remembers: bool,
    seen: [AtomicBool; 4],
    /// What went wrong when the goal was computed.
    senseless: OnceLock<Fault>,
}

/// Searches a program, or what it was optimised to. The steps of a witness are those of the program itself.
pub fn verify(program: &Program, sought: Sought<'_>, how: Otf, run: &Run) -> Outcome {
    // Every state in which a label stands or a claim moves counts there.
    if let Some(endless) = sought.endless(program) {
        return program_cycles::search(program, endless, sought, how.reduce, run);
    }
    let optimised = match (&program.optimised, sought) {
        // A claim moves with every statement: it would miss those that are merged.
        (
            Some(optimised),
            Sought::Violation | Sought::FairViolation | Sought::Fault | Sought::EndState | Sought::Nothing,
        ) if program.claim.is_none() => optimised,
        // A goal may be about a state that is passed over, or a variable that is left out.
        _ => return explore(program, sought, how, run),
    };
    match explore(optimised, sought, how, run) {
        // One that cannot be told in the steps of the program is left as it is: it will not replay.
        Outcome::Violated(witness) => Outcome::Violated(unmerge(program, optimised, &witness).unwrap_or(witness)),
        outcome => outcome,
    }
}

fn explore(program: &Program, sought: Sought<'_>, how: Otf, run: &Run) -> Outcome {
    with_room(program, sought, run, |layout, initial| {
        let space = ProgramSpace::new(program, layout, initial, sought, how.reduce);
        if let Some(outcome) = space.at_start() {
            return Some(outcome);
        }
        match search(&space, how.search, run) {
            Ok(None) if sought == Sought::Nothing => Some(Outcome::Explored(space.seen())),
            Ok(None) => Some(Outcome::Holds),
            Ok(Some(path)) => Some(space.outcome(&path)),
            Err(Stop::Limit(why)) => Some(Outcome::Unknown(why)),
            Err(Stop::Outgrown) => None,
        }
    })
}

/// Searches with states of as many words as turn out to be needed. `explore` gets how states are packed, and the first of them; it
/// gives nothing if there is one that needs more room.
pub(super) fn with_room(
    program: &Program,
    sought: Sought<'_>,
    run: &Run,
    mut explore: impl FnMut(Layout, Vec<u64>) -> Option<Outcome>,
) -> Outcome {
    let machine = match Machine::initial(program) {
        Ok(machine) => machine,
        Err(fault) => {
            let violation = Violation::Fault { fault, process: 0, statement: 0 };
            return match sought.is(violation) {
                true => Outcome::Violated(Witness { steps: Vec::new(), violation }),
                false => Outcome::Unknown(Why::Refused(format!("the program cannot start: {fault}"))),
            };
        }
    };
    let (mut words, before) = (Layout::first_guess(program), run.effort());
    loop {
        let (layout, mut first) = (Layout::new(program, words), Vec::new());
        if layout.pack(&machine, &mut first).is_ok()
            && let Some(outcome) = explore(layout, first)
        {
            return outcome;
        }
        run.set_back(&before);
        words += words / 4 + 1;
    }
}

impl<'a> ProgramSpace<'a> {
    fn new(program: &'a Program, layout: Layout, initial: Vec<u64>, sought: Sought<'a>, reduce: bool) -> Self {
        let kept = match sought {
            _ if program.claim.is_some() => Kept::Claim,
            Sought::EndState => Kept::EndStates,
            _ => Kept::Faults,
        };
        // A goal may be about a state that is passed over.
        let reduces = reduce && !matches!(sought, Sought::Goal(_));
        let reduction = if reduces { Reduction::of(program, kept) } else { None };
        let remembers = Memo::suits(program) && !matches!(sought, Sought::Goal(_));
        let (seen, senseless) = Default::default();
        Self { program, layout, initial, sought, reduction, remembers, seen, senseless }
    }

    /// What the first state alone tells.
    fn at_start(&self) -> Option<Outcome> {
        let Sought::Goal(goal) = self.sought else { return None };
        let mut machine = Machine::default();
        self.layout.unpack(&self.initial, &mut machine);
        match holds(self.program, &machine, goal) {
            Ok(true) => Some(Outcome::Reached(Vec::new())),
            Ok(false) => None,
            Err(fault) => Some(senseless(fault)),
        }
    }

    /// What a path to where the search stopped shows.
    fn outcome(&self, path: &[Vec<u64>]) -> Outcome {
        let (steps, shown) = along(self.program, &self.layout, path, self.sought);
        match (shown, self.senseless.get()) {
            (Some(Shown::Violation(violation)), _) => Outcome::Violated(Witness { steps, violation }),
            (Some(Shown::Goal), _) => Outcome::Reached(steps),
            (None, Some(&fault)) => senseless(fault),
            (None, None) => unreachable!("the search stopped for a reason"),
        }
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
            Violation::Claim | Violation::Cycle(_) | Violation::Stuck(_) => 2,
            Violation::Fault { .. } => 3,
        };
        self.seen[kind].store(true, Relaxed);
    }
}

fn senseless(fault: Fault) -> Outcome {
    Outcome::Unknown(Why::Refused(format!("the goal cannot be computed in a state that is reached: {fault}")))
}

/// Takes what is found.
struct Found<'s> {
    space: &'s ProgramSpace<'s>,
    out: &'s mut Vec<u64>,
    outgrown: bool,
    target: bool,
}

impl PackedSink for Found<'_> {
    #[inline]
    fn packed(&mut self) -> &mut Vec<u64> {
        self.out
    }

    fn outgrown(&mut self) {
        self.outgrown = true;
    }

    fn violation(&mut self, violation: Violation) -> bool {
        if self.space.sought.is(violation) {
            self.target = true;
            return false;
        }
        self.space.note(violation);
        true
    }
}

/// Packs what is found.
struct Packer<'s> {
    base: &'s Base,
    found: Found<'s>,
}

impl Sink for Packer<'_> {
    const TRAIL: bool = false;
    const FANS: bool = true;

    #[inline]
    fn state(&mut self, machine: &Machine, _: &[RawStep], _: u32) {
        let Found { space, out, outgrown, target } = &mut self.found;
        *outgrown |= space.layout.pack_near(self.base, machine, out).is_err();
        if let Sought::Goal(goal) = space.sought {
            match holds(space.program, machine, goal) {
                Ok(holds) => *target |= holds,
                Err(fault) => {
                    *target = true;
                    space.senseless.get_or_init(|| fault);
                }
            }
        }
    }

    #[inline]
    fn again(&mut self, claim: u32) {
        if !self.found.outgrown {
            self.found.space.layout.again(claim, 0, self.found.out);
        }
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.found.violation(violation)
    }
}

impl Space for ProgramSpace<'_> {
    type Scratch = (Machine, Base, Work, Chooser, Memo);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn words(&self) -> usize {
        self.layout.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.initial.clone()
    }

    fn successors(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        let (machine, base, work, chooser, memo) = scratch;
        let mut found = Found { space: self, out, outgrown: false, target: false };
        let (program, layout, reduction) = (self.program, &self.layout, self.reduction.as_ref());
        if self.remembers {
            let some = reduction.and_then(|reduction| chooser.choose(reduction, memo.unpack(layout, state)));
            expand_remembered(Of { program, layout, state }, some, memo, work, &mut found);
        } else {
            layout.unpack_base(state, machine, base);
            let some = reduction.and_then(|reduction| chooser.choose(reduction, machine));
            let mut packer = Packer { base, found };
            expand_some(program, machine, some, work, &mut packer);
            found = packer.found;
        }
        if found.target {
            Expansion::Target
        } else if found.outgrown {
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
