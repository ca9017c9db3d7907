//! Texts and the trees they stand for.

use super::parse;
use crate::promela::syntax::*;

fn body(text: &str) -> Sequence {
    let model = parse(&format!("byte x, y; byte a[3]; chan c, d; mtype = {{m}};\ninit {{ {text} }}")).unwrap();
    match model.units.into_iter().last() {
        Some(Unit::Init(init)) => init.body,
        other => panic!("{other:?}"),
    }
}

/// An expression with all its parentheses.
fn shown(e: &Expression) -> String {
    match &*e.kind {
        ExpressionKind::Number(n) => n.to_string(),
        ExpressionKind::Reference(r) => r.parts.iter().map(|p| p.name.text.to_string()).collect::<Vec<_>>().join("."),
        ExpressionKind::Unary(op, a) => format!("{op:?}({})", shown(a)),
        ExpressionKind::Binary(op, a, b) => format!("{op:?}({},{})", shown(a), shown(b)),
        ExpressionKind::Conditional { condition, yes, no } => {
            format!("If({},{},{})", shown(condition), shown(yes), shown(no))
        }
        other => format!("{other:?}").split(['(', ' ']).next().unwrap().to_owned(),
    }
}

fn value(text: &str) -> String {
    match &body(&format!("x = {text}"))[0].kind {
        StatementKind::Assign { value, .. } => shown(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_spin() {
    for (text, expected) in [
        ("1 + 2 * 3", "Add(1,Multiply(2,3))"),
        ("1 - 2 - 3", "Subtract(Subtract(1,2),3)"),
        ("!x == 1", "Equal(Not(x),1)"),
        ("-x + 1", "Add(Minus(x),1)"),
        ("x & 1 == 0", "BitAnd(x,Equal(1,0))"),
        ("x || y && x | y", "Or(x,And(y,BitOr(x,y)))"),
        ("1 << 2 + 1 < 3", "Less(ShiftLeft(1,Add(2,1)),3)"),
        ("(x -> 1 : 2) + 1", "Add(If(x,1,2),1)"),
        ("~ - 'a'", "Complement(Minus(97))"),
        ("skip + true + false", "Add(Add(1,1),0)"),
        ("4294967297", "1"),
        ("len(c) > 0", "Greater(Length,0)"),
        ("c?[m,1]", "Poll"),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

fn formula(f: &Formula) -> String {
    match &*f.kind {
        FormulaKind::Atom(e) => shown(e),
        FormulaKind::Not(a) => format!("!{}", formula(a)),
        FormulaKind::Always(a) => format!("[]{}", formula(a)),
        FormulaKind::Eventually(a) => format!("<>{}", formula(a)),
        FormulaKind::Next(a) => format!("X{}", formula(a)),
        FormulaKind::And(a, b) => format!("({}&&{})", formula(a), formula(b)),
        FormulaKind::Or(a, b) => format!("({}||{})", formula(a), formula(b)),
        FormulaKind::Implies(a, b) => format!("({}->{})", formula(a), formula(b)),
        FormulaKind::Equivalent(a, b) => format!("({}<->{})", formula(a), formula(b)),
        FormulaKind::Until(a, b) => format!("({} U {})", formula(a), formula(b)),
        FormulaKind::WeakUntil(a, b) => format!("({} W {})", formula(a), formula(b)),
        FormulaKind::Release(a, b) => format!("({} V {})", formula(a), formula(b)),
    }
}

#[test]
fn formulas_bind_as_in_spin() {
    for (text, expected) in [
        ("[] (x -> <> y)", "[](x-><>y)"),
        ("x U y == 1 && x", "((x U Equal(y,1))&&x)"),
        ("x -> y -> x", "((x->y)->x)"),
        ("!x U y || X y", "((!x U y)||Xy)"),
        ("always (x implies eventually y)", "[](x-><>y)"),
        ("x /\\ y \\/ x <-> y", "(((x&&y)||x)<->y)"),
        ("x weakuntil y release x stronguntil y", "(((x W y) V x) U y)"),
        ("[] ((x && y) == 1)", "[]Equal(And(x,y),1)"),
        ("<> P@L", "<>RemoteLabel"),
        ("[]<>(P[1]:z == 1)", "[]<>Equal(RemoteVariable,1)"),
    ] {
        let model =
            parse(&format!("byte x, y;\nltl p {{ {text}\n}}\nactive proctype P() {{ byte z; L: z = 1 }}")).unwrap();
        let found = model.units.iter().find_map(|u| match u {
            Unit::Ltl(ltl) => Some(formula(&ltl.formula)),
            _ => None,
        });
        assert_eq!(found.as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn line_ends_separate_where_spin_says_so() {
    for (text, expected) in [
        ("x = 1\ny = 2", 2),
        ("x = 1 +\n2", 1),
        ("x = (1\n+ 2)", 1),
        ("x++\ny--\nskip\nc!x\nc?x\n", 5),
        ("do :: break od\nif :: skip fi\nx = 1", 3),
        ("{ x = 1 } y = 2", 2),
        ("{ x = 1 }\nunless { y == 1 }", 1),
        ("if :: x -> skip :: else x = 1 fi", 1),
        ("x = 1;;\ny = 2;", 2),
        ("timeout\nx = 1", 2),
        ("for (x : 1 .. 2)\n{ skip }\nx = 1", 2),
        ("x = a[1]\n-> y = 2\n", 2),
        ("L: M:\nx = 1; N:", 2),
    ] {
        assert_eq!(body(text).len(), expected, "{text}: {:?}", body(text));
    }
}

#[test]
fn messages_are_flat_lists() {
    let arguments = |text: &str| match &body(text)[0].kind {
        StatementKind::Send { arguments, .. } => arguments.len(),
        StatementKind::Receive { arguments, .. } => arguments.len(),
        other => panic!("{other:?}"),
    };
    for (text, count) in [
        ("c!m(x,y)", 3),
        ("c!!m,x", 2),
        ("c?m(x,_)", 3),
        ("c??<x>", 1),
        ("c?x,m(y)", 3),
        ("c?eval(x),-1", 2),
        ("c?(x,y)", 2),
    ] {
        assert_eq!(arguments(text), count, "{text}");
    }
}

#[test]
fn every_kind_of_statement_and_unit() {
    let text =
        "mtype:k = { a, b } mtype { c d };\ntypedef T { byte f[2]\n bit g };\nhidden byte h = 3; show local_ = 1;\n";
    assert!(parse(text).is_err(), "`local_` is no type");
    let text = "
mtype:k = { a, b } mtype { c d };
typedef T { byte f[2]
  bit g };
T t; hidden byte h = 3, i[2] = {1, 2};
unsigned u : 3 = 2; mtype:k mk = a;
chan q = [2] of { mtype, byte, T }; chan r[2] = [0] of { mtype:k };
D_proctype D(byte p, q1; chan z) priority 2 provided (h > 0) { xr z; xs q; skip }
active [2] proctype P() {
  byte i1; pid me = _pid;
  atomic { i1 = 1 }; d_step { i1 = 2 }
  run D(1, 2, q) priority 3;
  q!c(1); t.f[0] = 1; t.g++;
  for (i1 in i) { printf(\"%d\\n\", i1); break }
  select (i1 : 0 .. 3);
  printm(mk); set_priority(me, 2); assert(get_priority(me) == 2);
  if :: nempty(q) && full(q) -> skip :: else fi;
  do :: enabled(1) -> break :: pc_value(0) > 1 -> goto E od;
E: i1--; D[2]:p == 1; P[0]@E; np_ -> timeout; _nr_pr == 1; _last == 2
}
never n { do :: skip od }
notrace { q!c,1 }
ltl { <> true };
init priority 1 { skip }
";
    let model = parse(text).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(model.units.len(), 15);
}

#[test]
fn inlines_are_expanded_with_their_arguments() {
    let text = "byte x, y;\ninline g(v) { v = v + 1 }\ninline f(a, b) {\n g(a);\n b = (a, 1)\n}\ninit { f(x, y) }";
    assert!(parse(text).is_err(), "a list is no value");
    let text = "byte x, y;\ninline g(v) { v = v + 1 }\ninline f(a, b) {\n g(a)\n b = a\n}\ninit { f(x, y)\n x = 1 }";
    let model = parse(text).unwrap();
    let Some(Unit::Init(init)) = model.units.last() else { panic!() };
    let StatementKind::Inlined { name, body } = &init.body[0].kind else { panic!("{:?}", init.body) };
    assert_eq!((&*name.text, body.len(), init.body.len()), ("f", 2, 2));
    assert_eq!((model.sources.line(body[1].span), model.sources.text(body[1].span)), (5, Some("b = a")));
    let (inline, file, call) = model.sources.call(body[1].span).unwrap_or_else(|| panic!("{:?}", body[1]));
    assert_eq!((inline, file, call.line), ("f", "m.pml", 7));
    let StatementKind::Inlined { body: inner, .. } = &body[0].kind else { panic!() };
    assert!(matches!(&inner[0].kind, StatementKind::Assign { target, .. } if &*target.parts[0].name.text == "x"));
    let model = parse("byte x;\ninline f(a) { return a + 1 }\ninit { x = f(2) }").unwrap();
    let Some(Unit::Init(init)) = model.units.last() else { panic!() };
    assert!(
        matches!(&init.body[0].kind, StatementKind::Inlined { body, .. } if matches!(body[0].kind, StatementKind::Assign { .. }))
    );
}
