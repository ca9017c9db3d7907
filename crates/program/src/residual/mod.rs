//! Processes as transition systems over residual statements.
//!
//! A process is unfolded over its control and those of its variables that are worth it. What is left of a statement, with the known
//! values put in, is the label of a step: the user's own statement over globals and channels. Nothing is known about what a label
//! does, so processes whose labels are the same do the same in every context, and no domain of any global is needed. Steps that only
//! change what was folded are noticed by nobody; states that nobody can tell apart are put together.
//!
//! | step | module |
//! | --- | --- |
//! | which reductions are wanted at all | `rules` |
//! | what has to stay, because somebody else looks at it | `facts` |
//! | which variables are folded | `plan` |
//! | what is left of expressions and actions | `fold`, `outcome`, `steps` |
//! | what variables and messages can be | `domain` |
//! | channels that one process alone sends to or receives from | `owners` |
//! | the transition system | `unfold` |
//! | its states put together | `quotient` |
//! | what need not be asked | `absorb` |
//! | who may as well stand still | `cone` |
//! | whether what was written means that | `written` |
//!
//! The rules of the quotient were found with the help of SPIN: each of them has a small program in `tests/constructs/residual.pml` that shows
//! what goes wrong without it. One of them is about other processes: whoever waits for a rendezvous in the middle of an `atomic` lets
//! others move, so that it can be noticed whether a process is ready for it. There steps before it stay (`facts::Urgent`). Under weak
//! fairness that is so for every rendezvous: whoever waits for one need not be met by a process that is ready only now and then.

mod absorb;
mod cone;
mod domain;
mod facts;
mod fold;
mod outcome;
mod owners;
mod plan;
mod quotient;
mod rules;
mod steps;
mod unfold;
mod written;

pub use facts::{Facts, LocalVariable, exclusive, facts};
pub use owners::{Owner, tells_too_much};
pub use plan::{Plan, Variable};
pub use quotient::{Choice, Class, Quotient};
pub use rules::{Rule, Rules};
pub use unfold::{END, Edge, Label, Place, TAU, Unfolding};

use super::data::{Action, Node, Proctype, Program};
use super::expression::{self, Expression, Pattern, Receive};
use domain::{Domains, ROUNDS, cells};
use facts::Urgent;
use outcome::Context;
use prequel_model::watch::Watch;
use quotient::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use unfold::{Stopped, Wanted};

/// States of one process that are enough to learn values: what takes more has too many of them.
const FEW: usize = 500;

/// How far folding goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// States of one process.
    pub states: usize,
    /// Every step counts.
    pub strong: bool,
    /// Runs that are fair to every process stay so, and others do not become fair.
    pub fair: bool,
    /// End states count, and not only assertions.
    pub ends: bool,
    /// What is made smaller.
    pub rules: Rules,
}

impl Default for Options {
    fn default() -> Self {
        Self { states: 2000, strong: false, fair: false, ends: true, rules: Rules::default() }
    }
}

/// A kind of process, folded.
#[derive(Clone, Debug)]
pub struct Residual {
    /// Which kind.
    pub proctype: u32,
    /// What was folded.
    pub plan: Plan,
    /// All its states.
    pub unfolding: Unfolding,
    /// Those that nobody can tell apart, put together.
    pub quotient: Quotient,
    /// Whether every step counts.
    pub strong: bool,
    /// Whether it stands still, since nothing that is asked depends on it.
    pub outside: bool,
    urgent: Urgent,
}

/// Why a kind of process stays as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left(pub &'static str);

/// The processes of a program, folded kind by kind.
pub struct Folding<'a> {
    kinds: Vec<Kind<'a>>,
    plans: Vec<Plan>,
    unfoldings: Vec<Result<Unfolding, Left>>,
    domains: Domains<'a>,
    urgent: Urgent,
    /// By kind: whether it stands still.
    outside: Vec<bool>,
    most: usize,
}

impl<'a> Folding<'a> {
    /// Folds all that can be, but for the variables that are `kept` of each kind. Nothing if the watch says that it is time to stop.
    pub fn new(
        program: &'a Program,
        facts: &'a Facts<'a>,
        options: Options,
        kept: &[Vec<Variable>],
        watch: &Watch,
    ) -> Option<Self> {
        let strong = options.strong || facts.counted.is_some();
        let kinds: Vec<Kind<'_>> =
            (0..program.proctypes.len() as u32).map(|number| Kind::new(program, facts, number, strong)).collect();
        let mut plans: Vec<Plan> = kinds.iter().map(Kind::plan).collect();
        for (plan, kept) in plans.iter_mut().zip(kept) {
            kept.iter().for_each(|&variable| plan.keep(variable));
        }
        let not_yet = Left("it was not looked at");
        let mut unfoldings: Vec<Result<Unfolding, Left>> =
            kinds.iter().map(|kind| Err(kind.left.clone().unwrap_or(not_yet.clone()))).collect();
        let mut too_many = vec![false; kinds.len()];
        let mut domains = Domains::new(program, facts.pids.clone());
        for round in 0.. {
            domains.widen = round >= ROUNDS;
            domains.changed = false;
            domains.note_starts();
            let before = domains.clone();
            for (number, kind) in kinds.iter().enumerate() {
                if kind.left.is_some() || too_many[number] {
                    kind.note_all(&before, &mut domains);
                    continue;
                }
                match kind.unfolded(&mut plans[number], &before, options.states, watch)? {
                    Some(unfolding) => {
                        unfolding.note(&mut domains, number as u32, plans[number].folded());
                        unfoldings[number] = Ok(unfolding);
                    }
                    None => {
                        unfoldings[number] = Err(Left("it has too many states"));
                        too_many[number] = true;
                        kind.note_all(&before, &mut domains);
                    }
                }
            }
            if !domains.changed {
                break;
            }
        }
        // Whether somebody can move who waits for a rendezvous depends on who else is ready, and that is what fairness is about.
        let mut urgent = if options.fair { Urgent::all(program) } else { Urgent::default() };
        for (kind, unfolding) in kinds.iter().zip(&unfoldings) {
            let proctype = &program.proctypes[kind.number as usize];
            match unfolding {
                Err(_) => urgent.add_kind(program, proctype),
                Ok(unfolding) => unfolding.note_urgent(program, &proctype.states, &mut urgent),
            }
        }
        let outside = match options.ends || !facts.rules.has(Rule::Cone) {
            true => vec![false; kinds.len()],
            false => cone::outside(program, facts, |kind| unfoldings[kind].as_ref().ok()),
        };
        Some(Self { kinds, plans, unfoldings, domains, urgent, outside, most: options.states })
    }

    /// The same to learn what values variables have, at each step and inside of every `d_step`. What nobody reads has to count for that, so
    /// the facts must be without [`Rule::Unread`].
    pub fn of_values(program: &'a Program, facts: &'a Facts<'a>, watch: &Watch) -> Option<Self> {
        let kept: Vec<Vec<Variable>> = program.proctypes.iter().map(set_inside).collect();
        Self::new(program, facts, Options { strong: true, states: FEW, ..Options::default() }, &kept, watch)
    }

    /// The least and the greatest value of a cell of a kind of process, or of a global one; nothing where that is not known.
    pub fn range(&self, variable: Variable, kind: u32) -> Option<(i32, i32)> {
        self.domains.range(variable, kind)
    }

    /// A kind of process, folded; why not, where it stays as it is.
    pub fn residual(&self, kind: usize) -> Result<Residual, Left> {
        let unfolding = self.unfoldings[kind].clone()?;
        let folded = self.kinds[kind].residual(self.plans[kind].clone(), unfolding, &self.domains, &self.urgent);
        Ok(if self.outside[kind] { folded.at_rest() } else { folded })
    }

    /// What a kind of process would be if one variable more was kept. Others may have to be kept with it.
    pub fn with_kept(&self, folded: &Residual, variable: Variable) -> Option<Residual> {
        let kind = &self.kinds[folded.proctype as usize];
        let mut plan = folded.plan.clone();
        plan.keep(variable);
        let unfolding = kind.unfolded(&mut plan, &self.domains, self.most, &Watch::default())??;
        Some(kind.residual(plan, unfolding, &self.domains, &self.urgent))
    }
}

impl Residual {
    /// The same process, if it never moves.
    fn at_rest(self) -> Self {
        let of = vec![0; self.unfolding.places.len()];
        let classes = vec![Class { end: true, ..Class::default() }];
        Self { quotient: Quotient { classes, of, ..Quotient::default() }, strong: true, outside: true, ..self }
    }
}

/// A kind of process, and what is known of it from the start.
struct Kind<'a> {
    program: &'a Program,
    facts: &'a Facts<'a>,
    number: u32,
    marks: Vec<u32>,
    strong: bool,
    left: Option<Left>,
}

impl<'a> Kind<'a> {
    fn new(program: &'a Program, facts: &'a Facts<'a>, number: u32, strong: bool) -> Self {
        let kind = &program.proctypes[number as usize];
        let transitions = || kind.states.iter().flat_map(|state| &state.transitions);
        let left = if program.priorities {
            Some(Left("the program has priorities"))
        } else if kind.provided.as_ref().is_some_and(names_others) {
            Some(Left("it moves only under a condition on other processes (`provided`)"))
        } else if kind.deterministic {
            Some(Left("it is a D_proctype"))
        } else if transitions().any(|transition| transition.escape != 0) {
            Some(Left("it has an `unless`"))
        } else if transitions().any(|transition| !transition.then.is_empty()) || program.senders_last {
            Some(Left("its steps do several things"))
        } else {
            None
        };
        // Where a process may not move at any time, a step that nobody notices can be its last one.
        let strong = strong || kind.provided.is_some();
        Self { program, facts, number, marks: marks(kind, facts, number), strong, left }
    }

    /// Everything is folded that can be.
    fn plan(&self) -> Plan {
        let kind = &self.program.proctypes[self.number as usize];
        let fixed = &self.facts.fixed[self.number as usize];
        let own = (0..kind.cells.len() as u32).filter(|cell| !fixed.contains(cell)).map(Variable::Local);
        let private = self.facts.private[self.number as usize].iter().copied().map(Variable::Global);
        let pid = match self.facts.pids[self.number as usize].values(1) {
            Some(pids) if self.facts.rules.has(Rule::Constants) => pids.first().copied(),
            _ => None,
        };
        let mut plan = Plan::new(own.chain(private).collect(), groups(kind), self.facts.constants.clone());
        plan.pid = pid;
        plan.arguments = self.facts.arguments[self.number as usize].clone();
        plan
    }

    /// Its transition system, with as much folded of the plan as can be; none if it has too many states all the same. Nothing at all if it
    /// is time to stop.
    fn unfolded(
        &self,
        plan: &mut Plan,
        domains: &Domains<'_>,
        most: usize,
        watch: &Watch,
    ) -> Option<Option<Unfolding>> {
        loop {
            watch.allowed().ok()?;
            match self.wanted(plan, domains, most).unfold() {
                Ok(unfolding) => return Some(Some(unfolding)),
                Err(Stopped::Keep(variable)) if plan.position(variable).is_some() => plan.keep(variable),
                Err(_) => return Some(None),
            }
        }
    }

    fn wanted<'s>(&'s self, plan: &'s Plan, domains: &'s Domains<'s>, most: usize) -> Wanted<'s> {
        let unread = &self.facts.unread[self.number as usize];
        let context = Context { program: self.program, proctype: self.number, plan, domains, unread };
        Wanted { context, marks: &self.marks, strong: self.strong, most }
    }

    /// What the statements of a process that stays as it is add to the domains.
    fn note_all(&self, before: &Domains<'_>, domains: &mut Domains<'_>) {
        let plan = Plan::new(Vec::new(), Vec::new(), self.facts.constants.clone());
        let unread = FxHashSet::default();
        let context =
            Context { program: self.program, proctype: self.number, plan: &plan, domains: before, unread: &unread };
        let kind = &self.program.proctypes[self.number as usize];
        for transition in kind.states.iter().flat_map(|state| &state.transitions) {
            match context.outcomes(&transition.action, &[]) {
                Ok(outcomes) => {
                    let actions = outcomes.iter().filter_map(|outcome| outcome.action.as_ref());
                    actions.for_each(|action| domains.note(action, self.number));
                }
                // A `d_step` that is too long to be looked through does no less for that.
                Err(_) => domains.note(&transition.action, self.number),
            }
        }
    }

    fn residual(&self, plan: Plan, mut unfolding: Unfolding, domains: &Domains<'_>, urgent: &Urgent) -> Residual {
        let states = &self.program.proctypes[self.number as usize].states;
        let (marks, program, rules) = (&self.marks, self.program, self.facts.rules);
        // What a process is ready for counts where others can notice it.
        let mut numbers: FxHashMap<Looks<'_>, u64> = FxHashMap::default();
        let mut graph = Graph::default();
        for (at, (place, edges)) in unfolding.places.iter().enumerate() {
            let noticed = |edge: &&Edge| urgent.has(program, &unfolding.labels[edge.label as usize].action);
            let mut ready: Vec<u32> = edges.iter().filter(noticed).map(|edge| edge.label).collect();
            ready.sort_unstable();
            ready.dedup();
            let mark = place.control.map_or(u32::MAX, |control| marks[control as usize]);
            let next = numbers.len() as u64;
            // What may not be forgotten is told apart like what others see.
            let values: &[i32] = if rules.has(Rule::Dead) { &[] } else { &place.values };
            let own = if rules.has(Rule::Merge) { 0 } else { at };
            graph.looks.push(*numbers.entry((mark, place.held, ready, values, own)).or_insert(next));
            graph.ends.push(place.control.is_none_or(|control| states[control as usize].end));
            graph.edges.push(edges.iter().map(|edge| (edge.label, edge.target)).collect());
        }
        let looks = graph.looks.clone();
        let mut quotient = quotient::quotient(&unfolding, graph, self.strong);
        if !self.strong && rules.has(Rule::Merge) {
            if rules.has(Rule::Absorb) {
                absorb::absorb(&mut quotient, &unfolding, &looks, domains, self.number);
            }
            quotient.merge_receives(&mut unfolding.labels, domains);
        }
        let (strong, urgent) = (self.strong, urgent.clone());
        Residual { proctype: self.number, plan, unfolding, quotient, strong, outside: false, urgent }
    }
}

/// Whether an expression asks where another process is or what it has.
fn names_others(value: &Expression) -> bool {
    let mut found = false;
    value.visit(&mut |part| found |= matches!(part, Expression::At(..) | Expression::RemoteCell(..)));
    found
}

/// What tells a state of a process apart at once: what others see of it, whether it goes on, what it is ready for, what may not be
/// forgotten, and its number where nothing is put together.
type Looks<'a> = (u32, bool, Vec<u32>, &'a [i32], usize);

/// What others can see of each control state of a process: labels that they ask about, acceptance and progress.
fn marks(kind: &Proctype, facts: &Facts<'_>, number: u32) -> Vec<u32> {
    let mut numbers: FxHashMap<(Vec<&str>, bool, bool), u32> = FxHashMap::default();
    let watched = &facts.labels[number as usize];
    let states = kind.states.iter().map(|state| {
        let labels = state.labels.iter().map(|label| &**label).filter(|label| watched.contains(*label)).collect();
        let next = numbers.len() as u32;
        *numbers.entry((labels, state.accept, state.progress)).or_insert(next)
    });
    states.collect()
}

/// The channels that one process alone sends to, or receives from, where SPIN may know it.
pub fn owners(program: &Program, facts: &Facts<'_>) -> Vec<Owner> {
    // SPIN's reduction does not know who reads a variable of another process.
    if program.priorities || facts.reads_others {
        return Vec::new();
    }
    let domains = Domains::of_statements(program, facts.pids.clone());
    owners::owners(program, &domains, &facts.named, &facts.promised)
}

/// The cells that are set inside of a `d_step` of a process: what they are in between is in none of its states.
fn set_inside(kind: &Proctype) -> Vec<Variable> {
    let mut found = Vec::new();
    for transition in kind.states.iter().flat_map(|state| &state.transitions) {
        if let Action::Steps(_) = &transition.action {
            places(&transition.action, &mut |place| {
                let variable = |cell: u32| if place.local { Variable::Local(cell) } else { Variable::Global(cell) };
                found.extend(cells(place).into_iter().map(variable));
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Cells that some index of a process chooses between.
fn groups(kind: &Proctype) -> Vec<Vec<Variable>> {
    let mut groups: Vec<Vec<Variable>> = Vec::new();
    let mut add = |place: &expression::Place| {
        if !place.indices.is_empty() {
            let variable = |cell: u32| if place.local { Variable::Local(cell) } else { Variable::Global(cell) };
            let mut group: Vec<Variable> = cells(place).into_iter().map(variable).collect();
            // Groups that meet are one.
            let (meet, apart): (Vec<Vec<Variable>>, Vec<Vec<Variable>>) =
                std::mem::take(&mut groups).into_iter().partition(|other| other.iter().any(|v| group.contains(v)));
            group.extend(meet.into_iter().flatten());
            group.sort_unstable();
            group.dedup();
            groups = apart;
            groups.push(group);
        }
    };
    for transition in kind.states.iter().flat_map(|state| &state.transitions) {
        places(&transition.action, &mut add);
    }
    groups
}

/// Shows every expression of an action that is computed, those inside of others not by themselves.
fn values(action: &Action, see: &mut impl FnMut(&Expression)) {
    fn target(place: &expression::Place, see: &mut impl FnMut(&Expression)) {
        place.indices.iter().for_each(|index| see(&index.at));
    }
    match action {
        Action::Skip | Action::Else | Action::End => {}
        Action::Condition(value) | Action::Assert(value) => see(value),
        Action::Assign(place, value) => {
            place.iter().for_each(|place| target(place, see));
            see(value);
        }
        Action::Print(values) => values.iter().for_each(see),
        Action::Send(send) => {
            see(&send.channel);
            send.arguments.iter().for_each(see);
        }
        Action::Receive(receive) => {
            see(&receive.channel);
            for pattern in &receive.patterns {
                match pattern {
                    Pattern::Match(value) => see(value),
                    Pattern::Store(place) => target(place, see),
                    Pattern::Ignore => {}
                }
            }
        }
        Action::Run(run) => {
            run.arguments.iter().for_each(&mut *see);
            run.into.iter().for_each(|place| target(place, see));
        }
        Action::SetPriority(pair) => {
            see(&pair.0);
            see(&pair.1);
        }
        Action::Steps(steps) => {
            for node in &steps.nodes {
                if let Node::Do(action, ..) = node {
                    values(action, see);
                }
            }
        }
    }
}

/// Shows every place that an action sets, or reads by an index.
fn places(action: &Action, see: &mut impl FnMut(&expression::Place)) {
    fn stored(receive: &Receive, see: &mut impl FnMut(&expression::Place)) {
        for pattern in &receive.patterns {
            if let Pattern::Store(place) = pattern {
                see(place);
            }
        }
    }
    match action {
        Action::Assign(Some(place), _) => see(place),
        Action::Receive(receive) => stored(receive, see),
        Action::Run(run) => run.into.iter().for_each(&mut *see),
        Action::Steps(steps) => {
            for node in &steps.nodes {
                if let Node::Do(action, ..) = node {
                    places(action, see);
                }
            }
            return;
        }
        _ => {}
    }
    values(action, &mut |value| {
        value.visit(&mut |part| match part {
            Expression::Element(place) => see(place),
            Expression::Poll(receive) => stored(receive, see),
            _ => {}
        });
    });
}
