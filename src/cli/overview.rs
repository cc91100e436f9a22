//! This module runs `rooflight overview`: it declares the arguments and selects the output. Figures and texts come from
//! the library.

use super::comm::MachineArgs;
use super::flags::FlagArgs;
use super::open_capture::{OpenCapture, heading, notes_as, notes_text};
use super::roofline_args::{PeakArgs, positive};
use super::view_args::{Output, share};
use crate::analysis::base::{Filter, GroupBy, Header, Status};
use crate::analysis::ledger::LedgerQuery;
use crate::analysis::overview::columns::FINDING_ROWS;
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::roofline::{RooflineQuery, UsefulFlops};
use crate::protocol::Failure;
use crate::report::overview::text::TextStyle;
use crate::report::{json, overview};
use crate::session;
use crate::table::csv;
use crate::table::text::TextForm;
use std::io::IsTerminal;

/// Columns of the text if the output is no terminal.
const WIDTH: usize = 100;

/// What the capture does not tell: the machine and the model.
#[derive(clap::Args)]
pub struct OverviewArgs {
    /// The share of the roofline that ops are expected to attain, from 0 to 1. Time beyond it counts as lost.
    #[arg(long, value_name = "X", default_value_t = LedgerQuery::ATTAINABLE, value_parser = share)]
    attainable: f64,
    /// The tokens in one step of the whole job, for MFU from useful FLOPs.
    #[arg(long, value_name = "N", value_parser = positive)]
    tokens: Option<f64>,
    /// The FLOPs per token. Default: 6 × parameters.
    #[arg(long, value_name = "X", value_parser = positive)]
    flops_per_token: Option<f64>,
    /// The parameters of the whole model.
    #[arg(long, value_name = "N", value_parser = positive)]
    parameters: Option<f64>,
    /// The number of devices that share a step. Default: the number that the program is compiled for, else the devices in the capture.
    #[arg(long, value_name = "N")]
    job_devices: Option<u32>,
    #[command(flatten)]
    peaks: PeakArgs,
    #[command(flatten)]
    flags: FlagArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

impl OpenCapture<'_> {
    pub(super) fn overview(&self, args: &OverviewArgs) -> Result<String, Failure> {
        let query = self.query(GroupBy::Op, Filter::default())?;
        let flops_per_token = args.flops_per_token.or_else(|| args.parameters.map(|n| 6.0 * n));
        let useful = args.tokens.zip(flops_per_token).map(|(tokens, flops_per_token)| UsefulFlops {
            batch: tokens,
            sequence: 1.0,
            flops_per_token,
            devices: args.job_devices,
        });
        let roofline = RooflineQuery { query, peaks: args.peaks.choice(), useful, ..RooflineQuery::default() };
        let query = OverviewQuery {
            ledger: LedgerQuery { roofline, attainable: args.attainable },
            machine: args.machine.machine(),
            flags: args.flags.text()?,
        };
        let Some(overview) = self.overview_of(&query) else {
            let kinds = self.query_breakdown(&self.query(GroupBy::Kind, Filter::default())?)?;
            let notes = self.notes(&kinds.notes);
            let verdict = self.analysis.completeness.headline();
            let first_line = |form: TextForm| verdict.as_ref().map_or(String::new(), |text| form.lines([text.clone()]));
            return Ok(match self.view.output() {
                Output::Json => {
                    let files = self.files();
                    let header = Header { status: Status::Absent, ..kinds.header };
                    let head = json::head_of("overview", &files, self.partial, &header, &kinds.totals);
                    (self.json)(&overview::json::absent(head, verdict.as_deref(), &notes))
                }
                Output::Csv => csv::table(FINDING_ROWS, [].iter()).csv(),
                Output::Markdown => first_line(TextForm::Markdown) + &notes_as(TextForm::Markdown, &notes),
                Output::Text => first_line(TextForm::Terminal) + &notes_text(&notes),
            });
        };
        let notes = self.notes(&overview.notes);
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head_of("overview", &files, self.partial, &overview.header, &overview.totals);
                (self.json)(&overview::json::overview(head, &overview, &notes))
            }
            Output::Csv => csv::table(FINDING_ROWS, overview.finding_rows().iter()).csv(),
            Output::Markdown => overview::text::markdown(&overview),
            Output::Text => {
                let is_terminal = std::io::stdout().is_terminal() && self.view.out.is_none();
                let style = TextStyle {
                    width: terminal_width().filter(|_| is_terminal).unwrap_or(WIDTH),
                    is_coloured: is_terminal && std::env::var_os("NO_COLOR").is_none(),
                };
                heading(&overview.header) + &overview::text::text(&overview, style) + &notes_text(&notes)
            }
        })
    }

    /// Derives the overview. `None` if no device has the step.
    pub(super) fn overview_of(&self, query: &OverviewQuery) -> Option<Overview> {
        let (profile, programs) = (&self.opened.profile, &mut self.programs.borrow_mut());
        let files = self.analysis.file_view_without_times(profile, &self.opened.files, self.partial);
        session::overview(self.analysis, profile, programs, &files, query)
    }
}

/// Returns the columns of the terminal. `None` if there is none.
fn terminal_width() -> Option<usize> {
    #[cfg(target_arch = "wasm32")]
    return None;
    #[cfg(not(target_arch = "wasm32"))]
    terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width))
}
