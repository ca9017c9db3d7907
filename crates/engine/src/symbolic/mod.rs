//! Symbolic engines: `bmc`, `bdd`, `ic3`, `itp`, `citp`, `citp-a`, `citp-pa`.
//!
//! S.-W. Lin, J. Sun, T. K. Nguyen, Y. Liu, J. S. Dong: *Interpolation Guided Compositional Verification* (ASE 2015). Of a group of
//! components nothing is assumed at first. Where that allows a path of k steps to a bad state and the system itself has none of
//! that length, the refutation's interpolants tell what to assume of the group's steps.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | BDD-based model checking | `reach::Reached::explore`, `check::Checker` |
//! | the same without diagrams (not in the paper, whose bottleneck they were) | `ic3::search` |
//! | the BMC formula Θ | `bounded::bounded` |
//! | symmetric interpolants (Definition 2) | `sat::Interpolants` |
//! | Algorithm 1 (`itp`), Algorithm 2 (`citp`), its line 14 (`citp-a`) | `refine::refine` |
//! | removing primes | `refine::interpolants` |
//! | PARTITION (Algorithm 3) | `partition::Paths::bounded` |
//! | Algorithm 4 (`citp-pa`) | `partition::partition` |
//!
//! **Departures.** Line 14 replaces what is assumed of the first group each time; that need not end (`citp-loop-line14`). Here it drops
//! what the components say themselves, once, and from then on adds, as line 13 does for the second group. In Algorithm 4 the
//! interpolants are never used: after a new partition the second group is free, so every refutation uses a step of somebody in it,
//! and there is a new partition. So it is put as what it is, and of a core only the steps count: what components say of the first
//! state is always kept (`citp-ihat`), it need not be learned. A path is asked of components near to those that matter first
//! (`neighbours::Neighbours`); in Algorithm 4 of one solver, where each component is an assumption: those that failed are the core. `ic3` keeps
//! what it learned where the next check allows less. All interpolants come from one proof (`citp-independent-interpolants`), in which
//! facts of one part are not used to shorten clauses of another (`citp-simplify`). Where the paper does not say how the two groups
//! of Algorithm 2 are chosen, the first one is the components that the bad states are about; if these are all, the first half of
//! them.
//!
//! **Evidence.** A path becomes a trace of the network. Where there is none, what the decision diagrams reached, or the clauses of
//! `ic3`, are an inductive invariant, of what is assumed and so of the system itself; solvers check that before the answer leaves. Of a
//! network it becomes a set of global states (`encode::Encoded::locations`), which `evidence::locations` checks without the encoding.
//!
//! **Limits.** Decision diagrams have a number of nodes that `--memory` allows. One operation on them cannot be interrupted: where a
//! limit is reached meanwhile, the answer does not wait for it.

mod bounded;
mod check;
mod diagram;
mod encode;
mod ic3;
mod neighbours;
mod order;
mod partition;
mod reach;
mod refine;
mod unroll;

use super::option;
use super::option::Declared;
use super::{Engine, EngineOption, Refusal};
pub use check::Invariant;
pub use encode::Encoded;
use prequel_model::containment::inherited;
use prequel_model::run::Run;
use prequel_model::{Answer, Bit, Circuit, Evidence, Problem, Why};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Paths of each length, up to a bound.
    Bmc,
    /// Decision diagrams of the whole system.
    Bdd,
    /// Clauses that hold after so many steps of the whole system.
    Ic3,
    /// Algorithm 1: the steps of the whole system by interpolants.
    Itp,
    /// Algorithm 2: those of a second group by interpolants.
    Citp,
    /// Algorithm 2 with line 14: those of the first group too.
    CitpA,
    /// Algorithm 4: a partition by unsatisfiable cores.
    CitpPa,
}

/// One of the symbolic engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbolic {
    /// How it is done.
    pub method: Method,
    /// The longest path that `bmc` asks for.
    pub depth: u32,
    /// How states are explored, and what is assumed is checked.
    pub check: Check,
}

/// How it is checked whether what is assumed allows a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// With decision diagrams, as in the paper.
    Bdd,
    /// The same, back from the states that are asked for.
    Backward,
    /// By clauses that hold after so many steps.
    Ic3,
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The states along a path to a bad one.
    Path(Vec<Vec<bool>>),
    /// There is no such path: this set is not left.
    Invariant(Invariant),
}

/// A circuit under way.
#[derive(Clone, Copy)]
struct Work<'a> {
    circuit: &'a Circuit,
    run: &'a Run,
    how: Check,
}

/// Decision diagrams are as deep as there are variables, and their operations are recursive.
const STACK: usize = 256 << 20;

/// How often limits are looked at while a thread works.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// So many variables fit on this stack.
const MOST_BITS: u32 = 1 << 15;

impl Symbolic {
    /// The engine of this method.
    pub fn new(method: Method) -> Self {
        Self { method, depth: 100, check: Check::Bdd }
    }

    /// Decides whether a circuit reaches a bad state.
    pub fn decide(self, circuit: &Arc<Circuit>, run: &Run) -> Result<Verdict, Why> {
        if circuit.bits > MOST_BITS {
            return Err(Why::Refused(self.too_many().to_string()));
        }
        if run.limits.states.is_some() {
            let why =
                "looks at sets of states, not at one after the other: it cannot keep to a number of them (--states)";
            return Err(Why::Refused(format!("{} {why}", self.name())));
        }
        let (tell, told) = channel();
        let (own, circuit) = (Arc::new(run.again()), circuit.clone());
        let under_way = own.clone();
        let work = move || {
            // Where nobody waits for it any more, nobody is told.
            let _ = tell.send(self.work(&Work { circuit: &circuit, run: &under_way, how: self.check }));
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(inherited(work));
        let thread = thread.map_err(|e| Why::Memory(format!("a thread's stack ({e})")))?;
        let verdict = loop {
            match told.recv_timeout(LOOK_EVERY) {
                Ok(verdict) => break verdict,
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(why) = run.within_limits() {
                        own.stop();
                        // Most work ends at once when it is told to; an operation on diagrams does not.
                        break told.recv_timeout(LOOK_EVERY).unwrap_or(Err(why.clone())).map_err(|_| why);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("it tells before it ends"),
                },
            }
        };
        run.add(&own.effort());
        verdict
    }

    fn too_many(self) -> Refusal {
        Refusal::new(format!("{} takes systems of up to {MOST_BITS} Boolean variables", self.name()))
    }

    fn work(self, work: &Work) -> Result<Verdict, Why> {
        let verdict = match self.method {
            Method::Bmc => bounded::deepen(work, self.depth),
            Method::Bdd => check::Checker::new(work).path().map(|found| match found {
                Ok(path) => Verdict::Path(path),
                Err(invariant) => Verdict::Invariant(invariant),
            }),
            Method::Ic3 => check::by_clauses(work),
            Method::Itp => refine::transition_interpolation(work),
            Method::Citp => refine::compositional(work, first_group(work.circuit), false),
            Method::CitpA => refine::compositional(work, first_group(work.circuit), true),
            Method::CitpPa => partition::partition(work),
        }?;
        if let Verdict::Invariant(invariant) = &verdict {
            work.run.timed("invariant", || invariant.check(work))?;
        }
        Ok(verdict)
    }
}

/// The parts that say how variables of the bad states change; if these are all parts or none, the first half.
fn first_group(circuit: &Circuit) -> Vec<usize> {
    let mut asked = vec![false; circuit.bits as usize];
    for input in circuit.aig.support(circuit.bad()) {
        asked[Bit::of(input).0.0 as usize] = true;
    }
    let owner = |part: &usize| {
        let support = circuit.aig.support(circuit.parts[*part].step);
        support.into_iter().map(Bit::of).any(|(bit, next)| next && asked[bit.0 as usize])
    };
    let all = circuit.parts.len();
    let first: Vec<usize> = (0..all).filter(owner).collect();
    if first.is_empty() || first.len() == all { (0..all.div_ceil(2)).collect() } else { first }
}

/// What can be set in `bmc`.
const BMC_OPTIONS: &[Declared<Symbolic>] =
    &[Declared::number("depth", "100", "the longest path that is asked for", |o, n| {
        o.depth = u32::try_from(n).unwrap_or(u32::MAX);
    })];

/// What can be set where components are abstracted.
const CHECK_OPTIONS: &[Declared<Symbolic>] = &[Declared::choice(
    "abstract",
    "bdd|backward|ic3",
    "bdd",
    "how what is assumed of components is checked: with decision diagrams, these backward, or by clauses",
    &[|o| o.check = Check::Bdd, |o| o.check = Check::Backward, |o| o.check = Check::Ic3],
)];

/// What can be set in `bdd`.
const BDD_OPTIONS: &[Declared<Symbolic>] = &[Declared::choice(
    "direction",
    "forward|backward",
    "forward",
    "from the first states on, or back from those that are asked for",
    &[|o| o.check = Check::Bdd, |o| o.check = Check::Backward],
)];

impl Symbolic {
    fn declared(&self) -> &'static [Declared<Self>] {
        match self.method {
            Method::Bmc => BMC_OPTIONS,
            Method::Bdd => BDD_OPTIONS,
            Method::Ic3 => &[],
            Method::Itp | Method::Citp | Method::CitpA | Method::CitpPa => CHECK_OPTIONS,
        }
    }
}

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        match self.method {
            Method::Bmc => "bmc",
            Method::Bdd => "bdd",
            Method::Ic3 => "ic3",
            Method::Itp => "itp",
            Method::Citp => "citp",
            Method::CitpA => "citp-a",
            Method::CitpPa => "citp-pa",
        }
    }

    fn about(&self) -> &'static str {
        match self.method {
            Method::Bmc => "looks for short witnesses with a SAT solver; never tells that there is none",
            Method::Bdd => "explores all states at once as decision diagrams",
            Method::Ic3 => "finds clauses that hold after so many steps, until they hold for ever",
            Method::Itp => "abstracts all steps by interpolants",
            Method::Citp => "abstracts the components that the question is not about by interpolants",
            Method::CitpA => "abstracts two groups of components by interpolants",
            Method::CitpPa => "finds out which components matter by unsatisfiable cores",
        }
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Refusal> {
        self.decides(problem)?;
        if encode::bits(problem) > MOST_BITS as usize { Err(self.too_many()) } else { Ok(()) }
    }

    fn options(&self) -> Vec<EngineOption> {
        option::list(self.declared())
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        option::set(self.declared(), self, name, value)
    }

    fn counts_states(&self) -> bool {
        false
    }

    fn symbolic(&self) -> Option<Symbolic> {
        Some(*self)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        let Some(encoded) = Encoded::new(problem) else { unreachable!("refused") };
        let witness = self.decide(&encoded.circuit, run).map(|verdict| match verdict {
            Verdict::Path(path) => Some(Evidence::Witness(encoded.trace(&problem.network, &path))),
            Verdict::Invariant(invariant) => encoded.locations(&invariant).map(Evidence::Invariant),
        });
        Answer::found(&problem.query, witness)
    }
}

#[cfg(test)]
mod tests;
