//! This module draws a part of a lane at a scale: wide events as boxes, and narrow ones as the sums of columns.

use super::lane::{BLOCK, Lane};
use super::{LineTimes, N_CLASSES};

/// The part of the axis that a picture shows, and its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Start of the first column, in ps on the axis.
    pub start: u64,
    /// Width of a column in ps; at least 1.
    pub column: u64,
    pub n_columns: u32,
    /// The least width, in ps, of an event that is drawn as a box. It must be at least the width of a column.
    pub box_from: u64,
}

impl View {
    /// Returns the end of the last column, in ps.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.column.saturating_mul(self.n_columns.into()))
    }

    /// Returns the column of a time. A time before the view belongs to the first column.
    pub(super) fn column_of(&self, time: u64) -> u32 {
        let column = time.saturating_sub(self.start).checked_div(self.column).unwrap_or(0);
        u32::try_from(column).unwrap_or(u32::MAX)
    }

    /// Returns the end of a column, in ps.
    pub(super) fn end_of(&self, column: u32) -> u64 {
        self.start.saturating_add(self.column.saturating_mul(u64::from(column) + 1))
    }
}

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PicturePart {
    /// A wide event.
    Box {
        /// Index of the event in the line.
        event: usize,
        /// Start in ps on the axis, which may be before the view.
        start: u64,
        /// End in ps on the axis, which may be after the view.
        end: u64,
    },
    /// The narrow events of a column.
    Cell(Cell),
}

/// The narrow events of one column of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Index of the column.
    pub column: u32,
    /// Number of events that start in the column, or start before the view and reach into its first column.
    pub n: u32,
    /// Time of the events in the column by class, in ps.
    pub busy: [u64; N_CLASSES],
}

impl Cell {
    /// Returns whether no event touches the column.
    pub(super) fn is_empty(&self) -> bool {
        self.n == 0 && self.busy.iter().all(|time| *time == 0)
    }
}

impl Lane {
    /// Calls `each` with the boxes and the cells of a view, in order of time. The ends of the lane must ascend.
    pub(super) fn draw(&self, times: LineTimes<'_>, classes: &[u8], view: &View, each: &mut dyn FnMut(PicturePart)) {
        let end = view.end();
        let mut cell = Cell::default();
        let mut position = self.first_after(times, view.start);
        while position < self.len() {
            let event = self.event(position);
            let (from, to) = times.time(event);
            if from >= end {
                break;
            }
            if to - from >= view.box_from {
                each(PicturePart::Box { event, start: from, end: to });
                position += 1;
                continue;
            }
            // By rounding, a successor may start just before its predecessor has ended in a later column.
            let column = view.column_of(from).max(cell.column);
            if column != cell.column {
                pass(&mut cell, column, each);
            }
            let column_end = view.end_of(column);
            if position.is_multiple_of(BLOCK) && from >= view.start {
                let n = self.blocks_until(times, position / BLOCK, column_end);
                if n > 0 {
                    self.add_blocks(position / BLOCK, position / BLOCK + n, &mut cell.busy);
                    cell.n = cell.n.saturating_add((n * BLOCK) as u32);
                    position += n * BLOCK;
                    continue;
                }
            }
            cell.n = cell.n.saturating_add(1);
            let class = class_of(classes, times, event);
            let (mut now, to, mut column) = (from.max(view.start), to.min(end), column);
            while now < to {
                let until = view.end_of(column).min(to);
                cell.busy[class] = cell.busy[class].saturating_add(until.saturating_sub(now));
                now = now.max(until);
                if now < to {
                    column = column.saturating_add(1);
                    pass(&mut cell, column, each);
                }
            }
            position += 1;
        }
        pass(&mut cell, 0, each);
    }

    /// Returns the number of whole blocks, from block `first` on, whose events all end by `time`.
    fn blocks_until(&self, times: LineTimes<'_>, first: usize, time: u64) -> usize {
        let whole = self.len() / BLOCK;
        let is_in = |block: usize| self.time(times, block * BLOCK + BLOCK - 1).1 <= time;
        if first >= whole || !is_in(first) {
            return 0;
        }
        // Most columns hold few blocks, so the range of the search doubles.
        let (mut known, mut step) = (first, 1);
        while known + step < whole && is_in(known + step) {
            known += step;
            step *= 2;
        }
        self.partition_point(known + 1, whole.min(known + step), is_in) - first
    }
}

/// Returns the index of the class of an event.
pub(super) fn class_of(classes: &[u8], times: LineTimes<'_>, event: usize) -> usize {
    let class = classes.get(times.op(event).0 as usize).copied().unwrap_or(u8::MAX);
    usize::from(class).min(N_CLASSES - 1)
}

/// Passes a cell on, unless it is empty, and begins the one of `column`.
fn pass(cell: &mut Cell, column: u32, each: &mut dyn FnMut(PicturePart)) {
    if !cell.is_empty() {
        each(PicturePart::Cell(*cell));
    }
    *cell = Cell { column, ..Cell::default() };
}
