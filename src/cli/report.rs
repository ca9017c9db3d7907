//! Everything that is said about an answer: the sentence, the RESULT line, JSON, and the contest's form.

use super::exit::Exit;
use super::input::ModelArgs;
use super::output::counted;
use super::scope::Scope;
use super::witness::Shown;
use crate::engines::engines;
use prequel_engine::otf::Otf;
use prequel_engine::symbolic::Method;
use prequel_model::Why;
use prequel_model::run::{Effort, Run, peak_resident_bytes};
use prequel_program::Stated;
use serde_json::json;
use std::path::Path;

/// A verdict, whatever it rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The statement holds.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown(Why),
}

impl Verdict {
    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it decides about several questions together where the other is the verdict on one of them.
    pub fn weighs_more_than(&self, other: &Verdict) -> bool {
        let weight = |verdict: &Verdict| match verdict {
            Verdict::True => 0,
            Verdict::Unknown(_) => 1,
            Verdict::False => 2,
        };
        weight(self) > weight(other)
    }

    /// Why nobody knows, in one word for machines.
    pub fn reason_kind(&self) -> Option<&'static str> {
        match self {
            Verdict::Unknown(why) => Some(why.kind()),
            _ => None,
        }
    }

    /// The exit code it stands for.
    pub fn exit(&self) -> Exit {
        match self {
            Verdict::True => Exit::Ok,
            Verdict::False => Exit::False,
            Verdict::Unknown(Why::Interrupted) => Exit::Interrupted,
            Verdict::Unknown(Why::Broken(_)) => Exit::Internal,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }
}

/// A file that was saved with an answer.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a> {
    /// Where.
    pub path: &'a Path,
    /// Whether it holds a proof, which was checked, and not a claim only.
    pub proof: bool,
}

/// An answer and what it took.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Who answered.
    pub engine: String,
    /// What.
    pub verdict: Verdict,
    /// With how much work.
    pub effort: Effort,
    /// The question, as the user put it.
    pub query: String,
    /// How many components or processes the model has.
    pub components: usize,
    /// How many of them the answer needs.
    pub components_used: usize,
    /// Which ones, where those are not all.
    pub scope: Option<Scope>,
    /// Whether an on-the-fly search would look at stubborn sets only: networks have them.
    pub stubborn: bool,
    /// What `prequel spin` did to the model before, for machines.
    pub reduction: Option<serde_json::Value>,
    /// Who answered instead of SPIN as it is, and why, in words and for machines.
    pub doubted: Option<(String, serde_json::Value)>,
    /// What can still happen after a blocking state, in words and for machines.
    pub end: Option<(String, serde_json::Value)>,
    /// How much of what a program states was asked.
    pub coverage: Option<Coverage>,
}

/// How much of what a program states an answer is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// What was asked.
    pub covers: Vec<Stated>,
    /// What the model states beyond that.
    pub beyond: Vec<Stated>,
    /// The verdict on each claim and formula that was asked.
    pub formulas: Vec<(String, Verdict)>,
    /// A part was asked for by name: people need not be told that the rest was not.
    pub by_name: bool,
}

impl Coverage {
    /// Of all that is stated, this is asked.
    pub fn of(stated: &[Stated], asked: impl Fn(&Stated) -> bool) -> Self {
        let (covers, beyond) = stated.iter().cloned().partition(|part| asked(part));
        Self { covers, beyond, ..Self::default() }
    }

    /// What was not asked, in a sentence.
    fn words(&self) -> Option<String> {
        let words: Vec<String> = self.beyond.iter().map(Stated::words).collect();
        (!words.is_empty() && !self.by_name)
            .then(|| format!("not asked, though the model states it: {}", words.join(", ")))
    }
}

impl Answered {
    /// An answer that needs all components, with nothing more said about it.
    pub fn new(engine: impl Into<String>, verdict: Verdict, query: String, effort: Effort, components: usize) -> Self {
        let (engine, components_used) = (engine.into(), components);
        Self {
            engine,
            verdict,
            effort,
            query,
            components,
            components_used,
            scope: None,
            stubborn: false,
            reduction: None,
            doubted: None,
            end: None,
            coverage: None,
        }
    }

    /// What each claim came to, where several were asked, and what was not asked: a line each.
    pub fn coverage_words(&self) -> Vec<String> {
        let Some(coverage) = &self.coverage else { return Vec::new() };
        let formulas = coverage.formulas.iter().filter(|_| coverage.formulas.len() > 1);
        let each = formulas.map(|(name, verdict)| match verdict {
            Verdict::Unknown(why) => format!("{name} is undecided: {why}"),
            decided => format!("{name} is {}", decided.word()),
        });
        each.chain(coverage.words()).collect()
    }

    /// The same, but who could not do something after a limit was reached could not because of it.
    pub fn unless_stopped(mut self, run: &Run) -> Self {
        if let (Verdict::Unknown(Why::Refused(_)), Err(why)) = (&self.verdict, run.allowed()) {
            self.verdict = Verdict::Unknown(why);
        }
        self
    }

    fn reason(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Unknown(why) => Some(why.to_string()),
            _ => None,
        }
    }

    /// One sentence for people, and what it took.
    pub fn summary(&self) -> String {
        let Effort { seconds, states_total, transitions, .. } = self.effort;
        let verdict = match self.reason() {
            Some(why) => format!("undecided: {why}"),
            None => format!("{} is {}", self.query, self.verdict.word()),
        };
        let (states, transitions) = (counted(states_total, "state"), counted(transitions, "transition"));
        let doubted = self.doubted.as_ref().map_or(String::new(), |(why, _)| format!("; {why}"));
        format!("{verdict} ({states}, {transitions}, {seconds:.3} s){doubted}")
    }

    /// The last line on standard output.
    pub fn result_line(&self, saved: Option<Kept<'_>>, witness: bool) -> String {
        let evidence = match (saved, witness) {
            (Some(kept), _) => kept.path.display().to_string(),
            (None, true) => "inline".into(),
            (None, false) => "none".into(),
        };
        let checked = if witness || saved.is_some_and(|kept| kept.proof) { "yes" } else { "no" };
        format!("RESULT {} engine={} evidence={evidence} checked={checked}\n", self.verdict.word(), self.engine)
    }

    /// The JSON object of `check`.
    pub fn json(&self, models: &[String], saved: Option<Kept<'_>>, shown: Option<&dyn Shown>) -> serde_json::Value {
        let Effort { seconds, states_total, states_peak, transitions, checks, .. } = self.effort;
        let mut object = json!({
            "models": models,
            "query": self.query,
            "engine": self.engine,
            "verdict": self.verdict.word(),
            "reason": self.reason(),
            "reason_kind": self.verdict.reason_kind(),
            "evidence": {
                "kind": if shown.is_some() { "witness" } else if saved.is_some() { "certificate" } else { "none" },
                "path": saved.map(|kept| kept.path.display().to_string()),
                "checked": shown.is_some() || saved.is_some_and(|kept| kept.proof),
                "steps": shown.map(|s| s.steps_json()),
            },
            "effort": {
                "seconds": seconds,
                "states_total": states_total,
                "states_peak": states_peak,
                "transitions": transitions,
                "checks": checks,
                "components_used": self.components_used,
                "components": self.components,
                "peak_rss_bytes": peak_resident_bytes(),
            },
        });
        if !(self.effort.phases.is_empty() && self.effort.counts.is_empty()) {
            let seconds = self.effort.phases.iter().map(|(name, seconds)| (format!("{name}_seconds"), json!(seconds)));
            let counts = self.effort.counts.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
            let mut told: serde_json::Map<String, serde_json::Value> = seconds.chain(counts).collect();
            told.insert("states".into(), states_total.into());
            told.insert("transitions".into(), transitions.into());
            object[&self.engine] = told.into();
        }
        if let Some((_, end)) = &self.end {
            object["trapped"] = end.clone();
        }
        if let Some(scope) = &self.scope {
            object["scope"] = scope.json();
        }
        if let Some(reduction) = &self.reduction {
            object["reduction"] = reduction.clone();
        }
        if let Some(Coverage { covers, beyond, formulas, .. }) = &self.coverage {
            let codes = |parts: &[Stated]| parts.iter().map(Stated::code).collect::<Vec<_>>();
            object["covers"] = codes(covers).into();
            object["beyond"] = codes(beyond).into();
            let each = formulas.iter().map(|(name, verdict)| json!({ "name": name, "verdict": verdict.word() }));
            object["formulas"] = each.collect::<Vec<_>>().into();
        }
        if let Some((_, doubted)) = &self.doubted {
            object["spin_errors"] = doubted.clone();
        }
        object
    }

    /// Where the time went, if the engine has phases, and what else it counts.
    pub fn phases(&self) -> Option<String> {
        let phases = self.effort.phases.iter().map(|(name, seconds)| format!("{name} {seconds:.3} s"));
        let times: Vec<String> =
            phases.chain(self.effort.counts.iter().map(|(name, count)| format!("{count} {name}"))).collect();
        (!times.is_empty()).then(|| format!("{}: {}", self.engine, times.join(", ")))
    }

    /// `FORMULA id TRUE TECHNIQUES …`
    pub fn mcc(&self, model: &ModelArgs, threads: usize) -> String {
        let name = self.query.strip_prefix("formula ").map_or_else(|| formula(model), str::to_owned);
        self.mcc_as(&name, threads)
    }

    /// The same for a formula of this name.
    pub fn mcc_as(&self, name: &str, threads: usize) -> String {
        if let Verdict::Unknown(_) = self.verdict {
            return format!("FORMULA {name} CANNOT_COMPUTE\n");
        }
        let threads = if threads > 1 { "PARALLEL_PROCESSING" } else { "SEQUENTIAL_PROCESSING" };
        let reduction = if self.stubborn { " STUBBORN_SETS" } else { "" };
        let verdict = self.verdict.word().to_uppercase();
        let engine = engines(Otf::default()).into_iter().find(|engine| engine.name() == self.engine);
        let technique = match engine.and_then(|engine| engine.symbolic()).map(|symbolic| symbolic.method) {
            None => "EXPLICIT",
            Some(Method::Bdd) => "DECISION_DIAGRAMS",
            Some(Method::Bmc) => "SAT_SMT",
            Some(Method::Itp | Method::Citp | Method::CitpA | Method::CitpPa) => "SAT_SMT DECISION_DIAGRAMS",
        };
        format!("FORMULA {name} {verdict} TECHNIQUES {threads} {technique}{reduction}\n")
    }
}

/// What the Model Checking Contest prints where there is no answer.
pub fn cannot_compute(model: &ModelArgs) -> String {
    format!("FORMULA {} CANNOT_COMPUTE\n", formula(model))
}

/// What the Model Checking Contest calls the formula: here after the first model.
fn formula(model: &ModelArgs) -> String {
    model.models[0].file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
