//! Who is asked by `auto`, in which order and with which share of the work, and why: by the kind of question and the shape of the model.
//!
//! | when | first | then, in turns |
//! | --- | --- | --- |
//! | the question names few of many components | `lazy` | the others |
//! | nonblocking | `conflict` | `otf` |
//! | anything else about a network or program | `otf` breadth-first: few states are searched at once, with a shortest witness | `otf` depth-first, `icc`, `minimise`, `lazy`, `citp-pa` by clauses |
//! | the markings of a Petri net | `otf` breadth-first | a structural argument, random walks, depth-first |
//! | a circuit | `ic3` | `citp-pa` by clauses, `bmc`, `citp-pa` by diagrams, `bdd` |
//!
//! Whoever is first has most of the work: most problems are its. The others have a share of their own each: where they win, they
//! mostly win early.

use prequel_model::{Problem, Query};

/// An engine that is asked, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it is called where contestants are listed.
    pub name: &'static str,
    /// Its name on the command line.
    pub engine: &'static str,
    /// Options that are set.
    pub options: &'static [(&'static str, &'static str)],
    /// Whether the on-the-fly search goes deep first.
    pub depth_first: bool,
    /// The work that it does at first, and each time after that.
    pub shares: [u64; 2],
    /// Why it is asked.
    pub why: &'static str,
}

/// Work of a turn of whoever is first in line: a tenth of a second or two.
const LARGE: u64 = 400_000;
/// Work of a turn of the others: some hundredths of a second.
const SMALL: u64 = 80_000;
/// The same for those whose states are dearer: each is put together from selections that are minimised in between.
const DEAR: u64 = 10_000;

/// A question that names at most one in so many components is one for `lazy`.
const FEW: usize = 3;
/// Fewer components than this are few anyway.
const MANY: usize = 12;

const OTF: Entry = Entry {
    name: "otf",
    engine: "otf",
    options: &[],
    depth_first: false,
    shares: [LARGE, LARGE],
    why: "a small product is searched at once, with a shortest witness",
};
const DEEP: Entry = Entry {
    name: "otf depth-first",
    depth_first: true,
    shares: [SMALL, SMALL],
    why: "a violation deep down is met early",
    ..OTF
};
const ICC: Entry = Entry {
    name: "icc",
    engine: "icc",
    shares: [SMALL, DEAR],
    why: "small checks may decide it without the product",
    ..OTF
};
const MINIMISE: Entry = Entry {
    name: "minimise",
    engine: "minimise",
    shares: [SMALL, SMALL],
    why: "components that talk mostly to each other shrink when they are put together",
    ..OTF
};
const LAZY: Entry =
    Entry { name: "lazy", engine: "lazy", shares: [SMALL, SMALL], why: "some of the components may decide it", ..OTF };
const CLAUSES: Entry = Entry {
    name: "citp-pa ic3",
    engine: "citp-pa",
    options: &[("abstract", "ic3")],
    shares: [SMALL, SMALL],
    why: "an invariant may be found without looking at states one by one",
    ..OTF
};
const CONFLICT: Entry = Entry {
    name: "conflict",
    engine: "conflict",
    shares: [LARGE, LARGE],
    why: "abstractions that nonblocking allows keep the product small",
    ..OTF
};

/// What there is to know of a problem before anybody looks at its states.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// How many components there are.
    pub components: usize,
    /// How many of them the question names, where that can be told.
    pub named: Option<usize>,
    /// The decimal logarithm of the number of global states if nobody kept anybody from anything.
    pub bound: f64,
    /// Whom `auto` asks, in order.
    pub lineup: Vec<Entry>,
}

impl Shape {
    /// The shape of a problem about a network.
    pub fn of(problem: &Problem) -> Self {
        let components = problem.network.components();
        let bound = components.iter().map(|c| (c.lts.num_states() as f64).log10()).sum();
        let named = named(problem);
        let lineup = for_network(&problem.query, names_few(components.len(), named));
        Self { components: components.len(), named: Some(named), bound, lineup }
    }

    /// The shape of a program or net with a network of this shape: its states are searched as they are.
    pub fn of_searched(self) -> Self {
        let network = self.lineup.into_iter().filter(|entry| entry.engine != "otf");
        Self { lineup: SEARCHES.into_iter().chain(network).collect(), ..self }
    }

    /// Whether the question names few of the components.
    pub fn names_few(&self) -> bool {
        self.named.is_some_and(|named| named * FEW <= self.components)
    }
}

/// Whether a question names few of many components.
fn names_few(components: usize, named: usize) -> bool {
    components >= MANY && named * FEW <= components
}

/// How many components a question is about.
fn named(problem: &Problem) -> usize {
    let monitor = match &problem.query {
        Query::Reach(goal) => return goal.support().len(),
        Query::DeadlockFree | Query::Nonblocking => return problem.network.components().len(),
        Query::Safety(monitor) => monitor,
    };
    let labels = monitor.automaton.alphabet().iter();
    let mut components: Vec<_> = labels.flat_map(|&label| problem.network.participants(label)).collect();
    components.sort_unstable();
    components.dedup();
    components.len()
}

/// Who is asked about a network, in order.
fn for_network(query: &Query, names_few: bool) -> Vec<Entry> {
    match query {
        Query::Nonblocking => vec![CONFLICT, Entry { shares: [SMALL, SMALL], ..OTF }],
        Query::DeadlockFree => vec![OTF, DEEP, ICC, MINIMISE, CLAUSES],
        Query::Reach(_) | Query::Safety(_) if names_few => {
            let why = "the question names few of the components: they may decide it";
            vec![Entry { shares: [LARGE, LARGE], why, ..LAZY }, OTF, DEEP, ICC, MINIMISE, CLAUSES]
        }
        Query::Reach(_) | Query::Safety(_) => vec![OTF, LAZY, DEEP, ICC, MINIMISE, CLAUSES],
    }
}

/// The searches of a program or net as it is: breadth-first, and depth-first.
pub const SEARCHES: [Entry; 2] = [OTF, DEEP];

/// The shares of who makes the network of a program or net.
pub const PREPARATION: [u64; 2] = [LARGE, SMALL];

/// Who is asked about the markings of a net, in order. Any of them may be the only one who knows, so all have about the same time.
pub const FOR_NETS: [Entry; 4] = [
    Entry { shares: [SMALL, SMALL], ..OTF },
    Entry {
        name: "structural",
        shares: [LARGE, LARGE],
        why: "the state equation and traps may leave no way to what is asked for",
        ..DEEP
    },
    WALK,
    Entry { name: "depth", ..DEEP },
];
/// Random walks through the markings of a net: their steps cost little.
pub const WALK: Entry = Entry {
    name: "walk",
    shares: [LARGE, LARGE],
    why: "what is deep down in no particular direction is met by chance",
    ..DEEP
};

/// Who is asked about a circuit, in order. Most are decided by the first in its first turn. A look of CaDiCaL or of diagrams at their
/// limits counts little for what it costs, so the turns of the others are short.
pub const FOR_CIRCUITS: [Entry; 5] = [
    Entry { name: "ic3", engine: "ic3", options: &[], shares: [LARGE, LARGE], ..CLAUSES },
    Entry { why: "some of the components may be enough for an invariant", ..CLAUSES },
    Entry {
        name: "bmc",
        engine: "bmc",
        options: &[],
        shares: [DEAR, DEAR],
        why: "a short path to a bad state is found by a solver",
        ..CLAUSES
    },
    Entry {
        name: "citp-pa",
        options: &[],
        shares: [DEAR, DEAR],
        why: "diagrams of the components that matter may stay small",
        ..CLAUSES
    },
    Entry {
        name: "bdd",
        engine: "bdd",
        options: &[],
        shares: [DEAR, DEAR],
        why: "diagrams of all states may stay small",
        ..CLAUSES
    },
];
