//! Automata of random formulas beside a direct evaluation on words that end in a loop, their sizes beside SPIN's, and what is said
//! about repetition.

use super::automaton::Automaton;
use super::condition::Conditions;
use super::read::Reader;
use super::sample::{ATOMS, COMMON, formulas, holds, random, word};
use super::*;
use prequel_formats::promela::syntax::ExpressionKind;
use prequel_model::rng::Rng;
use std::time::Instant;

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// For each atom of a formula its bit in a letter.
fn bits(reader: &Reader) -> Vec<usize> {
    let bit = |atom: &prequel_formats::promela::syntax::Expression| match &*atom.kind {
        ExpressionKind::Reference(name) => ATOMS.iter().position(|known| **known == *name.parts[0].name.text),
        _ => None,
    };
    reader.atoms.iter().map(|atom| bit(atom).expect("a variable")).collect()
}

/// Whether an automaton accepts a word, by the definition: some run takes an edge of each set again and again.
fn accepts(automaton: &Automaton, reader: &Reader, word: &[usize], back: usize) -> bool {
    let bits = &bits(reader);
    let conditions: &Conditions = &reader.terms.conditions;
    let holds = |at: usize| move |atom: u32| word[at] >> bits[atom as usize] & 1 == 1;
    let next = |at: usize| if at + 1 == word.len() { back } else { at + 1 };
    let size = automaton.states.len() * word.len();
    let edges: Vec<Vec<(usize, u64)>> = (0..size)
        .map(|node| {
            let (state, at) = (node / word.len(), node % word.len());
            let open = automaton.states[state].iter().filter(|edge| conditions.holds(edge.when, &holds(at)));
            open.map(|edge| (edge.to * word.len() + next(at), edge.marks)).collect()
        })
        .collect();
    let reach = |from: usize| {
        let (mut seen, mut open) = (vec![false; size], vec![from]);
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(edges[node].iter().map(|&(to, _)| to));
            }
        }
        seen
    };
    let reached: Vec<Vec<bool>> = (0..size).map(reach).collect();
    (0..size).any(|node| {
        let inside = |from: usize, to: usize| reached[node][from] && reached[to][node];
        let on_cycles = (0..size).flat_map(|from| edges[from].iter().map(move |&(to, marks)| (from, to, marks)));
        let marks: Vec<u64> = on_cycles.filter(|&(from, to, _)| inside(from, to)).map(|(.., marks)| marks).collect();
        reached[0][node] && !marks.is_empty() && marks.iter().fold(0, |all, marks| all | marks) == automaton.sets
    })
}

/// The automata on the way of one formula, by name.
fn automata(reader: &mut Reader, formula: &Formula) -> Option<Vec<(&'static str, Automaton)>> {
    let term = reader.formula(formula);
    let negation = reader.terms.not(term);
    let plain = steps::automaton(negation, &mut reader.terms)?;
    let generalised = generalised(negation, &mut reader.terms)?;
    let others = super::generalised(term, &mut reader.terms)?;
    let conditions = &mut reader.terms.conditions;
    let mut all = vec![("plain", plain), ("generalised", generalised.clone())];
    for (number, order) in orders(generalised.sets.count_ones()).into_iter().take(2).enumerate() {
        let way = Way { order, enters_accepting: number == 1, eager: number == 0 };
        let by_states = by_states(&generalised, &way);
        let reduced = simulation::reduced_buchi(&by_states, number == 1, conditions);
        all.extend([("by states", by_states), ("reduced", reduced)]);
    }
    all.extend(weak::weak(&generalised, &others, conditions).map(|weak| ("weak", weak)));
    all.push(("smallest", smallest(&generalised, Some(&others), conditions)));
    Some(all)
}

/// `PREQUEL_FUZZ_LIVENESS` formulas from `PREQUEL_FUZZ_SEED` on.
#[test]
fn automata_accept_what_formulas_exclude() {
    let (seed, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 1_500));
    let mut texts: Vec<String> = COMMON.iter().chain(PATTERNS).map(|text| text.to_string()).collect();
    texts.extend((0..count).map(|number| {
        let mut rng = Rng::new((seed + number) as u64);
        let size = rng.between(1, 9);
        random(&mut rng, size, number % 2 == 0)
    }));
    let mut rng = Rng::new(seed as u64);
    for text in texts {
        let formula = &formulas(&format!("ltl {{ {text} }}"))[0].formula;
        let mut reader = Reader::default();
        let automata = automata(&mut reader, formula).unwrap_or_else(|| panic!("{text} is too large"));
        for _ in 0..30 {
            let (word, back) = word(&mut rng);
            let expected = !holds(formula, &word, back)[0];
            for (name, automaton) in &automata {
                assert_eq!(
                    accepts(automaton, &reader, &word, back),
                    expected,
                    "{name} of {text} on {word:?} from {back}\n{automaton:?}"
                );
            }
        }
    }
}

/// What people write about systems, from the literature on translations.
pub const PATTERNS: &[&str] = &[
    "([]<>p && []<>q && []<>r) -> []<>s",
    "<>[]p -> []<>q",
    "[] (p -> (!q U (r || []!q)))",
    "p U (q U r)",
    "!(p U (q U r))",
    "[]<>p -> []<>q",
    "<>p U []q",
    "[]p U q",
    "!([]<>p -> []<>q)",
    "(p U q) || (q U p)",
    "<>p && []q",
    "[](p -> <>q) && (([]p) U q)",
    "[](p -> <>q) && !([](r -> <>s))",
    "!(p U q) && (q U (p || r))",
    "[]<>p && []<>q && []<>r && []<>s",
    "!([](p -> <>q))",
    "[](p -> <>(q && <>r))",
    "<>(p && X<>(q && X<>r))",
    "<>[]p || <>[]q || []<>r",
    "[](<>p && <>q && <>r)",
    "([]<>p || <>[]q) && ([]<>r || <>[]s)",
    "[](p -> (q -> (!r U (s || []!r))) U (r || [] (q -> (!r U s))))",
    "[]((p && <>q) -> (!r U (q || (s && !r && X(!r U q)))))",
    "<>p -> (!p U (q && !p && X(!p U r)))",
    "[] (p && !q -> (!q W (r && !q)))",
    "[](p -> []!q)",
    "(<>q) -> (p U q)",
    "[]!p || <>(p && <>q)",
    "[]((p && !q && <>q) -> (r U q))",
    "(<>(s && X<>r)) -> ((!s) U p)",
    "<>[](p || X q)",
    "X X <>(p && [] q)",
    "[](p <-> X q)",
    "([]<>p <-> []<>q)",
    "p W (q W r)",
    "(p V q) V r",
];

fn parsed(text: &str) -> Ltl {
    formulas(&format!("ltl {{ {text} }}")).remove(0)
}

/// States and transitions of the claim that is made of a formula.
fn size(text: &str) -> (usize, usize) {
    let mut reader = Reader::default();
    let formula = reader.formula(&parsed(text).formula);
    buchi_of_negation(formula, &mut reader.terms).expect("small").size()
}

#[test]
fn sizes_are_the_best_published_ones() {
    for (text, expected) in [
        ("([]<>p && []<>q && []<>r) -> []<>s", (5, 15)),
        ("<>[]p -> []<>q", (2, 3)),
        ("[] (p -> (!q U (r || []!q)))", (3, 6)),
    ] {
        assert!(size(text) <= expected, "{text}: {:?}, published {expected:?}", size(text));
    }
}

/// `cargo test -p prequel-program --lib sizes_beside_spin -- --nocapture` prints the table.
#[test]
fn sizes_beside_spin() {
    let (mut ours, mut theirs, mut above) = ([0; 2], [0; 2], Vec::new());
    println!("| formula | SPIN | ours | ms |\n| --- | --- | --- | --- |");
    for text in COMMON.iter().chain(PATTERNS) {
        let start = Instant::now();
        let own = size(text);
        let time = start.elapsed().as_secs_f64() * 1e3;
        let Some(spins) = never(&parsed(text)) else {
            println!("| `{text}` | too large | {}/{} | {time:.1} |", own.0, own.1);
            continue;
        };
        let spins = claim::read(&spins.body, &mut Reader::default()).expect("a claim of this shape").size();
        println!("| `{text}` | {}/{} | {}/{} | {:.1} |", spins.0, spins.1, own.0, own.1, time);
        (ours, theirs) = ([ours[0] + own.0, ours[1] + own.1], [theirs[0] + spins.0, theirs[1] + spins.1]);
        if own > spins {
            above.push(format!("{text}: {own:?}, SPIN {spins:?}"));
        }
    }
    println!("| sum | {}/{} | {}/{} | |", theirs[0], theirs[1], ours[0], ours[1]);
    assert!(above.is_empty(), "{}", above.join("\n"));
}

/// Letters, the last ones from `back` on again and again, and the same with letters repeated.
fn stretchings(rng: &mut Rng) -> [(Vec<usize>, usize); 2] {
    let (word, back) = word(rng);
    let (mut longer, mut at) = (Vec::new(), 0);
    for (number, &letter) in word.iter().enumerate() {
        if number == back {
            at = longer.len();
        }
        longer.extend(vec![letter; rng.between(1, 3)]);
    }
    [(word, back), (longer, at)]
}

#[test]
fn repetition_is_told_by_formulas_that_count() {
    let invariant = |text: &str| decides_stutter_invariance(&parsed(text).formula).expect("small");
    for text in ["[] (p -> X <> q)", "X <> p || <> p", "<> (p && X !p) || [] p || [] !p", "[] p <-> [] X p && p"] {
        assert!(invariant(text), "{text}");
    }
    for text in ["X p", "[] (p -> X q)", "X X <> p <-> p", "<> (p && X p)"] {
        assert!(!invariant(text), "{text}");
    }
}

/// Where words that differ in repetitions only are told apart, the answer is no; where there is no `X`, it is yes.
#[test]
fn repetition_is_decided_as_words_show() {
    let (seed, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 1_500) / 5);
    let (mut invariant, mut counting) = (0, 0);
    for number in 0..count {
        let mut rng = Rng::new((seed + number) as u64);
        let size = rng.between(1, 6);
        let text = random(&mut rng, size, true);
        let formula = &parsed(&text).formula;
        let Some(decided) = decides_stutter_invariance(formula) else { continue };
        assert!(decided || formula.has_next(), "{text}");
        let mut told = false;
        for _ in 0..60 {
            let [(word, back), (longer, at)] = stretchings(&mut rng);
            told |= holds(formula, &word, back)[0] != holds(formula, &longer, at)[0];
        }
        assert!(!decided || !told, "{text}");
        invariant += usize::from(decided && formula.has_next());
        counting += usize::from(!decided);
    }
    assert!(count < 300 || invariant > 0 && counting > 0, "{invariant} {counting}");
}

/// Formulas with many operators are translated or refused, and both in the end.
#[test]
fn large_formulas_are_translated_or_refused() {
    let untils =
        |op: &str, count: usize| (0..count).map(|n| format!("{op} (x == {n})")).collect::<Vec<_>>().join(" && ");
    let model = format!(
        "byte x; ltl a {{ ({}) -> []<>(x == 99) }} ltl b {{ !({}) }} ltl c {{ {} }}",
        untils("[]<>", 3),
        untils("<>", 70),
        untils("[]<>", 8)
    );
    let formula = |name: &str| formulas(&model).into_iter().find(|f| &*super::name(f, 0) == name).expect("a formula");
    assert!(own(&formula("a")).is_some());
    assert!(own(&formula("b")).is_none(), "all orders of so many promises");
    assert!(own(&formula("c")).is_some());
    for seed in 0..number("PREQUEL_FUZZ_LIVENESS", 1_500) as u64 / 100 {
        let mut rng = Rng::new(seed);
        let size = rng.between(20, 30);
        let formula = parsed(&random(&mut rng, size, true));
        if let Some(claim) = own(&formula) {
            let mut reader = Reader::default();
            let automaton = claim::read(&claim.body, &mut reader).expect("a claim of ours");
            for _ in 0..20 {
                let (word, back) = word(&mut rng);
                let expected = !holds(&formula.formula, &word, back)[0];
                assert_eq!(accepts(&automaton, &reader, &word, back), expected, "{claim:?}");
            }
        }
    }
}

/// Three promises beside one that has to hold for ever: of more states than are complemented.
const MANY_PROMISES: &str = "T0: do :: p && q && r && s -> goto accept :: p && q && r -> goto T3 :: p && q -> goto T2 :: p -> goto T1 :: true od; \
    accept: do :: p -> goto T1 od; T3: do :: p && s -> goto accept :: p od; T2: do :: p && r && s -> goto accept :: p && r -> goto T3 :: p od; \
    T1: do :: p && q && r && s -> goto accept :: p && q && r -> goto T3 :: p && q -> goto T2 :: p od";

fn compiled(never: &str) -> Program {
    let text =
        format!("bool p, q, r, s; active proctype P() {{ do :: p = !p :: q = !q :: r = s od }} never {{ {never} }}");
    let (model, _) =
        prequel_formats::promela::read("m.pml", text.as_bytes(), std::path::Path::new("."), &[]).expect("a model");
    crate::compile::compile(&model, crate::compile::Claim::Never).expect("a program").0
}

#[test]
fn claims_of_users_that_count_are_told_from_others() {
    for claim in [
        "T0: do :: p && !q -> goto accept :: true od; accept: do :: !q od",
        "do :: p -> break :: else od",
        "do :: p && q -> break :: !p od",
        "accept: do :: p od",
        "do :: atomic { p && q -> assert(!(p && q)) } :: true od",
        "do :: atomic { p; q -> break } :: true od",
        MANY_PROMISES,
    ] {
        assert!(!counts(&compiled(claim)), "{claim}");
    }
    for claim in [
        "p; q",
        "true; p",
        "do :: p; !p; p -> break :: true od",
        "T0: do :: p -> goto accept od; accept: do :: p -> goto T0 :: !p -> goto T0 od",
        "do :: timeout -> break :: else od",
        "do :: p -> assert(!p) :: true od",
        "do :: atomic { p; q }; p -> break :: true od",
        "do :: atomic { do :: p :: q -> break od } :: true od",
        "bool seen; do :: p && seen -> break :: p -> seen = 1 :: else od",
    ] {
        assert!(counts(&compiled(claim)), "{claim}");
    }
}

#[test]
fn claims_that_count_in_how_far_they_follow_a_run_are_told_from_others() {
    let alike = [
        "T0: do :: p && !q -> goto accept :: true od; accept: do :: !q od",
        "do :: p -> break :: !p od",
        "do :: p od",
        "do :: assert(p) od",
        "do :: assert(p) :: q -> break od",
    ];
    for claim in alike {
        assert!(!counts(&compiled(claim)), "{claim}");
    }
    // They exclude nothing, but do not follow what stays as it is.
    for claim in [
        "if :: p -> !p fi; p",
        "p; false",
        "do :: p -> p; false od",
        "accept: do :: p; q od",
        "p; do :: assert(q) od",
        "do :: true -> assert(p) od",
    ] {
        assert!(counts(&compiled(claim)), "{claim}");
    }
}

/// Claims of formulas without `X` follow words however often letters are repeated.
#[test]
fn claims_of_formulas_without_x_follow_repetitions() {
    for seed in 0..number("PREQUEL_FUZZ_LIVENESS", 1_500) as u64 / 5 {
        let size = Rng::new(seed).between(1, 6);
        let formula = parsed(&random(&mut Rng::new(seed), size, false));
        for claim in [own(&formula), never(&formula)].into_iter().flatten() {
            let mut reader = Reader::default();
            let automaton = claim::read(&claim.body, &mut reader).expect("a claim of a formula");
            let follows = stutter::follows_repetitions(&automaton, &mut reader.terms.conditions);
            assert_ne!(follows, Some(false), "{:?}", formula.formula);
        }
    }
}

/// What is seen without an automaton for all other words is so; of formulas without `X` it nearly always is seen.
#[test]
fn automata_that_follow_themselves_do_not_count() {
    let (mut seen, mut plain, mut rng) = (0, 0, Rng::new(21));
    for seed in 0..number("PREQUEL_FUZZ_LIVENESS", 1_500) as u64 / 5 {
        let size = rng.between(1, 6);
        let formula = parsed(&random(&mut Rng::new(seed), size, seed % 2 == 0)).formula;
        let mut reader = Reader::default();
        let term = reader.formula(&formula);
        let Some(automaton) = buchi_of_negation(term, &mut reader.terms) else { continue };
        plain += usize::from(!formula.has_next());
        if stutter::follows_itself(&automaton, &mut reader.terms.conditions) {
            assert_ne!(decides_stutter_invariance(&formula), Some(false), "{formula:?}");
            seen += usize::from(!formula.has_next());
        }
    }
    assert!(seen * 2 > plain, "{seen} of {plain}");
}

/// Words are accepted by an automaton or by its complement.
#[test]
fn complements_accept_all_other_words() {
    let (mut made, mut rng) = (0, Rng::new(9));
    for seed in 0..number("PREQUEL_FUZZ_LIVENESS", 1_500) as u64 / 15 {
        let size = rng.between(1, 4);
        let formula = parsed(&random(&mut Rng::new(seed), size, true)).formula;
        let mut reader = Reader::default();
        let term = reader.formula(&formula);
        let Some(automaton) = buchi_of_negation(term, &mut reader.terms).filter(|a| a.states.len() < 4) else {
            continue;
        };
        let conditions = &mut reader.terms.conditions;
        let Some(letters) = conditions.letters(automaton.conditions(), 8) else { continue };
        let Some(others) = complement::complement(&automaton, &letters, conditions) else { continue };
        made += 1;
        for _ in 0..20 {
            let (word, back) = word(&mut rng);
            let expected = holds(&formula, &word, back)[0];
            assert_eq!(accepts(&others, &reader, &word, back), expected, "{automaton:?} on {word:?} from {back}");
        }
    }
    assert!(made > 30, "{made}");
}
