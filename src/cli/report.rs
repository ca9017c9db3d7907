//! Everything that is said about an answer: the RESULT line, JSON, and the contest's form.

use super::des;
use super::input::ModelArgs;
use super::reached;
use super::witness::Shown;
use crate::job::portfolio::{Attempt, Outcome};
use crate::job::{
    Coverage, EngineInfo, Finding, ProcessChange, Proof, Reduction, SPIN_ERRORS, Scope, SpinDoubt, Stated, Technique,
    Verdict,
};
use prequel_model::run::{Effort, peak_resident_bytes};
use serde_json::{Map, Value, json};
use std::path::Path;

/// What each claim came to, where several were asked, and what was not asked: a line each.
pub fn coverage_words(finding: &Finding) -> Vec<String> {
    let Some(coverage) = &finding.coverage else { return Vec::new() };
    let formulas = coverage.formulas.iter().filter(|_| coverage.formulas.len() > 1);
    let each = formulas.map(|(name, verdict)| match verdict {
        Verdict::Unknown(why) => format!("{name} is undecided: {why}"),
        decided => format!("{name} is {}", decided.word()),
    });
    each.chain(not_asked(coverage)).collect()
}

/// What was not asked, in a sentence.
fn not_asked(coverage: &Coverage) -> Option<String> {
    let words: Vec<String> = coverage.beyond.iter().map(Stated::words).collect();
    (!words.is_empty() && !coverage.by_name)
        .then(|| format!("not asked, though the model states it: {}", words.join(", ")))
}

/// The last line on standard output; `saved` is where what the verdict rests on was written to.
pub fn result_line(finding: &Finding, saved: Option<&Path>) -> String {
    let evidence = match (saved, finding.verdict.proof()) {
        (Some(path), _) => path.display().to_string(),
        (None, Proof::Witness) => "inline".into(),
        (None, _) => "none".into(),
    };
    let checked = if finding.verdict.is_checked() { "yes" } else { "no" };
    format!("RESULT {} engine={} evidence={evidence} checked={checked}\n", finding.verdict.word(), finding.engine)
}

/// The JSON object of `check`.
pub fn json(finding: &Finding, models: &[String], saved: Option<&Path>, shown: Option<&dyn Shown>) -> Value {
    let Effort { seconds, states_total, states_peak, transitions, checks, .. } = finding.effort;
    let mut object = json!({
        "models": models,
        "query": finding.query,
        "engine": finding.engine,
        "verdict": finding.verdict.word(),
        "reason": finding.verdict.reason().map(ToString::to_string),
        "reason_kind": finding.verdict.reason_kind(),
        "evidence": {
            "kind": match finding.verdict.proof() {
                Proof::Witness => "witness",
                _ if saved.is_some() => "certificate",
                _ => "none",
            },
            "path": saved.map(|path| path.display().to_string()),
            "checked": finding.verdict.is_checked(),
            "steps": shown.map(|s| s.steps_json()),
        },
        "effort": {
            "seconds": seconds,
            "states_total": states_total,
            "states_peak": states_peak,
            "transitions": transitions,
            "checks": checks,
            "components_used": finding.components_used,
            "components": finding.components,
            "peak_rss_bytes": peak_resident_bytes(),
        },
    });
    if !(finding.effort.phases.is_empty() && finding.effort.counts.is_empty()) {
        let seconds = finding.effort.phases.iter().map(|(name, seconds)| (format!("{name}_seconds"), json!(seconds)));
        let counts = finding.effort.counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
        let mut told: Map<String, Value> = seconds.chain(counts).collect();
        told.insert("states".into(), states_total.into());
        told.insert("transitions".into(), transitions.into());
        object[&finding.engine] = told.into();
    }
    if let Some(from) = shown.and_then(|shown| shown.repeated_from()) {
        object["evidence"]["cycle"] = from.into();
    }
    if let Some(trap) = &finding.trap {
        object["trapped"] = des::json(trap);
    }
    if let Some(reached) = &finding.reached {
        object["reached"] = reached::json(reached);
    }
    if let Some(scope) = &finding.scope {
        object["scope"] = scope_json(scope);
    }
    if let Some(reduction) = &finding.reduction {
        object["reduction"] = reduction_json(reduction);
    }
    if let Some(Coverage { covers, beyond, formulas, .. }) = &finding.coverage {
        let codes = |parts: &[Stated]| parts.iter().map(Stated::code).collect::<Vec<_>>();
        object["covers"] = codes(covers).into();
        object["beyond"] = codes(beyond).into();
        let each = formulas.iter().map(|(name, verdict)| json!({ "name": name, "verdict": verdict.word() }));
        object["formulas"] = each.collect::<Vec<_>>().into();
    }
    if !finding.portfolio.is_empty() {
        let each = finding.portfolio.iter().map(|Attempt { engine, seconds, outcome }| {
            json!({ "engine": engine, "seconds": seconds, "outcome": outcome.words() })
        });
        object["portfolio"] = each.collect::<Vec<_>>().into();
    }
    if let Some(SpinDoubt { names, done, .. }) = &finding.doubt {
        object["spin_errors"] = json!({ "names": names, "done": done, "page": SPIN_ERRORS });
    }
    object
}

fn scope_json(Scope { components, labels, .. }: &Scope) -> Value {
    let holds_for = match labels.is_empty() {
        true => "any system with these components",
        false => "any system with these components in which nobody else takes part in these labels",
    };
    json!({ "components": components, "labels": labels, "holds_for": holds_for })
}

fn reduction_json(Reduction { processes, time }: &Reduction) -> Value {
    let seconds = time.as_secs_f64();
    match processes {
        Ok(processes) => {
            json!({ "used": true, "seconds": seconds, "processes": processes_json(processes), "note": null })
        }
        Err(why) => json!({ "used": false, "seconds": seconds, "processes": [], "note": why }),
    }
}

/// What was done to each process.
pub fn processes_json(changes: &[ProcessChange]) -> Value {
    let row = |change: &ProcessChange| {
        let ([states_before, states_after], [transitions_before, transitions_after]) =
            (change.states, change.transitions);
        json!({
            "name": change.name,
            "states_before": states_before,
            "states_after": states_after,
            "transitions_before": transitions_before,
            "transitions_after": transitions_after,
            "steps": change.steps,
            "labels": change.labels,
            "given_up": change.given_up,
            "lines_before": change.lines.map(|[before, _]| before),
            "lines_after": change.lines.map(|[_, after]| after),
            "folded": change.folded,
        })
    };
    changes.iter().map(row).collect()
}

/// Where the time went, if the engine has phases, and what else it counts.
pub fn phases(finding: &Finding) -> Option<String> {
    let phases = finding.effort.phases.iter().map(|(name, seconds)| format!("{name} {seconds:.3} s"));
    let times: Vec<String> =
        phases.chain(finding.effort.counts.iter().map(|(name, count)| format!("{count} {name}"))).collect();
    (!times.is_empty()).then(|| format!("{}: {}", finding.engine, times.join(", ")))
}

/// Who was asked, where somebody else than the first has the answer, nobody has, or somebody broke down.
pub fn portfolio(finding: &Finding) -> Option<String> {
    let attempts = &finding.portfolio;
    let broken = |attempt: &Attempt| matches!(attempt.outcome, Outcome::Broken(_));
    if attempts.first().is_none_or(|first| first.outcome == Outcome::Won) && !attempts.iter().any(broken) {
        return None;
    }
    let each = attempts.iter().map(|attempt| {
        let Attempt { engine, seconds, outcome } = attempt;
        format!("  {engine:<16} {seconds:>9.3} s  {}", outcome.words())
    });
    // Only `prequel spin` asks SPIN, and others beside it.
    let spin = attempts.iter().any(|attempt| attempt.engine == "spin");
    let title = if spin { "who was asked:" } else { "auto asked, in turns:" };
    Some(std::iter::once(title.to_owned()).chain(each).collect::<Vec<_>>().join("\n"))
}

/// `FORMULA id TRUE TECHNIQUES …`
pub fn mcc(finding: &Finding, model: &ModelArgs, threads: usize) -> String {
    let name = finding.query.strip_prefix("formula ").map_or_else(|| formula(model), str::to_owned);
    if let Verdict::Unknown(_) = finding.verdict {
        return format!("FORMULA {name} CANNOT_COMPUTE\n");
    }
    let threads = if threads > 1 { "PARALLEL_PROCESSING" } else { "SEQUENTIAL_PROCESSING" };
    let reduction = if finding.stubborn { " STUBBORN_SETS" } else { "" };
    let verdict = finding.verdict.word().to_uppercase();
    let technique = match EngineInfo::called(&finding.engine).map(|engine| engine.technique) {
        None if finding.engine == "structural" => "SAT_SMT",
        None | Some(Technique::Explicit) => "EXPLICIT",
        Some(Technique::DecisionDiagrams) => "DECISION_DIAGRAMS",
        Some(Technique::Sat) => "SAT_SMT",
        Some(Technique::SatAndDecisionDiagrams) => "SAT_SMT DECISION_DIAGRAMS",
    };
    format!("FORMULA {name} {verdict} TECHNIQUES {threads} {technique}{reduction}\n")
}

/// What the Model Checking Contest prints where there is no answer.
pub fn cannot_compute(model: &ModelArgs) -> String {
    format!("FORMULA {} CANNOT_COMPUTE\n", formula(model))
}

/// What the Model Checking Contest calls the formula: here after the first model.
fn formula(model: &ModelArgs) -> String {
    model.models[0].file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
