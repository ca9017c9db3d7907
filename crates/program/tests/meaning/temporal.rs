//! Formulas about networks, Petri nets and DVE models beside what they mean: random systems, random formulas, and every run that
//! is found replayed.
//!
//! The reference knows no automaton. It gives each letter of the system every guess of what holds from the next letter on, keeps the
//! guesses that agree with each other, and looks for a component in which every promise is kept (O. Lichtenstein, A. Pnueli, POPL 1985).

use crate::endless_random::number;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::temporal;
use prequel_engine::otf::{Otf, Search};
use prequel_evidence::Checked;
use prequel_evidence::lasso::{NetLasso, NetworkLasso};
use prequel_families::random::{Shape, goal, network};
use prequel_formats::dve;
use prequel_formats::temporal as formulas;
use prequel_model::net::Parts;
use prequel_model::rng::Rng;
use prequel_model::run::{Limits, Run};
use prequel_model::temporal::{Binary, Unary};
use prequel_model::{
    Arc as Weighted, Comparison, Condition, LabelId, Net, NetAtom, Network, NetworkAtom, PlaceId, StateId, Temporal,
    Trace, TransitionId,
};
use prequel_program::dve::{Given, with_formula, with_property};
use prequel_program::{Program, Sought, replay};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Larger systems are left out.
const MOST: usize = 60;

/// All letters of a system: a state with a step, or with none where there is none.
#[derive(Default)]
struct Letters {
    /// Which atoms hold.
    atoms: Vec<Vec<bool>>,
    next: Vec<Vec<usize>>,
    first: Vec<usize>,
}

/// The letters of a system; nothing if it has too many states. `steps` gives deeds and successors, `atoms` what holds.
fn letters<S: Clone + Eq + std::hash::Hash, D: Clone>(
    first: S,
    steps: impl Fn(&S) -> Vec<(D, S)>,
    atoms: impl Fn(&S, Option<&D>) -> Vec<bool>,
) -> Option<Letters> {
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let (mut states, mut found) = (vec![first], Vec::new());
    while found.len() < states.len() {
        let all = steps(&states[found.len()]);
        for (_, next) in &all {
            if !numbers.contains_key(next) {
                numbers.insert(next.clone(), states.len());
                states.push(next.clone());
            }
        }
        if states.len() > MOST {
            return None;
        }
        found.push(all);
    }
    let mut starts = Vec::new();
    let mut count = 0;
    for all in &found {
        starts.push(count..count + all.len().max(1));
        count += all.len().max(1);
    }
    let mut letters = Letters { first: starts[0].clone().collect(), ..Letters::default() };
    for (number, all) in found.iter().enumerate() {
        if all.is_empty() {
            letters.atoms.push(atoms(&states[number], None));
            letters.next.push(vec![starts[number].start]);
        }
        for (deed, next) in all {
            letters.atoms.push(atoms(&states[number], Some(deed)));
            letters.next.push(starts[numbers[next]].clone().collect());
        }
    }
    Some(letters)
}

/// Formulas with time in a formula, each after those in it.
fn timed<'f>(formula: &'f Temporal<u32>, all: &mut Vec<&'f Temporal<u32>>) {
    match formula {
        Temporal::Constant(_) | Temporal::Atom(_) => {}
        Temporal::One(op, a) => {
            timed(a, all);
            if *op != Unary::Not {
                all.push(formula);
            }
        }
        Temporal::Two(op, a, b) => {
            timed(a, all);
            timed(b, all);
            if matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release) {
                all.push(formula);
            }
        }
    }
}

/// Whether a formula holds in a letter, given what is guessed of the next one.
fn value(formula: &Temporal<u32>, atoms: &[bool], timed: &[&Temporal<u32>], guess: usize) -> bool {
    let of = |a: &Temporal<u32>| value(a, atoms, timed, guess);
    let later = || {
        let number = timed.iter().position(|known| std::ptr::eq(*known, formula)).expect("it has time");
        guess >> number & 1 == 1
    };
    match formula {
        Temporal::Constant(value) => *value,
        Temporal::Atom(atom) => atoms[*atom as usize],
        Temporal::One(Unary::Not, a) => !of(a),
        Temporal::One(Unary::Next, _) => later(),
        Temporal::One(Unary::Always, a) => of(a) && later(),
        Temporal::One(Unary::Eventually, a) => of(a) || later(),
        Temporal::Two(Binary::And, a, b) => of(a) && of(b),
        Temporal::Two(Binary::Or, a, b) => of(a) || of(b),
        Temporal::Two(Binary::Implies, a, b) => !of(a) || of(b),
        Temporal::Two(Binary::Equivalent, a, b) => of(a) == of(b),
        Temporal::Two(Binary::Until | Binary::WeakUntil, a, b) => of(b) || of(a) && later(),
        Temporal::Two(Binary::Release, a, b) => of(b) && (of(a) || later()),
    }
}

/// Whether all runs satisfy a formula.
fn holds(formula: &Temporal<u32>, letters: &Letters) -> bool {
    let mut all = Vec::new();
    timed(formula, &mut all);
    let guesses = 1 << all.len();
    let of = |f: &Temporal<u32>, node: usize| value(f, &letters.atoms[node / guesses], &all, node % guesses);
    // What a guess says of the next letter must be so there.
    let agrees = |node: usize, next: usize| {
        all.iter().enumerate().all(|(number, f)| {
            let expected = (node % guesses) >> number & 1 == 1;
            let said = if let Temporal::One(Unary::Next, a) = f { of(a, next) } else { of(f, next) };
            expected == said
        })
    };
    let count = letters.atoms.len() * guesses;
    let edges: Vec<Vec<usize>> = (0..count)
        .map(|node| {
            let next = letters.next[node / guesses].iter().flat_map(|&letter| letter * guesses..(letter + 1) * guesses);
            next.filter(|&next| agrees(node, next)).collect()
        })
        .collect();
    // What is promised comes, and what is denied is seen to fail.
    let kept = |f: &Temporal<u32>, node: usize| match f {
        Temporal::One(Unary::Eventually, a) => !of(f, node) || of(a, node),
        Temporal::Two(Binary::Until, _, b) => !of(f, node) || of(b, node),
        Temporal::One(Unary::Always, a) => of(f, node) || !of(a, node),
        Temporal::Two(Binary::WeakUntil, a, b) => of(f, node) || !of(a, node) && !of(b, node),
        Temporal::Two(Binary::Release, _, b) => of(f, node) || !of(b, node),
        _ => true,
    };
    let starts = letters.first.iter().flat_map(|&letter| letter * guesses..(letter + 1) * guesses);
    let starts: Vec<usize> = starts.filter(|&node| !of(formula, node)).collect();
    !components(&edges, &starts).iter().any(|members| {
        let has_cycle = members.len() > 1 || edges[members[0]].contains(&members[0]);
        has_cycle && all.iter().all(|f| members.iter().any(|&node| kept(f, node)))
    })
}

/// The strongly connected components that can be reached, by S. R. Kosaraju's algorithm.
fn components(edges: &[Vec<usize>], starts: &[usize]) -> Vec<Vec<usize>> {
    let (mut seen, mut order) = (vec![false; edges.len()], Vec::new());
    for &start in starts {
        let mut path = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((node, at)) = path.last_mut() {
            match edges[*node].get(*at) {
                Some(&next) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[next], true) {
                        path.push((next, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut back = vec![Vec::new(); edges.len()];
    for &node in &order {
        edges[node].iter().for_each(|&next| back[next].push(node));
    }
    let (mut of, mut found) = (vec![false; edges.len()], Vec::new());
    for &start in order.iter().rev() {
        if of[start] {
            continue;
        }
        let (mut members, mut open) = (Vec::new(), vec![start]);
        of[start] = true;
        while let Some(node) = open.pop() {
            members.push(node);
            open.extend(back[node].iter().copied().filter(|&before| !std::mem::replace(&mut of[before], true)));
        }
        found.push(members);
    }
    found
}

/// A formula with at most so many operators of time.
fn random<A>(rng: &mut Rng, times: usize, atom: &mut impl FnMut(&mut Rng) -> A) -> Temporal<A> {
    if times == 0 {
        let atom = Temporal::Atom(atom(rng));
        return if rng.chance(30) { Temporal::one(Unary::Not, atom) } else { atom };
    }
    let split = rng.below(times);
    match rng.below(12) {
        0..=2 => Temporal::one(Unary::Always, random(rng, times - 1, atom)),
        3..=5 => Temporal::one(Unary::Eventually, random(rng, times - 1, atom)),
        6 => Temporal::one(Unary::Next, random(rng, times - 1, atom)),
        other => {
            let ops = [Binary::Until, Binary::WeakUntil, Binary::Release, Binary::Implies, Binary::And];
            let op = if rng.chance(20) { *rng.pick(&[Binary::Or, Binary::Equivalent]) } else { ops[other - 7] };
            let is_timed = matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release);
            let rest = if is_timed { times - 1 - split.min(times - 1) } else { times - split };
            let left = random(rng, split.min(rest), atom);
            Temporal::two(op, left, random(rng, rest, atom))
        }
    }
}

/// How many of either verdict were compared.
#[derive(Default)]
struct Compared {
    held: u64,
    failed: u64,
}

impl Compared {
    fn add(&mut self, holds: bool) {
        *if holds { &mut self.held } else { &mut self.failed } += 1;
    }

    fn enough(&self, count: u64, what: &str) {
        let Self { held, failed } = self;
        println!("{what}: {held} hold, {failed} do not");
        assert!(*held > count / 10 && *failed > count / 10, "{what}: {held} hold, {failed} do not");
    }
}

fn network_atom(rng: &mut Rng, network: &Network) -> NetworkAtom {
    let labels: Vec<_> = network.labels().visible().collect();
    match rng.chance(40) && !labels.is_empty() {
        true => NetworkAtom::Takes(vec![*rng.pick(&labels)]),
        false => NetworkAtom::In(goal(rng, network)),
    }
}

/// `PREQUEL_FUZZ_LIVENESS` times ten networks from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_formulas_about_networks_are_decided_as_they_mean() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), 10 * number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0x7e3);
        let network = network(seed, &Shape { components: 3, states: 4, ..Shape::default() });
        let times = rng.between(1, 3);
        let formula = random(&mut rng, times, &mut |rng| network_atom(rng, &network));
        let (atoms, numbered) = formula.numbered();
        let steps = |state: &Vec<StateId>| {
            let all = network.steps(state).into_iter().map(|step| {
                let mut next = state.clone();
                step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                (step.label, next)
            });
            all.collect::<Vec<_>>()
        };
        let seen = |state: &Vec<StateId>, deed: Option<&LabelId>| {
            let holds = |atom: &&NetworkAtom| match atom {
                NetworkAtom::In(goal) => goal.holds(&|c| state[c.at()]),
                NetworkAtom::Takes(labels) => deed.is_some_and(|label| labels.contains(label)),
            };
            atoms.iter().map(holds).collect()
        };
        let Some(letters) = letters(network.initial(), steps, seen) else { continue };
        let expected = holds(&numbered, &letters);
        match temporal::network(&network, &formula, &Run::new(Limits::default(), 0)) {
            temporal::Outcome::Absent => assert!(expected, "seed {seed}: {formula:?}"),
            temporal::Outcome::Found(lasso) => {
                assert!(!expected, "seed {seed}: {formula:?}");
                let (network, trace) = (Arc::new(network.clone()), Trace { steps: lasso.steps });
                let run = NetworkLasso { network, formula: Some(formula), trace, from: lasso.from };
                let verdict = Checked::new(run).unwrap_or_else(|why| panic!("seed {seed}: {why}")).verdict();
                assert_eq!(verdict.holds(), Some(false));
            }
            other => panic!("seed {seed}: {other:?}"),
        }
        compared.add(expected);
    }
    compared.enough(count, "networks");
}

/// A net of a few places with few tokens.
fn random_net(rng: &mut Rng) -> Net {
    let (places, transitions) = (rng.between(1, 4), rng.between(1, 4));
    let mut parts = Parts {
        places: (0..places).map(|p| (format!("p{p}").into(), rng.below(3) as u32)).collect(),
        transitions: (0..transitions).map(|t| (format!("t{t}").into(), 0)).collect(),
        ..Parts::default()
    };
    for t in 0..transitions {
        for side in [&mut parts.inputs, &mut parts.outputs] {
            for place in (0..places).filter(|_| rng.chance(45)).collect::<Vec<_>>() {
                let weight = 1 + u32::from(rng.chance(15));
                side.push((TransitionId::new(t), Weighted { place: PlaceId::new(place), weight }));
            }
        }
    }
    Net::new(parts).expect("a net")
}

fn net_atom(rng: &mut Rng, net: &Net) -> NetAtom {
    if rng.chance(35) {
        return NetAtom::Fires(TransitionId::new(rng.below(net.transitions().len())));
    }
    if rng.chance(15) {
        return NetAtom::Holds(Condition::Fireable(TransitionId::new(rng.below(net.transitions().len()))));
    }
    let sum = vec![(PlaceId::new(rng.below(net.places().len())), 1)];
    let comparison = *rng.pick(&[Comparison::Equal, Comparison::AtLeast, Comparison::AtMost]);
    NetAtom::Holds(Condition::Tokens(sum, comparison, rng.below(3) as i64))
}

/// `PREQUEL_FUZZ_LIVENESS` times ten nets from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_formulas_about_nets_are_decided_as_they_mean() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), 10 * number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0x9e7);
        let net = random_net(&mut rng);
        let times = rng.between(1, 3);
        let formula = random(&mut rng, times, &mut |rng| net_atom(rng, &net));
        let (atoms, numbered) = formula.numbered();
        let steps = |marking: &Vec<u32>| {
            let all = net.transitions().filter(|&t| net.enabled(&|p| marking[p.at()], t)).map(|t| {
                let mut next = marking.clone();
                net.fire(&mut next, t).expect("few tokens");
                (t, next)
            });
            all.collect::<Vec<_>>()
        };
        let seen = |marking: &Vec<u32>, deed: Option<&TransitionId>| {
            let holds = |atom: &&NetAtom| match atom {
                NetAtom::Holds(condition) => condition.holds(&net, &|p| marking[p.at()]),
                NetAtom::Fires(t) => deed == Some(t),
            };
            atoms.iter().map(holds).collect()
        };
        let Some(letters) = letters(net.initial().to_vec(), steps, seen) else { continue };
        let expected = holds(&numbered, &letters);
        match temporal::net(&net, &formula, &Run::new(Limits::default(), 0)) {
            temporal::Outcome::Absent => assert!(expected, "seed {seed}: {formula:?}"),
            temporal::Outcome::Found(lasso) => {
                assert!(!expected, "seed {seed}: {formula:?}");
                let net = Arc::new(net.clone());
                let run = NetLasso { net, formula: Some(formula), sequence: lasso.steps, from: lasso.from };
                Checked::new(run).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
            }
            other => panic!("seed {seed}: {other:?}"),
        }
        compared.add(expected);
    }
    compared.enough(count, "nets");
}

/// What a process can do: from, to, the value of `x` that it needs, the value that it sets.
type Deed = (u8, u8, Option<u8>, Option<u8>);

/// A DVE model of processes without variables of their own.
struct Model {
    text: String,
    processes: Vec<Vec<Deed>>,
    /// How many states each of them has.
    states: Vec<usize>,
}

impl Model {
    fn random(rng: &mut Rng) -> Self {
        let (mut text, mut processes, mut counts) = ("byte x;\n".to_owned(), Vec::new(), Vec::new());
        for process in 0..rng.between(1, 3) {
            let states = rng.between(1, 3);
            let names: Vec<String> = (0..states).map(|s| format!("s{s}")).collect();
            let _ = writeln!(text, "process P{process} {{ state {}; init s0; trans", names.join(", "));
            let transitions: Vec<_> = (0..rng.between(1, 4))
                .map(|_| {
                    let value = |rng: &mut Rng| rng.chance(45).then(|| rng.below(3) as u8);
                    (rng.below(states) as u8, rng.below(states) as u8, value(rng), value(rng))
                })
                .collect();
            let written = transitions.iter().map(|(from, to, needs, sets)| {
                let guard = needs.map_or(String::new(), |value| format!("guard x == {value};"));
                let effect = sets.map_or(String::new(), |value| format!("effect x = {value};"));
                format!("  s{from} -> s{to} {{ {guard} {effect} }}")
            });
            let _ = writeln!(text, "{};\n}}", written.collect::<Vec<_>>().join(",\n"));
            processes.push(transitions);
            counts.push(states);
        }
        Self { text, processes, states: counts }
    }

    fn steps(&self, state: &(Vec<u8>, u8)) -> Vec<((), (Vec<u8>, u8))> {
        let (at, x) = state;
        let mut all = Vec::new();
        for (process, transitions) in self.processes.iter().enumerate() {
            for &(from, to, needs, sets) in transitions {
                if at[process] == from && needs.is_none_or(|value| value == *x) {
                    let mut next = at.clone();
                    next[process] = to;
                    all.push(((), (next, sets.unwrap_or(*x))));
                }
            }
        }
        all
    }

    fn first(&self) -> (Vec<u8>, u8) {
        (vec![0; self.processes.len()], 0)
    }

    /// An atom, and how it is written: the value of `x`, or where a process is.
    fn atom(&self, rng: &mut Rng) -> (Option<usize>, u8) {
        (rng.chance(50).then(|| rng.below(self.processes.len())), rng.below(3) as u8)
    }
}

fn seen((process, value): (Option<usize>, u8), (at, x): &(Vec<u8>, u8)) -> bool {
    process.map_or(*x, |process| at[process]) == value
}

fn written(atom: &(Option<usize>, u8), model: &Model) -> String {
    match *atom {
        (Some(process), state) if usize::from(state) < model.states[process] => format!("P{process}.s{state}"),
        (Some(_), _) => "false".into(),
        (None, value) => format!("x == {value}"),
    }
}

fn text_of(formula: &Temporal<(Option<usize>, u8)>, model: &Model) -> String {
    let of = |a: &Temporal<(Option<usize>, u8)>| text_of(a, model);
    match formula {
        Temporal::Constant(value) => value.to_string(),
        Temporal::Atom(atom) => format!("({})", written(atom, model)),
        Temporal::One(op, a) => {
            let sign = match op {
                Unary::Not => "!",
                Unary::Next => "X ",
                Unary::Always => "[] ",
                Unary::Eventually => "<> ",
            };
            format!("{sign}({})", of(a))
        }
        Temporal::Two(op, a, b) => {
            let sign = match op {
                Binary::And => "and",
                Binary::Or => "||",
                Binary::Implies => "->",
                Binary::Equivalent => "<->",
                Binary::Until => "U",
                Binary::WeakUntil => "W",
                Binary::Release => "V",
            };
            format!("({}) {sign} ({})", of(a), of(b))
        }
    }
}

/// Whether nothing is found; what is found is done again.
fn nothing_found(program: &Program, what: &str) -> bool {
    match verify(program, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0)) {
        Outcome::Holds => true,
        Outcome::Violated(witness) => {
            assert_eq!(replay(program, &witness), Ok(()), "{what}: {witness:#?}");
            false
        }
        other => panic!("{what}: {other:?}"),
    }
}

/// `PREQUEL_FUZZ_LIVENESS` times four models from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_formulas_about_dve_models_are_decided_as_they_mean() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), 4 * number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0xd7e);
        let model = Model::random(&mut rng);
        let times = rng.between(1, 3);
        let formula = random(&mut rng, times, &mut |rng| model.atom(rng));
        let (atoms, numbered) = formula.numbered();
        let all = |state: &(Vec<u8>, u8), _: Option<&()>| atoms.iter().map(|&&atom| seen(atom, state)).collect();
        let Some(letters) = letters(model.first(), |state| model.steps(state), all) else { continue };
        let expected = holds(&numbered, &letters);
        let text = text_of(&formula, &model);
        let what = format!("seed {seed}: {text}\n{}", model.text);
        let (system, _) = dve::read("m.dve", format!("{}system async;", model.text).as_bytes()).expect("a model");
        let formula = &formulas::dve::read(&text, &system).unwrap_or_else(|errors| panic!("{what}: {errors:?}"));
        let given = Given { option: "--ltl", name: "given", text: &text, formula };
        let (program, _) = with_formula(&system, given).unwrap_or_else(|errors| panic!("{what}: {errors:?}"));
        assert_eq!(nothing_found(&program, &what), expected, "{what}");
        compared.add(expected);
    }
    compared.enough(count, "DVE models");
}

/// The same number of property processes. Only runs without an end count.
#[test]
fn random_property_processes_are_decided_as_they_mean() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), 4 * number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0x9209);
        let model = Model::random(&mut rng);
        let states = rng.between(1, 3);
        let edges: Vec<(usize, usize, Option<u8>)> = (0..rng.between(1, 5))
            .map(|_| (rng.below(states), rng.below(states), rng.chance(60).then(|| rng.below(3) as u8)))
            .collect();
        let accepting = rng.below(states);
        let names: Vec<String> = (0..states).map(|q| format!("q{q}")).collect();
        let guarded = |&(from, to, x): &(usize, usize, Option<u8>)| {
            let guard = x.map_or(String::new(), |value| format!("guard x == {value};"));
            format!("q{from} -> q{to} {{ {guard} }}")
        };
        let text = format!(
            "{}process LTL {{ state {}; init q0; accept q{accepting}; trans {}; }}\nsystem async property LTL;",
            model.text,
            names.join(", "),
            edges.iter().map(guarded).collect::<Vec<_>>().join(", ")
        );
        // The product: both move, or nobody does.
        let mut numbers = HashMap::from([((model.first(), 0), 0)]);
        let (mut order, mut product) = (vec![(model.first(), 0)], Vec::new());
        while product.len() < order.len() {
            let (state, at) = order[product.len()].clone();
            let mut next = Vec::new();
            for ((), target) in model.steps(&state) {
                for &(_, to, _) in edges.iter().filter(|(from, _, x)| *from == at && x.is_none_or(|x| x == state.1)) {
                    let node = (target.clone(), to);
                    next.push(*numbers.entry(node.clone()).or_insert_with(|| {
                        order.push(node);
                        order.len() - 1
                    }));
                }
            }
            product.push(next);
        }
        let accepted = components(&product, &[0]).iter().any(|members| {
            let has_cycle = members.len() > 1 || product[members[0]].contains(&members[0]);
            has_cycle && members.iter().any(|&node| order[node].1 == accepting)
        });
        let (system, _) = dve::read("m.dve", text.as_bytes()).expect("a model");
        let (program, _) = with_property(&system).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}"));
        assert_eq!(nothing_found(&program, &text), !accepted, "seed {seed}\n{text}");
        compared.add(!accepted);
    }
    compared.enough(count, "property processes");
}
