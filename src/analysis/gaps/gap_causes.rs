//! This module holds the runs of a device, or the kernels of a GPU, and divides a gap into what the run after it waited
//! for.

use super::host_class::host_class;
use super::report::GapClass;
use super::window::RawGap;
use crate::analysis::base::host_links::{HostEventId, HostLinks};
use crate::analysis::base::{Device, Interval, Platform, intervals};
use crate::profile::{EventLink, Line, OpId, Plane, Profile};
use crate::small_sort::SmallSort;

/// A gap of a GPU in ps from which on the time after an early launch is unexplained. HTA uses the same limit.
const KERNEL_GAP: u64 = 5_000_000;

/// A part of a gap: its class and its time.
pub(super) type CausePart = (GapClass, Interval);

/// The parts of a gap, and why it has them.
#[derive(Default)]
pub(super) struct DividedGap {
    pub parts: Vec<CausePart>,
    /// The program run that ends the gap.
    pub run: Option<OpId>,
    /// The part in which the host was late.
    pub late: Option<Interval>,
    /// The threads on which the host call depended.
    pub threads: Vec<usize>,
    /// The thread on which it may have depended, if that is a guess.
    pub guess: Option<usize>,
}

/// A run of a program on a device, or a kernel of a GPU.
pub(super) struct Run {
    pub time: Interval,
    pub op: OpId,
    pub enqueue: Option<HostEventId>,
}

/// The runs of a device, and the waits within them.
pub(super) struct Runs<'a> {
    pub platform: Platform,
    /// In order of their start.
    pub all: Vec<Run>,
    /// `barrier-cores` and `dependency-wait` of the line `XLA TraceMe`, in order of their start.
    waits: Vec<CausePart>,
    profile: &'a Profile,
}

impl<'a> Runs<'a> {
    pub fn new(profile: &'a Profile, plane: &'a Plane, device: &Device, host: &HostLinks<'_>) -> Self {
        let number = plane.name.rsplit(':').next().and_then(|number| number.parse().ok());
        let mut all = Vec::new();
        let mut waits = Vec::new();
        let each = |line: &'a Line| Some(intervals(line, device.event_clock)?.into_iter().enumerate());
        for line in &plane.lines {
            match &*line.name {
                "XLA Modules" if device.platform != Platform::Gpu => {
                    let mut links = line.links.iter().peekable();
                    for (event, time) in each(line).into_iter().flatten() {
                        // All links of the event are taken, although the first one may suffice.
                        let own: Vec<EventLink> = std::iter::from_fn(|| links.next_if(|(of, _)| *of as usize == event))
                            .map(|(_, link)| *link)
                            .collect();
                        all.push(Run { time, op: line.events.op(event), enqueue: host.enqueue(&own, number) });
                    }
                }
                "XLA TraceMe" => waits.extend(each(line).into_iter().flatten().filter_map(|(event, time)| {
                    match profile.text(plane.op(line.events.op(event)).name) {
                        "barrier-cores" => Some((GapClass::Barrier, time)),
                        "dependency-wait" => Some((GapClass::Dependency, time)),
                        _ => None,
                    }
                })),
                _ => {}
            }
        }
        if device.platform == Platform::Gpu {
            for line in device.ops.iter().map(|i| &plane.lines[*i]) {
                let mut launches = line.launches.iter().peekable();
                for (event, time) in each(line).into_iter().flatten() {
                    let launch = launches.next_if(|(of, _)| *of as usize == event);
                    let enqueue = launch.and_then(|(_, correlation)| host.launch(*correlation));
                    all.push(Run { time, op: line.events.op(event), enqueue });
                }
            }
        }
        all.small_sort_by_key(|run| run.time);
        waits.small_sort_by_key(|(_, time)| *time);
        Self { platform: device.platform, all, waits, profile }
    }

    /// Divides a gap into parts.
    pub fn divide_gap(&self, host: &HostLinks<'_>, gap: &RawGap) -> DividedGap {
        let (start, end) = gap.time;
        let mut found = DividedGap::default();
        if gap.is_outside {
            found.parts.push((GapClass::Capture, gap.time));
            return found;
        }
        // The run that holds the op that ends the gap. If the gap ends at the end of the window, the run that holds it.
        let at = self.all.partition_point(|run| run.time.0 <= gap.ends_before);
        let run = self.all[..at].last().filter(|run| run.time.1 > gap.ends_before);
        let Some(run) = run else {
            found.parts.push((GapClass::Unexplained, gap.time));
            return found;
        };
        found.run = Some(run.op);
        let mut now = start;
        let run_start = run.time.0.clamp(start, end);
        if let Some(call) = run.enqueue {
            let late = host.time(call).1.clamp(now, run_start);
            if late > now {
                found.late = Some((now, late));
                for part in host.wait_parts(call, now) {
                    let part_window = (part.window.0, part.window.1.min(late));
                    let threads: Vec<usize> = part.threads.iter().copied().chain(part.guess).collect();
                    self.host_parts(host, &threads, part_window, &mut found.parts);
                    found.guess = found.guess.or(part.guess);
                    for thread in part.threads {
                        if !found.threads.contains(&thread) {
                            found.threads.push(thread);
                        }
                    }
                }
                found.guess = found.guess.filter(|guess| !found.threads.contains(guess));
                now = late;
            }
            if run_start > now {
                let waits_in_stream =
                    self.platform == Platform::Gpu && found.late.is_none() && end - start >= KERNEL_GAP;
                let class = if waits_in_stream { GapClass::Unexplained } else { GapClass::Launch };
                found.parts.push((class, (now, run_start)));
                now = run_start;
            }
        } else if run_start > now {
            found.parts.push((GapClass::Unexplained, (now, run_start)));
            now = run_start;
        }
        let first = self.waits.partition_point(|(_, time)| time.1 <= now);
        for (class, wait) in self.waits[first..].iter().take_while(|(_, time)| time.0 < end) {
            let (from, to) = (wait.0.max(now), wait.1.min(end));
            if from > now {
                found.parts.push((GapClass::Unexplained, (now, from)));
            }
            if to > from {
                found.parts.push((*class, (from, to)));
                now = to;
            }
        }
        if end > now {
            found.parts.push((GapClass::Unexplained, (now, end)));
        }
        found
    }

    /// Divides a stretch of time in which the host was late by the classes of host events. Of several threads, the
    /// first one with an event of a known class counts.
    fn host_parts(&self, host: &HostLinks<'_>, threads: &[usize], window: Interval, parts: &mut Vec<CausePart>) {
        let mut free = vec![window];
        let mut classified: Vec<CausePart> = Vec::new();
        for thread in threads {
            for (class, (from, to)) in self.classified(host, *thread, window) {
                let mut left = Vec::new();
                for (start, end) in free {
                    let (a, b) = (from.max(start), to.min(end));
                    if a >= b {
                        left.push((start, end));
                        continue;
                    }
                    classified.push((class, (a, b)));
                    left.extend([(start, a), (b, end)].into_iter().filter(|(start, end)| start < end));
                }
                free = left;
            }
        }
        classified.extend(free.into_iter().filter(|(start, end)| start < end).map(|time| (GapClass::Host, time)));
        classified.small_sort_by_key(|(_, time)| *time);
        parts.extend(classified);
    }

    /// Returns the events of a thread with a known class within a window, in order of time. Events within such an event
    /// do not count.
    fn classified(&self, host: &HostLinks<'_>, thread: usize, window: Interval) -> Vec<CausePart> {
        let of = &host.threads[thread];
        let plane = &self.profile.planes[of.plane];
        let mut events: Vec<u32> = of.overlapping(window).collect();
        events.reverse();
        let (mut now, mut parts) = (window.0, Vec::new());
        for event in events {
            let (start, end) = of.times[event as usize];
            if end <= now {
                continue;
            }
            if let Some(class) = host_class(self.profile.text(plane.op(of.line.events.op(event as usize)).name)) {
                parts.push((class, (start.max(now), end.min(window.1))));
                now = end;
            }
        }
        parts
    }
}
