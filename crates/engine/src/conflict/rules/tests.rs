//! Each rule alone, in random contexts, beside the definition.

use super::Rule;
use crate::conflict::options::Options;
use crate::conflict::special::Others;
use crate::conflict::tests::{agrees, first_seed, machine, shortest, systems};
use prequel_model::LabelId;
use prequel_model::rng::Rng;

/// The abstraction blocks in a context if and only if the original does, and a counterexample gets back.
fn is_sound(rule: Rule) {
    let labels = [LabelId(1), LabelId(2), LabelId(3)];
    let (mut applied, mut blocking) = (0, 0);
    for seed in first_seed()..first_seed() + systems() {
        let mut rng = Rng::new(seed ^ ((rule as u64 + 1) << 40));
        let original = machine(&mut rng, 5, &labels);
        let Some(abstraction) = rule.apply(&original, &Others::default()) else { continue };
        applied += 1;
        assert_eq!(abstraction.fsm.alphabet(), original.alphabet(), "events without transitions block");
        for _ in 0..4 {
            let own: Vec<LabelId> = labels.into_iter().filter(|_| rng.chance(80)).collect();
            let context = machine(&mut rng, 3, &own);
            let before = shortest(&[original.clone(), context.clone()]);
            let after = shortest(&[abstraction.fsm.clone(), context.clone()]);
            assert_eq!(before.is_some(), after.is_some(), "{rule:?}, seed {seed}:\n{original:#?}\n{context:#?}");
            blocking += usize::from(before.is_some());
            let options = Options { rules: vec![rule], special: false, ..Options::default() };
            agrees(&[original.clone(), context], &options)
                .unwrap_or_else(|what| panic!("{rule:?}, seed {seed}: {what}"));
        }
    }
    assert!(applied * 100 > systems(), "{rule:?} was applied {applied} times only");
    assert!(blocking * 20 > 4 * applied as usize && blocking < 4 * applied as usize, "both verdicts must be common");
}

#[test]
fn tau_loops_are_sound() {
    is_sound(Rule::TauLoops);
}

#[test]
fn transition_removal_is_sound() {
    is_sound(Rule::TransitionRemoval);
}

#[test]
fn marking_removal_is_sound() {
    is_sound(Rule::MarkingRemoval);
}

#[test]
fn silent_incoming_is_sound() {
    is_sound(Rule::SilentIncoming);
}

#[test]
fn only_silent_incoming_is_sound() {
    is_sound(Rule::OnlySilentIncoming);
}

#[test]
fn only_silent_outgoing_is_sound() {
    is_sound(Rule::OnlySilentOutgoing);
}

#[test]
fn silent_continuation_is_sound() {
    is_sound(Rule::SilentContinuation);
}

#[test]
fn active_events_are_sound() {
    is_sound(Rule::ActiveEvents);
}

#[test]
fn certain_conflicts_are_sound() {
    is_sound(Rule::CertainConflicts);
}

#[test]
fn observation_equivalence_is_sound() {
    is_sound(Rule::Observation);
}

#[test]
fn marking_saturation_is_sound() {
    is_sound(Rule::MarkingSaturation);
}
