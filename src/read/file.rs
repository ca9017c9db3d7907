//! Files as they are read: no more of them than memory has room for, and no longer than a limit allows.

use crate::watch::{self, Watch};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One in so many parts of the machine's memory is the most that a file may have: what is read of it needs room too.
const SHARE: u64 = 4;

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file, or of standard input for `-`.
pub fn bytes(path: &Path, watch: &Watch) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    open(path, watch)?.read_to_end(&mut text)?;
    Ok(text)
}

/// The bytes of a file that another one names.
pub fn included(path: &Path, watch: &Watch) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    Bounded::new(File::open(path)?, watch.clone()).read_to_end(&mut text)?;
    Ok(text)
}

/// A file, or standard input for `-`.
pub fn open(path: &Path, watch: &Watch) -> io::Result<Bounded<Box<dyn Read>>> {
    let input: Box<dyn Read> = if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    Ok(Bounded::new(input, watch.clone()))
}

/// Something that is read within limits. What is beyond them is an error.
#[derive(Debug)]
pub struct Bounded<R> {
    input: R,
    watch: Watch,
    most: Option<u64>,
    left: u64,
}

impl<R> Bounded<R> {
    /// No more than memory has room for.
    pub fn new(input: R, watch: Watch) -> Self {
        let most = watch::machine_bytes().map(|bytes| bytes / SHARE);
        Self { input, watch, most, left: most.unwrap_or(u64::MAX) }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.watch.allowed().map_err(io::Error::other)?;
        let read = self.input.read(into)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => {
                let most = self.most.unwrap_or(u64::MAX) >> 20;
                return Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("it has more than {most} MiB, a quarter of this machine's memory"),
                ));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    #[test]
    fn what_never_ends_is_an_error() {
        let endless =
            || Bounded { most: Some(3 << 20), left: 3 << 20, ..Bounded::new(io::repeat(0), Watch::default()) };
        let error = endless().read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("more than 3 MiB"), "{error}");
        let late = Watch::new(Some(Duration::ZERO), None, Instant::now(), Arc::default());
        let error = Bounded::new(io::repeat(0), late).read_to_end(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("time limit"), "{error}");
    }
}
