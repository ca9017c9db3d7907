//! The grammar of `.smv` files, with nom over tokens.
//!
//! ```text
//! FILE       := MODULE { MODULE }                       MODULE := MODULE NAME [( NAME, … )] { SECTION }
//! SECTION    := (VAR | IVAR | FROZENVAR) { NAME : TYPE ; }  |  DEFINE { NAME := E ; }  |  ASSIGN { ASSIGNMENT }  |  ASSIGNMENT
//!             | (INIT | TRANS | INVAR) E [;]  |  INVARSPEC E [;]  |  (SPEC | CTLSPEC) (AG | G) E [;]  |  LTLSPEC G E [;]
//! TYPE       := boolean | bool | N .. N | { VALUE, … } | NAME [( E, … )]
//! ASSIGNMENT := (init ( PATH ) | next ( PATH ) | PATH) := E ;
//! ```
//!
//! The keywords of sections can be in small letters where a name follows, as the paper writes them. Nesting of expressions is
//! bounded, so that no text can exhaust the stack.

use super::syntax::{
    Assignment, Binary, Expression, ExpressionKind, Module, Name, Path, Role, Statement, Type, Variable, When,
};
use crate::text::tokens::{end, some};
use crate::text::words::{In, Kind, Out, Token, list, symbol, word};
use nom::branch::alt;
use nom::combinator::{cut, map, opt, value};
use nom::multi::{many0, separated_list1};
use nom::sequence::{delimited, preceded, terminated};
use nom::{Input, Parser};

/// Numbers have at most so many digits; arithmetic on them stays far from what a machine word holds.
const DIGITS: usize = 12;

/// Words that are no names.
pub(crate) const RESERVED: [&str; 45] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "INVARSPEC",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "CONSTANTS",
    "ISA",
    "NAME",
    "TRUE",
    "FALSE",
    "case",
    "esac",
    "init",
    "next",
    "mod",
    "union",
    "in",
    "xor",
    "xnor",
    "boolean",
    "bool",
    "array",
    "of",
    "word",
    "process",
    "self",
    "AG",
    "AF",
    "EG",
    "EF",
    "G",
    "F",
];

/// Sections that say something that is not read, and why.
const REFUSED: [(&str, &str); 8] = [
    (
        "FAIRNESS",
        "fairness says something of infinite runs, and would leave some of the states out that are asked about",
    ),
    (
        "JUSTICE",
        "fairness says something of infinite runs, and would leave some of the states out that are asked about",
    ),
    (
        "COMPASSION",
        "fairness says something of infinite runs, and would leave some of the states out that are asked about",
    ),
    ("PSLSPEC", "properties in PSL are not read"),
    ("COMPUTE", "`COMPUTE` asks for a number, and questions have yes or no for an answer"),
    ("ISA", "`ISA` is not read"),
    ("CONSTANTS", "`CONSTANTS` is not read: the names in the types of variables are known without it"),
    ("PRED", "`PRED` is not read"),
];

/// A goal: one expression and nothing behind it.
pub fn goal<'t, 'a>(input: In<'t, 'a>) -> Out<'t, 'a, Expression> {
    terminated(expression, end).parse(input)
}

/// The first line of a module: its name and parameters.
pub fn module<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Module> {
    let parameters = delimited(symbol("("), opt(list(name)), cut(symbol(")")));
    let (input, (name, parameters)) = preceded(word("MODULE"), cut((name, opt(parameters)))).parse(input)?;
    let parameters = parameters.flatten().unwrap_or_default();
    Ok((input, Module::new(name, parameters)))
}

/// What stands in a module.
pub enum Section {
    /// `VAR`
    Variables(Vec<Variable>),
    /// `DEFINE`
    Defines(Vec<(Name, Expression)>),
    /// `ASSIGN`
    Assignments(Vec<Assignment>),
    /// All others.
    Statement(Statement, Expression),
}

/// Puts what was read into a module.
pub fn add(module: &mut Module, section: Section) {
    match section {
        Section::Variables(more) => module.variables.extend(more),
        Section::Defines(more) => module.defines.extend(more),
        Section::Assignments(more) => module.assignments.extend(more),
        Section::Statement(statement, expression) => module.statements.push((statement, expression)),
    }
}

/// Whether a token begins a section, or a module: where to go on after an error.
pub fn begins(token: &Token<'_>) -> bool {
    const SECTIONS: [&str; 11] =
        ["MODULE", "VAR", "IVAR", "FROZENVAR", "DEFINE", "ASSIGN", "INIT", "TRANS", "INVAR", "INVARSPEC", "LTLSPEC"];
    token.kind == Kind::Word && (SECTIONS.contains(&token.text) || matches!(token.text, "SPEC" | "CTLSPEC"))
}

/// One section.
pub fn section<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Section> {
    if let Some((_, why)) = input.first().and_then(|token| REFUSED.iter().find(|(word, _)| *word == token.text)) {
        return input.refuse_with(*why, "leave it away, or ask a checker that reads it");
    }
    let statement = |keyword, statement| {
        map(delimited(word(keyword), cut(expression), opt(symbol(";"))), move |e| Section::Statement(statement, e))
    };
    alt((
        variables,
        defines,
        assignments,
        statement("INIT", Statement::Init),
        statement("TRANS", Statement::Trans),
        statement("INVAR", Statement::Invar),
        claim,
    ))
    .parse(input)
}

fn variables<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Section> {
    let keyword = |large, small, role| value(role, alt((word(large), word(small))));
    let (input, role) = alt((
        keyword("VAR", "var", Role::State),
        keyword("IVAR", "ivar", Role::Input),
        keyword("FROZENVAR", "frozenvar", Role::Frozen),
    ))
    .parse(input)?;
    let one = |input| {
        let (input, (name, _)) = (name, symbol(":")).parse(input)?;
        let (input, ty) = cut(terminated(ty, symbol(";"))).parse(input)?;
        Ok((input, Variable { name, ty, role }))
    };
    map(many0(one), Section::Variables).parse(input)
}

fn defines<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Section> {
    let (input, _) = alt((word("DEFINE"), word("define"))).parse(input)?;
    let one = |input| {
        let (input, (name, _)) = (name, symbol(":=")).parse(input)?;
        let (input, expression) = cut(terminated(expression, symbol(";"))).parse(input)?;
        Ok((input, (name, expression)))
    };
    map(many0(one), Section::Defines).parse(input)
}

fn assignments<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Section> {
    let several = preceded(alt((word("ASSIGN"), word("assign"))), many0(assignment));
    // The paper has assignments without the keyword.
    let one = map(assignment, |one| vec![one]);
    map(alt((several, one)), Section::Assignments).parse(input)
}

fn assignment<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Assignment> {
    let inside = |keyword, when| {
        map(preceded(word(keyword), delimited(symbol("("), cut(path), cut(symbol(")")))), move |path| (when, path))
    };
    let (input, (when, target)) = alt((
        terminated(inside("init", When::First), cut(symbol(":="))),
        terminated(inside("next", When::Next), cut(symbol(":="))),
        map(terminated(path, symbol(":=")), |path| (When::Always, path)),
    ))
    .parse(input)?;
    let (input, value) = cut(terminated(expression, symbol(";"))).parse(input)?;
    Ok((input, Assignment { when, target, value }))
}

/// What is to be shown: an invariant, whichever way it is put.
fn claim<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Section> {
    let called = || opt((word("NAME"), cut(name), cut(symbol(":="))));
    let (input, keyword) = alt((word("INVARSPEC"), word("SPEC"), word("CTLSPEC"), word("LTLSPEC"))).parse(input)?;
    let (input, _) = called().parse(input)?;
    let (input, claim) = if keyword.text == "INVARSPEC" {
        cut(expression).parse(input)?
    } else {
        let always = input.first().filter(|token| matches!(token.text, "AG" | "G"));
        if always.is_none() {
            let help = "write `SPEC AG p` or `SPEC G p`, with p about one state";
            return input.refuse_with("only invariants are decided", help);
        }
        let (input, claim) = cut(|input| unary(input, 0)).parse(input.take_from(1))?;
        if input.first().and_then(operator).is_some() {
            let help = "put parentheses around all that always holds: `AG (…)`";
            return input
                .refuse_with("the claim is `AG` of what stands before this, and more; that is no invariant", help);
        }
        (input, claim)
    };
    let (input, _) = opt(symbol(";")).parse(input)?;
    Ok((input, Section::Statement(Statement::Claim, claim)))
}

fn ty<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Type> {
    let help = "variables are boolean, ranges such as 0..7, or sets of names";
    match input.first().map(|token| token.text) {
        Some("array") => return input.refuse_with("arrays are not read", help),
        Some("word" | "unsigned" | "signed") => return input.refuse_with("words of bits are not read", help),
        Some("integer" | "real" | "clock") => return input.refuse_with("variables have finitely many values", help),
        Some("process") => {
            return input.refuse_with("processes that take turns are not read", "all modules move at once");
        }
        _ => {}
    }
    let truth = value(Type::Truth, alt((word("boolean"), word("bool"))));
    let range = map(range, |(first, last)| Type::Range(first, last));
    let numbers = map(delimited(symbol("{"), list(number), symbol("}")), Type::Numbers);
    let names = map(delimited(symbol("{"), cut(list(name)), cut(symbol("}"))), Type::Names);
    let given = delimited(symbol("("), opt(list(expression)), cut(symbol(")")));
    let instance =
        map((name, opt(given)), |(module, given)| Type::Instance(module, given.flatten().unwrap_or_default()));
    alt((truth, range, numbers, names, instance)).parse(input)
}

fn name<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Name> {
    let is_name = |token: &Token<'a>| match token.kind {
        Kind::Word => !RESERVED.contains(&token.text),
        kind => kind == Kind::Quoted,
    };
    let (input, token) = some("a name", is_name)(input)?;
    let text = if token.kind == Kind::Quoted { &token.text[1..token.text.len() - 1] } else { token.text };
    Ok((input, Name { text: text.into(), span: token.span() }))
}

fn path<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Path> {
    let (input, steps) = separated_list1(symbol("."), name).parse(input)?;
    let span = steps[0].span.start..steps[steps.len() - 1].span.end;
    Ok((input, Path { steps: steps.into_iter().map(|step| step.text).collect(), span }))
}

fn range<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, (i64, i64)> {
    let start = input;
    let (input, (first, last)) = (terminated(number, symbol("..")), cut(number)).parse(input)?;
    if first > last {
        return start.refuse_with("this range has nothing in it", "the smaller number comes first");
    }
    Ok((input, (first, last)))
}

fn number<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, i64> {
    let (input, sign) = opt(symbol("-")).parse(input)?;
    let (rest, token) = some("a number", |token: &Token<'a>| token.kind == Kind::Number)(input)?;
    match token.text.parse::<i64>() {
        Ok(number) if token.text.len() <= DIGITS => Ok((rest, if sign.is_some() { -number } else { number })),
        _ => input.refuse_with("this number is too large", format!("numbers have at most {DIGITS} digits")),
    }
}

/// How tightly an operator binds, and what it is; `?` is none of them.
fn operator(token: &Token<'_>) -> Option<(u8, Option<Binary>)> {
    Some(match token.text {
        "->" => (1, Some(Binary::Implies)),
        "<->" => (2, Some(Binary::Same)),
        "?" => (3, None),
        "|" | "||" => (4, Some(Binary::Or)),
        "xor" => (4, Some(Binary::Xor)),
        "xnor" => (4, Some(Binary::Xnor)),
        "&" | "&&" => (5, Some(Binary::And)),
        "=" => (6, Some(Binary::Equal)),
        "!=" => (6, Some(Binary::NotEqual)),
        "<" => (6, Some(Binary::Less)),
        "<=" => (6, Some(Binary::LessEqual)),
        ">" => (6, Some(Binary::Greater)),
        ">=" => (6, Some(Binary::GreaterEqual)),
        "in" => (7, Some(Binary::In)),
        "union" => (8, Some(Binary::Union)),
        "+" => (9, Some(Binary::Add)),
        "-" => (9, Some(Binary::Subtract)),
        "*" => (10, Some(Binary::Multiply)),
        "/" => (10, Some(Binary::Divide)),
        "mod" => (10, Some(Binary::Modulo)),
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
        let (behind, start) = (input.take_from(1), left.span.start);
        let (rest, kind, end) = match operator {
            None => {
                let (rest, (then, _, otherwise)) = cut((
                    |input| binary(input, level, depth + 1),
                    symbol(":"),
                    |input| binary(input, level, depth + 1),
                ))
                .parse(behind)?;
                let end = otherwise.span.end;
                let always =
                    Expression { kind: Box::new(ExpressionKind::Truth(true)), span: otherwise.span.clone(), depth: 1 };
                (rest, ExpressionKind::Case(vec![(left, then), (always, otherwise)]), end)
            }
            Some(operator) => {
                // `a -> b -> c` is `a -> (b -> c)`.
                let next = if operator == Binary::Implies { level } else { level + 1 };
                let (rest, right) = cut(|input| binary(input, next, depth + 1)).parse(behind)?;
                let end = right.span.end;
                (rest, ExpressionKind::Binary(operator, left, right), end)
            }
        };
        left = Expression::new(input, kind, start..end)?;
        input = rest;
    }
    Ok((input, left))
}

fn unary<'t, 'a: 't>(input: In<'t, 'a>, depth: u16) -> Out<'t, 'a, Expression> {
    let (input, ()) = Expression::within(input, depth)?;
    let Some(token) = input.first() else { return primary(input, depth) };
    let make = match token.text {
        // A range may begin with it.
        "-" if range_follows(input) => return primary(input, depth),
        "-" => ExpressionKind::Minus,
        "!" => ExpressionKind::Not,
        _ => return primary(input, depth),
    };
    let (rest, operand) = cut(|input| unary(input, depth + 1)).parse(input.take_from(1))?;
    let span = token.start..operand.span.end;
    Ok((rest, Expression::new(input, make(operand), span)?))
}

/// Whether `N ..` stands here.
fn range_follows(input: In<'_, '_>) -> bool {
    let mut texts =
        input.iter_elements().map(|token| (token.kind, token.text)).skip_while(|(_, text)| *text == "-").take(2);
    matches!(texts.next(), Some((Kind::Number, _))) && matches!(texts.next(), Some((_, "..")))
}

fn primary<'t, 'a: 't>(input: In<'t, 'a>, depth: u16) -> Out<'t, 'a, Expression> {
    if let Some(token) = input.first().filter(|token| matches!(token.text, "AG" | "AF" | "EG" | "EF" | "G" | "F")) {
        let message = format!("`{}` is about what comes later, and this is about one state", token.text);
        return input.refuse_with(message, "only invariants are decided: `SPEC AG p`");
    }
    let inner = |input| binary(input, 1, depth + 1);
    let truth = alt((value(true, word("TRUE")), value(false, word("FALSE"))));
    let branch = (terminated(inner, cut(symbol(":"))), cut(terminated(inner, symbol(";"))));
    let case = delimited(word("case"), cut(nom::multi::many1(branch)), cut(word("esac")));
    let set = delimited(symbol("{"), cut(separated_list1(symbol(","), inner)), cut(symbol("}")));
    let parenthesised = |opening, closing| delimited(opening, cut(inner), cut(closing));
    let mut kind = alt((
        map(truth, ExpressionKind::Truth),
        map(range, |(first, last)| ExpressionKind::Range(first, last)),
        map(number, ExpressionKind::Number),
        map(case, ExpressionKind::Case),
        map(set, ExpressionKind::Set),
        map(preceded(word("next"), parenthesised(symbol("("), symbol(")"))), ExpressionKind::Next),
        map(path, ExpressionKind::Name),
        map(parenthesised(symbol("("), symbol(")")), |inner: Expression| *inner.kind),
    ));
    let (rest, kind) = kind.parse(input)?;
    Ok((rest, Expression::new(input, kind, input.span_to(rest))?))
}
