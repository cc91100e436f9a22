//! This module draws the events of a line as marks: wide events as boxes with their names, narrow ones as columns in which the kinds
//! are stacked.

use super::viewport::Viewport;
use crate::analysis::classify::Kind;
use crate::analysis::timeline::cells::{self, NO_KIND};
use crate::analysis::timeline::{LinePicture, PictureQuery};
use crate::chart::plot::label::mono_room;
use crate::chart::plot::scene::{Mark, Paint, Shape, Tone};
use crate::chart::plot::time_part::TimePart;
use crate::table::format;
use xla_profile::lanes::N_CLASSES;
use xla_profile::units::Picos;

/// Least width of an event that shows its name, in px.
const NAMED: f64 = 34.0;
/// Size of names, in px.
pub(super) const NAME_SIZE: f64 = 11.0;

/// The place of a picture on a chart.
#[derive(Clone, Copy, Debug)]
pub(in crate::chart) struct LineFrame<'a> {
    /// The visible part.
    pub(in crate::chart) view: Viewport,
    /// Left side of the picture, and its width, in px.
    pub(in crate::chart) left: f64,
    pub(in crate::chart) width: f64,
    /// The query of the picture.
    pub(in crate::chart) query: &'a PictureQuery,
    /// The names to which boxes refer.
    pub(in crate::chart) names: &'a [String],
}

/// The place of the lanes of a line.
#[derive(Clone, Copy)]
pub(in crate::chart) struct LanePlace<'a> {
    /// Height of an event, in px.
    pub(in crate::chart) block: f64,
    /// Whether all lanes are drawn on top of each other.
    pub(in crate::chart) is_folded: bool,
    /// Returns the top of a lane in px. `None` for a lane that is not drawn.
    pub(in crate::chart) top: &'a dyn Fn(u32) -> Option<f64>,
    /// The id of the mark of the first box; the following boxes have the following ids. `None` if they have none.
    pub(in crate::chart) first_id: Option<u32>,
}

impl LineFrame<'_> {
    /// Returns the pixel of a time.
    pub(in crate::chart) fn x(&self, time: Picos) -> f64 {
        self.left + self.view.x(time.0, self.width)
    }

    /// Returns the left side and the width of a time, cut at the sides of the picture. `None` if it is not in the picture.
    pub(in crate::chart) fn span(&self, start: Picos, end: Picos) -> Option<(f64, f64)> {
        let whole_right = self.left + self.width;
        let (x, right) = (self.x(start).max(self.left), self.x(end).min(whole_right));
        (right > self.left && x < whole_right).then(|| (x, (right - x).max(0.5)))
    }

    /// Draws the events of a line.
    pub(in crate::chart) fn draw(&self, marks: &mut Vec<Mark>, line: &LinePicture, place: &LanePlace<'_>) {
        self.columns(marks, line, place);
        for (index, event_box) in line.boxes.iter().enumerate() {
            let Some(y) = (place.top)(event_box.lane) else { continue };
            let Some((x, wide)) = self.span(event_box.start, event_box.end) else { continue };
            let space = if wide >= 4.0 { 1.0 } else { 0.0 };
            let (fill, on) = tones(event_box.kind);
            let is_container = event_box.kind == Some(Kind::Container);
            let name = self.names.get(event_box.name as usize).map_or("", String::as_str);
            let (shape, paint) = if is_container {
                if place.is_folded {
                    continue;
                }
                let wide = (wide - 1.0 - space).max(0.5);
                (Shape::rect(x + 0.5, y + 0.5, wide, place.block - 1.0), Paint::stroke(Tone::Ink3, 1.0))
            } else {
                (Shape::rect(x, y, wide - space, place.block), Paint::fill(fill))
            };
            let id = place.first_id.map(|first| first + index as u32);
            let label =
                id.map(|_| format!("{name}, {}", format::time_text(event_box.end.saturating_sub(event_box.start))));
            marks.push(Mark { shape, paint, id, label: label.unwrap_or_default() });
            let room = mono_room(wide - 8.0, NAME_SIZE);
            if wide >= NAMED && room >= 3 && place.block > NAME_SIZE {
                let text = Shape::mono_text(x + 4.0, y + place.block - 5.0, format::middle_cut(name, room));
                marks.push(Mark::new(text, Paint::fill(on)));
            }
        }
    }

    /// Draws the columns of narrow events: in each column the kinds are stacked by their time. Columns beside each other that
    /// look the same are one mark.
    fn columns(&self, marks: &mut Vec<Mark>, line: &LinePicture, place: &LanePlace<'_>) {
        let (query, block) = (self.query, place.block);
        // The last mark of each class, with the lane and the column after it.
        let mut last: [Option<(usize, u8, u16)>; N_CLASSES] = [None; N_CLASSES];
        for cell in cells::read(&line.cells) {
            let Some(y) = (place.top)(cell.lane.into()) else { continue };
            let time = |column: u64| Picos(query.start.0.saturating_add(query.column.0.saturating_mul(column)));
            let column = u64::from(cell.column);
            let Some((x, wide)) = self.span(time(column), time(column + 1)) else { continue };
            let total: u32 = cell.shares.iter().map(|share| u32::from(*share)).sum();
            let without_kind = cell.shares[usize::from(NO_KIND)];
            let is_plain = total == u32::from(without_kind);
            let mut height = 0.0;
            for (class, share) in cell.shares.iter().enumerate() {
                let is_drawn = if is_plain { class == usize::from(NO_KIND) } else { *share > 0 };
                if !is_drawn {
                    continue;
                }
                let kind = Kind::ALL.get(class).copied();
                // Events without a kind are as opaque as their part of the column; nothing is invisible.
                let (tall, opacity) = if is_plain {
                    (block, 0.25 + 0.75 * f64::from(without_kind) / 255.0)
                } else {
                    ((f64::from(*share) / 255.0 * block).max(1.0).min(block - height), 1.0)
                };
                let from = y + block - height - tall;
                height += tall;
                if let Some((mark, lane, next)) = last[class]
                    && (lane, next) == (cell.lane, cell.column)
                    && grow(marks, mark, (from, tall, opacity), x + wide)
                {
                    last[class] = Some((mark, cell.lane, cell.column + 1));
                    continue;
                }
                last[class] = Some((marks.len(), cell.lane, cell.column.saturating_add(1)));
                let paint = Paint { opacity, ..Paint::fill(tones(kind).0) };
                marks.push(Mark::new(Shape::rect(x, from, wide, tall), paint));
            }
        }
    }
}

/// Makes a mark end at `right`, if it has this top, height and opacity.
fn grow(marks: &mut [Mark], mark: usize, (top, tall, opaque): (f64, f64, f64), right: f64) -> bool {
    let Some(Mark { shape: Shape::Rect { x, y, w, h, .. }, paint, .. }) = marks.get_mut(mark) else { return false };
    let is_equal = (*y - top).abs() < 0.5 && (*h - tall).abs() < 0.5 && (paint.opacity - opaque).abs() < 0.05;
    if is_equal {
        *w = right - *x;
    }
    is_equal
}

/// Returns the colours of events of a kind, and of text on them.
pub(super) const fn tones(kind: Option<Kind>) -> (Tone, Tone) {
    match kind {
        Some(kind) => (Tone::Kind(TimePart::Kind(kind)), Tone::On(TimePart::Kind(kind))),
        None => (Tone::Line2, Tone::Ink),
    }
}
