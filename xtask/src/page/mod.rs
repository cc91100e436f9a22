//! This module builds and serves the page with Trunk (`Trunk.toml`), and puts the tools that Trunk needs on PATH.
//!
//! ```text
//!  trunk ──► two programs, style sheets, icons ──► finish (its hook) ──► dist/ ──► size
//! ```

pub mod finish;
mod policy;
pub mod size;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::{preflight, process, repo, tools};

/// The profile with which the page is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Without optimisation, for work on the page.
    Quick,
    /// Optimised, for hosts.
    Release,
}

/// Builds the page into `out`, and replaces the contents of `out`.
pub fn build(build: Build, out: &Path) -> Result<()> {
    let mut trunk = trunk(build, "build")?;
    process::run(trunk.arg("--dist").arg(out))
}

/// Builds the page, serves it on `port` of this machine, and rebuilds it after every edit. Returns when Trunk ends.
pub fn serve(build: Build, port: u16) -> Result<()> {
    process::run(trunk(build, "serve")?.args(["--port", &port.to_string()]))
}

/// Builds `tests/browser/checks` for a browser. Returns the folder of `checks.js` and `checks_bg.wasm`.
pub fn build_checks() -> Result<PathBuf> {
    tools::wasm_target()?;
    // The build uses the profile and the feature of the worker, whose dependencies are compiled already.
    let args = ["build", "--example", "checks", "--no-default-features", "--features", "worker", "--profile", "worker"];
    process::run(process::cargo().current_dir(repo::root()).args(args).args(["--target", tools::WASM]))?;
    let (target, out) = (repo::target()?, repo::target()?.join("browser-checks"));
    let program = target.join(tools::WASM).join("worker/examples/checks.wasm");
    let mut bindgen = Command::new(tools::wasm_bindgen()?);
    process::run(bindgen.args(["--target", "no-modules", "--no-typescript", "--out-dir"]).arg(&out).arg(program))?;
    Ok(out)
}

fn trunk(build: Build, command: &str) -> Result<Command> {
    preflight::check([preflight::SPACE])?;
    let (trunk, path) = tools::for_page()?;
    let mut trunk = Command::new(trunk);
    trunk.current_dir(repo::root()).arg(command).args(match build {
        Build::Quick => &[][..],
        Build::Release => &["--release"],
    });
    // `path` puts the tools of the right versions before all others.
    // Trunk reads NO_COLOR as an option that allows only "true" and "false", so the variable is removed.
    trunk.env("PATH", path).env_remove("NO_COLOR");
    Ok(trunk)
}
