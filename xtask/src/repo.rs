//! This module returns the paths of folders in the repository and on the machine.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the root of the repository, which is the folder above this crate.
///
/// The path comes from the variable that Cargo sets at run time, and from the one of compile time only if the first is
/// absent. Checkouts that share a target folder share this program, which must use the checkout that started it.
pub fn root() -> PathBuf {
    let own = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    own.parent().map(Path::to_owned).unwrap_or_default()
}

/// Returns the folder of the page that `cargo xtask build` makes.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Returns the folder of the page that [`crate::scripts::screens`] builds without optimisation.
pub fn quick() -> Result<PathBuf> {
    Ok(target()?.join("quick-page"))
}

/// Returns Cargo's target folder, derived from the path of this program, which is in `<target>/debug/`.
pub fn target() -> Result<PathBuf> {
    let own = env::current_exe()?;
    own.ancestors().nth(2).map(Path::to_owned).context("xtask runs outside a target folder")
}

/// Returns the folder of installed tools, which has one folder for each tool and version. All checkouts share it.
pub fn tools() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("ROOFLIGHT_TOOLS") {
        return Ok(std::path::absolute(folder)?);
    }
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| env::home_dir().map(|home| home.join(".cache")));
    Ok(cache.context("no home folder: set ROOFLIGHT_TOOLS")?.join("rooflight/tools"))
}

/// Returns the folder of real captures that tests read, or `None` if the folder does not exist.
pub fn profiles() -> Option<PathBuf> {
    let named = env::var_os("ROOFLIGHT_PROFILES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/profiles"));
    folder.canonicalize().ok().filter(|path| path.is_dir())
}
