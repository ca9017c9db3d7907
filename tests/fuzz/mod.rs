//! How much random tests do: `make fuzz` asks for more of it, and for other seeds.

/// The number in an environment variable, or the usual one.
pub fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Where the seeds start; `make fuzz` moves it.
#[allow(dead_code)] // not every test starts at zero
pub fn first_seed() -> u64 {
    number("PREQUEL_FUZZ_SEED", 0)
}
