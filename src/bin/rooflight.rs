//! This program is the command line. It uses the same library as the page.
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
