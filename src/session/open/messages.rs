//! This module writes the messages for files that cannot be read: the fault, its place, the data that was kept, and the
//! remedy.

use crate::protocol::{Failure, Skip};
use crate::table::format;
use crate::table::text::first_name;
use xla_profile::profile::{Note, NoteCode, Severity, Survey};
use xla_profile::small_sort::SmallSort;
use xla_profile::source::{Refused, ZipError};
use xla_profile::wire::xspace::{Damage, Outcome};
use xla_profile::wire::{KnownFormat, Unknown, WireError, by_ending, trace};

const READS: &str =
    "Rooflight reads .xplane.pb, .trace.json, .hlo_proto.pb and the text of HLO, also as .gz or .xz and in a .zip.";

/// Returns the failure for a file that is not a profile.
pub(crate) fn unknown(name: &str, what: Unknown) -> Failure {
    let (title, message) = match what {
        Unknown::Empty if name.ends_with(".xplane.pb") => (
            format!("{name} is empty: the profile was larger than 2 GiB"),
            "It has 0 bytes: an XSpace of more than 2 GiB cannot be written. Capture fewer steps, or record less: python_tracer_level=0, \
             host_tracer_level=1, tpu_num_chips_to_profile_per_task=1. If other files of the run are empty as well, the copy failed: copy \
             them again."
                .to_owned(),
        ),
        Unknown::Empty => (
            format!("{name} is empty"),
            "It has 0 bytes, so there is nothing to read. A profiler that was stopped early leaves such files: capture again, or copy the file again."
                .to_owned(),
        ),
        Unknown::Known(format) => named(name, format),
        Unknown::Zeros => (
            format!("{name} could not be read"),
            "It starts with zero bytes, as a file does whose copy or download never finished. Nothing in it is a profile; copy it again."
                .to_owned(),
        ),
        Unknown::Mangled { offset } => (
            format!("{name} could not be read"),
            format!(
                "Bytes above 0x7F were replaced by EF BF BD, which happens when a binary file passes through a text tool. \
                 First seen at byte {}. The original can’t be rebuilt from this copy: fetch it again with scp or gsutil cp.",
                thousands(offset)
            ),
        ),
        Unknown::Text => (format!("{name} is not an XLA profile"), format!("It is plain text. {READS}")),
        Unknown::Bytes => match by_ending(name) {
            Some(format) => named(name, format),
            None => (
                format!("{name} is not an XLA profile"),
                format!("Its first bytes fit no known format. {READS}"),
            ),
        },
    };
    Failure { title, message }
}

/// Returns the title and the message for a file of a format that is recognised, with the way on.
fn named(name: &str, KnownFormat { name: format, advice }: KnownFormat) -> (String, String) {
    let advice = if advice.is_empty() { READS } else { advice };
    (format!("{name} is not an XLA profile"), format!("It is {format}. {advice}"))
}

/// Returns the failure for JSON lines of tables, where a capture is needed.
pub(crate) fn table_rows(name: &str) -> Failure {
    let message = "It has rows of tables, as rooflight export --jsonl writes them. The page lists the captures of such rows: drop the file on \
                   it, alone or with its folder. Open the captures themselves for everything else.";
    Failure { title: format!("{name} is not an XLA profile"), message: message.to_owned() }
}

/// Returns the note about the planes and files that the user chose not to read.
pub(crate) fn left_out(skips: &[Skip]) -> Option<Note> {
    let (planes, files): (Vec<&Skip>, Vec<&Skip>) = skips.iter().partition(|skip| skip.plane.is_some());
    let non_zero = |n: usize, one: &str, many: &str| (n > 0).then(|| format::counted(n as u64, one, many));
    let parts: Vec<String> = [non_zero(planes.len(), "plane", "planes"), non_zero(files.len(), "file", "files")]
        .into_iter()
        .flatten()
        .collect();
    let message = format!("{} left out, as chosen before reading: nothing here is of them.", parts.join(" and "));
    (!parts.is_empty()).then(|| Note::new(Severity::Caution, NoteCode::LeftOut, message))
}

/// Returns the failure for JSON without usable events.
pub(crate) fn no_trace(name: &str, outcome: &trace::Outcome) -> Failure {
    let message = match &outcome.damage {
        Some(damage) => format!("{} Nothing was kept; copy the file again.", trace_damage(damage)),
        None if !outcome.found => format!("It is JSON, but has no list of traceEvents, as a profiler’s trace has. {READS}"),
        None => "Its list of traceEvents holds no event with a time: the profiler was stopped before anything ran. Capture again, \
                 or open the .xplane.pb of the run if there is one."
            .to_owned(),
    };
    Failure { title: format!("{name} could not be read"), message }
}

/// Returns the sentences about the part that a trace JSON lacks: the place of the damage and the events that were kept,
/// and the limit of the profiler on events. `None` if the file is complete. `is_space_empty` tells whether the XSpace beside it is there
/// and has no bytes.
pub(crate) fn partial_trace(survey: &Survey, outcome: &trace::Outcome, is_space_empty: bool) -> Option<String> {
    let n = thousands(survey.n_events);
    let damage = outcome.damage.as_ref();
    let damage = damage.map(|d| format!("{} The {n} events before are kept. Copy the file again.", trace_damage(d)));
    let capped = survey.is_capped().then(|| {
        let way = if is_space_empty {
            "The .xplane.pb beside it is empty, so the rest is lost: capture fewer steps."
        } else {
            "An .xplane.pb of the run has no such limit: open it if there is one."
        };
        format!(
            "It holds {n} events, and the profiler writes no more than 1,000,000 to trace JSON: what came after is missing, so \
             totals are too small and the last steps incomplete or absent. {way}"
        )
    });
    match (damage, capped) {
        (Some(damage), Some(capped)) => Some(format!("{damage} {capped}")),
        (one, other) => one.or(other),
    }
}

/// Returns the note that a trace JSON is one of PyTorch.
pub(crate) fn kineto_trace() -> Note {
    let message = "A PyTorch (Kineto) trace. Rooflight reads profiles of XLA, so it shows only the timeline of this file. Open it in Perfetto \
                   (ui.perfetto.dev).";
    Note::new(Severity::Caution, NoteCode::KinetoTrace, message)
}

fn trace_damage(damage: &trace::Damage) -> String {
    let offset = thousands(damage.offset);
    match (&damage.source, &damage.why) {
        (Some(source), _) => format!("Reading fails at byte {offset} of the text: {source}."),
        (None, trace::SyntaxError::Ends) => format!("The text ends at byte {offset}, before its last bracket."),
        (None, trace::SyntaxError::Unexpected(found)) => {
            let found = if found.is_ascii_graphic() {
                format!("“{}”", char::from(*found))
            } else {
                format!("byte {found:02X}")
            };
            format!("At byte {offset} of the text, {found} is not valid JSON.")
        }
        (None, trace::SyntaxError::Deep) => {
            format!("At byte {offset} of the text, brackets are nested a thousand deep, which no trace has.")
        }
    }
}

/// Returns the sentence for a trace JSON that is skipped because the same capture is read from an XSpace. It gives the
/// number of events that the trace JSON lacks.
pub(crate) fn same_capture(short: &str, text: &str, n_json: u64, n_read: usize) -> String {
    let n_read = n_read as u64;
    let text = text.rsplit('/').next().unwrap_or(text);
    let lost = n_read.saturating_sub(n_json);
    let lost = match lost {
        0 => String::new(),
        _ => {
            #[expect(clippy::cast_precision_loss, reason = "a percentage with one decimal")]
            let percent = 100.0 * lost as f64 / n_read as f64;
            format!(" It lacks {} of {} events ({percent:.1} %).", thousands(lost), thousands(n_read))
        }
    };
    format!("{short}: skipped, because {text} is the same capture with more details of each event.{lost}")
}

/// Returns the failure for a report without its capture, among captures or where only captures can be used.
pub(crate) fn report_beside(name: &str) -> Failure {
    Failure {
        title: format!("{name} is a report without its capture"),
        message: "A report holds numbers, not events, so it cannot be read together with captures. Open it alone on the page, or open the \
                  capture that it was made from.".to_owned(),
    }
}

/// Returns the failure for a name that no op and no instruction has.
pub(crate) fn no_op(name: &str, no_hlo: bool) -> Failure {
    let message = if no_hlo {
        "No op of this name ran on a device, and the capture has no HLO that could contain it."
    } else {
        "No op of this name ran on a device, and no program of the capture has an instruction of this name."
    };
    Failure { title: format!("There is no {name}"), message: message.to_owned() }
}

/// Returns the failure for a request that cannot be decoded. Page and worker are of the same build, so this is a bug
/// of Rooflight.
pub(crate) fn unknown_request() -> Failure {
    Failure {
        title: "A request could not be read".to_owned(),
        message: "The page sent a request that its worker does not know. Reload the page.".to_owned(),
    }
}

/// Returns the failure for a program without a text.
pub(crate) fn no_text(name: &str, message: String) -> Failure {
    Failure { title: format!("{name} has no text to show"), message }
}

/// Returns the failure for `n` files of which none is a capture. `examples` are names of these files.
pub fn no_capture(n: usize, mut examples: Vec<String>) -> Failure {
    examples.small_sort_by(Ord::cmp);
    let shown = examples.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    let rest = if examples.len() > 3 { ", …" } else { "" };
    let message = if n == 0 {
        format!("There are no files in it. {READS} A profile's files lie in <logdir>/plugins/profile/<session>/.")
    } else {
        format!(
            "Looked at {n} {files} ({shown}{rest}) and none is an XSpace, a trace JSON or a compiled program. {READS} A profile's files lie in <logdir>/plugins/profile/<session>/.",
            files = if n == 1 { "file" } else { "files" }
        )
    };
    Failure { title: "No capture in this folder".to_owned(), message }
}

/// Returns the notes about files beside a capture that are not read: one note for each file that should have been
/// readable, and one note for all others.
pub(crate) fn skipped_files_notes(failures: Vec<Failure>, others: &[String]) -> Vec<Note> {
    /// Largest number of files that are named one by one.
    const MAX_NAMED: usize = 8;
    let more = failures.len().saturating_sub(MAX_NAMED);
    let note = |failure: Failure| {
        Note::new(Severity::Caution, NoteCode::FileNotRead, format!("{}. {}", failure.title, failure.message))
    };
    let mut notes: Vec<Note> = failures.into_iter().take(MAX_NAMED).map(note).collect();
    if more > 0 {
        let message = format!("{more} more files could not be read either, and were skipped.");
        notes.push(Note::new(Severity::Caution, NoteCode::FileNotRead, message));
    }
    if !others.is_empty() {
        let message =
            format!("{}: neither an XSpace, a trace JSON nor a compiled program, skipped.", first_name(others, ""));
        notes.push(Note::new(Severity::Info, NoteCode::FilesPassedOver, message));
    }
    notes
}

/// Returns the failure for an archive inside an archive.
pub(crate) fn nested(name: &str, outer: &str) -> Failure {
    Failure {
        title: format!("{name} was not read"),
        message: format!("It is a zip archive inside {outer}. Unpack it and open what is in it."),
    }
}

/// Returns the failure for an archive that cannot be read.
pub(crate) fn bad_zip(name: &str, error: &ZipError) -> Failure {
    Failure {
        title: format!("{name} could not be read"),
        message: format!(
            "It starts like a zip archive, but {error}. Nothing could be kept; copy the file again, or unpack it and open what \
             comes out."
        ),
    }
}

/// Returns the failure for an archive of which no member can be read.
pub(crate) fn nothing_in(name: &str, notes: &[Note]) -> Failure {
    let messages: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
    Failure { title: format!("Nothing in {name} could be read"), message: messages.join(" ") }
}

/// Returns the note about members of an archive that are not read for the same reason.
pub(crate) fn refused_members(why: Refused, names: &[String]) -> Note {
    let (who, n) = (first_name(names, ""), names.len());
    let is = if n == 1 { "is" } else { "are" };
    let message = match why {
        Refused::Encrypted => {
            format!("{who} {is} encrypted and skipped. Unpack the archive with its password and open what is in it.")
        }
        Refused::Method(method) => {
            let method = method.unwrap_or("an unknown method");
            format!(
                "{who} {is} packed with {method}, which Rooflight does not read, and skipped. Unpack the archive and open what is \
                 in it."
            )
        }
        Refused::Overlaps => format!(
            "{who}: skipped, because they share bytes with other members, as in a zip bomb. Get the archive again from where it \
             was made."
        ),
        Refused::Damaged => {
            format!("{who} {is} not where the archive says, or not as long, and skipped. Copy the archive again.")
        }
        Refused::Name => format!(
            "{n} members have names of more than 4,096 bytes, as no file has, and are skipped. Make the archive again."
        ),
    };
    Note::new(Severity::Caution, NoteCode::MembersPassedOver, message)
}

/// Returns the note about an archive whose table of contents breaks off.
pub(crate) fn damaged_archive(n: usize, reason: &str) -> Note {
    let message = format!(
        "The archive's table of contents breaks off after {n} files ({reason}). Those are read; copy the archive again."
    );
    Note::new(Severity::Caution, NoteCode::MembersPassedOver, message)
}

/// Returns the note about an archive with more members than are read.
pub(crate) fn members_left_out(n: usize, more: u64) -> Note {
    let message = format!(
        "Only the first {} files of the archive are read; {} more are not. Make an archive of the session's \
         folder alone.",
        thousands(n as u64),
        thousands(more)
    );
    Note::new(Severity::Caution, NoteCode::MembersPassedOver, message)
}

/// Returns the failure for a file that the system does not read.
pub(crate) fn unreadable(name: &str, reason: &str) -> Failure {
    Failure {
        title: format!("{name} could not be read"),
        message: format!(
            "The system says: {reason}. Nothing was read; check that the file is still there and may be read."
        ),
    }
}

/// Returns the failure for a packed file that cannot be unpacked.
pub(crate) fn bad_layer(name: &str, layer: &str, reason: &str) -> Failure {
    Failure {
        title: format!("{name} could not be unpacked"),
        message: format!(
            "It starts like {layer}, but unpacking fails: {reason}. Nothing could be kept; copy the file again."
        ),
    }
}

/// Returns the failure for an XSpace without usable planes.
pub(crate) fn nothing_left(name: &str, outcome: &Outcome) -> Failure {
    let why = outcome.damage.first().map_or_else(
        || "It holds no planes.".to_owned(),
        |d| format!("It starts like an XSpace, but {}.", error(&d.error)),
    );
    Failure {
        title: format!("{name} could not be read"),
        message: format!("{why} No plane could be kept; copy the file again."),
    }
}

/// Returns the sentences about a damaged XSpace: the place of the damage, and the planes that were kept. `None` if the
/// XSpace is complete.
pub(crate) fn partial(outcome: &Outcome) -> Option<String> {
    let first = outcome.damage.first()?;
    let wrong = match (first.plane, first.cut) {
        (Some(_), true) => {
            let inside = first.line.as_ref().map_or(String::new(), |l| format!(" inside line {l}"));
            format!("The file ends{inside} in {}, at byte {}", plane(first), thousands(end_of(&first.error)))
        }
        (Some(_), false) => {
            let inside = first.line.as_ref().map_or(String::new(), |l| format!(", line {l}"));
            format!("{}{inside}: {}", capital(&plane(first)), error(&first.error))
        }
        (None, _) => format!("After plane {}, {}", outcome.n_planes.saturating_sub(1), error(&first.error)),
    };
    let rest = match (first.plane, outcome.n_damage) {
        (Some(0), 1) => "What came before is kept.".to_owned(),
        (Some(1), 1) => "Plane 0 is complete.".to_owned(),
        (Some(n), 1) => format!("Planes 0 to {} are complete.", n - 1),
        (None, 1) => "The planes before are complete.".to_owned(),
        (_, n) => format!("{} more places are damaged; what could be read is kept.", n - 1),
    };
    Some(format!("{wrong}. {rest} Copy the file again."))
}

fn plane(damage: &Damage) -> String {
    let index = damage.plane.unwrap_or_default();
    if damage.plane_name.is_empty() {
        format!("plane {index}")
    } else {
        format!("plane {index}, {}", damage.plane_name)
    }
}

/// Returns the offset at which a cut file ends.
const fn end_of(error: &WireError) -> u64 {
    match error {
        WireError::Length { offset, left, .. } => offset.saturating_add(*left),
        other => other.offset(),
    }
}

/// Describes an error in a protobuf message, with its place, as a part of a sentence.
pub(crate) fn error(error: &WireError) -> String {
    match error {
        WireError::Ends { offset } => format!("the data ends at byte {} inside a field", thousands(*offset)),
        WireError::Varint { offset } => format!("byte {} starts a number longer than 64 bits", thousands(*offset)),
        WireError::Tag { offset } => format!("byte {} starts an unknown kind of field", thousands(*offset)),
        WireError::Length { offset, declared, left } => {
            format!(
                "byte {} declares {} bytes where {} are left",
                thousands(*offset),
                thousands(*declared),
                thousands(*left)
            )
        }
        WireError::Source(error) => error.to_string(),
    }
}

fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// Returns `n` with commas between groups of three digits, such as `41,943,040`.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
