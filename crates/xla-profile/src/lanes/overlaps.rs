//! This module draws a lane whose events may overlap. It reads all events of the lane that start before the end of the view.

use super::lane::Lane;
use super::picture::class_of;
use super::{Cell, LineTimes, N_CLASSES, PicturePart, View};

impl Lane {
    /// Calls `each` with the cells of a view, in order. Every event counts in the cells, whatever its width.
    pub(super) fn draw_overlapping(
        &self,
        times: LineTimes<'_>,
        classes: &[u8],
        view: &View,
        each: &mut dyn FnMut(PicturePart),
    ) {
        let n_columns = view.n_columns as usize;
        let mut cells = vec![Cell::default(); n_columns];
        // By class: the number of events that cover whole columns, as a change from the column before.
        let mut whole = vec![[0_i64; N_CLASSES]; n_columns + 1];
        let end = view.end();
        for position in 0..self.len() {
            let event = self.event(position);
            let (from, to) = times.time(event);
            if from >= end {
                break;
            }
            if to <= view.start && from < view.start {
                continue;
            }
            let class = class_of(classes, times, event);
            let (from, to) = (from.max(view.start), to.min(end));
            let first = view.column_of(from) as usize;
            let last = view.column_of(to.saturating_sub(1).max(from)) as usize;
            let mut add = |column: usize, time: u64| {
                if let Some(busy) = cells.get_mut(column).and_then(|cell| cell.busy.get_mut(class)) {
                    *busy = busy.saturating_add(time);
                }
            };
            if first == last {
                add(first, to - from);
            } else {
                add(first, view.end_of(first as u32) - from);
                add(last, to - view.end_of(last as u32 - 1));
                if let Some(change) = whole.get_mut(first + 1).and_then(|change| change.get_mut(class)) {
                    *change += 1;
                }
                if let Some(change) = whole.get_mut(last).and_then(|change| change.get_mut(class)) {
                    *change -= 1;
                }
            }
            if let Some(cell) = cells.get_mut(first) {
                cell.n = cell.n.saturating_add(1);
            }
        }
        let mut open = [0_i64; N_CLASSES];
        for ((column, cell), change) in cells.iter_mut().enumerate().zip(&whole) {
            cell.column = column as u32;
            for ((open, change), busy) in open.iter_mut().zip(change).zip(&mut cell.busy) {
                *open += change;
                *busy = busy.saturating_add(view.column.saturating_mul((*open).max(0).cast_unsigned()));
            }
            if !cell.is_empty() {
                each(PicturePart::Cell(*cell));
            }
        }
    }

    /// Returns the event at `time` that starts last, or the nearest one at most `tolerance` away.
    pub(super) fn overlapping_event_at(&self, times: LineTimes<'_>, time: u64, tolerance: u64) -> Option<usize> {
        let distance = |position: &usize| {
            let (start, end) = self.time(times, *position);
            start.saturating_sub(time).max(time.saturating_sub(end))
        };
        let to = self
            .partition_point(0, self.len(), |position| self.time(times, position).0 <= time.saturating_add(tolerance));
        let nearest = (0..to).min_by_key(|position| (distance(position), std::cmp::Reverse(*position)))?;
        (distance(&nearest) <= tolerance).then(|| self.event(nearest))
    }
}
