//! This module declares the options that all commands with a report share, and the values that several commands parse.

use crate::analysis::base::{StepChoice, StepsBy, TimeRange};
use crate::session::open::SessionChoice;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use xla_profile::units::Picos;

/// The options of every command that prints a report.
#[derive(clap::Args)]
pub struct View {
    /// Captures, compiled programs, report files, archives, or folders of these. Captures whose times overlap are the hosts of one session; of several sessions, the newest is shown.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The session, if the files are of several: the name of its folder, its number (1 is the newest), or `all` to read all files as one session.
    #[arg(long, value_name = "NAME|N|all", value_parser = session)]
    pub session: Option<SessionChoice>,
    /// The step: `mean` for the mean of the steady steps, `kind:2` for the mean of the second kind of steps, a number, `busiest` for the step with the longest period on any device, or `all` for the whole capture.
    #[arg(long, default_value = "mean", value_parser = step)]
    pub step: StepChoice,
    /// The mean of the steady steps of this kind, such as `decode`. `inspect` and the notes list the kinds. Replaces `--step`.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["step", "window"])]
    pub step_kind: Option<String>,
    /// The way in which steps are found: `annotation` for the marks of the host, `line` for the line of steps of the device, `sequence` for the smallest sequence of programs that repeats, `program=NAME` for the runs of a program, or `all` for no steps. Default: the first way that fits.
    #[arg(long, value_name = "HOW", value_parser = steps_by)]
    pub steps: Option<StepsBy>,
    /// The part of the timeline between two times, such as `12.5ms..14ms`. The units are s, ms, us, ns and ps; without a unit it is ps. Replaces `--step`.
    #[arg(long, value_name = "A..B", value_parser = window, conflicts_with = "step")]
    pub window: Option<TimeRange>,
    /// The device: its number, its name, `mean` for the mean of all devices, or `all` for their sum. Default: the mean, or the busiest device that computes if some only move data.
    #[arg(long)]
    pub device: Option<String>,
    /// Prints at most this many rows.
    #[arg(long)]
    pub top: Option<usize>,
    /// Writes to this file instead of stdout.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Prints JSON; docs/CLI.md describes its fields.
    #[arg(long, group = "form")]
    json: bool,
    /// Prints CSV.
    #[arg(long, group = "form")]
    csv: bool,
    /// Prints Markdown.
    #[arg(long, group = "form")]
    markdown: bool,
}

/// The format of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Aligned columns.
    Text,
    Json,
    Csv,
    Markdown,
}

impl View {
    /// Returns whether `--markdown` is set.
    pub const fn is_markdown(&self) -> bool {
        self.markdown
    }

    /// Returns the step or the range of the arguments.
    pub fn step(&self) -> StepChoice {
        self.window.map_or(self.step, StepChoice::Range)
    }

    /// Returns which session is opened.
    pub fn session(&self) -> SessionChoice {
        self.session.clone().unwrap_or_default()
    }

    /// Returns the format of the output. Without `--json`, `--csv` and `--markdown`, the format is text. In a browser it is
    /// JSON alone, so that the program there has no code for the other formats.
    pub const fn output(&self) -> Output {
        if cfg!(target_arch = "wasm32") {
            return Output::Json;
        }
        match (self.json, self.csv, self.markdown) {
            (true, _, _) => Output::Json,
            (_, true, _) => Output::Csv,
            (_, _, true) => Output::Markdown,
            _ => Output::Text,
        }
    }
}

/// Parses a number above 0, at most 1.
pub fn share(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|value: &f64| *value > 0.0 && *value <= 1.0);
    value.ok_or_else(|| "a number above 0, at most 1".to_owned())
}

/// Returns a parser that accepts the keys of `all`, as JSON output writes them, and returns the value of the key.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    key: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    // The parser accepts only keys of `all`, so the fallback is never used.
    PossibleValuesParser::new(all.map(key))
        .map(move |name| all.into_iter().find(|one| key(*one) == name).unwrap_or(all[0]))
}

/// Reads the name or the number of a session.
pub fn session(text: &str) -> Result<SessionChoice, String> {
    if text.is_empty() {
        Err("a session is `all`, a number or the name of a folder".to_owned())
    } else {
        Ok(SessionChoice::of_text(text))
    }
}

fn step(text: &str) -> Result<StepChoice, String> {
    text.parse().map_err(|_| "a step is a number, `mean`, `kind:` and a number, `busiest` or `all`".to_owned())
}

fn steps_by(text: &str) -> Result<StepsBy, String> {
    text.parse().map_err(|_| "steps are found by `annotation`, `line`, `sequence`, `program=NAME` or `all`".to_owned())
}

/// Reads `A..B`, two times with units.
pub fn window(text: &str) -> Result<TimeRange, String> {
    let wanted = || "a window is two times, such as 12.5ms..14ms; the units are s, ms, us, ns and ps".to_owned();
    let (start, end) = text.split_once("..").ok_or_else(wanted)?;
    let (start, end) = (time(start).ok_or_else(wanted)?, time(end).ok_or_else(wanted)?);
    if start < end { Ok(TimeRange { start, end }) } else { Err("the window ends before it starts".to_owned()) }
}

/// Reads a time with a unit; without one it is in ps. The digits are read as a decimal number, so that no ps is lost.
fn time(text: &str) -> Option<Picos> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
    let places: usize = match &text[digits.len()..] {
        "" | "ps" => 0,
        "ns" => 3,
        "us" | "µs" => 6,
        "ms" => 9,
        "s" => 12,
        _ => return None,
    };
    let digits = digits.trim_end();
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) || fraction.len() > places {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok().map(Picos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(time("12.000000000001s"), Some(Picos(12_000_000_000_001)));
        assert_eq!(time("1.5 ms"), Some(Picos(1_500_000_000)));
        assert_eq!((time("7"), time("7ps"), time("2µs")), (Some(Picos(7)), Some(Picos(7)), Some(Picos(2_000_000))));
        for wrong in ["", "ms", "1.5", "1.5ps", "-1ms", "1h", "1e3ms", "99999999s"] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
        assert_eq!(window("1ms..2ms"), Ok(TimeRange { start: Picos(1_000_000_000), end: Picos(2_000_000_000) }));
        assert!(window("2ms..1ms").is_err() && window("2ms").is_err());
    }
}
