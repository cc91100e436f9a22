//! This module runs `rooflight export --parquet` and `--jsonl`, which write captures as tables, and `rooflight compact`. It
//! handles arguments, listings and messages; the library writes the tables.

use super::files::{inputs, is_input};
use super::view_args::one_of;
#[cfg(feature = "fleet")]
use crate::fleet::compact;
use crate::fleet::{ExportOutcome, FileFormat, FleetExport, Keys, TableName, capture_groups, shard_of};
use crate::protocol::Failure;
use crate::session::Input;
use crate::session::open::sessions_of;
use crate::table::format::counted;
use clap::Args;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// The options of the export of tables.
#[derive(Args)]
pub struct TableArgs {
    /// The tables to write, separated by commas. `captures` is always written.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', value_parser = one_of(TableName::ALL, TableName::key), requires = "tables_form")]
    tables: Vec<TableName>,
    /// What is known of the run: `job`, `commit`, `model`, `batch`, `tokens`, `jax`, `jaxlib`, `libtpu`, or any other name.
    #[arg(long = "key", value_name = "KEY=VALUE", value_parser = key, requires = "tables_form")]
    keys: Vec<(String, String)>,
    /// Replaces names by pseudonyms, and leaves out sources, notes and digests of names.
    #[arg(long, requires = "tables_form")]
    anonymise: bool,
    /// Reads more captures from this file, one on each line; `-` is stdin.
    #[arg(long, value_name = "LIST", requires = "tables_form")]
    from: Option<PathBuf>,
    /// Exports the captures of shard I of N alone, such as `3/8`, counted from 1.
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "tables_form")]
    shard: Option<(u64, u64)>,
    /// Exports captures again that are there already.
    #[arg(long, requires = "tables_form")]
    force: bool,
    /// Adds SHA-256 of all bytes of each capture, which are then read twice.
    #[arg(long, requires = "tables_form")]
    digest: bool,
}

/// The options of `compact`.
#[derive(Args)]
pub struct CompactArgs {
    /// The folder of tables that `export --parquet` has written.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The date whose files are merged, such as 2026-11-20.
    #[arg(long, value_name = "DATE", value_parser = date)]
    date: String,
}

fn key(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("a key is KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/').and_then(|(shard, all)| Some((shard.parse().ok()?, all.parse().ok()?)));
    let is_valid = |(shard, all): &(u64, u64)| *shard >= 1 && shard <= all;
    numbers.filter(is_valid).ok_or_else(|| "a shard is I/N with I from 1 to N, such as 3/8".to_owned())
}

fn date(text: &str) -> Result<String, String> {
    let is_valid = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(index, byte)| if index == 4 || index == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    is_valid.then(|| text.to_owned()).ok_or_else(|| "a date is written as 2026-11-20".to_owned())
}

/// Runs `rooflight export` for tables. Returns a line with the numbers of captures, and whether some were not read or only in part.
///
/// # Errors
/// Returns a [`Failure`] if the folder cannot be read or written.
pub fn run(
    files: &[PathBuf],
    of_tables: &TableArgs,
    (out, format): (&Path, FileFormat),
    warn: &dyn Fn(&str),
) -> Result<(String, bool), Failure> {
    let keys = Keys::new(of_tables.keys.clone())
        .map_err(|message| Failure { title: "The keys cannot be used".to_owned(), message })?;
    let tables = if of_tables.tables.is_empty() { &TableName::ALL[..] } else { &of_tables.tables };
    let listed = listed(of_tables.from.as_deref())?;
    if files.is_empty() && of_tables.from.is_none() {
        let message = "Give captures, or a list of them with --from.".to_owned();
        return Err(Failure { title: "There is nothing to export".to_owned(), message });
    }
    // A folder that is not there yet lies in the first folder above it that is there.
    let folder = out.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    if is_input(files, folder) {
        let message =
            "Tables in a folder of captures would be taken for a part of them. Give another folder.".to_owned();
        return Err(Failure { title: format!("{} is in a folder that is exported", out.display()), message });
    }
    let export = FleetExport::new(out.to_owned(), format, tables, keys).map_err(|error| Failure {
        title: format!("{} could not be read", out.display()),
        message: format!("{error}."),
    })?;
    let export = export.anonymous(of_tables.anonymise).forced(of_tables.force).with_digest(of_tables.digest);
    for sentence in export.damage() {
        warn(&format!(
            "damaged: {sentence}. Captures that only this file lists are exported again. Remove the file, or repair it."
        ));
    }
    let (mut n_written, mut n_skipped, mut n_partial, mut n_failed) = (0_u64, 0, 0, 0);
    for paths in capture_groups(files.iter().cloned().chain(listed)) {
        if of_tables.shard.is_some_and(|(shard, all)| shard_of(&paths, all) != shard - 1) {
            continue;
        }
        for (paths, inputs) in sessions(&paths) {
            match export.export(&paths, inputs)? {
                ExportOutcome::Written => n_written += 1,
                ExportOutcome::Skipped => n_skipped += 1,
                ExportOutcome::Partial => {
                    n_partial += 1;
                    warn(&format!("partial: only a part of {} was read", name(&paths)));
                }
                ExportOutcome::Failed(sentence) => {
                    n_failed += 1;
                    warn(&format!("failed: {}: {sentence}", name(&paths)));
                }
            }
        }
    }
    let mut text = format!("{}: {} written", out.display(), counted(n_written + n_partial, "capture", "captures"));
    for (n, word) in [(n_partial, "of them partial"), (n_skipped, "there already"), (n_failed, "failed")] {
        if n > 0 {
            text += &format!(", {n} {word}");
        }
    }
    Ok((text + "\n", n_partial + n_failed > 0 || !export.damage().is_empty()))
}

/// The files of a session, and the inputs that they are read from.
type SessionFiles = (Vec<PathBuf>, Result<Vec<Input>, Failure>);

/// Returns the files of each session among paths. Files that cannot be opened are one capture, which fails.
fn sessions(paths: &[PathBuf]) -> Vec<SessionFiles> {
    let inputs = match inputs(paths) {
        Ok(inputs) => inputs,
        Err(failure) => return vec![(paths.to_vec(), Err(failure))],
    };
    let mut sessions = sessions_of(inputs);
    if sessions.len() == 1 {
        return sessions.pop().map(|(_, inputs)| (paths.to_vec(), Ok(inputs))).into_iter().collect();
    }
    let paths = |inputs: &[Input]| inputs.iter().map(|input| PathBuf::from(&input.name)).collect();
    sessions.into_iter().map(|(_, inputs)| (paths(&inputs), Ok(inputs))).collect()
}

fn name(paths: &[PathBuf]) -> String {
    let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
    if paths.len() > 1 { format!("{first} and {} more", paths.len() - 1) } else { first }
}

/// Reads a list of paths. Empty lines are ignored.
fn listed(from: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let Some(from) = from else { return Ok(Vec::new()) };
    let unread = |error: std::io::Error| Failure {
        title: format!("The list {} could not be read", from.display()),
        message: format!("{error}."),
    };
    let lines: Box<dyn BufRead> = if from == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::io::BufReader::new(std::fs::File::open(from).map_err(unread)?))
    };
    let lines = lines.lines().collect::<Result<Vec<String>, _>>().map_err(unread)?;
    Ok(lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).map(PathBuf::from).collect())
}

/// Runs `rooflight compact`. Returns a line with the numbers of files.
///
/// # Errors
/// Returns a [`Failure`] if a file cannot be read or written.
#[cfg(feature = "fleet")]
pub fn run_compact(args: &CompactArgs) -> Result<String, Failure> {
    if !args.out.is_dir() {
        let message = "Give the folder that export --parquet has written.".to_owned();
        return Err(Failure { title: format!("{} is no folder", args.out.display()), message });
    }
    let compacted = compact(&args.out, &args.date)?;
    let merged = counted(compacted.n_merged as u64, "file", "files");
    let mut text = format!("{}: {merged} of {} merged into {}", args.out.display(), args.date, compacted.n_parts);
    if compacted.n_orphans > 0 {
        let captures = counted(compacted.n_orphans as u64, "capture", "captures");
        text += &format!(", rows of {captures} without a row in captures removed");
    }
    Ok(text + "\n")
}

/// Fails, because this program was built without Parquet.
#[cfg(not(feature = "fleet"))]
pub fn run_compact(args: &CompactArgs) -> Result<String, Failure> {
    let CompactArgs { out, date } = args;
    let Failure { message, .. } = no_parquet();
    Err(Failure { title: format!("The tables of {date} in {} were not merged", out.display()), message })
}

/// Returns the failure of a program that was built without Parquet.
#[cfg(not(feature = "fleet"))]
pub fn no_parquet() -> Failure {
    Failure {
        title: "No table was written".to_owned(),
        message: "This program was built without Parquet, which --parquet and compact need. Use the program of a release, install it with \
                  `cargo install --path . --features fleet`, which needs a C compiler, or write JSON lines with --jsonl."
            .to_owned(),
    }
}
