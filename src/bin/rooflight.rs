//! This program is the command line: the start of `rooflight::cli`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    rooflight::cli::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
