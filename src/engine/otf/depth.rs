//! Depth-first search: finds deep targets early, needs no levels; the path is the stack.

use super::Stop;
use super::space::{Expansion, Space};
use super::store::{Block, Full, Store, hash};
use crate::engine::run::Run;
use crate::model::Why;

/// Explored words between two looks at the limits.
const REPORT_WORDS: u64 = 1 << 14;

/// A state on the path: where it is stored, and its successors that are still to be tried, in the shared buffer.
struct Frame {
    index: u32,
    /// Start of its successors in the buffer; they end where the next frame's start, and are taken from the end.
    start: usize,
}

/// A path of packed states from the initial one to a target, or `None` when there is no target.
pub fn search<S: Space>(space: &S, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    let check = run.check();
    let words = space.words();
    let mut store = Store::new(words, 1);
    let mut block = Block::default();
    let mut scratch = space.scratch();
    let mut stack: Vec<Frame> = Vec::new();
    let mut pending: Vec<u64> = space.initial();
    let mut state: Vec<u64> = Vec::new();
    let (mut states, mut transitions) = (0u64, 0u64);
    loop {
        // Take the next untried successor of the deepest state that has one (at first: the initial state).
        let floor = stack.last().map_or(0, |frame| frame.start);
        if pending.len() == floor {
            if stack.pop().is_none() {
                check.explored(states, transitions)?;
                return Ok(None);
            }
            continue;
        }
        state.clear();
        state.extend_from_slice(&pending[pending.len() - words..]);
        pending.truncate(pending.len() - words);
        let h = hash(&state);
        let inserted = loop {
            match store.insert(&state, h, store.peek(h), &mut block) {
                Ok(inserted) => break inserted,
                Err(Full) if store.grow() => {}
                Err(Full) => return Err(Why::States(u64::from(u32::MAX)).into()),
            }
        };
        let Some(index) = inserted else { continue };
        states += 1;
        let start = pending.len();
        stack.push(Frame { index, start });
        let mut found = space.is_target(&state);
        if !found {
            let expansion = space.successors(&state, &mut scratch, &mut pending);
            if expansion == Expansion::Outgrown {
                return Err(Stop::Outgrown);
            }
            transitions += ((pending.len() - start) / words) as u64;
            found = expansion == Expansion::Target || pending.len() == start && space.stuck_is_target();
        }
        if found {
            // A limit that is reached in the same moment does not take the answer back.
            let _ = check.explored(states, transitions);
            return Ok(Some(stack.iter().map(|frame| store.get(frame.index)).collect()));
        }
        if states * words as u64 > REPORT_WORDS {
            check.explored(std::mem::take(&mut states), std::mem::take(&mut transitions))?;
        }
    }
}
