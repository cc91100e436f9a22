//! This module finds Chromium, Firefox and Node.js. On Debian, as root, it installs a browser that is missing.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use super::announce;
use crate::process;

/// The headless shell is first, because this Chromium without a window needs half of the time.
const BROWSERS: [&str; 6] =
    ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const USUAL_BROWSERS: [&str; 3] = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/snap/bin/chromium",
];
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];
const USUAL_FIREFOX: &str = "/Applications/Firefox.app/Contents/MacOS/firefox";

const INSTALL_HELP: &str = "\
no Chromium: install it, or name it in ROOFLIGHT_CHROMIUM:
  Debian   apt-get install chromium-headless-shell
  Fedora   dnf install chromium
  Arch     pacman -S chromium
  macOS    brew install --cask google-chrome";

/// Returns the path of Chromium or Chrome. `ROOFLIGHT_CHROMIUM` has priority. On Debian, as root, the headless shell is installed
/// even if another Chromium is found, because the tests take three quarters of the time with it.
pub fn chromium() -> Result<PathBuf> {
    let found = find_chromium();
    let is_best =
        found.as_ref().is_some_and(|path| path.ends_with(BROWSERS[0])) || env::var_os("ROOFLIGHT_CHROMIUM").is_some();
    if !is_best && is_debian_root() {
        let installed = install("Chromium", "from Debian, about 100 MB, a minute", &[BROWSERS[0]]);
        // Another Chromium does as well.
        if found.is_none() {
            installed?;
        }
        return find_chromium().context(INSTALL_HELP);
    }
    found.context(INSTALL_HELP)
}

/// Returns the path of Firefox, or `None` if Firefox is absent; the tests with Firefox are then skipped.
pub fn firefox() -> Result<Option<PathBuf>> {
    let find = || env::var_os("ROOFLIGHT_FIREFOX").map(PathBuf::from).or_else(|| process::find_program(&FIREFOX));
    let found = find().or_else(|| first_file(&[USUAL_FIREFOX]));
    if found.is_some() || !is_debian_root() {
        return Ok(found);
    }
    install("firefox-esr", "from Debian, about 70 MB, half a minute", &["firefox-esr"])?;
    Ok(find())
}

/// Returns the path of Node.js. Its test runner has the option `--test-force-exit` from version 20.14 on.
pub fn node() -> Result<PathBuf> {
    let node = process::find_program(&["node"]).context("no Node.js: install version 20.14 or newer")?;
    let version = process::output_of(Command::new(&node).arg("--version")).unwrap_or_default();
    let mut numbers = version.trim_start_matches('v').split('.').map(|number| number.parse::<u32>().unwrap_or(0));
    if (numbers.next(), numbers.next()) < (Some(20), Some(14)) {
        bail!("Node.js {version} is too old: install version 20.14 or newer")
    }
    Ok(node)
}

fn find_chromium() -> Option<PathBuf> {
    let named = env::var_os("ROOFLIGHT_CHROMIUM").map(PathBuf::from);
    named.or_else(|| process::find_program(&BROWSERS)).or_else(|| first_file(&USUAL_BROWSERS))
}

fn first_file(paths: &[&str]) -> Option<PathBuf> {
    paths.iter().map(PathBuf::from).find(|path| path.is_file())
}

/// Installs Debian `packages`, after a message that names `what` and `how`.
pub(super) fn install(what: &str, how: &str, packages: &[&str]) -> Result<()> {
    announce(what, how);
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    let args = ["install", "--yes", "--quiet", "--no-install-recommends"];
    process::run(Command::new("apt-get").args(args).args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Returns whether the system is Debian and the user is root. Ubuntu does not count: its `chromium` is only a snap.
pub(super) fn is_debian_root() -> bool {
    let debian = fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=debian"));
    debian && process::output_of(Command::new("id").arg("-u")).as_deref() == Some("0")
}
