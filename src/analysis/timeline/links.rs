//! This module joins events that belong together by the ids that they share: the correlation id of a launch, the id of a run, and
//! the context of work that one thread begins and another one goes on with.

use super::event_report::FlowKind;
use super::report::LineRef;
use super::tracks::line_at;
use crate::analysis::base::device::device_number;
use rustc_hash::FxHashMap;
use xla_profile::profile::{EventLink, Line, LinkContext, Plane, Profile, RunId};

/// The id that joins events of one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum JointId {
    Launch(u32),
    Run(RunId),
    Context(LinkContext),
}

impl JointId {
    const fn kind(self) -> FlowKind {
        match self {
            Self::Launch(_) => FlowKind::Launch,
            Self::Run(_) => FlowKind::Run,
            Self::Context(_) => FlowKind::Context,
        }
    }
}

/// The id of an event, its file, and whether the event starts what the others with this id go on with.
#[derive(Clone, Copy)]
struct Joint {
    key: (usize, JointId),
    is_source: bool,
}

/// The events of each id.
pub(super) struct Links(FxHashMap<(usize, JointId), Sides>);

/// The events of one id.
#[derive(Default)]
struct Sides {
    sources: Vec<Member>,
    targets: Vec<Member>,
}

/// An event with an id.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub line: LineRef,
    pub event: u32,
    /// Whether the event starts what the others with this id go on with.
    pub is_source: bool,
}

impl Links {
    pub(super) fn new(profile: &Profile, lines: impl Iterator<Item = LineRef>) -> Self {
        let mut all: FxHashMap<(usize, JointId), Sides> = FxHashMap::default();
        for line_ref in lines {
            let Some((plane, line)) = line_at(profile, line_ref) else { continue };
            let launches = line.launches.iter().map(|(event, id)| (*event, launch(plane, *id)));
            let links =
                line.links.iter().flat_map(|(event, link)| joints(plane, *link).map(move |joint| (*event, joint)));
            for (event, joint) in launches.chain(links) {
                let sides = all.entry(joint.key).or_default();
                let side = if joint.is_source { &mut sides.sources } else { &mut sides.targets };
                side.push(Member { line: line_ref, event, is_source: joint.is_source });
            }
        }
        Self(all)
    }

    /// Iterates over all pairs of events that belong together, in no order: the source, the other event, and why.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Member, Member, FlowKind)> + '_ {
        self.0.iter().flat_map(|((_, id), sides)| {
            let targets = move |source| sides.targets.iter().map(move |target| (source, *target, id.kind()));
            sides.sources.iter().copied().flat_map(targets)
        })
    }

    /// Returns the events that belong to an event, at most `limit` for each of its ids, in the order of their lines.
    pub(super) fn others(
        &self,
        profile: &Profile,
        line_ref: LineRef,
        event: u32,
        limit: usize,
    ) -> Vec<(Member, FlowKind)> {
        let Some((plane, line)) = line_at(profile, line_ref) else { return Vec::new() };
        let links = of_event(&line.links, event).iter().flat_map(|(_, link)| joints(plane, *link));
        let launches = of_event(&line.launches, event).iter().map(|(_, id)| launch(plane, *id));
        let mut found: Vec<(Member, FlowKind)> = Vec::new();
        for joint in links.chain(launches) {
            let Some(sides) = self.0.get(&joint.key) else { continue };
            let (kind, others) = (joint.key.1.kind(), if joint.is_source { &sides.targets } else { &sides.sources });
            found.extend(others.iter().take(limit).map(|member| (*member, kind)));
        }
        // Of several ids of the same pair, the one that tells most counts.
        found.sort_by_key(|(member, kind)| (member.line, member.event, *kind));
        found.dedup_by_key(|(member, _)| (member.line, member.event));
        found
    }
}

/// Returns the indices of the events of a line that have an id, in order.
pub(super) fn linked_events(line: &Line) -> Vec<u32> {
    let launches = line.launches.iter().map(|(event, _)| *event);
    let mut events: Vec<u32> = line.links.iter().map(|(event, _)| *event).chain(launches).collect();
    events.sort_unstable();
    events.dedup();
    events
}

/// Returns the entries of one event. The entries of a line are in the order of its events.
fn of_event<T>(entries: &[(u32, T)], event: u32) -> &[(u32, T)] {
    let from = entries.partition_point(|(other, _)| *other < event);
    let to = entries.partition_point(|(other, _)| *other <= event);
    &entries[from..to]
}

fn launch(plane: &Plane, id: u32) -> Joint {
    Joint { key: (plane.file, JointId::Launch(id)), is_source: plane.is_host() }
}

/// Returns the ids of a link. A run has the number of its device; a host call without a number enqueues the run on all
/// devices, and a device also has the id without a number, so that it finds this call.
fn joints(plane: &Plane, link: EventLink) -> impl Iterator<Item = Joint> {
    let is_source = plane.is_host();
    let number = device_number(plane);
    let run = |run: RunId, device| JointId::Run(RunId { device, ..run });
    let (first, second, is_source) = match link {
        EventLink::Produces(context) => (JointId::Context(context), None, true),
        EventLink::Consumes(context) => (JointId::Context(context), None, false),
        EventLink::Run(linked_run) if is_source => (run(linked_run, linked_run.device), None, true),
        EventLink::Run(linked_run) => {
            (run(linked_run, linked_run.device.or(number)), Some(run(linked_run, None)), false)
        }
    };
    let file = plane.file;
    [Some(first), second].into_iter().flatten().map(move |id| Joint { key: (file, id), is_source })
}
