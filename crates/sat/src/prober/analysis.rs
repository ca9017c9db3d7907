//! What follows from a conflict: a clause that keeps it from coming again, or the assumptions that it rests on.

use super::arena::{Code, Kind, Place};
use super::{DECAY, LARGEST, Prober};

/// What an analysis needs on its way.
#[derive(Debug, Default)]
pub struct Scratch {
    /// By variable: whether it was come across.
    seen: Vec<bool>,
    /// Those.
    marked: Vec<usize>,
    clause: Vec<Code>,
    open: Vec<Code>,
}

impl Scratch {
    pub fn add_variable(&mut self) {
        self.seen.push(false);
    }

    fn mark(&mut self, variable: usize) {
        self.seen[variable] = true;
        self.marked.push(variable);
    }

    fn unmark_from(&mut self, first: usize) {
        for variable in self.marked.drain(first..) {
            self.seen[variable] = false;
        }
    }
}

impl Prober {
    /// Learns the first clause on the way back that has one literal of the last level only, and goes back to where it has a say.
    pub(super) fn learn_from(&mut self, conflict: Place) {
        let mut clause = std::mem::take(&mut self.scratch.clause);
        self.first_cut(conflict, &mut clause);
        let levels = clause[1..].iter().fold(0, |all, literal| all | self.level_bit(literal.variable()));
        let mut kept = 1;
        for at in 1..clause.len() {
            if self.reasons[clause[at].variable()].is_none() || !self.follows(clause[at], levels) {
                clause[kept] = clause[at];
                kept += 1;
            }
        }
        clause.truncate(kept);
        self.scratch.unmark_from(0);
        let level = |literal: &Code| self.levels[literal.variable()];
        let back = match (1..clause.len()).max_by_key(|&at| level(&clause[at])) {
            Some(at) => {
                clause.swap(1, at);
                level(&clause[1]) as usize
            }
            None => 0,
        };
        self.backtrack(back);
        let reason = (clause.len() > 1).then(|| {
            let passing = clause.contains(&Code::new(super::SWITCH, true));
            let place = self.attach(&clause, if passing { Kind::Passing } else { Kind::Learned });
            self.arena.set_activity(place, self.step);
            place
        });
        self.assign(clause[0], reason);
        self.scratch.clause = clause;
        self.order.decay();
        self.step /= DECAY;
    }

    /// The clause, with the literal of the last level first; the variables of the others are marked.
    fn first_cut(&mut self, mut conflict: Place, clause: &mut Vec<Code>) {
        let last = self.begins.len() as u32;
        clause.clear();
        clause.push(Code::new(super::SWITCH, false));
        let (mut open, mut at, mut resolved) = (0, self.trail.len(), None);
        loop {
            self.bump(conflict);
            for &literal in self.arena.literals(conflict) {
                let variable = literal.variable();
                if Some(literal) != resolved && !self.scratch.seen[variable] && self.levels[variable] > 0 {
                    self.scratch.mark(variable);
                    self.order.bump(variable);
                    if self.levels[variable] == last {
                        open += 1;
                    } else {
                        clause.push(literal);
                    }
                }
            }
            while !self.scratch.seen[self.trail[at - 1].variable()] {
                at -= 1;
            }
            at -= 1;
            let literal = self.trail[at];
            open -= 1;
            if open == 0 {
                clause[0] = !literal;
                return;
            }
            resolved = Some(literal);
            conflict = self.reasons[literal.variable()].expect("only the decision of a level has none");
        }
    }

    fn level_bit(&self, variable: usize) -> u32 {
        1 << (self.levels[variable] & 31)
    }

    /// Whether a literal of the clause is false because others of it are; these have levels among those of `levels`.
    fn follows(&mut self, literal: Code, levels: u32) -> bool {
        let first = self.scratch.marked.len();
        let mut open = std::mem::take(&mut self.scratch.open);
        open.clear();
        open.push(literal);
        let mut follows = true;
        'literals: while let Some(literal) = open.pop() {
            let reason = self.reasons[literal.variable()].expect("only what has one is looked at");
            for &other in self.arena.literals(reason) {
                let variable = other.variable();
                if self.scratch.seen[variable] || self.levels[variable] == 0 {
                    continue;
                }
                if self.reasons[variable].is_none() || self.level_bit(variable) & levels == 0 {
                    follows = false;
                    break 'literals;
                }
                self.scratch.mark(variable);
                open.push(other);
            }
        }
        self.scratch.open = open;
        if !follows {
            self.scratch.unmark_from(first);
        }
        follows
    }

    fn bump(&mut self, place: Place) {
        if self.arena.kind(place) != Kind::Learned {
            return;
        }
        let activity = self.arena.activity(place) + self.step;
        self.arena.set_activity(place, activity);
        if activity > LARGEST {
            for &place in &self.learned {
                self.arena.set_activity(place, self.arena.activity(place) / LARGEST);
            }
            self.step /= LARGEST;
        }
    }

    /// Notes the assumptions that a conflict rests on, before anything else was decided.
    pub(super) fn blame(&mut self, conflict: Place) {
        for &literal in self.arena.literals(conflict) {
            if self.levels[literal.variable()] > 0 {
                self.scratch.mark(literal.variable());
            }
        }
        self.blame_marked();
    }

    /// The same for an assumption that is false.
    pub(super) fn blame_for(&mut self, assumed: Code) {
        self.failed[assumed.at()] = self.question;
        if self.levels[assumed.variable()] > 0 {
            self.scratch.mark(assumed.variable());
            self.blame_marked();
        }
    }

    fn blame_marked(&mut self) {
        for at in (self.begins[0]..self.trail.len()).rev() {
            let literal = self.trail[at];
            if !self.scratch.seen[literal.variable()] {
                continue;
            }
            let Some(reason) = self.reasons[literal.variable()] else {
                self.failed[literal.at()] = self.question;
                continue;
            };
            for &other in self.arena.literals(reason) {
                let variable = other.variable();
                if !self.scratch.seen[variable] && self.levels[variable] > 0 {
                    self.scratch.mark(variable);
                }
            }
        }
        self.scratch.unmark_from(0);
    }
}
