//! A model that we cannot read, and SPIN perhaps can.

use super::super::OWN;
use super::{open, search, undecided};
use crate::job::failure::Failure;
use crate::job::finding::{Coverage, Finding};
use crate::job::observer::Observer;
use prequel_evidence::Verdict;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Sought, Stated};
use prequel_spin::file::{Trouble, Verified};
use prequel_spin::spin_errors::Doubts;
use prequel_spin::tools::{C, Options};

/// Answers for a model that we cannot read, because of these errors, and SPIN perhaps can. Each of its claims is asked by itself.
pub fn unread(text: &Text, errors: Vec<Diagnostic>, run: &Run, observer: &dyn Observer) -> Result<Finding, Failure> {
    // What SPIN errs on cannot be told of a model that we do not read, so it does not reduce.
    let options = Options { c: C::QuickFirst, ..Options::default() };
    let (mut covers, mut beyond, mut whole) =
        (vec![Stated::Assertions], Vec::new(), Verdict::absent(&Sought::Violation));
    // SPIN knows how many claims there are once it was asked about the first.
    let mut asked: Vec<Option<String>> = vec![None];
    let mut at = 0;
    while at < asked.len() && whole.holds() == Some(true) {
        let asked_now = || {
            let mut file = open(text, run)?;
            let verified = search(&mut file, asked[at].as_deref(), options, run, observer)?;
            Ok((file, verified))
        };
        whole = match asked_now() {
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
            Err(Trouble::Undecided(Why::Refused(_)) | Trouble::Rejected(_) | Trouble::Next(_)) => {
                return Err(Failure::Input(errors));
            }
            Err(trouble) => undecided(trouble)?,
        };
        at += 1;
    }
    let coverage = (whole.holds() == Some(true)).then_some(Coverage { covers, beyond, ..Coverage::default() });
    let query = coverage.as_ref().map_or(OWN.into(), |coverage| super::super::own(coverage, false));
    Ok(Finding { coverage, ..Finding::new("spin", whole, query, run.effort(), 0) })
}
