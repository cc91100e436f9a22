//! The page: Trunk builds it (`Trunk.toml`), with the tools that it needs on PATH.
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

use crate::{process, repo, tools};

/// How a page is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// Without optimisation: for work on the page.
    Quick,
    /// As hosts serve it.
    Release,
}

/// Builds the page into `out`, in place of what is there.
pub fn build(build: Build, out: &Path) -> Result<()> {
    let mut trunk = trunk(build, "build")?;
    process::run(trunk.arg("--dist").arg(out))
}

/// Builds the page, serves it on this machine, and builds and reloads it after every edit. Ends with the program.
pub fn serve(build: Build, port: u16) -> Result<()> {
    process::run(trunk(build, "serve")?.args(["--port", &port.to_string()]))
}

/// Builds `tests/browser/checks` for a browser. Returns the folder of `checks.js` and `checks_bg.wasm`.
pub fn build_checks() -> Result<PathBuf> {
    let (_, path) = tools::for_page()?;
    // The profile and the feature of the worker: its dependencies are compiled already.
    let args = ["build", "--example", "checks", "--features", "worker", "--profile", "worker", "--target", tools::WASM];
    process::run(process::cargo().current_dir(repo::root()).args(args))?;
    let (target, out) = (repo::target()?, repo::target()?.join("browser-checks"));
    let program = target.join(tools::WASM).join("worker/examples/checks.wasm");
    let mut bindgen = Command::new(which::which_in("wasm-bindgen", Some(path), ".")?);
    process::run(bindgen.args(["--target", "no-modules", "--no-typescript", "--out-dir"]).arg(&out).arg(program))?;
    Ok(out)
}

fn trunk(build: Build, command: &str) -> Result<Command> {
    let (trunk, path) = tools::for_page()?;
    let mut trunk = Command::new(trunk);
    trunk.current_dir(repo::root()).arg(command).args(match build {
        Build::Quick => &[][..],
        Build::Release => &["--release"],
    });
    // The tools at the right versions come before any others. Trunk reads NO_COLOR as an option, where only "true" and "false" will do.
    trunk.env("PATH", path).env_remove("NO_COLOR");
    Ok(trunk)
}
