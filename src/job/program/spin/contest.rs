//! SPIN on the user's text and, before it or beside it, all that may be faster: our own search, smaller processes, SPIN on those.
//!
//! On two threads SPIN has one to itself from the beginning, so the answer never comes much later than SPIN's own. The other one
//! tries in turn what is cheap first. On one thread the same is done with less of it before SPIN is asked; how much is counted
//! and not timed, so that the same happens every time. Everybody is right, so the verdict does not depend on who answers; the
//! witness does.

use super::alone::{as_it_is, spins_answer};
use super::own::own_search;
use super::smaller::{Bounds, OnSmaller, limited, on_smaller};
use super::{NotReduced, SpinQuestion, open};
use crate::job::decision::Decision;
use crate::job::engine_choice::{EngineChoice, TURN};
use crate::job::failure::Failure;
use crate::job::observer::{Observer, Silent};
use crate::job::portfolio::{Attempt, Outcome};
use crate::job::program::{ProgramQuestion, contest};
use crate::job::spin::BeforeSpin;
use prequel_engine::otf::{Otf, Search};
use prequel_evidence::Verdict;
use prequel_model::Why;
use prequel_model::containment::contained;
use prequel_model::run::{Limits, Run};
use prequel_model::watch::machine_bytes;
use prequel_spin::file::Trouble;
use prequel_spin::tools::C;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much is tried besides SPIN on the user's text.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// States, breadth first.
    breadth: u64,
    /// States, depth first: some errors are deep.
    depth: u64,
    /// What is done about smaller processes.
    smaller: Bounds,
}

/// Before SPIN, where all engines had their turns before.
const BEFORE: Share =
    Share { breadth: 0, depth: 0, smaller: Bounds { effort: Some(50_000), quick: true, states: Some(50_000) } };

/// Work of all engines together before SPIN: some tenths of a second.
const BEFORE_WORK: u64 = 800_000;

/// Work of one of their turns: each has one at least.
const BEFORE_TURN: &str = "80000";

/// Beside SPIN, where all engines had their turns before.
const BESIDE: Share =
    Share { breadth: 0, depth: 0, smaller: Bounds { effort: None, quick: false, states: Some(500_000) } };

/// How long all engines have their turns before processes are made smaller: about what the C compiler takes.
const SOON: Duration = Duration::from_millis(1500);

/// One in so many parts of memory is for what runs beside SPIN.
const PART: u64 = 4;

/// One in so many parts of the time is for giving back what was held beside SPIN.
const GIVING_BACK: u32 = 20;

/// How long our own answer waits for the preprocessor's word on embedded C, should that never come.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the race looks whether anybody still waits for it.
const LOOK: Duration = Duration::from_millis(20);

/// Who tried, how long, and what came of it.
#[derive(Debug, Default)]
pub struct Log(Mutex<Vec<Entry>>);

/// Somebody who began at this time.
#[derive(Debug)]
struct Entry {
    engine: &'static str,
    began: Instant,
    /// How long it took and what came of it, once it is over.
    ended: Option<(Duration, Outcome)>,
}

impl Log {
    /// Does the work and notes what came of it.
    pub fn attempt<T>(&self, engine: &'static str, came_to: impl FnOnce(&T) -> Outcome, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let at = {
            let mut entries = self.entries();
            entries.push(Entry { engine, began, ended: None });
            entries.len() - 1
        };
        let done = work();
        self.entries()[at].ended = Some((began.elapsed(), came_to(&done)));
        done
    }

    /// Notes what became of those who took turns, perhaps until they had done a certain amount of work.
    fn add(&self, attempts: &[Attempt], work: Option<u64>) {
        let entry = |attempt: &Attempt| {
            let time = Duration::from_secs_f64(attempt.seconds);
            let began = Instant::now().checked_sub(time).unwrap_or_else(Instant::now);
            let outcome = match (&attempt.outcome, work) {
                (Outcome::Undecided(Why::Interrupted), Some(_)) => {
                    Outcome::Undecided(Why::External("SPIN is asked before it goes on".into()))
                }
                (outcome, _) => outcome.clone(),
            };
            Entry { engine: attempt.engine, began, ended: Some((time, outcome)) }
        };
        self.entries().extend(attempts.iter().map(entry));
    }

    /// Who is under way, for the progress line.
    fn progress(&self, spin: &Run) -> String {
        let entries = self.entries();
        let under_way = entries.iter().filter(|entry| entry.ended.is_none());
        let each = under_way.map(|entry| match (entry.engine, spin.states()) {
            ("spin", states @ 1..) => format!("spin {} s ({states} states)", entry.began.elapsed().as_secs()),
            (engine, _) => format!("{engine} {} s", entry.began.elapsed().as_secs()),
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// What became of each, whose answer counts first.
    fn attempts(&self, decision: &Decision) -> Vec<Attempt> {
        let mut entries = std::mem::take(&mut *self.entries());
        // An engine may be listed with how it is asked.
        let answered = |entry: &Entry| entry.engine.split(' ').next() == Some(&decision.finding.engine);
        let winner = |entry: &Entry| answered(entry) && matches!(entry.ended, Some((_, Outcome::Won)));
        if let Some(at) = entries.iter().position(winner) {
            let won = entries.remove(at);
            entries.insert(0, won);
        }
        let attempt = |(at, Entry { engine, began, ended }): (usize, Entry)| {
            let (time, outcome) = ended.unwrap_or_else(|| (began.elapsed(), Outcome::Outrun));
            let outrun = match &outcome {
                Outcome::Won => at > 0,
                Outcome::Undecided(Why::Interrupted) => is_decided(decision),
                _ => false,
            };
            Attempt { engine, seconds: time.as_secs_f64(), outcome: if outrun { Outcome::Outrun } else { outcome } }
        };
        entries.into_iter().enumerate().map(attempt).collect()
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an answer is to the others.
pub fn came_to(answer: &Result<Option<Decision>, Failure>) -> Outcome {
    match answer {
        Ok(Some(decision)) => of(decision),
        Ok(None) => Outcome::Undecided(Why::Incomplete("the search did not come to its end".into())),
        Err(failure) => Outcome::Broken(failure.to_string()),
    }
}

/// The same for what is said of smaller processes.
pub fn of_smaller(answer: &Result<Result<(Decision, String), NotReduced>, Failure>) -> Outcome {
    match answer {
        Ok(Ok((decision, _))) => of(decision),
        Ok(Err(not)) => Outcome::Undecided(Why::External(not.why.clone())),
        Err(failure) => Outcome::Broken(failure.to_string()),
    }
}

fn of(decision: &Decision) -> Outcome {
    decision.finding.verdict.reason().map_or(Outcome::Won, |why| Outcome::Undecided(why.clone()))
}

fn is_decided(decision: &Decision) -> bool {
    decision.finding.verdict.reason().is_none()
}

/// One thread: a small share for all that may be faster, then SPIN on the user's text.
pub fn in_turn(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let log = Log::default();
    let ours = contained(|| before_spin(question, before, &log, run, observer));
    let ours =
        ours.unwrap_or_else(|broken| Err(Failure::Internal(format!("what comes before SPIN broke down: {broken}"))));
    let failure = ours.as_ref().err().map(ToString::to_string);
    let ours = ours.unwrap_or_else(|_| Err(NotReduced::untried("it failed")));
    let mut decision = match ours {
        Ok(Answer { decision, said }) => {
            refuse_embedded(question, run)?;
            said.iter().for_each(|said| observer.say(said));
            decision
        }
        Err(not) => {
            let came_to = |answer: &Result<Decision, Failure>| match answer {
                Ok(decision) => of(decision),
                Err(failure) => Outcome::Broken(failure.to_string()),
            };
            let work = || as_it_is(question, open(&question.source.text, run), C::Optimised, run, observer);
            let mut decision = log.attempt("spin", came_to, work)?;
            not.note(&mut decision, observer);
            decision
        }
    };
    match failure {
        Some(why) if !is_decided(&decision) => return Err(Failure::Internal(why)),
        why => why.iter().for_each(|why| failed(why, observer)),
    }
    decision.finding.portfolio = log.attempts(&decision);
    advise(&decision, observer);
    Ok(decision)
}

/// What is tried before SPIN: all engines in turns, then smaller processes; each as much as is counted, and no more.
fn before_spin(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    log: &Log,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Result<Answer, NotReduced>, Failure> {
    let short = run.within(Limits { work: Some(BEFORE_WORK), ..run.limits.clone() });
    let untried = NotReduced::untried("our own engines were done before");
    let turn = vec![(TURN.to_owned(), BEFORE_TURN.to_owned())];
    match in_turns(question, untried, turn, log, &short)? {
        Some(answer) => Ok(Ok(answer)),
        None => ours(question, before, BEFORE, log, run, observer),
    }
}

/// Refuses a model in which the preprocessor finds C that SPIN would compile and run, as where SPIN is asked. Should it never tell,
/// nobody is asked to run any.
fn refuse_embedded(question: &SpinQuestion<'_>, run: &Run) -> Result<(), Failure> {
    let mut soon = run.within(run.limits.clone());
    soon.limits.time = Some(run.elapsed() + PATIENCE);
    match open(&question.source.text, &soon) {
        Err(Trouble::Embedded(found)) => Err(Failure::Input(vec![*found])),
        _ => Ok(()),
    }
}

/// Says that somebody failed who was not needed.
fn failed(why: &str, observer: &dyn Observer) {
    observer.note(&format!("this must not happen, please report it: {}; others answer", why.trim_end()));
}

/// What to try where nobody knows.
fn advise(decision: &Decision, observer: &dyn Observer) {
    if is_decided(decision) {
        return;
    }
    observer.note(
        "to try next: more --time or --memory; `prequel check` with --engine icc, minimise or lazy for what the processes \
         do together; `prequel advise` for what fits the model",
    );
}

/// An answer, and what became of the processes where it is about smaller ones.
struct Answer {
    decision: Decision,
    said: Option<String>,
}

/// What may be faster than SPIN on the user's text: our own search for a while, then smaller processes.
fn ours(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    share: Share,
    log: &Log,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Result<Answer, NotReduced>, Failure> {
    let searches = [(Search::Breadth, share.breadth), (Search::Depth, share.depth)];
    for (order, states) in searches.into_iter().filter(|(_, states)| *states > 0) {
        let beside = run.within(limited(run, states));
        let how = Otf { search: order, ..question.asked.engine.otf() };
        let work = || own_search(question, how, &beside, observer).map(Some);
        if let Some(mut decision) = log.attempt("otf", came_to, work)?.filter(is_decided) {
            NotReduced::untried("our own search was done before").note(&mut decision, observer);
            return Ok(Ok(Answer { decision, said: None }));
        }
        if run.allowed().is_err() {
            return Ok(Err(NotReduced::untried("somebody else was done before")));
        }
    }
    let smaller = on_smaller(question, before, share.smaller, log, run, observer)?;
    Ok(match smaller {
        Ok(OnSmaller { decision, said }) if is_decided(&decision) => Ok(Answer { decision, said: Some(said) }),
        Ok(OnSmaller { decision, .. }) => Err(NotReduced { tried: false, ..undecided_on_smaller(&decision) }),
        // What was stopped has no reason of its own.
        Err(_) if run.allowed().is_err() => Err(NotReduced::untried("somebody else was done before")),
        Err(not) => Err(not),
    })
}

fn undecided_on_smaller(decision: &Decision) -> NotReduced {
    let why = format!("the smaller model is {}", decision.finding.summary());
    let after = decision.finding.reduction.as_ref().map_or(Duration::ZERO, |reduction| reduction.time);
    NotReduced { why, after, tried: true }
}

/// What the two sides of a race tell.
enum Told {
    /// There is no embedded C, or nobody will tell.
    Opened,
    /// SPIN's answer on the user's text.
    Spin(Ended<Decision>),
    /// What was done beside it.
    Ours(Ended<Result<Answer, NotReduced>>),
}

/// An answer; why there is none; or how it broke down.
type Ended<T> = Result<Result<T, Failure>, String>;

/// SPIN on the user's text, and beside it all that may be faster: the first answer counts, and everybody else is stopped.
pub fn race(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let log = &Log::default();
    let [spin, beside] = &runs(run);
    let (tell, told) = mpsc::channel();
    let mut decision = std::thread::scope(|scope| {
        let first = tell.clone();
        scope.spawn(move || {
            let outcome = contained(|| spins_lane(question, &first, log, spin));
            drop(first.send(Told::Spin(outcome)));
        });
        scope.spawn(move || {
            let outcome = contained(|| beside_spin(question, before, log, beside));
            drop(tell.send(Told::Ours(outcome)));
        });
        let told = || {
            run.tell(log.progress(spin));
            told.recv_timeout(LOOK)
        };
        let decided = observer.during(run, "spin", || Referee::new(observer).decide(&told, run));
        spin.stop();
        beside.stop();
        decided
    })?;
    decision.finding.portfolio = log.attempts(&decision);
    advise(&decision, observer);
    Ok(decision)
}

/// SPIN's run, and the one beside it: they share memory, and the latter ends somewhat before the time is over, since what it holds
/// has to be given back.
fn runs(run: &Run) -> [Run; 2] {
    let Limits { time, memory, .. } = run.limits;
    let given_back = |time: Duration| time - time.saturating_sub(run.elapsed()) / GIVING_BACK;
    // Where nothing is said SPIN may have what the machine has left.
    let ours = memory.or_else(machine_bytes).map(|memory| memory / PART);
    let spins = memory.map(|memory| memory - memory / PART);
    [(time, spins), (time.map(given_back), ours)].map(|(time, memory)| {
        let mut beside = run.again();
        beside.limits = Limits { time, memory, threads: 1, ..run.limits.clone() };
        beside
    })
}

fn spins_lane(question: &SpinQuestion<'_>, tell: &Sender<Told>, log: &Log, run: &Run) -> Result<Decision, Failure> {
    let work = || {
        let file = open(&question.source.text, run);
        if !matches!(file, Err(Trouble::Embedded(_))) {
            drop(tell.send(Told::Opened));
        }
        match spins_answer(question, file, C::Optimised, run, &Silent)? {
            Ok(decision) => Ok(Some(decision)),
            // Our own search is on its way already.
            Err(why) => {
                let why = Why::External(format!("SPIN finds nothing, but it is not believed: {why}"));
                let components = question.asked.promela.program.active.len();
                Ok(Some(Decision::bare(question.asked.finding("spin", Verdict::Unknown(why), run, components))))
            }
        }
    };
    let answer = log.attempt("spin", came_to, work)?;
    answer.ok_or_else(|| Failure::Internal("SPIN's side of the race came to no end".into()))
}

/// What runs beside SPIN: all engines in turns for a while, then smaller processes, then all engines for as long as it takes.
fn beside_spin(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    log: &Log,
    run: &Run,
) -> Result<Result<Answer, NotReduced>, Failure> {
    let mut soon = run.within(run.limits.clone());
    soon.limits.time = Some(run.limits.time.unwrap_or(Duration::MAX).min(run.elapsed() + SOON));
    let untried = || NotReduced::untried("our own engines were done before");
    if let Some(answer) = in_turns(question, untried(), Vec::new(), log, &soon)? {
        return Ok(Ok(answer));
    }
    let not = match ours(question, before, BESIDE, log, run, &Silent)? {
        Ok(answer) => return Ok(Ok(answer)),
        Err(not) => not,
    };
    if run.allowed().is_err() {
        return Ok(Err(not));
    }
    let answer = in_turns(question, NotReduced { tried: false, ..not.clone() }, Vec::new(), log, run)?;
    Ok(answer.ok_or(not))
}

/// What all of our engines say, in turns as these options of `auto` make them.
fn in_turns(
    question: &SpinQuestion<'_>,
    not: NotReduced,
    options: Vec<(String, String)>,
    log: &Log,
    run: &Run,
) -> Result<Option<Answer>, Failure> {
    let engine = &EngineChoice { name: "auto".into(), options, ..question.asked.engine.clone() };
    let asked = ProgramQuestion { engine, before: None, ..question.asked.clone() };
    let mut decision = contest::answer(&asked, run, &Silent)?;
    log.add(&decision.finding.portfolio, run.limits.work);
    if !is_decided(&decision) {
        return Ok(None);
    }
    decision.finding.doubt = question.own_doubt();
    not.note(&mut decision, &Silent);
    Ok(Some(Answer { decision, said: None }))
}

/// Waits for the first answer.
struct Referee<'a> {
    observer: &'a dyn Observer,
    /// Whether the preprocessor has found no embedded C.
    opened: bool,
    /// Our answer while that is not known, and until when it waits.
    held: Option<(Answer, Instant)>,
    /// Why nobody answered about smaller processes.
    not: NotReduced,
    undecided: Option<Decision>,
    failures: Vec<String>,
}

impl<'a> Referee<'a> {
    fn new(observer: &'a dyn Observer) -> Self {
        let not = NotReduced::untried("SPIN was done with the model as it is before");
        Self { observer, opened: false, held: None, not, undecided: None, failures: Vec::new() }
    }

    fn decide(mut self, told: &dyn Fn() -> Result<Told, RecvTimeoutError>, run: &Run) -> Result<Decision, Failure> {
        loop {
            match told() {
                Ok(Told::Opened) => self.opened = true,
                Ok(Told::Spin(outcome)) => {
                    self.opened = true;
                    match outcome {
                        Ok(Ok(decision)) if is_decided(&decision) => return Ok(self.spin_answers(decision)),
                        Ok(Ok(decision)) => self.undecided = Some(decision),
                        // There is C in it that would be run.
                        Ok(Err(failure @ Failure::Input(_))) => return Err(failure),
                        Ok(Err(failure)) => self.failures.push(format!("spin: {failure}")),
                        Err(broken) => self.failures.push(format!("spin broke down: {broken}")),
                    }
                }
                Ok(Told::Ours(Ok(Ok(Ok(answer))))) => self.held = Some((answer, Instant::now() + PATIENCE)),
                Ok(Told::Ours(Ok(Ok(Err(not))))) => self.not = not,
                Ok(Told::Ours(Ok(Err(failure)))) => self.failures.push(failure.to_string()),
                Ok(Told::Ours(Err(broken))) => self.failures.push(format!("what ran beside SPIN broke down: {broken}")),
                Err(RecvTimeoutError::Timeout) if run.stopped().load(std::sync::atomic::Ordering::Relaxed) => {
                    return self.nobody();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if let Some((Answer { decision, said }, _)) =
                self.held.take_if(|(_, until)| self.opened || Instant::now() >= *until)
            {
                said.iter().for_each(|said| self.observer.say(said));
                self.name_failures();
                return Ok(decision);
            }
        }
        self.nobody()
    }

    fn spin_answers(self, mut decision: Decision) -> Decision {
        self.name_failures();
        self.not.note(&mut decision, self.observer);
        decision
    }

    fn name_failures(&self) {
        self.failures.iter().for_each(|why| failed(why, self.observer));
    }

    /// Nobody knows. Where somebody failed, that may be why.
    fn nobody(self) -> Result<Decision, Failure> {
        match (self.failures.first(), self.undecided) {
            (Some(_), _) => Err(Failure::Internal(self.failures.join("; "))),
            (None, Some(mut decision)) => {
                self.not.note(&mut decision, self.observer);
                Ok(decision)
            }
            (None, None) => Err(Why::Interrupted.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::finding::Finding;
    use prequel_program::Sought;

    fn decision(engine: &str, verdict: Verdict) -> Decision {
        let effort = Run::new(Limits::default(), 0).effort();
        Decision::bare(Finding::new(engine, verdict, "it holds".into(), effort, 1))
    }

    fn answer(engine: &str) -> Told {
        Told::Ours(Ok(Ok(Ok(Answer { decision: decision(engine, holds()), said: None }))))
    }

    fn holds() -> Verdict {
        Verdict::absent(&Sought::Violation)
    }

    fn decided(told: Vec<Told>) -> Result<(String, Verdict), String> {
        let (tell, all) = mpsc::channel();
        told.into_iter().for_each(|told| tell.send(told).expect("somebody listens"));
        drop(tell);
        let decided = Referee::new(&Silent).decide(&|| all.recv_timeout(LOOK), &Run::new(Limits::default(), 0));
        decided.map(|d| (d.finding.engine, d.finding.verdict)).map_err(|failure| failure.to_string())
    }

    fn unknown() -> Verdict {
        Verdict::Unknown(Why::Incomplete("the search depth was too small".into()))
    }

    #[test]
    fn the_first_answer_counts() {
        let spin = || Told::Spin(Ok(Ok(decision("spin", holds()))));
        assert_eq!(decided(vec![Told::Opened, answer("otf"), spin()]), Ok(("otf".into(), holds())));
        assert_eq!(decided(vec![Told::Opened, spin(), answer("otf")]), Ok(("spin".into(), holds())));
        let undecided = Told::Spin(Ok(Ok(decision("spin", unknown()))));
        assert_eq!(decided(vec![Told::Opened, undecided, answer("otf")]), Ok(("otf".into(), holds())));
    }

    #[test]
    fn embedded_c_is_refused_whoever_has_an_answer() {
        let refused = || Told::Spin(Ok(Err(Failure::input("m.pml", "`c_code` is embedded C", "state it in Promela"))));
        assert!(decided(vec![answer("otf"), refused()]).is_err_and(|why| why.contains("embedded C")));
    }

    #[test]
    fn a_breakdown_matters_only_where_nobody_else_answers() {
        let broken = || Told::Spin(Err("spin.rs:7: index out of bounds".into()));
        let not = || Told::Ours(Ok(Ok(Err(NotReduced::untried("nothing may be merged")))));
        assert_eq!(decided(vec![broken(), answer("otf")]), Ok(("otf".into(), holds())));
        assert!(decided(vec![broken(), not()]).is_err_and(|why| why.contains("internal error: spin broke down")));
        let ours = || Told::Ours(Err("own.rs:3: no".into()));
        let spin = Told::Spin(Ok(Ok(decision("spin", holds()))));
        assert_eq!(decided(vec![ours(), spin]), Ok(("spin".into(), holds())));
        let undecided = Told::Spin(Ok(Ok(decision("spin", unknown()))));
        assert!(decided(vec![ours(), undecided]).is_err_and(|why| why.contains("broke down: own.rs:3")));
    }

    #[test]
    fn nobody_knows_for_the_reason_that_spin_gives() {
        let undecided = Told::Spin(Ok(Ok(decision("spin", unknown()))));
        let not = Told::Ours(Ok(Ok(Err(NotReduced::untried("nothing may be merged")))));
        assert_eq!(decided(vec![undecided, not]), Ok(("spin".into(), unknown())));
    }

    #[test]
    fn an_answer_of_ours_waits_for_the_preprocessor_but_not_for_ever() {
        let (tell, all) = mpsc::channel();
        tell.send(answer("otf")).expect("somebody listens");
        let started = Instant::now();
        let decided = Referee::new(&Silent)
            .decide(&|| all.recv_timeout(LOOK), &Run::new(Limits::default(), 0))
            .expect("an answer");
        assert_eq!(decided.finding.engine, "otf");
        assert!(started.elapsed() >= PATIENCE);
    }
}
