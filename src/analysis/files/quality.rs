//! This module lists the gaps of a session. Each finding has its consequence and its remedy, so that users see in one
//! place how far they can trust the figures.
//!
//! ```text
//!  notes of the reader and of devices ──kind, remedy──┐
//!  absent lines, stats and programs ──────────────────┼──► findings, the worst kinds first
//!  starts without dones, events without names ────────┘
//! ```
//!
//! A gap that has a note is taken from the note, and is not detected again. This module depends on devices, lines and
//! codes of notes, and not on bytes.

use super::report::{FileView, Finding, FindingKind, PlaneRole};
use crate::analysis::base::{Analysis, Device, Framework, Platform};
use indexmap::IndexMap;
use xla_profile::profile::{Line, Note, NoteCode, Op, OpId, Plane, Profile};
use xla_profile::small_sort::SmallSort;

const XSPACE: &str = "Open the session’s .xplane.pb, alone or beside it.";
const AGAIN: &str = "Copy the file again, or capture again.";

/// Returns the kind and the remedy of a note. `None` for notes that describe no gap.
fn finding_of_note(
    note: &Note,
    is_trace_json: bool,
    framework: Framework,
) -> Option<(FindingKind, Option<&'static str>)> {
    use FindingKind as K;
    use NoteCode as C;
    Some(match note.code {
        // The profiler limits the size of trace JSON. The .xplane.pb of the same session is complete.
        C::PartialFile | C::StepNotInFile if is_trace_json => (K::Truncated, Some(XSPACE)),
        C::StepNotInFile | C::PartialFile | C::FileNotRead | C::MembersPassedOver | C::LinesLeftOut => {
            (K::Truncated, Some(AGAIN))
        }
        C::LeftOut => (K::Missing, Some("Open the files again, and choose those too.")),
        C::LongTexts => (K::Truncated, Some(XSPACE)),
        C::ProfilerError | C::ProfilerErrors | C::ProfilerWarning => (K::Profiler, None),
        C::UnnamedStats => (K::Unresolved, None),
        C::NegativeTime
        | C::ImplausibleTime
        | C::MixedClock
        | C::OverlappingSteps
        | C::AggregatedEvents
        | C::AllocatorClock
        | C::ClockBeforeCapture
        | C::DeviceClockBehind
        | C::TimeOverflow => (K::Clock, None),
        C::ClockSkew => (K::Clock, Some("Synchronize the clocks of the hosts with one time server.")),
        C::HostsNotAligned | C::StepsFromModules => (K::Missing, Some(framework.steps())),
        C::KinetoTrace => (K::Missing, Some("Open it in Perfetto.")),
        C::NoSteps | C::NoTpuOps | C::StepsOfSomeHosts => (K::Missing, Some(framework.whole())),
        C::TraceJson => (K::Missing, Some(XSPACE)),
        C::BuffersDropped
        | C::DeviceEndsEarly
        | C::DeviceStartsLate
        | C::EventsDropped
        | C::LaunchesWithoutKernels
        | C::RunsWithoutDevice
        | C::StepLostOps
        | C::TracesDropped => (K::Dropped, None),
        C::DevicesMissing | C::DeviceTraceOff | C::DerivedRuns | C::CommandBuffers | C::OpsWithoutHlo => {
            (K::Missing, None)
        }
        _ => return None,
    })
}

impl Analysis {
    /// Lists the gaps of the session. `view` holds its planes, programs and notes.
    pub(crate) fn quality(&self, profile: &Profile, view: &FileView) -> Vec<Finding> {
        let framework = Framework::detect(profile);
        let is_trace_json = view.notes.iter().any(|note| note.code == NoteCode::TraceJson);
        // A sign of lost events has its number apart from its note.
        let n_of = |note: &Note| {
            let mut signs = self.completeness.signs.iter();
            signs.find(|sign| sign.code == note.code && sign.place == note.place).and_then(|sign| sign.n)
        };
        let from_note = |note: &Note| {
            let finding = finding_from_note(note, is_trace_json, framework)?;
            Some(Finding { n: n_of(note).or(finding.n), ..finding })
        };
        let mut found: Vec<Finding> = view.notes.iter().filter_map(from_note).collect();
        let with_unresolved = profile.planes.iter().filter(|plane| plane.ops.iter().any(|op| !op.resolved));
        found.extend(with_unresolved.filter_map(|plane| {
            let named = |op: &OpId| !plane.op(*op).resolved;
            let n = plane.lines.iter().map(|line| line.events.ops().filter(named).count() as u64).sum::<u64>();
            (n > 0).then(|| Finding {
                kind: FindingKind::Unresolved,
                place: Some(plane.name.clone()),
                n: Some(n),
                consequence: "Events refer to missing metadata. Their time counts as “unresolved event”.".to_owned(),
                remedy: Some(AGAIN.to_owned()),
            })
        }));
        let mut lacks: IndexMap<MissingData, Vec<&str>> = IndexMap::default();
        for device in &self.devices {
            let plane = &profile.planes[device.plane];
            for lack in lacking(plane, device) {
                lacks.entry(lack).or_default().push(&device.label);
            }
            found.extend(unpaired(profile, plane, device, framework));
        }
        found.extend(lacks.into_iter().map(|(lack, labels)| finding_of(lack, &labels, framework)));
        if profile.hlo.is_empty() && !self.devices.is_empty() {
            found.push(missing(
                "The capture has no HLO proto: the memory view, program texts and the contents of fusions are missing.",
                "Open the session’s .hlo_proto.pb files beside it, or the output of --xla_dump_hlo_as_proto for the same programs.",
            ));
        }
        let of_hosts = |plane: &super::report::FilePlane| plane.role == PlaneRole::Host && plane.n_events > 0;
        if !self.devices.is_empty() && !view.planes.iter().any(of_hosts) {
            found.push(missing(
                "The capture has no host events, so the memory in use at run time, and the work of hosts while a device waits, are unknown.",
                "Capture with ProfileOptions.host_tracer_level of 1 or more.",
            ));
        }
        found.small_sort_by_key(|lack| lack.kind);
        found
    }
}

fn finding_from_note(note: &Note, is_trace_json: bool, framework: Framework) -> Option<Finding> {
    let (kind, remedy) = finding_of_note(note, is_trace_json, framework)?;
    let (place, consequence) = (note.place.clone(), note.message.clone());
    // A note about a number of things begins with that number.
    let n = note.message.split(' ').next().and_then(|first| first.parse().ok());
    Some(Finding { kind, place, n, consequence, remedy: remedy.map(str::to_owned) })
}

fn missing(consequence: &str, remedy: &str) -> Finding {
    let (consequence, remedy) = (consequence.to_owned(), Some(remedy.to_owned()));
    Finding { kind: FindingKind::Missing, place: None, n: None, consequence, remedy }
}

/// Data that a device's plane lacks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum MissingData {
    Modules,
    Async,
    Source,
}

fn lacking(plane: &Plane, device: &Device) -> Vec<MissingData> {
    let has = |is: &dyn Fn(&Line) -> bool| plane.lines.iter().any(|line| is(line) && !line.events.is_empty());
    let is_tpu = device.platform == Platform::Tpu;
    let mut lacks = Vec::new();
    if is_tpu && !has(&|line| line.name == "XLA Modules") {
        lacks.push(MissingData::Modules);
    }
    if is_tpu && !has(&Line::is_async) {
        lacks.push(MissingData::Async);
    }
    if plane.ops.iter().all(|op| op.stats.source.is_none()) {
        lacks.push(MissingData::Source);
    }
    lacks
}

fn finding_of(lack: MissingData, labels: &[&str], framework: Framework) -> Finding {
    let (consequence, remedy) = match lack {
        MissingData::Modules => {
            ("The capture has no “XLA Modules” line, so program runs are unknown.", Some(framework.whole()))
        }
        MissingData::Async => (
            "The capture has no “Async XLA Ops” line. Overlap is inferred from pairs of start and done ops; other asynchronous ops \
             are not visible.",
            None,
        ),
        MissingData::Source => {
            ("No op has a source location, so ops cannot be grouped by source.", Some(framework.source()))
        }
    };
    let place = match labels {
        [first, .., last] => format!("{} devices, {first} to {last}", labels.len()),
        _ => labels.concat(),
    };
    Finding {
        kind: FindingKind::Missing,
        place: Some(place),
        n: Some(labels.len() as u64),
        consequence: consequence.to_owned(),
        remedy: remedy.map(str::to_owned),
    }
}

/// Reports starts and dones of the same op that differ in number: `all-gather-start.1`, `all-gather-done.7`.
fn unpaired(profile: &Profile, plane: &Plane, device: &Device, framework: Framework) -> Option<Finding> {
    let half = |op: &Op| {
        let name = profile.text(op.name);
        let start = name.split_once("-start").map(|(base, _)| (base, 1));
        start.or_else(|| name.split_once("-done").map(|(base, _)| (base, -1)))
    };
    let halves: Vec<Option<(&str, i64)>> = plane.ops.iter().map(half).collect();
    let mut n_events = vec![0_i64; halves.len()];
    if halves.iter().any(Option::is_some) {
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            line.events.ops().for_each(|op| {
                if let Some(n) = n_events.get_mut(op.0 as usize) {
                    *n += 1;
                }
            });
        }
    }
    let mut sums: IndexMap<&str, i64> = IndexMap::default();
    for (half, n) in halves.iter().zip(n_events) {
        if let Some((base, by)) = half {
            *sums.entry(*base).or_default() += by * n;
        }
    }
    let n: u64 = sums.into_iter().map(|(_, sum)| sum.unsigned_abs()).sum();
    (n > 0).then(|| Finding {
        kind: FindingKind::Unpaired,
        place: Some(device.label.clone()),
        n: Some(n),
        consequence: "Asynchronous ops have a start without a done, or a done without a start, as at the ends of a capture. Their time in flight is unknown."
            .to_owned(),
        remedy: Some(framework.whole().to_owned()),
    })
}
