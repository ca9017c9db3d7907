//! The list of formats: what is read and written, by which extension. Messages, `--help` and the documentation follow from it.

use std::path::Path;
use std::str::FromStr;

/// A format of models, or of what stands beside them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// What it is called.
    pub name: &'static str,
    /// The page of the documentation about it.
    pub page: &'static str,
    /// What it is read as, if it is.
    pub read: Option<Format>,
    /// Extensions by which it is chosen when files are read.
    pub extensions: &'static [&'static str],
    /// Extensions by which it is chosen when files are written.
    pub written: &'static [(&'static str, OutputFormat)],
}

/// A format that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Labelled transition systems, one a file.
    Aut,
    /// Networks of them.
    Exp,
    /// Programs for SPIN.
    Promela,
    /// Programs in the language of BEEM.
    Dve,
    /// Petri nets.
    Net(NetFormat),
    /// Automata with marks.
    Automata(AutomataFormat),
    /// Circuits.
    Circuit(CircuitFormat),
    /// Formulas about a net, which stand beside it.
    Formula,
}

/// A format of Petri nets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetFormat {
    /// In XML.
    Pnml,
    /// LoLA's.
    Lola,
    /// PEP's.
    LlNet,
    /// TINA's, or LoLA's where the text looks so.
    Tina,
    /// CADP's, nested units as text.
    Nupn,
}

/// A format of Supremica.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutomataFormat {
    /// Automata.
    Wdes,
    /// Modules.
    Wmod,
}

/// A format of circuits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CircuitFormat {
    /// SMV.
    Smv,
    /// And-inverter graphs with latches, in both forms.
    Aiger,
}

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    /// One labelled transition system.
    Aut,
    /// A network, with its components in a folder.
    Exp,
    /// A program for SPIN.
    Promela,
    /// A Petri net.
    Net(NetOutput),
    /// Supremica's automata.
    Wdes,
    /// A circuit.
    Circuit(CircuitOutput),
    /// A picture for Graphviz.
    Dot,
}

/// A form in which Petri nets are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetOutput {
    /// In XML.
    Pnml,
    /// LoLA's.
    Lola,
}

/// A form in which circuits are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CircuitOutput {
    /// SMV.
    Smv,
    /// And-inverter graphs as text.
    AigerText,
    /// And-inverter graphs in binary form.
    AigerBinary,
}

/// All formats.
pub const FORMATS: [Listed; 15] = [
    Listed {
        name: "Aldebaran, labelled transition systems",
        page: "aut.md",
        read: Some(Format::Aut),
        extensions: &["aut"],
        written: &[("aut", OutputFormat::Aut)],
    },
    Listed {
        name: "EXP, networks of them",
        page: "exp.md",
        read: Some(Format::Exp),
        extensions: &["exp"],
        written: &[("exp", OutputFormat::Exp)],
    },
    Listed {
        name: "Promela",
        page: "promela.md",
        read: Some(Format::Promela),
        extensions: &["pml", "pm", "prm", "promela", "spin", "pr", "prom", "sumo"],
        written: &[("pml", OutputFormat::Promela)],
    },
    Listed {
        name: "DVE, the language of BEEM",
        page: "dve.md",
        read: Some(Format::Dve),
        extensions: &["dve"],
        written: &[],
    },
    Listed {
        name: "PNML, place/transition nets",
        page: "petri.md",
        read: Some(Format::Net(NetFormat::Pnml)),
        extensions: &["pnml"],
        written: &[("pnml", OutputFormat::Net(NetOutput::Pnml))],
    },
    Listed {
        name: "LoLA, low-level nets",
        page: "petri.md",
        read: Some(Format::Net(NetFormat::Lola)),
        extensions: &["lola", "llnet"],
        written: &[("lola", OutputFormat::Net(NetOutput::Lola))],
    },
    Listed {
        name: "PEP, low-level nets",
        page: "petri.md",
        read: Some(Format::Net(NetFormat::LlNet)),
        extensions: &["ll_net"],
        written: &[],
    },
    Listed {
        name: "TINA, nets",
        page: "petri.md",
        read: Some(Format::Net(NetFormat::Tina)),
        extensions: &["net"],
        written: &[],
    },
    Listed {
        name: "CADP, nets of nested units",
        page: "petri.md",
        read: Some(Format::Net(NetFormat::Nupn)),
        extensions: &["nupn"],
        written: &[],
    },
    Listed {
        name: "Supremica, automata",
        page: "supremica.md",
        read: Some(Format::Automata(AutomataFormat::Wdes)),
        extensions: &["wdes"],
        written: &[("wdes", OutputFormat::Wdes)],
    },
    Listed {
        name: "Supremica, modules",
        page: "supremica.md",
        read: Some(Format::Automata(AutomataFormat::Wmod)),
        extensions: &["wmod"],
        written: &[],
    },
    Listed {
        name: "SMV, circuits",
        page: "smv.md",
        read: Some(Format::Circuit(CircuitFormat::Smv)),
        extensions: &["smv"],
        written: &[("smv", OutputFormat::Circuit(CircuitOutput::Smv))],
    },
    Listed {
        name: "AIGER, circuits",
        page: "aiger.md",
        read: Some(Format::Circuit(CircuitFormat::Aiger)),
        extensions: &["aag", "aig"],
        written: &[
            ("aag", OutputFormat::Circuit(CircuitOutput::AigerText)),
            ("aig", OutputFormat::Circuit(CircuitOutput::AigerBinary)),
        ],
    },
    Listed {
        name: "Graphviz, pictures",
        page: "exp.md",
        read: None,
        extensions: &[],
        written: &[("dot", OutputFormat::Dot)],
    },
    Listed {
        name: "formulas beside a Petri net",
        page: "petri.md",
        read: Some(Format::Formula),
        extensions: &["formula", "task", "xml", "txt"],
        written: &[],
    },
];

/// Formats of models: all that are read by themselves.
fn models() -> impl Iterator<Item = (&'static Listed, Format)> {
    FORMATS.iter().filter_map(|listed| Some((listed, listed.read?))).filter(|(_, format)| *format != Format::Formula)
}

impl Format {
    /// The format of a file, by its extension.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|listed| listed.extensions.contains(&&*extension))?.read
    }

    /// Whether such a file is a Petri net.
    pub fn is_net(self) -> bool {
        matches!(self, Format::Net(_))
    }

    /// Every extension of a model, for messages.
    pub fn readable() -> String {
        models().flat_map(|(listed, _)| listed.extensions).copied().collect::<Vec<_>>().join(", ")
    }

    /// What formats of models are called on the command line: the first extension of each, and those that are written.
    pub fn names() -> String {
        let names = models().flat_map(|(listed, _)| {
            let written = |extension: &&str| listed.written.iter().any(|(other, _)| other == extension);
            listed.extensions.iter().take(1).chain(listed.extensions.iter().skip(1).filter(move |e| written(e)))
        });
        names.copied().collect::<Vec<_>>().join(", ")
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = models().find(|(listed, _)| listed.extensions.contains(&text)).map(|(_, format)| format);
        found.ok_or_else(|| format!("unknown format `{text}`; readable are {}", Format::readable()))
    }
}

impl OutputFormat {
    /// The format of an output, by its extension.
    pub fn of(path: &Path) -> Option<OutputFormat> {
        let extension = path.extension()?.to_str()?;
        let mut all = FORMATS.iter().flat_map(|listed| listed.written);
        all.find(|(other, _)| *other == extension).map(|(_, written)| *written)
    }

    /// The extensions of some formats that are written, in the order of the list.
    pub fn extensions(wanted: impl Fn(OutputFormat) -> bool) -> Vec<&'static str> {
        let all = FORMATS.iter().flat_map(|listed| listed.written).filter(|(_, written)| wanted(*written));
        all.map(|(extension, _)| *extension).collect()
    }

    /// The same as a choice: `.smv, .aag or .aig`.
    pub fn choice(wanted: impl Fn(OutputFormat) -> bool) -> String {
        let mut all: Vec<String> = Self::extensions(wanted).iter().map(|extension| format!(".{extension}")).collect();
        match all.pop() {
            Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
            last => last.unwrap_or_default(),
        }
    }

    /// Whether it is one of circuits.
    pub fn is_circuit(self) -> bool {
        matches!(self, OutputFormat::Circuit(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_extension_is_listed_twice() {
        let all: Vec<&str> = FORMATS.iter().flat_map(|listed| listed.extensions).copied().collect();
        let written = OutputFormat::extensions(|_| true);
        for list in [all, written] {
            let mut once = list.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), list.len(), "{list:?}");
        }
    }

    #[test]
    fn a_format_is_found_by_any_of_its_extensions() {
        for (listed, format) in models() {
            for extension in listed.extensions {
                assert_eq!(
                    (extension.parse(), Format::of(Path::new(&format!("a.{extension}")))),
                    (Ok(format), Some(format))
                );
            }
        }
        assert_eq!(Format::of(Path::new("A.PML")), Some(Format::Promela));
        assert_eq!((Format::of(Path::new("a.txt")), "txt".parse::<Format>().is_err()), (Some(Format::Formula), true));
        assert_eq!((OutputFormat::of(Path::new("a.aig")).is_some(), OutputFormat::of(Path::new("a.pm"))), (true, None));
        assert_eq!(OutputFormat::choice(OutputFormat::is_circuit), ".smv, .aag or .aig");
    }
}
