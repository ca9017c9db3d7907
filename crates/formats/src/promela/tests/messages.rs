//! Errors stand where they were made, and say what to do.

use super::parse;
use crate::promela::read;
use std::path::Path;

fn rendered(text: &str) -> Vec<String> {
    read("m.pml", text.as_bytes(), Path::new(""), &[]).unwrap_err().iter().map(|e| e.render()).collect()
}

fn errors(text: &str) -> Vec<String> {
    parse(text).unwrap_err()
}

#[test]
fn a_misspelt_break_is_blamed_itself() {
    let text = "byte x;\nactive proctype P() {\n  do\n  :: x > 3 -> brek\n  :: x++\n  od\n}\n";
    let found = rendered(text);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains("m.pml:4:15") && found[0].contains("`brek`") && found[0].contains("did you mean `break`?")
    );
}

#[test]
fn a_misspelt_closer_is_blamed_itself() {
    let text = "byte x;\nactive proctype P() {\n  if\n  :: x -> skip\n  :: else\n  fii;\n  x = 1\n}\n";
    let found = rendered(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("m.pml:6:3") && found[0].contains("did you mean `fi`?"), "{}", found[0]);
    let missing = errors("byte x;\nactive proctype P() {\n  do\n  :: x -> skip\n}\n");
    assert_eq!(missing, ["m.pml:5:1: expected `od` to close the `do` of line 3, found `}`"]);
}

#[test]
fn all_errors_are_reported() {
    let text = "byte x;\nactive proctype P() {\n  x = ;\n  x = 1;\n  goto 3;\n  if :: x == -> skip :: x = 2 fi\n  x = 3 4\n}\n\
                proctpye Q() { skip }\ninit { run P( }\n";
    let lines: Vec<String> = errors(text).iter().map(|e| e.split(':').nth(1).unwrap().to_owned()).collect();
    assert_eq!(lines, ["3", "5", "6", "7", "9", "10"], "{:?}", errors(text));
}

#[test]
fn messages_name_what_was_expected() {
    for (text, expected) in [
        ("init { x = 1 +\n}", "m.pml:2:1: expected an expression, found `}`"),
        ("init { }", "m.pml:1:8: expected a statement, found `}`"),
        ("byte x init { x++ ", "m.pml:1:18: expected `}` to close the `{` of line 1, found the end of the file"),
        ("chan c; init { !empty(c) }", "m.pml:1:17: `empty` cannot be used here"),
        ("byte x; ltl { [] x > 0 }", "m.pml:1:20: an operand of `>` holds a temporal operator"),
        ("byte n; byte x[n+1]", "m.pml:1:16: this must be a constant"),
        ("Foo x;", "m.pml:1:1: `Foo` is neither a type nor a keyword"),
        ("init { c_code { now.x = 1; } }", "m.pml:1:8: `c_code` is embedded C, which cannot be read"),
        ("c_decl {\n int a[3]; }\ninit { skip }", "m.pml:1:1: `c_decl` is embedded C, which cannot be read"),
        ("byte x; init { x = 3\n + 2 }", "m.pml:2:2: expected a statement, found `+`"),
        ("byte x; init { L: byte y; }", "m.pml:1:19: a declaration cannot have a label"),
        ("byte x; init { return 3 }", "m.pml:1:16: `return` has nothing to return to here"),
        ("inline f() { f() } init { f() }", "m.pml:1:14: `f` calls itself"),
        ("inline f(a) { a } init { f() }", "m.pml:1:26: `f` takes 1 arguments, here are 0"),
        ("init { if :: break :: skip fi }", "m.pml:1:14: `break` stands in no loop"),
        ("init { run Q() }", "m.pml:1:12: there is no proctype `Q`"),
        ("byte len; init { skip }", "m.pml:1:6: expected the name of a variable, found `len`"),
        ("init { `skip }", "m.pml:1:8: ``` has no meaning in Promela"),
        ("init { printf(\"a) }", "m.pml:1:15: this string does not end"),
    ] {
        let found = errors(text);
        assert_eq!(found.first().map(|e| &**e), Some(expected), "{text}: {found:?}");
    }
}

#[test]
fn errors_in_macros_and_inlines_tell_the_whole_way() {
    let found = rendered("#define BAD x = = 1\nbyte x;\n\ninit { skip; BAD }\n");
    assert!(found[0].contains("m.pml:4:14") && found[0].contains("macro `BAD`, defined at m.pml:1:9"), "{}", found[0]);
    let found = rendered("byte x;\ninline f(a) {\n  a = y\n}\ninit {\n f(x)\n}\n");
    assert!(found[0].contains("m.pml:3:7") && found[0].contains("inline `f`, called at m.pml:6:2"), "{}", found[0]);
}

#[test]
fn the_number_of_errors_is_bounded() {
    let found = errors(&format!("init {{ {} skip }}", "= ;".repeat(100)));
    assert!(found.len() == 21 && found[20].contains("80 more"), "{found:?}");
}

#[test]
fn nesting_is_bounded() {
    for text in [
        format!("byte x; init {{ x = {}1{} }}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("byte x; init {{ x = {}1 }}", "!".repeat(10_000)),
        format!("byte x; init {{ x = {}1{} }}", "x[".repeat(10_000), "]".repeat(10_000)),
        format!("byte x; init {{ {} skip {} }}", "{".repeat(10_000), "}".repeat(10_000)),
        format!("byte x; init {{ {} skip {} }}", "if :: ".repeat(10_000), "fi ".repeat(10_000)),
        format!("byte x; ltl {{ {}x{} }}", "[] (".repeat(10_000), ")".repeat(10_000)),
        format!("chan c; byte x; init {{ c?{}x{} }}", "x(".repeat(10_000), ")".repeat(10_000)),
        format!("byte x; init {{ x = {} 1 }}", "x + ".repeat(100_000)),
        format!("byte x; ltl {{ {} x }}", "x U ".repeat(100_000)),
    ] {
        assert!(parse(&text).is_err());
    }
}

#[test]
fn a_long_arrow_is_an_arrow_between_statements_only() {
    assert!(parse("byte a; init { if :: a == 0 --> a++ --> a----> a = (a --> 1 : 2) fi }").is_ok());
    assert!(parse("#define THEN -->\nbyte a; init { a == 0 THEN a = 1 }").is_ok());
    assert!(parse("byte a; init { a == 0 - -> a = 1 }").is_err());
    assert!(parse("byte a; ltl f { (a == 0) --> (a == 0) } init { skip }").is_err());
}
