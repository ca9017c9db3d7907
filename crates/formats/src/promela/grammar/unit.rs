//! Declarations, processes and properties.

use super::statement::unit;
use super::{Grammar, In, Out, is_keyword, is_symbol, keyword, separates, symbol};
use crate::promela::lexer::Kind;
use crate::promela::separators::{Token, name};
use crate::promela::syntax::{
    Active, Channel, Declaration, Init, Initial, Inline, Ltl, Mtype, Name, Never, Proctype, Trace, Type, Typedef, Unit,
    Variable, Visibility,
};
use crate::text::suggest::nearest;
use crate::text::tokens::some;
use nom::combinator::{cut, opt};
use nom::{Input, Parser};

fn word<'t, 'a: 't>(what: &'static str) -> impl Fn(In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    some(what, |t: &Token<'a>| t.kind == Kind::Name)
}

impl<'t, 'a: 't> Grammar<'t, 'a> {
    /// All units. Wrong ones are reported and left out.
    pub fn units(&self, mut input: In<'t, 'a>) -> Vec<Unit> {
        let mut units = Vec::new();
        while let Some(first) = input.first() {
            if separates(first) {
                input = input.take_from(1);
                continue;
            }
            match self.unit(input) {
                Ok((rest, unit)) => {
                    units.push(unit);
                    input = rest;
                }
                Err(_) => {
                    let at = self.report_unit(input);
                    input = self.next_unit(self.at(at.max(input.position())), input.position());
                }
            }
        }
        units
    }

    /// Behind the wrong unit that starts at `start`: its block, if it has one, or up to what starts another.
    fn next_unit(&self, mut input: In<'t, 'a>, start: usize) -> In<'t, 'a> {
        let (mut braces, mut parentheses) = (0usize, 0usize);
        while let Some(token) = input.first() {
            let moved = input.position() > start;
            let apart = braces == 0 && moved;
            if apart
                && (unit(token) || token.kind == Kind::Separator || is_keyword(token, "typedef"))
                && parentheses == 0
            {
                break;
            }
            match token.text {
                _ if token.kind != Kind::Symbol => {}
                "{" => braces += 1,
                "}" => {
                    braces = braces.saturating_sub(1);
                    if braces == 0 {
                        return input.take_from(1);
                    }
                }
                "(" => parentheses += 1,
                ")" => parentheses = parentheses.saturating_sub(1),
                _ => {}
            }
            input = input.take_from(1);
        }
        input
    }

    fn unit(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let Some(first) = input.first() else { return self.no_unit(input) };
        if first.kind == Kind::Name {
            if self.is_type(first.text, input.position())
                || input.take_from(1).first().is_some_and(|t| t.kind == Kind::Name)
            {
                return self.globals(input);
            }
            return self.no_unit(input);
        }
        if first.kind != Kind::Keyword {
            return self.no_unit(input);
        }
        match first.text {
            "active" | "proctype" | "D_proctype" => self.proctype(input),
            "init" => self.init(input),
            "never" => self.never(input),
            "trace" | "notrace" => self.trace(input),
            "ltl" => self.ltl(input),
            "typedef" => self.typedef(input),
            "inline" => self.inline(input),
            "mtype" if self.enumerates(input) => self.mtype(input),
            "bit" | "bool" | "byte" | "pid" | "short" | "int" | "unsigned" | "chan" | "mtype" | "hidden" | "show"
            | "local" => self.globals(input),
            _ => self.no_unit(input),
        }
    }

    fn no_unit(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        const WHAT: &str = "a declaration, `proctype`, `init` or another unit";
        let (rest, _) = some(WHAT, |_: &Token<'a>| false)(input)?;
        self.unit(rest)
    }

    fn globals(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let (rest, declaration) = self.declaration(input, 0)?;
        Ok((rest, Unit::Declaration(declaration)))
    }

    /// Whether `mtype` starts a list of constants.
    fn enumerates(&self, input: In<'t, 'a>) -> bool {
        let mut after = input.take_from(1);
        let symbol = |i: In<'t, 'a>, text| i.first().is_some_and(|t| is_symbol(t, text));
        if symbol(after, ":") && after.take_from(1).first().is_some_and(|t| t.kind == Kind::Name) {
            after = after.take_from(2);
        }
        symbol(after, "=") || symbol(after, "{")
    }

    fn mtype(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (rest, _) = keyword("mtype")(input)?;
        let (rest, kind) = self.mtype_kind(rest)?;
        let (rest, _) = opt(symbol("=")).parse(rest)?;
        let (rest, _) = cut(symbol("{")).parse(rest)?;
        let (mut input, first) = cut(word("a name")).parse(rest)?;
        let mut constants = vec![name(&first)];
        loop {
            let next = input.first();
            match next {
                Some(token) if is_symbol(token, ",") => input = input.take_from(1),
                Some(token) if token.kind == Kind::Name => {
                    constants.push(name(token));
                    input = input.take_from(1);
                }
                _ => break,
            }
        }
        let (rest, _) = cut(symbol("}")).parse(input)?;
        Ok((rest, Unit::Mtype(Mtype { kind, constants, span: self.span(start, rest) })))
    }

    /// `: kind`, or nothing.
    fn mtype_kind(&self, input: In<'t, 'a>) -> Out<'t, 'a, Option<Name>> {
        match opt(symbol(":")).parse(input)? {
            (rest, Some(_)) => {
                let (rest, kind) = cut(word("the name of a kind of mtype")).parse(rest)?;
                Ok((rest, Some(name(&kind))))
            }
            (rest, None) => Ok((rest, None)),
        }
    }

    fn typedef(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (rest, (_, defined, _)) =
            cut((keyword("typedef"), word("the name of a type"), symbol("{"))).parse(input)?;
        let (rest, fields) = self.declarations(rest, 0)?;
        let (rest, _) = cut(symbol("}")).parse(rest)?;
        Ok((rest, Unit::Typedef(Typedef { name: name(&defined), fields, span: self.span(start, rest) })))
    }

    /// One or more declarations with `;` between them.
    fn declarations(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Declaration>> {
        let (mut input, first) = cut(|i| self.declaration(i, depth)).parse(input)?;
        let mut all = vec![first];
        while input.first().is_some_and(|t| t.kind == Kind::Separator) {
            while input.first().is_some_and(|t| t.kind == Kind::Separator) {
                input = input.take_from(1);
            }
            let (rest, next) = cut(|i| self.declaration(i, depth)).parse(input)?;
            all.push(next);
            input = rest;
        }
        Ok((input, all))
    }

    /// One or more variables of a type.
    pub fn declaration(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Declaration> {
        let start = input.position();
        let visibility = match input.first().filter(|t| t.kind == Kind::Keyword).map(|t| t.text) {
            Some("hidden") => Some(Visibility::Hidden),
            Some("show") => Some(Visibility::Show),
            Some("local") => Some(Visibility::Local),
            _ => None,
        };
        let input = if visibility.is_some() { input.take_from(1) } else { input };
        let (input, ty) = self.ty(input)?;
        let (mut input, first) = cut(|i| self.declared(i, depth)).parse(input)?;
        let mut variables = vec![first];
        while let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
            let (rest, next) = cut(|i| self.declared(i, depth)).parse(rest)?;
            variables.push(next);
            input = rest;
        }
        Ok((input, Declaration { visibility, ty, variables, span: self.span(start, input) }))
    }

    /// The name of a type.
    fn ty(&self, input: In<'t, 'a>) -> Out<'t, 'a, Type> {
        let is_type = |t: &Token<'a>| t.kind == Kind::Name || t.kind == Kind::Keyword && basic(t.text).is_some();
        let position = input.position();
        let (rest, token) = some("a type", is_type)(input)?;
        if token.kind == Kind::Keyword {
            return match token.text {
                "mtype" => {
                    let (rest, kind) = self.mtype_kind(rest)?;
                    Ok((rest, Type::Mtype(kind)))
                }
                text => Ok((rest, basic(text).unwrap_or(Type::Int))),
            };
        }
        if self.is_type(token.text, position) {
            return Ok((rest, Type::User(name(&token))));
        }
        let followed = rest.first().is_some_and(|t| t.kind == Kind::Name);
        if !followed {
            return some("a type", |_: &Token<'a>| false)(input).map(|(rest, _)| (rest, Type::Int));
        }
        let known = self.known.types.keys().copied().chain(super::super::lexer::RESERVED);
        let help = match nearest(token.text, known).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "two names in a row declare a variable; define the type with `typedef` before, or separate them".into()
            }
        };
        input.refuse_with(format!("`{}` is neither a type nor a keyword", token.text), help)
    }

    fn declared(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Variable> {
        let start = input.position();
        let (rest, variable) = word("the name of a variable")(input)?;
        let (rest, width) = match opt(symbol(":")).parse(rest)? {
            (rest, Some(_)) => {
                let digits = some("a number of bits", |t: &Token<'a>| t.kind == Kind::Number);
                let (rest, digits) = cut(digits).parse(rest)?;
                match digits.text.parse() {
                    Ok(bits @ 0..=32) => (rest, Some(bits)),
                    _ => {
                        return self
                            .at(digits.start)
                            .refuse_with("a variable has at most 32 bits", "give a smaller width");
                    }
                }
            }
            (rest, None) => (rest, None),
        };
        let (rest, size) = match rest.first() {
            Some(token) if is_symbol(token, "[") && width.is_none() => {
                let constant = |i| self.constant(i, depth + 1);
                let (rest, (size, _)) = cut((constant, symbol("]"))).parse(rest.take_from(1))?;
                (rest, Some(size))
            }
            _ => (rest, None),
        };
        let (rest, initial) = match opt(symbol("=")).parse(rest)? {
            (rest, Some(_)) => {
                let (rest, initial) = self.initial(rest, depth)?;
                (rest, Some(initial))
            }
            (rest, None) => (rest, None),
        };
        let span = self.span(start, rest);
        Ok((rest, Variable { name: name(&variable), size, width, initial, span }))
    }

    fn initial(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Initial> {
        match input.first() {
            Some(token) if is_symbol(token, "{") => {
                let (rest, list) = self.values(input.take_from(1), depth)?;
                let (rest, _) = cut(symbol("}")).parse(rest)?;
                Ok((rest, Initial::List(list)))
            }
            Some(token) if is_symbol(token, "[") => {
                let (rest, channel) = self.channel(input, depth)?;
                Ok((rest, Initial::Channel(channel)))
            }
            _ => {
                let (rest, value) = cut(|i| self.value(i, depth + 1)).parse(input)?;
                Ok((rest, Initial::Value(value)))
            }
        }
    }

    fn channel(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Channel> {
        let start = input.position();
        let head = (symbol("["), |i| self.constant(i, depth + 1), symbol("]"), keyword("of"), symbol("{"));
        let (input, (_, capacity, ..)) = cut(head).parse(input)?;
        let (mut input, first) = cut(|i| self.ty(i)).parse(input)?;
        let mut fields = vec![first];
        while let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
            let (rest, next) = cut(|i| self.ty(i)).parse(rest)?;
            fields.push(next);
            input = rest;
        }
        let (input, _) = cut(symbol("}")).parse(input)?;
        Ok((input, Channel { capacity, fields, span: self.span(start, input) }))
    }

    fn proctype(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (input, active) = self.active(input)?;
        let deterministic = input.first().is_some_and(|t| is_keyword(t, "D_proctype"));
        let (input, _) = if deterministic {
            (input.take_from(1), ())
        } else {
            let (rest, _) = cut(keyword("proctype")).parse(input)?;
            (rest, ())
        };
        let (input, (process, _)) = cut((word("the name of the proctype"), symbol("("))).parse(input)?;
        let (input, parameters) = match input.first() {
            Some(token) if is_symbol(token, ")") => (input, Vec::new()),
            _ => self.declarations(input, 0)?,
        };
        let (input, _) = cut(symbol(")")).parse(input)?;
        let (input, priority) = self.priority(input, 0)?;
        let (input, provided) = match opt(keyword("provided")).parse(input)? {
            (rest, Some(_)) => {
                let (rest, (_, condition, _)) =
                    cut((symbol("("), |i| self.expression(i, 1), symbol(")"))).parse(rest)?;
                (rest, Some(condition))
            }
            (rest, None) => (rest, None),
        };
        let (input, body) = cut(|i| self.block(i, 0)).parse(input)?;
        let span = self.span(start, input);
        let name = name(&process);
        Ok((
            input,
            Unit::Proctype(Proctype { name, deterministic, active, parameters, priority, provided, body, span }),
        ))
    }

    fn active(&self, input: In<'t, 'a>) -> Out<'t, 'a, Option<Active>> {
        let start = input.position();
        if !input.first().is_some_and(|t| is_keyword(t, "active")) {
            return Ok((input, None));
        }
        let rest = input.take_from(1);
        let (rest, count) = match opt(symbol("[")).parse(rest)? {
            (rest, Some(_)) => {
                let (rest, (count, _)) = cut((|i| self.constant(i, 1), symbol("]"))).parse(rest)?;
                (rest, Some(count))
            }
            (rest, None) => (rest, None),
        };
        Ok((rest, Some(Active { count, span: self.span(start, rest) })))
    }

    fn init(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (rest, _) = keyword("init")(input)?;
        let (rest, priority) = self.priority(rest, 0)?;
        let (rest, body) = cut(|i| self.block(i, 0)).parse(rest)?;
        Ok((rest, Unit::Init(Init { priority, body, span: self.span(start, rest) })))
    }

    fn never(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (rest, _) = keyword("never")(input)?;
        let (rest, named) = opt(word("a name")).parse(rest)?;
        let (rest, body) = cut(|i| self.block(i, 0)).parse(rest)?;
        Ok((rest, Unit::Never(Never { name: named.as_ref().map(name), body, span: self.span(start, rest) })))
    }

    fn trace(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let negated = input.first().is_some_and(|t| t.text == "notrace");
        let (rest, body) = cut(|i| self.block(i, 0)).parse(input.take_from(1))?;
        Ok((rest, Unit::Trace(Trace { negated, body, span: self.span(start, rest) })))
    }

    fn ltl(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let (rest, _) = keyword("ltl")(input)?;
        let (rest, named) = opt(word("a name")).parse(rest)?;
        let (rest, _) = cut(symbol("{")).parse(rest)?;
        self.in_formula.set(true);
        let formula = cut(|i| self.formula(i, 0)).parse(rest);
        self.in_formula.set(false);
        let (rest, formula) = formula?;
        let (rest, _) = cut(symbol("}")).parse(rest)?;
        Ok((rest, Unit::Ltl(Ltl { name: named.as_ref().map(name), formula, span: self.span(start, rest) })))
    }

    /// The head of an inline: its body is gone.
    fn inline(&self, input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
        let start = input.position();
        let head = (keyword("inline"), word("the name of the inline"), symbol("("));
        let (input, (_, inline, _)) = cut(head).parse(input)?;
        let mut parameters = Vec::new();
        let (mut input, first) = opt(word("a parameter")).parse(input)?;
        if let Some(first) = first {
            parameters.push(name(&first));
            while let (rest, Some(_)) = opt(symbol(",")).parse(input)? {
                let (rest, next) = cut(word("a parameter")).parse(rest)?;
                parameters.push(name(&next));
                input = rest;
            }
        }
        let (input, _) = cut(symbol(")")).parse(input)?;
        Ok((input, Unit::Inline(Inline { name: name(&inline), parameters, span: self.span(start, input) })))
    }
}

/// A type that is written as a keyword.
fn basic(text: &str) -> Option<Type> {
    Some(match text {
        "bit" => Type::Bit,
        "bool" => Type::Bool,
        "byte" => Type::Byte,
        "pid" => Type::Pid,
        "short" => Type::Short,
        "int" => Type::Int,
        "unsigned" => Type::Unsigned,
        "chan" => Type::Chan,
        "mtype" => Type::Mtype(None),
        _ => return None,
    })
}
