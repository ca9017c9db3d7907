//! `prequel manual`: manual pages, from what the command line is made of.

use super::exit::{Exit, Failure};
use super::output::write_files;
use clap::Command;
use std::path::Path;

/// Writes a page for the program and one for each command.
pub fn run(program: Command, folder: &Path) -> Result<Exit, Failure> {
    let failed = |why: std::io::Error| {
        Failure::input(folder.display().to_string(), format!("no pages were made: {why}"), "choose another folder")
    };
    let made = tempfile::tempdir().map_err(failed)?;
    clap_mangen::generate_to(program.disable_help_subcommand(true), made.path()).map_err(failed)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(made.path()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        files.push((folder.join(entry.file_name()), std::fs::read(entry.path()).map_err(failed)?));
    }
    write_files(&files)?;
    Ok(Exit::Ok)
}
