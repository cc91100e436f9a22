//! This module draws the live ranges of buffers around the selected point. A lane holds one or several ranges that do
//! not overlap. This module does not depend on a browser. The id of a mark is `lane × 1000 + index in the lane`.

use super::position::position_ticks;
use super::size::text;
use super::treemap::tip as buffer_tip;
use crate::analysis::memory::{Buffer, LiveRangeRows};
use crate::chart::plot::label;
use crate::chart::plot::paint::{Paint, Tone};
use crate::chart::plot::scale::Scale;
use crate::chart::plot::scene::{Anchor, Mark, Scene, SceneTable, Shape, Size};
use crate::chart::widgets::tip::Tip;
use crate::table::format;

/// Height of a block; [`ROW`] includes the gap below it. In px.
const BLOCK: f64 = 16.0;
const ROW: f64 = 20.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 22.0;
/// Largest number of blocks drawn per lane; the ids depend on it.
const MAX_PER_LANE: usize = 1000;
/// Smallest number of letters of a name that a block shows.
const LETTERS: usize = 4;

/// Returns the height of the chart, in px.
#[expect(clippy::cast_precision_loss, reason = "a few dozen lanes")]
pub fn height(lanes: &LiveRangeRows) -> f64 {
    TOP + ROW * lanes.lanes.len() as f64 + BOTTOM
}

/// Draws the chart. `index` is the selected point, `width` is in px.
pub fn scene(lanes: &LiveRangeRows, index: u32, width: f64) -> Scene {
    let height = height(lanes);
    let x =
        Scale::linear((lanes.from.into(), f64::from(lanes.to).max(f64::from(lanes.from) + 1.0)), (2.0, width - 2.0));
    let bottom = height - BOTTOM;
    let mut marks = Vec::new();
    for tick in position_ticks(&x, 6) {
        marks.push(Mark::new(
            Shape::line(tick.position, TOP - 4.0, tick.position, bottom),
            Paint::stroke(Tone::Grid, 1.0),
        ));
        let text = Shape::text(tick.position, bottom + 14.0, Anchor::Middle, tick.label);
        marks.push(Mark::new(text, Paint::fill(Tone::Ink3)));
    }
    for (lane, buffers) in lanes.lanes.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen lanes")]
        let y = TOP + ROW * lane as f64;
        for (place, buffer) in buffers.iter().take(MAX_PER_LANE).enumerate() {
            let id = u32::try_from(lane * MAX_PER_LANE + place).unwrap_or(u32::MAX);
            block(&mut marks, id, buffer, &x, y);
        }
    }
    let here = x.to(f64::from(index) + 0.5);
    if (lanes.from..lanes.to).contains(&index) {
        marks.push(Mark::new(Shape::line(here, TOP - 8.0, here, bottom), Paint::stroke(Tone::AccentLine, 1.75)));
    }
    Scene { width, height, marks, title: title(lanes), table: table(lanes) }
}

fn block(marks: &mut Vec<Mark>, id: u32, buffer: &Buffer, x: &Scale, y: f64) {
    let (low, high) = x.domain();
    // A buffer that event `first` allocates is alive from the point after that event.
    let from = x.to((f64::from(buffer.first) + 1.0).max(low));
    let to = x.to((f64::from(buffer.last) + 1.0).min(high));
    let w = (to - from - 1.0).max(1.0);
    let words = format!("{}, {}, from {} to {}.", buffer.label(), text(buffer.size), buffer.first, buffer.last);
    marks.push(Mark::for_datum(id, words, Shape::rect(from, y, w, BLOCK), Paint::fill(Tone::Class(buffer.class))));
    let room = label::mono_room(w - 8.0, Size::Micro.px());
    if room >= LETTERS {
        let name = Shape::mono_text(from + 4.0, y + 12.0, format::middle_cut(&buffer.label(), room));
        marks.push(Mark::new(name, Paint::fill(Tone::OnClass(buffer.class))));
    }
}

/// Returns the buffer of a mark's id.
pub fn buffer(lanes: &LiveRangeRows, id: u32) -> Option<&Buffer> {
    lanes.lanes.get(id as usize / MAX_PER_LANE)?.get(id as usize % MAX_PER_LANE)
}

/// Builds the tooltip of a block.
pub fn tip(lanes: &LiveRangeRows, id: u32) -> Option<Tip> {
    buffer(lanes, id).map(buffer_tip)
}

/// Returns a sentence about the buffers that are not drawn. `None` if all buffers are drawn.
pub fn left_out(lanes: &LiveRangeRows) -> Option<String> {
    (lanes.n_left_out > 0).then(|| {
        format!(
            "{} in this range are smaller, and not drawn.",
            format::counted(lanes.n_left_out.into(), "buffer", "buffers")
        )
    })
}

fn title(lanes: &LiveRangeRows) -> String {
    let n: usize = lanes.lanes.iter().map(Vec::len).sum();
    format!(
        "Live ranges of {} between {} and {} of the schedule.",
        format::counted(n as u64, "buffer", "buffers"),
        lanes.from,
        lanes.to
    )
}

fn table(lanes: &LiveRangeRows) -> SceneTable {
    let row = |buffer: &Buffer| {
        let [first, last] = [buffer.first, buffer.last].map(|event| format::count(event.into()));
        [buffer.label(), text(buffer.size), buffer.class.label().to_owned(), first, last]
    };
    SceneTable::new(["Buffer", "Size", "Class", "From", "To"], lanes.lanes.iter().flatten().map(row))
}
