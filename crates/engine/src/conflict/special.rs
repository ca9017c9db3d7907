//! Special events: labels that the other machines treat in a way that lets one machine do without them.
//!
//! C. Pilbrow, R. Malik: *An algorithm for compositional nonblocking verification using special events* (2015) has more of this kind; here are
//! those for which it is plain that each state of the whole system blocks before if and only if it does afterwards.
//!
//! | labels | what is done |
//! | --- | --- |
//! | another one blocks it in all states | it never happens: transitions and the alphabet lose it; who blocks it keeps it |
//! | a self-loop in all states of the machine | the machine neither prevents nor notices it: its alphabet loses it |
//! | self-loops only in all others | what the machine does under it moves nobody else: a transition goes if silent steps lead there, too |
//! | all others allow it in all states | nobody prevents it: certain conflicts take it for a silent step |

use super::fsm::Fsm;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, LabelId, Lts, StateId};

/// How a machine treats one of its labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Use {
    label: LabelId,
    /// Some state allows it.
    ever: bool,
    /// All states allow it.
    always: bool,
    /// It leads from some state to another.
    moves: bool,
}

/// How a machine treats its labels, in their order.
#[derive(Clone, Debug, Default)]
pub struct Uses(Vec<Use>);

impl Uses {
    /// Looks at all transitions.
    pub fn of(fsm: &Fsm) -> Self {
        let unused = |&label: &LabelId| Use { label, ever: false, always: false, moves: false };
        let mut uses: Vec<Use> = fsm.alphabet().iter().map(unused).collect();
        let mut allowing = vec![0usize; uses.len()];
        for s in fsm.lts().states() {
            for same in fsm.lts().row(s).chunk_by(|e, f| e.label == f.label).filter(|same| !same[0].label.is_tau()) {
                let at = uses.binary_search_by_key(&same[0].label, |u| u.label).expect("labels are in the alphabet");
                allowing[at] += 1;
                uses[at].moves |= same.iter().any(|e| e.target != s);
            }
        }
        for (u, allowing) in uses.iter_mut().zip(allowing) {
            (u.ever, u.always) = (allowing > 0, allowing == fsm.len());
        }
        Self(uses)
    }

    fn of_label(&self, label: LabelId) -> Option<&Use> {
        self.0.binary_search_by_key(&label, |u| u.label).ok().map(|at| &self.0[at])
    }

    /// Whether the machine neither prevents nor notices a label.
    pub fn indifferent(&self, label: LabelId) -> bool {
        self.of_label(label).is_some_and(|u| u.always && !u.moves)
    }
}

/// How many machines treat a label in some way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Count {
    takers: u32,
    /// They block it in all states.
    blocking: u32,
    /// They do not always allow it.
    refusing: u32,
    /// It leads from one state of theirs to another.
    moving: u32,
}

/// How all machines together treat each label.
#[derive(Clone, Debug)]
pub struct Table(Vec<Count>);

impl Table {
    /// For so many labels, without any machine.
    pub fn new(labels: usize) -> Self {
        Self(vec![Count::default(); labels])
    }

    fn update(&mut self, uses: &Uses, change: impl Fn(&mut u32)) {
        for u in &uses.0 {
            let count = &mut self.0[u.label.at()];
            change(&mut count.takers);
            (!u.ever).then(|| change(&mut count.blocking));
            (!u.always).then(|| change(&mut count.refusing));
            u.moves.then(|| change(&mut count.moving));
        }
    }

    /// A machine is there.
    pub fn add(&mut self, uses: &Uses) {
        self.update(uses, |n| *n += 1);
    }

    /// A machine is no longer there.
    pub fn remove(&mut self, uses: &Uses) {
        self.update(uses, |n| *n -= 1);
    }

    /// Whether only one machine takes part in it.
    pub fn private(&self, label: LabelId) -> bool {
        self.0[label.at()].takers == 1
    }
}

/// What one machine knows of the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others<'a>(Option<(&'a Table, &'a Uses)>);

impl<'a> Others<'a> {
    /// The others of a machine that is in the table with these uses.
    pub fn of(table: &'a Table, own: &'a Uses) -> Self {
        Self(Some((table, own)))
    }

    /// Whether one of the others blocks a label in all its states.
    pub fn block(&self, label: LabelId) -> bool {
        self.0.is_some_and(|(table, own)| {
            own.of_label(label).is_some_and(|own| table.0[label.at()].blocking > u32::from(!own.ever))
        })
    }

    /// Whether all others allow a label in all their states.
    pub fn always_allow(&self, label: LabelId) -> bool {
        self.nobody(label, |count, own| count.refusing - u32::from(!own.always))
    }

    /// Whether no other moves under a label.
    pub fn stay(&self, label: LabelId) -> bool {
        self.nobody(label, |count, own| count.moving - u32::from(own.moves))
    }

    fn nobody(&self, label: LabelId, how_many: impl Fn(&Count, &Use) -> u32) -> bool {
        self.0
            .is_some_and(|(table, own)| own.of_label(label).is_some_and(|own| how_many(&table.0[label.at()], own) == 0))
    }
}

/// States beyond which only self-loops are looked at: what silent steps lead to is found for each state anew.
const MOST_CLOSED: usize = 1 << 12;

/// The rows without transitions under labels that move nobody else, where silent steps lead to the same place; none where all stay.
pub fn without_idle(fsm: &Fsm, others: &Others) -> Option<Lts> {
    let candidates = |e: &Edge| !e.label.is_tau() && others.stay(e.label);
    let mut idle: Vec<(StateId, Edge)> = Vec::new();
    let mut reached = FixedBitSet::new();
    for s in fsm.lts().states() {
        let mut edges = fsm.lts().row(s).iter().filter(|e| candidates(e)).peekable();
        if edges.peek().is_none() {
            continue;
        }
        let silent = fsm.len() <= MOST_CLOSED && !fsm.silent(s).is_empty();
        if silent {
            reached = fsm.silently_after([s]);
        }
        idle.extend(edges.filter(|e| e.target == s || silent && reached.contains(e.target.at())).map(|&e| (s, e)));
    }
    (!idle.is_empty()).then(|| fsm.filtered(|s, e| idle.binary_search(&(s, *e)).is_err()))
}
