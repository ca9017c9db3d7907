//! A firing sequence that shows something.

use super::network;
use crate::job::failure::Failure;
use crate::job::temporal::for_ever;
use crate::open::NetFile;
use prequel_evidence::lasso::NetLasso;
use prequel_evidence::net::Firing;
use prequel_evidence::{Checked, Verdict};
use prequel_model::run::Watch;
use prequel_model::{Net, PlaceId, TransitionId};
use prequel_net::split::Split;
use std::sync::Arc;

/// A firing sequence and what it shows.
#[derive(Debug)]
pub struct NetWitness {
    file: Arc<NetFile>,
    run: Replayed,
    verdict: Verdict,
    conclusion: String,
}

/// What was replayed.
#[derive(Debug)]
enum Replayed {
    /// A sequence that ends.
    Firing(Checked<Firing>),
    /// One without an end.
    Lasso(Checked<NetLasso>),
}

/// A place whose tokens change, from how many to how many.
pub type Change = (PlaceId, u32, u32);

impl NetWitness {
    /// A sequence that shows something by its last marking.
    pub(super) fn new(file: Arc<NetFile>, run: Checked<Firing>, conclusion: String) -> Self {
        let verdict = run.verdict();
        Self { file, run: Replayed::Firing(run), verdict, conclusion }
    }

    /// A sequence whose labels show something, as the network of the net has them.
    pub(super) fn of_labels(file: Arc<NetFile>, run: Checked<Firing>, verdict: Verdict, conclusion: String) -> Self {
        Self { file, run: Replayed::Firing(run), verdict, conclusion }
    }

    /// A sequence without an end, and what it shows.
    pub fn of_lasso(file: Arc<NetFile>, run: Checked<NetLasso>, shows: String) -> Self {
        let NetLasso { sequence, from, .. } = run.run();
        let (verdict, conclusion) = (run.verdict(), for_ever(*from, sequence.len(), &shows));
        Self { file, run: Replayed::Lasso(run), verdict, conclusion }
    }

    /// The step that a cycle starts with; behind the last one where nothing can fire any more.
    pub fn cycle(&self) -> Option<usize> {
        if let Replayed::Lasso(run) = &self.run { Some(run.run().from) } else { None }
    }

    /// Of which net.
    pub fn net(&self) -> &Net {
        &self.file.net
    }

    /// The transitions in order.
    pub fn sequence(&self) -> &[TransitionId] {
        match &self.run {
            Replayed::Firing(run) => &run.run().sequence,
            Replayed::Lasso(run) => &run.run().sequence,
        }
    }

    /// The verdict that it shows.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What is so at its end, in one line.
    pub fn conclusion(&self) -> &str {
        &self.conclusion
    }

    /// What each step changes, and the marking at the end.
    pub fn changes(&self) -> (Vec<Vec<Change>>, Vec<u32>) {
        let mut marking = self.net().initial().to_vec();
        // It was replayed, so each of them can fire.
        let fired = |&t: &TransitionId| self.net().fired(&mut marking, t).unwrap_or_default();
        let steps = self.sequence().iter().map(fired).collect();
        (steps, marking)
    }

    /// Where a transition stands: file and line.
    pub fn line(&self, t: TransitionId) -> Option<String> {
        self.net().line(t).map(|line| format!("{}:{line}", self.file.name))
    }

    /// The network of the net, for pictures.
    pub fn split(&self) -> Result<Split, Failure> {
        network::to_draw(&self.file, &Watch::default())
    }
}
