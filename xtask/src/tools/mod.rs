//! This module finds the programs that builds and tests need, at the right version, and installs those that are absent.
//!
//! ```text
//!  on PATH? ──► in the cache? ──► install into the cache: a built program, else from source (cargo install), or from npm
//!  version checked   version checked                    version checked
//! ```

pub mod browser;
mod install;
pub mod java;
pub mod peers;
mod prebuilt;
pub mod python;
mod version;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use toml::Table;

use crate::{process, repo};

/// The newest version of Trunk that the oldest supported compiler can build.
const TRUNK: &str = "0.21.14";
/// The version of wasm-opt, from npm, because the versions of distributions are too old for the output of rustc.
const BINARYEN: &str = "132.0.0";
/// The version of the program that writes bills of materials.
const CYCLONEDX: &str = "0.5.9";
/// The compilation target of the page and the worker.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Returns the path of Trunk, and a PATH that begins with the folders of wasm-bindgen and wasm-opt.
pub fn for_page() -> Result<(PathBuf, OsString)> {
    // What needs another program, and what is fast, comes first: an error comes before anything long begins.
    wasm_target()?;
    let others = [wasm_opt()?, wasm_bindgen()?];
    let trunk = trunk()?;
    let folders = others.iter().filter_map(|tool| tool.parent()).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    Ok((trunk, env::join_paths(folders.chain(env::split_paths(&path)))?))
}

/// Installs the standard library for [`WASM`] with rustup, unless the compiler has this library already.
pub fn wasm_target() -> Result<()> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = process::output_of(Command::new(rustc).args(["--print", "target-libdir", "--target", WASM]));
    if folder.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    if process::find_program(&["rustup"]).is_none() {
        bail!("this Rust has no {WASM} target; install it with your package manager, or use rustup");
    }
    announce(WASM, "from rustup, 10 s");
    process::run(Command::new("rustup").args(["target", "add", WASM]))
}

/// Returns the version of the library `wasm-bindgen` in `Cargo.lock`.
fn wasm_bindgen_version() -> Result<String> {
    let lock: Table = fs::read_to_string(repo::root().join("Cargo.lock"))?.parse()?;
    let mut packages = lock["package"].as_array().into_iter().flatten();
    let library = packages.find(|package| package["name"].as_str() == Some("wasm-bindgen"));
    let version = library.and_then(|library| library["version"].as_str()).context("no wasm-bindgen in Cargo.lock")?;
    Ok(version.to_owned())
}

/// Finds wasm-bindgen at the exact version of the library.
pub fn wasm_bindgen() -> Result<PathBuf> {
    let version = wasm_bindgen_version()?;
    Tool { program: "wasm-bindgen", package: "wasm-bindgen-cli", version, from: Source::WASM_BINDGEN }.find()
}

fn trunk() -> Result<PathBuf> {
    let version = TRUNK.to_owned();
    Tool { program: "trunk", package: "trunk", version, from: Source::TRUNK }.find()
}

pub fn wasm_opt() -> Result<PathBuf> {
    Tool { program: "wasm-opt", package: "binaryen", version: BINARYEN.to_owned(), from: Source::Npm }.find()
}

/// Returns the path of the program that writes bills of materials.
pub fn cyclonedx() -> Result<PathBuf> {
    let version = CYCLONEDX.to_owned();
    Tool { program: "cargo-cyclonedx", package: "cargo-cyclonedx", version, from: Source::CYCLONEDX }.find()
}

/// A program at one version, and the package that contains the program.
struct Tool {
    program: &'static str,
    package: &'static str,
    version: String,
    from: Source,
}

enum Source {
    /// From crates.io. The optimisation level is the one with the shortest sum of build time and run time.
    Crate {
        features: &'static [&'static str],
        opt_level: &'static str,
        takes: &'static str,
    },
    Npm,
}

impl Source {
    const TRUNK: Self = Self::Crate {
        features: &["--no-default-features", "--features", "rustls"],
        opt_level: "0",
        takes: "3 min of processor time",
    };
    const CYCLONEDX: Self = Self::Crate { features: &[], opt_level: "0", takes: "2 min of processor time" };
    const WASM_BINDGEN: Self = Self::Crate { features: &[], opt_level: "1", takes: "4 min of processor time" };
}

impl Tool {
    fn find(&self) -> Result<PathBuf> {
        let folder = self.folder()?;
        let cached = || which::which_in_global(self.program, Some(folder.join("bin"))).ok().into_iter().flatten();
        let known = process::find_program(&[self.program]).into_iter().chain(cached()).find(|path| self.is_right(path));
        if let Some(path) = known {
            return Ok(path);
        }
        let archive = prebuilt::archive(self);
        let downloaded = archive.map(|(address, sha256)| install::from_archive(self, &folder, &address, sha256));
        if let Some(Err(error)) = &downloaded {
            eprintln!("{error:#}");
        }
        // A program that this system cannot run, for example because its libraries are too old, is built from source as well.
        if !cached().any(|path| self.is_right(&path)) {
            let _ = fs::remove_dir_all(folder.join("bin"));
            match &self.from {
                Source::Crate { features, opt_level, takes } => {
                    install::from_crates(self, &folder, features, opt_level, takes)?;
                }
                Source::Npm => install::from_npm(self, &folder)?,
            }
        }
        cached()
            .find(|path| self.is_right(path))
            .with_context(|| format!("{} {} was installed but does not run", self.program, self.version))
    }

    fn folder(&self) -> Result<PathBuf> {
        let name = self.package.trim_end_matches("-cli");
        Ok(repo::tools()?.join(format!("{name}-{}", self.version)))
    }

    fn is_right(&self, path: &Path) -> bool {
        // A subcommand of Cargo expects its own name first.
        let first = self.program.strip_prefix("cargo-");
        process::output_of(Command::new(path).args(first).arg("--version")).is_some_and(|output| {
            version::printed(&output).is_some_and(|printed| version::same(printed, &self.version))
        })
    }
}

/// Prints a message before an installation.
fn announce(what: &str, how: &str) {
    eprintln!("Installing {what} ({how}), once.");
}
