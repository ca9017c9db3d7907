//! A program and the network of its components have the same states and the same verdicts, and every witness of the network is one
//! of the program.
//!
//! Real models are slow, so a plain run takes a few of them. All of them:
//!
//! ```text
//! PREQUEL_COMPONENTS_STEP=1 PREQUEL_COMPONENTS_SECONDS=10 cargo test --release --test components -- --nocapture real
//! ```

use crate::fuzz::number;
use crate::{corpus, random_promela};
use prequel::engine::Engine;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::diag::Diagnostic;
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::model::{Answer, Component, Evidence, Goal, Lts, Network, Problem, Query};
use prequel::program::components;
use prequel::program::components::{Components, split};
use prequel::program::{
    Claim, Expression, Program, Shown, Sought, Witness, compile, compile_with, replay, replay_steps,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What came of a comparison.
#[derive(Debug)]
enum Judged {
    /// Same states and verdicts.
    Agrees(String),
    /// The program is not for components.
    Refused(String, String),
    /// One of the two took too long.
    Long(String),
    /// It is no program.
    Unread(String),
    /// They differ.
    Differs(String),
}

/// The text of a model.
struct Text {
    name: String,
    text: Vec<u8>,
    dir: PathBuf,
    defines: Vec<(String, String)>,
    /// Questions about it, beside those that can be asked of any.
    goals: Vec<String>,
}

impl Text {
    fn load(path: &Path, options: &[&str]) -> Self {
        let defines = options.iter().map(|o| ((*o).to_owned(), "1".to_owned())).collect();
        let dir = path.parent().unwrap_or(Path::new(".")).to_owned();
        let text = std::fs::read(path).expect("the model is there");
        Self { name: path.display().to_string(), text, dir, defines, goals: Vec::new() }
    }

    fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into(), dir: ".".into(), defines: Vec::new(), goals: Vec::new() }
    }

    fn program(&self) -> Result<Program, String> {
        let headline = |errors: Vec<Diagnostic>| errors[0].headline();
        let (model, _) = promela::read(&self.name, &self.text, &self.dir, &self.defines).map_err(headline)?;
        compile(&model, Claim::None).map(|(program, _)| program).map_err(headline)
    }

    fn with_goal(&self, text: &str) -> Result<(Program, Expression), String> {
        let headline = |errors: Vec<Diagnostic>| errors[0].headline();
        let goal = Some(promela::Goal { option: "--reach", text });
        let ((model, goal), _) =
            promela::read_with(&self.name, &self.text, &self.dir, &self.defines, goal, None).map_err(headline)?;
        let ((program, goal), _) = compile_with(&model, Claim::None, goal.as_ref()).map_err(headline)?;
        Ok((program, goal.expect("a goal")))
    }
}

/// The network without the steps of which something goes wrong.
fn without_errors(split: &Components) -> Network {
    let (labels, components) = split.network.clone().into_parts();
    let components = components.into_iter().enumerate().map(|(number, component)| {
        let error = split.errors().iter().find(|(c, _)| c.at() == number).map(|(_, error)| *error);
        let kept = component.lts.transitions().filter(|t| Some(t.target) != error).collect();
        let lts = Lts::new(component.lts.initial(), component.lts.num_states(), kept);
        let alphabet = component.alphabet().to_vec();
        Component::with_alphabet(component.name, lts, alphabet)
    });
    Network::new(labels, components.collect())
}

fn judge(model: &Text, time: Duration) -> Judged {
    let program = &match model.program() {
        Ok(program) => program,
        Err(error) => return Judged::Unread(error),
    };
    let limits = || Limits { time: Some(time), memory: Some(6 << 30), ..Limits::default() };
    let started = Instant::now();
    let watch = Run::new(limits(), 0).watch();
    let split = match split(program, components::Limits { watch: Some(&watch), ..components::Limits::default() }) {
        Ok(split) => split,
        Err(refusals) if refusals[0].construct == "limit" => return Judged::Long("split".into()),
        Err(refusals) => return Judged::Refused(refusals[0].construct.into(), refusals[0].message.clone()),
    };
    let seconds = started.elapsed().as_secs_f64();
    let run = Run::new(limits(), 0);
    let seen = match verify(program, Sought::Nothing, Otf::plain(Search::Breadth), &run) {
        Outcome::Explored(seen) => seen,
        Outcome::Unknown(why) => return Judged::Long(format!("program: {why}")),
        other => return Judged::Differs(format!("{other:?}")),
    };
    let states = run.effort().states_peak; // of the last search, if states outgrew their words
    let all = Otf { search: Search::Breadth, reduce: false };
    let run = Run::new(limits(), 0);
    let everything = Problem { network: without_errors(&split), query: Query::Reach(Goal::Or(vec![])) };
    if let Answer::Unknown(why) = all.solve(&everything, &run) {
        return Judged::Long(format!("network: {why}"));
    }
    let ours = run.effort().states_total;
    let about = format!(
        "{states} states, {} components, {} labels, split in {seconds:.2} s",
        split.network.components().len(),
        split.network.labels().len()
    );
    if ours != states {
        return Judged::Differs(format!("network {ours} states; {about}"));
    }
    let questions = [
        ("assertions", split.assertions(), !(seen.assertion || seen.other)),
        ("end states", split.end_states(), !seen.end_state),
    ];
    for (name, problem, holds) in questions {
        for reduce in [false, true] {
            let run = Run::new(limits(), 0);
            match (Otf { search: Search::Breadth, reduce }).solve(&problem, &run) {
                Answer::Unknown(why) => return Judged::Long(format!("{name}: {why}")),
                Answer::True(_) if holds => {}
                Answer::False(Evidence::Witness(trace)) if !holds => {
                    if let Err(error) = prequel::evidence::witness::check(&problem, &trace) {
                        return Judged::Differs(format!("{name}: {error}"));
                    }
                    let Some((steps, Some(Shown::Violation(violation)))) = split.lift(program, &trace) else {
                        return Judged::Differs(format!("{name}: the witness cannot be lifted"));
                    };
                    let witness = Witness { steps, violation };
                    if let Err(error) = replay(program, &witness) {
                        return Judged::Differs(format!("{name}: {error}; {:?}", witness.violation));
                    }
                }
                answer => return Judged::Differs(format!("{name}: {} instead of {holds}; {about}", answer.word())),
            }
        }
    }
    for text in goals(program).into_iter().chain(model.goals.iter().cloned()) {
        if let Err(detail) = same_goal(model, &text, (program, &split), limits()) {
            return Judged::Differs(format!("{text}: {detail}; {about}"));
        }
    }
    Judged::Agrees(about)
}

/// Questions about what a program has.
fn goals(program: &Program) -> Vec<String> {
    let mut goals = Vec::new();
    let changing: Vec<&str> = program.globals.iter().filter(|c| c.stored).map(|c| &*c.name).collect();
    if let [first, ..] = changing[..] {
        goals.push(format!("{first} == 1"));
    }
    if let [first, second, ..] = changing[..] {
        goals.push(format!("!({first} == {second}) & {first} + {second} == 3"));
    }
    if let Some(name) = program.channel_names.first() {
        goals.push(format!("len({name}) == 1 || full({name})"));
    }
    let locals = program.active.iter().enumerate().map(|(pid, &kind)| (pid, &program.proctypes[kind as usize]));
    if let Some((pid, kind)) = locals
        .into_iter()
        .find(|(_, kind)| kind.cells.first().is_some_and(|c| !c.name.contains('.')) && !kind.name.contains(':'))
    {
        goals.push(format!("{}[{pid}]:{} > 1 & _nr_pr < 3", kind.name, kind.cells[0].name));
    }
    goals
}

/// Whether a goal is reached in the network exactly if it is in the program, by runs that can be replayed.
fn same_goal(model: &Text, text: &str, known: (&Program, &Components), limits: Limits) -> Result<(), String> {
    let (program, goal) = model.with_goal(text)?;
    let run = Run::new(limits.clone(), 0);
    let reached = match verify(&program, Sought::Goal(&goal), Otf::plain(Search::Breadth), &run) {
        Outcome::Reached(steps) => {
            replay_steps(&program, &steps, Some(&goal)).map_err(|error| format!("program: {error}"))?;
            true
        }
        Outcome::Holds => false,
        // Too long, or it cannot be computed.
        Outcome::Unknown(_) => return Ok(()),
        other => return Err(format!("{other:?}")),
    };
    // A label that the goal names may make the program another one.
    let own;
    let split = if *known.0 == program {
        known.1
    } else {
        own = split(&program, components::Limits::default()).map_err(|refusals| refusals[0].message.clone())?;
        &own
    };
    let Ok(translated) = split.goal(&program, &goal) else { return Ok(()) };
    let problem = Problem { network: split.network.clone(), query: Query::Reach(translated) };
    match Otf::default().solve(&problem, &Run::new(limits, 0)) {
        Answer::True(Evidence::Witness(trace)) if reached => {
            prequel::evidence::witness::check(&problem, &trace).map_err(|error| error.to_string())?;
            let (steps, _) = split.lift(&program, &trace).ok_or("the witness cannot be lifted")?;
            replay_steps(&program, &steps, Some(&goal)).map_err(|error| format!("lifted: {error}"))
        }
        Answer::False(_) if !reached => Ok(()),
        Answer::Unknown(_) => Ok(()),
        answer => Err(format!("{} in the network, {reached} in the program", answer.word())),
    }
}

#[test]
fn examples_agree() {
    let examples: &[(&str, &[&str])] = &[
        ("mutex", &["", "GREEDY"]),
        ("alternating_bit", &["", "NO_BIT"]),
        ("sliding_window", &["PROPERTY_A", "PROPERTY_B", "PROPERTY_C", "PROPERTY_D"]),
        ("leader", &["", "DROP_NONE"]),
        ("cache", &["", "NO_SNOOP"]),
    ];
    for (name, options) in examples {
        for option in *options {
            let given: &[&str] = if option.is_empty() { &[] } else { &[option] };
            let model = Text::load(&Path::new("examples").join(format!("{name}.pml")), given);
            let judged = judge(&model, Duration::from_secs(600));
            println!("{name} {option}: {judged:?}");
            assert!(matches!(judged, Judged::Agrees(_)), "{name} {option}: {judged:?}");
        }
    }
}

/// Programs of a file, cut at lines that start with `// ==`; tells how many were refused.
fn check_all(file: &str) -> Vec<String> {
    let (mut failed, mut refused) = (Vec::new(), Vec::new());
    let wanted = std::env::var("PREQUEL_CONSTRUCT").unwrap_or_default();
    for part in file.split("// == ").filter(|part| !part.trim().is_empty()) {
        let (name, text) = part.split_once('\n').expect("a name and a program");
        if !name.contains(&wanted) {
            continue;
        }
        let judged = judge(&Text::new(name, text), Duration::from_secs(600));
        println!("{name}: {judged:?}");
        match judged {
            Judged::Agrees(_) => {}
            Judged::Refused(construct, _) => refused.push(format!("{name}: {construct}")),
            judged => failed.push(format!("{name}: {judged:?}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    refused
}

#[test]
fn constructs_agree() {
    assert_eq!(check_all(include_str!("constructs/components.pml")), [""; 0]);
}

#[test]
fn constructs_of_programs_agree_or_are_refused() {
    let mut refused = check_all(include_str!("constructs/control.pml"));
    refused.extend(check_all(include_str!("constructs/channels.pml")));
    refused.extend(check_all(include_str!("constructs/data.pml")));
    let known = ["timeout", "own channel", "_last", "enabled", "values of a variable", "labels", "run without bound"];
    let unknown: Vec<_> = refused.iter().filter(|why| !known.iter().any(|known| why.ends_with(known))).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn random_programs_agree() {
    let (count, seed) = (number("PREQUEL_FUZZ_PROGRAMS", 20), number("PREQUEL_FUZZ_SEED", 1));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in seed..seed + count {
        let text = random_promela::program(seed).text;
        let model = Text { goals: label_goals(&text), ..Text::new("random", &text) };
        let kind = match judge(&model, Duration::from_secs(10)) {
            Judged::Agrees(_) => "agrees".to_owned(),
            Judged::Refused(construct, _) => format!("refused: {construct}"),
            Judged::Long(_) => "long".to_owned(),
            Judged::Differs(detail) | Judged::Unread(detail) => panic!("seed {seed}: {detail}\n{text}"),
        };
        *counts.entry(kind).or_insert(0) += 1;
    }
    println!("{counts:#?}");
    assert!(counts.get("agrees").is_some_and(|agrees| *agrees as u64 * 4 > count), "{counts:#?}");
}

/// Questions about the labels of the random programs.
fn label_goals(text: &str) -> Vec<String> {
    let body = text.split("proctype P0() {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap_or_default();
    let label = body.split_whitespace().find_map(|word| word.strip_prefix('L')?.strip_suffix(':'));
    label.map_or_else(Vec::new, |label| vec![format!("P0@L{label}"), format!("P0[0]@L{label} & !(g == 1)")])
}

#[test]
fn real_models_agree() {
    let Some(models) = corpus::models("PREQUEL_COMPONENTS") else { return };
    let seconds = number("PREQUEL_COMPONENTS_SECONDS", 2);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut differ = Vec::new();
    for path in &models {
        let started = Instant::now();
        let (kind, detail) = match judge(&Text::load(path, &[]), Duration::from_secs(seconds)) {
            Judged::Unread(error) => ("unread".to_owned(), error),
            Judged::Agrees(detail) => ("agrees".to_owned(), detail),
            Judged::Refused(construct, message) => (format!("refused: {construct}"), message),
            Judged::Long(detail) => ("long".to_owned(), detail),
            Judged::Differs(detail) => {
                differ.push(path.display().to_string());
                ("differs".to_owned(), detail)
            }
        };
        println!("{kind}\t{}\t{detail}\t{:.1} s", path.display(), started.elapsed().as_secs_f64());
        *counts.entry(kind).or_insert(0) += 1;
    }
    println!("{counts:#?}");
    let read: usize = counts.iter().filter(|(kind, _)| *kind != "unread").map(|(_, count)| count).sum();
    let agree = counts.get("agrees").copied().unwrap_or(0);
    println!("{agree} of {read} models that are read are networks with the same verdicts");
    assert!(differ.is_empty(), "{differ:#?}");
}
