//! Processes written anew from what is left of their statements: SPIN, without its reduction, says the same of the text before and
//! after, whatever it is asked.

use crate::fuzz::number;
use crate::random_promela::shrink::shrink;
use crate::random_promela::structured::structured;
use crate::spin;
use crate::spin::questions::{Answers, Questions, Silence, ask};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::formats::promela::Text;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::program::residual::{Options, Rule, Rules};
use prequel::program::{Claim, Endless, Fault, Program, Sought, Violation, Witness, compile, end_of, retrace};
use prequel::spin::file::File;
use prequel::spin::residual::{Folded, fold};
use prequel::spin::tools::{self, Tools};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// What makes another text of a program; why not, where it stays as it is.
type Rewriting<'a> = &'a (dyn Fn(&str) -> Result<String, String> + Sync);

/// How two texts compare.
enum Compared {
    /// SPIN does not take the original, or the program stays as it is.
    Nothing,
    /// The same in all that both were asked: the answers.
    Same(BTreeMap<String, bool>),
    /// They differ: what was written, and each difference in words.
    Differ { written: String, how: Vec<String> },
}

/// Asks SPIN about a text and what is made of it.
fn compare(text: &str, plain: bool, rewriting: Rewriting) -> Compared {
    let questions = Questions::of(text, plain);
    let (Ok(mut before), Ok(written)) = (ask(text, &questions), rewriting(text)) else { return Compared::Nothing };
    let after = match ask(&written, &questions) {
        Ok(after) => after,
        Err(Silence::Large) => return Compared::Nothing,
        Err(Silence::Refused(why)) => {
            return Compared::Differ { written, how: vec![format!("SPIN does not take it: {why}")] };
        }
    };
    // SPIN misses fair cycles where there is a timeout or a process ends.
    if before.ends || text.contains("timeout") {
        before.without_fairness();
    }
    let mut how = differences(&before, &after);
    // It also misses those where the program comes to a standstill.
    if !how.is_empty() && how.iter().all(|question| question.contains("fair")) && stands_still(text, plain) {
        before.without_fairness();
        how = differences(&before, &after);
    }
    // Steps that SPIN merges can hide a state, and with it a cycle without progress: then it is asked again without that.
    if !how.is_empty() && !plain {
        return compare(text, true, rewriting);
    }
    if how.is_empty() {
        before.wrong.retain(|question, _| after.wrong.contains_key(question));
        return Compared::Same(before.wrong);
    }
    Compared::Differ { written, how }
}

/// The questions that have two answers.
fn differences(before: &Answers, after: &Answers) -> Vec<String> {
    let differs = |(question, wrong): (&String, &bool)| {
        let other = after.wrong.get(question).filter(|other| *other != wrong)?;
        let said = |wrong: bool| if wrong { "wrong" } else { "right" };
        Some(format!("{question}: {} before, {} after", said(*wrong), said(*other)))
    };
    before.wrong.iter().filter_map(differs).collect()
}

/// Whether nothing can move in some state, allowed or not.
fn stands_still(text: &str, plain: bool) -> bool {
    let text = relabelled(text, "end", "was_");
    let answers = ask(&text, &Questions { plain, accept: false, formulas: vec![] });
    answers.is_ok_and(|answers| answers.wrong.get("end states") == Some(&true))
}

/// The text with labels that begin with a word called otherwise.
fn relabelled(text: &str, word: &str, other: &str) -> String {
    let digits = |rest: &str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let mut parts = text.split(word);
    let mut changed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let label = part[digits(part)..].starts_with(':') && !part.starts_with("::");
        let _ = write!(changed, "{}{part}", if label { other } else { word });
    }
    changed
}

/// What came of many programs.
#[derive(Default)]
struct Tally {
    /// For each question how often it was compared, and how often something is wrong.
    compared: BTreeMap<String, (u64, u64)>,
    /// Programs that were not compared.
    nothing: u64,
    /// Programs that differ, described.
    different: Vec<String>,
}

/// Compares the programs of these seeds, two at a time; those that differ are made small and described.
fn compare_all(seeds: std::ops::Range<u64>, rewriting: Rewriting) -> Tally {
    let (next, tally) = (AtomicU64::new(seeds.start), Mutex::new(Tally::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= seeds.end {
                return;
            }
            let (text, plain) = (structured(seed), seed % 2 == 0);
            let compared = compare(&text, plain, rewriting);
            if let Compared::Differ { how, .. } = &compared {
                // Making it small takes a while.
                eprintln!("seed {seed} differs: {}", how.join("; "));
            }
            let described =
                matches!(compared, Compared::Differ { .. }).then(|| describe(seed, &text, plain, rewriting));
            let mut tally = tally.lock().unwrap();
            match compared {
                Compared::Nothing => tally.nothing += 1,
                Compared::Same(answers) => tally.count(answers),
                Compared::Differ { .. } => {}
            }
            tally.different.extend(described);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    tally.into_inner().unwrap()
}

impl Tally {
    fn count(&mut self, answers: BTreeMap<String, bool>) {
        for (question, wrong) in answers {
            // One line for all formulas.
            let kind = if question.starts_with("formula") { question.replace(['0', '1', '2'], "") } else { question };
            let counted = self.compared.entry(kind).or_default();
            counted.0 += 1;
            counted.1 += u64::from(wrong);
        }
    }

    fn show(&self) {
        for (question, (compared, wrong)) in &self.compared {
            println!("{question:<26} {compared:>7} compared, {wrong:>7} wrong");
        }
        println!("{:<26} {:>7}", "not compared", self.nothing);
    }
}

/// A difference as two small texts, and how it can be seen.
fn describe(seed: u64, text: &str, plain: bool, rewriting: Rewriting) -> String {
    let differ = |text: &str| match compare(text, plain, rewriting) {
        Compared::Differ { written, how } => Some((written, how)),
        Compared::Nothing | Compared::Same(_) => None,
    };
    let small = shrink(text, &mut |text| differ(text).is_some());
    let (small, (written, how)) = match differ(&small) {
        Some(differ) => (small, differ),
        None => return format!("seed {seed}: differs now and then\n{text}"),
    };
    let options = if plain { " -o1 -o2 -o3" } else { "" };
    let built = if how[0].contains("non-progress") {
        "-DNP -DNOREDUCE pan.c && ./pan -l -A -E"
    } else if how[0].contains("formula") {
        "-DNOREDUCE pan.c && ./pan -a -E -N …"
    } else {
        "-DNOREDUCE -DNOCLAIM pan.c && ./pan -c0"
    };
    format!(
        "seed {seed}: {}\n(spin -a{options} … && tcc -w -o pan {built})\n--- before\n{small}--- after\n{written}",
        how.join("; ")
    )
}

fn missing() -> bool {
    let missing = !spin::available();
    if missing {
        eprintln!("skipped: spin and gcc are not installed");
    }
    missing
}

/// A text as it is read.
pub fn source(text: &str) -> Text {
    Text { name: "model.pml".into(), bytes: text.into(), folder: PathBuf::new(), defines: vec![], allow_c: false }
}

/// A text with folded processes, if there are any: fairness is kept too, or not.
pub fn fold_text(text: &str, fair: bool) -> Result<(Program, Folded), String> {
    fold_with(text, Options { fair, ..Options::default() })
}

/// The same with other options.
pub fn fold_with(text: &str, options: Options) -> Result<(Program, Folded), String> {
    let text = source(text);
    let read = promela::read(&text.name, &text.bytes, &text.folder, &text.defines);
    let (model, _) = read.map_err(|errors| errors[0].headline())?;
    let (program, _) = compile(&model, Claim::None).map_err(|errors| errors[0].headline())?;
    let run = Run::new(Limits::default(), 0);
    let folded = fold(&text, &model, options, &[], false, &run.watch()).map_err(|why| why.to_string())?;
    if folded.is_changed() { Ok((program, folded)) } else { Err("nothing became smaller".into()) }
}

/// The text of that.
fn folded(text: &str) -> Result<String, String> {
    fold_text(text, true).map(|(_, folded)| String::from_utf8_lossy(&folded.text).into_owned())
}

/// Every violation of the folded program is one of the user's: our own search and SPIN find some, and each is brought back.
#[test]
fn runs_of_folded_programs_come_back() {
    if missing() {
        return;
    }
    let (count, seed) = (number("PREQUEL_FUZZ_RESIDUAL", 25) * 2, number("PREQUEL_FUZZ_SEED", 1));
    let (mut back, mut trails) = (0, 0);
    for seed in seed..seed + count {
        let text = structured(seed);
        let Ok((program, folded)) = fold_text(&text, seed % 2 == 0) else { continue };
        let (emitted, _) = compile(&folded.model, Claim::None).expect("it was read before");
        let limits = || Limits { states: Some(100_000), ..Limits::default() };
        let found = match verify(&emitted, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(limits(), 0)) {
            Outcome::Violated(witness) => witness,
            _ => continue,
        };
        let theirs = if seed % 8 == 0 { trail(&folded, &emitted) } else { None };
        trails += usize::from(theirs.is_some());
        for witness in [Some(found), theirs].into_iter().flatten() {
            let written = String::from_utf8_lossy(&folded.text);
            let lost = |what: &str| format!("seed {seed}: {what}\n{text}---\n{written}\n{witness:#?}");
            let moves = folded.lift(folded.folded(&program), &emitted, &witness);
            let moves = moves.unwrap_or_else(|| panic!("{}", lost("the run does not come back")));
            let steps = retrace(&program, &moves).unwrap_or_else(|why| panic!("{}", lost(&why.to_string())));
            let end = end_of(&program, &steps).unwrap_or_else(|why| panic!("{}", lost(&why.to_string())));
            let same = std::mem::discriminant(&end) == std::mem::discriminant(&witness.violation);
            assert!(same, "{}", lost(&format!("it ends with {end:?}")));
            back += 1;
        }
    }
    println!("{back} runs came back, {trails} of them SPIN's");
}

/// What a process does at once after a statement that goes wrong is not part of the run.
#[test]
fn a_fault_is_the_last_step_of_a_run_that_comes_back() {
    let text = "byte g; active proctype P() { bit y; byte x; x = 1; x = 2;
      atomic { assert(y != 0); skip; d_step { (g == 2); x = 1 }; g = 1 } }";
    let (program, folded) = fold_text(text, false).expect("it becomes smaller");
    let (emitted, _) = compile(&folded.model, Claim::None).expect("it was read before");
    let searched = verify(&emitted, Sought::Fault, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0));
    let Outcome::Violated(witness) = searched else { panic!("{searched:?}") };
    let moves = folded.lift(folded.folded(&program), &emitted, &witness).expect("it comes back");
    let steps = retrace(&program, &moves).expect("steps of the model");
    let end = end_of(&program, &steps);
    assert!(matches!(end, Ok(Violation::Fault { fault: Fault::Assertion, .. })), "{end:?}");
}

/// What a variable starts as may be known only once it is known what the process is started with.
#[test]
fn a_variable_that_starts_as_a_parameter_has_its_values() {
    let text = "byte g; init { atomic { run P(3); run P(2) } }
        proctype P(byte n) { byte x = n; byte y; do :: y = x; g = y; y = 0; x = x;
          if :: g == 3 -> assert(false) :: g == 2 -> skip fi od }";
    let rules = Rules::without(&[Rule::Split]);
    let (_, folded) = fold_with(text, Options { rules, ..Options::default() }).expect("a process becomes smaller");
    let (before, after) = (searched(text), searched(&String::from_utf8_lossy(&folded.text)));
    assert!(before.as_ref().is_some_and(|wrong| wrong["assertions"]), "{before:?}");
    assert_eq!(before, after);
}

/// What is set in a `d_step` that is too long to be folded is known to those who read it all the same.
#[test]
fn a_long_d_step_sets_what_it_sets() {
    let long = "h = h + 1; ".repeat(240);
    let text = format!(
        "byte g, h; active proctype P() {{ d_step {{ {long}h = 0; g = 7 }} }}
         active proctype Q() {{ byte x; do :: x = g; assert(x != 7); x = 0; g = 0 od }}"
    );
    let (_, folded) = fold_text(&text, false).expect("a process becomes smaller");
    let (before, after) = (searched(&text), searched(&String::from_utf8_lossy(&folded.text)));
    assert!(before.as_ref().is_some_and(|wrong| wrong["assertions"]), "{before:?}");
    assert_eq!(before, after);
}

/// What SPIN finds in a folded program without its formulas.
fn trail(folded: &Folded, emitted: &Program) -> Option<Witness> {
    let text = String::from_utf8_lossy(&folded.text);
    // Claims are another question; lines keep their numbers.
    let unclaimed: String =
        text.lines().map(|line| if line.starts_with("ltl ") { "\n".into() } else { format!("{line}\n") }).collect();
    let run = Run::new(Limits { time: Some(Duration::from_secs(60)), ..Limits::default() }, 0);
    let source = source(&unclaimed);
    let mut file = File::open(&source, Tools::find().ok()?, &run).ok()?;
    let verified = file.verify(tools::Options::default(), None).ok()?;
    file.witness(emitted, verified.found.as_ref()?).ok()
}

/// Random programs before and after: `PREQUEL_FUZZ_RESIDUAL` of them, from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_mean_the_same_when_processes_are_folded() {
    if missing() {
        return;
    }
    let (count, seed) = (number("PREQUEL_FUZZ_RESIDUAL", 25), number("PREQUEL_FUZZ_SEED", 1));
    let tally = compare_all(seed..seed + count, &folded);
    tally.show();
    assert!(tally.different.is_empty(), "{} differ\n{}", tally.different.len(), tally.different.join("\n"));
}

/// What our own search says of a text, in all that SPIN is asked too: whether something is wrong, by question. What is too large is not here.
pub fn searched(text: &str) -> Option<BTreeMap<String, bool>> {
    let text = source(text);
    let (model, _) = promela::read(&text.name, &text.bytes, &text.folder, &text.defines).ok()?;
    let look = |program: &Program, sought: Sought<'_>| {
        let run = Run::new(Limits { states: Some(20_000), ..Limits::default() }, 0);
        verify(program, sought, Otf::plain(Search::Depth), &run)
    };
    let mut wrong = BTreeMap::new();
    let (program, _) = compile(&model, Claim::None).ok()?;
    match look(&program, Sought::Nothing) {
        Outcome::Explored(seen) => {
            wrong.insert("assertions".into(), seen.assertion);
            wrong.insert("end states".into(), seen.end_state);
            wrong.insert("other faults".into(), seen.other);
        }
        _ => return None,
    }
    let mut endless = |question: &str, program: &Program, kind: Endless| {
        for fair in [false, true] {
            let found = match look(program, Sought::Endless(Endless { fair, ..kind })) {
                Outcome::Violated(_) => true,
                Outcome::Holds => false,
                _ => continue,
            };
            wrong.insert(format!("{question}{}", if fair { ", fair" } else { "" }), found);
        }
    };
    endless("non-progress cycles", &program, Endless::NON_PROGRESS);
    let text = String::from_utf8_lossy(&text.bytes);
    if text.contains("accept") {
        endless("acceptance cycles", &program, Endless::ACCEPTING);
    }
    for name in Questions::of(&text, true).formulas {
        let (program, _) = compile(&model, Claim::Named(&name)).ok()?;
        endless(&format!("formula {name}"), &program, Endless::ACCEPTING);
    }
    Some(wrong)
}

/// Many more random programs before and after, by our own search: eight times as many.
#[test]
fn random_programs_mean_the_same_to_our_own_search() {
    let (count, seed) = (number("PREQUEL_FUZZ_RESIDUAL", 25) * 8, number("PREQUEL_FUZZ_SEED", 1));
    let (next, end, done) = (AtomicU64::new(seed), seed + count, Mutex::new((Tally::default(), 0)));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Relaxed);
            if seed >= end {
                return;
            }
            let text = structured(seed);
            let fair = seed % 2 == 0;
            // Of every fourth program, something stays that a rule would take away.
            let rules = Rule::ALL[seed as usize / 4 % Rule::ALL.len()];
            let rules = Rules::without(if seed % 4 == 0 { std::slice::from_ref(&rules) } else { &[] });
            let Ok((_, folded)) = fold_with(&text, Options { fair, rules, ..Options::default() }) else { continue };
            let written = String::from_utf8_lossy(&folded.text);
            let (Some(mut before), Some(after)) = (searched(&text), searched(&written)) else { continue };
            before.retain(|question, _| fair || !question.ends_with(", fair"));
            let both = before.iter().filter_map(|(question, wrong)| Some((question, wrong, after.get(question)?)));
            let differ: Vec<&String> = both.filter(|(_, one, other)| one != other).map(|(q, ..)| q).collect();
            let (tally, compared) = &mut *done.lock().unwrap();
            *compared += 1;
            if !differ.is_empty() {
                tally.different.push(format!("seed {seed}: {differ:?}\n{text}--- after\n{written}"));
            }
            tally.count(before);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let (tally, compared) = done.into_inner().unwrap();
    tally.show();
    println!("{compared} programs of {count} became smaller and were compared");
    assert!(tally.different.is_empty(), "{} differ\n{}", tally.different.len(), tally.different.join("\n"));
    assert!(compared > 0, "nothing was compared");
}

/// A program for each rule, and what stands in the text as long as the rule is left out.
const RULES: [(Rule, &str, &str); 10] = [
    (
        Rule::Constants,
        "byte c = 3, g; active proctype P() { byte x; do :: x = 1; x = 2; g = c - 2; g = 1 - g od }
         active proctype Q() { end: g == c + 2; assert(false) }",
        "c - 2",
    ),
    (
        Rule::Unread,
        "byte g, u; active [2] proctype P() { byte x; do :: x = 1; u = x; x = 2; (g != 2) -> g++ :: g == 2 -> break od }",
        "u = 1",
    ),
    (
        Rule::Private,
        "byte g, h; active proctype P() { do :: h = 1; g = h; h = 2; g = h od } active proctype Q() { g == 2; assert(false) }",
        "h = 1",
    ),
    (
        Rule::Dead,
        "byte g; active proctype P() { byte x; do :: x = 1; g = 1 - g :: x = 2; g = 1 - g od } active proctype Q() { g == 1 }",
        "x = 2",
    ),
    (
        Rule::Merge,
        "byte g; active proctype P() { byte x; x = 1; g = x; x = 2; g = x } active proctype Q() { assert(g != 2) }",
        "x = 2",
    ),
    (
        Rule::Absorb,
        "byte g; active proctype P() { byte x; do :: if :: g == 0 -> x = 1 :: g != 0 -> x = 2 fi; g = 1 - g od } active proctype Q() { g == 1 }",
        "g != 0",
    ),
    (
        Rule::Cone,
        "byte g, h; active proctype P() { byte x; do :: x = 1; g = x; x = 2; g = x; assert(g < 3) od }
         active proctype Q() { end: do :: h = (h + 1) % 5 od } active proctype R() { do :: h == 3 -> h = 0 od }",
        "h + 1",
    ),
    (
        Rule::Split,
        "byte g; active [2] proctype P() { byte x, y; do :: x = _pid; y = x; g = y + 1; x = y * 2; g = x + 3 od }
         active proctype Q() { end: g == 7; assert(false) }",
        "active [2] proctype P()",
    ),
    (
        Rule::Narrow,
        "int a, b, c, d; active [2] proctype P() { do :: a == 0 -> a = 3 :: b == a -> b = 7; c = b :: d = c; a = 0 od }
         active proctype Q() { end: d == 7; assert(c != 7) }",
        "int a",
    ),
    (
        Rule::Exclusive,
        "chan q = [2] of { byte }; active [2] proctype P() { byte x; do :: x < 3 -> x++; q!x :: else -> break od }
         active proctype Q() { byte x; end: q?x -> assert(x != 3); goto end }",
        "proctype Q() {\nend_s0:",
    ),
];

#[test]
fn every_rule_can_be_left_out() {
    let text_of = |folded: Result<(Program, Folded), String>, text: &str| match folded {
        Ok((_, folded)) => String::from_utf8_lossy(&folded.text).into_owned(),
        Err(_) => text.to_owned(),
    };
    assert_eq!(RULES.map(|(rule, ..)| rule), Rule::ALL);
    for (rule, text, sign) in RULES {
        let ends = rule != Rule::Cone;
        let (all, less) = (Rules::default(), Rules::without(&[rule]));
        let [all, less] =
            [all, less].map(|rules| text_of(fold_with(text, Options { ends, rules, ..Options::default() }), text));
        assert!(
            text != all && !plain(&all).contains(sign) && plain(&less).contains(sign),
            "{rule:?}\n{all}\n---\n{less}"
        );
        let [before, all, less] = [text, &all, &less].map(|text| {
            let mut answers = searched(text).expect("it is searched");
            answers.retain(|question, _| ends || ASSERTIONS.contains(&&**question));
            answers
        });
        assert!(before == all && before == less, "{rule:?}: {before:?} {all:?} {less:?}");
    }
}

/// What is kept where assertions alone are asked.
const ASSERTIONS: [&str; 2] = ["assertions", "other faults"];

/// Random programs with processes that nothing depends on, or not much: assertions say the same, and runs come back.
#[test]
fn assertions_stay_when_processes_stand_still() {
    let (count, seed) = (number("PREQUEL_FUZZ_RESIDUAL", 25) * 8, number("PREQUEL_FUZZ_SEED", 1));
    let (mut rested, mut back, mut compared) = (0, 0, 0);
    for seed in seed..seed + count {
        let text = with_bystanders(seed);
        let Ok((program, folded)) = fold_with(&text, Options { ends: false, ..Options::default() }) else { continue };
        if !folded.changes.iter().any(|change| change.outside) {
            continue;
        }
        rested += 1;
        let written = String::from_utf8_lossy(&folded.text);
        let lost = |what: &str| format!("seed {seed}: {what}\n{text}--- after\n{written}");
        let (Some(before), Some(after)) = (searched(&text), searched(&written)) else { continue };
        compared += 1;
        for question in ASSERTIONS {
            assert_eq!(before.get(question), after.get(question), "{}", lost(question));
        }
        let (emitted, _) = compile(&folded.model, Claim::None).expect("it was read before");
        let limits = Limits { states: Some(100_000), ..Limits::default() };
        let search = verify(&emitted, Sought::Fault, Otf::plain(Search::Breadth), &Run::new(limits, 0));
        if let Outcome::Violated(witness) = search {
            let moves =
                folded.lift(folded.folded(&program), &emitted, &witness).unwrap_or_else(|| panic!("{}", lost("lost")));
            let steps = retrace(&program, &moves).unwrap_or_else(|why| panic!("{}", lost(&why.to_string())));
            assert!(matches!(end_of(&program, &steps), Ok(Violation::Fault { .. })), "{}", lost("it ends otherwise"));
            back += 1;
        }
    }
    println!("{rested} programs with processes that stand still, {compared} compared, {back} runs came back");
    assert!(rested * 20 > count, "{rested} of {count} have processes that may stand still");
}

/// Programs in which an assertion depends on a process, though that is easily overlooked, and which process that is.
const DEPENDED_ON: [(&str, &str); 10] = [
    ("Far", "byte a, b, g; active proctype Far() { a = 1 } active proctype Near() { (a == 1); b = 1 }
             active proctype P() { (b == 1); assert(g != 0) }"),
    ("Taker", "chan q = [1] of { byte }; byte g; active proctype Taker() { do :: q?_ od } active proctype P() { q!1; q!2; assert(g != 0) }"),
    ("Meeter", "chan m = [0] of { byte }; byte g; active proctype Meeter() { m?_ } active proctype P() { m!1; assert(g != 0) }"),
    ("Row", "byte a[3]; byte i, g; active proctype Row() { a[i] = 1 } active proctype Next() { do :: i < 4 -> i++ :: i == 3 -> break od }
             active proctype P() { do :: g = 1 - g :: assert(g < 2) od }"),
    ("Stops", "byte a, g; active proctype Stops() { d_step { a = 1; (a == 0); a = 2 } } active proctype P() { assert(g < 2) }"),
    ("Busy", "byte a, g; active proctype Busy() { do :: a = 1 - a od } active proctype P() { timeout; assert(g != 0) }"),
    ("Short", "byte a, g; active proctype P() { (_nr_pr == 1); assert(g != 0) } active proctype Short() { a = 1 }"),
    ("Flag", "byte a, g; active proctype Flag() { a = 1 } active proctype P() provided (a == 1) { assert(g != 0) }"),
    ("There", "byte a, g; active proctype There() { a = 1; there: a = 2 } active proctype P() { (There@there); assert(g != 0) }"),
    ("Starter", "byte g; proctype Late() { assert(g != 0) } active proctype Starter() { run Late() } active proctype P() { assert(g < 2) }"),
];

#[test]
fn what_an_assertion_depends_on_moves() {
    let options = Options { ends: false, ..Options::default() };
    for (name, text) in DEPENDED_ON {
        let Ok((_, folded)) = fold_with(text, options) else { continue };
        let at_rest = folded.changes.iter().find(|change| change.name == name && change.outside);
        assert!(at_rest.is_none(), "{name} stands still\n{}", String::from_utf8_lossy(&folded.text));
        let (before, after) = (searched(text), searched(&String::from_utf8_lossy(&folded.text)));
        let assertions =
            |answers: Option<BTreeMap<String, bool>>| answers.and_then(|answers| answers.get("assertions").copied());
        assert_eq!(assertions(before), assertions(after), "{name}");
    }
    // Nobody has to move here but the one with the assertion, atomic or not.
    let text = "chan q = [1] of { byte }; byte a, b, g; active proctype Loop() { do :: atomic { a = 1 - a; b = a } od }
        active proctype Sends() { do :: q!a :: q?b od } active proctype P() { do :: g = (g + 1) % 3 :: g == 2 -> assert(g != 2) od }";
    let (_, folded) = fold_with(text, options).expect("some stand still");
    let at_rest: Vec<&str> =
        folded.changes.iter().filter(|change| change.outside).map(|change| &*change.name).collect();
    assert_eq!(at_rest, ["Loop", "Sends"]);
}

/// A random program without claims, in which some processes are only looked on, or look on.
fn with_bystanders(seed: u64) -> String {
    let program = structured(seed);
    let mut rng = Rng::new(seed ^ 0x636f_6e65);
    let mut text: String =
        program.lines().filter(|line| !line.starts_with("ltl ")).map(|line| format!("{line}\n")).collect();
    text += "byte o0; byte o1;\nchan oq = [1] of { byte }; chan om = [0] of { byte };\n";
    let lines = [
        "o0 = (o0 + 1) % 3",
        "o1 = o0",
        "o0 = g0",
        "o1 = g1",
        "(o1 == 2)",
        "(g0 == 1)",
        "oq!o1",
        "oq?o0",
        "om!1",
        "om?o1",
        "atomic { (o0 == 0); om!2 }",
        "d_step { (o1 != 1); o0 = 1; o1 = 2 }",
        "if :: (o0 == 1) -> o1 = 1 :: else fi",
        "g1 = o0",
        "q0!1",
        "assert(o0 != 2)",
    ];
    for process in 0..1 + rng.below(3) {
        let _ = writeln!(text, "active proctype O{process}() {{\n  do");
        for _ in 0..1 + rng.below(3) {
            // What anybody else can notice is rare.
            let most = if rng.chance(12) { lines.len() } else { lines.len() - 3 };
            let [one, two] = [(); 2].map(|()| lines[rng.below(most)]);
            let _ = writeln!(text, "  :: {one}; {two}");
        }
        let _ = writeln!(text, "  {}od\n}}", if rng.chance(50) { ":: (o0 != 3) -> break\n  " } else { "" });
    }
    text
}

/// A text without its comments.
fn plain(text: &str) -> String {
    text.split("/*")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once("*/").map_or("", |(_, rest)| rest) })
        .collect()
}

/// A claim that counts steps is kept too: then every step counts.
#[test]
fn random_programs_mean_the_same_step_by_step() {
    if missing() {
        return;
    }
    let (count, seed) = (number("PREQUEL_FUZZ_RESIDUAL", 25) / 5, number("PREQUEL_FUZZ_SEED", 1));
    let mut different = Vec::new();
    for seed in seed..seed + count {
        let program = structured(seed);
        let lines = program.lines().filter(|line| !line.starts_with("ltl "));
        let mut text: String = lines.map(|line| format!("{line}\n")).collect();
        let _ = writeln!(text, "never {{\n{}  (g0 == {})\n}}", "  true;\n".repeat(1 + seed as usize % 6), seed % 3);
        if let Compared::Differ { .. } = compare(&text, true, &folded) {
            different.push(describe(seed, &text, true, &folded));
        }
    }
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
}

/// Small programs, each a trap that a plausible reduction falls into.
pub const TRAPS: &str = include_str!("constructs/residual.pml");

#[test]
fn no_trap_is_fallen_into() {
    if missing() {
        return;
    }
    let (mut wrong, mut left) = (Vec::new(), Vec::new());
    for trap in TRAPS.split("// == ").skip(1) {
        let (title, text) = trap.split_once('\n').expect("a title and a program");
        let (name, question) = title.rsplit_once(": ").expect("a name and a question");
        let (question, verdict) = question.rsplit_once(' ').expect("a question and its answer");
        let before = ask(text, &Questions::of(text, true));
        let before = before.unwrap_or_else(|why| panic!("{name}: SPIN does not take it: {why:?}"));
        assert_eq!(before.wrong.get(question), Some(&(verdict == "wrong")), "{name}: {before:?}");
        wrong.extend(trapped(name, text, before.states));
        left.extend(folded(text).err().map(|why| format!("{name}: {why}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Who is left alone falls into no trap: these are those that have to be.
    assert_eq!(left, LEFT, "{left:#?}");
}

/// Traps whose processes stay as they are.
const LEFT: [&str; 4] = [
    "who moved last is seen in hidden steps: nothing became smaller",
    "a claim that counts sees hidden steps: nothing became smaller",
    "where a process may not always move a hidden step may be its last: nothing became smaller",
    "every step of what can be interrupted is a place for it: nothing became smaller",
];

/// What is wrong with the folded form of a small program.
fn trapped(name: &str, text: &str, states: Option<u64>) -> Option<String> {
    let written = folded(text).ok()?;
    match compare(text, true, &folded) {
        Compared::Nothing => Some(format!("{name}: not compared")),
        Compared::Differ { written, how } => Some(format!("{name}: {}\n{text}---\n{written}", how.join("; "))),
        Compared::Same(_) => {
            // What SPIN does by default is asked of the written text alone: it may refuse what it merges steps of.
            let merged = ask(&written, &Questions { plain: false, accept: false, formulas: vec![] });
            if let Err(Silence::Refused(why)) = merged {
                return Some(format!("{name}: SPIN does not take it with its steps merged: {why}\n{written}"));
            }
            let after = ask(&written, &Questions::of(text, true)).ok().and_then(|answers| answers.states);
            let more = after > states;
            more.then(|| format!("{name}: {states:?} states became {after:?}\n{text}---\n{written}"))
        }
    }
}

/// The witnesses of others, where they are at hand.
#[test]
fn witnesses_at_hand_mean_the_same() {
    let folder = std::path::Path::new("../shared/algorithms/witness-residual");
    if missing() || !folder.is_dir() {
        eprintln!("skipped: no witnesses in {}", folder.display());
        return;
    }
    let mut wrong = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok) {
        if entry.file_name() == "original.pml" {
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            let before = ask(&text, &Questions::of(&text, true)).expect("SPIN takes it");
            wrong.extend(trapped(&entry.path().display().to_string(), &text, before.states));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a plausible and wrong reduction would do to a text. Nothing where the text has no place for it.
type Mistake = (&'static str, usize, fn(&str) -> Option<String>);

/// Mistakes at the level of the text, and how many programs are known not to show them.
const MISTAKES: [Mistake; 6] = [
    ("end labels are lost", 28, |text| changed(text, &relabelled(text, "end", "was_"))),
    ("progress labels are lost", 0, |text| changed(text, &relabelled(text, "progress", "was_"))),
    ("accept labels are lost", 0, |text| changed(text, &relabelled(text, "accept", "was_"))),
    ("else holds always", 0, |text| changed(text, &text.replace(":: else", ":: true"))),
    ("blocks of one line are no longer atomic", 46, |text| {
        changed(text, &text.lines().map(|line| opened(line) + "\n").collect::<String>())
    }),
    ("what is sent does not arrive", 7, |text| changed(text, &text.replace("q0?x", "q0?_"))),
];

fn changed(text: &str, other: &str) -> Option<String> {
    (text != other).then(|| other.to_owned())
}

/// `:: atomic { a; b }; goto L` without the block.
fn opened(line: &str) -> String {
    match line.split_once("atomic { ").and_then(|(head, rest)| Some((head, rest.split_once(" }")?))) {
        Some((head, (inside, rest))) => format!("{head}{inside}{rest}"),
        None => line.into(),
    }
}

#[test]
fn a_text_is_the_same_as_itself_and_every_question_has_both_answers() {
    if missing() {
        return;
    }
    // Where answers are always the same, a comparison shows nothing.
    let tally = compare_all(0..60, &|text| Ok(text.to_owned()));
    tally.show();
    assert!(tally.different.is_empty(), "{}", tally.different.join("\n"));
    for question in ["assertions", "end states", "non-progress cycles", "formula f", "formula f, fair"] {
        let (compared, wrong) = tally.compared[question];
        assert!(wrong * 5 >= compared && wrong * 5 <= compared * 4, "{question}: {wrong} of {compared}");
    }
}

#[test]
fn every_mistake_is_noticed() {
    if missing() {
        return;
    }
    for (name, unnoticed, mistake) in MISTAKES {
        let rewriting = |text: &str| mistake(text).ok_or_else(|| "there is no place for it".to_owned());
        let tried = (0..400).filter(|&seed| mistake(&structured(seed)).is_some());
        let seen = tried
            .skip(unnoticed)
            .take(60)
            .position(|seed| matches!(compare(&structured(seed), false, &rewriting), Compared::Differ { .. }));
        let seen = seen.unwrap_or_else(|| panic!("{name}: not noticed in 60 programs"));
        println!("{name}: noticed after {} programs", seen + 1);
    }
}

#[test]
fn a_difference_is_shown_on_a_small_program() {
    if missing() {
        return;
    }
    let text = "byte g;\nactive proctype P() {\n  byte x;\n  x = 1;\nend0: (g == 1);\n  g = 2\n}\nactive proctype Q() {\n  g = 0\n}\n";
    let shown = describe(7, text, true, &|text| Ok(relabelled(text, "end", "was_")));
    assert!(shown.starts_with("seed 7: end states: right before, wrong after"), "{shown}");
    assert!(!shown.contains("proctype Q") && !shown.contains("x = 1"), "{shown}");
}
