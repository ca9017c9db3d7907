//! What SPIN does to a body by default: variables that nobody reads any more are set to zero, and steps that nobody else can
//! notice are put together with the step before them.
//!
//! | SPIN (`pangen5.c`, `pangen2.c`) | here |
//! | --- | --- |
//! | `ana_seq`, `FSM_EDGE`: the graph of a body | [`Graph::of`] |
//! | `ana_stmnt`: what a statement reads and sets | [`uses`] |
//! | `FSM_ANA`, `FSM_DFS`, `good_dead`: what is dead behind a statement | [`Graph::dead`] |
//! | `FSM_MERGER`, `build_step`, `eligible`, `canfill_in`: what is put together | [`Graph::merge`] |
//! | `case_cache`: the statements of a merged step | `table.rs` |
//!
//! SPIN takes `x = a[g]` and `x = run P()` for local steps. One such step among local ones can be taken together with them; with
//! two, others could move in between, so a step that would have two is not merged here (`table.rs`). `xr` and `xs` are not
//! believed.

use super::flow::{Flow, Id, Idle, Kind};
use super::table::Builder;
use crate::data::Action;
use crate::expression::{Expression, Pattern, Place, Receive};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// What must be known of a model and a proctype.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Cells of the frame that are variables of their own: no part of an array or record, no channels.
    pub plain: FixedBitSet,
    /// Global cells that were declared `local`.
    pub promised: FxHashSet<u32>,
    /// Elements whose labels others look at.
    pub watched: FxHashSet<Id>,
    /// Some channel of the model is a rendezvous channel.
    pub rendezvous: bool,
    /// Steps may be put together: no `provided` and no priorities in the model.
    pub merging: bool,
}

/// What becomes of the elements of a body.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Cells that are set to zero after an element.
    pub dead: FxHashMap<Id, Vec<u32>>,
    /// The element where the step that starts or goes on with an element ends.
    pub merge: FxHashMap<Id, Id>,
    /// Elements that can follow a guard, but no other step.
    pub single: FxHashMap<Id, Id>,
    /// The element where the step of a guard ends.
    pub start: FxHashMap<Id, Id>,
    /// Elements outside of `atomic` that others can notice, whatever SPIN takes them for.
    pub visible: FxHashSet<Id>,
}

impl Plan {
    /// Whether an element may be inside of a merged step.
    pub fn inside(&self, element: Id) -> bool {
        self.merge.contains_key(&element) || self.single.contains_key(&element)
    }

    /// Where the step of an element ends, if others are put together with it.
    pub fn end(&self, element: Id) -> Option<Id> {
        self.start.get(&element).or_else(|| self.merge.get(&element)).copied()
    }
}

/// Makes the plan for a body whose blocks are linked.
pub fn plan(builder: &Builder<'_>, body: super::flow::SeqId, facts: &Facts) -> Plan {
    let mut graph = Graph { flow: builder.flow, facts, edges: FxHashMap::default(), order: Vec::new() };
    graph.of(builder, body, &mut FxHashSet::default());
    let mut plan = Plan { dead: graph.dead(), ..Plan::default() };
    plan.visible = graph.order.iter().copied().filter(|&element| graph.visible(element)).collect();
    if facts.merging {
        graph.merge(&mut plan);
    }
    plan
}

/// An edge of the graph: the element that is executed, none for an escape, and where it leads.
type Edge = (Option<Id>, Option<Id>);

struct Graph<'a> {
    flow: &'a Flow,
    facts: &'a Facts,
    edges: FxHashMap<Id, Vec<Edge>>,
    /// States in the order in which they were met.
    order: Vec<Id>,
}

/// What a statement is to SPIN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    Condition,
    Run,
    Receive,
    Send,
    /// An assignment of something other than zero, or of zero.
    Assignment {
        zero: bool,
    },
    /// An assertion, a print, a jump, a joint.
    Other,
    /// No part of a merged step.
    Never,
}

/// What a statement reads and sets.
#[derive(Debug, Default)]
struct Uses {
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// It reads or sets something global by name, as far as SPIN looks.
    global: bool,
    /// It is global in another way.
    hidden: bool,
}

impl Graph<'_> {
    fn state(&mut self, element: Id) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.edges.entry(element) {
            entry.insert(Vec::new());
            self.order.push(element);
        }
    }

    /// Later edges of a state come first.
    fn edge(&mut self, from: Id, to: Option<Id>, element: Option<Id>) {
        self.state(from);
        self.edges.entry(from).or_default().insert(0, (element, to));
        if let Some(to) = to {
            self.state(to);
        }
    }

    fn of(&mut self, builder: &Builder<'_>, sequence: super::flow::SeqId, done: &mut FxHashSet<Id>) {
        let flow = self.flow;
        let mut at = flow.sequences[sequence].first;
        while let Some(element) = at {
            if done.insert(element) {
                self.element(builder, element, done);
            }
            if Some(element) == flow.sequences[sequence].last {
                break;
            }
            at = flow.elements[element].next;
        }
    }

    fn element(&mut self, builder: &Builder<'_>, element: Id, done: &mut FxHashSet<Id>) {
        let flow = self.flow;
        match &flow.elements[element].kind {
            Kind::Unless(body, _) => self.of(builder, *body, done),
            Kind::Select(options) => {
                for &option in options {
                    let first = builder.start(option);
                    let never = Kind::Basic(Action::Condition(Expression::Number(0)));
                    if flow.elements[first].kind != never || !flow.elements[first].escapes.is_empty() {
                        self.edge(element, Some(first), Some(element));
                    }
                }
                for &option in options {
                    self.of(builder, option, done);
                }
            }
            Kind::Atomic(inner) | Kind::Plain(inner) | Kind::DStep(inner) => {
                self.edge(element, Some(builder.start(*inner)), Some(element));
                self.of(builder, *inner, done);
            }
            kind => {
                let target = builder.next(element).map(|next| builder.hunt(next, flow.elements[element].atomic));
                self.edge(element, target, Some(element));
                if matches!(kind, Kind::Goto(_) | Kind::Joint) {
                    return;
                }
                for &escape in &flow.elements[element].escapes {
                    self.edge(element, Some(builder.start(escape)), None);
                    self.of(builder, escape, done);
                }
            }
        }
    }

    fn sort(&self, element: Id) -> Sort {
        let it = &self.flow.elements[element];
        let Kind::Basic(action) = &it.kind else {
            return match it.kind {
                Kind::Joint | Kind::Goto(_) | Kind::Exit => Sort::Other,
                _ => Sort::Never,
            };
        };
        match action {
            Action::Skip if it.idle == Idle::Skip => Sort::Condition,
            Action::Condition(_) => Sort::Condition,
            Action::Run(run) if run.into.is_none() => Sort::Run,
            Action::Skip | Action::Run(_) => Sort::Assignment { zero: false },
            Action::Assign(_, value) => Sort::Assignment { zero: *value == Expression::Number(0) },
            Action::Receive(_) => Sort::Receive,
            Action::Send(_) => Sort::Send,
            Action::Assert(_) | Action::Print(_) => Sort::Other,
            Action::Else | Action::End | Action::Steps(_) | Action::SetPriority(_) => Sort::Never,
        }
    }

    fn uses(&self, element: Id) -> Uses {
        let mut found = Uses::default();
        if let Kind::Basic(action) = &self.flow.elements[element].kind {
            uses(action, &self.facts.promised, &mut found);
        }
        found
    }

    /// The cells that are set to zero after each element.
    fn dead(&self) -> FxHashMap<Id, Vec<u32>> {
        let all: FxHashMap<Id, Uses> = self.order.iter().map(|&element| (element, self.uses(element))).collect();
        let mut dead: FxHashMap<Id, Vec<u32>> = FxHashMap::default();
        for &element in &self.order {
            let target = self.edges[&element].iter().find(|(executed, _)| *executed == Some(element));
            let Some(&(_, target)) = target else { continue };
            let sort = self.sort(element);
            // SPIN has room for an old value in these statements only.
            let reads = matches!(sort, Sort::Condition | Sort::Run | Sort::Receive);
            let writes = sort != Sort::Assignment { zero: true };
            let uses = &all[&element];
            let candidates = uses.reads.iter().filter(|_| reads).chain(uses.writes.iter().filter(|_| writes));
            for &cell in candidates {
                let known = dead.get(&element).is_some_and(|cells| cells.contains(&cell));
                if self.facts.plain.contains(cell as usize) && !known && !self.live(target, cell, &all) {
                    dead.entry(element).or_default().push(cell);
                }
            }
        }
        dead
    }

    /// Whether a cell may be read before it is set, from a state on.
    fn live(&self, from: Option<Id>, cell: u32, all: &FxHashMap<Id, Uses>) -> bool {
        let mut seen: FxHashSet<Id> = FxHashSet::default();
        let mut open: Vec<Id> = from.into_iter().collect();
        while let Some(state) = open.pop() {
            if !seen.insert(state) {
                continue;
            }
            for &(element, target) in &self.edges[&state] {
                if let Some(uses) = element.and_then(|element| all.get(&element)) {
                    if uses.reads.contains(&cell) {
                        return true;
                    }
                    if uses.writes.contains(&cell) {
                        continue;
                    }
                }
                open.extend(target);
            }
        }
        false
    }

    /// The one edge of a state, if nobody else can notice when it is taken and it cannot block.
    fn eligible(&self, state: Id) -> Option<Edge> {
        let &[(Some(element), target)] = self.edges.get(&state)?.as_slice() else { return None };
        let it = &self.flow.elements[element];
        let blocked =
            matches!(self.sort(element), Sort::Never | Sort::Condition | Sort::Run | Sort::Receive | Sort::Send);
        let labelled = it.kind == Kind::Exit || self.flow.labelled(element, &[""]);
        let open = !blocked && !labelled && it.escapes.is_empty() && !self.facts.watched.contains(&element);
        (open && self.unnoticed(element)).then_some((Some(element), target))
    }

    fn visible(&self, element: Id) -> bool {
        let (it, uses) = (&self.flow.elements[element], self.uses(element));
        !it.atomic && !it.last && (uses.global || uses.hidden)
    }

    /// Inside an `atomic`, or about local variables only.
    fn unnoticed(&self, element: Id) -> bool {
        let it = &self.flow.elements[element];
        it.atomic || it.last || !self.uses(element).global
    }

    /// Which steps are put together.
    fn merge(&self, plan: &mut Plan) {
        for &state in self.order.iter().rev() {
            let Some((Some(element), target)) = self.eligible(state) else { continue };
            if plan.merge.contains_key(&element) {
                continue;
            }
            match target.filter(|&next| self.eligible(next).is_some()) {
                Some(_) => self.chain(state, plan),
                None => {
                    plan.single.extend(target.map(|target| (element, target)));
                }
            }
        }
        for &state in self.order.iter().rev() {
            let &[(Some(element), Some(target))] = self.edges[&state].as_slice() else { continue };
            let guard = match self.sort(element) {
                Sort::Condition | Sort::Receive => true,
                // A rendezvous gives control away.
                Sort::Send => !self.facts.rendezvous,
                _ => false,
            };
            let free = self.flow.elements[element].escapes.is_empty() && !self.facts.watched.contains(&element);
            if !guard || !free || !self.unnoticed(element) {
                continue;
            }
            let Some(&(Some(next), _)) = self.edges[&target].first() else { continue };
            if let Some(&end) = plan.merge.get(&next).or_else(|| plan.single.get(&next)) {
                plan.start.insert(element, end);
            }
        }
    }

    /// Puts together all steps from a state on.
    fn chain(&self, from: Id, plan: &mut Plan) {
        let mut chain: Vec<(Id, Id)> = Vec::new();
        let (mut at, mut end) = (from, None);
        while let Some((Some(element), Some(target))) = self.eligible(at) {
            if let Some(&known) = plan.merge.get(&element) {
                end = Some(known);
                break;
            }
            if chain.iter().any(|&(other, _)| other == element) {
                break;
            }
            chain.push((element, target));
            at = target;
        }
        for (element, target) in chain.into_iter().rev() {
            let last = *end.get_or_insert(target);
            plan.merge.insert(element, last);
        }
    }
}

fn uses(action: &Action, promised: &FxHashSet<u32>, out: &mut Uses) {
    match action {
        Action::Skip | Action::Else | Action::End | Action::Steps(_) => {}
        Action::Condition(value) | Action::Assert(value) => reads(value, promised, out),
        Action::Assign(place, value) => {
            reads(value, promised, out);
            place.iter().for_each(|place| writes(place, promised, out));
        }
        Action::Print(values) => values.iter().for_each(|value| reads(value, promised, out)),
        Action::Send(send) => {
            out.global = true;
            reads(&send.channel, promised, out);
            send.arguments.iter().for_each(|value| reads(value, promised, out));
        }
        Action::Receive(receive) => {
            message(receive, promised, out);
            for pattern in &receive.patterns {
                if let Pattern::Store(place) = pattern {
                    writes(place, promised, out);
                }
            }
        }
        Action::Run(run) => {
            // Global arguments are no reason for SPIN to take the step for a global one.
            let global = out.global;
            run.arguments.iter().for_each(|value| reads(value, promised, out));
            (out.global, out.hidden) = (global, true);
            run.into.iter().for_each(|place| writes(place, promised, out));
        }
        Action::SetPriority(pair) => {
            out.global = true;
            reads(&pair.0, promised, out);
            reads(&pair.1, promised, out);
        }
    }
}

fn message(receive: &Receive, promised: &FxHashSet<u32>, out: &mut Uses) {
    out.global = true;
    reads(&receive.channel, promised, out);
    for pattern in &receive.patterns {
        if let Pattern::Match(value) = pattern {
            reads(value, promised, out);
        }
    }
}

fn writes(place: &Place, promised: &FxHashSet<u32>, out: &mut Uses) {
    indices(place, promised, out);
    if place.local && place.indices.is_empty() {
        out.writes.push(place.offset);
    }
}

fn indices(place: &Place, promised: &FxHashSet<u32>, out: &mut Uses) {
    let global = out.global || (!place.local && !promised.contains(&place.offset));
    place.indices.iter().for_each(|index| reads(&index.at, promised, out));
    out.hidden |= out.global && !global;
    out.global = global;
}

fn reads(expression: &Expression, promised: &FxHashSet<u32>, out: &mut Uses) {
    match expression {
        Expression::Number(_) | Expression::Pid => {}
        Expression::Global(cell) => out.global |= !promised.contains(cell),
        Expression::Local(cell) => out.reads.push(*cell),
        Expression::Element(place) => indices(place, promised, out),
        Expression::Unary(_, a) => reads(a, promised, out),
        Expression::Binary(_, pair) => {
            reads(&pair.0, promised, out);
            reads(&pair.1, promised, out);
        }
        Expression::Conditional(parts) => {
            [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| reads(part, promised, out));
        }
        Expression::Length(channel) | Expression::Probe(_, channel) => {
            out.global = true;
            reads(channel, promised, out);
        }
        Expression::Poll(receive) => message(receive, promised, out),
        Expression::Timeout | Expression::NonProgress | Expression::ProcessCount => out.global = true,
        Expression::At(remote, _) | Expression::RemoteCell(remote, _) => {
            out.global = true;
            remote.pid.iter().for_each(|pid| reads(pid, promised, out));
        }
        Expression::Enabled(pid) | Expression::Priority(pid) => {
            out.global = true;
            reads(pid, promised, out);
        }
    }
}
