//! What goes out: the last line, JSON, text for people.

use super::crash;
pub use super::files::{write_files, write_to_folders};
use super::progress;
use super::watchdog;
use crate::job::Observer;
use crate::job::reproduce::Cell;
pub use crate::job::words::counted;
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;
use serde_json::{Map, Value};
use std::io::Write as _;

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
            complain(text.as_ref());
        }
    }

    /// Prints a remark on standard error with `--verbose`.
    pub fn remark(&self, text: impl AsRef<str>) {
        if self.verbose {
            complain(text.as_ref());
        }
    }

    /// Prints warnings on standard error.
    pub fn warn(&self, warnings: &[Diagnostic]) {
        if !self.quiet {
            for w in warnings {
                complain(&format!("{}\n", w.render()));
            }
        }
    }

    /// Prints the command's JSON object, `schema`, `tool` and `version` first. It is said before anything else of the answer, so from
    /// here on nobody else ends the command.
    pub fn object(&self, fields: Value) {
        self.object_of(|| fields);
    }

    /// The same for an object that takes time: it is made only if it is printed.
    pub fn object_of(&self, fields: impl FnOnce() -> Value) {
        watchdog::answer();
        if self.json {
            print(&self.text(fields()));
        }
    }

    /// The command's JSON object.
    pub fn text(&self, fields: Value) -> String {
        let mut object = Map::new();
        object.insert("schema".into(), 1.into());
        object.insert("tool".into(), env!("CARGO_PKG_NAME").into());
        object.insert("version".into(), env!("CARGO_PKG_VERSION").into());
        if let Value::Object(fields) = fields {
            object.extend(fields);
        }
        let text = serde_json::to_string_pretty(&object).expect("a JSON value prints");
        format!("{text}\n")
    }
}

impl Observer for Output {
    fn say(&self, text: &str) {
        Output::say(self, text);
    }

    fn note(&self, text: &str) {
        Output::note(self, text);
    }

    fn remark(&self, text: &str) {
        Output::remark(self, text);
    }

    fn warn(&self, warnings: &[Diagnostic]) {
        Output::warn(self, warnings);
    }

    fn measured(&self, cell: &Cell) {
        let Cell { family, size, row, what, ours, .. } = cell;
        Output::remark(self, format!("{family} {size}, {row}: {what} {ours}"));
    }

    fn watch(&self, run: &Run, what: &str, work: &mut (dyn FnMut() + '_)) {
        progress::watch(run, what, self, work);
    }
}

/// The last line of a command that decides, where there is no answer.
pub const NO_ANSWER: &str = "RESULT unknown engine=none evidence=none checked=no\n";

/// Prints on standard output; a reader that went away (`| head`) is no error. Nothing that a broken thread had a part in is said.
pub fn print(text: &str) {
    if !crash::happened() {
        print_always(text);
    }
}

/// Prints on standard output whatever happened.
pub fn print_always(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Prints a line on standard error, if that is possible.
pub fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
