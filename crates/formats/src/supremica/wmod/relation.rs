//! What a condition on variables allows, as a union of products: for each variable by itself, from which value to which.
//!
//! A condition is a decision diagram: the variables in order, and at each of them pairs of values that lead to the same rest are
//! one branch. A path through the diagram is a product, and the paths are disjoint; each becomes an event of its own, in which
//! every variable can take part by itself.

use super::value::{Expression, Value};
use rustc_hash::FxHashMap;

/// From which value of a variable to which, by their numbers in its range, sorted.
pub type Pairs = Vec<(u32, u32)>;

/// A variable that a condition is about.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its number among all variables.
    pub variable: u32,
    /// The pairs of values that it can take by itself.
    pub pairs: Pairs,
}

/// Steps of the computation that a condition may take.
const MOST_STEPS: usize = 1 << 22;

/// Products that a condition may become.
const MOST_PRODUCTS: usize = 1 << 14;

/// A condition is about too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// Pairs of values, and the node that they lead to.
type Branches = Vec<(Pairs, usize)>;

/// The diagram of conditions over the same levels, shared by all of them.
pub struct Diagram<'a> {
    ranges: &'a [Vec<Value>],
    levels: Vec<Level>,
    /// Nodes by what is left of the condition at a level.
    known: FxHashMap<(usize, Vec<Expression>), usize>,
    /// Branches of a node.
    nodes: Vec<Branches>,
    /// Nodes by level and branches, so that the same rest is the same node.
    alike: FxHashMap<(usize, Branches), usize>,
    steps: usize,
}

/// The node of a condition that is not true.
const FALSE: usize = 0;
/// The node of a condition that is true, beneath all levels.
const TRUE: usize = 1;

impl<'a> Diagram<'a> {
    /// A diagram over some variables. `ranges` has the values of each variable.
    pub fn new(ranges: &'a [Vec<Value>], levels: Vec<Level>) -> Self {
        let (known, alike) = (FxHashMap::default(), FxHashMap::default());
        Self { ranges, levels, known, nodes: vec![Vec::new(), Vec::new()], alike, steps: 0 }
    }

    /// The products that all of these allow together: pairs for each level.
    pub fn products(&mut self, conditions: &[Expression]) -> Result<Vec<Vec<Pairs>>, TooLarge> {
        let root = self.node(0, conditions.to_vec())?;
        let mut found = Vec::new();
        self.paths(root, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Whether all of these can be true together.
    pub fn possible(&mut self, conditions: &[Expression]) -> Result<bool, TooLarge> {
        Ok(self.node(0, conditions.to_vec())? != FALSE)
    }

    fn paths(&self, node: usize, path: &mut Vec<Pairs>, found: &mut Vec<Vec<Pairs>>) -> Result<(), TooLarge> {
        if node == TRUE {
            found.push(path.clone());
        }
        for (pairs, next) in &self.nodes[node] {
            path.push(pairs.clone());
            self.paths(*next, path, found)?;
            path.pop();
        }
        if found.len() > MOST_PRODUCTS { Err(TooLarge) } else { Ok(()) }
    }

    /// The node of what is left of a condition from a level on.
    fn node(&mut self, level: usize, mut conditions: Vec<Expression>) -> Result<usize, TooLarge> {
        if conditions.iter().any(|c| matches!(c, Expression::Value(value) if !value.holds())) {
            return Ok(FALSE);
        }
        conditions.retain(|c| !matches!(c, Expression::Value(_)));
        if level == self.levels.len() {
            // Whatever is left is about variables that are no level: there are none.
            return Ok(if conditions.is_empty() { TRUE } else { FALSE });
        }
        let key = (level, conditions);
        if let Some(&node) = self.known.get(&key) {
            return Ok(node);
        }
        let Level { variable, pairs } = self.levels[level].clone();
        let range = &self.ranges[variable as usize];
        let mut branches: Vec<(Pairs, usize)> = Vec::new();
        for (from, to) in pairs {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err(TooLarge);
            }
            let (before, after) = (range[from as usize], range[to as usize]);
            let rest = key.1.iter().map(|c| c.with(variable, before, after)).collect();
            match self.node(level + 1, rest)? {
                FALSE => {}
                next => match branches.iter_mut().find(|(_, other)| *other == next) {
                    Some((pairs, _)) => pairs.push((from, to)),
                    None => branches.push((vec![(from, to)], next)),
                },
            }
        }
        // Where no branch leads on, there is nothing to be true.
        let node = if branches.is_empty() {
            FALSE
        } else {
            let nodes = &mut self.nodes;
            let new = nodes.len();
            let node = *self.alike.entry((level, branches.clone())).or_insert(new);
            if node == new {
                nodes.push(branches);
            }
            node
        };
        self.known.insert(key, node);
        Ok(node)
    }
}
