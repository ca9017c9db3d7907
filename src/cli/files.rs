//! Files that are written: whole or not at all, through what is no file, never over what was read.

use super::exit::Failure;
use super::watchdog;
use prequel_formats::opened;
use prequel_formats::opened::Identity;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file with its contents.
pub type Written = (PathBuf, Vec<u8>);

/// Links that are followed before they are taken for a circle.
const MOST_LINKS: usize = 40;

/// What a command reads and writes, as far as the command line tells.
#[derive(Default)]
pub struct Places<'a> {
    read: Vec<&'a Path>,
    written: Vec<&'a Path>,
}

impl<'a> Places<'a> {
    /// Files that are read.
    pub fn read(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.read.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    /// Files that are written.
    pub fn written(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.written.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    /// Refuses to write over what is read, and two things to one place.
    pub fn apart(&self) -> Result<(), Failure> {
        for (at, path) in self.written.iter().enumerate() {
            let own = Identity::of(path);
            if own.is_some() && self.read.iter().any(|read| Identity::of(read) == own) {
                return Err(over_input(path));
            }
            if self.written[..at].iter().any(|other| is_same(other, path)) {
                let message = "two things would be written to this file";
                return Err(Failure::input(path.display().to_string(), message, "name another file for one of them"));
            }
        }
        Ok(())
    }
}

/// Whether two paths lead to the same file, be it that it is not there yet.
fn is_same(one: &Path, other: &Path) -> bool {
    match (Identity::of(one), Identity::of(other)) {
        (None, None) => !one.exists() && !other.exists() && landing(one) == landing(other),
        (one, other) => one == other,
    }
}

fn over_input(path: &Path) -> Failure {
    let message = "this is one of the files that are read, and would be written over";
    Failure::input(path.display().to_string(), message, "choose another place to write to")
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    // The place of the staged file is nothing to the user, and another each time.
    let why = error.to_string();
    let why = why.split(" at path ").next().unwrap_or_default();
    Failure::input(path.display().to_string(), format!("cannot write: {why}"), "choose another place to write to")
}

/// Writes files, all of them or none: each is staged beside its place, then all are moved there. What is no file is written to
/// between the two, so that a device that takes nothing leaves no file behind.
pub fn write_files(files: &[Written]) -> Result<(), Failure> {
    write_to_folders(&[], files)
}

/// Writes files; these folders are made where they are missing, but not what they are in.
pub fn write_to_folders(folders: &[PathBuf], files: &[Written]) -> Result<(), Failure> {
    let mut made = Vec::new();
    let written = make(folders, &mut made).and_then(|()| stage_and_move(files));
    if written.is_err() {
        // Folders that were made for nothing go again; one that is not empty stays.
        made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written
}

fn make(folders: &[PathBuf], made: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for folder in folders.iter().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        there_is(above(folder), folder)?;
        fs::create_dir(folder).map_err(|e| failed(folder, &e))?;
        made.push(folder.clone());
    }
    Ok(())
}

/// The folder that a path is in.
fn above(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn there_is(folder: &Path, path: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let message = format!("cannot write: there is no folder `{}`", folder.display());
    Err(Failure::input(path.display().to_string(), message, "make the folder first, or choose another place"))
}

/// Where a file is put: the end of all links.
fn landing(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(to) => place = above(&place).join(to),
            Err(_) => break,
        }
    }
    // The folders on the way may be links too.
    match (above(&place).canonicalize(), place.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => place,
    }
}

/// Whether there is something that is no file: a device or a pipe. What is open already is never replaced, whatever it is.
fn is_channel(path: &Path) -> bool {
    let open = ["/proc", "/dev/fd", "/dev/stdout", "/dev/stderr"];
    open.iter().any(|name| path.starts_with(name))
        || path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

fn stage_and_move(files: &[Written]) -> Result<(), Failure> {
    let (mut staged, mut channels) = (Vec::with_capacity(files.len()), Vec::new());
    for (path, contents) in files {
        if opened::was_read(path) {
            return Err(over_input(path));
        }
        if is_channel(path) {
            channels.push((path, contents));
            continue;
        }
        let place = landing(path);
        if place.is_dir() {
            return Err(failed(path, &io::ErrorKind::IsADirectory.into()));
        }
        let folder = above(&place);
        // As the user wrote it, where it is not behind a link.
        there_is(if path.is_symlink() { folder } else { above(path) }, path)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(path, &e))?;
        watchdog::staged(file.path());
        file.write_all(contents).map_err(|e| failed(path, &e))?;
        // Closed at once: a network may have more components than a process may have open files.
        let file = file.into_temp_path();
        make_readable(&file, &place).map_err(|e| failed(path, &e))?;
        staged.push((file, place, path));
    }
    watchdog::answer();
    for (path, contents) in channels {
        send(path, contents).map_err(|e| failed(path, &e))?;
    }
    for (file, place, path) in staged {
        file.persist(place).map_err(|e| failed(path, &e.error))?;
    }
    Ok(())
}

/// Writes to what is no file.
fn send(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Another handle would begin at the start of what was printed already.
    let is = |names: [&str; 3]| names.iter().any(|name| path == Path::new(name));
    if is(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
        let mut out = io::stdout();
        return out.write_all(contents).and_then(|()| out.flush());
    }
    if is(["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"]) {
        return io::stderr().write_all(contents);
    }
    OpenOptions::new().write(true).open(path)?.write_all(contents)
}

/// Temporary files are private; what the user asked for keeps the permissions that it had, or gets the usual ones.
fn make_readable(path: &Path, place: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let usual = fs::Permissions::from_mode(0o644);
        fs::set_permissions(path, place.metadata().map_or(usual, |about| about.permissions()))?;
    }
    Ok(())
}
