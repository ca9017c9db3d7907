//! The jobs as a library: what the command line does, without one.

use prequel::formats::diag::Diagnostic;
use prequel::job::reproduce::{Cell, Expected, Reproduce, reproduce};
use prequel::job::{
    Advise, Audit, Audited, CertificateForm, Check, Convert, Description, Failure, First, Info, Models, Observer,
    Question, Reach, Reduce, Replay, Silent, Spin, Witness, advise, audit, check, convert, info, reduce, replay, spin,
};
use prequel::model::run::{Limits, Run};
use prequel::spin::tools::Tools;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// Two users of a lock that look whether it is taken and take it, in two steps.
const LOCK: &str = "\
bool taken, inside;
active [2] proctype user() {
  !taken -> taken = true;
  assert(!inside);
  inside = true;
  inside = false;
  taken = false
}
";

/// A token goes round, and there is a way out.
const NET: &str = "\
net round
pl idle (1)
tr work idle -> busy
tr rest busy -> idle
tr stop busy -> off
";

fn run() -> Run {
    Run::new(Limits::default(), 0)
}

/// A file of this name and text in a folder.
fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a temporary file is written");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder is made")
}

#[test]
fn a_promela_model_is_checked() {
    let folder = folder();
    let model = file(folder.path(), "lock.pml", LOCK);
    let decision = check(&Check::stated(model), &run(), &Silent).expect("it is read and decided");
    assert_eq!(decision.finding.verdict.word(), "false");
    let Some(Witness::Program(found)) = decision.witness else { panic!("no run of the program") };
    assert!(found.conclusion().starts_with("assertion violated in user("), "{}", found.conclusion());
    assert_eq!(found.text(&found.steps()[0]), "!taken");
}

#[test]
fn a_promela_model_is_reduced_and_given_to_spin() {
    let folder = folder();
    let model = file(folder.path(), "lock.pml", LOCK);
    let small = folder.path().join("small.pml");
    let smaller = reduce(&Reduce::stated(model.clone(), small.clone()), &run(), &Silent).expect("it is reduced");
    assert!(smaller.states[1] <= smaller.states[0]);
    assert_eq!(smaller.files.iter().map(|(path, _)| path).collect::<Vec<_>>(), [&small]);
    assert!(!small.exists(), "a job writes nothing by itself");
    if let Err(why) = Tools::find() {
        eprintln!("skipped: {why}");
        return;
    }
    let decision = spin(Spin::stated(model), &run(), &Silent).expect("SPIN answers");
    assert_eq!((decision.finding.engine.as_str(), decision.finding.verdict.word()), ("spin", "false"));
    let Some(Witness::Program(found)) = decision.witness else { panic!("no run of the user's program") };
    let places: Vec<String> = found.steps().iter().map(|step| found.place(step)).collect();
    assert!(places.iter().all(|place| place.contains("lock.pml:")), "the user's own statements: {places:?}");
}

#[test]
fn a_network_is_checked() {
    let folder = folder();
    let instance = (prequel::families::find("philo").expect("a family").build)(3, 0);
    let paths = prequel::formats::exp::write(&instance.network, "philo").expect("a network that can be written");
    for (path, text) in &paths {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder is made");
        std::fs::write(path, text).expect("a temporary file is written");
    }
    let request = Check::of(folder.path().join("philo.exp"), Question::DeadlockFree);
    let decision = check(&request, &run(), &Silent).expect("it is read and decided");
    assert_eq!(decision.finding.verdict.word(), "false");
    let Some(Witness::Network(path)) = decision.witness else { panic!("no path of the network") };
    assert_eq!(path.labels().len(), 3, "each takes a fork");
}

#[test]
fn a_petri_net_is_checked() {
    let folder = folder();
    let net = file(folder.path(), "round.net", NET);
    let reach = Question::Reach(Reach::given("off >= 1").expect("no file is named"));
    let decision = check(&Check::of(net.clone(), reach), &run(), &Silent).expect("it is read and decided");
    assert_eq!(decision.finding.verdict.word(), "true");
    let Some(Witness::Net(sequence)) = decision.witness else { panic!("no firing sequence") };
    let fired: Vec<&str> = sequence.sequence().iter().map(|&t| sequence.net().transition(t)).collect();
    assert_eq!(fired, ["work", "stop"]);
    let unasked = check(&Check::stated(net), &run(), &Silent).expect_err("it states nothing");
    assert!(matches!(unasked, Failure::Input(_)));
}

/// The failure of a check, and what the command line prints on standard error.
fn both(folder: &Path, name: &str, question: Question) -> (Failure, String) {
    let words = question.text();
    let path = folder.join(name);
    let models = Models::from(path.clone());
    let failure = check(&Check::of(models, question), &run(), &Silent).expect_err("there is no answer");
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    let printed = command.arg("check").arg(path).args(words).output().expect("the program runs");
    (failure, String::from_utf8(printed.stderr).expect("text"))
}

#[test]
fn failures_are_values_and_the_command_line_prints_them() {
    let folder = folder();
    file(folder.path(), "garbled.pml", "active proctype {\n");
    file(folder.path(), "one.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    file(folder.path(), "round.net", NET);
    for (name, question, message) in [
        ("missing.pml", Question::Stated, "cannot read"),
        ("missing.aut", Question::DeadlockFree, "cannot read"),
        ("garbled.pml", Question::Stated, "proctype"),
        ("one.aut", Question::Assertions, "only Promela and DVE models have assertions"),
        ("one.aut", Question::Stated, "these models state nothing by themselves"),
        ("round.net", Question::Stated, "this net states nothing by itself"),
    ] {
        let (failure, printed) = both(folder.path(), name, question);
        let Failure::Input(diagnostics) = &failure else { panic!("{name}: {failure}") };
        assert!(diagnostics.iter().any(|found| found.render().contains(message)), "{name}: {failure}");
        assert_eq!(printed, format!("{failure}\n"), "{name}");
    }
}

/// Keeps what it is told.
#[derive(Default)]
struct Listener {
    notes: Mutex<Vec<String>>,
    watched: Mutex<Vec<String>>,
    cells: Mutex<Vec<Cell>>,
}

impl Observer for Listener {
    fn say(&self, _: &str) {}

    fn note(&self, text: &str) {
        self.notes.lock().expect("nobody fails").push(text.into());
    }

    fn remark(&self, _: &str) {}
    fn warn(&self, _: &[Diagnostic]) {}

    fn measured(&self, cell: &Cell) {
        self.cells.lock().expect("nobody fails").push(cell.clone());
    }

    fn watch(&self, _: &Run, what: &str, work: &mut (dyn FnMut() + '_)) {
        self.watched.lock().expect("nobody fails").push(what.into());
        work();
    }
}

#[test]
fn an_observer_is_told_what_happens() {
    let folder = folder();
    let model = file(folder.path(), "lock.pml", LOCK);
    let listener = Listener::default();
    let mut request = Check::of(model, Question::DeadlockFree);
    request.before = Some(Default::default());
    let decision = check(&request, &run(), &listener).expect("it is decided");
    assert_eq!(decision.finding.verdict.word(), "true");
    let notes = listener.notes.into_inner().expect("nobody fails");
    assert!(notes.iter().any(|note| note.starts_with("not reduced: ")), "{notes:?}");
    assert_eq!(listener.watched.into_inner().expect("nobody fails"), ["auto"]);
}

#[test]
fn a_papers_experiments_are_run_again() {
    let request = Reproduce { paper: "quotient".into(), family: Some("mutex".into()), ..Reproduce::default() };
    let listener = Listener::default();
    let papers = request.papers().expect("there is such a paper with such a family");
    let [paper] = papers.as_slice() else { panic!("one paper has this name") };
    let outcome = reproduce(paper, &request, &listener);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let classes = outcome.cells.iter().find(|cell| cell.what == "classes of Figure 3").expect("Figure 3 is there");
    assert_eq!((classes.paper.as_deref(), classes.judgement().as_str()), (Some(classes.ours.as_str()), "agree"));
    assert!(outcome.cells.iter().any(|cell| cell.expected == Some(Expected::Yes)));
    assert_eq!(listener.cells.into_inner().expect("nobody fails"), outcome.cells);
    let unknown = Reproduce { family: Some("nobody".into()), ..request };
    assert!(matches!(unknown.papers(), Err(Failure::Input(_))));
}

#[test]
fn a_model_is_described_converted_and_its_witness_replayed() {
    let folder = folder();
    let (model, witness) = (file(folder.path(), "lock.pml", LOCK), folder.path().join("run.json"));
    let models = || Models::from(model.clone());
    let Description::Program(program) =
        info(&Info { models: models(), as_network: false }, &run(), &Silent).expect("it is read")
    else {
        panic!("a Promela model is a program")
    };
    assert_eq!((program.processes[0].name.as_str(), program.active), ("user", 2));
    let output = folder.path().join("lock.exp");
    let request = Convert { models: models(), output, minimise: None, question: Question::Stated };
    let converted = convert(&request, &run(), &Silent).expect("it has components");
    assert_eq!(converted.checks.map(|checks| checks.len()), Some(2));
    assert!(!request.output.exists() && converted.files.len() > 1, "nothing is written by the library");
    let saved =
        Command::new(env!("CARGO_BIN_EXE_prequel")).arg("check").arg(&model).arg("--witness").arg(&witness).output();
    assert_eq!(saved.expect("the program runs").status.code(), Some(1));
    let again = |question| Replay { models: models(), witness: witness.clone(), question };
    let replayed = replay(&again(Question::Stated), &run(), &Silent).expect("it is read");
    assert!(matches!(replayed.shown, Ok(Witness::Program(_))), "{replayed:?}");
    let other = replay(&again(Question::DeadlockFree), &run(), &Silent).expect("it is read");
    assert!(other.shown.is_err(), "a failed assertion is no deadlock");
    let missing = Replay { witness: folder.path().join("none.json"), ..again(Question::Stated) };
    assert!(matches!(replay(&missing, &run(), &Silent), Err(Failure::Input(_))), "there is no such file");
}

#[test]
fn advice_rests_on_trials() {
    let folder = folder();
    let model = file(folder.path(), "round.net", NET);
    let (models, each, limits) = (Models::from(model), Duration::from_secs(20), Limits::default());
    let request = Advise { models, question: Question::DeadlockFree, each, limits };
    let advised = advise(&request, &Silent).expect("engines are tried");
    assert!(advised.trials.iter().all(|trial| trial.refused() || trial.verdict.holds() == Some(false)), "{advised:?}");
    let advice = advised.advice.expect("somebody answered");
    assert_eq!((advice.first, advice.guess), (First::Engine("otf"), false));
    // That nobody can be asked is no trial.
    let circuit = file(folder.path(), "one.smv", "MODULE main\nVAR x : boolean;\nINVARSPEC x;\n");
    let refused = advise(&Advise { models: circuit.into(), ..request }, &Silent);
    assert!(matches!(refused, Err(Failure::Refused(_))), "{refused:?}");
}

/// A claim that holds, one that does not, and labels.
const CLAIMS: &str = "\
byte x;
active proctype p() { do :: x < 2 -> x++ :: x == 2 -> progress: x = 0 od }
ltl returns { [] <> (x == 0) }
ltl stays { <> [] (x == 0) }
";

#[test]
fn a_certificate_of_a_claim_is_audited_and_not_taken_for_another() {
    let folder = folder();
    let model = file(folder.path(), "claims.pml", CLAIMS);
    let reading = |claims: Option<&str>, fair| {
        let mut models = Models::from(model.clone());
        (models.reading.claims, models.reading.fair) = (claims.map(Into::into), fair);
        models
    };
    let certified = |claims, fair, question: Question| {
        check(
            &Check { certificate: Some(CertificateForm::Json), ..Check::of(reading(claims, fair), question) },
            &run(),
            &Silent,
        )
    };
    let audited = |text: &[u8], claims, question| {
        let certificate = folder.path().join("c.json");
        std::fs::write(&certificate, text).expect("a temporary file is written");
        match audit(&Audit { models: reading(claims, false), question, certificate, changed: false }, &run(), &Silent) {
            Ok(Audited::Program(audit)) => Ok(audit.shown),
            Ok(other) => panic!("{other:?}"),
            Err(why) => Err(why),
        }
    };
    let given = "[] (x == 1 -> <> (x == 2))";
    for (claims, fair, question) in [
        (Some("returns"), false, Question::Stated),
        (Some("returns"), true, Question::Stated),
        (Some(given), false, Question::Stated),
        (None, false, Question::NonProgress),
        (None, true, Question::AcceptLabels),
    ] {
        let decision = certified(claims, fair, question.clone()).expect("it is decided");
        assert!(decision.finding.verdict.is_checked() && decision.finding.verdict.holds() == Some(true), "{claims:?}");
        let text = decision.certificate.expect("it was asked for").text().to_vec();
        // Which claim and which question it is about is in the file, but for a formula of the command line.
        let again = claims.filter(|&claims| claims == given);
        let states = audited(&text, again, Question::Stated).expect("it is this model");
        assert!(states.is_ok_and(|states| states > 2), "{claims:?}");
        assert!(matches!(audited(&text, Some("stays"), Question::Stated), Err(Failure::Input(_))) || claims.is_none());
        if again.is_some() {
            assert!(matches!(audited(&text, None, Question::Stated), Err(Failure::Input(_))));
        }
        assert!(matches!(audited(&text, again, Question::DeadlockFree), Err(Failure::Input(_))));
        let text = String::from_utf8(text).expect("JSON");
        let shorter = text.replace("\"ranks\": \"", "\"ranks\": \"7*9 ");
        let shown = audited(shorter.as_bytes(), again, Question::Stated).expect("it is this model");
        assert!(shown.is_err(), "{shorter}");
    }
    let decision = certified(Some("stays"), false, Question::Stated).expect("it is decided");
    assert_eq!((decision.finding.verdict.word(), decision.certificate), ("false", None));
    // Assertions and end states, without ranks.
    let decision = certified(Some("none"), false, Question::Stated).expect("it is decided");
    let text = decision.certificate.expect("it was asked for").text().to_vec();
    assert!(audited(&text, Some("none"), Question::Stated).expect("it is this model").is_ok_and(|states| states > 2));
    // Both claims at once, and what no set of states shows.
    for (claims, question) in [(None, Question::Stated), (None, Question::NoStuck)] {
        assert!(matches!(certified(claims, false, question), Err(Failure::Refused(_))));
    }
}
