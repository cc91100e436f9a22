//! This module exports a range of the timeline: as a smaller capture of each XSpace, and as trace JSON. A smaller capture is
//! made from the bytes of the opened file, which are read again.

use crate::analysis::base::{Analysis, TimeRange};
use crate::analysis::timeline::{TimelineIndex, TraceQuery, TraceReport};
use crate::protocol::{ExcerptRequest, ExportedFile, Failure};
use crate::report::timeline;
use crate::session::open::detect::MAX_INFLATED;
use crate::session::programs::OpenFile;
use crate::table::format;
use crate::table::text::file_name_text;
use std::io::Write;
use xla_profile::excerpt::{ExcerptError, ExcerptQuery, ExcerptReport, write_excerpt};
use xla_profile::profile::{Profile, Severity};

/// Writes the excerpt of one file of a session: its events that touch the range. `file` is the index of the file in
/// [`Profile::files`].
///
/// # Errors
/// Returns a [`Failure`] if the file is not an XSpace, if it cannot be read again, if it has changed, or if `out` cannot be
/// written.
pub fn export_xspace(
    profile: &Profile,
    analysis: &Analysis,
    files: &[OpenFile],
    file: usize,
    request: ExcerptRequest,
    out: &mut dyn Write,
) -> Result<ExcerptReport, Failure> {
    let name = file_name(profile, file);
    let open_file = files.get(file);
    let Some((open_file, skipped_planes)) = open_file.and_then(|file| Some((file, file.skipped_planes()?))) else {
        return Err(not_an_xspace(name));
    };
    let query = ExcerptQuery {
        range: request.range.map(|range| analysis.axis.epoch_range(range)),
        without_programs: !request.with_programs,
        without_planes: skipped_planes.to_vec(),
        warning: warning(name, request, profile),
    };
    let report = open_file.with_content(MAX_INFLATED, |source| write_excerpt(source, &query, out));
    let report = report.map_err(|error| match error {
        ExcerptError::Read(error) => changed(name, &format!("{error}")),
        ExcerptError::Write(error) => unwritten(&error),
    })?;
    // Of a damaged capture, parts are left out in several ways, so that the numbers may differ.
    let is_whole =
        profile.notes.iter().all(|note| note.severity != Severity::Partial) && analysis.beyond_sums().is_none();
    let planes = profile.planes.iter().filter(|plane| plane.file == file);
    let n_events: u64 = planes.map(|plane| plane.n_events() as u64).sum();
    if is_whole && (report.is_damaged || report.n_source_events != n_events) {
        return Err(changed(name, "it holds other events than when it was opened"));
    }
    Ok(report)
}

/// Returns the excerpts of all XSpace files of a session.
///
/// # Errors
/// Returns a [`Failure`] if the session has no XSpace, or if a file cannot be read again.
pub(super) fn export_xspaces(
    profile: &Profile,
    analysis: &Analysis,
    files: &[OpenFile],
    request: ExcerptRequest,
) -> Result<Vec<ExportedFile>, Failure> {
    let mut exported = Vec::new();
    for file in xspaces(files) {
        let mut bytes = Vec::new();
        let report = export_xspace(profile, analysis, files, file, request, &mut bytes)?;
        let name = export_name(file_name(profile, file), request.range, ".xplane.pb");
        exported.push(ExportedFile { name, bytes, summary: excerpt_summary(&report) });
    }
    if exported.is_empty() { Err(not_an_xspace(file_name(profile, 0))) } else { Ok(exported) }
}

/// Iterates over the indices of the files that are XSpaces.
pub fn xspaces(files: &[OpenFile]) -> impl Iterator<Item = usize> {
    files.iter().enumerate().filter(|(_, file)| file.skipped_planes().is_some()).map(|(index, _)| index)
}

/// Writes the events that touch a range, of all files of a session, as trace JSON.
///
/// # Errors
/// Returns a [`Failure`] if `out` cannot be written.
pub fn export_trace_json(
    profile: &Profile,
    index: &mut TimelineIndex,
    query: &TraceQuery,
    out: &mut dyn Write,
) -> Result<TraceReport, Failure> {
    timeline::trace_json::write(index, profile, query, out).map_err(|error| unwritten(&error))
}

/// Returns the trace JSON of a range.
///
/// # Errors
/// Returns a [`Failure`] if the trace does not fit the memory.
pub(super) fn export_trace(
    profile: &Profile,
    index: &mut TimelineIndex,
    query: &TraceQuery,
) -> Result<ExportedFile, Failure> {
    let mut bytes = Vec::new();
    let report = export_trace_json(profile, index, query, &mut bytes)?;
    let name = export_name(file_name(profile, 0), query.range, ".trace.json");
    Ok(ExportedFile { name, bytes, summary: trace_summary(&report) })
}

/// Returns a sentence about an excerpt, such as "1,204 of 26,723 events, 1.2 MiB.".
pub fn excerpt_summary(report: &ExcerptReport) -> String {
    format!(
        "{} of {}, {}.",
        format::count(report.n_events),
        format::counted(report.n_source_events, "event", "events"),
        format::bytes_text(report.bytes)
    )
}

/// Returns the sentences about a trace: its numbers of events and links, and what is left out.
pub fn trace_summary(report: &TraceReport) -> String {
    let events = format::counted(report.n_events, "event", "events");
    let links = format::counted(report.n_flows, "link", "links");
    let left_out = timeline::trace_json::left_out(report).map_or_else(String::new, |sentence| format!(" {sentence}"));
    format!("{events}, {links}.{left_out}")
}

/// Returns the name of an exported file: the name of the capture without folders and endings, the range, and an ending.
pub fn export_name(capture: &str, range: Option<TimeRange>, ending: &str) -> String {
    let mut stem = capture.rsplit(['/', '\\']).next().unwrap_or(capture);
    for packed in [".gz", ".xz"] {
        stem = stem.strip_suffix(packed).unwrap_or(stem);
    }
    for format in [".xplane.pb", ".trace.json", ".pb", ".json"] {
        stem = stem.strip_suffix(format).unwrap_or(stem);
    }
    let time = |time| format::lossless_time(time).replace(' ', "").replace('µ', "u");
    let range = range.map_or_else(String::new, |range| format!(".{}-{}", time(range.start), time(range.end)));
    format!("{}{range}{ending}", file_name_text(stem))
}

/// Returns the warning inside an excerpt. It says what was cut and what could not be read, so that the excerpt is not mistaken for
/// a whole capture.
fn warning(name: &str, request: ExcerptRequest, profile: &Profile) -> String {
    let damage = timeline::trace_json::damage(profile).map_or_else(String::new, |damage| format!(". {damage}"));
    let programs = if request.with_programs { "" } else { ", without programs" };
    match request.range {
        Some(TimeRange { start, end }) => {
            let [start, end] = [start, end].map(format::lossless_time);
            format!("cut to {start} to {end} of {name}{programs} by Rooflight{damage}")
        }
        None => format!("copied from {name}{programs} by Rooflight{damage}"),
    }
}

/// Returns the name of a file of the session without its folders.
fn file_name(profile: &Profile, file: usize) -> &str {
    let name = profile.files.get(file).map_or("The session", String::as_str);
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn not_an_xspace(name: &str) -> Failure {
    Failure {
        title: format!("{name} is not an XSpace"),
        message: "Only an XSpace (.xplane.pb) can be cut to a smaller capture. Export trace JSON instead, or open the \
                  session’s .xplane.pb."
            .to_owned(),
    }
}

fn changed(name: &str, reason: &str) -> Failure {
    Failure {
        title: format!("{name} could not be read again"),
        message: format!(
            "The smaller capture is made from the file itself, and the file was changed, moved or deleted after it was opened: \
             {reason}. Open it again."
        ),
    }
}

fn unwritten(error: &std::io::Error) -> Failure {
    Failure { title: "The export could not be written".to_owned(), message: format!("{error}.") }
}
