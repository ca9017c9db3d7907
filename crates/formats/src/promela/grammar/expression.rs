//! Expressions and references to variables.

use super::{Grammar, In, Out, keyword, symbol};
use crate::promela::lexer::{Kind, character, is_arrow};
use crate::promela::separators::{Token, name};
use crate::promela::source::Span;
use crate::promela::syntax::{Binary, Expression, ExpressionKind, Part, Pattern, Probe, Reference, Unary};
use crate::text::tokens::some;
use nom::combinator::{cut, opt};
use nom::{Input, Parser};

/// Most operators of one level in a row: each makes the tree deeper.
const LONGEST_CHAIN: usize = 1000;

/// How tightly an operator binds, and what it is.
pub fn operator(token: &Token<'_>) -> Option<(u8, Binary)> {
    if token.kind != Kind::Symbol {
        return None;
    }
    Some(match token.text {
        "||" => (1, Binary::Or),
        "&&" => (2, Binary::And),
        "|" => (3, Binary::BitOr),
        "^" => (4, Binary::BitXor),
        "&" => (5, Binary::BitAnd),
        "==" => (6, Binary::Equal),
        "!=" => (6, Binary::NotEqual),
        "<" => (7, Binary::Less),
        "<=" => (7, Binary::LessEqual),
        ">" => (7, Binary::Greater),
        ">=" => (7, Binary::GreaterEqual),
        "<<" => (8, Binary::ShiftLeft),
        ">>" => (8, Binary::ShiftRight),
        "+" => (9, Binary::Add),
        "-" => (9, Binary::Subtract),
        "*" => (10, Binary::Multiply),
        "/" => (10, Binary::Divide),
        "%" => (10, Binary::Remainder),
        _ => return None,
    })
}

/// The value of a number token; SPIN keeps the lower 32 bits.
fn number(token: &Token<'_>) -> i32 {
    match token.kind {
        Kind::Character => character(token.text).unwrap_or(0),
        _ => token.text.parse::<i64>().unwrap_or(i64::MAX) as i32,
    }
}

fn make(kind: ExpressionKind, span: Span) -> Expression {
    Expression { kind: Box::new(kind), span }
}

/// The first probe that stands where SPIN takes none.
fn misplaced(expression: &Expression, allowed: bool) -> Option<Span> {
    match &*expression.kind {
        ExpressionKind::Probe(..) => (!allowed).then_some(expression.span),
        ExpressionKind::Binary(Binary::And | Binary::Or, a, b) => {
            misplaced(a, allowed).or_else(|| misplaced(b, allowed))
        }
        ExpressionKind::Binary(_, a, b) => misplaced(a, false).or_else(|| misplaced(b, false)),
        ExpressionKind::Unary(_, a) => misplaced(a, false),
        _ => None,
    }
}

impl<'t, 'a: 't> Grammar<'t, 'a> {
    /// An expression; `full(c)` and its like may stand in it, joined by `&&` and `||`.
    pub fn expression(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let (rest, expression) = self.binary(input, 1, depth)?;
        self.without_misplaced(rest, expression, true)
    }

    /// An expression in which `full(c)` and its like may stand anywhere, where SPIN does not read it.
    pub fn anywhere(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        self.binary(input, 1, depth)
    }

    /// An expression without `full(c)` and its like.
    pub fn value(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let (rest, expression) = self.binary(input, 1, depth)?;
        self.without_misplaced(rest, expression, false)
    }

    fn without_misplaced(&self, rest: In<'t, 'a>, expression: Expression, allowed: bool) -> Out<'t, 'a, Expression> {
        match misplaced(&expression, allowed) {
            None => Ok((rest, expression)),
            Some(span) => {
                let probe = self.at(span.first as usize);
                let word = probe.first().map_or("empty", |t| t.text);
                let message = format!("`{word}` cannot be used here");
                let help = "SPIN takes `full`, `empty`, `nfull` and `nempty` alone or joined by `&&` and `||` only; \
                            write `nempty(c)` for `!empty(c)`, or compare `len(c)`";
                probe.refuse_with(message, help)
            }
        }
    }

    /// A constant: numbers and `mtype` constants with `+ - * / %`; or a single name.
    pub fn constant(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let (rest, expression) = self.value(input, depth)?;
        let alone = matches!(&*expression.kind, ExpressionKind::Reference(r) if plain(r))
            && expression.span.first == expression.span.last;
        if alone || self.is_constant(&expression) {
            return Ok((rest, expression));
        }
        let help =
            "it may consist of numbers, `mtype` constants, `+ - * / %` and parentheses; use `#define` for a named one";
        input.refuse_with("this must be a constant", help)
    }

    fn is_constant(&self, expression: &Expression) -> bool {
        match &*expression.kind {
            ExpressionKind::Number(_) => true,
            ExpressionKind::Reference(r) => plain(r) && self.known.mtypes.contains(&*r.parts[0].name.text),
            ExpressionKind::Unary(Unary::Minus, a) => self.is_constant(a),
            ExpressionKind::Binary(
                Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder,
                a,
                b,
            ) => self.is_constant(a) && self.is_constant(b),
            _ => false,
        }
    }

    /// Operands with operators that bind at least so tightly.
    fn binary(&self, input: In<'t, 'a>, least: u8, depth: usize) -> Out<'t, 'a, Expression> {
        let start = input.position();
        let (mut input, mut left) = self.unary(input, depth)?;
        let mut length = 0;
        while let Some((level, operator)) = input.first().and_then(operator).filter(|(level, _)| *level >= least) {
            length += 1;
            if length > LONGEST_CHAIN {
                return input.refuse_with("this expression is too long", "split it up");
            }
            let after = input.take_from(1);
            let (after, right) = cut(|i| self.binary(i, level + 1, depth + 1)).parse(after)?;
            left = make(ExpressionKind::Binary(operator, left, right), self.span(start, after));
            input = after;
        }
        Ok((input, left))
    }

    fn unary(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        self.bounded(input, depth)?;
        let start = input.position();
        let operator = match input.first().filter(|t| t.kind == Kind::Symbol).map(|t| t.text) {
            Some("-") => Unary::Minus,
            Some("!") => Unary::Not,
            Some("~") => Unary::Complement,
            _ => return self.primary(input, depth),
        };
        let after = input.take_from(1);
        let (after, operand) = cut(|i| self.unary(i, depth + 1)).parse(after)?;
        Ok((after, make(ExpressionKind::Unary(operator, operand), self.span(start, after))))
    }

    /// An operand. Used for formulas too, which have parentheses of their own.
    pub fn primary(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let start = input.position();
        let Some(first) = input.first() else { return self.operand(input) };
        let after = input.take_from(1);
        let done = |rest: In<'t, 'a>, kind| Ok((rest, make(kind, self.span(start, rest))));
        match (first.kind, first.text) {
            (Kind::Number | Kind::Character, _) => done(after, ExpressionKind::Number(number(first))),
            (Kind::Keyword, "true" | "skip") => done(after, ExpressionKind::Number(1)),
            (Kind::Keyword, "false") => done(after, ExpressionKind::Number(0)),
            (Kind::Keyword, "timeout") => done(after, ExpressionKind::Timeout),
            (Kind::Keyword, "np_") => done(after, ExpressionKind::NonProgress),
            (Kind::Keyword, "run") => self.run(input, depth),
            (Kind::Keyword, "len") => {
                let (rest, channel) = self.channel_in_parentheses(after, depth)?;
                done(rest, ExpressionKind::Length(channel))
            }
            (Kind::Keyword, "full" | "empty" | "nfull" | "nempty") => {
                let probe = match first.text {
                    "full" => Probe::Full,
                    "empty" => Probe::Empty,
                    "nfull" => Probe::NotFull,
                    _ => Probe::NotEmpty,
                };
                let (rest, channel) = self.channel_in_parentheses(after, depth)?;
                done(rest, ExpressionKind::Probe(probe, channel))
            }
            (Kind::Keyword, "enabled" | "pc_value" | "get_priority") => {
                let (rest, (_, argument, _)) =
                    cut((symbol("("), |i| self.value(i, depth + 1), symbol(")"))).parse(after)?;
                done(
                    rest,
                    match first.text {
                        "enabled" => ExpressionKind::Enabled(argument),
                        "pc_value" => ExpressionKind::PcValue(argument),
                        _ => ExpressionKind::GetPriority(argument),
                    },
                )
            }
            (Kind::Symbol, "(") => self.parenthesised(input, depth),
            (Kind::Name, _) => self.variable(input, depth),
            _ => self.operand(input),
        }
    }

    /// Fails where an operand should be.
    fn operand(&self, input: In<'t, 'a>) -> Out<'t, 'a, Expression> {
        let (rest, _) = some("an expression", |_: &Token<'a>| false)(input)?;
        self.primary(rest, 0)
    }

    fn parenthesised(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let start = input.position();
        let (rest, _) = symbol("(")(input)?;
        let (rest, first) = cut(|i| self.binary(i, 1, depth + 1)).parse(rest)?;
        if !rest.first().is_some_and(|t| t.kind == Kind::Symbol && is_arrow(t.text)) {
            let (rest, _) = cut(symbol(")")).parse(rest)?;
            return Ok((rest, Expression { span: self.span(start, rest), ..first }));
        }
        let (rest, condition) = self.without_misplaced(rest.take_from(1), first, false)?;
        let value = |i| self.value(i, depth + 1);
        let (rest, (yes, _, no, _)) = cut((value, symbol(":"), value, symbol(")"))).parse(rest)?;
        Ok((rest, make(ExpressionKind::Conditional { condition, yes, no }, self.span(start, rest))))
    }

    fn channel_in_parentheses(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Reference> {
        let (rest, (_, channel, _)) = cut((symbol("("), |i| self.reference(i, depth + 1), symbol(")"))).parse(input)?;
        Ok((rest, channel))
    }

    fn run(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let start = input.position();
        let (rest, _) = keyword("run")(input)?;
        let process = some("the name of a proctype", |t: &Token<'a>| t.kind == Kind::Name);
        let (rest, (process, _)) = cut((process, symbol("("))).parse(rest)?;
        let (rest, arguments) = self.arguments(rest, depth)?;
        let (rest, _) = cut(symbol(")")).parse(rest)?;
        let (rest, priority) = self.priority(rest, depth)?;
        let kind = ExpressionKind::Run { process: name(&process), arguments, priority };
        Ok((rest, make(kind, self.span(start, rest))))
    }

    /// `priority n`, or nothing.
    pub fn priority(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Option<Expression>> {
        if !input.first().is_some_and(|t| t.kind == Kind::Keyword && t.text == "priority") {
            return Ok((input, None));
        }
        let number = some("a number", |t: &Token<'a>| matches!(t.kind, Kind::Number | Kind::Character | Kind::Name));
        let after = input.take_from(1);
        cut(number).parse(after)?;
        let (rest, priority) = self.primary(after, depth)?;
        Ok((rest, Some(priority)))
    }

    /// Expressions with commas between them, up to the closing parenthesis.
    pub fn arguments(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Expression>> {
        if input.first().is_some_and(|t| t.kind == Kind::Symbol && t.text == ")") {
            return Ok((input, Vec::new()));
        }
        self.values(input, depth)
    }

    /// One or more expressions with commas between them.
    pub fn values(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Expression>> {
        let (mut input, first) = cut(|i| self.value(i, depth + 1)).parse(input)?;
        let mut values = vec![first];
        while let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
            let (rest, next) = cut(|i| self.value(i, depth + 1)).parse(rest)?;
            values.push(next);
            input = rest;
        }
        Ok((input, values))
    }

    /// A name as an operand: a variable, a poll, or a look into another process.
    fn variable(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Expression> {
        let start = input.position();
        let done = |rest: In<'t, 'a>, kind| Ok((rest, make(kind, self.span(start, rest))));
        let (rest, part) = self.part(input, depth)?;
        let label = |i| some("a label", |t: &Token<'a>| t.kind == Kind::Name)(i);
        match rest.first().filter(|t| t.kind == Kind::Symbol).map(|t| t.text) {
            Some("@") => {
                let (rest, label) = cut(label).parse(rest.take_from(1))?;
                done(rest, ExpressionKind::RemoteLabel { process: part.name, pid: part.index, label: name(&label) })
            }
            Some(":") if self.is_process(&part.name.text, start) => {
                let (rest, variable) = cut(|i| self.part(i, depth + 1)).parse(rest.take_from(1))?;
                done(rest, ExpressionKind::RemoteVariable { process: part.name, pid: part.index, variable })
            }
            _ => {
                let (rest, reference) = self.fields(rest, part, depth)?;
                match rest.first().filter(|t| t.kind == Kind::Symbol).map(|t| t.text) {
                    Some(receive @ ("?" | "??")) => {
                        let after = rest.take_from(1);
                        let (after, _) = cut(symbol("[")).parse(after)?;
                        let (after, arguments) = self.patterns(after, depth)?;
                        let (after, _) = cut(symbol("]")).parse(after)?;
                        let random = receive == "??";
                        done(after, ExpressionKind::Poll { channel: reference, random, arguments })
                    }
                    _ => done(rest, ExpressionKind::Reference(reference)),
                }
            }
        }
    }

    /// A variable or a part of one.
    pub fn reference(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Reference> {
        let (input, first) = self.part(input, depth)?;
        self.fields(input, first, depth)
    }

    /// What follows the first part of a reference.
    fn fields(&self, mut input: In<'t, 'a>, first: Part, depth: usize) -> Out<'t, 'a, Reference> {
        let start = first.name.span.first as usize;
        let mut parts = vec![first];
        while input.first().is_some_and(|t| t.kind == Kind::Symbol && t.text == ".") {
            let (rest, part) = cut(|i| self.part(i, depth)).parse(input.take_from(1))?;
            parts.push(part);
            input = rest;
        }
        Ok((input, Reference { parts, span: self.span(start, input) }))
    }

    fn part(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Part> {
        let (input, token) = some("a variable", |t: &Token<'a>| t.kind == Kind::Name)(input)?;
        let part = |index| Part { name: name(&token), index };
        if !input.first().is_some_and(|t| t.kind == Kind::Symbol && t.text == "[") {
            return Ok((input, part(None)));
        }
        self.bounded(input, depth)?;
        let index = |i| self.value(i, depth + 1);
        let (input, (index, _)) = cut((index, symbol("]"))).parse(input.take_from(1))?;
        Ok((input, part(Some(index))))
    }

    /// What a receive stores or matches: `a,b`, `a(b,c)` or `(a,b)`.
    pub fn patterns(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Pattern>> {
        self.bounded(input, depth)?;
        if let (rest, Some(_)) = opt(symbol("(")).parse(input)? {
            let (rest, (patterns, _)) = cut((|i| self.patterns(i, depth + 1), symbol(")"))).parse(rest)?;
            return Ok((rest, patterns));
        }
        let (mut input, first) = cut(|i| self.pattern(i, depth)).parse(input)?;
        let mut patterns = vec![first];
        loop {
            if let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
                if rest.first().is_some_and(|t| t.kind == Kind::Symbol && t.text == "(") {
                    let (rest, more) = self.patterns(rest, depth + 1)?;
                    patterns.extend(more);
                    return Ok((rest, patterns));
                }
                let (rest, next) = cut(|i| self.pattern(i, depth)).parse(rest)?;
                patterns.push(next);
                input = rest;
            } else if input.first().is_some_and(|t| t.kind == Kind::Symbol && t.text == "(") {
                let (rest, more) = self.patterns(input, depth + 1)?;
                patterns.extend(more);
                return Ok((rest, patterns));
            } else {
                return Ok((input, patterns));
            }
        }
    }

    fn pattern(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Pattern> {
        let start = input.position();
        let Some(first) = input.first() else { return self.no_pattern(input) };
        let after = input.take_from(1);
        let constant = |t: &Token<'_>| match (t.kind, t.text) {
            (Kind::Number | Kind::Character, _) => Some(number(t)),
            (Kind::Keyword, "true" | "skip") => Some(1),
            (Kind::Keyword, "false") => Some(0),
            _ => None,
        };
        match (first.kind, first.text) {
            (Kind::Name, _) => {
                let (rest, reference) = self.reference(input, depth)?;
                Ok((rest, Pattern::Reference(reference)))
            }
            (Kind::Keyword, "eval") => {
                let (rest, (_, value, _)) =
                    cut((symbol("("), |i| self.value(i, depth + 1), symbol(")"))).parse(after)?;
                Ok((rest, Pattern::Eval(value)))
            }
            (Kind::Symbol, "-") => {
                let digits = some("a number", |t: &Token<'a>| constant(t).is_some());
                let (rest, digits) = cut(digits).parse(after)?;
                let value = constant(&digits).unwrap_or(0).wrapping_neg();
                Ok((rest, Pattern::Number { value, span: self.span(start, rest) }))
            }
            _ => match constant(first) {
                Some(value) => Ok((after, Pattern::Number { value, span: self.span(start, after) })),
                None => self.no_pattern(input),
            },
        }
    }

    fn no_pattern(&self, input: In<'t, 'a>) -> Out<'t, 'a, Pattern> {
        let nothing = some("a variable, a constant or `eval(…)`", |_: &Token<'a>| false);
        nothing(input)
            .map(|(rest, token)| (rest, Pattern::Number { value: 0, span: super::super::span(&token, &token) }))
    }
}

/// A name without index and fields.
fn plain(reference: &Reference) -> bool {
    matches!(&*reference.parts, [part] if part.index.is_none())
}
