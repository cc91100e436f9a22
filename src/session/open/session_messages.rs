//! This module writes the messages about the sessions among files: which run is shown, which files are of it, and which are left out.

use super::run::Run;
use crate::protocol::Failure;
use crate::table::date::{date, date_and_time};
use crate::table::format::counted;
use xla_profile::profile::{Note, NoteCode, Severity};

/// Largest number of runs that a message names.
const MAX_NAMED: usize = 8;

/// Returns the note that files are of several runs, of which `chosen` is shown. `runs` are the newest first.
pub(crate) fn several_runs(runs: &[Run], chosen: usize) -> Note {
    let shown = if chosen == 0 {
        "The newest is shown.".to_owned()
    } else {
        format!("Number {} is shown, as asked.", chosen + 1)
    };
    let (a, b) = match chosen {
        0 => (runs.get(1), runs.first()),
        _ => (runs.get(chosen), runs.first()),
    };
    let compared = match (a, b) {
        (Some(a), Some(b)) => format!(" Compare them: `rooflight compare {}`.", sides(a, b)),
        _ => String::new(),
    };
    let message = format!("{} runs were found: {}. {shown}{compared}", runs.len(), listed(runs));
    Note::new(Severity::Info, NoteCode::SeveralRuns, message)
}

/// Returns the note that files are of several runs, which are listed. `runs` are the newest first.
pub(crate) fn runs_listed(runs: &[Run]) -> Note {
    let message =
        format!("{} runs were found: {}. Open one of them, or choose two to compare.", runs.len(), listed(runs));
    Note::new(Severity::Info, NoteCode::SeveralRuns, message)
}

/// Returns the note that the files of several runs are read as one session.
pub(crate) fn runs_joined(n: usize) -> Note {
    let message = format!(
        "The files of {n} runs are read as one session, as asked: figures that compare devices compare runs as well. \
         Without --session all, the newest is shown."
    );
    Note::new(Severity::Caution, NoteCode::SeveralRuns, message)
}

/// Returns the note that a trace JSON is of another run than the XSpace of the same name.
pub(crate) fn json_of_other_run(json: &str, space: &str) -> Note {
    let message = format!(
        "2 runs were found: {} is not of the same run as {}, although it has the same name. The XSpace is shown. Compare them: \
         `rooflight compare {} {}`.",
        short(json),
        short(space),
        quoted(json),
        quoted(space)
    );
    Note::new(Severity::Info, NoteCode::SeveralRuns, message)
}

/// Returns the note that the files of a run lie in several folders. `None` if they lie in one.
pub(crate) fn folders_joined(run: &Run) -> Option<Note> {
    let folders = run.folders();
    let names: Vec<&str> = folders.iter().map(|folder| short(folder)).take(MAX_NAMED).collect();
    let rest = if folders.len() > MAX_NAMED { ", …" } else { "" };
    let message = format!(
        "The files of this run lie in {} folders ({}{rest}), and are its hosts: their times overlap.",
        folders.len(),
        names.join(", ")
    );
    (folders.len() > 1).then(|| Note::new(Severity::Info, NoteCode::FoldersJoined, message))
}

/// Returns the note that a file is skipped, because it is a copy of another one.
pub(crate) fn duplicate_file(name: &str, text: &str) -> Note {
    let message = format!("{name}: skipped, because it is the same capture as {text}. A capture counts once.");
    Note::new(Severity::Info, NoteCode::DuplicateFile, message)
}

/// Returns the failure for a name that no session has.
pub(crate) fn no_session(name: &str, runs: &[Run]) -> Failure {
    let message = match runs {
        [] => "The files are of one run.".to_owned(),
        _ => format!("Sessions: {}. Give the number of one, its folder, or `all`.", numbered(runs)),
    };
    Failure { title: format!("No session {name}"), message }
}

/// Returns runs as text, the oldest first: `2026-11-01 10:00:00 (1 host), 12:00:00 (1 host)`.
fn listed(runs: &[Run]) -> String {
    let mut last = None;
    let mut parts: Vec<String> = Vec::new();
    for run in runs.iter().take(MAX_NAMED).rev() {
        let when = match run.time_ns {
            None => run.name.clone(),
            Some(ns) => {
                let (day, text) = (date(ns), date_and_time(ns));
                let is_same_day = last.replace(day) == Some(day);
                text.split_once(' ').filter(|_| is_same_day).map_or(text.clone(), |(_, time)| time.to_owned())
            }
        };
        parts.push(format!("{when} ({})", counted(run.n_hosts.into(), "host", "hosts")));
    }
    let before = if runs.len() > MAX_NAMED { "…, " } else { "" };
    format!("{before}{}", parts.join(", "))
}

/// Returns runs as text with their numbers, the newest first: `1 is 2026-11-01 12:00:00 (1 host)`.
fn numbered(runs: &[Run]) -> String {
    let numbered = |(index, run): (usize, &Run)| {
        let when = run.time_ns.map_or_else(|| run.name.clone(), date_and_time);
        format!("{} is {when} ({})", index + 1, counted(run.n_hosts.into(), "host", "hosts"))
    };
    let rest = if runs.len() > MAX_NAMED { ", …" } else { "" };
    runs.iter().take(MAX_NAMED).enumerate().map(numbered).collect::<Vec<_>>().join(", ") + rest
}

/// Returns two runs as arguments of `compare`: their folders, or their files if a folder holds both.
fn sides(a: &Run, b: &Run) -> String {
    let (folders_a, folders_b) = (a.folders(), b.folders());
    let is_apart = folders_a.is_disjoint(&folders_b) && !folders_a.contains("") && !folders_b.contains("");
    let side = |run: &Run| -> Vec<String> {
        if is_apart {
            run.folders().into_iter().map(quoted).collect()
        } else {
            run.paths.iter().map(|path| quoted(path)).collect()
        }
    };
    let (a, b) = (side(a), side(b));
    let between = if a.len() == 1 && b.len() == 1 { " " } else { " -- " };
    format!("{}{between}{}", a.join(" "), b.join(" "))
}

/// Returns a path as an argument of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The stages of a module in a dump.
pub(crate) struct StagesOfModule<'a> {
    /// Its number and name, such as `module_0000.jit_f`.
    pub(crate) module: &'a str,
    /// The stage that is read.
    pub(crate) stage: &'a str,
    /// Whether the stage that is read has a buffer assignment.
    pub(crate) has_buffers: bool,
    pub(crate) others: Vec<&'a str>,
}

/// Returns the note about the stages of modules that are not read. `None` if there are none.
pub(crate) fn other_stages(modules: &[StagesOfModule<'_>]) -> Option<Note> {
    let sentence = |module_stages: &StagesOfModule<'_>| {
        let why =
            if module_stages.has_buffers { "which has the buffer assignment" } else { "the last stage that is there" };
        let named: Vec<&str> = module_stages.others.iter().copied().take(MAX_NAMED).collect();
        let rest = if module_stages.others.len() > MAX_NAMED { ", …" } else { "" };
        let n = counted(module_stages.others.len() as u64, "other stage is", "other stages are");
        format!(
            "{}: {} is read, {why}. {n} left out: {}{rest}.",
            module_stages.module,
            module_stages.stage,
            named.join(", ")
        )
    };
    let shown: Vec<String> = modules.iter().take(3).map(sentence).collect();
    let more = modules.len().saturating_sub(3);
    let more = if more > 0 {
        format!(" The same holds for {}.", counted(more as u64, "more module", "more modules"))
    } else {
        String::new()
    };
    let message = format!("{}{more} Open a file alone to see its stage.", shown.join(" "));
    (!modules.is_empty()).then(|| Note::new(Severity::Info, NoteCode::OtherStages, message))
}

/// Returns the last part of a path.
fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
