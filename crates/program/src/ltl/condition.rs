//! Conditions on one state: Boolean functions of atoms as decision diagrams, so that equal ones have equal numbers.

use rustc_hash::FxHashMap;

/// A condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Condition(u32);

/// Holds in no state.
pub const NEVER: Condition = Condition(0);
/// Holds in every state.
pub const ALWAYS: Condition = Condition(1);

/// A conjunction: atoms, and whether they hold.
pub type Cube = Vec<(u32, bool)>;

/// An atom, and what is left where it does not hold and where it does.
type Node = (u32, Condition, Condition);

/// All conditions that were made.
#[derive(Default)]
pub struct Conditions {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Condition>,
    joined: FxHashMap<(Condition, Condition), Condition>,
    negated: FxHashMap<Condition, Condition>,
}

impl Conditions {
    /// An atom holds.
    pub fn atom(&mut self, atom: u32) -> Condition {
        self.node(atom, NEVER, ALWAYS)
    }

    fn node(&mut self, atom: u32, no: Condition, yes: Condition) -> Condition {
        if no == yes {
            return no;
        }
        let (nodes, node) = (&mut self.nodes, (atom, no, yes));
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            Condition(nodes.len() as u32 + 1)
        })
    }

    /// The first atom that a condition depends on, and what is left of it either way; nothing for a constant.
    fn split(&self, condition: Condition) -> Option<Node> {
        (condition > ALWAYS).then(|| self.nodes[condition.0 as usize - 2])
    }

    /// What is left of a condition where an atom that it does not depend on before is decided.
    fn branches(&self, condition: Condition, atom: u32) -> (Condition, Condition) {
        match self.split(condition) {
            Some((own, no, yes)) if own == atom => (no, yes),
            _ => (condition, condition),
        }
    }

    /// Both.
    pub fn and(&mut self, a: Condition, b: Condition) -> Condition {
        let (a, b) = (a.min(b), a.max(b));
        if a == NEVER || a == b {
            return a;
        }
        if a == ALWAYS {
            return b;
        }
        if let Some(&known) = self.joined.get(&(a, b)) {
            return known;
        }
        let atom =
            self.split(a).into_iter().chain(self.split(b)).map(|node| node.0).min().expect("neither is constant");
        let ((a0, a1), (b0, b1)) = (self.branches(a, atom), self.branches(b, atom));
        let (no, yes) = (self.and(a0, b0), self.and(a1, b1));
        let both = self.node(atom, no, yes);
        self.joined.insert((a, b), both);
        both
    }

    /// One of them.
    pub fn or(&mut self, a: Condition, b: Condition) -> Condition {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// The opposite.
    pub fn not(&mut self, a: Condition) -> Condition {
        let Some((atom, no, yes)) = self.split(a) else { return if a == NEVER { ALWAYS } else { NEVER } };
        if let Some(&known) = self.negated.get(&a) {
            return known;
        }
        let (no, yes) = (self.not(no), self.not(yes));
        let opposite = self.node(atom, no, yes);
        self.negated.insert(a, opposite);
        opposite
    }

    /// The first, but not the second.
    pub fn without(&mut self, a: Condition, b: Condition) -> Condition {
        let b = self.not(b);
        self.and(a, b)
    }

    /// Whether one is a case of the other.
    pub fn implies(&mut self, a: Condition, b: Condition) -> bool {
        self.without(a, b) == NEVER
    }

    /// Whether a condition holds where these atoms do; not all of them are asked for.
    #[inline]
    pub fn holds(&self, mut condition: Condition, atom: &impl Fn(u32) -> bool) -> bool {
        while let Some((number, no, yes)) = self.split(condition) {
            condition = if atom(number) { yes } else { no };
        }
        condition == ALWAYS
    }

    /// The finest parts that a list of conditions can tell apart; nothing if there are more than `most`.
    pub fn letters(&mut self, conditions: impl IntoIterator<Item = Condition>, most: usize) -> Option<Vec<Condition>> {
        let mut letters = vec![ALWAYS];
        for condition in conditions {
            let mut finer = Vec::new();
            for letter in letters {
                let (inside, outside) = (self.and(letter, condition), self.without(letter, condition));
                finer.extend([inside, outside].into_iter().filter(|&part| part != NEVER));
            }
            letters = finer;
            if letters.len() > most {
                return None;
            }
        }
        Some(letters)
    }

    /// Conjunctions that make up a condition between them, none of which can be left out.
    ///
    /// S. Minato: *Fast generation of irredundant sum-of-products forms from binary decision diagrams*, SASIMI 1992.
    pub fn cubes(&mut self, condition: Condition) -> Vec<Cube> {
        let (mut cubes, _) = self.cover(condition, condition);
        cubes.iter_mut().for_each(|cube| cube.reverse());
        cubes
    }

    /// Conjunctions that hold wherever `least` does and only where `most` does, and what they make up; atoms from the last on.
    fn cover(&mut self, least: Condition, most: Condition) -> (Vec<Cube>, Condition) {
        if least == NEVER {
            return (Vec::new(), NEVER);
        }
        if most == ALWAYS {
            return (vec![Cube::new()], ALWAYS);
        }
        let atom = self.split(least).into_iter().chain(self.split(most)).map(|node| node.0).min();
        let atom = atom.expect("a constant was met before");
        let ((least0, least1), (most0, most1)) = (self.branches(least, atom), self.branches(most, atom));
        let (only0, only1) = (self.without(least0, most1), self.without(least1, most0));
        let (mut cubes, no) = self.cover(only0, most0);
        let (others, yes) = self.cover(only1, most1);
        let (rest0, rest1) = (self.without(least0, no), self.without(least1, yes));
        let (rest, both) = (self.or(rest0, rest1), self.and(most0, most1));
        let (common, free) = self.cover(rest, both);
        cubes.iter_mut().for_each(|cube| cube.push((atom, false)));
        cubes.extend(others.into_iter().map(|cube| [cube, vec![(atom, true)]].concat()));
        cubes.extend(common);
        let split = self.node(atom, no, yes);
        (cubes, self.or(split, free))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    #[test]
    fn cubes_make_up_their_condition_and_none_is_superfluous() {
        let mut rng = Rng::new(3);
        for _ in 0..300 {
            let mut all = Conditions::default();
            let mut condition = NEVER;
            for letter in (0..16usize).filter(|_| rng.chance(40)).collect::<Vec<_>>() {
                let mut one = ALWAYS;
                for atom in 0..4 {
                    let holds = all.atom(atom);
                    one = if letter >> atom & 1 == 1 { all.and(one, holds) } else { all.without(one, holds) };
                }
                condition = all.or(condition, one);
            }
            let cubes = all.cubes(condition);
            let holds = |letter: usize| all.holds(condition, &|atom| letter >> atom & 1 == 1);
            let inside =
                |cube: &Cube, letter: usize| cube.iter().all(|&(atom, holds)| (letter >> atom & 1 == 1) == holds);
            let covers = |cubes: &[Cube], letter: usize| cubes.iter().any(|cube| inside(cube, letter));
            assert!((0..16).all(|letter| covers(&cubes, letter) == holds(letter)), "{cubes:?}");
            for without in 0..cubes.len() {
                let mut fewer = cubes.clone();
                fewer.remove(without);
                assert!((0..16).any(|letter| covers(&cubes, letter) != covers(&fewer, letter)), "{cubes:?}");
            }
        }
    }
}
