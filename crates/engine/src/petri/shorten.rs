//! A firing sequence made shorter: cycles are cut out, then pieces that are not needed.

use super::marking::TokenGame;
use prequel_model::{Net, NetQuery, TransitionId};
use rustc_hash::FxHashMap;

/// Transitions fired to find out what is not needed.
const MOST_FIRED: usize = 1 << 18;

/// A sequence to the same condition that is as long at most.
pub fn shorten(net: &Net, query: &NetQuery, sequence: Vec<TransitionId>) -> Vec<TransitionId> {
    let mut game = TokenGame::new(net);
    let mut short = without_cycles(&mut game, &sequence);
    if !arrives(&mut game, query, &short) {
        // Two markings had the same hash.
        short = sequence;
    }
    let mut fired = 0;
    let mut piece = short.len() / 2;
    while piece > 0 {
        let mut from = 0;
        while from < short.len() && fired < MOST_FIRED {
            let to = (from + piece).min(short.len());
            fired += short.len() - (to - from);
            match fired_without(&mut game, query, &short, from, to) {
                Some(shorter) => short = shorter,
                None => from = to,
            }
        }
        piece /= 2;
    }
    short
}

/// What is left of a sequence when no marking comes twice.
fn without_cycles(game: &mut TokenGame<'_>, sequence: &[TransitionId]) -> Vec<TransitionId> {
    game.restart();
    let mut met = FxHashMap::default();
    let (mut short, mut hashes) = (Vec::new(), vec![hash(game.marking())]);
    met.insert(hashes[0], 0);
    for &t in sequence {
        game.fire(t);
        short.push(t);
        let now = hash(game.marking());
        match met.get(&now) {
            Some(&at) => {
                short.truncate(at);
                hashes.drain(at + 1..).for_each(|hash| {
                    met.remove(&hash);
                });
            }
            None => {
                met.insert(now, short.len());
                hashes.push(now);
            }
        }
    }
    short
}

fn hash(marking: &[u32]) -> u64 {
    let mix = |h: u64, &tokens: &u32| {
        let product = u128::from(h ^ u64::from(tokens)) * 0xf39c_c060_5ced_c835_u128;
        product as u64 ^ (product >> 64) as u64
    };
    marking.iter().fold(0x2d35_8dcc_aa6c_78a5, mix)
}

/// Whether a sequence can be fired, and the condition holds at its end.
fn arrives(game: &mut TokenGame<'_>, query: &NetQuery, sequence: &[TransitionId]) -> bool {
    game.restart();
    sequence.iter().all(|&t| game.can_fire(t) && game.fire(t)) && game.distance(query.condition()) == 0
}

/// The sequence without a piece, and without what cannot fire for want of it, up to where the condition holds.
fn fired_without(
    game: &mut TokenGame<'_>,
    query: &NetQuery,
    sequence: &[TransitionId],
    from: usize,
    to: usize,
) -> Option<Vec<TransitionId>> {
    game.restart();
    let mut fired = Vec::with_capacity(sequence.len());
    for &t in sequence[..from].iter().chain(&sequence[to..]) {
        if game.can_fire(t) && game.fire(t) {
            fired.push(t);
        }
    }
    (game.distance(query.condition()) == 0).then_some(fired)
}
