//! What is in the files, as rows of words. This module knows the report; nothing of elements.

use crate::analysis::base::FilterError;
use crate::analysis::files::{
    FileLine, FilePlane, FileProgram, FileView, Finding, FindingKind, LineUse, ProgramSource,
};
use crate::protocol::{OutlineItem, ProgramHead};
use crate::table::format;

/// Stats of one plane that are reported, and names of stats.
const STATS: usize = 24;
/// Computations that are reported.
pub const COMPUTATIONS: usize = 200;
/// Characters of a line that are shown: constants have millions.
const LONG: usize = 4000;

/// The figures at the top: name, value, unit.
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

/// Where the files are from and what they are: "train-step.xplane.pb, XSpace; host-a".
pub fn origin(file: &FileView) -> String {
    let mut parts: Vec<String> = file.files.iter().take(3).map(|of| format!("{}, {}", of.name, of.format)).collect();
    if let Some(more) = file.files.get(3..).filter(|more| !more.is_empty()) {
        parts.push(format::counted(more.len() as u64, "more file", "more files"));
    }
    parts.extend(file.hosts.iter().take(4).map(|host| format!("host {host}")));
    parts.join("; ")
}

/// What the session lacks, as told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// What kind of gap it is.
    pub kind: &'static str,
    /// Figures may be wrong, not only absent.
    pub is_grave: bool,
    /// Where, and how many.
    pub place: String,
    /// What follows.
    pub consequence: String,
    /// What fills the gap; empty where nothing is known to.
    pub remedy: String,
}

/// What the session lacks, the gravest first.
pub fn findings(file: &FileView) -> Vec<FindingRow> {
    let one = |finding: &Finding| {
        let n = finding.n.filter(|n| *n > 1).map(format::count);
        let place = finding.place.clone();
        FindingRow {
            kind: kind(finding.kind),
            is_grave: finding.kind < FindingKind::Unpaired,
            place: match (place, n) {
                // "8 devices, …" counts already.
                (Some(place), Some(n)) if !place.starts_with(&n) => format!("{place}, {n} ×"),
                (Some(place), _) => place,
                (None, Some(n)) => format!("{n} ×"),
                (None, None) => "the session".to_owned(),
            },
            consequence: finding.consequence.clone(),
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

/// A plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneRow {
    /// Its name.
    pub name: String,
    /// What it is.
    pub words: String,
    /// Bytes, in words.
    pub bytes: String,
    /// Its bytes ÷ those of the largest plane.
    pub share: f64,
    /// Of these the part that is not lines: names, metadata, stats.
    pub metadata: f64,
    /// Events.
    pub events: String,
    /// Its lines.
    pub lines: Vec<LineRow>,
    /// Its stats, and what else is reported below it.
    pub more: Vec<(String, String)>,
}

/// A line of a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct LineRow {
    /// Its name.
    pub name: String,
    /// What it is used for.
    pub used: &'static str,
    /// It is used for something.
    pub is_used: bool,
    /// Bytes, in words.
    pub bytes: String,
    /// Its bytes ÷ those of the largest plane.
    pub share: f64,
    /// Events.
    pub events: String,
    /// When, after the plane's first event, and on which clock.
    pub when: String,
}

/// Planes as rows.
pub fn planes(file: &FileView) -> Vec<PlaneRow> {
    let largest = file.planes.iter().map(|plane| plane.bytes).max().unwrap_or(0);
    file.planes.iter().map(|plane| plane_row(plane, largest)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "pixels")]
fn part(bytes: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { bytes as f64 / of as f64 }
}

fn plane_row(plane: &FilePlane, largest: u64) -> PlaneRow {
    let mut more: Vec<(String, String)> = Vec::new();
    let row = |label: &str, n: u64| (label.to_owned(), format::count(n));
    more.push(row("distinct ops", plane.n_ops));
    more.push(row("metadata entries", plane.n_metadata));
    more.push(("metadata".to_owned(), format::bytes_text(plane.metadata_bytes)));
    more.extend(plane.stats.iter().take(STATS).map(|stat| (stat.name.clone(), stat.value.text())));
    for of in plane.stat_names.iter().take(STATS) {
        let says = match (of.on_events, of.on_metadata) {
            (0, n) => format!("on {} metadata entries", format::count(n)),
            (n, 0) => format!("on {} events", format::count(n)),
            (n, m) => format!("on {} events, {} metadata entries", format::count(n), format::count(m)),
        };
        more.push((of.name.clone(), says));
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

/// A program in the list: its name, then what is known of it.
pub fn program(of: &FileProgram) -> (String, String) {
    let mut parts: Vec<String> = Vec::new();
    match (of.busy.or(of.run_time), of.n_runs) {
        (Some(time), Some(n)) => {
            parts.push(format!("{} in {}", format::time_text(time), format::counted(n, "run", "runs")));
        }
        (Some(busy), None) => parts.push(format::time_text(busy)),
        _ => parts.push("did not run".to_owned()),
    }
    parts.push(match of.source {
        ProgramSource::Events => "events’ text only".to_owned(),
        ProgramSource::Dropped => format!("{} dropped", format::bytes_text(of.bytes.unwrap_or(0))),
        ProgramSource::Text => format!("{} of HLO text", format::bytes_text(of.bytes.unwrap_or(0))),
        ProgramSource::Capture => format!("{} of HLO", format::bytes_text(of.bytes.unwrap_or(0))),
    });
    parts.extend(of.program_id.map(|id| format!("id {id}")));
    (of.name.clone(), parts.join(" · "))
}

/// What a program's text is, above it.
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

/// A computation in the outline.
pub fn computation(of: &OutlineItem) -> String {
    let what = match (of.is_entry, of.is_fusion) {
        (true, _) => "entry, ",
        (_, true) => "fused, ",
        _ => "",
    };
    let callers =
        if of.n_callers > 1 { format!(", {} callers", format::count(of.n_callers.into())) } else { String::new() };
    format!("{what}{}{callers}", format::count(of.n_instructions.into()))
}

/// The part of a line that is shown, and how many characters are not.
pub fn cut(text: &str) -> (&str, usize) {
    match text.char_indices().nth(LONG) {
        Some((at, _)) => (&text[..at], text[at..].chars().count()),
        None => (text, 0),
    }
}

/// Why what is looked for is no regular expression.
pub fn bad(error: &FilterError) -> String {
    format!("{} at column {}", error.message, error.column)
}

/// "3 of 128 lines", "no line", "128 lines".
pub fn found_text(at: Option<usize>, n: u32) -> String {
    match (at, n) {
        (_, 0) => "no line".to_owned(),
        (Some(at), n) => format!("{} of {} lines", format::count(at as u64 + 1), format::count(n.into())),
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
    fn what_is_found_is_counted() {
        assert_eq!(found_text(None, 0), "no line");
        assert_eq!(found_text(None, 1), "1 line");
        assert_eq!(found_text(Some(2), 1280), "3 of 1,280 lines");
    }

    #[test]
    fn a_program_says_what_is_known_of_it() {
        let of = FileProgram {
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
        assert_eq!(program(&of).1, "did not run · events’ text only · id 7");
    }
}
