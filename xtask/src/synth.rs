//! Captures that were made: `examples/synth` does the work. Knows how it is started, and which arguments make the sample.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};

use crate::{process, repo};

/// Starts the synthesizer with these arguments.
pub fn run(args: &[OsString]) -> Result<ExitCode> {
    // Built as tests are: fast enough, and there already.
    let cargo = ["run", "--quiet", "--profile", "test", "--example", "synth", "--"];
    process::run(process::cargo().args(cargo).args(args))?;
    Ok(ExitCode::SUCCESS)
}

/// Makes `samples/sample.xplane.pb.gz` again; the same program and arguments give the same bytes.
pub fn sample() -> Result<ExitCode> {
    let samples = repo::root().join("samples");
    let arguments = fs::read_to_string(samples.join("arguments.txt")).context("samples/arguments.txt")?;
    let folder = repo::target()?.join("sample");
    let mut args: Vec<OsString> = vec!["--out".into(), folder.clone().into()];
    args.extend(arguments.split_whitespace().map(OsString::from));
    run(&args)?;
    let path = samples.join("sample.xplane.pb.gz");
    // No name and no time in its header.
    let mut packed = GzBuilder::new().write(File::create(&path)?, Compression::best());
    packed.write_all(&fs::read(folder.join("worker-0.xplane.pb"))?)?;
    packed.finish()?;
    println!("{}: {} bytes", path.display(), fs::metadata(&path)?.len());
    Ok(ExitCode::SUCCESS)
}
