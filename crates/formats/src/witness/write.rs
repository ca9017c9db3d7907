//! Witnesses as JSON: by names, not numbers, so that a witness survives another order of files or states.

use crate::picture::view::View;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// What `kind` says in a witness file.
pub const KIND: &str = "witness";

/// A witness file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// [`SCHEMA`].
    pub schema: u32,
    /// [`KIND`].
    pub kind: String,
    /// What was asked.
    pub query: SavedQuery,
    /// What the witness shows: `true` or `false`.
    pub verdict: String,
    /// All components of the network, in order.
    pub components: Vec<String>,
    /// The step, counted from 1, from which on all are repeated for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// The path.
    pub steps: Vec<SavedStep>,
}

/// What was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedQuery {
    /// In one word, see [`prequel_model::Query::kind`].
    pub kind: String,
    /// As given on the command line.
    pub text: String,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedStep {
    /// What an observer sees; `tau` if nothing.
    pub action: String,
    /// The label's own name.
    pub label: String,
    /// Who moves how.
    pub moves: Vec<SavedMove>,
    /// `file:line` of the transitions, with `, ` between several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

/// One component's part in a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SavedMove {
    /// Who moves.
    pub component: String,
    /// From where.
    pub from: String,
    /// To where.
    pub to: String,
}

/// The file of a trace. Names are written as they are; only pictures and tables make them plain.
pub fn saved(view: &View, query: SavedQuery, verdict: bool) -> Saved {
    let labels = view.network.labels();
    let name = |c| view.network.component(c).name.to_string();
    let steps = view.trace.steps.iter().enumerate().map(|(at, step)| {
        let moves = step.moves.iter().map(|m| SavedMove {
            component: name(m.component),
            from: view.origin.state_name(m.component, m.from),
            to: view.origin.state_name(m.component, m.to),
        });
        let lines = view.lines_of(at);
        SavedStep {
            action: labels.seen(step.label).into(),
            label: labels.name(step.label).into(),
            moves: moves.collect(),
            line: (!lines.is_empty()).then(|| lines.join(", ")),
        }
    });
    Saved {
        schema: SCHEMA,
        kind: KIND.into(),
        query,
        verdict: verdict.to_string(),
        components: view.network.ids().map(name).collect(),
        cycle: view.cycle.map(|from| from + 1),
        steps: steps.collect(),
    }
}

/// Writes a witness file.
pub fn write(saved: &Saved, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, saved)?;
    writeln!(out)
}
