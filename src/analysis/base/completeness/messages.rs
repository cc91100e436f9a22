//! This module reads what the profiler says of itself: errors, and events of GPUs that it dropped.

use super::sign::Sign;
use crate::analysis::base::platform::Platform;
use crate::table::filter::contains;
use crate::table::format::{count, counted, middle_cut};
use indexmap::IndexSet;
use xla_profile::profile::{NoteCode, Profile, Severity};

/// The words before each text in its note.
const SAYS: &str = "The profiler says: ";
/// Longest text of the profiler in a sentence.
const MAX_TEXT: usize = 300;
/// The start of the warning that events of GPUs were dropped.
const DROPPED: &str = "Detected GPU events dropped on";
/// Both limits of XLA on events of GPUs, unless the user sets them.
const LIMIT: u64 = 2 << 20;

/// Texts in errors of CUPTI, with what to do.
const REMEDIES: [(&str, &str); 3] = [
    (
        "INSUFFICIENT_PRIVILEGES",
        "The driver lets administrators alone profile: load the module nvidia with NVreg_RestrictProfilingToAdminUsers=0.",
    ),
    (
        "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
        "Another profiler uses CUPTI, such as Nsight, PyTorch, an injection of NVTX or PGLE of JAX: stop it.",
    ),
    ("could not be loaded", "The library of CUPTI was not found: add its folder to LD_LIBRARY_PATH."),
];

/// Returns the distinct texts of errors or warnings of the profiler.
fn texts(profile: &Profile, code: NoteCode) -> Vec<&str> {
    let notes = profile.notes.iter().filter(|note| note.code == code);
    let mut texts: IndexSet<&str> = IndexSet::default();
    texts.extend(notes.map(|note| note.message.strip_prefix(SAYS).unwrap_or(&note.message)));
    texts.into_iter().collect()
}

/// Returns a sentence with the errors and warnings of the profiler. `None` if there are none.
pub(super) fn profiler_sentence(profile: &Profile) -> Option<String> {
    let all = [texts(profile, NoteCode::ProfilerError), texts(profile, NoteCode::ProfilerWarning)].concat();
    let all: Vec<String> = all.into_iter().map(|text| middle_cut(text, MAX_TEXT)).collect();
    (!all.is_empty()).then(|| format!("{SAYS}{}.", all.join("; ").trim_end_matches('.')))
}

/// Returns whether a message is that of an excerpt that Rooflight wrote, which has the events of a range of time.
pub(super) fn is_of_excerpt(message: &str) -> bool {
    message.strip_prefix(SAYS).unwrap_or(message).starts_with("cut to ") && message.contains(" by Rooflight")
}

/// Returns the signs that the profiler reported.
pub(super) fn signs(profile: &Profile) -> Vec<Sign> {
    let planes_of = |wanted: Platform| {
        let planes = profile.planes.iter().enumerate();
        let is = |name: &str| Platform::from_plane_name(name) == Some(wanted);
        planes.filter(|(_, plane)| is(&plane.name)).map(|(index, _)| index).collect::<Vec<usize>>()
    };
    let gpus = planes_of(Platform::Gpu);
    errors(profile, &gpus).into_iter().chain(dropped(profile, &gpus)).collect()
}

fn errors(profile: &Profile, gpus: &[usize]) -> Option<Sign> {
    let texts = texts(profile, NoteCode::ProfilerError);
    let first = texts.first()?;
    let n = counted(texts.len() as u64, "error", "errors");
    let mut sign = if gpus.is_empty() {
        let headline = format!("The profiler reported {n}, so events are likely missing.");
        Sign::new(NoteCode::ProfilerErrors, Severity::Caution, headline, "")
    } else {
        let headline = format!(
            "The profiler of GPUs reported {n}, so events are missing: {}.",
            middle_cut(first, MAX_TEXT).trim_end_matches('.')
        );
        let remedies = REMEDIES.iter().filter(|(part, _)| texts.iter().any(|text| contains(text, part)));
        let remedies: Vec<&str> = remedies.map(|(_, remedy)| *remedy).collect();
        let advice = "After an error of CUPTI, XLA traces no GPU again in this process: restart it, and capture again.";
        let advice = remedies.into_iter().chain([advice]).collect::<Vec<&str>>().join(" ");
        Sign::new(NoteCode::ProfilerErrors, Severity::Partial, headline, advice).of_planes(profile, gpus.to_vec())
    };
    sign.n = Some(texts.len() as u64);
    Some(sign)
}

/// Returns the sign of the warnings about dropped events of GPUs.
fn dropped(profile: &Profile, gpus: &[usize]) -> Option<Sign> {
    let warnings = texts(profile, NoteCode::ProfilerWarning).into_iter().filter(|text| text.starts_with(DROPPED));
    let reasons: Vec<(u64, &str)> = warnings.clone().flat_map(drops).collect();
    warnings.clone().next()?;
    let sum = |part: &str| {
        reasons.iter().filter(|(_, reason)| contains(reason, part)).map(|(n, _)| *n).fold(0, u64::saturating_add)
    };
    let (driver, device) = (sum("callback"), sum("activity"));
    let all = reasons.iter().map(|(n, _)| *n).fold(0, u64::saturating_add);
    let mut parts = Vec::new();
    let mut limits = Vec::new();
    for (n, one, many, limit) in [
        (driver, "call of the driver", "calls of the driver", "gpu_max_callback_api_events"),
        (device, "event of a device", "events of devices", "gpu_max_activity_api_events"),
    ] {
        if n > 0 {
            parts.push(counted(n, one, many));
            limits.push(limit);
        }
    }
    let n = if all > 0 { counted(all, "event of GPUs", "events of GPUs") } else { "events of GPUs".to_owned() };
    let parts = if parts.is_empty() { String::new() } else { format!(", {},", parts.join(" and ")) };
    let limits =
        if limits.is_empty() { vec!["gpu_max_callback_api_events", "gpu_max_activity_api_events"] } else { limits };
    let headline = format!("The profiler dropped {n}{parts} because its limits were reached.");
    let advice = format!(
        "Idle time may be the time of these events. Capture fewer steps, or raise {} above {} in ProfileOptions.",
        limits.join(" and "),
        count(LIMIT)
    );
    let mut sign = Sign::new(NoteCode::EventsDropped, Severity::Partial, headline, advice);
    sign.n = Some(all).filter(|n| *n > 0);
    Some(sign.of_planes(profile, gpus.to_vec()))
}

/// Returns the numbers of dropped events in a warning, each with its reason: `7 events dropped because total …`.
fn drops(warning: &str) -> Vec<(u64, &str)> {
    const BECAUSE: &str = " events dropped because ";
    let mut found = Vec::new();
    let mut rest = warning;
    while let Some((before, after)) = rest.split_once(BECAUSE) {
        let number = before.rsplit(|letter: char| !letter.is_ascii_digit()).next().and_then(|n| n.parse().ok());
        let reason = after.split([';', '.', ',']).next().unwrap_or(after);
        found.extend(number.map(|n| (n, reason.trim())));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::profile::{Note, Plane};

    fn profile(notes: &[(NoteCode, &str)], plane: &str) -> Profile {
        let mut profile = Profile::default();
        profile.files.push("host.xplane.pb".to_owned());
        profile.planes.push(Plane { name: plane.to_owned(), ..Plane::default() });
        let note = |(code, text): &(NoteCode, &str)| Note::new(Severity::Info, *code, format!("{SAYS}{text}"));
        profile.notes.extend(notes.iter().map(note));
        profile
    }

    #[test]
    fn counts_of_dropped_events_are_read() {
        let warning = "Detected GPU events dropped on worker-0: Profiler has collected 2097152 driver events and 99 device \
                       events. 1200 events dropped because total driver(callback) events reaches max; 34 events dropped \
                       because total device(activity) events reaches max.";
        let profile = profile(&[(NoteCode::ProfilerWarning, warning)], "/device:GPU:0");
        let [sign] = &signs(&profile)[..] else { panic!("one sign") };
        assert_eq!((sign.code, sign.n, sign.severity), (NoteCode::EventsDropped, Some(1234), Severity::Partial));
        assert!(sign.headline.contains("1,234 events of GPUs, 1,200 calls of the driver and 34 events of devices,"));
        assert!(sign.advice.contains("gpu_max_callback_api_events and gpu_max_activity_api_events above 2,097,152"));
    }

    #[test]
    fn errors_of_cupti_are_explained() {
        let texts = [
            (NoteCode::ProfilerError, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
            (NoteCode::ProfilerError, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
        ];
        let [sign] = &signs(&profile(&texts, "/device:GPU:0"))[..] else { panic!("one sign") };
        assert_eq!((sign.severity, sign.n), (Severity::Partial, Some(1)));
        assert!(sign.advice.contains("NVreg_RestrictProfilingToAdminUsers=0") && sign.advice.contains("restart"));
        let [sign] = &signs(&profile(&texts, "/device:TPU:0"))[..] else { panic!("one sign") };
        assert_eq!(sign.severity, Severity::Caution, "the errors of other profilers may be harmless");
    }
}
