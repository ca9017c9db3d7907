//! Small networks, bad input, real files, scale; semantics against an oracle in `oracle`.

mod oracle;

use super::*;
use prequel_model::rng::Rng;
use prequel_model::{LabelId, StateId};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fs;

/// A folder with component files, each given as transitions `source label target` over as many states as occur.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, transitions) in files {
            folder.put(name, &aut_text(transitions));
        }
        folder
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, text: &str) -> Read<(Network, Origin)> {
        read("n.exp", text.as_bytes(), self.0.path(), &aut::Dialect::default())
    }

    fn network(&self, text: &str) -> Network {
        match self.read(text) {
            Ok(((network, _), _)) => network,
            Err(errors) => panic!("{}", errors.iter().map(Diagnostic::render).collect::<Vec<_>>().join("\n")),
        }
    }

    fn errors(&self, text: &str) -> Vec<String> {
        let errors = self.read(text).map(|_| ()).unwrap_err();
        assert!(errors.iter().all(|e| !e.render().is_empty()));
        errors.iter().map(Diagnostic::headline).collect()
    }

    fn warnings(&self, text: &str) -> Vec<String> {
        self.read(text).unwrap().1.iter().map(Diagnostic::headline).collect()
    }
}

/// `0 a 1, 1 "G !1" 0` as `.aut`.
fn aut_text(transitions: &str) -> String {
    let lines: Vec<(u32, &str, u32)> = transitions
        .split(", ")
        .filter(|t| !t.is_empty())
        .map(|t| {
            let (source, rest) = t.split_once(' ').unwrap();
            let (label, target) = rest.rsplit_once(' ').unwrap();
            (source.parse().unwrap(), label, target.parse().unwrap())
        })
        .collect();
    let states = lines.iter().map(|t| t.0.max(t.2) + 1).max().unwrap_or(1);
    let body: String = lines.iter().map(|(s, l, t)| format!("({s},\"{l}\",{t})\n")).collect();
    format!("des (0,{},{states})\n{body}", lines.len())
}

/// The steps from a state, as seen.
fn seen(network: &Network, state: &[StateId]) -> BTreeSet<(String, Vec<StateId>)> {
    let step = |step: prequel_model::Step| {
        let mut next = state.to_vec();
        step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
        (network.labels().seen(step.label).to_owned(), next)
    };
    network.steps(state).into_iter().map(step).collect()
}

/// What is seen in the initial state, in order.
fn initials(network: &Network) -> Vec<String> {
    let mut all: Vec<String> = seen(network, &network.initial()).into_iter().map(|(name, _)| name).collect();
    all.dedup();
    all
}

fn abc() -> Folder {
    Folder::new(&[
        ("x.aut", "0 a 1, 0 b 0, 0 G !1 1"),
        ("y.aut", "0 a 1, 0 c 0, 0 G !1 1, 0 G !2 1"),
        ("z.aut", "0 a 1, 0 i 1"),
    ])
}

#[test]
fn operators_compose_as_in_lotos() {
    let folder = abc();
    let first = |text| initials(&folder.network(text));
    assert_eq!(first("x"), ["G !1", "a", "b"]);
    assert_eq!(first("x || y"), ["G !1", "a"], "full synchronisation blocks what one side lacks");
    assert_eq!(first("x ||| \"y.aut\""), ["G !1", "G !2", "a", "b", "c"]);
    assert_eq!(first("x |[G]| y"), ["G !1", "a", "b", "c"]);
    assert_eq!(first("x |[c]| y"), ["G !1", "G !2", "a", "b"]);
    assert_eq!(first("x || y || z"), ["a", "tau"]);
    assert_eq!(first("x || (y ||| z)"), ["G !1", "a", "tau"]);
    assert_eq!(first("x || y ||| z"), ["G !1", "a", "tau"], "operators associate to the right");
    assert_eq!(first("lotos behaviour (* c *) x -- d\n |[]| y"), ["G !1", "G !2", "a", "b", "c"]);
}

#[test]
fn par_synchronises_those_who_list_a_label() {
    let folder = abc();
    let steps = |text: &str, label: &str| {
        let network = folder.network(text);
        let all = seen(&network, &network.initial());
        all.iter()
            .filter(|(name, _)| name == label)
            .map(|(_, to)| to.iter().map(|s| s.0).sum::<u32>())
            .collect::<Vec<_>>()
    };
    assert_eq!(steps("par a -> x || a -> y || z end par", "a"), [1, 2], "z takes it alone, x and y together");
    assert_eq!(steps("par a in x || y || z end par", "a"), [3]);
    assert_eq!(steps("par x || y || z end par", "a"), [1, 1, 1]);
    assert_eq!(steps("par all in x || y end par", "a"), [2]);
    assert_eq!(steps("par all in x || y end par", "b"), [0; 0]);
    assert_eq!(steps("par G -> x || G -> y end par", "G !1"), [2]);
    assert_eq!(steps("par G -> x || G -> y end par", "G !2"), [0; 0]);
    assert_eq!(steps("label par \"G !1\" -> x || \"G !1\" -> y end par", "G !2"), [1]);
}

#[test]
fn a_listed_label_without_transition_is_in_the_alphabet_and_blocks() {
    let folder = abc();
    let network = folder.network("label par b -> x || b, d -> y end par");
    let b = network.labels().get("b").unwrap();
    assert_eq!(network.component(prequel_model::ComponentId(1)).blocked().len(), 2);
    assert_eq!(network.participants(b).len(), 2);
    assert!(!initials(&network).contains(&"b".to_owned()));
}

#[test]
fn a_label_in_several_instances_is_multiplied() {
    let folder = Folder::new(&[("x.aut", "0 a 1"), ("y.aut", "0 a 1")]);
    let network = folder.network("x |[a]| (y ||| y)");
    assert_eq!(network.components().iter().map(|c| &*c.name).collect::<Vec<_>>(), ["x", "y", "y#2"]);
    assert_eq!(network.component(prequel_model::ComponentId(0)).lts.num_transitions(), 2);
    assert_eq!(network.steps(&network.initial()).len(), 2);
    assert_eq!(initials(&network), ["a"]);
}

#[test]
fn vectors_rename_synchronise_and_block() {
    let folder = abc();
    let text = "label par using a * _ -> left, a * c -> both, \"G !1\" || \"G !1\" -> i in x || y end par";
    let network = folder.network(text);
    assert_eq!(initials(&network), ["both", "left", "tau"]);
    assert!(network.labels().get("b").is_some(), "a blocked label is still known");
    // By gate, offers must agree and are kept.
    let network = folder.network("par using G * G -> H, _ * G -> K in x || y end par");
    assert_eq!(initials(&network), ["H !1", "K !1", "K !2"]);
    assert_eq!(
        folder.warnings("label par using a * q -> r in x || y end par"),
        ["n.exp:1:21: label `q` never occurs in y"]
    );
    assert!(folder.warnings("par using \"a !1\" * a -> r in x || y end par")[0].contains("`a !1` is no gate"));
}

#[test]
fn hiding_and_renaming_follow_their_modes() {
    let folder = Folder::new(&[("x.aut", "0 G !1 0, 0 G !2 0, 0 GO 0, 0 a.b 0")]);
    let first = |text: &str| initials(&folder.network(text));
    assert_eq!(first("hide G in x end hide"), ["GO", "a.b", "tau"]);
    assert_eq!(first("hide G in x"), ["GO", "a.b", "tau"]);
    assert_eq!(first("total hide \"G !1\" in x end hide"), ["G !2", "GO", "a.b", "tau"]);
    assert_eq!(first("partial hide G in x end hide"), ["a.b", "tau"]);
    assert_eq!(first("hide all but G in x end hide"), ["G !1", "G !2", "tau"]);
    assert_eq!(first("rename G -> H, GO -> i in x end rename"), ["H !1", "H !2", "a.b", "tau"]);
    assert_eq!(first("total rename \"G !1\" -> G, \"G !1\" -> H in x end rename"), ["G", "G !2", "GO", "a.b"]);
    assert_eq!(first("single rename \".\" -> \"_\", G -> \"[\" in x end rename"), ["[ !1", "[ !2", "[O", "a_b"]);
    assert_eq!(first("multiple rename \"!\" -> \"\\\"\" in x end rename"), ["G \"1", "G \"2", "GO", "a.b"]);
    // A hidden label and a visible one of the same name stay apart.
    let network = folder.network("x ||| hide GO in x end hide");
    let go = network.labels().get("GO").unwrap();
    assert_eq!(network.labels().seen(go), "GO");
    assert_eq!(network.labels().action(network.labels().get("GO#2").unwrap()), LabelId::TAU);
}

#[test]
fn invented_names_never_look_like_actions() {
    let folder = Folder::new(&[("x.aut", "0 a 0, 0 a#2 0")]);
    let network = folder.network("x ||| x");
    assert_eq!(initials(&network), ["a", "a#2"]);
    assert_eq!(network.labels().seen(network.labels().get("a#2").unwrap()), "a#2");
}

#[test]
fn files_are_found_here_above_and_by_their_last_part() {
    let folder = Folder::new(&[("x.aut", "0 a 0"), ("in/y.aut", "0 b 0"), ("in/z.aut", "0 c 0")]);
    let dir = folder.0.path().join("in");
    let ((network, origin), _) =
        read("n.exp", b"y ||| in/z ||| x.aut ||| \"far/y.aut\"", &dir, &aut::Dialect::default()).unwrap();
    assert_eq!(network.components().iter().map(|c| &*c.name).collect::<Vec<_>>(), ["y", "z", "x", "y#2"]);
    assert_eq!(origin.sources[3].file.as_deref(), Some(&dir.join("y.aut")));
    let text = "x |||\n  nowhere/q";
    let error = folder.read(text).map(|_| ()).unwrap_err();
    assert_eq!(error[0].headline(), "n.exp:2:3: there is no file `nowhere/q`");
    assert!(error[0].help.as_ref().unwrap().contains("nowhere/q.aut"), "{:?}", error[0].help);
}

#[test]
fn included_files_are_composed_in_place() {
    let folder = abc();
    folder.put("sub/inner.exp", "hide a in \"x.aut\" || \"../y.aut\" end hide");
    folder.put("sub/x.aut", &aut_text("0 a 1, 0 d 1"));
    let network = folder.network("z ||| \"sub/inner.exp\"");
    assert_eq!(initials(&network), ["a", "tau"]);
    folder.put("one.exp", "x ||| \"two.exp\"");
    folder.put("two.exp", "y ||| one.exp");
    assert!(folder.errors("one.exp")[0].contains("two.exp:1:7: `one.exp` includes itself"));
    folder.put("bad.exp", "x |||\n cut a in y end cut");
    assert!(folder.errors("z ||| bad.exp")[0].contains("bad.exp:2:2: `cut` is not supported"));
    assert!(folder.errors("gone.exp")[0].contains("1:1: there is no file `gone.exp`"));
}

#[test]
fn all_that_is_not_supported_is_named_at_its_place() {
    let folder = abc();
    let found = folder.errors(
        "hide \"A.*\" in\n par a#2 in x || y end par\n ||| cut a in x end cut\n ||| prio a > b in y end prio\n \
         ||| \"m.bcg\" ||| q ||| total rename \"[ab]\" -> \"\\1\" in x end rename\n ||| hide using \"f.hid\" in x",
    );
    let expected = [
        "n.exp:1:6: `.*` makes this a regular expression, which is not supported",
        "n.exp:2:6: synchronisation of some among many (`#n`) is not supported",
        "n.exp:3:6: `cut` is not supported",
        "n.exp:4:6: `prio` is not supported",
        "n.exp:5:6: `m.bcg` is in CADP's binary format, which is not supported",
        "n.exp:5:37: `[` makes this a regular expression, which is not supported",
        "n.exp:5:47: `\\1` refers to a part of a regular expression, which is not supported",
        "n.exp:6:6: `hide using FILE` is not supported",
        "n.exp:5:18: there is no file `q`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn syntax_errors_say_what_was_expected() {
    let folder = abc();
    let first = |text: &str| folder.errors(text).remove(0);
    assert_eq!(
        first("label par using a * _ -> b in x || y || z end par"),
        "n.exp:1:17: this vector has 2 columns, but there are 3 behaviours"
    );
    assert_eq!(first("par using _ * _ -> b in x || y end par"), "n.exp:1:11: nobody moves in this vector");
    assert!(first("hide a in x ||").contains("found the end of the file"));
    assert_eq!(first("par a -> x || y\nend hide"), "n.exp:2:5: expected `par`, found `hide`");
    assert!(first("x y").contains("expected `||`, `|||`, `|[` or the end of the file, found `y`"), "{}", first("x y"));
    assert!(first("").contains("found the end of the file"));
    assert_eq!(first("\"x"), "n.exp:1:1: this string does not end");
    assert!(first("# Test script\nload_lib foo.exp\n").contains("DejaGnu"));
    assert!(first("load_lib util.exp\nset x {a b}\n").contains("DejaGnu"));
    folder.put("broken.aut", "des (0,1,1)\n(0,a\n");
    assert!(first("broken").contains("broken.aut:2:1: only one comma"));
}

#[test]
fn nesting_is_bounded_and_width_is_not() {
    let folder = abc();
    let deep = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    folder.network(&deep(150));
    assert!(folder.errors(&deep(100_000))[0].contains("nested more than 200 levels"));
    for construct in ["hide a in ", "par ", "total rename a -> b in ", "par x || ", "x || hide b in "] {
        let found = folder.errors(&construct.repeat(100_000));
        assert!(found[0].contains("nested more than 200 levels"), "{}", found[0]);
    }
    let wide = vec!["x"; 20_000].join(" ||| ");
    assert_eq!(folder.network(&wide).components().len(), 20_000);
    // Files that include others twice each grow without end.
    for n in 0..60 {
        folder.put(&format!("e{n}.exp"), &format!("e{}.exp ||| e{}.exp", n + 1, n + 1));
    }
    folder.put("e12.exp", "x");
    assert_eq!(folder.network("e0.exp").components().len(), 4096);
}

#[test]
fn too_many_ways_to_synchronise_are_refused() {
    let folder = Folder::new(&[("x.aut", "0 a 0")]);
    let ten = format!("({})", ["x"; 10].join(" ||| "));
    let text = [&*ten; 10].join(" |[a]| ");
    assert_eq!(folder.errors(&text), ["n.exp: `a` can synchronise in too many ways"]);
}

#[test]
fn random_damage_never_panics() {
    let folder = abc();
    folder.put("inc.exp", "x ||| y");
    let texts = [
        "hide a, G in label par using a * _ -> b, \"G !1\" * c -> i in x || y end par end hide",
        "par a in a, b -> x || G#2 -> (y |[a]| z) || total rename \"a\" -> \"b\\\"\" in inc.exp end rename end par",
        "(* c *) lotos behaviour x ||| cut a in y end cut -- end\n || prio a > b in z end prio",
    ];
    let pieces = [
        "par", "end", "(", ")", "||", "|[", "]|", "\"", "->", "_", "*", "#3", "in", "hide", "\\", "\u{e9}", "\0", "(*",
    ];
    for seed in 0..4000 {
        let mut rng = Rng::new(seed);
        let mut text = rng.pick(&texts).as_bytes().to_vec();
        for _ in 0..rng.between(1, 6) {
            let at = rng.below(text.len() + 1);
            match rng.below(4) {
                0 => text.truncate(at),
                1 => drop(text.splice(at..at, rng.pick(&pieces).bytes())),
                2 => drop(text.splice(at..at, [rng.next_u64() as u8])),
                _ => drop(text.drain(at..(at + rng.below(9)).min(text.len()))),
            }
        }
        if let Err(errors) = read("n.exp", &text, folder.0.path(), &aut::Dialect::default()) {
            assert!(!errors.is_empty());
            errors.iter().for_each(|e| assert!(e.render().contains("error")));
        }
    }
}

/// The states that can be reached, up to a bound.
fn explore(network: &Network) -> usize {
    let mut known = HashSet::from([network.initial()]);
    let mut queue = VecDeque::from([network.initial()]);
    while let Some(state) = queue.pop_front().filter(|_| known.len() < 20_000) {
        for (_, next) in seen(network, &state) {
            if known.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    known.len()
}

/// The real files are Markov models whose rates stand in no vector: taken literally they hardly move, which must be said.
/// With rates renamed to tau they show what they were made for.
#[test]
fn real_files_read_and_explore() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/exp");
    let Ok(entries) = fs::read_dir(&dir) else { return eprintln!("skipped: no {}", dir.display()) };
    let mut count = 0;
    for path in entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "exp")) {
        let file = path.display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let read = |text: &str| read(&file, text.as_bytes(), &dir, &aut::Dialect::default()).unwrap();
        let ((literal, origin), warnings) = read(&text);
        assert!(warnings.iter().any(|w| w.message.contains("`rate ")), "{warnings:?}");
        assert!(warnings.iter().all(|w| w.message.contains("`rate ") || w.message.contains("never occurs")));
        assert_eq!(origin.sources.len(), literal.components().len());
        let few = explore(&literal);

        let mut pieces = text.split("\"rate ");
        let first = pieces.next().unwrap().to_owned();
        let rateless = pieces.fold(first, |text, piece| text + "i" + piece.split_once('"').unwrap().1);
        let ((network, _), warnings) = read(&rateless);
        assert!(warnings.iter().all(|w| w.message.contains("never occurs")), "{warnings:?}");
        assert!(explore(&network) > few, "{file}");
        count += 1;
    }
    assert_eq!(count, 4);
}

/// A ring of `size` components that pass a token: each shares a label with its neighbours and counts on its own.
#[test]
fn a_hundred_thousand_components_are_composed_at_once() {
    let size = 100_000;
    let folder = Folder::new(&[]);
    // One file with the labels of all would be no test; a few files, each referred to often, renamed at each reference.
    folder.put("x.aut", &aut_text("0 take 1, 1 give 0, 0 own 0"));
    let operand = |n: usize| {
        let next = (n + 1) % size;
        format!("T{n}, T{next} -> total rename take -> T{n}, give -> T{next} in x.aut end rename")
    };
    let text = format!("label par {} end par", (0..size).map(operand).collect::<Vec<_>>().join("\n|| "));
    let start = std::time::Instant::now();
    let network = folder.network(&text);
    let taken = start.elapsed();
    assert_eq!((network.components().len(), network.labels().len()), (size, 2 * size + 1));
    assert!(network.labels().visible().take(size).all(|l| network.participants(l).len() <= 2));
    assert!(taken.as_secs() < 20, "{taken:?}");
}
