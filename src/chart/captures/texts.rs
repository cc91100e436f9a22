//! This module holds the texts of a list of captures.

use crate::analysis::captures::{CaptureFigure, CaptureRow, CapturesView, SeriesChange};
use crate::protocol::Failure;
use crate::report::overview::text::number;
use crate::table::date::{date, hour_and_minute, month_and_day};
use crate::table::format::{bytes_text, counted, signed_percent, signed_time_text, time_text};
use xla_profile::units::Picos;

/// Returns the name of a list of captures: the folder that holds all of their files, and their number.
pub fn folder_name(paths: &[String], n_captures: usize) -> String {
    let n = counted(n_captures as u64, "capture", "captures");
    let folder = |path: &String| path.split_once('/').map(|(folder, _)| folder.to_owned());
    let first = paths.first().and_then(folder);
    match first.filter(|first| paths.iter().all(|path| folder(path).as_ref() == Some(first))) {
        Some(folder) => format!("{folder}, {n}"),
        None => n,
    }
}

/// Returns when a capture was taken, as briefly as distinguishes it from the others: the day, or the time if all are of one day.
/// `None` if the capture does not record it.
pub(super) fn brief_time(captures: &CapturesView, capture: &CaptureRow) -> Option<String> {
    let mut days = captures.captures.iter().filter_map(|row| row.start_ns).map(date);
    let first = days.next();
    let is_one_day = captures.captures.len() > 1 && days.all(|day| Some(day) == first);
    capture.start_ns.map(if is_one_day { hour_and_minute } else { month_and_day })
}

/// Returns what the picture shows.
pub fn about(captures: &CapturesView) -> String {
    let figure = match captures.series.figure {
        CaptureFigure::StepTime => "median step of each capture; the bar is from the first to the third quartile",
        CaptureFigure::Mfu => "Σ model_flops ÷ (peak × step time)",
        CaptureFigure::ExposedComm => "time with a collective in flight and no compute ÷ step time",
        CaptureFigure::PeakHbm => "max(peak of the program, peak in use) ÷ capacity",
    };
    let order = if captures.series.is_by_time { "by time" } else { "by name, because some captures record no time" };
    format!("{figure}; {order}")
}

/// Returns a change in one sentence.
pub fn change_sentence(captures: &CapturesView, change: &SeriesChange) -> String {
    let unit = captures.series.figure.unit();
    let name = captures
        .series
        .marks
        .get(change.first_after as usize)
        .and_then(|mark| captures.captures.get(mark.capture as usize));
    let name = name.map_or("", |row| row.name.as_str());
    let cause = change.cause.as_ref();
    let cause =
        cause.map_or(String::new(), |cause| format!(", mostly {} ({})", cause.label, signed_time_text(cause.delta_ps)));
    format!("{} → {} from {name}{cause}.", number(change.before, unit), number(change.after, unit))
}

/// Returns the median step of a capture as text. `None` if it is unknown.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
pub fn step_time(row: &CaptureRow) -> Option<String> {
    row.median_ps.map(|median| time_text(Picos(median.max(0.0).round() as u64)))
}

/// Returns the difference between the median steps of two captures: `+8.2 ms, +6.7 %`. `None` if one of them is unknown.
#[expect(clippy::cast_possible_truncation, reason = "a difference of times in ps")]
pub fn difference(a: &CaptureRow, b: &CaptureRow) -> Option<(String, i64)> {
    let (a, b) = (a.median_ps?, b.median_ps?);
    let delta = (b - a).round() as i64;
    let share = if a > 0.0 { format!(", {} %", signed_percent((b - a) / a)) } else { String::new() };
    Some((format!("{}{share}", signed_time_text(delta)), delta))
}

/// Returns what the user can do with the rows, while none is chosen.
pub fn invitation(captures: &CapturesView) -> String {
    let (open, compare) = match captures.n_without_files {
        0 => ("Open a capture by its name.", "compare them"),
        n if n == captures.n_captures => {
            ("These rows come from tables, so that no capture can be opened.", "see their difference")
        }
        _ => ("Open a capture by its name, unless its row comes from a table.", "compare them"),
    };
    format!("{open} Choose two rows to {compare}: the first one is A, the second one B.")
}

/// Returns why two captures cannot be compared. `None` if they can.
pub fn not_compared(a: &CaptureRow, b: &CaptureRow) -> Option<String> {
    let which = match (a.has_files(), b.has_files()) {
        (true, true) => return None,
        (false, false) => "A and B are rows of tables",
        (false, true) => "A is a row of a table",
        (true, false) => "B is a row of a table",
    };
    Some(format!("{which}: open the captures themselves to compare them."))
}

/// Returns the message for the row of a table whose capture is to be opened.
pub fn not_opened(name: &str) -> Failure {
    let message =
        "Its row comes from a table, and the capture is not among the files. Drop the capture itself to open it.";
    Failure { title: format!("{name} cannot be opened"), message: message.to_owned() }
}

/// Returns how far the capture `name` has been read, in bytes.
pub fn progress(name: &str, (done, total): (u64, u64)) -> String {
    format!("{} of {} of {name}", bytes_text(done), bytes_text(total))
}
