//! Certificates of programs: how many states there are, none of which a violation leaves, and ranks of all of them where runs without
//! an end are asked about.

use super::{ProgramQuestion, answer, rejected};
use crate::job::audit::Audit;
use crate::job::certificate::stopped;
use crate::job::decision::{Decision, SavedCertificate};
use crate::job::failure::Failure;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::open::{ProgramFile, bytes};
use prequel_engine::Refusal;
use prequel_evidence::certificate::Bounds;
use prequel_evidence::{Checked, Proof};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::ranking::{Absent, Ranking, SavedRanking, Unranked, find, fingerprint, read};
use prequel_program::{Endless, Program, Sought};
use std::rc::Rc;

/// States beyond which a certificate is not made, where nothing else is said.
const MOST_STATES: u64 = 2_000_000;

/// What is certified: a program with its claim, and what it must not have.
struct Certified {
    program: Program,
    absent: Absent,
    claim: Option<String>,
}

impl Certified {
    /// What a question comes to.
    fn of(promela: &ProgramFile, question: &Question, fair: bool) -> Result<Self, Failure> {
        let refused = |why: &str| Err(Refusal::new(why).into());
        let (labels, progress) = (Endless { fair, ..Endless::ACCEPTING }, Endless { fair, ..Endless::NON_PROGRESS });
        match question {
            Question::Stated => {
                let claims = promela.asked_claims();
                let besides = promela.asks_labels() || promela.asks_assertions_apart();
                if claims.len() > 1 || besides && !claims.is_empty() {
                    return refused("a certificate is about one claim: choose it with --ltl NAME");
                }
                let program = whole(promela.program.clone());
                let claim = program.property.as_ref().filter(|_| program.claim.is_some());
                let claim = claim.map(|property| property.name.to_string());
                let sought = if fair { Sought::FairViolation } else { Sought::Violation };
                let of = (claim.is_some() || promela.asks_labels()).then_some(labels);
                Ok(Self { absent: Absent { of, sought }, program, claim })
            }
            Question::AcceptLabels | Question::NonProgress => {
                let of = if *question == Question::AcceptLabels { labels } else { progress };
                let absent = Absent { of: Some(of), sought: Sought::Endless(of) };
                Ok(Self { program: whole(promela.without_claim()?), absent, claim: None })
            }
            Question::Assertions => {
                let absent = Absent { of: None, sought: Sought::Fault };
                Ok(Self { program: whole(promela.with_assertions()?), absent, claim: None })
            }
            Question::DeadlockFree => {
                let absent = Absent { of: None, sought: Sought::EndState };
                Ok(Self { program: whole(promela.without_claim()?), absent, claim: None })
            }
            _ => refused(NONE),
        }
    }
}

const NONE: &str = "certificates of programs are for what the model states, --assertions, --deadlock-free, --accept-labels and --non-progress; for other questions `prequel convert` makes a network";

/// A program with all its steps, and the claim that SPIN makes of a formula.
fn whole(program: Program) -> Program {
    Program { optimised: None, smaller_claim: None, ..program }
}

/// How much of a run's limits ranks may use.
fn bounds(run: &Run) -> Bounds {
    let watch = run.watch();
    let states = usize::try_from(run.limits.states.unwrap_or(MOST_STATES)).unwrap_or(usize::MAX);
    Bounds { states, stop: Rc::new(move || watch.allowed().is_err()) }
}

/// That a limit was reached, if that is why there are no ranks.
fn limit(why: &Unranked, run: &Run) -> Option<Failure> {
    match why {
        Unranked::TooLarge(most) => {
            let text = format!("no certificate: {why}; raise that with --states");
            Some(Failure::Undecided(text, Why::States(*most as u64)))
        }
        Unranked::Stopped => Some(stopped(format!("no certificate: {why}"), run)),
        _ => None,
    }
}

/// Answers a question, whoever does. That it holds is shown by all states and their ranks, which are checked.
pub fn certified(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    if asked.as_network || !matches!(asked.engine.name.as_str(), "auto" | "otf" | "spin") {
        let why = format!(
            "a certificate of a program is made of its own states: {} answers for its network",
            asked.engine.name
        );
        return Err(Refusal::new(why).into());
    }
    let Certified { program, absent, claim } = Certified::of(asked.promela, asked.question, asked.reading.fair)?;
    let mut decision = answer(asked, run, observer)?;
    if decision.finding.verdict.holds() != Some(true) {
        return Ok(decision);
    }
    let found = observer.during(run, "certificate", || find(&program, absent, &bounds(run)));
    let ranks = match found {
        Ok(Some(ranks)) => ranks,
        Ok(None) => return Err(rejected("there is a run without an end that was not found")),
        Err(why) => return Err(limit(&why, run).unwrap_or_else(|| rejected(why))),
    };
    let (query, fair) = (decision.finding.query.clone(), asked.reading.fair);
    let saved = SavedRanking::new(query, asked.question.text(), claim, fair, &program, &ranks);
    let ranking = Ranking { program, absent, ranks, bounds: bounds(run) };
    let checked = match observer.during(run, "audit", || Checked::new(ranking)) {
        Ok(checked) => checked,
        Err(why) => return Err(limit(&why, run).unwrap_or_else(|| rejected(why))),
    };
    decision.finding.verdict = checked.verdict();
    decision.certificate = Some(SavedCertificate::proved(saved.text(), checked.verdict()));
    Ok(decision)
}

/// What an audit finds.
#[derive(Debug)]
pub struct ProgramAudit {
    /// What was asked, in words.
    pub query: String,
    /// What it rests on.
    pub proof: Proof,
    /// How many states were looked at, or why the certificate shows nothing.
    pub shown: Result<usize, String>,
}

/// Checks a saved certificate again.
pub fn audit(
    promela: &ProgramFile,
    request: &Audit,
    run: &Run,
    observer: &dyn Observer,
) -> Result<ProgramAudit, Failure> {
    let name = request.certificate.display().to_string();
    let saved = read(&name, &bytes(&request.certificate)?)?;
    let question = saved.question.as_ref().map_or(Some(Question::Stated), |text| Question::from_text(text));
    let Some(question) = question else {
        let message = format!("`{}` is no query", saved.question.unwrap_or_default());
        return Err(Failure::input(
            name,
            message,
            "it must be one of --assertions, --deadlock-free, --accept-labels, --non-progress, or null",
        ));
    };
    let other = |what: &str| {
        let message = format!("the certificate was made for {}", saved.query);
        Err(Failure::input(name.clone(), message, format!("{what}: give the model and the query that it was made for")))
    };
    if !request.question.is_stated() && request.question != question {
        return other("this is another query");
    }
    if request.models.reading.fair && !saved.fair {
        return other("it is about all runs, fair or not");
    }
    let with_claim = match (&saved.claim, &request.models.reading.claims) {
        // One of the command line has to be given again.
        (Some(claim), None) if promela.asked_claims().contains(&&**claim) => Some(promela.with_claim(claim)?),
        _ => None,
    };
    let promela = with_claim.as_ref().unwrap_or(promela);
    if saved.claim.is_some() && (promela.program.claim.is_none() || promela.asked_claims().len() > 1) {
        return other("the model has no such claim");
    }
    let Certified { program, absent, .. } = Certified::of(promela, &question, saved.fair)?;
    if fingerprint(&program) != saved.program {
        return other("this is another model, or another claim");
    }
    let ranks = match saved.ranks() {
        Ok(ranks) => ranks,
        Err(why) => return Ok(ProgramAudit { query: saved.query, proof: absent.proof(), shown: Err(why) }),
    };
    let ranking = Ranking { program, absent, ranks, bounds: bounds(run) };
    let shown = match observer.during(run, "audit", || Checked::new(ranking)) {
        Ok(checked) => Ok(*checked.end()),
        Err(why) => match limit(&why, run) {
            Some(failure) => return Err(failure),
            None => Err(why.to_string()),
        },
    };
    Ok(ProgramAudit { query: saved.query, proof: absent.proof(), shown })
}
