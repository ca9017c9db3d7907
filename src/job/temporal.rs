//! Formulas of linear temporal logic about networks and Petri nets, given with `--ltl`.

use super::check::Check;
use super::decision::Decision;
use super::failure::Failure;
use super::finding::{Coverage, Finding};
use super::net::NetWitness;
use super::observer::Observer;
use super::question::Question;
use super::replay::{Replay, Replayed};
use super::witness::Witness;
use crate::open::{GIVEN, NetFile};
use prequel_engine::Refusal;
use prequel_engine::otf::temporal;
use prequel_engine::otf::temporal::{Lasso, Outcome};
use prequel_evidence::lasso::{NetLasso, NetworkLasso};
use prequel_evidence::{Checked, Verdict};
use prequel_formats::aut::Dialect;
use prequel_formats::picture::view::View;
use prequel_formats::temporal as formulas;
use prequel_formats::text::lines;
use prequel_formats::witness::Witness as SavedPath;
use prequel_model::run::Run;
use prequel_model::{Network, Origin, Temporal, Trace};
use prequel_program::Stated;
use std::sync::Arc;

/// Decides a formula about a network.
pub fn of_network(
    request: &Check,
    text: &str,
    (network, origin): (Network, Origin),
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let formula = formulas::network::read(text, &network, &origin)?;
    only_otf(request)?;
    let components = network.components().len();
    let network = Arc::new(network);
    let outcome = observer.during(run, "otf", || temporal::network(&network, &formula, run));
    let shown = |Lasso { steps, from }| {
        let (network, formula) = (network.clone(), Some(formula.clone()));
        let lasso = NetworkLasso { network, formula, trace: Trace { steps }, from };
        Checked::new(lasso).map(|run| LassoWitness::new(run, origin, &request.models.reading.dialect, text))
    };
    decided(text, &formula, outcome, shown, run, components)
}

/// Decides a formula about a Petri net.
pub fn of_net(
    request: &Check,
    text: &str,
    file: &Arc<NetFile>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let formula = formulas::net::read(text, &file.net)?;
    only_otf(request)?;
    let outcome = observer.during(run, "otf", || temporal::net(&file.net, &formula, run));
    let shown = |Lasso { steps, from }| {
        let lasso = NetLasso { net: file.net.clone(), formula: Some(formula.clone()), sequence: steps, from };
        Checked::new(lasso).map(|run| NetWitness::of_lasso(file.clone(), run, violated(text)))
    };
    decided(text, &formula, outcome, shown, run, 1)
}

/// An answer, once the run that it rests on was replayed.
fn decided<A, S, W: Into<Witness>>(
    text: &str,
    formula: &Temporal<A>,
    outcome: Outcome<S>,
    shown: impl FnOnce(Lasso<S>) -> Result<W, prequel_evidence::lasso::Rejected>,
    run: &Run,
    components: usize,
) -> Result<Decision, Failure> {
    let (verdict, witness) = match outcome {
        Outcome::Absent => (Verdict::absent(formula), None),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
        Outcome::Found(lasso) => {
            let witness = shown(lasso)
                .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?
                .into();
            (witness.verdict(), Some(witness))
        }
    };
    let coverage = Coverage {
        covers: vec![Stated::Formula(GIVEN.into())],
        formulas: vec![(GIVEN.into(), verdict.clone())],
        by_name: true,
        ..Coverage::default()
    };
    let query = Question::Temporal(text.into()).text().unwrap_or_default();
    let finding = Finding::new("otf", verdict, query, run.effort(), components);
    Ok(Decision::new(Finding { coverage: Some(coverage), ..finding }, witness))
}

/// Other engines take no questions about runs without an end.
fn only_otf(request: &Check) -> Result<(), Failure> {
    let Check { engine, as_network, certificate, .. } = request;
    let why = match &*engine.name {
        _ if *as_network => "formulas are decided on the model as it is: leave --as-network away".to_owned(),
        _ if certificate.is_some() => "there is no certificate for a formula: leave --certificate away".to_owned(),
        "auto" | "otf" => return engine.named().map(drop),
        other => format!("the engine {other} takes no questions about runs without an end; otf does"),
    };
    Err(Refusal::new(why).into())
}

/// The formula that a saved lasso is to violate: the one that is asked now, or else the one that was asked when it was saved.
fn asked<'a>(question: &'a Question, saved: &'a Option<Question>) -> Result<&'a str, Failure> {
    match (question, saved) {
        (Question::Temporal(text), _) | (Question::Stated, Some(Question::Temporal(text))) => Ok(text),
        _ => {
            let why = "this witness is a run without an end: what it shows is asked with --ltl FORMULA";
            Err(Refusal::new(why).into())
        }
    }
}

/// Does a saved lasso of a network again.
pub fn replayed(
    (network, origin): (Network, Origin),
    saved: SavedPath,
    from: usize,
    request: &Replay,
) -> Result<Replayed, Failure> {
    let before = Question::from_text(&saved.query.text);
    let text = asked(&request.question, &before)?;
    let formula = Some(formulas::network::read(text, &network, &origin)?);
    let steps = saved.trace.steps.len();
    let lasso = NetworkLasso { network: Arc::new(network), formula, trace: saved.trace, from };
    let shown = Checked::new(lasso)
        .and_then(|run| {
            Ok(prequel_evidence::witness::seen_as(&run.run().network, &run.run().trace, &saved.actions)
                .map(|()| run)?)
        })
        .map(|run| LassoWitness::new(run, origin, &request.models.reading.dialect, text).into())
        .map_err(|why| why.to_string());
    Ok(Replayed { saved_query: saved.query.text, steps, sources: Vec::new(), shown })
}

/// Does a saved lasso of a net again.
pub fn fired(
    file: &Arc<NetFile>,
    (sequence, from): (Vec<prequel_model::TransitionId>, usize),
    saved_query: &str,
    question: &Question,
) -> Result<Result<NetWitness, String>, Failure> {
    let before = Question::from_text(saved_query);
    let text = asked(question, &before)?;
    let formula = Some(formulas::net::read(text, &file.net)?);
    let lasso = NetLasso { net: file.net.clone(), formula, sequence, from };
    let shown = Checked::new(lasso).map(|run| NetWitness::of_lasso(file.clone(), run, violated(text)));
    Ok(shown.map_err(|why| why.to_string()))
}

/// What is said of the run at its end.
fn violated(text: &str) -> String {
    format!("the formula is violated: {text}")
}

/// A run of a network without an end, with what is needed to show it.
#[derive(Debug)]
pub struct LassoWitness {
    run: Checked<NetworkLasso>,
    origin: Origin,
    lines: Vec<Vec<String>>,
    violated: String,
}

impl LassoWitness {
    fn new(run: Checked<NetworkLasso>, origin: Origin, dialect: &Dialect, text: &str) -> Self {
        let NetworkLasso { network, trace, .. } = run.run();
        let lines = lines::of_trace(network, &origin, trace, dialect);
        Self { run, origin, lines, violated: violated(text) }
    }

    /// What it shows.
    pub fn verdict(&self) -> Verdict {
        self.run.verdict()
    }

    /// The step that the cycle starts with; behind the last one where nothing can happen any more.
    pub fn from(&self) -> usize {
        self.run.run().from
    }

    /// All of it, to be drawn.
    pub fn view(&self) -> View<'_> {
        let NetworkLasso { network, trace, from, .. } = self.run.run();
        View { network, origin: &self.origin, trace, lines: &self.lines, cycle: Some(*from), arrows: &[] }
    }

    /// What is shown, in one line.
    pub fn conclusion(&self) -> String {
        for_ever(self.from(), self.run.run().trace.steps.len(), &self.violated)
    }
}

/// What lasts for ever, and what that shows.
pub fn for_ever(from: usize, steps: usize, shows: &str) -> String {
    match from + 1..=steps {
        none if none.is_empty() => format!("here nothing can happen, so that this lasts for ever: {shows}"),
        cycle => format!("steps {} to {} can be repeated for ever: {shows}", cycle.start(), cycle.end()),
    }
}
