//! Depth-first search: finds deep targets early, needs no levels; the path is the stack.

use super::Stop;
use super::path::Path;
use super::space::{Expansion, Space};
use super::store::{Block, Store, hash};
use prequel_model::run::Run;

/// Explored words between two looks at the limits.
const REPORT_WORDS: u64 = 1 << 14;

/// A path of packed states from the initial one to a target, or `None` when there is no target.
pub fn search<S: Space>(space: &S, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    let check = run.check();
    let words = space.words();
    let mut store = Store::new(words, 1);
    let mut block = Block::default();
    let mut scratch = space.scratch();
    let mut path = Path::new(space.initial(), words);
    let mut state: Vec<u64> = Vec::new();
    let (mut states, mut transitions) = (0u64, 0u64);
    loop {
        if !path.next(&mut state) {
            if !path.pop() {
                check.explored(states, transitions)?;
                return Ok(None);
            }
            continue;
        }
        let Some(index) = store.insert_growing(&state, hash(&state), &mut block)? else { continue };
        states += 1;
        let pending = path.push(index);
        let mut found = space.is_target(&state);
        if !found {
            let expansion = space.successors(&state, &mut scratch, pending);
            if expansion == Expansion::Outgrown {
                return Err(Stop::Outgrown);
            }
            transitions += path.untried() as u64;
            found = expansion == Expansion::Target || path.untried() == 0 && space.stuck_is_target();
        }
        if found {
            // A limit that is reached in the same moment does not take the answer back.
            let _ = check.explored(states, transitions);
            return Ok(Some(path.states(&store)));
        }
        if states * words as u64 > REPORT_WORDS {
            check.explored(std::mem::take(&mut states), std::mem::take(&mut transitions))?;
        }
    }
}
