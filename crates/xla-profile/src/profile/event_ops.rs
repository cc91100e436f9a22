//! This module finds the op of an event. Nearly all events have the op of their metadata, or a variant that occurred before.

use super::builder::{Builder, push_op};
use super::ids::OpId;
use super::memory;
use super::model::{Op, OpStats};
use super::stats::set;
use super::value::TAG_BITS;

impl Builder<'_> {
    /// Returns the op of the event's metadata, or the variant of that op with the event's own stats.
    pub(super) fn op_of(&mut self, metadata_id: i64) -> u32 {
        let base = self.ops.get(metadata_id).unwrap_or_else(|| self.unresolved(metadata_id));
        if self.pending.overrides.is_empty() {
            return base;
        }
        let pending = &mut self.pending;
        pending.key.clear();
        pending.key.push(u64::from(base));
        for (which, value) in &pending.overrides {
            let [tag, word] = value.words();
            pending.key.extend([(*which as u64) << TAG_BITS | tag, word]);
        }
        if pending.last.0 == pending.key {
            return pending.last.1;
        }
        let op = match self.variants.get(pending.key.as_slice()) {
            Some(op) => *op,
            None => {
                let mut op = self.plane.ops[base as usize].clone();
                for (which, value) in &pending.overrides {
                    set(&mut op.stats, *which, *value, &mut self.profile.strings);
                }
                let id = push_op(&mut self.plane.ops, op);
                let stated = pending.overrides.iter().find_map(|(_, value)| value.memory());
                if let Some(number) = stated.or_else(|| memory::value_of(&self.plane.memory, OpId(base))) {
                    memory::put(&mut self.plane.memory, id, number);
                }
                self.variants.insert(pending.key.as_slice().into(), id);
                id
            }
        };
        std::mem::swap(&mut pending.last.0, &mut pending.key);
        pending.last.1 = op;
        op
    }

    /// Adds an op for an id that the metadata does not have.
    #[cold]
    fn unresolved(&mut self, metadata_id: i64) -> u32 {
        let name = self.profile.strings.intern(&format!("unresolved event {metadata_id}"));
        let op = Op { resolved: false, name, text: name, stats: OpStats::default() };
        let id = push_op(&mut self.plane.ops, op);
        self.ops.insert(metadata_id, id);
        id
    }
}
