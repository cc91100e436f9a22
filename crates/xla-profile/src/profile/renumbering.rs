//! This module gives texts, values of memory and ops of a part the numbers that they have in the whole profile.

use super::StrId;
use super::ids::OpId;
use super::model::{Op, OpStats, Plane};
use super::value::Value;

/// The numbers that texts and values of memory get when a part is joined, by their numbers in the part.
pub(super) struct Renumbering {
    texts: Vec<StrId>,
    memories: Vec<u32>,
}

impl Renumbering {
    /// Creates the numbering of a part from the ids of its texts and the numbers of its values of memory.
    pub(super) const fn new(texts: Vec<StrId>, memories: Vec<u32>) -> Self {
        Self { texts, memories }
    }

    /// Replaces the ids of texts and the numbers of memory values in a plane.
    pub(super) fn renumber(&self, plane: &mut Plane) {
        let text = |id: &mut StrId| *id = self.text(id.number()).unwrap_or(*id);
        for Op { name, text: whole, stats, .. } in &mut plane.ops {
            text(name);
            text(whole);
            let OpStats { category, tf_op, nearest_scope, source, source_stack, .. } = stats;
            let OpStats { dedup, shape, hlo_op, hlo_module, kernel, .. } = stats;
            let of_scope = [category, tf_op, nearest_scope, source, source_stack];
            of_scope.into_iter().flatten().for_each(text);
            let all = [dedup, shape, hlo_op, hlo_module, kernel];
            all.into_iter().flatten().for_each(text);
        }
        let rows = plane.lines.iter_mut().flat_map(|line| &mut line.allocator);
        rows.filter_map(|row| row.name.as_mut()).for_each(text);
        plane.lines.iter_mut().flat_map(|line| &mut line.counters).for_each(|row| text(&mut row.stat));
        for (_, number) in &mut plane.memory as &mut Vec<(OpId, u32)> {
            *number = self.memory(*number).unwrap_or(*number);
        }
    }

    /// Returns the key of a variant: an op, and the stats of its events as words. `ops` has the new ids of ops.
    pub(super) fn key(&self, key: &[u64], ops: &[OpId]) -> Box<[u64]> {
        let Some((op, stats)) = key.split_first() else { return Box::default() };
        let op = usize::try_from(*op).ok().and_then(|op| ops.get(op)).map_or(*op, |op| op.0.into());
        let (stats, _) = stats.as_chunks::<2>();
        let word =
            |stat, word| Value::renumbered([stat, word], |number| self.text(number), |number| self.memory(number));
        let words = stats.iter().flat_map(|[stat, value]| [*stat, word(*stat, *value)]);
        std::iter::once(op).chain(words).collect()
    }

    fn text(&self, number: u32) -> Option<StrId> {
        self.texts.get(number.checked_sub(1)? as usize).copied()
    }

    fn memory(&self, number: u32) -> Option<u32> {
        self.memories.get(number as usize).copied()
    }
}
