//! The files that were read, whatever they were called: nothing is to be written over them.

use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Which file a path leads to: two paths lead to the same one if these are equal.
#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    device: u64,
    number: u64,
}

/// Which file a path leads to: two paths lead to the same one if these are equal.
#[cfg(not(unix))]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity(std::path::PathBuf);

impl Identity {
    /// Of a file that is there. Devices and pipes have none: what is written there is not what is read.
    pub fn of(path: &Path) -> Option<Self> {
        let about = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Some(Self { device: about.dev(), number: about.ino() })
        }
        #[cfg(not(unix))]
        {
            drop(about);
            path.canonicalize().ok().map(Self)
        }
    }
}

static OPENED: LazyLock<Mutex<FxHashSet<Identity>>> = LazyLock::new(Mutex::default);

/// Notes that a file is read.
pub fn note(path: &Path) {
    if let Some(identity) = Identity::of(path) {
        OPENED.lock().unwrap_or_else(PoisonError::into_inner).insert(identity);
    }
}

/// Whether a path leads to a file that was read.
pub fn was_read(path: &Path) -> bool {
    Identity::of(path).is_some_and(|identity| OPENED.lock().unwrap_or_else(PoisonError::into_inner).contains(&identity))
}
