//! This module finds Java, which Spark needs.

use std::path::PathBuf;

use anyhow::Result;

use super::browser::{install, is_debian_root};
use crate::process;

/// Returns the path of Java. It is installed on Debian as root. `None` elsewhere if it is absent: the tests with Spark are then
/// skipped.
pub fn java() -> Result<Option<PathBuf>> {
    let find = || process::find_program(&["java"]);
    if find().is_none() && is_debian_root() {
        install("Java", "from Debian, about 200 MB, a minute", &["default-jre-headless"])?;
    }
    Ok(find())
}
