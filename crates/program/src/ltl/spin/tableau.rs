//! The tableau of Gerth, Peled, Vardi and Wolper: nodes are sets of formulas that hold now and those that hold next.

use super::formula::{F, Formula, Normaliser, Op, is_term, join};

/// The node before the first step.
pub const INIT: usize = usize::MAX;
/// Nodes and halves of nodes that are looked at.
const MOST_NODES: usize = 4_000;

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Its number, or [`INIT`].
    pub name: usize,
    /// What holds now, as one formula; nothing for true.
    pub now: Option<F>,
    /// Nodes that may follow.
    pub outgoing: Vec<usize>,
    /// Untils that are promised here, by number.
    pub red: Vec<usize>,
    /// Untils that are kept here.
    pub green: Vec<usize>,
    incoming: Vec<usize>,
    /// What holds now, one by one.
    holds: Vec<F>,
    texts: (Option<String>, Option<String>),
}

/// The finished tableau.
pub struct Tableau {
    /// The node before the first step, then the youngest first.
    pub nodes: Vec<Node>,
    /// How many untils have to be kept again and again.
    pub promises: usize,
    /// Nodes that were found to be others.
    merged: Vec<(usize, usize)>,
}

/// A node whose formulas are still taken apart.
struct Open {
    name: usize,
    incoming: Vec<usize>,
    new: Vec<F>,
    old: Vec<F>,
    next: Vec<F>,
}

struct Builder<'n> {
    normal: &'n mut Normaliser,
    stack: Vec<Open>,
    /// The oldest first.
    done: Vec<Node>,
    merged: Vec<(usize, usize)>,
    names: usize,
}

/// Builds the tableau of a formula; nothing if it grows too large.
pub fn build(formula: &F, normal: &mut Normaliser) -> Option<Tableau> {
    let mut builder = Builder { normal, stack: Vec::new(), done: Vec::new(), merged: Vec::new(), names: 0 };
    builder.open(&[INIT], std::slice::from_ref(formula), &[], &[]);
    while let Some(open) = builder.stack.pop() {
        if builder.names > MOST_NODES {
            return None;
        }
        builder.expand(open);
    }
    let Builder { normal, mut done, merged, .. } = builder;
    done.push(Node {
        name: INIT,
        now: Some(formula.clone()),
        outgoing: Vec::new(),
        red: Vec::new(),
        green: Vec::new(),
        incoming: Vec::new(),
        holds: vec![formula.clone()],
        texts: (None, None),
    });
    done.reverse();
    let mut tableau = Tableau { nodes: done, promises: 0, merged };
    for at in 0..tableau.nodes.len() {
        let name = tableau.nodes[at].name;
        for from in std::mem::take(&mut tableau.nodes[at].incoming) {
            if let Some(from) = tableau.position(from) {
                tableau.nodes[from].outgoing.insert(0, name);
            }
        }
    }
    let mut numbers = 0;
    tableau.colour(&normal.normal(formula), &mut numbers);
    Some(tableau)
}

impl Builder<'_> {
    /// The conjunction of a list, in normal form.
    fn flat(&mut self, list: &[F]) -> Option<F> {
        let all = list.iter().cloned().reduce(|all, formula| join(Op::And, formula, all))?;
        Some(self.normal.normal(&all))
    }

    fn open(&mut self, incoming: &[usize], new: &[F], old: &[F], next: &[F]) {
        let mut distinct: Vec<usize> = Vec::new();
        for &from in incoming {
            if !distinct.contains(&from) {
                distinct.insert(0, from);
            }
        }
        let name = self.names;
        self.names += 1;
        let new = self.flat(new).into_iter().collect();
        let next = self.flat(next).into_iter().collect();
        self.stack.push(Open { name, incoming: distinct, new, old: old.to_vec(), next });
    }

    fn expand(&mut self, mut node: Open) {
        if node.new.is_empty() {
            self.close(node);
            return;
        }
        let now = node.new.remove(0);
        if let Some((a, b)) = now.parts(Op::And) {
            node.new.splice(0..0, [a.clone(), b.clone()]);
            self.stack.push(node);
            return;
        }
        // The last of the old ones is not looked at, as in SPIN; a duplicate does no harm.
        let before = node.old.len().saturating_sub(1);
        if *now != Formula::True && !node.old[..before].iter().any(|old| super::formula::same(&now, old)) {
            node.old.push(now.clone());
        }
        let with = |first: &[&F], rest: &[F]| -> Vec<F> {
            first.iter().map(|&formula| formula.clone()).chain(rest.iter().cloned()).collect()
        };
        match &*now {
            Formula::True | Formula::False | Formula::Atom(_) | Formula::Not(_) => self.stack.push(node),
            Formula::Next(a) => {
                node.next.insert(0, a.clone());
                self.stack.push(node);
            }
            Formula::Binary(Op::Release, a, b) => {
                let other = with(&[b], &node.new);
                let next = with(&[&now], &node.next);
                node.new = self.flat(&with(&[a, b], &node.new)).into_iter().collect();
                let (incoming, old) = (node.incoming.clone(), node.old.clone());
                self.stack.push(node);
                self.open(&incoming, &other, &old, &next);
            }
            Formula::Binary(op, a, b) => {
                let next = if *op == Op::Until { with(&[&now], &node.next) } else { node.next.clone() };
                self.open(&node.incoming, &with(&[a], &node.new), &node.old, &next);
                node.new = self.flat(&with(&[b], &node.new)).into_iter().collect();
                self.stack.push(node);
            }
        }
    }

    /// A node whose formulas are all taken apart: perhaps there is such a node.
    fn close(&mut self, node: Open) {
        let now = self.flat(&node.old);
        let later = self.flat(&node.next);
        let texts = (now.as_ref().map(|f| f.text()), later.as_ref().map(|f| f.text()));
        if let Some(known) = self.done.iter_mut().rev().find(|known| known.texts == texts) {
            let others: Vec<usize> =
                known.incoming.iter().copied().filter(|from| !node.incoming.contains(from)).collect();
            known.incoming = match others.len() {
                1 => others.into_iter().chain(node.incoming).collect(),
                _ => node.incoming.into_iter().chain(others).collect(),
            };
            for formula in node.old {
                if !known.holds.iter().any(|held| super::formula::same(held, &formula)) {
                    known.holds.insert(0, formula);
                }
            }
            self.merged.push((node.name, known.name));
            return;
        }
        let (name, next) = (node.name, node.next);
        self.done.push(Node {
            name,
            now,
            outgoing: Vec::new(),
            red: Vec::new(),
            green: Vec::new(),
            incoming: node.incoming,
            holds: node.old,
            texts,
        });
        if !next.is_empty() {
            self.open(&[name], &next, &[], &[]);
        }
    }
}

impl Tableau {
    /// Where a node stands, by its name or that of one merged with it.
    pub fn position(&self, name: usize) -> Option<usize> {
        let find = |name: usize| self.nodes.iter().position(|node| node.name == name);
        find(name).or_else(|| {
            let (_, to) = self.merged.iter().rev().find(|(from, _)| *from == name)?;
            find(*to)
        })
    }

    /// Whether a formula was among those that hold in a node.
    fn holds(node: &Node, formula: &F) -> bool {
        match &**formula {
            Formula::Binary(Op::And, a, b) => Self::holds(node, a) && Self::holds(node, b),
            Formula::Binary(Op::Or, a, b) => Self::holds(node, a) || Self::holds(node, b),
            _ => node.holds.iter().any(|held| is_term(Op::And, formula, held)),
        }
    }

    /// Marks for every until where it is promised and where it is kept.
    fn colour(&mut self, formula: &F, numbers: &mut usize) {
        match &**formula {
            Formula::Next(a) => self.colour(a, numbers),
            Formula::Binary(op, a, b) => {
                if *op == Op::Until {
                    *numbers += 1;
                    let number = *numbers;
                    for node in self.nodes.iter_mut().filter(|node| !node.outgoing.is_empty()) {
                        if Self::holds(node, formula) {
                            node.red.push(number);
                            self.promises = number;
                        }
                    }
                    let mut goal = b;
                    loop {
                        for node in self.nodes.iter_mut().filter(|node| !node.outgoing.is_empty()) {
                            if Self::holds(node, goal) {
                                node.green.push(number);
                            }
                        }
                        let Some((_, inner)) = goal.parts(Op::Until) else { break };
                        goal = inner;
                    }
                }
                self.colour(a, numbers);
                self.colour(b, numbers);
            }
            Formula::True | Formula::False | Formula::Atom(_) | Formula::Not(_) => {}
        }
    }
}
