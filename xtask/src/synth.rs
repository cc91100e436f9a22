//! Captures that were made: `examples/synth` does the work. Knows how it is started, and which arguments make the sample.

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{process, repo};

/// Starts the synthesizer with these arguments.
pub fn run(args: &[OsString]) -> Result<ExitCode> {
    // Built as tests are: fast enough, and there already.
    let cargo = ["run", "--quiet", "--profile", "test", "--example", "synth", "--"];
    process::run(process::cargo().args(cargo).args(args))?;
    Ok(ExitCode::SUCCESS)
}

/// Makes `samples/sample.xplane.pb.xz` again; the same program and arguments give the same bytes.
pub fn sample() -> Result<ExitCode> {
    let samples = repo::root().join("samples");
    let arguments = fs::read_to_string(samples.join("arguments.txt")).context("samples/arguments.txt")?;
    let folder = repo::target()?.join("sample");
    let mut args: Vec<OsString> = vec!["--xz".into(), "--out".into(), folder.clone().into()];
    args.extend(arguments.split_whitespace().map(OsString::from));
    run(&args)?;
    let path = samples.join("sample.xplane.pb.xz");
    let bytes = fs::copy(folder.join("worker-0.xplane.pb.xz"), &path)?;
    println!("{}: {bytes} bytes", path.display());
    Ok(ExitCode::SUCCESS)
}
