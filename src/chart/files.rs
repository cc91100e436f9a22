//! This module turns the report of the files view into rows of text. It does not depend on page elements.

use crate::analysis::base::FilterError;
use crate::analysis::files::{
    FileLine, FilePlane, FileProgram, FileView, Finding, FindingKind, LineUse, ProgramSource,
};
use crate::protocol::{OutlineItem, ProgramHead};
use crate::table::format;

/// Largest number of stats shown per plane, and largest number of stat names.
const STATS: usize = 24;
/// Largest number of computations shown in the outline of a program.
pub const COMPUTATIONS: usize = 200;
/// Largest number of characters shown of one line of HLO text. Constants can have millions of characters.
const LONG: usize = 4000;

/// Returns the figures above the view: label, value, unit.
pub fn figures(file: &FileView) -> Vec<(&'static str, String, &'static str)> {
    let (size, unit) = format::bytes(file.bytes);
    let count = |label, n: usize| (label, format::count(n as u64), "");
    vec![
        ("Size", size, unit),
        count("Files", file.files.len()),
        count("Planes", file.planes.len()),
        ("Lines", format::count(file.n_lines), ""),
        ("Events", format::count(file.n_events), ""),
        count("Programs", file.programs.len()),
    ]
}

/// Returns the names and formats of the first 3 files, the number of further files, and the first 4 hosts:
/// "train-step.xplane.pb, XSpace; host host-a".
pub fn origin(file: &FileView) -> String {
    let mut parts: Vec<String> =
        file.files.iter().take(3).map(|file| format!("{}, {}", file.name, file.format)).collect();
    if let Some(more) = file.files.get(3..).filter(|more| !more.is_empty()) {
        parts.push(format::counted(more.len() as u64, "more file", "more files"));
    }
    parts.extend(file.hosts.iter().take(4).map(|host| format!("host {host}")));
    parts.join("; ")
}

/// One row of the list of quality findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    pub kind: &'static str,
    /// True if the finding can make figures wrong, not only absent.
    pub is_grave: bool,
    /// Plane, device or file, and the number of occurrences if there are several; otherwise "the session".
    pub place: String,
    pub consequence: String,
    /// Action that fills the gap; empty if no action is known.
    pub remedy: String,
}

/// Returns the quality findings in the order of the report: the gravest kinds first.
pub fn findings(file: &FileView) -> Vec<FindingRow> {
    let one = |finding: &Finding| {
        let n = finding.n.filter(|n| *n > 1).map(format::count);
        let place = finding.place.clone();
        FindingRow {
            kind: kind(finding.kind),
            is_grave: finding.kind < FindingKind::Unpaired,
            place: match (place, n) {
                // A place such as "8 devices, …" already begins with the count.
                (Some(place), Some(n)) if !place.starts_with(&n) => format!("{place}, {n} ×"),
                (Some(place), _) => place,
                (None, Some(n)) => format!("{n} ×"),
                (None, None) => "the session".to_owned(),
            },
            consequence: format::with_grouped_count(&finding.consequence),
            remedy: finding.remedy.clone().unwrap_or_default(),
        }
    };
    file.quality.iter().map(one).collect()
}

const fn kind(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Truncated => "Cut short",
        FindingKind::Dropped => "Dropped",
        FindingKind::Profiler => "Profiler",
        FindingKind::Clock => "Clock",
        FindingKind::Unresolved => "Unresolved",
        FindingKind::Unpaired => "Unpaired",
        FindingKind::Missing => "Missing",
    }
}

/// One row of the list of planes.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneRow {
    pub name: String,
    /// Role of the plane, in words: "TPU device (analysed)".
    pub words: String,
    pub bytes: String,
    /// Bytes of this plane divided by the bytes of the largest plane.
    pub share: f64,
    /// Bytes outside the lines (names, metadata, stats) divided by the bytes of the largest plane.
    pub metadata: f64,
    pub events: String,
    pub lines: Vec<LineRow>,
    /// Labels and values below the row: counts, the stats of the plane, and the use of each stat name.
    pub more: Vec<(String, String)>,
}

/// One row of the list of lines of a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct LineRow {
    pub name: String,
    pub used: &'static str,
    pub is_used: bool,
    pub bytes: String,
    /// Bytes of this line divided by the bytes of the largest plane.
    pub share: f64,
    pub events: String,
    /// Start and end after the first event of the plane, and "device clock" if all events have a time on that clock.
    pub when: String,
}

/// Returns one row per plane, in file order.
pub fn planes(file: &FileView) -> Vec<PlaneRow> {
    let largest = file.planes.iter().map(|plane| plane.bytes).max().unwrap_or(0);
    file.planes.iter().map(|plane| plane_row(plane, largest)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "pixels")]
fn part(bytes: u64, value: u64) -> f64 {
    if value == 0 { 0.0 } else { bytes as f64 / value as f64 }
}

fn plane_row(plane: &FilePlane, largest: u64) -> PlaneRow {
    let mut more: Vec<(String, String)> = Vec::new();
    let row = |label: &str, n: u64| (label.to_owned(), format::count(n));
    more.push(row("distinct ops", plane.n_ops));
    more.push(row("metadata entries", plane.n_metadata));
    more.push(("metadata".to_owned(), format::bytes_text(plane.metadata_bytes)));
    more.extend(plane.stats.iter().take(STATS).map(|stat| (stat.name.clone(), stat.value.text())));
    for stat in plane.stat_names.iter().take(STATS) {
        let counts = match (stat.on_events, stat.on_metadata) {
            (0, n) => format!("on {} metadata entries", format::count(n)),
            (n, 0) => format!("on {} events", format::count(n)),
            (n, m) => format!("on {} events, {} metadata entries", format::count(n), format::count(m)),
        };
        more.push((stat.name.clone(), counts));
    }
    let left = (plane.stats.len().saturating_sub(STATS) + plane.stat_names.len().saturating_sub(STATS)) as u64;
    if left > 0 {
        more.push((format::counted(left, "more stat", "more stats"), "see rooflight inspect".to_owned()));
    }
    PlaneRow {
        name: plane.name.clone(),
        words: plane.words.clone(),
        bytes: format::bytes_text(plane.bytes),
        share: part(plane.bytes, largest),
        metadata: part(plane.metadata_bytes, largest),
        events: format::count(plane.n_events),
        lines: plane.lines.iter().map(|line| line_row(line, largest)).collect(),
        more,
    }
}

fn line_row(line: &FileLine, largest: u64) -> LineRow {
    let clock = if line.device_clock { "device clock" } else { "" };
    let span = line.span.map(|(from, to)| format!("{} – {}", format::time_text(from), format::time_text(to)));
    let when: Vec<String> = span.into_iter().chain((!clock.is_empty()).then(|| clock.to_owned())).collect();
    LineRow {
        name: line.display_name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| line.name.clone()),
        used: line.used.label(),
        is_used: line.used != LineUse::NotUsed,
        bytes: format::bytes_text(line.bytes),
        share: part(line.bytes, largest),
        events: format::count(line.n_events),
        when: when.join(", "),
    }
}

/// Returns the name of a program, and a text with its time, number of executions, HLO source, size and id.
pub fn program(program: &FileProgram) -> (String, String) {
    let mut parts: Vec<String> = Vec::new();
    match (program.busy.or(program.run_time), program.n_runs) {
        (Some(time), Some(n)) => {
            parts.push(format!("{} in {}", format::time_text(time), format::counted(n, "execution", "executions")));
        }
        (Some(busy), None) => parts.push(format::time_text(busy)),
        _ => parts.push("no executions".to_owned()),
    }
    parts.push(match program.source {
        ProgramSource::Events => "events’ text only".to_owned(),
        ProgramSource::Dropped => format!("{} of HLO in its own file", format::bytes_text(program.bytes.unwrap_or(0))),
        ProgramSource::Text => format!("{} of HLO text", format::bytes_text(program.bytes.unwrap_or(0))),
        ProgramSource::Capture => format!("{} of HLO", format::bytes_text(program.bytes.unwrap_or(0))),
    });
    parts.extend(program.program_id.map(|id| format!("id {id}")));
    (program.name.clone(), parts.join(" · "))
}

/// Returns the text above a program's HLO: the counts of computations, instructions and lines, the source, and the
/// number of pieces that the parser did not understand.
pub fn head(head: &ProgramHead, source: ProgramSource) -> String {
    let mut parts = Vec::new();
    parts.extend(head.n_computations.map(|n| format::counted(n.into(), "computation", "computations")));
    parts.push(format::counted(head.n_instructions.into(), "instruction", "instructions"));
    parts.push(format::counted(head.n_lines.into(), "line", "lines"));
    parts.push(source.label().to_owned());
    if head.leftover > 0 || head.unresolved > 0 {
        let lost = u64::from(head.leftover) + u64::from(head.unresolved);
        let why = head.damage.first().map(|why| format!(": {why}")).unwrap_or_default();
        parts.push(format!("{} not understood{why}", format::counted(lost, "piece", "pieces")));
    }
    parts.join(" · ")
}

/// Returns the text beside a computation in the outline: its role, its number of instructions, and its number of
/// callers if there are several.
pub fn computation(item: &OutlineItem) -> String {
    let what = match (item.is_entry, item.is_fusion) {
        (true, _) => "entry, ",
        (_, true) => "fused, ",
        _ => "",
    };
    let callers =
        if item.n_callers > 1 { format!(", {} callers", format::count(item.n_callers.into())) } else { String::new() };
    format!("{what}{}{callers}", format::count(item.n_instructions.into()))
}

/// Returns the part of a line that is shown, at most 4,000 characters, and the number of characters that are not shown.
pub fn cut(text: &str) -> (&str, usize) {
    match text.char_indices().nth(LONG) {
        Some((offset, _)) => (&text[..offset], text[offset..].chars().count()),
        None => (text, 0),
    }
}

/// Returns the message for a search text that is not a valid regular expression.
pub fn filter_error(error: &FilterError) -> String {
    format!("{} at column {}", error.message, error.column)
}

/// Returns the position of the current match among `n` matching lines. `index` counts from 0: "3 of 128 lines", "no line",
/// "128 lines".
pub fn found_text(index: Option<usize>, n: u32) -> String {
    match (index, n) {
        (_, 0) => "no line".to_owned(),
        (Some(index), n) => format!("{} of {} lines", format::count(index as u64 + 1), format::count(n.into())),
        (None, n) => format::counted(n.into(), "line", "lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(cut("%a = f32[] add(%b, %c)"), ("%a = f32[] add(%b, %c)", 0));
        let long = "é".repeat(LONG + 7);
        let (shown, left) = cut(&long);
        assert_eq!((shown.chars().count(), left), (LONG, 7));
    }

    #[test]
    fn search_matches_are_counted() {
        assert_eq!(found_text(None, 0), "no line");
        assert_eq!(found_text(None, 1), "1 line");
        assert_eq!(found_text(Some(2), 1280), "3 of 1,280 lines");
    }

    #[test]
    fn a_program_says_what_is_known_of_it() {
        let described = FileProgram {
            name: "jit_f".to_owned(),
            program_id: Some(7),
            source: ProgramSource::Events,
            file: None,
            bytes: None,
            n_runs: None,
            run_time: None,
            busy: None,
            n_computations: None,
            n_instructions: None,
            hlo: None,
        };
        assert_eq!(program(&described).1, "no executions · events’ text only · id 7");
    }
}
