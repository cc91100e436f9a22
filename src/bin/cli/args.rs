//! What may be said on the command line.

use super::comm::Links;
use super::memory::Memories;
use super::report::ReportArgs;
use super::roofline_args::Roofs;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use rooflight::analysis::base::{Filter, FilterField, GroupBy, StepChoice};
use rooflight::analysis::classify::Kind;
use std::path::PathBuf;

/// Opens XLA profiles and says where the time goes.
///
/// Exit codes: 0 complete, 1 partial (notes on stderr), 2 unusable input or arguments.
#[derive(Parser)]
#[command(version, about)]
pub struct Args {
    /// Which view.
    #[command(subcommand)]
    pub command: Command,
}

/// The views.
#[derive(Subcommand)]
pub enum Command {
    /// Where the time goes: self time by op, category, kind, phase, layer, scope, source …
    Breakdown {
        /// What rows stand for.
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = by())]
        by: GroupBy,
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        view: View,
    },
    /// Where time goes that computes nothing: data movement and exposed communication, and what each of them changes.
    #[command(alias = "non-compute")]
    DataMovement {
        #[command(flatten)]
        view: View,
    },
    /// How far ops are from what the hardware could do: MFU, bandwidth, the gap to the roof, and what is not covered.
    Roofline {
        /// What rows stand for.
        #[arg(long, default_value = GroupBy::Op.key(), value_parser = by())]
        by: GroupBy,
        #[command(flatten)]
        only: Only,
        #[command(flatten)]
        roofs: Roofs,
        #[command(flatten)]
        view: View,
    },
    /// What fills a device's memory at its peak: by program and memory, buffer by buffer, and what allocators saw.
    Memory {
        #[command(flatten)]
        memory: Memories,
        #[command(flatten)]
        view: View,
    },
    /// What the compute waits for: collectives and copies, in flight, exposed and overlapped, and who comes last.
    Comm {
        #[command(flatten)]
        links: Links,
        #[command(flatten)]
        view: View,
    },
    /// The most important figures of every view.
    Summary {
        #[command(flatten)]
        view: View,
    },
    /// Pass it on: a link, a report file, Markdown, or one page; without any of these, what would leave.
    Report {
        #[command(flatten)]
        report: ReportArgs,
        #[command(flatten)]
        view: View,
    },
    /// What is in the file: planes, lines, events, stats, programs, sizes.
    Inspect {
        #[command(flatten)]
        view: View,
    },
}

/// Which ops take part.
#[derive(clap::Args)]
pub struct Only {
    /// Only ops that have this text, whatever its case; where, `--within` says.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    filter: String,
    /// Where the text is looked for: leaf = the op's name and the last three segments of its scope path.
    #[arg(long, default_value = FilterField::Leaf.key(), value_parser = within())]
    within: FilterField,
    /// The text is a regular expression.
    #[arg(long)]
    regex: bool,
    /// Only ops of this kind.
    #[arg(long, value_parser = kind())]
    kind: Option<Kind>,
    /// Only ops at or below this scope path.
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    scope: String,
}

impl Only {
    /// As the library has it.
    pub fn filter(&self) -> Filter {
        let Self { filter, within, regex, kind, scope } = self;
        Filter { text: filter.clone(), within: *within, regex: *regex, kind: *kind, scope: scope.clone() }
    }
}

/// What every view takes.
#[derive(clap::Args)]
pub struct View {
    /// Captures (.xplane.pb, also .gz or .xz), or folders with captures: several are read as hosts of one session.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The step: its number, `busiest` (the one that takes longest on any device, the first of several as long), or `all` for the whole capture.
    #[arg(long, default_value = "busiest", value_parser = step)]
    pub step: StepChoice,
    /// The device: its number, its name, or `all` for the sum. Default: the first.
    #[arg(long)]
    pub device: Option<String>,
    /// At most so many rows.
    #[arg(long)]
    pub top: Option<usize>,
    /// Write to this file instead of stdout.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// JSON, as docs/CLI.md describes.
    #[arg(long, group = "form")]
    json: bool,
    /// CSV with exact figures.
    #[arg(long, group = "form")]
    csv: bool,
    /// A Markdown table.
    #[arg(long, group = "form")]
    markdown: bool,
}

/// The form of the output.
#[derive(Clone, Copy)]
pub enum Output {
    /// Aligned columns.
    Text,
    /// JSON.
    Json,
    /// CSV.
    Csv,
    /// Markdown.
    Markdown,
}

impl View {
    /// Whether Markdown is asked for.
    pub const fn is_markdown(&self) -> bool {
        self.markdown
    }

    /// Which form is asked for; text by default.
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
    /// What every view takes.
    pub const fn view(&self) -> &View {
        match &self.command {
            Command::Breakdown { view, .. }
            | Command::DataMovement { view }
            | Command::Roofline { view, .. }
            | Command::Memory { view, .. }
            | Command::Comm { view, .. }
            | Command::Report { view, .. }
            | Command::Summary { view }
            | Command::Inspect { view } => view,
        }
    }
}

/// One of a few by its name in the JSON contract.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    key: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    // Only names of the list get this far.
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
    match text {
        "all" => Ok(StepChoice::All),
        "busiest" => Ok(StepChoice::Busiest),
        n => n.parse().map(StepChoice::Number).map_err(|_| "a step is a number, `busiest` or `all`".to_owned()),
    }
}
