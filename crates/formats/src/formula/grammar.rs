//! Formulas as they are written.
//!
//! ```text
//! F    := F <-> F | F -> F | F OR F | F XOR F | F AND F | NOT F | path F | ( F ) | atom       (also | || & && !)
//! path := EF | AG | REACHABLE | INVARIANT | IMPOSSIBLE | EXPATH EVENTUALLY | ALLPATH ALWAYS | E F | A G | E (F …) | A (G …)
//! atom := TRUE | FALSE | DEADLOCK | INITIAL | FIREABLE(t, …) | term op term      op := = == != <> # < <= > >=
//! read and refused: other words of the letters AGEFXUR, NEXTSTATE, F UNTIL F, F RELEASE F, F U F, F R F, bound(p, …)
//! term := term + term | term - term | number [* term] | name | tokens-count(p, …) | ( term )
//! ```

use super::lexer;
use crate::diag::Span;
use crate::text::tokens::{end, some};
use crate::text::words::{In, Kind, Out, Token, list, symbol, word};
use nom::Parser as _;
use nom::combinator::{cut, opt};
use nom::sequence::delimited;

/// A name and where it stands.
pub type Name = (String, Span);

/// A formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    Constant(bool),
    Dead,
    Initial,
    /// One of these can fire.
    Fireable(Vec<Name>),
    Compare(Vec<Summand>, Sign, Vec<Summand>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Xor(Box<Tree>, Box<Tree>),
    Not(Box<Tree>),
    Path(Path, Span, Box<Tree>),
}

/// What a path operator says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// Some reachable marking.
    Possible,
    /// Every reachable marking.
    Always,
    /// No reachable marking.
    Impossible,
    /// Something else.
    Other,
}

/// A part of a sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Summand {
    /// How often; negative where it is taken away.
    pub factor: i64,
    /// The place, or nothing for a plain number.
    pub place: Option<Name>,
}

/// A comparison as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    Equal,
    Different,
    Less,
    AtMost,
    More,
    AtLeast,
}

/// Parentheses and operators within each other: bounds the recursion of everything that walks a formula.
pub const DEEPEST: usize = 200;

impl Tree {
    /// The first path operator, if there is one.
    pub fn path(&self) -> Option<(String, Span)> {
        match self {
            Tree::Path(path, span, _) => Some((format!("{path:?}"), span.clone())),
            Tree::And(all) | Tree::Or(all) => all.iter().find_map(Tree::path),
            Tree::Xor(a, b) => a.path().or_else(|| b.path()),
            Tree::Not(tree) => tree.path(),
            _ => None,
        }
    }
}

/// A whole formula, with `FORMULA` before it or `;` behind it.
pub fn whole<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Tree> {
    let (input, _) = opt(word("FORMULA")).parse(input)?;
    let (input, tree) = formula(input, 0)?;
    let (input, _) = opt(symbol(";")).parse(input)?;
    let (input, ()) = end(input)?;
    Ok((input, tree))
}

/// Takes the next token if it is one of these.
fn one_of<'t, 'a: 't>(input: In<'t, 'a>, texts: &'static [&'static str]) -> Option<(In<'t, 'a>, &'static str)> {
    texts.iter().find_map(|text| {
        let found = symbol(text)(input).or_else(|_| word(text)(input)).ok()?;
        Some((found.0, *text))
    })
}

fn formula<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    if depth > DEEPEST {
        return input.refuse(format!("more than {DEEPEST} operators within each other"));
    }
    let (mut input, mut tree) = implication(input, depth)?;
    while let Some((rest, how)) = one_of(input, &["<->", "UNTIL", "RELEASE", "U", "R"]) {
        let at = input.first().map_or(0..0, |token| token.span());
        let (rest, right) = implication(rest, depth)?;
        let both = Tree::Xor(Box::new(tree), Box::new(right));
        // Both sides of what is refused are kept, so that their names are looked up all the same.
        tree = if how == "<->" { Tree::Not(Box::new(both)) } else { Tree::Path(Path::Other, at, Box::new(both)) };
        input = rest;
    }
    Ok((input, tree))
}

fn implication<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    let (input, left) = disjunction(input, depth)?;
    match one_of(input, &["->"]) {
        None => Ok((input, left)),
        Some((rest, _)) => {
            let (rest, right) = formula(rest, depth + 1)?;
            Ok((rest, Tree::Or(vec![Tree::Not(Box::new(left)), right])))
        }
    }
}

fn disjunction<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    let (mut input, first) = conjunction(input, depth)?;
    let mut any = vec![first];
    while let Some((rest, how)) = one_of(input, &["OR", "||", "|", "XOR"]) {
        let (rest, right) = conjunction(rest, depth)?;
        input = rest;
        if how == "XOR" {
            let left = if any.len() == 1 { any.remove(0) } else { Tree::Or(std::mem::take(&mut any)) };
            any = vec![Tree::Xor(Box::new(left), Box::new(right))];
        } else {
            any.push(right);
        }
    }
    Ok((input, if any.len() == 1 { any.remove(0) } else { Tree::Or(any) }))
}

fn conjunction<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    let (mut input, first) = unary(input, depth)?;
    let mut all = vec![first];
    while let Some((rest, _)) = one_of(input, &["AND", "&&", "&"]) {
        let (rest, right) = unary(rest, depth)?;
        input = rest;
        all.push(right);
    }
    Ok((input, if all.len() == 1 { all.remove(0) } else { Tree::And(all) }))
}

fn unary<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    if depth > DEEPEST {
        return input.refuse(format!("more than {DEEPEST} operators within each other"));
    }
    if let Some((rest, _)) = one_of(input, &["NOT", "!"]) {
        let (rest, tree) = unary(rest, depth + 1)?;
        return Ok((rest, Tree::Not(Box::new(tree))));
    }
    if let Some((mut rest, path, span, is_open)) = path(input) {
        let tree;
        (rest, tree) = unary(rest, depth + 1)?;
        if is_open {
            (rest, _) = symbol(")")(rest)?;
        }
        return Ok((rest, Tree::Path(path, span, Box::new(tree))));
    }
    if let Ok((rest, bound)) = word("bound")(input)
        && rest.first().is_some_and(|token| token.text == "(")
    {
        let (rest, _) = names(rest)?;
        return Ok((rest, Tree::Path(Path::Other, bound.span(), Box::new(Tree::Constant(true)))));
    }
    for (text, tree) in [
        ("TRUE", Tree::Constant(true)),
        ("true", Tree::Constant(true)),
        ("FALSE", Tree::Constant(false)),
        ("false", Tree::Constant(false)),
        ("DEADLOCK", Tree::Dead),
        ("deadlock", Tree::Dead),
        ("INITIAL", Tree::Initial),
    ] {
        if let Ok((rest, _)) = word(text)(input)
            && compared(rest).is_none()
        {
            return Ok((rest, tree));
        }
    }
    for text in ["FIREABLE", "fireable", "is-fireable"] {
        if let Ok((rest, _)) = word(text)(input)
            && rest.first().is_some_and(|token| token.text == "(")
        {
            let (rest, list) = names(rest)?;
            return Ok((rest, Tree::Fireable(list)));
        }
    }
    // A parenthesis may hold a sum or a formula: the sum is tried first, and costs no more than its length.
    match comparison(input, depth) {
        Err(nom::Err::Error(_)) if input.first().is_some_and(|token| token.text == "(") => {
            let (rest, _) = symbol("(")(input)?;
            let (rest, tree) = formula(rest, depth + 1)?;
            let (rest, _) = symbol(")")(rest)?;
            Ok((rest, tree))
        }
        other => other,
    }
}

/// A path operator, and whether a parenthesis was opened within it, as in `E (F (p = 1))`. Words of capital letters from `AGEFXUR`
/// are operators where no comparison follows.
fn path<'t, 'a: 't>(input: In<'t, 'a>) -> Option<(In<'t, 'a>, Path, Span, bool)> {
    let first = *input.first().filter(|token| token.kind == Kind::Word)?;
    let (rest, _) = some("a formula", |_: &Token<'_>| true)(input).ok()?;
    if compared(rest).is_some() {
        return None;
    }
    let second = |text: &'static str| word(text)(rest).ok().map(|(rest, _)| rest);
    let pair = |a: &'static str, path| second(a).map_or((rest, Path::Other, false), |rest| (rest, path, false));
    let opened = |a: &'static str, path| match symbol("(")(rest).and_then(|(rest, _)| word(a)(rest)) {
        Ok((rest, _)) => (rest, path, true),
        Err(_) => pair(a, path),
    };
    let letters = |text: &str| text.bytes().all(|b| b"AGEFXUR".contains(&b));
    let (rest, path, is_open) = match first.text {
        "EF" | "REACHABLE" => (rest, Path::Possible, false),
        "AG" | "INVARIANT" => (rest, Path::Always, false),
        "IMPOSSIBLE" => (rest, Path::Impossible, false),
        "EXPATH" => pair("EVENTUALLY", Path::Possible),
        "ALLPATH" => pair("ALWAYS", Path::Always),
        "E" => opened("F", Path::Possible),
        "A" => opened("G", Path::Always),
        "ALWAYS" | "EVENTUALLY" | "NEXTSTATE" => (rest, Path::Other, false),
        text if letters(text) => (rest, Path::Other, false),
        _ => return None,
    };
    Some((rest, path, first.span(), is_open))
}

/// The comparison or sum sign that is next: what stands before it is a number or a place.
fn compared(input: In<'_, '_>) -> Option<()> {
    let token = input.first().filter(|token| token.kind == Kind::Symbol)?;
    matches!(token.text, "=" | "==" | "!=" | "<>" | "#" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*").then_some(())
}

fn names<'t, 'a: 't>(input: In<'t, 'a>) -> Out<'t, 'a, Vec<Name>> {
    let name = some("a name", |token: &Token<'_>| token.kind != Kind::Symbol);
    let name = name.map(|token: Token<'_>| (lexer::name(&token), token.span()));
    cut(delimited(symbol("("), list(name), symbol(")"))).parse(input)
}

fn comparison<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Tree> {
    let (input, left) = sum(input, depth)?;
    const SIGNS: [(&str, Sign); 9] = [
        ("=", Sign::Equal),
        ("==", Sign::Equal),
        ("!=", Sign::Different),
        ("<>", Sign::Different),
        ("#", Sign::Different),
        ("<=", Sign::AtMost),
        ("<", Sign::Less),
        (">=", Sign::AtLeast),
        (">", Sign::More),
    ];
    let is = |token: &Token<'_>| token.kind == Kind::Symbol && SIGNS.iter().any(|(text, _)| *text == token.text);
    let (input, found) = some("a comparison", is)(input)?;
    let (_, how) = SIGNS.iter().find(|(text, _)| *text == found.text).expect("it is one of them");
    let (input, right) = sum(input, depth)?;
    Ok((input, Tree::Compare(left, *how, right)))
}

fn sum<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Summand>> {
    let (mut input, mut all) = product(input, depth)?;
    while let Some((rest, how)) = one_of(input, &["+", "-"]) {
        let (rest, more) = product(rest, depth)?;
        input = rest;
        let factor = if how == "-" { -1 } else { 1 };
        all.extend(more.into_iter().map(|part| Summand { factor: part.factor * factor, ..part }));
    }
    Ok((input, all))
}

fn product<'t, 'a: 't>(input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Vec<Summand>> {
    if depth > DEEPEST {
        return input.refuse(format!("more than {DEEPEST} operators within each other"));
    }
    if let Ok((rest, _)) = symbol("(")(input) {
        let (rest, inner) = sum(rest, depth + 1)?;
        let (rest, _) = symbol(")")(rest)?;
        return Ok((rest, inner));
    }
    if let Some((rest, _)) = one_of(input, &["-"]) {
        let (rest, inner) = product(rest, depth + 1)?;
        return Ok((rest, inner.into_iter().map(|part| Summand { factor: -part.factor, ..part }).collect()));
    }
    if let Ok((rest, _)) = word("tokens-count")(input)
        && rest.first().is_some_and(|token| token.text == "(")
    {
        let (rest, list) = names(rest)?;
        let parts = list.into_iter().map(|place| Summand { factor: 1, place: Some(place) });
        return Ok((rest, parts.collect()));
    }
    let (rest, token) = some("a place or a number", |token: &Token<'_>| token.kind != Kind::Symbol)(input)?;
    if token.kind == Kind::Quoted || !token.text.bytes().all(|b| b.is_ascii_digit()) {
        if token.text == "oo" {
            return input.refuse("`oo` asks whether a place is unbounded, which is refused");
        }
        return Ok((rest, vec![Summand { factor: 1, place: Some((lexer::name(&token), token.span())) }]));
    }
    // Factors stay within 31 bits, so that sums of them stay within 64.
    let Some(number) = token.text.parse().ok().filter(|&n: &i64| n <= i64::from(i32::MAX)) else {
        return input.refuse(format!("{} is too large", token.text));
    };
    match one_of(rest, &["*"]) {
        None => Ok((rest, vec![Summand { factor: number, place: None }])),
        Some((behind, _)) => {
            let (behind, inner) = product(behind, depth + 1)?;
            let large = inner.iter().any(|part| (part.factor * number).abs() > i64::from(i32::MAX));
            if large {
                return rest.refuse("this product is too large");
            }
            let parts = inner.into_iter().map(|part| Summand { factor: part.factor * number, ..part });
            Ok((behind, parts.collect()))
        }
    }
}
