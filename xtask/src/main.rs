//! `cargo xtask`: everything one does with this repository, in one command that needs nothing but Rust.
//!
//! ```text
//!  main ──► tools    what is installed, what has to be          wasm-bindgen, wasm-opt, Chromium
//!    │ ├──► page     the page, by Trunk; what Trunk cannot do     needs tools
//!    │ ├──► synth    captures that were made                    examples/synth does the work
//!    │ ├──► scripts  tests/browser/*.mjs in a real browser      needs a built page
//!    │ └──► check    the stages of `cargo xtask test`           needs all of the above
//!    └──── repo, process: where things are, how to start others
//! ```
//!
//! Must not know: any crate of ours. It has to run when ours does not compile.

mod check;
mod page;
mod process;
mod repo;
mod scripts;
mod synth;
mod tools;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use lexopt::ValueExt;
use lexopt::prelude::*;
use page::Build;

const HELP: &str = "\
cargo xtask <command>

  serve [--port N] [--release]
                         build the page, serve it on this machine, and reload it after every edit
  build                  build dist/ for any static host, under any path
  test [--only STAGE..]  everything that has to pass; `--only` with one or more of the stages listed below
  size                   weigh dist/ against its budget
  synth --out DIR ..     make captures as a TPU would give them, of any size; `synth --help` tells more
  sample                 make the sample that the landing page opens
  screens                take the pictures in docs/screens
  bench native           measure the command line, beside other tools where they are installed
  bench browser          measure the page in a real browser

What is missing is installed first, into a cache folder: $ROOFLIGHT_TOOLS, or rooflight/tools in the user's cache.
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode> {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next()? {
        None | Some(Short('h') | Long("help")) => "help".to_owned(),
        Some(Value(command)) => command.string()?,
        Some(other) => bail!(other.unexpected()),
    };
    match command.as_str() {
        "help" => {
            println!("{HELP}\nStages of `test`, in order:\n{}", check::stages::list());
            Ok(ExitCode::SUCCESS)
        }
        "serve" => serve(args),
        "build" => build(args),
        // What Trunk's hook starts.
        "finish-page" => finish_page(args),
        "test" => test(args),
        "size" => {
            finish(args)?;
            page::size::report(&repo::dist())
        }
        "screens" => {
            finish(args)?;
            scripts::screens()
        }
        "synth" => synth::run(&args.raw_args()?.collect::<Vec<_>>()),
        "sample" => {
            finish(args)?;
            synth::sample()
        }
        "bench" => measured(args),
        other => bail!("no command `{other}`; `cargo xtask help` lists them"),
    }
}

fn serve(mut args: lexopt::Parser) -> Result<ExitCode> {
    let (mut port, mut build) = (8080, Build::Quick);
    while let Some(arg) = args.next()? {
        match arg {
            Long("port") => port = args.value()?.parse()?,
            Long("release") => build = Build::Release,
            other => bail!(other.unexpected()),
        }
    }
    page::serve(build, port)?;
    Ok(ExitCode::SUCCESS)
}

fn build(args: lexopt::Parser) -> Result<ExitCode> {
    finish(args)?;
    page::build(Build::Release, &repo::dist())?;
    println!("{}", repo::dist().display());
    Ok(ExitCode::SUCCESS)
}

fn finish_page(args: lexopt::Parser) -> Result<ExitCode> {
    finish(args)?;
    let dist = env::var_os("TRUNK_STAGING_DIR").context("Trunk starts this: `trunk build`")?;
    let is_release = env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "release");
    page::finish::finish(Path::new(&dist), is_release)?;
    Ok(ExitCode::SUCCESS)
}

fn test(mut args: lexopt::Parser) -> Result<ExitCode> {
    let mut only = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Long("only") => only.extend(args.values()?.map(ValueExt::string).collect::<Result<Vec<_>, _>>()?),
            other => bail!(other.unexpected()),
        }
    }
    check::run(&only)
}

fn measured(mut args: lexopt::Parser) -> Result<ExitCode> {
    match args.next()? {
        Some(Value(what)) if what == "browser" => {
            finish(args)?;
            scripts::bench()
        }
        Some(Value(what)) if what == "native" => {
            finish(args)?;
            let mut cargo = process::cargo();
            cargo.args(["bench", "--bench", "command_line"]).current_dir(repo::root());
            process::run(cargo.env("ROOFLIGHT_BENCH", synth::for_benches()?).env("ROOFLIGHT_MB", synth::sizes()))?;
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("what to measure: `cargo xtask bench native` or `browser`; parts of the native code: `cargo bench`"),
    }
}

/// Nothing may follow: a misspelt option must not be ignored.
fn finish(mut args: lexopt::Parser) -> Result<()> {
    match args.next()? {
        None => Ok(()),
        Some(other) => bail!(other.unexpected()),
    }
}
