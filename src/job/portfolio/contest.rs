//! Several ways to one answer, taking turns: the first that has it wins, and the others are stopped.
//!
//! Each has a thread of its own and one in so many of the places of a [`Relay`]. One that breaks down, or whose evidence is rejected,
//! is named and does not keep the others from going on.

use crate::job::failure::Failure;
use crate::job::observer::Observer;
use prequel_model::Why;
use prequel_model::containment::contained;
use prequel_model::run::Run;
use prequel_model::turn::{Relay, Turn};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// One way to an answer.
pub struct Contestant<T> {
    /// Who: an engine, and how it is asked where that is not as usual.
    pub name: &'static str,
    /// How much work it does at first, and then each time that it is its turn; a unit is a state or transition of a search.
    pub shares: [u64; 2],
    /// Whether it has no end of its own, and is to go on only as long as others do.
    pub endless: bool,
    /// What it does.
    pub work: Work<T>,
}

/// What a contestant does with its run.
pub type Work<T> = Box<dyn FnOnce(&Run) -> Result<Found<T>, Failure> + Send>;

/// What a contestant comes to.
pub enum Found<T> {
    /// An answer with its evidence, which was checked.
    Answer(T),
    /// None.
    Nothing(Why),
    /// What others need: they go on from here.
    Next(Vec<Contestant<T>>),
}

/// What became of a contestant.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    /// Who.
    pub engine: &'static str,
    /// How long it worked, without the turns of others.
    pub seconds: f64,
    /// What it came to.
    pub outcome: Outcome,
}

/// What a contestant came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its answer counts.
    Won,
    /// Others go on with what it made.
    Prepared,
    /// Somebody else had the answer.
    Outrun,
    /// Somebody else had the answer before it had a turn.
    Waiting,
    /// It had none.
    Undecided(Why),
    /// It broke down, or its evidence was rejected.
    Broken(String),
}

impl Outcome {
    /// In one word or sentence.
    pub fn words(&self) -> String {
        match self {
            Outcome::Won => "won".into(),
            Outcome::Prepared => "prepared".into(),
            Outcome::Outrun => "outrun".into(),
            Outcome::Waiting => "not needed".into(),
            Outcome::Undecided(why) => why.to_string(),
            Outcome::Broken(why) => format!("internal error: {why}"),
        }
    }
}

/// What all came to.
pub struct Contest<T> {
    /// The answer, and the run of who has it.
    pub won: Option<(T, Arc<Run>)>,
    /// What became of each, in the order in which they joined.
    pub attempts: Vec<Attempt>,
}

impl<T> Contest<T> {
    /// Why there is no answer: a limit says more than what somebody cannot do, and a defect says most.
    pub fn reason(&self) -> Why {
        let weight = |why: &Why| match why {
            Why::Interrupted => 5,
            Why::Time(_) => 4,
            Why::Memory(_) | Why::States(_) => 3,
            Why::Incomplete(_) | Why::External(_) => 2,
            Why::Refused(_) | Why::Broken(_) => 1,
        };
        let broken = self.attempts.iter().find_map(|attempt| match &attempt.outcome {
            Outcome::Broken(why) => Some(Why::Broken(format!("{}: {why}", attempt.engine))),
            _ => None,
        });
        let undecided = self.attempts.iter().filter_map(|attempt| match &attempt.outcome {
            Outcome::Undecided(why) => Some(why.clone()),
            _ => None,
        });
        // Of two that weigh the same, the first.
        let why = undecided.reduce(|first, why| if weight(&why) > weight(&first) { why } else { first });
        broken.or(why).unwrap_or_else(|| Why::Refused("no engine takes this question".into()))
    }
}

/// How long those who lost may take to stop before nobody waits for them.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often limits are looked at, and it is told how far everybody is.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The stack of a contestant's thread: as much as that of the main thread.
const STACK: usize = 8 << 20;

/// Lets contestants take turns on as many threads as the run has, until one has an answer. Fails where the question itself is wrong.
pub fn contest<T: Send + 'static>(
    contestants: Vec<Contestant<T>>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Contest<T>, Failure> {
    let (tell, told) = channel();
    let mut contest =
        Running { relay: Relay::new(run.limits.threads, run.limits.work), run, tell, lanes: Vec::new(), open: 0 };
    contest.enter(contestants);
    observer.during(run, "auto", || contest.watch(&told))
}

/// A contestant under way.
struct Lane {
    name: &'static str,
    endless: bool,
    turn: Turn,
    run: Arc<Run>,
    outcome: Option<Outcome>,
}

impl Lane {
    /// What became of it; where a limit ended it, which.
    fn attempt(&self, limit: Option<&Why>) -> Attempt {
        let worked = self.turn.worked();
        let outcome = match (&self.outcome, limit) {
            (Some(outcome), _) => outcome.clone(),
            (None, Some(why)) => Outcome::Undecided(why.clone()),
            (None, None) if worked.is_zero() => Outcome::Waiting,
            (None, None) => Outcome::Outrun,
        };
        Attempt { engine: self.name, seconds: worked.as_secs_f64(), outcome }
    }
}

/// What a thread says at its end.
type Told<T> = (usize, Result<Result<Found<T>, Failure>, String>);

struct Running<'a, T> {
    relay: Arc<Relay>,
    run: &'a Run,
    tell: Sender<Told<T>>,
    lanes: Vec<Lane>,
    open: usize,
}

impl<T: Send + 'static> Running<'_, T> {
    /// All join before the first begins: the order of turns is theirs.
    fn enter(&mut self, contestants: Vec<Contestant<T>>) {
        let first = self.lanes.len();
        let mut works = Vec::new();
        for Contestant { name, shares: [first, share], endless, work } in contestants {
            let turn = self.relay.join(first, share);
            let run = Arc::new(self.run.taking_turns(turn.clone()));
            self.lanes.push(Lane { name, endless, turn, run, outcome: None });
            works.push(work);
        }
        for (at, work) in (first..).zip(works) {
            let (turn, run, tell) = (self.lanes[at].turn.clone(), self.lanes[at].run.clone(), self.tell.clone());
            let alone = turn.clone();
            let thread = move || {
                let done = contained(|| turn.start().map_err(Failure::from).and_then(|()| work(&run)));
                // The place is given on only once everybody knows what came of it: its followers come next.
                let _ = tell.send((at, done));
            };
            self.open += 1;
            if let Err(error) = std::thread::Builder::new().stack_size(STACK).spawn(thread) {
                self.open -= 1;
                alone.leave();
                self.lanes[at].outcome =
                    Some(Outcome::Undecided(Why::Memory(format!("what a thread needs ({error})"))));
            }
        }
    }

    /// Waits for an answer, or until nobody goes on or may go on.
    fn watch(&mut self, told: &Receiver<Told<T>>) -> Result<Contest<T>, Failure> {
        let (mut won, mut limit) = (None, None);
        while self.comes_to_an_end() && won.is_none() {
            let (at, done) = match told.recv_timeout(LOOK_EVERY) {
                Ok(told) => told,
                Err(RecvTimeoutError::Timeout) => {
                    self.run.tell(self.progress());
                    // Memory is for those to look at who take it.
                    match self.run.within_limits() {
                        Err(why @ (Why::Time(_) | Why::Interrupted)) => {
                            limit = Some(why);
                            break;
                        }
                        _ => continue,
                    }
                }
                Err(RecvTimeoutError::Disconnected) => unreachable!("a sender is kept here"),
            };
            self.open -= 1;
            let outcome = match done {
                Ok(Ok(Found::Answer(answer))) => {
                    self.relay.end();
                    won = Some((answer, self.lanes[at].run.clone()));
                    Outcome::Won
                }
                Ok(Ok(Found::Nothing(why))) => Outcome::Undecided(why),
                Ok(Ok(Found::Next(next))) => {
                    self.enter(next);
                    Outcome::Prepared
                }
                // Everybody would say the same.
                Ok(Err(failure @ Failure::Input(_))) => {
                    self.relay.end();
                    return Err(failure);
                }
                Ok(Err(failure)) => lost(failure),
                Err(panic) => Outcome::Broken(panic),
            };
            self.lanes[at].outcome = Some(outcome);
            self.lanes[at].turn.leave();
        }
        self.relay.end();
        self.wait_for_losers(told);
        if won.is_none() && limit.is_none() {
            let why = Why::Incomplete("it was stopped when all others had come to their end".into());
            let left = self.lanes.iter_mut().filter(|lane| lane.outcome.is_none());
            left.for_each(|lane| lane.outcome = Some(Outcome::Undecided(why.clone())));
        }
        if won.is_none() {
            self.lanes.iter().for_each(|lane| self.run.add(&lane.run.effort()));
        }
        let attempts = self.lanes.iter().map(|lane| lane.attempt(limit.as_ref()));
        Ok(Contest { won, attempts: attempts.collect() })
    }

    /// Whether somebody is under way who will have an answer, or none, some time.
    fn comes_to_an_end(&self) -> bool {
        self.lanes.iter().any(|lane| lane.outcome.is_none() && !lane.endless)
    }

    /// Those who lost free their memory before the answer is worked on, unless that takes long.
    fn wait_for_losers(&mut self, told: &Receiver<Told<T>>) {
        let until = Instant::now() + PATIENCE;
        while self.open > 0 {
            match told.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(_) => self.open -= 1,
                Err(_) => break,
            }
        }
    }

    /// Who has done what so far.
    fn progress(&self) -> String {
        let under_way = self.lanes.iter().filter(|lane| lane.outcome.is_none());
        let each = under_way.map(|lane| match lane.run.states() {
            0 => format!("{} {:.0} s", lane.name, lane.turn.worked().as_secs_f64()),
            states => format!("{} {:.0} s ({states} states)", lane.name, lane.turn.worked().as_secs_f64()),
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

/// A contestant that cannot go on is not the end of the others.
fn lost(failure: Failure) -> Outcome {
    match failure {
        Failure::Undecided(_, Why::Broken(why)) | Failure::Internal(why) => Outcome::Broken(why),
        Failure::Undecided(_, why) => Outcome::Undecided(why),
        Failure::Refused(why) => Outcome::Undecided(Why::Refused(why.to_string())),
        Failure::Unsuitable(found) => {
            let why = found.first().map_or_else(String::new, |found| found.headline());
            Outcome::Undecided(Why::Refused(format!("the program cannot be split into components ({why})")))
        }
        Failure::Input(_) => unreachable!("it ends the contest"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::observer::Silent;
    use prequel_model::run::Limits;

    fn contestant(
        name: &'static str,
        work: impl FnOnce(&Run) -> Result<Found<u32>, Failure> + Send + 'static,
    ) -> Contestant<u32> {
        Contestant { name, shares: [2, 2], endless: false, work: Box::new(work) }
    }

    /// Looks at its limits so many times, and has an answer then.
    fn steps(name: &'static str, looks: usize, answer: u32) -> Contestant<u32> {
        contestant(name, move |run| {
            (0..looks).try_for_each(|_| run.check().explored(1, 0))?;
            Ok(Found::Answer(answer))
        })
    }

    fn held(contestants: Vec<Contestant<u32>>, threads: usize) -> Contest<u32> {
        let run = Run::new(Limits { threads, ..Limits::default() }, 0);
        contest(contestants, &run, &Silent).unwrap_or_else(|why| panic!("{why}"))
    }

    fn outcomes(contest: &Contest<u32>) -> Vec<(&'static str, Outcome)> {
        contest.attempts.iter().map(|attempt| (attempt.engine, attempt.outcome.clone())).collect()
    }

    #[test]
    fn the_first_answer_counts_and_the_others_stop() {
        for _ in 0..20 {
            let contest = held(vec![steps("long", 1_000, 1), steps("short", 9, 2), steps("late", 20, 3)], 1);
            assert_eq!(contest.won.as_ref().map(|(answer, _)| *answer), Some(2));
            let expected = [("long", Outcome::Outrun), ("short", Outcome::Won), ("late", Outcome::Outrun)];
            assert_eq!(outcomes(&contest), expected);
        }
    }

    #[test]
    fn who_breaks_down_is_named_and_the_others_go_on() {
        let panics = contestant("panics", |_| panic!("out of bounds"));
        let rejected = contestant("rejected", |_| Err(Failure::Internal("the witness shows nothing".into())));
        let contest = held(vec![panics, rejected, steps("sound", 5, 7)], 1);
        assert_eq!(contest.won.as_ref().map(|(answer, _)| *answer), Some(7));
        let broken = |why: &str| Outcome::Broken(why.into());
        let expected = [broken("out of bounds"), broken("the witness shows nothing"), Outcome::Won];
        assert_eq!(contest.attempts.iter().map(|attempt| attempt.outcome.clone()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_defect_is_the_reason_where_nobody_answers() {
        let undecided = contestant("limited", |_| Ok(Found::Nothing(Why::States(3))));
        let contest = held(vec![undecided, contestant("panics", |_| panic!("out of bounds"))], 2);
        assert!(contest.won.is_none());
        assert_eq!(contest.reason(), Why::Broken("panics: out of bounds".into()));
    }

    #[test]
    fn who_has_no_end_goes_on_as_long_as_others_do() {
        let endless = || {
            let walks = contestant("endless", |run| {
                loop {
                    run.check().explored(1, 0)?;
                }
            });
            Contestant { endless: true, ..walks }
        };
        let contest = held(vec![endless(), steps("late", 40, 3)], 1);
        assert_eq!(contest.won.as_ref().map(|(answer, _)| *answer), Some(3));
        let contest = held(vec![endless(), contestant("gives up", |_| Ok(Found::Nothing(Why::States(3))))], 1);
        assert!(contest.won.is_none());
        assert_eq!(contest.reason(), Why::States(3));
    }

    #[test]
    fn what_one_prepares_others_go_on_with() {
        let prepares = contestant("prepares", |_| Ok(Found::Next(vec![steps("follows", 3, 4)])));
        let contest = held(vec![prepares, steps("long", 100, 1)], 1);
        assert_eq!(contest.won.as_ref().map(|(answer, _)| *answer), Some(4));
        let expected = [("prepares", Outcome::Prepared), ("long", Outcome::Outrun), ("follows", Outcome::Won)];
        assert_eq!(outcomes(&contest), expected);
    }

    #[test]
    fn a_question_that_is_wrong_is_wrong_for_all() {
        let wrong = contestant("wrong", |_| Err(Failure::input("--reach", "no such place", "look again")));
        let run = Run::new(Limits::default(), 0);
        let ended = contest(vec![wrong, steps("long", 1_000_000, 1)], &run, &Silent);
        assert!(matches!(ended, Err(Failure::Input(_))));
    }
}
