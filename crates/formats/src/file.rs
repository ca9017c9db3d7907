//! Files as they are read: no more of them than memory has room for, and no longer than a limit allows.

use super::opened;
use prequel_model::watch;
use prequel_model::watch::Watch;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One in so many parts of the machine's memory is the most that a text may have: what is read of it needs room too.
const SHARE: u64 = 8;
/// The same for one that is read bit by bit.
const STREAM_SHARE: u64 = 2;

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file, or of standard input for `-`.
pub fn bytes(path: &Path, watch: &Watch) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Bounded { share: SHARE, ..open(path, watch)? }.read_to_end(&mut text)?;
    Ok(text)
}

/// The bytes of a file that another one names.
pub fn included(path: &Path, watch: &Watch) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Bounded { share: SHARE, ..part(path, watch)? }.read_to_end(&mut text)?;
    Ok(text)
}

/// A file, or standard input for `-`.
pub fn open(path: &Path, watch: &Watch) -> io::Result<Bounded<Box<dyn Read>>> {
    let input: Box<dyn Read> = if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(noted(path)?) };
    Ok(Bounded::new(input, watch.clone()))
}

/// A file that another one names.
pub fn part(path: &Path, watch: &Watch) -> io::Result<Bounded<File>> {
    Ok(Bounded::new(noted(path)?, watch.clone()))
}

/// Opens a file, which nothing will be written over from now on.
fn noted(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    opened::note(path);
    Ok(file)
}

/// Something that is read within limits. What is beyond them is an error.
#[derive(Debug)]
pub struct Bounded<R> {
    input: R,
    watch: Watch,
    /// What the machine has.
    machine: u64,
    share: u64,
    read: u64,
}

impl<R> Bounded<R> {
    /// Something that is read bit by bit.
    pub fn new(input: R, watch: Watch) -> Self {
        let machine = watch::machine_bytes().unwrap_or(u64::MAX);
        Self { input, watch, machine, share: STREAM_SHARE, read: 0 }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.watch.allowed().map_err(io::Error::other)?;
        let read = self.input.read(into)?;
        self.read += read as u64;
        if self.read <= self.machine / self.share {
            return Ok(read);
        }
        let most = (self.machine / self.share) >> 20;
        let why = format!("it has more than {most} MiB, 1/{} of this machine's memory", self.share);
        Err(io::Error::new(io::ErrorKind::FileTooLarge, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn what_never_ends_is_an_error() {
        let endless = || Bounded { machine: 6 << 20, ..Bounded::new(io::repeat(0), Watch::default()) };
        let error = endless().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("more than 3 MiB"), "{error}");
        let late = Watch::new(Some(Duration::ZERO), None, Instant::now(), Arc::default());
        let error = Bounded::new(io::repeat(0), late).read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("time limit"), "{error}");
    }
}
