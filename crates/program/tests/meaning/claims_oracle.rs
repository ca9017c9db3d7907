//! Claims and labels of real models: SPIN's verdicts without its reduction, where the shared models are at hand.

use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_formats::promela;
use prequel_model::run::{Limits, Run};
use prequel_program::{Claim, Endless, Sought, compile, replay};
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows where SPIN's word is not ours, and why.
const EXPLAINED: &[(&str, &str, &str)] = &[];

/// A row of the oracle.
struct Row<'a> {
    file: &'a str,
    claim: &'a str,
    question: &'a str,
    verdict: &'a str,
    states: Option<u64>,
    /// SPIN's search was complete.
    complete: bool,
}

fn row(line: &str) -> Row<'_> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [file, claim, question, verdict, _, status, states, ..] = fields[..] else { panic!("{line}") };
    let complete = status == "ok" && verdict == "true";
    Row { file, claim, question, verdict, states: states.parse().ok(), complete }
}

/// What our search says, with partial-order reduction or without, and how many states it stored. A witness is replayed.
fn ours(folder: &Path, row: &Row<'_>, how: Otf, limits: Limits) -> Result<(Option<bool>, u64), String> {
    let told = |errors: Vec<prequel_formats::diag::Diagnostic>| errors[0].headline();
    let path = folder.join(row.file);
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    let dir = path.parent().expect("a file is in a folder");
    let (model, _) = promela::read(row.file, &bytes, dir, &[]).map_err(told)?;
    let claim = match row.claim {
        "(accept labels)" | "(progress labels)" => Claim::None,
        "never" => Claim::Never,
        name => Claim::Named(name),
    };
    let (program, _) = compile(&model, claim).map_err(told)?;
    let fair = row.question.ends_with("-fair");
    let sought = match row.question.trim_end_matches("-fair") {
        "safety" => Sought::Fault,
        "acceptance" => Sought::Endless(Endless { fair, ..Endless::ACCEPTING }),
        _ => Sought::Endless(Endless { fair, ..Endless::NON_PROGRESS }),
    };
    let run = Run::new(limits, 0);
    let verdict = match verify(&program, sought, how, &run) {
        Outcome::Holds => Some(true),
        Outcome::Violated(witness) => {
            replay(&program, &witness).map_err(|error| format!("the witness is rejected: {error}"))?;
            Some(false)
        }
        Outcome::Unknown(_) => None,
        other => return Err(format!("{other:?}")),
    };
    Ok((verdict, run.effort().states_peak))
}

/// Every verdict is SPIN's or explained; in the usual run up to 20,000 states, with `PREQUEL_ORACLE_SECONDS` so long for each row.
#[test]
fn claims_of_real_models_have_the_verdicts_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    let Ok(rows) = std::fs::read_to_string(folder.join("oracle-claims.tsv")) else {
        eprintln!("skipped: there is no oracle-claims.tsv in {}", folder.display());
        return;
    };
    let seconds = std::env::var("PREQUEL_ORACLE_SECONDS").ok().and_then(|n| n.parse().ok());
    let limits = match seconds {
        Some(seconds) => Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() },
        None => Limits { states: Some(20_000), ..Limits::default() },
    };
    let (mut decided, mut of_spin, mut counted, mut fewer, mut wrong) = (0, 0, [0; 2], 0, Vec::new());
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    for line in &rows {
        let row = row(line);
        let began = Instant::now();
        let what = format!("{} {} {}", row.file, row.claim, row.question);
        let answer = ours(&folder, &row, Otf::plain(Search::Breadth), limits.clone());
        let reduced = ours(&folder, &row, Otf::default(), limits.clone());
        if seconds.is_some() {
            println!("{what}\t{}\t{:?}\t{answer:?}\t{:.2}", row.verdict, row.states, began.elapsed().as_secs_f64());
        }
        let ((whole, states), (reduced, less)) = match (answer, reduced) {
            (Ok(answer), Ok(reduced)) => (answer, reduced),
            (Err(why), _) | (_, Err(why)) => {
                wrong.push(format!("{what}: {why}"));
                continue;
            }
        };
        if whole.is_some() && reduced.is_some() && whole != reduced {
            wrong.push(format!("{what}: {whole:?}, and {reduced:?} with partial-order reduction"));
        }
        let Some(verdict) = whole.or(reduced) else { continue };
        fewer += usize::from(whole == Some(true) && less < states);
        decided += 1;
        of_spin += usize::from(row.verdict != "unknown");
        let explained =
            EXPLAINED.iter().any(|known| known.0 == row.file && known.1 == row.claim && known.2 == row.question);
        if row.verdict != "unknown" && (row.verdict == "true") != verdict && !explained {
            wrong.push(format!("{what}: {verdict}, SPIN says {}", row.verdict));
        }
        // Without progress SPIN stores every state twice.
        if row.complete && whole == Some(true) && !row.question.starts_with("nonprogress") {
            counted[usize::from(row.states == Some(states))] += 1;
            if row.states != Some(states) {
                println!("{what}: {states} states, SPIN stores {:?}", row.states);
            }
        }
    }
    println!(
        "{decided} of {} decided, {of_spin} of them by SPIN too; as many states as SPIN {} times, others {} times; fewer with \
         reduction {fewer} times",
        rows.len(),
        counted[1],
        counted[0]
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(decided > rows.len() / 2, "{decided} of {}", rows.len());
}
