//! Patterns against their English sentences, word by word.

use super::*;
use crate::{aut, monitor as monitor_file};
use prequel_model::rng::Rng;
use prequel_model::{Component, LabelId, StateId, Transition};

const LETTERS: [&str; 6] = ["a", "b", "c", "d", "e", "z"];

/// Whether a word violates a pattern, straight from the module's table.
fn violates(pattern: &Pattern, word: &[&str]) -> bool {
    let positions = 0..word.len();
    match pattern {
        // It has an a.
        Pattern::Never { a } => word.iter().any(|x| a.contains(x)),
        // An a without a b strictly before it.
        Pattern::Precedes { b, a } => {
            positions.into_iter().any(|p| a.contains(word[p]) && !word[..p].iter().any(|x| b.contains(x)))
        }
        // An e_i while another j is inside: after an e_j with no l_j since, this action included.
        Pattern::Mutex(sections) => positions.into_iter().any(|p| {
            let inside = |s: &Section| {
                (0..p).any(|q| s.enter.contains(word[q]) && !word[q + 1..=p].iter().any(|x| s.leave.contains(x)))
            };
            (0..sections.len()).any(|i| {
                let others = (0..sections.len()).filter(|&j| j != i);
                sections[i].enter.contains(word[p]) && others.into_iter().any(|j| inside(&sections[j]))
            })
        }),
        Pattern::AtMost { k, a, b } => stretches(word, a, b).iter().any(|(count, _)| count > k),
        // ... or a b comes after a b with fewer than k a's between.
        Pattern::Exactly { k, a, b } => {
            stretches(word, a, b).iter().any(|(count, closed)| count > k || (*closed && count < k))
        }
        // An a is followed by k actions none of which is a b.
        Pattern::RespondsWithin { a, b, k } => positions.into_iter().any(|p| {
            let next = word.get(p + 1..p + 1 + *k as usize);
            a.contains(word[p]) && next.is_some_and(|next| !next.iter().any(|x| b.contains(x)))
        }),
        // A b and later an a with no c after the b up to and including the a.
        Pattern::Excluded { a, b, c } => positions.into_iter().any(|p| {
            let opened = |q: usize| b.contains(word[q]) && !word[q + 1..=p].iter().any(|x| c.contains(x));
            a.contains(word[p]) && (0..p).any(opened)
        }),
    }
}

/// For each b: how many a's after it and before the next b, and whether a next b comes.
fn stretches(word: &[&str], a: &Set, b: &Set) -> Vec<(u32, bool)> {
    let starts = (0..word.len()).filter(|&p| b.contains(word[p]));
    starts
        .map(|p| {
            let next = (p + 1..word.len()).find(|&q| b.contains(word[q]));
            let between = &word[p + 1..next.unwrap_or(word.len())];
            (between.iter().filter(|x| a.contains(x)).count() as u32, next.is_some())
        })
        .collect()
}

/// Whether the automaton is in its marked state somewhere along a word.
fn automaton_violated(pattern: &Pattern, word: &[&str]) -> bool {
    let (lts, labels) = pattern.automaton();
    let mut now = lts.initial();
    for x in word {
        let named = labels.get(x).map(|l| lts.row_on(now, l)).filter(|row| !row.is_empty());
        let otherwise = || labels.get("*").map(|l| lts.row_on(now, l));
        match named.or_else(otherwise) {
            Some([edge]) => now = edge.target,
            Some(row) => panic!("{} edges", row.len()),
            None => assert!(labels.get(x).is_none(), "{pattern} blocks {x} in {now:?}"),
        }
        if lts.is_marked(now) {
            return true;
        }
    }
    false
}

fn random_set(rng: &mut Rng, from: &[&str]) -> Set {
    Set::new((0..rng.between(1, 2)).map(|_| *rng.pick(from)))
}

fn random_pattern(rng: &mut Rng, from: &[&str]) -> Pattern {
    let k = rng.below(4) as u32;
    let set = |rng: &mut Rng| random_set(rng, from);
    match rng.below(7) {
        0 => Pattern::Never { a: set(rng) },
        1 => Pattern::Precedes { b: set(rng), a: set(rng) },
        2 => {
            let sections = rng.between(2, 3);
            Pattern::Mutex((0..sections).map(|_| Section { enter: set(rng), leave: set(rng) }).collect())
        }
        3 => Pattern::AtMost { k, a: set(rng), b: set(rng) },
        4 => Pattern::Exactly { k, a: set(rng), b: set(rng) },
        5 => Pattern::RespondsWithin { a: set(rng), b: set(rng), k },
        _ => Pattern::Excluded { a: set(rng), b: set(rng), c: set(rng) },
    }
}

fn errors(text: &str) -> Vec<String> {
    let line = |e: &Diagnostic| format!("{} [{}]", e.headline(), e.help.as_deref().unwrap_or_default());
    read(text).unwrap_err().iter().map(line).collect()
}

/// One component that can do every letter at any time.
fn anything() -> Network {
    let mut labels = Labels::new();
    let loops = LETTERS.iter().map(|n| Transition::new(0, labels.intern(n), 0)).collect();
    let component = Component::new("anything", Lts::new(StateId(0), 1, loops));
    Network::new(labels, vec![component])
}

#[test]
fn the_automaton_accepts_exactly_the_words_that_violate_the_sentence() {
    let mut rng = Rng::new(11);
    let (mut accepted, mut violated, mut words) = (0, 0, 0);
    for _ in 0..3_000 {
        let pattern = random_pattern(&mut rng, &LETTERS[..5]);
        if read(&pattern.to_string()).is_err() {
            continue;
        }
        accepted += 1;
        for _ in 0..30 {
            let length = rng.below(12);
            let word: Vec<&str> = (0..length).map(|_| *rng.pick(&LETTERS)).collect();
            let expected = violates(&pattern, &word);
            assert_eq!(automaton_violated(&pattern, &word), expected, "{pattern} on {word:?}");
            (violated, words) = (violated + usize::from(expected), words + 1);
        }
    }
    assert!(accepted > 1_500 && violated > words / 10 && violated < words * 9 / 10, "{accepted} {violated} {words}");
}

/// All words up to a length, so that no short corner is left to luck.
#[test]
fn short_words_are_decided_exhaustively() {
    let texts = [
        "never(a)",
        "precedes(b, a)",
        "precedes(a, a)",
        "precedes({a, b}, {b, c})",
        "mutex(a/b, c/d)",
        "mutex(a/b, c/b)",
        "mutex(a/{c, d}, c/a, d/b)",
        "at-most(0, a, b)",
        "at-most(2, a, b)",
        "at-most(1, {a, b}, {b, c})",
        "exactly(0, a, b)",
        "exactly(2, a, b)",
        "exactly(1, {a, b}, {b, c})",
        "responds-within(a, b, 1)",
        "responds-within(a, {b, c}, 3)",
        "responds-within({a, b}, {b, c}, 2)",
        "responds-within(a, a, 2)",
        "excluded(a, b, c)",
        "excluded(a, b, b)",
        "excluded(a, a, b)",
        "excluded({a, c}, {b, c}, {c, d})",
    ];
    for text in texts {
        let pattern = read(text).unwrap_or_else(|e| panic!("{}", e[0].render()));
        let mut words: Vec<Vec<&str>> = vec![vec![]];
        for _ in 0..6 {
            for word in &words {
                assert_eq!(automaton_violated(&pattern, word), violates(&pattern, word), "{pattern} on {word:?}");
            }
            words =
                words.iter().flat_map(|w| LETTERS[..4].iter().map(move |&x| [w.as_slice(), &[x]].concat())).collect();
        }
    }
}

#[test]
fn the_number_of_states_is_foretold() {
    let mut rng = Rng::new(2);
    for _ in 0..500 {
        let pattern = random_pattern(&mut rng, &LETTERS);
        assert_eq!(pattern.automaton().0.num_states(), pattern.states(), "{pattern}");
    }
}

#[test]
fn a_bound_pattern_is_the_pattern_and_so_is_its_file() {
    let network = anything();
    let mut rng = Rng::new(5);
    for _ in 0..1_000 {
        let text = random_pattern(&mut rng, &LETTERS[..5]).to_string();
        let Ok(pattern) = read(&text) else { continue };
        let (bound, _) = monitor(&text, &network).unwrap();

        let (lts, labels) = pattern.file();
        let mut file = Vec::new();
        crate::aut::write(&lts, |l| labels.name(l), &mut file).unwrap();
        let (again, warnings) = monitor_file::monitor("p.aut", &file, &aut::Dialect::default(), &network).unwrap();
        assert!(warnings.is_empty(), "{text}: {}", warnings[0].render());
        assert_eq!(again.automaton.lts, bound.automaton.lts, "{text}");
        assert_eq!(again.automaton.alphabet(), bound.automaton.alphabet(), "{text}");

        for _ in 0..10 {
            let length = rng.below(9);
            let word: Vec<&str> = (0..length).map(|_| *rng.pick(&LETTERS)).collect();
            let ids: Vec<LabelId> = word.iter().map(|x| network.labels().get(x).unwrap()).collect();
            let accepts = (0..=ids.len()).any(|n| bound.accepts(ids[..n].iter().copied()));
            assert_eq!(accepts, violates(&pattern, &word), "{text} on {word:?}");
        }
    }
}

#[test]
fn what_is_displayed_is_read_back() {
    let odd = [
        "a",
        "s4(d1)",
        "c2(d1, true)",
        "G !TRUE",
        "SEND !\"a, b\"",
        "\"",
        "\\",
        "a\\\"",
        "",
        " a",
        "a ",
        "3",
        "a/b",
        "f(a/b)",
        "{x}",
        "x{y, z}",
        "(",
        ")",
        "[",
        "]",
        "}",
        "a[1,2]",
        "a([)]",
        "é, é",
        "x'",
        "a-b",
        "\ta",
        "\u{a0}a",
    ];
    let mut rng = Rng::new(1);
    let mut read_back = 0;
    for _ in 0..5_000 {
        let pattern = random_pattern(&mut rng, &odd);
        match read(&pattern.to_string()) {
            Ok(again) => {
                assert_eq!(again, pattern, "{pattern}");
                read_back += 1;
            }
            // Only roles that collide and k = 0 are refused, never the syntax.
            Err(errors) => {
                let refused = ["no a is left", "enters", "k must be between 1"];
                assert!(refused.iter().any(|r| errors[0].message.contains(r)), "{pattern}: {}", errors[0].render());
            }
        }
    }
    assert!(read_back > 3_000, "{read_back}");
}

#[test]
fn bare_labels_keep_brackets_blanks_and_quotes() {
    let a = |label: &str| Pattern::Never { a: Set::new([label]) };
    assert_eq!(read("never(s4(d1, d2))").unwrap(), a("s4(d1, d2)"));
    assert_eq!(read(" never ( G !TRUE  ) ").unwrap(), a("G !TRUE"));
    assert_eq!(read("never(SEND !\"x, y)\" !1)").unwrap(), a("SEND !\"x, y)\" !1"));
    assert_eq!(read(r#"never("a\"b")"#).unwrap(), a("a\"b"));
    assert_eq!(read("never(a/b)").unwrap(), a("a/b"), "a slash means something in mutex only");
    assert_eq!(read("never({a, b, a})").unwrap(), Pattern::Never { a: Set::new(["a", "b"]) });
    assert_eq!(
        read("mutex({a, b}/c, \"d/d\"/e)").unwrap(),
        Pattern::Mutex(vec![
            Section { enter: Set::new(["a", "b"]), leave: Set::new(["c"]) },
            Section { enter: Set::new(["d/d"]), leave: Set::new(["e"]) },
        ])
    );
}

#[test]
fn faults_are_at_their_places_with_the_form_as_help() {
    let first = |text: &str| errors(text).remove(0);
    let unknown = first("nevr(a)");
    assert!(
        unknown.starts_with("--pattern:1:1: unknown pattern `nevr` [did you mean `never`? The patterns are never(a), ")
    );
    assert_eq!(first("never(a, b)"), "--pattern:1:1: `never` with 2 arguments [the pattern reads `never(a)`]");
    assert!(first("mutex(a/b)").contains("`mutex` with 1 argument [the pattern reads `mutex(enter1/leave1"));
    assert!(first("never()").contains("with 0 arguments"));
    assert!(first("").starts_with("--pattern:1:1: expected the name of a pattern"));
    assert!(first("never").starts_with("--pattern:1:6: expected `(`"));
    assert!(first("never(a").starts_with("--pattern:1:8: expected `,` or `)`"));
    assert!(first("never(a(b)").starts_with("--pattern:1:11: expected `,` or `)`"));
    assert!(first("never(a(b").starts_with("--pattern:1:8: this bracket is not closed"));
    assert!(first("never(\"a)").starts_with("--pattern:1:7: this quote is not closed"));
    assert!(first("never(a) b").starts_with("--pattern:1:10: expected the end"));
    assert!(first("never({})").starts_with("--pattern:1:8: the set is empty"));
    assert!(
        first("never(a,)").starts_with("--pattern:1:9: a label is missing") || first("never(a,)").contains("missing")
    );
    assert!(first("at-most(x, a, b)").starts_with("--pattern:1:9: k must be a whole number"));
    assert!(first("at-most(\"1\", a, b)").contains("whole number"));
    assert!(first("at-most(99999999999999999999, a, b)").contains("k must be between 0 and 100000"));
    assert!(first("responds-within(a, b, 0)").contains("never(a)"));
    assert!(first("mutex(a/b, c)").starts_with("--pattern:1:12: expected `enter/leave`"));
    assert!(first("mutex(a/b, a/c)").starts_with("--pattern:1:12: `a` enters two sections"));
    assert!(first("mutex(a/a, b/c)").contains("both enters and leaves"));
    assert!(first("at-most(1, a, a)").starts_with("--pattern:1:12: no a is left"));
    assert!(first("mutex(a/b, b/a)").contains("nothing can violate this"));
    assert!(first("exactly(1, {a, b}, {b, a})").contains("no a is left"));
    assert!(first("excluded(a, b, {a, c})").contains("no a is left"));
    let many: Vec<String> = (0..400).map(|n| format!("x{n}")).collect();
    assert!(first(&format!("at-most(100000, {{{}}}, b)", many.join(", "))).contains("too large"));
    assert_eq!(errors("precedes(tau, {accept, *, \"a\nb\"})").len(), 4, "all of them");
}

#[test]
fn an_unknown_action_is_at_its_place_in_the_text() {
    let failed = monitor("precedes(b, {a, \"aa\"})", &anything()).unwrap_err();
    let found: Vec<String> = failed.iter().map(Diagnostic::headline).collect();
    assert_eq!(found, ["--pattern:1:17: no component has an action `aa`"]);
    assert_eq!(failed[0].help.as_deref(), Some("did you mean `a`?"));
    let (_, warnings) = monitor("responds-within(a, {a, b, c, d, e, z}, 1)", &anything()).unwrap();
    assert_eq!(warnings.len(), 1, "every action answers");
}

#[test]
fn junk_never_panics() {
    let pieces = [
        "never", "mutex", "at-most", "excluded", "(", ")", ",", "{", "}", "/", "\"", "\\", "a", "b", " ", "1", "[",
        "é", "\0", "\n",
    ];
    let mut rng = Rng::new(9);
    for _ in 0..30_000 {
        let mut text: String = (0..rng.below(14)).map(|_| *rng.pick(&pieces)).collect();
        if rng.chance(50) {
            text = format!("{}({text})", rng.pick(&pieces[..4]));
        }
        if let Err(errors) = monitor(&text, &anything()) {
            assert!(errors.iter().all(|e| !e.render().is_empty()));
        }
    }
    for deep in ["(", "{", "never(", "[", "\""] {
        assert!(read(&format!("never({}", deep.repeat(100_000))).is_err());
    }
}
