//! Which engine or reduction to try first, and why.
//!
//! What can be tried cheaply is tried: every engine of ours that counts states gets a short time on the question. Only where none
//! answers is the advice a guess, from the shape of the network and from what the question names; it says so.

use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::models::Models;
use super::network::check_evidence;
use super::observer::{Observer, Silent};
pub use super::portfolio::rules::Shape;
use super::question::Question;
use super::subject::Inquiry;
use crate::engines::engines;
use prequel_engine::Engine;
use prequel_engine::otf::Otf;
use prequel_evidence::Verdict;
use prequel_model::run::{Effort, Limits, Run};
use prequel_model::{Answer, Problem, Why};
use std::time::Duration;

/// What advice is asked for.
#[derive(Clone, Debug)]
pub struct Advise {
    /// The model.
    pub models: Models,
    /// What is asked of it.
    pub question: Question,
    /// How long each engine is tried.
    pub each: Duration,
    /// What all trials together may use.
    pub limits: Limits,
}

/// What was tried, and what is advised.
#[derive(Clone, Debug)]
pub struct Advised {
    /// What the network behind the question looks like; none where the model cannot be taken apart.
    pub shape: Option<Shape>,
    /// What each engine came to.
    pub trials: Vec<Trial>,
    /// States of all processes, before and after they are replaced by smaller ones, where that was tried.
    pub smaller: Option<[usize; 2]>,
    /// What to try first; nothing where no engine takes the question.
    pub advice: Option<Advice>,
}

/// What an engine came to.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which engine.
    pub engine: &'static str,
    /// What it said.
    pub verdict: Verdict,
    /// What it did for it.
    pub effort: Effort,
}

impl Trial {
    /// Whether the question was answered.
    pub fn decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown(_))
    }

    /// Whether the engine does not take the question.
    pub fn refused(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(Why::Refused(_)))
    }
}

/// What to try first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Advice {
    /// Whom to ask.
    pub first: First,
    /// Why.
    pub why: Vec<String>,
    /// Whether nothing was measured that it rests on, so that it may take long.
    pub guess: bool,
}

/// Whom to ask first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// An engine, the question as it is.
    Engine(&'static str),
    /// SPIN, with smaller processes.
    SpinOnSmaller,
}

/// Tries every engine for a short time, and says which one to take.
pub fn advise(request: &Advise, observer: &dyn Observer) -> Result<Advised, Failure> {
    let Advise { models, question, each, limits } = request;
    let all = Run::new(limits.clone(), 0);
    let start = || {
        let time = limits.time.map_or(*each, |time| time.saturating_sub(all.elapsed()).min(*each));
        Run::new(Limits { time: Some(time), ..limits.clone() }, 0)
    };
    let subject = models.subject(&all, observer)?;
    let reading = &models.reading;
    let shape = match subject.shape(Inquiry { question, reading, run: &start(), observer: &Silent }) {
        Ok(shape) => Some(shape),
        Err(Failure::Input(errors)) => return Err(Failure::Input(errors)),
        // That a model cannot be taken apart is no fault here.
        Err(_) => None,
    };
    // Those that count no states cannot be compared with the others by their largest check.
    let ours = |engine: &dyn Engine| {
        let comparable = if subject.has_labels() { engine.counts_states() } else { engine.symbolic().is_some() };
        engine.external().is_none() && comparable
    };
    let mut trials = Vec::new();
    for engine in engines(Otf::default()).iter().filter(|engine| ours(&***engine)) {
        let (name, run) = (engine.name(), start());
        let asked = Inquiry { question, reading, run: &run, observer: &Silent };
        let verdict = subject.trial(asked, &EngineChoice::called(name))?;
        if let Err(why @ (Why::Interrupted | Why::Time(_))) = all.allowed() {
            return Err(why.into());
        }
        trials.push(Trial { engine: name, verdict, effort: run.effort() });
    }
    let smaller = subject.smaller(question, &start());
    let advice = advice(*each, &trials, shape.as_ref(), smaller);
    Ok(Advised { shape, trials, smaller, advice })
}

/// What an engine says to a question about a network.
pub(super) fn solved(problem: &Problem, engine: &EngineChoice, run: &Run) -> Result<Verdict, Failure> {
    or_refused(engine.choose(problem).and_then(|engine| believed(problem, engine.solve(problem, run))))
}

/// That an engine does not take a question is what it came to.
pub(super) fn or_refused(verdict: Result<Verdict, Failure>) -> Result<Verdict, Failure> {
    match verdict {
        Err(Failure::Refused(why)) => Ok(Verdict::Unknown(Why::Refused(why.to_string()))),
        told => told,
    }
}

/// The verdict of an answer whose witness replays; one that does not is no advice to anybody.
fn believed(problem: &Problem, answer: Answer) -> Result<Verdict, Failure> {
    Ok(check_evidence(problem, &answer)?.0)
}

/// The time below which the choice of an engine does not matter, in seconds.
const AT_ONCE: f64 = 0.1;
/// A compositional engine is worth it where the search of the product takes this many times as long.
const WORTH: f64 = 2.0;

fn advice(each: Duration, trials: &[Trial], shape: Option<&Shape>, smaller: Option<[usize; 2]>) -> Option<Advice> {
    measured(trials).or_else(|| guessed(each, trials, shape, smaller))
}

/// What the trials show.
fn measured(trials: &[Trial]) -> Option<Advice> {
    let advised = |trial: &Trial, why| Some(Advice { first: First::Engine(trial.engine), why, guess: false });
    let seconds = |trial: &Trial| trial.effort.seconds.max(AT_ONCE);
    let decided = || trials.iter().filter(|trial| trial.decided());
    let whole = trials.iter().find(|trial| trial.engine == "otf");

    if let Some(otf) = whole.filter(|otf| otf.decided()) {
        let best = decided().min_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
        let (states, time) = (otf.effort.states_total, otf.effort.seconds);
        if seconds(otf) < WORTH * seconds(best) {
            let why = format!("the search of the whole product answers in {time:.2} s with {states} states");
            return advised(otf, vec![why, "taking the model apart is not worth it for this question".into()]);
        }
        let (own, largest) = (best.effort.seconds, best.effort.states_peak);
        let why = format!(
            "it answers in {own:.2} s, its largest check has {largest} states; the product takes {time:.2} s and {states}"
        );
        return advised(best, vec![why]);
    }
    // Where there is no product to compare with, who is faster is all that is known.
    let time = |trial: &Trial| if whole.is_some() { seconds(trial) } else { trial.effort.seconds };
    let best = decided().min_by(|a, b| time(a).total_cmp(&time(b)))?;
    let (own, largest) = (best.effort.seconds, best.effort.states_peak);
    let why = match whole {
        Some(_) => {
            format!("it answers in {own:.2} s, its largest check has {largest} states; the product needs longer")
        }
        None => format!("it answers first, in {own:.2} s"),
    };
    advised(best, vec![why])
}

/// What the shape suggests where nobody answered.
fn guessed(each: Duration, trials: &[Trial], shape: Option<&Shape>, smaller: Option<[usize; 2]>) -> Option<Advice> {
    let mut why = vec![format!("no engine answers in {:.1} s, so this is a guess", each.as_secs_f64())];
    let whole = trials.iter().find(|trial| trial.engine == "otf");
    if let Some(otf) = whole.filter(|otf| !otf.refused() && otf.effort.states_total > 0) {
        let rate = otf.effort.states_total as f64 / otf.effort.seconds.max(1e-3);
        why.push(format!("the product's search sees {rate:.0} states a second"));
    }
    if let Some([before, after]) = smaller.filter(|[before, after]| after * 2 <= *before) {
        why.push(format!(
            "smaller processes keep what the model states: {before} states of all components, {after} after"
        ));
        return Some(Advice { first: First::SpinOnSmaller, why, guess: true });
    }
    let takes = |name: &str| trials.iter().any(|trial| trial.engine == name && !trial.refused());
    let few = shape.is_some_and(Shape::names_few);
    let several = shape.is_some_and(|shape| shape.components > 2);
    let (engine, reason) = if few && takes("lazy") {
        ("lazy", "the question names few of the components: the others may not matter")
    } else if several && takes("icc") {
        ("icc", "with several components its checks can be far smaller than the product")
    } else {
        let first = trials.iter().find(|trial| !trial.refused())?;
        (first.engine, "there is little to take apart; what is left is a longer search")
    };
    why.push(reason.into());
    Some(Advice { first: First::Engine(engine), why, guess: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{Evidence, Query, Trace};

    fn trial(engine: &'static str, verdict: Verdict, seconds: f64) -> Trial {
        let effort = Effort { seconds, states_total: 1000, states_peak: 10, ..Run::new(Limits::default(), 0).effort() };
        Trial { engine, verdict, effort }
    }

    /// What is advised for these trials, in a network of which so many components are named, and whether it is a guess.
    fn first(trials: &[Trial], named: usize, smaller: Option<[usize; 2]>) -> Option<(First, bool)> {
        let shape = Shape { components: 9, bound: 9.0, named: Some(named), lineup: Vec::new() };
        let advice = advice(Duration::from_secs(1), trials, Some(&shape), smaller)?;
        Some((advice.first, advice.guess))
    }

    fn out_of_time() -> Verdict {
        Verdict::Unknown(Why::Time("1 s".into()))
    }

    #[test]
    fn the_product_is_advised_unless_another_engine_is_clearly_faster() {
        let free = || Verdict::absent(&Query::DeadlockFree);
        let both = |otf, icc| [trial("otf", free(), otf), trial("icc", free(), icc)];
        let (otf, icc) = (Some((First::Engine("otf"), false)), Some((First::Engine("icc"), false)));
        assert_eq!(first(&both(0.05, 0.001), 9, None), otf, "both are done at once");
        assert_eq!(first(&both(0.9, 0.5), 9, None), otf);
        assert_eq!(first(&both(0.9, 0.2), 9, None), icc);
        let only = [trial("otf", out_of_time(), 1.0), trial("icc", free(), 0.9)];
        assert_eq!(first(&only, 9, None), icc);
    }

    /// What is asked of two philosophers, and what an engine might make up.
    #[test]
    fn a_verdict_whose_witness_does_not_replay_is_not_printed() {
        let instance = prequel_families::philo::plain(2, 0);
        let problem = Problem { network: instance.network, query: Query::DeadlockFree };
        let made_up = Answer::False(Evidence::Witness(Trace::default()));
        assert!(matches!(believed(&problem, made_up), Err(Failure::Internal(_))));
        let bare = Answer::False(Evidence::Exhausted);
        assert!(matches!(believed(&problem, bare), Err(Failure::Internal(_))), "a verdict that needs a witness");
        let otf = Otf::default().solve(&problem, &Run::new(Limits::default(), 0));
        assert!(matches!(believed(&problem, otf), Ok(Verdict::False { .. })));
    }

    #[test]
    fn without_an_answer_it_is_a_guess_from_the_shape() {
        let none =
            [trial("otf", out_of_time(), 1.0), trial("icc", out_of_time(), 1.0), trial("lazy", out_of_time(), 1.0)];
        assert_eq!(first(&none, 3, None), Some((First::Engine("lazy"), true)));
        assert_eq!(first(&none, 4, None), Some((First::Engine("icc"), true)));
        assert_eq!(first(&none, 4, Some([100, 50])), Some((First::SpinOnSmaller, true)));
        assert_eq!(first(&none, 4, Some([100, 51])), Some((First::Engine("icc"), true)));
        let refused = Verdict::Unknown(Why::Refused("not for me".into()));
        assert_eq!(first(&[trial("otf", refused, 0.0)], 9, None), None);
    }
}
