//! The language server: what editors ask about models that are being written.
//!
//! It reads and writes the Language Server Protocol on standard input and output. A text is read again with each change; what is found is
//! sent at once. A check runs beside that, on a thread of its own, when the editor asks for it.

mod check;
mod outline;
mod place;
mod server;
mod symbols;
mod text;

pub use server::serve;
