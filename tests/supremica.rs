//! Supremica's files: what is read, what is said of bad ones, and verdicts, beside what its own tools say.

use prequel::engine::Engine as _;
use prequel::engine::conflict::Conflict;
use prequel::engine::des;
use prequel::engine::otf::Otf;
use prequel::evidence::witness::check;
use prequel::formats::diag::Read;
use prequel::formats::supremica::wdes::write;
use prequel::formats::supremica::{ACCEPTING, wdes, wmod};
use prequel::model::des::{Des, Role, Start};
use prequel::model::run::{Limits, Run};
use prequel::model::{Answer, Evidence, LabelId, Problem, Query};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of models; none where it is not there.
fn models() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models/supremica");
    let found = folder.is_dir().then_some(folder);
    if found.is_none() {
        eprintln!("skipped: there are no models of Supremica");
    }
    found
}

/// The rows of a table by the names of models, with its columns by name.
fn table(path: &Path) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let columns = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        let cells: BTreeMap<String, String> =
            columns.iter().zip(&row).map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect();
        (row[0].trim_end_matches(".wdes").to_owned(), cells)
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn read(path: &Path) -> Read<Des> {
    let (name, text) = (path.display().to_string(), fs::read(path).unwrap());
    match path.extension().and_then(|e| e.to_str()) {
        Some("wdes") => wdes::read(&name, &text, ACCEPTING),
        _ => wmod::read(&name, &text, path.parent().unwrap(), ACCEPTING),
    }
}

fn understood(path: &Path) -> Des {
    read(path).unwrap_or_else(|errors| panic!("{}", errors[0].render())).0
}

/// What an automaton is, by names, in an order that does not depend on the file.
type Plain = (Role, Start, BTreeSet<String>, BTreeSet<(String, bool)>, BTreeSet<(String, String, String)>);

fn plain(des: &Des) -> (BTreeMap<String, bool>, BTreeMap<String, Plain>) {
    let label = |l: LabelId| des.network.labels().name(l).to_owned();
    let events = des.events().into_iter().map(|e| (label(e), des.controllable[e.at()])).collect();
    let automata = des.network.ids().map(|c| {
        let component = des.network.component(c);
        let state = |s| des.origin.state_name(c, s);
        let alphabet = component.alphabet().iter().map(|&l| label(l)).collect();
        let states = component.lts.states().map(|s| (state(s), component.lts.is_marked(s))).collect();
        let start = [("->".to_owned(), "".to_owned(), state(component.lts.initial()))];
        let transitions = component.lts.transitions().map(|t| (state(t.source), label(t.label), state(t.target)));
        let transitions = transitions.chain(start).collect();
        let what = (des.roles[c.at()], des.starts[c.at()], alphabet, states, transitions);
        (component.name.to_string(), what)
    });
    (events, automata.collect())
}

#[test]
fn a_module_and_its_flat_file_are_the_same_automata() {
    let Some(folder) = models() else { return };
    let mut compared = 0;
    for entry in fs::read_dir(folder.join("wmod")).unwrap() {
        let module = entry.unwrap().path();
        let flat = folder.join("wdes").join(module.file_name().unwrap()).with_extension("wdes");
        if flat.exists() {
            let (ours, theirs) = (plain(&understood(&module)), plain(&understood(&flat)));
            assert_eq!(ours.0, theirs.0, "events of {}", module.display());
            assert_eq!(ours.1.keys().collect::<Vec<_>>(), theirs.1.keys().collect::<Vec<_>>(), "{}", module.display());
            for (name, automaton) in &ours.1 {
                assert_eq!(automaton, &theirs.1[name], "automaton {name} of {}", module.display());
            }
            compared += 1;
        }
    }
    assert!(compared >= 38, "only {compared}");
}

#[test]
fn sizes_are_those_of_the_tables() {
    let Some(folder) = models() else { return };
    for (name, row) in table(&folder.join("oracle.csv")).into_iter().chain(table(&folder.join("oracle-control.csv"))) {
        let flat = folder.join("wdes").join(format!("{name}.wdes"));
        let files = [flat, folder.join("wmod").join(format!("{name}.wmod"))];
        // How events with guards are split is each tool's own affair.
        let split = row.get("feature_level").is_some_and(|level| level == "EFA");
        for file in files.iter().filter(|file| file.exists()) {
            let des = understood(file);
            let sum = |count: fn(&prequel::model::Lts) -> usize| -> usize {
                des.network.components().iter().map(|c| count(&c.lts)).sum()
            };
            let number = |column: &str| -> usize { row[column].split('(').next().unwrap().parse().unwrap() };
            assert_eq!(des.network.components().len(), number("automata"), "{}", file.display());
            assert_eq!(sum(prequel::model::Lts::num_states), number("sum_states"), "{}", file.display());
            if !split {
                assert_eq!(des.events().len(), number("events"), "{}", file.display());
                assert_eq!(sum(prequel::model::Lts::num_transitions), number("sum_transitions"), "{}", file.display());
            }
        }
    }
}

/// What is asked of the system, answered on the fly; a witness is checked.
fn decide(problem: &Problem, states: u64) -> (Answer, u64) {
    let run = Run::new(Limits { states: Some(states), ..Limits::default() }, 0);
    let answer = Otf::default().solve(problem, &run);
    if let Answer::False(Evidence::Witness(trace)) = &answer {
        check(problem, trace).unwrap();
    }
    (answer, run.effort().states_total)
}

/// A model of the tables: its name, what they say of it, and what is asked.
type Asked = (String, BTreeMap<String, String>, Problem);

fn asked(folder: &Path) -> Vec<Asked> {
    let known = table(&folder.join("oracle.csv")).into_iter().chain(table(&folder.join("oracle-control.csv")));
    let problem = |(name, row): (String, BTreeMap<String, String>)| {
        let flat = folder.join("wdes").join(format!("{name}.wdes"));
        let file = if flat.exists() { flat } else { folder.join("wmod").join(format!("{name}.wmod")) };
        let problem = Problem { network: understood(&file).system().0, query: Query::Nonblocking };
        (name, row, problem)
    };
    known.map(problem).collect()
}

fn is_blocking(row: &BTreeMap<String, String>) -> bool {
    row.get("verdict").or(row.get("verdict_of_reference_tool")).unwrap() == "blocking"
}

/// How long the shortest counterexample of the reference tool is.
fn best_length(row: &BTreeMap<String, String>) -> Option<usize> {
    let lengths = row.get("reference_counterexample_lengths").or(row.get("counterexample_length")).unwrap();
    lengths.split('/').filter_map(|l| l.parse::<usize>().ok()).min()
}

/// The engine made for it decides every model; its counterexamples are at most one and a half times as long as the reference tool's best.
#[test]
fn every_model_is_decided_and_counterexamples_are_short() {
    let Some(folder) = models() else { return };
    for (name, row, problem) in asked(&folder) {
        // Three with variables take seconds each; `prequel reproduce nonblocking` runs them.
        if row.get("feature_level").is_some_and(|level| level == "EFA") {
            continue;
        }
        match Conflict::default().solve(&problem, &Run::new(Limits::default(), 0)) {
            Answer::True(_) => assert!(!is_blocking(&row), "{name}"),
            Answer::False(Evidence::Witness(trace)) => {
                assert!(is_blocking(&row), "{name}");
                check(&problem, &trace).unwrap();
                let (ours, theirs) = (trace.steps.len(), best_length(&row));
                assert!(theirs.is_none_or(|theirs| 2 * ours <= 3 * theirs), "{name}: {ours} steps, not {theirs:?}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn verdicts_states_and_lengths_are_those_of_the_tables() {
    let Some(folder) = models() else { return };
    let mut decided = 0;
    for (name, row, problem) in asked(&folder) {
        let (answer, states) = decide(&problem, 60_000);
        let blocking = is_blocking(&row);
        match answer {
            Answer::Unknown(_) => continue,
            Answer::True(_) => assert!(!blocking, "{name}"),
            Answer::False(Evidence::Witness(trace)) => {
                assert!(blocking, "{name}");
                assert!(best_length(&row).is_none_or(|theirs| trace.steps.len() <= theirs), "{name}");
            }
            Answer::False(_) => panic!("{name}: false without a witness"),
        }
        if let Some(Ok(theirs)) = row.get("reachable_states").map(|cell| cell.parse::<u64>()) {
            assert_eq!(states, theirs, "{name}");
        }
        decided += 1;
    }
    assert!(decided >= 55, "only {decided}");
}

#[test]
fn what_is_written_is_read_back() {
    let Some(folder) = models() else { return };
    for entry in fs::read_dir(folder.join("wmod")).unwrap().chain(fs::read_dir(folder.join("wdes")).unwrap()) {
        let path = entry.unwrap().path();
        let des = understood(&path);
        let mut text = Vec::new();
        write(&des, &mut text).unwrap();
        let (again, _) = wdes::read("again.wdes", &text, ACCEPTING).unwrap();
        assert_eq!(plain(&des), plain(&again), "{}", path.display());
    }
}

/// A `.wdes` file around lists of events and automata.
fn flat(events: &str, automata: &str) -> String {
    format!(
        "<ProductDES xmlns=\"http://waters.sourceforge.net/xsd/des\" Name=\"m\">\n\
         <EventList>\n<Event Kind=\"PROPOSITION\" Name=\":accepting\"/>\n{events}\n</EventList>\n\
         <AutomataList>\n{automata}\n</AutomataList>\n</ProductDES>\n"
    )
}

/// An automaton of a `.wdes` file: states with `>` before initial ones and `!` after marked ones.
fn automaton(kind: &str, name: &str, events: &str, states: &str, transitions: &[(&str, &str, &str)]) -> String {
    let refs: String = events.split_whitespace().map(|e| format!("<EventRef Name=\"{e}\"/>\n")).collect();
    let state = |word: &str| {
        let name = word.trim_start_matches('>').trim_end_matches('!');
        let initial = if word.starts_with('>') { " Initial=\"true\"" } else { "" };
        let marked =
            if word.ends_with('!') { "<EventRefList><EventRef Name=\":accepting\"/></EventRefList>" } else { "" };
        format!("<State Name=\"{name}\"{initial}>{marked}</State>\n")
    };
    let states: String = states.split_whitespace().map(state).collect();
    let transition =
        |(s, e, t): &(&str, &str, &str)| format!("<Transition Source=\"{s}\" Event=\"{e}\" Target=\"{t}\"/>\n");
    let transitions: String = transitions.iter().map(transition).collect();
    format!(
        "<Automaton Kind=\"{kind}\" Name=\"{name}\"><EventRefList>{refs}</EventRefList>\n<StateList>{states}</StateList>\n\
         <TransitionList>{transitions}</TransitionList></Automaton>\n"
    )
}

const EVENTS: &str = "<Event Kind=\"CONTROLLABLE\" Name=\"go\"/>\n<Event Kind=\"UNCONTROLLABLE\" Name=\"stop\"/>";

fn des_of(text: &str) -> Des {
    wdes::read("m.wdes", text.as_bytes(), ACCEPTING).unwrap_or_else(|e| panic!("{}", e[0].render())).0
}

fn nonblocking(des: &Des) -> Answer {
    decide(&Problem { network: des.system().0, query: Query::Nonblocking }, 1000).0
}

#[test]
fn several_initial_states_are_all_looked_at() {
    let transitions = [("a", "go", "a"), ("b", "stop", "c")];
    let one = flat(EVENTS, &automaton("PLANT", "p", ":accepting go stop", ">a! b c", &transitions));
    let two = flat(EVENTS, &automaton("PLANT", "p", ":accepting go stop", ">a! >b c", &transitions));
    assert!(matches!(nonblocking(&des_of(&one)), Answer::True(_)));
    let two = des_of(&two);
    assert_eq!(two.starts, [Start::Several]);
    assert!(matches!(nonblocking(&two), Answer::False(_)));
    let mut text = Vec::new();
    write(&two, &mut text).unwrap();
    assert_eq!(plain(&des_of(&String::from_utf8(text).unwrap())), plain(&two));
}

#[test]
fn an_automaton_without_initial_state_leaves_nothing_reachable() {
    let text = flat(EVENTS, &automaton("PLANT", "p", ":accepting go", "a b", &[("a", "go", "b")]));
    let (des, warnings) = wdes::read("m.wdes", text.as_bytes(), ACCEPTING).unwrap();
    assert!(des.without_start().is_some());
    assert!(warnings[0].message.contains("no initial state"));
}

#[test]
fn silence_about_marks_marks_all_and_a_list_without_marks_none() {
    let silent = flat(EVENTS, &automaton("PLANT", "p", "go", ">a", &[]));
    assert!(matches!(nonblocking(&des_of(&silent)), Answer::True(_)));
    let listed = flat(EVENTS, &automaton("PLANT", "p", ":accepting go", ">a", &[]));
    let (des, warnings) = wdes::read("m.wdes", listed.as_bytes(), ACCEPTING).unwrap();
    assert!(matches!(nonblocking(&des), Answer::False(_)));
    assert!(warnings.iter().any(|w| w.message.contains("no state of automaton `p` is marked")));
}

#[test]
fn properties_are_no_part_of_the_system() {
    let plant = automaton("PLANT", "p", ":accepting go", ">a b!", &[("a", "go", "b")]);
    let never = |kind| flat(EVENTS, &format!("{plant}{}", automaton(kind, "never", "go", ">x", &[])));
    assert!(matches!(nonblocking(&des_of(&never("PROPERTY"))), Answer::True(_)));
    assert!(matches!(nonblocking(&des_of(&never("SPEC"))), Answer::False(_)));
}

#[test]
fn a_specification_may_disable_what_can_be_prevented_only() {
    let plant = automaton("PLANT", "p", "go stop", ">a b", &[("a", "go", "b"), ("b", "stop", "a")]);
    let controllable = |spec: &str| {
        let (problem, _) = des::controllable(&des_of(&flat(EVENTS, &format!("{plant}{spec}"))));
        match decide(&problem, 1000).0 {
            Answer::True(_) => None,
            Answer::False(Evidence::Witness(trace)) => {
                let last = trace.steps.last().expect("there is a step that is not allowed");
                Some((trace.steps.len(), problem.network.labels().name(last.label).to_owned()))
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(controllable(&automaton("SPEC", "never", "go", ">x", &[])), None);
    assert_eq!(
        controllable(&automaton("SPEC", "no_stop", "stop", ">x", &[])),
        Some((2, "stop disabled by no_stop".into()))
    );
    let once =
        automaton("SUPERVISOR", "once", "go stop", ">x y", &[("x", "go", "y"), ("y", "go", "y"), ("y", "stop", "y")]);
    assert_eq!(controllable(&once), None, "stop is disabled where the plant does not enable it");
    // What no plant takes part in can happen at any time.
    let alone = flat(EVENTS, &automaton("SPEC", "s", "stop", ">x y", &[("x", "stop", "y")]));
    let (problem, _) = des::controllable(&des_of(&alone));
    assert!(matches!(decide(&problem, 1000).0, Answer::False(Evidence::Witness(trace)) if trace.steps.len() == 2));
}

#[test]
fn a_property_allows_what_it_allows() {
    let plant = automaton("PLANT", "p", "go stop", ">a b", &[("a", "go", "b"), ("b", "stop", "a")]);
    let included = |property: &str| des::included(&des_of(&flat(EVENTS, &format!("{plant}{property}"))));
    let turns = automaton("PROPERTY", "turns", "go stop", ">x y", &[("x", "go", "y"), ("y", "stop", "x")]);
    assert!(matches!(decide(&included(&turns).unwrap().0, 1000).0, Answer::True(_)));
    let once = automaton("PROPERTY", "once", "go", ">x y", &[("x", "go", "y")]);
    let (problem, _) = included(&format!("{turns}{once}")).unwrap();
    let (Answer::False(Evidence::Witness(trace)), _) = decide(&problem, 1000) else { panic!("it goes twice") };
    let names: Vec<&str> = trace.steps.iter().map(|s| problem.network.labels().name(s.label)).collect();
    assert_eq!(names, ["go", "stop", "go", "not allowed by once"]);
    let choice = automaton("PROPERTY", "choice", "go", ">x y", &[("x", "go", "x"), ("x", "go", "y")]);
    assert!(included(&choice).unwrap_err().to_string().contains("not deterministic"));
}

#[test]
fn bad_flat_files_are_told() {
    let says = |text: &str| wdes::read("m.wdes", text.as_bytes(), ACCEPTING).unwrap_err()[0].headline();
    assert!(says("<ProductDES").contains("this is no XML"));
    assert!(says("<Module/>").starts_with("m.wdes:1:1: this is a <Module>, not a <ProductDES>"));
    let unknown = flat(EVENTS, &automaton("PLANT", "p", "og", ">a", &[]));
    assert_eq!(says(&unknown), "m.wdes:8:64: there is no event `og`");
    let unlisted = flat(EVENTS, &automaton("PLANT", "p", "go", ">a", &[("a", "stop", "a")]));
    assert!(says(&unlisted).ends_with("`stop` is not in the EventRefList of this automaton"));
    let nowhere = flat(EVENTS, &automaton("PLANT", "p", "go", ">a", &[("a", "go", "b")]));
    assert!(says(&nowhere).ends_with("there is no state `b`"));
    assert!(says(&flat(EVENTS, &automaton("PLAN", "p", "go", ">a", &[]))).ends_with("there is no kind `PLAN`"));
    assert!(says(&flat(EVENTS, "")).ends_with("there is no automaton in this file"));
}
