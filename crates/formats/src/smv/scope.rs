//! Instances of modules, and what names mean in them.
//!
//! Where some variable is an instance of a module, `main` is the system, and every instance is a component. Where none is, every
//! module is a component, as in the paper: names are known everywhere, and `module.name` tells those apart that are equal.

use super::report::Report;
use super::syntax::{Expression, ExpressionKind, Module, Name, Path, Role, Type};
use crate::text::suggest;
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning<'m> {
    /// A variable.
    Word(usize),
    /// Something defined.
    Define(usize),
    /// An instance.
    Scope(usize),
    /// What an instance was given, and where that was said.
    Given(&'m Expression, usize),
    /// One of the names in a variable's type.
    Symbol(u32),
}

/// A variable.
#[derive(Debug)]
pub struct Declared<'m> {
    /// Its full name.
    pub name: String,
    /// Where it is declared.
    pub place: &'m Name,
    /// What it can be.
    pub ty: &'m Type,
    /// Whether and how it changes.
    pub role: Role,
    /// Whose it is.
    pub scope: usize,
}

/// A component and its names.
#[derive(Debug)]
pub struct Scope<'m> {
    /// What it is called.
    pub name: String,
    /// What it is an instance of; none for what is around all modules.
    pub module: Option<&'m Module>,
    names: FxHashMap<&'m str, Meaning<'m>>,
}

/// All instances, variables and definitions.
#[derive(Debug, Default)]
pub struct System<'m> {
    /// The first is the one that goals are read in.
    pub scopes: Vec<Scope<'m>>,
    /// In the order of the file.
    pub words: Vec<Declared<'m>>,
    /// With the scopes that they are in.
    pub defines: Vec<(usize, &'m Name, &'m Expression)>,
    /// The names in the types of variables.
    pub symbols: Vec<&'m str>,
    symbol: FxHashMap<&'m str, u32>,
    /// Names that are known everywhere; none where several modules have them.
    everywhere: FxHashMap<&'m str, Option<Meaning<'m>>>,
}

/// Instances there may be.
const MOST_SCOPES: usize = 100_000;

/// How deep instances may be inside of each other.
const DEEPEST: usize = 100;

impl<'m> System<'m> {
    /// Makes the instances; what is wrong is reported.
    pub fn new(modules: &'m [Module], report: &mut Report) -> Self {
        let mut system = Self::default();
        let mut known: FxHashMap<&str, &Module> = FxHashMap::default();
        for module in modules {
            if let Some(other) = known.insert(&module.name.text, module) {
                report.second(&module.name.span, "module", &module.name.text, &other.name.span);
            }
        }
        let is_instance = |module: &Module| module.variables.iter().any(|v| matches!(v.ty, Type::Instance(..)));
        if modules.iter().any(is_instance) {
            match known.get("main") {
                Some(main) => system.instances(main, &known, report),
                None => {
                    let help = "declare the instances in `MODULE main`";
                    report.error(&modules[0].name.span, "there are instances of modules, but no module `main`", help);
                }
            }
        } else {
            system.side_by_side(modules, report);
        }
        system
    }

    /// Every module is a component.
    fn side_by_side(&mut self, modules: &'m [Module], report: &mut Report) {
        self.scopes.push(Scope { name: String::new(), module: None, names: FxHashMap::default() });
        for module in modules {
            if let Some(parameter) = module.parameters.first() {
                let help = "make instances of it in `MODULE main`, as in `VAR c : m(x);`";
                report.error(&parameter.span, "nobody says what this parameter is", help);
            }
            self.scope(module.name.text.to_string(), module, report);
        }
        for at in 1..self.scopes.len() {
            let names: Vec<(&str, Meaning<'m>)> = self.scopes[at].names.iter().map(|(name, m)| (*name, *m)).collect();
            for (name, meaning) in names {
                self.everywhere.entry(name).and_modify(|known| *known = None).or_insert(Some(meaning));
            }
        }
        // Names that are there once need no module before them.
        for word in &mut self.words {
            let unique = self.everywhere[&*word.place.text].is_some();
            if !unique {
                word.name = format!("{}.{}", self.scopes[word.scope].name, word.name);
            }
        }
        for at in 1..self.scopes.len() {
            let name = self.scopes[at].module.map_or("", |module| &*module.name.text);
            self.everywhere.entry(name).or_insert(Some(Meaning::Scope(at)));
        }
    }

    /// `main`, and what it has instances of, and what these have.
    fn instances(&mut self, main: &'m Module, known: &FxHashMap<&str, &'m Module>, report: &mut Report) {
        self.scope(String::new(), main, report);
        // Which instances each one is inside of: modules that contain themselves are found by their names.
        let mut above: Vec<Vec<&str>> = vec![vec![&main.name.text]];
        let mut at = 0;
        while at < self.scopes.len() {
            let module = self.scopes[at].module.expect("all instances have one");
            for variable in &module.variables {
                let Type::Instance(name, given) = &variable.ty else { continue };
                let Some(inner) = known.get(&*name.text) else {
                    let help = suggest::help(&name.text, "modules", known.keys().copied());
                    report.error(&name.span, format!("there is no module `{}`", name.text), help);
                    continue;
                };
                if above[at].contains(&&*name.text) {
                    let help = "an instance cannot have an instance of its own module inside";
                    report.error(&name.span, format!("the module `{}` contains itself", name.text), help);
                    continue;
                }
                if inner.parameters.len() != given.len() {
                    let message = format!(
                        "`{}` has {} parameters, and {} are given",
                        name.text,
                        inner.parameters.len(),
                        given.len()
                    );
                    report.error(&name.span, message, "give one for each, in the same order");
                    continue;
                }
                if self.scopes.len() == MOST_SCOPES || above[at].len() == DEEPEST {
                    let message =
                        format!("there are more than {MOST_SCOPES} instances, or {DEEPEST} inside of each other");
                    report.error(&name.span, message, "this is more than can be checked; make it smaller");
                    return;
                }
                let path = self.full(at, &variable.name.text);
                let inside = self.scope(path, inner, report);
                let parameters = inner.parameters.iter().zip(given);
                for (parameter, given) in parameters {
                    self.declare(inside, parameter, Meaning::Given(given, at), report);
                }
                self.declare(at, &variable.name, Meaning::Scope(inside), report);
                let mut path = above[at].clone();
                path.push(&name.text);
                above.push(path);
            }
            at += 1;
        }
    }

    /// A name inside of an instance, with the instance before it.
    fn full(&self, scope: usize, name: &str) -> String {
        let outer = &self.scopes[scope].name;
        if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
    }

    /// A new component with its own variables and definitions.
    fn scope(&mut self, name: String, module: &'m Module, report: &mut Report) -> usize {
        let scope = self.scopes.len();
        let side_by_side = self.scopes.first().is_some_and(|outer| outer.module.is_none());
        self.scopes.push(Scope { name, module: Some(module), names: FxHashMap::default() });
        for variable in &module.variables {
            if matches!(variable.ty, Type::Instance(..)) {
                continue;
            }
            let (name, place, ty, role) = (&variable.name.text, &variable.name, &variable.ty, variable.role);
            let name = if side_by_side { name.to_string() } else { self.full(scope, name) };
            self.declare(scope, place, Meaning::Word(self.words.len()), report);
            self.words.push(Declared { name, place, ty, role, scope });
            if let Type::Names(names) = ty {
                for name in names {
                    let next = self.symbols.len() as u32;
                    if *self.symbol.entry(&name.text).or_insert(next) == next {
                        self.symbols.push(&name.text);
                    }
                }
            }
        }
        for (name, expression) in &module.defines {
            self.declare(scope, name, Meaning::Define(self.defines.len()), report);
            self.defines.push((scope, name, expression));
        }
        scope
    }

    fn declare(&mut self, scope: usize, name: &'m Name, meaning: Meaning<'m>, report: &mut Report) {
        if self.scopes[scope].names.insert(&name.text, meaning).is_some() {
            let message = format!("a second `{}` in this module", name.text);
            report.error(&name.span, message, "give one of them another name");
        }
    }

    /// The number of a name in a variable's type.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbol.get(name).copied()
    }

    /// What a name stands for in a component; the error is what is wrong, and what to do about it.
    pub fn look_up(&self, scope: usize, path: &Path) -> Result<Meaning<'m>, (String, String)> {
        self.steps(scope, &path.steps)
    }

    fn steps(&self, scope: usize, steps: &[Box<str>]) -> Result<Meaning<'m>, (String, String)> {
        let mut meaning = self.first(scope, &steps[0])?;
        for (at, step) in steps.iter().enumerate().skip(1) {
            // What an instance was given may be an instance in its turn.
            while let Meaning::Given(expression, outer) = meaning {
                let ExpressionKind::Name(path) = &*expression.kind else { break };
                meaning = self.look_up(outer, path)?;
            }
            let Meaning::Scope(inner) = meaning else {
                let help = format!("`{}` has no parts: write it without `.{step}`", steps[..at].join("."));
                return Err((format!("`{}` is no instance", steps[..at].join(".")), help));
            };
            meaning = *self.scopes[inner].names.get(&**step).ok_or_else(|| {
                let names = self.scopes[inner].names.keys().copied();
                let help = suggest::help(step, "names there", names);
                (format!("`{}` has no `{step}`", steps[..at].join(".")), help)
            })?;
        }
        Ok(meaning)
    }

    fn first(&self, scope: usize, name: &str) -> Result<Meaning<'m>, (String, String)> {
        if let Some(meaning) = self.scopes[scope].names.get(name) {
            return Ok(*meaning);
        }
        match self.everywhere.get(name) {
            Some(Some(meaning)) => return Ok(*meaning),
            Some(None) => {
                let have = |scope: &&Scope| scope.names.contains_key(name);
                let modules: Vec<String> =
                    self.scopes.iter().filter(have).map(|scope| format!("`{}.{name}`", scope.name)).collect();
                return Err((format!("several modules have a `{name}`"), format!("write {}", modules.join(" or "))));
            }
            None => {}
        }
        if let Some(symbol) = self.symbol(name) {
            return Ok(Meaning::Symbol(symbol));
        }
        let mut names: Vec<&str> = self.scopes[scope].names.keys().chain(self.everywhere.keys()).copied().collect();
        names.extend(&self.symbols);
        names.sort_unstable();
        names.dedup();
        let help = match name.split_once('-') {
            Some((before, _)) if names.contains(&before) => {
                format!("a minus inside a name is part of it: put blanks around it to subtract from `{before}`")
            }
            _ => suggest::help(name, "names", names.iter().copied()),
        };
        Err((format!("there is no `{name}`"), help))
    }
}
