use super::*;
use prequel_model::{Comparison, PlaceId, TransitionId};

fn net() -> Net {
    let text =
        "PLACE p, q, r.<1|TRUE>, 7; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q; TRANSITION u CONSUME q; PRODUCE;";
    crate::lola::read("n", text.as_bytes()).unwrap().0
}

fn lola(text: &str) -> Result<NetQuery, String> {
    let read = super::read("f.formula", "f", text.as_bytes(), &net());
    match read {
        Ok((mut formulas, _)) => formulas.remove(0).query,
        Err(errors) => Err(errors.iter().map(|d| d.headline()).collect::<Vec<_>>().join("; ")),
    }
}

fn tokens(sum: &[(u32, i64)], comparison: Comparison, number: i64) -> Condition {
    Condition::Tokens(sum.iter().map(|&(p, factor)| (PlaceId(p), factor)).collect(), comparison, number)
}

#[test]
fn every_way_to_ask_for_a_marking_and_for_an_invariant() {
    let q = tokens(&[(1, 1)], Comparison::AtLeast, 2);
    for text in
        ["EF q > 1", "REACHABLE q >= 2", "FORMULA EXPATH EVENTUALLY (q > 1);", "E F (q > 1)", "NOT AG NOT q > 1"]
    {
        let expected = NetQuery::Possible(q.clone());
        assert_eq!(lola(text).map(|query| format!("{query:?}")), Ok(format!("{expected:?}")), "{text}");
    }
    for text in
        ["AG NOT q > 1", "IMPOSSIBLE q > 1", "ALLPATH ALWAYS NOT (q > 1)", "NOT EF q > 1", "INVARIANT (NOT q > 1)"]
    {
        assert_eq!(lola(text), Ok(NetQuery::Impossible(q.clone())), "{text}");
    }
    assert_eq!(lola("q > 1"), Ok(NetQuery::Initially(q)));
}

#[test]
fn sums_are_put_on_one_side() {
    let expected = |sum: &[(u32, i64)], c, n| Ok(NetQuery::Possible(tokens(sum, c, n)));
    assert_eq!(lola("EF (p + q) + 1 < 2 * q + 3"), expected(&[(0, 1), (1, -1)], Comparison::AtMost, 1));
    assert_eq!(lola("EF p - p + r.<1|TRUE> = 1"), expected(&[(2, 1)], Comparison::Equal, 1));
    assert_eq!(lola("EF 3 * (p + q) >= 2"), expected(&[(0, 3), (1, 3)], Comparison::AtLeast, 2));
    assert_eq!(
        lola("EF FIREABLE(u)"),
        Ok(NetQuery::Possible(Condition::Or(vec![Condition::Fireable(TransitionId(1))])))
    );
}

#[test]
fn other_temporal_formulas_are_refused_by_name() {
    for text in ["AGEF p = 1", "GF p = 0", "AG EF p = 1", "EF p = 1 AND EF q = 1", "AGEF ((p = 1) -> (EF q = 1))"] {
        assert!(lola(text).unwrap_err().contains("only reachability"), "{text}: {:?}", lola(text));
    }
    assert!(lola("REACHABLE p = oo").unwrap_err().contains("unbounded"));
}

#[test]
fn mistakes_have_a_place() {
    assert_eq!(
        lola("EF (x = 1 AND\n FIREABLE(v))").unwrap_err(),
        "f.formula:1:5: there is no place `x`; f.formula:2:11: there is no transition `v`"
    );
    assert!(lola("EF p =").unwrap_err().starts_with("f.formula:1:7: expected"));
    assert!(lola("EF (p = 1").is_err() && lola("").is_err() && lola("p").is_err() && lola("/* p").is_err());
    let deep = format!("{}p = 1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(lola(&deep).unwrap_err().contains("within each other"));
    let deep = format!("{}p = 1", "NOT ".repeat(5000));
    assert!(lola(&deep).unwrap_err().contains("within each other"));
    assert!(lola("EF p = 99999999999").unwrap_err().contains("too large"));
}

#[test]
fn on_the_command_line_names_need_no_blanks_and_quotes_take_the_rest() {
    let reach = |text: &str| reach(text, &net()).map_err(|errors| errors[0].headline());
    let p = tokens(&[(0, 1)], Comparison::AtLeast, 1);
    let r = tokens(&[(2, 1)], Comparison::Equal, 0);
    assert_eq!(reach("p>=1&'r.<1|TRUE>'=0"), Ok(Condition::And(vec![p, r])));
    assert_eq!(reach("'7' + q > 0"), Ok(tokens(&[(1, 1), (3, 1)], Comparison::AtLeast, 1)));
    assert_eq!(reach("tokens-count(\"p\", \"q\") >= 3"), Ok(tokens(&[(0, 1), (1, 1)], Comparison::AtLeast, 3)));
    assert!(reach("deadlock | !is-fireable(t)").is_ok());
    assert!(reach("EF p = 1").unwrap_err().contains("path operator"));
    assert!(reach("p $ 1").unwrap_err().contains("--reach:1:3"));
    assert!(reach("'p").unwrap_err().contains("not closed"));
}

#[test]
fn a_property_file_has_all_its_formulas_and_says_which_are_refused() {
    let file = |formula: &str| {
        let text = format!("<property-set><property><id>A</id><formula>{formula}</formula></property></property-set>");
        let read = super::read("f.xml", "f", text.as_bytes(), &net());
        read.map(|(mut f, _)| f.remove(0).query).map_err(|e| e[0].headline())
    };
    let le = "<integer-le><tokens-count><place>p</place><place>q</place></tokens-count><integer-constant>1</integer-constant></integer-le>";
    let condition = tokens(&[(0, 1), (1, 1)], Comparison::AtMost, 1);
    assert_eq!(
        file(&format!("<exists-path><finally>{le}</finally></exists-path>")),
        Ok(Ok(NetQuery::Possible(condition.clone())))
    );
    assert_eq!(
        file(&format!("<all-paths><globally><negation>{le}</negation></globally></all-paths>")),
        Ok(Ok(NetQuery::Impossible(condition)))
    );
    assert_eq!(
        file("<exists-path><finally><deadlock/></finally></exists-path>"),
        Ok(Ok(NetQuery::Possible(Condition::Dead)))
    );
    assert!(file("<exists-path><next><deadlock/></next></exists-path>").unwrap().unwrap_err().contains("refused"));
    assert!(file("<place-bound><place>p</place></place-bound>").unwrap().unwrap_err().contains("<place-bound>"));
    let unknown = le.replace(">q<", ">x<");
    assert!(
        file(&format!("<exists-path><finally>{unknown}</finally></exists-path>")).unwrap_err().contains("no place `x`")
    );
    assert!(file("").is_err());
}

#[test]
fn properties_as_text_mean_the_same_as_in_xml() {
    let text = "Property A-00\n  \"never more than one\"\n  is:\n    A (G (tokens-count(\"p\", \"q\") <= 1 | ! (is-fireable(\"t\", \"u\"))))\nend.\n\n\
        Property A-01 \"d\" is: E (F (deadlock)) end.\nProperty A-02 is: bound(\"p\") end.\nProperty A-03 is: ! (E (F (1 <= tokens-count(\"q\")))) end.\n\
        Property A-04 is: A (F (p = 1)) end. Property A-05 is: E ((p = 1) U (q = 1)) end. Property A-06 is: E (X (deadlock)) end.";
    let (formulas, _) = super::read("f.txt", "f", text.as_bytes(), &net()).unwrap();
    let names: Vec<&str> = formulas.iter().map(|f| &*f.name).collect();
    assert_eq!(names, ["A-00", "A-01", "A-02", "A-03", "A-04", "A-05", "A-06"]);
    let [t, u] = [0, 1].map(|t| Condition::Fireable(TransitionId(t)));
    let few = tokens(&[(0, 1), (1, 1)], Comparison::AtMost, 1);
    let safe = Condition::Or(vec![few, Condition::Or(vec![t, u]).negated()]);
    assert_eq!(formulas[0].query, Ok(NetQuery::Impossible(safe.negated())));
    assert_eq!(formulas[1].query, Ok(NetQuery::Possible(Condition::Dead)));
    assert_eq!(
        formulas[3].query.as_ref().map(|q| format!("{q:?}")),
        Ok(format!("{:?}", NetQuery::Impossible(tokens(&[(1, -1)], Comparison::AtMost, -1))))
    );
    for at in [2, 4, 5, 6] {
        assert!(formulas[at].query.as_ref().is_err_and(|why| why.contains("only reachability")), "{:?}", formulas[at]);
    }
    let wrong = |text: &str| -> Vec<String> {
        super::read("f.txt", "f", text.as_bytes(), &net()).unwrap_err().iter().map(|d| d.headline()).collect()
    };
    assert_eq!(
        wrong("Property a is:\n E (F (x = 1)) end.\nProperty b is: E (F (\"y\" = 1)) end."),
        ["f.txt:2:8: there is no place `x`", "f.txt:3:22: there is no place `y`"]
    );
    assert_eq!(wrong("Property a is: E (F (p = 1))"), ["f.txt:1:29: expected `end.`"]);
    assert_eq!(wrong("Property a \"x is: p = 1 end."), ["f.txt:1:12: this quote is not closed"]);
    assert!(wrong("Property a is: E (F (p = )) end. Property b is: p $ 1 end. x").len() == 3);
    assert!(wrong("Property ").len() == 1 && wrong("Property a p = 1 end.").len() == 1);
}
