//! Certificate files, as `--certificate FILE` saves them. What they say is checked by [`prequel_evidence::certificate`].

use super::witness::{Head, MOST_FAULTS, at_value, syntax_error};
use crate::diag::{Diagnostic, Read};
use crate::text::json_place::Part;
use prequel_evidence::certificate::{CertificateFile, KIND, SCHEMA};
use prequel_evidence::set::{SavedSet, Undefined};

/// Reads a certificate file.
pub fn read(file: &str, text: &[u8]) -> Read<CertificateFile> {
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
    let certificate: CertificateFile = serde_json::from_slice(text).map_err(syntax)?;
    let errors: Vec<Diagnostic> =
        certificate.invariant().into_iter().flat_map(|set| undefined(file, text, set)).collect();
    if errors.is_empty() { Ok((certificate, Vec::new())) } else { Err(errors) }
}

/// Literals of a set of states that are used before they are defined.
fn undefined<Name>(file: &str, text: &[u8], set: &SavedSet<Name>) -> Vec<Diagnostic> {
    let told = |undefined: Undefined| {
        let place: &[Part] = match undefined.gate {
            Some((gate, of)) => &[Part::Key("gates"), Part::At(gate), Part::At(of)],
            None => &[Part::Key("holds")],
        };
        let d = Diagnostic::error(file, undefined.to_string()).help(
            "a literal is twice the number of an input or of an earlier gate, counted from 1 on, and one more where it is negated",
        );
        at_value(d, text, &[&[Part::Key("invariant")], place].concat())
    };
    let mut errors: Vec<Diagnostic> = set.undefined().take(MOST_FAULTS).map(told).collect();
    let more = set.undefined().skip(MOST_FAULTS).count();
    if more > 0 {
        errors.push(Diagnostic::error(file, format!("{more} more errors")));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(invariant: &str) -> String {
        let head = r#""schema": 1, "kind": "certificate", "model": "0", "query": "--deadlock-free", "verdict": "true""#;
        format!("{{{head}, \"replaced\": [],\n \"invariant\": {invariant}}}\n")
    }

    fn headlines(text: &str) -> Vec<String> {
        let errors = read("c.json", text.as_bytes()).unwrap_err();
        errors.iter().map(Diagnostic::headline).collect()
    }

    #[test]
    fn a_set_of_states_is_read_as_it_was_written() {
        let text = certificate(r#"{"inputs": [["a", 0], [null, 1]], "gates": [[2, 5]], "holds": 7}"#);
        let (read_back, _) = read("c.json", text.as_bytes()).unwrap();
        let set = read_back.invariant().unwrap();
        assert_eq!(set.inputs, [(Some("a".to_owned()), 0), (None, 1)]);
        assert_eq!((&set.gates, set.holds), (&vec![(2, 5)], 7));
        assert_eq!(read("c.json", &read_back.to_json()).unwrap().0, read_back);
    }

    #[test]
    fn every_literal_that_is_not_defined_is_told_with_its_place() {
        let text = certificate(r#"{"inputs": [["a", 0]], "gates": [[2, 4], [99, 3]], "holds": 8}"#);
        let told =
            |at: &str, literal: u32| format!("c.json:2:{at}: the literal {literal} is not defined before it is used");
        assert_eq!(headlines(&text), [told("52", 4), told("57", 99), told("75", 8)]);
        let many = certificate(&format!(r#"{{"inputs": [], "gates": [{}[9, 9]], "holds": 0}}"#, "[9, 9], ".repeat(14)));
        // The fifth gate is the first one that has four before it.
        assert_eq!(headlines(&many).len(), 8);
        let many =
            certificate(&format!(r#"{{"inputs": [], "gates": [{}[99, 99]], "holds": 0}}"#, "[99, 99], ".repeat(14)));
        assert_eq!(headlines(&many).last().unwrap(), "c.json: 10 more errors");
    }

    #[test]
    fn what_are_no_steps_is_told_with_its_place() {
        let head = r#""schema": 1, "kind": "certificate", "model": "0", "query": "--deadlock-free", "verdict": "true""#;
        let wrong = |steps: &str| {
            let text = format!("{{{head}, \"replaced\": [],\n \"steps\": {steps}}}\n");
            headlines(&text).remove(0)
        };
        for (steps, why) in [
            ("7", "invalid type"),
            (r#"{"shows": "all", "labels": [], "automata": [], "last": []}"#, "unknown variant `all`"),
            (r#"{"shows": "no-word", "labels": [], "automata": []}"#, "missing field `last`"),
            (
                r#"{"shows": "no-word", "labels": [], "automata": [{"hears": [-1], "edges": []}], "last": []}"#,
                "invalid value",
            ),
            (
                r#"{"shows": "no-word", "labels": [], "automata": [{"hears": [], "edges": [[0, 1]]}], "last": []}"#,
                "invalid length 2",
            ),
            (r#"{"shows": "no-word", "labels": [], "automata": [], "last": [{"a": 1}]}"#, "did not match"),
        ] {
            let told = wrong(steps);
            assert!(told.starts_with("c.json:2:") && told.contains(why), "{told}");
        }
    }

    #[test]
    fn what_is_no_set_is_told_with_its_place() {
        let wrong = |invariant: &str| headlines(&certificate(invariant)).remove(0);
        assert!(wrong(r#"{"inputs": [["a", -1]], "gates": [], "holds": 0}"#).starts_with("c.json:2:"));
        assert!(wrong(r#"{"inputs": [], "gates": [[1]], "holds": 0}"#).contains("invalid length 1"));
        assert!(wrong(r#"{"inputs": [], "gates": []}"#).contains("missing field `holds`"));
        assert!(wrong("7").contains("invalid type"));
    }
}
