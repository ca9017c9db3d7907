//! The C preprocessor, as far as models need it.
//!
//! Line ends outside comments and macro arguments stay, because they separate statements. Every piece of the result knows its
//! place in the user's files.

mod condition;
mod hidden;
mod macros;
mod pieces;

use super::source::{File, Origin, Sources, Via};
use super::{Fault, Goal};
use crate::file;
use hidden::Hidden;
use macros::{Argument, Item, Macro, Macros, substitute};
use pieces::{Kind, Piece, cut};
use prequel_model::watch::{Pace, Watch};
use rustc_hash::FxHashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// How deep files may include each other.
const DEEPEST: usize = 100;

/// Longest text that may come out.
const LONGEST: usize = 8 << 20;

/// Most pieces that may be looked at, each for every macro that it came out of.
const MOST_STEPS: usize = 1 << 28;

/// A file counts for so many of them, besides its bytes.
const FILE_STEPS: usize = 1 << 10;

/// How deep uses of macros may be nested in arguments of macros.
const DEEPEST_USE: usize = 200;

/// A text without directives, comments and macros.
#[derive(Default, Debug)]
pub struct Output {
    /// The text.
    pub text: String,
    /// Its pieces in order.
    pub pieces: Vec<Mark>,
    /// The file whose pieces are the goal; they come last.
    pub goal: Option<u32>,
}

/// Where a piece of the output comes from.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// First byte in the output.
    pub start: usize,
    /// Where it stands in a file.
    pub origin: Origin,
}

/// What is left to read of a file.
struct Reading {
    file: u32,
    folder: PathBuf,
    pieces: Rc<[Piece]>,
    at: usize,
    /// At the start of a line, where `#` begins a directive.
    fresh: bool,
    /// Conditionals open when the file began: it must close its own.
    open: usize,
}

/// A `#if` that is open.
struct Conditional {
    origin: Origin,
    /// Some branch was taken already.
    taken: bool,
    /// The present branch is skipped.
    skipping: bool,
    /// It stands in a skipped branch.
    dead: bool,
    /// `#else` was seen.
    last: bool,
}

/// A text to be expanded.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// What messages call it.
    pub file: &'a str,
    /// As it is in the file.
    pub text: &'a [u8],
    /// Where it looks for the files that it includes.
    pub dir: &'a Path,
    /// Macros from outside.
    pub defines: &'a [(String, String)],
    /// Files that were read before: none of them is read again.
    pub known: Option<&'a Sources>,
}

/// Expands a text and the files that it includes; then another text with the same macros.
pub fn preprocess(
    Input { file, text, dir, defines, known }: Input<'_>,
    goal: Option<Goal<'_>>,
    watch: &Watch,
    sources: &mut Sources,
    faults: &mut Vec<Fault>,
) -> Output {
    let mut run = Run {
        sources,
        included: known.map(Sources::included).unwrap_or_default(),
        faults,
        watch,
        pace: watch.pace(),
        steps: 0,
        macros: Macros::default(),
        stack: Vec::new(),
        conditionals: Vec::new(),
        pending: Vec::new(),
        output: Output::default(),
        previous: None,
        depth: 0,
        stopped: false,
    };
    for (name, value) in defines {
        let (body, _) = cut(value);
        let body = body.into_iter().filter(|p| p.kind != Kind::Newline).collect();
        let definition = Macro { parameters: None, variadic: false, body, file: u32::MAX, definition: None };
        run.macros.insert(name.as_str().into(), definition);
    }
    run.open(file.into(), decoded(text).into(), dir.into());
    run.drain();
    if let Some(goal) = goal {
        run.output.text.push('\n');
        run.previous = None;
        run.output.goal = Some(run.sources.files.len() as u32);
        run.open(goal.option.into(), decoded(goal.text.as_bytes()).into(), dir.into());
        run.drain();
    }
    run.output
}

/// The places of directives in a text, without the ends of their lines.
pub fn directives(text: &str) -> Vec<std::ops::Range<usize>> {
    let (pieces, _) = cut(text);
    let lines = pieces.split(|piece| piece.kind == Kind::Newline);
    let directive = |line: &[Piece]| {
        let first = line.first().filter(|piece| &*piece.text == "#")?;
        Some(first.start..line.last()?.end)
    };
    lines.filter_map(directive).collect()
}

/// The text of a file. What is no UTF-8 is taken for Latin-1, where every byte is a character; a lone carriage return ends a
/// line, as it does for gcc.
fn decoded(text: &[u8]) -> String {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut bytes = text.to_vec();
    for at in 0..bytes.len() {
        if bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|error| error.as_bytes().iter().map(|&b| char::from(b)).collect())
}

struct Run<'a> {
    sources: &'a mut Sources,
    /// Files that were read already, by name: a file is read once, however often it is included.
    included: FxHashMap<String, Arc<str>>,
    faults: &'a mut Vec<Fault>,
    watch: &'a Watch,
    pace: Pace<'a>,
    /// What was done so far.
    steps: usize,
    macros: Macros,
    /// The file that is read, above those that include it.
    stack: Vec<Reading>,
    conditionals: Vec<Conditional>,
    /// What is to be read next, last first.
    pending: Vec<Item>,
    output: Output,
    /// The piece that was written last: its file and its end there.
    previous: Option<(u32, usize)>,
    /// How many arguments are being expanded inside each other.
    depth: usize,
    stopped: bool,
}

impl Run<'_> {
    fn fault(&mut self, origin: Origin, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault::new(origin, message, help));
    }

    /// Ends for good.
    fn stop(&mut self, origin: Origin, message: &str) {
        let help = "a macro that uses another several times multiplies its text; shorten them";
        self.faults.push(Fault::new(origin, message, help).fatal());
        self.stack.clear();
        self.pending.clear();
        self.stopped = true;
    }

    fn open(&mut self, name: String, text: Arc<str>, folder: PathBuf) {
        let (pieces, unclosed) = cut(&text);
        let file = self.sources.files.len() as u32;
        self.sources.files.push(File::new(name, text));
        if let Some(at) = unclosed {
            let origin = Origin { file, start: at as u32, end: at as u32 + 2, via: None };
            self.fault(origin, "this comment does not end", "close it with `*/`");
        }
        let open = self.conditionals.len();
        self.stack.push(Reading { file, folder, pieces: pieces.into(), at: 0, fresh: true, open });
    }

    /// Expands what is open.
    fn drain(&mut self) {
        while let Some(item) = self.next(true) {
            self.emit(&item);
            if self.output.text.len() > LONGEST {
                self.stop(item.origin, "the macros of this model expand to more text than can be read");
            }
        }
    }

    fn emit(&mut self, item: &Item) {
        let piece = &item.piece;
        if piece.kind == Kind::Newline {
            self.output.text.push('\n');
            self.previous = None;
            return;
        }
        let glued = !piece.blank && self.previous == Some((item.file, piece.start));
        if !glued && !self.output.text.ends_with('\n') {
            self.output.text.push(' ');
        }
        self.output.pieces.push(Mark { start: self.output.text.len(), origin: item.origin });
        self.output.text.push_str(&piece.text);
        self.previous = Some((item.file, piece.end));
    }

    /// The next piece with its macros expanded. Only `from_files` are further lines read.
    fn next(&mut self, from_files: bool) -> Option<Item> {
        loop {
            let item = self.take(from_files)?;
            if item.piece.kind != Kind::Word || item.hidden.contains(&item.piece.text) {
                return Some(item);
            }
            let name = item.piece.text.clone();
            let Some(definition) = self.macros.get(&name).cloned() else {
                return Some(self.builtin(item));
            };
            let arguments = match &definition.parameters {
                None => Vec::new(),
                Some(_) => {
                    if !self.at_parenthesis(from_files) {
                        return Some(item);
                    }
                    match self.arguments(&item, &definition, from_files) {
                        Some(arguments) => arguments,
                        None => continue,
                    }
                }
            };
            // Inside another macro the place is that of the outermost one.
            let mut origin = item.origin;
            if !matches!(self.sources.via(&origin), Some(Via::Macro { .. })) {
                origin.via = Some(self.sources.vias.len() as u32);
                self.sources.vias.push(Via::Macro { name: (&*name).into(), definition: definition.definition });
            }
            let mut expansion = substitute(&name, &definition, &arguments, origin, &item.hidden);
            if let Some(first) = expansion.first_mut() {
                first.piece.blank = true;
            }
            if expansion.iter().map(|item| item.piece.text.len()).sum::<usize>() > LONGEST
                || self.pending.len() > LONGEST / 16
            {
                self.stop(item.origin, "the macros of this model expand to more text than can be read");
                return None;
            }
            // What is passed to a macro is copied as a whole.
            self.count(item.origin, expansion.len());
            if self.stopped {
                return None;
            }
            self.pending.extend(expansion.into_iter().rev());
        }
    }

    /// `__LINE__` and `__FILE__`.
    fn builtin(&self, mut item: Item) -> Item {
        let text = match &*item.piece.text {
            "__LINE__" => self.sources.place_of(item.origin).line.to_string(),
            "__FILE__" => format!("{:?}", self.sources.files[item.origin.file as usize].name),
            _ => return item,
        };
        item.piece = Piece { kind: Kind::Number, text: text.into(), blank: true, ..item.piece };
        item
    }

    fn take(&mut self, from_files: bool) -> Option<Item> {
        if let Some(item) = self.pending.last() {
            // What it came out of is looked through, or put together with another such set.
            let (origin, steps) = (item.origin, 1 + item.hidden.len().min(8));
            self.count(origin, steps);
        }
        match self.pending.pop() {
            Some(item) => Some(item),
            None if from_files => self.read(),
            None => None,
        }
    }

    /// Counts what is done: macros may be replaced without end though nothing comes of it.
    fn count(&mut self, origin: Origin, steps: usize) {
        self.steps += steps;
        if self.steps > MOST_STEPS {
            self.stop(origin, "the macros of this model take too long to replace");
        } else if let Err(why) = self.pace.steps(steps) {
            self.stop(origin, &format!("{why} while macros were replaced"));
        }
    }

    /// Whether `(` follows, be it on another line.
    fn at_parenthesis(&mut self, from_files: bool) -> bool {
        let mut skipped = Vec::new();
        let mut found = false;
        while let Some(item) = self.take(from_files) {
            let newline = item.piece.kind == Kind::Newline;
            found = &*item.piece.text == "(";
            skipped.push(item);
            if !newline {
                break;
            }
        }
        if found {
            skipped.drain(..skipped.len() - 1);
        }
        self.pending.extend(skipped.into_iter().rev());
        found
    }

    /// The arguments of a use, from its opening parenthesis on.
    fn arguments(&mut self, name: &Item, definition: &Macro, from_files: bool) -> Option<Vec<Argument>> {
        self.take(from_files);
        let parameters = definition.parameters.as_ref().map_or(0, Vec::len);
        let mut arguments: Vec<Vec<Item>> = vec![Vec::new()];
        let (mut depth, mut blank) = (0usize, false);
        loop {
            let Some(mut item) = self.take(from_files) else {
                if self.stopped {
                    return None;
                }
                let message = format!("the arguments of the macro `{}` do not end", name.piece.text);
                self.fault(name.origin, message, "close them with `)`");
                return None;
            };
            match &*item.piece.text {
                "(" => depth += 1,
                ")" if depth == 0 => break,
                ")" => depth -= 1,
                "," if depth == 0 && !(definition.variadic && arguments.len() >= parameters) => {
                    arguments.push(Vec::new());
                    continue;
                }
                "\n" => {
                    blank = true;
                    continue;
                }
                _ => {}
            }
            item.piece.blank |= std::mem::take(&mut blank);
            arguments.last_mut()?.push(item);
        }
        if parameters == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if definition.variadic && arguments.len() + 1 == parameters {
            arguments.push(Vec::new());
        }
        if arguments.len() != parameters {
            let message =
                format!("the macro `{}` takes {parameters} arguments, here are {}", name.piece.text, arguments.len());
            self.fault(name.origin, message, "give as many as its `#define` names");
            return None;
        }
        let expanded = |run: &mut Self, written: Vec<Item>| {
            let expanded = run.expanded(written.clone());
            Argument { written, expanded }
        };
        Some(arguments.into_iter().map(|written| expanded(self, written)).collect())
    }

    /// Pieces with their macros expanded, on their own.
    fn expanded(&mut self, items: Vec<Item>) -> Vec<Item> {
        if self.depth >= DEEPEST_USE {
            if let Some(item) = items.first() {
                self.stop(item.origin, "uses of macros are nested too deep here");
            }
            return Vec::new();
        }
        self.depth += 1;
        let rest = std::mem::replace(&mut self.pending, items.into_iter().rev().collect());
        let mut out = Vec::new();
        while let Some(item) = self.next(false) {
            out.push(item);
            if out.len() > LONGEST / 16 {
                let origin = out[0].origin;
                self.stop(origin, "the macros of this model expand to more text than can be read");
            }
        }
        self.depth -= 1;
        self.pending = if self.stopped { Vec::new() } else { rest };
        out
    }

    /// The next piece of the files that belongs to the text.
    fn read(&mut self) -> Option<Item> {
        loop {
            let reading = self.stack.last_mut()?;
            let file = reading.file;
            let Some(piece) = reading.pieces.get(reading.at).cloned() else {
                let open = reading.open;
                self.stack.pop();
                while self.conditionals.len() > open {
                    if let Some(unclosed) = self.conditionals.pop() {
                        self.fault(unclosed.origin, "this conditional does not end", "close it with `#endif`");
                    }
                }
                continue;
            };
            reading.at += 1;
            let fresh = std::mem::replace(&mut reading.fresh, piece.kind == Kind::Newline);
            if fresh && &*piece.text == "#" {
                self.directive(&piece);
                continue;
            }
            if self.skipping() && piece.kind != Kind::Newline {
                continue;
            }
            let origin = Origin { file, start: piece.start as u32, end: piece.end as u32, via: None };
            return Some(Item { piece, file, origin, hidden: Hidden::default() });
        }
    }

    fn skipping(&self) -> bool {
        self.conditionals.last().is_some_and(|c| c.skipping)
    }

    /// A directive whose `#` was just read.
    fn directive(&mut self, hash: &Piece) {
        let Some(reading) = self.stack.last_mut() else { return };
        let file = reading.file;
        let pieces = reading.pieces.clone();
        let start = reading.at;
        let length = pieces[start..].iter().position(|p| p.kind == Kind::Newline).unwrap_or(pieces.len() - start);
        reading.at += length;
        let line = &pieces[start..start + length];
        let Some((keyword, rest)) = line.split_first() else { return };
        let origin = |piece: &Piece| Origin { file, start: piece.start as u32, end: piece.end as u32, via: None };
        let here = Origin { end: keyword.end as u32, ..origin(hash) };
        match &*keyword.text {
            "if" | "ifdef" | "ifndef" => {
                let dead = self.skipping();
                let holds = !dead && self.holds(&keyword.text, rest, here);
                let conditional = Conditional { origin: here, taken: holds, skipping: !holds, dead, last: false };
                self.conditionals.push(conditional);
            }
            "elif" => {
                let undecided = self.own_conditional().is_some_and(|c| !c.taken && !c.dead);
                let holds = undecided && self.holds("if", rest, here);
                match self.own_conditional() {
                    Some(c) if !c.last => {
                        c.skipping = !holds;
                        c.taken |= holds;
                    }
                    _ => self.fault(here, "`#elif` without `#if`", "put `#if` before it, or drop it"),
                }
            }
            "else" => match self.own_conditional() {
                Some(c) if !c.last => {
                    c.skipping = c.dead || c.taken;
                    c.taken = true;
                    c.last = true;
                }
                _ => self.fault(here, "`#else` without `#if`", "put `#if` before it, or drop it"),
            },
            "endif" => {
                if self.own_conditional().is_some() {
                    self.conditionals.pop();
                } else {
                    self.fault(here, "`#endif` without `#if`", "put `#if` before it, or drop it");
                }
            }
            _ if self.skipping() => {}
            "define" => self.define(file, rest, here),
            "undef" => {
                if let Some(name) = rest.first() {
                    self.macros.remove(&name.text);
                }
            }
            "include" => self.include(rest, here),
            "error" => {
                let text: Vec<&str> = rest.iter().map(|p| &*p.text).collect();
                let message = format!("#error {}", text.join(" "));
                self.fault(here, message, "the model itself refuses to be read with these definitions");
            }
            "pragma" | "line" | "ident" | "warning" => {}
            // `# 12 "file"` is what a preprocessor leaves.
            _ if keyword.kind == Kind::Number => {}
            other => {
                let message = format!("`#{other}` is no directive");
                self.fault(here, message, "`#define`, `#undef`, `#include` and the `#if` family are read");
            }
        }
    }

    /// The open conditional of the file that is read.
    fn own_conditional(&mut self) -> Option<&mut Conditional> {
        let open = self.stack.last()?.open;
        if self.conditionals.len() > open { self.conditionals.last_mut() } else { None }
    }

    fn holds(&mut self, keyword: &str, rest: &[Piece], here: Origin) -> bool {
        if keyword != "if" {
            let Some(name) = rest.first().filter(|p| p.kind == Kind::Word) else {
                self.fault(here, format!("`#{keyword}` needs a name"), "write the name of a macro after it");
                return false;
            };
            return self.macros.contains_key(&name.text) == (keyword == "ifdef");
        }
        // `defined` looks at names before they are expanded.
        let mut items = Vec::new();
        let mut at = 0;
        while let Some(piece) = rest.get(at) {
            at += 1;
            let mut piece = piece.clone();
            if &*piece.text == "defined" {
                let parenthesised = rest.get(at).is_some_and(|p| &*p.text == "(");
                let name = rest.get(at + usize::from(parenthesised));
                let known = name.is_some_and(|n| self.macros.contains_key(&n.text));
                at += if parenthesised { 3 } else { 1 };
                piece = Piece { kind: Kind::Number, text: if known { "1" } else { "0" }.into(), ..piece };
            }
            items.push(Item { piece, file: here.file, origin: here, hidden: Hidden::default() });
        }
        let expanded: Vec<Piece> = self.expanded(items).into_iter().map(|item| item.piece).collect();
        match condition::value(&expanded) {
            Ok(value) => value != 0,
            Err(message) => {
                self.fault(here, message, "conditions are integer expressions with `defined`, as in C");
                false
            }
        }
    }

    fn define(&mut self, file: u32, rest: &[Piece], here: Origin) {
        let Some((name, rest)) = rest.split_first().filter(|(name, _)| name.kind == Kind::Word) else {
            self.fault(here, "`#define` needs a name", "write `#define NAME text` or `#define NAME(x) text`");
            return;
        };
        let definition = Some(Origin { file, start: name.start as u32, end: name.end as u32, via: None });
        let (parameters, variadic, body) = match rest.first() {
            Some(open) if &*open.text == "(" && !open.blank => {
                let Some(close) = rest.iter().position(|p| &*p.text == ")") else {
                    self.fault(here, "the parameters of this macro do not end", "close them with `)` on the same line");
                    return;
                };
                let mut parameters: Vec<Rc<str>> = Vec::new();
                let mut variadic = false;
                for piece in &rest[1..close] {
                    match (&*piece.text, piece.kind) {
                        (",", _) => {}
                        (_, Kind::Word) => parameters.push(piece.text.clone()),
                        // The three dots are two pieces.
                        ("..", _) => {
                            variadic = true;
                            parameters.push("__VA_ARGS__".into());
                        }
                        (".", _) if variadic => {}
                        (text, _) => {
                            let message = format!("`{text}` is no parameter of a macro");
                            self.fault(here, message, "parameters are names with commas between them");
                            return;
                        }
                    }
                }
                (Some(parameters), variadic, &rest[close + 1..])
            }
            _ => (None, false, rest),
        };
        let definition = Macro { parameters, variadic, body: body.to_vec(), file, definition };
        self.macros.insert(name.text.clone(), definition);
    }

    /// The text of a file that is included.
    fn included(&mut self, path: &Path) -> io::Result<Arc<str>> {
        let name = path.display().to_string();
        if let Some(text) = self.included.get(&name) {
            return Ok(text.clone());
        }
        let text: Arc<str> = decoded(&file::included(path, self.watch)?).into();
        self.included.insert(name, text.clone());
        Ok(text)
    }

    fn include(&mut self, rest: &[Piece], here: Origin) {
        let items =
            rest.iter().map(|p| Item { piece: p.clone(), file: here.file, origin: here, hidden: Hidden::default() });
        let items = items.collect();
        let name: String = self.expanded(items).iter().map(|item| &*item.piece.text).collect();
        let quoted = name.len() >= 2 && (name.starts_with('"') || name.starts_with('<'));
        let Some(name) = quoted.then(|| &name[1..name.len() - 1]).filter(|_| name.is_char_boundary(name.len() - 1))
        else {
            self.fault(here, "`#include` needs a file", "write `#include \"file\"`");
            return;
        };
        if self.stack.len() >= DEEPEST {
            let message = format!("files include each other more than {DEEPEST} levels deep here");
            self.fault(here, message, "guard the file with `#ifndef NAME`, `#define NAME` and `#endif`");
            // Every file on the way may include twice: going on could take forever.
            self.stack.clear();
            return;
        }
        let Some(reading) = self.stack.last() else { return };
        let path = reading.folder.join(name);
        match self.included(&path) {
            Ok(text) => {
                // Files that include each other may be many, and nothing come of them.
                self.count(here, FILE_STEPS + text.len());
                let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
                self.open(path.display().to_string(), text, folder);
            }
            Err(error) => {
                let end = rest.last().map_or(here.end, |p| p.end as u32);
                let start = rest.first().map_or(here.start, |p| p.start as u32);
                let message = format!("cannot read {}: {error}", path.display());
                let fault =
                    Fault::new(Origin { start, end, ..here }, message, "the name is relative to the including file");
                self.faults.push(fault.fatal());
            }
        }
    }
}

#[cfg(test)]
mod tests;
