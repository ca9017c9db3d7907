//! What is printed about blocking runs.

use super::output::counted;
use crate::job::Trap;
use serde_json::{Value, json};

/// Where a blocking run ends up, in words.
pub fn tell(trap: &Trap) -> String {
    let Trap::Known { states, more, dead, way, cycle } = trap else {
        return "it ends where no marked state can be reached, though much can still happen".into();
    };
    if *states == 1 && *dead == 1 {
        return "it ends in a deadlock: nothing can happen, and not all components are marked".into();
    }
    let states = format!("{}{}", if *more { "more than " } else { "" }, counted(*states, "state"));
    let dead = match dead {
        _ if *more => String::new(),
        0 => String::new(),
        1 => ", one of them a deadlock".into(),
        dead => format!(", {dead} of them deadlocks"),
    };
    if cycle.is_empty() {
        let way = way.join(", ");
        return format!(
            "it ends on the way to a deadlock: {states} can still be reached{dead}, none is marked\nfor example: {way}"
        );
    }
    let way = if way.is_empty() { String::new() } else { format!("{}, then ", way.join(", ")) };
    format!(
        "it ends in a livelock: {states} can still be reached{dead}, none is marked\nfor example: {way}for ever {}",
        cycle.join(", ")
    )
}

/// The same for machines.
pub fn json(trap: &Trap) -> Value {
    let Trap::Known { states, more, dead, way, cycle } = trap else { return Value::Null };
    json!({
        "kind": if cycle.is_empty() { "deadlock" } else { "livelock" },
        "states": states,
        "more_states": more,
        "deadlocks": dead,
        "way": way,
        "cycle": cycle,
    })
}
