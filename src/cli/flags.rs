//! This module runs `rooflight flags`: it declares the arguments and selects the output. Verdicts and texts come from the
//! library.

use super::comm::MachineArgs;
use super::open_capture::{OpenCapture, heading, notes_text};
use super::view_args::Output;
use crate::analysis::base::{Filter, GroupBy};
use crate::analysis::comm::CommQuery;
use crate::analysis::flags::FlagsQuery;
use crate::protocol::Failure;
use crate::report::{flags, json};
use crate::session;
use crate::table::text::TextForm;
use std::path::PathBuf;

/// The largest file of flags that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// The XLA flags of the run.
#[derive(clap::Args)]
pub struct FlagArgs {
    /// The XLA flags of the run, as in `LIBTPU_INIT_ARGS` or `XLA_FLAGS`. A capture does not record them.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "flags_file")]
    flags: Option<String>,
    /// A file with the XLA flags of the run: a script, or `*.flagfile` or `*.debug_options` of an XLA dump.
    #[arg(long, value_name = "FILE")]
    flags_file: Option<PathBuf>,
}

impl FlagArgs {
    /// Returns the text with the flags. `None` if the user gave none.
    pub fn text(&self) -> Result<Option<String>, Failure> {
        let Some(path) = &self.flags_file else { return Ok(self.flags.clone()) };
        let failure = |message: String| Failure { title: format!("{} could not be read", path.display()), message };
        let size = std::fs::metadata(path).map_err(|e| failure(format!("{e}.")))?.len();
        if size > LARGEST {
            return Err(failure("It is too large for a file of flags.".to_owned()));
        }
        std::fs::read_to_string(path).map(Some).map_err(|e| failure(format!("{e}.")))
    }
}

impl OpenCapture<'_> {
    pub(super) fn flags(&self, args: &FlagArgs, machine: &MachineArgs) -> Result<String, Failure> {
        let comm = CommQuery {
            query: self.query(GroupBy::Op, Filter::default())?,
            machine: machine.machine(),
            ..CommQuery::default()
        };
        let query = FlagsQuery { comm, text: args.text()?.unwrap_or_default() };
        let programs = &mut self.programs.borrow_mut();
        let report = session::flags(self.analysis, &self.opened.profile, programs, &query);
        let notes = self.notes(&report.notes);
        Ok(match self.view.output() {
            Output::Json => {
                let files = self.files();
                let head = json::head_of("flags", &files, self.partial, &report.header, &report.totals);
                (self.json)(&flags::json::flags(head, &report, &notes))
            }
            Output::Csv => flags::table::rows(&report).csv(),
            Output::Markdown => {
                let head = TextForm::Markdown.lines([flags::table::head(&report)]);
                format!("{head}\n{}", flags::table::rows(&report).markdown())
            }
            Output::Text => heading(&report.header) + &flags::table::text(&report) + &notes_text(&notes),
        })
    }
}
