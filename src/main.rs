//! The `prequel` command.

fn main() {}
