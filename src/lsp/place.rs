//! Places as editors count them: lines and UTF-16 units from 0.

use lsp_types::{Position, Range, Uri};
use prequel_formats::diag::Place;
use std::path::PathBuf;
use std::str::FromStr as _;

/// The range of a place.
pub fn range(place: &Place) -> Range {
    let units = |bytes: usize| place.text.get(..bytes).map_or(0, |text| text.encode_utf16().count()) as u32;
    let line = place.line.saturating_sub(1) as u32;
    let (start, end) = (units(place.span.start), units(place.span.end));
    Range { start: Position { line, character: start }, end: Position { line, character: end } }
}

/// A whole line, counted from 1.
pub fn whole_line(line: usize) -> Range {
    let line = line.saturating_sub(1) as u32;
    Range { start: Position { line, character: 0 }, end: Position { line, character: u32::from(u16::MAX) } }
}

/// The name at a position, and where it is.
pub fn word(text: &str, at: Position) -> Option<&str> {
    let line = text.lines().nth(at.line as usize)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut units, mut byte) = (0, line.len());
    for (number, c) in line.char_indices() {
        if units >= at.character {
            byte = number;
            break;
        }
        units += c.len_utf16() as u32;
    }
    let start = line[..byte].char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(byte, |(at, _)| at);
    let end = line[byte..].find(|c| !is_part(c)).map_or(line.len(), |length| byte + length);
    Some(&line[start..end]).filter(|word| !word.is_empty())
}

/// The file that a reference means; of anything else its last part, so that the format is still known.
pub fn path(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let path = text.strip_prefix("file://").unwrap_or(text);
    let bytes = path.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (bytes[at], hex) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&out).into_owned())
}

/// The reference to a file.
pub fn uri(path: &str) -> Option<Uri> {
    let absolute = std::path::absolute(path).ok()?;
    let mut out = String::from("file://");
    for byte in absolute.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    Uri::from_str(&out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_the_units_of_editors() {
        let text = "int x;\n\u{1f600} count++\n";
        let at = |line, character| word(text, Position { line, character });
        assert_eq!((at(0, 4), at(0, 5), at(0, 3)), (Some("x"), Some("x"), Some("int")));
        // What lies outside of the first plane is two units.
        assert_eq!((at(1, 3), at(1, 8), at(1, 9), at(7, 0)), (Some("count"), Some("count"), None, None));
    }

    #[test]
    fn references_are_paths_and_back() {
        let made = uri("/a b/ü.pml").unwrap();
        assert_eq!(made.as_str(), "file:///a%20b/%C3%BC.pml");
        assert_eq!(path(&made), PathBuf::from("/a b/ü.pml"));
    }

    #[test]
    fn columns_count_units() {
        let place = Place::in_line(2, "\u{1f600}ü x".as_bytes(), 7..8);
        assert_eq!(
            range(&place),
            Range { start: Position { line: 1, character: 4 }, end: Position { line: 1, character: 5 } }
        );
    }
}
