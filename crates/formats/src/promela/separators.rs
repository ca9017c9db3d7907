//! Where a line end stands for `;`, and where a `;` is redundant: what SPIN's lexer does between lexer and grammar.

use super::lexer::{Kind, Lexeme, is_arrow};
use super::source::{Origin, Sources, Via};
use super::syntax::Name;
use crate::text::tokens;
use rustc_hash::FxHashSet;

/// A token of the grammar; it starts at its number.
pub type Token<'a> = tokens::Token<'a, Kind>;

/// How a line end that separates is written.
pub const LINE_END: &str = "\n";

/// The name that a token is.
pub fn name(token: &Token<'_>) -> Name {
    Name { text: token.text.into(), span: super::span(token, token) }
}

/// Puts separators where SPIN sees them, and numbers the tokens.
pub fn separate<'a>(lexemes: &[Lexeme<'a>], sources: &mut Sources) -> Vec<Token<'a>> {
    let mut run = Run {
        rest: lexemes,
        sources,
        out: Vec::with_capacity(lexemes.len()),
        types: FxHashSet::default(),
        braces: 0,
        parentheses: 0,
        body_next: false,
        in_body: false,
        before: None,
        broken: false,
        last: None,
        hold: None,
    };
    while run.step() {}
    run.out
}

/// Numbers the tokens of an expression, in which no line end separates; `first` come before them.
pub fn plain<'a>(lexemes: &[Lexeme<'a>], first: usize, sources: &mut Sources) -> Vec<Token<'a>> {
    sources.tokens.extend(lexemes.iter().map(|lexeme| lexeme.origin));
    let number = |(at, lexeme): (usize, &Lexeme<'a>)| Token { kind: lexeme.kind, text: lexeme.text, start: first + at };
    lexemes.iter().enumerate().map(number).collect()
}

struct Run<'a, 'l, 's> {
    rest: &'l [Lexeme<'a>],
    sources: &'s mut Sources,
    out: Vec<Token<'a>>,
    /// Names of types and proctypes: a line end after them separates nothing.
    types: FxHashSet<&'a str>,
    braces: usize,
    parentheses: usize,
    /// The next brace opens a body or a typedef.
    body_next: bool,
    in_body: bool,
    /// The token that was read last.
    before: Option<Lexeme<'a>>,
    /// The line end before the next token was dealt with.
    broken: bool,
    /// The token that was written last, unless it was an inserted separator.
    last: Option<Lexeme<'a>>,
    hold: Option<Lexeme<'a>>,
}

fn separates(l: &Lexeme<'_>) -> bool {
    l.kind == Kind::Separator || l.kind == Kind::Symbol && is_arrow(l.text)
}

impl<'a> Run<'a, '_, '_> {
    fn write(&mut self, lexeme: Lexeme<'a>) {
        self.out.push(Token { kind: lexeme.kind, text: lexeme.text, start: self.out.len() });
        self.sources.tokens.push(lexeme.origin);
    }

    /// A separator behind the token that was read last.
    fn inserted(&self) -> Lexeme<'a> {
        let origin = self.before.map_or(Origin { file: 0, start: 0, end: 0, via: None }, |l| l.origin);
        let origin = if origin.via.is_none() { Origin { start: origin.end, ..origin } } else { origin };
        Lexeme { kind: Kind::Separator, text: LINE_END, origin, fresh: false }
    }

    /// Whether a line end after the last token separates.
    fn line_end_counts(&self) -> bool {
        let Some(before) = &self.before else { return false };
        self.in_body
            && self.parentheses == 0
            && match before.kind {
                Kind::Name => !self.types.contains(before.text),
                Kind::Number | Kind::Character => true,
                Kind::Symbol => matches!(before.text, "}" | ")" | "]" | "++" | "--"),
                Kind::Keyword => match before.text {
                    "od" | "fi" | "else" | "break" | "true" | "false" | "skip" => true,
                    // SPIN puts parentheses around it, but not in an inline.
                    "timeout" => {
                        !matches!(self.sources.via(&before.origin), Some(Via::Call { .. } | Via::Argument { .. }))
                    }
                    _ => false,
                },
                _ => false,
            }
    }

    /// The next token, or the separator that a line end stands for.
    fn read(&mut self) -> Option<Lexeme<'a>> {
        while self.formula() {}
        let (first, rest) = self.rest.split_first()?;
        if first.fresh && !std::mem::replace(&mut self.broken, true) && self.line_end_counts() {
            let before_unless = self.before.is_some_and(|b| b.is("}")) && first.text.starts_with('u');
            if !before_unless {
                let separator = self.inserted();
                self.before = Some(separator);
                return Some(separator);
            }
        }
        self.broken = false;
        self.rest = rest;
        if matches!(self.before, Some(b) if b.is("typedef") || b.is("proctype") || b.is("D_proctype")) {
            self.types.insert(first.text);
        }
        match first.text {
            _ if first.kind == Kind::Text || first.kind == Kind::Character => {}
            "proctype" | "D_proctype" | "init" | "never" | "trace" | "notrace" | "typedef" if self.braces == 0 => {
                self.body_next = true;
            }
            "{" => {
                if self.braces == 0 {
                    self.in_body = std::mem::take(&mut self.body_next);
                }
                self.braces += 1;
            }
            "}" => {
                self.braces = self.braces.saturating_sub(1);
                if self.braces == 0 {
                    self.in_body = false;
                    self.parentheses = 0;
                }
            }
            "(" => self.parentheses += 1,
            ")" => self.parentheses = self.parentheses.saturating_sub(1),
            _ => {}
        }
        self.before = Some(*first);
        Some(*first)
    }

    /// SPIN reads formulas after all else; their line ends mean nothing.
    fn formula(&mut self) -> bool {
        if self.braces > 0 || !self.rest.first().is_some_and(|l| l.is("ltl")) {
            return false;
        }
        let mut depth = 0usize;
        let end = self.rest.iter().position(|l| {
            if l.is("{") {
                depth += 1;
            }
            l.is("}") && {
                depth = depth.saturating_sub(1);
                depth == 0
            }
        });
        let (formula, rest) = self.rest.split_at(end.map_or(self.rest.len(), |end| end + 1));
        // A separator before the closing brace is redundant here too.
        let redundant = formula.len().checked_sub(2).filter(|at| separates(&formula[*at]));
        for (at, lexeme) in formula.iter().enumerate() {
            if Some(at) != redundant {
                self.write(*lexeme);
            }
        }
        self.rest = rest;
        true
    }

    fn step(&mut self) -> bool {
        let next = match self.hold.take() {
            Some(held) => held,
            None => {
                let Some(next) = self.read() else { return false };
                let after_else = self.last.is_some_and(|l| l.is("else")) && !separates(&next) && !next.is("fi");
                let after_brace = self.last.is_some_and(|l| l.is("}")) && !separates(&next) && !continues(&next);
                if after_else || after_brace {
                    let at = Lexeme { origin: next.origin, ..self.inserted() };
                    self.hold = Some(next);
                    self.last = None;
                    self.write(at);
                    return true;
                }
                match separates(&next) {
                    true => match self.read() {
                        // Only the later of two is needed, and none before a brace.
                        Some(after) if separates(&after) || after.is("}") => after,
                        after => {
                            self.hold = after;
                            next
                        }
                    },
                    false => next,
                }
            }
        };
        self.last = Some(next);
        self.write(next);
        true
    }
}

/// What may follow a closing brace without a separator.
fn continues(next: &Lexeme<'_>) -> bool {
    ["proctype", "init", "never", "::", "fi", "od", "}", "unless"].iter().any(|text| next.is(text))
}
