//! This module declares the arguments of the command line. Their doc comments are the text of `--help`. The arguments
//! of `roofline`, `memory`, `comm`, `report` and `export` stand in their own modules.

use super::comm::{CommArgs, MachineArgs};
use super::compare::CompareArgs;
use super::export::ExportArgs;
use super::flags::FlagArgs;
use super::memory::MemoryArgs;
use super::overview::OverviewArgs;
use super::report::ReportArgs;
use super::roofline_args::RooflineArgs;
use crate::analysis::base::{Filter, FilterField, GroupBy, StepChoice, TimeRange};
use crate::analysis::classify::Kind;
use crate::analysis::ledger::LedgerQuery;
use crate::units::Picos;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Analyses XLA profiles: time, roofline, memory and communication.
///
/// Exit codes: 0 if all input was read, 1 if only a part could be read (notes are on stderr), 2 if the input or the arguments cannot be used.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    /// The report to print.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// What limits the run, what each limit costs, and what to try.
    Overview {
        #[command(flatten)]
        overview: OverviewArgs,
        #[command(flatten)]
        view: View,
    },
    /// Self time by op, category, kind, phase, layer, scope or source.
    Breakdown {
        /// Groups rows by this property of ops.
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = by())]
        by: GroupBy,
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        view: View,
    },
    /// Copies, layout changes and waits: the time of each, and what it changes (shape, layout, dtype, memory).
    #[command(alias = "non-compute")]
    DataMovement {
        #[command(flatten)]
        view: View,
    },
    /// Idle time of devices: each gap between ops, and what the device waited for.
    Gaps {
        #[command(flatten)]
        view: View,
    },
    /// Roofline model: MFU, achieved FLOP/s and bandwidth, recoverable time, and the coverage of the model.
    Roofline {
        /// Groups rows by this property of ops.
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = by())]
        by: GroupBy,
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        roofs: RooflineArgs,
        #[command(flatten)]
        view: View,
    },
    /// Memory at its peak: the buffers of each program, and the timeline of allocators.
    Memory {
        #[command(flatten)]
        memory: MemoryArgs,
        #[command(flatten)]
        view: View,
    },
    /// Communication: stall, exposed and overlapped time, bus bandwidth, and stragglers.
    Comm {
        #[command(flatten)]
        links: CommArgs,
        #[command(flatten)]
        view: View,
    },
    /// XLA flags: which are refused, have no effect or are missing, judged by defaults, chip and communication.
    Flags {
        #[command(flatten)]
        flags: FlagArgs,
        #[command(flatten)]
        machine: MachineArgs,
        #[command(flatten)]
        view: View,
    },
    /// The main figures of every report.
    Summary {
        /// The share of the roofline that ops are expected to attain, from 0 to 1. Time beyond it counts as excess.
        #[arg(long, value_name = "X", default_value_t = LedgerQuery::ATTAINABLE, value_parser = share)]
        attainable: f64,
        #[command(flatten)]
        view: View,
    },
    /// Shares a report: as a link, a report file, Markdown, or one HTML page. Without an option it prints what would be shared.
    Report {
        #[command(flatten)]
        report: ReportArgs,
        #[command(flatten)]
        view: View,
    },
    /// Writes a part of the timeline as a smaller capture, or as trace JSON for Perfetto.
    Export(ExportArgs),
    /// What changed between two captures, whether it is real, and a gate for CI.
    ///
    /// Exit codes: 0 if the gate passes or there is none, 1 if only a part of the input was read, 2 if the input or the arguments cannot be used, 3 if the gate fails, 4 if the captures do not tell.
    Compare(CompareArgs),
    /// Contents of the files: planes, lines, events, stats, programs and sizes.
    Inspect {
        #[command(flatten)]
        view: View,
    },
}

/// The filter of ops.
#[derive(clap::Args)]
pub struct Only {
    /// Selects ops that contain this text, ignoring case. `--within` selects where to search.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// Where `--filter` searches. `leaf` is the name of the op and the last three segments of its scope path.
    #[arg(long, default_value = FilterField::Leaf.key(), value_parser = within())]
    within: FilterField,
    /// Reads the text of `--filter` as a regular expression.
    #[arg(long)]
    regex: bool,
    /// Selects ops of this kind.
    #[arg(long, value_parser = kind())]
    kind: Option<Kind>,
    /// Selects ops at or below this scope path.
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    scope: String,
}

impl Only {
    /// Returns the filter that the options describe.
    pub fn filter(&self) -> Filter {
        let Self { filter, within, regex, kind, scope } = self;
        Filter { text: filter.clone(), within: *within, regex: *regex, kind: *kind, scope: scope.clone() }
    }
}

/// The options of every command that prints a report.
#[derive(clap::Args)]
pub struct View {
    /// Captures, compiled programs, report files, archives, or folders of these. Several captures are the hosts of one session.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The step: `mean` for the mean of the steady steps, a number, `busiest` for the step with the longest period on any device, or `all` for the whole capture.
    #[arg(long, default_value = "mean", value_parser = step)]
    pub step: StepChoice,
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
#[derive(Clone, Copy)]
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

    /// Returns the format of the output. Without `--json`, `--csv` and `--markdown`, the format is text.
    pub const fn output(&self) -> Output {
        match (self.json, self.csv, self.markdown) {
            (true, _, _) => Output::Json,
            (_, true, _) => Output::Csv,
            (_, _, true) => Output::Markdown,
            _ => Output::Text,
        }
    }
}

impl Args {
    /// Returns the options that all reports of one session share. `None` for other commands.
    pub const fn view(&self) -> Option<&View> {
        match &self.command {
            Command::Export(_) | Command::Compare(_) => None,
            Command::Overview { view, .. }
            | Command::Breakdown { view, .. }
            | Command::DataMovement { view }
            | Command::Gaps { view }
            | Command::Roofline { view, .. }
            | Command::Memory { view, .. }
            | Command::Comm { view, .. }
            | Command::Flags { view, .. }
            | Command::Report { view, .. }
            | Command::Summary { view, .. }
            | Command::Inspect { view } => Some(view),
        }
    }

    /// Returns the file to which the output is written. `None` for stdout.
    pub fn out(&self) -> Option<&PathBuf> {
        match &self.command {
            Command::Compare(compare) => compare.out.as_ref(),
            _ => self.view()?.out.as_ref(),
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

fn by() -> impl TypedValueParser<Value = GroupBy> {
    one_of(GroupBy::ALL, GroupBy::key)
}

fn within() -> impl TypedValueParser<Value = FilterField> {
    one_of(FilterField::ALL, FilterField::key)
}

fn kind() -> impl TypedValueParser<Value = Kind> {
    one_of(Kind::ALL, Kind::key)
}

fn step(text: &str) -> Result<StepChoice, String> {
    text.parse().map_err(|_| "a step is a number, `mean`, `busiest` or `all`".to_owned())
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
