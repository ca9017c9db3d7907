//! Flattening: from a tree of operators to a network whose components are the files.
//!
//! Each subterm is a list of *instances*: ways of moving together, each with the own labels of the components that take
//! part, and with what an observer sees so far. Operators combine instances and change what is seen; at the end each instance
//! is a label of the network. Hidden instances are final and leave the tree at once.

use super::link::{Linked, Loaded};
use super::pattern::gate;
use super::syntax::{Behaviour, Common, Label, Match, Operator, Vector};
use super::{Fault, Findings};
use crate::aut;
use crate::diag::Diagnostic;
use indexmap::{IndexMap, IndexSet};
use prequel_model::{Component, LabelId, Labels, Lts, Network, Origin, Source, Transition};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A label text, by number.
type Name = u32;

/// Parts of instances that composing may create: synchronisation of alternatives multiplies them.
const MOST_PARTS: usize = 50_000_000;

/// One component's part in an instance.
#[derive(Clone, Copy, Debug)]
struct Part {
    component: u32,
    /// Its own label, or nothing: it takes part but never can, so that the instance is blocked.
    own: Option<LabelId>,
}

/// A way of moving together.
#[derive(Clone, Debug)]
struct Instance {
    seen: Name,
    /// In component order.
    parts: Vec<Part>,
}

/// A subterm: its visible instances, and its first component, which stands in where a label is missing.
struct Term {
    first: u32,
    visible: Vec<Instance>,
}

/// Composes what was read. Nothing when it would become too large.
pub fn compose(
    linked: &Linked,
    loaded: &[Loaded],
    dialect: &aut::Dialect,
    findings: &mut Findings,
) -> Option<(Network, Origin)> {
    let mut names = Names::default();
    let visible = |file: &Loaded, names: &mut Names| {
        file.labels.visible().map(|own| (own, names.intern(file.labels.name(own)))).collect()
    };
    let alphabets = loaded.iter().map(|file| visible(file, &mut names)).collect();
    // A label table knows `tau` for tau, whatever the dialect.
    let tau = dialect.tau.iter().map(|t| names.intern(t)).collect::<Vec<_>>();
    let tau = tau.into_iter().chain([names.intern("tau")]).collect();
    let component_names = component_names(linked, loaded);
    let mut composer = Composer {
        linked,
        findings,
        names,
        alphabets,
        tau,
        component_names: &component_names,
        hidden: Vec::new(),
        dropped: Vec::new(),
        parts: 0,
        source: 0,
    };
    let term = composer.term(&linked.body)?;
    let Composer { names, hidden, dropped, .. } = composer;
    let (labels, rows) = label(&names, term.visible, hidden, dropped, linked.components.len());
    let built: Result<Vec<Component>, &str> = rows
        .into_par_iter()
        .zip(&linked.components)
        .zip(&component_names)
        .map(|((row, &file), name)| relabelled(&loaded[file as usize].lts, row, name).ok_or(&**name))
        .collect();
    match built {
        Ok(components) => {
            let source = |&file: &u32| Source { file: Some(loaded[file as usize].path.clone()), state_names: None };
            let origin = Origin { sources: linked.components.iter().map(source).collect() };
            Some((Network::new(labels, components), origin))
        }
        Err(name) => {
            let message = format!("`{name}` has more than {} transitions when composed", u32::MAX);
            let help = "its labels take part in very many synchronisations; minimise it first";
            findings.errors.push(Diagnostic::error(&*linked.sources[0].file, message).help(help));
            None
        }
    }
}

/// File stems, made unique by number.
fn component_names(linked: &Linked, loaded: &[Loaded]) -> Vec<Box<str>> {
    let stem = |file: &u32| loaded[*file as usize].path.file_stem().unwrap_or_default().to_string_lossy();
    let stems: FxHashSet<Box<str>> = linked.components.iter().map(|file| stem(file).into()).collect();
    let mut uses: FxHashMap<Box<str>, u32> = FxHashMap::default();
    let numbered = |file: &u32| {
        let stem = stem(file);
        let count = uses.entry(stem.as_ref().into()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return stem.into();
        }
        loop {
            let name = format!("{stem}#{count}");
            if !stems.contains(name.as_str()) {
                return name.into();
            }
            *count += 1;
        }
    };
    linked.components.iter().map(numbered).collect()
}

/// Label texts by number, with their gates.
#[derive(Default)]
struct Names {
    texts: IndexSet<Box<str>, FxBuildHasher>,
    gates: Vec<Option<Name>>,
}

impl Names {
    fn intern(&mut self, text: &str) -> Name {
        if let Some(at) = self.texts.get_index_of(text) {
            return at as Name;
        }
        self.gates.push(None);
        self.texts.insert_full(text.into()).0 as Name
    }

    fn text(&self, name: Name) -> &str {
        &self.texts[name as usize]
    }

    fn gate(&mut self, name: Name) -> Name {
        if let Some(known) = self.gates[name as usize] {
            return known;
        }
        let text = gate(self.text(name)).to_owned();
        let found = self.intern(&text);
        self.gates[name as usize] = Some(found);
        found
    }

    /// What a list compares.
    fn key(&mut self, name: Name, by: Match) -> Name {
        if by == Match::Gate { self.gate(name) } else { name }
    }

    /// The label with another gate in place of its own.
    fn with_gate(&mut self, name: Name, new: &str) -> Name {
        let text = self.text(name);
        let renamed = format!("{new}{}", &text[gate(text).len()..]);
        self.intern(&renamed)
    }
}

struct Composer<'a> {
    linked: &'a Linked,
    findings: &'a mut Findings,
    names: Names,
    /// Of each file: own labels and their names.
    alphabets: Vec<Vec<(LabelId, Name)>>,
    tau: FxHashSet<Name>,
    component_names: &'a [Box<str>],
    hidden: Vec<Instance>,
    /// What would have been seen of instances that cannot happen: a query may still ask for it.
    dropped: Vec<Name>,
    /// Parts created by synchronisation so far.
    parts: usize,
    /// The text that is being composed.
    source: usize,
}

impl Composer<'_> {
    fn term(&mut self, behaviour: &Behaviour) -> Option<Term> {
        match behaviour {
            Behaviour::Component(component) => {
                let file = self.linked.components[*component as usize];
                let one = |&(own, seen)| Instance { seen, parts: vec![Part { component: *component, own: Some(own) }] };
                let visible = self.alphabets[file as usize].iter().map(one).collect();
                Some(Term { first: *component, visible })
            }
            Behaviour::Included(source, body) => {
                let outer = std::mem::replace(&mut self.source, *source);
                let term = self.term(body);
                self.source = outer;
                term
            }
            Behaviour::Chain(operands, operators) => self.chain(operands, operators),
            Behaviour::Par { by, common, operands } => {
                let terms: Option<Vec<_>> = operands
                    .iter()
                    .map(|(labels, operand)| Some((self.interned(labels), self.term(operand)?)))
                    .collect();
                let common = match common {
                    Common::All => None,
                    Common::List(labels) => Some(self.interned(labels)),
                };
                self.par(*by, common, terms?)
            }
            Behaviour::Vectors { by, vectors, operands } => {
                let terms: Option<Vec<Term>> = operands.iter().map(|operand| self.term(operand)).collect();
                self.vectors(*by, vectors, &terms?)
            }
            Behaviour::Hide { by, all_but, labels, body } => {
                let term = self.term(body)?;
                Some(self.hide(*by, *all_but, labels, term))
            }
            Behaviour::Rename { by, rules, body } => {
                let term = self.term(body)?;
                Some(self.rename(*by, rules, term))
            }
            Behaviour::File(_) | Behaviour::Refused { .. } => unreachable!("linking replaces or refuses these"),
        }
    }

    fn interned(&mut self, labels: &[Label]) -> Vec<Name> {
        labels.iter().map(|label| self.names.intern(&label.text)).collect()
    }

    /// Operators from the right; equal ones in a row are one composition, however many.
    fn chain(&mut self, operands: &[Behaviour], operators: &[Operator]) -> Option<Term> {
        let terms: Option<Vec<Term>> = operands.iter().map(|operand| self.term(operand)).collect();
        let mut terms = terms?;
        let mut right = terms.pop().expect("a chain has operands");
        for run in operators.chunk_by(PartialEq::eq).rev() {
            let operands = terms.drain(terms.len() - run.len()..).chain([right]).map(|term| (Vec::new(), term));
            let operands = operands.collect();
            let common = match &run[0] {
                Operator::Full => None,
                Operator::On(labels) => Some(self.interned(labels)),
            };
            right = self.par(Match::Gate, common, operands)?;
        }
        Some(right)
    }

    /// N-ary composition. `common` is what all operands synchronise on (everything, when absent).
    fn par(&mut self, by: Match, common: Option<Vec<Name>>, operands: Vec<(Vec<Name>, Term)>) -> Option<Term> {
        let count = operands.len();
        let first = operands[0].1.first;
        let firsts: Vec<u32> = operands.iter().map(|(_, term)| term.first).collect();
        let common: Option<FxHashSet<Name>> = common.map(|list| list.into_iter().collect());
        let is_common = |key: Name| common.as_ref().is_none_or(|list| list.contains(&key));
        // Who lists what; each list of operands is in order and without repeats.
        let mut listed: IndexMap<Name, Vec<u32>, FxBuildHasher> = IndexMap::default();
        for (at, (keys, _)) in operands.iter().enumerate() {
            for &key in keys {
                let who = listed.entry(key).or_default();
                if who.last() != Some(&(at as u32)) {
                    who.push(at as u32);
                }
            }
        }
        let mut visible = Vec::new();
        let mut groups: IndexMap<Name, Vec<(u32, Vec<Instance>)>, FxBuildHasher> = IndexMap::default();
        for (at, (_, term)) in operands.into_iter().enumerate() {
            let at = at as u32;
            for instance in term.visible {
                let key = self.names.key(instance.seen, by);
                if !is_common(key) && listed.get(&key).is_none_or(|who| who.binary_search(&at).is_err()) {
                    visible.push(instance);
                    continue;
                }
                let group = groups.entry(instance.seen).or_default();
                match group.last_mut().filter(|(last, _)| *last == at) {
                    Some((_, alternatives)) => alternatives.push(instance),
                    None => group.push((at, vec![instance])),
                }
            }
        }
        // A label that an interface names belongs to the alphabet of its operand even if nobody there has it.
        if by == Match::Whole {
            for &name in listed.keys().filter(|name| !is_common(**name) && !self.tau.contains(*name)) {
                groups.entry(name).or_default();
            }
        }
        for (name, group) in groups {
            let key = self.names.key(name, by);
            let together = if is_common(key) {
                (group.len() == count).then(|| group.into_iter().map(|(_, alternatives)| alternatives).collect())
            } else if by == Match::Whole {
                let mut group = group.into_iter().peekable();
                let complete = listed[&key].iter().map(|&at| match group.next_if(|(who, _)| *who == at) {
                    Some((_, alternatives)) => alternatives,
                    None => vec![blocked(name, firsts[at as usize])],
                });
                Some(complete.collect())
            } else {
                (group.len() == listed[&key].len())
                    .then(|| group.into_iter().map(|(_, alternatives)| alternatives).collect())
            };
            match together {
                Some(together) => self.product(name, together, &mut visible)?,
                None => self.dropped.push(name),
            }
        }
        Some(Term { first, visible })
    }

    /// Every choice of one instance from each operand.
    fn product(&mut self, seen: Name, mut operands: Vec<Vec<Instance>>, into: &mut Vec<Instance>) -> Option<()> {
        if operands.iter().all(|alternatives| alternatives.len() == 1) {
            // The common case moves its parts.
            let parts = operands.iter_mut().flat_map(|alternatives| std::mem::take(&mut alternatives[0].parts));
            into.push(Instance { seen, parts: parts.collect() });
            return Some(());
        }
        // Every alternative of an operand occurs in as many choices as the others have together.
        let choices = operands.iter().try_fold(1usize, |n, alternatives| n.checked_mul(alternatives.len()));
        let parts = choices.and_then(|choices| {
            let sizes = operands.iter().map(|alternatives| {
                let size: usize = alternatives.iter().map(|instance| instance.parts.len()).sum();
                (choices / alternatives.len()).checked_mul(size)
            });
            sizes.sum::<Option<usize>>()
        });
        self.parts = self.parts.saturating_add(parts.unwrap_or(usize::MAX));
        if self.parts > MOST_PARTS {
            let message = format!("`{}` can synchronise in too many ways", self.names.text(seen));
            let help = "several operands offer it in several ways, and every combination counts; give the ways names of \
                        their own, or compose parts of the network first";
            let diagnostic = Diagnostic::error(&*self.linked.sources[self.source].file, message).help(help);
            self.findings.errors.push(diagnostic);
            return None;
        }
        let mut partial: Vec<Vec<Part>> = vec![Vec::new()];
        for alternatives in &operands {
            let extend = |parts: &Vec<Part>| -> Vec<Vec<Part>> {
                alternatives.iter().map(|one| [&parts[..], &one.parts[..]].concat()).collect()
            };
            partial = partial.iter().flat_map(extend).collect();
        }
        into.extend(partial.into_iter().map(|parts| Instance { seen, parts }));
        Some(())
    }

    fn vectors(&mut self, by: Match, vectors: &[Vector], terms: &[Term]) -> Option<Term> {
        // Per operand, its instances by what they are seen as, and the names that each gate stands for.
        let mut by_name: Vec<FxHashMap<Name, Vec<&Instance>>> = Vec::with_capacity(terms.len());
        let mut by_gate: Vec<FxHashMap<Name, IndexSet<Name, FxBuildHasher>>> = Vec::with_capacity(terms.len());
        for term in terms {
            let (mut names, mut gates): (FxHashMap<_, Vec<_>>, FxHashMap<_, IndexSet<_, _>>) = Default::default();
            for instance in &term.visible {
                names.entry(instance.seen).or_default().push(instance);
                gates.entry(self.names.gate(instance.seen)).or_default().insert(instance.seen);
            }
            by_name.push(names);
            by_gate.push(gates);
        }
        let mut visible = Vec::new();
        let mut used: FxHashSet<(usize, Name)> = FxHashSet::default();
        for vector in vectors {
            let movers: Vec<(usize, Name)> = vector
                .columns
                .iter()
                .enumerate()
                .filter_map(|(at, label)| label.as_ref().map(|label| (at, self.names.intern(&label.text))))
                .collect();
            let known = |&(at, key): &(usize, Name)| match by {
                Match::Gate => by_gate[at].contains_key(&key),
                _ => by_name[at].contains_key(&key),
            };
            for &mover in movers.iter().filter(|mover| !known(mover)) {
                self.never(vector, mover, &terms[mover.0]);
            }
            let result = self.names.intern(&vector.result.text);
            if by != Match::Gate {
                used.extend(&movers);
                let ways = |&(at, name): &(usize, Name)| match by_name[at].get(&name) {
                    Some(ways) => ways.iter().copied().cloned().collect(),
                    None => vec![blocked(name, terms[at].first)],
                };
                self.product(result, movers.iter().map(ways).collect(), &mut visible)?;
                continue;
            }
            if !movers.iter().all(known) {
                self.dropped.push(result);
                continue;
            }
            // All participants must agree on the offers of the first.
            let (leader, leading_gate) = movers[0];
            for &leading in &by_gate[leader][&leading_gate] {
                let agreed: Vec<(usize, Name)> = movers
                    .iter()
                    .map(|&(at, gate)| {
                        let gate = self.names.text(gate).to_owned();
                        (at, self.names.with_gate(leading, &gate))
                    })
                    .collect();
                let seen = self.names.with_gate(leading, &vector.result.text);
                let ways: Option<Vec<Vec<Instance>>> = agreed
                    .iter()
                    .map(|(at, name)| Some(by_name[*at].get(name)?.iter().copied().cloned().collect()))
                    .collect();
                match ways {
                    Some(ways) => {
                        used.extend(&agreed);
                        self.product(seen, ways, &mut visible)?;
                    }
                    None => self.dropped.push(seen),
                }
            }
        }
        for (at, term) in terms.iter().enumerate() {
            let mut unused: Vec<Name> =
                term.visible.iter().map(|i| i.seen).filter(|&name| !used.contains(&(at, name))).collect();
            unused.sort_unstable();
            unused.dedup();
            self.rates(&unused, term, &vectors[0]);
            self.dropped.extend(unused);
        }
        // A result may be called like tau.
        Some(self.settled(Term { first: terms[0].first, visible }))
    }

    /// Warns that a vector waits for a label that never comes.
    fn never(&mut self, vector: &Vector, (at, _): (usize, Name), term: &Term) {
        let Some(label) = &vector.columns[at] else { return };
        let message = format!("label `{}` never occurs in {}", label.text, self.called(term));
        let fault =
            Fault::new(label.span.clone(), message, "this vector can never move; check the label and its column");
        self.findings.warn(&self.linked.sources[self.source], fault);
    }

    /// Warns of blocked Markov rates: who writes them runs CADP with `-rate`, where they need no vector.
    fn rates(&mut self, unused: &[Name], term: &Term, vector: &Vector) {
        let rates: Vec<&str> =
            unused.iter().map(|&n| self.names.text(n)).filter(|text| gate(text) == "rate" && text.len() > 4).collect();
        if let Some(rate) = rates.first() {
            let message = format!("`{rate}` of {} is in no vector, so it never happens", self.called(term));
            let help =
                "rates are labels like others here; add a vector, or rename them to `i` to let them happen unseen";
            let fault = Fault::new(vector.span.clone(), message, help);
            self.findings.warn(&self.linked.sources[self.source], fault);
        }
    }

    fn called(&self, term: &Term) -> &str {
        &self.component_names[term.first as usize]
    }

    fn hide(&mut self, by: Match, all_but: bool, labels: &[Label], mut term: Term) -> Term {
        let listed: FxHashSet<Name> = self.interned(labels).into_iter().collect();
        let mut kept = Vec::with_capacity(term.visible.len());
        for instance in term.visible {
            let matches = match by {
                Match::Gate | Match::Whole => listed.contains(&self.names.key(instance.seen, by)),
                Match::Part | Match::Parts => {
                    let text = self.names.text(instance.seen);
                    labels.iter().any(|label| text.contains(&*label.text))
                }
            };
            if matches != all_but { self.hidden.push(instance) } else { kept.push(instance) }
        }
        term.visible = kept;
        term
    }

    fn rename(&mut self, by: Match, rules: &[(Label, Label)], mut term: Term) -> Term {
        let mut by_key: FxHashMap<Name, &str> = FxHashMap::default();
        for (label, result) in rules {
            by_key.entry(self.names.intern(&label.text)).or_insert(&result.text);
        }
        let mut known: FxHashMap<Name, Name> = FxHashMap::default();
        for instance in &mut term.visible {
            let old = instance.seen;
            instance.seen = match known.get(&old) {
                Some(&new) => new,
                None => {
                    let new = self.renamed(old, by, rules, &by_key);
                    known.insert(old, new);
                    new
                }
            };
        }
        self.settled(term)
    }

    fn renamed(&mut self, old: Name, by: Match, rules: &[(Label, Label)], by_key: &FxHashMap<Name, &str>) -> Name {
        let key = self.names.key(old, by);
        match by {
            Match::Gate => by_key.get(&key).map_or(old, |new| self.names.with_gate(old, new)),
            Match::Whole => by_key.get(&key).map_or(old, |new| self.names.intern(new)),
            Match::Part | Match::Parts => {
                let text = self.names.text(old);
                // An empty pattern would match everywhere.
                let rule = rules.iter().find(|(label, _)| !label.text.is_empty() && text.contains(&*label.text));
                let Some((label, result)) = rule else { return old };
                let most = if by == Match::Part { 1 } else { usize::MAX };
                let text = text.replacen(&*label.text, &result.text, most);
                self.names.intern(&text)
            }
        }
    }

    /// Hides what is now called like tau.
    fn settled(&mut self, mut term: Term) -> Term {
        let tau = &self.tau;
        self.hidden.extend(term.visible.extract_if(.., |instance| tau.contains(&instance.seen)));
        term
    }
}

/// The instance of a label that an operand should have and has not.
fn blocked(seen: Name, component: u32) -> Instance {
    Instance { seen, parts: vec![Part { component, own: None }] }
}

/// For each component, its own labels (nothing for a blocked one) and what they became.
type Rows = Vec<Vec<(Option<LabelId>, LabelId)>>;

/// Makes each instance a label of the network.
fn label(
    names: &Names,
    visible: Vec<Instance>,
    hidden: Vec<Instance>,
    dropped: Vec<Name>,
    components: usize,
) -> (Labels, Rows) {
    let mut labels = Labels::new();
    // Actions first, so that no invented name can be taken for one.
    let first_of: Vec<bool> = visible
        .iter()
        .map(|instance| {
            let known = labels.len();
            labels.intern(names.text(instance.seen)).at() == known
        })
        .collect();
    let mut rows: Rows = vec![Vec::new(); components];
    let mut place = |instance: &Instance, label: LabelId| {
        for part in &instance.parts {
            rows[part.component as usize].push((part.own, label));
        }
    };
    let mut numbers: FxHashMap<Name, u32> = FxHashMap::default();
    for (instance, first) in visible.iter().zip(first_of) {
        let action = labels.intern(names.text(instance.seen));
        let label = if first { action } else { numbered(&mut labels, names, instance.seen, &mut numbers) };
        labels.show(label, action);
        place(instance, label);
    }
    for instance in &hidden {
        let label = numbered(&mut labels, names, instance.seen, &mut numbers);
        labels.show(label, LabelId::TAU);
        place(instance, label);
    }
    for name in dropped {
        labels.intern(names.text(name));
    }
    (labels, rows)
}

/// A fresh label, in constant time: [`Labels::fresh`] counts from 2 each time, which adds up when thousands share a name.
fn numbered(labels: &mut Labels, names: &Names, name: Name, numbers: &mut FxHashMap<Name, u32>) -> LabelId {
    let text = names.text(name);
    if labels.get(text).is_none() {
        return labels.intern(text);
    }
    let number = numbers.entry(name).or_insert(1);
    loop {
        *number += 1;
        let numbered = format!("{text}#{number}");
        if labels.get(&numbered).is_none() {
            return labels.intern(&numbered);
        }
    }
}

/// A component under the labels of the network: one transition per instance that its own label is part of.
fn relabelled(lts: &Lts, mut row: Vec<(Option<LabelId>, LabelId)>, name: &str) -> Option<Component> {
    row.sort_unstable();
    let became = |own: LabelId| {
        let start = row.partition_point(|(o, _)| *o < Some(own));
        let length = row[start..].partition_point(|(o, _)| *o == Some(own));
        &row[start..start + length]
    };
    let count: usize = lts.transitions().map(|t| if t.label.is_tau() { 1 } else { became(t.label).len() }).sum();
    if u32::try_from(count).is_err() {
        return None;
    }
    let mut transitions = Vec::with_capacity(count);
    for t in lts.transitions() {
        if t.label.is_tau() {
            transitions.push(t);
        } else {
            transitions.extend(became(t.label).iter().map(|&(_, label)| Transition { label, ..t }));
        }
    }
    let system = Lts::new(lts.initial(), lts.num_states(), transitions);
    Some(Component::with_alphabet(name, system, row.into_iter().map(|(_, label)| label)))
}
