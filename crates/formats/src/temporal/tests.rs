//! Formulas as they are read, and what is said of those that cannot be.

use super::*;
use prequel_families::random;
use prequel_families::random::Shape;
use prequel_model::rng::Rng;
use prequel_model::temporal::{Binary, Unary};
use prequel_model::{ComponentId, Goal, NetworkAtom, Origin, StateId};

/// A formula over the texts of its atoms.
fn shape(text: &str, idiom: &Idiom<'_>) -> Result<String, String> {
    let read = read(text, idiom, |atom| Ok(Temporal::Atom(atom.trim().to_owned())));
    read.map(|formula| shown(&formula)).map_err(|errors| errors[0].headline())
}

fn shown(formula: &Temporal<String>) -> String {
    match formula {
        Temporal::Constant(value) => value.to_string(),
        Temporal::Atom(atom) => format!("<{atom}>"),
        Temporal::One(op, a) => format!("{op:?}({})", shown(a)),
        Temporal::Two(op, a, b) => format!("{op:?}({}, {})", shown(a), shown(b)),
    }
}

#[test]
fn operators_stand_between_atoms_of_the_language() {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let dve = Idiom { bare, quotes: false, single: false, denies_comparisons: false, owners: &["P"] };
    let net =
        Idiom { bare: crate::formula::is_bare, quotes: true, single: true, denies_comparisons: true, owners: &[] };
    let read = |text: &str| shape(text, &dve).unwrap_or_else(|error| error);
    assert_eq!(read("[] x == 1 -> <> P->y > a[0] + 1"), "Implies(Always(<x == 1>), Eventually(<P->y > a[0] + 1>))");
    assert_eq!(read("(x & 3) == 1 and not (y)"), "And(<(x & 3) == 1>, Not(<y>))");
    assert_eq!(read("P.s U Q.t || true"), "Or(Until(<P.s>, <Q.t>), true)");
    assert_eq!(read("X == 1 && X X"), "And(<X == 1>, Next(<X>))", "a variable may be called like an operator");
    assert_eq!(read("!x == 1"), "--ltl:1:1: it is open how much of the comparison this is about");
    assert_eq!(read("!(x == 1)"), "Not(<x == 1>)");
    assert_eq!(read("a U b U c"), "--ltl:1:7: it is open which operator comes first here");
    let read = |text: &str| shape(text, &net).unwrap_or_else(|error| error);
    assert_eq!(read("[] (p1 + p2 >= 2 -> <> p3 = 0)"), "Always(Implies(<p1 + p2 >= 2>, Eventually(<p3 = 0>)))");
    assert_eq!(read("p <> q & !'U' = 1 U FIREABLE(t, u)"), "And(<p <> q>, Until(Not(<'U' = 1>), <FIREABLE(t, u)>))");
}

#[test]
fn length_and_depth_are_bounded() {
    let net =
        Idiom { bare: crate::formula::is_bare, quotes: true, single: true, denies_comparisons: true, owners: &[] };
    for long in ["a AND ", "a && ", "(", "[] ", "not ", "(a) U ("] {
        let error = shape(&(long.repeat(50_000) + "a"), &net).expect_err("it is too long or too deep");
        assert!(["too long", "within each other", "not closed"].iter().any(|why| error.contains(why)), "{error}");
    }
}

#[test]
fn junk_never_panics() {
    let net =
        Idiom { bare: crate::formula::is_bare, quotes: true, single: true, denies_comparisons: false, owners: &["a"] };
    let pieces =
        ["a", "[]", "<>", "(", ")", "[", "]", "U", "X", "!", "->", "&", "=", "'", "é", " ", "\n", "action(", "0"];
    let mut rng = Rng::new(5);
    for _ in 0..20_000 {
        let text: String = (0..rng.below(12)).map(|_| *rng.pick(&pieces)).collect();
        let atom = |atom: &str| match action(atom) {
            Some(named) => named.map(|(name, _)| Temporal::Atom(name)).map_err(|error| vec![error]),
            None => Ok(Temporal::Atom(atom.to_owned())),
        };
        if let Err(errors) = read(&text, &net, atom) {
            assert!(errors.iter().all(|error| !error.render().is_empty()));
        }
    }
}

#[test]
fn formulas_are_read_with_their_atoms() {
    let system = random::network(3, &Shape::default());
    let names: Vec<String> = system.components().iter().map(|c| c.name.to_string()).collect();
    let label = system.labels().visible().next().expect("a label");
    let action = system.labels().name(label);
    let read = |text: &str| network::read(text, &system, &Origin::default());
    let at = || Temporal::Atom(NetworkAtom::In(Goal::at(ComponentId(0), StateId(0))));
    let takes = || Temporal::Atom(NetworkAtom::Takes(vec![label]));
    let first = &names[0];
    let expected =
        Temporal::one(Unary::Always, Temporal::two(Binary::Implies, at(), Temporal::one(Unary::Eventually, takes())));
    for text in [
        format!("[] ({first}@0 -> <> action({action}))"),
        format!("always('{first}'@0->eventually action( '{action}' ))"),
        format!("[]({first} @ 0 implies (<>(action({action}))))"),
    ] {
        assert_eq!(read(&text).unwrap_or_else(|e| panic!("{text}: {}", e[0].render())), expected, "{text}");
    }
    let headline = |text: &str| read(text).expect_err(text)[0].headline();
    assert_eq!(headline("[] m9@0"), "--ltl:1:4: no component is called `m9`");
    assert!(
        headline(&format!("<> action(nobody) && {first}@0")).starts_with("--ltl:1:11: no step is seen as `nobody`")
    );
    assert!(headline(&format!("[] ({first}@99)")).starts_with("--ltl:1:"), "a state that is not there");
    assert!(headline("[]").starts_with("--ltl:1:3: expected a formula"));
    assert!(headline(&format!("[] ({first}@0")).starts_with("--ltl:1:4: this `(` is not closed"));
    assert!(
        headline(&format!("{first}@0 -> {first}@0 -> {first}@0")).contains("it is open which operator comes first")
    );
    assert!(headline(&"!".repeat(500)).contains("operators within each other"));
}
