//! This module defines the stages of `cargo xtask test`. Fast stages come first.
//!
//! Each stage checks the files of the working tree and returns a few words for the summary.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Result, ensure};

use super::counts::Counts;
use super::dependencies;
use crate::preflight::{Need, SPACE};
use crate::scripts::Captures;
use crate::{fleet as tables, npm as package, page, process, python, repo, scripts, tools};

/// One part of `cargo xtask test`, which passes or fails as a whole.
pub struct Stage {
    pub name: &'static str,
    pub description: &'static str,
    /// The name of the stage that must have passed before this stage runs.
    pub needs: Option<&'static str>,
    /// What the machine must have.
    pub preflight: &'static [Need],
    pub run: fn() -> Result<String>,
}

/// All stages, in the order in which they run.
pub const STAGES: [Stage; 15] = [
    stage("fmt", "formatting", fmt),
    stage("deny", "dependencies' licences, bans and duplicates", dependencies::check),
    stage("clippy", "lints, native", clippy),
    stage("lint-web", "lints, page, worker and package for npm", clippy_web),
    stage("fuzz", "fuzz targets compile", fuzz),
    stage("native", "unit, property, golden, tidy and doc tests", native),
    stage("captures", "native tests of captures of other projects", captures),
    stage("doc", "documentation without warnings", doc),
    Stage { preflight: &[Need::Node], ..stage("npm", "the package for npm, in Chromium and Node.js", npm) },
    Stage { preflight: &[Need::Python], ..stage("fleet", "tables of 1,000 captures, in DuckDB, Spark and Ray", fleet) },
    Stage { preflight: &[Need::Node], ..stage("page", "builds dist/", page) },
    Stage { needs: Some("page"), ..stage("size", "its weight against its budget", size) },
    Stage {
        needs: Some("page"),
        preflight: &[Need::Node],
        ..stage("browser", "dist/, in Chromium and Firefox", browser)
    },
    Stage {
        needs: Some("page"),
        preflight: &[Need::Node],
        ..stage("browser-captures", "dist/, with captures of other projects", browser_captures)
    },
    Stage {
        needs: Some("page"),
        preflight: &[Need::Node, Need::Python],
        ..stage("python", "the wheel, in a fresh environment", python)
    },
];

const fn stage(name: &'static str, description: &'static str, run: fn() -> Result<String>) -> Stage {
    Stage { name, description, needs: None, preflight: &[SPACE], run }
}

/// Returns the list of stages for `cargo xtask test --help`.
pub fn list() -> String {
    STAGES.iter().fold("Stages, in order:\n".to_owned(), |mut text, stage| {
        let _ = writeln!(text, "  {:9} {}", stage.name, stage.description);
        text
    })
}

/// The result of a stage that tests captures of other projects, where there are none: `cargo xtask captures` gets them.
const NO_CAPTURES: &str = "no captures of other projects";
const WASM: [&str; 2] = ["--target", tools::WASM];
const DENY: [&str; 3] = ["--", "-D", "warnings"];

fn cargo(command: &str) -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(repo::root()).arg(command);
    cargo
}

fn fmt() -> Result<String> {
    process::run(cargo("fmt").args(["--all", "--check"])).map(|()| String::new())
}

fn clippy() -> Result<String> {
    process::run(cargo("clippy").args(["--workspace", "--all-targets"]).args(DENY)).map(|()| String::new())
}

fn clippy_web() -> Result<String> {
    tools::wasm_target()?;
    let targets = ["--lib", "--bin", "app", "--bin", "worker", "--example", "checks", "--features", "page,worker"];
    process::run(cargo("clippy").args(targets).args(WASM).args(DENY))?;
    process::run(cargo("clippy").args(["--package", "rooflight-js"]).args(WASM).args(DENY)).map(|()| String::new())
}

/// Checks the fuzz targets, which are a separate workspace, so no other stage finds errors after a change of the
/// library. The targets are not built, because a stable compiler can only check them.
fn fuzz() -> Result<String> {
    process::run(cargo("check").args(["--locked", "--manifest-path", "fuzz/Cargo.toml"])).map(|()| String::new())
}

fn native() -> Result<String> {
    let mut counts = Counts::default();
    let mut test = cargo("test");
    // Whoever clones the repository has no captures of other projects.
    test.args(["--workspace", "--no-fail-fast"]).env_remove("ROOFLIGHT_PROFILES");
    process::run_and_read(&mut test, |line| counts.read(line))?;
    Ok(counts.to_string())
}

/// Runs the programs of tests that read captures of other projects once more, with these captures. Of the ignored tests, those
/// that somebody starts on request do not run: they write files or measure time.
fn captures() -> Result<String> {
    let Some(folder) = repo::profiles() else { return Ok(NO_CAPTURES.to_owned()) };
    let mut counts = Counts::default();
    let mut test = cargo("test");
    test.args(["--workspace", "--no-fail-fast", "--test", "native", "--bin", "xtask", "--"]);
    test.args(["--include-ignored", "--skip", "on_request"]).env("ROOFLIGHT_PROFILES", folder);
    process::run_and_read(&mut test, |line| counts.read(line))?;
    Ok(counts.to_string())
}

fn doc() -> Result<String> {
    // These are the features of the tests, so that the lints have checked all dependencies already.
    let features = ["--features", "rooflight/fleet"];
    process::run(cargo("doc").args(["--workspace", "--no-deps"]).args(features).env("RUSTDOCFLAGS", "-D warnings"))
        .map(|()| String::new())
}

fn page() -> Result<String> {
    page::build(page::Build::Release, &repo::dist()).map(|()| String::new())
}

fn size() -> Result<String> {
    page::size::check(&repo::dist())
}

fn browser() -> Result<String> {
    browser_tests(Captures::Absent)
}

fn browser_captures() -> Result<String> {
    if repo::profiles().is_none() {
        return Ok(NO_CAPTURES.to_owned());
    }
    browser_tests(Captures::Only)
}

fn browser_tests(captures: Captures) -> Result<String> {
    let mut counts = Counts::default();
    scripts::test(&[], captures, |line| counts.read(line))?;
    // Node.js exits with 0 even if no test ran.
    ensure!(counts.passed > 0, "no browser test ran");
    Ok(counts.to_string())
}

fn python() -> Result<String> {
    let mut counts = Counts::default();
    let size = python::test("test", |line| counts.read(line))?;
    ensure!(counts.passed > 0, "no test of the wheel ran");
    Ok(format!("{counts}, {size}"))
}

fn npm() -> Result<String> {
    let mut counts = Counts::default();
    let size = package::test(|line| counts.read(line))?;
    ensure!(counts.passed > 0, "no test of the package ran");
    Ok(format!("{counts}, {size}"))
}

fn fleet() -> Result<String> {
    let mut counts = Counts::default();
    tables::test(|line| counts.read(line))?;
    ensure!(counts.passed > 0, "no test of the tables ran");
    Ok(counts.to_string())
}
