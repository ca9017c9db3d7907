//! Words, numbers and symbols of `.dve` files.

use crate::text::words::Lexis;

/// How such files are cut into tokens.
pub const LEXIS: Lexis = Lexis {
    line_comment: "//",
    comment: ("/*", "*/"),
    symbols: &[
        "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|",
        "^", "~", "!", "?", "{", "}", "(", ")", "[", "]", ",", ";", ":", ".", "@",
    ],
    quotes: false,
    word: |text| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len()),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_symbols_are_as_long_as_they_can_be() {
        let (tokens, faults) = LEXIS.cut("q->q{guard a<=b-1;} // x\n/* y */ c!=1 $ d");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["q", "->", "q", "{", "guard", "a", "<=", "b", "-", "1", ";", "}", "c", "!=", "1", "d"]);
        assert_eq!(faults, [(38..39, "`$` has no meaning here".to_owned())]);
        assert_eq!(LEXIS.cut("a /* b").1.len(), 1);
    }
}
