//! This module draws the content of tracks: the events of a line, the idle time of a device, and values over time.

use super::picture::Shown;
use super::sheet::Sheet;
use crate::analysis::classify::Kind;
use crate::analysis::timeline::{EventBox, LineRef, SeriesColumn, SeriesRef};
use crate::chart::plot::label::mono_room;
use crate::chart::timeline::area::{AreaPlace, areas, highest, mean};
use crate::chart::timeline::layout::BLOCK;
use crate::chart::timeline::scene::idle_tone;
use crate::chart::timeline::{BandKind, VisibleBand};
use crate::table::format;

/// Least width of an event that shows its name, in px.
const NAMED: f64 = 34.0;
/// Least width of an event that is separated from the next one by a pixel, in px.
const SEPARATED: f64 = 4.0;
/// Size of the names of events, in px.
const NAME_SIZE: f64 = 11.0;
/// Size of the labels of idle time, in px.
const IDLE_SIZE: f64 = 10.0;
/// Least width of idle time that is drawn with lines, and the distance of the lines, in px.
const HATCHED: f64 = 6.0;
const HATCH: f64 = 5.0;
/// The least opacity of idle time.
const FAINTEST: f64 = 0.3;

/// Draws the events of a line. `is_hit` tells for each name of the picture whether the search found it.
pub(super) fn draw_line(sheet: &Sheet<'_>, shown: &Shown, visible: &VisibleBand, line: LineRef, is_hit: &[bool]) {
    let Some(picture) = shown.line(line) else { return };
    let band = &visible.band;
    let is_folded = matches!(band.kind, BandKind::Head { .. });
    let block = band.block();
    let top = |lane: u32| visible.lane_top(lane);
    for lane in 0..picture.n_lanes {
        // A folded device shows the ops of all its lanes on each other, the inner ones last.
        if lane < band.n_lanes || is_folded {
            sheet.columns(shown, (line, lane), top(if is_folded { 0 } else { lane }), block);
        }
    }
    let mut color = None;
    let mut named: Vec<(&EventBox, f64, f64)> = Vec::new();
    for event_box in picture.boxes.iter().filter(|event_box| event_box.lane < band.n_lanes || is_folded) {
        let (x, end) = sheet.sides(event_box.start, event_box.end);
        if end <= 0.0 || x >= sheet.width || end - x < 0.5 {
            continue;
        }
        let width = if end - x >= SEPARATED { end - x - 1.0 } else { end - x };
        if color != Some(event_box.kind) {
            color = Some(event_box.kind);
            sheet.to.set_fill_style_str(&sheet.colors.fill(event_box.kind));
        }
        let y = top(if is_folded { 0 } else { event_box.lane });
        if event_box.kind == Some(Kind::Container) {
            // The ops inside of a loop are below it.
            sheet.to.set_stroke_style_str(&sheet.colors.ink_3);
            if !is_folded {
                sheet.to.stroke_rect(x + 0.5, y + 0.5, (width - 1.0).max(0.5), block - 1.0);
            }
        } else {
            sheet.to.fill_rect(x, y, width, block);
        }
        if block < BLOCK {
            continue;
        }
        let is_striped = is_striped(event_box.kind) && width >= SEPARATED;
        if is_striped || width >= NAMED && !(is_folded && event_box.kind == Some(Kind::Container)) {
            named.push((event_box, x, width));
        }
    }
    sheet.to.set_font(&format!("{NAME_SIZE}px {}", sheet.colors.mono));
    for (event_box, x, width) in named {
        let y = top(if is_folded { 0 } else { event_box.lane });
        if is_striped(event_box.kind) {
            stripe(sheet, event_box.kind, (x, y), width);
        }
        write_name(sheet, shown.name(event_box), event_box.kind, (x, y), width);
    }
    let is_hit =
        |event_box: &&EventBox| event_box.lane < band.n_lanes && is_hit.get(event_box.name as usize) == Some(&true);
    for event_box in picture.boxes.iter().filter(is_hit) {
        let (x, end) = sheet.sides(event_box.start, event_box.end);
        sheet.rect(&sheet.colors.accent, (x, top(event_box.lane) - 1.0), ((end - x).max(2.0), 3.0));
    }
}

/// Draws values over time: the means of the columns as an area, and behind it the highest values.
pub(super) fn draw_series(sheet: &Sheet<'_>, shown: &Shown, visible: &VisibleBand, id: SeriesRef) {
    let Some(series) = shown.series(id) else { return };
    let height = visible.band.block();
    let bottom = visible.lane_top(0) + height;
    let place = AreaPlace { view: sheet.view, left: 0.0, width: sheet.width, bottom, height };
    sheet.to.set_fill_style_str(&sheet.colors.series);
    for (value, opacity) in [(highest as fn(SeriesColumn) -> f32, 0.4), (mean, 1.0)] {
        sheet.to.set_global_alpha(opacity);
        for area in areas(series, shown.query(), place, value) {
            sheet.to.begin_path();
            area.iter().for_each(|(x, y)| sheet.to.line_to(*x, *y));
            sheet.to.fill();
        }
    }
    sheet.to.set_global_alpha(1.0);
    sheet.rect(&sheet.colors.line, (0.0, bottom), (sheet.width, 1.0));
}

fn is_striped(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::Communication | Kind::Fused))
}

/// Draws the idle time of a device. A box of several gaps is as opaque as its part of idle time.
pub(super) fn draw_idle(sheet: &Sheet<'_>, shown: &Shown, visible: &VisibleBand, device: u32) {
    sheet.to.set_font(&format!("{IDLE_SIZE}px {}", sheet.colors.sans));
    let (y, block) = (visible.lane_top(0), visible.band.block());
    for idle_box in shown.idle(device) {
        let (x, end) = sheet.sides(idle_box.start, idle_box.end);
        if end <= 0.0 || x >= sheet.width {
            continue;
        }
        let width = if end - x >= SEPARATED { end - x - 1.0 } else { (end - x).max(1.0) };
        let color = sheet.colors.idle(idle_tone(idle_box.class));
        let length = idle_box.end.saturating_sub(idle_box.start);
        sheet.to.set_global_alpha(idle_box.time.fraction_of(length).unwrap_or(1.0).clamp(FAINTEST, 1.0));
        hatch(sheet, &color, (x, y), (width, block));
        sheet.to.set_global_alpha(1.0);
        // The label of a gap that starts before the visible part is at the left side.
        let (left, right) = (x.max(0.0), (x + width).min(sheet.width));
        let label = idle_box.class.label();
        if crate::chart::plot::label::width(label, IDLE_SIZE) + 8.0 <= right - left {
            let room = crate::chart::plot::label::width(label, IDLE_SIZE) + 4.0;
            sheet.rect(&sheet.colors.ground, (left + 2.0, y + 1.0), (room, block - 2.0));
            sheet.to.set_fill_style_str(&sheet.colors.ink);
            let _ = sheet.to.fill_text(label, left + 4.0, y + block / 2.0 + 0.5);
        }
    }
}

/// Draws idle time: diagonal lines with an outline. A box that is too narrow for lines is filled.
fn hatch(sheet: &Sheet<'_>, color: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
    if width < HATCHED {
        sheet.rect(color, (x, y), (width, height));
        return;
    }
    let (left, right) = (x.max(-1.0), (x + width).min(sheet.width + 1.0));
    sheet.to.save();
    sheet.to.begin_path();
    sheet.to.rect(left, y, right - left, height);
    sheet.to.clip();
    sheet.to.begin_path();
    let mut left_end = left - left.rem_euclid(HATCH) - height;
    while left_end < right {
        sheet.to.move_to(left_end, y + height);
        sheet.to.line_to(left_end + height, y);
        left_end += HATCH;
    }
    sheet.to.set_stroke_style_str(color);
    sheet.to.set_line_width(1.2);
    sheet.to.stroke();
    sheet.to.stroke_rect(left + 0.5, y + 0.5, right - left - 1.0, height - 1.0);
    sheet.to.restore();
}

/// Marks communication by stripes as well as by its colour.
fn stripe(sheet: &Sheet<'_>, kind: Option<Kind>, (x, y): (f64, f64), width: f64) {
    let step = if kind == Some(Kind::Fused) { 12.0 } else { 6.0 };
    sheet.to.save();
    sheet.to.begin_path();
    sheet.to.rect(x.max(0.0), y + BLOCK - 4.0, width.min(sheet.width), 4.0);
    sheet.to.clip();
    sheet.to.begin_path();
    let from = x.max(-step) - x.max(-step).rem_euclid(step);
    let mut left_end = from - step;
    while left_end < (x + width).min(sheet.width) {
        sheet.to.move_to(left_end, y + BLOCK);
        sheet.to.line_to(left_end + 4.0, y + BLOCK - 4.0);
        left_end += step;
    }
    sheet.to.set_stroke_style_str(sheet.colors.text(kind));
    sheet.to.set_line_width(1.2);
    sheet.to.stroke();
    sheet.to.restore();
}

/// Writes the name of an event into it, cut in the middle if it does not fit.
fn write_name(sheet: &Sheet<'_>, name: &str, kind: Option<Kind>, (x, y): (f64, f64), width: f64) {
    // The name of an event that starts before the visible part is at the left side.
    let (left, right) = (x.max(0.0), (x + width).min(sheet.width));
    let room = mono_room(right - left - 8.0, NAME_SIZE);
    if right - left < NAMED || room < 3 {
        return;
    }
    sheet.to.set_fill_style_str(sheet.colors.text(kind));
    let _ = sheet.to.fill_text(&format::middle_cut(name, room), left + 4.0, y + BLOCK / 2.0 + 0.5);
}
