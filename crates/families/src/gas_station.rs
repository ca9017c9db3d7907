//! The gas station: `gas-station`.
//!
//! D. Helmbold and D. Luckham, "Debugging Ada tasking programs", IEEE Software 2 (1985): customers pay the operator in advance,
//! the operator switches the pump on, the customer pumps, the pump tells the operator what is due, and the operator gives change.
//!
//! | label | who | means |
//! | --- | --- | --- |
//! | `prepay`i | customer i, operator | pays in advance |
//! | `activate`i | operator, pump | the pump is switched on for customer i, in the order of payment |
//! | `start`i, `finish`i | customer i, pump | pumping |
//! | `charge`i | pump, operator | what is due |
//! | `change`i | operator, customer i | the change |
//!
//! Chosen: one pump; the operator takes money at any time but while it has change in its hand, and remembers who has paid in a
//! queue. The ICC paper has 165 and 1,197 states for two and three customers.

use super::family::{Instance, Suggested};
use super::system::{Act, System};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Operator {
    paid: Vec<usize>,
    pump: Pump,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pump {
    Free,
    On(usize),
    Runs(usize),
    Due(usize),
}

/// `size` customers.
pub fn customers(size: usize, _seed: u64) -> Instance {
    let mut system = System::default();
    let act = |what: &str, i: usize| Act::own(format!("{what}{i}"));
    for i in 0..size {
        let order = ["prepay", "start", "finish", "change"];
        system.process(format!("customer{i}"), 0usize, |_, &at| vec![(act(order[at], i), (at + 1) % order.len())]);
    }
    system.process("pump".into(), Pump::Free, |_, at| match *at {
        Pump::Free => (0..size).map(|i| (act("activate", i), Pump::On(i))).collect(),
        Pump::On(i) => vec![(act("start", i), Pump::Runs(i))],
        Pump::Runs(i) => vec![(act("finish", i), Pump::Due(i))],
        Pump::Due(i) => vec![(act("charge", i), Pump::Free)],
    });
    let start = Operator { paid: Vec::new(), pump: Pump::Free };
    system.process("operator".into(), start, |_, at| {
        let Operator { paid, pump } = at;
        if let Pump::Due(i) = *pump {
            return vec![(act("change", i), Operator { pump: Pump::Free, ..at.clone() })];
        }
        let mut steps = Vec::new();
        for i in (0..size).filter(|i| !paid.contains(i)) {
            let paid = paid.iter().copied().chain([i]).collect();
            steps.push((act("prepay", i), Operator { paid, pump: pump.clone() }));
        }
        match *pump {
            Pump::Free if !paid.is_empty() => {
                steps.push((act("activate", paid[0]), Operator { paid: paid[1..].to_vec(), pump: Pump::On(paid[0]) }));
            }
            Pump::On(i) => steps.push((act("charge", i), Operator { paid: paid.clone(), pump: Pump::Due(i) })),
            _ => {}
        }
        steps
    });
    let mut instance = system.finish();
    let network = &instance.network;
    let others: Vec<String> = (1..size).map(|i| format!("start{i}")).collect();
    let queries = [
        Suggested::pattern_on(
            network,
            &format!("excluded({{{}}}, start0, charge0)", others.join(", ")),
            true,
            "bounded response: who starts is charged before the next one starts",
        ),
        Suggested::pattern_on(
            network,
            "responds-within(charge0, change0, 1)",
            true,
            "bounded response: change comes next",
        ),
        Suggested::deadlock_free(true, "nobody waits for ever"),
    ];
    instance.queries.extend(queries);
    instance
}
