//! Macros and what they expand to.

use super::super::source::Origin;
use super::hidden::Hidden;
use super::pieces::{Kind, Piece};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What `#define` gives a name.
#[derive(Clone, Debug)]
pub struct Macro {
    /// Absent for a macro without parentheses.
    pub parameters: Option<Vec<Rc<str>>>,
    /// The last parameter takes all further arguments.
    pub variadic: bool,
    pub body: Vec<Piece>,
    /// The file of the definition; its pieces stand there.
    pub file: u32,
    /// Where the name stands in the definition; absent for the command line.
    pub definition: Option<Origin>,
}

/// A piece on its way through expansion.
#[derive(Clone, Debug)]
pub struct Item {
    pub piece: Piece,
    /// The file that the piece itself stands in: pieces next to each other there stay so.
    pub file: u32,
    /// Where messages place it.
    pub origin: Origin,
    /// Macros that it came out of, which must not be expanded in it again.
    pub hidden: Hidden,
}

/// The macros of a moment.
pub type Macros = FxHashMap<Rc<str>, Macro>;

/// One argument as written, and as expanded.
pub struct Argument {
    pub written: Vec<Item>,
    pub expanded: Vec<Item>,
}

/// Replaces the parameters in the body of a macro. `origin` is where the result stands, `hidden` what it must not expand.
pub fn substitute(
    name: &Rc<str>,
    definition: &Macro,
    arguments: &[Argument],
    origin: Origin,
    hidden: &Hidden,
) -> Vec<Item> {
    let hidden = hidden.with(name);
    let parameters = definition.parameters.as_deref().unwrap_or_default();
    let argument = |piece: &Piece| {
        let at = parameters.iter().position(|p| piece.kind == Kind::Word && *p == piece.text)?;
        arguments.get(at)
    };
    let own = |piece: &Piece| Item { piece: piece.clone(), file: definition.file, origin, hidden: hidden.clone() };
    let passed = |items: &[Item], blank: bool| -> Vec<Item> {
        let mut items = items.to_vec();
        for item in &mut items {
            // What an argument must not expand stays so; the macro itself is added.
            item.hidden = item.hidden.and(&hidden);
        }
        if let Some(first) = items.first_mut() {
            first.piece.blank |= blank;
        }
        items
    };
    let mut out: Vec<Item> = Vec::new();
    let mut pasting = false;
    let body = &definition.body;
    let mut at = 0;
    while let Some(piece) = body.get(at) {
        at += 1;
        if &*piece.text == "##" && at > 1 && at < body.len() {
            pasting = true;
            continue;
        }
        let next = body.get(at);
        let items = if &*piece.text == "#" && definition.parameters.is_some() && next.and_then(argument).is_some() {
            at += 1;
            let written = next.and_then(argument).map_or(&[][..], |a| &a.written);
            vec![own(&Piece { kind: Kind::Quoted, text: stringified(written).into(), ..piece.clone() })]
        } else if let Some(argument) = argument(piece) {
            let glued = pasting || next.is_some_and(|n| &*n.text == "##");
            passed(if glued { &argument.written } else { &argument.expanded }, piece.blank)
        } else {
            vec![own(piece)]
        };
        let mut items = items.into_iter();
        if pasting
            && let Some(left) = out.last_mut()
            && let Some(right) = items.next()
        {
            let text: Rc<str> = format!("{}{}", left.piece.text, right.piece.text).into();
            let kind = if left.piece.kind == Kind::Symbol && text.as_bytes()[0].is_ascii_digit() {
                Kind::Number
            } else {
                left.piece.kind
            };
            left.piece = Piece { kind, text, ..left.piece.clone() };
            left.hidden = left.hidden.and(&right.hidden);
        }
        pasting = false;
        out.extend(items);
    }
    out
}

/// `#x`: the argument as a string.
fn stringified(items: &[Item]) -> String {
    let mut text = String::from("\"");
    for (at, item) in items.iter().enumerate() {
        if item.piece.blank && at > 0 {
            text.push(' ');
        }
        for c in item.piece.text.chars() {
            if item.piece.kind == Kind::Quoted && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    text
}
