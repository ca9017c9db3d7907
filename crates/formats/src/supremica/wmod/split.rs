//! Variables become automata: events are split until each variable can take part in them by itself.
//!
//! An event happens under one condition of each component that takes part in it. What these conditions allow together is a union
//! of products over the variables (`relation`); each product is an event of its own, called after the whole one and a number, and
//! seen as the whole one. A variable that no condition asks for the next value of keeps its value. One that a product neither
//! restricts nor changes does not take part. A value outside its range is none, so such an assignment disables the event.
//!
//! A property takes part in everything that happens. So its edges do not choose among conditions: each set of its guards that can
//! be true together, and no others, is a part of the event of its own, also the one in which none is true.
//!
//! A component with one state whose guards and actions are all it has to say is left out: the variables say it now.

use super::VariableDraft;
use super::graph::Machine;
use super::relation::{Diagram, Level, Pairs, TooLarge};
use super::value::{Expression, Operator, Value};
use crate::supremica::draft::{Automaton, Event, Kind, Named, State};
use crate::text::findings::Findings;
use indexmap::IndexSet;
use prequel_model::des::Role;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Conditions of one component that are tried at the same time.
#[derive(Clone, Debug)]
struct Choice {
    conditions: Vec<Expression>,
    /// The edges with these conditions take part.
    edges: Vec<usize>,
}

/// Guards of a property on one event, at most: each set of them is tried.
const MOST_GUARDS: usize = 12;

/// Makes automata of machines and variables.
pub fn split(
    events: Named<Event>,
    variables: Vec<(Box<str>, VariableDraft)>,
    machines: Named<Machine>,
    atoms: &IndexSet<Box<str>, FxBuildHasher>,
    findings: &mut Findings<'_>,
) -> (Named<Event>, Named<Automaton>) {
    let ranges: Vec<Vec<Value>> = variables.iter().map(|(_, v)| v.range.clone()).collect();
    warn_of_guards(&machines, &ranges, findings);
    let machine_of: FxHashMap<u32, usize> = variables
        .iter()
        .enumerate()
        .filter(|(_, (_, v))| v.is_machine)
        .filter_map(|(number, (name, _))| Some((number as u32, machines.get_index_of(name)?)))
        .collect();
    let mut splitter = Splitter {
        ranges: &ranges,
        machines: &machines,
        machine_of,
        events: Named::default(),
        of_machines: vec![Moves::default(); machines.len()],
        of_variables: vec![Moves::default(); variables.len()],
    };
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); events.len()];
    for (at, machine) in machines.values().enumerate() {
        machine.alphabet.iter().for_each(|&event| takers[event].push(at));
    }
    for (at, (name, event)) in events.iter().enumerate() {
        if let Err(TooLarge) = splitter.event(at, name, event, &takers[at]) {
            let span = takers[at].first().map_or(0..0, |&machine| machines[machine].span.clone());
            let message = format!("the conditions of event `{name}` are about too many values together");
            findings.error(span, message, "make ranges smaller, or split the event into several");
        }
    }
    let Splitter { events, of_machines, of_variables, .. } = splitter;
    let mut automata = Named::default();
    for ((name, machine), moves) in machines.iter().zip(of_machines) {
        if !says_nothing(machine, &moves) {
            let Machine { role, span, marks, states, .. } = machine.clone();
            let Moves { alphabet, transitions } = moves;
            automata.insert(name.clone(), Automaton { role, span, marks, alphabet, states, transitions });
        }
    }
    for ((name, variable), moves) in variables.into_iter().zip(of_variables).filter(|((_, v), _)| !v.is_machine) {
        let automaton = variable.automaton(moves, atoms);
        let span = automaton.span.clone();
        if automata.insert(name.clone(), automaton).is_some() {
            findings.error(span, format!("a component and a variable called `{name}`"), "rename one of them");
        }
    }
    (events, automata)
}

/// What an automaton does with events.
#[derive(Clone, Debug, Default)]
struct Moves {
    alphabet: Vec<usize>,
    transitions: Vec<(u32, usize, u32)>,
}

struct Splitter<'a> {
    ranges: &'a [Vec<Value>],
    machines: &'a Named<Machine>,
    /// Variables that are the states of machines.
    machine_of: FxHashMap<u32, usize>,
    events: Named<Event>,
    of_machines: Vec<Moves>,
    of_variables: Vec<Moves>,
}

impl Splitter<'_> {
    /// Splits one event.
    fn event(&mut self, event: usize, name: &str, of: &Event, takers: &[usize]) -> Result<(), TooLarge> {
        let machines = self.machines;
        // The edges with this event, by their conditions.
        let mut edges: Vec<FxHashMap<usize, Vec<usize>>> = vec![FxHashMap::default(); takers.len()];
        for (at, &taker) in takers.iter().enumerate() {
            for (number, edge) in machines[taker].edges.iter().enumerate().filter(|(_, e)| e.event == event) {
                edges[at].entry(edge.condition).or_default().push(number);
            }
        }
        if of.kind == Kind::Proposition || edges.iter().all(|of| of.keys().all(|&condition| condition == 0)) {
            let new = self.events.insert_full(name.into(), of.clone()).0;
            for (&taker, edges) in takers.iter().zip(&edges) {
                self.moves(new, taker, edges.get(&0).map_or(&[][..], |edges| edges), None);
            }
            return Ok(());
        }
        let mut choices = Vec::with_capacity(takers.len());
        for (&taker, edges) in takers.iter().zip(&edges) {
            choices.push(self.choices(&machines[taker], edges)?);
        }
        let mut parts = Vec::new();
        self.combine(&choices, &mut Vec::new(), &mut Vec::new(), takers, &mut parts)?;
        let whole = parts.len() == 1;
        for (number, (chosen, levels, product)) in parts.into_iter().enumerate() {
            let called = if whole { name.to_owned() } else { self.unused(name, number) };
            let seen_as = (!whole).then(|| name.into());
            let new = self.events.insert_full(called.into(), Event { kind: of.kind, seen_as }).0;
            for (&taker, choice) in takers.iter().zip(&chosen) {
                let own = levels.iter().position(|level| self.machine_of.get(&level.variable) == Some(&taker));
                self.moves(new, taker, &choice.edges, own.map(|at| &product[at]));
            }
            for (level, pairs) in levels.iter().zip(&product) {
                let machine = self.machine_of.get(&level.variable);
                if machine.is_some_and(|machine| takers.contains(machine)) {
                    continue;
                }
                let range = self.ranges[level.variable as usize].len();
                let stays = pairs.len() == range && pairs.iter().all(|(from, to)| from == to);
                if !stays {
                    let moves = match machine {
                        Some(&machine) => &mut self.of_machines[machine],
                        None => &mut self.of_variables[level.variable as usize],
                    };
                    moves.alphabet.push(new);
                    moves.transitions.extend(pairs.iter().map(|&(from, to)| (from, new, to)));
                }
            }
        }
        Ok(())
    }

    /// A name for a part of an event that nothing has.
    fn unused(&self, name: &str, number: usize) -> String {
        let mut called = format!("{name}.{}", number + 1);
        while self.events.contains_key(&*called) {
            called.push('\'');
        }
        called
    }

    /// A machine's edges under an event, of those pairs of states only where they are restricted.
    fn moves(&mut self, event: usize, machine: usize, edges: &[usize], pairs: Option<&Pairs>) {
        let moves = &mut self.of_machines[machine];
        moves.alphabet.push(event);
        let all = edges.iter().map(|&edge| &self.machines[machine].edges[edge]);
        let allowed = all.filter(|e| pairs.is_none_or(|pairs| pairs.binary_search(&(e.source, e.target)).is_ok()));
        let before = moves.transitions.len();
        moves.transitions.extend(allowed.map(|edge| (edge.source, event, edge.target)));
        moves.transitions[before..].sort_unstable();
        let mut kept = before;
        for at in before..moves.transitions.len() {
            if at == before || moves.transitions[at] != moves.transitions[kept - 1] {
                moves.transitions[kept] = moves.transitions[at];
                kept += 1;
            }
        }
        moves.transitions.truncate(kept);
    }

    /// Under which conditions a machine takes part.
    fn choices(&self, machine: &Machine, edges: &FxHashMap<usize, Vec<usize>>) -> Result<Vec<Choice>, TooLarge> {
        let mut known: Vec<usize> = edges.keys().copied().collect();
        known.sort_unstable();
        if machine.role != Role::Property {
            let choice = |condition: &usize| Choice {
                conditions: machine.conditions[*condition].clone(),
                edges: edges[condition].clone(),
            };
            // One that blocks the event does so under every condition.
            let blocked = Choice { conditions: Vec::new(), edges: Vec::new() };
            return Ok(if known.is_empty() { vec![blocked] } else { known.iter().map(choice).collect() });
        }
        let always = edges.get(&0).cloned().unwrap_or_default();
        let mut cells = vec![Choice { conditions: Vec::new(), edges: always }];
        let guards: Vec<usize> = known.into_iter().filter(|&condition| condition != 0).collect();
        if guards.len() > MOST_GUARDS {
            return Err(TooLarge);
        }
        for guard in guards {
            let together =
                machine.conditions[guard].iter().cloned().reduce(|a, b| Expression::both(Operator::And, a, b));
            let together = together.expect("only the first condition is none");
            let with = |cell: &Choice, condition: Expression, more: &[usize]| {
                let mut cell = cell.clone();
                cell.conditions.push(condition);
                cell.edges.extend(more);
                cell
            };
            let mut finer = Vec::new();
            for cell in &cells {
                for cell in [with(cell, together.clone(), &edges[&guard]), with(cell, together.clone().negated(), &[])]
                {
                    if self.possible(&cell.conditions)? {
                        finer.push(cell);
                    }
                }
            }
            cells = finer;
        }
        Ok(cells)
    }

    /// Whether conditions can be true together, wherever machines are.
    fn possible(&self, conditions: &[Expression]) -> Result<bool, TooLarge> {
        let levels = self.levels(conditions, |_| None)?;
        Diagram::new(self.ranges, levels).possible(conditions)
    }

    /// The variables that conditions are about: those of most conditions first, so that what depends on them comes after.
    fn levels(
        &self,
        conditions: &[Expression],
        of_machine: impl Fn(u32) -> Option<Pairs>,
    ) -> Result<Vec<Level>, TooLarge> {
        let mut uses: FxHashMap<u32, (usize, bool)> = FxHashMap::default();
        for condition in conditions {
            let mut variables = Vec::new();
            condition.variables(&mut variables);
            variables.sort_unstable();
            variables.dedup();
            let entangled = usize::from(variables.iter().any(|v| v.number != variables[0].number));
            for v in variables {
                let (count, next) = uses.entry(v.number).or_default();
                *count += entangled;
                *next |= v.next;
            }
        }
        let mut order: Vec<(u32, usize, bool)> = uses.into_iter().map(|(v, (count, next))| (v, count, next)).collect();
        order.sort_unstable_by_key(|&(variable, count, _)| (std::cmp::Reverse(count), variable));
        let level = |(variable, _, next): (u32, usize, bool)| {
            let size = self.ranges[variable as usize].len() as u32;
            let anywhere = next || self.machine_of.contains_key(&variable);
            let pairs = match of_machine(variable) {
                Some(pairs) => pairs,
                None if anywhere && size > MOST_VALUES => return Err(TooLarge),
                None if anywhere => (0..size).flat_map(|from| (0..size).map(move |to| (from, to))).collect(),
                None => (0..size).map(|value| (value, value)).collect(),
            };
            Ok(Level { variable, pairs })
        };
        order.into_iter().map(level).collect()
    }

    /// Tries one choice of each machine after the other, as long as they are possible together.
    fn combine(
        &self,
        left: &[Vec<Choice>],
        chosen: &mut Vec<Choice>,
        conditions: &mut Vec<Expression>,
        takers: &[usize],
        parts: &mut Vec<Part>,
    ) -> Result<(), TooLarge> {
        let Some((now, rest)) = left.split_first() else {
            let of_machine = |variable: u32| {
                let machine = *self.machine_of.get(&variable)?;
                let mut pairs: Pairs = match takers.iter().position(|&taker| taker == machine) {
                    Some(at) => {
                        let edges = chosen[at].edges.iter().map(|&edge| &self.machines[machine].edges[edge]);
                        edges.map(|edge| (edge.source, edge.target)).collect()
                    }
                    None => (0..self.ranges[variable as usize].len() as u32).map(|state| (state, state)).collect(),
                };
                pairs.sort_unstable();
                pairs.dedup();
                Some(pairs)
            };
            let levels = self.levels(conditions, of_machine)?;
            let products = Diagram::new(self.ranges, levels.clone()).products(conditions)?;
            parts.extend(products.into_iter().map(|product| (chosen.clone(), levels.clone(), product)));
            return if parts.len() > MOST_PARTS { Err(TooLarge) } else { Ok(()) };
        };
        for choice in now {
            let before = conditions.len();
            conditions.extend(choice.conditions.iter().cloned());
            if choice.conditions.is_empty() || self.possible(conditions)? {
                chosen.push(choice.clone());
                self.combine(rest, chosen, conditions, takers, parts)?;
                chosen.pop();
            }
            conditions.truncate(before);
        }
        Ok(())
    }
}

/// A part of an event: what each machine does, the variables that take part, and what each of them does.
type Part = (Vec<Choice>, Vec<Level>, Vec<Pairs>);

/// Values of a variable that changes, at most: all pairs of them are tried.
const MOST_VALUES: u32 = 1 << 10;

/// Parts of an event at most.
const MOST_PARTS: usize = 1 << 16;

/// Whether all that a machine had to say is in the variables now.
fn says_nothing(machine: &Machine, moves: &Moves) -> bool {
    let (Some((_, state)), 1) = (machine.states.first(), machine.states.len()) else { return false };
    let mut looped: Vec<usize> = moves.transitions.iter().map(|&(_, event, _)| event).collect();
    looped.sort_unstable();
    let all = moves.alphabet.iter().all(|event| looped.binary_search(event).is_ok());
    machine.conditions.len() > 1
        && state.initial
        && (!machine.marks || state.marked)
        && all
        && machine.role != Role::Property
}

impl VariableDraft {
    /// The automaton of a variable: its values are the states.
    fn automaton(self, moves: Moves, atoms: &IndexSet<Box<str>, FxBuildHasher>) -> Automaton {
        let name = |value: &Value| match value {
            Value::Int(number) => number.to_string().into(),
            Value::Atom(at) => atoms[*at as usize].clone(),
            Value::Undefined => "?".into(),
        };
        let states = self.range.iter().enumerate().map(|(at, value)| {
            let marked = self.marked.as_ref().is_some_and(|marked| marked[at]);
            (name(value), State { initial: self.initial[at], marked, forbidden: false })
        });
        Automaton {
            role: Role::Plant,
            span: self.span,
            marks: self.marked.is_some(),
            alphabet: moves.alphabet,
            states: states.collect(),
            transitions: moves.transitions,
        }
    }
}

/// Guards that decide nothing: a loop may give one several meanings, so all of them are looked at first.
fn warn_of_guards(machines: &Named<Machine>, ranges: &[Vec<Value>], findings: &mut Findings<'_>) {
    let mut met: indexmap::IndexMap<usize, (std::ops::Range<usize>, bool, bool)> = indexmap::IndexMap::new();
    let splitter = Splitter {
        ranges,
        machines,
        machine_of: FxHashMap::default(),
        events: Named::default(),
        of_machines: Vec::new(),
        of_variables: Vec::new(),
    };
    for (span, guards) in machines.values().flat_map(|machine| &machine.guards) {
        let together = guards.iter().cloned().reduce(|a, b| Expression::both(Operator::And, a, b));
        let Some(together) = together else { continue };
        let can_be = splitter.possible(std::slice::from_ref(&together)).unwrap_or(true);
        let can_fail = splitter.possible(&[together.negated()]).unwrap_or(true);
        let entry = met.entry(span.start).or_insert((span.clone(), false, false));
        entry.1 |= can_be;
        entry.2 |= can_fail;
    }
    for (span, can_be, can_fail) in met.into_values() {
        if !can_be {
            findings.warn(
                span,
                "this guard is never true: the edge can never be taken",
                "compare it with the ranges of its variables",
            );
        } else if !can_fail {
            findings.warn(
                span,
                "this guard is always true",
                "leave it away, or compare it with the ranges of its variables",
            );
        }
    }
}
