//! Certificates of programs: ranks of all states, which show that no run without an end is a violation.

use super::{ProgramQuestion, answer, rejected};
use crate::job::audit::Audit;
use crate::job::certificate::stopped;
use crate::job::decision::{Decision, SavedCertificate};
use crate::job::failure::Failure;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::open::{ProgramFile, bytes};
use prequel_engine::Refusal;
use prequel_evidence::Checked;
use prequel_evidence::certificate::Bounds;
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
    /// What a question comes to, if it is one about runs without an end.
    fn of(promela: &ProgramFile, question: &Question, fair: bool) -> Result<Self, Failure> {
        let refused = |why: &str| Err(Refusal::new(why).into());
        let (labels, progress) = (Endless { fair, ..Endless::ACCEPTING }, Endless { fair, ..Endless::NON_PROGRESS });
        match question {
            Question::Stated => {
                let claims = promela.asked_claims();
                if claims.len() > 1 || promela.asks_labels() && !claims.is_empty() {
                    return refused("a certificate is about one claim: choose it with --ltl NAME");
                }
                let program = Program { optimised: None, smaller_claim: None, ..promela.program.clone() };
                let Some(claim) = program.property.as_ref().filter(|_| program.claim.is_some()) else {
                    return refused(NOT_ENDLESS);
                };
                let claim = Some(claim.name.to_string());
                let sought = if fair { Sought::FairViolation } else { Sought::Violation };
                Ok(Self { absent: Absent { of: labels, sought }, program, claim })
            }
            Question::AcceptLabels | Question::NonProgress => {
                let of = if *question == Question::AcceptLabels { labels } else { progress };
                let program = promela.without_claim()?;
                Ok(Self { program, absent: Absent { of, sought: Sought::Endless(of) }, claim: None })
            }
            _ => refused(NOT_ENDLESS),
        }
    }
}

const NOT_ENDLESS: &str = "certificates of programs are for claims, --accept-labels and --non-progress; for other questions `prequel convert` makes a network";

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

/// Answers a question about runs without an end. That it holds is shown by ranks of all states, which are checked.
pub fn certified(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    if asked.as_network || asked.before.is_some() || !matches!(asked.engine.name.as_str(), "auto" | "otf") {
        return Err(Refusal::new("a certificate of a program is made by the engine otf on the program itself").into());
    }
    let Certified { program, absent, claim } = Certified::of(asked.promela, asked.question, asked.reading.fair)?;
    let mut decision = answer(asked, run, observer)?;
    if decision.finding.verdict.holds() != Some(true) {
        return Ok(decision);
    }
    let found = observer.during(run, "certificate", || find(&program, absent, &bounds(run)));
    let ranks = match found {
        Ok(Some(ranks)) => ranks,
        Ok(None) => return Err(rejected("there is a run without an end that the search has not found")),
        Err(why) => return Err(limit(&why, run).unwrap_or_else(|| rejected(why))),
    };
    let (query, fair) = (decision.finding.query.clone(), absent.of.fair);
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
        return Err(Failure::input(name, message, "it must be one of --accept-labels, --non-progress, or null"));
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
        Err(why) => return Ok(ProgramAudit { query: saved.query, shown: Err(why) }),
    };
    let ranking = Ranking { program, absent, ranks, bounds: bounds(run) };
    let shown = match observer.during(run, "audit", || Checked::new(ranking)) {
        Ok(checked) => Ok(*checked.end()),
        Err(why) => match limit(&why, run) {
            Some(failure) => return Err(failure),
            None => Err(why.to_string()),
        },
    };
    Ok(ProgramAudit { query: saved.query, shown })
}
