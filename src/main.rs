//! The `prequel` command: flags in, one exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    prequel::cli::main()
}
