//! What SPIN makes of the Promela that we write: the oracle's verdicts, exactly the product's states, trails that replay. And what
//! ABC makes of the AIGER that we write.
//!
//! Each search costs a run of the C compiler, so there are far fewer networks than elsewhere. Without SPIN or a C compiler
//! every test here says so and passes; the one for ABC does so without ABC.

use crate::fuzz::{first_seed, number};
use crate::oracle::traps::traps;
use crate::oracle::{Truth, asked_of, dump, problems, truth};
use prequel::engine::Engine;
use prequel::engine::symbolic::Encoded;
use prequel::evidence::witness;
use prequel::families::find;
use prequel::families::random::{Shape, network};
use prequel::families::random_circuit::{circuit, distance};
use prequel::formats::{aiger, smv};
use prequel::model::run::{Limits, Run};
use prequel::model::{
    Answer, Circuit, Component, Evidence, LabelId, Labels, Lts, Network, Origin, Problem, Query, StateId, Transition,
};
use prequel::spin::engine::Spin;
use prequel::spin::promela;
use prequel::spin::tools::{Options, Tools};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How many networks: a hundredth of what `make fuzz` asks for elsewhere, within reason.
fn networks() -> u64 {
    (number("PREQUEL_FUZZ_NETWORKS", 0) / 100).clamp(16, 400)
}

fn missing() -> bool {
    let missing = Tools::find().err();
    missing.inspect(|why| eprintln!("skipped: {why}")).is_some()
}

/// SPIN without optimised C: the compiler takes longer than the searches.
fn spin(reduce: bool) -> Spin {
    Spin { options: Options { reduce, ..Options::default() } }
}

/// Solves a problem; says what is wrong with the answer, if anything.
fn solve(problem: &Problem, truth: &Truth, reduce: bool) -> Result<(), String> {
    let run = Run::new(Limits::default(), 0);
    let engine = spin(reduce);
    engine.accepts(problem).map_err(|e| e.to_string())?;
    let answer = engine.solve(problem, &run);
    if answer.word() != truth.verdict.to_string() {
        return Err(format!("{answer:?}, but it is {}", truth.verdict));
    }
    match answer {
        Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) => {
            witness::check(problem, &trace).map(drop).map_err(|e| format!("{e}: {trace:?}"))
        }
        _ if truth.verdict == problem.query.witness_shows() => Err("no witness".into()),
        _ => {
            let (states, all) = (run.effort().states_total, truth.states as u64);
            let fits = if reduce { states <= all } else { states == all };
            if fits { Ok(()) } else { Err(format!("{states} states, the product has {all}")) }
        }
    }
}

/// Rings that turn together, one step each: many joint steps, and no choice.
fn rings() -> Network {
    let mut labels = Labels::new();
    let turn = labels.intern("turn");
    let ring = |n: u32| {
        let steps = (0..n).map(|s| Transition::new(s, turn, (s + 1) % n)).collect();
        Component::new(format!("ring{n}"), Lts::new(StateId(1), n as usize, steps))
    };
    let components = [3, 4, 5].map(ring).into();
    Network::new(labels, components)
}

/// What tells the ways of writing apart that random networks have: channels, joint steps, labels with a choice.
const WAYS: [&str; 3] = ["!1 -> goto", " } /* a", "\n       :: d_step"];

/// Solves a problem in every way that there is for it; gives the program.
fn solve_all(problem: &Problem, truth: &Truth, what: &str) -> String {
    let promela = promela::write(problem, &Origin::default()).unwrap();
    for reduce in [false, true] {
        if reduce && !promela.reducible {
            continue;
        }
        if let Err(wrong) = solve(problem, truth, reduce) {
            let case = dump::keep(problem, "spin");
            let kind = problem.query.kind();
            panic!("{kind} of {what}: {wrong}\nto run it: {}\n{}", case.command(), promela.text);
        }
    }
    promela.text
}

#[test]
fn spin_agrees_with_the_plain_product_on_random_networks() {
    if missing() {
        return;
    }
    let next = AtomicU64::new(first_seed());
    let used = WAYS.map(|_| AtomicU64::new(0));
    let all_used = || used.iter().all(|n| n.load(Relaxed) > 0);
    // Few networks need not hold every way of writing: then some more do.
    let wanted = |seed: u64| {
        let done = seed - first_seed();
        done < networks() || done < 20 * networks() && !all_used()
    };
    let work = || {
        while let Some(seed) = Some(next.fetch_add(1, Relaxed)).filter(|&seed| wanted(seed)) {
            // Every fourth network has so many transitions per label that joint steps are not written out.
            let dense = || network(seed, &Shape { components: 3, states: 6, labels: 2, degree: 4 });
            let problems = match seed % 4 {
                1 => asked_of(dense(), seed),
                _ => problems(seed),
            };
            for problem in problems {
                let text = solve_all(&problem, &truth(&problem), &format!("network {seed}"));
                for (way, used) in WAYS.iter().zip(&used) {
                    used.fetch_add(u64::from(text.contains(way)), Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    assert!(all_used(), "all ways of writing must occur: {used:?} of {WAYS:?}");
}

#[test]
fn spin_avoids_traps() {
    if missing() {
        return;
    }
    // Each is a run of the C compiler: all of them in long runs only.
    let every = if networks() > 16 { 1 } else { 8 };
    for trap in traps().iter().step_by(every) {
        let truth = truth(&trap.problem);
        assert_eq!(truth.verdict, trap.expected, "{}", trap.name);
        solve_all(&trap.problem, &truth, &trap.name);
    }
}

#[test]
fn spin_agrees_on_families() {
    if missing() {
        return;
    }
    for problem in asked_of(rings(), 0) {
        let text = solve_all(&problem, &truth(&problem), "rings");
        // A monitor may have a choice.
        let plain = text.contains("\n       :: at_ring5 == 1 -> at_ring5 = 2");
        assert!(plain || problem.query.kind() == "safety", "{text}");
    }
    for (family, size) in
        [("philo", 3), ("philo-dict", 3), ("philo-sync", 3), ("cyclic", 3), ("counter", 4), ("dac", 4)]
    {
        let instance = (find(family).expect("a family").build)(size, 0);
        for asked in instance.queries {
            let problem = Problem { network: instance.network.clone(), query: asked.query };
            let truth = truth(&problem);
            assert!(asked.expected.is_none_or(|expected| expected == truth.verdict));
            solve_all(&problem, &truth, &format!("{family} {size}: {}", asked.text));
        }
    }
}

/// Components that count to two, each by its own label.
fn counters(names: impl Iterator<Item = String>) -> Problem {
    let mut labels = Labels::new();
    let counter = |name: String| {
        let tick = labels.intern(&name);
        let steps = vec![Transition::new(0, tick, 1), Transition::new(1, LabelId::TAU, 2)];
        Component::new(name, Lts::new(StateId(0), 3, steps))
    };
    let components = names.map(counter).collect();
    Problem { network: Network::new(labels, components), query: Query::DeadlockFree }
}

#[test]
fn a_search_takes_any_names_and_many_components() {
    if missing() {
        return;
    }
    let odd = ["linux", "ptr", "code", "active", "a*/b", "/*", "x y", "x.y", "é\n", "\"", "now", "init", "0", "%d\\"];
    // More than a state of 1024 bytes holds, and more than there can be processes.
    for problem in [
        counters(odd.iter().map(|&name| name.to_owned())),
        counters((0..200).map(|n| format!("c{n}"))),
        counters((0..300).map(|n| format!("c{n}"))),
    ] {
        let run = Run::new(Limits::default(), 0);
        match spin(true).solve(&problem, &run) {
            Answer::False(Evidence::Witness(trace)) => assert!(witness::check(&problem, &trace).is_ok()),
            other => panic!("{other:?}"),
        }
    }
}

/// Runs `prequel` on forty philosophers with a temporary folder of its own, which must be empty afterwards.
fn prequel(arguments: &str, change: impl FnOnce(&mut Command)) -> (Option<i32>, String) {
    let (folder, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = env!("CARGO_BIN_EXE_prequel");
    assert!(Command::new(program).args(["generate", "philo", "40", "-o"]).arg(folder.path()).output().is_ok());
    let mut command = Command::new(program);
    command.args(arguments.split(' ')).current_dir(folder.path()).env("TMPDIR", temporary.path());
    change(&mut command);
    let ended = command.output().unwrap();
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "something is left behind");
    (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
}

fn without_path(command: &mut Command) {
    command.env("PATH", "/nowhere");
}

#[test]
fn without_spin_the_engine_refuses_in_one_sentence() {
    let asked = "check philo.exp --deadlock-free --engine spin";
    let (code, said) = prequel(asked, without_path);
    assert_eq!(code, Some(2));
    assert!(said.starts_with("undecided: SPIN (`spin`) is not installed: there is none on PATH ("), "{said}");
    assert!(said.ends_with("\nRESULT unknown engine=spin evidence=none checked=no\n"), "{said}");
    let (_, said) = prequel("engines --json", without_path);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let spin = said["engines"].as_array().unwrap().iter().find(|e| e["name"] == "spin").unwrap();
    assert_eq!(
        (&spin["external"], &spin["installed"], &spin["version"]),
        (&true.into(), &false.into(), &serde_json::Value::Null)
    );
}

/// Runs `prequel` in a folder; gives the exit code and all that is printed.
fn asked(arguments: &str, folder: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    let ended = command.args(arguments.split(' ')).current_dir(folder).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
}

/// Ways to hide C from whoever looks for it, of which SPIN finds each; `C` stands for what the C does.
const HIDDEN: [(&str, &str, &str); 10] = [
    ("in plain sight", "active proctype P() { c_code { C } }\n", ""),
    (
        "in an included file",
        "#include \"part.h\"\nactive proctype P() { skip }\n",
        "active proctype Q() { c_code { C } }\n",
    ),
    (
        "in a macro of an included file",
        "#include \"part.h\"\nactive proctype P() { OPEN C } }\n",
        "#define OPEN c_code {\n",
    ),
    ("pasted", "#define PASTE(a, b) a ## b\nactive proctype P() { PASTE(c_, code) { C } }\n", ""),
    ("in two lines", "active proctype P() { c_\\\ncode { C } }\n", ""),
    (
        "for the compiler only",
        "active proctype P() { skip }\n#ifdef __GNUC__\nactive proctype Q() { c_code { C } }\n#endif\n",
        "",
    ),
    (
        "behind what we do not read",
        "active proctype P() { skip }\n# line 7 \"other\"\nactive proctype Q() { byte x; x = enabled(0) + pc_value(0); c_code { C } }\n",
        "",
    ),
    ("in an expression", "active proctype P() { c_expr { 1 } -> c_code { C } }\n", ""),
    (
        "for the second preprocessor",
        "#define HASH #\nHASH include \"part.h\"\nactive proctype P() { skip }\n",
        "active proctype Q() { c_code { C } }\n",
    ),
    ("joined by the second preprocessor", "#define NOTHING\nactive proctype P() { c_\\ NOTHING\ncode { C } }\n", ""),
];

#[test]
fn embedded_c_is_never_run_unless_that_is_allowed() {
    if missing() {
        return;
    }
    let commands = ["check FILE --engine spin", "spin FILE", "spin FILE --no-reduce", "spin FILE --threads 2"];
    let others = [
        "check FILE",
        "check FILE --trail=t",
        "reduce FILE -o out.pml",
        "convert FILE -o out.exp",
        "info FILE",
        "advise FILE",
    ];
    for (how, text, part) in HIDDEN {
        let folder = tempfile::tempdir().expect("a folder");
        let here = |name: &str| folder.path().join(name);
        let trace = here("it-ran");
        let act = format!("FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f);", trace.display());
        let write = |name: &str, text: &str| {
            std::fs::write(here(name), text.replace(" C ", &format!(" {act} "))).expect("room")
        };
        write("model.pml", text);
        write("part.h", part);
        let ask = |line: &str| asked(&line.replace("FILE", "model.pml"), folder.path());
        for line in commands {
            let (code, said) = ask(line);
            assert_eq!(code, Some(3), "{how}: {line}: {said}");
            assert!(!trace.exists(), "{how}: {line}");
        }
        others.iter().for_each(|line| drop(ask(line)));
        assert!(!trace.exists(), "{how}");
        // The other side of it: this is C that SPIN does find and run.
        let (_, said) = ask("check FILE --engine spin --allow-c");
        assert!(trace.exists() || how.contains("second"), "{how}: {said}");
    }
}

#[test]
fn a_suite_does_not_run_embedded_c() {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let here = |name: &str| folder.path().join(name);
    let act = format!("c_code {{ FILE *f = fopen(\"{}\", \"w\"); if (f) fclose(f); }}", here("it-ran").display());
    std::fs::write(here("part.h"), format!("active proctype Q() {{ {act} }}\n")).expect("room");
    std::fs::write(here("model.pml"), "#include \"part.h\"\nactive proctype P() { skip }\n").expect("room");
    let run = |options: &str| {
        let suite = format!(
            "name = \"c\"\n[limits]\ntime = \"20s\"\n[[engine]]\nname = \"spin\"\ntool = \"spin\"\n{options}\n[[model]]\npath = \"model.pml\"\n"
        );
        std::fs::write(here("suite.toml"), suite).expect("room");
        asked("bench suite.toml --results results", folder.path()).1
    };
    let said = run("");
    assert!(said.contains("`c_code` is embedded C") && !here("it-ran").exists(), "{said}");
    let said = run("options = [\"--allow-c\"]");
    assert!(here("it-ran").exists(), "{said}");
}

#[test]
fn limits_end_whatever_is_running() {
    if missing() {
        return;
    }
    let asked = "check philo.exp --reach phil0@2&phil1@2 --engine spin";
    let (code, said) = prequel(&format!("{asked} --time 1s"), |_| ());
    assert_eq!((code, said.starts_with("undecided: time limit of 1 s reached")), (Some(2), true), "{said}");
    let (code, said) = prequel(&format!("{asked} --memory 150M --time 300s"), |_| ());
    assert_eq!((code, said.starts_with("undecided: memory limit of 150 MiB reached")), (Some(2), true), "{said}");
}

/// Whether ABC says that a bad state is reached, in how many steps; none where ABC is not installed.
fn abc(circuit: &Circuit) -> Option<Option<u32>> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("system.aig");
    let mut text = Vec::new();
    aiger::write(circuit, aiger::Form::Binary, &mut text).unwrap();
    std::fs::write(&file, &text).unwrap();
    let command = format!("read_aiger {}; pdr", file.display());
    let said = Command::new("berkeley-abc").args(["-c", &command]).current_dir(folder.path()).output().ok()?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    if said.contains("Property proved") {
        return Some(None);
    }
    let frame = said.split_once("was asserted in frame ").and_then(|(_, rest)| rest.split('.').next()?.parse().ok());
    assert!(frame.is_some(), "ABC says neither: {said}\n{circuit:?}");
    Some(frame)
}

/// Small circuits, every other one that of a network, with their seeds.
fn circuits() -> impl Iterator<Item = (u64, Circuit)> {
    let made = |seed| {
        if seed % 2 == 0 {
            return (seed, circuit(seed));
        }
        let network = network(seed, &Shape { components: 2, states: 3, labels: 3, degree: 2 });
        let encoded = Encoded::new(&Problem { network, query: Query::DeadlockFree }).unwrap();
        (seed, (*encoded.circuit).clone())
    };
    (first_seed()..first_seed() + 4 * networks()).map(made).filter(|(_, circuit)| circuit.bits <= 8)
}

#[test]
fn abc_says_the_same_of_what_we_write_as_aiger() {
    let (mut reached, mut safe) = (0, 0);
    for (seed, circuit) in circuits() {
        let Some(said) = abc(&circuit) else {
            eprintln!("skipped: there is no `berkeley-abc`");
            return;
        };
        // ABC's paths need not be shortest, so only a path beside none is a contradiction, or one that is too short.
        let truth = distance(&circuit);
        assert_eq!(said.is_some(), truth.is_some(), "seed {seed}: ABC says {said:?}, the truth is {truth:?}");
        assert!(said >= truth, "seed {seed}: ABC's path of {said:?} steps is too short for {truth:?}");
        if said.is_some() { reached += 1 } else { safe += 1 }
    }
    assert!(reached > 0 && safe > 0, "{reached} reached, {safe} safe");
}

/// Whether NuSMV says that what the file states holds; none where NuSMV is not installed.
fn nusmv(circuit: &Circuit) -> Option<bool> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("system.smv");
    let mut text = Vec::new();
    smv::write(circuit, &mut text).unwrap();
    std::fs::write(&file, &text).unwrap();
    let ended = Command::new("NuSMV").arg(&file).output().ok()?;
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let verdict = [("is true", true), ("is false", false)].into_iter().find(|(words, _)| said.contains(words));
    let Some((_, holds)) = verdict else {
        panic!("{said}{}\n{}", String::from_utf8_lossy(&ended.stderr), String::from_utf8_lossy(&text))
    };
    Some(holds)
}

#[test]
fn nusmv_says_the_same_of_what_we_write_as_smv() {
    let (mut reached, mut safe) = (0, 0);
    for (seed, circuit) in circuits() {
        let Some(holds) = nusmv(&circuit) else {
            eprintln!("skipped: there is no `NuSMV`");
            return;
        };
        assert_eq!(holds, distance(&circuit).is_none(), "seed {seed}");
        if holds { safe += 1 } else { reached += 1 }
    }
    assert!(reached > 0 && safe > 0, "{reached} reached, {safe} safe");
}

/// A report of `pan` as it is printed, with this many errors.
fn report(first: &str, errors: u32) -> String {
    let done = if errors == 0 { "" } else { "Warning: Search not completed\n" };
    format!(
        "{first}\n(Spin Version 6.5.2 -- 6 December 2019)\n{done}\nFull statespace search for:\n\tnever claim\t- (none \
         specified)\n\tassertion violations\t+\n\tinvalid end states\t+\n\nState-vector 20 byte, depth reached 2, errors: \
         {errors}\n        3 states, stored\n        0 states, matched\n        3 transitions (= stored+matched)\n        0 \
         atomic steps\n\npan: elapsed time 0 seconds\n"
    )
}

/// Runs SPIN on a model that holds, with programs of our own in front of those on PATH.
#[cfg(unix)]
fn with(stands_in: &[(&str, String)], time: &str) -> (Option<i32>, String) {
    run_with(stands_in, &["--no-reduce", "--time", time])
}

/// The same with other options. A second compiler would not be fooled, so it does not work.
#[cfg(unix)]
fn run_with(stands_in: &[(&str, String)], options: &[&str]) -> (Option<i32>, String) {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (name, script) in stands_in.iter().chain(&[("tcc", "exit 1".to_owned())]) {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let model = folder.path().join("model.pml");
    std::fs::write(&model, "byte g;\nactive proctype p() { g = 1; assert(g == 1) }\n").unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([folder.path().to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    command.arg("spin").args(options).arg(&model).env("PATH", path).env("TMPDIR", temporary.path());
    let ended = command.output().unwrap();
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "something is left behind");
    (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// A C compiler that preprocesses, and then writes this shell script as `pan`.
#[cfg(unix)]
fn compiler(pan: &str) -> (&'static str, String) {
    let real = Tools::find().unwrap().compiler.display();
    let script = format!("cat >pan <<'END'\n#!/bin/sh\n{pan}\nEND\nchmod +x pan");
    ("gcc", format!("case \"$*\" in *-E*) exec {real} \"$@\";; esac\n{script}"))
}

/// A `pan` that prints this.
#[cfg(unix)]
fn printing(text: &str, then: &str) -> (&'static str, String) {
    compiler(&format!("cat <<'REPORT'\n{text}REPORT\n{then}"))
}

#[cfg(unix)]
#[test]
fn programs_that_lie_or_die_decide_nothing() {
    if missing() {
        return;
    }
    let real = Tools::find().unwrap().spin.display();
    let version = "case \"$1\" in -V) echo 'Spin Version 6.5.2 -- 6 December 2019'; exit;; esac\n";
    let spin = |then: &str| ("spin", format!("{version}{then}"));
    let clean = report("", 0);
    let half = clean.split_once("States").map_or(&clean[..200], |(half, _)| half);
    let fault = report("pan:1: assertion violated (g==1) (at depth 1)", 1);
    let trail = "printf -- '-2:2:-2\\n-4:-4:-4\\n1:0:77\\n2:0:78\\n' >model.pml.trail";
    let cases: Vec<(&str, (&str, String), &str)> = vec![
        ("another program", ("spin", "echo hello".into()), "is not SPIN: it says `hello`"),
        ("it writes nothing", spin("exit 0"), "SPIN says that it is done, but wrote no pan.c"),
        ("it dies", spin("kill -SEGV $$"), "SPIN was ended by SIGSEGV"),
        ("it writes some", spin(&format!("{real} \"$@\"; rm pan.t; exit 0")), "wrote no pan.t"),
        (
            "no program",
            ("gcc", compiler("").1.replace("cat >pan", "cat >other").replace("chmod", "true")),
            "wrote no program",
        ),
        (
            "a compiler dies",
            ("gcc", compiler("").1.replace("cat >pan", "kill -KILL $$; cat >pan")),
            "was ended by SIGKILL",
        ),
        ("no report", compiler("exit 0"), "its report is not whole"),
        ("half a report", printing(half, ""), "its report is not whole"),
        ("two reports", printing(&format!("{clean}{clean}"), ""), "its report is not whole"),
        ("a report and a signal", printing(&clean, "kill -SEGV $$"), "SPIN's verifier was ended by SIGSEGV"),
        ("a report and a status", printing(&clean, "exit 1"), "SPIN's verifier ended with status 1"),
        ("numbers", printing(&clean.replace("3 transitions", "4 transitions"), ""), "contradicts itself"),
        ("no states", printing(&clean.replace("        3 ", "        0 "), ""), "contradicts itself"),
        ("a fault that is not counted", printing(&fault.replace("errors: 1", "errors: 0"), ""), "contradicts itself"),
        ("a fault without a trail", printing(&fault, ""), "wrote no trail"),
        ("a fault and a signal", printing(&fault, "kill -SEGV $$"), "was ended by SIGSEGV"),
        (
            "a trail of something else",
            printing(&fault, trail),
            "SPIN's trail is no run of the program, so it is not believed",
        ),
    ];
    for (what, program, why) in cases {
        let (code, said) = with(&[program], "120s");
        assert_eq!((code, said.contains(why)), (Some(2), true), "{what}: {said}");
        assert!(said.ends_with("RESULT unknown engine=spin evidence=none checked=no\n"), "{what}: {said}");
    }
    // What stands in is believed as long as nothing speaks against it.
    let (code, said) = with(&[printing(&clean, "")], "120s");
    assert_eq!(code, Some(0), "{said}");
}

#[cfg(unix)]
#[test]
fn programs_that_hang_end_with_the_time() {
    if missing() {
        return;
    }
    let version = "case \"$1\" in -V) echo 'Spin Version 6.5.2 -- 6 December 2019'; exit;; esac\n";
    let cases: [(&str, (&str, String)); 4] = [
        ("spin", ("spin", "sleep 1000".into())),
        ("spin -a", ("spin", format!("{version}sleep 1000"))),
        ("the compiler", ("gcc", "sleep 1000".into())),
        ("pan", compiler("sleep 1000")),
    ];
    for (what, program) in cases {
        let started = std::time::Instant::now();
        let (code, said) = with(&[program], "2s");
        assert_eq!((code, said.starts_with("undecided: time limit of 2 s reached")), (Some(2), true), "{what}: {said}");
        // Far below what it would sleep; machines may be slow.
        assert!(started.elapsed().as_secs() < 60, "{what}");
    }
}

/// Programs that hang or lie, by what they are called.
#[cfg(unix)]
fn useless(sleep: &str) -> Vec<(&'static str, (&'static str, String))> {
    let version = "case \"$1\" in -V) echo 'Spin Version 6.5.2 -- 6 December 2019'; exit;; esac\n";
    let lie = report("pan:1: assertion violated (g==1) (at depth 1)", 1);
    vec![
        ("spin hangs", ("spin", sleep.into())),
        ("spin -a hangs", ("spin", format!("{version}{sleep}"))),
        ("the compiler hangs", ("gcc", sleep.into())),
        ("pan hangs", compiler(sleep)),
        ("another program", ("spin", "echo hello".into())),
        ("spin dies", ("spin", format!("{version}kill -SEGV $$"))),
        ("pan lies", printing(&lie, "printf -- '-2:2:-2\\n-4:-4:-4\\n1:0:77\\n' >model.pml.trail")),
        ("half a report", compiler("echo 'State-vector 20 byte'")),
    ]
}

#[cfg(unix)]
#[test]
fn our_own_search_answers_whatever_spin_and_the_compiler_do() {
    if missing() {
        return;
    }
    for (what, program) in useless("sleep 1000") {
        for threads in ["1", "2"] {
            let started = std::time::Instant::now();
            let (code, said) = run_with(std::slice::from_ref(&program), &["--threads", threads, "--time", "300s"]);
            assert_eq!(code, Some(0), "{what} with {threads}: {said}");
            assert!(said.ends_with("RESULT true engine=otf evidence=none checked=no\n"), "{what}: {said}");
            assert!(started.elapsed().as_secs() < 100, "{what}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_race_leaves_nobody_running() {
    if missing() {
        return;
    }
    let marked = format!("{}.75", 60_000 + std::process::id());
    for (what, program) in useless(&format!("sleep {marked} & sleep {marked}")) {
        let (code, said) = run_with(&[program], &["--threads", "2", "--time", "300s"]);
        assert_eq!(code, Some(0), "{what}: {said}");
        let left = || {
            let processes = std::fs::read_dir("/proc").unwrap();
            let lines = processes.filter_map(|e| std::fs::read(e.ok()?.path().join("cmdline")).ok());
            lines.filter(|line| line.starts_with(b"sleep") && String::from_utf8_lossy(line).contains(&marked)).count()
        };
        // Who was killed is gone as soon as the system comes to it.
        let until = Instant::now() + Duration::from_secs(10);
        while left() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), 0, "{what}");
    }
}

#[test]
fn one_thread_says_the_same_every_time() {
    if missing() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // Few states; many states and smaller processes; an error; a claim that SPIN alone decides.
    let window = include_str!("../examples/sliding_window.pml");
    let large = "byte a, b, c;\nactive proctype p() { do :: a++ :: b++ :: c++ :: a--; assert(b < 200 || c < 200 || a < 255) od }\n";
    let cycle = "byte g;\nactive proctype p() { do :: g = 1 - g od }\nltl back { []<> (g == 1) }\n";
    for (name, text) in [("window.pml", window), ("large.pml", large), ("cycle.pml", cycle)] {
        std::fs::write(folder.path().join(name), text).expect("room");
        let said = || {
            let (code, said) = asked(&format!("spin {name} --threads 1 --json --states 2M"), folder.path());
            let mut told: serde_json::Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
            timeless(&mut told);
            (code, told.to_string())
        };
        assert_eq!(said(), said(), "{name}");
    }
}

/// Leaves out what is measured.
fn timeless(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("seconds") && name != "peak_rss_bytes");
            fields.values_mut().for_each(timeless);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(timeless),
        _ => {}
    }
}
