//! Property files of the Model Checking Contest: `<property-set>` with a `<property>` for each formula.

use super::Formula;
use super::condition::Names;
use super::grammar::{DEEPEST, Path, Sign, Summand, Tree};
use crate::diag::Span;
use crate::diag::{Diagnostic, Place, Read};
use crate::text::errors::Errors;
use crate::text::xml::parse;
use prequel_model::Net;
use roxmltree::Node;

/// What stops a formula: something wrong with the file, or an operator that is refused by name.
enum Stop {
    Wrong(Span, String),
    Refused(String),
}

/// Reads all formulas of a file.
pub fn read(file: &str, text: &str, net: &Net) -> Read<Vec<Formula>> {
    let document = parse(file, text)?;
    let root = document.root_element();
    let mut errors = Errors::default();
    let mut wrong = |span: Span, message: String| {
        let help = "such a file has a <property-set> with <property> elements, each with <id> and <formula>";
        errors.push(|| Diagnostic::error(file, message).at(Place::in_text(text.as_bytes(), span)).help(help));
    };
    if root.tag_name().name() != "property-set" {
        wrong(opening(root), format!("this is a <{}>, not a <property-set>", root.tag_name().name()));
    }
    let mut names = Names::new(net);
    let mut formulas = Vec::new();
    for property in elements(root).filter(|n| n.tag_name().name() == "property") {
        let id = elements(property).find(|n| n.tag_name().name() == "id").and_then(|n| n.text());
        let formula = elements(property).find(|n| n.tag_name().name() == "formula");
        let (Some(id), Some(formula)) = (id, formula) else {
            wrong(opening(property), "a property without id or formula".into());
            continue;
        };
        let query = match only_child(formula).and_then(|inner| tree(inner, 0)) {
            Ok(tree) => names.query_of(&tree, (file, text)),
            Err(Stop::Refused(what)) => Err(what),
            Err(Stop::Wrong(span, message)) => {
                wrong(span, message);
                continue;
            }
        };
        formulas.push(Formula { name: id.trim().into(), query });
    }
    if formulas.is_empty() {
        wrong(opening(root), "there is no formula in this file".into());
    }
    errors.none(file)?;
    names.finish(file)?;
    Ok((formulas, Vec::new()))
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn opening(node: Node<'_, '_>) -> Span {
    let start = node.range().start;
    start..start + 1 + node.tag_name().name().len()
}

fn only_child<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Stop> {
    let mut all = elements(node);
    match (all.next(), all.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Stop::Wrong(opening(node), format!("<{}> must hold one element", node.tag_name().name()))),
    }
}

fn tree(node: Node<'_, '_>, depth: usize) -> Result<Tree, Stop> {
    if depth > DEEPEST {
        return Err(Stop::Wrong(opening(node), format!("more than {DEEPEST} operators within each other")));
    }
    let all = || elements(node).map(|n| tree(n, depth + 1)).collect::<Result<Vec<_>, _>>();
    let two = || -> Result<[Tree; 2], Stop> {
        let wrong = |_| Stop::Wrong(opening(node), format!("<{}> must hold two elements", node.tag_name().name()));
        all()?.try_into().map_err(wrong)
    };
    let path = |inner: &str, path: Path| -> Result<Tree, Stop> {
        let child = only_child(node)?;
        if child.tag_name().name() != inner {
            return Err(Stop::Refused(format!(
                "<{}> <{}> is refused",
                node.tag_name().name(),
                child.tag_name().name()
            )));
        }
        Ok(Tree::Path(path, opening(node), Box::new(tree(only_child(child)?, depth + 2)?)))
    };
    let compare = |sign: Sign| -> Result<Tree, Stop> {
        let sums = elements(node).map(sum).collect::<Result<Vec<_>, _>>()?;
        match <[Vec<Summand>; 2]>::try_from(sums) {
            Ok([left, right]) => Ok(Tree::Compare(left, sign, right)),
            Err(_) => Err(Stop::Wrong(opening(node), "a comparison must hold two sums".into())),
        }
    };
    match node.tag_name().name() {
        "exists-path" => path("finally", Path::Possible),
        "all-paths" => path("globally", Path::Always),
        "conjunction" => Ok(Tree::And(all()?)),
        "disjunction" => Ok(Tree::Or(all()?)),
        "negation" => Ok(Tree::Not(Box::new(tree(only_child(node)?, depth + 1)?))),
        "implication" => two().map(|[a, b]| Tree::Or(vec![Tree::Not(Box::new(a)), b])),
        "equivalence" => two().map(|[a, b]| Tree::Not(Box::new(Tree::Xor(Box::new(a), Box::new(b))))),
        "exclusive-disjunction" => two().map(|[a, b]| Tree::Xor(Box::new(a), Box::new(b))),
        "true" => Ok(Tree::Constant(true)),
        "false" => Ok(Tree::Constant(false)),
        "deadlock" => Ok(Tree::Dead),
        "is-fireable" => Ok(Tree::Fireable(named(node, "transition"))),
        "integer-le" => compare(Sign::AtMost),
        "integer-lt" => compare(Sign::Less),
        "integer-ge" => compare(Sign::AtLeast),
        "integer-gt" => compare(Sign::More),
        "integer-eq" => compare(Sign::Equal),
        "integer-ne" => compare(Sign::Different),
        other => Err(Stop::Refused(format!("<{other}> is refused"))),
    }
}

/// Names in elements of one kind.
fn named(node: Node<'_, '_>, kind: &str) -> Vec<(String, Span)> {
    let of = |n: Node<'_, '_>| {
        let text = n.text().unwrap_or_default();
        let start = n.first_child().map_or(n.range().start, |inner| inner.range().start);
        (text.trim().to_owned(), start..start + text.len())
    };
    elements(node).filter(|n| n.tag_name().name() == kind).map(of).collect()
}

fn sum(node: Node<'_, '_>) -> Result<Vec<Summand>, Stop> {
    match node.tag_name().name() {
        "tokens-count" => {
            Ok(named(node, "place").into_iter().map(|place| Summand { factor: 1, place: Some(place) }).collect())
        }
        "integer-constant" => {
            let text = node.text().unwrap_or_default().trim();
            let number = text.parse().ok().filter(|&n: &i64| n.abs() <= i64::from(i32::MAX));
            let wrong = || Stop::Wrong(opening(node), format!("`{text}` is no number that can be taken"));
            Ok(vec![Summand { factor: number.ok_or_else(wrong)?, place: None }])
        }
        "integer-sum" => Ok(elements(node).map(sum).collect::<Result<Vec<_>, _>>()?.concat()),
        other => Err(Stop::Refused(format!("<{other}> is refused"))),
    }
}
