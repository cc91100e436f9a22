//! Starting other programs: with errors that name the command, and without a shell.
//!
//! Must not know which programs there are.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs it to its end, its output shown as it comes.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", name(command)))?;
    if status.success() { Ok(()) } else { bail!("{} failed ({status})", shown(command)) }
}

/// Runs it to its end, its output shown as it comes and each line of stdout given to `each` too.
pub fn run_and_read(command: &mut Command, mut each: impl FnMut(&str)) -> Result<()> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", name(command)))?;
    let mut stdout = BufReader::new(child.stdout.take().context("no stdout")?);
    let mut line = Vec::new();
    while stdout.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        each(text.trim_end());
        line.clear();
    }
    let status = child.wait()?;
    if status.success() { Ok(()) } else { bail!("{} failed ({status})", shown(command)) }
}

/// What it writes to stdout, or `None` if it is missing or fails. Silent: for asking what is there.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first program of one of these names on PATH.
pub fn find_program(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| which::which(name).ok())
}

/// `cargo` as the user started it: the same toolchain for all that follows.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").as_deref().unwrap_or(OsStr::new("cargo")))
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    command.get_args().fold(program, |text, arg| text + " " + &arg.to_string_lossy())
}
