//! Petri nets: real ones against what others have counted, random ones by every route, and damaged ones.

use crate::fuzz::number;
use prequel::engine::Engine;
use prequel::engine::algo::explicit::explicit;
use prequel::engine::otf::net::{Outcome, explore};
use prequel::engine::otf::{Otf, Search};
use prequel::engines::engines;
use prequel::evidence;
use prequel::formats::diag::{Diagnostic, Read};
use prequel::formats::{formula, ll_net, lola, pnml, tina};
use prequel::model::net::Parts;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{
    Answer, Arc, Comparison, Condition, Evidence, Net, NetQuery, PlaceId, Problem, Query, TransitionId, Why,
};
use prequel::net::join::join;
use prequel::net::split::{Split, split};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "../shared/models/petri";

/// Markings of a real net before it is given up.
const MOST: u64 = 6_000;

/// Every marking, by levels.
const WHOLE: Otf = Otf { search: Search::Breadth, reduce: false };

pub fn run(states: u64) -> Run {
    Run::new(Limits { states: Some(states), ..Limits::default() }, 0)
}

/// All files of a kind; none, and a message, where the folder is absent.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    if !Path::new(FOLDER).is_dir() {
        eprintln!("skipped: no nets in {FOLDER}");
        return Vec::new();
    }
    let found = walkdir::WalkDir::new(FOLDER).sort_by_file_name().into_iter();
    let paths = found.filter_map(|entry| entry.ok().map(|entry| entry.into_path()));
    paths.filter(|path| path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x))).collect()
}

fn read(path: &Path) -> Read<Net> {
    let (name, text) = (path.display().to_string(), fs::read(path).expect("a readable file"));
    match path.extension().and_then(|e| e.to_str()) {
        Some("pnml") => pnml::read(&name, &text),
        Some("lola") => lola::read(&name, &text),
        Some("ll_net") => ll_net::read(&name, &text),
        _ => tina::read(&name, &text),
    }
}

pub fn dead() -> NetQuery {
    NetQuery::Impossible(Condition::Dead)
}

/// How many markings there are, if not too many.
fn count(net: &Net, most: u64) -> Option<u64> {
    let run = run(most);
    let nothing = NetQuery::Possible(Condition::Or(Vec::new()));
    match explore(net, &nothing, WHOLE, &run) {
        Outcome::Absent => Some(run.effort().states_total),
        Outcome::Unknown(_) => None,
        Outcome::Found(_) => panic!("nothing satisfies `false`"),
    }
}

/// Rows of a table of counts: file, states, whether a dead marking is reachable.
fn oracle(
    name: &str,
    states: usize,
    is_dead: impl Fn(&csv::StringRecord) -> Option<bool>,
) -> Vec<(String, String, Option<bool>)> {
    let Ok(mut reader) = csv::Reader::from_path(format!("{FOLDER}/{name}")) else { return Vec::new() };
    let row = |r: csv::StringRecord| (r[0].to_owned(), r[states].to_owned(), is_dead(&r));
    reader.records().map(|r| row(r.expect("a table"))).collect()
}

#[test]
fn real_nets_have_as_many_markings_and_dead_ones_as_others_have_counted() {
    let mcc = oracle("mcc-oracle.csv", 8, |r| match &r[7] {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    });
    let pep = oracle("ll_net-oracle.csv", 3, |r| (!r[3].starts_with(">=")).then(|| &r[4] != "0"));
    let (mut counted, mut decided, mut networks) = (0, 0, 0);
    for (folder, rows) in [("mcc", mcc), ("ll_net", pep)] {
        for (file, states, is_dead) in rows {
            let (net, _) =
                read(&Path::new(FOLDER).join(folder).join(&file)).unwrap_or_else(|e| panic!("{file}: {e:?}"));
            let found = count(&net, MOST);
            if let (Some(found), Ok(states)) = (found, states.parse::<u64>()) {
                assert_eq!(found, states, "{file}");
                counted += 1;
            }
            match (explore(&net, &dead(), Otf::default(), &run(MOST)), is_dead) {
                (Outcome::Found(sequence), expected) => {
                    evidence::net::check(&net, &dead(), &sequence).unwrap();
                    assert_ne!(expected, Some(false), "{file}");
                    decided += 1;
                }
                (Outcome::Absent, expected) => {
                    assert_ne!(expected, Some(true), "{file}");
                    decided += 1;
                }
                (Outcome::Unknown(_), _) => {}
            }
            if let (Some(markings), Ok(split)) = (found.filter(|&n| n < 3000), split(&net)) {
                assert_eq!(product(&split), markings, "{file}: {}", split.method);
                networks += 1;
            }
        }
    }
    if Path::new(FOLDER).is_dir() {
        assert!(
            counted >= 50 && decided >= 60 && networks >= 35,
            "{counted} counted, {decided} decided, {networks} split"
        );
        eprintln!("{counted} counts and {decided} verdicts as stated, {networks} networks with as many states");
    }
}

fn product(split: &Split) -> u64 {
    let mut all = 0;
    let lts = explicit(&split.network, |states, _| {
        all += states;
        if all > 100_000 { Err(Why::States(all)) } else { Ok(()) }
    });
    lts.expect("as many states as markings").num_states() as u64
}

#[test]
fn every_file_is_a_net_or_refused_by_name_and_comes_back_from_what_is_written() {
    let mut refused = 0;
    for path in files(&["pnml", "lola", "ll_net", "net"]) {
        let file = path.display().to_string();
        let net = match read(&path) {
            Ok((net, _)) => net,
            Err(errors) => {
                assert!(
                    errors.iter().all(|e| e.message.contains("refused") && e.place.is_some()),
                    "{file}: {errors:?}"
                );
                refused += 1;
                continue;
            }
        };
        for back in written(&net) {
            // LoLA has no net without places.
            assert_eq!(&back.initial()[..net.places().len()], net.initial(), "{file}");
            assert!(
                net.transitions().all(|t| (net.inputs(t), net.outputs(t)) == (back.inputs(t), back.outputs(t))),
                "{file}"
            );
        }
    }
    assert!(refused <= 10, "{refused} files refused");
}

fn written(net: &Net) -> [Net; 2] {
    let (mut as_lola, mut as_pnml) = (Vec::new(), Vec::new());
    prequel::formats::lola::write(net, &mut as_lola).unwrap();
    prequel::formats::pnml::write(net, "n", &mut as_pnml).unwrap();
    [lola::read("n.lola", &as_lola).unwrap().0, pnml::read("n.pnml", &as_pnml).unwrap().0]
}

/// A net with a few places, arcs of weight up to 3 and up to 3 tokens in a place.
pub fn random_net(rng: &mut Rng) -> Net {
    let (places, transitions) = (rng.between(1, 6), rng.between(1, 6));
    let heavy = rng.chance(40);
    let mut parts = Parts::default();
    for p in 0..places {
        let tokens = if rng.chance(50) { rng.between(0, if heavy { 3 } else { 1 }) } else { 0 };
        parts.places.push((format!("p{p}").into(), tokens as u32));
    }
    for t in 0..transitions {
        parts.transitions.push((format!("t{t}").into(), 0));
        let arcs = |rng: &mut Rng, most| -> Vec<(TransitionId, Arc)> {
            let arc = |rng: &mut Rng| {
                let weight = if heavy && rng.chance(25) { rng.between(2, 3) } else { 1 };
                (TransitionId::new(t), Arc { place: PlaceId::new(rng.below(places)), weight: weight as u32 })
            };
            (0..rng.between(0, most)).map(|_| arc(rng)).collect()
        };
        let (takes, gives) = (arcs(rng, 3), arcs(rng, 2));
        parts.inputs.extend(takes);
        parts.outputs.extend(gives);
    }
    Net::new(parts).expect("small weights")
}

pub fn random_condition(rng: &mut Rng, net: &Net, depth: usize) -> Condition {
    let several = |rng: &mut Rng| (0..rng.between(1, 3)).map(|_| random_condition(rng, net, depth - 1)).collect();
    match rng.below(if depth == 0 { 4 } else { 7 }) {
        0 => Condition::Dead,
        1 => Condition::Fireable(TransitionId::new(rng.below(net.transitions().len()))),
        2 | 3 => {
            let sum = net.places().filter(|_| rng.chance(50)).collect::<Vec<_>>();
            let sum = sum.into_iter().map(|p| (p, if rng.chance(20) { -1 } else { 1 })).collect();
            let comparison = *rng.pick(&[Comparison::AtMost, Comparison::AtLeast, Comparison::Equal]);
            Condition::Tokens(sum, comparison, rng.below(4) as i64)
        }
        4 => Condition::And(several(rng)),
        5 => Condition::Or(several(rng)),
        _ => random_condition(rng, net, depth - 1).negated(),
    }
}

/// All reachable markings by the plain firing rule, if not too many.
pub fn markings(net: &Net, most: usize) -> Option<HashSet<Vec<u32>>> {
    let mut seen = HashSet::from([net.initial().to_vec()]);
    let mut left = vec![net.initial().to_vec()];
    while let Some(marking) = left.pop() {
        for t in net.transitions().filter(|&t| net.enabled(&|p: PlaceId| marking[p.at()], t)) {
            let mut next = marking.clone();
            net.fire(&mut next, t).ok()?;
            if seen.insert(next.clone()) {
                left.push(next);
            }
            if seen.len() > most {
                return None;
            }
        }
    }
    Some(seen)
}

#[test]
fn on_random_nets_all_routes_agree() {
    let (mut bounded, mut unbounded, mut split_up, mut found) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let mut rng = Rng::new(seed);
        let net = random_net(&mut rng);
        let condition = random_condition(&mut rng, &net, 2);
        let query = NetQuery::Possible(condition.clone());
        let all = markings(&net, 500);
        let expected = all.as_ref().map(|all| all.iter().any(|m| condition.holds(&net, &|p: PlaceId| m[p.at()])));
        for order in [Search::Breadth, Search::Depth] {
            match explore(&net, &query, Otf { search: order, reduce: false }, &run(3000)) {
                Outcome::Found(sequence) => {
                    evidence::net::check(&net, &query, &sequence).unwrap_or_else(|e| panic!("{seed}: {e}"));
                    assert_ne!(expected, Some(false), "{seed} {order:?}");
                    found += 1;
                }
                Outcome::Absent => assert_eq!(expected, Some(false), "{seed} {order:?}"),
                Outcome::Unknown(why) => assert_eq!(expected, None, "{seed} {order:?}: {why}"),
            }
        }
        let (Some(all), Some(expected)) = (all, expected) else {
            unbounded += 1;
            continue;
        };
        bounded += 1;
        assert_eq!(count(&net, 3000), Some(all.len() as u64), "{seed}");
        for back in written(&net) {
            assert_eq!(markings(&back, 500).as_ref(), Some(&all), "{seed}");
        }
        let split = split(&net).unwrap_or_else(|e| panic!("{seed}: {e}"));
        assert_eq!(product(&split), all.len() as u64, "{seed}: {}", split.method);
        let again = join(&split.network, &split.origin).expect("a small network");
        assert_eq!(count(&again, 3000), Some(all.len() as u64), "{seed}: back to a net");
        let goal = split.goal(&net, &condition).unwrap_or_else(|e| panic!("{seed}: {e}"));
        let problem = Problem { network: split.network.clone(), query: Query::Reach(goal) };
        let is_symbolic = |name: &str| matches!(name, "bmc" | "bdd" | "itp" | "citp" | "citp-a" | "citp-pa" | "ic3");
        // Each question to a symbolic engine takes milliseconds: a part of the nets is enough.
        let asked = |e: &dyn Engine| e.external().is_none() && (seed % 100 == 0 || !is_symbolic(e.name()));
        for engine in engines(Otf::default()).iter().filter(|e| asked(&***e) && e.accepts(&problem).is_ok()) {
            // Sets of states are not counted one by one.
            let run = if is_symbolic(engine.name()) { Run::new(Limits::default(), 0) } else { run(1_000_000) };
            match engine.solve(&problem, &run) {
                Answer::True(evidence) => {
                    assert!(expected, "{seed} {}", engine.name());
                    if let Evidence::Witness(trace) = evidence {
                        evidence::net::check(&net, &query, &split.sequence(&trace)).unwrap();
                    }
                }
                Answer::False(_) => assert!(!expected, "{seed} {}", engine.name()),
                // It finds witnesses, and never tells that there is none.
                Answer::Unknown(_) if engine.name() == "bmc" => assert!(!expected, "{seed}"),
                Answer::Unknown(why) => panic!("{seed} {}: {why}", engine.name()),
            }
        }
        split_up += 1;
    }
    assert!(bounded > 500 && unbounded > 100 && found > 500, "{bounded} bounded, {unbounded} not, {found} found");
    assert_eq!(split_up, bounded);
}

/// A few state machines, each with one token, that move alone or two or three of them together; some arcs only read.
pub fn random_machines(rng: &mut Rng) -> Net {
    let mut parts = Parts::default();
    let machines: Vec<Vec<usize>> = (0..rng.between(2, 5))
        .map(|_| {
            let start = parts.places.len();
            let states: Vec<usize> = (start..start + rng.between(2, 4)).collect();
            parts.places.extend(states.iter().map(|&p| (format!("p{p}").into(), u32::from(p == start))));
            states
        })
        .collect();
    for t in 0..machines.len() * rng.between(2, 5) {
        parts.transitions.push((format!("t{t}").into(), 0));
        let together = if rng.chance(60) { 1 } else { rng.between(2, 3) };
        let mut movers: Vec<&Vec<usize>> = (0..together).map(|_| rng.pick(&machines)).collect();
        movers.sort();
        movers.dedup();
        for states in movers {
            let arc = |p: usize| (TransitionId::new(t), Arc { place: PlaceId::new(p), weight: 1 });
            let from = *rng.pick(states);
            let to = if rng.chance(15) { from } else { *rng.pick(states) };
            parts.inputs.push(arc(from));
            parts.outputs.push(arc(to));
        }
    }
    Net::new(parts).expect("small weights")
}

/// A path to the condition with every marking looked at and with stubborn sets only: both or none, and equally long.
#[test]
fn stubborn_sets_change_no_verdict() {
    let nets = number("PREQUEL_FUZZ_NETWORKS", 500);
    let (mut whole_states, mut reduced_states, mut found, mut absent, mut finite) = (0, 0, 0, 0, 0);
    for seed in 0..nets {
        let mut rng = Rng::new(seed);
        let net = if rng.chance(70) { random_machines(&mut rng) } else { random_net(&mut rng) };
        let condition = if rng.chance(30) { Condition::Dead } else { random_condition(&mut rng, &net, 2) };
        let query = NetQuery::Possible(condition);
        let ask = |how: Otf| {
            let run = run(5000);
            (explore(&net, &query, how, &run), run.effort().states_total)
        };
        let (whole, states) = ask(WHOLE);
        for search in [Search::Breadth, Search::Depth] {
            let (reduced, fewer) = ask(Otf { search, reduce: true });
            if let Outcome::Found(sequence) = &reduced {
                evidence::net::check(&net, &query, sequence).unwrap_or_else(|e| panic!("{seed}: {e}"));
            }
            match (&whole, &reduced) {
                (Outcome::Found(long), Outcome::Found(short)) if search == Search::Breadth => {
                    assert_eq!(long.len(), short.len(), "{seed}");
                    found += 1;
                }
                (Outcome::Found(_), Outcome::Found(_)) => {}
                (Outcome::Absent, Outcome::Absent) => {
                    assert!(fewer <= states, "{seed}");
                    (whole_states, reduced_states) = (whole_states + states, reduced_states + fewer);
                    absent += 1;
                }
                // Infinitely many markings, or too many; stubborn sets may be few.
                (Outcome::Unknown(_), _) => finite += u32::from(reduced == Outcome::Absent),
                // Deep first goes astray in an unbounded net.
                (Outcome::Found(_), Outcome::Unknown(_)) if search == Search::Depth => {}
                _ => panic!("{seed} {search:?}: {whole:?}, with stubborn sets {reduced:?}"),
            }
        }
    }
    assert!(found > nets / 8 && absent > nets / 8 && finite > 0, "{found} found, {absent} absent, {finite} finite");
    assert!(reduced_states * 4 < whole_states * 3, "{reduced_states} markings of {whole_states}");
}

/// A net of two units; with `lie` a transition puts a second token into the first.
fn units(lie: bool) -> String {
    let extra = if lie {
        "<arc source=\"t\" target=\"b\"/><arc source=\"c\" target=\"t\"/><arc source=\"t\" target=\"d\"/>"
    } else {
        ""
    };
    format!(
        "<pnml><net id=\"n\" type=\"ptnet\"><place id=\"a\"><initialMarking><text>1</text></initialMarking></place>\
         <place id=\"b\"/><place id=\"c\"><initialMarking><text>1</text></initialMarking></place><place id=\"d\"/>\
         <transition id=\"s\"/><transition id=\"t\"/><arc source=\"a\" target=\"s\"/><arc source=\"s\" target=\"b\"/>{extra}\
         <toolspecific tool=\"nupn\" version=\"1.1\"><structure units=\"3\" root=\"u0\" safe=\"true\">\
         <unit id=\"u0\"><places/><subunits>u1 u2</subunits></unit><unit id=\"u1\"><places>a\nb</places><subunits/></unit>\
         <unit id=\"u2\"><places>c d</places><subunits/></unit></structure></toolspecific></net></pnml>"
    )
}

#[test]
fn a_net_that_is_not_safe_although_it_says_so_is_found_out() {
    let (net, _) = pnml::read("n.pnml", units(false).as_bytes()).unwrap();
    let honest = split(&net).unwrap();
    assert_eq!((honest.method.units, honest.method.certified), (2, 0));
    assert!(honest.second_token().is_none());
    let (net, _) = pnml::read("n.pnml", units(true).as_bytes()).unwrap();
    let split = split(&net).unwrap();
    assert_eq!(split.method.certified, 1);
    let problem = Problem { network: split.network.clone(), query: Query::Reach(split.second_token().unwrap()) };
    let Answer::True(Evidence::Witness(trace)) = Otf::default().solve(&problem, &run(100)) else {
        panic!("it is a lie")
    };
    let marking = evidence::net::replay(&net, &split.sequence(&trace)).unwrap();
    assert_eq!(marking[0] + marking[1], 2);
    // On the markings themselves, a second token in one place is refused.
    let why = explore(&net, &dead(), Otf::default(), &run(100));
    assert!(
        matches!(&why, Outcome::Unknown(Why::Refused(why)) if why.contains("says that the net is safe")),
        "{why:?}"
    );
}

fn headlines(read: Read<Net>) -> Vec<String> {
    read.err().unwrap_or_default().iter().map(Diagnostic::headline).collect()
}

#[test]
fn mistakes_in_pnml_are_told_with_their_place() {
    let net = |inner: &str| {
        headlines(pnml::read("n.pnml", format!("<pnml><net id=\"n\">\n{inner}\n</net></pnml>").as_bytes()))
    };
    let one = "<place id=\"p\"/><transition id=\"t\"/>";
    for (inner, expected) in [
        (format!("{one}\n<arc source=\"p\" target=\"x\"/>"), "n.pnml:3:25: there is no node with the id `x`"),
        ("<place id=\"p\"/>\n<place id=\"p\"/>".into(), "n.pnml:3:12: a second node with the id `p`"),
        ("<place id=\"p\"/>\n<transition id=\"p\"/>".into(), "n.pnml:3:17: a second node with the id `p`"),
        (
            "<place id=\"p\"><initialMarking><text> -3 </text></initialMarking></place>".into(),
            "n.pnml:2:38: the marking -3 is negative",
        ),
        (
            "<place id=\"p\"><initialMarking><text>many</text></initialMarking></place>".into(),
            "n.pnml:2:37: the marking `many` is no number",
        ),
        (
            format!("{one}<arc source=\"p\" target=\"t\"><inscription><text>-1</text></inscription></arc>"),
            "n.pnml:2:82: the weight -1 is negative",
        ),
        (
            format!("{one}<place id=\"q\"/><arc source=\"p\" target=\"q\"/>"),
            "n.pnml:2:75: an arc between two places, `p` and `q`",
        ),
        (
            format!("{one}<arc source=\"p\" target=\"t\" type=\"inhibitor\"/>"),
            "n.pnml:2:69: inhibitor arcs are refused",
        ),
        (
            format!("{one}<arc source=\"p\" target=\"t\"><type value=\"reset\"/></arc>"),
            "n.pnml:2:76: reset arcs are refused",
        ),
        ("<place/>".into(), "n.pnml:2:1: a <place> without id"),
        ("<place id=\"p\"><hlinitialMarking/></place>".into(), "n.pnml:2:1: a coloured net is refused"),
        ("<transition id=\"t\"><delay/></transition>".into(), "n.pnml:2:20: a timed net is refused"),
        ("<referencePlace id=\"r\" ref=\"nobody\"/>".into(), "n.pnml:2:29: there is no node with the id `nobody`"),
        (
            "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/>".into(),
            "references that refer to one another",
        ),
    ] {
        let found = net(&inner);
        assert!(found.iter().any(|f| f.contains(expected)), "{inner}: {found:?}");
    }
    let bomb = "<!DOCTYPE lolz [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><pnml>&b;</pnml>";
    assert_eq!(headlines(pnml::read("n.pnml", bomb.as_bytes())), ["n.pnml:1:1: a document type is refused"]);
    let cut = headlines(pnml::read("n.pnml", b"<pnml>\n <net id=\"n\">\n  <place id=\"p"));
    assert!(cut[0].starts_with("n.pnml:3:"), "{cut:?}");
    let deep = format!("<pnml><net id=\"n\">{}{}</net></pnml>", "<page>".repeat(50_000), "</page>".repeat(50_000));
    let _ = pnml::read("n.pnml", deep.as_bytes());
    let weighted = units(false).replace(
        "<arc source=\"a\" target=\"s\"/>",
        "<arc source=\"a\" target=\"s\"><inscription><text>2</text></inscription></arc>",
    );
    assert!(
        headlines(pnml::read("n.pnml", weighted.as_bytes()))[0]
            .contains("an arc of weight 2 at place `a`, but the net is said to be safe")
    );
    let unknown = units(false).replace("a\nb", "a x");
    assert!(headlines(pnml::read("n.pnml", unknown.as_bytes()))[0].contains("there is no place `x`"));
}

#[test]
fn dialects_of_pnml_mean_the_same() {
    let plain = "<place id=\"p\"><initialMarking><text>2</text></initialMarking></place><transition id=\"t\"/><arc source=\"p\" target=\"t\"><inscription><text>2</text></inscription></arc>";
    let others = [
        "<page id=\"x\"><page id=\"y\"><arc source=\"p\" target=\"t\"><inscription><value>2</value></inscription></arc></page><place id=\"p\"><initialMarking><graphics/><text>\n 2 </text></initialMarking><toolspecific tool=\"x\"><place id=\"p\"/></toolspecific></place><transition id=\"t\"/></page>",
        "<place id=\"p\" initialMarking=\"2\" invariant=\"&lt; inf\"/><transition id=\"t\"/><inputArc source=\"p\" target=\"t\" inscription=\"2\"/>",
        "<place id=\"p\"><initialMarking><value>Default,2</value></initialMarking><capacity><value>0</value></capacity></place><transition id=\"t\"><timed><value>false</value></timed></transition><arc source=\"p\" target=\"t\"><inscription><value>Default,2</value></inscription><type value=\"normal\"/></arc>",
        "<place id=\"p\"><initialMarking><text>2</text></initialMarking></place><referencePlace id=\"r\" ref=\"p\"/><transition id=\"t\"/><arc source=\"r\" target=\"t\"><inscription><text>2</text></inscription></arc>",
    ];
    let net = |inner: &str| {
        let text = format!("<?xml version='1.0'?><pnml><net id=\"n\" type =\"ptnet\">{inner}</net></pnml>");
        pnml::read("n.pnml", text.as_bytes()).unwrap_or_else(|e| panic!("{inner}: {e:?}")).0
    };
    for other in others {
        let (a, b) = (net(plain), net(other));
        assert_eq!((a.initial(), a.inputs(TransitionId(0))), (b.initial(), b.inputs(TransitionId(0))), "{other}");
    }
    let latin =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><pnml><net id=\"\xf6\"><place id=\"\xf6\"/></net></pnml>";
    assert_eq!(pnml::read("n.pnml", latin).unwrap().0.place(PlaceId(0)), "ö");
}

/// Bytes removed, doubled, exchanged or put in.
fn damaged(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "<",
        ">",
        "\"",
        "</",
        "/>",
        "&amp;",
        "&x;",
        "<place id=\"p\"/>",
        "0",
        "-1",
        "99999999999",
        "PLACE",
        "TRANSITION",
        ":",
        ",",
        ";",
        "{",
        "}",
        "PT\n",
        "1>1\n",
        "tr x a -> b\n",
        "\u{0}",
        "é",
        "(",
    ];
    let mut text = text.to_vec();
    for _ in 0..rng.between(1, 4) {
        let from = rng.below(text.len() + 1);
        let to = (from + rng.below(12)).min(text.len());
        let piece: Vec<u8> = match rng.below(4) {
            0 => Vec::new(),
            1 => text[from..to].repeat(2),
            2 => vec![rng.below(256) as u8],
            _ => rng.pick(&PIECES).as_bytes().to_vec(),
        };
        text.splice(from..to, piece);
    }
    if rng.chance(10) {
        text.truncate(rng.below(text.len() + 1));
    }
    text
}

#[test]
fn damaged_nets_and_formulas_never_panic_and_have_a_place() {
    let lola_text =
        "PLACE p1; SAFE 2: q, 3; { c } MARKING p1: 2, q;\nTRANSITION t WEAK FAIR CONSUME p1: 1; PRODUCE q, 3: 2;\n";
    let pep = "PEP\nPTNet\nFORMAT_N\nPL\n1\"a\"1@2M1m1\n\"b\"\nTR\n\"t\"b\"x\"\nTP\n1<2\nPT\n1>1w2\nRA\n1<1\n";
    let tina_text = "net {a-b}\ntr t : l [0,w[ p*2 {q.1}?1 -> r\npl p (6K)\npl r t2*3 -> t\n";
    let xml = "<property-set><property><id>a</id><formula><exists-path><finally><integer-le><tokens-count><place>p1</place></tokens-count><integer-constant>2</integer-constant></integer-le></finally></exists-path></formula></property></property-set>";
    let (net, _) = lola::read("n", lola_text.as_bytes()).unwrap();
    let honest = units(true);
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let texts = [&*honest, lola_text, pep, tina_text].map(|text| damaged(&mut rng, text.as_bytes()));
        let reads = [
            pnml::read("f", &texts[0]),
            lola::read("f", &texts[1]),
            ll_net::read("f", &texts[2]),
            tina::read("f", &texts[3]),
        ];
        for read in reads {
            match read {
                Ok((net, _)) => {
                    // What is accepted makes sense.
                    let _ = explore(&net, &dead(), Otf::default(), &run(50));
                }
                Err(errors) => {
                    assert!(!errors.is_empty());
                    assert!(
                        errors.iter().all(|e| e.place.is_some() || e.message.contains("more errors")),
                        "{seed}: {errors:?}"
                    );
                    errors.iter().for_each(|e| drop(e.render()));
                }
            }
        }
        let property = "Property a \"b\" is: E (F (tokens-count(\"p1\") >= 1 & !is-fireable(\"t\"))) end.";
        for text in
            [xml, property, "FORMULA EF (p1 + 2 * q <= 3 AND NOT FIREABLE(t)) ;", "AG (p1 > 0 -> q = 3 XOR DEADLOCK)"]
        {
            let text = damaged(&mut rng, text.as_bytes());
            if let Err(errors) = formula::read("f", "f", &text, &net) {
                assert!(errors.iter().all(|e| e.place.is_some()), "{seed}: {errors:?}");
            }
            let _ = formula::reach(&String::from_utf8_lossy(&text), &net);
        }
    }
}
