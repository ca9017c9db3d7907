//! The grammar of `.exp` files, with nom over tokens.
//!
//! Nesting is bounded, so that no text can exhaust the stack; lists of operands are as long as they like.

use super::lexer::unquoted;
use super::syntax::{Behaviour, Common, File, Label, Match, Operator, Span, Vector};
use crate::text::tokens::{Failed, end, some};
use crate::text::words::{In, Kind, Out, Token, list, symbol, word};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::take_till;
use nom::combinator::{cut, map, opt, value};
use nom::multi::{many0, separated_list1};
use nom::sequence::{delimited, preceded, terminated};

/// How deep behaviours may be nested, inclusions counted.
pub const DEEPEST: usize = 200;

/// Words that are never labels or files.
const RESERVED: [&str; 10] = ["in", "end", "hide", "rename", "par", "using", "cut", "prio", "all", "but"];

/// Words that are names unless a keyword follows.
const MODES: [&str; 6] = ["gate", "label", "total", "partial", "single", "multiple"];

/// `[lotos | elotos | ccs | csp | mcrl] [behaviour] B`, where B is already `depth` levels deep.
pub fn file<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let dialect = alt((word("lotos"), word("elotos"), word("ccs"), word("csp"), word("mcrl")));
    let head = (opt(dialect), opt(alt((word("behaviour"), word("behavior")))));
    delimited(head, behaviour(depth), end).parse(input)
}

/// Operands with operators between them.
fn behaviour<'t, 'a: 't>(depth: usize) -> impl Parser<In<'t, 'a>, Output = Behaviour, Error = Failed> {
    move |input: In<'t, 'a>| {
        if depth >= DEEPEST {
            return input.refuse(format!("behaviours are nested more than {DEEPEST} levels deep here"));
        }
        let (input, first) = operand(input, depth)?;
        let next = |input| cut(|input| operand(input, depth)).parse(input);
        let (input, rest) = many0((operator, next)).parse(input)?;
        if rest.is_empty() {
            return Ok((input, first));
        }
        let (operators, others): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        let operands = std::iter::once(first).chain(others).collect();
        Ok((input, Behaviour::Chain(operands, operators)))
    }
}

fn operator<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Operator> {
    let listed = map(opt(list(label)), Option::unwrap_or_default);
    alt((
        value(Operator::Full, symbol("||")),
        map(symbol("|||"), |_| Operator::On(Vec::new())),
        map(delimited(symbol("|["), listed, cut(symbol("]|"))), Operator::On),
    ))
    .parse(input)
}

/// A behaviour that needs no parentheses.
fn operand<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    // Most operands are files, and there may be very many: they are spared the attempts at all the rest.
    if input.first().is_some_and(|token| is_name(token) && !MODES.contains(&token.text)) {
        return map(name, Behaviour::File).parse(input);
    }
    // A level of nesting costs the stack of one such function, not the sum of all.
    alt((
        |input| parenthesised(input, depth),
        |input| hide(input, depth),
        |input| rename(input, depth),
        |input| par(input, depth),
        |input| refused(input, depth),
        map(name, Behaviour::File),
    ))
    .parse(input)
}

fn parenthesised<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    delimited(symbol("("), cut(behaviour(depth + 1)), cut(symbol(")"))).parse(input)
}

fn hide<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let modes = alt((
        value(Match::Gate, word("gate")),
        value(Match::Whole, word("total")),
        value(Match::Part, word("partial")),
    ));
    let (input, (by, keyword)) = (opt(modes), word("hide")).parse(input)?;
    let using = preceded((opt((word("all"), word("but"))), word("using")), cut(name));
    if let (input, Some(_)) = opt(using).parse(input)? {
        let (input, body) = hidden_in(input, depth)?;
        let refused = Behaviour::Refused { construct: "`hide using FILE`", span: keyword.span(), body: body.into() };
        return Ok((input, refused));
    }
    let (input, all_but) = opt((word("all"), word("but"))).parse(input)?;
    let (input, labels) = cut(list(label)).parse(input)?;
    let (input, body) = hidden_in(input, depth)?;
    let (by, all_but) = (by.unwrap_or(Match::Gate), all_but.is_some());
    Ok((input, Behaviour::Hide { by, all_but, labels, body: body.into() }))
}

/// `in B [end hide]`: LOTOS writes no end, and lets the body reach as far as it can.
fn hidden_in<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let body = delimited(word("in"), behaviour(depth + 1), opt((word("end"), word("hide"))));
    cut(body).parse(input)
}

fn rename<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let modes = alt((
        value(Match::Gate, word("gate")),
        value(Match::Whole, word("total")),
        value(Match::Part, word("single")),
        value(Match::Parts, word("multiple")),
    ));
    let (input, (by, keyword)) = (opt(modes), word("rename")).parse(input)?;
    if let (input, Some(_)) = opt(preceded(word("using"), cut(name))).parse(input)? {
        let (input, body) = enclosed(input, "rename", depth)?;
        let refused = Behaviour::Refused { construct: "`rename using FILE`", span: keyword.span(), body: body.into() };
        return Ok((input, refused));
    }
    let rule = (label, preceded(cut(symbol("->")), cut(label)));
    let (input, rules) = cut(list(rule)).parse(input)?;
    let (input, body) = enclosed(input, "rename", depth)?;
    Ok((input, Behaviour::Rename { by: by.unwrap_or(Match::Gate), rules, body: body.into() }))
}

/// `in B end KEYWORD`.
fn enclosed<'t, 'a: 't>(input: In<'t, 'a>, keyword: &'static str, depth: usize) -> Out<'t, 'a, Behaviour> {
    cut(delimited(word("in"), behaviour(depth + 1), (word("end"), word(keyword)))).parse(input)
}

fn par<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let modes = alt((value(Match::Gate, word("gate")), value(Match::Whole, word("label"))));
    let (input, (by, _)) = (opt(modes), word("par")).parse(input)?;
    let by = by.unwrap_or(Match::Gate);
    let close = |input| cut((word("end"), word("par"))).parse(input);
    if let (input, Some(vectors)) = opt(preceded(word("using"), cut(list(vector)))).parse(input)? {
        let operands = separated_list1(symbol("||"), cut(|input| par_operand(input, depth)));
        let (input, operands) = delimited(cut(word("in")), operands, close).parse(input)?;
        return Ok((input, Behaviour::Vectors { by, vectors, operands }));
    }
    let common = alt((value(Common::All, word("all")), map(list(label), Common::List)));
    let (input, common) = opt(terminated(common, word("in"))).parse(input)?;
    let interface = map(opt(terminated(list(label), symbol("->"))), Option::unwrap_or_default);
    let operand = (interface, |input| par_operand(input, depth));
    let (input, operands) = terminated(separated_list1(symbol("||"), cut(operand)), close).parse(input)?;
    Ok((input, Behaviour::Par { by, common: common.unwrap_or(Common::List(Vec::new())), operands }))
}

/// An operand of `par`, where `||` separates: compositions by operator need parentheses here.
fn par_operand<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    if depth + 1 >= DEEPEST {
        return input.refuse(format!("behaviours are nested more than {DEEPEST} levels deep here"));
    }
    operand(input, depth + 1)
}

/// Constructs of the language that have no counterpart here. They are read so that what follows them is checked too.
fn refused<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Behaviour> {
    let modes = alt((word("gate"), word("total"), word("partial")));
    let (input, (_, keyword)) = (opt(modes), alt((word("cut"), word("prio")))).parse(input)?;
    let (input, _) = take_till(|t: Token<'a>| t.kind == Kind::Word && t.text == "in").parse(input)?;
    let (closing, construct) = if keyword.text == "cut" { ("cut", "`cut`") } else { ("prio", "`prio`") };
    let (input, body) = enclosed(input, closing, depth)?;
    Ok((input, Behaviour::Refused { construct, span: keyword.span(), body: body.into() }))
}

fn vector<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Vector> {
    let column = alt((value(None, word("_")), map(label, Some)));
    let start = input.first().map_or(0, |t| t.start);
    let columns = separated_list1(alt((symbol("*"), symbol("||"))), column);
    let (input, (columns, result)) = (columns, preceded(cut(symbol("->")), cut(label))).parse(input)?;
    let span: Span = start..result.span.end;
    Ok((input, Vector { columns, result, span }))
}

fn is_name(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Quoted => true,
        Kind::Word => token.text != "_" && !RESERVED.contains(&token.text),
        Kind::Number | Kind::Symbol => false,
    }
}

fn label<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Label> {
    let among = preceded(symbol("#"), cut(some("a number", |t: &Token<'a>| t.text.parse::<u32>().is_ok())));
    let (input, (token, among)) = (some("a label", is_name), opt(among)).parse(input)?;
    let among = among.map(|number| token.start..number.span().end);
    Ok((input, Label { text: unquoted(&token).into(), span: token.span(), among }))
}

fn name<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, File> {
    let (input, token) = some("a file name", is_name)(input)?;
    Ok((input, File { name: unquoted(&token).into(), span: token.span() }))
}
