#![doc = include_str!("../README.md")]

pub mod boolean;
mod chart;
pub mod control;
mod corbett;
pub mod counter;
mod cyclic;
mod dac;
mod family;
mod gas_station;
mod havi;
mod lamport;
mod lann;
mod link1394;
pub mod mutex;
mod peterson;
pub mod philo;
pub mod random;
pub mod random_circuit;
pub mod sliding_window;
mod system;
mod szymanski;
pub mod token_ring;
mod transit;
mod wafer;

pub use family::{Family, Instance, Suggested};

/// As many components as any sensible instance has; the builders themselves are linear.
const MANY: usize = 10_000_000;

/// All families, in the order in which they are listed to people.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "philo",
        about: "dining philosophers, left fork first",
        smallest: 2,
        largest: MANY,
        build: philo::plain,
    },
    Family {
        name: "philo-dict",
        about: "dining philosophers who hand round a dictionary; its holder takes no fork",
        smallest: 2,
        largest: MANY,
        build: philo::dictionary,
    },
    Family {
        name: "philo-sync",
        about: "dining philosophers who take both forks in one step",
        smallest: 2,
        largest: MANY,
        build: philo::synchronous,
    },
    Family {
        name: "cyclic",
        about: "Milner's cyclic scheduler; every second task waits",
        smallest: 2,
        largest: MANY,
        build: cyclic::easy,
    },
    Family {
        name: "cyclic-hard",
        about: "Milner's cyclic scheduler; every second task runs",
        smallest: 2,
        largest: MANY,
        build: cyclic::hard,
    },
    Family {
        name: "token-ring",
        about: "mutual exclusion by a token that goes round a ring",
        smallest: 2,
        largest: MANY,
        build: token_ring::ring,
    },
    Family {
        name: "dac",
        about: "divide and conquer: solve alone or fork the next process",
        smallest: 3,
        largest: MANY,
        build: dac::processes,
    },
    Family {
        name: "dp",
        about: "Corbett: dining philosophers, left fork first",
        smallest: 2,
        largest: MANY,
        build: corbett::philosophers::dp,
    },
    Family {
        name: "dpd",
        about: "Corbett: dining philosophers with a dictionary, forks in any order",
        smallest: 2,
        largest: MANY,
        build: corbett::philosophers::dpd,
    },
    Family {
        name: "dph",
        about: "Corbett: dining philosophers whom a host lets in, all but one",
        smallest: 2,
        largest: 1000,
        build: corbett::philosophers::dph,
    },
    Family {
        name: "dpfm",
        about: "Corbett: dining philosophers with a fork manager",
        smallest: 2,
        largest: 16,
        build: corbett::philosophers::dpfm,
    },
    Family {
        name: "scheduler",
        about: "Corbett: Milner's cyclic scheduler with tasks that wait to be started",
        smallest: 2,
        largest: MANY,
        build: corbett::scheduler::scheduler,
    },
    Family {
        name: "rw",
        about: "Corbett: readers, writers and a controller",
        smallest: 1,
        largest: 1000,
        build: corbett::servers::rw,
    },
    Family {
        name: "gas_nq",
        about: "Corbett: gas station with two pumps, without a queue",
        smallest: 1,
        largest: 100,
        build: corbett::servers::gas_nq,
    },
    Family {
        name: "gas_q",
        about: "Corbett: gas station with two pumps, with queues",
        smallest: 1,
        largest: 5,
        build: corbett::servers::gas_q,
    },
    Family {
        name: "mmgt",
        about: "Corbett: users of a memory manager",
        smallest: 1,
        largest: 1000,
        build: corbett::servers::mmgt,
    },
    Family {
        name: "elevator",
        about: "Corbett: elevators between two floors",
        smallest: 1,
        largest: 12,
        build: corbett::controllers::elevator,
    },
    Family {
        name: "furnace",
        about: "Corbett: furnaces set from far away",
        smallest: 1,
        largest: 1000,
        build: corbett::controllers::furnace,
    },
    Family {
        name: "over",
        about: "Corbett: overtaking on an automated highway",
        smallest: 2,
        largest: 1000,
        build: corbett::controllers::over,
    },
    Family {
        name: "sentest",
        about: "Corbett: sensors tested one after the other",
        smallest: 1,
        largest: 10_000,
        build: corbett::controllers::sentest,
    },
    Family {
        name: "speed",
        about: "Corbett: speed regulation of a car",
        smallest: 1,
        largest: 1,
        build: corbett::controllers::speed,
    },
    Family {
        name: "hartstone",
        about: "Corbett: periodic tasks that are started and stopped",
        smallest: 1,
        largest: 10_000,
        build: corbett::controllers::hartstone,
    },
    Family {
        name: "abp",
        about: "Corbett: alternating bit protocol",
        smallest: 1,
        largest: 1,
        build: corbett::programs::abp,
    },
    Family {
        name: "ring",
        about: "Corbett: mutual exclusion by a token, users and servers",
        smallest: 2,
        largest: MANY,
        build: corbett::programs::ring,
    },
    Family {
        name: "ftp",
        about: "Corbett: file transfer, client and server",
        smallest: 1,
        largest: 1,
        build: corbett::programs::ftp,
    },
    Family {
        name: "bds",
        about: "Corbett: border defence system",
        smallest: 1,
        largest: 1,
        build: corbett::programs::bds,
    },
    Family {
        name: "key",
        about: "Corbett: a program that reads a keyboard",
        smallest: 2,
        largest: 100,
        build: corbett::programs::key,
    },
    Family {
        name: "q",
        about: "Corbett: clients of a server with queues, shut down",
        smallest: 1,
        largest: 1,
        build: corbett::programs::q,
    },
    Family {
        name: "counter",
        about: "binary counter, one component per bit, carries as many-way labels",
        smallest: 1,
        largest: 4096,
        build: counter::bits,
    },
    Family {
        name: "peterson",
        about: "Peterson's mutual exclusion for n processes",
        smallest: 2,
        largest: 30,
        build: peterson::processes,
    },
    Family {
        name: "lamport",
        about: "Lamport's fast mutual exclusion",
        smallest: 2,
        largest: 60,
        build: lamport::right,
    },
    Family {
        name: "lamport-faulty",
        about: "Lamport's fast mutual exclusion without its wait for others",
        smallest: 2,
        largest: 60,
        build: lamport::faulty,
    },
    Family {
        name: "szymanski",
        about: "Szymanski's mutual exclusion",
        smallest: 2,
        largest: 100,
        build: szymanski::processes,
    },
    Family {
        name: "lann",
        about: "Le Lann's token ring; lost tokens are made anew",
        smallest: 2,
        largest: 100,
        build: lann::ring,
    },
    Family {
        name: "gas-station",
        about: "customers, an operator and a pump",
        smallest: 2,
        largest: 7,
        build: gas_station::customers,
    },
    Family { name: "transit", about: "a message router", smallest: 2, largest: 20, build: transit::node },
    Family {
        name: "wafer",
        about: "wafers on their way through a wafer stepper",
        smallest: 1,
        largest: 1000,
        build: wafer::wafers,
    },
    Family {
        name: "havi",
        about: "HAVi leader election among managers",
        smallest: 2,
        largest: 6,
        build: havi::managers,
    },
    Family { name: "link1394", about: "the link layer of IEEE 1394", smallest: 2, largest: 3, build: link1394::nodes },
    Family {
        name: "mutex",
        about: "mutual exclusion of two processes that tell each other what they do",
        smallest: 2,
        largest: 2,
        build: mutex::pair,
    },
    Family {
        name: "sliding-window",
        about: "sliding window protocol, sender and receiver; the size is the window",
        smallest: 1,
        largest: 6,
        build: sliding_window::protocol,
    },
    Family {
        name: "diners",
        about: "dining philosophers who must be able to come home, left fork first",
        smallest: 2,
        largest: 10_000,
        build: control::diners::alike,
    },
    Family {
        name: "diners-mixed",
        about: "dining philosophers who can come home: one takes the right fork first",
        smallest: 2,
        largest: 10_000,
        build: control::diners::mixed,
    },
    Family {
        name: "line",
        about: "transfer line of stations that take few workpieces at a time",
        smallest: 1,
        largest: 10_000,
        build: control::line::limited,
    },
    Family {
        name: "line-blocking",
        about: "transfer line of stations that take as many workpieces as fit",
        smallest: 1,
        largest: 10_000,
        build: control::line::unlimited,
    },
    Family {
        name: "agv",
        about: "automated guided vehicles, zones in a row",
        smallest: 1,
        largest: 10_000,
        build: control::agv::row,
    },
    Family {
        name: "agv-ring",
        about: "automated guided vehicles, zones in a ring",
        smallest: 3,
        largest: 10_000,
        build: control::agv::ring,
    },
    Family {
        name: "cluster",
        about: "cluster tools for wafers, a buffer for each direction",
        smallest: 2,
        largest: 10_000,
        build: control::cluster::two_ways,
    },
    Family {
        name: "cluster-blocking",
        about: "cluster tools for wafers, one buffer for both directions",
        smallest: 2,
        largest: 10_000,
        build: control::cluster::one_way,
    },
    Family {
        name: "fms",
        about: "flexible manufacturing cells, a place is kept for what is being painted",
        smallest: 1,
        largest: 10_000,
        build: control::fms::reserved,
    },
    Family {
        name: "fms-blocking",
        about: "flexible manufacturing cells, the place of what is being painted is used",
        smallest: 1,
        largest: 10_000,
        build: control::fms::careless,
    },
    Family {
        name: "aip",
        about: "assembly stations around a central loop, fewer pallets than sections",
        smallest: 2,
        largest: 10_000,
        build: control::aip::limited,
    },
    Family {
        name: "aip-blocking",
        about: "assembly stations around a central loop, as many pallets as come",
        smallest: 2,
        largest: 10_000,
        build: control::aip::unlimited,
    },
    Family {
        name: "random",
        about: "random network by seed, odd on purpose",
        smallest: 1,
        largest: 1000,
        build: random::instance,
    },
    Family {
        name: "random-chain",
        about: "random components in a row, each shares labels with its neighbours",
        smallest: 2,
        largest: 100_000,
        build: random::chain,
    },
    Family {
        name: "random-ring",
        about: "random components in a ring, each shares labels with its neighbours",
        smallest: 3,
        largest: 100_000,
        build: random::ring,
    },
];

/// The family of this name.
pub fn find(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.name == name)
}

#[cfg(test)]
mod tests;
