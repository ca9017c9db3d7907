//! `learn`: an assumption learned with L*, for the rule AG-NC.
//!
//! The method that the quotient paper compares with: J. M. Cobleigh, D. Giannakopoulou, C. S. Păsăreanu, *Learning Assumptions for
//! Compositional Verification* (TACAS 2003), after D. Angluin's L*, with the counterexample analysis of R. Rivest and R. Schapire.
//!
//! The non-circular rule: from (1) M₁ ∥ A keeps P and (2) all words of M₂ are words of A follows that M₁ ∥ M₂ keeps P.
//!
//! | step | function |
//! | --- | --- |
//! | the question as words, a monitor for ¬P | `safety` |
//! | n processes: two halves, M₁ the one that is nearer to the monitor | `halves` |
//! | may M₁ do this word without harm? (membership) | `teacher::Teacher::harmless` |
//! | premise 1, premise 2 (equivalence) | `teacher::Teacher::first`, `teacher::Teacher::second` |
//! | table, conjecture, counterexample | `table::Table` |
//!
//! A is a deterministic automaton over the labels of M₂ that M₁ or the monitor sees. What is learned is the weakest assumption; L*
//! comes to it through ever larger conjectures and stops at the first one that decides: both premises hold, or a word of M₂ is
//! one with which M₁ does harm, and that is a counterexample. The number of conjectures is bounded by the states of the weakest
//! assumption, which may be exponential in those of M₁: limits are looked at in every query.
//!
//! **Departures.** Words with harm in them stay harmful however they go on, so all of them share one row. Membership is asked of M₁ ∥
//! monitor as a set of states that a word leads to; sets are kept, so that no word is run twice.

mod table;
mod teacher;

use super::safety::{Derived, Safety};
use super::{Engine, Refusal};
use prequel_model::run::Run;
use prequel_model::{Answer, Component, Derivation, Evidence, Ground, LabelId, Premise, Problem, Why};
use table::Table;
use teacher::{Judged, Teacher};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Learn;

impl Engine for Learn {
    fn name(&self) -> &'static str {
        "learn"
    }

    fn about(&self) -> &'static str {
        "learns what one half may assume of the other (L*, rule AG-NC)"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Refusal> {
        self.decides(problem)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        Answer::found(&problem.query, decide(problem, run))
    }
}

/// The witness, if there is one.
fn decide(problem: &Problem, run: &Run) -> Result<Option<Evidence>, Why> {
    let safety = Safety::within(problem, true, &run.watch()).map_err(|why| why.of("learn"))?;
    let proven = |proof: Option<Derivation>| proof.map(|proof| Evidence::Derivation(Box::new(proof)));
    if !safety.can_be_bad() {
        return Ok(proven(safety.never_bad(run.proves())));
    }
    let (near, far) = halves(&safety);
    let mut teacher = Teacher::new(&safety, &near, &far, run);
    let mut table = Table::new(teacher.alphabet().len());
    loop {
        let conjecture = table.conjecture(&mut |word| teacher.harmless(word))?;
        // A conjecture that is refuted becomes larger with each of its words that says otherwise.
        let refuted = match teacher.first(&conjecture)? {
            Some(word) => word,
            None => match teacher.second(&conjecture)? {
                Judged::Covered => {
                    return Ok(proven(proof(&safety, &near, &far, teacher.assumption(&conjecture), run)));
                }
                Judged::Harmless(word) => word,
                Judged::Harm(word) => {
                    let trace = safety.trace(&problem.network, &word);
                    return Ok(Some(Evidence::Witness(trace)));
                }
            },
        };
        table.refute(&conjecture, &refuted, &mut |word| teacher.harmless(word))?;
    }
}

/// What the two premises show.
fn proof(safety: &Safety, near: &[usize], far: &[usize], assumption: Component, run: &Run) -> Option<Derivation> {
    let mut derived = Derived::of(safety, run.proves());
    let parts = |half: &[usize]| half.iter().map(|&at| Derived::part(at)).collect::<Vec<_>>();
    let second = || Ground::from(parts(far).into_iter().map(Premise::Step).collect::<Vec<_>>());
    let assumption = derived.add(second, &assumption, false);
    derived.ended(parts(near).into_iter().chain([assumption, Derived::MONITOR]))
}

/// The parts in two halves: those that are nearer to the monitor, and the others.
fn halves(safety: &Safety) -> (Vec<usize>, Vec<usize>) {
    let count = safety.parts.len();
    let mut labels: Vec<LabelId> = safety.monitor.alphabet().to_vec();
    let mut order: Vec<usize> = Vec::with_capacity(count);
    while order.len() < count {
        let shared = |at: &usize| labels.iter().filter(|&&l| safety.parts[*at].takes_part(l)).count();
        let rest = (0..count).filter(|at| !order.contains(at));
        let next = rest.max_by_key(|at| (shared(at), usize::MAX - at)).expect("one is left");
        labels.extend_from_slice(safety.parts[next].alphabet());
        labels.sort_unstable();
        labels.dedup();
        order.push(next);
    }
    let far = order.split_off(count / 2);
    (order, far)
}
