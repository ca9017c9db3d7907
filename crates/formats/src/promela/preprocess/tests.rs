use super::*;
use std::fs;

/// The expansion, with the runs of blanks and of line ends made one.
fn expand_with(text: &str, dir: &Path, defines: &[(String, String)]) -> Result<String, Vec<String>> {
    expand_within(text, dir, defines, &Watch::default())
}

fn expand_within(text: &str, dir: &Path, defines: &[(String, String)], watch: &Watch) -> Result<String, Vec<String>> {
    let (mut sources, mut faults) = (Sources::default(), Vec::new());
    let output = preprocess(
        Input { file: "m.pml", text: text.as_bytes(), dir, defines, known: None },
        None,
        watch,
        &mut sources,
        &mut faults,
    );
    if !faults.is_empty() {
        return Err(faults.iter().map(|f| format!("{}: {}", sources.place_of(f.origin).line, f.message)).collect());
    }
    for mark in &output.pieces {
        assert!(output.text.is_char_boundary(mark.start));
    }
    let lines = output.text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(lines.filter(|l| !l.is_empty()).collect::<Vec<_>>().join("|"))
}

fn expand(text: &str) -> Result<String, Vec<String>> {
    expand_with(text, Path::new(""), &[])
}

#[test]
fn macros_expand_as_in_c() {
    for (text, expected) in [
        ("#define N 3\nbyte a[N];", "byte a[ 3 ];"),
        ("#define f(x) (x+1)\nf(2) f (f(3)) f", "( 2 +1) ( ( 3 +1) +1) f"),
        ("#define f(x,y) x:y\nf((a,b), c)", "(a,b) : c"),
        ("#define x x y\nx", "x y"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define cat(x,y) x##y\ncat(ab, 12)", "ab12"),
        ("#define str(x) #x\nstr(a  \"b\")", "\"a \\\"b\\\"\""),
        ("#define g(x) {x;\\\n  x}\ng(p\n,\n)", "e"),
        ("#define g(x) {x;\\\n  x}\ng(p\n!1)\nq", "{ p !1 ; p !1 }|q"),
        ("#define sep :: a ->\nsep b", ":: a -> b"),
        ("#define N 9\n1..N 1 .. N", "1..N 1 .. 9"),
        ("#define f(x) x\nf\n(1) 2\nf\n3", "1 2|f|3"),
        ("#define N 1\n#undef N\nN", "N"),
        ("#define v(a, ...) a[__VA_ARGS__]\nv(1, 2, 3)", "1 [ 2, 3 ]"),
        ("#define e()\nx e() y", "x y"),
        ("__LINE__\n__LINE__", "1|2"),
        ("__LINE__\r#define N 2\rN\r\nN", "1|2|2"),
        ("a /* c\n c */ b // d\nc", "a b|c"),
        ("#define f(x) x f(x)\nf(1)", "1 f( 1 )"),
    ] {
        match expand(text) {
            Ok(found) => assert_eq!(found, expected, "{text}"),
            Err(faults) => assert_eq!(expected, "e", "{text}: {faults:?}"),
        }
    }
}

#[test]
fn conditionals_choose_one_branch() {
    for (text, expected) in [
        ("#ifdef A\n1\n#else\n2\n#endif", "2"),
        ("#define A\n#ifdef A\n1\n#else\n2\n#endif\n3", "1|3"),
        ("#if 0\n1\n#elif 1\n2\n#elif 1\n3\n#else\n4\n#endif", "2"),
        ("#if 0\n#if 1\n1\n#else\n2\n#endif\ndon't\n#else\n3\n#endif", "3"),
        ("#define N 3\n#if defined(N) && N > 2\n1\n#endif", "1"),
        ("#if defined N || !defined M\n1\n#endif", "1"),
    ] {
        assert_eq!(expand(text).as_deref(), Ok(expected), "{text}");
    }
    assert_eq!(expand("#if 1\nx").unwrap_err(), ["1: this conditional does not end"]);
    assert_eq!(expand("#else\n#endif\n#elif 1").unwrap_err().len(), 3);
    assert_eq!(expand("\n#error no way").unwrap_err(), ["2: #error no way"]);
    assert_eq!(expand("#if 1 +\n#endif").unwrap_err(), ["1: this condition is incomplete"]);
    assert_eq!(expand("/* a").unwrap_err(), ["1: this comment does not end"]);
    assert_eq!(expand("#define f(x) x\n\nf(1").unwrap_err(), ["3: the arguments of the macro `f` do not end"]);
}

#[test]
fn definitions_from_the_command_line() {
    let defines = [("N".into(), "4".into()), ("EMPTY".into(), String::new())];
    assert_eq!(expand_with("N EMPTY x", Path::new(""), &defines).as_deref(), Ok("4 x"));
}

#[test]
fn inclusions_are_relative_to_the_including_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::write(dir.path().join("sub/a.h"), "#include \"b.h\"\r\na\r\n").unwrap();
    fs::write(dir.path().join("sub/b.h"), "#define N 2\nb").unwrap();
    fs::write(dir.path().join("loop.h"), "#include \"loop.h\"\n#include \"loop.h\"\n").unwrap();
    assert_eq!(expand_with("#include \"sub/a.h\"\nN", dir.path(), &[]).as_deref(), Ok("b|a|2"));
    let missing = expand_with("x\n#include \"none.h\"\ny", dir.path(), &[]).unwrap_err();
    assert!(missing.len() == 1 && missing[0].starts_with("2: cannot read"));
    assert_eq!(expand_with("#include \"loop.h\"\n", dir.path(), &[]).unwrap_err().len(), 1);
}

#[test]
fn expansion_is_bounded() {
    let mut text = String::from("#define m0 x x x x x x x x\n");
    for n in 1..40 {
        text += &format!("#define m{n} m{0} m{0} m{0} m{0} m{0} m{0} m{0} m{0}\n", n - 1);
    }
    assert_eq!(expand(&(text + "m39\n")).unwrap_err().len(), 1);
}

#[test]
fn nesting_of_uses_is_bounded() {
    let text = format!("#define f(x) x\n{}1{}\n", "f(".repeat(5000), ")".repeat(5000));
    assert_eq!(expand(&text).unwrap_err(), ["2: uses of macros are nested too deep here"]);
}

/// Each uses the one before twice, and the first is empty: no text comes of it, so its length does not end it.
#[test]
fn macros_that_come_to_nothing_are_looked_at_by_limits() {
    let late = Watch::new(Some(std::time::Duration::ZERO), None, std::time::Instant::now(), Default::default());
    let doubling = |first: &str, next: &dyn Fn(usize) -> String, use_of: &str| {
        let lines: Vec<String> = std::iter::once(first.to_owned()).chain((1..60).map(next)).collect();
        format!("{}\n{use_of}\n", lines.join("\n"))
    };
    for text in [
        doubling("#define a0", &|n| format!("#define a{n} a{0} a{0}", n - 1), "a59"),
        doubling("#define f0(x)", &|n| format!("#define f{n}(x) f{0}(x) f{0}(x)", n - 1), "f59()"),
        doubling("#define f0(x) x", &|n| format!("#define f{n}(x) f{0}(x x)", n - 1), "f59(1)"),
    ] {
        let errors = expand_within(&text, Path::new(""), &[], &late).unwrap_err();
        assert!(errors.len() == 1 && errors[0].contains("time limit"), "{errors:?}");
    }
}

#[test]
fn files_that_include_each_other_twice_are_looked_at_by_limits() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..60 {
        let text = format!("#include \"i{0}.h\"\n#include \"i{0}.h\"\n", n + 1);
        fs::write(folder.path().join(format!("i{n}.h")), text).unwrap();
    }
    fs::write(folder.path().join("i60.h"), "").unwrap();
    let stopped =
        Watch::new(Some(std::time::Duration::from_millis(50)), None, std::time::Instant::now(), Default::default());
    let errors = expand_within("#include \"i0.h\"\n", folder.path(), &[], &stopped).unwrap_err();
    assert!(errors.iter().any(|error| error.contains("time limit")), "{errors:?}");
}

/// What must not be expanded again in a piece grows with every one of them.
#[test]
fn many_macros_one_in_the_other_are_no_more_work_each() {
    let defines = (1..20_000).map(|n| format!("#define A{n} A{}", n - 1));
    let lines: Vec<String> = std::iter::once("#define A0 A19999 1".into()).chain(defines).collect();
    assert_eq!(expand(&format!("{}\nA19999\n", lines.join("\n"))).as_deref(), Ok("A19999 1"));
}

/// A file is read once: neither the second `#include` of it nor a text beside the first one opens it again.
#[test]
fn a_file_that_was_read_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("n.h");
    fs::write(&file, "N ").unwrap();
    let expand = |text: &str, known: Option<&Sources>| {
        let (mut sources, mut faults) = (Sources::default(), Vec::new());
        let input = Input { file: "m.pml", text: text.as_bytes(), dir: folder.path(), defines: &[], known };
        let output = preprocess(input, None, &Watch::default(), &mut sources, &mut faults);
        (output.text.split_whitespace().collect::<String>(), sources, faults.len())
    };
    let (text, read, _) = expand("#include \"n.h\"\n#define N 1\n#include \"n.h\"\n", None);
    assert_eq!((text.as_str(), read.files.len()), ("N1", 3));
    assert!(std::sync::Arc::ptr_eq(&read.files[1].text, &read.files[2].text));
    fs::remove_file(file).unwrap();
    let (text, _, faults) = expand("#define N 2\n#include \"n.h\"\n", Some(&read));
    assert_eq!((text.as_str(), faults), ("2", 0));
    assert_eq!(expand("#include \"n.h\"\n", None).2, 1, "it is gone");
}
