//! SPIN on the model as it is beside SPIN on the smaller one: where the time went, and what came of it.

use super::{SpinQuestion, open, search};
use crate::job::observer::Observer;
use prequel_model::run::Run;
use prequel_spin::file::{Trouble, Verified};
use prequel_spin::session::Phases;
use prequel_spin::tools::C;
use std::time::Duration;

/// Who asks SPIN about the model as it is.
pub struct Comparison<'a> {
    question: &'a SpinQuestion<'a>,
    observer: &'a dyn Observer,
}

impl<'a> Comparison<'a> {
    /// For a question.
    pub fn new(question: &'a SpinQuestion<'a>, observer: &'a dyn Observer) -> Self {
        Self { question, observer }
    }

    /// SPIN on the model as it is, and a table of both.
    pub fn beside(&self, smaller: &Verified, reduce: Duration, run: &Run) -> String {
        let own = run.again();
        let question = self.question;
        let original = open(&question.source.text, &own).and_then(|mut file| {
            let options = question.doubts.bound(question.options(C::QuickFirst));
            search(&mut file, question.claim(), options, &own, self.observer)
        });
        format!("\n{}", table(&original, smaller, reduce))
    }
}

/// Each side's parts, a line each.
fn table(original: &Result<Verified, Trouble>, smaller: &Verified, reduce: Duration) -> String {
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    let whole = |Phases { generate, compile, search }: Phases| generate + compile + search;
    let parts = |verified: &Verified, reduce: Duration| {
        let (phases, report) = (verified.phases, &verified.report);
        [
            seconds(reduce),
            seconds(phases.generate),
            seconds(phases.compile),
            seconds(phases.search),
            seconds(reduce + whole(phases)),
            report.stored.to_string(),
            report.transitions.to_string(),
            format!("{:.1} MiB", report.memory as f64 / f64::from(1 << 20)),
        ]
    };
    const NAMES: [&str; 8] = ["reduce", "generate", "compile", "search", "total", "states", "transitions", "memory"];
    let right = parts(smaller, reduce);
    let (left, trouble) = match original {
        Ok(verified) => (parts(verified, Duration::ZERO), None),
        Err(trouble) => (std::array::from_fn(|_| "-".to_owned()), Some(trouble)),
    };
    let mut lines = vec![format!("{:<12}  {:>14}  {:>14}", "SPIN", "original", "smaller")];
    let rows = NAMES.iter().zip(left).zip(right);
    lines.extend(rows.map(|((name, left), right)| format!("{name:<12}  {left:>14}  {right:>14}")));
    lines.extend(trouble.map(|trouble| format!("SPIN on the original model: {trouble}")));
    lines.join("\n")
}
