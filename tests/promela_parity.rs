//! Every Promela model at hand, beside SPIN run on the spot. Slow, so only with `PREQUEL_PARITY=1`:
//!
//! ```text
//! PREQUEL_PARITY=1 PREQUEL_PARITY_DIR=../shared/models/promela PREQUEL_PARITY_SECONDS=10 \
//!     cargo test --release --test promela_parity -- --nocapture
//! ```

mod spin;

use prequel::engine::otf::Search;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::run::{Limits, Run};
use prequel::program::{Claim, Sought, compile};
use prequel::read::promela;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How far a model came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Unread,
    Unsupported,
    OursTooLong,
    SpinTooLong,
    SpinRefused,
    Differs,
    CountDiffers,
    Equal,
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn judge(path: &Path, limit: Duration) -> (Stage, String) {
    let text = std::fs::read(path).expect("the model is there");
    let name = path.display().to_string();
    let dir = path.parent().unwrap_or(Path::new("."));
    let model = match promela::read(&name, &text, dir, &[]) {
        Ok((model, _)) => model,
        Err(errors) => return (Stage::Unread, errors[0].headline()),
    };
    let claimed = !String::from_utf8_lossy(&text).contains("ltl") && variable("PREQUEL_PARITY_CLAIM").is_some();
    let claim = if claimed { Claim::Never } else { Claim::None };
    let program = match compile(&model, claim) {
        Ok((program, _)) => program,
        Err(errors) => return (Stage::Unsupported, errors[0].headline()),
    };
    let run = Run::new(Limits { time: Some(limit), memory: Some(4 << 30), ..Limits::default() }, 0);
    let outcome = verify(&program, Sought::Nothing, Search::Breadth, &run);
    let effort = run.effort();
    let Outcome::Explored(seen) = outcome else {
        return (Stage::OursTooLong, format!("{} states", effort.states_peak));
    };
    let pan = match spin::verify(path, claimed, "-O1", limit * 3) {
        spin::Said::Done(pan) => pan,
        spin::Said::Time => return (Stage::SpinTooLong, format!("{} states", effort.states_peak)),
        spin::Said::Refused(said) => {
            let last = said.lines().filter(|l| !l.trim().is_empty()).take(3).collect::<Vec<_>>().join(" | ");
            return (Stage::SpinRefused, format!("{} states, {seen:?}; {last}", effort.states_peak));
        }
    };
    let ours = (seen.assertion || seen.claim || seen.other, seen.end_state || seen.other);
    let detail = format!(
        "ours {} states {}{}, SPIN {} {}{}; {:.2} s",
        effort.states_peak,
        if ours.0 { "A" } else { "-" },
        if ours.1 { "E" } else { "-" },
        pan.states,
        if pan.assertion { "A" } else { "-" },
        if pan.end_state { "E" } else { "-" },
        effort.seconds,
    );
    let stage = if ours != (pan.assertion, pan.end_state) {
        Stage::Differs
    } else if effort.states_peak != pan.states {
        Stage::CountDiffers
    } else {
        Stage::Equal
    };
    (stage, detail)
}

#[test]
fn models_at_hand_agree_with_spin() {
    if variable("PREQUEL_PARITY").is_none() || !spin::available() {
        eprintln!("skipped: set PREQUEL_PARITY=1, with spin and gcc installed");
        return;
    }
    let dir = variable("PREQUEL_PARITY_DIR").unwrap_or("../shared/models/promela".into());
    let seconds = variable("PREQUEL_PARITY_SECONDS").and_then(|s| s.parse().ok()).unwrap_or(10);
    let filter = variable("PREQUEL_PARITY_FILTER").unwrap_or_default();
    let step: usize = variable("PREQUEL_PARITY_STEP").and_then(|s| s.parse().ok()).unwrap_or(1);
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|e| ["pml", "pm", "pr", "prm", "promela", "spin"].iter().any(|x| e == *x))
    };
    let mut models: Vec<PathBuf> = walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(|entry| entry.ok().map(|entry| entry.into_path()))
        .filter(is_model)
        .filter(|path| path.display().to_string().contains(&filter))
        .collect();
    models.sort();
    let mut counts = std::collections::BTreeMap::new();
    for path in models.iter().step_by(step) {
        let (stage, detail) = judge(path, Duration::from_secs(seconds));
        println!("{stage:?}\t{}\t{detail}", path.display());
        *counts.entry(stage).or_insert(0) += 1;
    }
    println!("{counts:?}");
}
