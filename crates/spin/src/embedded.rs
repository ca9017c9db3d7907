//! Embedded C in what SPIN is about to read. SPIN copies it into its verifier, where it is compiled and run: so a model with it is
//! a program with all rights of its user.
//!
//! Looked at is the text that the preprocessor leaves, with SPIN's own idea of a word: whatever a model does to hide C from us, it
//! has to show it to SPIN. SPIN sends the text through the preprocessor once more, so a directive that only shows after the first
//! time is refused too, and a line that the second time joins with the next one is joined here.

use super::process;
use super::tools::Tools;
use prequel_formats::diag::{Diagnostic, Place};
use prequel_formats::promela::EMBEDDED;
use prequel_model::Why;
use prequel_model::run::{Limits, Run};
use std::path::Path;
use std::time::Duration;

/// The words that C comes after.
const WORDS: [&str; 5] = ["c_code", "c_decl", "c_expr", "c_state", "c_track"];

/// Directives that a preprocessor leaves and that do nothing.
const LEFT: [&str; 3] = ["pragma", "ident", "line"];

/// Where the first embedded C of a preprocessed text is. `file` is what the text is called before it says so itself.
pub fn find(file: &str, text: &str) -> Option<Diagnostic> {
    let lines = lines(text);
    // What is in a string is no C, if it is certain which quotes are the ends of strings.
    let strings = lines.iter().all(Line::is_plain);
    let (mut file, mut shift) = (file.to_owned(), 0);
    for line in &lines {
        if let Some((number, name)) = line.marker() {
            shift = number as isize - line.number as isize - 1;
            file = name.unwrap_or(file);
            continue;
        }
        let found = line.directive().or_else(|| line.words(strings).find(|(_, word)| WORDS.contains(word)));
        if let Some((at, word)) = found {
            let number = usize::try_from(line.number as isize + shift).unwrap_or(1).max(1);
            let place = Place::in_line(number, line.text.as_bytes(), at..at + word.len());
            let message = if WORDS.contains(&word) {
                format!("`{word}` is embedded C, which is compiled and run")
            } else {
                format!("`{word}` is left after the preprocessor, and what it does then may be embedded C")
            };
            return Some(Diagnostic::error(file, message).at(place).help(EMBEDDED));
        }
    }
    None
}

/// Embedded C in a file, or in what it includes, that SPIN is to be run on with these options by somebody else. A file that the
/// preprocessor does not take, SPIN does not take either.
pub fn in_file(path: &Path, options: &[String], tools: &Tools) -> Result<Option<Diagnostic>, Why> {
    let run = Run::new(Limits { time: Some(LONGEST), ..Limits::default() }, 0);
    let folder = tempfile::tempdir().map_err(|why| Why::External(format!("no temporary folder: {why}")))?;
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut arguments = ["-std=gnu99", "-E", "-x", "c"].map(str::to_owned).to_vec();
    arguments
        .extend(options.iter().filter(|option| ["-D", "-U", "-I"].iter().any(|own| option.starts_with(own))).cloned());
    let name = path.to_string_lossy().into_owned();
    arguments.push(name.clone());
    let ended = process::run(&tools.compiler, &arguments, folder.path(), &run)?;
    Ok(find(&name, &ended.stdout).filter(|_| ended.success()))
}

/// The longest time that the preprocessor gets for a file.
const LONGEST: Duration = Duration::from_secs(60);

/// A line with those that the preprocessor joins to it.
struct Line {
    /// The number of its first part, counted from 1.
    number: usize,
    text: String,
    /// It is of several parts.
    joined: bool,
}

/// Cuts a text into lines, as a preprocessor does: a backslash at the end, be it before blanks, joins the next one.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open = false;
    for (at, part) in text.replace("\r\n", "\n").split(['\n', '\r']).enumerate() {
        let kept = part.trim_end_matches([' ', '\t', '\x0b', '\x0c', '\0']);
        let cut = kept.strip_suffix('\\').or_else(|| kept.strip_suffix("??/"));
        let text = cut.unwrap_or(part);
        match lines.last_mut().filter(|_| open) {
            Some(line) => {
                line.text.push_str(text);
                line.joined = true;
            }
            None => lines.push(Line { number: at + 1, text: text.into(), joined: false }),
        }
        open = cut.is_some();
    }
    lines
}

impl Line {
    /// What follows the sign of a directive, with its place.
    fn after_sign(&self) -> Option<(usize, &str)> {
        let text = self.text.trim_start();
        let rest = ["#", "%:", "??="].iter().find_map(|sign| text.strip_prefix(sign))?.trim_start();
        Some((self.text.len() - rest.len(), rest))
    }

    /// `# 12 "file"`: the number and the name of the next line.
    fn marker(&self) -> Option<(usize, Option<String>)> {
        let (_, rest) = self.after_sign()?;
        let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok()?;
        let name = rest[digits..].trim();
        let quoted = match name.strip_prefix('"') {
            Some(name) => Some(name.split_at(end_of_string(name)?)),
            None => None,
        };
        let flags = quoted.map_or(name, |(_, flags)| &flags[1..]);
        // Nothing else may hide in such a line.
        let bare = flags.bytes().all(|b| b.is_ascii_digit() || b == b' ');
        bare.then(|| (number, quoted.map(|(name, _)| name.to_owned())))
    }

    /// A directive that does something.
    fn directive(&self) -> Option<(usize, &str)> {
        let (at, rest) = self.after_sign()?;
        let length = rest.bytes().take_while(|b| is_part(*b)).count();
        let shown = length.max(rest.chars().next()?.len_utf8());
        (!LEFT.contains(&&rest[..length])).then_some((at, &rest[..shown]))
    }

    /// Whether every quote is the end of a string, and nothing else could be taken for one.
    fn is_plain(&self) -> bool {
        let odd = |outside: &str| ["/*", "//", "\\", "'"].iter().any(|odd| outside.contains(odd));
        !self.joined && (!self.text.contains('"') || self.outside_strings().is_some_and(|outside| !odd(&outside)))
    }

    /// The text with its strings blanked, byte for byte; none if one does not end.
    fn outside_strings(&self) -> Option<String> {
        let mut out = String::with_capacity(self.text.len());
        let (mut inside, mut escaped) = (false, false);
        for c in self.text.chars() {
            let quote = c == '"' && !escaped;
            escaped = inside && c == '\\' && !escaped;
            inside ^= quote;
            if inside || quote { (0..c.len_utf8()).for_each(|_| out.push(' ')) } else { out.push(c) }
        }
        (!inside).then_some(out)
    }

    /// Its words as SPIN cuts them, which takes digits before a word for a number.
    fn words(&self, strings: bool) -> impl Iterator<Item = (usize, &str)> {
        let text = self.outside_strings().filter(|_| strings).unwrap_or_else(|| self.text.clone());
        let bytes = text.into_bytes();
        let mut at = 0;
        let mut found = Vec::new();
        while at < bytes.len() {
            let length = bytes[at..].iter().take_while(|b| is_part(**b)).count();
            let digits = bytes[at..at + length].iter().take_while(|b| b.is_ascii_digit()).count();
            if length > digits {
                found.push((at + digits, &self.text[at + digits..at + length]));
            }
            at += length.max(1);
        }
        found.into_iter()
    }
}

/// Where the quote is that ends a string, of which the first one is cut off.
fn end_of_string(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        find("m.pml", text).map(|found| found.headline())
    }

    #[test]
    fn c_is_found_at_its_place() {
        let text =
            "# 1 \"m.pml\"\nbyte x;\n# 1 \"inner.h\" 1\n\nc_decl { int y; }\n# 3 \"m.pml\" 2\ninit { c_code { } }\n";
        let told = "inner.h:2:1: `c_decl` is embedded C, which is compiled and run";
        assert_eq!(found(text).as_deref(), Some(told));
        for word in WORDS {
            let told = format!("m.pml:2:8: `{word}` is embedded C, which is compiled and run");
            assert_eq!(found(&format!("byte x;\ninit {{ {word} {{ }} }}\n")), Some(told));
        }
    }

    #[test]
    fn c_cannot_be_hidden() {
        let hidden = [
            // Joined by the preprocessor that SPIN runs.
            "init { c_\\\ncode { } }",
            "init { c_\\ \t\r\ncode { } }",
            "init { c_\\\rcode { } }",
            // What looks like a string to one reader is none to the other.
            "init { x = '\"'; c_code { }; x = '\"' }",
            "init { R\"(\" /* \" */ c_code { } /* \" */ )\" }",
            "init { /\\\n* \" *\\\n/ c_code { } /\\\n* \" *\\\n/ }",
            "init { printf(\"\n); c_code { }; printf(\"\") }",
            "init { \\\" c_code { } \" }",
            // Words as SPIN cuts them.
            "init { 1c_code { } }",
            "init { x$c_code { } }",
            "init { \u{e9}c_code { } }",
            // Directives that the second preprocessor obeys.
            " # define x c_ ## code",
            "%: include \"c.h\"",
            "#include \"c.h\"",
            "#pragma c_code",
            "# 1 \"a\" c_code",
            "# 1 \"a c_code",
            "# \u{e9}",
        ];
        for text in hidden {
            assert!(found(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_c_is_let_through() {
        let harmless = [
            "",
            "byte my_c_code, c_codes, c_expr1; init { skip }",
            "init { printf(\"c_code and c_decl \\\" c_expr\\n\") }",
            "# 1 \"/tmp/c_code \\\" x.pml\" 1 3\ninit { x = 'a' }",
            "#pragma once\n#\n#ident \"x\"\n#line 7 \"c_code\"",
        ];
        for text in harmless {
            assert_eq!(found(text), None);
        }
    }
}
