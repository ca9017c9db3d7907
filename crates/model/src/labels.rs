//! The label table of a network.
//!
//! A label is a way of moving together; what an observer sees of it is its *action*. The two differ where a network was
//! composed with synchronisation vectors, hiding or renaming: two labels may be seen as one action, and a hidden label still
//! synchronises its components but is seen as tau.

use super::index::LabelId;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Names of labels, and what each is seen as.
#[derive(Clone, Debug)]
pub struct Labels {
    names: IndexSet<Box<str>, FxBuildHasher>,
    /// The label whose name an observer sees; a label that is seen as itself points at itself.
    seen_as: Vec<LabelId>,
}

/// What tau is filed under: no visible label can be called so, not even one that is called `tau`.
const TAU_KEY: &str = "\0tau";

impl Default for Labels {
    fn default() -> Self {
        let mut names = IndexSet::default();
        names.insert(TAU_KEY.into());
        Self { names, seen_as: vec![LabelId::TAU] }
    }
}

impl Labels {
    /// A table that holds tau only.
    pub fn new() -> Self {
        Self::default()
    }

    /// The label of this name, new if need be, seen as itself.
    pub fn intern(&mut self, name: &str) -> LabelId {
        if let Some(at) = self.names.get_index_of(name) {
            return LabelId::new(at);
        }
        let (at, _) = self.names.insert_full(name.into());
        let id = LabelId::new(at);
        self.seen_as.push(id);
        id
    }

    /// A label of its own whose name starts with `name`, whatever other labels are called.
    pub fn fresh(&mut self, name: &str) -> LabelId {
        if !self.names.contains(name) {
            return self.intern(name);
        }
        let unused = (2u32..).map(|n| format!("{name}#{n}")).find(|n| !self.names.contains(n.as_str()));
        self.intern(&unused.expect("some number is unused"))
    }

    /// Lets observers see `label` as `action` ([`LabelId::TAU`] hides it).
    pub fn show(&mut self, label: LabelId, action: LabelId) {
        assert!(!label.is_tau(), "tau is seen as tau");
        self.seen_as[label.at()] = action;
    }

    /// The label with this name, if there is one; `tau` is the internal step unless a visible label is called so.
    pub fn get(&self, name: &str) -> Option<LabelId> {
        let visible = self.names.get_index_of(name).map(LabelId::new);
        visible.or_else(|| (name == "tau").then_some(LabelId::TAU))
    }

    /// The label's own name.
    pub fn name(&self, label: LabelId) -> &str {
        if label.is_tau() { "tau" } else { &self.names[label.at()] }
    }

    /// The action an observer sees.
    #[inline]
    pub fn action(&self, label: LabelId) -> LabelId {
        self.seen_as[label.at()]
    }

    /// The name of the action an observer sees.
    pub fn seen(&self, label: LabelId) -> &str {
        self.name(self.action(label))
    }

    /// How many labels, tau included.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: tau is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All labels but tau.
    pub fn visible(&self) -> impl ExactSizeIterator<Item = LabelId> + use<> {
        (1..self.len()).map(LabelId::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_label_never_collides() {
        let mut labels = Labels::new();
        let a = labels.intern("a");
        let two = labels.fresh("a");
        let three = labels.fresh("a");
        assert_eq!(labels.intern("a"), a);
        assert_eq!([labels.name(two), labels.name(three)], ["a#2", "a#3"]);
    }

    #[test]
    fn a_visible_label_may_be_called_tau() {
        let mut labels = Labels::new();
        assert_eq!(labels.get("tau"), Some(LabelId::TAU));
        let visible = labels.intern("tau");
        assert!(!visible.is_tau());
        assert_eq!(labels.get("tau"), Some(visible));
        assert_eq!(labels.name(LabelId::TAU), "tau");
    }

    #[test]
    fn hiding_keeps_the_name_and_changes_what_is_seen() {
        let mut labels = Labels::new();
        let (a, b) = (labels.intern("a"), labels.intern("b"));
        labels.show(a, LabelId::TAU);
        labels.show(b, a);
        assert_eq!((labels.name(a), labels.seen(a)), ("a", "tau"));
        assert_eq!((labels.name(b), labels.seen(b)), ("b", "a"));
    }
}
