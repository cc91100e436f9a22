//! The sentences for what cannot be read: what, where, what was kept, what to do. Words only.

use super::Failure;
use crate::profile::Survey;
#[cfg(all(target_arch = "wasm32", feature = "web"))]
use crate::profile::{Note, Severity};
use crate::sorted;
use crate::wire::hlo::HloError;
use crate::wire::trace;
use crate::wire::xspace::{Damage, Outcome};
use crate::wire::{Unknown, WireError};

const READS: &str = "Rooflight reads .xplane.pb, .trace.json and .hlo_proto.pb, also as .gz.";

/// A file that is no profile.
pub(super) fn unknown(name: &str, what: Unknown) -> Failure {
    let (title, message) = match what {
        Unknown::Empty => (
            format!("{name} is empty"),
            "It has 0 bytes, so there is nothing to read. A profiler that was stopped early leaves such files: capture again, or copy the file again."
                .to_owned(),
        ),
        Unknown::Known(format) => (format!("{name} is not an XLA profile"), format!("It is {format}. {READS}")),
        Unknown::Zeros => (
            format!("{name} could not be read"),
            "It starts with zero bytes, as a file does whose copy or download never finished. Nothing in it is a profile; copy it again."
                .to_owned(),
        ),
        Unknown::Mangled { at } => (
            format!("{name} could not be read"),
            format!(
                "Bytes above 0x7F were replaced by EF BF BD, which happens when a binary file passes through a text tool. \
                 First seen at byte {}. The original can’t be rebuilt from this copy: fetch it again with scp or gsutil cp.",
                thousands(at)
            ),
        ),
        Unknown::Text => (format!("{name} is not an XLA profile"), format!("It is plain text. {READS}")),
        Unknown::Bytes => (
            format!("{name} is not an XLA profile"),
            format!("Its first bytes fit no known format. {READS}"),
        ),
    };
    Failure { title, message }
}

/// JSON of which nothing can be used.
pub(super) fn no_trace(name: &str, outcome: &trace::Outcome) -> Failure {
    let message = match &outcome.damage {
        Some(damage) => format!("{} Nothing was kept; copy the file again.", trace_damage(damage)),
        None if !outcome.found => format!("It is JSON, but has no list of traceEvents, as a profiler’s trace has. {READS}"),
        None => "Its list of traceEvents holds no event with a time: the profiler was stopped before anything ran. Capture again, \
                 or open the session’s .xplane.pb."
            .to_owned(),
    };
    Failure { title: format!("{name} could not be read"), message }
}

/// What a trace JSON lacks, if it does: where it is damaged and what was kept, and that the profiler left out its end.
pub(super) fn partial_trace(survey: &Survey, outcome: &trace::Outcome) -> Option<String> {
    let n = thousands(survey.n_events);
    let damage = outcome.damage.as_ref();
    let damage = damage.map(|d| format!("{} The {n} events before are kept. Copy the file again.", trace_damage(d)));
    let capped = survey.is_capped().then(|| {
        format!(
            "It holds {n} events, and the profiler writes no more than 1,000,000 to trace JSON: what came after is missing, so \
             totals are too small and the last steps incomplete or absent. Open the session’s .xplane.pb: it holds all."
        )
    });
    match (damage, capped) {
        (Some(damage), Some(capped)) => Some(format!("{damage} {capped}")),
        (one, other) => one.or(other),
    }
}

fn trace_damage(damage: &trace::Damage) -> String {
    let at = thousands(damage.at);
    match (&damage.source, &damage.why) {
        (Some(source), _) => format!("Reading fails at byte {at} of the text: {source}."),
        (None, trace::Broken::Ends) => format!("The text ends at byte {at}, before its last bracket."),
        (None, trace::Broken::Unexpected(found)) => {
            let found = if found.is_ascii_graphic() {
                format!("“{}”", char::from(*found))
            } else {
                format!("byte {found:02X}")
            };
            format!("At byte {at} of the text, {found} stands where JSON has something else.")
        }
        (None, trace::Broken::Deep) => {
            format!("At byte {at} of the text, brackets lie a thousand deep, as in no trace.")
        }
    }
}

/// A trace JSON of a capture that is read from an XSpace: what it would have lost.
pub(super) fn same_capture(short: &str, of: &str, n_json: u64, n_read: usize) -> String {
    let n_read = n_read as u64;
    let of = of.rsplit('/').next().unwrap_or(of);
    let lost = n_read.saturating_sub(n_json);
    let lost = match lost {
        0 => String::new(),
        _ => {
            #[expect(clippy::cast_precision_loss, reason = "a percentage with one decimal")]
            let percent = 100.0 * lost as f64 / n_read as f64;
            format!(" It lacks {} of {} events ({percent:.1} %).", thousands(lost), thousands(n_read))
        }
    };
    format!("{short}: passed over, {of} is the same capture and says more of each event.{lost}")
}

/// A compiled program that is cut or damaged.
pub(super) fn bad_program(name: &str, error: &HloError) -> Failure {
    let why = match error {
        HloError::Wire(wire) if wire.is_cut() => {
            format!("It starts like an HLO proto, but the file ends inside the program: {}.", self::error(wire))
        }
        HloError::Wire(wire) => format!("It starts like an HLO proto, but {}.", self::error(wire)),
        other => format!("It starts like an HLO proto, but {other}."),
    };
    Failure {
        title: format!("{name} could not be read"),
        message: format!("{why} Nothing was kept; copy the file again."),
    }
}

/// What is wrong behind a program's module.
pub(super) fn partial_program(error: &WireError) -> String {
    format!("Behind the program, {}. The program is complete; copy the file again.", self::error(error))
}

/// A name that nothing has.
pub(super) fn no_op(name: &str, no_hlo: bool) -> Failure {
    let message = if no_hlo {
        "No op of this name ran on a device, and the capture holds no HLO where it could be a part of another."
    } else {
        "No op of this name ran on a device, and no program of the capture has an instruction of it."
    };
    Failure { title: format!("There is no {name}"), message: message.to_owned() }
}

/// A part of the page that the browser did not get.
pub fn not_fetched() -> Failure {
    Failure {
        title: "This part of Rooflight could not be fetched".to_owned(),
        message:
            "It is fetched when it is first needed, and it did not come. Check the connection and try again; if the \
                  site was updated meanwhile, reload the page."
                .to_owned(),
    }
}

/// Programs say more of the ops of GPUs and CPUs, and what reads them did not come.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(super) fn programs_not_read() -> Note {
    let message = "The part of Rooflight that works out devices, runs and costs of GPUs and CPUs could not be fetched: there is \
                   only what events say. Check the connection and open the capture again.";
    Note::new(Severity::Caution, "programs_not_read", message)
}

/// A question that is none: page and worker are of one build, so it is a mistake of this program.
pub(super) fn no_question() -> Failure {
    Failure {
        title: "A question could not be read".to_owned(),
        message: "The page asked something that its worker does not know. Nothing is lost; reload the page.".to_owned(),
    }
}

/// A program without a text.
pub(super) fn no_text(name: &str, message: String) -> Failure {
    Failure { title: format!("{name} has no text to show"), message }
}

/// Several files, none of them a capture.
pub fn no_capture(n: usize, mut examples: Vec<String>) -> Failure {
    sorted::sort_by(&mut examples, Ord::cmp);
    let shown = examples.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    let rest = if examples.len() > 3 { ", …" } else { "" };
    let message = if n == 0 {
        format!("There are no files in it. {READS} A profile's files lie in <logdir>/plugins/profile/<session>/.")
    } else {
        format!(
            "Looked at {n} {files} ({shown}{rest}) and none is an XSpace, a trace JSON or an HLO proto. {READS} A profile's files lie in <logdir>/plugins/profile/<session>/.",
            files = if n == 1 { "file" } else { "files" }
        )
    };
    Failure { title: "No capture in this folder".to_owned(), message }
}

/// The system refused.
pub(super) fn unreadable(name: &str, reason: &str) -> Failure {
    Failure {
        title: format!("{name} could not be read"),
        message: format!(
            "The system says: {reason}. Nothing was read; check that the file is still there and may be read."
        ),
    }
}

/// A gzip file that would not unpack at all.
pub(super) fn bad_gzip(name: &str, reason: &str) -> Failure {
    Failure {
        title: format!("{name} could not be unpacked"),
        message: format!(
            "It starts like gzip, but unpacking fails: {reason}. Nothing could be kept; copy the file again."
        ),
    }
}

/// An XSpace of which nothing can be used.
pub(super) fn nothing_left(name: &str, outcome: &Outcome) -> Failure {
    let why = outcome.damage.first().map_or_else(
        || "It holds no planes.".to_owned(),
        |d| format!("It starts like an XSpace, but {}.", error(&d.error)),
    );
    Failure {
        title: format!("{name} could not be read"),
        message: format!("{why} No plane could be kept; copy the file again."),
    }
}

/// What a damaged XSpace still gave: one sentence on where, one on what was kept.
pub(super) fn partial(outcome: &Outcome) -> Option<String> {
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
    let kept = match (first.plane, outcome.n_damage) {
        (Some(0), 1) => "What came before is kept.".to_owned(),
        (Some(1), 1) => "Plane 0 is complete.".to_owned(),
        (Some(n), 1) => format!("Planes 0 to {} are complete.", n - 1),
        (None, 1) => "The planes before are complete.".to_owned(),
        (_, n) => format!("{} more places are damaged; what could be read is kept.", n - 1),
    };
    Some(format!("{wrong}. {kept} Copy the file again."))
}

fn plane(damage: &Damage) -> String {
    let index = damage.plane.unwrap_or_default();
    if damage.plane_name.is_empty() {
        format!("plane {index}")
    } else {
        format!("plane {index}, {}", damage.plane_name)
    }
}

/// Where a cut file ends.
const fn end_of(error: &WireError) -> u64 {
    match error {
        WireError::Length { at, left, .. } => at.saturating_add(*left),
        other => other.at(),
    }
}

fn error(error: &WireError) -> String {
    match error {
        WireError::Ends { at } => format!("the data ends at byte {} inside a field", thousands(*at)),
        WireError::Varint { at } => format!("byte {} starts a number longer than 64 bits", thousands(*at)),
        WireError::Tag { at } => format!("byte {} starts a field that no such file has", thousands(*at)),
        WireError::Length { at, declared, left } => {
            format!(
                "byte {} declares {} bytes where {} are left",
                thousands(*at),
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

/// `41,943,040`.
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
