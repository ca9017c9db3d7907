//! A run with its past: whatever the model is, steps can be undone and expressions watched.

use super::{Offered, Simulation, Taken};
use prequel_formats::diag::Diagnostic;

/// Every so many steps a state is kept, so that going back does not begin at the start.
const KEPT: usize = 64;

/// What is different from one kind of model to the next.
pub trait System {
    /// A state of a run.
    type State: Clone;
    /// A step that may be taken.
    type Move: Clone + PartialEq;
    /// Something to be watched.
    type Expression;

    /// Where a run begins.
    fn start(&self) -> Self::State;
    /// What may be done in a state.
    fn moves(&self, state: &Self::State) -> Vec<Self::Move>;
    /// A step in words.
    fn offered(&self, state: &Self::State, step: &Self::Move) -> Offered;
    /// Takes it.
    fn take(&self, state: &mut Self::State, step: &Self::Move) -> Taken;
    /// What has a value.
    fn values(&self, state: &Self::State) -> Vec<(String, String)>;
    /// Where everybody is.
    fn places(&self, state: &Self::State) -> Vec<String>;
    /// Reads an expression.
    fn read(&self, text: &str) -> Result<Self::Expression, Vec<Diagnostic>>;
    /// Its value.
    fn value(&self, state: &Self::State, expression: &Self::Expression) -> String;
    /// Why nothing may be done.
    fn end(&self, state: &Self::State) -> Vec<String>;
}

/// A run of a system.
pub struct Stepped<S: System> {
    system: S,
    state: S::State,
    taken: Vec<S::Move>,
    kept: Vec<S::State>,
    guide: Vec<S::Move>,
    /// How many of the steps taken are those of the guide, from the first one on.
    followed: usize,
    watched: Vec<S::Expression>,
}

impl<S: System> Stepped<S> {
    /// A run that has not begun.
    pub fn new(system: S, guide: Vec<S::Move>) -> Self {
        let state = system.start();
        let kept = vec![state.clone()];
        Self { system, state, taken: Vec::new(), kept, guide, followed: 0, watched: Vec::new() }
    }
}

impl<S: System> Simulation for Stepped<S> {
    fn offered(&self) -> Vec<Offered> {
        self.system.moves(&self.state).iter().map(|step| self.system.offered(&self.state, step)).collect()
    }

    fn take(&mut self, choice: usize) -> Taken {
        let Some(step) = self.system.moves(&self.state).into_iter().nth(choice) else { return Taken::default() };
        let taken = self.system.take(&mut self.state, &step);
        if self.followed == self.taken.len() && self.guide.get(self.followed) == Some(&step) {
            self.followed += 1;
        }
        self.taken.push(step);
        if self.taken.len().is_multiple_of(KEPT) {
            self.kept.push(self.state.clone());
        }
        taken
    }

    fn back(&mut self) -> bool {
        if self.taken.pop().is_none() {
            return false;
        }
        self.followed = self.followed.min(self.taken.len());
        self.kept.truncate(self.taken.len() / KEPT + 1);
        let last = self.kept.len() - 1;
        self.state = self.kept[last].clone();
        for step in &self.taken[last * KEPT..] {
            self.system.take(&mut self.state, step);
        }
        true
    }

    fn steps(&self) -> usize {
        self.taken.len()
    }

    fn guided(&self) -> Option<usize> {
        let next = self.guide.get(self.taken.len()).filter(|_| self.followed == self.taken.len())?;
        self.system.moves(&self.state).iter().position(|step| step == next)
    }

    fn guide(&self) -> usize {
        self.guide.len()
    }

    fn values(&self) -> Vec<(String, String)> {
        self.system.values(&self.state)
    }

    fn places(&self) -> Vec<String> {
        self.system.places(&self.state)
    }

    fn watch(&mut self, text: &str) -> Result<usize, Vec<Diagnostic>> {
        self.watched.push(self.system.read(text)?);
        Ok(self.watched.len() - 1)
    }

    fn watched(&self, number: usize) -> String {
        self.watched.get(number).map_or_else(String::new, |expression| self.system.value(&self.state, expression))
    }

    fn end(&self) -> Vec<String> {
        self.system.end(&self.state)
    }
}
