//! MSI cache coherence: `msi`, the rows MSI of Table I.
//!
//! Nodes with a cache each share a memory over one bus. A line is modified in one cache, or shared by several, or invalid.
//!
//! | part | what it does |
//! | --- | --- |
//! | `cpu`i | reads or writes, and waits until that is done |
//! | `cache`i | the line's state; snoops on the bus: another's read makes a modified line shared, another's write makes it invalid |
//! | `control`i | on a miss asks for the bus, owns it, waits for the data, and gives the bus back |
//! | `bus` | grants one of those who ask, any of them; knows who it is and what it wants |
//! | `memory` | fetches the line; where a cache has it modified, that one writes it back first |
//!
//! Property of each pair of nodes: they do not own the bus at the same time. The table has 3n + 2 components and a property for each
//! pair. Chosen: one line; a step of each part at a time, so that a grant is seen one step after it is given.

use super::BooleanSystem;
use super::draft::{Draft, Of};
use prequel_model::{Lit, Word};

const WRITE: usize = 2;
const SHARED: usize = 1;
const MODIFIED: usize = 2;
const ASKS: usize = 1;
const OWNS: usize = 2;
const DATA: usize = 3;
const DONE: usize = 4;
const GRANTED: usize = 1;
const BUSY: usize = 2;
const WRITES_BACK: usize = 2;
const READY: usize = 3;

struct Node {
    cpu: (Of, Word, Word),
    cache: (Of, Word),
    control: (Of, Word),
}

/// `size` nodes.
pub fn nodes(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    let nodes: Vec<Node> = (0..size)
        .map(|i| {
            let [cpu, cache, control] = ["cpu", "cache", "control"].map(|name| draft.part(format!("{name}{i}")));
            Node {
                cpu: (cpu, draft.names(cpu, "at", &["idle", "read", "write"]), draft.free_number(cpu, "wants", 3)),
                cache: (cache, draft.names(cache, "line", &["invalid", "shared", "modified"])),
                control: (control, draft.names(control, "at", &["idle", "asks", "owns", "data", "done"])),
            }
        })
        .collect();
    let (bus, memory) = (draft.part("bus"), draft.part("memory"));
    let bus_at = draft.names(bus, "at", &["free", "granted", "busy"]);
    let (owner, pick) = (draft.number(bus, "owner", size), draft.free_number(bus, "pick", size));
    let writing = draft.truth(bus, "writes", false);
    let memory_at = draft.names(memory, "at", &["idle", "fetches", "writes-back", "ready"]);
    let go = draft.free(memory, "go");
    let [free, granted, busy] = [0, GRANTED, BUSY].map(|state| draft.is(&bus_at, state));
    let ready = draft.is(&memory_at, READY);
    let writes = draft.is(&writing, 1);
    let (mut grants, mut grants_write, mut gives_back, mut modified, mut owning) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, node) in nodes.iter().enumerate() {
        let (cpu, at, wants) = &node.cpu;
        let (cache, line) = &node.cache;
        let (control, control_at) = &node.control;
        let [idle, asks, owns, data, done] = [0, ASKS, OWNS, DATA, DONE].map(|state| draft.is(control_at, state));
        let [thinks, read, write] = [0, 1, WRITE].map(|state| draft.is(at, state));
        let [wants_read, wants_write] = [1, WRITE].map(|what| draft.is(wants, what));
        let cases = [
            (draft.all([thinks, idle, wants_read]), 1),
            (draft.all([thinks, idle, wants_write]), WRITE),
            (draft.all([!thinks, done]), 0),
        ];
        draft.next(*cpu, at, &cases);
        let [shared, owned_line] = [SHARED, MODIFIED].map(|state| draft.is(line, state));
        let (valid, mine, picked) = (draft.any([shared, owned_line]), draft.is(&owner, i), draft.is(&pick, i));
        let readable = draft.all([read, valid]);
        let writable = draft.all([write, owned_line]);
        let hit = draft.any([readable, writable]);
        let cases = [
            (draft.all([idle, hit]), DONE),
            (draft.all([idle, !thinks]), ASKS),
            (draft.all([asks, granted, mine]), OWNS),
            (draft.all([owns, ready]), DATA),
            (data, DONE),
            (done, 0),
        ];
        draft.next(*control, control_at, &cases);
        // Another's transaction takes effect once memory is ready; one's own when the data is there.
        let snoops = draft.all([busy, !mine, ready]);
        let cases = [
            (draft.all([snoops, writes]), 0),
            (draft.all([snoops, owned_line]), SHARED),
            (draft.all([data, writes]), MODIFIED),
            (data, SHARED),
        ];
        draft.next(*cache, line, &cases);
        grants.push(draft.all([free, picked, asks]));
        grants_write.push(draft.all([free, picked, asks, write]));
        gives_back.push(draft.all([busy, mine, done]));
        modified.push(draft.all([owned_line, !mine]));
        owning.push(draft.any([owns, data]));
    }
    let (grant, give_back) = (draft.any(grants), draft.any(gives_back));
    draft.next(bus, &bus_at, &[(grant, GRANTED), (granted, BUSY), (give_back, 0)]);
    let picked = draft.bits(&pick);
    draft.moves(bus, &owner, &[(grant, picked)]);
    let grant_write = draft.any(grants_write);
    draft.next(bus, &writing, &[(grant_write, 1), (grant, 0)]);
    serve(&mut draft, memory, &memory_at, [free, busy, ready, go], modified);
    for i in 0..size {
        for j in i + 1..size {
            let bad = draft.all([owning[i], owning[j]]);
            draft.never(format!("nodes {i} and {j} do not both own the bus"), bad);
        }
    }
    draft.finish()
}

/// The memory: it fetches a line, or waits until the one that another cache has modified is written back.
fn serve(draft: &mut Draft, memory: Of, at: &Word, [free, busy, ready, go]: [Lit; 4], modified: Vec<Lit>) {
    let [idle, fetches, writes_back] = [0, 1, WRITES_BACK].map(|state| draft.is(at, state));
    let elsewhere = draft.any(modified);
    let begins = draft.all([idle, busy]);
    let cases = [
        (draft.all([begins, elsewhere]), WRITES_BACK),
        (begins, 1),
        (draft.all([fetches, go]), READY),
        (draft.all([writes_back, go]), READY),
        (draft.all([ready, free]), 0),
    ];
    draft.next(memory, at, &cases);
}
