//! A program in which a process is replaced by its own component, or by that component minimised, is the program: same verdicts
//! with us and with SPIN, as many states as the reduced network has, and every witness leads back to the user's program.
//!
//! Real models are slow, so a plain run takes a few of them. All of them, with the share that can be replaced:
//!
//! ```text
//! PREQUEL_REPLACE_STEP=1 PREQUEL_REPLACE_SECONDS=5 cargo test --release --test replace -- --nocapture real
//! ```

use crate::fuzz::number;
use crate::{corpus, random_promela, spin};
use prequel::engine::Engine;
use prequel::engine::algo::bisimulation::{Bisimulation, quotient};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::engine::transform::quotient::{Options, Quotient};
use prequel::engine::transform::together::{Plan, together};
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::model::{Answer, Component, ComponentId, Goal, Lts, Move, Network, Problem, Query, StateId, Step, Trace};
use prequel::program::components;
use prequel::program::components::{Components, Part, split};
use prequel::program::{Claim, Program, Shown, Sought, Violation, Witness, compile, replay};
use prequel::spin::replace::{Refusal, Replaced, Source, attempt};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A model with its meaning.
struct Given {
    name: String,
    text: Vec<u8>,
    dir: PathBuf,
    defines: Vec<(String, String)>,
    program: Program,
}

/// Whether something goes wrong, whether there is an invalid end state.
type Verdict = (bool, bool);

impl Given {
    fn new(name: &str, text: &[u8], dir: &Path, options: &[&str]) -> Result<Given, String> {
        let defines: Vec<(String, String)> = options.iter().map(|o| ((*o).to_owned(), "1".to_owned())).collect();
        let program = read(name, text, dir, &defines)?;
        Ok(Given { name: name.into(), text: text.into(), dir: dir.into(), defines, program })
    }

    fn load(path: &Path, options: &[&str]) -> Result<Given, String> {
        let text = std::fs::read(path).expect("the model is there");
        Given::new(&path.display().to_string(), &text, path.parent().unwrap_or(Path::new(".")), options)
    }

    fn source(&self) -> Source<'_> {
        Source { file: &self.name, text: &self.text, dir: &self.dir, defines: &self.defines, alone: false }
    }
}

fn read(name: &str, text: &[u8], dir: &Path, defines: &[(String, String)]) -> Result<Program, String> {
    let (model, _) = promela::read(name, text, dir, defines).map_err(|errors| errors[0].render())?;
    compile(&model, Claim::None).map(|(program, _)| program).map_err(|errors| errors[0].render())
}

fn limits(time: Duration) -> Limits {
    Limits { time: Some(time), memory: Some(4 << 30), ..Limits::default() }
}

fn verdict(program: &Program, time: Duration) -> Option<(u64, Verdict)> {
    let run = Run::new(limits(time), 0);
    match verify(program, Sought::Nothing, Otf::plain(Search::Breadth), &run) {
        Outcome::Explored(seen) => Some((run.effort().states_peak, (seen.assertion || seen.other, seen.end_state))),
        _ => None,
    }
}

/// How many states the network has if nothing goes wrong.
fn states(network: &Network, split: &Components, time: Duration) -> Option<u64> {
    let (labels, parts) = network.clone().into_parts();
    let fine = |component: Component| {
        let kept = component.lts.transitions().filter(|t| !split.is_wrong(t.label)).collect();
        let lts = Lts::new(component.lts.initial(), component.lts.num_states(), kept);
        let alphabet = component.alphabet().to_vec();
        Component::with_alphabet(component.name, lts, alphabet)
    };
    let network = Network::new(labels, parts.into_iter().map(fine).collect());
    let run = Run::new(limits(time), 0);
    let everything = Problem { network, query: Query::Reach(Goal::Or(vec![])) };
    match (Otf { search: Search::Breadth, reduce: false }).solve(&everything, &run) {
        Answer::Unknown(_) => None,
        _ => Some(run.effort().states_total),
    }
}

/// A state on the way, the one before it, and the step between.
type Entry = (Vec<StateId>, usize, Option<Step>);

/// The paths of the network with the labels of a trace of the reduced one, in which all but the replaced components move as there.
fn follow(network: &Network, trace: &Trace, replaced: &[ComponentId]) -> Vec<Trace> {
    let mut levels: Vec<Vec<Entry>> = vec![vec![(network.initial(), 0, None)]];
    for wanted in &trace.steps {
        let same = |step: &Step| {
            let kept = |(a, b): (&Move, &Move)| a == b || a.component == b.component && replaced.contains(&a.component);
            step.label == wanted.label && step.moves.iter().zip(&wanted.moves).all(kept)
        };
        let mut next: Vec<Entry> = Vec::new();
        for (at, (state, ..)) in levels[levels.len() - 1].iter().enumerate() {
            for step in network.steps(state).into_iter().filter(|step| same(step)) {
                let mut after = state.clone();
                step.moves.iter().for_each(|moved| after[moved.component.at()] = moved.to);
                if !next.iter().any(|(state, ..)| *state == after) {
                    next.push((after, at, Some(step)));
                }
            }
        }
        levels.push(next);
    }
    let back = |mut at: usize| {
        let mut steps = Vec::new();
        for level in levels.iter().rev() {
            let (_, before, step) = &level[at];
            steps.extend(step.clone());
            at = *before;
        }
        steps.reverse();
        Trace { steps }
    };
    (0..levels[levels.len() - 1].len()).map(back).collect()
}

/// What came of one replacement.
enum Judged {
    /// With as many states as the network, or more.
    Agrees(bool, Box<Replaced>),
    Refused(Refusal),
    Long,
    Differs(String),
}

/// What is done to each process.
const METHODS: [&str; 2] = ["itself", "minimised"];

fn judge(given: &Given, split: &Components, slots: &[u32], method: &str, original: Verdict, time: Duration) -> Judged {
    let replacements: Vec<(u32, Lts)> = slots
        .iter()
        .map(|&slot| {
            let component = split.component(Part::Slot(slot)).expect("a slot");
            let lts = &split.network.component(component).lts;
            let lts =
                if method == "itself" { lts.clone() } else { quotient(lts, Bisimulation::Strong).expect("small") };
            (slot, lts)
        })
        .collect();
    let replaced = match attempt(given.source(), &given.program, split, &replacements) {
        Ok(replaced) => replaced,
        Err(refusal) => return Judged::Refused(refusal),
    };
    match agrees(given, split, &replaced, slots, method, original, time) {
        Ok(Some(exact)) => Judged::Agrees(exact, Box::new(replaced)),
        Ok(None) => Judged::Long,
        Err(why) => Judged::Differs(format!("{slots:?} {method}: {why}\n{}", String::from_utf8_lossy(&replaced.text))),
    }
}

/// Whether the emitted text has the verdicts and the states that it should have.
fn agrees(
    given: &Given,
    split: &Components,
    replaced: &Replaced,
    slots: &[u32],
    method: &str,
    original: Verdict,
    time: Duration,
) -> Result<Option<bool>, String> {
    let emitted = read("emitted", &replaced.text, &given.dir, &[])?;
    let Some((count, ours)) = verdict(&emitted, time) else { return Ok(None) };
    if ours != original {
        return Err(format!("verdicts {ours:?} instead of {original:?}"));
    }
    let mut exact = true;
    if !original.0 {
        let Some(wanted) = states(&replaced.network, split, time) else { return Ok(None) };
        exact = count <= wanted;
        // Where a process can only go away it is at the end of its text, whatever its variables hold.
        if count < wanted && method != "itself" {
            return Err(format!("{count} states instead of {wanted}"));
        }
    }
    if original.0 || original.1 {
        let Outcome::Violated(witness) =
            verify(&emitted, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(limits(time), 0))
        else {
            return Ok(None);
        };
        let trace =
            replaced.trace(&given.program, split, &emitted, &witness).ok_or("the witness does not come back")?;
        trace.replay(&replaced.network).map_err(|error| format!("the trace of the network: {error}"))?;
        // A replacement may have merged states, and only some of those are where the fault is.
        let components: Vec<_> = slots.iter().filter_map(|&slot| split.component(Part::Slot(slot))).collect();
        let traces = follow(&split.network, &trace, &components);
        let replays = |trace: &Trace| match split.lift(&given.program, trace) {
            Some((steps, Some(Shown::Violation(violation)))) => {
                replay(&given.program, &Witness { steps, violation }).is_ok()
            }
            _ => false,
        };
        if !traces.iter().any(replays) {
            return Err(format!("none of {} traces is one of the program", traces.len()));
        }
    }
    Ok(Some(exact))
}

/// All processes replaced as `prequel spin` does it, minimised and then by quotients: the verdicts stay, and a violation leads back
/// to the program. None where it takes too long or nothing can be written.
fn reduced(given: &Given, split: &Components, original: Verdict, time: Duration) -> Result<Option<Text>, String> {
    let slots: Vec<(ComponentId, u32)> =
        slots(split).into_iter().filter_map(|slot| Some((split.component(Part::Slot(slot))?, slot))).collect();
    let components: Vec<ComponentId> = slots.iter().map(|&(component, _)| component).collect();
    let write = |network: &dyn Fn(ComponentId) -> Option<Lts>| {
        let replacements: Vec<(u32, Lts)> = slots.iter().filter_map(|&(c, slot)| Some((slot, network(c)?))).collect();
        attempt(given.source(), &given.program, split, &replacements)
    };
    let accept = |component: ComponentId, lts: &Lts| {
        let one = write(&|other| (other == component).then(|| lts.clone()));
        one.map(drop).map_err(|refusal| refusal.message)
    };
    let options = Options { steps: Some(20), labels: 20_000, effort: Some(200_000), ..Quotient::default().options };
    let plan = Plan { components: &components, minimise: true, quotients: true, options, accept: &accept };
    let queries = [split.end_states().query, split.assertions().query];
    let run = Run::new(limits(time), 0);
    let Ok(together) = together(&split.network, &queries, &plan, &run) else { return Ok(None) };
    let smaller = |c: ComponentId| together.changed(c).then(|| together.network.component(c).lts.clone());
    let Ok(replaced) = write(&smaller) else { return Ok(None) };
    let differs = |why: String| Err(format!("all reduced: {why}\n{}", String::from_utf8_lossy(&replaced.text)));
    let emitted = read("emitted", &replaced.text, &given.dir, &[])?;
    let Some((_, ours)) = verdict(&emitted, time) else { return Ok(None) };
    if ours != original {
        return differs(format!("verdicts {ours:?} instead of {original:?}"));
    }
    if let Outcome::Violated(witness) =
        verify(&emitted, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(limits(time), 0))
    {
        let query = usize::from(witness.violation != Violation::EndState);
        let trace = replaced.trace(&given.program, split, &emitted, &witness);
        let trace = trace.and_then(|trace| together.lift(query, &trace).ok());
        let replays = match trace.and_then(|trace| split.lift(&given.program, &trace)) {
            Some((steps, Some(Shown::Violation(violation)))) => {
                replay(&given.program, &Witness { steps, violation }).is_ok()
            }
            _ => false,
        };
        if !replays {
            return differs("the witness does not come back".into());
        }
    }
    Ok(Some((replaced.text, original)))
}

fn slots(split: &Components) -> Vec<u32> {
    let parts = split.network.ids().map(|component| split.part(component));
    parts.filter_map(|part| if let Part::Slot(slot) = part { Some(slot) } else { None }).collect()
}

/// An emitted text, and the verdicts that it should have.
type Text = (Vec<u8>, Verdict);

type Counts = BTreeMap<String, usize>;

/// Every process alone, and all together; tells what came of it.
fn check(given: &Given, time: Duration, counts: &mut Counts) -> Result<Vec<Text>, String> {
    let mut texts = Vec::new();
    let mut count = |what: String| *counts.entry(what).or_insert(0) += 1;
    // Large models take longer than is worth it here.
    let size = number("PREQUEL_REPLACE_SIZE", 2_000) as usize;
    let limits = components::Limits { labels: size, transitions: 20 * size, paths: 40 * size, ..Default::default() };
    let Ok(split) = split(&given.program, limits) else {
        count("not for components".into());
        return Ok(Vec::new());
    };
    let Some((_, original)) = verdict(&given.program, time) else {
        count("long".into());
        return Ok(Vec::new());
    };
    let all = slots(&split);
    let mut subsets: Vec<Vec<u32>> = all.iter().map(|&slot| vec![slot]).collect();
    if all.len() > 1 {
        subsets.push(all);
    }
    for slots in subsets {
        for method in METHODS {
            match judge(given, &split, &slots, method, original, time) {
                Judged::Agrees(exact, replaced) => {
                    count(format!("{method}: agrees{}", if exact { "" } else { ", more states" }));
                    texts.push((replaced.text, original));
                }
                Judged::Refused(refusal) => count(format!("{method}: refused: {}", refusal.construct)),
                Judged::Long => count("long".into()),
                Judged::Differs(why) => return Err(format!("{}: {why}", given.name)),
            }
        }
    }
    match reduced(given, &split, original, time) {
        Ok(None) => count("reduced: long, or refused".into()),
        Ok(Some(text)) => {
            count("reduced: agrees".into());
            texts.insert(0, text);
        }
        Err(why) => return Err(format!("{}: {why}", given.name)),
    }
    Ok(texts)
}

fn parts(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let wanted = std::env::var("PREQUEL_CONSTRUCT").unwrap_or_default();
    let parts = file.split("// == ").filter(|part| !part.trim().is_empty());
    parts
        .map(|part| part.split_once('\n').expect("a name and a program"))
        .filter(move |(name, _)| name.contains(&wanted))
}

#[test]
fn constructs_agree() {
    let (mut failed, mut texts) = (Vec::new(), Vec::new());
    for file in [
        include_str!("constructs/components.pml"),
        include_str!("constructs/control.pml"),
        include_str!("constructs/channels.pml"),
        include_str!("constructs/data.pml"),
    ] {
        for (name, text) in parts(file) {
            let given = Given::new(name, text.as_bytes(), Path::new("."), &[]).expect("a program");
            let mut counts = Counts::new();
            match check(&given, Duration::from_secs(10), &mut counts) {
                Ok(found) => texts.extend(found.into_iter().last()),
                Err(why) => failed.push(why),
            }
            println!("{name}: {counts:?}");
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let sample: Vec<Text> = texts.into_iter().step_by(number("PREQUEL_REPLACE_SPIN", 6) as usize).collect();
    ask_spin(&sample);
}

#[test]
fn examples_agree() {
    let mut counts = Counts::new();
    for (name, options) in EXAMPLES {
        for option in *options {
            let given: &[&str] = if option.is_empty() { &[] } else { &[option] };
            let given = Given::load(&Path::new("examples").join(format!("{name}.pml")), given).expect("an example");
            check(&given, Duration::from_secs(60), &mut counts).expect("agreement");
        }
    }
    println!("{counts:#?}");
}

const EXAMPLES: &[(&str, &[&str])] = &[
    ("mutex", &["", "GREEDY"]),
    ("alternating_bit", &["", "NO_BIT"]),
    ("sliding_window", &["PROPERTY_A", "PROPERTY_B"]),
    ("leader", &["", "DROP_NONE"]),
    ("cache", &["", "NO_SNOOP"]),
];

/// The blocks of the documentation that show Promela before and after.
fn documented(which: &str) -> &'static str {
    let text = include_str!("../docs/promela-out.md");
    let start = text.find(&format!("```promela {which}\n")).expect("a block");
    let block = &text[start..].split_once('\n').expect("its text").1;
    &block[..block.find("```").expect("its end")]
}

#[test]
fn the_documentation_shows_what_is_written() {
    let given = Given::new("ping.pml", documented("before").as_bytes(), Path::new("."), &[]).expect("a program");
    let split = split(&given.program, components::Limits::default()).expect("components");
    let judged = judge(&given, &split, &[0], "minimised", (false, false), Duration::from_secs(10));
    let Judged::Agrees(true, replaced) = judged else { panic!("no agreement") };
    assert_eq!(String::from_utf8_lossy(&replaced.text), documented("after"));
}

/// The text after a process is replaced by itself, and whether it had to be preprocessed; or why not.
fn rewritten(text: &[u8], slot: u32) -> Result<(Vec<u8>, bool), String> {
    let given = Given::new("m.pml", text, Path::new("."), &[]).expect("a program");
    let split = split(&given.program, components::Limits::default()).expect("components");
    let component = split.component(Part::Slot(slot)).expect("a slot");
    let lts = split.network.component(component).lts.clone();
    let replaced = prequel::spin::replace::replace(given.source(), &given.program, &split, &[(slot, lts)]);
    let replaced = replaced.map_err(|found| found[0].render())?;
    agrees(&given, &split, &replaced, &[slot], "itself", (false, false), Duration::from_secs(10))?;
    Ok((replaced.text, replaced.preprocessed))
}

#[test]
fn all_else_stays_byte_by_byte() {
    let before: &[u8] = b"/* caf\xe9 */ byte x; // x\r\n#define SET(v) x = v\r\n\t";
    let middle: &[u8] = b"active proctype P() {\r\n#define TWO 2\r\n  SET(1) /* in */ }";
    let after: &[u8] = b" /* out */\r\nactive proctype Q() { SET(TWO) }\r\n";
    let (claim, note): (&[u8], &[u8]) = (b"ltl p { <> (x == 1) }", b"/* the ltl formula of the model is not kept */");
    let (text, preprocessed) = rewritten(&[before, middle, after, claim].concat(), 0).expect("a text");
    let rest = [after, note].concat();
    assert!(text.starts_with(before) && text.ends_with(&rest) && !preprocessed);
    let put_in = String::from_utf8_lossy(&text[before.len()..text.len() - rest.len()]).into_owned();
    assert!(put_in.contains("#define TWO 2") && !put_in.contains("/* in */"), "{put_in}");
}

#[test]
fn a_process_out_of_a_macro_is_replaced_in_the_preprocessed_text() {
    let text = b"byte x;\n#define PROCESS(n) active proctype n()\nPROCESS(P) { x = 1 }\nPROCESS(Q) { x = 2 }\n";
    let (text, preprocessed) = rewritten(text, 1).expect("a text");
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(preprocessed && !text.contains("#define") && text.contains("x = 1 }"), "{text}");
}

#[test]
fn instances_are_told_apart_and_keep_their_numbers() {
    let text = b"byte who[3];\nactive [3] proctype P() { who[_pid] = _pid + 1 }\n";
    let (text, _) = rewritten(text, 1).expect("a text");
    let text = String::from_utf8_lossy(&text).into_owned();
    let heads: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("active ")).collect();
    assert_eq!(heads.len(), 3, "{text}");
    assert!(heads[0].starts_with("proctype P()") && heads[1].starts_with("proctype P_1()"), "{text}");
    assert!(heads[2].starts_with("proctype P_2() { who[_pid]"), "{text}");
}

#[test]
fn one_run_that_starts_several_processes_tells_them_apart() {
    let text = b"byte x[3];\nproctype P(byte i) { x[i] = 1 }\ninit { byte i; atomic { do :: i < 2 -> run P(i); i++ :: else -> break od } }\n";
    let (text, _) = rewritten(text, 2).expect("a text");
    let text = String::from_utf8_lossy(&text).into_owned();
    let fork = "atomic { if :: _nr_pr == 2 -> run P_2() :: _nr_pr != 2 -> run P(i) fi }";
    assert!(text.contains(fork), "{text}");
}

#[test]
fn a_process_that_others_look_into_stays() {
    let text = b"byte x;\nactive proctype P() { here: x = 1 }\nactive proctype Q() { P@here -> x = 2 }\n";
    let why = rewritten(text, 0).expect_err("a refusal");
    assert!(why.contains("`P") && why.contains("look") && why.contains("m.pml:3:"), "{why}");
}

/// SPIN reads these texts without a word, and its verifier says the same.
fn ask_spin(texts: &[Text]) {
    if !spin::available() {
        eprintln!("skipped: spin and gcc are not installed");
        return;
    }
    for (text, verdict) in texts {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("emitted.pml");
        std::fs::write(&path, text).expect("room for a file");
        let shown = String::from_utf8_lossy(text);
        // The C preprocessor takes `c??<` of the user's own text for a trigraph, and says so.
        if !shown.contains("??<") {
            assert_eq!(spin::remarks(&path), "", "{shown}");
        }
        match spin::verify(
            &path,
            spin::Ask { claim: false, optimised: false, reduce: false, compiler: spin::fastest() },
            Duration::from_secs(60),
        ) {
            spin::Said::Done(pan) => assert_eq!((pan.assertion, pan.end_state), *verdict, "{shown}"),
            said => panic!("{said:?}\n{shown}"),
        }
    }
}

#[test]
fn random_programs_agree() {
    let (count, seed) = (number("PREQUEL_FUZZ_PROGRAMS", 12), number("PREQUEL_FUZZ_SEED", 1));
    let mut counts = Counts::new();
    for seed in seed..seed + count {
        let text = random_promela::program(seed).text;
        let given = Given::new(&format!("seed {seed}"), text.as_bytes(), Path::new("."), &[]).expect("a program");
        if let Err(why) = check(&given, Duration::from_secs(10), &mut counts) {
            panic!("{why}\n{text}");
        }
    }
    println!("{counts:#?}");
}

#[test]
fn real_models_agree() {
    let Some(models) = corpus::models("PREQUEL_REPLACE") else { return };
    let seconds = number("PREQUEL_REPLACE_SECONDS", 1);
    let (mut total, mut failed) = (Counts::new(), Vec::new());
    for path in &models {
        let started = Instant::now();
        let mut counts = Counts::new();
        match Given::load(path, &[]) {
            Err(_) => *counts.entry("unread".into()).or_insert(0) += 1,
            Ok(given) => failed.extend(check(&given, Duration::from_secs(seconds), &mut counts).err()),
        }
        println!("{}\t{:.1} s\t{counts:?}", path.display(), started.elapsed().as_secs_f64());
        for (what, count) in counts {
            *total.entry(what).or_insert(0) += count;
        }
    }
    println!("{total:#?}");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
