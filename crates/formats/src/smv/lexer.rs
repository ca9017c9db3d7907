//! Words, numbers and symbols of `.smv` files.

use crate::text::words::Lexis;

/// How such files are cut into tokens.
pub const LEXIS: Lexis = Lexis {
    line_comment: "--",
    comment: ("/--", "--/"),
    symbols: &[
        "<->", ":=", "->", "!=", "<=", ">=", "..", "&&", "||", "&", "|", "!", "=", "<", ">", "+", "-", "*", "/", "?",
        "{", "}", "(", ")", ",", ";", ":", ".",
    ],
    quotes: true,
    word,
};

/// How long the word is that a text begins with. As in NuSMV a minus can be inside a name, though not at its end: `a->b` is an
/// implication.
fn word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inside = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"_$#".contains(b));
    let mut end = 1;
    while inside(end) || (bytes.get(end) == Some(&b'-') && inside(end + 1)) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_a_minus_can_be_in_a_name() {
        let (tokens, faults) = LEXIS.cut("a-1 := b->c; -- x\n/-- y --/ 0..7 d--z\n\"odd name\" % <->");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["a-1", ":=", "b", "->", "c", ";", "0", "..", "7", "d", "\"odd name\"", "<->"]);
        assert_eq!(faults, [(49..50, "`%` has no meaning here".to_owned())]);
        assert_eq!(LEXIS.cut("a /-- b").1.len(), 1);
        assert_eq!(LEXIS.cut("a \"b\n").1.len(), 1);
    }
}
