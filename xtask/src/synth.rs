//! This module makes synthetic captures with the program `examples/synth`: the sample, the captures of benchmarks, and
//! captures with the user's own arguments.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::{process, repo, tools};

/// Runs `examples/synth` with `args`.
pub fn run(args: &[OsString]) -> Result<()> {
    // The profile `test` makes a program that is fast enough, and the tests have often built it already.
    let cargo = ["run", "--quiet", "--profile", "test", "--example", "synth", "--"];
    process::run(process::cargo().args(cargo).args(args))
}

/// Makes `samples/sample.xplane.pb.xz` again. The same program and arguments give the same bytes.
pub fn sample() -> Result<()> {
    let samples = repo::root().join("samples");
    let arguments = fs::read_to_string(samples.join("arguments.txt")).context("samples/arguments.txt")?;
    let folder = repo::target()?.join("sample");
    let mut args: Vec<OsString> = vec!["--xz".into(), "--out".into(), folder.clone().into()];
    args.extend(arguments.split_whitespace().map(OsString::from));
    run(&args)?;
    let path = samples.join("sample.xplane.pb.xz");
    let bytes = fs::copy(folder.join("worker-0.xplane.pb.xz"), &path)?;
    println!("{}: {bytes} bytes", path.display());
    Ok(())
}

/// Returns the sizes of the captures of benchmarks, in MB, separated by commas. `ROOFLIGHT_MB` replaces the default.
pub fn sizes() -> String {
    env::var("ROOFLIGHT_MB").unwrap_or_else(|_| "10,100,1000".to_owned())
}

/// Runs a native benchmark, beside other profilers if `peers` is set.
pub fn bench(name: &str, peers: bool) -> Result<()> {
    let mut cargo = process::cargo();
    if peers {
        cargo.env("ROOFLIGHT_PEERS", tools::peers::programs()?);
    }
    cargo.args(["bench", "--bench", name]).current_dir(repo::root());
    process::run(cargo.env("ROOFLIGHT_BENCH", for_benches()?).env("ROOFLIGHT_MB", sizes()))
}

/// Makes the captures of benchmarks that do not exist yet. Returns the folder that has one folder for each size.
pub fn for_benches() -> Result<PathBuf> {
    let all = repo::target()?.join("bench");
    for mb in sizes().split(',') {
        let folder = all.join(mb);
        // `examples/synth` writes this file last, so the folder is complete if the file exists.
        if !folder.join("expected.json").exists() {
            let args = ["--size-mb", mb, "--no-trace", "--out"].map(OsString::from);
            run(&[args.as_slice(), &[folder.into()]].concat())?;
        }
    }
    Ok(all)
}
