//! Certificate files, as `--certificate FILE` saves them. What they say is checked by [`crate::evidence::certificate`].

use super::json_place::Part;
use super::witness::{Head, at_value, syntax_error};
use crate::diag::{Diagnostic, Read};
use crate::evidence::certificate::{Certificate, KIND, SCHEMA};

/// Reads a certificate file.
pub fn read(file: &str, text: &[u8]) -> Read<Certificate> {
    let help = "a certificate file is JSON as `--certificate FILE` writes it";
    let syntax = |e: serde_json::Error| vec![syntax_error(file, text, &e, help)];
    let about = |key, message: String, help: &str| {
        Err(vec![at_value(Diagnostic::error(file, message), text, &[Part::Key(key)]).help(help)])
    };
    let head: Head = serde_json::from_slice(text).map_err(syntax)?;
    if head.kind != KIND {
        let message = format!("this is a `{}`, not a `{KIND}`", head.kind);
        return about("kind", message, "`prequel check … --certificate FILE` saves a certificate");
    }
    if head.schema != SCHEMA {
        let message = format!("schema {}, but this version reads schema {SCHEMA}", head.schema);
        return about("schema", message, "save the certificate again with this version");
    }
    Ok((serde_json::from_slice(text).map_err(syntax)?, Vec::new()))
}
