//! Model files → network, program, Petri net or circuit: the format by extension, several `.aut` files as one network.

use prequel_formats::diag::{Diagnostic, Read};
use prequel_formats::file;
use prequel_formats::file::is_stdin;
pub use prequel_formats::list::Format;
use prequel_formats::list::{AutomataFormat, CircuitFormat, NetFormat};
use prequel_formats::picture::page;
use prequel_formats::supremica;
use prequel_formats::supremica::{wdes, wmod};
use prequel_formats::{aiger, aut, dve, exp, formula, ll_net, lola, nupn, pnml, promela, smv, temporal, tina};
use prequel_model::watch::Watch;
use prequel_model::{Circuit, Component, Des, LabelId, Labels, Lts, Net, Network, Origin, Source};
use prequel_program as program;
use prequel_program::dve::View;
use prequel_program::{Expression, Program, Stated};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;

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
    /// Whether formulas and claims are chosen as it is read; otherwise a formula is a question like others.
    pub fn is_program(&self) -> bool {
        matches!(self, Model::Program(_))
    }

    /// Whether a formula about runs can be put to it that is none of its own.
    pub fn takes_formulas(&self) -> bool {
        matches!(self, Model::Network(..) | Model::Net(_))
    }

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
    fn read(path: &Path, format: CircuitFormat, watch: &Watch) -> Read<Self> {
        let (name, text) = (path.display().to_string(), bytes_within(path, watch)?);
        let (circuit, warnings) = match format {
            CircuitFormat::Smv => smv::read(&name, &text),
            CircuitFormat::Aiger => aiger::read(&name, &text),
        }?;
        let text = (format == CircuitFormat::Smv).then_some(text);
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
    fn read(path: &Path, format: NetFormat, formulas: &[&PathBuf], watch: &Watch) -> Read<Self> {
        let (name, text) = (path.display().to_string(), bytes_within(path, watch)?);
        let is_lola = || lola::looks_so(&String::from_utf8_lossy(&text));
        let (net, mut warnings) = match format {
            NetFormat::Pnml => pnml::read(&name, &text),
            NetFormat::Lola => lola::read(&name, &text),
            NetFormat::LlNet => ll_net::read(&name, &text),
            NetFormat::Tina if is_lola() => lola::read(&name, &text),
            NetFormat::Tina => tina::read(&name, &text),
            NetFormat::Nupn => nupn::read(&name, &text),
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
    /// Whether it ends with a formula of the command line, which was read apart from it: then places in it are not those of the text.
    pub given: bool,
}

impl PromelaSource {
    /// What the text says, read as one.
    pub fn as_one(&self) -> Result<Arc<promela::syntax::Model>, Vec<Diagnostic>> {
        let promela::Text { name, bytes, folder, defines, .. } = &self.text;
        match self.given {
            false => Ok(self.model.clone()),
            true => promela::read_beside(name, bytes, folder, defines, &self.model.sources)
                .map(|(model, _)| Arc::new(model)),
        }
    }
}

impl ProgramFile {
    fn promela(path: &Path, options: &Options) -> Read<Self> {
        let (name, bytes, folder) =
            (path.display().to_string(), bytes_within(path, &options.watch)?, folder(path).to_owned());
        let (defines, allow_c) = (options.defines.clone(), options.allow_c);
        let mut text = promela::Text { name, bytes, folder, defines, allow_c };
        let (model, mut warnings, claims) = match &options.claims {
            Claims::Formula(formula) => {
                let asked = promela::Goal { option: "--ltl", text: formula };
                let (model, warnings) = promela::read_with_formula(&text, asked, GIVEN, &options.watch)?;
                // For SPIN it is one of the model's own.
                text.bytes.extend(format!("\nltl {GIVEN} {{ {formula} }}\n").bytes());
                (model, warnings, Claims::Named(GIVEN.into()))
            }
            claims => {
                let promela::Text { name, bytes, folder, defines, .. } = &text;
                let (model, warnings) = promela::read_within(name, bytes, folder, defines, &options.watch)?;
                (model, warnings, claims.clone())
            }
        };
        let given = matches!(options.claims, Claims::Formula(_));
        let source = PromelaSource { text, model: Arc::new(model), given };
        let (file, more) = Self::of_source(source, claims, !options.as_written)?;
        warnings.extend(more);
        Ok((file, warnings))
    }

    fn of_source(source: PromelaSource, claims: Claims, optimise: bool) -> Read<Self> {
        let model = &*source.model;
        let claim = match &claims {
            Claims::All => program::Claim::Never,
            Claims::None => program::Claim::None,
            Claims::Named(name) | Claims::Formula(name) => program::Claim::Named(name),
        };
        let compile = if optimise { program::optimised } else { program::compile };
        let (program, warnings) = compile(model, claim)?;
        let (name, stated) = (source.text.name.clone(), program::stated(model));
        Ok((Self { name, language: Language::Promela(source), program, stated, claims }, warnings))
    }

    /// The names of the claims that are looked at, in SPIN's order.
    pub fn asked_claims(&self) -> Vec<&str> {
        let names = self.stated.iter().filter_map(Stated::claim);
        match &self.claims {
            Claims::All => names.collect(),
            Claims::None => Vec::new(),
            Claims::Named(wanted) => names.filter(|name| name == wanted).collect(),
            Claims::Formula(_) => names.filter(|name| *name == GIVEN).collect(),
        }
    }

    /// Whether all that it states is looked at, claims perhaps apart: not one of them alone.
    pub fn asks_labels(&self) -> bool {
        matches!(self.claims, Claims::All | Claims::None) && self.stated.contains(&Stated::AcceptLabels)
    }

    /// The same model with only one of its claims looked at.
    pub fn with_claim(&self, name: &str) -> Result<Self, Vec<Diagnostic>> {
        let source = match &self.language {
            // A formula that is given stands alone already.
            Language::Dve(_) if name == GIVEN && matches!(self.claims, Claims::Formula(_)) => return Ok(self.clone()),
            Language::Dve(system) => {
                let claims = Claims::Named(name.into());
                return Self::of_dve(self.name.clone(), (**system).clone(), claims).map(|(file, _)| file);
            }
            Language::Promela(source) => source,
        };
        let optimise = self.program.optimised.is_some();
        Self::of_source(source.clone(), Claims::Named(name.into()), optimise).map(|(file, _)| file)
    }

    fn dve(path: &Path, options: &Options) -> Read<Self> {
        let name = path.display().to_string();
        let (system, mut warnings) = dve::read(&name, &bytes_within(path, &options.watch)?)?;
        let property = system.property.as_ref().map(|property| &*property.text);
        let claims = match &options.claims {
            // What is no name of its own is a formula.
            Claims::Named(text) if property != Some(text) => Claims::Formula(text.clone()),
            claims => claims.clone(),
        };
        let (file, more) = Self::of_dve(name, system, claims)?;
        warnings.extend(more);
        Ok((file, warnings))
    }

    fn of_dve(name: String, system: dve::syntax::System, claims: Claims) -> Read<Self> {
        let mut stated = vec![Stated::Assertions];
        stated.extend(system.property.iter().map(|property| Stated::Never(property.text.clone())));
        let (program, warnings) = match &claims {
            Claims::All | Claims::None => program::dve::compile(&system, View::Assertions)?,
            Claims::Named(_) => program::dve::with_property(&system)?,
            Claims::Formula(text) => {
                stated.push(Stated::Formula(GIVEN.into()));
                let formula = &temporal::dve::read(text, &system)?;
                let given = program::dve::Given { option: "--ltl", name: GIVEN, text, formula };
                program::dve::with_formula(&system, given)?
            }
        };
        Ok((Self { name, language: Language::Dve(Box::new(system)), program, stated, claims }, warnings))
    }

    /// A Promela text in the place of this model. Of what SPIN looks at it states where nothing can move, or all the rest.
    pub fn restated(&self, text: &str, end_states: bool) -> Result<Self, Vec<Diagnostic>> {
        let name = format!("{} as Promela", self.name);
        let text =
            promela::Text { name, bytes: text.into(), folder: PathBuf::new(), defines: Vec::new(), allow_c: false };
        let (model, _) = promela::read(&text.name, &text.bytes, &text.folder, &[])?;
        let source = PromelaSource { text, model: Arc::new(model), given: false };
        let (file, _) = Self::of_source(source, Claims::All, true)?;
        let stated = vec![if end_states { Stated::EndStates } else { Stated::Assertions }];
        Ok(Self { stated, ..file })
    }

    /// Whether assertions are asked besides what it says of runs: a claim of Promela meets them on its way.
    pub fn asks_assertions(&self) -> bool {
        matches!(self.language, Language::Promela(_)) || matches!(self.claims, Claims::All | Claims::None)
    }

    /// Whether assertions are asked apart from claims.
    pub fn asks_assertions_apart(&self) -> bool {
        matches!(self.language, Language::Dve(_)) && self.asks_assertions()
    }

    /// Whether only its own search knows the claim that is looked at.
    pub fn is_watched(&self) -> bool {
        matches!(self.language, Language::Dve(_)) && self.program.claim.is_some()
    }

    /// A Promela model as it was read.
    pub fn source(&self) -> Option<&PromelaSource> {
        match &self.language {
            Language::Promela(source) => Some(source),
            Language::Dve(_) => None,
        }
    }

    /// The texts that it was read from, that of the model first.
    pub fn sources(&self) -> Vec<page::Source> {
        let source = |(name, text): (&str, &str)| page::Source { name: name.into(), text: text.into() };
        match &self.language {
            Language::Promela(promela) => promela.model.sources.named_texts().map(source).collect(),
            Language::Dve(system) => vec![source((&system.file, &system.text))],
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
            Language::Dve(system) => program::dve::compile(system, View::Assertions).map(|(program, _)| program),
        }
    }

    /// The program without its claim, and what a goal means in it. `option` is what messages call the goal.
    pub fn with_goal(&self, option: &str, text: &str) -> Result<(Program, Expression), Vec<Diagnostic>> {
        let ((program, goal), _) = match &self.language {
            // A goal is read behind the model, with the macros that are defined there.
            Language::Promela(PromelaSource {
                text: promela::Text { name, bytes, folder, defines, .. },
                model,
                ..
            }) => {
                let (goal, known) = (promela::Goal { option, text }, &model.sources);
                let ((model, goal), _) = promela::read_with(name, bytes, folder, defines, Some(goal), Some(known))?;
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

/// What a formula is called that is given on the command line.
pub const GIVEN: &str = "given";

/// Which claims and formulas of a program are looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Claims {
    /// Each of them.
    #[default]
    All,
    /// None: what else the model states.
    None,
    /// The one of this name.
    Named(String),
    /// This formula, which is none of the model's.
    Formula(String),
}

impl From<&str> for Claims {
    fn from(text: &str) -> Self {
        match text {
            "all" => Claims::All,
            "none" => Claims::None,
            name if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => Claims::Named(name.into()),
            formula => Claims::Formula(formula.into()),
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
    /// A Promela program is searched as it is written, and not in its optimised form.
    pub as_written: bool,
    /// Which claims and formulas of a Promela model are looked at.
    pub claims: Claims,
    /// The proposition that marks states of Supremica's automata; the usual one if absent.
    pub marking: Option<String>,
    /// How long it may take.
    pub watch: Watch,
    /// Whether C that is embedded in a Promela model may be compiled and run by SPIN.
    pub allow_c: bool,
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
                let help = format!("name the format with --from; readable are {}", Format::readable());
                errors.push(Diagnostic::error(path.display().to_string(), message).help(help));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    match (models, formats.as_slice()) {
        ([one], [format]) => read_one(one, *format, options),
        (many, formats) if formats.iter().all(|f| *f == Format::Aut) => network(automata(many, options)),
        (many, formats) if is_net_with_formulas(formats) => net_with_formulas(many, formats, options),
        (many, formats) if formats.contains(&Format::Formula) => {
            let path =
                many.iter().zip(formats).find(|(_, f)| **f == Format::Formula).map_or(&many[0], |(path, _)| path);
            Err(formula_alone(path))
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

/// Reads a model of one file.
fn read_one(path: &PathBuf, format: Format, options: &Options) -> Read<Model> {
    let program = |read: Read<ProgramFile>| read.map(|(file, warnings)| (Model::Program(Box::new(file)), warnings));
    match format {
        Format::Aut => network(automata(from_ref(path), options)),
        Format::Exp => {
            let (name, text) = (path.display().to_string(), bytes_within(path, &options.watch)?);
            network(exp::read_within(&name, &text, folder(path), &options.dialect, &options.watch))
        }
        Format::Promela => program(ProgramFile::promela(path, options)),
        Format::Dve => program(ProgramFile::dve(path, options)),
        Format::Net(_) => net_with_formulas(from_ref(path), &[format], options),
        Format::Automata(format) => {
            let (name, text) = (path.display().to_string(), bytes_within(path, &options.watch)?);
            let marking = options.marking.as_deref().unwrap_or(supremica::ACCEPTING);
            let read = match format {
                AutomataFormat::Wdes => wdes::read(&name, &text, marking),
                AutomataFormat::Wmod => wmod::read(&name, &text, folder(path), marking),
            };
            read.map(|(des, warnings)| (Model::Des(Box::new(des)), warnings))
        }
        Format::Circuit(format) => CircuitFile::read(path, format, &options.watch)
            .map(|(file, warnings)| (Model::Circuit(Box::new(file)), warnings)),
        Format::Formula => Err(formula_alone(path)),
    }
}

fn network(read: Read<(Network, Origin)>) -> Read<Model> {
    read.map(|((network, origin), warnings)| (Model::Network(network, origin), warnings))
}

/// Reads the one net among these files, and the formulas beside it.
fn net_with_formulas(paths: &[PathBuf], formats: &[Format], options: &Options) -> Read<Model> {
    let (mut net, mut formulas) = (None, Vec::new());
    for (path, format) in paths.iter().zip(formats) {
        match format {
            Format::Net(format) => net = Some((path, *format)),
            _ => formulas.push(path),
        }
    }
    let (path, format) = net.expect("there is one net");
    let read = NetFile::read(path, format, &formulas, &options.watch);
    read.map(|(file, warnings)| (Model::Net(Arc::new(file)), warnings))
}

fn formula_alone(path: &Path) -> Vec<Diagnostic> {
    let message = "a formula needs one Petri net beside it";
    let help = "give the net and its formulas, as in `prequel check net.pnml properties.xml`";
    vec![Diagnostic::error(path.display().to_string(), message).help(help)]
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
