//! This module runs `rooflight report`, which writes a session as a link, a report file, Markdown or one HTML page. It
//! handles arguments and files; the library encodes the report.

use super::caller::Caller;
use super::files;
use super::open_capture::{no_kind, no_step};
use super::shared_form::{BASE, links_base, page_pack, printed_link, unwritten, write_html};
use super::view_args::{Output, View};
use crate::analysis::base::{DeviceChoice, Query, StepChoice};
use crate::analysis::comm::CommQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::url::address::PageAddress;
use crate::protocol::{DeviceInfo, Failure, SessionInfo, ShareQuery};
use crate::session::open::captures_of;
use crate::session::{Input, OpenSession};
use crate::share::{Level, Preview, Report, Table, encode_link, markdown, pack};
use crate::table::text::TextForm;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use xla_profile::profile::NoteCode;
use xla_profile::source::Source;

/// The number of bytes that are copied at once.
const PIECE: usize = 1 << 20;

/// The forms of a report. Without one of them the command prints what would be shared and the length of the link.
#[derive(Args)]
pub struct ReportArgs {
    /// Prints a link that opens the report in the page.
    #[arg(long, group = "out_as")]
    link: bool,
    /// The address of the Rooflight page that links open, also for links made in the page of --html.
    /// Default: the environment variable ROOFLIGHT_BASE.
    #[arg(long, value_name = "URL")]
    base: Option<String>,
    /// Writes a report file.
    #[arg(long, value_name = "FILE", group = "out_as")]
    rooflight: Option<PathBuf>,
    /// Writes one HTML page that opens from disk and contains the report or the capture.
    #[arg(long, value_name = "FILE", group = "out_as")]
    html: Option<PathBuf>,
    /// Includes the captures, with all names, source lines and HLO in them.
    #[arg(long)]
    with_capture: bool,
    /// The folder of the built page, for --html. Default: the environment variable ROOFLIGHT_APP, else `dist` beside the program, in its checkout, or in the current folder.
    #[arg(long, value_name = "DIR")]
    app: Option<PathBuf>,
    /// The level of detail, from 0 to 100. Default: the highest level whose link fits 8,000 characters, and 100 for files and Markdown.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100))]
    level: Option<u8>,
    /// Includes source lines (file names and line numbers).
    #[arg(long)]
    with_sources: bool,
    /// Replaces names by pseudonyms such as op-1 and program-2.
    #[arg(long, conflicts_with_all = ["with_sources", "with_capture"])]
    anonymise: bool,
}

/// Runs `rooflight report`. Returns the output, and whether only a part of the input was read.
///
/// # Errors
/// Returns a [`Failure`] if a file cannot be read or written, or if the arguments do not fit the session.
pub(super) fn run(args: &ReportArgs, view: &View, caller: &Caller<'_>) -> Result<(String, bool), Failure> {
    let warn = caller.warn;
    if matches!(view.output(), Output::Json | Output::Csv) {
        return Err(Failure {
            title: "A report is neither JSON nor CSV".to_owned(),
            message: "It is a link, a file, a page, or --markdown; `rooflight summary` has the figures as JSON."
                .to_owned(),
        });
    }
    let inputs = (caller.inputs)(&view.files)?;
    let (mut engine, mut session) =
        OpenSession::open_chosen(inputs, &view.session(), &mut |progress| (caller.progress)(&progress))?;
    if let Some(by) = &view.steps {
        engine.find_steps(by, &mut session);
    }
    let query = Query { device: device(&session, view)?, step: step(&session, view)?, ..Query::default() };
    let is_file = args.rooflight.is_some() || args.html.is_some();
    let mut request = ShareQuery {
        roofline: RooflineQuery { query: query.clone(), ..RooflineQuery::default() },
        comm: CommQuery { query: query.clone(), ..CommQuery::default() },
        level: args.level.unwrap_or(Level::FULL.position),
        with_sources: args.with_sources,
        anonymise: args.anonymise,
        comparison: None,
    };
    // Only a file holds all rows of a large capture.
    let is_whole = args.level.map_or(is_file, |level| level >= Level::FULL.position);
    let full = engine.report_within(&request, if is_whole { Level::FULL } else { Level::LARGEST_CUT })?;
    drop(engine);
    if args.level.is_none() && !is_file && !view.is_markdown() {
        request.level = request.fits(&full).unwrap_or(Level::SMALL.position);
    }
    let report = request.cut_owned(full);
    if let Some(partial) = &session.partial {
        warn(&format!("partial: {partial}"));
    }
    let text = match (&args.rooflight, &args.html) {
        (Some(path), _) => write_file(path, &report, &captures(args, view, &session)?)?,
        (_, Some(path)) => write_page(path, args, &report, captures(args, view, &session)?)?,
        _ if args.link => made_link(args, &query, &report, warn)?,
        _ if view.is_markdown() => markdown(&report, None),
        _ => preview(&report.preview(), encode_link(&report).len()),
    };
    Ok((text, session.partial.is_some()))
}

fn device(session: &SessionInfo, view: &View) -> Result<DeviceChoice, Failure> {
    // The other commands use the same device if none is named.
    let report = session.usual_query.device;
    let Some(wanted) = view.device.as_deref() else { return Ok(report) };
    if let Some(several) = DeviceChoice::of_several(wanted) {
        return Ok(several);
    }
    let names = |device: &crate::protocol::DeviceInfo| {
        device.label == wanted || device.name == wanted || device.label.rsplit(':').next() == Some(wanted)
    };
    let labels = || session.devices.iter().map(|device| device.label.as_str()).collect::<Vec<_>>().join(", ");
    session.devices.iter().position(names).map(|index| DeviceChoice::One(index as u32)).ok_or_else(|| Failure {
        title: format!("No device {wanted}"),
        message: format!("Devices: {}, mean, all.", labels()),
    })
}

fn step(session: &SessionInfo, view: &View) -> Result<StepChoice, Failure> {
    // A step beyond the listed ones may exist.
    let has_step = |device: &DeviceInfo, n: u64| {
        device.n_steps as usize > device.steps.len() || device.steps.iter().any(|step| step.number == n)
    };
    let has = |n: u64| session.devices.iter().any(|device| has_step(device, n));
    if let Some(wanted) = &view.step_kind {
        let kinds = || session.devices.iter().flat_map(|device| &device.kinds);
        let found = kinds().find(|kind| kind.name == *wanted).map(|kind| StepChoice::Kind(kind.kind));
        return found.ok_or_else(|| no_kind(wanted, &kinds().map(|kind| kind.name.as_str()).collect::<Vec<_>>()));
    }
    match view.step() {
        StepChoice::Number(n) if !has(n) => {
            let of_first = session.devices.first().map_or(&[][..], |device| &device.steps);
            Err(no_step(n, &of_first.iter().map(|step| step.number).collect::<Vec<_>>()))
        }
        step => Ok(step),
    }
}

fn made_link(args: &ReportArgs, query: &Query, shared: &Report, warn: &dyn Fn(&str)) -> Result<String, Failure> {
    let base = links_base(args.base.as_deref())?.ok_or_else(|| Failure {
        title: "A link needs the address of a Rooflight page".to_owned(),
        message: format!(
            "Give it with --base https://…/, or set the environment variable {BASE}. Use an address that you trust: the page \
             that is served there can read everything that the link holds."
        ),
    })?;
    let step = shared.header.step.parse().unwrap_or(query.step);
    let address =
        PageAddress { query: Query { step, ..query.clone() }, report: encode_link(shared), ..PageAddress::default() };
    printed_link(&base, &address, "Use --level for less detail, or --rooflight to write a file.", warn)
}

/// Returns the captures to include, named without their folders. For a report file, these are the captures inside the
/// file. Without `--with-capture`, the list is empty.
fn captures(args: &ReportArgs, view: &View, session: &SessionInfo) -> Result<Vec<Input>, Failure> {
    if !args.with_capture {
        return Ok(Vec::new());
    }
    let named = |input: Input| {
        let name = input.name.rsplit(['/', '\\']).next().unwrap_or(&input.name).to_owned();
        Input { name, ..input }
    };
    let mut captures = captures_of(files::inputs(&view.files)?)?;
    if session.notes.iter().any(|note| note.code == NoteCode::SeveralRuns) {
        // The captures of the other runs are no part of the report.
        let is_of = |file: &str, input: &str| {
            file == input || file.strip_prefix(input).is_some_and(|rest| rest.starts_with('/'))
        };
        captures.retain(|input| session.files.iter().any(|file| is_of(&file.name, &input.name)));
    }
    Ok(captures.into_iter().map(named).collect())
}

fn head(report: &Report, captures: &[Input]) -> Vec<u8> {
    let list: Vec<(String, u64)> = captures.iter().map(|one| (one.name.clone(), one.source.size())).collect();
    pack(report, &list)
}

fn write_file(path: &Path, report: &Report, captures: &[Input]) -> Result<String, Failure> {
    let write = || -> std::io::Result<()> {
        let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
        out.write_all(&head(report, captures))?;
        for capture in captures {
            copy(capture.source.as_ref(), &mut out)?;
        }
        out.flush()
    };
    write().map_err(|error| unwritten(path, &error))?;
    Ok(String::new())
}

/// Copies all bytes of `source`, [`PIECE`] bytes at a time.
fn copy(source: &dyn Source, out: &mut dyn Write) -> std::io::Result<()> {
    let mut offset = 0;
    let mut piece = vec![0; PIECE];
    while offset < source.size() {
        let n = (source.size() - offset).min(PIECE as u64) as usize;
        source.read_at(offset, &mut piece[..n]).map_err(std::io::Error::other)?;
        out.write_all(&piece[..n])?;
        offset += n as u64;
    }
    Ok(())
}

fn write_page(path: &Path, args: &ReportArgs, report: &Report, captures: Vec<Input>) -> Result<String, Failure> {
    // The folder of the page is looked for before captures are read.
    let pack = page_pack(args.app.as_deref())?;
    let mut bytes = head(report, &captures);
    for capture in captures {
        copy(capture.source.as_ref(), &mut bytes).map_err(|error| unwritten(path, &error))?;
    }
    write_html(path, &pack, bytes, links_base(args.base.as_deref())?)
}

/// Writes the preview: the length of the link, the tables, and all texts of the report.
fn preview(preview: &Preview, length: usize) -> String {
    let mut lines =
        vec![format!("The link's report would have {length} characters. What leaves with it:"), String::new()];
    for Table { title, shown, total } in &preview.tables {
        let rest = if shown < total { format!(" of {total}; the others are summed") } else { String::new() };
        lines.push(format!("{title}: {shown}{rest}"));
    }
    for section in &preview.texts {
        lines.extend([String::new(), format!("{} ({})", section.title, section.texts.len())]);
        // The lines of a source stack are in one line, as in tables.
        lines.extend(section.texts.iter().map(|text| format!("  {}", text.replace('\n', " ‹ "))));
    }
    TextForm::Terminal.lines(lines)
}
