//! Where a value stands in a JSON text.
//!
//! Values that went through serde have lost their place; it is looked up again when a diagnostic needs it.

use std::ops::Range;

/// One step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The value of a key of an object.
    Key(&'a str),
    /// An element of an array, counted from 0.
    At(usize),
}

/// The bytes of the value that a path leads to. The text is known to be JSON; for anything else the answer means nothing.
pub fn find(text: &[u8], path: &[Part]) -> Option<Range<usize>> {
    path.iter().try_fold(trimmed(text, 0..text.len()), |value, part| match part {
        Part::At(at) => elements(text, value).into_iter().nth(*at),
        Part::Key(key) => elements(text, value).into_iter().find_map(|entry| {
            let name = string(text, entry.start)?;
            (&text[name.start + 1..name.end - 1] == key.as_bytes()).then_some(())?;
            let colon = name.end + text[name.end..entry.end].iter().position(|&b| b == b':')?;
            Some(trimmed(text, colon + 1..entry.end))
        }),
    })
}

/// What stands between the commas of an array or object: values, or keys with their values.
fn elements(text: &[u8], value: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut depth, mut start, mut at) = (Vec::new(), 0usize, value.start, value.start);
    while at < value.end {
        match text[at] {
            b'"' => {
                let Some(skipped) = string(text, at) else { break };
                at = skipped.end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            b',' if depth == 1 => {
                found.push(trimmed(text, start..at));
                start = at + 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    found.push(trimmed(text, start..at));
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The string that starts at a quote, both quotes included.
fn string(text: &[u8], start: usize) -> Option<Range<usize>> {
    text.get(start).filter(|&&b| b == b'"')?;
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(start..at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn trimmed(text: &[u8], span: Range<usize>) -> Range<usize> {
    let inner = &text[span.clone()];
    let start = span.start + inner.len() - inner.trim_ascii_start().len();
    start..(span.end - (inner.len() - inner.trim_ascii_end().len())).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    #[test]
    fn a_path_leads_to_the_bytes_of_the_value() {
        let text = r#" { "a,\"]" : [1, { "b": "x,}\\" , "c": [ ] }, true ], "d" :null } "#;
        let at = |path: &[Part]| find(text.as_bytes(), path).map(|span| &text[span]);
        let (key, nth) = (Part::Key, Part::At);
        assert_eq!(at(&[key(r#"a,\"]"#), nth(0)]), Some("1"));
        assert_eq!(at(&[key(r#"a,\"]"#), nth(1), key("b")]), Some(r#""x,}\\""#));
        assert_eq!(at(&[key(r#"a,\"]"#), nth(1), key("c")]), Some("[ ]"));
        assert_eq!(at(&[key(r#"a,\"]"#), nth(2)]), Some("true"));
        assert_eq!(at(&[key("d")]), Some("null"));
        assert_eq!((at(&[key("e")]), at(&[key("d"), nth(3)])), (None, None));
    }

    #[test]
    fn other_text_gives_no_panic() {
        let mut rng = Rng::new(3);
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..rng.below(30)).map(|_| *rng.pick(b"{}[]\",:\\ ab")).collect();
            for path in [[Part::Key("a"), Part::At(0)], [Part::At(1), Part::Key("b")]] {
                if let Some(span) = find(&text, &path) {
                    assert!(span.end <= text.len());
                }
            }
        }
    }
}
