//! This module names the host events during the late part of a gap.

use super::host_class::is_of_library;
use super::host_classes::{HostClasses, LateThreads};
use super::reads::Reads;
use super::report::{GapClass, HostEvent};
use crate::analysis::base::Interval;
use crate::analysis::base::op_times::union_length;
use indexmap::IndexMap;
use xla_profile::profile::{Profile, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Number of host events that a gap names.
const MAX_HOST_EVENTS: usize = 5;

/// Returns the names of host events during the late part of a gap: the outermost one on the threads of the call, and those
/// with a known class. The events of a guessed thread around the whole time may be those of any time, such as the
/// step or the loop over steps, and are left out. If most of the gap has the class `host`, the innermost one that covers half of it tells most, and is
/// named as well. The time of a name is the time in which any host thread runs an event of this name.
pub(super) fn host_events(
    profile: &Profile,
    host: &HostClasses<'_>,
    (LateThreads { threads, guess }, late): (&LateThreads, Interval),
    main_class: Option<GapClass>,
    reads: &mut Reads,
) -> Vec<HostEvent> {
    let links = &host.links;
    let name = |thread: usize, event: u32| {
        let host_thread = &links.threads[thread];
        profile.planes[host_thread.plane].op(host_thread.line.events.op(event as usize)).name
    };
    let mut times: IndexMap<StrId, Vec<Interval>> = IndexMap::default();
    for thread in threads.iter().chain(guess) {
        let host_thread = &links.threads[*thread];
        let mut outer = 0;
        let says_more = |event: &u32| {
            let (start, end) = host_thread.times[*event as usize];
            Some(*thread) != *guess
                || !links.knows_callers
                || start > late.0
                || end < late.1
                || host.class(*thread, *event).is_some()
        };
        let read = host_thread.overlapping(late).inspect(|_| reads.add(1));
        // The mark of a step says nothing about what the host did in it.
        let mut events: Vec<u32> = read.filter(says_more).filter(|event| !host_thread.is_mark(*event)).collect();
        let covers = |event: &&u32| {
            let (start, end) = host_thread.times[**event as usize];
            end.min(late.1) - start.max(late.0) >= (late.1 - late.0) / 2
        };
        let is_of_program = |event: &&u32| !is_of_library(profile.text(name(*thread, **event)));
        let covering = || events.iter().filter(covers);
        let innermost = covering().find(is_of_program).or_else(|| covering().next()).copied();
        let innermost = innermost.filter(|_| main_class == Some(GapClass::Host));
        events.reverse();
        for event in events {
            let (start, end) = host_thread.times[event as usize];
            let is_named = start >= outer || Some(event) == innermost;
            outer = outer.max(end);
            if is_named || host.class(*thread, event).is_some() {
                times.entry(name(*thread, event)).or_default();
            }
        }
    }
    for thread in 0..links.threads.len() {
        for event in links.threads[thread].overlapping(late) {
            reads.add(1);
            if let Some(times) = times.get_mut(&name(thread, event)) {
                let (start, end) = links.threads[thread].times[event as usize];
                times.push((start.max(late.0), end.min(late.1)));
            }
        }
    }
    let host_event = |(name, mut times): (StrId, Vec<Interval>)| HostEvent {
        name: profile.text(name).to_owned(),
        total: Picos(union_length(&mut times)),
    };
    let mut events: Vec<HostEvent> =
        times.into_iter().map(host_event).filter(|event| event.total > Picos::ZERO).collect();
    events.small_sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    events.truncate(MAX_HOST_EVENTS);
    events
}
