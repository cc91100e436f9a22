//! This program runs the tasks of the repository: building, serving, testing and measuring Rooflight.
//!
//! ```text
//!  main ──► tools    finds or installs the build tools          Trunk, wasm-bindgen, wasm-opt, browsers
//!    │ ├──► page     builds the page with Trunk                 uses tools
//!    │ ├──► synth    makes synthetic captures                   starts examples/synth
//!    │ ├──► scripts  runs tests/browser/*.mjs in a browser      uses tools, page, synth
//!    │ ├──► python   builds and tests the wheel                 uses tools, page, scripts
//!    │ ├──► npm      builds and tests the package for npm       uses tools, page, scripts
//!    │ ├──► fleet    tests tables with DuckDB, Spark and Ray    uses tools, scripts
//!    │ ├──► release  makes and checks the files of a release      uses tools, page, python, npm
//!    │ ├──► captures gets captures of other projects for tests  uses download
//!    │ └──► check    runs the stages of `cargo xtask test`      uses tools, page, scripts, python, npm, fleet
//!    └──── preflight, repo, process: what a machine must have, the paths of folders, and the start of other programs
//! ```
//!
//! This crate depends on no other crate of the workspace, because it must run when those crates do not compile.

#![forbid(unsafe_code)]

mod captures;
mod check;
mod download;
mod fleet;
mod npm;
mod page;
mod preflight;
mod process;
mod python;
mod release;
mod repo;
mod scripts;
mod synth;
mod tools;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Parser, ValueEnum};
use page::Build;

/// Builds, serves and checks Rooflight. What is missing is installed first, into a cache folder: $ROOFLIGHT_TOOLS, or rooflight/tools
/// in the user's cache.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Build the page, serve it on this machine, and reload it after every edit
    Serve {
        /// The port on this machine
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Build the page as hosts serve it, optimised
        #[arg(long)]
        release: bool,
    },
    /// Build dist/ for any static host, under any path
    Build,
    /// Run everything that has to pass
    #[command(after_help = check::stages::list())]
    Test {
        /// Only these stages
        #[arg(long, num_args = 1.., value_parser = stages())]
        only: Vec<String>,
    },
    /// Run browser tests on the page in dist/, which `serve` or `build` has made
    Browser {
        /// Files of tests/browser, without .test.mjs; all if there is none
        files: Vec<String>,
    },
    /// Build the wheel for Python with the page in dist/, install it into a fresh environment, and run its tests
    Python,
    /// Build the package for npm in target/npm, install it as a user would, and run its tests in Chromium and Node.js
    Npm,
    /// Make the files of a release in target/release-files, and check them. Nothing is published
    Release {
        /// Only these parts
        parts: Vec<release::Part>,
        /// The tag of the release, such as v0.1.0, which must fit the version
        #[arg(long)]
        tag: Option<String>,
    },
    /// List the captures of other projects that tests use, or put them into a folder
    Captures {
        /// The folder that gets the captures
        #[arg(long)]
        to: Option<PathBuf>,
        /// A folder that has the captures. Without it, they are downloaded from GitHub
        #[arg(long, requires = "to")]
        from: Option<PathBuf>,
    },
    /// Weigh dist/ against its budgets
    Size,
    /// Take pictures of every state into target/screens
    Screens,
    /// Make captures as a TPU would give them, of any size; `synth --help` tells more
    #[command(disable_help_flag = true)]
    Synth {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Make the sample that the landing page opens
    Sample,
    /// Measure the command line beside a bare copy of the same bytes, or the page in a browser
    Bench {
        what: Bench,
        /// Install xprof and xprof-rs from PyPI (360 MB), and measure the command line beside them
        #[arg(long)]
        peers: bool,
    },
    /// What Trunk starts when it has built the page
    #[command(hide = true)]
    FinishPage,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bench {
    Native,
    Timeline,
    Browser,
}

fn stages() -> PossibleValuesParser {
    PossibleValuesParser::new(check::stages::STAGES.map(|stage| stage.name))
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Serve { port, release } => page::serve(if release { Build::Release } else { Build::Quick }, port)?,
        Command::Build => {
            page::build(Build::Release, &repo::dist())?;
            println!("{}", repo::dist().display());
        }
        Command::Test { only } => return check::run(&only),
        Command::Browser { files } => scripts::test(&files, scripts::Captures::IfPresent, |_| {})?,
        Command::Python => println!("{}", python::test("release", |_| {})?),
        Command::Npm => println!("{}", npm::test(|_| {})?),
        Command::Release { parts, tag } => release::run(&parts, tag.as_deref())?,
        Command::Captures { to: None, .. } => captures::list()?,
        Command::Captures { to: Some(to), from } => captures::get(&to, from.as_deref())?,
        Command::Size => drop(page::size::check(&repo::dist())?),
        Command::Screens => scripts::screens()?,
        Command::Synth { arguments } => synth::run(&arguments)?,
        Command::Sample => synth::sample()?,
        Command::Bench { what: Bench::Native, peers } => synth::bench("command_line", peers)?,
        Command::Bench { what: Bench::Timeline, peers: false } => synth::bench("timeline", false)?,
        Command::Bench { what: Bench::Browser, peers: false } => scripts::bench()?,
        Command::Bench { what: Bench::Browser | Bench::Timeline, peers: true } => {
            bail!("peers are measured by `bench native --peers`")
        }
        Command::FinishPage => {
            let dist = env::var_os("TRUNK_STAGING_DIR").context("Trunk starts this: `trunk build`")?;
            let is_release = env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "release");
            page::finish::finish(Path::new(&dist), is_release)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of workflows that start this program are commands that it has.
    #[test]
    fn workflows_start_commands_that_exist() {
        let mut n = 0;
        for entry in std::fs::read_dir(repo::root().join(".github/workflows")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
                let Some((_, command)) = line.split_once("cargo xtask ") else { continue };
                let words = command.split_whitespace().map(|word| if word == "$TAG" { "--tag=v1.0.0" } else { word });
                let parsed = Command::try_parse_from(std::iter::once("cargo xtask").chain(words));
                assert!(parsed.is_ok(), "{}: {line}", path.display());
                n += 1;
            }
        }
        assert!(n >= 4, "the workflows start {n} commands");
    }
}
