//! The command line over captures of several sizes, beside reading the same bytes and, where they are installed, the other tools.
//! `cargo xtask bench native` makes the captures and starts this. This module knows how to start tools, and what the system says they took.
//!
//! Each run is a process of its own, started by a `measure` of this program, which is reported afterwards how much processor
//! time and memory its only child took. Tools take turns, so that a machine that slows down slows all of them.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Each tool runs so often; the best counts, for other work only ever adds. `ROOFLIGHT_RUNS` says otherwise.
const RUNS: usize = 3;

/// What a run took.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    /// Of the processor, in seconds.
    cpu: f64,
    /// Most memory, in bytes.
    memory: f64,
}

/// A tool: its name, and how it opens captures.
struct Tool {
    name: &'static str,
    command: Vec<OsString>,
}

fn main() -> Result<()> {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    match args.split_first() {
        Some((first, command)) if first == "measure" => measure(command),
        Some((first, files)) if first == "copy" => copy(files),
        _ => table(),
    }
}

/// OpTimeCache and prints the table.
fn table() -> Result<()> {
    let runs = env::var("ROOFLIGHT_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(RUNS);
    let rooflight = PathBuf::from(env!("CARGO_BIN_EXE_rooflight"));
    let folder = PathBuf::from(env::var_os("ROOFLIGHT_BENCH").ok_or("`cargo xtask bench native` starts this")?);
    println!("capture     tool                     wall s    CPU s    MB/CPU s    memory MB    × file");
    for mb in env::var("ROOFLIGHT_MB")?.split(',') {
        let captures = captures(&folder.join(mb))?;
        let bytes: u64 = captures.iter().map(|path| Ok(fs::metadata(path)?.len())).sum::<Result<u64>>()?;
        let tools = tools(&rooflight, &captures);
        let mut best: Vec<Option<Took>> = vec![None; tools.len()];
        for _ in 0..runs {
            for (tool, best) in tools.iter().zip(&mut best) {
                forget_results(&folder.join(mb))?;
                // A tool that fails, for want of memory say, has no figures.
                let Some(took) = run(tool)? else { continue };
                *best = Some(best.map_or(took, |best| Took {
                    wall: best.wall.min(took.wall),
                    cpu: best.cpu.min(took.cpu),
                    memory: best.memory.min(took.memory),
                }));
            }
        }
        for (tool, took) in tools.iter().zip(best) {
            let Some(took) = took else {
                println!("{:<12}{:<22}   failed", format!("{mb} MB"), tool.name);
                continue;
            };
            let megabytes = bytes as f64 / 1e6;
            println!(
                "{:<12}{:<22}{:>9.2}{:>9.2}{:>12.0}{:>13.0}{:>10.2}",
                format!("{mb} MB"),
                tool.name,
                took.wall,
                took.cpu,
                megabytes / took.cpu.max(0.001),
                took.memory / 1e6,
                took.memory / bytes as f64
            );
        }
    }
    Ok(())
}

/// The captures in a folder: one, or one per host.
fn captures(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut captures: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    captures.retain(|path| path.to_string_lossy().ends_with(".xplane.pb"));
    captures.sort();
    Ok(captures)
}

fn tools(rooflight: &Path, captures: &[PathBuf]) -> Vec<Tool> {
    let with = |command: Vec<OsString>| command.into_iter().chain(captures.iter().map(OsString::from)).collect();
    let this = env::current_exe().unwrap_or_default();
    let mut tools = vec![
        Tool { name: "read and copy", command: with(vec![this.into(), "copy".into()]) },
        Tool { name: "rooflight summary", command: with(vec![rooflight.into(), "summary".into(), "--json".into()]) },
    ];
    // Google's converter, as its own server calls it: the two tools that people look at first.
    let xprof = "import sys
from xprof.convert import raw_to_tool_data as convert
for tool in ('overview_page', 'hlo_stats'):
    convert.xspace_to_tool_data(sys.argv[1:], tool, {})";
    let python = env::var_os("ROOFLIGHT_PYTHON").unwrap_or_else(|| "python3".into());
    let there = Command::new(&python).args(["-c", "import xprof"]).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        tools.push(Tool { name: "xprof (2 tools)", command: with(vec![python, "-c".into(), xprof.into()]) });
    } else {
        println!("xprof is not installed (ROOFLIGHT_PYTHON names a Python that has it): not measured");
    }
    tools
}

/// xprof keeps what it found beside the captures, and would only look it up the next time.
fn forget_results(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && !path.ends_with("expected.json") && !path.to_string_lossy().ends_with(".xplane.pb") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Runs a tool in a process that measures it.
fn run(tool: &Tool) -> Result<Option<Took>> {
    let output = Command::new(env::current_exe()?).arg("measure").args(&tool.command).output()?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>()?;
    let [wall, cpu, memory] = numbers[..] else { return Err(format!("{}: not measured: {text}", tool.name).into()) };
    Ok(Some(Took { wall, cpu, memory }))
}

/// `measure PROGRAM ARGS..`: what it took, as three numbers.
fn measure(command: &[OsString]) -> Result<()> {
    let (program, args) = command.split_first().ok_or("what to measure")?;
    let start = Instant::now();
    let status = Command::new(program).args(args).stdout(Stdio::null()).status()?;
    let wall = start.elapsed().as_secs_f64();
    // One of the exit codes of partial results is no failure.
    if status.code().is_none_or(|code| code > 1) {
        return Err(format!("{} ended with {status}", program.display()).into());
    }
    let (cpu, memory) = children()?;
    println!("{wall} {cpu} {memory}");
    Ok(())
}

/// Seconds of the processor and most bytes of memory that this process's children took.
#[cfg(unix)]
fn children() -> Result<(f64, f64)> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    // Linux says kB, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };
    Ok((seconds(usage.user_time()) + seconds(usage.system_time()), usage.max_rss() as f64 * unit))
}

#[cfg(not(unix))]
fn children() -> Result<(f64, f64)> {
    Err("this system does not say what a process took".into())
}

/// `copy FILE..`: reads files and copies their bytes once, a few MB at a time: what any reader has to do at least.
fn copy(files: &[OsString]) -> Result<()> {
    let (mut from, mut to) = (vec![0; 4 << 20], vec![0; 4 << 20]);
    let mut sum = 0_u64;
    for path in files {
        let mut file = File::open(path)?;
        loop {
            let n = file.read(&mut from)?;
            if n == 0 {
                break;
            }
            to[..n].copy_from_slice(&from[..n]);
            sum = sum.wrapping_add(u64::from(to[n / 2]));
        }
    }
    println!("{sum}");
    Ok(())
}
