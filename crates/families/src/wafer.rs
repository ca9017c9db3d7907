//! A wafer stepper: `wafer`.
//!
//! After the wafer scanner of B. van der Sanden et al., "Modular model-based supervisory controller design for wafer logistics in
//! lithography machines" (MODELS 2015), and the example of that name that comes with mCRL2: wafers go from the track over the
//! preload robot to the prealigner, over the load robot onto one of two chucks, are measured on one side of the stage, exposed on
//! the other, and go back over the unload robot to the track.
//!
//! | part | what it is |
//! | --- | --- |
//! | `wafer`i | where wafer i is, and what was done to it |
//! | `preload`, `aligner`, `load`, `chuck0`, `chuck1`, `unload` | free or taken |
//! | `stage` | which chuck is on the measuring side |
//!
//! | label | means |
//! | --- | --- |
//! | `pick`i, `align`i, `load`i, `measure`i, `expose`i, `unload`i, `out`i | the way of a wafer |
//! | `reject`i | a wafer that cannot be aligned goes straight to the unload robot |
//! | `swap` | the chucks change sides |
//!
//! Chosen: wafers are told apart, a chuck may change sides whenever it is not being loaded or unloaded. The ICC paper's
//! altered instance has 6,099,751 states.

use super::family::{Instance, Suggested};
use super::system::{Act, Object, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum At {
    Track,
    Preload,
    Aligner,
    Aligned,
    Load,
    Chuck(usize),
    Measured(usize),
    Exposed(usize),
    Unload,
}

/// `size` wafers.
pub fn wafers(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let [preload, aligner, load, unload] =
        ["preload", "aligner", "load", "unload"].map(|name| system.variable(name, 2, 0));
    let chuck: Vec<Object> = (0..2).map(|c| system.variable(format!("chuck{c}"), 2, 0)).collect();
    let stage = system.variable("stage", 2, 0);
    let take = |system: &System, object| system.act("", "+", object, |v| (v == 0).then_some(1));
    let free = |system: &System, object| system.act("", "-", object, |v| (v == 1).then_some(0));
    for i in 0..size {
        system.process(format!("wafer{i}"), At::Track, |system, at| {
            let step = |what: &str, act: Act, to: At| (act.named(format!("{what}{i}")), to);
            let over = |from, to| free(system, from).and(take(system, to));
            // On the measuring side is the chuck that the stage names.
            let side = |c: usize| system.is("", stage, c as u32);
            match *at {
                At::Track => vec![step("pick", take(system, preload), At::Preload)],
                At::Preload => vec![step("place", over(preload, aligner), At::Aligner)],
                At::Aligner => {
                    vec![step("align", Act::own(""), At::Aligned), step("reject", over(aligner, unload), At::Unload)]
                }
                At::Aligned => vec![step("lift", over(aligner, load), At::Load)],
                At::Load => (0..2)
                    .map(|c| (over(load, chuck[c]).and(side(c)).named(format!("load{i}:{c}")), At::Chuck(c)))
                    .collect(),
                At::Chuck(c) => vec![(side(c).named(format!("measure{i}:{c}")), At::Measured(c))],
                At::Measured(c) => vec![(side(1 - c).named(format!("expose{i}:{c}")), At::Exposed(c))],
                At::Exposed(c) => {
                    vec![(over(chuck[c], unload).and(side(c)).named(format!("unload{i}:{c}")), At::Unload)]
                }
                At::Unload => vec![step("out", free(system, unload), At::Track)],
            }
        });
    }
    system.process("driver".into(), (), |system, ()| {
        vec![(system.act("", "", stage, |v| Some(1 - v)).named("swap"), ())]
    });
    let mut instance = system.finish();
    let network = &instance.network;
    let queries = [
        Suggested::pattern_on(
            network,
            "precedes({expose0:0, expose0:1}, out0)",
            false,
            "mandatory precedence: a rejected wafer goes out without having been exposed",
        ),
        Suggested::pattern_on(
            network,
            "precedes(swap, {expose0:0, expose0:1})",
            true,
            "mandatory precedence: the chucks change sides between measuring and exposing",
        ),
    ];
    instance.queries.extend(queries);
    instance
}
