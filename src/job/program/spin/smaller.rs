//! Smaller processes, and who answers about them.

use super::alone::reduced_less;
use super::compare::Comparison;
use super::contest::{Log, came_to, of_smaller};
use super::{NotReduced, SpinQuestion, open, search, undecided};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::{ProcessChange, Reduction};
use crate::job::observer::Observer;
use crate::job::portfolio::Outcome;
use crate::job::program::{FoldedModel, Patience, ProgramWitness, SmallerModel, SmallerText};
use crate::job::reduction::{Method, ReductionChoice};
use crate::job::spin::BeforeSpin;
use prequel_engine::otf::program::{Outcome as Searched, verify};
use prequel_evidence::Verdict;
use prequel_formats::diag::Diagnostic;
use prequel_model::Why;
use prequel_model::run::{Limits, Run};
use prequel_program::{Program, Witness, replay};
use prequel_spin::file::Trouble;
use prequel_spin::spin_errors::Doubts;
use prequel_spin::tools::C;
use std::time::Duration;

/// The answer about the model with smaller processes, and what there is to say about them.
pub struct OnSmaller {
    /// The answer.
    pub decision: Decision,
    /// What became of each process.
    pub said: String,
}

/// How far the reduction goes, and what is searched before SPIN is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// What refining may cost, where that is not the usual.
    pub effort: Option<u64>,
    /// Whether a program of which that takes long is not put into components.
    pub quick: bool,
    /// States that our own search looks at before SPIN is asked.
    pub states: Option<u64>,
}

/// The answer on the model with smaller processes; a violation is lifted and replayed on the model itself.
pub fn on_smaller(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    bounds: Bounds,
    log: &Log,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Result<OnSmaller, NotReduced>, Failure> {
    let reduced = log.attempt("reduce", prepared, || reduce(question, before, bounds, run, observer));
    let mut smaller = match reduced? {
        Ok((reduced, time)) => {
            run.phase("reduce", time);
            Smaller::new(question, reduced, time)?
        }
        Err(not) => return Ok(Err(not)),
    };
    let answered = |smaller: &Smaller<'_>, decision| Ok(Ok(OnSmaller { decision, said: smaller.said() }));
    if let Some(decision) = smaller.searched(bounds, log, run)? {
        return answered(&smaller, decision);
    }
    if !bounds.quick && question.may_assume(before) && smaller.reduced.is_only_folded() {
        smaller = log.attempt("quotient", Smaller::assumed, || smaller.assuming(run))?;
        if !smaller.reduced.is_only_folded()
            && let Some(decision) = smaller.searched(bounds, log, run)?
        {
            return answered(&smaller, decision);
        }
    }
    if let Some(not) = smaller.unasked() {
        return Ok(Err(not));
    }
    // What our own search did not come to the end of is worth optimised C.
    let c = if bounds.states.is_some() { C::Optimised } else { C::QuickFirst };
    let compared = before.compare.then(|| Comparison::new(question, observer));
    let answer = log.attempt("spin", of_smaller, || smaller.by_spin(c, compared, run, observer));
    answer.map(|answer| answer.map(|(decision, more)| OnSmaller { decision, said: smaller.said() + &more }))
}

/// What became of the reduction.
fn prepared(result: &Result<Result<(SmallerText, Duration), NotReduced>, Failure>) -> Outcome {
    match result {
        Ok(Ok(_)) => Outcome::Prepared,
        Ok(Err(not)) => Outcome::Undecided(Why::Refused(not.why.clone())),
        Err(failure) => Outcome::Broken(failure.to_string()),
    }
}

/// Makes processes smaller, and tells how long that took.
fn reduce(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    bounds: Bounds,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Result<(SmallerText, Duration), NotReduced>, Failure> {
    // What is looked at on the way to smaller processes is no state of the model: it is counted apart.
    let (began, beside) = (run.elapsed(), run.within(run.limits.clone()));
    let elapsed = || run.elapsed().saturating_sub(began);
    let mut told = None;
    if before.reduction.method.is_none_or(|method| method == Method::Residual) {
        let keep_fairness = before.reduction.keep_fairness || question.is_fair();
        let choice = ReductionChoice { keep_fairness, ..before.reduction.clone() };
        match FoldedModel::new(question.asked.promela, &choice, false, &beside, observer) {
            Ok(folded) if folded.is_smaller() => {
                let text = SmallerText::of(folded, question.asked.promela, question.may_assume(before), &beside)?;
                return Ok(Ok((text, elapsed())));
            }
            // SPIN may find less to do where it knows more.
            Ok(folded) => told = folded.tells().then(|| SmallerText::Folded(Box::new(folded))),
            Err(Failure::Refused(_)) => {}
            Err(failure) => return Err(failure),
        }
        // Quotients keep assertions and end states alone.
        if before.reduction.method.is_some() || question.is_about_runs() {
            let why = "no process has states that may be put together".into();
            let after = elapsed();
            return Ok(told.map(|text| (text, after)).ok_or(NotReduced { why, after, tried: true }));
        }
    }
    if question.is_about_runs() {
        let why = "only residual statements keep claims, labels and runs without an end".into();
        return Ok(Err(NotReduced { why, after: elapsed(), tried: true }));
    }
    let mut plan = before.plan();
    plan.options.effort = bounds.effort.or(plan.options.effort);
    plan.quick = bounds.quick;
    let reduced = SmallerModel::new(question.asked.promela, &plan, &beside, observer);
    let after = elapsed();
    let not = |why: String| Ok(told.map(|text| (text, after)).ok_or(NotReduced { why, after, tried: true }));
    match reduced {
        Ok(reduced) => match reduced.is_smaller() {
            true => Ok(Ok((SmallerText::Replaced(Box::new(reduced)), after))),
            false => not("no process has states that may be merged".into()),
        },
        Err(Failure::Unsuitable(found)) => not(found.first().map_or_else(String::new, Diagnostic::headline)),
        Err(failure @ (Failure::Refused(_) | Failure::Undecided(..))) => not(failure.to_string().trim_end().into()),
        Err(failure) => Err(failure),
    }
}

/// The limits of a run with so many states at most.
pub fn limited(run: &Run, states: u64) -> Limits {
    let states = run.limits.states.map_or(states, |limit| limit.min(states));
    Limits { states: Some(states), threads: 1, ..run.limits.clone() }
}

/// A model with smaller processes, about which somebody is asked.
struct Smaller<'a> {
    question: &'a SpinQuestion<'a>,
    reduced: SmallerText,
    /// The program that it means, with the claim; why we cannot read it.
    emitted: Result<Program, Failure>,
    doubts: Doubts,
    changes: Vec<ProcessChange>,
    time: Duration,
}

/// SPIN's answer, and what else there is to say.
type Answered = Result<(Decision, String), NotReduced>;

impl<'a> Smaller<'a> {
    fn new(question: &'a SpinQuestion<'a>, reduced: SmallerText, time: Duration) -> Result<Self, Failure> {
        let emitted = reduced.emitted(question.claim());
        let doubts = emitted.as_ref().map(|(model, program)| Doubts::of(model, program)).unwrap_or_default();
        let (emitted, changes) = (emitted.map(|(_, program)| program), reduced.changes());
        Ok(Self { question, reduced, emitted, doubts, changes, time })
    }

    /// The same with quotients in the places of folded processes, where that makes them smaller.
    fn assuming(self, run: &Run) -> Result<Self, Failure> {
        let (began, beside) = (run.elapsed(), run.within(run.limits.clone()));
        let reduced = self.reduced.assuming(self.question.asked.promela, Patience::Usual, &beside)?;
        let more = run.elapsed().saturating_sub(began);
        run.phase("reduce", more);
        Self::new(self.question, reduced, self.time + more)
    }

    /// What became of that.
    fn assumed(result: &Result<Self, Failure>) -> Outcome {
        match result {
            Ok(smaller) if smaller.reduced.is_only_folded() => {
                Outcome::Undecided(Why::Refused("no folded process has states that may be merged".into()))
            }
            Ok(_) => Outcome::Prepared,
            Err(failure) => Outcome::Broken(failure.to_string()),
        }
    }

    /// What became of each process, for people.
    fn said(&self) -> String {
        ProcessChange::table(&self.changes)
    }

    /// Why SPIN is not asked about it, where it is not.
    fn unasked(&self) -> Option<NotReduced> {
        let not = |why| Some(NotReduced { why, after: self.time, tried: true });
        match (&self.emitted, self.doubts.reason()) {
            (Err(failure), _) if self.question.is_about_runs() => not(failure.to_string()),
            (_, Some(why)) if !self.doubts.allow_spin() => not(why),
            _ => None,
        }
    }

    /// What our own search says of it within its share of states, if that is enough.
    fn searched(&self, bounds: Bounds, log: &Log, run: &Run) -> Result<Option<Decision>, Failure> {
        let (Ok(program), Some(states)) = (&self.emitted, bounds.states) else { return Ok(None) };
        log.attempt("otf", came_to, || self.by_own_search(program, &run.within(limited(run, states))))
    }

    fn decision(&self, engine: &str, verdict: Verdict, shown: Option<ProgramWitness>, run: &Run) -> Decision {
        let asked = self.question.asked;
        let mut finding = asked.finding(engine, verdict, run, asked.promela.program.active.len());
        finding.reduction = Some(Reduction { processes: Ok(self.changes.clone()), time: self.time });
        Decision::new(finding, shown)
    }

    /// The run of the user's model that a run of the smaller one stands for, replayed; why there is none, where that is no fault of ours:
    /// a cycle may take longer to come back than anybody waits.
    fn lift(&self, emitted: &Program, witness: &Witness, run: &Run) -> Result<Result<ProgramWitness, String>, Failure> {
        let SpinQuestion { program, sought, .. } = self.question;
        match self.question.is_about_runs() {
            true => Ok(self.reduced.lift_claimed(program, *sought, witness, &run.again())),
            false => self.reduced.lift(emitted, witness).map(Ok),
        }
    }

    /// What our own search says of the smaller program, if it comes to an end.
    fn by_own_search(&self, program: &Program, run: &Run) -> Result<Option<Decision>, Failure> {
        match verify(program, self.question.sought, self.question.asked.engine.otf(), run) {
            Searched::Violated(witness) => {
                let lifted = self.lift(program, &witness, run)?;
                // One that does not come back is no answer; others go on.
                Ok(lifted.ok().map(|shown| self.decision("otf", shown.verdict(), Some(shown), run)))
            }
            Searched::Holds => Ok(Some(self.decision("otf", Verdict::absent(self.question.asked), None, run))),
            _ => Ok(None),
        }
    }

    /// What SPIN says of the smaller text.
    fn by_spin(
        &self,
        c: C,
        compared: Option<Comparison<'_>>,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<Answered, Failure> {
        let not = |why: String| Ok(Err(NotReduced { why, after: self.time, tried: true }));
        let finish = |verdict, shown, said| {
            let mut decision = self.decision("spin", verdict, shown, run);
            decision.finding.doubt = reduced_less(self.question, &self.doubts);
            Ok(Ok((decision, said)))
        };
        let options = self.doubts.bound(self.question.options(c));
        let searched = open(&self.reduced.model(), run).and_then(|mut file| {
            let verified = search(&mut file, self.question.claim(), options, run, observer)?;
            Ok((file, verified))
        });
        let (mut file, verified) = match searched {
            Ok(searched) => searched,
            // SPIN has room for the user's processes, not for those that we wrote.
            Err(Trouble::Rejected(why)) => return not(format!("SPIN does not take the smaller model: {why}")),
            Err(trouble @ Trouble::Next(_)) => return not(trouble.to_string()),
            Err(trouble) => return finish(undecided(trouble)?, None, String::new()),
        };
        let said = compared.map_or_else(String::new, |compared| compared.beside(&verified, self.time, run));
        let Some(found) = &verified.found else {
            return match self.question.unbelieved(&self.doubts) {
                Some(why) => not(format!("SPIN finds nothing wrong with the smaller model, but {why}")),
                None => finish(Verdict::absent(self.question.asked), None, said),
            };
        };
        let emitted = self.emitted.as_ref().map_err(Failure::clone)?;
        // What SPIN says is looked at before our own way back is.
        let replayed = |witness| replay(emitted, &witness).map(|()| witness).map_err(|e| Trouble::Lost(e.to_string()));
        match file.witness(emitted, found).and_then(replayed) {
            Ok(witness) => match self.lift(emitted, &witness, run)? {
                Ok(shown) => finish(shown.verdict(), Some(shown), said),
                Err(why) => not(format!("what SPIN finds on the smaller model does not come back: {why}")),
            },
            Err(Trouble::Lost(why)) => {
                not(format!("SPIN's trail is no run of the smaller model, so it is not believed: {why}"))
            }
            Err(trouble) => finish(undecided(trouble)?, None, said),
        }
    }
}
