//! How a command ends: exit codes.

pub use crate::job::Failure;
use crate::job::Verdict;
use prequel_model::Why;

/// The contract's exit codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// True, or the command did its work.
    Ok = 0,
    /// False.
    False = 1,
    /// Unknown: a limit, a refusal, an engine that does not apply.
    Unknown = 2,
    /// Bad input or usage.
    BadInput = 3,
    /// Internal error, or evidence that its own check rejected.
    Internal = 4,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Input(_) => Exit::BadInput,
            Failure::Undecided(_, Why::Interrupted) => Exit::Interrupted,
            Failure::Undecided(_, Why::Broken(_)) | Failure::Internal(_) => Exit::Internal,
            Failure::Refused(_) | Failure::Unsuitable(_) | Failure::Undecided(..) => Exit::Unknown,
        }
    }
}

impl From<&Verdict> for Exit {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::True { .. } => Exit::Ok,
            Verdict::False { .. } => Exit::False,
            Verdict::Unknown(Why::Interrupted) => Exit::Interrupted,
            Verdict::Unknown(Why::Broken(_)) => Exit::Internal,
            Verdict::Unknown(_) => Exit::Unknown,
        }
    }
}
