//! Names that SPIN and the C compiler behind it both accept.
//!
//! Every identifier has a prefix that says what it is. That also keeps clear of Promela's keywords, of macros that the C
//! preprocessor knows (`linux`), and of what `pan.c` makes of a name: a proctype `ptr` would redefine its `Pptr`.

use std::collections::HashSet;

/// Longer names are cut; the comment beside has all of it.
const LONGEST: usize = 40;

/// Gives out identifiers, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    number: usize,
}

impl Names {
    /// An identifier as close to a name as possible.
    pub fn identifier(&mut self, prefix: &str, name: &str) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let plain: String = prefix.chars().chain(name.chars().take(LONGEST).map(safe)).collect();
        let mut identifier = plain.clone();
        while !self.taken.insert(identifier.clone()) {
            self.number += 1;
            identifier = format!("{plain}_{}", self.number);
        }
        identifier
    }
}

/// Text between the marks of a comment: on one line, and without a mark that would end or nest it.
pub(crate) fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
    text.replace('*', " * ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_safe_and_differ() {
        let mut names = Names::default();
        assert_eq!(names.identifier("on_", "a.b!c"), "on_a_b_c");
        assert_eq!(names.identifier("on_", "a b c"), "on_a_b_c_1");
        assert_eq!(names.identifier("on_", ""), "on_");
        assert_eq!(names.identifier("at_", &"x".repeat(90)).len(), 43);
    }

    #[test]
    fn a_comment_cannot_be_left() {
        for text in ["a */ b", "/*", "**/", "*/*/", "a\nb", "é"] {
            let comment = comment(text);
            assert!(!comment.contains("*/") && !comment.contains("/*") && comment.is_ascii(), "{comment}");
        }
    }
}
