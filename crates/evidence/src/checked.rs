//! Evidence that was accepted. There is one way to get it, and that is to have it checked.

use super::proof::Proof;
use super::verdict::Verdict;

/// Evidence that can be checked against the model it is about. Whoever implements it is a checker: this is the list of what has to be
/// right for a verdict to be.
pub trait Replay {
    /// What there is to say about it once it is accepted: the state that a run ends in, how many states were looked at.
    type End;
    /// Why it is not accepted.
    type Rejected: std::error::Error;

    /// Does it again, step by step, and sees whether it shows what it should.
    fn replay(&self) -> Result<Self::End, Self::Rejected>;

    /// The verdict that it shows. None of a run that is possible and was asked for nothing.
    fn shows(&self) -> Option<bool>;

    /// What kind of evidence it is.
    fn proof(&self) -> Proof {
        Proof::Witness
    }
}

/// Evidence that its check accepted.
#[derive(Debug)]
pub struct Checked<R: Replay> {
    run: R,
    end: R::End,
}

impl<R: Replay> Checked<R> {
    /// Checks it.
    pub fn new(run: R) -> Result<Self, R::Rejected> {
        let end = run.replay()?;
        Ok(Self { run, end })
    }

    /// What was checked.
    pub fn run(&self) -> &R {
        &self.run
    }

    /// What came out of the check.
    pub fn end(&self) -> &R::End {
        &self.end
    }

    /// The verdict that it shows. What shows nothing leaves it open.
    pub fn verdict(&self) -> Verdict {
        Verdict::shown(self.run.shows(), self.run.proof())
    }
}
