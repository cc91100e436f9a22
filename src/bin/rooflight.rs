//! The command line: the same library as the page, for terminals, CI and agents.
#![cfg_attr(target_arch = "wasm32", allow(unused, reason = "the command line is native"))]

#[cfg(not(target_arch = "wasm32"))]
#[path = "cli/mod.rs"]
mod cli;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    cli::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
