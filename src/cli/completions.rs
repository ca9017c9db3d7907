//! `prequel completions`: a script for a shell, which offers commands, options, and the names that options take.

use crate::job::{EngineInfo, Equivalence};
use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use prequel_families::{FAMILIES, boolean};

/// Prints the script.
pub fn print(shell: Shell, program: Command) {
    clap_complete::generate(shell, &mut with_names(program), "prequel", &mut std::io::stdout());
}

/// Options that take a name, with all names: what is wrong with another name the commands say better than a parser of arguments could.
fn with_names(program: Command) -> Command {
    let engines: Vec<&'static str> =
        std::iter::once("auto").chain(EngineInfo::all().iter().map(|engine| engine.name)).collect();
    let equivalences: Vec<&'static str> = Equivalence::ALL.iter().map(|equivalence| equivalence.name()).collect();
    let families: Vec<&'static str> =
        FAMILIES.iter().map(|family| family.name).chain(boolean::FAMILIES.iter().map(|family| family.name)).collect();
    let names = |option: &str| match option {
        "engine" => Some(engines.clone()),
        "equivalence" | "minimise" => Some(equivalences.clone()),
        "family" => Some(families.clone()),
        _ => None,
    };
    let commands: Vec<String> = program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    commands.iter().fold(program, |program, command| {
        program.mut_subcommand(command, |command| {
            command.mut_args(|argument| {
                let option = argument.get_long().unwrap_or(argument.get_id().as_str());
                match names(option) {
                    Some(names) => argument.value_parser(PossibleValuesParser::new(names)),
                    None => argument,
                }
            })
        })
    })
}
