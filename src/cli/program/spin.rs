//! What a Promela model states, decided by SPIN on the user's own text.

use super::{Asked, OWN, Reduced, Told, Wanted, violated};
use crate::cli::exit::Failure;
use crate::cli::output::Output;
use crate::cli::progress;
use crate::cli::reduce::{rows, table};
use crate::cli::report::{Answered, Coverage, Verdict};
use prequel_engine::Engine as _;
use prequel_engine::otf::Otf;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela::Text;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Network, Problem, Query, Why};
use prequel_program::{Sought, Stated, replay};
use prequel_spin::file::{File, Trouble, Verified};
use prequel_spin::report::Report;
use prequel_spin::spin::{Options, Tools};
use prequel_spin::spin_errors;
use prequel_spin::spin_errors::Doubts;
use serde_json::{Value, json};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

/// How processes are replaced before SPIN is asked.
#[derive(Clone)]
pub struct Before<'a> {
    /// Which, and how far that goes.
    pub wanted: Wanted<'a>,
    /// Whether SPIN is asked about the model as it is, too.
    pub compare: bool,
    /// Whether it is asked that at the same time, and who is done first answers.
    pub race: bool,
}

/// A model with no more states than this is searched before optimised C is compiled.
const FEW_STATES: u64 = 200_000;

/// SPIN's answer on the model with smaller processes, and what there is to say about them.
struct OnSmaller {
    told: Told,
    said: String,
}

/// Why SPIN was not asked about smaller processes.
struct NotReduced {
    why: String,
    after: Duration,
}

impl NotReduced {
    /// Says so.
    fn note(&self, told: &mut Told, output: &Output) {
        output.note(format!("not reduced: {}", self.why));
        told.0.reduction = Some(reduction(Err(&self.why), self.after));
    }
}

/// What was done before SPIN was asked, for machines: the processes, or why they stayed as they are.
pub fn reduction(processes: Result<Value, &str>, time: Duration) -> Value {
    let seconds = time.as_secs_f64();
    match processes {
        Ok(processes) => json!({ "used": true, "seconds": seconds, "processes": processes, "note": null }),
        Err(why) => json!({ "used": false, "seconds": seconds, "processes": [], "note": why }),
    }
}

/// Answers with SPIN; a violation is one once SPIN's trail was replayed on our program.
pub fn answer(asked: &Asked<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
    match &asked.before {
        None => as_it_is(asked, run, output, &|| true),
        Some(before) if before.race => race(asked, before, run, output),
        Some(before) => match on_smaller(asked, before, run, output, &|| true)? {
            Ok(OnSmaller { told, said }) => {
                output.say(said);
                Ok(told)
            }
            Err(not) => {
                let mut told = as_it_is(asked, run, output, &|| true)?;
                not.note(&mut told, output);
                Ok(told)
            }
        },
    }
}

/// Asks SPIN about the model as it is and, at the same time, makes processes smaller and asks it about those: the first answer
/// counts, and the other side is stopped before a witness is made of it. Both are right, so the verdict does not depend on which
/// it is; the witness does.
fn race(asked: &Asked<'_>, before: &Before<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
    enum Side {
        AsItIs(Result<Told, Failure>),
        Smaller(Result<Result<OnSmaller, NotReduced>, Failure>),
    }
    let (plain, ours) = (&run.beside(2), &run.beside(2));
    let silent = &Output { quiet: true, ..output.clone() };
    let decided = |told: &Told| !matches!(told.0.verdict, Verdict::Unknown(_));
    let (tell, sides) = mpsc::channel();
    let won = &OnceLock::new();
    // Whoever is first has to say it all.
    let claim = move |side: &'static str, other: &Run| {
        let first = won.set(side).is_ok();
        if first {
            other.stop();
        }
        first
    };
    std::thread::scope(|scope| {
        let first = tell.clone();
        scope.spawn(move || {
            let told = as_it_is(asked, plain, output, &|| claim("as it is", ours));
            drop(first.send(Side::AsItIs(told)));
        });
        scope.spawn(move || {
            let told = on_smaller(asked, before, ours, silent, &|| claim("smaller", plain));
            drop(tell.send(Side::Smaller(told)));
        });
        let why = "SPIN was done with the model as it is before".into();
        let mut not = NotReduced { why, after: Duration::ZERO };
        let mut undecided = None;
        for side in sides {
            match side {
                Side::AsItIs(Ok(told)) if !decided(&told) => undecided = Some(told),
                Side::AsItIs(result) => {
                    let mut told = result?;
                    not.note(&mut told, output);
                    return Ok(told);
                }
                Side::Smaller(Ok(Ok(OnSmaller { told, said }))) if won.get() == Some(&"smaller") => {
                    output.say(said);
                    return Ok(told);
                }
                Side::Smaller(Ok(Ok(undecided))) => not.why = undecided.told.0.summary(),
                // What was stopped has no reason of its own.
                Side::Smaller(Ok(Err(why))) if won.get().is_none() => not = why,
                Side::Smaller(Ok(Err(_))) => {}
                Side::Smaller(Err(failure)) => {
                    plain.stop();
                    return Err(failure);
                }
            }
        }
        let mut told = undecided.expect("SPIN was asked about the model as it is");
        not.note(&mut told, output);
        Ok(told)
    })
}

/// SPIN's answer on the model with smaller processes; a violation is lifted and replayed on the model itself.
fn on_smaller(
    asked: &Asked<'_>,
    before: &Before<'_>,
    run: &Run,
    output: &Output,
    first: &dyn Fn() -> bool,
) -> Result<Result<OnSmaller, NotReduced>, Failure> {
    if let Some(claim) = &asked.promela.program.property {
        let why = format!("{} is not kept by smaller processes", claim.title());
        return Ok(Err(NotReduced { why, after: Duration::ZERO }));
    }
    // What is looked at on the way to smaller processes is no state of the model: it is counted apart.
    let before_it = run.effort();
    let reduced = Reduced::new(asked.promela, &before.wanted, run, output);
    let after = run.elapsed().saturating_sub(Duration::from_secs_f64(before_it.seconds));
    run.set_back(&before_it);
    let not = |why: String| Ok(Err(NotReduced { why, after }));
    let reduced = match reduced {
        Ok(reduced) => reduced,
        Err(Failure::Unsuitable(found)) => return not(found.first().map_or_else(String::new, Diagnostic::headline)),
        Err(failure @ (Failure::Refused(_) | Failure::Undecided(..))) => {
            return not(failure.to_string().trim_end().into());
        }
        Err(failure) => return Err(failure),
    };
    let (network, together) = reduced.replaced();
    if !together.replaced.iter().any(|replaced| together.changed(replaced.component)) {
        return not("no process has states that may be merged".into());
    }
    let mut said = table(network, &together.network, &together.replaced);
    let rows = rows(network, &together.network, &together.replaced);
    run.phase("reduce", after);
    let model = reduced.model();
    let doubts = Doubts::of_text(&model, None).unwrap_or_default();
    if let Some(why) = doubts.reason().filter(|_| !doubts.allow_spin()) {
        return not(why);
    }
    let options = Options { optimise: !has_few_states(&together.network, run), ..doubts.bound(asked.options()) };
    let components = asked.promela.program.active.len();
    let finish = |verdict, shown, said| {
        let mut told = (asked.answered("spin", verdict, run, components), shown);
        told.0.doubted = reduced_less(asked, &doubts);
        told.0.reduction = Some(reduction(Ok(rows), after));
        Ok(Ok(OnSmaller { told, said }))
    };
    let (mut file, verified) = match search(&model, None, options, run, output) {
        Ok(searched) => searched,
        // SPIN has room for the user's processes, not for those that we wrote.
        Err(Trouble::Rejected(why)) => return not(format!("SPIN does not take the smaller model: {why}")),
        Err(trouble) => return finish(undecided(trouble)?, None, said),
    };
    if !first() {
        return not("SPIN was done with the model as it is before".into());
    }
    if before.compare {
        said = format!("{said}\n{}", compare(asked, &verified, run, output));
    }
    let Some(found) = &verified.found else { return finish(Verdict::True, None, said) };
    let emitted = reduced.emitted()?;
    // What SPIN says is looked at before our own way back is.
    let replayed = |witness| replay(&emitted, &witness).map(|()| witness).map_err(|e| Trouble::Lost(e.to_string()));
    match file.witness(&emitted, found).and_then(replayed) {
        Ok(witness) => finish(Verdict::False, Some(reduced.lift(&emitted, &witness)?), said),
        Err(Trouble::Lost(why)) => {
            not(format!("SPIN's trail is no run of the smaller model, so it is not believed: {why}"))
        }
        Err(trouble) => finish(undecided(trouble)?, None, said),
    }
}

/// Whether the product is explored in less time than the optimiser takes. Nothing else is made of this search: SPIN answers.
fn has_few_states(network: &Network, run: &Run) -> bool {
    let limits = Limits { states: Some(FEW_STATES), ..run.limits.clone() };
    let problem = Problem { network: network.clone(), query: Query::DeadlockFree };
    !matches!(Otf::default().solve(&problem, &run.within(limits)), Answer::Unknown(_))
}

/// SPIN on the model as it is, beside what it says of the smaller one.
fn compare(asked: &Asked<'_>, smaller: &Verified, run: &Run, output: &Output) -> String {
    let line = |what: &str, verified: &Verified| {
        let Report { stored, transitions, .. } = verified.report;
        let search = verified.phases.search.as_secs_f64();
        format!("SPIN on the {what} model: {stored} states, {transitions} transitions, {search:.3} s of search")
    };
    let beside = run.again();
    let original = match search(&text(asked), asked.claim(), asked.options(), &beside, output) {
        Ok((_, own)) => line("original", &own),
        Err(trouble) => format!("SPIN on the original model: {trouble}"),
    };
    format!("{original}\n{}", line("smaller", smaller))
}

/// SPIN's answer on the model as it is, or that of our own search where SPIN is not believed; undecided where `first` says that
/// another answer came before.
fn as_it_is(asked: &Asked<'_>, run: &Run, output: &Output, first: &dyn Fn() -> bool) -> Result<Told, Failure> {
    let program = &asked.promela.program;
    let doubts = Doubts::of_text(&text(asked), asked.claim()).unwrap_or_default();
    let options = doubts.bound(asked.options());
    let before = run.effort();
    let told = |verdict, shown| {
        let mut told = (asked.answered("spin", verdict, run, program.active.len()), shown);
        told.0.doubted = reduced_less(asked, &doubts);
        Ok(told)
    };
    let witness = match search(&text(asked), asked.claim(), options, run, output) {
        Ok((mut file, Verified { found: Some(found), .. })) => {
            if !first() {
                return told(Verdict::Unknown(Why::Interrupted), None);
            }
            let witness = file.witness(program, &found);
            witness.and_then(|w| replay(program, &w).map(|()| Some(w)).map_err(|e| Trouble::Lost(e.to_string())))
        }
        Ok(_) => Ok(None),
        Err(trouble) => Err(trouble),
    };
    match witness {
        Ok(Some(witness)) => told(Verdict::False, Some(violated(program.clone(), witness)?)),
        Ok(None) | Err(Trouble::Lost(_) | Trouble::Undecided(Why::External(_))) if !doubts.allow_spin() => {
            run.set_back(&before);
            let told = by_own_search(asked, &doubts, run, output)?;
            Ok(if first() { told } else { (Answered { verdict: Verdict::Unknown(Why::Interrupted), ..told.0 }, None) })
        }
        Ok(None) if first() => told(Verdict::True, None),
        Ok(None) => told(Verdict::Unknown(Why::Interrupted), None),
        Err(trouble) => told(undecided(trouble)?, None),
    }
}

/// The answer of our own search, where SPIN errs.
fn by_own_search(asked: &Asked<'_>, doubts: &Doubts, run: &Run, output: &Output) -> Result<Told, Failure> {
    let program = &asked.promela.program;
    let outcome =
        progress::watch(run, "otf", output, || verify(program, Sought::Violation, asked.engine.otf().search, run));
    let why = doubts.reason().unwrap_or_default();
    let (verdict, shown) = match outcome {
        Outcome::Violated(witness) => (Verdict::False, Some(violated(program.clone(), witness)?)),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
        _ if asked.promela.formulas.is_empty() => (Verdict::True, None),
        _ => {
            let open = "no run with an end violates it, and runs without one are for SPIN to look at";
            (Verdict::Unknown(Why::External(format!("{open}, but {why}"))), None)
        }
    };
    let mut told = (asked.answered("otf", verdict, run, program.active.len()), shown);
    told.0.doubted = Some((format!("our own search answers: {why}"), errors(doubts, "own search")));
    Ok(told)
}

/// That SPIN searched without partial-order reduction where it would have been asked to reduce.
fn reduced_less(asked: &Asked<'_>, doubts: &Doubts) -> Option<(String, Value)> {
    let why = doubts.reason().filter(|_| asked.options().reduce && !doubts.allow_reduction())?;
    Some((format!("SPIN answers without partial-order reduction: {why}"), errors(doubts, "no reduction")))
}

/// Known errors of SPIN that touch the model, and what was done about them, for machines.
fn errors(doubts: &Doubts, done: &str) -> Value {
    json!({ "names": doubts.names(), "done": done, "page": spin_errors::PAGE })
}

impl Asked<'_> {
    /// How SPIN searches.
    fn options(&self) -> Options {
        let without_claims = self.promela.program.claim.is_none();
        Options { reduce: self.engine.otf().reduce, optimise: true, without_claims }
    }
}

/// A limit, a text that SPIN does not take, or a trail that is no run of the program: then SPIN is wrong, or is not SPIN.
fn undecided(trouble: Trouble) -> Result<Verdict, Failure> {
    Ok(Verdict::Unknown(match trouble {
        Trouble::Lost(why) => {
            Why::External(format!("SPIN's trail is no run of the program, so it is not believed: {why}"))
        }
        Trouble::Undecided(why) => why,
        Trouble::Rejected(_) => Why::External(trouble.to_string()),
        Trouble::Embedded(found) => return Err(Failure::Input(vec![*found])),
    }))
}

/// Answers for a model that we cannot read, because of these errors, and SPIN perhaps can. Each of its claims is asked by itself.
pub fn unread(text: &Text, errors: Vec<Diagnostic>, run: &Run, output: &Output) -> Result<Answered, Failure> {
    // What SPIN errs on cannot be told of a model that we do not read, so it does not reduce.
    let options = Options { optimise: true, ..Options::default() };
    let (mut covers, mut beyond, mut whole) = (vec![Stated::Assertions], Vec::new(), Verdict::True);
    // SPIN knows how many claims there are once it was asked about the first.
    let mut asked: Vec<Option<String>> = vec![None];
    let mut at = 0;
    while at < asked.len() && whole == Verdict::True {
        whole = match search(text, asked[at].as_deref(), options, run, output) {
            Ok((file, Verified { found: None, claims, .. })) => {
                if at == 0 {
                    asked.extend(claims.iter().skip(1).cloned().map(Some));
                    (if claims.is_empty() { &mut covers } else { &mut beyond }).push(Stated::EndStates);
                    covers.extend(claims.iter().map(|name| Stated::Formula(name.as_str().into())));
                }
                let doubts = Doubts::of_words(&file.processed());
                match doubts.reason().filter(|_| !doubts.allow_spin()) {
                    Some(why) => Verdict::Unknown(Why::External(format!(
                        "SPIN finds nothing, but nobody can tell whether it is right on a model that only SPIN reads: \
                         {why}"
                    ))),
                    None => Verdict::True,
                }
            }
            Ok((_, Verified { found: Some(found), .. })) => Verdict::Unknown(Why::External(format!(
                "SPIN finds {}, but the run cannot be replayed on a model that only SPIN reads: {}",
                found.fault.words(),
                errors[0].headline()
            ))),
            // The C comes first: what else there is to say about the model, SPIN perhaps does not mind.
            Err(Trouble::Embedded(found)) => {
                let told = errors.iter().any(|error| error.message.contains("embedded C"));
                return Err(Failure::Input(if told { errors } else { vec![*found] }));
            }
            // Nobody reads it.
            Err(Trouble::Undecided(Why::Refused(_)) | Trouble::Rejected(_)) => return Err(Failure::Input(errors)),
            Err(trouble) => undecided(trouble)?,
        };
        at += 1;
    }
    let coverage = (whole == Verdict::True).then_some(Coverage { covers, beyond, ..Coverage::default() });
    let query = coverage.as_ref().map_or(OWN.into(), super::own);
    Ok(Answered { coverage, ..Answered::new("spin", whole, query, run.effort(), 0) })
}

/// SPIN on a text; `claim` names one of several claims.
fn search<'a>(
    text: &Text,
    claim: Option<&str>,
    options: Options,
    run: &'a Run,
    output: &Output,
) -> Result<(File<'a>, Verified), Trouble> {
    let tools = Tools::find().map_err(|why| Why::Refused(why.into()))?;
    progress::watch(run, "spin", output, || {
        let mut file = File::open(text, tools, run)?;
        let verified = file.verify(options, claim)?;
        verified.phases.note(run);
        let counted = run.check().explored(verified.report.stored, verified.report.transitions);
        // A violation is one, whatever it took.
        if verified.found.is_none() {
            counted?;
        }
        Ok((file, verified))
    })
}

/// The text that SPIN is asked about.
fn text(asked: &Asked<'_>) -> Text {
    asked.promela.source().expect("SPIN is asked about the text of Promela models alone")
}
