//! This module handles report files among the files to open. A single report without captures becomes a session of its
//! own. The captures inside a report file are opened in place of the report. A report without captures is skipped if
//! there are other files.

use super::{Input, PlanesRead, SessionChoice, messages};
use crate::protocol::{CaptureRange, Failure};
use crate::share::{EmbeddedSource, Report, ReportFile, ShareError, unpack as unpack_file};
use std::rc::Rc;
use xla_profile::source::Source;
use xla_profile::wire::REPORT_MAGIC;

/// The content of the files to open.
pub(crate) enum Unpacked {
    Captures(Captures),
    /// A report without its capture.
    Report(Box<Report>),
}

/// The captures among the files to open.
#[derive(Default)]
pub(crate) struct Captures {
    /// All files except reports, and the captures inside reports.
    pub(crate) inputs: Vec<Input>,
    /// Position of each capture within the files. Empty if no file is a report.
    pub(crate) capture_ranges: Vec<CaptureRange>,
    /// Failures of the reports that are skipped.
    pub(crate) failures: Vec<Failure>,
    /// The planes of inputs that have been read already. They are not read again.
    pub(crate) planes: PlanesRead,
    /// Which session is opened, if the files are of several runs.
    pub(crate) choice: SessionChoice,
    /// Whether the files are known to be of one run, so that their starts are not read.
    pub(crate) is_one_run: bool,
}

/// Replaces report files by the captures inside them.
///
/// # Errors
/// Returns a [`Failure`] if there is a single file, and it is a report that cannot be read.
pub(crate) fn unpack(inputs: Vec<Input>) -> Result<Unpacked, Failure> {
    let is_report = |input: &Input| {
        let mut head = [0; REPORT_MAGIC.len()];
        input.source.read_at(0, &mut head).is_ok() && head == REPORT_MAGIC
    };
    if !inputs.iter().any(is_report) {
        return Ok(Unpacked::Captures(Captures { inputs, ..Captures::default() }));
    }
    let single = inputs.len() == 1;
    let mut found = Captures::default();
    for (file, input) in inputs.into_iter().enumerate() {
        let range = |name: &str, start, bytes| CaptureRange { name: name.to_owned(), file: file as u32, start, bytes };
        if !is_report(&input) {
            found.capture_ranges.push(range(&input.name, 0, input.source.size()));
            found.inputs.push(input);
            continue;
        }
        let unpacked = unpack_file(input.source.as_ref()).map_err(|error| bad_file(&input.name, &error));
        match unpacked {
            Err(failure) if single => return Err(failure),
            // The other files are still opened.
            Err(failure) => found.failures.push(failure),
            Ok(ReportFile { report, captures: carried }) if carried.is_empty() => {
                if single {
                    return Ok(Unpacked::Report(Box::new(report)));
                }
                found.failures.push(messages::report_beside(short(&input.name)));
            }
            Ok(ReportFile { captures: carried, .. }) => {
                found.capture_ranges.extend(carried.iter().map(|one| range(&one.name, one.start, one.size)));
                let file: Rc<dyn Source> = Rc::from(input.source);
                found.inputs.extend(carried.into_iter().map(|carried| Input {
                    source: Box::new(EmbeddedSource::new(Rc::clone(&file), &carried)),
                    name: carried.name,
                    from_folder: input.from_folder,
                }));
            }
        }
    }
    Ok(Unpacked::Captures(found))
}

/// Returns the captures to open. Report files are replaced by the captures inside them.
///
/// # Errors
/// Returns a [`Failure`] if there is a single file, and it is a report without captures or one that cannot be read.
pub fn captures_of(inputs: Vec<Input>) -> Result<Vec<Input>, Failure> {
    match unpack(inputs)? {
        Unpacked::Captures(found) => Ok(found.inputs),
        Unpacked::Report(_) => Err(Failure {
            title: "The capture is missing".to_owned(),
            message: "The file is a report without its capture.".to_owned(),
        }),
    }
}

fn bad_file(name: &str, error: &ShareError) -> Failure {
    Failure { title: format!("{} could not be read", short(name)), message: error.to_string() }
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
