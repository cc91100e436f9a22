//! This module joins the parts of a plane whose events were read by several threads or workers.
//!
//! ```text
//!  plane    metadata │ line 1 ░░░░░░ │ line 2 ░░░░░░░░░░░░░░░░░░░
//!  part 1   metadata │ line 1 ░░░░░░ │ line 2 ░░░░
//!  part 2   metadata │ line 1        │ line 2     ░░░░░░░░░░░░░░░   ops of its events get the ids of part 1
//! ```
//!
//! Each part reads the metadata, so the ops of the metadata are the same in all parts. Ops that events add to them are found
//! again by what made them: the name of an op without metadata, or the key of a variant.

use super::ids::OpId;
use super::model::{Line, Plane};
use super::renumbering::Renumbering;
use super::{AllocatorRow, CounterRow, StrId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// What is known of a plane of which a part is read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Division {
    /// The events at the start of the plane are in the part before.
    pub(super) continues: bool,
    /// The events at the end of the plane are in the part behind.
    pub(super) is_continued: bool,
    /// The keys of the variants that events made of ops, in the order of their ops.
    pub(super) variants: Vec<(Box<[u64]>, u32)>,
}

impl Division {
    /// Returns the division of a plane. `None` if the whole plane is read.
    pub(super) fn new(continues: bool, is_continued: bool) -> Option<Self> {
        (continues || is_continued).then(|| Self { continues, is_continued, variants: Vec::new() })
    }
}

/// The ops that events have added to a plane, by what made them.
#[derive(Default)]
pub(super) struct AddedOps {
    variants: FxHashMap<Box<[u64]>, OpId>,
    /// Ops without metadata, by their name.
    unresolved: FxHashMap<StrId, OpId>,
}

impl AddedOps {
    /// Adds the ops that the events of a part have added to `plane`. Returns the new id of each op of the part; `None` if they
    /// keep their ids. `added` is called with each op that is new, and returns its new id.
    pub(super) fn add(
        &mut self,
        plane: &Plane,
        division: Division,
        numbers: &Renumbering,
        mut added: impl FnMut(OpId) -> OpId,
    ) -> Option<Vec<OpId>> {
        let mut new_ids: Vec<OpId> = (0..plane.n_metadata as u32).map(OpId).collect();
        let mut variants = division.variants.into_iter().peekable();
        for (op, own) in (0..).map(OpId).zip(&plane.ops).skip(plane.n_metadata) {
            let id = match variants.next_if(|(_, variant)| *variant == op.0) {
                Some((key, _)) => {
                    let key = numbers.key(&key, &new_ids);
                    *self.variants.entry(key).or_insert_with(|| added(op))
                }
                None => *self.unresolved.entry(own.name).or_insert_with(|| added(op)),
            };
            new_ids.push(id);
        }
        let is_same = (0..).map(OpId).zip(&new_ids).all(|(op, id)| op == *id);
        (!is_same).then_some(new_ids)
    }
}

impl Line {
    /// Adds the events of a later part of the line. `new_ops` has the new op for each op of the part.
    pub(super) fn append(&mut self, part: Self, new_ops: Option<&[OpId]>) {
        // A part reads the fields of the line up to the end of its events, so the last part has all of them.
        if part.bytes > 0 {
            (self.id, self.timestamp_ns, self.bytes) = (part.id, part.timestamp_ns, part.bytes);
            (self.name, self.display_name) = (part.name, part.display_name);
        }
        let n = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
        let moved = |event: u32| event.saturating_add(n);
        self.events.append(part.events, new_ops);
        self.allocator.extend(part.allocator.into_iter().map(|row| AllocatorRow { event: moved(row.event), ..row }));
        self.counters.extend(part.counters.into_iter().map(|row| CounterRow { event: moved(row.event), ..row }));
        self.flows.extend(part.flows.into_iter().map(|(event, flow)| (moved(event), flow)));
        self.links.extend(part.links.into_iter().map(|(event, link)| (moved(event), link)));
        self.step_marks.extend(part.step_marks.into_iter().map(|(event, mark)| (moved(event), mark)));
        self.correlation_ids.append(part.correlation_ids, moved);
    }
}
