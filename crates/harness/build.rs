//! Tells the program which compiler made it, for the records of measurements.

fn main() {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = std::process::Command::new(compiler).arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=PREQUEL_RUSTC={}", version.unwrap_or_else(|_| "rustc".into()));
    println!("cargo::rerun-if-changed=build.rs");
}
