//! This module starts other programs without a shell. Its errors name the command that failed.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs `command` and waits until it ends. The output of `command` goes to the terminal.
///
/// # Errors
/// If `command` cannot start or exits with a status other than 0.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", name(command)))?;
    if status.success() { Ok(()) } else { bail!("{} failed ({status})", shown(command)) }
}

/// Does the same as [`run`], and also calls `each` with each line of stdout, without white space at its end.
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

/// Returns the trimmed stdout of `command`, or `None` if `command` cannot start or fails. Prints nothing.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the path of the first of the programs `names` that is on PATH.
pub fn find_program(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| which::which(name).ok())
}

/// Returns a command for the `cargo` that started this program, so that all builds use one toolchain.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").as_deref().unwrap_or(OsStr::new("cargo")))
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Formats `command` for an error message, without the folder of the program and without quotes.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    command.get_args().fold(program, |text, arg| text + " " + &arg.to_string_lossy())
}
