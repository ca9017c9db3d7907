//! Model files → network, program, Petri net or circuit: the format by extension, several `.aut` files as one network.

use prequel_formats::diag::{Diagnostic, Read};
use prequel_formats::file;
use prequel_formats::file::is_stdin;
use prequel_formats::supremica;
use prequel_formats::supremica::{wdes, wmod};
use prequel_formats::{aiger, aut, dve, exp, formula, ll_net, lola, nupn, pnml, promela, smv, tina};
use prequel_model::watch::Watch;
use prequel_model::{Circuit, Component, Des, LabelId, Labels, Lts, Net, Network, Origin, Source};
use prequel_program as program;
use prequel_program::dve::View;
use prequel_program::{Expression, Program, Stated};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// A format that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Aldebaran.
    Aut,
    /// EXP.OPEN subset.
    Exp,
    /// Promela.
    Promela,
    /// DVE, the language of BEEM.
    Dve,
    /// Petri nets in XML.
    Pnml,
    /// LoLA's low-level nets.
    Lola,
    /// PEP's low-level nets.
    LlNet,
    /// TINA's nets, or LoLA's where the text looks so.
    Tina,
    /// CADP's nested-unit nets as text.
    Nupn,
    /// Supremica's automata.
    Wdes,
    /// Supremica's modules.
    Wmod,
    /// SMV.
    Smv,
    /// And-inverter graphs with latches, in both forms.
    Aiger,
    /// Formulas about a net, which stand beside it.
    Formula,
}

/// What model files turn out to be.
#[derive(Debug)]
pub enum Model {
    /// Components side by side.
    Network(Network, Origin),
    /// A program that is run.
    Program(Box<ProgramFile>),
    /// A Petri net, with what is stated beside it.
    Net(Arc<NetFile>),
    /// Automata with roles, and events that can be prevented or not.
    Des(Box<Des>),
    /// A Boolean system with components.
    Circuit(Box<CircuitFile>),
}

impl Model {
    /// Whether it is a Promela model.
    pub fn is_promela(&self) -> bool {
        matches!(self, Model::Program(file) if file.source().is_some())
    }
}

/// A model that is a circuit.
#[derive(Clone, Debug)]
pub struct CircuitFile {
    /// What messages call it.
    pub name: String,
    /// The circuit; its bad states are those that the file says are never reached.
    pub circuit: Arc<Circuit>,
    /// The text, for goals in its own words; none where these are the names of the circuit.
    text: Option<Vec<u8>>,
}

impl CircuitFile {
    fn read(path: &Path, format: Format, watch: &Watch) -> Read<Self> {
        let (name, text) = (path.display().to_string(), bytes_within(path, watch)?);
        let (circuit, warnings) = match format {
            Format::Smv => smv::read(&name, &text),
            _ => aiger::read(&name, &text),
        }?;
        let text = (format == Format::Smv).then_some(text);
        Ok((Self { name, circuit: Arc::new(circuit), text }, warnings))
    }

    /// The circuit whose bad states are those of a goal. `option` is what messages call it.
    pub fn with_goal(&self, option: &str, text: &str) -> Result<Arc<Circuit>, Vec<Diagnostic>> {
        let goal = smv::Goal { option, text };
        if let Some(text) = &self.text {
            return smv::read_with(&self.name, text, Some(goal)).map(|(circuit, _)| Arc::new(circuit));
        }
        let mut circuit = (*self.circuit).clone();
        circuit.bad = Some(smv::read_goal(goal, &mut circuit)?);
        Ok(Arc::new(circuit))
    }
}

/// A model that is a Petri net.
#[derive(Clone, Debug)]
pub struct NetFile {
    /// What messages call it.
    pub name: String,
    /// The net.
    pub net: Arc<Net>,
    /// What the formula files beside it ask, in order.
    pub formulas: Vec<formula::Formula>,
}

impl NetFile {
    fn read(path: &Path, format: Format, formulas: &[&PathBuf], watch: &Watch) -> Read<Self> {
        let (name, text) = (path.display().to_string(), bytes_within(path, watch)?);
        let is_lola = || lola::looks_so(&String::from_utf8_lossy(&text));
        let (net, mut warnings) = match format {
            Format::Pnml => pnml::read(&name, &text),
            Format::Lola => lola::read(&name, &text),
            Format::Tina if is_lola() => lola::read(&name, &text),
            Format::Tina => tina::read(&name, &text),
            Format::Nupn => nupn::read(&name, &text),
            _ => ll_net::read(&name, &text),
        }?;
        let mut asked = Vec::new();
        let mut errors = Vec::new();
        for path in formulas {
            match formula::read(&path.display().to_string(), &stem(path), &bytes_within(path, watch)?, &net) {
                Ok((more, found)) => {
                    asked.extend(more);
                    warnings.extend(found);
                }
                Err(found) => errors.extend(found),
            }
        }
        if errors.is_empty() { Ok((Self { name, net: Arc::new(net), formulas: asked }, warnings)) } else { Err(errors) }
    }
}

/// A model that is a program: what it means as it stands, and its text for questions in its own words.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    /// What messages call it.
    pub name: String,
    language: Language,
    /// The program with the claim that is looked at: the first of those that are, where there are several.
    pub program: Program,
    /// All that the model states.
    pub stated: Vec<Stated>,
    /// Which of its claims are looked at.
    claims: Claims,
    /// Claims that it decides in part.
    pub formulas: Vec<Unstated>,
}

/// A text in its language, read once.
#[derive(Clone, Debug)]
enum Language {
    Promela(PromelaSource),
    Dve(Box<dve::syntax::System>),
}

/// A Promela text, and what was read in it.
#[derive(Clone, Debug)]
pub struct PromelaSource {
    /// The text, for SPIN.
    pub text: promela::Text,
    /// What it says.
    pub model: Arc<promela::syntax::Model>,
}

impl ProgramFile {
    fn promela(path: &Path, options: &Options) -> Read<Self> {
        let (name, bytes, folder) =
            (path.display().to_string(), bytes_within(path, &options.watch)?, folder(path).to_owned());
        let (defines, allow_c) = (options.defines.clone(), options.allow_c);
        let (model, mut warnings) = promela::read_within(&name, &bytes, &folder, &defines, &options.watch)?;
        let text = promela::Text { name, bytes, folder, defines, allow_c };
        let source = PromelaSource { text, model: Arc::new(model) };
        let (file, more) = Self::of_source(source, options.claims.clone(), options.optimise)?;
        warnings.extend(more);
        Ok((file, warnings))
    }

    fn of_source(source: PromelaSource, claims: Claims, optimise: bool) -> Read<Self> {
        let model = &*source.model;
        let claim = match &claims {
            Claims::All => program::Claim::Never,
            Claims::None => program::Claim::None,
            Claims::Named(name) => program::Claim::Named(name),
        };
        let compile = if optimise { program::optimised } else { program::compile };
        let (program, warnings) = compile(model, claim)?;
        let open = program.property.iter().filter(|property| property.cyclic);
        let formulas = open.map(|open| Unstated { name: open.title(), file: open.file.to_string(), line: open.line });
        let (name, formulas, stated) = (source.text.name.clone(), formulas.collect(), program::stated(model));
        Ok((Self { name, language: Language::Promela(source), program, stated, claims, formulas }, warnings))
    }

    /// The names of the claims that are looked at, in SPIN's order.
    pub fn asked_claims(&self) -> Vec<&str> {
        let names = self.stated.iter().filter_map(Stated::claim);
        match &self.claims {
            Claims::All => names.collect(),
            Claims::None => Vec::new(),
            Claims::Named(wanted) => names.filter(|name| name == wanted).collect(),
        }
    }

    /// The same model with only one of its claims looked at.
    pub fn with_claim(&self, name: &str) -> Result<Self, Vec<Diagnostic>> {
        let Language::Promela(source) = &self.language else { return Ok(self.clone()) };
        let optimise = self.program.optimised.is_some();
        Self::of_source(source.clone(), Claims::Named(name.into()), optimise).map(|(file, _)| file)
    }

    fn dve(path: &Path, watch: &Watch) -> Read<Self> {
        let name = path.display().to_string();
        let (system, mut warnings) = dve::read(&name, &bytes_within(path, watch)?)?;
        let (program, more) = program::dve::compile(&system, View::Assertions)?;
        warnings.extend(more);
        let property = system.property.iter().map(|property| Stated::Never(property.text.clone()));
        let stated = std::iter::once(Stated::Assertions).chain(property).collect();
        let (language, claims, formulas) = (Language::Dve(Box::new(system)), Claims::None, Vec::new());
        Ok((Self { name, language, program, stated, claims, formulas }, warnings))
    }

    /// A Promela model as it was read.
    pub fn source(&self) -> Option<&PromelaSource> {
        match &self.language {
            Language::Promela(source) => Some(source),
            Language::Dve(_) => None,
        }
    }

    /// Whether the language has a word for where processes may end, so that it is wrong to stop elsewhere.
    pub fn has_end_states(&self) -> bool {
        matches!(self.language, Language::Promela(_))
    }

    /// Who needs no network of it, with a verb.
    pub fn taken_by(&self) -> &'static str {
        match self.language {
            Language::Promela(_) => "the engines otf and spin take",
            Language::Dve(_) => "the engine otf takes",
        }
    }

    /// Whether it has assertions that are no statements, and so are no part of the bare program.
    pub fn states_assertions_apart(&self) -> bool {
        match &self.language {
            Language::Promela(_) => false,
            Language::Dve(system) => system.processes.iter().any(|process| !process.assertions.is_empty()),
        }
    }

    /// The program without what it states about runs, for questions of the user's own.
    pub fn without_claim(&self) -> Result<Program, Vec<Diagnostic>> {
        match &self.language {
            Language::Promela(_) if self.program.claim.is_none() => Ok(self.program.clone()),
            Language::Promela(source) => {
                let compile = if self.program.optimised.is_some() { program::optimised } else { program::compile };
                compile(&source.model, program::Claim::None).map(|(program, _)| program)
            }
            Language::Dve(system) => program::dve::compile(system, View::Bare).map(|(program, _)| program),
        }
    }

    /// The program with its assertions and nothing else that it states about runs.
    pub fn with_assertions(&self) -> Result<Program, Vec<Diagnostic>> {
        match &self.language {
            Language::Promela(_) => self.without_claim(),
            // There they are no statements.
            Language::Dve(_) => Ok(self.program.clone()),
        }
    }

    /// The program without its claim, and what a goal means in it. `option` is what messages call the goal.
    pub fn with_goal(&self, option: &str, text: &str) -> Result<(Program, Expression), Vec<Diagnostic>> {
        let ((program, goal), _) = match &self.language {
            // A goal is read behind the model, with the macros that are defined there.
            Language::Promela(PromelaSource { text: promela::Text { name, bytes, folder, defines, .. }, .. }) => {
                let goal = promela::Goal { option, text };
                let ((model, goal), _) = promela::read_with(name, bytes, folder, defines, Some(goal))?;
                program::compile_with(&model, program::Claim::None, goal.as_ref())?
            }
            Language::Dve(system) => {
                let goal = dve::read_goal(option, text)?;
                program::dve::compile_with(system, View::Bare, Some((option, text, &goal)))?
            }
        };
        Ok((program, goal.expect("a goal was asked for")))
    }
}

/// A property of a Promela model that is decided in part: runs without an end are not looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unstated {
    /// What it is called.
    pub name: String,
    /// In which file.
    pub file: String,
    /// In which line.
    pub line: usize,
}

/// Which claims and formulas of a Promela model are looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Claims {
    /// Each of them.
    #[default]
    All,
    /// None: assertions and end states alone.
    None,
    /// The one of this name.
    Named(String),
}

impl From<&str> for Claims {
    fn from(text: &str) -> Self {
        match text {
            "all" => Claims::All,
            "none" => Claims::None,
            name => Claims::Named(name.into()),
        }
    }
}

/// How to read model files.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The format, where the extension does not tell.
    pub from: Option<Format>,
    /// What is open to choice in `.aut`.
    pub dialect: aut::Dialect,
    /// Macros that are defined before a Promela model is read.
    pub defines: Vec<(String, String)>,
    /// A Promela program is searched in its optimised form.
    pub optimise: bool,
    /// Which claims and formulas of a Promela model are looked at.
    pub claims: Claims,
    /// The proposition that marks states of Supremica's automata; the usual one if absent.
    pub marking: Option<String>,
    /// How long it may take.
    pub watch: Watch,
    /// Whether C that is embedded in a Promela model may be compiled and run by SPIN.
    pub allow_c: bool,
}

impl Format {
    /// All formats of models, with the extension each is chosen by.
    pub const ALL: [(Format, &'static str); 22] = [
        (Format::Aut, "aut"),
        (Format::Exp, "exp"),
        (Format::Promela, "pml"),
        (Format::Promela, "pm"),
        (Format::Promela, "prm"),
        (Format::Promela, "promela"),
        (Format::Promela, "spin"),
        (Format::Promela, "pr"),
        (Format::Promela, "prom"),
        (Format::Promela, "sumo"),
        (Format::Dve, "dve"),
        (Format::Pnml, "pnml"),
        (Format::Lola, "lola"),
        (Format::Lola, "llnet"),
        (Format::LlNet, "ll_net"),
        (Format::Tina, "net"),
        (Format::Nupn, "nupn"),
        (Format::Wdes, "wdes"),
        (Format::Wmod, "wmod"),
        (Format::Smv, "smv"),
        (Format::Aiger, "aag"),
        (Format::Aiger, "aig"),
    ];

    /// Extensions of files that hold formulas about a net.
    const FORMULAS: [&'static str; 4] = ["formula", "task", "xml", "txt"];

    /// Whether such a file is a Petri net.
    fn is_net(self) -> bool {
        matches!(self, Format::Pnml | Format::Lola | Format::LlNet | Format::Tina | Format::Nupn)
    }

    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if Self::FORMULAS.contains(&&*extension) { Some(Format::Formula) } else { extension.parse().ok() }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, extension)| *extension == text);
        found.map(|(format, _)| *format).ok_or_else(|| format!("unknown format `{text}`; readable are {}", readable()))
    }
}

/// The readable formats, for messages.
pub fn readable() -> String {
    Format::ALL.map(|(_, extension)| extension).join(", ")
}

/// Reads model files.
pub fn read(models: &[PathBuf], options: &Options) -> Read<Model> {
    let mut errors = Vec::new();
    let mut formats = Vec::new();
    let formula = |path: &PathBuf| Format::of(path) == Some(Format::Formula);
    // A formula beside a net is one, whatever the format of the net; where all files could be formulas, the first is the net.
    let beside = models.len() > 1 && options.from.is_some_and(Format::is_net);
    let net = models.iter().position(|path| !formula(path)).unwrap_or(0);
    for (at, path) in models.iter().enumerate() {
        let found = if beside && at != net && formula(path) { Some(Format::Formula) } else { format_of(path, options) };
        match found {
            Some(format) => formats.push(format),
            None => {
                let message =
                    if is_stdin(path) { "the format of standard input is not known" } else { "unknown extension" };
                let help = format!("name the format with --from; readable are {}", readable());
                errors.push(Diagnostic::error(path.display().to_string(), message).help(help));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let network = |read: Read<(Network, Origin)>| {
        read.map(|((network, origin), warnings)| (Model::Network(network, origin), warnings))
    };
    let program = |read: Read<ProgramFile>| read.map(|(file, warnings)| (Model::Program(Box::new(file)), warnings));
    match (models, formats.as_slice()) {
        ([one], [Format::Exp]) => {
            let text = bytes_within(one, &options.watch)?;
            network(exp::read_within(&one.display().to_string(), &text, folder(one), &options.dialect, &options.watch))
        }
        ([one], [Format::Promela]) => program(ProgramFile::promela(one, options)),
        ([one], [Format::Dve]) => program(ProgramFile::dve(one, &options.watch)),
        ([one], [format @ (Format::Smv | Format::Aiger)]) => CircuitFile::read(one, *format, &options.watch)
            .map(|(file, warnings)| (Model::Circuit(Box::new(file)), warnings)),
        ([one], [format @ (Format::Wdes | Format::Wmod)]) => {
            let (name, text) = (one.display().to_string(), bytes_within(one, &options.watch)?);
            let marking = options.marking.as_deref().unwrap_or(supremica::ACCEPTING);
            let read = match format {
                Format::Wdes => wdes::read(&name, &text, marking),
                _ => wmod::read(&name, &text, folder(one), marking),
            };
            read.map(|(des, warnings)| (Model::Des(Box::new(des)), warnings))
        }
        (many, formats) if formats.iter().all(|f| *f == Format::Aut) => network(automata(many, options)),
        (many, formats) if is_net_with_formulas(formats) => {
            let of = |test: fn(Format) -> bool| many.iter().zip(formats).filter(move |(_, f)| test(**f));
            let (path, format) = of(Format::is_net).next().expect("there is one net");
            let formulas: Vec<&PathBuf> = of(|f| f == Format::Formula).map(|(path, _)| path).collect();
            let read = NetFile::read(path, *format, &formulas, &options.watch);
            read.map(|(file, warnings)| (Model::Net(Arc::new(file)), warnings))
        }
        (many, formats) if formats.contains(&Format::Formula) => {
            let path =
                many.iter().zip(formats).find(|(_, f)| **f == Format::Formula).map_or(&many[0], |(path, _)| path);
            let message = "a formula needs one Petri net beside it";
            let help = "give the net and its formulas, as in `prequel check net.pnml properties.xml`";
            Err(vec![Diagnostic::error(path.display().to_string(), message).help(help)])
        }
        (many, _) => {
            let whole = many.iter().zip(&formats).find(|(_, f)| **f != Format::Aut).map_or(&many[0], |(path, _)| path);
            let message = "this file is a whole model and cannot be combined with other files";
            let help =
                "give one such file, or several .aut files; to combine those, name them in an .exp file of your own";
            Err(vec![Diagnostic::error(whole.display().to_string(), message).help(help)])
        }
    }
}

/// The format of a file: what the user says, or its extension; without a known one it may be Promela all the same.
fn format_of(path: &Path, options: &Options) -> Option<Format> {
    options.from.or_else(|| Format::of(path)).or_else(|| is_promela(path, options).then_some(Format::Promela))
}

/// The longest file that is looked into to find out what it is.
const MOST_BYTES: u64 = 16 << 20;

/// Whether a file is Promela by its content. What can be read once only is not looked into.
fn is_promela(path: &Path, options: &Options) -> bool {
    let fits = |about: std::fs::Metadata| about.is_file() && about.len() <= MOST_BYTES;
    if is_stdin(path) || !path.metadata().is_ok_and(fits) {
        return false;
    }
    let looks_so =
        |text: Vec<u8>| promela::looks_so(&path.display().to_string(), &text, folder(path), &options.defines);
    bytes(path).is_ok_and(looks_so)
}

/// One net, and nothing but formulas beside it.
fn is_net_with_formulas(formats: &[Format]) -> bool {
    formats.iter().filter(|f| f.is_net()).count() == 1 && formats.iter().all(|f| f.is_net() || *f == Format::Formula)
}

/// The text of a Promela model that may not be readable; none if the models are something else, or went by on standard input.
pub fn promela_text(models: &[PathBuf], options: &Options) -> Option<promela::Text> {
    let [path] = models else { return None };
    if is_stdin(path) || format_of(path, options) != Some(Format::Promela) {
        return None;
    }
    let (name, folder, defines) = (path.display().to_string(), folder(path).to_owned(), options.defines.clone());
    Some(promela::Text { name, bytes: bytes(path).ok()?, folder, defines, allow_c: options.allow_c })
}

/// What relative names in a file are relative to.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// The bytes of a file, or of standard input for `-`.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    bytes_within(path, &Watch::default())
}

fn bytes_within(path: &Path, watch: &Watch) -> Result<Vec<u8>, Vec<Diagnostic>> {
    file::bytes(path, watch).map_err(|e| cannot_read(path, &e))
}

fn cannot_read(path: &Path, error: &io::Error) -> Vec<Diagnostic> {
    let help = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file: check the path",
        io::ErrorKind::FileTooLarge => "is it the model that was meant?",
        io::ErrorKind::PermissionDenied => "it may not be read: check its permissions",
        _ => "it must be a readable file",
    };
    vec![Diagnostic::error(path.display().to_string(), format!("cannot read: {error}")).help(help)]
}

/// Reads `.aut` files as the components of one network; a component is called after its file.
fn automata(paths: &[PathBuf], options: &Options) -> Read<(Network, Origin)> {
    let names: Vec<String> = paths.iter().map(|p| stem(p)).collect();
    let mut first: HashMap<&str, &Path> = HashMap::new();
    let mut errors = Vec::new();
    for (name, path) in names.iter().zip(paths) {
        if let Some(other) = first.insert(name, path) {
            let message = format!("a second component called `{name}`; the first is {}", other.display());
            let help = "a component is called after its file: rename one of them, or compose them with an .exp file";
            errors.push(Diagnostic::error(path.display().to_string(), message).help(help));
        }
    }
    let mut labels = Labels::new();
    let mut warnings = Vec::new();
    let mut components = Vec::with_capacity(paths.len());
    let read = |path: &PathBuf, labels: &mut Labels| -> Read<Lts> {
        let input = file::open(path, &options.watch).map_err(|e| cannot_read(path, &e))?;
        aut::read_from(&path.display().to_string(), input, &options.dialect, labels)
    };
    let mut keep = |name: &str, read: Read<Lts>| match read {
        Ok((lts, more)) => {
            warnings.extend(more);
            components.push(Component::new(name, lts));
        }
        Err(more) => errors.extend(more),
    };
    if let [one] = paths {
        // One large system goes straight into the network's table.
        keep(&names[0], read(one, &mut labels));
    } else {
        // Each file with a table of its own, in parallel; then the tables are merged in the order of the files.
        let parsed: Vec<(Labels, Read<Lts>)> = paths
            .par_iter()
            .map(|path| {
                let mut own = Labels::new();
                let lts = read(path, &mut own);
                (own, lts)
            })
            .collect();
        for (name, (own, lts)) in names.iter().zip(parsed) {
            let ids: Vec<LabelId> =
                std::iter::once(LabelId::TAU).chain(own.visible().map(|l| labels.intern(own.name(l)))).collect();
            keep(name, lts.map(|(lts, warnings)| (lts.relabelled(|l| ids[l.at()]), warnings)));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let source = |path: &PathBuf| Source { file: (!is_stdin(path)).then(|| Arc::new(path.clone())), state_names: None };
    let origin = Origin { sources: paths.iter().map(source).collect() };
    Ok(((Network::new(labels, components), origin), warnings))
}

/// What a component is called: its file's name without the extension.
fn stem(path: &Path) -> String {
    if is_stdin(path) { "stdin".into() } else { path.file_stem().unwrap_or_default().to_string_lossy().into_owned() }
}
