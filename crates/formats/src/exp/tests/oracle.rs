//! The structural reading of behaviours: what each operator lets its operands do in a state, without any flattening.

use super::super::link::{Linked, Loaded, link, load};
use super::super::pattern::gate;
use super::super::syntax::{Behaviour, Common, Label, Match, Operator};
use super::*;
use prequel_families::random;
use prequel_model::{Labels, Lts};

/// What is seen (nothing for tau), and the components that change their states.
type Act = (Option<String>, Vec<(u32, StateId)>);

struct Oracle<'a> {
    linked: &'a Linked,
    loaded: &'a [Loaded],
}

fn key(label: &str, by: Match) -> &str {
    if by == Match::Gate { gate(label) } else { label }
}

fn lists(labels: &[Label], label: &str, by: Match) -> bool {
    labels.iter().any(|l| match by {
        Match::Gate | Match::Whole => &*l.text == key(label, by),
        Match::Part | Match::Parts => label.contains(&*l.text),
    })
}

/// Tau by name.
fn settled((label, moves): Act) -> Act {
    (label.filter(|l| l != "i" && l != "tau"), moves)
}

/// Every choice of one act from each list, all moving at once.
fn choices(lists: &[Vec<&Act>], seen: &str) -> Vec<Act> {
    let mut all: Vec<Vec<(u32, StateId)>> = vec![Vec::new()];
    for list in lists {
        all = all.iter().flat_map(|m| list.iter().map(move |(_, more)| [&m[..], &more[..]].concat())).collect();
    }
    all.into_iter().map(|moves| (Some(seen.to_owned()), moves)).collect()
}

impl Oracle<'_> {
    fn acts(&self, behaviour: &Behaviour, state: &[StateId]) -> Vec<Act> {
        match behaviour {
            Behaviour::Component(c) => {
                let file = &self.loaded[self.linked.components[*c as usize] as usize];
                let name = |l: LabelId| (!l.is_tau()).then(|| file.labels.name(l).to_owned());
                file.lts.row(state[*c as usize]).iter().map(|e| (name(e.label), vec![(*c, e.target)])).collect()
            }
            Behaviour::Chain(operands, operators) => {
                let mut operands = operands.iter().rev().map(|b| self.acts(b, state));
                let mut right = operands.next().unwrap();
                for (operator, left) in operators.iter().rev().zip(operands) {
                    let shared = |label: &str| match operator {
                        Operator::Full => true,
                        Operator::On(labels) => lists(labels, label, Match::Gate),
                    };
                    right = together(&[left, right], |_, label| shared(label));
                }
                right
            }
            Behaviour::Par { by, common, operands } => {
                let acts: Vec<_> = operands.iter().map(|(_, b)| self.acts(b, state)).collect();
                together(&acts, |at, label| {
                    let everybody = match common {
                        Common::All => true,
                        Common::List(labels) => lists(labels, label, *by),
                    };
                    everybody || lists(&operands[at].0, label, *by)
                })
            }
            Behaviour::Vectors { by, vectors, operands } => {
                let acts: Vec<_> = operands.iter().map(|b| self.acts(b, state)).collect();
                let mut all: Vec<Act> = acts.iter().flatten().filter(|(l, _)| l.is_none()).cloned().collect();
                let labels: BTreeSet<&str> = acts.iter().flatten().filter_map(|(l, _)| l.as_deref()).collect();
                let offers: BTreeSet<&str> = labels.iter().map(|l| &l[key(l, *by).len()..]).collect();
                for (vector, rest) in vectors.iter().flat_map(|v| offers.iter().map(move |rest| (v, rest))) {
                    let columns = vector.columns.iter().zip(&acts).filter_map(|(c, acts)| Some((c.as_ref()?, acts)));
                    let ways: Vec<Vec<&Act>> = columns
                        .map(|(label, acts)| {
                            let wanted = format!("{}{rest}", label.text);
                            let matches = |l: &str| l == wanted && key(l, *by) == &*label.text;
                            acts.iter().filter(|(l, _)| l.as_deref().is_some_and(matches)).collect()
                        })
                        .collect();
                    all.extend(choices(&ways, &format!("{}{rest}", vector.result.text)));
                }
                all.into_iter().map(settled).collect()
            }
            Behaviour::Hide { by, all_but, labels, body } => {
                let hide = |label: &String| lists(labels, label, *by) != *all_but;
                let acts = self.acts(body, state);
                acts.into_iter().map(|(label, moves)| (label.filter(|l| !hide(l)), moves)).collect()
            }
            Behaviour::Rename { by, rules, body } => {
                let new = |label: String| {
                    let rule = rules.iter().find(|(l, _)| lists(std::slice::from_ref(l), &label, *by));
                    let Some((old, new)) = rule else { return label };
                    match by {
                        Match::Gate => format!("{}{}", new.text, &label[old.text.len()..]),
                        Match::Whole => new.text.to_string(),
                        Match::Part => label.replacen(&*old.text, &new.text, 1),
                        Match::Parts => label.replace(&*old.text, &new.text),
                    }
                };
                let acts = self.acts(body, state);
                acts.into_iter().map(|(label, moves)| settled((label.map(new), moves))).collect()
            }
            Behaviour::Included(_, body) => self.acts(body, state),
            Behaviour::File(_) | Behaviour::Refused { .. } => unreachable!(),
        }
    }
}

/// N-ary composition; `shared` says whether an operand takes a label only together with all others that share it.
fn together(operands: &[Vec<Act>], shared: impl Fn(usize, &str) -> bool) -> Vec<Act> {
    let mut all = Vec::new();
    let mut labels = BTreeSet::new();
    for (at, acts) in operands.iter().enumerate() {
        for act in acts {
            match &act.0 {
                Some(label) if shared(at, label) => drop(labels.insert(label)),
                _ => all.push(act.clone()),
            }
        }
    }
    for label in labels {
        let sharing = operands.iter().enumerate().filter(|(at, _)| shared(*at, label));
        let ways: Vec<Vec<&Act>> =
            sharing.map(|(_, acts)| acts.iter().filter(|(l, _)| l.as_ref() == Some(label)).collect()).collect();
        all.extend(choices(&ways, label));
    }
    all
}

const LABELS: [&str; 7] = ["a", "b", "G", "\"G !1\"", "\"G !2\"", "\"H !1\"", "c"];

fn list(rng: &mut Rng) -> String {
    (0..rng.between(1, 3)).map(|_| *rng.pick(&LABELS)).collect::<Vec<_>>().join(", ")
}

/// A random behaviour as text.
fn text(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return format!("m{}", rng.below(3));
    }
    let inner = |rng: &mut Rng| text(rng, depth - 1);
    match rng.below(7) {
        0 => inner(rng),
        1 => {
            let mut text = format!("({}", inner(rng));
            for _ in 0..rng.between(1, 2) {
                let on = format!("|[{}]|", list(rng));
                let operator = *rng.pick(&["||", "|||", &on]);
                text += &format!(" {operator} {}", inner(rng));
            }
            text + ")"
        }
        2 | 3 => {
            let mut text = format!("{}par ", rng.pick(&["", "gate ", "label "]));
            match rng.below(4) {
                0 => text += &format!("{} in ", list(rng)),
                1 if rng.chance(30) => text += "all in ",
                _ => {}
            }
            for at in 0..rng.between(1, 3) {
                text += if at > 0 { " || " } else { "" };
                if rng.chance(70) {
                    text += &format!("{} -> ", list(rng));
                }
                text += &inner(rng);
            }
            text + " end par"
        }
        4 => {
            let width = rng.between(1, 3);
            let vector = |rng: &mut Rng| {
                let mut columns: Vec<&str> =
                    (0..width).map(|_| if rng.chance(40) { "_" } else { *rng.pick(&LABELS) }).collect();
                columns[rng.below(width)] = *rng.pick(&LABELS);
                format!("{} -> {}", columns.join(" * "), rng.pick(&["a", "b", "G", "i"]))
            };
            let vectors: Vec<String> = (0..rng.between(1, 5)).map(|_| vector(rng)).collect();
            let operands: Vec<String> = (0..width).map(|_| inner(rng)).collect();
            let mode = *rng.pick(&["", "label "]);
            format!("{mode}par using {} in {} end par", vectors.join(", "), operands.join(" || "))
        }
        5 => {
            let mode = *rng.pick(&["", "gate ", "total ", "partial "]);
            let but = if rng.chance(20) { "all but " } else { "" };
            format!("{mode}hide {but}{} in {} end hide", list(rng), inner(rng))
        }
        _ => {
            let mode = *rng.pick(&["", "gate ", "total ", "single ", "multiple "]);
            let rule = |rng: &mut Rng| format!("{} -> {}", rng.pick(&LABELS), rng.pick(&["a", "c", "G", "tau"]));
            let rules: Vec<String> = (0..rng.between(1, 3)).map(|_| rule(rng)).collect();
            format!("{mode}rename {} in {} end rename", rules.join(", "), inner(rng))
        }
    }
}

fn component(rng: &mut Rng) -> String {
    let mut labels = Labels::new();
    let names: Vec<LabelId> = LABELS.iter().map(|l| labels.intern(l.trim_matches('"'))).collect();
    let lts: Lts = random::lts(rng, 3, &names, 3);
    let mut out = Vec::new();
    crate::aut::write(&lts, |l| labels.name(l), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn flattening_agrees_with_the_structural_reading() {
    let folder = Folder::new(&[]);
    let (mut synchronised, mut compared) = (0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        (0..3).for_each(|n| folder.put(&format!("m{n}.aut"), &component(&mut rng)));
        let depth = rng.between(1, 3);
        let text = text(&mut rng, depth);
        let network = folder.network(&text);
        let mut findings = Findings::default();
        let linked = link("n.exp", text.as_bytes(), folder.0.path(), &mut findings).unwrap();
        let loaded =
            load(&linked, &aut::Dialect::default(), &prequel_model::watch::Watch::default(), &mut findings).unwrap();
        let oracle = Oracle { linked: &linked, loaded: &loaded };
        let mut known = HashSet::from([network.initial()]);
        let mut queue = VecDeque::from([network.initial()]);
        while let Some(state) = queue.pop_front().filter(|_| known.len() < 60) {
            let expected: BTreeSet<(String, Vec<StateId>)> = oracle
                .acts(&linked.body, &state)
                .into_iter()
                .map(|(label, moves)| {
                    synchronised += usize::from(moves.len() > 1);
                    let mut next = state.clone();
                    moves.iter().for_each(|&(c, to)| next[c as usize] = to);
                    (label.unwrap_or("tau".into()), next)
                })
                .collect();
            compared += expected.len();
            assert_eq!(seen(&network, &state), expected, "seed {seed}, state {state:?}: {text}");
            for (_, next) in expected {
                if known.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
    }
    assert!(synchronised > 2000 && compared > 10_000, "{synchronised} of {compared}: too few to mean anything");
}
