//! This module declares the arguments of the command line. Their doc comments are the text of `--help`. The arguments
//! of `roofline`, `memory`, `comm`, `report` and `export` stand in their own modules, and those of all reports in
//! `view_args`.

use super::comm::{CommArgs, MachineArgs};
use super::compare::CompareArgs;
use super::export::ExportArgs;
use super::flags::FlagArgs;
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
use super::fleet::CompactArgs;
use super::memory::MemoryArgs;
use super::overview::OverviewArgs;
use super::report::ReportArgs;
use super::roofline_args::RooflineArgs;
use super::view_args::{View, one_of, share};
use crate::analysis::base::{Filter, FilterField, GroupBy};
use crate::analysis::classify::{Kind, ModelModule, Phase};
use crate::analysis::ledger::LedgerQuery;
use clap::builder::TypedValueParser;
use clap::{Parser, Subcommand};

/// Analyses XLA profiles: time, roofline, memory and communication.
///
/// Exit codes: 0 if all input was read, 1 if only a part could be read (notes are on stderr), 2 if the input or the arguments cannot be used.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    /// The report to print.
    #[command(subcommand)]
    pub command: Command,
    /// Shows no progress.
    #[arg(long, global = true)]
    pub quiet: bool,
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
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = group_by_parser())]
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
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = group_by_parser())]
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
    /// Writes a part of the timeline as a smaller capture or as trace JSON for Perfetto, or many captures as tables.
    ///
    /// Exit codes: 0 if all input was read, 1 if a capture was not read or only in part, 2 if the arguments cannot be used or the output cannot be written.
    Export(ExportArgs),
    /// Merges the tables of a day, which `export --parquet` has written, into few large files.
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    Compact(CompactArgs),
    /// What changed between two captures, whether it is real, and a gate for CI.
    ///
    /// Exit codes: 0 if the gate passes or there is none, 1 if only a part of the input was read, 2 if the input or the arguments cannot be used, 3 if the gate fails, 4 if the captures do not tell.
    Compare(CompareArgs),
    /// The completions of a shell, for a file that the shell reads when it starts.
    #[cfg(not(target_arch = "wasm32"))]
    Completions { shell: clap_complete::Shell },
    /// The manual page, in the format of `man`.
    #[cfg(not(target_arch = "wasm32"))]
    Man,
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
    #[arg(long, default_value = FilterField::Leaf.key(), value_parser = filter_field_parser())]
    within: FilterField,
    /// Reads the text of `--filter` as a regular expression.
    #[arg(long)]
    regex: bool,
    /// Selects ops of this kind.
    #[arg(long, value_parser = kind())]
    kind: Option<Kind>,
    /// Selects ops of this module of the model, such as `attention`.
    #[arg(long, value_parser = module())]
    module: Option<ModelModule>,
    /// Selects ops of this phase of a training step.
    #[arg(long, value_parser = phase())]
    phase: Option<Phase>,
    /// Selects ops at or below this scope path.
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    scope: String,
}

impl Only {
    /// Returns the filter that the options describe.
    pub fn filter(&self) -> Filter {
        Filter {
            text: self.filter.clone(),
            within: self.within,
            regex: self.regex,
            kind: self.kind,
            module: self.module,
            phase: self.phase,
            scope: self.scope.clone(),
            ops: Vec::new(),
        }
    }
}

impl Args {
    /// Returns the options that all reports of one session share. `None` for other commands.
    pub const fn view(&self) -> Option<&View> {
        match &self.command {
            Command::Export(_) | Command::Compare(_) => None,
            #[cfg(not(target_arch = "wasm32"))]
            Command::Completions { .. } | Command::Man => None,
            #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
            Command::Compact(_) => None,
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
    #[cfg(not(target_arch = "wasm32"))]
    pub fn output_file(&self) -> Option<&std::path::PathBuf> {
        match &self.command {
            Command::Compare(compare) => compare.out.as_ref(),
            _ => self.view()?.out.as_ref(),
        }
    }
}

fn group_by_parser() -> impl TypedValueParser<Value = GroupBy> {
    one_of(GroupBy::ALL, GroupBy::key)
}

fn filter_field_parser() -> impl TypedValueParser<Value = FilterField> {
    one_of(FilterField::ALL, FilterField::key)
}

fn module() -> impl TypedValueParser<Value = ModelModule> {
    one_of(ModelModule::ALL, ModelModule::key)
}

fn phase() -> impl TypedValueParser<Value = Phase> {
    one_of(Phase::ALL, Phase::key)
}

fn kind() -> impl TypedValueParser<Value = Kind> {
    one_of(Kind::ALL, Kind::key)
}
