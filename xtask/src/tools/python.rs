//! This module makes environments of Python, and installs the packages that the wheel's build and its tests need from PyPI
//! into the cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::announce;
use crate::{process, repo};

/// The program that builds wheels from crates.
const MATURIN: &str = "maturin==1.16.0";
/// The packages of the tests of the wheel.
const TESTS: [&str; 5] = ["pytest<10", "pandas<4", "pyarrow", "jupyterlab<5", "mypy<3"];

/// The packages of the tests of the tables.
const FLEET: [&str; 4] = ["pytest<10", "duckdb<3", "pyspark<5", "ray<3"];

/// Returns the path of the system's Python.
pub fn system() -> Result<PathBuf> {
    process::find_program(&["python3", "python"]).context("no Python: install version 3.9 or newer")
}

/// Makes an environment in `folder`. Returns the path of its Python.
pub fn environment(folder: &Path) -> Result<PathBuf> {
    process::run(Command::new(system()?).args(["-m", "venv"]).arg(folder))?;
    Ok(programs(folder).join("python"))
}

/// Returns the folder of the programs of an environment.
pub fn programs(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// Installs packages from PyPI.
pub fn install(python: &Path, args: &[&str]) -> Result<()> {
    process::run(Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(args))
}

/// Returns the path of maturin.
pub fn maturin() -> Result<PathBuf> {
    let folder = repo::tools()?.join(MATURIN.replace("==", "-"));
    let maturin = programs(&folder).join("maturin");
    if which::which(&maturin).is_err() {
        announce(MATURIN, "from PyPI, 10 s");
        install(&environment(&folder)?, &[MATURIN])?;
    }
    Ok(maturin)
}

/// Returns a folder with the packages of the tests for this version of Python. It is no part of the environment, so that a
/// fresh environment has the wheel alone.
pub fn test_packages(python: &Path) -> Result<PathBuf> {
    let code = "import sys; print('%d.%d' % sys.version_info[:2])";
    let version = process::output_of(Command::new(python).args(["-c", code])).context("Python does not start")?;
    let folder = repo::tools()?.join(format!("python-{version}-tests"));
    // The list of the last installation that succeeded.
    let (stamp, list) = (folder.join("installed"), TESTS.join(" "));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == list) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    announce(&list, "from PyPI, 1 min");
    let target = folder.to_str().context("the folder of tools has a name that is no UTF-8")?;
    install(python, &[&["--target", target], &TESTS[..]].concat())?;
    fs::write(stamp, list)?;
    Ok(folder)
}

/// Returns the Python of an environment with the engines that read tables.
pub fn fleet_python() -> Result<PathBuf> {
    let folder = repo::tools()?.join("python-fleet");
    let (stamp, list) = (folder.join("installed"), FLEET.join(" "));
    let python = programs(&folder).join("python");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == list) {
        return Ok(python);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    announce(&list, "from PyPI, 600 MB, 1 min");
    install(&environment(&folder)?, &FLEET)?;
    fs::write(stamp, list)?;
    Ok(python)
}
