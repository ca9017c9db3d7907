//! Partial-order reduction by stubborn sets that are guided by the question.
//!
//! After Valmari's stubborn sets and Kristensen, Schmidt, Valmari, *Question-guided stubborn set methods for state
//! properties* (2006). Which steps depend on which is a graph that the state space gives ([`Dependencies`]); its nodes are the
//! components of a network, or the transitions of a Petri net with groups of them. A set of nodes that is closed under the
//! graph is such that a step of the set that comes first on a path can be moved to its front, and the path stays a path of the
//! same length to the same state. What remains is to make sure that every path that matters has a step of the set: for a
//! deadlock, one enabled step in the set suffices, which no step outside can disable; for a target, the set starts from nodes
//! at least one of which must move before the target holds. No cycle condition is needed, and breadth-first search still
//! finds a shortest path.

/// What steps depend on, in a state.
pub trait Dependencies {
    /// Appends the nodes that a search for an enabled step starts from; from one of them, one is found if there is any.
    fn roots(&self, state: &[u64], roots: &mut Vec<u32>);

    /// How many kinds of steps a node stands for in a state; each has dependencies of its own.
    fn kinds(&self, state: &[u64], node: u32) -> usize;

    /// Appends the nodes that steps of a kind depend on; tells whether there is an enabled one.
    ///
    /// Where there is a choice, a node that was entered already costs nothing.
    fn depends(&self, state: &[u64], node: u32, kind: usize, entered: &Entered, next: &mut Vec<u32>) -> bool;
}

/// Which nodes were entered in this state; a stamp tells, nothing is cleared between states.
#[derive(Debug)]
pub struct Entered {
    stamp: u32,
    stamps: Vec<u32>,
}

impl Entered {
    /// Whether a node was entered.
    pub fn has(&self, node: u32) -> bool {
        self.stamps[node as usize] == self.stamp
    }

    /// Enters a node; tells whether it is new.
    fn enter(&mut self, node: u32) -> bool {
        let stamp = &mut self.stamps[node as usize];
        std::mem::replace(stamp, self.stamp) != self.stamp
    }

    fn forget_all(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
    }
}

/// A node on the search path.
#[derive(Debug)]
struct Frame {
    node: u32,
    /// Kinds of steps that are done.
    kind: usize,
    /// Where its dependencies start among the pending ones, and which is the next.
    start: usize,
    at: usize,
    /// Whether an enabled step was seen here, or above in what may be the same strongly connected component.
    enabled: bool,
}

/// Per-worker memory.
#[derive(Debug)]
pub struct Scratch {
    entered: Entered,
    /// Tarjan's numbers, valid where a node was entered; a number of `u32::MAX` marks it as closed.
    low: Vec<u32>,
    number: Vec<u32>,
    /// Nodes whose strongly connected component is not complete.
    open: Vec<u32>,
    path: Vec<Frame>,
    /// Dependencies of the nodes on the path, each node's above those of the one before.
    pending: Vec<u32>,
    roots: Vec<u32>,
    /// The result: a closed set of nodes.
    pub chosen: Vec<u32>,
}

impl Scratch {
    /// For a graph of so many nodes.
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![0; nodes];
        let entered = Entered { stamp: 0, stamps: zeros() };
        let (open, path, pending, roots, chosen) = (vec![], vec![], vec![], vec![], vec![]);
        Self { entered, low: zeros(), number: zeros(), open, path, pending, roots, chosen }
    }

    fn begin(&mut self) {
        self.chosen.clear();
        self.open.clear();
        self.path.clear();
        self.pending.clear();
        self.roots.clear();
        self.entered.forget_all();
    }

    /// Chooses everything that the nodes which `seeds` appends depend on.
    pub fn closure(&mut self, graph: &impl Dependencies, state: &[u64], seeds: impl FnOnce(&mut Vec<u32>)) {
        self.begin();
        seeds(&mut self.pending);
        self.choose_pending();
        let mut at = 0;
        while let Some(&node) = self.chosen.get(at) {
            at += 1;
            for kind in 0..graph.kinds(state, node) {
                graph.depends(state, node, kind, &self.entered, &mut self.pending);
                self.choose_pending();
            }
        }
    }

    fn choose_pending(&mut self) {
        for node in self.pending.drain(..) {
            if self.entered.enter(node) {
                self.chosen.push(node);
            }
        }
    }

    /// Chooses a small closed set with an enabled step: the first strongly connected component of the graph, in the order in
    /// which Tarjan's algorithm completes them, that has one, with all before it. None is enabled only in a deadlock.
    pub fn first_with_a_step(&mut self, graph: &impl Dependencies, state: &[u64]) {
        self.begin();
        let mut count = 0;
        let mut roots = std::mem::take(&mut self.roots);
        graph.roots(state, &mut roots);
        for &root in &roots {
            if self.entered.enter(root) {
                self.push(root, &mut count);
                if self.complete(graph, state, &mut count) {
                    break;
                }
            }
        }
        self.roots = roots;
    }

    fn push(&mut self, node: u32, count: &mut u32) {
        self.number[node as usize] = *count;
        self.low[node as usize] = *count;
        *count += 1;
        self.open.push(node);
        let start = self.pending.len();
        self.path.push(Frame { node, kind: 0, start, at: start, enabled: false });
    }

    /// Goes on until the path is empty, or a strongly connected component with an enabled step is complete.
    fn complete(&mut self, graph: &impl Dependencies, state: &[u64], count: &mut u32) -> bool {
        while let Some(frame) = self.path.last_mut() {
            let node = frame.node;
            if let Some(&next) = self.pending.get(frame.at) {
                frame.at += 1;
                if self.entered.enter(next) {
                    self.push(next, count);
                } else if self.number[next as usize] != u32::MAX {
                    self.lower(node, self.number[next as usize]);
                }
                continue;
            }
            self.pending.truncate(frame.start);
            if frame.kind < graph.kinds(state, node) {
                frame.at = frame.start;
                frame.kind += 1;
                frame.enabled |= graph.depends(state, node, frame.kind - 1, &self.entered, &mut self.pending);
                continue;
            }
            let enabled = frame.enabled;
            self.path.pop();
            let low = self.low[node as usize];
            if low == self.number[node as usize] {
                self.close(node);
                if enabled {
                    return true;
                }
            } else if let Some(above) = self.path.last_mut() {
                above.enabled |= enabled;
                let above = above.node;
                self.lower(above, low);
            }
        }
        false
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = to.min(*low);
    }

    /// The open nodes from this one on are a strongly connected component.
    fn close(&mut self, node: u32) {
        while let Some(member) = self.open.pop() {
            self.number[member as usize] = u32::MAX;
            self.chosen.push(member);
            if member == node {
                break;
            }
        }
    }
}
