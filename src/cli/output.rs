//! What goes out: the last line, JSON, files that appear whole or not at all.

use super::exit::Failure;
use super::watchdog;
use crate::diag::Diagnostic;
use serde_json::{Map, Value};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How much to say, and in which form. The same for every command.
#[derive(clap::Args, Clone, Debug)]
pub struct Output {
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true, help_heading = "Output")]
    pub json: bool,
    /// Print the result line only; no progress, no warnings
    #[arg(long, short, global = true, help_heading = "Output")]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(long, short, global = true, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
}

impl Output {
    /// Prints text for people: not with `--quiet`, not with `--json`.
    pub fn say(&self, text: impl AsRef<str>) {
        if !self.quiet && !self.json {
            print(&format!("{}\n", text.as_ref().trim_end_matches('\n')));
        }
    }

    /// Prints a note on standard error.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet && !self.json {
            eprintln!("{}", text.as_ref());
        }
    }

    /// Prints a remark on standard error with `--verbose`.
    pub fn remark(&self, text: impl AsRef<str>) {
        if self.verbose {
            eprintln!("{}", text.as_ref());
        }
    }

    /// Prints warnings on standard error.
    pub fn warn(&self, warnings: &[Diagnostic]) {
        if !self.quiet {
            for w in warnings {
                eprintln!("{}\n", w.render());
            }
        }
    }

    /// Prints the command's JSON object, `schema`, `tool` and `version` first. It is said before anything else of the answer, so from
    /// here on nobody else ends the command.
    pub fn object(&self, fields: Value) {
        watchdog::answer();
        if !self.json {
            return;
        }
        let mut object = Map::new();
        object.insert("schema".into(), 1.into());
        object.insert("tool".into(), env!("CARGO_PKG_NAME").into());
        object.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        if let Value::Object(fields) = fields {
            object.extend(fields);
        }
        let text = serde_json::to_string_pretty(&object).expect("a JSON value prints");
        print(&format!("{text}\n"));
    }
}

/// `1 state`, `2 states`.
pub fn counted(number: impl TryInto<u64>, thing: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The last line of a command that decides, where there is no answer.
pub const NO_ANSWER: &str = "RESULT unknown engine=none evidence=none checked=no\n";

/// Prints on standard output; a reader that went away (`| head`) is no error.
pub fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Writes files, all of them or none: each is staged beside its place, then all are moved there.
pub fn write_files(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    let mut made = Vec::new();
    let written = stage_and_move(files, &mut made);
    if written.is_err() {
        // Folders that were made for nothing go again; one that is not empty stays.
        made.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written
}

fn stage_and_move(files: &[(PathBuf, Vec<u8>)], made: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fail = |path: &Path, e: std::io::Error| {
        // The place of the staged file is nothing to the user, and another each time.
        let why = e.to_string();
        let why = why.split(" at path ").next().unwrap_or_default();
        Failure::input(path.display().to_string(), format!("cannot write: {why}"), "choose another place to write to")
    };
    let mut staged = Vec::with_capacity(files.len());
    for (path, contents) in files {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            made.extend(
                folder.ancestors().take_while(|f| !f.is_dir() && !f.as_os_str().is_empty()).map(Path::to_path_buf),
            );
            fs::create_dir_all(folder).map_err(|e| fail(path, e))?;
        }
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fail(path, e))?;
        watchdog::staged(file.path());
        file.write_all(contents).map_err(|e| fail(path, e))?;
        // Closed at once: a network may have more components than a process may have open files.
        staged.push((file.into_temp_path(), path));
    }
    watchdog::answer();
    for (file, path) in staged {
        make_readable(&file).map_err(|e| fail(path, e))?;
        file.persist(path).map_err(|e| fail(path, e.error))?;
    }
    Ok(())
}

/// Temporary files are private; what the user asked for gets the usual permissions.
fn make_readable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}
