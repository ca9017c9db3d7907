//! Supremica's modules: constants, arrays, loops, groups, instances, and variables beside a direct reading of what they mean.

use prequel::engine::algo::compare::{Verdict, compare};
use prequel::engine::algo::equivalence::Equivalence;
use prequel::engine::algo::explicit::explicit;
use prequel::formats::diag::Read;
use prequel::formats::supremica::{ACCEPTING, wmod};
use prequel::model::rng::Rng;
use prequel::model::{Des, Labels, Lts, StateId, Transition};
use std::collections::HashMap;
use std::path::Path;

fn module(inner: &str) -> String {
    format!("<Module Name=\"m\" xmlns=\"http://waters.sourceforge.net/xsd/module\">\n{inner}\n</Module>\n")
}

fn read(text: &str) -> Read<Des> {
    wmod::read("m.wmod", text.as_bytes(), Path::new(""), ACCEPTING)
}

fn understood(text: &str) -> Des {
    read(text).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].render())).0
}

/// The first error of a module.
fn says(inner: &str) -> String {
    read(&module(inner)).map(|_| ()).unwrap_err()[0].headline()
}

fn warnings(inner: &str) -> Vec<String> {
    read(&module(inner)).unwrap().1.iter().map(|w| w.message.clone()).collect()
}

fn id(name: &str) -> String {
    format!("<SimpleIdentifier Name=\"{name}\"/>")
}

fn int(value: i64) -> String {
    format!("<IntConstant Value=\"{value}\"/>")
}

fn both(operator: &str, left: &str, right: &str) -> String {
    let operator = operator.replace('&', "&amp;").replace('<', "&lt;");
    format!("<BinaryExpression Operator=\"{operator}\">{left}{right}</BinaryExpression>")
}

fn event(kind: &str, name: &str, ranges: &str) -> String {
    let ranges = if ranges.is_empty() { String::new() } else { format!("<RangeList>{ranges}</RangeList>") };
    format!("<EventDecl Kind=\"{kind}\" Name=\"{name}\">{ranges}</EventDecl>\n")
}

fn events(inner: &str) -> String {
    format!("<EventDeclList>{}{inner}</EventDeclList>\n", event("PROPOSITION", ":accepting", ""))
}

fn components(inner: &str) -> String {
    format!("<ComponentList>\n{inner}</ComponentList>\n")
}

fn nodes(names: &[&str]) -> String {
    let node = |(at, name): (usize, &&str)| {
        format!("<SimpleNode Name=\"{name}\"{}/>", if at == 0 { " Initial=\"true\"" } else { "" })
    };
    names.iter().enumerate().map(node).collect()
}

fn edge(source: &str, labels: &str, target: &str, guards: &str, actions: &str) -> String {
    let guards = if guards.is_empty() { String::new() } else { format!("<Guards>{guards}</Guards>") };
    let actions = if actions.is_empty() { String::new() } else { format!("<Actions>{actions}</Actions>") };
    let block = format!("<GuardActionBlock>{guards}{actions}</GuardActionBlock>");
    let block = if guards.is_empty() && actions.is_empty() { "" } else { &*block };
    format!("<Edge Source=\"{source}\" Target=\"{target}\"><LabelBlock>{labels}</LabelBlock>{block}</Edge>\n")
}

fn component(kind: &str, name: &str, nodes: &str, edges: &str) -> String {
    format!(
        "<SimpleComponent Kind=\"{kind}\">{name}<Graph><NodeList>{nodes}</NodeList><EdgeList>\n{edges}</EdgeList></Graph>\
         </SimpleComponent>\n"
    )
}

fn variable(name: &str, range: &str, initial: i64) -> String {
    let start = both("==", &id(name), &int(initial));
    format!(
        "<VariableComponent Name=\"{name}\"><VariableRange>{range}</VariableRange>\
         <VariableInitial>{start}</VariableInitial></VariableComponent>\n"
    )
}

fn interval(low: i64, high: i64) -> String {
    both("..", &int(low), &int(high))
}

fn names(des: &Des) -> Vec<&str> {
    des.network.components().iter().map(|c| &*c.name).collect()
}

#[test]
fn loops_constants_arrays_and_index_arithmetic() {
    let constant = |name: &str, value: &str| {
        format!(
            "<ConstantAlias Name=\"{name}\"><ConstantAliasExpression>{value}</ConstantAliasExpression></ConstantAlias>"
        )
    };
    let constants = constant("N", &int(3)) + &constant("ALL", &both("..", &int(0), &both("-", &id("N"), &int(1))));
    let taken = |index: &str| format!("<IndexedIdentifier Name=\"take\">{index}</IndexedIdentifier>");
    let next = both("%", &both("+", &id("i"), &int(1)), &id("N"));
    let name = format!("<IndexedIdentifier Name=\"P\">{}</IndexedIdentifier>", id("i"));
    let graph = component(
        "PLANT",
        &name,
        &nodes(&["x", "y"]),
        &(edge("x", &taken(&id("i")), "y", "", "") + &edge("y", &taken(&next), "x", "", "")),
    );
    let guarded = both("!=", &id("i"), &int(1));
    let each = format!(
        "<ForeachComponent Name=\"i\">{}{guarded}<ComponentList>{graph}</ComponentList></ForeachComponent>",
        id("ALL")
    );
    let all = component("SPEC", &id("any"), &nodes(&["s"]), &edge("s", &id("take"), "s", "", ""));
    let text = module(&format!(
        "<ConstantAliasList>{constants}</ConstantAliasList>{}{}",
        events(&event("CONTROLLABLE", "take", &id("ALL"))),
        components(&(each + &all))
    ));
    let des = understood(&text);
    assert_eq!(names(&des), ["P[0]", "P[2]", "any"]);
    let alphabet = |c: usize| -> Vec<&str> {
        des.network.components()[c].alphabet().iter().map(|&l| des.network.labels().name(l)).collect()
    };
    assert_eq!((alphabet(0), alphabet(1)), (vec!["take[0]", "take[1]"], vec!["take[0]", "take[2]"]));
    assert_eq!(alphabet(2), ["take[0]", "take[1]", "take[2]"], "the name alone is the whole array");
}

#[test]
fn groups_in_groups_and_aliases() {
    let group = "<GroupNode Name=\"G\"><NodeRef Name=\"x\"/><NodeRef Name=\"H\"/></GroupNode>\
                 <GroupNode Name=\"H\"><NodeRef Name=\"y\"/><NodeRef Name=\"G\"/></GroupNode>";
    let alias = format!(
        "<EventAliasList><EventAlias Name=\"both\"><EventListExpression><EventList>{}{}</EventList></EventListExpression>\
         </EventAlias></EventAliasList>",
        id("a"),
        id("b")
    );
    let graph = component("PLANT", &id("p"), &(nodes(&["x", "y", "z"]) + group), &edge("G", &id("both"), "z", "", ""));
    let two = event("CONTROLLABLE", "a", "") + &event("UNCONTROLLABLE", "b", "");
    let des = understood(&module(&(events(&two) + &alias + &components(&graph))));
    assert_eq!(des.network.components()[0].lts.num_transitions(), 4);
}

#[test]
fn instances_of_other_modules_have_their_parameters_bound() {
    let folder = tempfile::tempdir().unwrap();
    let inner = module(&format!(
        "<ConstantAliasList><ConstantAlias Name=\"K\" Scope=\"OPTIONAL_PARAMETER\"><ConstantAliasExpression>{}\
         </ConstantAliasExpression></ConstantAlias></ConstantAliasList>{}{}",
        int(1),
        events(&(event("CONTROLLABLE", "work", "") + &event("CONTROLLABLE", "own", &both("..", &int(1), &id("K"))))),
        components(&component("PLANT", &id("m"), &nodes(&["x"]), &edge("x", &(id("work") + &id("own")), "x", "", "")))
    ));
    std::fs::write(folder.path().join("machine.wmod"), inner).unwrap();
    let bound = format!(
        "<ParameterBinding Name=\"work\">{}</ParameterBinding><ParameterBinding Name=\"K\">{}</ParameterBinding>",
        id("go"),
        int(2)
    );
    let instance =
        format!("<Instance Name=\"one\" ModuleName=\"machine\"><BindingList>{bound}</BindingList></Instance>");
    let outer = |instance: &str| module(&(events(&event("CONTROLLABLE", "go", "")) + &components(instance)));
    let des = wmod::read("m.wmod", outer(&instance).as_bytes(), folder.path(), ACCEPTING).unwrap().0;
    assert_eq!(names(&des), ["one.m"]);
    let labels: Vec<&str> = des.events().into_iter().map(|e| des.network.labels().name(e)).collect();
    assert_eq!(labels, ["go", "one.own[1]", "one.own[2]"]);
    let missing = "<Instance Name=\"one\" ModuleName=\"gone\"/>";
    let error = wmod::read("m.wmod", outer(missing).as_bytes(), folder.path(), ACCEPTING).unwrap_err();
    assert!(error[0].message.starts_with("cannot read"));
    std::fs::write(folder.path().join("self.wmod"), outer("<Instance Name=\"x\" ModuleName=\"self\"/>")).unwrap();
    let endless = "<Instance Name=\"one\" ModuleName=\"self\"/>";
    let error = wmod::read("m.wmod", outer(endless).as_bytes(), folder.path(), ACCEPTING).unwrap_err();
    assert!(error[0].message.contains("instances of one another"));
}

#[test]
fn bad_modules_are_told() {
    let a = || events(&event("CONTROLLABLE", "a", ""));
    let loop_of = |label: &str, guards: &str, actions: &str| {
        component("PLANT", &id("p"), &nodes(&["x"]), &edge("x", label, "x", guards, actions))
    };
    assert!(says(&(a() + &components(&loop_of(&id("aa"), "", "")))).ends_with("event `aa` is not declared"));
    let unbounded = "<VariableComponent Name=\"v\"/>";
    assert!(says(&(a() + &components(unbounded))).ends_with("variable `v` has no finite range"));
    let named = variable("v", &id("int"), 0);
    assert!(says(&(a() + &components(&named))).ends_with("this is no finite range"));
    let unknown = loop_of(&id("a"), &both("==", &id("w"), &int(1)), "");
    assert!(says(&(a() + &components(&unknown))).ends_with("there is no constant or variable `w`"));
    let clash = component(
        "PLANT",
        &id("p"),
        &nodes(&["x", "y"]),
        &(edge("x", &id("a"), "x", "", "") + &edge("x", &id("a"), "y", "", "")),
    );
    assert!(says(&(a() + &components(&clash))).ends_with("`a` leads from node `x` to `x` and to `y`"));
    let gone = component("PLANT", &id("p"), &nodes(&["x"]), &edge("x", &id("a"), "z", "", ""));
    assert!(says(&(a() + &components(&gone))).ends_with("there is no node `z`"));
    let index = |i: i64| format!("<IndexedIdentifier Name=\"b\">{}</IndexedIdentifier>", int(i));
    let array = events(&event("CONTROLLABLE", "b", &interval(0, 1)));
    assert!(says(&(array + &components(&loop_of(&index(2), "", "")))).ends_with("`b` has no index 2"));
    assert!(read("<Module").unwrap_err()[0].message.contains("this is no XML"));
    let deep = format!("{}{}", "<A>".repeat(1000), "</A>".repeat(1000));
    assert!(says(&deep).ends_with("elements that nest too deeply"));
    assert!(
        says(&events(&event("CONTROLLABLE", "b", &(interval(0, 9999) + &interval(0, 9999)))))
            .contains("too large an array")
    );
}

#[test]
fn guards_that_decide_nothing_are_told() {
    let guarded = |operator: &str, value: i64| {
        let guard = both(operator, &id("v"), &int(value));
        let graph = component("PLANT", &id("p"), &nodes(&["x"]), &edge("x", &id("a"), "x", &guard, ""));
        events(&event("CONTROLLABLE", "a", "")) + &components(&(graph + &variable("v", &interval(0, 2), 0)))
    };
    assert_eq!(warnings(&guarded(">", 2)), ["this guard is never true: the edge can never be taken"]);
    assert_eq!(warnings(&guarded("<=", 2)), ["this guard is always true"]);
    assert!(warnings(&guarded("==", 2)).is_empty());
}

/// A module with variables, as data that can also be run.
struct Random {
    machines: Vec<(usize, Vec<Step>)>,
    sizes: Vec<i64>,
}

/// An edge: source, event, target, what must be equal or differ, what is assigned.
struct Step {
    from: usize,
    event: usize,
    to: usize,
    guards: Vec<(Term, bool, Term)>,
    actions: Vec<(usize, Term, i64)>,
}

#[derive(Clone, Copy)]
enum Term {
    Value(i64),
    Variable(usize),
    Next(usize),
    /// The state of another machine; only compared with a state.
    At(usize),
    State(usize),
}

const EVENTS: [&str; 3] = ["a", "b", "c"];

impl Random {
    fn new(rng: &mut Rng) -> Self {
        let sizes: Vec<i64> = (0..2).map(|_| rng.between(1, 3) as i64).collect();
        let machines = (0..2).map(|own| {
            let states = rng.between(1, 3);
            let steps = (0..rng.between(4, 10)).map(|_| {
                let (from, to) = (rng.below(states), rng.below(states));
                let guards = (0..rng.below(2)).map(|_| Self::guard(rng, own)).collect();
                let action = |rng: &mut Rng| {
                    let value = Term::Value(rng.below(3) as i64);
                    let term = if rng.chance(50) { value } else { Term::Variable(rng.below(2)) };
                    (rng.below(2), term, rng.below(2) as i64)
                };
                let actions = (0..rng.below(3)).map(|_| action(rng)).collect();
                Step { from, event: rng.below(3), to, guards, actions }
            });
            (states, steps.collect())
        });
        Self { machines: machines.collect(), sizes }
    }

    fn guard(rng: &mut Rng, own: usize) -> (Term, bool, Term) {
        let same = rng.chance(50);
        if rng.chance(20) {
            return (Term::At(1 - own), same, Term::State(rng.below(2)));
        }
        let right = if rng.chance(50) { Term::Value(rng.below(3) as i64) } else { Term::Variable(rng.below(2)) };
        (if rng.chance(20) { Term::Next(rng.below(2)) } else { Term::Variable(rng.below(2)) }, same, right)
    }

    fn text(&self) -> String {
        let term = |t: &Term| match *t {
            Term::Value(value) => int(value),
            Term::Variable(v) => id(&format!("v{v}")),
            Term::Next(v) => format!("<UnaryExpression Operator=\"'\">{}</UnaryExpression>", id(&format!("v{v}"))),
            Term::At(machine) => id(&format!("m{machine}")),
            Term::State(state) => id(&format!("s{state}")),
        };
        let mut inner = String::new();
        for (number, (states, steps)) in self.machines.iter().enumerate() {
            let states: Vec<String> = (0..*states.max(&2)).map(|s| format!("s{s}")).collect();
            let step = |step: &Step| {
                let guards: Vec<String> = step
                    .guards
                    .iter()
                    .map(|(left, same, right)| both(if *same { "==" } else { "!=" }, &term(left), &term(right)))
                    .collect();
                let all = guards.into_iter().reduce(|a, b| both("&", &a, &b)).unwrap_or_default();
                let action = |(v, value, plus): &(usize, Term, i64)| {
                    both("=", &id(&format!("v{v}")), &both("+", &term(value), &int(*plus)))
                };
                let actions: String = step.actions.iter().map(action).collect();
                edge(&format!("s{}", step.from), &id(EVENTS[step.event]), &format!("s{}", step.to), &all, &actions)
            };
            let states: Vec<&str> = states.iter().map(String::as_str).collect();
            let edges: String = steps.iter().map(step).collect();
            let graph = component("PLANT", &id(&format!("m{number}")), &nodes(&states), &edges);
            inner += &graph.replace("<Graph>", "<Graph Deterministic=\"false\">");
        }
        for (v, &size) in self.sizes.iter().enumerate() {
            inner += &variable(&format!("v{v}"), &interval(0, size - 1), 0);
        }
        let all: String = EVENTS.iter().map(|name| event("CONTROLLABLE", name, "")).collect();
        module(&(events(&all) + &components(&inner)))
    }

    /// Every way from a state (of machines, then of variables) with an event.
    fn successors(&self, state: &[i64], event: usize) -> Vec<Vec<i64>> {
        let takers: Vec<usize> =
            (0..2).filter(|&m| self.machines[m].1.iter().any(|step| step.event == event)).collect();
        let mut chosen: Vec<Vec<(usize, &Step)>> = vec![Vec::new()];
        for m in takers {
            let steps = self.machines[m].1.iter().filter(|s| s.event == event && s.from as i64 == state[m]);
            let steps: Vec<&Step> = steps.collect();
            chosen = chosen
                .iter()
                .flat_map(|before| steps.iter().map(move |step| [before.clone(), vec![(m, *step)]].concat()))
                .collect();
        }
        let mut found = Vec::new();
        for together in chosen.iter().filter(|together| !together.is_empty()) {
            // A variable whose next value somebody speaks of may become anything that all of them allow; others stay.
            let speaks = |v: usize| {
                together.iter().any(|(_, step)| {
                    step.actions.iter().any(|a| a.0 == v)
                        || step.guards.iter().any(|g| matches!(g.0, Term::Next(n) if n == v))
                })
            };
            for first in 0..self.sizes[0] {
                for second in 0..self.sizes[1] {
                    let next = [first, second];
                    let stays = |v: usize| speaks(v) || next[v] == state[2 + v];
                    let value = |t: &Term| match *t {
                        Term::Value(value) => value,
                        Term::Variable(v) => state[2 + v],
                        Term::Next(v) => next[v],
                        Term::At(machine) => state[machine],
                        Term::State(s) => s as i64,
                    };
                    let fine = |step: &Step| {
                        step.guards.iter().all(|(l, same, r)| (value(l) == value(r)) == *same)
                            && step.actions.iter().all(|(v, term, plus)| next[*v] == value(term) + plus)
                    };
                    if stays(0) && stays(1) && together.iter().all(|(_, step)| fine(step)) {
                        let mut after = vec![state[0], state[1], first, second];
                        together.iter().for_each(|(m, step)| after[*m] = step.to as i64);
                        found.push(after);
                    }
                }
            }
        }
        found
    }

    /// The whole behaviour, by definition.
    fn behaviour(&self, labels: &mut Labels) -> Lts {
        let mut number = HashMap::from([(vec![0i64; 4], 0u32)]);
        let mut open = vec![vec![0i64; 4]];
        let mut transitions = Vec::new();
        while let Some(state) = open.pop() {
            for (event, name) in EVENTS.iter().enumerate() {
                for next in self.successors(&state, event) {
                    let fresh = number.len() as u32;
                    let target = *number.entry(next.clone()).or_insert(fresh);
                    if target == fresh {
                        open.push(next);
                    }
                    transitions.push(Transition::new(number[&state], labels.intern(name), target));
                }
            }
        }
        // Nobody says anything about marks.
        let all = Lts::new(StateId(0), number.len(), transitions);
        let states = all.states();
        all.with_marked(states)
    }
}

#[test]
fn split_events_do_what_guards_and_actions_say() {
    let mut nontrivial = 0;
    for seed in 0..1500 {
        let random = Random::new(&mut Rng::new(seed));
        let text = random.text();
        let des = understood(&text);
        let mut labels = Labels::new();
        let expected = random.behaviour(&mut labels);
        let system = des.system().0;
        let ours = explicit(&system, |_, _| Ok(())).unwrap();
        let ours = ours.relabelled(|l| if l.is_tau() { l } else { labels.intern(system.labels().seen(l)) });
        assert_eq!(
            compare(&ours, &expected, Equivalence::Strong, None).unwrap(),
            Verdict::Equivalent,
            "seed {seed}\n{text}"
        );
        nontrivial += usize::from(expected.num_states() > 3);
    }
    assert!(nontrivial > 300, "only {nontrivial}");
}

/// A property that asks for a variable is told apart wherever it would not allow what happens.
#[test]
fn a_property_with_a_guard_sees_every_event() {
    let step = edge("x", &id("a"), "x", "", &both("=", &id("v"), &both("-", &int(1), &id("v"))));
    let plant = component("PLANT", &id("p"), &nodes(&["x"]), &step);
    let guard = both("==", &id("v"), &int(0));
    let property = |guard: &str| component("PROPERTY", &id("q"), &nodes(&["s"]), &edge("s", &id("a"), "s", guard, ""));
    let holds = |guard: &str| {
        let inner = events(&event("CONTROLLABLE", "a", ""))
            + &components(&(plant.clone() + &property(guard) + &variable("v", &interval(0, 1), 0)));
        let des = understood(&module(&inner));
        let system = explicit(&des.system().0, |_, _| Ok(())).unwrap();
        assert_eq!((system.num_states(), system.num_transitions()), (2, 2), "the property does not change the system");
        let (problem, _) = prequel::engine::des::included(&des).unwrap();
        let all = explicit(&problem.network, |_, _| Ok(())).unwrap();
        !all.used_labels().iter().any(|&l| problem.network.labels().name(l).starts_with("not allowed"))
    };
    assert!(holds(""));
    assert!(!holds(&guard));
}
