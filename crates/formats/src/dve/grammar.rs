//! The grammar of `.dve` files, with nom over tokens.
//!
//! ```text
//! SYSTEM      := { DECLARATION | PROCESS } system async [property NAME] ;
//! DECLARATION := [const] (byte | int) VARIABLE {, VARIABLE} ;      VARIABLE := NAME [[ E ]] [= E | = { E, … }]
//!              | channel [{ TYPE, … }] NAME [[ E ]] {, …} ;
//! PROCESS     := process NAME { {DECLARATION} { state NAMES; | init NAME; | commit NAMES; | accept NAMES;
//!                | assert NAME: E, …; | trans TRANSITION {[,] TRANSITION} [;] } }
//! TRANSITION  := [NAME] -> NAME { [guard E, …;] [sync [NAME ->] NAME (! | ?) [MESSAGE];] [effect x = E, …;] }
//! ```
//!
//! A transition without its first state leaves the same state as the one before it. Nesting of expressions is bounded, so that no
//! text can exhaust the stack.

use super::syntax::{
    Binary, Channel, Declarations, Expression, ExpressionKind, Message, Name, Process, Reference, Sync, System,
    Transition, Type, Unary, Variable,
};
use crate::text::tokens::{Failed, end, some};
use crate::text::words::{In, Kind, Out, Token, list, symbol, word};
use nom::branch::alt;
use nom::combinator::{cut, map, opt, value};
use nom::multi::{many0, separated_list0};
use nom::sequence::{delimited, preceded, terminated};
use nom::{Input, Parser};

/// Words that are no names.
const RESERVED: [&str; 21] = [
    "const", "byte", "int", "channel", "process", "state", "init", "commit", "accept", "assert", "trans", "guard",
    "sync", "effect", "system", "and", "or", "not", "imply", "true", "false",
];

/// A goal: one expression and nothing behind it.
pub fn goal<'t, 'a>(input: In<'t, 'a>) -> Out<'t, 'a, Expression> {
    terminated(expression, end).parse(input)
}

/// What stands at the top level of a file.
pub enum Unit {
    /// Variables or channels of all processes.
    Globals(Declarations),
    /// A process.
    Process(Process),
    /// `system async;`
    System(Option<Name>),
}

/// One thing at the top level.
pub fn unit<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Unit> {
    alt((map(process, Unit::Process), map(declaration, Unit::Globals), map(system, Unit::System))).parse(input)
}

fn system<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Option<Name>> {
    let (input, _) = word("system")(input)?;
    if input.first().is_some_and(|token| token.text == "sync") {
        let help = "only `system async;` has the interleaving that networks have";
        return input.refuse_with("systems whose processes all move at once are not read", help);
    }
    let property = opt(preceded(word("property"), cut(name)));
    delimited(cut(word("async")), property, cut(symbol(";"))).parse(input)
}

/// Puts what was read into the whole.
pub fn add(system: &mut System, unit: Unit) {
    match unit {
        Unit::Globals(more) => system.globals.extend(more),
        Unit::Process(process) => system.processes.push(process),
        Unit::System(property) => system.property = property,
    }
}

fn declaration<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Declarations> {
    let end = || cut(symbol(";"));
    alt((terminated(variables, end()), terminated(channels, end()))).parse(input)
}

fn ty<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Type> {
    alt((value(Type::Byte, word("byte")), value(Type::Int, word("int")))).parse(input)
}

fn variables<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Declarations> {
    let (input, constant) = opt(word("const")).parse(input)?;
    // After `const` nothing else can follow.
    let (input, ty) = if constant.is_some() { cut(ty).parse(input)? } else { ty(input)? };
    let several = delimited(symbol("{"), cut(list(expression)), cut(symbol("}")));
    let initial = preceded(symbol("="), cut(alt((several, map(expression, |one| vec![one])))));
    let one = map((name, opt(index), opt(initial)), |(name, length, initial)| Variable {
        constant: constant.is_some(),
        ty,
        name,
        length,
        initial: initial.unwrap_or_default(),
    });
    let (input, variables) = cut(list(one)).parse(input)?;
    Ok((input, Declarations { variables, channels: Vec::new() }))
}

fn channels<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Declarations> {
    let types = delimited(symbol("{"), cut(list(ty)), cut(symbol("}")));
    let (input, fields) = preceded(word("channel"), opt(types)).parse(input)?;
    let one = map((name, opt(index)), |(name, capacity)| Channel { name, fields: fields.clone(), capacity });
    let (input, channels) = cut(list(one)).parse(input)?;
    Ok((input, Declarations { variables: Vec::new(), channels }))
}

fn process<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Process> {
    let (input, (name, _)) = preceded(word("process"), cut((name, symbol("{")))).parse(input)?;
    let mut process = Process {
        name,
        locals: Declarations::default(),
        states: Vec::new(),
        initial: None,
        committed: Vec::new(),
        accepting: Vec::new(),
        assertions: Vec::new(),
        transitions: Vec::new(),
    };
    let (input, parts) = many0(part).parse(input)?;
    let (input, _) = cut(symbol("}")).parse(input)?;
    for part in parts {
        match part {
            Part::Locals(more) => process.locals.extend(more),
            Part::States(more) => process.states.extend(more),
            Part::Initial(name) => process.initial = Some(name),
            Part::Committed(more) => process.committed.extend(more),
            Part::Accepting(more) => process.accepting.extend(more),
            Part::Assertions(more) => process.assertions.extend(more),
            Part::Transitions(more) => process.transitions.extend(more),
        }
    }
    Ok((input, process))
}

/// What stands in a process.
enum Part {
    Locals(Declarations),
    States(Vec<Name>),
    Initial(Name),
    Committed(Vec<Name>),
    Accepting(Vec<Name>),
    Assertions(Vec<(Name, Expression)>),
    Transitions(Vec<Transition>),
}

fn part<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Part> {
    let names = |keyword| delimited(word(keyword), cut(list(name)), cut(symbol(";")));
    let assertion = separated_pair(name, symbol(":"), expression);
    alt((
        map(declaration, Part::Locals),
        map(names("state"), Part::States),
        map(names("commit"), Part::Committed),
        map(names("accept"), Part::Accepting),
        map(delimited(word("init"), cut(name), cut(symbol(";"))), Part::Initial),
        map(delimited(word("assert"), cut(list(assertion)), cut(symbol(";"))), Part::Assertions),
        map(preceded(word("trans"), transitions), Part::Transitions),
    ))
    .parse(input)
}

fn separated_pair<'t, 'a: 't, A, B, S>(
    first: impl Parser<In<'t, 'a>, Output = A, Error = Failed>,
    between: impl Parser<In<'t, 'a>, Output = S, Error = Failed>,
    second: impl Parser<In<'t, 'a>, Output = B, Error = Failed>,
) -> impl Parser<In<'t, 'a>, Output = (A, B), Error = Failed> {
    nom::sequence::separated_pair(first, cut(between), cut(second))
}

/// Transitions, with or without commas between them, with or without a semicolon behind them.
fn transitions<'t, 'a: 't>(mut input: In<'t, 'a>) -> Out<'t, 'a, Vec<Transition>> {
    let mut transitions: Vec<Transition> = Vec::new();
    loop {
        let before = transitions.last().map(|transition| transition.from.clone());
        let (rest, transition) = opt(|input| transition(input, before.clone())).parse(input)?;
        let Some(transition) = transition else { break };
        transitions.push(transition);
        (input, _) = opt(symbol(",")).parse(rest)?;
    }
    let (input, _) = opt(symbol(";")).parse(input)?;
    Ok((input, transitions))
}

fn transition<'t, 'a: 't>(input: In<'t, 'a>, before: Option<Name>) -> Out<'t, 'a, Transition> {
    let start = input.first().map_or(0, |token| token.start);
    let (input, (from, arrow)) = (opt(name), symbol("->")).parse(input)?;
    let Some(from) = from.or(before) else {
        return input
            .refuse_with("the first transition of a process has no state before `->`", "name the state it leaves");
    };
    let _ = arrow;
    let guards = delimited(word("guard"), cut(list(expression)), cut(symbol(";")));
    let sync = delimited(word("sync"), cut(sync), cut(symbol(";")));
    let effect = separated_pair(reference, symbol("="), expression);
    let effects = delimited(word("effect"), cut(list(effect)), cut(symbol(";")));
    let body = (opt(guards), opt(sync), opt(effects));
    let (input, (to, _, (guards, sync, effects), close)) = cut((name, symbol("{"), body, symbol("}"))).parse(input)?;
    let span = start..close.span().end;
    let (guards, effects) = (guards.unwrap_or_default(), effects.unwrap_or_default());
    Ok((input, Transition { from, to, guards, sync, effects, span }))
}

fn sync<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Sync> {
    let (input, process) = opt(terminated(name, symbol("->"))).parse(input)?;
    let (input, channel) = name(input)?;
    let values = alt((
        delimited(symbol("{"), cut(separated_list0(symbol(","), expression)), cut(symbol("}"))),
        map(opt(expression), |one| one.into_iter().collect()),
    ));
    let targets = alt((
        delimited(symbol("{"), cut(separated_list0(symbol(","), reference)), cut(symbol("}"))),
        map(opt(reference), |one| one.into_iter().collect()),
    ));
    let (input, message) =
        alt((map(preceded(symbol("!"), values), Message::Send), map(preceded(symbol("?"), targets), Message::Receive)))
            .parse(input)?;
    Ok((input, Sync { process, channel, message }))
}

fn name<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Name> {
    let is_name = |token: &Token<'a>| token.kind == Kind::Word && !RESERVED.contains(&token.text);
    let (input, token) = some("a name", is_name)(input)?;
    Ok((input, Name { text: token.text.into(), span: token.span() }))
}

fn index<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Expression> {
    delimited(symbol("["), cut(expression), cut(symbol("]"))).parse(input)
}

fn reference<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Reference> {
    map((name, opt(index)), |(name, index)| Reference { name, index }).parse(input)
}

/// How tightly an operator binds, and what it is; `imply` is none of them.
fn operator(token: &Token<'_>) -> Option<(u8, Option<Binary>)> {
    Some(match token.text {
        "imply" => (1, None),
        "or" | "||" => (2, Some(Binary::Or)),
        "and" | "&&" => (3, Some(Binary::And)),
        "|" => (4, Some(Binary::BitOr)),
        "^" => (5, Some(Binary::BitXor)),
        "&" => (6, Some(Binary::BitAnd)),
        "==" => (7, Some(Binary::Equal)),
        "!=" => (7, Some(Binary::NotEqual)),
        "<" => (8, Some(Binary::Less)),
        "<=" => (8, Some(Binary::LessEqual)),
        ">" => (8, Some(Binary::Greater)),
        ">=" => (8, Some(Binary::GreaterEqual)),
        "<<" => (9, Some(Binary::ShiftLeft)),
        ">>" => (9, Some(Binary::ShiftRight)),
        "+" => (10, Some(Binary::Add)),
        "-" => (10, Some(Binary::Subtract)),
        "*" => (11, Some(Binary::Multiply)),
        "/" => (11, Some(Binary::Divide)),
        "%" => (11, Some(Binary::Remainder)),
        _ => return None,
    })
}

fn expression<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Expression> {
    binary(input, 1, 0)
}

/// Operands with operators that bind at least so tightly.
fn binary<'t, 'a: 't>(input: In<'t, 'a>, least: u8, depth: u16) -> Out<'t, 'a, Expression> {
    let (mut input, mut left) = unary(input, depth)?;
    while let Some((level, operator)) = input.first().and_then(operator).filter(|(level, _)| *level >= least) {
        // `a imply b imply c` is `a imply (b imply c)`.
        let next = if operator.is_some() { level + 1 } else { level };
        let (rest, right) = cut(|input| binary(input, next, depth + 1)).parse(input.take_from(1))?;
        let span = left.span.start..right.span.end;
        let kind = match operator {
            Some(operator) => ExpressionKind::Binary(operator, left, right),
            None => ExpressionKind::Imply(left, right),
        };
        left = Expression::new(input, kind, span)?;
        input = rest;
    }
    Ok((input, left))
}

fn unary<'t, 'a: 't>(input: In<'t, 'a>, depth: u16) -> Out<'t, 'a, Expression> {
    let (input, ()) = Expression::within(input, depth)?;
    let Some(token) = input.first() else { return primary(input, depth) };
    let operator = match token.text {
        "-" => Unary::Minus,
        "not" | "!" => Unary::Not,
        "~" => Unary::Complement,
        _ => return primary(input, depth),
    };
    let (input, operand) = cut(|input| unary(input, depth + 1)).parse(input.take_from(1))?;
    let span = token.start..operand.span.end;
    Ok((input, Expression::new(input, ExpressionKind::Unary(operator, operand), span)?))
}

fn primary<'t, 'a: 't>(input: In<'t, 'a>, depth: u16) -> Out<'t, 'a, Expression> {
    let inner = |input| binary(input, 1, depth + 1);
    let element = || opt(delimited(symbol("["), cut(inner), cut(symbol("]"))));
    let variable = || map((name, element()), |(name, index)| Reference { name, index });
    let dot = || alt((symbol("."), symbol("@")));
    let state = map((name, preceded(dot(), cut(name))), |(process, state)| ExpressionKind::InState(process, state));
    let foreign = map((name, preceded(symbol("->"), cut(variable()))), |(process, variable)| {
        ExpressionKind::Foreign(process, variable)
    });
    let truth = alt((value(1, word("true")), value(0, word("false"))));
    let mut kind = alt((
        map(alt((number, truth)), ExpressionKind::Number),
        state,
        foreign,
        map(variable(), ExpressionKind::Variable),
        map(delimited(symbol("("), cut(inner), cut(symbol(")"))), |inner: Expression| *inner.kind),
    ));
    let (rest, kind) = kind.parse(input)?;
    Ok((rest, Expression::new(input, kind, input.span_to(rest))?))
}

fn number<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, i32> {
    let (rest, token) = some("a number", |token: &Token<'a>| token.kind == Kind::Number)(input)?;
    match token.text.parse() {
        Ok(number) => Ok((rest, number)),
        Err(_) => input.refuse_with("this number is too large", "numbers have at most 31 bits"),
    }
}

impl Declarations {
    fn extend(&mut self, more: Declarations) {
        self.variables.extend(more.variables);
        self.channels.extend(more.channels);
    }
}
