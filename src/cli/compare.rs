//! This module runs `rooflight compare`: it declares the arguments, opens both sides, and selects the output and the exit code.
//! Figures and texts come from the library.

use super::caller::Caller;
use super::exit_code::Exit;
use super::shared_form::{links_base, page_pack, printed_link, unwritten, write_html};
use super::view_args::one_of;
use crate::analysis::compare::{
    BAND, CompareBy, CompareOptions, Comparison, Gate, GateFigure, GateResult, OpPair, SeriesBase, SeriesOrder,
    SeriesPoint, history_band, series,
};
use crate::protocol::url::address::{PageAddress, View};
use crate::protocol::{Failure, ShareQuery};
use crate::report::compare;
use crate::session::compare::{CompareSide, compare_sessions};
use crate::session::open::sessions_of;
use crate::share::{Level, Report, base_address, encode_link, pack};
use clap::{ArgAction, Args};
use std::path::{Path, PathBuf};

/// The options of `compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// The baseline A: captures, archives, or folders of these, or a report: a file, an HTML page or a link. Captures whose times overlap are the hosts of one session; of several sessions, the newest counts. Without `--`, the second one is the experiment B. Of one folder alone, the two newest sessions are compared: the older one is A.
    #[arg(required = true, value_name = "A")]
    a: Vec<PathBuf>,
    /// The experiment B, after `--`.
    #[arg(last = true, value_name = "B")]
    b: Vec<PathBuf>,
    /// Fails with exit code 3 if B exceeds A by more than this share, such as `3%`.
    #[arg(long, value_name = "X%", value_parser = percent)]
    fail_over: Option<f64>,
    /// What `--fail-over` compares.
    #[arg(long, default_value = GateFigure::Period.key(), value_parser = one_of(GateFigure::ALL, GateFigure::key), requires = "fail_over")]
    on: GateFigure,
    /// Fails with exit code 3 if an op is slower by more than this share of the time of A, such as `1%`.
    #[arg(long, value_name = "X%", value_parser = percent)]
    rows_over: Option<f64>,
    /// Differences below this share of A are noise between captures.
    #[arg(long, value_name = "X%", default_value_t = BAND, value_parser = percent)]
    band: f64,
    /// Earlier captures of the same program, at least 8, whose differences give the band in place of `--band`: captures, folders with the hosts of one, or reports.
    #[arg(long, value_name = "CAPTURE", num_args = 1.., conflicts_with_all = ["series", "band"])]
    history: Vec<PathBuf>,
    /// Pairs two ops by hand, in place of the pairs that were found: an op of A, `=`, and an op of B. Each is a name, or a name and the id of its program, such as `fusion.3@12`. Can be repeated.
    #[arg(long, value_name = "OP_A=OP_B", value_parser = pair, conflicts_with = "series")]
    pair: Vec<OpPair>,
    /// Whether `--fail-over` and `--rows-over` fail, with exit code 4, if the captures do not tell.
    #[arg(long, action = ArgAction::Set, default_value = "fail", value_parser = one_of([false, true], inconclusive))]
    inconclusive: bool,
    /// Compares many captures in a row, such as those of every night: each argument is one of them. Lists lasting changes of figures.
    #[arg(long, conflicts_with_all = ["b", "fail_over", "rows_over", "markdown"])]
    series: bool,
    /// The order of `--series`: by the time at which the profiles were started, or by name.
    #[arg(long, default_value = SeriesOrder::Time.key(), value_parser = one_of(SeriesOrder::ALL, SeriesOrder::key), requires = "series")]
    order: SeriesOrder,
    /// The capture with which `--series` compares all others: its number in the series, `first` or `median`.
    #[arg(long, value_name = "N|first|median", default_value = "first", value_parser = base, requires = "series")]
    base: SeriesBase,
    /// Groups the ops: the text lists groups, and JSON has them in addition.
    #[arg(long, default_value = CompareBy::Op.key(), value_parser = one_of(CompareBy::ALL, CompareBy::key), conflicts_with_all = ["series", "markdown"])]
    by: CompareBy,
    /// Leaves out source lines (file names and line numbers).
    #[arg(long, conflicts_with = "series")]
    without_sources: bool,
    /// Prints at most this many ops or groups.
    #[arg(long)]
    top: Option<usize>,
    /// Writes to this file instead of stdout.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Prints JSON; docs/CLI.md describes its fields.
    #[arg(long, group = "form")]
    json: bool,
    /// Prints Markdown of at most 60 lines, for a pull request.
    #[arg(long, group = "form")]
    markdown: bool,
    /// Prints a link that opens the comparison in the Rooflight page at this address. Everyone who has the link has the comparison.
    #[arg(long, value_name = "URL", groups = ["form", "shared"], conflicts_with_all = ["series", "by", "top"])]
    link: Option<String>,
    /// Writes the comparison as a report file, which opens in the page and in this command.
    #[arg(long, value_name = "FILE", groups = ["form", "shared"], conflicts_with_all = ["series", "by", "top"])]
    rooflight: Option<PathBuf>,
    /// Writes one HTML page that opens from disk and contains the comparison.
    #[arg(long, value_name = "FILE", groups = ["form", "shared"], conflicts_with_all = ["series", "by", "top"])]
    html: Option<PathBuf>,
    /// The folder of the built page, for --html. Default: the environment variable ROOFLIGHT_APP, else `dist` beside the program, in its checkout, or in the current folder.
    #[arg(long, value_name = "DIR", requires = "html")]
    app: Option<PathBuf>,
    /// The level of detail of a link or a file, from 0 to 100. Default: the highest level whose link fits 8,000 characters, and 100 for files.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=100), requires = "shared")]
    level: Option<u8>,
    /// Replaces names in a link or a file by pseudonyms such as op-1 and program-2.
    #[arg(long, requires = "shared")]
    anonymise: bool,
}

/// Ops that the text lists without `--top`.
const ROWS: usize = 20;

const fn inconclusive(passes: bool) -> &'static str {
    if passes { "pass" } else { "fail" }
}

/// Reads a share: `3%` or `0.03`.
fn percent(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 0.01));
    let share = digits.trim().parse().ok().map(|value: f64| value * scale);
    share.filter(|share| share.is_finite() && *share >= 0.0).ok_or_else(|| "a share, such as 3% or 0.03".to_owned())
}

/// Reads a pair of ops. The name of the op of A may hold `=`.
fn pair(text: &str) -> Result<OpPair, String> {
    let (a, b) = text.rsplit_once('=').ok_or("an op of A, `=`, and an op of B: `fusion.3=fusion.4`")?;
    Ok(OpPair { a: a.trim().to_owned(), b: b.trim().to_owned() })
}

fn base(text: &str) -> Result<SeriesBase, String> {
    match text {
        "first" => Ok(SeriesBase::First),
        "median" => Ok(SeriesBase::Median),
        number => {
            let number = number.parse().ok().filter(|number| *number > 0).map(SeriesBase::Number);
            number.ok_or_else(|| "a number from 1, first or median".to_owned())
        }
    }
}

/// Opens one capture of many.
fn open_at(path: &PathBuf, caller: &Caller<'_>) -> Result<CompareSide, Failure> {
    side(std::slice::from_ref(path), caller, &path.display().to_string())
}

/// Returns what a series needs of one capture. A report has the name of its file: those of its captures are often the same every night.
fn point(path: &PathBuf, caller: &Caller<'_>) -> Result<SeriesPoint, Failure> {
    let mut point = open_at(path, caller)?.series_point()?;
    let name = path.file_name().filter(|_| point.head.report_level.is_some() && !is_link(path));
    point.head.files = name.map_or(point.head.files, |name| vec![name.to_string_lossy().into_owned()]);
    Ok(point)
}

/// Runs `rooflight compare --series`. The captures are opened one after the other, and those around a change point once more.
fn run_series(args: &CompareArgs, caller: &Caller<'_>) -> Result<(String, Exit), Failure> {
    let points = args.a.iter().map(|path| point(path, caller)).collect::<Result<Vec<SeriesPoint>, Failure>>()?;
    let found = series(points, args.order, args.base, args.band);
    let none = || Failure {
        title: "There is no such base".to_owned(),
        message: "--base is the number of a capture in the series, first or median.".to_owned(),
    };
    let found = found.ok_or_else(none)?;
    let options = CompareOptions { band: args.band, ..CompareOptions::default() };
    let mut compared = Vec::new();
    for change in found.figures.iter().filter(|figure| figure.name == "period").flat_map(|figure| &figure.changes) {
        let open_capture = |index: u32| open_at(&args.a[found.captures[index as usize].position as usize], caller);
        let (mut a, mut b) = (open_capture(change.first_after - 1)?, open_capture(change.first_after)?);
        compared.push(compare_sessions(&mut a, &mut b, &options)?);
    }
    let is_partial = found.captures.iter().any(|capture| capture.head.is_partial);
    if is_partial {
        (caller.warn)("partial: only a part of a capture was read, so its times may be too small");
    }
    let text = if args.json {
        (caller.json)(&compare::series::series_json(&found, &compared, args.top.unwrap_or(usize::MAX)))
    } else {
        compare::series::text(&found, &compared)
    };
    Ok((text, Exit::of_reading(is_partial)))
}

/// Returns the band of noise that the captures of `--history` show.
fn band_of_history(paths: &[PathBuf], caller: &Caller<'_>) -> Result<f64, Failure> {
    let points = paths.iter().map(|path| point(path, caller)).collect::<Result<Vec<SeriesPoint>, Failure>>()?;
    history_band(points).ok_or_else(|| Failure {
        title: "The history gives no band".to_owned(),
        message: "--history needs at least 8 captures that have steps, of the same devices and with the same work."
            .to_owned(),
    })
}

/// Runs `rooflight compare`. Returns the output, and how the command ended.
///
/// # Errors
/// Returns a [`Failure`] if a side cannot be read, or if it has no device to compare.
pub(super) fn run(args: &CompareArgs, caller: &Caller<'_>) -> Result<(String, Exit), Failure> {
    if args.series {
        return run_series(args, caller);
    }
    if args.by == CompareBy::Source && args.without_sources {
        return Err(Failure {
            title: "The sources are left out".to_owned(),
            message: "--by source needs the sources that --without-sources leaves out.".to_owned(),
        });
    }
    if let ([one], []) = (&args.a[..], &args.b[..])
        && let Some(compared) = compare_one(one, args, caller)?
    {
        return finish(args, compared, caller);
    }
    let (a, b) = match (&args.a[..], &args.b[..]) {
        ([a, b], []) => (vec![a.clone()], vec![b.clone()]),
        (_, []) => {
            let message =
                "Two captures are compared: `compare A B`, or `compare A… -- B…` for several files. Of one folder, it needs two sessions.".to_owned();
            return Err(Failure { title: "There is no experiment".to_owned(), message });
        }
        (a, b) => (a.to_vec(), b.to_vec()),
    };
    let (mut a, mut b) = (side(&a, caller, "A")?, side(&b, caller, "B")?);
    finish(args, compare_sessions(&mut a, &mut b, &options(args, caller)?)?, caller)
}

fn options(args: &CompareArgs, caller: &Caller<'_>) -> Result<CompareOptions, Failure> {
    let band = if args.history.is_empty() { args.band } else { band_of_history(&args.history, caller)? };
    Ok(CompareOptions { band, pairs: args.pair.clone() })
}

/// Returns the comparison that one argument holds: one that was shared, or that of the two newest sessions of a folder, of which the
/// older one is the baseline. `None` if it holds neither.
fn compare_one(path: &PathBuf, args: &CompareArgs, caller: &Caller<'_>) -> Result<Option<Comparison>, Failure> {
    if is_link(path) {
        return Ok(side(std::slice::from_ref(path), caller, "A")?.received());
    }
    let mut sessions = sessions_of((caller.inputs)(std::slice::from_ref(path))?);
    let n = sessions.len();
    let open = |inputs, name: &str| CompareSide::open(inputs, name, &mut |progress| (caller.progress)(&progress));
    match (sessions.pop(), sessions.pop()) {
        (Some((name_b, b)), Some((name_a, a))) => {
            if n > 2 {
                (caller.warn)(&format!("{n} runs were found: the two newest are compared, {name_a} with {name_b}"));
            }
            let (mut a, mut b) = (open(a, &name_a)?, open(b, &name_b)?);
            compare_sessions(&mut a, &mut b, &options(args, caller)?).map(Some)
        }
        (Some((_, inputs)), None) => Ok(open(inputs, "A")?.received()),
        _ => Ok(None),
    }
}

/// Writes a comparison in the form of the options. Returns the output, and how the command ended.
fn finish(args: &CompareArgs, compared: Comparison, caller: &Caller<'_>) -> Result<(String, Exit), Failure> {
    let compared = if args.without_sources { compared.without_sources() } else { compared };
    let gate = Gate { on: args.on, limit: args.fail_over, rows_over: args.rows_over };
    let gate = (gate.limit.is_some() || gate.rows_over.is_some()).then_some(gate);
    let is_partial = compared.a.is_partial || compared.b.is_partial;
    if is_partial {
        (caller.warn)("partial: only a part of a side was read, so its times may be too small");
    }
    let text = if args.json {
        (caller.json)(&compare::json::compare(&compared, args.by, gate.as_ref(), args.top.unwrap_or(usize::MAX)))
    } else if args.markdown {
        compare::text::markdown(&compared, gate.as_ref())
    } else if let Some(base) = &args.link {
        link(base, args, &compared, caller.warn)?
    } else if let Some(path) = &args.rooflight {
        let bytes = report_file(args, &compared);
        std::fs::write(path, bytes).map_err(|error| unwritten(path, &error))?;
        String::new()
    } else if let Some(path) = &args.html {
        write_html(path, &page_pack(args.app.as_deref())?, report_file(args, &compared), links_base(None)?)?
    } else {
        compare::text::text(&compared, args.by, gate.as_ref(), args.top.unwrap_or(ROWS))
    };
    let exit = match gate.map(|gate| gate.evaluate(&compared)) {
        Some(GateResult::Failed) => Exit::GateFailed,
        Some(GateResult::Inconclusive) if !args.inconclusive => Exit::GateInconclusive,
        _ => Exit::of_reading(is_partial || compared.has_limited_time()),
    };
    Ok((text, exit))
}

/// Returns the query of a shared comparison, at full detail unless the arguments give a level.
fn share_query(args: &CompareArgs) -> ShareQuery {
    ShareQuery {
        level: args.level.unwrap_or(Level::FULL.position),
        with_sources: !args.without_sources,
        anonymise: args.anonymise,
        ..ShareQuery::default()
    }
}

/// Returns the bytes of the report file of a comparison.
fn report_file(args: &CompareArgs, compared: &Comparison) -> Vec<u8> {
    pack(&share_query(args).cut_owned(Report::of_comparison(compared.clone())), &[])
}

/// Returns the link of a comparison, at the highest level of detail that fits unless the arguments give one, and warns if it is
/// long.
fn link(base: &str, args: &CompareArgs, compared: &Comparison, warn: &dyn Fn(&str)) -> Result<String, Failure> {
    let base = base_address(base).ok_or_else(|| Failure {
        title: format!("{base} is not the address of a page"),
        message: "An address starts with https:// or http:// and has a host: https://example.com/rooflight/."
            .to_owned(),
    })?;
    let full = Report::of_comparison(compared.clone());
    let query = share_query(args);
    let level = args.level.unwrap_or_else(|| query.fits(&full).unwrap_or(Level::SMALL.position));
    let report = encode_link(&ShareQuery { level, ..query }.cut(&full));
    let address = PageAddress { view: View::Compare, report, ..PageAddress::default() };
    printed_link(base, &address, "Use --level for less detail, or --rooflight or --html to write a file.", warn)
}

fn side(paths: &[PathBuf], caller: &Caller<'_>, name: &str) -> Result<CompareSide, Failure> {
    let side = match paths {
        [path] if is_link(path) => CompareSide::open_link(&path.to_string_lossy()),
        _ => CompareSide::open((caller.inputs)(paths)?, name, &mut |progress| (caller.progress)(&progress)),
    }?;
    if let Some(sentence) = side.several_runs() {
        (caller.warn)(&format!("{name}: {sentence}"));
    }
    Ok(side)
}

/// Returns whether an argument is an address with a report, and not a path.
fn is_link(path: &Path) -> bool {
    let text = path.to_string_lossy();
    ["https://", "http://", "file://", "#"].iter().any(|start| text.starts_with(start)) && text.contains('#')
}
