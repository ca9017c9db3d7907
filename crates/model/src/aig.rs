//! And-inverter graphs: Boolean functions of numbered inputs, each function once.

use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Not;

/// A function in a graph: a node, perhaps negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// The constant.
    pub const FALSE: Lit = Lit(0);
    /// The constant.
    pub const TRUE: Lit = Lit(1);

    /// Its node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negation of its node.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same, negated where `negate` says so.
    pub fn negated_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }

    fn of(node: usize) -> Lit {
        Lit((node as u32) << 1)
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant `false`: node 0.
    False,
    /// An input, by its number.
    Input(u32),
    /// The conjunction of two functions that come before it.
    And(Lit, Lit),
}

/// A graph. Nodes come after what they are made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    inputs: FxHashMap<u32, Lit>,
    conjunctions: FxHashMap<(Lit, Lit), Lit>,
}

impl Default for Aig {
    fn default() -> Self {
        Self { nodes: vec![Node::False], inputs: FxHashMap::default(), conjunctions: FxHashMap::default() }
    }
}

impl Aig {
    /// All nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the node of a function is.
    pub fn node(&self, f: Lit) -> Node {
        self.nodes[f.node()]
    }

    fn push(&mut self, node: Node) -> Lit {
        self.nodes.push(node);
        Lit::of(self.nodes.len() - 1)
    }

    /// The input of a number.
    pub fn input(&mut self, number: u32) -> Lit {
        if let Some(&found) = self.inputs.get(&number) {
            return found;
        }
        let made = self.push(Node::Input(number));
        self.inputs.insert(number, made);
        made
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(&found) = self.conjunctions.get(&(a, b)) {
            return found;
        }
        // One level down: what a conjunction says already, or contradicts.
        for (one, other) in [(a, b), (b, a)] {
            if let Node::And(x, y) = self.node(one) {
                if !one.is_negated() {
                    if x == other || y == other {
                        return one;
                    }
                    if x == !other || y == !other {
                        return Lit::FALSE;
                    }
                } else if x == !other || y == !other {
                    return other;
                }
            }
        }
        let made = self.push(Node::And(a, b));
        self.conjunctions.insert((a, b), made);
        made
    }

    /// One of them.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Just one of them.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (only_a, only_b) = (self.and(a, !b), self.and(!a, b));
        self.or(only_a, only_b)
    }

    /// Both or none.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// `then` where `condition` holds, `otherwise` elsewhere.
    pub fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        let (left, right) = (self.and(condition, then), self.and(!condition, otherwise));
        self.or(left, right)
    }

    /// All of them, as a balanced tree.
    pub fn all(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        let mut parts: Vec<Lit> = parts.into_iter().collect();
        if parts.is_empty() {
            return Lit::TRUE;
        }
        while parts.len() > 1 {
            parts = parts.chunks(2).map(|pair| if let [a, b] = *pair { self.and(a, b) } else { pair[0] }).collect();
        }
        parts[0]
    }

    /// One of them at least.
    pub fn any(&mut self, parts: impl IntoIterator<Item = Lit>) -> Lit {
        let parts: Vec<Lit> = parts.into_iter().map(Not::not).collect();
        !self.all(parts)
    }

    /// The conjuncts of a function: it is all of them, and none is a conjunction.
    pub fn conjuncts(&self, f: Lit) -> Vec<Lit> {
        // Conjunctions may share parts, many times over: each is looked at once.
        let (mut found, mut open, mut seen) = (Vec::new(), vec![f], FxHashSet::default());
        while let Some(f) = open.pop() {
            if !seen.insert(f) {
                continue;
            }
            match self.node(f) {
                Node::And(a, b) if !f.is_negated() => open.extend([a, b]),
                _ => found.push(f),
            }
        }
        found.sort_unstable();
        found
    }

    /// The nodes that some functions are made of, themselves included, in order: what a node is made of comes before it.
    pub fn cone(&self, roots: &[Lit]) -> Vec<usize> {
        let mut open: Vec<usize> = roots.iter().map(|root| root.node()).collect();
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        while let Some(at) = open.pop() {
            if let (true, Node::And(a, b)) = (seen.insert(at), self.nodes[at]) {
                open.extend([a.node(), b.node()]);
            }
        }
        let mut cone: Vec<usize> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// Numbers of the inputs that a function is made of, in order.
    pub fn support(&self, f: Lit) -> Vec<u32> {
        let number = |node: usize| match self.nodes[node] {
            Node::Input(number) => Some(number),
            _ => None,
        };
        let mut numbers: Vec<u32> = self.cone(&[f]).into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Copies functions into another graph, with something in the place of each input.
    pub fn copy(&self, roots: &[Lit], into: &mut Aig, mut input: impl FnMut(&mut Aig, u32) -> Lit) -> Vec<Lit> {
        let mut copies: FxHashMap<usize, Lit> = FxHashMap::default();
        for at in self.cone(roots) {
            let copy = |f: Lit| copies[&f.node()].negated_if(f.is_negated());
            let made = match self.nodes[at] {
                Node::False => Lit::FALSE,
                Node::Input(number) => input(into, number),
                Node::And(a, b) => into.and(copy(a), copy(b)),
            };
            copies.insert(at, made);
        }
        roots.iter().map(|root| copies[&root.node()].negated_if(root.is_negated())).collect()
    }

    /// Whether functions hold where inputs have these values.
    pub fn values(&self, roots: &[Lit], input: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut values: FxHashMap<usize, bool> = FxHashMap::default();
        for at in self.cone(roots) {
            let of = |f: Lit| values[&f.node()] ^ f.is_negated();
            let value = match self.nodes[at] {
                Node::False => false,
                Node::Input(number) => input(number),
                Node::And(a, b) => of(a) && of(b),
            };
            values.insert(at, value);
        }
        roots.iter().map(|root| values[&root.node()] ^ root.is_negated()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_they_are_called() {
        let mut aig = Aig::default();
        let [a, b, c] = [0, 1, 2].map(|n| aig.input(n));
        let functions =
            [aig.and(a, b), aig.or(a, b), aig.xor(a, b), aig.equal(a, b), aig.implies(a, b), aig.choose(a, b, c)];
        for row in 0..8u32 {
            let bit = |n: u32| row >> n & 1 == 1;
            let (x, y, z) = (bit(0), bit(1), bit(2));
            let expected = [x && y, x || y, x != y, x == y, !x || y, if x { y } else { z }];
            assert_eq!(aig.values(&functions, bit), expected);
        }
    }

    #[test]
    fn the_same_function_is_one_node_and_constants_vanish() {
        let mut aig = Aig::default();
        let [a, b] = [0, 1].map(|n| aig.input(n));
        let both = aig.and(a, b);
        assert_eq!((aig.and(b, a), aig.and(both, a), aig.and(both, !a)), (both, both, Lit::FALSE));
        assert_eq!((aig.and(a, Lit::TRUE), aig.and(a, !a), aig.or(a, !a)), (a, Lit::FALSE, Lit::TRUE));
        assert_eq!(aig.and(!both, !a), !a);
        assert_eq!(aig.nodes().len(), 4);
    }

    #[test]
    fn copies_take_other_inputs() {
        let mut aig = Aig::default();
        let [a, b] = [3, 5].map(|n| aig.input(n));
        let f = aig.xor(a, b);
        assert_eq!(aig.support(f), [3, 5]);
        let mut other = Aig::default();
        let g = aig.copy(&[f, !f], &mut other, |aig, number| aig.input(number + 1));
        assert_eq!(other.support(g[0]), [4, 6]);
        assert_eq!(g[0], !g[1]);
        assert_eq!(other.values(&g, |number| number == 4), [true, false]);
    }
}
