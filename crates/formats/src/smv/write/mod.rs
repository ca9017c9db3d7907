//! SMV out: a circuit as NuSMV reads it, with its parts as instances of modules.
//!
//! `main` has an instance for each part, which gets the variables that it speaks of. A variable that is called after a part, and that no
//! other part says the next value of, is declared there; `main` has the others. Functions that are used more than once get a name. All bits of a word together are a comparison with a value; some of them are a set of values, or
//! arithmetic where these would be many. A word whose codes are not all values has no other values in the file: what the circuit does with
//! other codes, which stand for nothing, is not written.

use crate::smv::RESERVED;
use prequel_model::{Aig, Bit, Circuit, Kind, Lit, Node, Word};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};

/// Sets of more values are put as arithmetic.
const MOST_VALUES: usize = 8;

/// Operators in a row, before they get a name of their own: readers bound the depth of expressions.
const LONGEST: usize = 40;

/// Words of NuSMV that our reader takes for names, and the name of the whole.
const ELSEWHERE: [&str; 7] = ["main", "toint", "count", "integer", "real", "signed", "unsigned"];

/// Writes a circuit.
pub fn write(circuit: &Circuit, out: &mut impl Write) -> io::Result<()> {
    let names = Names::of(circuit);
    writeln!(out, "-- written by prequel: every component a module")?;
    writeln!(out, "MODULE main")?;
    let outside = names.seen_by(None);
    names.declare(circuit, None, &outside, out)?;
    let texts: Vec<Text> = (0..)
        .zip(&circuit.parts)
        .map(|(at, part)| Text::new(circuit, &names, names.seen_by(Some(at)), &[part.initial, part.step]))
        .collect();
    if !texts.is_empty() {
        writeln!(out, "VAR")?;
    }
    for (at, text) in texts.iter().enumerate() {
        let name = &names.parts[at];
        writeln!(out, "  {name} : m_{name}{};", listed(text.given(&names, at, &outside)))?;
    }
    if let Some(bad) = circuit.bad {
        let text = Text::new(circuit, &names, outside, &[!bad]);
        text.defines(out)?;
        writeln!(out, "INVARSPEC {};", text.roots[0])?;
    }
    for (at, text) in texts.iter().enumerate() {
        writeln!(out, "\nMODULE m_{}{}", names.parts[at], listed(text.given(&names, at, &text.seen)))?;
        names.declare(circuit, Some(at), &text.seen, out)?;
        text.defines(out)?;
        for (keyword, root) in ["INIT", "TRANS"].iter().zip(&text.roots).filter(|(_, root)| *root != "TRUE") {
            writeln!(out, "{keyword} {root};")?;
        }
    }
    Ok(())
}

/// Parameters, or what is given for them.
fn listed(names: Vec<&str>) -> String {
    if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
}

/// What words, their values and parts are called.
struct Names {
    /// By word: a name that no other word has.
    words: Vec<String>,
    /// By word: the part that declares it, and what it is called there.
    homes: Vec<Option<(usize, String)>>,
    /// By word: names of its values, if it has some.
    values: Vec<Vec<String>>,
    parts: Vec<String>,
    /// The word of a bit, and its place there.
    of: FxHashMap<Bit, (usize, usize)>,
    taken: FxHashSet<String>,
}

impl Names {
    fn of(circuit: &Circuit) -> Self {
        let mut taken: FxHashSet<String> = RESERVED.iter().chain(&ELSEWHERE).map(|word| (*word).to_owned()).collect();
        let words: Vec<String> = circuit.words.iter().map(|word| fresh(&word.name, &mut taken)).collect();
        // One name can be a value of several words, but never that of a word.
        let mut symbols: FxHashMap<&str, String> = FxHashMap::default();
        let mut symbol = |value| symbols.entry(value).or_insert_with(|| fresh(value, &mut taken)).clone();
        let values = circuit.words.iter().map(|word| match &word.kind {
            Kind::Names(of) => of.iter().map(|value| symbol(value)).collect(),
            _ => Vec::new(),
        });
        let values = values.collect();
        let parts: Vec<String> = circuit.parts.iter().map(|part| fresh(&part.name, &mut taken)).collect();
        let mut declared = vec![taken.clone(); parts.len()];
        let homes = homes(circuit)
            .into_iter()
            .map(|home| home.map(|(part, short)| (part, fresh(short, &mut declared[part]))))
            .collect();
        let places = |(at, word): (usize, &Word)| {
            word.bits.iter().enumerate().map(move |(place, &bit)| (bit, (at, place))).collect::<Vec<_>>()
        };
        let of = circuit.words.iter().enumerate().flat_map(places).collect();
        Self { words, homes, values, parts, of, taken }
    }

    /// What each word is called in a part, or in `main`.
    fn seen_by(&self, part: Option<usize>) -> Vec<String> {
        let name = |(word, home): (&String, &Option<(usize, String)>)| match home {
            Some((at, short)) if part == Some(*at) => short.clone(),
            Some((at, short)) if part.is_none() => format!("{}.{short}", self.parts[*at]),
            _ => word.clone(),
        };
        self.words.iter().zip(&self.homes).map(name).collect()
    }

    /// Declares the words of a part, or of `main`.
    fn declare(&self, circuit: &Circuit, part: Option<usize>, seen: &[String], out: &mut impl Write) -> io::Result<()> {
        let mine = |at: &usize| self.homes[*at].as_ref().map(|(part, _)| *part) == part;
        for (place, at) in (0..circuit.words.len()).filter(mine).enumerate() {
            if place == 0 {
                writeln!(out, "VAR")?;
            }
            let ty = match &circuit.words[at].kind {
                Kind::Truth => "boolean".to_owned(),
                Kind::Numbers(first, last) => format!("{first}..{last}"),
                Kind::Names(_) => format!("{{{}}}", self.values[at].join(", ")),
            };
            writeln!(out, "  {} : {ty};", seen[at])?;
        }
        Ok(())
    }

    /// A value of a word, by its code.
    fn value(&self, word: &Word, at: usize, code: u64) -> String {
        match &word.kind {
            Kind::Truth => if code == 1 { "TRUE" } else { "FALSE" }.into(),
            Kind::Numbers(first, _) => (first + code as i64).to_string(),
            Kind::Names(_) => self.values[at][code as usize].clone(),
        }
    }
}

/// By word: the part that it is called after, with the rest of its name, unless another part says its next value.
fn homes(circuit: &Circuit) -> Vec<Option<(usize, &str)>> {
    let parts: FxHashMap<&str, usize> = circuit.parts.iter().enumerate().map(|(at, part)| (&*part.name, at)).collect();
    let mut changed_by: FxHashMap<Bit, Vec<usize>> = FxHashMap::default();
    for (at, part) in circuit.parts.iter().enumerate() {
        for (bit, after) in circuit.aig.support(part.step).into_iter().map(Bit::of) {
            if after {
                changed_by.entry(bit).or_default().push(at);
            }
        }
    }
    let home = |word: &'_ Word| {
        let dots = word.name.rmatch_indices('.');
        let (at, part) = dots.filter_map(|(dot, _)| Some((dot, *parts.get(&word.name[..dot])?))).next()?;
        let others = word.bits.iter().flat_map(|bit| changed_by.get(bit)).flatten().any(|&other| other != part);
        (!others && at + 1 < word.name.len()).then_some((part, at + 1))
    };
    circuit.words.iter().map(|word| home(word).map(|(part, from)| (part, &word.name[from..]))).collect()
}

/// A name that is none of those taken, as near to the given one as can be.
fn fresh(name: &str, taken: &mut FxHashSet<String>) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let mut plain: String = name.chars().map(allowed).collect();
    if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        plain.insert(0, '_');
    }
    let mut found = plain.clone();
    let mut number = 1;
    while !taken.insert(found.clone()) {
        number += 1;
        found = format!("{plain}_{number}");
    }
    found
}

/// Functions as text.
struct Text {
    defines: Vec<(String, String)>,
    roots: Vec<String>,
    /// The words that they speak of.
    words: Vec<usize>,
    /// What all words are called here.
    seen: Vec<String>,
}

impl Text {
    fn new(circuit: &Circuit, names: &Names, seen: Vec<String>, roots: &[Lit]) -> Self {
        let aig = &circuit.aig;
        let cone = aig.cone(roots);
        let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
        for &node in &cone {
            if let Node::And(a, b) = aig.nodes()[node] {
                [a, b].iter().for_each(|f| *uses.entry(f.node()).or_default() += 1);
            }
        }
        let mut words: Vec<usize> = cone
            .iter()
            .filter_map(|&node| match aig.nodes()[node] {
                Node::Input(input) => names.of.get(&Bit::of(input).0).map(|(word, _)| *word),
                _ => None,
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let (named, cubes) = (FxHashMap::default(), FxHashSet::default());
        let mut writing = Writing { circuit, names, seen: &seen, named, defines: Vec::new(), cubes };
        // From the inputs on: what is a comparison of words stays one wherever it is used, other things that are used twice get a name.
        for &node in &cone {
            let Node::And(a, b) = aig.nodes()[node] else { continue };
            let cube = [a, b].iter().all(|f| writing.is_cube(*f)) && writing.conjuncts(node).len() <= LONGEST;
            if cube {
                writing.cubes.insert(node);
            } else if uses.get(&node).copied().unwrap_or(0) > 1 || writing.long(node) {
                writing.name(node);
            }
        }
        let roots = roots.iter().map(|&root| writing.text(root)).collect();
        Self { defines: writing.defines, roots, words, seen }
    }

    /// The words of others that a part speaks of, as they are called somewhere.
    fn given<'a>(&self, names: &Names, part: usize, seen: &'a [String]) -> Vec<&'a str> {
        let others = |at: &&usize| names.homes[**at].as_ref().is_none_or(|(home, _)| *home != part);
        self.words.iter().filter(others).map(|&at| &*seen[at]).collect()
    }

    fn defines(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.defines.is_empty() {
            writeln!(out, "DEFINE")?;
        }
        self.defines.iter().try_for_each(|(name, text)| writeln!(out, "  {name} := {text};"))
    }
}

struct Writing<'a> {
    circuit: &'a Circuit,
    names: &'a Names,
    seen: &'a [String],
    named: FxHashMap<usize, String>,
    defines: Vec<(String, String)>,
    /// Conjunctions of bits.
    cubes: FxHashSet<usize>,
}

impl Writing<'_> {
    fn aig(&self) -> &Aig {
        &self.circuit.aig
    }

    fn is_cube(&self, f: Lit) -> bool {
        matches!(self.aig().node(f), Node::Input(_)) || (!f.is_negated() && self.cubes.contains(&f.node()))
    }

    /// The conjuncts of a node, down to what has a name.
    fn conjuncts(&self, node: usize) -> Vec<Lit> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let Node::And(a, b) = self.aig().nodes()[node] else { return found };
        let mut open = vec![b, a];
        while let Some(f) = open.pop() {
            if !seen.insert(f) {
                continue;
            }
            match self.aig().node(f) {
                Node::And(a, b) if !f.is_negated() && !self.named.contains_key(&f.node()) => open.extend([b, a]),
                _ => found.push(f),
            }
        }
        found
    }

    /// Whether the text of a node would be long or deep.
    fn long(&self, node: usize) -> bool {
        let mut open = vec![node];
        let mut parts = 0;
        while let Some(node) = open.pop() {
            let conjuncts = self.conjuncts(node);
            parts += conjuncts.len();
            if parts > LONGEST {
                return true;
            }
            let inside = conjuncts.iter().filter(|f| {
                matches!(self.aig().node(**f), Node::And(..))
                    && !self.named.contains_key(&f.node())
                    && !self.cubes.contains(&f.node())
            });
            open.extend(inside.map(|f| f.node()));
        }
        false
    }

    fn name(&mut self, node: usize) {
        let text = self.conjunction(node);
        let mut name = format!("n{node}");
        while self.names.taken.contains(&name) {
            name.push('_');
        }
        self.defines.push((name.clone(), text));
        self.named.insert(node, name);
    }

    fn text(&self, f: Lit) -> String {
        match self.aig().node(f) {
            Node::False => if f == Lit::TRUE { "TRUE" } else { "FALSE" }.into(),
            Node::Input(_) => self.bits(&[f]).join(" & "),
            Node::And(..) => match self.named.get(&f.node()) {
                Some(name) if f.is_negated() => format!("!{name}"),
                Some(name) => name.clone(),
                None if f.is_negated() => self.disjunction(f.node()),
                None => self.conjunction(f.node()),
            },
        }
    }

    /// A part of a larger expression.
    fn part(&self, f: Lit) -> String {
        let text = self.text(f);
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_!".contains(c));
        if plain { text } else { format!("({text})") }
    }

    fn conjunction(&self, node: usize) -> String {
        let (bits, others): (Vec<Lit>, Vec<Lit>) =
            self.conjuncts(node).into_iter().partition(|f| matches!(self.aig().node(*f), Node::Input(_)));
        let parts = self.bits(&bits).into_iter().chain(others.into_iter().map(|f| self.part(f)));
        parts.collect::<Vec<_>>().join(" & ")
    }

    /// What a node is not: one of its conjuncts does not hold.
    fn disjunction(&self, node: usize) -> String {
        if self.cubes.contains(&node) {
            return format!("!({})", self.conjunction(node));
        }
        let (bits, others): (Vec<Lit>, Vec<Lit>) =
            self.conjuncts(node).into_iter().partition(|f| matches!(self.aig().node(*f), Node::Input(_)));
        // `!(w = 1) | …`: bits of one word belong together here too.
        let bits = self.bits(&bits);
        let bits = (!bits.is_empty()).then(|| format!("!({})", bits.join(" & ")));
        let parts = bits.into_iter().chain(others.into_iter().map(|f| self.part(!f)));
        parts.collect::<Vec<_>>().join(" | ")
    }

    /// Bits of words as comparisons of the words, in the order of the words.
    fn bits(&self, bits: &[Lit]) -> Vec<String> {
        let mut of: Vec<(usize, bool, usize, bool)> = Vec::new();
        for f in bits {
            let Node::Input(input) = self.aig().node(*f) else { continue };
            let (bit, next) = Bit::of(input);
            let (word, place) = self.names.of[&bit];
            of.push((word, next, place, !f.is_negated()));
        }
        of.sort_unstable();
        of.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|group| self.comparison(group)).collect()
    }

    fn comparison(&self, group: &[(usize, bool, usize, bool)]) -> String {
        let (at, next, ..) = group[0];
        let (word, name) = (&self.circuit.words[at], &self.seen[at]);
        let name = if next { format!("next({name})") } else { name.clone() };
        // Conjunctions of conjunctions may contradict themselves.
        if group.windows(2).any(|pair| pair[0].2 == pair[1].2) {
            return "FALSE".into();
        }
        if word.kind == Kind::Truth {
            return if group[0].3 { name } else { format!("!{name}") };
        }
        let codes = match &word.kind {
            Kind::Numbers(first, last) => last.abs_diff(*first) + 1,
            Kind::Names(names) => names.len() as u64,
            Kind::Truth => 2,
        };
        let small = codes <= 1 << 12 || group.len() == word.bits.len();
        let matches = |code: &u64| group.iter().all(|(.., place, value)| (code >> place & 1 == 1) == *value);
        let values: Vec<u64> = match (small, group.len() == word.bits.len()) {
            (_, true) => {
                let code = group.iter().map(|(.., place, value)| u64::from(*value) << place).sum();
                [code].into_iter().filter(|code| *code < codes).collect()
            }
            (true, _) => (0..codes).filter(matches).take(MOST_VALUES + 1).collect(),
            _ => vec![0; MOST_VALUES + 1],
        };
        match values.as_slice() {
            [] => "FALSE".into(),
            [one] => format!("{name} = {}", self.names.value(word, at, *one)),
            few if few.len() <= MOST_VALUES || matches!(word.kind, Kind::Names(_)) => {
                let all = (0..codes).filter(matches).map(|code| self.names.value(word, at, code));
                format!("{name} in {{{}}}", all.collect::<Vec<_>>().join(", "))
            }
            _ => {
                let Kind::Numbers(first, _) = word.kind else { unreachable!("names are listed") };
                let counted = match first {
                    0 => name,
                    _ => format!("({name} - {first})").replace("- -", "+ "),
                };
                let bit = |&(.., place, value): &(usize, bool, usize, bool)| {
                    format!("{counted} / {} mod 2 = {}", 1u64 << place, u8::from(value))
                };
                group.iter().map(bit).collect::<Vec<_>>().join(" & ")
            }
        }
    }
}

#[cfg(test)]
mod tests;
