//! Petri nets by turns: does each contestant, and all of them together, say what looking at every marking says?

use crate::fuzz::{first_seed, number};
use crate::petri::{dead, markings, random_condition, random_machines, random_net, run};
use prequel::engine::otf::Otf;
use prequel::engine::otf::net::Outcome;
use prequel::engine::petri::{Structural, depth, structural, walk, walk_along};
use prequel::evidence;
use prequel::formats::formula::Formula;
use prequel::formats::lola;
use prequel::job::net::{NetQuestion, decide_formula};
use prequel::job::portfolio::Attempt;
use prequel::job::portfolio::Outcome::Won;
use prequel::job::{EngineChoice, Finding, Question, Reading, Silent, Verdict};
use prequel::model::NetProof;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{Condition, Net, NetQuery, PlaceId};
use prequel::open::NetFile;
use std::collections::BTreeMap;
use std::sync::Arc;

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

/// A query put to `auto`, with turns of some size.
fn auto(net: &Net, query: &NetQuery, turn: u64, threads: usize, seed: u64) -> Finding {
    let file = Arc::new(NetFile { name: "random".into(), net: Arc::new(net.clone()), formulas: Vec::new() });
    let engine = EngineChoice { options: vec![("turn".into(), turn.to_string())], ..EngineChoice::default() };
    let (question, reading) = (&Question::Stated, &Reading::default());
    let asked = NetQuestion { file: &file, question, reading, engine: &engine, as_network: false };
    let formula = Formula { name: "it".into(), query: Ok(query.clone()) };
    let limits = Limits { threads, states: Some(1 << 20), ..Limits::default() };
    let decision = decide_formula(&asked, &formula, &Run::new(limits, seed), &Silent);
    decision.unwrap_or_else(|why| panic!("{seed}: {why}")).finding
}

/// With small turns whoever is first has not answered before others are asked.
#[test]
fn in_turns_they_say_what_looking_at_every_marking_says() {
    let nets = number("PREQUEL_FUZZ_AUTO", 500);
    let mut winners: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in first_seed()..first_seed() + nets {
        let (net, query, expected) = random_question(seed);
        let mut rng = Rng::new(seed);
        let (turn, threads) = (*rng.pick(&[1, 10, 100, 1 << 16]), if seed.is_multiple_of(4) { 2 } else { 1 });
        let finding = auto(&net, &query, turn, threads, seed);
        let shown = expected.map(|reached| (reached == query.witness_shows()).to_string());
        let is_open = matches!(finding.verdict, Verdict::Unknown(_));
        let word = finding.verdict.word();
        assert!(expected.is_none() && is_open || shown.is_none_or(|shown| shown == word), "{seed}: {finding:?}");
        let told = |finding: &Finding| {
            let attempts = finding.portfolio.iter().map(|Attempt { engine, outcome, .. }| (*engine, outcome.clone()));
            (finding.verdict.word(), attempts.collect::<Vec<_>>())
        };
        if threads == 1 {
            assert_eq!(told(&finding), told(&auto(&net, &query, turn, 1, seed)), "{seed}: the same seed");
        }
        let won = finding.portfolio.iter().find(|attempt| attempt.outcome == Won);
        *winners.entry(won.map_or("nobody", |attempt| attempt.engine)).or_default() += 1;
    }
    println!("{winners:?}");
    let often = |name: &str| winners.get(name).is_some_and(|&times| times > nets / 50);
    assert!(["otf", "walk", "structural"].into_iter().all(often), "{winners:?}");
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
