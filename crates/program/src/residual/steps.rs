//! What is left of a `d_step`: its automaton, run on what is known.

use super::domain::cells;
use super::fold::{Known, Residue, Unfoldable, may_fail, negated};
use super::outcome::{Context, Outcome};
use super::plan::Variable;
use crate::data::{Action, Node, Steps};
use crate::expression::{Binary, Expression};
use rustc_hash::FxHashMap;

/// Longer ones are not written out.
const MOST_NODES: usize = 200;
/// More ways through one are not told apart.
const MOST_PATHS: usize = 16;

/// Whether a node can be gone on at.
enum Open {
    Yes,
    No,
    Maybe,
}

struct Builder<'a, 'b> {
    context: &'b Context<'a>,
    steps: &'b Steps,
    nodes: Vec<Node>,
    known: FxHashMap<(u32, Box<[i32]>), u32>,
    /// The folded values at the end, once it was come to.
    end: Option<Box<[i32]>>,
}

/// The ways in which a `d_step` can be taken: one where all its ends know the same, else one for each path through it, if what
/// decides between them can be asked before anything is done.
pub fn outcomes(context: &Context<'_>, steps: &Steps, values: &[i32]) -> Residue<Vec<Outcome>> {
    match whole(context, steps, values) {
        Err(unfoldable) => paths(context, steps, values)?.ok_or(unfoldable),
        done => done,
    }
}

/// The only way to take a `d_step`.
fn whole(context: &Context<'_>, steps: &Steps, values: &[i32]) -> Residue<Vec<Outcome>> {
    let mut builder = Builder { context, steps, nodes: Vec::new(), known: FxHashMap::default(), end: None };
    let known = context.known(values);
    let opens = builder.opens(&known, 0)?;
    if let Open::No = opens {
        return Ok(Vec::new());
    }
    let first = builder.node(0, values)?;
    let Builder { mut nodes, end, .. } = builder;
    for at in 0..nodes.len() {
        let mut node = nodes[at].clone();
        node.targets_mut().iter_mut().for_each(|to| *to = behind_jumps(&nodes, *to));
        nodes[at] = node;
    }
    let mut first = behind_jumps(&nodes, first);
    // Whoever waits behind the start of a `d_step` is a fault, and must not stand at the start now.
    if matches!(opens, Open::Yes) && may_wait(&nodes, first) {
        nodes.push(Node::Do(Action::Skip, first, 0));
        first = nodes.len() as u32 - 1;
    }
    let values = end.unwrap_or_else(|| values.into());
    let action = match &nodes[first as usize] {
        Node::Exit => None,
        // One statement alone is a step by itself.
        Node::Do(action @ (Action::Condition(_) | Action::Assign(..) | Action::Assert(_)), to, _)
            if matches!(nodes[*to as usize], Node::Exit) =>
        {
            Some(action.clone())
        }
        _ => Some(Action::Steps(Box::new(Steps { nodes: from(&nodes, first) }))),
    };
    Ok(vec![Outcome { action, values }])
}

/// Whether it may be impossible to go on at a node.
fn may_wait(nodes: &[Node], at: u32) -> bool {
    match &nodes[at as usize] {
        Node::Do(action, ..) => {
            matches!(action, Action::Condition(_) | Action::Send(_) | Action::Receive(_) | Action::Steps(_))
        }
        Node::Choose(options) => options.iter().all(|&option| may_wait(nodes, option)),
        Node::Jump(_) | Node::Exit => false,
    }
}

/// Where a chain of jumps leads.
fn behind_jumps(nodes: &[Node], mut at: u32) -> u32 {
    for _ in 0..nodes.len() {
        let Node::Jump(to) = nodes[at as usize] else { break };
        at = to;
    }
    at
}

/// The same nodes, in an order that begins with this one.
fn from(nodes: &[Node], first: u32) -> Vec<Node> {
    let mut order = vec![first];
    let mut at = 0;
    while at < order.len() {
        for &to in nodes[order[at] as usize].targets() {
            if !order.contains(&to) {
                order.push(to);
            }
        }
        at += 1;
    }
    let place = |node: u32| order.iter().position(|&other| other == node).map_or(0, |at| at as u32);
    let moved = |&number: &u32| match &nodes[number as usize] {
        Node::Do(action, to, statement) => Node::Do(action.clone(), place(*to), *statement),
        Node::Choose(options) => Node::Choose(options.iter().map(|&option| place(option)).collect()),
        Node::Jump(to) => Node::Jump(place(*to)),
        Node::Exit => Node::Exit,
    };
    order.iter().map(moved).collect()
}

impl Builder<'_, '_> {
    fn opens(&self, known: &Known<'_>, mut at: u32) -> Residue<Open> {
        for _ in 0..=self.steps.nodes.len() {
            match &self.steps.nodes[at as usize] {
                Node::Exit => return Ok(Open::Yes),
                Node::Jump(to) => at = *to,
                Node::Do(action, ..) => {
                    return Ok(match action {
                        Action::Condition(value) => match known.fold(value)? {
                            Expression::Number(0) => Open::No,
                            Expression::Number(_) => Open::Yes,
                            _ => Open::Maybe,
                        },
                        Action::Send(_) | Action::Receive(_) | Action::Steps(_) => Open::Maybe,
                        _ => Open::Yes,
                    });
                }
                Node::Choose(options) => {
                    let mut maybe = false;
                    for &option in options {
                        match self.opens(known, option)? {
                            Open::Yes => return Ok(Open::Yes),
                            Open::Maybe => maybe = true,
                            Open::No => {}
                        }
                    }
                    return Ok(if maybe { Open::Maybe } else { Open::No });
                }
            }
        }
        Ok(Open::No)
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Something that is changed in it must stay a variable: the first will do, the others follow.
    fn give_up(&self, values: &[i32], other: &[i32]) -> Unfoldable {
        let differs = values.iter().zip(other).position(|(a, b)| a != b).unwrap_or(0);
        Unfoldable(self.context.plan.folded().get(differs).copied().unwrap_or(Variable::Local(u32::MAX)))
    }

    /// The residual node of a node with these values.
    fn node(&mut self, at: u32, values: &[i32]) -> Residue<u32> {
        let key = (at, Box::from(values));
        if let Some(&node) = self.known.get(&key) {
            return Ok(node);
        }
        if self.nodes.len() > MOST_NODES {
            let mut other = values.to_vec();
            // Whatever has changed since the start makes it long.
            other.iter_mut().for_each(|value| *value = value.wrapping_add(1));
            return Err(self.give_up(values, &other));
        }
        let steps = self.steps;
        let node = match &steps.nodes[at as usize] {
            Node::Jump(to) => self.node(*to, values)?,
            Node::Exit => {
                match &self.end {
                    None => self.end = Some(values.into()),
                    Some(end) if **end == *values => {}
                    Some(end) => return Err(self.give_up(values, end)),
                }
                self.push(Node::Exit)
            }
            Node::Do(action, to, statement) => {
                // Its place is taken first: a loop comes back to it.
                let place = self.push(Node::Jump(0));
                self.known.insert(key, place);
                let node = self.step(action, *to, *statement, values)?;
                self.nodes[place as usize] = node;
                return Ok(place);
            }
            Node::Choose(options) => {
                let place = self.push(Node::Jump(0));
                self.known.insert(key, place);
                let node = self.choice(options, values)?;
                self.nodes[place as usize] = node;
                return Ok(place);
            }
        };
        self.known.insert(key, node);
        Ok(node)
    }

    fn step(&mut self, action: &Action, to: u32, statement: u32, values: &[i32]) -> Residue<Node> {
        let mut outcomes = self.context.outcomes(action, values)?;
        match outcomes.len() {
            0 => {
                let exit = self.push(Node::Exit);
                Ok(Node::Do(Action::Condition(Expression::Number(0)), exit, statement))
            }
            1 => {
                let Outcome { action, values } = outcomes.remove(0);
                let next = self.node(to, &values)?;
                Ok(match action {
                    None => Node::Jump(next),
                    Some(action) => Node::Do(action, next, statement),
                })
            }
            _ => {
                let mut options = Vec::new();
                for Outcome { action, values } in outcomes {
                    let next = self.node(to, &values)?;
                    options.push(self.push(Node::Do(action.unwrap_or(Action::Skip), next, statement)));
                }
                Ok(Node::Choose(options))
            }
        }
    }

    fn choice(&mut self, options: &[u32], values: &[i32]) -> Residue<Node> {
        let known = self.context.known(values);
        let mut left = Vec::new();
        let mut sure = false;
        for &option in options {
            match self.opens(&known, option)? {
                Open::No => {}
                Open::Maybe => left.push(option),
                Open::Yes => {
                    left.push(option);
                    sure = true;
                    break;
                }
            }
        }
        let mut nodes: Vec<u32> = left.iter().map(|&option| self.node(option, values)).collect::<Residue<_>>()?;
        match (nodes.len(), sure) {
            (0, _) => {
                let exit = self.push(Node::Exit);
                Ok(Node::Do(Action::Condition(Expression::Number(0)), exit, 0))
            }
            (1, _) => Ok(Node::Jump(nodes[0])),
            (last, true) => {
                // The first that is possible is taken, and the last is possible always.
                let inner = nodes[last - 1];
                nodes[last - 1] = self.push(Node::Do(Action::Else, inner, 0));
                Ok(Node::Choose(nodes))
            }
            _ => Ok(Node::Choose(nodes)),
        }
    }
}

/// A way through a `d_step`: what must hold before it, and what is done.
#[derive(Clone, Default)]
struct Path {
    asked: Vec<Expression>,
    done: Vec<(Action, u32)>,
    values: Box<[i32]>,
}

/// All ways through a `d_step`; none if they cannot be told apart from its start.
fn paths(context: &Context<'_>, steps: &Steps, values: &[i32]) -> Residue<Option<Vec<Outcome>>> {
    let mut open = vec![(0u32, Path { values: values.into(), ..Path::default() }, true)];
    let mut found: Vec<Path> = Vec::new();
    let mut looked = 0;
    while let Some((at, path, first)) = open.pop() {
        looked += 1;
        if looked > MOST_NODES || open.len() + found.len() > MOST_PATHS {
            return Ok(None);
        }
        match &steps.nodes[at as usize] {
            Node::Exit => found.push(path),
            Node::Jump(to) => open.push((*to, path, first)),
            Node::Do(action, to, statement) => {
                let outcomes = context.outcomes(action, &path.values)?;
                // Whoever stands still inside of a `d_step` is a fault, at its start it only waits.
                let waits =
                    matches!(action, Action::Condition(_) | Action::Send(_) | Action::Receive(_) | Action::Steps(_));
                let open_end = outcomes.is_empty() || outcomes.iter().any(|outcome| outcome.action.is_some());
                if !first && waits && open_end {
                    return Ok(None);
                }
                for outcome in outcomes {
                    let mut next = Path { values: outcome.values, ..path.clone() };
                    match outcome.action {
                        None => {}
                        Some(Action::Condition(asked)) if next.asks(asked.clone()) => {}
                        Some(Action::Condition(_)) => return Ok(None),
                        Some(done) => next.done.push((done, *statement)),
                    }
                    open.push((*to, next, false));
                }
            }
            Node::Choose(options) => {
                let known = context.known(&path.values);
                let mut before = path.clone();
                let mut sure = false;
                for &option in options {
                    let Some(guard) = first_guard(steps, &known, option)? else { return Ok(None) };
                    match guard {
                        Expression::Number(0) => continue,
                        Expression::Number(_) => {
                            open.push((option, before.clone(), first));
                            sure = true;
                            break;
                        }
                        guard => {
                            // Asked here, and not again at the option itself.
                            let mut taken = before.clone();
                            if !taken.asks(guard.clone()) || !before.asks(negated(guard)) {
                                return Ok(None);
                            }
                            let behind = behind_guard(steps, option);
                            open.push((behind, taken, false));
                        }
                    }
                }
                if !sure && !first {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(found.into_iter().map(Path::outcome).collect()))
}

/// The condition under which an option is taken; none if it is no condition.
fn first_guard(steps: &Steps, known: &Known<'_>, option: u32) -> Residue<Option<Expression>> {
    let at = behind_jumps(&steps.nodes, option);
    Ok(match &steps.nodes[at as usize] {
        Node::Do(Action::Condition(value), ..) => Some(known.fold(value)?),
        Node::Do(Action::Send(_) | Action::Receive(_) | Action::Steps(_), ..) | Node::Choose(_) => None,
        _ => Some(Expression::Number(1)),
    })
}

/// The node behind the condition of an option.
fn behind_guard(steps: &Steps, option: u32) -> u32 {
    let at = behind_jumps(&steps.nodes, option);
    match steps.nodes[at as usize] {
        Node::Do(Action::Condition(_), to, _) => to,
        _ => at,
    }
}

impl Path {
    /// Asks something before all that is done; whether that is the same as asking it now.
    fn asks(&mut self, asked: Expression) -> bool {
        let apart = self.done.iter().all(|(action, _)| !may_change(action, &asked) && !may_go_wrong(action));
        self.asked.push(asked);
        apart
    }

    fn outcome(self) -> Outcome {
        let asked = self.asked.into_iter().reduce(|a, b| Expression::Binary(Binary::And, Box::new((a, b))));
        let mut all: Vec<(Action, u32)> = asked.map(|asked| (Action::Condition(asked), 0)).into_iter().collect();
        all.extend(self.done);
        let action = match all.len() {
            0 => None,
            1 => Some(all.remove(0).0),
            count => {
                let node =
                    |(at, (action, statement)): (usize, (Action, u32))| Node::Do(action, at as u32 + 1, statement);
                let mut nodes: Vec<Node> = all.into_iter().enumerate().map(node).collect();
                nodes.push(Node::Exit);
                debug_assert_eq!(nodes.len(), count + 1);
                Some(Action::Steps(Box::new(Steps { nodes })))
            }
        };
        Outcome { action, values: self.values }
    }
}

/// Whether an action can change the value of an expression.
fn may_change(action: &Action, value: &Expression) -> bool {
    let mut written: Vec<(bool, u32)> = Vec::new();
    let mut anything = false;
    match action {
        Action::Assign(Some(place), _) => written.extend(cells(place).into_iter().map(|cell| (place.local, cell))),
        Action::Assign(None, _) | Action::Assert(_) | Action::Print(_) | Action::Condition(_) => {}
        _ => anything = true,
    }
    let mut changes = anything;
    value.visit(&mut |part| {
        changes |= match part {
            Expression::Global(cell) => written.contains(&(false, *cell)),
            Expression::Local(cell) => written.contains(&(true, *cell)),
            Expression::Element(place) => cells(place).iter().any(|cell| written.contains(&(place.local, *cell))),
            _ => false,
        };
    });
    changes
}

/// Whether doing an action can be a fault.
fn may_go_wrong(action: &Action) -> bool {
    let mut wrong = matches!(action, Action::Assert(_));
    super::values(action, &mut |value| wrong |= may_fail(value));
    super::places(action, &mut |place| wrong |= !place.indices.is_empty());
    wrong
}
