//! `prequel lsp`: the language server.

use super::exit::{Exit, Failure};

/// Runs the command.
pub fn run() -> Result<Exit, Failure> {
    let help = "start it from an editor: it speaks the Language Server Protocol on standard input and output";
    crate::lsp::serve().map(|()| Exit::Ok).map_err(|why| Failure::input("standard input", why, help))
}
