//! This module joins events that belong together by the ids that they share: the correlation id of a launch, the id of a run, and
//! the context of work that one thread begins and another one goes on with.

use super::report::{FlowKind, LineRef};
use super::tracks::line_at;
use crate::profile::{EventLink, LinkContext, Plane, Profile, RunId};
use rustc_hash::FxHashMap;

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
pub(super) struct Links(FxHashMap<(usize, JointId), Vec<Member>>);

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
        let mut all: FxHashMap<(usize, JointId), Vec<Member>> = FxHashMap::default();
        for of in lines {
            let Some((plane, line)) = line_at(profile, of) else { continue };
            let launches = line.launches.iter().map(|(event, id)| (*event, launch(plane, *id)));
            let links =
                line.links.iter().flat_map(|(event, link)| joints(plane, *link).map(move |joint| (*event, joint)));
            for (event, joint) in launches.chain(links) {
                all.entry(joint.key).or_default().push(Member { line: of, event, is_source: joint.is_source });
            }
        }
        Self(all)
    }

    /// Iterates over all pairs of events that belong together, in no order: the source, the other event, and why.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Member, Member, FlowKind)> + '_ {
        self.0.iter().flat_map(|((_, id), members)| {
            let (sources, targets) =
                (members.iter().filter(|of| of.is_source), members.iter().filter(|of| !of.is_source));
            sources.flat_map(move |source| targets.clone().map(move |target| (*source, *target, id.kind())))
        })
    }

    /// Returns the events that belong to an event, at most `limit` for each of its ids, in the order of their lines.
    pub(super) fn others(&self, profile: &Profile, of: LineRef, event: u32, limit: usize) -> Vec<(Member, FlowKind)> {
        let Some((plane, line)) = line_at(profile, of) else { return Vec::new() };
        let links = line.links.iter().filter(|(other, _)| *other == event).flat_map(|(_, link)| joints(plane, *link));
        let launches = line.launches.iter().filter(|(other, _)| *other == event).map(|(_, id)| launch(plane, *id));
        let mut found: Vec<(Member, FlowKind)> = Vec::new();
        for joint in links.chain(launches) {
            let kind = joint.key.1.kind();
            let members = self.0.get(&joint.key).into_iter().flatten();
            let others = members.filter(|member| member.is_source != joint.is_source);
            found.extend(others.take(limit).map(|member| (*member, kind)));
        }
        // Of several ids of the same pair, the one that tells most counts.
        found.sort_by_key(|(member, kind)| (member.line, member.event, *kind));
        found.dedup_by_key(|(member, _)| (member.line, member.event));
        found
    }
}

fn launch(plane: &Plane, id: u32) -> Joint {
    Joint { key: (plane.file, JointId::Launch(id)), is_source: plane.is_host() }
}

/// Returns the ids of a link. A run has the number of its device; a host call without a number enqueues the run on all
/// devices, and a device also has the id without a number, so that it finds this call.
fn joints(plane: &Plane, link: EventLink) -> impl Iterator<Item = Joint> {
    let is_source = plane.is_host();
    let number = plane.name.rsplit(':').next().and_then(|number| number.parse::<u64>().ok());
    let run = |run: RunId, device| JointId::Run(RunId { device, ..run });
    let (first, second, is_source) = match link {
        EventLink::Produces(context) => (JointId::Context(context), None, true),
        EventLink::Consumes(context) => (JointId::Context(context), None, false),
        EventLink::Run(of) if is_source => (run(of, of.device), None, true),
        EventLink::Run(of) => (run(of, of.device.or(number)), Some(run(of, None)), false),
    };
    let file = plane.file;
    [Some(first), second].into_iter().flatten().map(move |id| Joint { key: (file, id), is_source })
}
