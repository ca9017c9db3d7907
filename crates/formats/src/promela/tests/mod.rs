//! What is read, what is reported, and where.

mod corpus;
mod messages;
mod spin;
mod trees;

use super::read;
use super::syntax::Model;
use std::path::Path;

/// Reads a text that includes nothing.
fn parse(text: &str) -> Result<Model, Vec<String>> {
    match read("m.pml", text.as_bytes(), Path::new(""), &[]) {
        Ok((model, _)) => Ok(model),
        Err(errors) => Err(errors.iter().map(|e| e.headline()).collect()),
    }
}
