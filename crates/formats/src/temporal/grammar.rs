//! Operators and what is between them.

use super::{Idiom, OPTION};
use crate::diag::Diagnostic;
use crate::text::inline;
use prequel_model::Temporal;
use prequel_model::temporal::{Binary, Unary};
use std::ops::Range;

/// Parentheses and operators within each other: bounds the recursion of everything that walks a formula.
const DEEPEST: usize = 200;
/// Operators of a formula.
const MOST_OPERATORS: usize = 1_000;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Quoted,
    Open,
    Close,
    Sign,
}

#[derive(Clone, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    span: Range<usize>,
}

/// Signs that are told from their first characters alone.
const SIGNS: [&str; 16] =
    ["<->", "->", "[]", "<>", "&&", "||", "/\\", "\\/", "!=", "==", "<=", ">=", "!", "&", "|", "="];

/// A formula over the places of its atoms.
type Formula = Temporal<Range<usize>>;
type Parsed<T> = Result<T, Vec<Diagnostic>>;

/// Reads a formula; its atoms are parts of the text.
pub fn formula(text: &str, idiom: &Idiom<'_>) -> Parsed<Formula> {
    let tokens = cut(text, idiom)?;
    let is_operator = |token: &&Token<'_>| joint(token.text, idiom.single).is_some() || unary(token.text).is_some();
    let operators = tokens.iter().filter(is_operator).count();
    let mut grammar = Grammar { text, idiom, tokens, at: 0 };
    if operators > MOST_OPERATORS {
        return Err(grammar.error(0, "this formula is too long", "split it up"));
    }
    let formula = grammar.joined(1, 0)?;
    match grammar.tokens.get(grammar.at) {
        None => Ok(formula),
        Some(_) => Err(grammar.error(grammar.at, "expected an operator or the end of the formula", "")),
    }
}

fn cut<'a>(text: &'a str, idiom: &Idiom<'_>) -> Parsed<Vec<Token<'a>>> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        let (kind, length) = if matches!(first, '\'' | '"') && idiom.quotes {
            let behind = inline::quoted(rest).map_err(|_| {
                vec![inline::error(OPTION, text, at..at + 1, "this quote is not closed", "end the name with a quote")]
            })?;
            (Kind::Quoted, rest.len() - behind.0.len())
        } else if let Some(sign) = sign {
            (Kind::Sign, sign.len())
        } else if (idiom.bare)(first) {
            (Kind::Word, word(rest, idiom))
        } else {
            let kind = match first {
                '(' | '[' | '{' => Kind::Open,
                ')' | ']' | '}' => Kind::Close,
                _ => Kind::Sign,
            };
            (kind, first.len_utf8())
        };
        tokens.push(Token { kind, text: &rest[..length], span: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// The length of the name that a text begins with: an arrow is no part of it.
fn word(text: &str, idiom: &Idiom<'_>) -> usize {
    let ends = |&(at, c): &(usize, char)| !(idiom.bare)(c) || text[at..].starts_with("->");
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

struct Grammar<'a, 'i> {
    text: &'a str,
    idiom: &'i Idiom<'i>,
    tokens: Vec<Token<'a>>,
    at: usize,
}

/// The level of an operator between two formulas, and what it is.
fn joint(text: &str, single: bool) -> Option<(u8, Binary)> {
    Some(match text {
        "->" | "implies" | "imply" => (1, Binary::Implies),
        "<->" | "equivalent" => (1, Binary::Equivalent),
        "||" | "\\/" | "or" | "OR" => (2, Binary::Or),
        "|" if single => (2, Binary::Or),
        "&&" | "/\\" | "and" | "AND" => (3, Binary::And),
        "&" if single => (3, Binary::And),
        "U" | "until" | "stronguntil" => (4, Binary::Until),
        "W" | "weakuntil" => (4, Binary::WeakUntil),
        "V" | "release" => (4, Binary::Release),
        _ => return None,
    })
}

/// The operator before a formula.
fn unary(text: &str) -> Option<Unary> {
    Some(match text {
        "!" | "not" | "NOT" => Unary::Not,
        "[]" | "always" => Unary::Always,
        "<>" | "eventually" => Unary::Eventually,
        "X" | "next" => Unary::Next,
        _ => return None,
    })
}

impl Grammar<'_, '_> {
    fn error(&self, at: usize, message: impl Into<String>, help: &str) -> Vec<Diagnostic> {
        let end = self.text.len();
        let span = self.tokens.get(at).map_or(end..end, |token| token.span.clone());
        vec![inline::error(OPTION, self.text, span, message, help)]
    }

    /// The operator at a token, if it joins formulas.
    fn joint(&self, at: usize) -> Option<(u8, Binary)> {
        let token = self.tokens.get(at).filter(|token| matches!(token.kind, Kind::Word | Kind::Sign))?;
        let of_name = token.text == "->"
            && at.checked_sub(1).is_some_and(|before| self.idiom.owners.contains(&self.tokens[before].text));
        joint(token.text, self.idiom.single).filter(|_| !of_name)
    }

    fn joined(&mut self, least: u8, depth: usize) -> Parsed<Formula> {
        let mut left = self.prefixed(depth)?;
        let mut before = None;
        while let Some((level, op)) = self.joint(self.at).filter(|(level, _)| *level >= least) {
            let associates = matches!(op, Binary::And | Binary::Or);
            if before == Some(level) && !associates {
                let help = "put parentheses around two of them";
                return Err(self.error(self.at, "it is open which operator comes first here", help));
            }
            self.at += 1;
            let right = self.joined(level + 1, depth + 1)?;
            left = Temporal::two(op, left, right);
            before = Some(level);
        }
        Ok(left)
    }

    /// The operator before a formula at the present token.
    fn prefix(&self) -> Option<Unary> {
        let token = self.tokens.get(self.at)?;
        let op = unary(token.text)?;
        let next = self.tokens.get(self.at + 1);
        let starts = |token: &Token<'_>| {
            let sign = matches!(token.text, "!" | "[]" | "<>" | "-" | "~");
            !matches!(token.kind, Kind::Sign | Kind::Close) && self.joint(self.at + 1).is_none() && token.text != "["
                || sign
        };
        // What is called like an operator may be compared with something.
        (token.kind == Kind::Sign || next.is_some_and(starts)).then_some(op)
    }

    fn prefixed(&mut self, depth: usize) -> Parsed<Formula> {
        if depth > DEEPEST {
            return Err(self.error(self.at, format!("more than {DEEPEST} operators within each other"), "split it up"));
        }
        let Some(op) = self.prefix() else { return self.primary(depth) };
        let here = self.at;
        self.at += 1;
        let start = self.at;
        let operand = self.prefixed(depth + 1)?;
        let compares = self.tokens[start..self.at]
            .iter()
            .any(|token| matches!(token.text, "==" | "!=" | "<" | "<=" | ">" | ">=" | "="));
        if op == Unary::Not && !self.idiom.denies_comparisons && compares && matches!(operand, Temporal::Atom(_)) {
            let is_group = self.tokens[start].text == "(" && self.closing(start)? + 1 == self.at;
            if !is_group {
                let help = "put parentheses, as in `!(x == 1)`";
                return Err(self.error(here, "it is open how much of the comparison this is about", help));
            }
        }
        Ok(Temporal::one(op, operand))
    }

    /// The token that closes what is opened at another.
    fn closing(&self, open: usize) -> Parsed<usize> {
        let mut depth = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Ok(at);
            }
        }
        Err(self.error(open, format!("this `{}` is not closed", self.tokens[open].text), ""))
    }

    fn primary(&mut self, depth: usize) -> Parsed<Formula> {
        let start = self.at;
        if self.tokens.get(start).is_some_and(|token| token.text == "(") {
            let close = self.closing(start)?;
            let ends = |token: &Token<'_>| token.kind == Kind::Close;
            let next = self.tokens.get(close + 1);
            if next.is_none_or(ends) || self.joint(close + 1).is_some() {
                self.at += 1;
                let inner = self.joined(1, depth + 1)?;
                if self.at != close {
                    return Err(self.error(self.at, "expected an operator or `)`", ""));
                }
                self.at = close + 1;
                return Ok(inner);
            }
        }
        while self.tokens.get(self.at).is_some_and(|token| token.kind != Kind::Close) && self.joint(self.at).is_none() {
            self.at = if self.tokens[self.at].kind == Kind::Open { self.closing(self.at)? } else { self.at } + 1;
        }
        match &self.tokens[start..self.at] {
            [] => Err(self.error(start, "expected a formula", "operators stand between formulas or before one")),
            [one] if matches!(one.text, "true" | "TRUE") => Ok(Temporal::Constant(true)),
            [one] if matches!(one.text, "false" | "FALSE") => Ok(Temporal::Constant(false)),
            [first, .., last] => Ok(Temporal::Atom(first.span.start..last.span.end)),
            [one] => Ok(Temporal::Atom(one.span.clone())),
        }
    }
}
