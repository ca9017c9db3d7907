//! From one text to all texts and files that belong to it.

use super::lexer::lex;
use super::pattern::{gate, literal, literal_result};
use super::syntax::{Behaviour, Common, File, Label, Match, Operator, Vector};
use super::{Fault, Findings, Source, grammar, is_script};
use crate::aut;
use crate::diag::Diagnostic;
use crate::file;
use crate::text::tokens::{Notes, Tokens};
use indexmap::IndexMap;
use prequel_model::watch::Watch;
use prequel_model::{Labels, Lts};
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Components that a network may have; included files can multiply them without end.
const MOST_COMPONENTS: usize = 1 << 22;

/// Where a file is first referred to.
pub struct Reference {
    pub source: usize,
    pub file: File,
    folder: usize,
}

/// A text with all it includes, and the files it refers to.
pub struct Linked {
    pub sources: Vec<Source>,
    pub body: Behaviour,
    /// For each component its file, as an index of `files`.
    pub components: Vec<u32>,
    pub files: Vec<Reference>,
    /// Folders that paths are relative to; the first is that of the outermost text.
    folders: Vec<PathBuf>,
}

/// A component file that was read.
pub struct Loaded {
    pub path: Arc<PathBuf>,
    pub labels: Labels,
    pub lts: Lts,
}

/// Parses a text and what it includes, and checks all that can be checked without the component files.
pub fn link(file: &str, text: &[u8], dir: &Path, findings: &mut Findings) -> Option<Linked> {
    let mut linker = Linker {
        findings,
        sources: Vec::new(),
        folders: vec![dir.to_owned()],
        including: Vec::new(),
        components: Vec::new(),
        files: IndexMap::default(),
    };
    let (source, mut body) = linker.parse(file, text, 0)?;
    linker.behaviour(&mut body, source, 0, 0);
    let Linker { sources, folders, components, files, .. } = linker;
    let files = files.into_values().collect();
    Some(Linked { sources, body, components, files, folders })
}

struct Linker<'f> {
    findings: &'f mut Findings,
    sources: Vec<Source>,
    folders: Vec<PathBuf>,
    /// The files whose inclusion is under way, to notice a circle.
    including: Vec<PathBuf>,
    components: Vec<u32>,
    files: IndexMap<(usize, Box<str>), Reference, FxBuildHasher>,
}

impl Linker<'_> {
    /// Parses one text and keeps it as a source.
    fn parse(&mut self, file: &str, text: &[u8], depth: usize) -> Option<(usize, Behaviour)> {
        let text = String::from_utf8(text.to_vec()).unwrap_or_else(|_| text.iter().map(|&b| char::from(b)).collect());
        let number = self.sources.len();
        self.sources.push(Source { file: file.to_owned(), text });
        let source = &self.sources[number];
        let (tokens, faults) = lex(&source.text);
        let notes = Notes::default();
        let parsed = grammar::file(Tokens::new(&tokens, &notes), depth);
        if parsed.is_ok() && faults.is_empty() {
            return parsed.ok().map(|(_, body)| (number, body));
        }
        if is_script(&source.text) {
            let message = "this is a DejaGnu test script (Tcl), not a network of automata";
            let help = "both are called .exp; a network starts with `hide`, `par`, a file name or the like";
            self.findings.error(source, Fault::new(0..source.text.lines().next().map_or(0, str::len), message, help));
            return None;
        }
        // A syntax error may be an echo of a token that was left out; it is not worth a second message then.
        if faults.is_empty() {
            let diagnostic = notes.diagnostic(&source.file, source.text.as_bytes(), &tokens);
            let help = "supported are file names, `( )`, `||`, `|||`, `|[…]|`, `par … end par`, `par using … end par`, \
                        `hide … in … end hide` and `rename … in … end rename`";
            self.findings.errors.push(diagnostic.help(help));
        }
        for fault in faults {
            self.findings.error(source, fault);
        }
        None
    }

    fn error(&mut self, source: usize, fault: Fault) {
        self.findings.error(&self.sources[source], fault);
    }

    /// Numbers the components, puts included texts in place, and checks labels.
    fn behaviour(&mut self, behaviour: &mut Behaviour, source: usize, folder: usize, depth: usize) {
        match behaviour {
            Behaviour::File(file) => {
                let file = file.clone();
                *behaviour = self.file(file, source, folder, depth);
            }
            Behaviour::Component(_) | Behaviour::Included(..) => {}
            Behaviour::Chain(operands, operators) => {
                for operator in operators {
                    if let Operator::On(labels) = operator {
                        self.interface(labels, Match::Gate, source);
                    }
                }
                operands.iter_mut().for_each(|operand| self.behaviour(operand, source, folder, depth + 1));
            }
            Behaviour::Par { by, common, operands } => {
                if let Common::List(labels) = common {
                    self.interface(labels, *by, source);
                }
                for (labels, operand) in operands {
                    self.interface(labels, *by, source);
                    self.behaviour(operand, source, folder, depth + 1);
                }
            }
            Behaviour::Vectors { by, vectors, operands } => {
                for vector in vectors {
                    self.vector(vector, *by, operands.len(), source);
                }
                operands.iter_mut().for_each(|operand| self.behaviour(operand, source, folder, depth + 1));
            }
            Behaviour::Hide { by, labels, body, .. } => {
                for label in labels {
                    self.pattern(label, *by, "hide", source);
                }
                self.behaviour(body, source, folder, depth + 1);
            }
            Behaviour::Rename { by, rules, body } => {
                for (label, result) in rules {
                    self.pattern(label, *by, "rename", source);
                    if let Err(fault) = literal_result(result) {
                        self.error(source, fault);
                    }
                    self.plain(result, source);
                }
                self.behaviour(body, source, folder, depth + 1);
            }
            Behaviour::Refused { construct, span, body } => {
                let message = format!("{construct} is not supported");
                let help = match *construct {
                    "`prio`" => {
                        "priorities have no counterpart here: remove them, or generate the system with CADP first"
                    }
                    "`cut`" => "synchronise the labels with nobody instead: `par using` blocks what is in no vector",
                    _ => "write the labels into this file",
                };
                let span = span.clone();
                self.error(source, Fault::new(span, message, help));
                self.behaviour(body, source, folder, depth + 1);
            }
        }
    }

    /// Labels of a synchronisation list.
    fn interface(&mut self, labels: &[Label], by: Match, source: usize) {
        for label in labels {
            self.plain(label, source);
            self.gate(label, by, "label par", source);
        }
    }

    fn vector(&mut self, vector: &Vector, by: Match, operands: usize, source: usize) {
        let columns = vector.columns.len();
        if columns != operands {
            let message = format!("this vector has {columns} columns, but there are {operands} behaviours");
            let help = "write one label, or `_`, for each behaviour after `in`";
            self.error(source, Fault::new(vector.span.clone(), message, help));
        } else if vector.columns.iter().all(Option::is_none) {
            let fault = Fault::new(vector.span.clone(), "nobody moves in this vector", "put a label in place of a `_`");
            self.error(source, fault);
        }
        for label in vector.columns.iter().flatten().chain([&vector.result]) {
            self.plain(label, source);
            self.gate(label, by, "label par using", source);
        }
    }

    /// A label of `hide`, or on the left side of `rename`.
    fn pattern(&mut self, label: &mut Label, by: Match, construct: &str, source: usize) {
        self.plain(label, source);
        if let Err(fault) = literal(label) {
            self.error(source, fault);
        }
        self.gate(label, by, &format!("total {construct}"), source);
    }

    /// Refuses what belongs to labels only in synchronisation among some of many.
    fn plain(&mut self, label: &Label, source: usize) {
        if let Some(span) = &label.among {
            let message = "synchronisation of some among many (`#n`) is not supported";
            self.error(source, Fault::new(span.clone(), message, "list the wanted combinations with `par using`"));
        }
    }

    /// Warns of a label that is meant whole where gates are compared.
    fn gate(&mut self, label: &Label, by: Match, instead: &str, source: usize) {
        if by == Match::Gate && gate(&label.text) != &*label.text {
            let message = format!("`{}` is no gate, so it matches no label here", label.text);
            let fault = Fault::new(label.span.clone(), message, format!("write `{instead}` to compare whole labels"));
            self.findings.warn(&self.sources[source], fault);
        }
    }

    fn file(&mut self, file: File, source: usize, folder: usize, depth: usize) -> Behaviour {
        let component = Behaviour::Component(self.components.len() as u32);
        match extension(&file.name).as_deref() {
            Some("exp") => return self.include(&file, source, folder, depth).unwrap_or(component),
            Some("bcg") => {
                let stem = &file.name[..file.name.len() - 4];
                let fault = binary(file.span.clone(), stem);
                self.error(source, fault);
            }
            _ if self.components.len() >= MOST_COMPONENTS => {
                // Said once; every further file would say the same.
                if self.components.len() == MOST_COMPONENTS {
                    let message = format!("more than {MOST_COMPONENTS} components");
                    self.error(source, Fault::new(file.span.clone(), message, "compose parts of the network first"));
                    self.components.push(0);
                }
            }
            _ => {
                let entry = self.files.entry((folder, file.name.clone()));
                self.components.push(entry.index() as u32);
                entry.or_insert(Reference { source, file, folder });
            }
        }
        component
    }

    fn include(&mut self, file: &File, source: usize, folder: usize, depth: usize) -> Option<Behaviour> {
        if self.components.len() >= MOST_COMPONENTS || self.findings.errors.len() >= super::MOST_FINDINGS {
            return None;
        }
        let candidates = candidates(&self.folders, folder, &file.name);
        let opened = candidates.iter().find(|path| path.is_file());
        let Some(path) = opened else {
            let fault = missing(file, &candidates);
            self.error(source, fault);
            return None;
        };
        let text = match file::included(path, &Watch::default()) {
            Ok(text) => text,
            Err(e) => {
                let message = format!("cannot read {}: {e}", path.display());
                self.error(source, Fault::new(file.span.clone(), message, "check that the file may be read"));
                return None;
            }
        };
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.including.contains(&real) {
            let message = format!("`{}` includes itself", file.name);
            self.error(source, Fault::new(file.span.clone(), message, "remove one inclusion of the circle"));
            return None;
        }
        let dir = path.parent().map(Path::to_owned).unwrap_or_default();
        let inner = self.folders.iter().position(|f| *f == dir).unwrap_or_else(|| {
            self.folders.push(dir);
            self.folders.len() - 1
        });
        self.including.push(real);
        let parsed = self.parse(&path.display().to_string(), &text, depth + 1);
        let included = parsed.map(|(number, mut body)| {
            self.behaviour(&mut body, number, inner, depth + 1);
            Behaviour::Included(number, body.into())
        });
        self.including.pop();
        included
    }
}

/// The extension in lower case.
fn extension(name: &str) -> Option<String> {
    Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase())
}

/// Where a file may be, in the order of trying.
fn candidates(folders: &[PathBuf], folder: usize, name: &str) -> Vec<PathBuf> {
    let dir = &folders[folder];
    let above = match dir.parent() {
        Some(parent) if dir.file_name().is_some() => parent.to_owned(),
        _ => dir.join(".."),
    };
    let mut places = vec![dir.join(name), above.join(name)];
    places.extend(Path::new(name).file_name().map(|last| dir.join(last)));
    if folder != 0 {
        places.push(folders[0].join(name));
    }
    let known = matches!(extension(name).as_deref(), Some("aut" | "exp" | "bcg"));
    let mut paths: Vec<PathBuf> = Vec::new();
    for place in places {
        let extended = (!known).then(|| {
            let mut path = place.clone().into_os_string();
            path.push(".aut");
            PathBuf::from(path)
        });
        for path in extended.into_iter().chain([place]) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

fn missing(file: &File, tried: &[PathBuf]) -> Fault {
    let tried: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
    let message = format!("there is no file `{}`", file.name);
    Fault::new(file.span.clone(), message, format!("looked for {}", tried.join(", ")))
}

fn binary(span: super::syntax::Span, stem: &str) -> Fault {
    let help = format!("convert it with CADP: `bcg_io {stem}.bcg {stem}.aut`, and refer to {stem}.aut");
    Fault::new(span, format!("`{stem}.bcg` is in CADP's binary format, which is not supported"), help)
}

/// How reading a component file went wrong.
enum Trouble {
    /// At the reference.
    There(Fault),
    /// In the file itself.
    Inside(Vec<Diagnostic>),
}

/// Reads all component files, each once and into a label table of its own.
pub fn load(linked: &Linked, dialect: &aut::Dialect, watch: &Watch, findings: &mut Findings) -> Option<Vec<Loaded>> {
    let read: Vec<_> = linked.files.par_iter().map(|reference| open(linked, reference, dialect, watch)).collect();
    let mut loaded = Vec::with_capacity(read.len());
    for (reference, read) in linked.files.iter().zip(read) {
        match read {
            Ok((file, warnings)) => {
                findings.warnings.extend(warnings);
                loaded.push(file);
            }
            Err(Trouble::There(fault)) => findings.error(&linked.sources[reference.source], fault),
            Err(Trouble::Inside(errors)) => findings.errors.extend(errors),
        }
    }
    (!findings.failed()).then_some(loaded)
}

fn open(
    linked: &Linked,
    at: &Reference,
    dialect: &aut::Dialect,
    watch: &Watch,
) -> Result<(Loaded, Vec<Diagnostic>), Trouble> {
    let candidates = candidates(&linked.folders, at.folder, &at.file.name);
    for path in &candidates {
        let input = match file::part(path, watch) {
            Ok(_) if path.is_dir() => continue,
            Ok(file) => file,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
            Err(e) => {
                let message = format!("cannot open {}: {e}", path.display());
                let fault = Fault::new(at.file.span.clone(), message, "check that the file may be read");
                return Err(Trouble::There(fault));
            }
        };
        let mut labels = Labels::new();
        let (lts, warnings) =
            aut::read_from(&path.display().to_string(), input, dialect, &mut labels).map_err(Trouble::Inside)?;
        return Ok((Loaded { path: Arc::new(path.clone()), labels, lts }, warnings));
    }
    let converted = candidates.iter().map(|path| path.with_extension("bcg")).find(|path| path.is_file());
    Err(Trouble::There(match converted {
        Some(_) => binary(at.file.span.clone(), at.file.name.strip_suffix(".aut").unwrap_or(&at.file.name)),
        None => missing(&at.file, &candidates),
    }))
}
