//! This module exports a thousand captures as tables, and runs the recipes and the queries of `samples/fleet` on them.

use std::env;
use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::tools::{java, python};
use crate::{process, repo, scripts};

/// Number of captures.
const CAPTURES: &str = "1000";

/// Runs the tests. Calls `each` with each line of their stdout.
pub fn test(each: impl FnMut(&str)) -> Result<()> {
    let built = scripts::build_native("test")?;
    let python = python::fleet_python()?;
    let folder = repo::target()?.join("fleet");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let captures = folder.join("captures");
    let made = built.join("examples").join(format!("fleet_captures{}", env::consts::EXE_SUFFIX));
    process::run(Command::new(made).arg(&captures).arg(CAPTURES))?;
    let mut pytest = Command::new(&python);
    pytest.current_dir(repo::root().join("tests/fleet"));
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5", "."]);
    // The recipes start `rooflight` by its name.
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([built].into_iter().chain(env::split_paths(&path)))?;
    pytest.env("PATH", path).env("PYTHONDONTWRITEBYTECODE", "1").env("ROOFLIGHT_FLEET", &folder);
    pytest.env("PYSPARK_PYTHON", &python).env("PYSPARK_DRIVER_PYTHON", &python);
    pytest.env("SPARK_LOCAL_IP", "127.0.0.1").env("RAY_USAGE_STATS_ENABLED", "0");
    match java::java()? {
        Some(java) => pytest.env("ROOFLIGHT_JAVA", java),
        None => pytest.env_remove("ROOFLIGHT_JAVA"),
    };
    process::run_and_read(&mut pytest, each)
}
