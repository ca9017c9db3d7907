//! What a Promela model states, decided by SPIN on the user's own text.

use super::{OWN, ProgramQuestion, SmallerModel, violated};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::{Coverage, Finding, ProcessChange, Reduction, SpinDoubt};
use crate::job::observer::{Observer, Silent};
use crate::job::spin::BeforeSpin;
use crate::open::PromelaSource;
use prequel_engine::Engine as _;
use prequel_engine::otf::Otf;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_evidence::Verdict;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela::Text;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Network, Problem, Query, Why};
use prequel_program::{Claim, Sought, Stated, compile, replay};
use prequel_spin::file::{File, Trouble, Verified};
use prequel_spin::report::Report;
use prequel_spin::spin_errors::Doubts;
use prequel_spin::tools::{Options, Tools};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

/// A model with no more states than this is searched before optimised C is compiled.
const FEW_STATES: u64 = 200_000;

/// SPIN's answer on the model with smaller processes, and what there is to say about them.
struct OnSmaller {
    decision: Decision,
    said: String,
}

/// Why SPIN was not asked about smaller processes.
struct NotReduced {
    why: String,
    after: Duration,
}

impl NotReduced {
    /// Says so.
    fn note(self, decision: &mut Decision, observer: &dyn Observer) {
        observer.note(&format!("not reduced: {}", self.why));
        decision.finding.reduction = Some(Reduction { processes: Err(self.why), time: self.after });
    }
}

/// A question about a Promela model, and the model as it was read.
struct SpinQuestion<'a> {
    asked: &'a ProgramQuestion<'a>,
    source: &'a PromelaSource,
}

/// Answers with SPIN; a violation is one once SPIN's trail was replayed on our program.
pub fn answer(
    asked: &ProgramQuestion<'_>,
    source: &PromelaSource,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let question = &SpinQuestion { asked, source };
    match asked.before {
        None => as_it_is(question, run, observer, &|| true),
        Some(before) if before.race => race(question, before, run, observer),
        Some(before) => match on_smaller(question, before, run, observer, &|| true)? {
            Ok(OnSmaller { decision, said }) => {
                observer.say(&said);
                Ok(decision)
            }
            Err(not) => {
                let mut decision = as_it_is(question, run, observer, &|| true)?;
                not.note(&mut decision, observer);
                Ok(decision)
            }
        },
    }
}

/// Asks SPIN about the model as it is and, at the same time, makes processes smaller and asks it about those: the first answer
/// counts, and the other side is stopped before a witness is made of it. Both are right, so the verdict does not depend on which
/// it is; the witness does.
fn race(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    enum Side {
        AsItIs(Result<Decision, Failure>),
        Smaller(Result<Result<OnSmaller, NotReduced>, Failure>),
    }
    let (plain, ours) = (&run.beside(2), &run.beside(2));
    let decided = |decision: &Decision| !matches!(decision.finding.verdict, Verdict::Unknown(_));
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
            let decision = as_it_is(question, plain, observer, &|| claim("as it is", ours));
            drop(first.send(Side::AsItIs(decision)));
        });
        scope.spawn(move || {
            let smaller = on_smaller(question, before, ours, &Silent, &|| claim("smaller", plain));
            drop(tell.send(Side::Smaller(smaller)));
        });
        let why = "SPIN was done with the model as it is before".into();
        let mut not = NotReduced { why, after: Duration::ZERO };
        let mut undecided = None;
        for side in sides {
            match side {
                Side::AsItIs(Ok(decision)) if !decided(&decision) => undecided = Some(decision),
                Side::AsItIs(result) => {
                    let mut decision = result?;
                    not.note(&mut decision, observer);
                    return Ok(decision);
                }
                Side::Smaller(Ok(Ok(OnSmaller { decision, said }))) if won.get() == Some(&"smaller") => {
                    observer.say(&said);
                    return Ok(decision);
                }
                Side::Smaller(Ok(Ok(undecided))) => not.why = undecided.decision.finding.summary(),
                // What was stopped has no reason of its own.
                Side::Smaller(Ok(Err(why))) if won.get().is_none() => not = why,
                Side::Smaller(Ok(Err(_))) => {}
                Side::Smaller(Err(failure)) => {
                    plain.stop();
                    return Err(failure);
                }
            }
        }
        let lost = || Failure::Internal("nobody answered about the model as it is".into());
        let mut decision = undecided.ok_or_else(lost)?;
        not.note(&mut decision, observer);
        Ok(decision)
    })
}

/// SPIN's answer on the model with smaller processes; a violation is lifted and replayed on the model itself.
fn on_smaller(
    question: &SpinQuestion<'_>,
    before: &BeforeSpin,
    run: &Run,
    observer: &dyn Observer,
    first: &dyn Fn() -> bool,
) -> Result<Result<OnSmaller, NotReduced>, Failure> {
    if let Some(claim) = &question.asked.promela.program.property {
        let why = format!("{} is not kept by smaller processes", claim.title());
        return Ok(Err(NotReduced { why, after: Duration::ZERO }));
    }
    // What is looked at on the way to smaller processes is no state of the model: it is counted apart.
    let before_it = run.effort();
    let reduced = SmallerModel::new(question.asked.promela, &before.plan(), run, observer);
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
    let changes = ProcessChange::all(network, &together.network, &together.replaced);
    let mut said = ProcessChange::table(&changes);
    run.phase("reduce", after);
    let (model, parsed) = (reduced.model(), reduced.emitted());
    let doubts = parsed.as_ref().map(|(model, program)| Doubts::of(model, program)).unwrap_or_default();
    if let Some(why) = doubts.reason().filter(|_| !doubts.allow_spin()) {
        return not(why);
    }
    let options = Options { optimise: !has_few_states(&together.network, run), ..doubts.bound(question.options()) };
    let components = question.asked.promela.program.active.len();
    let finish = |verdict, shown, said| {
        let mut finding = question.asked.finding("spin", verdict, run, components);
        finding.doubt = reduced_less(question, &doubts);
        finding.reduction = Some(Reduction { processes: Ok(changes), time: after });
        Ok(Ok(OnSmaller { decision: Decision::new(finding, shown), said }))
    };
    let (mut file, verified) = match search(&model, None, options, run, observer) {
        Ok(searched) => searched,
        // SPIN has room for the user's processes, not for those that we wrote.
        Err(Trouble::Rejected(why)) => return not(format!("SPIN does not take the smaller model: {why}")),
        Err(trouble) => return finish(undecided(trouble)?, None, said),
    };
    if !first() {
        return not("SPIN was done with the model as it is before".into());
    }
    if before.compare {
        said = format!("{said}\n{}", compare(question, &verified, run, observer));
    }
    let Some(found) = &verified.found else { return finish(Verdict::absent(question.asked), None, said) };
    let (_, emitted) = parsed?;
    // What SPIN says is looked at before our own way back is.
    let replayed = |witness| replay(&emitted, &witness).map(|()| witness).map_err(|e| Trouble::Lost(e.to_string()));
    match file.witness(&emitted, found).and_then(replayed) {
        Ok(witness) => {
            let shown = reduced.lift(&emitted, &witness)?;
            finish(shown.verdict(), Some(shown), said)
        }
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
fn compare(question: &SpinQuestion<'_>, smaller: &Verified, run: &Run, observer: &dyn Observer) -> String {
    let line = |what: &str, verified: &Verified| {
        let Report { stored, transitions, .. } = verified.report;
        let search = verified.phases.search.as_secs_f64();
        format!("SPIN on the {what} model: {stored} states, {transitions} transitions, {search:.3} s of search")
    };
    let beside = run.again();
    let original = match search(&question.source.text, question.asked.claim(), question.options(), &beside, observer) {
        Ok((_, own)) => line("original", &own),
        Err(trouble) => format!("SPIN on the original model: {trouble}"),
    };
    format!("{original}\n{}", line("smaller", smaller))
}

/// SPIN's answer on the model as it is, or that of our own search where SPIN is not believed; undecided where `first` says that
/// another answer came before.
fn as_it_is(
    question: &SpinQuestion<'_>,
    run: &Run,
    observer: &dyn Observer,
    first: &dyn Fn() -> bool,
) -> Result<Decision, Failure> {
    let program = &question.asked.promela.program;
    let doubts = question.doubts();
    let options = doubts.bound(question.options());
    let before = run.effort();
    let decided = |verdict, shown| {
        let mut finding = question.asked.finding("spin", verdict, run, program.active.len());
        finding.doubt = reduced_less(question, &doubts);
        Ok(Decision::new(finding, shown))
    };
    let witness = match search(&question.source.text, question.asked.claim(), options, run, observer) {
        Ok((mut file, Verified { found: Some(found), .. })) => {
            if !first() {
                return decided(Verdict::Unknown(Why::Interrupted), None);
            }
            let witness = file.witness(program, &found);
            witness.and_then(|w| replay(program, &w).map(|()| Some(w)).map_err(|e| Trouble::Lost(e.to_string())))
        }
        Ok(_) => Ok(None),
        Err(trouble) => Err(trouble),
    };
    match witness {
        Ok(Some(witness)) => {
            let shown = violated(program.clone(), witness)?;
            decided(shown.verdict(), Some(shown))
        }
        Ok(None) | Err(Trouble::Lost(_) | Trouble::Undecided(Why::External(_))) if !doubts.allow_spin() => {
            run.set_back(&before);
            let Decision { finding, witness, .. } = by_own_search(question, &doubts, run, observer)?;
            Ok(match first() {
                true => Decision::new(finding, witness),
                false => Decision::bare(Finding { verdict: Verdict::Unknown(Why::Interrupted), ..finding }),
            })
        }
        Ok(None) if first() => decided(Verdict::absent(question.asked), None),
        Ok(None) => decided(Verdict::Unknown(Why::Interrupted), None),
        Err(trouble) => decided(undecided(trouble)?, None),
    }
}

/// The answer of our own search, where SPIN errs.
fn by_own_search(
    question: &SpinQuestion<'_>,
    doubts: &Doubts,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let program = &question.asked.promela.program;
    let outcome = observer.during(run, "otf", || verify(program, Sought::Violation, question.asked.engine.otf(), run));
    let why = doubts.reason().unwrap_or_default();
    let (verdict, shown) = match outcome {
        Outcome::Violated(witness) => {
            let shown = violated(program.clone(), witness)?;
            (shown.verdict(), Some(shown))
        }
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
        _ if question.asked.promela.formulas.is_empty() => (Verdict::absent(question.asked), None),
        _ => {
            let open = "no run with an end violates it, and runs without one are for SPIN to look at";
            (Verdict::Unknown(Why::External(format!("{open}, but {why}"))), None)
        }
    };
    let mut finding = question.asked.finding("otf", verdict, run, program.active.len());
    let why = format!("our own search answers: {why}");
    finding.doubt = Some(SpinDoubt { why, names: doubts.names(), done: "own search" });
    Ok(Decision::new(finding, shown))
}

/// That SPIN searched without partial-order reduction where it would have been asked to reduce.
fn reduced_less(question: &SpinQuestion<'_>, doubts: &Doubts) -> Option<SpinDoubt> {
    let why = doubts.reason().filter(|_| question.options().reduce && !doubts.allow_reduction())?;
    let why = format!("SPIN answers without partial-order reduction: {why}");
    Some(SpinDoubt { why, names: doubts.names(), done: "no reduction" })
}

impl SpinQuestion<'_> {
    /// How SPIN searches.
    fn options(&self) -> Options {
        let without_claims = self.asked.promela.program.claim.is_none();
        Options { reduce: self.asked.engine.otf().reduce, optimise: true, without_claims }
    }

    /// What is known against SPIN's word on the model, with the claim that SPIN would look at.
    fn doubts(&self) -> Doubts {
        let claim = self.asked.claim().map_or(Claim::Never, Claim::Named);
        let program = compile(&self.source.model, claim);
        program.map(|(program, _)| Doubts::of(&self.source.model, &program)).unwrap_or_default()
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
pub fn unread(text: &Text, errors: Vec<Diagnostic>, run: &Run, observer: &dyn Observer) -> Result<Finding, Failure> {
    // What SPIN errs on cannot be told of a model that we do not read, so it does not reduce.
    let options = Options { optimise: true, ..Options::default() };
    let (mut covers, mut beyond, mut whole) =
        (vec![Stated::Assertions], Vec::new(), Verdict::absent(&Sought::Violation));
    // SPIN knows how many claims there are once it was asked about the first.
    let mut asked: Vec<Option<String>> = vec![None];
    let mut at = 0;
    while at < asked.len() && whole.holds() == Some(true) {
        whole = match search(text, asked[at].as_deref(), options, run, observer) {
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
                    None => Verdict::absent(&Sought::Violation),
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
    let coverage = (whole.holds() == Some(true)).then_some(Coverage { covers, beyond, ..Coverage::default() });
    let query = coverage.as_ref().map_or(OWN.into(), super::own);
    Ok(Finding { coverage, ..Finding::new("spin", whole, query, run.effort(), 0) })
}

/// SPIN on a text; `claim` names one of several claims.
fn search<'a>(
    text: &Text,
    claim: Option<&str>,
    options: Options,
    run: &'a Run,
    observer: &dyn Observer,
) -> Result<(File<'a>, Verified), Trouble> {
    let tools = Tools::find().map_err(|why| Why::Refused(why.into()))?;
    observer.during(run, "spin", || {
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
