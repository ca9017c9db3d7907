//! Who answers the learner: M₁ and the monitor say which words are harmless, M₂ which are asked for.

use super::table::{Conjecture, Word};
use crate::algo::explicit::{Until, explore};
use crate::algo::product::Product;
use crate::safety::Safety;
use crate::weave::run_on;
use prequel_model::run::{Check, Run};
use prequel_model::{Component, ComponentId, LabelId, Lts, StateId, Transition, Why};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What is found about premise 2.
#[derive(Debug)]
pub enum Judged {
    /// All words of M₂ are in the assumption.
    Covered,
    /// This word of M₂ is not, and should be.
    Harmless(Word),
    /// This word of all parts is one of M₂ with which M₁ does harm.
    Harm(Vec<LabelId>),
}

/// The parts, and what is known of them by now.
pub struct Teacher<'a> {
    labels: usize,
    near: Vec<&'a Component>,
    far: Vec<&'a Component>,
    monitor: &'a Component,
    /// The letters: labels of M₂ that M₁ or the monitor sees.
    alphabet: Vec<LabelId>,
    run: &'a Run,
    known: Known<'a>,
    /// Membership queries so far.
    asked: u64,
}

impl<'a> Teacher<'a> {
    /// A teacher for two halves, by places of parts.
    pub fn new(safety: &'a Safety, near: &[usize], far: &[usize], run: &'a Run) -> Self {
        let parts = |half: &[usize]| half.iter().map(|&at| &safety.parts[at]).collect::<Vec<_>>();
        let (near, far, monitor) = (parts(near), parts(far), &safety.monitor);
        let seen = |l: LabelId| monitor.takes_part(l) || near.iter().any(|part| part.takes_part(l));
        let mut alphabet: Vec<LabelId> =
            far.iter().flat_map(|part| part.alphabet()).copied().filter(|&l| seen(l)).collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        let mut beside = near.clone();
        beside.push(monitor);
        let known = Known::new(Product::new(safety.labels, beside), monitor, &alphabet, run);
        Self { labels: safety.labels, near, far, monitor, alphabet, run, known, asked: 0 }
    }

    /// The letters.
    pub fn alphabet(&self) -> &[LabelId] {
        &self.alphabet
    }

    /// Membership: whether M₁ and the monitor can do this word without harm, whatever they do between its letters.
    pub fn harmless(&mut self, word: &[u32]) -> Result<bool, Why> {
        self.asked += 1;
        if self.asked.is_multiple_of(1024) {
            self.run.allowed()?;
        }
        let mut set = self.known.start()?;
        for &letter in word {
            set = self.known.after(set, letter)?;
        }
        Ok(set != Known::HARM)
    }

    /// Premise 1: a word of the assumption with which M₁ does harm, if there is one.
    pub fn first(&self, conjecture: &Conjecture) -> Result<Option<Word>, Why> {
        if !conjecture.accepts[0] {
            // There is harm before the first letter: the assumption has no word at all.
            return Ok(None);
        }
        Ok(self.harm(&self.component(conjecture, false))?.map(|word| self.letters(&word)))
    }

    /// A conjecture as an automaton.
    pub fn assumption(&self, conjecture: &Conjecture) -> Component {
        self.component(conjecture, false)
    }

    /// Premise 2: whether M₂ does a word that the assumption does not have.
    pub fn second(&mut self, conjecture: &Conjecture) -> Result<Judged, Why> {
        let assumption = self.component(conjecture, true);
        let mut parts = self.far.clone();
        parts.push(&assumption);
        let Some(theirs) = self.search(parts, &assumption)? else { return Ok(Judged::Covered) };
        let word = self.letters(&theirs);
        if self.harmless(&word)? {
            return Ok(Judged::Harmless(word));
        }
        let line = |at: usize, &letter: &u32| Transition::new(at as u32, self.alphabet[letter as usize], at as u32 + 1);
        let edges = word.iter().enumerate().map(|(at, letter)| line(at, letter)).collect();
        let lts = Lts::new(StateId(0), word.len() + 1, edges);
        let only = Component::with_alphabet("word", lts, self.alphabet.iter().copied());
        let ours = self.harm(&only)?.expect("membership has found harm on this word");
        Ok(Judged::Harm(self.together(&ours, &theirs)))
    }

    /// A word of M₁, the monitor and something over the letters that does harm.
    fn harm(&self, beside: &Component) -> Result<Option<Vec<LabelId>>, Why> {
        let mut parts = self.near.clone();
        parts.extend([beside, self.monitor]);
        self.search(parts, self.monitor)
    }

    /// A word of parts that leads where the last of them is marked.
    fn search(&self, parts: Vec<&Component>, last: &Component) -> Result<Option<Vec<LabelId>>, Why> {
        let at = ComponentId::new(parts.len() - 1);
        let product = Product::new(self.labels, parts);
        let is_marked = |state: &[u64]| last.lts.is_marked(product.local(state, at));
        let check = self.run.check();
        let counted = |states, transitions| check.explored(states, transitions);
        let lts = explore(&product, |l| l, is_marked, Until::Marked, counted)?.lts;
        if !lts.has_marked() {
            return Ok(None);
        }
        let path = run_on(&lts, &[], |_| true, |s| lts.is_marked(s)).expect("what was met can be reached");
        Ok(Some(path.iter().map(|t| t.label).filter(|l| !l.is_tau()).collect()))
    }

    /// The conjecture as a component: what it does not accept is not there, or one marked state without a way out.
    fn component(&self, conjecture: &Conjecture, with_rest: bool) -> Component {
        let states = conjecture.access.len();
        let rest = StateId::new(states);
        let mut edges = Vec::new();
        for from in (0..states).filter(|&s| conjecture.accepts[s]) {
            for (letter, &to) in conjecture.next[from].iter().enumerate() {
                let target = if conjecture.accepts[to as usize] { StateId(to) } else { rest };
                if target != rest || with_rest {
                    edges.push(Transition { source: StateId::new(from), label: self.alphabet[letter], target });
                }
            }
        }
        let initial = if conjecture.accepts[0] { StateId(0) } else { rest };
        let marked = [rest].into_iter().filter(|_| with_rest);
        let lts = Lts::new(initial, states + 1, edges).with_marked(marked);
        Component::with_alphabet("assumption", lts, self.alphabet.iter().copied())
    }

    /// The letters of a word.
    fn letters(&self, word: &[LabelId]) -> Word {
        word.iter().filter_map(|l| self.alphabet.binary_search(l).ok()).map(|at| at as u32).collect()
    }

    /// Two words with the same letters as one: what one half does alone comes before the next letter.
    fn together(&self, ours: &[LabelId], theirs: &[LabelId]) -> Vec<LabelId> {
        let is_letter = |l: &LabelId| self.alphabet.binary_search(l).is_ok();
        let (mut word, mut rest) = (Vec::new(), theirs.iter());
        for l in ours {
            if is_letter(l) {
                word.extend(rest.by_ref().take_while(|other| !is_letter(other)));
            }
            word.push(*l);
        }
        word
    }
}

/// The steps of a state: the letter, if it has one, and the next state.
type Steps = Rc<[(Option<u32>, u32)]>;

/// Sets of states of M₁ and the monitor that words lead to, found when they are asked for.
struct Known<'a> {
    product: Product<'a>,
    monitor: &'a Component,
    /// The place of each label among the letters.
    letter: FxHashMap<LabelId, u32>,
    check: Check<'a>,
    /// States that were met, packed, by number.
    states: Vec<Box<[u64]>>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// Per state, once it was looked at, its steps: with a letter or without.
    steps: Vec<Option<Steps>>,
    /// Sets of states, sorted and closed under steps without a letter, by number.
    sets: Vec<Rc<[u32]>>,
    set_numbers: FxHashMap<Rc<[u32]>, u32>,
    /// Where a letter leads from a set.
    next: FxHashMap<(u32, u32), u32>,
    /// Where the empty word leads.
    start: Option<u32>,
}

impl<'a> Known<'a> {
    /// What stands for all sets with harm in them: words stay harmful.
    const HARM: u32 = u32::MAX;

    fn new(product: Product<'a>, monitor: &'a Component, alphabet: &[LabelId], run: &'a Run) -> Self {
        let letter = alphabet.iter().enumerate().map(|(at, &l)| (l, at as u32)).collect();
        let (states, numbers, steps) = (Vec::new(), FxHashMap::default(), Vec::new());
        let (sets, set_numbers, next) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        let (check, start) = (run.check(), None);
        Self { product, monitor, letter, check, states, numbers, steps, sets, set_numbers, next, start }
    }

    /// Where the empty word leads.
    fn start(&mut self) -> Result<u32, Why> {
        if let Some(start) = self.start {
            return Ok(start);
        }
        let initial = self.product.initial();
        let state = self.number(&initial);
        let start = self.closed(vec![state])?;
        self.start = Some(start);
        Ok(start)
    }

    /// Where a letter leads from a set.
    fn after(&mut self, set: u32, letter: u32) -> Result<u32, Why> {
        if set == Self::HARM {
            return Ok(Self::HARM);
        }
        if let Some(&known) = self.next.get(&(set, letter)) {
            return Ok(known);
        }
        let mut targets = Vec::new();
        for &state in self.sets[set as usize].clone().iter() {
            targets.extend(self.steps_of(state)?.iter().filter(|step| step.0 == Some(letter)).map(|step| step.1));
        }
        let target = self.closed(targets)?;
        self.next.insert((set, letter), target);
        Ok(target)
    }

    /// The set of what can be reached from some states without a letter.
    fn closed(&mut self, mut states: Vec<u32>) -> Result<u32, Why> {
        let mut seen: FxHashSet<u32> = states.iter().copied().collect();
        states = seen.iter().copied().collect();
        let mut at = 0;
        while at < states.len() {
            if self.is_harm(states[at]) {
                return Ok(Self::HARM);
            }
            for &(letter, target) in self.steps_of(states[at])?.iter() {
                if letter.is_none() && seen.insert(target) {
                    states.push(target);
                }
            }
            at += 1;
        }
        states.sort_unstable();
        let (fresh, set): (u32, Rc<[u32]>) = (self.sets.len() as u32, states.into());
        let number = *self.set_numbers.entry(set.clone()).or_insert(fresh);
        if number == fresh {
            self.sets.push(set);
        }
        Ok(number)
    }

    fn is_harm(&self, state: u32) -> bool {
        let monitor = ComponentId::new(self.product.len() - 1);
        self.monitor.lts.is_marked(self.product.local(&self.states[state as usize], monitor))
    }

    fn number(&mut self, packed: &[u64]) -> u32 {
        if let Some(&number) = self.numbers.get(packed) {
            return number;
        }
        let number = self.states.len() as u32;
        self.numbers.insert(packed.into(), number);
        self.states.push(packed.into());
        self.steps.push(None);
        number
    }

    fn steps_of(&mut self, state: u32) -> Result<Steps, Why> {
        if let Some(steps) = &self.steps[state as usize] {
            return Ok(steps.clone());
        }
        let (mut out, mut labels) = (Vec::new(), Vec::new());
        self.product.labelled_successors(&self.states[state as usize], &mut out, &mut labels);
        self.check.explored(1, labels.len() as u64)?;
        let words = self.product.words();
        let mut steps = Vec::with_capacity(labels.len());
        for (next, label) in out.chunks_exact(words).zip(&labels) {
            let letter = self.letter.get(label).copied();
            steps.push((letter, self.number(next)));
        }
        let steps: Steps = steps.into();
        self.steps[state as usize] = Some(steps.clone());
        Ok(steps)
    }
}
