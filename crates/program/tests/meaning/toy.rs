//! Random programs of a few locations, as Promela, and as a graph made straight from the definition.

use prequel_model::rng::Rng;
use std::collections::HashMap;
use std::fmt::Write;

/// Values of the one variable.
pub const VALUES: u8 = 3;

/// A condition on the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    True,
    Is(u8),
    IsNot(u8),
}

impl Condition {
    pub fn random(rng: &mut Rng) -> Self {
        let value = rng.below(VALUES as usize) as u8;
        [Condition::True, Condition::Is(value), Condition::IsNot(value)][rng.below(3)]
    }

    pub fn holds(self, x: u8) -> bool {
        match self {
            Condition::True => true,
            Condition::Is(value) => x == value,
            Condition::IsNot(value) => x != value,
        }
    }

    pub fn text(self) -> String {
        match self {
            Condition::True => "true".into(),
            Condition::Is(value) => format!("x == {value}"),
            Condition::IsNot(value) => format!("x != {value}"),
        }
    }
}

/// A step of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    Look(Condition),
    Set(u8),
    /// Looks and sets in one step, as `d_step` or as `atomic`.
    Both(Condition, u8, bool),
    Send,
    Receive,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub accept: bool,
    pub progress: bool,
    /// What can be done, and where that leads; behind the last location the process makes one step to its end.
    pub steps: Vec<(Deed, usize)>,
}

/// A state of a claim.
#[derive(Clone, Debug)]
pub struct ClaimState {
    pub accept: bool,
    /// Behind the last state the claim ends.
    pub steps: Vec<(Condition, usize)>,
}

#[derive(Clone, Debug)]
pub struct Toy {
    pub processes: Vec<Vec<Location>>,
    pub claim: Vec<ClaimState>,
}

/// Where every process is: a location, at its end, or gone; and the variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub at: Vec<usize>,
    pub x: u8,
}

/// Gone.
const GONE: usize = usize::MAX;

/// A step of the program: who moves, and where to.
pub type Edge = (Vec<usize>, usize);

/// All states that can be reached, with their steps. State 0 is the first.
pub struct Graph {
    pub states: Vec<State>,
    pub edges: Vec<Vec<Edge>>,
    /// Who can move.
    pub able: Vec<Vec<usize>>,
}

impl Graph {
    /// Whether some process comes to its end and goes away.
    pub fn loses_somebody(&self) -> bool {
        self.states.iter().any(|state| state.at.contains(&GONE))
    }
}

impl Toy {
    pub fn random(rng: &mut Rng) -> Self {
        let processes = (0..rng.between(1, 3)).map(|_| process(rng)).collect();
        let count = rng.between(1, 3);
        let claim_state = |rng: &mut Rng| ClaimState {
            accept: rng.chance(40),
            steps: (0..rng.between(1, 3)).map(|_| (Condition::random(rng), step_to(rng, count, 4))).collect(),
        };
        Self { processes, claim: (0..count).map(|_| claim_state(rng)).collect() }
    }

    /// The program as Promela, with labels if they are wanted, without a claim.
    pub fn text(&self, labels: bool) -> String {
        let mut text = "byte x; chan c = [0] of { bit };\n".to_owned();
        for (number, process) in self.processes.iter().enumerate() {
            let _ = writeln!(text, "active proctype P{number}() {{");
            for (at, Location { accept, progress, steps }) in process.iter().enumerate() {
                let label =
                    |prefix: &str, is: bool| if labels && is { format!("{prefix}_{at}: ") } else { String::new() };
                let _ = writeln!(text, "S{at}: {}{}if", label("accept", *accept), label("progress", *progress));
                for (deed, to) in steps {
                    let deed = match deed {
                        // SPIN refuses programs with a loop that nothing guards.
                        Deed::Look(Condition::True) => format!("x < {VALUES} ->"),
                        Deed::Look(condition) => format!("{} ->", condition.text()),
                        Deed::Set(value) => format!("x = {value} ->"),
                        Deed::Both(look, value, true) => format!("d_step {{ {} -> x = {value} }}", look.text()),
                        Deed::Both(look, value, false) => format!("atomic {{ {} -> x = {value} }}", look.text()),
                        Deed::Send => "c!0 ->".into(),
                        Deed::Receive => "c?_ ->".into(),
                    };
                    let _ = writeln!(text, "  :: {deed} goto S{to}");
                }
                text.push_str("  fi;\n");
            }
            let _ = writeln!(text, "S{}: skip }}", process.len());
        }
        text
    }

    /// Its claim as Promela, called `claim`.
    pub fn never(&self) -> String {
        let name = |at: usize| match self.claim.get(at) {
            Some(state) if state.accept => format!("accept_S{at}"),
            _ => format!("T_S{at}"),
        };
        let mut text = "never claim {\n".to_owned();
        for (at, state) in self.claim.iter().enumerate() {
            let _ = writeln!(text, "{}: if", name(at));
            for (condition, to) in &state.steps {
                let _ = writeln!(text, "  :: {} -> goto {}", condition.text(), name(*to));
            }
            text.push_str("  fi;\n");
        }
        let _ = writeln!(text, "{}: skip }}", name(self.claim.len()));
        text
    }

    pub fn graph(&self) -> Graph {
        let first = State { at: vec![0; self.processes.len()], x: 0 };
        let mut graph = Graph { states: vec![first.clone()], edges: Vec::new(), able: Vec::new() };
        let mut known = HashMap::from([(first, 0)]);
        while let Some(state) = graph.states.get(graph.edges.len()).cloned() {
            let mut edges = Vec::new();
            for (movers, next) in self.steps(&state) {
                let count = known.len();
                let to = *known.entry(next.clone()).or_insert(count);
                if to == count {
                    graph.states.push(next);
                }
                edges.push((movers, to));
            }
            let mut able: Vec<usize> = edges.iter().flat_map(|(movers, _)| movers.clone()).collect();
            able.sort_unstable();
            able.dedup();
            graph.edges.push(edges);
            graph.able.push(able);
        }
        graph
    }

    fn steps(&self, state: &State) -> Vec<(Vec<usize>, State)> {
        let mut steps = Vec::new();
        let mut add = |movers: &[(usize, usize)], x: u8| {
            let mut at = state.at.clone();
            movers.iter().for_each(|&(process, to)| at[process] = to);
            steps.push((movers.iter().map(|&(process, _)| process).collect(), State { at, x }));
        };
        for (number, process) in self.processes.iter().enumerate() {
            let at = state.at[number];
            if at == process.len() {
                add(&[(number, at + 1)], state.x);
            }
            // The youngest that is left may go away.
            if at == process.len() + 1 && state.at[number + 1..].iter().all(|&at| at == GONE) {
                add(&[(number, GONE)], state.x);
            }
            for &(deed, to) in process.get(at).map_or(&[][..], |location| &location.steps) {
                match deed {
                    Deed::Look(condition) if condition.holds(state.x) => add(&[(number, to)], state.x),
                    Deed::Set(value) => add(&[(number, to)], value),
                    Deed::Both(condition, value, _) if condition.holds(state.x) => add(&[(number, to)], value),
                    Deed::Send => {
                        for (other, process) in self.processes.iter().enumerate().filter(|(other, _)| *other != number)
                        {
                            let there = process.get(state.at[other]).map_or(&[][..], |location| &location.steps);
                            for &(_, met) in there.iter().filter(|(deed, _)| *deed == Deed::Receive) {
                                add(&[(number, to), (other, met)], state.x);
                            }
                        }
                    }
                    Deed::Look(_) | Deed::Both(..) | Deed::Receive => {}
                }
            }
        }
        steps
    }

    /// Whether some process is at a label of a kind.
    pub fn is_at(&self, state: &State, label: impl Fn(&Location) -> bool) -> bool {
        self.processes.iter().zip(&state.at).any(|(process, &at)| process.get(at).is_some_and(&label))
    }
}

fn process(rng: &mut Rng) -> Vec<Location> {
    let count = rng.between(1, 3);
    let deed = |rng: &mut Rng| {
        let value = rng.below(VALUES as usize) as u8;
        match rng.below(8) {
            0 | 1 => Deed::Look(Condition::random(rng)),
            2 | 3 => Deed::Set(value),
            4 | 5 => Deed::Both(Condition::random(rng), value, rng.chance(50)),
            6 => Deed::Send,
            _ => Deed::Receive,
        }
    };
    let location = |rng: &mut Rng| Location {
        accept: rng.chance(25),
        progress: rng.chance(25),
        steps: (0..rng.between(1, 3)).map(|_| (deed(rng), step_to(rng, count, 8))).collect(),
    };
    (0..count).map(|_| location(rng)).collect()
}

/// Some location; in one of so many cases the end.
fn step_to(rng: &mut Rng, count: usize, seldom: usize) -> usize {
    if rng.below(seldom) == 0 { count } else { rng.below(count) }
}
