//! One process against all others: forward and backward in turns, until the bounds meet or somebody wants the result.
//!
//! F comes first and B is computed on N_F: both computed on N and joined would be wrong (`Q_join_F_B_on_N`). When F went on and
//! N_F changed, B starts again on the new N_F with the classes of the environment that it had found.

use super::allowance::{Allowance, spent};
use super::labelling::{Halt, Labelling};
use super::part::Direction;
use super::partition::Partition;
use super::system::System;
use super::way_back::{Layer, Layers, into_error, to_error, to_triple};
use crate::transform::{Lift as _, NotLifted, with_quotient};
use prequel_model::run::Run;
use prequel_model::{ClassMap, ComponentId, Problem, StateId, Trace, Why};
use std::time::Duration;

/// Refinement steps before the other direction has its turn.
const TURN: u64 = 10;

/// When to stop refining. What there is at that time is sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// After so many refinement steps.
    pub steps: Option<u64>,
    /// Once a process has no more states than this; looked at between turns.
    pub target_states: Option<usize>,
    /// Triples that an analysis may hold; one that needs more is given up.
    pub labels: usize,
    /// Once the run has looked at so many states and triples altogether, and their steps; processes that come later stay as they are.
    pub effort: Option<u64>,
    /// As soon as the verdict is known.
    pub decide: bool,
    /// Refinement steps of the first passes over the processes, see [`Options::shallow`]; none where each pass goes as far as it can.
    pub first_pass: Option<u64>,
}

/// How much further passes go once nothing shrinks.
const DEEPER: u64 = 4;

/// Labels that an analysis may hold for each step that it may take.
const LABELS_A_STEP: usize = 2_500;

impl Options {
    /// What the first passes may do: little, so that every process that is easily made smaller is, before another one is refined
    /// against it as it was.
    pub fn shallow(&self) -> Self {
        self.first_pass.map_or(*self, |steps| self.up_to(steps))
    }

    /// What passes may do after those with `before` made nothing smaller; none where that was everything.
    pub fn deeper(&self, before: &Self) -> Option<Self> {
        (before != self).then(|| before.steps.map_or(*self, |steps| self.up_to(steps.saturating_mul(DEEPER).max(1))))
    }

    fn up_to(&self, steps: u64) -> Self {
        let labels = usize::try_from(steps).unwrap_or(usize::MAX).saturating_mul(LABELS_A_STEP);
        if labels >= self.labels || self.steps.is_some_and(|most| steps >= most) {
            return *self;
        }
        Self { steps: Some(steps), labels, ..*self }
    }

    /// Whether the run may go on: half of its time is left for the upper bounds.
    pub fn allow(&self, run: &Run) -> bool {
        let late = |limit: Duration| run.elapsed() >= limit / 2;
        self.effort.is_none_or(|most| spent(run) < most) && !run.limits.time.is_some_and(late)
    }
}

/// What is known of the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// The error cannot be reached.
    Unreachable,
    /// This trace reaches it.
    Reached(Trace),
}

/// What came out for one process.
#[derive(Debug)]
pub struct Assumption {
    /// Its quotients, first to last; none where nothing could be merged or a trace was found.
    pub layers: Vec<Layer>,
    /// Refinement steps.
    pub steps: u64,
    /// The largest number of triples held at once.
    pub labels: usize,
    /// Why an analysis was given up, where one was.
    pub kept: Option<String>,
    /// The verdict, where it was found on the way.
    pub decided: Option<Decided>,
    /// Whether nothing is left to refine.
    pub complete: bool,
}

/// Why there is no assumption at all.
#[derive(Debug)]
pub enum Failed {
    /// Ctrl-C.
    Interrupted,
    /// Pointers that do not lead anywhere: a fault of ours.
    Lift(NotLifted),
}

impl From<NotLifted> for Failed {
    fn from(e: NotLifted) -> Self {
        Failed::Lift(e)
    }
}

/// Computes the assumption of a process.
pub fn assume(problem: &Problem, process: ComponentId, options: &Options, run: &Run) -> Result<Assumption, Failed> {
    let allowance = Allowance::new(run, options.effort);
    let mut work = Work { options, run, allowance, steps: 0, labels: 0, kept: None };
    let system = System::new(problem);
    let mut forward = Forward::new(&system, problem, process, &mut work)?;
    let mut partitions: Option<Vec<Partition>> = None;
    if let Some(decided) = forward.turn(&mut work)? {
        return Ok(work.finish(forward.layer().into_iter().collect(), Some(decided), false));
    }
    loop {
        let map_f = forward.map();
        let problem_f = with_quotient(problem, &map_f);
        let system_f = System::new(&problem_f);
        let backward =
            Labelling::backward(&system_f, process.at(), options.labels, partitions.as_deref(), &work.allowance);
        let mut b = match backward {
            Ok(b) => Some(b),
            Err(halt) => work.give_up(halt)?,
        };
        // Turns of B, with turns of F between them, until F changes what B works on.
        loop {
            let done = match b.as_mut().map(|b| work.turn(b)) {
                Some(Ok(done)) => done,
                Some(Err(halt)) => work.give_up::<()>(halt)?.is_none(),
                None => true,
            };
            if let Some(triple) = b.as_ref().filter(|_| options.decide).and_then(|b| b.initial_triple().1) {
                let proof = b.expect("it has a triple").proof();
                let path = to_error(&system_f, &proof, triple, system_f.initial())?;
                let trace = path.trace(&system_f, problem.network.components().len());
                let layers = Layers { last: problem_f.clone(), layers: forward.layer().into_iter().collect() };
                return Ok(work.finish(Vec::new(), Some(Decided::Reached(layers.lift(&trace)?)), false));
            }
            let more = work.may_refine() && !(done && forward.done);
            let (mut classes, mut unreachable) = (None, false);
            // The upper bound is as large as the lower one: it is computed when the result is looked at.
            if let Some(b) = b.as_ref().filter(|_| !more || options.decide || options.target_states.is_some()) {
                match b.upper(&work.allowance) {
                    Ok(upper) => {
                        unreachable = options.decide && !upper.contains(b.initial_triple().0);
                        classes = Some(b.classes(&upper));
                    }
                    Err(halt) => drop(work.give_up::<()>(halt)?),
                }
            }
            let lts_f = &problem_f.network.component(process).lts;
            let map_b = classes.map(|classes| ClassMap::of(process, lts_f, classes));
            let states = map_b.as_ref().unwrap_or(&map_f).quotient.num_states();
            if more && !unreachable && options.target_states.is_none_or(|target| states > target) {
                if !forward.done {
                    let before = forward.classes.clone();
                    if let Some(decided) = forward.turn(&mut work)? {
                        return Ok(work.finish(forward.layer().into_iter().collect(), Some(decided), false));
                    }
                    if forward.classes != before {
                        break;
                    }
                }
                continue;
            }
            let mut layers: Vec<Layer> = forward.layer().into_iter().collect();
            if let (Some(b), Some(map)) = (b, map_b)
                && map.quotient.num_states() < lts_f.num_states()
            {
                let before = problem_f.network.component(process).clone();
                layers.push(Layer { direction: Direction::Backward, before, map, proof: b.proof() });
            }
            return Ok(work.finish(layers, unreachable.then_some(Decided::Unreachable), done && forward.done));
        }
        partitions = b.map(|b| b.partitions()).or(partitions);
    }
}

/// The forward analysis and what it says so far.
struct Forward<'a> {
    system: &'a System<'a>,
    problem: &'a Problem,
    process: ComponentId,
    labelling: Option<Labelling<'a>>,
    /// The classes of N, as far as they are known.
    classes: Vec<StateId>,
    /// Whether there is nothing left to do.
    done: bool,
}

impl<'a> Forward<'a> {
    fn new(
        system: &'a System<'a>,
        problem: &'a Problem,
        process: ComponentId,
        work: &mut Work<'_>,
    ) -> Result<Self, Failed> {
        let labelling = match Labelling::forward(system, process.at(), work.options.labels) {
            Ok(labelling) => Some(labelling),
            Err(halt) => work.give_up(halt)?,
        };
        let classes = system.lts(process.at()).states().collect();
        let done = labelling.is_none();
        Ok(Self { system, problem, process, labelling, classes, done })
    }

    /// Ten steps, and what they say of N. Where a limit is reached, what was known before stays.
    fn turn(&mut self, work: &mut Work<'_>) -> Result<Option<Decided>, Failed> {
        let Some(labelling) = self.labelling.as_mut().filter(|_| !self.done) else { return Ok(None) };
        self.done = match work.turn(labelling) {
            Ok(done) => done,
            Err(halt) => work.give_up::<()>(halt)?.is_none(),
        };
        let decide = work.options.decide;
        if let Some(triple) = labelling.reached().filter(|_| decide) {
            let labelling = self.labelling.take().expect("it was looked at");
            return Ok(Some(Decided::Reached(self.witness(labelling, triple)?)));
        }
        match labelling.upper(&work.allowance) {
            Ok(upper) => {
                self.classes = labelling.classes(&upper);
                if decide && labelling.holds_forward(&upper) {
                    return Ok(Some(Decided::Unreachable));
                }
            }
            Err(halt) => drop(work.give_up::<()>(halt)?),
        }
        Ok(None)
    }

    /// The trace to the error from a triple that it holds of or that has a step into it.
    fn witness(&self, labelling: Labelling<'_>, triple: u32) -> Result<Trace, Failed> {
        let (state, via) = labelling.member_at_error(triple);
        let mut path = to_triple(self.system, &labelling.proof(), triple, state)?;
        if let Some(via) = via {
            let next = into_error(self.system, &path.states[path.states.len() - 1], via)?;
            path.states.push(next);
            path.steps.push(via);
        }
        Ok(path.trace(self.system, self.problem.network.components().len()))
    }

    fn map(&self) -> ClassMap {
        ClassMap::of(self.process, self.system.lts(self.process.at()), self.classes.clone())
    }

    /// The quotient N_F with its way back, where it is smaller than N.
    fn layer(&mut self) -> Option<Layer> {
        let map = self.map();
        let before = self.problem.network.component(self.process).clone();
        let merges = map.quotient.num_states() < before.lts.num_states();
        let labelling = self.labelling.take().filter(|_| merges)?;
        Some(Layer { direction: Direction::Forward, before, map, proof: labelling.proof() })
    }
}

/// What the work on one process may use and has used.
struct Work<'a> {
    options: &'a Options,
    run: &'a Run,
    allowance: Allowance<'a>,
    steps: u64,
    labels: usize,
    kept: Option<String>,
}

impl Work<'_> {
    /// Whether another refinement step is wanted.
    fn may_refine(&self) -> bool {
        self.options.steps.is_none_or(|most| self.steps < most) && self.options.allow(self.run)
    }

    /// Closes the lower set and takes ten refinement steps at most; true where there is nothing left to refine.
    fn turn(&mut self, labelling: &mut Labelling<'_>) -> Result<bool, Halt> {
        let analysed = labelling.analyse(&self.allowance);
        self.labels = self.labels.max(labelling.len());
        analysed?;
        for _ in 0..TURN {
            if !self.may_refine() || (self.options.decide && labelling.decided()) {
                return Ok(false);
            }
            let refined = labelling.refine(&self.allowance);
            self.labels = self.labels.max(labelling.len());
            if !refined? {
                return Ok(true);
            }
            self.steps += 1;
        }
        Ok(false)
    }

    /// Notes why an analysis was given up; only Ctrl-C ends everything.
    fn give_up<T>(&mut self, halt: Halt) -> Result<Option<T>, Failed> {
        let why = match halt {
            Halt::Limit(Why::Interrupted) => return Err(Failed::Interrupted),
            Halt::Limit(why) => why.to_string(),
            Halt::Labels(most) => format!("more than {most} labels"),
            Halt::Effort => "more effort than it is worth".into(),
            Halt::Wide => "too many components for labels of 128 bits".into(),
        };
        self.kept.get_or_insert(why);
        Ok(None)
    }

    fn finish(self, layers: Vec<Layer>, decided: Option<Decided>, done: bool) -> Assumption {
        let complete = done && self.kept.is_none();
        Assumption { layers, steps: self.steps, labels: self.labels, kept: self.kept, decided, complete }
    }
}
