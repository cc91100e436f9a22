//! What may be said on the command line.

use clap::{Parser, Subcommand, ValueEnum};
use rooflight::analysis::{GroupBy, StepChoice};
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
    /// Where the time goes: self time by op, category, kind, source or program.
    Breakdown {
        /// What rows stand for.
        #[arg(long, value_enum, default_value_t = By::Op)]
        by: By,
        #[command(flatten)]
        view: View,
    },
    /// The most important figures of every view.
    Summary {
        #[command(flatten)]
        view: View,
    },
    /// What is in the file: planes, lines, events, stats, programs, sizes.
    Inspect {
        #[command(flatten)]
        view: View,
    },
}

/// What every view takes.
#[derive(clap::Args)]
pub struct View {
    /// Captures (.xplane.pb, also .gz), or folders with captures: several are read as hosts of one session.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The step: its number, `busiest`, or `all` for the whole capture.
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
            Command::Breakdown { view, .. } | Command::Summary { view } | Command::Inspect { view } => view,
        }
    }
}

/// Groupings by their names in the JSON contract.
#[derive(Clone, Copy, ValueEnum)]
pub enum By {
    /// Kinds of time.
    Kind,
    /// The compiler's category.
    Category,
    /// One row per (program, op name).
    Op,
    /// One row per program.
    Program,
    /// Source stack, else tf_op, else category.
    Source,
}

impl From<By> for GroupBy {
    fn from(by: By) -> Self {
        match by {
            By::Kind => Self::Kind,
            By::Category => Self::Category,
            By::Op => Self::Op,
            By::Program => Self::Program,
            By::Source => Self::Source,
        }
    }
}

fn step(text: &str) -> Result<StepChoice, String> {
    match text {
        "all" => Ok(StepChoice::All),
        "busiest" => Ok(StepChoice::Busiest),
        n => n.parse().map(StepChoice::Number).map_err(|_| "a step is a number, `busiest` or `all`".to_owned()),
    }
}
