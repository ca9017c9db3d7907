//! Assumptions as documentation: the paper's own examples, and processes that are changed after their assumption was made.

use crate::fuzz::{first_seed, number};
use crate::oracle::traps::traps;
use crate::oracle::{dump, problems, truth};
use prequel::engine::Engine as _;
use prequel::engine::otf::Otf;
use prequel::engine::transform::quotient::{Options, Quotient};
use prequel::engine::transform::{Smaller, Transform as _};
use prequel::evidence::certificate;
use prequel::evidence::certificate::{Certificate, CertifiedProof, Rejected};
use prequel::evidence::cover::{Difference, Uncovered};
use prequel::families::{mutex, sliding_window};
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{Component, ComponentId, LabelId, Lts, Network, Problem, Query, StateId, Transition};

/// How many networks; `make fuzz` raises it.
fn networks(usual: u64) -> u64 {
    number("PREQUEL_FUZZ_NETWORKS", usual)
}

fn reduced(problem: &Problem, replace: Vec<ComponentId>, steps: Option<u64>) -> Smaller {
    let options = Options { steps, ..Quotient::default().options };
    Quotient { replace, options }.apply(problem, &Run::new(Limits::default(), 0)).expect("no limits")
}

fn verdict(problem: &Problem) -> String {
    Otf::default().solve(problem, &Run::new(Limits::default(), 0)).word().to_string()
}

/// Figures 3 and 5 of the paper.
#[test]
fn the_mutual_exclusion_example_has_the_classes_of_the_paper() {
    let instance = mutex::pair(2, 0);
    let query = Query::Safety(mutex::property(&instance.network));
    let problem = Problem { network: instance.network, query };
    let n = ComponentId(1);
    let classes = |steps| {
        let smaller = reduced(&problem, vec![n], steps);
        assert_eq!(verdict(&smaller.problem), "true");
        let map = smaller.replaced[0].map.clone().expect("it is smaller");
        let name = |states: &Vec<StateId>| states.iter().map(|&s| instance.origin.state_name(n, s)).collect::<String>();
        map.members().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(classes(Some(0)), ["j", "k", "l", "mnop", "q", "r"], "N_F");
    assert_eq!(classes(None), ["j", "klmnop", "qr"], "the assumption");
    assert_eq!(verdict(&problem), "true");
}

/// Section 7: at most 8, 1, 8 and 1 states for Properties A to D.
#[test]
fn assumptions_for_the_sliding_window_are_no_larger_than_the_papers() {
    let instance = sliding_window::protocol(2, 0);
    let receiver = instance.network.find("receiver").expect("it is there");
    for (asked, most) in instance.queries.iter().zip([8, 1, 8, 1]) {
        let problem = Problem { network: instance.network.clone(), query: asked.query.clone() };
        let smaller = reduced(&problem, vec![receiver], None);
        let states = smaller.problem.network.component(receiver).lts.num_states();
        assert!(states <= most, "{}: {states} states", asked.text);
        assert_eq!(verdict(&smaller.problem), asked.expected.expect("it is known").to_string(), "{}", asked.text);
    }
}

/// The problem with another system in the place of a process, in the same labels.
fn with(problem: &Problem, c: ComponentId, lts: Lts) -> Problem {
    let (labels, mut components) = problem.network.clone().into_parts();
    let old = &components[c.at()];
    components[c.at()] = Component::with_alphabet(old.name.clone(), lts, old.alphabet().to_vec());
    Problem { network: Network::new(labels, components), query: problem.query.clone() }
}

/// A changed process: edges less, edges more, or a state that becomes two.
fn changed(lts: &Lts, alphabet: &[LabelId], rng: &mut Rng) -> Lts {
    let mut edges: Vec<Transition> = lts.transitions().collect();
    let mut states = lts.num_states();
    for _ in 0..rng.between(1, 3) {
        match rng.below(3) {
            0 if !edges.is_empty() => drop(edges.swap_remove(rng.below(edges.len()))),
            1 => {
                let label = if alphabet.is_empty() || rng.chance(20) { LabelId::TAU } else { *rng.pick(alphabet) };
                edges.push(Transition::new(rng.below(states) as u32, label, rng.below(states) as u32));
            }
            _ => {
                // The copy does what the state does, and takes over some of the ways into it.
                let (copied, copy) = (rng.below(states) as u32, states as u32);
                states += 1;
                let mut more = Vec::new();
                for t in &mut edges {
                    if t.source.0 == copied {
                        more.push(Transition { source: StateId(copy), ..*t });
                    }
                    if t.target.0 == copied && rng.chance(50) {
                        t.target = StateId(copy);
                    }
                }
                edges.extend(more);
            }
        }
    }
    Lts::new(lts.initial(), states, edges)
}

/// Whether what is said of an uncovered process is so.
fn is_true(why: &Uncovered, network: &Network, changed: &Lts, given: &certificate::Replacement) -> bool {
    let label = |l: &Option<String>| l.as_ref().map_or(LabelId::TAU, |l| network.labels().get(l).expect("it is there"));
    let mut states = vec![changed.initial()];
    for l in &why.path {
        states = states.iter().flat_map(|&s| changed.row_on(s, label(l))).map(|e| e.target).collect();
    }
    let class_has = |l: &Option<String>| given.edges.iter().any(|e| e.0 == why.class && e.1 == *l);
    states.contains(&why.state)
        && match &why.what {
            Difference::Step { label: l, to } => changed.has(why.state, label(l), *to) && !class_has(l),
            Difference::Stuck { label: l } => {
                let l = Some(l.clone()).filter(|l| network.labels().get(l).is_some_and(|l| !l.is_tau()));
                changed.row_on(why.state, label(&l)).is_empty() && class_has(&l)
            }
        }
}

/// What is covered has the verdict that the certificate says; what is not covered does what is said of it.
#[test]
fn a_changed_process_that_is_covered_keeps_the_verdict() {
    let (mut covered, mut uncovered, mut reached, mut refused) = (0, 0, 0, 0);
    for seed in first_seed()..first_seed() + networks(3000) {
        for problem in problems(seed) {
            let before = truth(&problem);
            if before.verdict == problem.query.witness_shows() {
                continue;
            }
            let smaller = reduced(&problem, Vec::new(), Some(seed % 6));
            let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
            let certificate = Certificate::new(&problem, "", before.verdict, maps);
            assert!(!matches!(
                certificate::check_changed(&problem, &certificate, usize::MAX),
                Err(Rejected::Uncovered { .. } | Rejected::Reached)
            ));
            let mut rng = Rng::new(seed ^ 0x5eed);
            for map in smaller.maps() {
                let old = problem.network.component(map.component);
                let lts = changed(&old.lts, old.alphabet(), &mut rng);
                let now = with(&problem, map.component, lts.clone());
                match certificate::check_changed(&now, &certificate, usize::MAX) {
                    Ok(_) => {
                        if truth(&now).verdict != before.verdict {
                            let case = dump::keep(&now, "otf");
                            panic!("{} of network {seed}: covered, but {}", now.query.kind(), case.command());
                        }
                        covered += 1;
                    }
                    Err(Rejected::Uncovered { component, why }) => {
                        assert_eq!(component, &*old.name, "seed {seed}");
                        let given = certificate
                            .proof
                            .replaced()
                            .iter()
                            .find(|r| r.component == component)
                            .expect("it is there");
                        assert!(is_true(&why, &now.network, &lts, given), "seed {seed}: {why:?}");
                        uncovered += 1;
                    }
                    // Merged states that do more than each of them.
                    Err(Rejected::Reached) => reached += 1,
                    // A goal about the states of the process.
                    Err(Rejected::Unknown(_)) => refused += 1,
                    Err(other) => panic!("seed {seed}: {other}"),
                }
            }
        }
    }
    assert!(
        covered > 300 && uncovered > 300,
        "{covered} covered, {uncovered} not, {reached} reached, {refused} refused"
    );
}

/// A process that was not changed is covered by its own assumption.
#[test]
fn the_witness_systems_are_covered_by_their_own_assumptions() {
    for trap in traps().iter().filter(|trap| !trap.name.starts_with("fam-")) {
        let problem = &trap.problem;
        if trap.expected == problem.query.witness_shows() || matches!(problem.query, Query::Nonblocking) {
            continue;
        }
        let smaller = reduced(problem, Vec::new(), None);
        let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
        let certificate = Certificate::new(problem, "", trap.expected, maps);
        match certificate::check_changed(problem, &certificate, usize::MAX) {
            // A goal about the states of a replaced process is refused.
            Ok(_) | Err(Rejected::Unknown(_)) => {}
            Err(why) => panic!("{}: {why}", trap.name),
        }
    }
}

/// A label that the process no longer takes part in is one that others need not wait for: never covered.
#[test]
fn a_process_that_leaves_a_shared_label_is_not_covered() {
    let instance = mutex::pair(2, 0);
    let query = Query::Safety(mutex::property(&instance.network));
    let problem = Problem { network: instance.network, query };
    let n = ComponentId(1);
    let smaller = reduced(&problem, vec![n], None);
    let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
    let certificate = Certificate::new(&problem, "", true, maps);
    let (labels, mut components) = problem.network.clone().into_parts();
    let c1 = labels.get("c1").expect("it is there");
    let edges = components[1].lts.transitions().filter(|t| t.label != c1).collect();
    components[1] = Component::new("N", Lts::new(StateId(0), 9, edges));
    let now = Problem { network: Network::new(labels, components), query: problem.query.clone() };
    let why = certificate::check_changed(&now, &certificate, usize::MAX).unwrap_err();
    assert_eq!(why.to_string(), "`N`: it no longer takes part in `c1`, and its assumption does");
}

/// An edge that is put into what stands for a process, on a label that the process never takes, must not hide a deadlock.
#[test]
fn a_certificate_cannot_hide_a_deadlock_behind_a_label_that_is_never_taken() {
    let mut labels = prequel::model::Labels::new();
    let [a, b] = ["a", "b"].map(|l| labels.intern(l));
    let stuck = || Lts::new(StateId(0), 2, vec![Transition::new(0, b, 1)]);
    let components = vec![Component::with_alphabet("x", stuck(), [a]), Component::with_alphabet("y", stuck(), [a])];
    let problem = Problem { network: Network::new(labels, components), query: Query::DeadlockFree };
    assert!(!truth(&problem).verdict);
    let identity = |c: u32| {
        let lts = &problem.network.component(ComponentId(c)).lts;
        prequel::model::ClassMap::of(ComponentId(c), lts, lts.states().collect())
    };
    let mut maps = CertifiedProof::maps(&problem.network, &[identity(0), identity(1)]);
    let CertifiedProof::Maps(forged) = &mut maps else { panic!("both are replaced") };
    forged.iter_mut().for_each(|r| r.edges.push((1, Some("a".into()), 1)));
    let forged = Certificate::new(&problem, "", true, maps);
    let checked = certificate::check(&problem, &forged, usize::MAX);
    assert!(matches!(checked, Err(Rejected::Stuck { .. })), "{checked:?}");
    let checked = certificate::check_changed(&problem, &forged, usize::MAX);
    assert!(matches!(checked, Err(Rejected::Uncovered { .. })), "{checked:?}");
}
