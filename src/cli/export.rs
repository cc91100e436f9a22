//! This module runs `rooflight export`, which writes a part of the timeline to files, or captures as tables (see `fleet`). It
//! handles arguments and files; the library writes their contents.

use super::caller::Caller;
use super::files;
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
use super::fleet::{self, TableArgs};
use super::view_args::{session, window};
use crate::analysis::base::{Analysis, TimeRange};
use crate::analysis::timeline::{TimelineIndex, TraceQuery};
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
use crate::fleet::FileFormat;
use crate::protocol::{ExcerptRequest, Failure};
use crate::session::Opened;
use crate::session::capture::timeline_export::{
    excerpt_summary, export_name, export_trace_json, export_xspace, trace_summary, xspaces,
};
use crate::session::open::{SessionChoice, open_session};
use crate::table::text::TextForm;
use clap::Args;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use xla_profile::profile::NoteCode;

/// The options of `export`.
#[derive(Args)]
pub struct ExportArgs {
    /// Captures, archives, or folders of these. Captures whose times overlap are the hosts of one session; of several sessions, the newest is exported. For tables, each FILE is one capture or several, and the files of one folder `plugins/profile/<session>/` are read together.
    #[arg(value_name = "FILE", required_unless_present = "from")]
    files: Vec<PathBuf>,
    /// The session, if the files are of several: the name of its folder, its number (1 is the newest), or `all` to read all files as one session. Tables have all sessions.
    #[cfg_attr(all(feature = "tables", not(target_arch = "wasm32")), arg(long, value_name = "NAME|N|all", value_parser = session, conflicts_with = "tables_form"))]
    #[cfg_attr(not(all(feature = "tables", not(target_arch = "wasm32"))), arg(long, value_name = "NAME|N|all", value_parser = session))]
    session: Option<SessionChoice>,
    /// The part of the timeline between two times, such as `12.5ms..14ms`. The units are s, ms, us, ns and ps; without a unit it is ps. Default: the whole timeline.
    #[arg(long, value_name = "A..B", value_parser = window)]
    window: Option<TimeRange>,
    #[command(flatten)]
    form: Form,
    /// Leaves the programs (HLO) out of the smaller capture.
    #[arg(long, conflicts_with = "trace_json")]
    no_hlo: bool,
    /// The largest number of events in the trace JSON. Of more events, those that start first are written.
    #[arg(long, value_name = "N", conflicts_with = "xspace", default_value_t = TraceQuery::MAX_EVENTS)]
    max_events: u64,
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    #[command(flatten)]
    of_tables: TableArgs,
}

/// The form of the export.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Form {
    /// Writes an XSpace with the events that touch the window. For several captures it is a folder, with one file for each of them.
    #[arg(long, value_name = "OUT")]
    xspace: Option<PathBuf>,
    /// Writes trace JSON for Perfetto, with one thread for each lane and the links between events.
    #[arg(long, value_name = "OUT")]
    trace_json: Option<PathBuf>,
    /// Writes each capture as tables in Parquet, into a folder that DuckDB, Spark and others read: docs/FLEET.md.
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    #[arg(long, value_name = "OUT", group = "tables_form", conflicts_with_all = ["window", "no_hlo", "max_events"])]
    parquet: Option<PathBuf>,
    /// Writes each capture as tables of JSON lines, into a folder: docs/FLEET.md.
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    #[arg(long, value_name = "OUT", group = "tables_form", conflicts_with_all = ["window", "no_hlo", "max_events"])]
    jsonl: Option<PathBuf>,
}

#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
impl Form {
    /// Returns the folder of tables and their format. `None` if no tables are written.
    ///
    /// # Errors
    /// If the tables are Parquet, and this program was built without it.
    fn tables(&self) -> Result<Option<(&Path, FileFormat)>, Failure> {
        #[cfg(feature = "fleet")]
        if let Some(out) = &self.parquet {
            return Ok(Some((out, FileFormat::Parquet)));
        }
        #[cfg(not(feature = "fleet"))]
        if self.parquet.is_some() {
            return Err(fleet::no_parquet());
        }
        Ok(self.jsonl.as_deref().map(|out| (out, FileFormat::JsonLines)))
    }
}

/// Runs `rooflight export`. Returns one line for each file that was written, and whether only a part of the input was read.
///
/// # Errors
/// Returns a [`Failure`] if a file cannot be read or written.
pub(super) fn run(args: &ExportArgs, caller: &Caller<'_>) -> Result<(String, bool), Failure> {
    let warn = caller.warn;
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    if let Some(out) = args.form.tables()? {
        return fleet::run(&args.files, &args.of_tables, out, warn);
    }
    let choice = args.session.clone().unwrap_or_default();
    let opened = open_session((caller.inputs)(&args.files)?, &choice, &mut |progress| (caller.progress)(&progress))?;
    opened.profile.notes.iter().filter(|note| note.code == NoteCode::SeveralRuns).for_each(|note| warn(&note.message));
    let analysis = Analysis::new(&opened.profile);
    let of_events = analysis.partial_notes().map(|note| &note.message);
    let partial: Vec<&String> = opened.partial.iter().chain(of_events).collect();
    partial.iter().for_each(|partial| warn(&format!("partial: {partial}")));
    let is_partial = !partial.is_empty();
    let text = match (&args.form.xspace, &args.form.trace_json) {
        (Some(path), _) => write_xspaces(args, &opened, &analysis, path)?,
        (_, Some(path)) => write_trace(args, &opened, &analysis, path)?,
        (None, None) => String::new(),
    };
    Ok((text, is_partial))
}

fn write_xspaces(args: &ExportArgs, opened: &Opened, analysis: &Analysis, path: &Path) -> Result<String, Failure> {
    let request = ExcerptRequest { range: args.window, with_programs: !args.no_hlo };
    let mut captures: Vec<usize> = xspaces(&opened.open_files).collect();
    if captures.is_empty() {
        // The export of the first file fails, and says why.
        captures.push(0);
    }
    let is_folder = captures.len() > 1 || path.is_dir();
    if captures.len() > 1 {
        std::fs::create_dir_all(path).map_err(|error| unwritten(path, &error))?;
    }
    let mut names = BTreeSet::new();
    let mut lines = Vec::new();
    for file in captures {
        let capture = opened.profile.files.get(file).map_or("", String::as_str);
        let mut out = path.to_owned();
        if is_folder {
            let name = export_name(capture, request.range, ".xplane.pb");
            // Captures of several folders may have the same name.
            let name = if names.contains(&name) { format!("{file}.{name}") } else { name };
            out.push(&name);
            names.insert(name);
        }
        let mut report = Default::default();
        write_file(args, &out, &mut |file_out| {
            report = export_xspace(&opened.profile, analysis, &opened.open_files, file, request, file_out)?;
            Ok(())
        })?;
        lines.push(format!("{}: {}", out.display(), excerpt_summary(&report)));
    }
    Ok(TextForm::Terminal.lines(lines))
}

fn write_trace(args: &ExportArgs, opened: &Opened, analysis: &Analysis, path: &Path) -> Result<String, Failure> {
    let query = TraceQuery { range: args.window, max_events: args.max_events };
    let mut index = TimelineIndex::new(&opened.profile, analysis);
    let mut report = Default::default();
    write_file(args, path, &mut |out| {
        report = export_trace_json(&opened.profile, &mut index, &query, out)?;
        Ok(())
    })?;
    Ok(TextForm::Terminal.lines([format!("{}: {}", path.display(), trace_summary(&report))]))
}

/// Creates a file, and writes it with `write`. If that fails, the file is removed, so that no half of one is mistaken for a
/// whole.
fn write_file(
    args: &ExportArgs,
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if files::is_input(&args.files, path) {
        return Err(Failure {
            title: format!("{} is the capture itself", path.display()),
            message: "The export is made from it, so it cannot be written there. Give another file.".to_owned(),
        });
    }
    let file = File::create(path).map_err(|error| unwritten(path, &error))?;
    let mut out = BufWriter::new(file);
    let written = write(&mut out).and_then(|()| out.flush().map_err(|error| unwritten(path, &error)));
    if written.is_err() {
        // The reason of the failure is reported, and not that the file could not be removed.
        let _ = std::fs::remove_file(path);
    }
    written
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure { title: format!("{} could not be written", path.display()), message: format!("{error}.") }
}
