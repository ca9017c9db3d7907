//! `walk`: random walks through the markings of a net, with restarts and without storage.
//!
//! What is looked for may be deep, where a search by levels never comes, and in no particular direction, where a search deep first
//! goes astray. Walks take turns in how they choose: any transition, one that was fired least, one that comes nearest to the
//! condition. What is found is made shorter before it is shown.

use super::marking::TokenGame;
use super::shorten::shorten;
use crate::otf::net::Outcome;
use prequel_model::rng::Rng;
use prequel_model::run::Run;
use prequel_model::{Net, NetQuery, TransitionId, Why};

/// Steps of the shortest walks; others are longer by powers of two, each half as often as the one before.
const SHORTEST: u64 = 1 << 8;
/// The longest are so many powers of two longer.
const LONGEST: u32 = 12;
/// Transitions of which the best is fired.
const CHOICE: usize = 8;
/// In so many of 100 steps whoever chooses the best takes any.
const ASTRAY: usize = 10;
/// Steps between two looks at the limits, for nets whose transitions have few arcs.
const BETWEEN: u64 = 1 << 10;

/// How a walk chooses what to fire.
#[derive(Clone, Copy, Debug)]
enum Choice<'a> {
    /// Any that can fire.
    Any,
    /// Of a few the one that was fired least in this walk.
    Rare,
    /// Of a few the one that leads nearest to the condition.
    Near,
    /// Those that have not been fired so many times yet.
    Counted(&'a [u64]),
}

/// Walks until the condition holds somewhere or a limit is reached; a step counts as a state.
pub fn walk(net: &Net, query: &NetQuery, run: &Run) -> Outcome {
    walks(net, query, &[Choice::Any, Choice::Near, Choice::Rare], run)
}

/// Walks that fire each transition at most as often as `counts` says, so that one that uses all of them ends where they lead.
pub fn walk_along(net: &Net, query: &NetQuery, counts: &[u64], run: &Run) -> Outcome {
    walks(net, query, &[Choice::Counted(counts)], run)
}

fn walks(net: &Net, query: &NetQuery, choices: &[Choice<'_>], run: &Run) -> Outcome {
    let mut walker = Walker::new(net, query, run.seed);
    if walker.game.distance(query.condition()) == 0 {
        return Outcome::Found(Vec::new());
    }
    if matches!(query, NetQuery::Initially(_)) {
        return Outcome::Absent;
    }
    let check = run.check();
    for number in 0u64.. {
        let mut left = SHORTEST << (number + 1).trailing_zeros().min(LONGEST);
        walker.restart();
        let choice = choices[number as usize % choices.len()];
        while left > 0 && !walker.is_stuck {
            let steps = left.min(BETWEEN);
            left -= steps;
            let taken = walker.steps(choice, steps);
            if walker.has_arrived {
                let _ = check.explored(taken, taken);
                return Outcome::Found(shorten(net, query, walker.path));
            }
            if let Err(why) = check.explored(taken.max(1), taken) {
                return Outcome::Unknown(why);
            }
        }
    }
    Outcome::Unknown(Why::Interrupted)
}

/// One walk after the other.
struct Walker<'a> {
    game: TokenGame<'a>,
    query: &'a NetQuery,
    rng: Rng,
    path: Vec<TransitionId>,
    /// How often each transition was fired in this walk.
    fired: Vec<u64>,
    is_stuck: bool,
    has_arrived: bool,
}

impl<'a> Walker<'a> {
    fn new(net: &'a Net, query: &'a NetQuery, seed: u64) -> Self {
        let fired = vec![0; net.transitions().len()];
        let (game, rng) = (TokenGame::new(net), Rng::new(seed));
        Self { game, query, rng, path: Vec::new(), fired, is_stuck: false, has_arrived: false }
    }

    fn restart(&mut self) {
        self.game.restart();
        self.path.clear();
        self.fired.fill(0);
        self.is_stuck = false;
    }

    /// Goes on for so many steps at most; tells how many.
    fn steps(&mut self, choice: Choice<'_>, most: u64) -> u64 {
        for step in 0..most {
            let chosen = self.choose(choice).filter(|&t| self.game.fire(t));
            let Some(t) = chosen else {
                self.is_stuck = true;
                return step;
            };
            self.path.push(t);
            self.fired[t.at()] += 1;
            if self.game.distance(self.query.condition()) == 0 {
                self.has_arrived = true;
                return step + 1;
            }
        }
        most
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<TransitionId> {
        let enabled = self.game.enabled();
        if enabled.is_empty() {
            return None;
        }
        let any = *self.rng.pick(enabled);
        if enabled.len() == 1 && !matches!(choice, Choice::Counted(_)) {
            return Some(any);
        }
        match choice {
            Choice::Any => Some(any),
            _ if !matches!(choice, Choice::Counted(_)) && self.rng.chance(ASTRAY) => Some(any),
            Choice::Rare => self.few().into_iter().min_by_key(|t| self.fired[t.at()]),
            Choice::Near => {
                let few = self.few();
                few.into_iter().min_by_key(|&t| self.game.distance_after(t, self.query.condition()))
            }
            Choice::Counted(counts) => {
                let left = |t: &&TransitionId| self.fired[t.at()] < counts[t.at()];
                let open: Vec<TransitionId> = enabled.iter().filter(left).copied().collect();
                (!open.is_empty()).then(|| *self.rng.pick(&open))
            }
        }
    }

    /// A few of those that can fire, all where there are few.
    fn few(&mut self) -> Vec<TransitionId> {
        let enabled = self.game.enabled();
        if enabled.len() > CHOICE {
            return (0..CHOICE).map(|_| *self.rng.pick(enabled)).collect();
        }
        let mut few = enabled.to_vec();
        self.rng.shuffle(&mut few);
        few
    }
}
