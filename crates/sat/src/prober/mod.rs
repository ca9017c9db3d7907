//! A solver for very many small questions about the same clauses, of which there are slowly more.
//!
//! Conflict-driven clause learning after N. Eén, N. Sörensson: *An extensible SAT-solver* (SAT 2003), without what pays for itself only
//! in long searches. As in Y. Su and others: *Deeply optimizing the SAT solver for the IC3 algorithm* (CAV 2025), only variables that a
//! question is about are decided, and a clause that is demanded in one question needs no variable of its own: it goes when the question
//! is answered, and with it what was learned from it.
//!
//! It records no proofs. Whoever needs evidence asks [`Solver`](super::Solver).

mod analysis;
mod arena;
mod order;

use super::Outcome;
use arena::{Arena, Code, Kind, Place};
use order::Order;

/// Looks for an assignment of the clauses that were given, again and again.
#[derive(Debug)]
pub struct Prober {
    arena: Arena,
    /// By a literal that may become true: the clauses of two literals that have its negation, with the other literal.
    pairs: Vec<Vec<Watch>>,
    /// The same for longer clauses; each is with two of its literals, that were not false when they were chosen.
    watches: Vec<Vec<Watch>>,
    /// By literal.
    values: Vec<Value>,
    /// By variable: when it got its value, and by which clause.
    levels: Vec<u32>,
    reasons: Vec<Option<Place>>,
    trail: Vec<Code>,
    /// How much of the trail is propagated.
    head: usize,
    /// By level: where it begins on the trail. Nothing was decided before the first.
    begins: Vec<usize>,
    order: Order,
    /// By variable: its last value.
    phases: Vec<bool>,
    /// By variable: the last question that was about it.
    asked: Vec<u32>,
    question: u32,
    assumed: Vec<Code>,
    /// Whether what the next question demands cannot be met by any assignment.
    impossible: bool,
    /// By literal: the last question that it was assumed in and had a part in refuting.
    failed: Vec<u32>,
    learned: Vec<Place>,
    passing: Vec<Place>,
    /// So many clauses that were learned are kept.
    most: usize,
    /// What the activity of a clause grows by.
    step: f32,
    scratch: analysis::Scratch,
    /// Literals that were propagated since somebody looked at limits.
    work: u64,
    /// The clauses themselves have no assignment.
    contradictory: bool,
}

/// A clause, and a literal of it: where that is true, the clause need not be looked at.
#[derive(Clone, Copy, Debug)]
struct Watch {
    place: Place,
    other: Code,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    True,
    False,
    Open,
}

/// What switches on the clauses of one question. Variables of others begin with 1.
const SWITCH: usize = 0;
/// The work between two looks at limits, and what a question costs beside what it propagates.
const LOOK_EVERY: u64 = 1 << 12;
const QUESTION: u64 = 16;
/// So many learned clauses are kept at least.
const KEPT: usize = 2_000;
/// Conflicts up to the first restart.
const RESTART: u64 = 100;
/// Beyond this the activity of all clauses is made smaller.
const LARGEST: f32 = 1e20;
const DECAY: f32 = 0.999;

impl Default for Prober {
    fn default() -> Self {
        let mut prober = Self {
            arena: Arena::default(),
            pairs: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            trail: Vec::new(),
            head: 0,
            begins: Vec::new(),
            order: Order::default(),
            phases: Vec::new(),
            asked: Vec::new(),
            question: 0,
            assumed: Vec::new(),
            impossible: false,
            failed: Vec::new(),
            learned: Vec::new(),
            passing: Vec::new(),
            most: KEPT,
            step: 1.0,
            scratch: analysis::Scratch::default(),
            work: 0,
            contradictory: false,
        };
        prober.make_variable();
        prober
    }
}

impl Prober {
    /// A new variable.
    pub fn variable(&mut self) -> i32 {
        self.make_variable();
        self.levels.len() as i32 - 1
    }

    fn make_variable(&mut self) {
        for _ in 0..2 {
            self.pairs.push(Vec::new());
            self.watches.push(Vec::new());
            self.values.push(Value::Open);
            self.failed.push(0);
        }
        self.levels.push(0);
        self.reasons.push(None);
        self.phases.push(false);
        self.asked.push(0);
        self.order.add_variable();
        self.scratch.add_variable();
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: &[i32]) {
        self.forget_question();
        if let Some(literals) = self.open_literals(clause.iter().map(|&literal| Code::of(literal))) {
            match literals[..] {
                [] => self.contradictory = true,
                [fact] => {
                    self.assign(fact, None);
                    self.contradictory |= self.propagate().is_some();
                }
                _ => {
                    self.attach(&literals, Kind::Given);
                }
            }
        }
    }

    /// Demands a literal in the next question only.
    pub fn assume(&mut self, literal: i32) {
        self.forget_question();
        self.assumed.push(Code::of(literal));
    }

    /// Demands a clause in the next question only; before what is assumed.
    pub fn constrain(&mut self, clause: &[i32]) {
        self.forget_question();
        if let Some(mut literals) = self.open_literals(clause.iter().map(|&literal| Code::of(literal))) {
            if literals.is_empty() {
                self.impossible = true;
                return;
            }
            literals.push(Code::new(SWITCH, true));
            self.attach(&literals, Kind::Passing);
            self.assumed.push(Code::new(SWITCH, false));
        }
    }

    /// Solves. `about` tells which variables are to be decided, where anything has to be: an assignment is one of these, and of others
    /// only as far as they follow. Whether it can be completed is for the caller to know. `stop` is asked now and then, after so much
    /// work, whether to give up.
    pub fn solve(&mut self, about: impl FnOnce() -> Vec<i32>, stop: impl FnMut(u64) -> bool) -> Outcome {
        self.forget_question();
        self.question += 1;
        self.work += QUESTION;
        let outcome = self.search(about, stop);
        self.assumed.clear();
        self.impossible = false;
        outcome
    }

    /// The value of a variable in the assignment that was found, if it has one, until something is added or assumed.
    pub fn value(&self, variable: i32) -> Option<bool> {
        match self.values[Code::of(variable).at()] {
            Value::True => Some(true),
            Value::False => Some(false),
            Value::Open => None,
        }
    }

    /// Whether a literal that was assumed was needed to refute the last question.
    pub fn failed(&self, literal: i32) -> bool {
        self.failed[Code::of(literal).at()] == self.question
    }

    fn search(&mut self, about: impl FnOnce() -> Vec<i32>, mut stop: impl FnMut(u64) -> bool) -> Outcome {
        if self.contradictory || self.impossible {
            return Outcome::Unsatisfiable;
        }
        self.forget_clauses();
        let (mut about, mut restarts, mut conflicts) = (Some(about), 0, 0);
        loop {
            if let Some(conflict) = self.propagate() {
                if self.begins.is_empty() {
                    self.contradictory = true;
                    return Outcome::Unsatisfiable;
                }
                if self.begins.len() <= self.assumed.len() {
                    self.blame(conflict);
                    return Outcome::Unsatisfiable;
                }
                conflicts += 1;
                self.learn_from(conflict);
                continue;
            }
            if self.work >= LOOK_EVERY && stop(std::mem::take(&mut self.work)) {
                return Outcome::Stopped;
            }
            if conflicts >= RESTART * luby(restarts) {
                (restarts, conflicts) = (restarts + 1, 0);
                self.backtrack(0);
                self.most += self.most / 100;
                self.forget_clauses();
                continue;
            }
            let decided = match self.assumed.get(self.begins.len()) {
                Some(&literal) => match self.values[literal.at()] {
                    Value::True => {
                        self.begins.push(self.trail.len());
                        continue;
                    }
                    Value::False => {
                        self.blame_for(literal);
                        return Outcome::Unsatisfiable;
                    }
                    Value::Open => literal,
                },
                None => {
                    if let Some(about) = about.take() {
                        self.ask_about(&about());
                    }
                    match self.most_active() {
                        Some(variable) => Code::new(variable, !self.phases[variable]),
                        None => return Outcome::Satisfiable,
                    }
                }
            };
            self.begins.push(self.trail.len());
            self.assign(decided, None);
        }
    }

    /// Only these are decided from now on.
    fn ask_about(&mut self, variables: &[i32]) {
        self.order.clear();
        for &variable in variables {
            let variable = variable.unsigned_abs() as usize;
            self.asked[variable] = self.question;
            if self.values[Code::new(variable, false).at()] == Value::Open {
                self.order.insert(variable);
            }
        }
    }

    fn most_active(&mut self) -> Option<usize> {
        while let Some(variable) = self.order.pop() {
            if self.values[Code::new(variable, false).at()] == Value::Open {
                return Some(variable);
            }
        }
        None
    }

    /// The literals that are open before anything is decided, each once; nothing where the clause holds anyway.
    fn open_literals(&self, literals: impl Iterator<Item = Code>) -> Option<Vec<Code>> {
        let mut open = Vec::new();
        for literal in literals {
            match self.values[literal.at()] {
                Value::True => return None,
                Value::False => {}
                Value::Open => open.push(literal),
            }
        }
        open.sort_unstable();
        open.dedup();
        let holds = open.windows(2).any(|pair| pair[0] == !pair[1]);
        (!holds).then_some(open)
    }

    /// Keeps a clause; its first two literals are those to look at.
    fn attach(&mut self, literals: &[Code], kind: Kind) -> Place {
        let place = self.arena.push(literals, kind);
        match kind {
            Kind::Given => {}
            Kind::Learned => self.learned.push(place),
            Kind::Passing => self.passing.push(place),
        }
        self.watch(place, literals[0], literals[1], literals.len() == 2 && kind != Kind::Passing);
        place
    }

    fn watch(&mut self, place: Place, first: Code, second: Code, pair: bool) {
        // A clause that can go is looked at, however short it is, before it is believed.
        let lists = if pair { &mut self.pairs } else { &mut self.watches };
        lists[(!first).at()].push(Watch { place, other: second });
        lists[(!second).at()].push(Watch { place, other: first });
    }

    fn assign(&mut self, literal: Code, reason: Option<Place>) {
        self.values[literal.at()] = Value::True;
        self.values[(!literal).at()] = Value::False;
        let variable = literal.variable();
        self.levels[variable] = self.begins.len() as u32;
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    /// Follows up what has been assigned; a clause that is false, if there is one.
    fn propagate(&mut self) -> Option<Place> {
        while self.head < self.trail.len() {
            let literal = self.trail[self.head];
            self.head += 1;
            self.work += 1;
            for at in 0..self.pairs[literal.at()].len() {
                let Watch { place, other } = self.pairs[literal.at()][at];
                match self.values[other.at()] {
                    Value::True => {}
                    Value::False => return self.conflict(place),
                    Value::Open => self.assign(other, Some(place)),
                }
            }
            let mut list = std::mem::take(&mut self.watches[literal.at()]);
            let conflict = self.propagate_to(!literal, &mut list);
            self.watches[literal.at()] = list;
            if let Some(place) = conflict {
                return self.conflict(place);
            }
        }
        None
    }

    fn conflict(&mut self, place: Place) -> Option<Place> {
        self.head = self.trail.len();
        Some(place)
    }

    /// Follows up that a literal is false in the clauses that are watched for it.
    fn propagate_to(&mut self, false_one: Code, list: &mut Vec<Watch>) -> Option<Place> {
        let (mut read, mut kept, mut conflict) = (0, 0, None);
        'clauses: while read < list.len() {
            let Watch { place, other } = list[read];
            read += 1;
            if self.values[other.at()] == Value::True {
                list[kept] = Watch { place, other };
                kept += 1;
                continue;
            }
            let Some(literals) = self.arena.alive(place) else { continue };
            if literals[0] == false_one {
                literals.swap(0, 1);
            }
            let first = literals[0];
            let watch = Watch { place, other: first };
            if first != other && self.values[first.at()] == Value::True {
                list[kept] = watch;
                kept += 1;
                continue;
            }
            for at in 2..literals.len() {
                let literal = literals[at];
                if self.values[literal.at()] != Value::False {
                    literals.swap(1, at);
                    self.watches[(!literal).at()].push(watch);
                    continue 'clauses;
                }
            }
            list[kept] = watch;
            kept += 1;
            if self.values[first.at()] == Value::False {
                conflict = Some(place);
                break;
            }
            self.assign(first, Some(place));
        }
        list.copy_within(read.., kept);
        list.truncate(kept + list.len() - read);
        conflict
    }

    /// Takes back what was assigned after a level.
    fn backtrack(&mut self, level: usize) {
        if self.begins.len() <= level {
            return;
        }
        for at in self.begins[level]..self.trail.len() {
            let literal = self.trail[at];
            let variable = literal.variable();
            self.values[literal.at()] = Value::Open;
            self.values[(!literal).at()] = Value::Open;
            self.phases[variable] = !literal.is_negated();
            if self.asked[variable] == self.question {
                self.order.insert(variable);
            }
        }
        self.trail.truncate(self.begins[level]);
        self.begins.truncate(level);
        self.head = self.trail.len();
    }

    /// Takes back what the last question demanded and assigned.
    fn forget_question(&mut self) {
        self.backtrack(0);
        if !self.assumed.is_empty() {
            return;
        }
        self.passing.drain(..).for_each(|place| self.arena.kill(place));
        // That the clause of the question contradicts all others is no fact beyond it.
        if self.values[Code::new(SWITCH, false).at()] != Value::Open {
            self.trail.retain(|literal| literal.variable() != SWITCH);
            self.head = self.trail.len();
            [true, false].iter().for_each(|&negated| self.values[Code::new(SWITCH, negated).at()] = Value::Open);
        }
    }

    /// Where too much was learned, the less useful half goes. Nothing is decided now.
    fn forget_clauses(&mut self) {
        if self.learned.len() > self.most {
            let Self { arena, learned, .. } = self;
            learned.sort_by(|&a, &b| arena.activity(a).total_cmp(&arena.activity(b)));
            for &place in &learned[..learned.len() / 2] {
                if arena.literals(place).len() > 2 {
                    arena.kill(place);
                }
            }
            learned.retain(|&place| !arena.is_dead(place));
        }
        if self.arena.is_mostly_dead() {
            self.compact();
        }
    }

    /// Makes room: dead clauses go, and those that hold anyway.
    fn compact(&mut self) {
        let facts: Vec<Place> = {
            let holds = |literal: &Code| self.values[literal.at()] == Value::True;
            self.arena.places().filter(|&place| self.arena.literals(place).iter().any(holds)).collect()
        };
        facts.into_iter().for_each(|place| self.arena.kill(place));
        self.arena = self.arena.compacted();
        self.pairs.iter_mut().chain(&mut self.watches).for_each(Vec::clear);
        self.learned.clear();
        self.passing.clear();
        for literal in &self.trail {
            self.reasons[literal.variable()] = None;
        }
        for place in self.arena.places().collect::<Vec<_>>() {
            let kind = self.arena.kind(place);
            let literals = self.arena.literals(place);
            let (first, second, pair) = (literals[0], literals[1], literals.len() == 2 && kind != Kind::Passing);
            match kind {
                Kind::Given => {}
                Kind::Learned => self.learned.push(place),
                Kind::Passing => self.passing.push(place),
            }
            self.watch(place, first, second, pair);
        }
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, … of M. Luby, A. Sinclair, D. Zuckerman.
fn luby(at: u64) -> u64 {
    let (mut size, mut level, mut at) = (1, 0, at);
    while size < at + 1 {
        level += 1;
        size = 2 * size + 1;
    }
    while size - 1 != at {
        size = (size - 1) / 2;
        level -= 1;
        at %= size;
    }
    1 << level
}

#[cfg(test)]
mod tests;
