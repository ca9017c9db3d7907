//! LoLA's low-level nets.
//!
//! ```text
//! net        := PLACE group {; group} ; MARKING [item {, item}] ; transition …
//! group      := [SAFE [number] :] name {, name}            item := name [: number], where repeats add up
//! transition := TRANSITION name [WEAK FAIR | STRONG FAIR] CONSUME [item {, item}] ; PRODUCE [item {, item}] ;
//! ```
//! What `SAFE` promises is not relied on, and fairness says nothing about what is reachable. High-level nets are refused.

pub(crate) mod lexer;
mod write;

pub use write::{write, write_formula};

use super::draft::{Draft, Way};
use crate::diag::Read;
use crate::text::tokens;
use crate::text::tokens::{Notes, Tokens, end, exactly, some};
use lexer::{Kind, Token};
use nom::Input as _;
use nom::Parser as _;
use nom::branch::alt;
use nom::combinator::opt;
use nom::multi::{many0, separated_list0, separated_list1};
use nom::sequence::{preceded, terminated};
use prequel_model::Net;

type Input<'t, 'a> = Tokens<'t, 'a, Kind>;
type Parsed<'t, 'a, T> = tokens::Parsed<'t, 'a, Kind, T>;

/// A name with a number behind it.
type Item<'a> = (Token<'a>, Option<Token<'a>>);

/// A transition as it is written.
struct Written<'a> {
    name: Token<'a>,
    takes: Vec<Item<'a>>,
    gives: Vec<Item<'a>>,
}

/// Whether a text is a net of LoLA, high-level ones included: its first word says so.
pub fn looks_so(text: &str) -> bool {
    let (tokens, _) = lexer::lex(text);
    tokens.first().is_some_and(|token| token.kind == Kind::Keyword)
}

/// Reads a file.
pub fn read(file: &str, bytes: &[u8]) -> Read<Net> {
    let text = String::from_utf8_lossy(bytes);
    let (tokens, unclosed) = lexer::lex(&text);
    let mut draft = Draft::new(file, text.as_bytes());
    if let Some(span) = unclosed {
        draft.findings.error(span, "this comment does not end", "close it with `}` or `*/`");
    }
    let high_level = |token: &&Token<'_>| {
        matches!((token.kind, token.text), (Kind::Keyword, "SORT" | "FUNCTION" | "VAR" | "GUARD") | (Kind::Symbol, "("))
    };
    if let Some(token) = tokens.iter().find(high_level) {
        let help = "unfold it to a low-level net with LoLA first";
        draft.findings.error(token.span(), format!("a high-level (coloured) net is refused: `{}`", token.text), help);
        return draft.finish(None);
    }
    let notes = Notes::default();
    let input = Tokens::new(&tokens, &notes);
    let head = match head(input) {
        Ok((rest, head)) => {
            add_head(&mut draft, head);
            Some(rest)
        }
        Err(_) => {
            draft.findings.errors.push(|| notes.diagnostic(file, text.as_bytes(), &tokens));
            None
        }
    };
    let mut input = head.unwrap_or_else(|| input.take_from(input.input_len()));
    while input.first().is_some() {
        match transition(input) {
            Ok((rest, written)) => {
                add_transition(&mut draft, written);
                input = rest;
            }
            Err(_) => {
                draft.findings.errors.push(|| notes.diagnostic(file, text.as_bytes(), &tokens));
                // The next transition may be right again.
                input = input.skip_to(|token| token.kind == Kind::Keyword && token.text == "TRANSITION");
            }
        }
    }
    draft.finish(None)
}

fn keyword<'t, 'a: 't>(text: &'static str) -> impl Fn(Input<'t, 'a>) -> Parsed<'t, 'a, Token<'a>> {
    exactly(Kind::Keyword, text)
}

fn symbol<'t, 'a: 't>(text: &'static str) -> impl Fn(Input<'t, 'a>) -> Parsed<'t, 'a, Token<'a>> {
    exactly(Kind::Symbol, text)
}

fn name<'t, 'a>(input: Input<'t, 'a>) -> Parsed<'t, 'a, Token<'a>> {
    some("a name", |token: &Token<'_>| token.kind == Kind::Word)(input)
}

fn number<'t, 'a>(input: Input<'t, 'a>) -> Parsed<'t, 'a, Token<'a>> {
    // Any word that starts like a number, so that a wrong one is a wrong number and not a wrong word.
    let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    some("a number", move |token: &Token<'_>| token.kind == Kind::Word && starts(token.text))(input)
}

fn items<'t, 'a>(input: Input<'t, 'a>) -> Parsed<'t, 'a, Vec<Item<'a>>> {
    let item = (name, opt(preceded(symbol(":"), number)));
    terminated(separated_list0(symbol(","), item), symbol(";")).parse(input)
}

type Head<'a> = (Vec<Token<'a>>, Vec<Item<'a>>);

/// Places and marking, and a look at what must follow.
fn head<'t, 'a>(input: Input<'t, 'a>) -> Parsed<'t, 'a, Head<'a>> {
    let safe = (keyword("SAFE"), opt(number), symbol(":"));
    let group = preceded(opt(safe), separated_list1(symbol(","), name));
    let (input, _) = keyword("PLACE")(input)?;
    let (input, groups) = many0(terminated(group, symbol(";"))).parse(input)?;
    let (input, marking) = preceded(keyword("MARKING"), items).parse(input)?;
    if input.first().is_some_and(|token| token.text != "TRANSITION") {
        keyword("TRANSITION")(input)?;
    }
    Ok((input, (groups.into_iter().flatten().collect(), marking)))
}

fn transition<'t, 'a>(input: Input<'t, 'a>) -> Parsed<'t, 'a, Written<'a>> {
    let fair = (alt((keyword("WEAK"), keyword("STRONG"))), keyword("FAIR"));
    let (input, name) = preceded(keyword("TRANSITION"), terminated(name, opt(fair))).parse(input)?;
    let (input, takes) = preceded(keyword("CONSUME"), items).parse(input)?;
    let (input, gives) = preceded(keyword("PRODUCE"), items).parse(input)?;
    if input.first().is_some_and(|token| token.text != "TRANSITION") {
        alt((keyword("TRANSITION").map(|_| ()), end)).parse(input)?;
    }
    Ok((input, Written { name, takes, gives }))
}

fn add_head(draft: &mut Draft<'_>, (places, marking): Head<'_>) {
    for place in places {
        draft.place(place.text, 0, place.span());
    }
    for (name, count) in marking {
        let Some(place) = draft.known_place(name.text, name.span()) else { continue };
        let Some(tokens) = count_of(draft, count, "the marking") else { continue };
        match draft.places[place.at()].tokens.checked_add(tokens) {
            Some(sum) => draft.places[place.at()].tokens = sum,
            None => {
                draft.findings.error(name.span(), "the marking is too large", format!("at most {} tokens", u32::MAX))
            }
        }
    }
}

fn add_transition(draft: &mut Draft<'_>, written: Written<'_>) {
    let transition = draft.transition(written.name.text, written.name.span());
    for (way, items) in [(Way::In, written.takes), (Way::Out, written.gives)] {
        for (name, count) in items {
            let Some(place) = draft.known_place(name.text, name.span()) else { continue };
            let Some(weight) = count_of(draft, count, "the weight") else { continue };
            draft.arc(way, transition, place, weight);
        }
    }
}

fn count_of(draft: &mut Draft<'_>, count: Option<Token<'_>>, what: &str) -> Option<u32> {
    count.map_or(Some(1), |token| draft.number(token.text, token.span(), what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{PlaceId, TransitionId};

    fn errors(text: &str) -> Vec<String> {
        read("n.lola", text.as_bytes()).unwrap_err().iter().map(|d| d.headline()).collect()
    }

    #[test]
    fn all_that_the_grammar_has() {
        let text = "/* a\nb */ PLACE p1; SAFE: p2, 3; SAFE 9: p3; { c } MARKING p1: 1, p3, p1, p3: 2;\n\
            TRANSITION p1 WEAK FAIR CONSUME 3; PRODUCE p1, p1, p1: 2;\nTRANSITION */* STRONG FAIR CONSUME ; PRODUCE ;";
        let (net, warnings) = read("n.lola", text.as_bytes()).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(net.initial(), [2, 0, 0, 3]);
        let t = TransitionId(0);
        assert_eq!((net.transition(t), net.line(t)), ("p1", Some(3)));
        assert_eq!(net.outputs(t).iter().map(|a| (a.place, a.weight)).collect::<Vec<_>>(), [(PlaceId(0), 4)]);
        assert_eq!(net.transition(TransitionId(1)), "*/*");
        assert!(read("n", b"PLACE 1; MARKING; TRANSITION 2 CONSUME; PRODUCE;").is_ok());
    }

    #[test]
    fn mistakes_are_told_with_their_place_and_all_of_them() {
        let found = errors(
            "PLACE p, p; MARKING q: 1, p: -2, p: 99999999999;\nTRANSITION t CONSUME r; PRODUCE;\nTRANSITION t CONSUME p: x; PRODUCE;\nTRANSITION u CONSUME; PRODUCE s;",
        );
        assert_eq!(
            found,
            [
                "n.lola:1:10: a second place called `p`; the first is in line 1",
                "n.lola:1:21: there is no place `q`",
                "n.lola:1:30: the marking -2 is negative",
                "n.lola:1:37: the marking 99999999999 is too large",
                "n.lola:2:22: there is no place `r`",
                "n.lola:3:25: expected a number, found `x`",
                "n.lola:4:31: there is no place `s`",
            ]
        );
        assert_eq!(
            errors("PLACE p; MARKING;\nTRANSITION t CONSUME p PRODUCE;"),
            ["n.lola:2:24: expected `:`, `,` or `;`, found `PRODUCE`"]
        );
        assert!(errors("PLACE p; MARKING p; TRANSITION t CONSUME p; PROD")[0].contains("expected `PRODUCE`"));
        assert!(errors("")[0].contains("expected `PLACE`"));
    }

    #[test]
    fn high_level_nets_are_refused_by_name() {
        let found = errors("SORT s = [1,2]; PLACE p : s; MARKING p : f();");
        assert!(found[0].contains("high-level (coloured) net is refused"), "{found:?}");
    }
}
