//! The token game: one marking, what can fire in it, and how far it is from a condition.
//!
//! Which transitions can fire is kept up to date with each step, so a step costs what the transition and its neighbours have arcs.

use prequel_model::{Comparison, Condition, Net, PlaceId, TransitionId};

/// A marking that is changed by firing.
#[derive(Debug)]
pub struct TokenGame<'a> {
    net: &'a Net,
    marking: Vec<u32>,
    /// For each place the transitions that take from it, and how much.
    takers: Vec<Vec<(TransitionId, u32)>>,
    /// For each transition the places that it changes, and by how much.
    changes: Vec<Vec<(PlaceId, i64)>>,
    /// For each transition how many of its inputs have too few tokens.
    missing: Vec<u32>,
    enabled: Vec<TransitionId>,
    /// Where a transition stands among those that can fire.
    position: Vec<u32>,
}

impl<'a> TokenGame<'a> {
    /// At the initial marking.
    pub fn new(net: &'a Net) -> Self {
        let mut takers = vec![Vec::new(); net.places().len()];
        for t in net.transitions() {
            net.inputs(t).iter().for_each(|arc| takers[arc.place.at()].push((t, arc.weight)));
        }
        let changes = net.transitions().map(|t| net.changes(t)).collect();
        let transitions = net.transitions().len();
        let (missing, position) = (vec![0; transitions], vec![0; transitions]);
        let mut game = Self { net, marking: Vec::new(), takers, changes, missing, enabled: Vec::new(), position };
        game.restart();
        game
    }

    /// Back to the initial marking.
    pub fn restart(&mut self) {
        self.marking.clear();
        self.marking.extend_from_slice(self.net.initial());
        self.enabled.clear();
        for t in self.net.transitions() {
            let short = |arc: &&prequel_model::Arc| self.marking[arc.place.at()] < arc.weight;
            self.missing[t.at()] = self.net.inputs(t).iter().filter(short).count() as u32;
            if self.missing[t.at()] == 0 {
                self.enable(t);
            }
        }
    }

    /// The transitions that can fire, in no order.
    pub fn enabled(&self) -> &[TransitionId] {
        &self.enabled
    }

    /// The tokens of each place.
    pub fn marking(&self) -> &[u32] {
        &self.marking
    }

    /// Whether a transition can fire.
    pub fn can_fire(&self, t: TransitionId) -> bool {
        self.missing[t.at()] == 0
    }

    /// Fires a transition that can; false, and nothing happens, where a place would have more tokens than can be counted.
    pub fn fire(&mut self, t: TransitionId) -> bool {
        let fits = |&(p, change): &(PlaceId, i64)| i64::from(self.marking[p.at()]) + change <= i64::from(u32::MAX);
        if !self.changes[t.at()].iter().all(fits) {
            return false;
        }
        self.shift(t, 1);
        true
    }

    /// Adds the changes of a transition, or takes them back.
    fn shift(&mut self, t: TransitionId, sign: i64) {
        for at in 0..self.changes[t.at()].len() {
            let (p, change) = self.changes[t.at()][at];
            let before = self.marking[p.at()];
            let after = (i64::from(before) + sign * change) as u32;
            self.marking[p.at()] = after;
            for taker in 0..self.takers[p.at()].len() {
                let (other, weight) = self.takers[p.at()][taker];
                match (before >= weight, after >= weight) {
                    (true, false) => {
                        self.missing[other.at()] += 1;
                        if self.missing[other.at()] == 1 {
                            self.disable(other);
                        }
                    }
                    (false, true) => {
                        self.missing[other.at()] -= 1;
                        if self.missing[other.at()] == 0 {
                            self.enable(other);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn enable(&mut self, t: TransitionId) {
        self.position[t.at()] = self.enabled.len() as u32;
        self.enabled.push(t);
    }

    fn disable(&mut self, t: TransitionId) {
        let at = self.position[t.at()] as usize;
        self.enabled.swap_remove(at);
        if let Some(moved) = self.enabled.get(at) {
            self.position[moved.at()] = at as u32;
        }
    }

    /// How far a condition is from being true; 0 where it is.
    pub fn distance(&self, condition: &Condition) -> u64 {
        self.distance_from(condition, true)
    }

    /// The same after a transition that can fire was fired.
    pub fn distance_after(&mut self, t: TransitionId, condition: &Condition) -> u64 {
        if !self.fire(t) {
            return u64::MAX;
        }
        let distance = self.distance(condition);
        self.shift(t, -1);
        distance
    }

    /// How far a condition is from having a value.
    fn distance_from(&self, condition: &Condition, wanted: bool) -> u64 {
        match condition {
            Condition::Tokens(sum, comparison, number) => {
                let part = |&(p, factor): &(PlaceId, i64)| i128::from(factor) * i128::from(self.marking[p.at()]);
                let above = sum.iter().map(part).sum::<i128>() - i128::from(*number);
                let far = match (comparison, wanted) {
                    (Comparison::AtMost, true) => above.max(0),
                    (Comparison::AtMost, false) => (1 - above).max(0),
                    (Comparison::AtLeast, true) => (-above).max(0),
                    (Comparison::AtLeast, false) => (above + 1).max(0),
                    (Comparison::Equal, true) => above.abs(),
                    (Comparison::Equal, false) => i128::from(above == 0),
                };
                u64::try_from(far).unwrap_or(u64::MAX)
            }
            Condition::Fireable(t) if wanted => {
                let short = |arc: &prequel_model::Arc| arc.weight.saturating_sub(self.marking[arc.place.at()]);
                self.net.inputs(*t).iter().map(|arc| u64::from(short(arc))).sum()
            }
            Condition::Fireable(t) => u64::from(self.can_fire(*t)),
            Condition::Dead if wanted => self.enabled.len() as u64,
            Condition::Dead => u64::from(self.enabled.is_empty()),
            Condition::Not(inner) => self.distance_from(inner, !wanted),
            Condition::And(parts) | Condition::Or(parts) => {
                let each = parts.iter().map(|part| self.distance_from(part, wanted));
                if matches!(condition, Condition::And(_)) == wanted {
                    each.fold(0, u64::saturating_add)
                } else {
                    each.min().unwrap_or(u64::MAX)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    /// On a net with loops, weights and a transition that takes nothing: beside the plain firing rule.
    #[test]
    fn what_can_fire_is_what_the_plain_rule_says() {
        let text = "PLACE a, b, c; MARKING a: 3, b; TRANSITION t CONSUME a: 2, b; PRODUCE b, c; \
            TRANSITION u CONSUME c; PRODUCE a: 2; TRANSITION v CONSUME ; PRODUCE b; TRANSITION w CONSUME b: 2; PRODUCE b;";
        let (net, _) = prequel_formats::lola::read("n", text.as_bytes()).unwrap();
        let (mut game, mut rng) = (TokenGame::new(&net), Rng::new(1));
        let mut marking = net.initial().to_vec();
        for _ in 0..500 {
            let mut enabled = game.enabled().to_vec();
            enabled.sort_unstable();
            let plain: Vec<TransitionId> =
                net.transitions().filter(|&t| net.enabled(&|p: PlaceId| marking[p.at()], t)).collect();
            assert_eq!(enabled, plain);
            let t = *rng.pick(&plain);
            let before = game.distance_after(t, &Condition::Dead);
            assert!(game.fire(t));
            net.fire(&mut marking, t).unwrap();
            assert_eq!(game.marking(), marking);
            assert_eq!(game.distance(&Condition::Dead), before);
        }
    }
}
