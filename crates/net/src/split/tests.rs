use super::*;
use prequel_engine::algo::explicit::explicit;
use prequel_model::Condition;

fn net(text: &str) -> Net {
    prequel_formats::lola::read("n", text.as_bytes()).unwrap().0
}

const PHILS: &str = "PLACE th1, hl1, ea1, th2, hl2, ea2, f1, f2; MARKING th1, th2, f1, f2; \
    TRANSITION l1 CONSUME th1, f1; PRODUCE hl1; TRANSITION r1 CONSUME hl1, f2; PRODUCE ea1; \
    TRANSITION b1 CONSUME ea1; PRODUCE th1, f1, f2; \
    TRANSITION l2 CONSUME th2, f2; PRODUCE hl2; TRANSITION r2 CONSUME hl2, f1; PRODUCE ea2; \
    TRANSITION b2 CONSUME ea2; PRODUCE th2, f1, f2;";

#[test]
fn state_machines_are_found_and_places_are_where_tokens_are() {
    let net = net(PHILS);
    let split = split(&net).unwrap();
    assert_eq!(split.method, Method { invariants: 4, ..Method::default() });
    assert_eq!(split.method.to_string(), "4 one-token invariants");
    let sizes: Vec<usize> = split.network.components().iter().map(|c| c.lts.num_states()).collect();
    assert_eq!(sizes, [3, 3, 2, 2], "a fork is there or with somebody");
    let names: Vec<&str> = split.network.components().iter().map(|c| &*c.name).collect();
    assert_eq!(names, ["th1", "th2", "f1", "f2"]);
    // By hand: both think; one has a left fork; one eats; both have a left fork.
    assert_eq!(explicit(&split.network, |_, _| Ok(())).unwrap().num_states(), 6);
}

#[test]
fn weights_make_counters_with_bounds() {
    let net =
        net("PLACE a, b; MARKING a: 5; TRANSITION t CONSUME a: 2; PRODUCE b: 2; TRANSITION u CONSUME b; PRODUCE a;");
    let split = split(&net).unwrap();
    assert_eq!(split.method, Method { counters: 2, ..Method::default() });
    assert_eq!(explicit(&split.network, |_, _| Ok(())).unwrap().num_states(), 6);
    let goal = split.goal(&net, &Condition::Dead).unwrap();
    assert!(!goal.holds(&|c| split.network.component(c).lts.initial()));
}

#[test]
fn an_unbounded_place_is_named() {
    let net = net("PLACE a, b; MARKING a; TRANSITION t CONSUME a; PRODUCE a, b;");
    let why = split(&net).unwrap_err().to_string();
    assert_eq!(why, "place `b` is unbounded: after 0 steps, t can be repeated for ever and adds to it");
}

#[test]
fn a_bound_that_no_set_shows_is_found_by_looking_at_all_markings() {
    let net = net("PLACE a, b; MARKING a; TRANSITION t CONSUME a; PRODUCE b: 3; TRANSITION u CONSUME b: 3; PRODUCE a;");
    let split = split(&net).unwrap();
    assert_eq!(explicit(&split.network, |_, _| Ok(())).unwrap().num_states(), 2);
}

#[test]
fn a_transition_without_arcs_can_always_fire() {
    let net = net("PLACE a; MARKING; TRANSITION t CONSUME; PRODUCE;");
    let split = split(&net).unwrap();
    assert_eq!(split.network.steps(&split.network.initial()).len(), 1);
}
