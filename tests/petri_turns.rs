//! Petri nets by turns: does each contestant, and all of them together, say what looking at every marking says?

use crate::fuzz::number;
use crate::petri::{dead, markings, random_condition, random_machines, random_net, run};
use prequel::engine::otf::Otf;
use prequel::engine::otf::net::Outcome;
use prequel::engine::petri::{Decided, Structural, decide, depth, structural, walk, walk_along};
use prequel::evidence;
use prequel::formats::lola;
use prequel::model::NetProof;
use prequel::model::rng::Rng;
use prequel::model::{Condition, Net, NetQuery, PlaceId};

/// Markings of a random net before it counts as unbounded.
const MOST: usize = 500;

/// A net, a question, and whether a reachable marking satisfies its condition, where that could be found out.
fn random_question(seed: u64) -> (Net, NetQuery, Option<bool>) {
    let mut rng = Rng::new(seed);
    let net = if rng.chance(60) { random_machines(&mut rng) } else { random_net(&mut rng) };
    let condition = if rng.chance(40) { Condition::Dead } else { random_condition(&mut rng, &net, 2) };
    let holds = |m: &Vec<u32>| condition.holds(&net, &|p: PlaceId| m[p.at()]);
    let expected = markings(&net, MOST).map(|all| all.iter().any(holds));
    let query = if rng.chance(50) { NetQuery::Possible(condition) } else { NetQuery::Impossible(condition) };
    (net, query, expected)
}

/// That an outcome is as expected, with a sequence that can be fired.
fn agrees(seed: u64, by: &str, net: &Net, query: &NetQuery, expected: Option<bool>, outcome: &Outcome) {
    match outcome {
        Outcome::Found(sequence) => {
            evidence::net::check(net, query, sequence).unwrap_or_else(|e| panic!("{seed} {by}: {e}"));
            assert_ne!(expected, Some(false), "{seed} {by}");
        }
        Outcome::Absent => assert_ne!(expected, Some(true), "{seed} {by}"),
        Outcome::Unknown(_) => {}
    }
}

fn accepts(net: &Net, query: &NetQuery, proof: &NetProof) -> bool {
    evidence::net_proof::check(net, query, proof, || false).is_ok()
}

#[test]
fn each_contestant_says_what_looking_at_every_marking_says() {
    let nets = number("PREQUEL_FUZZ_NETWORKS", 500);
    let (mut reached, mut walked, mut absent, mut proved, mut hinted) = (0, 0, 0, 0, 0);
    for seed in 0..nets {
        let (net, query, expected) = random_question(seed);
        let found = walk(&net, &query, &run(3000));
        agrees(seed, "walk", &net, &query, expected, &found);
        agrees(seed, "depth", &net, &query, expected, &depth(&net, &query, Otf::default(), &run(3000)));
        reached += u64::from(expected == Some(true));
        absent += u64::from(expected == Some(false));
        walked += u64::from(matches!(found, Outcome::Found(_)) && expected == Some(true));
        match structural(&net, &query, &run(100_000)) {
            Structural::Proved(proof) => {
                assert_ne!(expected, Some(true), "{seed}: a proof of what is not so");
                evidence::net_proof::check(&net, &query, &proof, || false).unwrap_or_else(|e| panic!("{seed}: {e}"));
                proved += u64::from(expected == Some(false));
            }
            Structural::Hint(counts) => {
                let along = walk_along(&net, &query, &counts, &run(300));
                agrees(seed, "hint", &net, &query, expected, &along);
                hinted += u64::from(matches!(along, Outcome::Found(_)));
            }
            Structural::Unknown(why) => panic!("{seed}: {why}"),
        }
    }
    assert!(reached > nets / 5 && walked * 10 > reached * 9, "{walked} of {reached} found by walks");
    assert!(absent > nets / 5 && proved * 2 > absent, "{proved} of {absent} proved");
    assert!(hinted * 2 > reached, "{hinted} of {reached} found along hints");
}

/// With one state for levels the others have to answer.
#[test]
fn in_turns_they_say_what_looking_at_every_marking_says() {
    let nets = number("PREQUEL_FUZZ_NETWORKS", 500);
    let mut by = [0; 4];
    for seed in 0..nets {
        let (net, query, expected) = random_question(seed);
        for states in [1, 1 << 12] {
            let decided = decide(&net, &query, Otf::default(), &run(states));
            agrees(seed, decided.by, &net, &query, expected, &decided.outcome);
            assert!(decided.proof.iter().all(|proof| accepts(&net, &query, proof)), "{seed}");
            let is_known = decided.outcome == Outcome::Absent || matches!(decided.outcome, Outcome::Found(_));
            assert!(is_known || expected.is_none(), "{seed}: {decided:?}, but {expected:?}");
            let at = ["otf", "walk", "depth", "structural"].iter().position(|name| *name == decided.by);
            by[at.expect("a contestant")] += u64::from(is_known);
            let again = decide(&net, &query, Otf::default(), &run(states));
            let said = |decided: Decided| (decided.by, decided.outcome, decided.proof);
            assert_eq!(said(decided), said(again), "{seed}: the same seed");
        }
    }
    // Depth is asked last, and little is left for it.
    let [levels, walks, _, proofs] = by;
    assert!(levels.min(walks).min(proofs) > nets / 5, "{by:?} by levels, walks, depth, proof");
}

/// A proof with a number changed is rejected, or shows what it says nevertheless: never what is not so.
#[test]
fn no_forged_proof_shows_what_is_not_so() {
    let (mut rejected, mut tried) = (0, 0);
    for seed in 0..number("PREQUEL_FUZZ_NETWORKS", 500) {
        let (net, query, _) = random_question(seed);
        let Structural::Proved(proof) = structural(&net, &query, &run(100_000)) else { continue };
        let mut rng = Rng::new(seed);
        let (other, another, expected) = random_question(seed + 1);
        for _ in 0..10 {
            let forged = forge(&mut rng, &net, &proof);
            tried += 1;
            rejected += u64::from(!accepts(&net, &query, &forged));
            // The same about markings that are reached: everything is, some time.
            let everything = NetQuery::Possible(Condition::Or(vec![query.condition().clone(), Condition::And(vec![])]));
            assert!(!accepts(&net, &everything, &forged), "{seed}");
            assert!(expected != Some(true) || !accepts(&other, &another, &forged), "{seed}");
        }
    }
    assert!(rejected * 2 > tried, "{rejected} of {tried} rejected");
}

/// A proof with one number of it changed.
fn forge(rng: &mut Rng, net: &Net, proof: &NetProof) -> NetProof {
    let mut forged = proof.clone();
    let place = PlaceId::new(rng.below(net.places().len()));
    if forged.lemmas.is_empty() {
        forged.siphon.push(place);
        return forged;
    }
    let at = rng.below(forged.lemmas.len());
    let lemma = &mut forged.lemmas[at];
    match rng.below(6) {
        0 => drop(forged.lemmas.remove(at)),
        1 => lemma.places.push((place, 1)),
        2 if !lemma.traps.is_empty() => lemma.traps[0].1 += 1,
        3 if !forged.traps.is_empty() => {
            let trap = rng.below(forged.traps.len());
            forged.traps[trap].pop();
        }
        4 => lemma.inequalities[0].1 = 0,
        _ => lemma.inequalities[0].0.most += 1,
    }
    forged
}

#[test]
fn what_a_walk_finds_is_made_short() {
    // Ten times round is as good as never; two steps lead to the end.
    let text = "PLACE a, b, c, d; MARKING a; TRANSITION there CONSUME a; PRODUCE b; TRANSITION back CONSUME b; PRODUCE a; \
        TRANSITION on CONSUME b; PRODUCE c; TRANSITION round CONSUME a; PRODUCE a;";
    let (net, _) = lola::read("n", text.as_bytes()).unwrap();
    for seed in 0..20 {
        let run = prequel::model::run::Run::new(run(10_000).limits, seed);
        let Outcome::Found(sequence) = walk(&net, &dead(), &run) else { panic!("{seed}: it is near") };
        assert_eq!(sequence.len(), 2, "{seed}");
    }
}
