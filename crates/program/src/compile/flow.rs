//! The statements of a body as a graph of elements, as SPIN builds it: this decides which positions are states, and where
//! atomicity ends.
//!
//! An `if` is an element with one sequence for each option and is followed by a joint (`.(goto)`); a `do` has its joint in front
//! and a `break` behind. Blocks are elements that hold a sequence.

use crate::data::Action;
use prequel_formats::promela::source::Span;

/// Number of an element; they count up in the order of creation.
pub type Id = usize;
/// Number of a sequence.
pub type SeqId = usize;

/// What an element is.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Where the options of a selection meet.
    Joint,
    /// Where a loop is left to.
    Exit,
    /// A jump: to a loop's exit, or to a label.
    Goto(Jump),
    /// `if` and `do`.
    Select(Vec<SeqId>),
    /// Body and escape.
    Unless(SeqId, SeqId),
    /// `atomic`
    Atomic(SeqId),
    /// A block.
    Plain(SeqId),
    /// `d_step`
    DStep(SeqId),
    /// `else`
    Else,
    /// A statement proper.
    Basic(Action),
    /// The end of the process.
    End,
}

/// Where a `goto` or `break` goes.
#[derive(Clone, PartialEq, Debug)]
pub enum Jump {
    /// To a label, by its number in the flow.
    Label(usize),
    /// Out of a loop, by its number.
    Loop(usize),
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub struct Element {
    /// What it is.
    pub kind: Kind,
    /// What comes after it.
    pub next: Option<Id>,
    /// Control stays with the process after it.
    pub atomic: bool,
    /// The last of an `atomic`.
    pub last: bool,
    /// Escapes, the innermost last.
    pub escapes: Vec<SeqId>,
    /// Where it is written.
    pub span: Span,
    /// A `skip` or `printf`, as far as the pruning of options is concerned.
    pub idle: Idle,
}

/// Whether an element does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// It does something.
    No,
    /// `skip`
    Skip,
    /// `printf`
    Print,
}

/// Elements one after the other.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The first.
    pub first: Option<Id>,
    /// The last, joints included.
    pub last: Option<Id>,
    /// The last that was written.
    pub extent: Option<Id>,
}

/// A label and where it stands.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: Box<str>,
    /// The block that it stands in.
    pub scope: usize,
    /// Its element.
    pub element: Id,
}

/// The graph of one body.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// All elements.
    pub elements: Vec<Element>,
    /// All sequences.
    pub sequences: Vec<Sequence>,
    /// All labels, in order.
    pub labels: Vec<Label>,
    /// The exit of each loop, once it is known.
    pub exits: Vec<Id>,
    /// What each label jump is to: name, block and place.
    pub jumps: Vec<(Box<str>, usize, Span)>,
}

impl Flow {
    /// A new element.
    pub fn element(&mut self, kind: Kind, span: Span) -> Id {
        let (next, escapes, idle) = (None, Vec::new(), Idle::No);
        self.elements.push(Element { kind, next, atomic: false, last: false, escapes, span, idle });
        self.elements.len() - 1
    }

    /// A new sequence.
    pub fn sequence(&mut self) -> SeqId {
        self.sequences.push(Sequence::default());
        self.sequences.len() - 1
    }

    /// Whether an element has a label that begins with one of these.
    pub fn labelled(&self, element: Id, prefixes: &[&str]) -> bool {
        let wanted =
            |label: &Label| label.element == element && prefixes.iter().any(|prefix| label.name.starts_with(prefix));
        self.labels.iter().any(wanted)
    }

    /// Puts an element at the end of a sequence.
    pub fn append(&mut self, element: Id, sequence: SeqId) {
        if matches!(self.elements[element].kind, Kind::Goto(_))
            && self.labelled(element, &["accept", "end", "progress"])
        {
            // A jump is no state, so a label that matters goes to a step before it.
            let span = self.elements[element].span;
            let skip = self.element(Kind::Basic(Action::Skip), span);
            self.elements[skip].idle = Idle::Skip;
            if let Some(label) = self.labels.iter_mut().rev().find(|label| label.element == element) {
                label.element = skip;
            }
            self.link(skip, sequence);
        }
        self.link(element, sequence);
    }

    fn link(&mut self, element: Id, sequence: SeqId) {
        match self.sequences[sequence].last {
            None => self.sequences[sequence].first = Some(element),
            Some(last) => self.elements[last].next = Some(element),
        }
        self.sequences[sequence].last = Some(element);
    }

    /// A sequence is complete as far as it is written.
    pub fn close(&mut self, sequence: SeqId) {
        self.sequences[sequence].extent = self.sequences[sequence].last;
    }

    /// Appends an `if` to a sequence; gives the element for its label.
    pub fn select(&mut self, options: Vec<SeqId>, is_loop: Option<usize>, span: Span, sequence: SeqId) -> Id {
        let (elses, mut ordered): (Vec<SeqId>, Vec<SeqId>) = options.into_iter().partition(|&option| {
            self.sequences[option].first.is_some_and(|first| self.elements[first].kind == Kind::Else)
        });
        ordered.extend(elses);
        let select = self.element(Kind::Select(ordered.clone()), span);
        let joint = self.element(Kind::Joint, span);
        for &option in &ordered {
            self.append(joint, option);
        }
        match is_loop {
            None => {
                self.append(select, sequence);
                self.append(joint, sequence);
            }
            Some(number) => {
                self.append(joint, sequence);
                let exit = self.element(Kind::Exit, span);
                self.exits[number] = exit;
                self.append(select, sequence);
                self.append(exit, sequence);
            }
        }
        select
    }

    /// Takes out what SPIN takes out of an option: a `skip` after another idle statement, unless it ends the option.
    pub fn prune(&mut self, option: SeqId) {
        let Sequence { first: Some(first), last, .. } = self.sequences[option] else { return };
        let (mut before, mut idle) = (first, 0);
        let mut at = Some(first);
        while let Some(element) = at {
            at = if Some(element) == last { None } else { self.elements[element].next };
            let kind = self.elements[element].idle;
            if kind == Idle::No || self.labelled(element, &[""]) {
                idle = 0;
            } else {
                idle += 1;
                if idle > 1 && kind == Idle::Skip && element != first && Some(element) != last {
                    self.elements[before].next = self.elements[element].next;
                    continue;
                }
            }
            before = element;
        }
    }

    /// Appends an `unless`; gives its element.
    pub fn unless(&mut self, body: SeqId, escape: SeqId, span: Span, sequence: SeqId) -> Id {
        let unless = self.element(Kind::Unless(body, escape), span);
        let joint = self.element(Kind::Joint, span);
        self.append(joint, body);
        self.append(joint, escape);
        self.attach(body, escape);
        self.append(unless, sequence);
        self.append(joint, sequence);
        unless
    }

    /// Gives every element of a sequence an escape.
    fn attach(&mut self, sequence: SeqId, escape: SeqId) {
        let mut at = self.sequences[sequence].first;
        while let Some(element) = at {
            self.attach_to(element, escape);
            if Some(element) == self.sequences[sequence].extent {
                break;
            }
            at = self.elements[element].next;
        }
    }

    fn attach_to(&mut self, element: Id, escape: SeqId) {
        if self.elements[element].escapes.contains(&escape) {
            return;
        }
        for inner in self.elements[element].escapes.clone() {
            self.attach(inner, escape);
        }
        self.elements[element].escapes.insert(0, escape);
        match self.elements[element].kind.clone() {
            Kind::Unless(body, _) => self.attach(body, escape),
            Kind::Select(options) => {
                for option in options {
                    self.attach(option, escape);
                }
            }
            Kind::DStep(inner) => {
                if let Some(first) = self.sequences[inner].first {
                    self.attach_to(first, escape);
                }
            }
            Kind::Atomic(inner) | Kind::Plain(inner) => self.attach(inner, escape),
            _ => {}
        }
    }

    /// Makes a sequence indivisible.
    pub fn make_atomic(&mut self, sequence: SeqId, in_step: bool) {
        self.walk_atomic(sequence, in_step);
        let Some(last) = self.sequences[sequence].last else { return };
        match self.elements[last].kind {
            Kind::Plain(inner) | Kind::Atomic(inner) => self.make_atomic(inner, in_step),
            _ => {
                self.elements[last].atomic = false;
                self.elements[last].last = true;
            }
        }
    }

    fn walk_atomic(&mut self, sequence: SeqId, in_step: bool) {
        let mut at = self.sequences[sequence].first;
        while let Some(element) = at {
            self.elements[element].atomic = true;
            match self.elements[element].kind.clone() {
                Kind::Atomic(inner) => {
                    self.elements[element].kind = Kind::Plain(inner);
                    self.walk_atomic(inner, in_step);
                }
                Kind::DStep(inner) if in_step => {
                    self.elements[element].kind = Kind::Plain(inner);
                    self.walk_atomic(inner, in_step);
                }
                Kind::Plain(inner) => self.walk_atomic(inner, in_step),
                Kind::Select(options) => {
                    for option in options {
                        self.walk_atomic(option, in_step);
                    }
                }
                Kind::Unless(body, escape) => {
                    self.walk_atomic(body, in_step);
                    self.walk_atomic(escape, in_step);
                }
                _ => {}
            }
            if Some(element) == self.sequences[sequence].last {
                break;
            }
            at = self.elements[element].next;
        }
    }
}
