//! Who is told what happens while a job is done: a terminal, a window, or nobody.

use super::finding::Finding;
use super::reproduce::Cell;
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;

/// Somebody who looks on. All that a job finds is in what it returns; this is what can be said on the way there.
pub trait Observer: Sync {
    /// A part of the result, as soon as it is known.
    fn say(&self, text: &str);

    /// Something that is done otherwise than one might expect.
    fn note(&self, text: &str);

    /// Something for those who want to know more.
    fn remark(&self, text: &str);

    /// What is odd about files that were read.
    fn warn(&self, warnings: &[Diagnostic]);

    /// One of several questions is answered.
    fn answered(&self, _finding: &Finding) {}

    /// A cell of a paper's tables was measured again.
    fn measured(&self, _cell: &Cell) {}

    /// Does the work, which may take long; how far it is can be seen in the run.
    fn watch(&self, run: &Run, what: &str, work: &mut (dyn FnMut() + '_));
}

impl dyn Observer + '_ {
    /// The same for work with a result.
    pub fn during<T>(&self, run: &Run, what: &str, work: impl FnOnce() -> T) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.watch(run, what, &mut || {
            if let Some(work) = work.take() {
                result = Some(work());
            }
        });
        match (result, work) {
            (Some(result), _) => result,
            // Whoever only looks on cannot keep the work from being done.
            (None, Some(work)) => work(),
            (None, None) => unreachable!("work that was begun has a result"),
        }
    }
}

/// Nobody is told anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn say(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn remark(&self, _: &str) {}
    fn warn(&self, _: &[Diagnostic]) {}

    fn watch(&self, _: &Run, _: &str, work: &mut (dyn FnMut() + '_)) {
        work();
    }
}
