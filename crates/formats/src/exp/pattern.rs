//! Labels as patterns: gates, and what `hide` and `rename` lists may hold.
//!
//! CADP takes the lists of `hide` and `rename` for regular expressions. Ours are literal: a pattern that would mean something
//! else as an expression is refused, and a backslash takes the meaning away from the character after it.

use super::Fault;
use super::lexer::unescaped;
use super::syntax::Label;

/// Characters whose meaning in an expression a backslash takes away.
pub(crate) const SPECIAL: [char; 7] = ['.', '*', '[', ']', '^', '$', '\\'];

/// The gate of a label: the text up to the first blank, `!`, `?` or `(`.
pub fn gate(label: &str) -> &str {
    let end = label.find(|c: char| c.is_whitespace() || matches!(c, '!' | '?' | '('));
    &label[..end.unwrap_or(label.len())]
}

/// Makes a pattern literal, or says why it is none.
pub fn literal(label: &mut Label) -> Result<(), Fault> {
    if let Some(part) = expression(&label.text) {
        let message = format!("`{part}` makes this a regular expression, which is not supported");
        let help = "list the labels one by one; to mean the character itself, put a backslash before it";
        return Err(Fault::new(label.span.clone(), message, help));
    }
    label.text = unescaped(&label.text, |c| SPECIAL.contains(&c)).into();
    Ok(())
}

/// Makes the right side of a renaming literal, or says why it is none.
pub fn literal_result(label: &mut Label) -> Result<(), Fault> {
    let mut chars = label.text.chars();
    while let Some(c) = chars.next() {
        if let Some(next) = Some(c).filter(|&c| c == '\\').and_then(|_| chars.next())
            && next.is_ascii_digit()
        {
            let message = format!("`\\{next}` refers to a part of a regular expression, which is not supported");
            return Err(Fault::new(
                label.span.clone(),
                message,
                "write one rule per label, with the new label in full",
            ));
        }
    }
    label.text = unescaped(&label.text, |c| c == '\\').into();
    Ok(())
}

/// The part of a pattern that has a meaning only in a regular expression. A lone dot is too common in labels to count.
fn expression(text: &str) -> Option<String> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        match (c, next) {
            ('\\', Some(n)) if SPECIAL.contains(&n) => {
                chars.next();
            }
            ('\\', Some(n @ ('(' | ')' | '|' | '{' | '}' | '<' | '>' | '0'..='9'))) => return Some(format!("\\{n}")),
            ('.', Some(n @ ('*' | '+'))) => return Some(format!(".{n}")),
            ('*' | '[', _) => return Some(c.into()),
            ('^', _) if at == 0 => return Some(c.into()),
            ('$', None) => return Some(c.into()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> Label {
        Label { text: text.into(), span: 0..1, among: None }
    }

    #[test]
    fn gates_end_at_offers() {
        for (text, expected) in [("G", "G"), ("G !1", "G"), ("G!1", "G"), ("s4(d1)", "s4"), ("G ?x", "G"), ("(a)", "")]
        {
            assert_eq!(gate(text), expected);
        }
    }

    #[test]
    fn expressions_are_told_from_labels() {
        for text in ["A.*", "[AB]", r"\(A\)", "A*", "^A", "A$", ".+", r"A\|B"] {
            assert!(literal(&mut label(text)).is_err(), "{text}");
        }
        for (text, meant) in
            [("rate 0.04", "rate 0.04"), (r"a\[1\]", "a[1]"), (r"\*", "*"), (r"a\b", r"a\b"), (r"a\\", r"a\")]
        {
            let mut label = label(text);
            literal(&mut label).unwrap();
            assert_eq!(&*label.text, meant);
        }
        assert!(literal_result(&mut label(r"\1")).is_err());
        assert!(literal_result(&mut label(r"\\1")).is_ok());
    }
}
