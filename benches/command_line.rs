//! This benchmark runs the command line on captures of several sizes. The same captures are also read and copied
//! without a parser, and read by other profilers for the same figures, if there are any.
//! `cargo xtask bench native` makes the captures and starts this program; with `--peers`, it installs xprof and xprof-rs.
//!
//! Each run of a tool is a process of its own. A `measure` process of this program starts the tool, and then reads the
//! processor time and the memory that its only child used. The tools take turns, so that a slow phase of the machine
//! affects all of them.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Number of runs of each tool, unless `ROOFLIGHT_RUNS` sets another number. The best run counts, because other work on
/// the machine can only add time.
const RUNS: usize = 3;

/// The tools that other profilers are compared with.
const BREAKDOWN: &str = "rooflight breakdown";
const OVERVIEW: &str = "rooflight overview";

/// The resources that one run of a tool used.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    /// Processor time, in seconds.
    cpu: f64,
    /// Peak resident memory, in bytes.
    memory: f64,
}

/// A program to measure, with the arguments that make it open captures.
struct Tool {
    name: &'static str,
    command: Vec<OsString>,
    /// The name of the tool whose figures it gives. Its time and its memory are shown as multiples of that tool's.
    beside: Option<&'static str>,
}

fn main() -> Result<()> {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    match args.split_first() {
        Some((first, command)) if first == "measure" => measure(command),
        Some((first, files)) if first == "copy" => copy(files),
        _ => table(),
    }
}

/// Measures every tool on captures of every size and prints the table.
fn table() -> Result<()> {
    let runs = env::var("ROOFLIGHT_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(RUNS);
    let rooflight = PathBuf::from(env!("CARGO_BIN_EXE_rooflight"));
    let folder = PathBuf::from(env::var_os("ROOFLIGHT_BENCH").ok_or("`cargo xtask bench native` starts this")?);
    println!(
        "capture     tool                     wall s    CPU s    MB/CPU s    memory MB    × file    × wall   × CPU   × memory"
    );
    for mb in env::var("ROOFLIGHT_MB")?.split(',') {
        let captures = captures(&folder.join(mb))?;
        let bytes: u64 = captures.iter().map(|path| Ok(fs::metadata(path)?.len())).sum::<Result<u64>>()?;
        let tools = tools(&rooflight, &captures);
        let mut best: Vec<Option<Took>> = vec![None; tools.len()];
        for _ in 0..runs {
            for (tool, best) in tools.iter().zip(&mut best) {
                forget_results(&folder.join(mb))?;
                // A tool that fails, for example because memory runs out, has no figures.
                let Some(took) = run(tool)? else { continue };
                *best = Some(best.map_or(took, |best| Took {
                    wall: best.wall.min(took.wall),
                    cpu: best.cpu.min(took.cpu),
                    memory: best.memory.min(took.memory),
                }));
            }
        }
        for (tool, took) in tools.iter().zip(&best) {
            let Some(took) = took else {
                println!("{:<12}{:<22}   failed", format!("{mb} MB"), tool.name);
                continue;
            };
            let megabytes = bytes as f64 / 1e6;
            let other = tools.iter().zip(&best).find(|(other, _)| Some(other.name) == tool.beside);
            let ratios = other.and_then(|(_, other)| other.as_ref()).map_or(String::new(), |other| {
                let (wall, cpu, memory) = (took.wall / other.wall, took.cpu / other.cpu, took.memory / other.memory);
                format!("{wall:>10.1}{cpu:>8.1}{memory:>11.1}")
            });
            println!(
                "{:<12}{:<22}{:>9.2}{:>9.2}{:>12.0}{:>13.0}{:>10.2}{ratios}",
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

/// Returns the captures in a folder, one per host.
fn captures(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut captures: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    captures.retain(|path| path.to_string_lossy().ends_with(".xplane.pb"));
    captures.sort();
    Ok(captures)
}

/// Returns the tools to measure. `ROOFLIGHT_PEERS` is the folder of the programs of a Python environment with xprof and
/// xprof-rs.
fn tools(rooflight: &Path, captures: &[PathBuf]) -> Vec<Tool> {
    let with = |command: Vec<OsString>| command.into_iter().chain(captures.iter().map(OsString::from)).collect();
    let own = |name: &'static str, view: &str| Tool {
        name,
        command: with(vec![rooflight.into(), view.into(), "--json".into()]),
        beside: None,
    };
    let this = env::current_exe().unwrap_or_default();
    let mut tools = vec![
        Tool { name: "read and copy", command: with(vec![this.into(), "copy".into()]), beside: None },
        own(BREAKDOWN, "breakdown"),
        own(OVERVIEW, "overview"),
        own("rooflight summary", "summary"),
    ];
    let Some(peers) = env::var_os("ROOFLIGHT_PEERS").map(PathBuf::from) else {
        println!("no other profilers are measured; `--peers` installs them");
        return tools;
    };
    let session = captures.first().and_then(|first| first.parent()).unwrap_or(Path::new("."));
    let xprof_rs = |name: &'static str, command: &str, beside: &'static str| Tool {
        name,
        command: vec![peers.join("xprof-rs").into(), command.into(), "--session_id".into(), session.into()],
        beside: Some(beside),
    };
    // xprof's converter is called as xprof's own server calls it.
    let xprof = |name: &'static str, tool: &str, beside: &'static str| {
        let script = format!(
            "import sys
from xprof.convert import raw_to_tool_data as convert
convert.xspace_to_tool_data(sys.argv[1:], '{tool}', {{}})"
        );
        Tool {
            name,
            command: with(vec![peers.join("python").into(), "-c".into(), script.into()]),
            beside: Some(beside),
        }
    };
    tools.extend([
        xprof_rs("xprof-rs hlo_stats", "get_hlo_stats", BREAKDOWN),
        xprof_rs("xprof-rs overview", "get_overview", OVERVIEW),
        xprof("xprof hlo_stats", "hlo_stats", BREAKDOWN),
        xprof("xprof overview", "overview_page", OVERVIEW),
    ]);
    tools
}

/// Deletes the results that xprof stores beside the captures. With these results, the next run of xprof would compute
/// nothing.
fn forget_results(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && !path.ends_with("expected.json") && !path.to_string_lossy().ends_with(".xplane.pb") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Runs a tool in a process that measures it. Returns `None` if the tool fails.
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

/// Runs `measure PROGRAM ARGS..`: starts the program and prints its wall time in seconds, its processor time in seconds
/// and its peak memory in bytes.
fn measure(command: &[OsString]) -> Result<()> {
    let (program, args) = command.split_first().ok_or("what to measure")?;
    let start = Instant::now();
    let status = Command::new(program).args(args).stdout(Stdio::null()).status()?;
    let wall = start.elapsed().as_secs_f64();
    // Exit code 1 means a partial result, which is no failure.
    if status.code().is_none_or(|code| code > 1) {
        return Err(format!("{} ended with {status}", program.display()).into());
    }
    let (cpu, memory) = children()?;
    println!("{wall} {cpu} {memory}");
    Ok(())
}

/// Returns the processor time, in seconds, and the peak resident memory, in bytes, of the children of this process.
#[cfg(unix)]
fn children() -> Result<(f64, f64)> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    // `ru_maxrss` is in kB on Linux and in bytes on macOS.
    let unit = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };
    Ok((seconds(usage.user_time()) + seconds(usage.system_time()), usage.max_rss() as f64 * unit))
}

#[cfg(not(unix))]
fn children() -> Result<(f64, f64)> {
    Err("this system does not say what a process took".into())
}

/// Runs `copy FILE..`: reads the files and copies their bytes once, 4 MiB at a time. No reader can do less.
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
