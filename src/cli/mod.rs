//! The command line: one file per command.

mod advise;
mod audit;
mod bench;
mod check;
mod choice;
mod circuit;
mod columns;
mod compare;
mod completions;
mod convert;
mod crash;
mod des;
mod engines;
mod evidence;
mod exit;
mod files;
mod generate;
mod info;
mod input;
mod limits;
mod lsp;
mod manual;
mod net;
mod output;
mod pattern;
mod program;
mod progress;
mod publication;
mod reached;
mod reduce;
mod remarks;
mod replay;
mod report;
mod reproduce;
mod results;
mod simulate;
mod spin;
mod watchdog;
mod witness;

use clap::{CommandFactory as _, Parser, Subcommand, error::ErrorKind};
use exit::{Exit, Failure};
use output::{NO_ANSWER, Output};
use prequel_model::Why;
use prequel_model::run::{Limits, Run, Watch};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

/// The version, and the commit where `make` or a package said it.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("PREQUEL_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    format!("{}{commit}", env!("CARGO_PKG_VERSION"))
});

/// What you run before SPIN: networks of labelled transition systems, made smaller, checked, explained.
///
/// Every query is a statement; the answer is true, false or unknown. No `false` is printed before its witness was replayed on
/// the model as it was read.
#[derive(Parser, Debug)]
#[command(
    name = "prequel",
    version = VERSION.as_str(),
    max_term_width = 120,
    after_help = "\
Examples:
  prequel generate philo 5 -o philo              five dining philosophers, as .aut files and an .exp network
  prequel check philo/philo.exp --deadlock-free  is there a deadlock? the witness is replayed and printed
  prequel check philo/philo.exp --reach 'phil0@2 & phil2@2'
  prequel convert philo/philo.exp -o small.aut --minimise branching
  prequel compare a.aut b.aut --equivalence weak-trace

Exit codes: 0 true or done, 1 false, 2 unknown, 3 bad input, 4 internal error, 130 interrupted."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: Output,
}

#[derive(Subcommand, Debug)]
enum Command {
    Check(check::Args),
    Spin(spin::Args),
    Reduce(reduce::Args),
    Convert(convert::Args),
    Compare(compare::Args),
    Pattern(pattern::Args),
    Engines(engines::Args),
    Info(info::Args),
    Advise(advise::Args),
    Replay(replay::Args),
    Simulate(simulate::Args),
    Audit(audit::Args),
    Generate(generate::Args),
    Reproduce(reproduce::Args),
    Bench(bench::Args),
    Report(results::Args),
    /// Serves editors: the Language Server Protocol on standard input and output
    Lsp,
    /// Writes manual pages, one for each command, into a folder
    #[command(hide = true)]
    Manual {
        /// The folder, which must be there
        folder: PathBuf,
    },
    /// Watches one command under limits, for `bench`
    #[command(hide = true)]
    Supervise,
    /// Breaks down on purpose
    #[command(hide = true)]
    Crash(crash::Args),
    /// Prints a completion script for a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
}

/// Parses the command line, runs the command, and turns what happened into an exit code.
pub fn main() -> ExitCode {
    crash::guarded(command)
}

fn command() -> ExitCode {
    let mut cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
                return ExitCode::from(Exit::Ok as u8);
            }
            // The options could not be made sense of, so this one is looked for by hand.
            let json = std::env::args_os().any(|argument| argument == "--json");
            let text = e.to_string();
            let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Output { json, quiet: false, verbose: false }.object(unanswered(reason, "input", &[reason.to_owned()]));
            return ExitCode::from(Exit::BadInput as u8);
        }
    };
    install_interrupt();
    // Whoever reads remarks reads nothing else on standard output.
    cli.output.quiet |= matches!(&cli.command, Command::Check(args) if args.prints_remarks());
    if let Command::Check(args) = &cli.command {
        crash::last_line(args.no_answer());
    }
    let watch = watch_over(&cli);
    let exit = run(&cli).unwrap_or_else(|failure| fail(&cli, &unless_stopped(failure, watch.as_ref())));
    ExitCode::from(exit as u8)
}

impl Command {
    /// What it is held to; none where it watches over others, which have limits of their own.
    fn limits(&self) -> Option<Limits> {
        match self {
            Command::Bench(_) | Command::Supervise | Command::Reproduce(_) | Command::Lsp => None,
            Command::Advise(args) => Some(args.limits()),
            Command::Replay(args) => Some(args.limits.limits()),
            other => Some(other.limit_args().map_or_else(Limits::default, limits::LimitArgs::limits)),
        }
    }

    /// The limits that the user gave, where the command has all of them.
    fn limit_args(&self) -> Option<&limits::LimitArgs> {
        match self {
            Command::Check(args) => Some(&args.limits),
            Command::Spin(args) => Some(&args.limits),
            Command::Reduce(args) => Some(&args.limits),
            Command::Convert(args) => Some(&args.limits),
            Command::Compare(args) => Some(&args.limits),
            Command::Info(args) => Some(&args.limits),
            Command::Audit(args) => Some(&args.limits),
            Command::Simulate(args) => Some(&args.limits),
            _ => None,
        }
    }

    /// The last line on standard output where a limit was reached before there was an answer.
    fn stopped(&self) -> String {
        match self {
            Command::Check(args) => args.stopped(),
            _ => NO_ANSWER.into(),
        }
    }
}

/// Lets somebody see to it that the command ends when it has to.
fn watch_over(cli: &Cli) -> Option<Watch> {
    if let Some(note) = cli.command.limit_args().and_then(limits::LimitArgs::note) {
        cli.output.note(note);
    }
    let watch = Run::new(cli.command.limits()?, 0).watch();
    let (output, last) = (cli.output.clone(), cli.command.stopped());
    watchdog::start(watch.clone(), move |why| {
        undecided(&output, &why.to_string(), why, &last);
    });
    Some(watch)
}

/// What a failure comes to once a limit is reached: whoever stopped because of it could not find out what it would have found.
fn unless_stopped(failure: Failure, watch: Option<&Watch>) -> Failure {
    match (failure, watch.map(Watch::allowed)) {
        (Failure::Input(_) | Failure::Refused(_) | Failure::Unsuitable(_), Some(Err(why))) => why.into(),
        (failure, _) => failure,
    }
}

fn run(cli: &Cli) -> Result<Exit, Failure> {
    let output = &cli.output;
    match &cli.command {
        Command::Check(args) => check::run(args, output),
        Command::Spin(args) => spin::run(args, output),
        Command::Reduce(args) => reduce::run(args, output),
        Command::Convert(args) => convert::run(args, output),
        Command::Compare(args) => compare::run(args, output),
        Command::Pattern(args) => pattern::run(args, output),
        Command::Engines(args) => engines::run(args, output),
        Command::Info(args) => info::run(args, output),
        Command::Advise(args) => advise::run(args, output),
        Command::Replay(args) => replay::run(args, output),
        Command::Simulate(args) => simulate::run(args, output),
        Command::Audit(args) => audit::run(args, output),
        Command::Generate(args) => generate::run(args, output),
        Command::Reproduce(args) => reproduce::run(args, output),
        Command::Bench(args) => bench::run(args, output),
        Command::Report(args) => results::run(args, output),
        Command::Lsp => lsp::run(),
        Command::Manual { folder } => manual::run(Cli::command(), folder),
        Command::Supervise => bench::supervise(),
        Command::Crash(args) => Ok(crash::run(args)),
        Command::Completions { shell } => {
            completions::print(*shell, Cli::command());
            Ok(Exit::Ok)
        }
    }
}

/// Reports that a limit was reached, or Ctrl-C pressed, before a command was done.
fn undecided(output: &Output, text: &str, why: &Why, last: &str) -> Exit {
    output.object(serde_json::json!({ "verdict": "unknown", "reason": text, "reason_kind": why.kind() }));
    output.say(format!("undecided: {text}"));
    if !output.json {
        output::print(last);
    }
    if *why == Why::Interrupted { Exit::Interrupted } else { Exit::Unknown }
}

/// The JSON object of a command that could not do its work.
fn unanswered(reason: &str, kind: &str, errors: &[String]) -> serde_json::Value {
    serde_json::json!({ "verdict": "unknown", "reason": reason, "reason_kind": kind, "errors": errors })
}

/// Prints a failure: for people on standard error, and for programs as the command's JSON object.
fn fail(cli: &Cli, failure: &Failure) -> Exit {
    let exit = Exit::from(failure);
    if let Failure::Undecided(text, why) = failure {
        undecided(&cli.output, text, why, &cli.command.stopped());
        return exit;
    }
    output::complain(&failure.to_string());
    let errors: Vec<String> = match failure {
        Failure::Input(diagnostics) | Failure::Unsuitable(diagnostics) => {
            diagnostics.iter().map(|d| d.headline()).collect()
        }
        other => vec![other.to_string()],
    };
    let reason = errors.first().map_or("", String::as_str);
    cli.output.object(unanswered(reason, failure.reason_kind(), &errors));
    if !cli.output.json {
        match &cli.command {
            Command::Check(args) if args.prints_remarks() => args.remark(failure, exit),
            Command::Check(args) => output::print(&args.no_answer()),
            Command::Spin(_) | Command::Compare(_) | Command::Replay(_) | Command::Audit(_) => output::print(NO_ANSWER),
            _ if exit == Exit::Unknown => output::print(NO_ANSWER),
            _ => {}
        }
    }
    exit
}

/// The first Ctrl-C asks every run to stop and report; the second one ends the program.
fn install_interrupt() {
    let handler = || {
        if prequel_model::run::INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    };
    // Without a handler Ctrl-C still ends the program, only less politely.
    let _ = ctrlc::set_handler(handler);
}
