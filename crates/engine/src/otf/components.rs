//! Nonblocking by strongly connected components of the product, found depth first.
//!
//! Tarjan's algorithm in the form of H. Gabow, "Path-based depth-first search for strong and biconnected components" (2000): one stack of
//! states whose component is not complete, one of where such components begin. Components are completed against the edges. One
//! that has no marked state and leads to no other blocks, and the search ends at the first of that kind: the whole component is a
//! trap. So all that were completed before can reach a marked state, and nothing else need be remembered of them.

use super::nonblocking::Marks;
use super::path::Path;
use super::space::Space;
use super::store::{Block, Store, hash};
use super::{NetworkSpace, Stop};
use prequel_model::run::Run;

/// States between two looks at the limits.
const REPORT: u64 = 1 << 12;

/// The component of a state is complete.
const COMPLETE: u32 = u32::MAX;

/// A component as far as it is known.
struct Begun {
    /// Its first state, by its place among the open ones.
    at: u32,
    /// It has a marked state, or leads to a component that has one.
    alive: bool,
}

/// A path of packed states to one from which no marked state can be reached.
pub fn search(space: &NetworkSpace<'_>, marks: &Marks, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    let (check, words) = (run.check(), space.words());
    let (mut store, mut block, mut scratch) = (Store::new(words, 1), Block::default(), space.scratch());
    let (mut path, mut state) = (Path::new(space.initial(), words), Vec::new());
    // Open states; for each state its place among them; components that are not complete.
    let (mut open, mut place, mut begun): (Vec<u32>, Vec<u32>, Vec<Begun>) = (Vec::new(), Vec::new(), Vec::new());
    let (mut states, mut transitions) = (0u64, 0u64);
    loop {
        if !path.next(&mut state) {
            let Some(last) = path.last() else {
                check.explored(states, transitions)?;
                return Ok(None);
            };
            let component = begun.last().expect("the last state of the path is in a component");
            if component.at == place[last as usize] {
                if !component.alive {
                    // A limit that is reached in the same moment does not take the answer back.
                    let _ = check.explored(states, transitions);
                    return Ok(Some(path.states(&store)));
                }
                open.drain(component.at as usize..).for_each(|member| place[member as usize] = COMPLETE);
                begun.pop();
                if let Some(before) = begun.last_mut() {
                    before.alive = true;
                }
            }
            path.pop();
            continue;
        }
        let h = hash(&state);
        let Some(index) = store.insert_growing(&state, h, &mut block)? else {
            let known = store.find(&state, h, store.peek(h)).expect("it is not new");
            let at = place[known as usize];
            if at == COMPLETE {
                begun.last_mut().expect("somebody leads here").alive = true;
                continue;
            }
            // All that began since then is one component with it.
            while begun.last().is_some_and(|component| component.at > at) {
                let inner = begun.pop().expect("there is one");
                begun.last_mut().expect("it began before").alive |= inner.alive;
            }
            continue;
        };
        states += 1;
        let at = open.len() as u32;
        if place.len() <= index as usize {
            place.resize(index as usize + 1, COMPLETE);
        }
        place[index as usize] = at;
        open.push(index);
        begun.push(Begun { at, alive: marks.hold(&space.product, &state) });
        space.successors(&state, &mut scratch, path.push(index));
        transitions += path.untried() as u64;
        if states >= REPORT {
            check.explored(std::mem::take(&mut states), std::mem::take(&mut transitions))?;
        }
    }
}
