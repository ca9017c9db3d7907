//! Statements and sequences of them, with recovery where one is wrong.

use super::{Closer, Grammar, In, Out, is_keyword, is_symbol, keyword, separator, symbol};
use crate::promela::lexer::Kind;
use crate::promela::separators::{Token, name};
use crate::promela::syntax::{
    Choice, Direction, Expression, ExpressionKind, Name, Range, Reference, Sequence, Statement, StatementKind,
};
use crate::text::tokens::some;
use nom::combinator::{cut, opt};
use nom::{Input, Parser};

/// Types and what may stand before them.
const DECLARING: [&str; 13] =
    ["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype", "hidden", "show", "local", "typedef"];

impl<'t, 'a: 't> Grammar<'t, 'a> {
    /// `{ … }`
    pub fn block(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Sequence> {
        let opening = input;
        let (input, _) = symbol("{")(input)?;
        let (input, body) = self.enclosed(input, Closer::Brace, depth);
        Ok((self.close(input, Closer::Brace, opening), body))
    }

    /// A sequence inside a construct that ends with `closer`.
    fn enclosed(&self, input: In<'t, 'a>, closer: Closer, depth: usize) -> (In<'t, 'a>, Sequence) {
        self.closers.borrow_mut().push(closer);
        let found = self.sequence(input, depth + 1);
        self.closers.borrow_mut().pop();
        found
    }

    /// Takes what closes a construct, or reports that it is missing and goes on as if it were there.
    fn close(&self, input: In<'t, 'a>, closer: Closer, opening: In<'t, 'a>) -> In<'t, 'a> {
        if input.first().is_some_and(|t| closer.is(t)) {
            return input.take_from(1);
        }
        self.missing(input, closer, opening);
        if self.mistaken(input) { input.take_from(1) } else { input }
    }

    /// Statements up to what ends a sequence. Wrong ones are reported and left out.
    fn sequence(&self, mut input: In<'t, 'a>, depth: usize) -> (In<'t, 'a>, Sequence) {
        let mut statements = Vec::new();
        loop {
            let start = input;
            match self.step(input, depth) {
                Ok((rest, statement)) => {
                    statements.push(statement);
                    input = rest;
                    if ends(input) {
                        return (input, statements);
                    }
                    if !separates(input) {
                        self.unseparated(input);
                        input = self.resume(input);
                    }
                }
                Err(_) => {
                    let at = self.report_here(start);
                    input = self.resume(self.at(at.max(start.position())));
                }
            }
            while separates(input) {
                input = input.take_from(1);
            }
            if ends(input) {
                return (input, statements);
            }
            if input.position() == start.position() {
                input = input.take_from(1);
            }
        }
    }

    /// Does something where, if `inside`, `break` has a loop to leave.
    fn in_loop<T>(&self, inside: bool, what: impl FnOnce() -> T) -> T {
        let outside = self.loops.get();
        self.loops.set(outside + usize::from(inside));
        let done = what();
        self.loops.set(outside);
        done
    }

    /// Where the next statement may start: behind the parts that belong together.
    fn resume(&self, mut input: In<'t, 'a>) -> In<'t, 'a> {
        let mut open = 0usize;
        while let Some(token) = input.first() {
            let opens = is_symbol(token, "{") || is_keyword(token, "if") || is_keyword(token, "do");
            let closes = is_symbol(token, "}") || is_keyword(token, "fi") || is_keyword(token, "od");
            if open == 0 && (separates(input) || ends(input)) || unit(token) {
                break;
            }
            if opens {
                open += 1;
            } else if closes {
                open = open.saturating_sub(1);
            }
            input = input.take_from(1);
        }
        input
    }

    /// A statement, or two with `unless` between them.
    fn step(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Statement> {
        self.bounded(input, depth)?;
        let start = input.position();
        let (rest, body) = self.statement(input, depth)?;
        if !rest.first().is_some_and(|t| is_keyword(t, "unless")) {
            return Ok((rest, body));
        }
        // After a loop, the escape may break out of it.
        let escape = self.in_loop(true, || cut(|i| self.statement(i, depth)).parse(rest.take_from(1)));
        let (rest, escape) = escape?;
        let kind = StatementKind::Unless { body: Box::new(body), escape: Box::new(escape) };
        Ok((rest, Statement { labels: Vec::new(), kind, span: self.span(start, rest) }))
    }

    fn statement(&self, mut input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Statement> {
        let mut labels: Vec<Name> = Vec::new();
        while let Some(token) = self.label(input) {
            labels.push(name(token));
            input = input.take_from(2);
        }
        if let Some(last) = labels.last().filter(|_| ends(input) || separates(input)) {
            let kind =
                StatementKind::Condition(Expression { kind: Box::new(ExpressionKind::Number(1)), span: last.span });
            let span = last.span;
            return Ok((input, Statement { labels, kind, span }));
        }
        let start = input.position();
        let (rest, kind) = self.unlabelled(input, depth)?;
        if !labels.is_empty() && matches!(kind, StatementKind::Declaration(_) | StatementKind::Exclusive { .. }) {
            return self.at(start).refuse_with("a declaration cannot have a label", "put `skip;` before it");
        }
        Ok((rest, Statement { labels, kind, span: self.span(start, rest) }))
    }

    /// The label that the input starts with.
    fn label(&self, input: In<'t, 'a>) -> Option<&'t Token<'a>> {
        let first = input.first()?;
        let colon = input.take_from(1).first().is_some_and(|t| is_symbol(t, ":"));
        (first.kind == Kind::Name && colon && !self.is_process(first.text, input.position())).then_some(first)
    }

    /// Whether a declaration starts here.
    fn declares(&self, input: In<'t, 'a>) -> bool {
        let Some(first) = input.first() else { return false };
        match first.kind {
            Kind::Keyword => DECLARING.contains(&first.text),
            Kind::Name => input.take_from(1).first().is_some_and(|t| t.kind == Kind::Name),
            _ => false,
        }
    }

    fn unlabelled(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        if self.declares(input) {
            let (rest, declaration) = self.declaration(input, depth)?;
            return Ok((rest, StatementKind::Declaration(declaration)));
        }
        let Some(first) = input.first() else { return self.no_statement(input) };
        let after = input.take_from(1);
        match (first.kind, first.text) {
            (Kind::Symbol, "{") => {
                let (rest, body) = self.block(input, depth)?;
                Ok((rest, StatementKind::Block(body)))
            }
            (Kind::Call, _) => {
                let (rest, body) = self.block(after, depth)?;
                Ok((rest, StatementKind::Inlined { name: name(first), body }))
            }
            (Kind::Name, _) => self.on_variable(input, depth),
            (Kind::Keyword, "if" | "do") => self.selection(input, depth),
            (Kind::Keyword, "for") => self.repetition(input, depth),
            (Kind::Keyword, "select") => self.choice_of_number(after, depth),
            (Kind::Keyword, "atomic" | "d_step") => {
                let (rest, body) = cut(|i| self.block(i, depth)).parse(after)?;
                let atomic = first.text == "atomic";
                Ok((rest, if atomic { StatementKind::Atomic(body) } else { StatementKind::DStep(body) }))
            }
            (Kind::Keyword, "break") if self.loops.get() == 0 => input.refuse_with(
                "`break` stands in no loop",
                "it leaves the `do` or `for` around it; use `goto` elsewhere",
            ),
            (Kind::Keyword, "break") => Ok((after, StatementKind::Break)),
            (Kind::Keyword, "else") => Ok((after, StatementKind::Else)),
            (Kind::Keyword, "goto") => {
                let (rest, label) = cut(some("a label", |t: &Token<'a>| t.kind == Kind::Name)).parse(after)?;
                Ok((rest, StatementKind::Goto(name(&label))))
            }
            (Kind::Keyword, "assert") => {
                let (rest, condition) = cut(|i| self.expression(i, depth + 1)).parse(after)?;
                Ok((rest, StatementKind::Assert(condition)))
            }
            (Kind::Keyword, "printf") => self.print(after, depth),
            (Kind::Keyword, "printm") => {
                let (rest, (_, value, _)) =
                    cut((symbol("("), |i| self.value(i, depth + 1), symbol(")"))).parse(after)?;
                Ok((rest, StatementKind::Printm(value)))
            }
            (Kind::Keyword, "set_priority") => {
                let value = |i| self.value(i, depth + 1);
                let all = (symbol("("), value, symbol(","), value, symbol(")"));
                let (rest, (_, process, _, priority, _)) = cut(all).parse(after)?;
                Ok((rest, StatementKind::SetPriority { process, priority }))
            }
            (Kind::Keyword, "return") => self.returned(input, depth),
            (Kind::Keyword, "xr" | "xs") => {
                let (rest, channels) = self.references(after, depth)?;
                let direction = if first.text == "xr" { Direction::Receive } else { Direction::Send };
                Ok((rest, StatementKind::Exclusive { direction, channels }))
            }
            _ if starts_expression(first) => self.condition(input, depth),
            _ => self.no_statement(input),
        }
    }

    /// Fails where a statement should be.
    fn no_statement(&self, input: In<'t, 'a>) -> Out<'t, 'a, StatementKind> {
        some("a statement", |_: &Token<'a>| false)(input).map(|(rest, _)| (rest, StatementKind::Break))
    }

    fn condition(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let (rest, condition) = self.expression(input, depth + 1)?;
        Ok((rest, StatementKind::Condition(condition)))
    }

    fn references(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Reference>> {
        let (mut input, first) = cut(|i| self.reference(i, depth + 1)).parse(input)?;
        let mut all = vec![first];
        while let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
            let (rest, next) = cut(|i| self.reference(i, depth + 1)).parse(rest)?;
            all.push(next);
            input = rest;
        }
        Ok((input, all))
    }

    /// A statement that starts with a variable.
    fn on_variable(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        // Other uses of a name, such as `P@L`, are expressions.
        let Ok((rest, target)) = self.reference(input, depth + 1) else { return self.condition(input, depth) };
        let Some(next) = rest.first().filter(|t| t.kind == Kind::Symbol) else { return self.condition(input, depth) };
        let after = rest.take_from(1);
        match next.text {
            "=" => {
                if let Some(call) = after.first().filter(|t| t.kind == Kind::Call) {
                    self.targets.borrow_mut().push(target);
                    let block = cut(|i| self.block(i, depth)).parse(after.take_from(1));
                    self.targets.borrow_mut().pop();
                    let (rest, body) = block?;
                    return Ok((rest, StatementKind::Inlined { name: name(call), body }));
                }
                let (rest, value) = cut(|i| self.expression(i, depth + 1)).parse(after)?;
                Ok((rest, StatementKind::Assign { target, value }))
            }
            "++" => Ok((after, StatementKind::Increment(target))),
            "--" => Ok((after, StatementKind::Decrement(target))),
            "!" | "!!" => {
                let sorted = next.text == "!!";
                let (rest, mut arguments) = self.values(after, depth + 1)?;
                if arguments.len() == 1 && rest.first().is_some_and(|t| is_symbol(t, "(")) {
                    let (rest, more) = self.values(rest.take_from(1), depth + 1)?;
                    let (rest, _) = cut(symbol(")")).parse(rest)?;
                    arguments.extend(more);
                    return Ok((rest, StatementKind::Send { channel: target, sorted, arguments }));
                }
                Ok((rest, StatementKind::Send { channel: target, sorted, arguments }))
            }
            "?" | "??" if !after.first().is_some_and(|t| is_symbol(t, "[")) => {
                let random = next.text == "??";
                let (rest, keep) = opt(symbol("<")).parse(after)?;
                let (rest, arguments) = self.patterns(rest, depth + 1)?;
                let rest = if keep.is_some() { cut(symbol(">")).parse(rest)?.0 } else { rest };
                Ok((rest, StatementKind::Receive { channel: target, random, keep: keep.is_some(), arguments }))
            }
            _ => self.condition(input, depth),
        }
    }

    /// `return e` in an inline that was called as `x = f()`.
    fn returned(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let (rest, value) = cut(|i| self.expression(i, depth + 1)).parse(input.take_from(1))?;
        match self.targets.borrow().last() {
            Some(target) => Ok((rest, StatementKind::Assign { target: target.clone(), value })),
            None => {
                let help = "it may stand in an inline that is called as `x = f()`";
                input.refuse_with("`return` has nothing to return to here", help)
            }
        }
    }

    fn print(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let format = some("a string", |t: &Token<'a>| t.kind == Kind::Text);
        let (rest, (_, format)) = cut((symbol("("), format)).parse(input)?;
        let (rest, arguments) = match opt(symbol(",")).parse(rest)? {
            (rest, Some(_)) => self.values(rest, depth)?,
            (rest, None) => (rest, Vec::new()),
        };
        let (rest, _) = cut(symbol(")")).parse(rest)?;
        Ok((rest, StatementKind::Printf { format: format.text.into(), arguments }))
    }

    /// `if … fi` and `do … od`
    fn selection(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let opening = input;
        let repeats = input.first().is_some_and(|t| t.text == "do");
        let closer = if repeats { Closer::Od } else { Closer::Fi };
        let mut input = input.take_from(1);
        let mut choices = Vec::new();
        // SPIN wants `::` here; a line end after `if` is none that separates.
        cut(symbol("::")).parse(input)?;
        while input.first().is_some_and(|t| is_symbol(t, "::")) {
            let start = input.position();
            let (rest, body) = self.in_loop(repeats, || self.enclosed(input.take_from(1), closer, depth));
            choices.push(Choice { body, span: self.span(start, rest) });
            input = rest;
        }
        let input = self.close(input, closer, opening);
        Ok((input, if repeats { StatementKind::Do(choices) } else { StatementKind::If(choices) }))
    }

    fn repetition(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let head = (keyword("for"), symbol("("), |i| self.reference(i, depth + 1));
        let (rest, (_, _, variable)) = cut(head).parse(input)?;
        let (rest, over) = if rest.first().is_some_and(|t| t.kind == Kind::Name && t.text == "in") {
            let (rest, array) = cut(|i| self.reference(i, depth + 1)).parse(rest.take_from(1))?;
            (rest, Range::In(array))
        } else {
            let (rest, (from, to)) = self.range(rest, depth)?;
            (rest, Range::Numbers { from, to })
        };
        let (rest, _) = cut(symbol(")")).parse(rest)?;
        let (rest, _) = opt(separator).parse(rest)?;
        let (rest, body) = self.in_loop(true, || cut(|i| self.block(i, depth)).parse(rest))?;
        Ok((rest, StatementKind::For { variable, over, body }))
    }

    /// `: from .. to`
    fn range(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, (Expression, Expression)> {
        let value = |i| self.value(i, depth + 1);
        let (rest, (_, from, _, to)) = cut((symbol(":"), value, symbol(".."), value)).parse(input)?;
        Ok((rest, (from, to)))
    }

    fn choice_of_number(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, StatementKind> {
        let (rest, (_, variable)) = cut((symbol("("), |i| self.reference(i, depth + 1))).parse(input)?;
        let (rest, (from, to)) = self.range(rest, depth)?;
        let (rest, _) = cut(symbol(")")).parse(rest)?;
        Ok((rest, StatementKind::Select { variable, from, to }))
    }
}

fn separates(input: In<'_, '_>) -> bool {
    input.first().is_some_and(super::separates)
}

/// Whether a sequence ends here.
fn ends(input: In<'_, '_>) -> bool {
    input.first().is_none_or(|t| is_symbol(t, "::") || Closer::of(t).is_some() || unit(t))
}

/// Whether a token can only start a unit.
pub fn unit(token: &Token<'_>) -> bool {
    const UNITS: [&str; 9] = ["proctype", "D_proctype", "active", "init", "never", "ltl", "trace", "notrace", "inline"];
    token.kind == Kind::Keyword && UNITS.contains(&token.text)
}

fn starts_expression(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Number | Kind::Character => true,
        Kind::Symbol => matches!(token.text, "(" | "-" | "!" | "~"),
        Kind::Keyword => matches!(
            token.text,
            "true"
                | "false"
                | "skip"
                | "timeout"
                | "np_"
                | "run"
                | "len"
                | "full"
                | "empty"
                | "nfull"
                | "nempty"
                | "enabled"
                | "pc_value"
                | "get_priority"
        ),
        _ => false,
    }
}
