//! From the graph of a body to its automaton: which elements are states, and what leads from each to which.

use super::flow::{Flow, Id, Jump, Kind, SeqId};
use super::merge::{self, Facts, Plan};
use crate::data::{Action, Node, State, Steps, Then, Transition};
use prequel_formats::promela::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What an element contributes.
#[derive(Clone, Debug)]
enum Row {
    Single(Step),
    /// Elements that it leads into without a step.
    Choice(Vec<Id>),
}

/// A step with elements for states.
#[derive(Clone, Debug)]
struct Step {
    element: Id,
    atomic: bool,
    target: Option<Id>,
    escapes: Vec<Id>,
    escape: Id,
    action: Action,
    then: Vec<Then>,
}

/// The automaton of a body.
pub struct Table {
    /// States; the first is where a process starts.
    pub states: Vec<State>,
    /// The state that an element became, if it can be reached.
    pub state_of: FxHashMap<Id, u32>,
    /// A state with more than one `else`.
    pub elses: Option<Span>,
}

/// Hops that are followed through jumps; SPIN gives up at the same number.
const MOST_HOPS: usize = 500;

/// Makes the automaton. `targets` tells what each label jump leads to; `statement` numbers statements by their places. Where
/// there are `facts`, steps are put together and dead variables reset.
pub fn build(
    flow: &mut Flow,
    body: SeqId,
    targets: &[Id],
    facts: Option<&Facts>,
    statement: &mut dyn FnMut(Span) -> u32,
) -> Table {
    let (rows, done) = (FxHashMap::default(), FxHashSet::default());
    let mut builder = Builder { flow, targets, plan: Plan::default(), rows, done, statement };
    builder.links();
    if let Some(facts) = facts {
        builder.plan = merge::plan(&builder, body, facts);
    }
    builder.sequence(body);
    let first = builder.flow.sequences[body].first.unwrap_or(0);
    let start = builder.hunt(first, builder.flow.elements[first].atomic);
    let (mut lists, mut marked) = builder.expand();
    builder.escapes(&mut lists);
    for element in 0..builder.flow.elements.len() {
        if let (Kind::Joint, Some([step])) =
            (&builder.flow.elements[element].kind, lists.get(&element).map(Vec::as_slice))
        {
            for marked in marked.iter_mut().filter(|marked| marked.contains(&element)) {
                marked.extend(step.target);
            }
        }
    }
    number(flow, start, &lists, &marked, statement)
}

pub struct Builder<'a> {
    pub flow: &'a mut Flow,
    targets: &'a [Id],
    plan: Plan,
    rows: FxHashMap<Id, Row>,
    done: FxHashSet<Id>,
    statement: &'a mut dyn FnMut(Span) -> u32,
}

impl Builder<'_> {
    /// What follows a block follows its last element.
    fn links(&mut self) {
        // Outer blocks were made after the inner ones, so going backwards the outer link is there first.
        for element in (0..self.flow.elements.len()).rev() {
            if let Kind::Atomic(inner) | Kind::Plain(inner) | Kind::DStep(inner) = self.flow.elements[element].kind
                && let Some(last) = self.flow.sequences[inner].last
            {
                self.flow.elements[last].next = self.flow.elements[element].next;
            }
        }
    }

    fn jump(&self, jump: &Jump) -> Id {
        match jump {
            Jump::Label(number) => self.targets[*number],
            Jump::Loop(number) => self.flow.exits[*number],
        }
    }

    /// The state that control comes to at an element: jumps and joints are passed through, but an atomic step does not leave
    /// its `atomic` on the way.
    pub fn hunt(&self, from: Id, atomic: bool) -> Id {
        self.hunt_to(from, atomic, Id::MAX)
    }

    /// The same, but no further than to an element.
    fn hunt_to(&self, from: Id, atomic: bool, end: Id) -> Id {
        let mut at = from;
        for _ in 0..MOST_HOPS {
            if at == end {
                break;
            }
            let next = match &self.flow.elements[at].kind {
                Kind::Goto(jump) => {
                    let to = self.jump(jump);
                    if to == at {
                        break;
                    }
                    to
                }
                Kind::Joint | Kind::Exit => match self.flow.elements[at].next {
                    Some(next) => next,
                    None => break,
                },
                Kind::Unless(body, _) => match self.flow.sequences[*body].first {
                    Some(first) => self.hunt_to(first, atomic, end),
                    None => break,
                },
                _ => break,
            };
            if atomic && !self.flow.elements[next].atomic {
                break;
            }
            at = next;
        }
        at
    }

    /// The first element of an option or block.
    pub fn start(&self, sequence: SeqId) -> Id {
        let mut at = self.flow.sequences[sequence].first.unwrap_or(0);
        for _ in 0..MOST_HOPS {
            at = match (&self.flow.elements[at].kind, self.flow.elements[at].next) {
                (Kind::Joint, Some(next)) => next,
                (Kind::Unless(body, _), _) => self.flow.sequences[*body].first.unwrap_or(at),
                _ => break,
            };
        }
        at
    }

    fn sequence(&mut self, sequence: SeqId) {
        let mut at = self.flow.sequences[sequence].first;
        while let Some(element) = at {
            if self.done.insert(element) {
                self.element(element);
            }
            if Some(element) == self.flow.sequences[sequence].last {
                break;
            }
            at = self.flow.elements[element].next;
        }
    }

    fn element(&mut self, element: Id) {
        match self.flow.elements[element].kind.clone() {
            Kind::Unless(body, _) => self.sequence(body),
            Kind::Select(options) => {
                let starts = options.iter().map(|&option| self.start(option)).collect();
                self.rows.insert(element, Row::Choice(starts));
                for option in options {
                    self.sequence(option);
                }
            }
            Kind::Atomic(inner) | Kind::Plain(inner) => {
                self.patch(inner);
                let start = self.start(inner);
                self.rows.insert(element, Row::Choice(vec![start]));
                self.sequence(inner);
            }
            Kind::DStep(inner) => {
                self.patch(inner);
                let action = Action::Steps(Box::new(self.steps(inner, element)));
                self.single(element, action);
            }
            Kind::Joint | Kind::Exit | Kind::Goto(_) => self.single(element, Action::Skip),
            Kind::Else => self.single(element, Action::Else),
            Kind::End => self.single(element, Action::End),
            Kind::Basic(action) => self.single(element, action),
        }
    }

    fn single(&mut self, element: Id, action: Action) {
        let atomic = self.flow.elements[element].atomic;
        let target = self.next(element).map(|next| self.hunt(next, atomic));
        let (then, target, last) = self.then(element, target);
        let mut escapes = Vec::new();
        if self.flow.elements[element].kind != Kind::Joint {
            for escape in self.flow.elements[element].escapes.clone() {
                if let Some(first) = self.flow.sequences[escape].first {
                    escapes.push(self.hunt(first, atomic));
                }
                self.sequence(escape);
            }
        }
        let atomic = self.flow.elements[last].atomic;
        self.rows.insert(element, Row::Single(Step { element, atomic, target, escapes, escape: 0, action, then }));
    }

    /// The element that control goes to behind an element.
    pub fn next(&self, element: Id) -> Option<Id> {
        match &self.flow.elements[element].kind {
            Kind::Goto(jump) => Some(self.jump(jump)),
            Kind::End => None,
            _ => self.flow.elements[element].next,
        }
    }

    /// What is done in the same step after an element, where the step ends, and its last element.
    fn then(&mut self, element: Id, target: Option<Id>) -> (Vec<Then>, Option<Id>, Id) {
        let resets = |element: Id| self.plan.dead.get(&element).into_iter().flatten().map(|&cell| Then::Reset(cell));
        let alone: Vec<Then> = resets(element).collect();
        let Some(end) = self.plan.end(element) else { return (alone, target, element) };
        let (mut then, mut last) = (alone.clone(), element);
        let mut noticed = usize::from(self.plan.visible.contains(&element));
        let mut at = element;
        loop {
            let Some(next) = self.next(at) else { return (alone, target, element) };
            let next = match self.flow.elements[at].kind {
                Kind::Goto(_) => self.hunt_to(next, self.flow.elements[at].atomic, end),
                _ => next,
            };
            if next == end {
                break;
            }
            if !self.plan.inside(next) {
                if self.hunt_to(next, self.flow.elements[at].atomic, end) == end {
                    break;
                }
                return (alone, target, element);
            }
            at = next;
            noticed += usize::from(self.plan.visible.contains(&at));
            if noticed > 1 {
                return (alone, target, element);
            }
            let action = match &self.flow.elements[at].kind {
                Kind::Basic(action) => action.clone(),
                _ => Action::Skip,
            };
            then.push(Then::Do {
                action,
                statement: (self.statement)(self.flow.elements[at].span),
                element: at as u32,
            });
            then.extend(resets(at));
            last = at;
        }
        (then, Some(end), last)
    }

    /// A jump out of an `atomic` ends it; a jump from the end of one into another bridges them.
    fn patch(&mut self, sequence: SeqId) {
        let mut at = self.flow.sequences[sequence].first;
        while let Some(element) = at {
            match self.flow.elements[element].kind.clone() {
                Kind::Goto(jump) => {
                    let to = self.jump(&jump);
                    let inside = self.flow.elements[to].atomic || self.flow.elements[to].last;
                    let from = &mut self.flow.elements[element];
                    if (from.atomic || from.last) && !inside {
                        (from.atomic, from.last) = (false, true);
                    }
                    if from.last && inside {
                        (from.atomic, from.last) = (true, false);
                    }
                }
                Kind::Select(options) => {
                    for option in options {
                        self.patch(option);
                    }
                }
                Kind::Unless(body, escape) => {
                    self.patch(body);
                    self.patch(escape);
                }
                _ => {}
            }
            if Some(element) == self.flow.sequences[sequence].extent {
                break;
            }
            at = self.flow.elements[element].next;
        }
    }

    /// The automaton inside a `d_step`.
    fn steps(&mut self, inner: SeqId, outer: Id) -> Steps {
        let exit = self.flow.elements[outer].next;
        let mut nodes = vec![Node::Jump(0)];
        let mut numbers: FxHashMap<Id, u32> = FxHashMap::default();
        let mut pending = Vec::new();
        let first = self.flow.sequences[inner].first.unwrap_or(outer);
        let mut number = |nodes: &mut Vec<Node>, pending: &mut Vec<Id>, element: Option<Id>| match element {
            Some(element) if Some(element) != exit => *numbers.entry(element).or_insert_with(|| {
                nodes.push(Node::Exit);
                pending.push(element);
                nodes.len() as u32 - 1
            }),
            _ => {
                nodes.push(Node::Exit);
                nodes.len() as u32 - 1
            }
        };
        nodes[0] = Node::Exit;
        let start = number(&mut nodes, &mut pending, Some(first));
        nodes[0] = Node::Jump(start);
        while let Some(element) = pending.pop() {
            let at = number(&mut nodes, &mut pending, Some(element)) as usize;
            let (span, next) = (self.flow.elements[element].span, self.flow.elements[element].next);
            nodes[at] = match self.flow.elements[element].kind.clone() {
                Kind::Joint | Kind::Exit => Node::Jump(number(&mut nodes, &mut pending, next)),
                Kind::Goto(jump) => {
                    let to = number(&mut nodes, &mut pending, Some(self.jump(&jump)));
                    Node::Do(Action::Skip, to, (self.statement)(span))
                }
                Kind::Select(options) => {
                    let firsts = options.iter().map(|&option| self.flow.sequences[option].first);
                    Node::Choose(firsts.map(|first| number(&mut nodes, &mut pending, first)).collect())
                }
                Kind::Unless(body, _) | Kind::Atomic(body) | Kind::Plain(body) | Kind::DStep(body) => {
                    Node::Jump(number(&mut nodes, &mut pending, self.flow.sequences[body].first))
                }
                // Options are tried in order and `else` is the last.
                Kind::Else => Node::Do(Action::Skip, number(&mut nodes, &mut pending, next), (self.statement)(span)),
                Kind::Basic(action) => Node::Do(action, number(&mut nodes, &mut pending, next), (self.statement)(span)),
                Kind::End => Node::Exit,
            };
        }
        Steps { nodes }
    }

    /// The steps of every element, with what it leads into without a step put in its place; and the elements whose labels say something.
    fn expand(&self) -> (FxHashMap<Id, Vec<Step>>, Marked) {
        let count = self.flow.elements.len();
        let mut marked: Marked = MARKS.map(|prefix| {
            let is_end = |element: Id| prefix == "end" && self.flow.elements[element].kind == Kind::End;
            (0..count).filter(|&element| self.flow.labelled(element, &[prefix]) || is_end(element)).collect()
        });
        let mut choices: FxHashMap<Id, Vec<Id>> = FxHashMap::default();
        for element in 0..count {
            if let Some(Row::Choice(options)) = self.rows.get(&element) {
                let mut leaves = Vec::new();
                let mut above = vec![element];
                self.leaves(options, &mut above, &mut leaves, &mut marked);
                choices.insert(element, leaves);
            }
        }
        let mut lists = FxHashMap::default();
        for element in 0..count {
            match self.rows.get(&element) {
                None => {}
                Some(Row::Single(step)) => {
                    lists.insert(element, vec![step.clone()]);
                }
                Some(Row::Choice(_)) => {
                    let mut list = Vec::new();
                    for leaf in &choices[&element] {
                        if let Some(Row::Single(step)) = self.rows.get(leaf) {
                            // The label of a guard counts for the state behind it: the guard itself is no state.
                            for marked in marked.iter_mut().filter(|marked| marked.contains(leaf)) {
                                marked.extend(step.target);
                            }
                            list.push(step.clone());
                        }
                    }
                    lists.insert(element, list);
                }
            }
        }
        (lists, marked)
    }

    fn leaves(&self, options: &[Id], above: &mut Vec<Id>, leaves: &mut Vec<Id>, marked: &mut Marked) {
        for &option in options {
            match self.rows.get(&option) {
                Some(Row::Choice(inner)) if !above.contains(&option) => {
                    marked.iter_mut().filter(|marked| marked.contains(&option)).for_each(|marked| marked.extend(inner));
                    above.push(option);
                    self.leaves(inner, above, leaves, marked);
                    above.pop();
                }
                Some(Row::Choice(_)) => {}
                _ => leaves.push(option),
            }
        }
    }

    /// Puts the steps of escapes in front of what they escape from.
    fn escapes(&self, lists: &mut FxHashMap<Id, Vec<Step>>) {
        for element in 0..self.flow.elements.len() {
            let Some(own) = lists.get(&element).cloned() else { continue };
            let mut list = own.clone();
            for step in &own {
                for &escape in step.escapes.iter().rev() {
                    for other in lists.get(&escape).cloned().unwrap_or_default() {
                        if list.iter().all(|there| there.element != other.element) {
                            list.insert(0, Step { escape: escape + 1, ..other });
                        }
                    }
                }
            }
            lists.insert(element, list);
        }
    }
}

/// What the names of labels begin with that say something of a state: it is a place to end, one that no run may come to again and
/// again, one where progress is made.
const MARKS: [&str; 3] = ["end", "accept", "progress"];

/// The elements with such labels, for each of them.
type Marked = [FxHashSet<Id>; 3];

/// Numbers the states that can be reached.
fn number(
    flow: &Flow,
    start: Id,
    lists: &FxHashMap<Id, Vec<Step>>,
    marked: &Marked,
    statement: &mut dyn FnMut(Span) -> u32,
) -> Table {
    let mut state_of: FxHashMap<Id, u32> = FxHashMap::default();
    state_of.insert(start, 0);
    let mut order = vec![start];
    let mut at = 0;
    while let Some(&element) = order.get(at) {
        at += 1;
        for target in lists.get(&element).into_iter().flatten().filter_map(|step| step.target) {
            state_of.entry(target).or_insert_with(|| {
                order.push(target);
                order.len() as u32 - 1
            });
        }
    }
    let mut elses = None;
    let mut states = Vec::with_capacity(order.len());
    for element in order {
        let steps = lists.get(&element).map_or(&[][..], Vec::as_slice);
        if steps.iter().filter(|step| step.action == Action::Else).count() > 1 {
            elses = Some(flow.elements[element].span);
        }
        let transition = |step: &Step| Transition {
            action: step.action.clone(),
            target: step.target.map(|target| state_of[&target]),
            atomic: step.atomic,
            escape: step.escape as u32,
            statement: statement(flow.elements[step.element].span),
            element: step.element as u32,
            then: step.then.clone().into(),
        };
        let transitions = steps.iter().map(transition).collect();
        let [end, accept, progress] = [0, 1, 2].map(|at| marked[at].contains(&element));
        states.push(State { transitions, end, accept, progress, ..State::default() });
    }
    Table { states, state_of, elses }
}
