//! This module draws the tracks, the ruler and the picture of the whole capture.

use super::model::TimelineModel;
use super::picture::{Colors, Shown};
use crate::analysis::classify::Kind;
use crate::analysis::timeline::{EventBox, LineRef, PictureQuery};
use crate::chart::plot::label::mono_room;
use crate::chart::timeline::layout::BLOCK;
use crate::chart::timeline::ruler::ruler;
use crate::chart::timeline::{Band, BandKind, Viewport};
use crate::table::format;
use crate::units::Picos;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Least width of an event that shows its name, in px.
const NAMED: f64 = 34.0;
/// Least width of an event that is separated from the next one by a pixel, in px.
const SEPARATED: f64 = 4.0;
/// Size of the names of events, and of the labels of the ruler, in px.
const NAME_SIZE: f64 = 11.0;
/// Px between two marks of the ruler.
const MARKS: f64 = 96.0;
/// Height of the ruler, and of the picture of the whole capture, in px.
pub(super) const RULER: f64 = 22.0;
pub(super) const MINIMAP: f64 = 34.0;

/// A canvas of a size in px, ready to be drawn.
struct Sheet<'a> {
    to: CanvasRenderingContext2d,
    colors: &'a Colors,
    view: Viewport,
    width: f64,
    height: f64,
}

impl<'a> Sheet<'a> {
    /// Clears a canvas. `None` if it has no size.
    fn new(
        canvas: &HtmlCanvasElement,
        colors: &'a Colors,
        view: Viewport,
        (width, height): (f64, f64),
    ) -> Option<Self> {
        let ratio = window().device_pixel_ratio().max(1.0);
        let (w, h) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
        if w == 0 || h == 0 {
            return None;
        }
        if (canvas.width(), canvas.height()) != (w, h) {
            canvas.set_width(w);
            canvas.set_height(h);
        }
        let to: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
        let _ = to.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        to.set_image_smoothing_enabled(false);
        to.set_text_baseline("middle");
        to.clear_rect(0.0, 0.0, width, height);
        Some(Self { to, colors, view, width, height })
    }

    fn x(&self, time: Picos) -> f64 {
        self.view.x(time.0, self.width)
    }

    fn rect(&self, color: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.to.set_fill_style_str(color);
        self.to.fill_rect(x, y, width, height);
    }

    /// Returns the left and the right side of a time in px, cut at the sides of the sheet.
    fn sides(&self, start: Picos, end: Picos) -> (f64, f64) {
        (self.x(start).max(-4.0), self.x(end).min(self.width + 4.0))
    }

    /// Draws the columns of a lane of a picture.
    fn columns(&self, shown: &Shown, of: (LineRef, u32), y: f64, height: f64) {
        let query = shown.query();
        let (x, end) = (self.x(query.start), self.x(query.end()));
        shown.draw_columns(&self.to, of, (x, y), (end - x, height));
    }

    /// Draws marks at times of the axis, as vertical lines.
    fn lines(&self, times: impl Iterator<Item = u64>, color: &str) {
        for time in times {
            self.rect(color, (self.x(Picos(time)).round(), 0.0), (1.0, self.height));
        }
    }

    /// Draws the ground of a range, which lies below the events.
    fn range_ground(&self, (start, end): (u64, u64)) {
        let (x, right) = self.sides(Picos(start), Picos(end));
        self.rect(&self.colors.select, (x, 0.0), (right - x, self.height));
    }

    /// Draws the two sides of a range, which lie above the events.
    fn range_sides(&self, (start, end): (u64, u64)) {
        let (x, right) = self.sides(Picos(start), Picos(end));
        for side in [x, right - 1.0] {
            self.rect(&self.colors.accent_line, (side, 0.0), (1.0, self.height));
        }
    }
}

/// Draws the tracks that are visible, and requests their picture if the one that is shown does not fit.
pub(super) fn tracks(model: TimelineModel, canvas: &HtmlCanvasElement, colors: &Colors, size: (f64, f64)) {
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let Some(sheet) = Sheet::new(canvas, colors, view, size) else { return };
    let bands: Vec<Band> = model.layout.with_untracked(|layout| {
        layout.as_ref().map(|layout| layout.visible(scroll, scroll + size.1).to_vec()).unwrap_or_default()
    });
    for band in bands.iter().filter(|band| matches!(band.kind, BandKind::Head { .. })) {
        sheet.rect(&colors.sunken, (0.0, band.top - scroll), (size.0, band.height - 1.0));
    }
    let range = model.drawn_range();
    range.into_iter().for_each(|range| sheet.range_ground(range));
    let marks = ruler(view, size.0, MARKS).marks;
    sheet.lines(marks.iter().map(|mark| mark.time), &colors.grid);
    let searched = SearchText::new(model);
    model.shown.with_value(|shown| {
        let Some(shown) = shown else { return };
        for band in &bands {
            if let Some(line) = band.line() {
                draw_line(&sheet, shown, band, line, scroll, &searched);
            }
        }
    });
    range.into_iter().for_each(|range| sheet.range_sides(range));
    flows(model, &sheet, scroll);
    selected(model, &sheet, scroll);
    let query = wanted(model, &bands, size.0);
    model.request_picture(query, colors);
}

/// The text that is searched, in lower case; empty if nothing is.
struct SearchText(String);

impl SearchText {
    fn new(model: TimelineModel) -> Self {
        Self(model.find.with_untracked(|text| text.trim().to_lowercase()))
    }

    fn is_in(&self, name: &str) -> bool {
        !self.0.is_empty() && name.to_lowercase().contains(&self.0)
    }
}

/// Draws the events of a line.
fn draw_line(sheet: &Sheet<'_>, shown: &Shown, band: &Band, line: LineRef, scroll: f64, searched: &SearchText) {
    let Some(picture) = shown.line(line) else { return };
    let is_folded = matches!(band.kind, BandKind::Head { .. });
    let block = band.block();
    let top = |lane: u32| band.lane_top(lane) - scroll;
    for lane in 0..picture.n_lanes {
        // A folded device shows the ops of all its lanes on each other, the inner ones last.
        if lane < band.n_lanes || is_folded {
            sheet.columns(shown, (line, lane), top(if is_folded { 0 } else { lane }), block);
        }
    }
    let mut color = None;
    let mut named: Vec<(&EventBox, f64, f64)> = Vec::new();
    for of in picture.boxes.iter().filter(|of| of.lane < band.n_lanes || is_folded) {
        let (x, end) = sheet.sides(of.start, of.end);
        if end <= 0.0 || x >= sheet.width || end - x < 0.5 {
            continue;
        }
        let width = if end - x >= SEPARATED { end - x - 1.0 } else { end - x };
        if color != Some(of.kind) {
            color = Some(of.kind);
            sheet.to.set_fill_style_str(&fill_color(sheet.colors, of.kind));
        }
        let y = top(if is_folded { 0 } else { of.lane });
        if of.kind == Some(Kind::Container) {
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
        let is_striped = is_striped(of.kind) && width >= SEPARATED;
        if is_striped || width >= NAMED && !(is_folded && of.kind == Some(Kind::Container)) {
            named.push((of, x, width));
        }
    }
    sheet.to.set_font(&format!("{NAME_SIZE}px {}", sheet.colors.mono));
    for (of, x, width) in named {
        let y = top(if is_folded { 0 } else { of.lane });
        if is_striped(of.kind) {
            stripe(sheet, of.kind, (x, y), width);
        }
        write_name(sheet, shown.name(of), of.kind, (x, y), width);
    }
    if !searched.0.is_empty() {
        for of in picture.boxes.iter().filter(|of| of.lane < band.n_lanes && searched.is_in(shown.name(of))) {
            let (x, end) = sheet.sides(of.start, of.end);
            sheet.rect(&sheet.colors.accent, (x, top(of.lane) - 1.0), ((end - x).max(2.0), 3.0));
        }
    }
}

fn is_striped(kind: Option<Kind>) -> bool {
    matches!(kind, Some(Kind::Communication | Kind::Fused))
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
    let mut at = from - step;
    while at < (x + width).min(sheet.width) {
        sheet.to.move_to(at, y + BLOCK);
        sheet.to.line_to(at + 4.0, y + BLOCK - 4.0);
        at += step;
    }
    sheet.to.set_stroke_style_str(text_color(sheet.colors, kind));
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
    sheet.to.set_fill_style_str(text_color(sheet.colors, kind));
    let _ = sheet.to.fill_text(&format::middle_cut(name, room), left + 4.0, y + BLOCK / 2.0 + 0.5);
}

fn fill_color(colors: &Colors, kind: Option<Kind>) -> String {
    match kind.map(Kind::index) {
        Some(at) => {
            let [r, g, b] = colors.classes[at];
            format!("rgb({r},{g},{b})")
        }
        None => colors.line.clone(),
    }
}

fn text_color(colors: &Colors, kind: Option<Kind>) -> &str {
    kind.map_or(&colors.ink, |kind| &colors.on[kind.index()])
}

/// Draws the links of the selected event, from the event that started the other one.
fn flows(model: TimelineModel, sheet: &Sheet<'_>, scroll: f64) {
    let middle = |line: LineRef, lane: u32| {
        model.layout.with_untracked(|layout| {
            let band = layout.as_ref()?.band_of(line)?;
            Some(band.lane_top(lane) + band.block() / 2.0 - scroll)
        })
    };
    model.selected.with_untracked(|event| {
        let Some(event) = event.as_ref() else { return };
        let Some(own) = middle(event.line, event.lane) else { return };
        for flow in &event.flows {
            let Some(other) = middle(flow.event.line, flow.lane) else { continue };
            let (source, target) = if flow.is_source {
                ((flow.event.start, flow.event.end, other), (event.start, own))
            } else {
                ((event.start, event.end, own), (flow.event.start, other))
            };
            // A call that lasts until the work has begun hands it over before its end.
            let from = (sheet.x(source.1.min(target.0).max(source.0)), source.2);
            let to = (sheet.x(target.0), target.1);
            let bend = ((to.0 - from.0).abs() / 2.0).clamp(12.0, 80.0);
            for (color, width) in [(&sheet.colors.ground, 3.4), (&sheet.colors.ink, 1.4)] {
                sheet.to.set_stroke_style_str(color);
                sheet.to.set_line_width(width);
                sheet.to.begin_path();
                sheet.to.move_to(from.0, from.1);
                sheet.to.bezier_curve_to(from.0 + bend, from.1, to.0 - bend, to.1, to.0, to.1);
                sheet.to.line_to(to.0 - 5.0, to.1 - 4.0);
                sheet.to.move_to(to.0, to.1);
                sheet.to.line_to(to.0 - 5.0, to.1 + 4.0);
                sheet.to.stroke();
            }
        }
        sheet.to.set_line_width(1.0);
    });
}

/// Draws the outline of the selected event.
fn selected(model: TimelineModel, sheet: &Sheet<'_>, scroll: f64) {
    model.selected.with_untracked(|event| {
        let Some(event) = event.as_ref() else { return };
        let place = model.layout.with_untracked(|layout| {
            let band = layout.as_ref()?.band_of(event.line)?;
            Some((band.lane_top(event.lane) - scroll, band.block()))
        });
        let Some((y, block)) = place else { return };
        let (x, end) = sheet.sides(event.start, event.end);
        sheet.to.set_stroke_style_str(&sheet.colors.accent);
        sheet.to.set_line_width(3.0);
        sheet.to.stroke_rect(x - 0.5, y - 0.5, (end - x).max(3.0), block + 1.0);
        sheet.to.set_line_width(1.0);
    });
}

/// Returns the query of the picture for the visible part, with half of its width on both sides.
fn wanted(model: TimelineModel, bands: &[Band], width: f64) -> Option<PictureQuery> {
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let lines: Vec<LineRef> = bands.iter().filter_map(Band::line).collect();
    if lines.is_empty() {
        return None;
    }
    let column = view.column(width);
    let margin = view.length() / 2;
    let start = view.start.saturating_sub(margin).max(whole.start.min(view.start));
    let end = view.end.saturating_add(margin).min(whole.end.max(view.end));
    let n_columns = ((end - start) / column.0).saturating_add(1).min(PictureQuery::MAX_COLUMNS.into()) as u32;
    Some(PictureQuery { lines, start: Picos(start), column, n_columns })
}

/// Draws the ruler: the times, the range, and the time at the pointer.
pub(super) fn ruler_of(
    model: TimelineModel,
    canvas: &HtmlCanvasElement,
    colors: &Colors,
    width: f64,
    pointer: Option<f64>,
) {
    let view = model.view.get_untracked();
    let Some(sheet) = Sheet::new(canvas, colors, view, (width, RULER)) else { return };
    let ruler = ruler(view, width, MARKS);
    sheet.to.set_font(&format!("{NAME_SIZE}px {}", colors.sans));
    for mark in &ruler.marks {
        let x = sheet.x(Picos(mark.time)).round();
        sheet.rect(&colors.line, (x, RULER - 6.0), (1.0, 6.0));
        sheet.to.set_fill_style_str(&colors.ink_3);
        let _ = sheet.to.fill_text(&mark.label, x + 4.0, RULER / 2.0);
    }
    let range = model.drawn_range();
    if let Some((start, end)) = range {
        let (x, right) = sheet.sides(Picos(start), Picos(end));
        sheet.rect(&colors.accent, (x, RULER - 4.0), ((right - x).max(1.0), 4.0));
    }
    if let Some(x) = pointer {
        let time = Picos(view.time(x, width));
        let decimals = ruler.unit.in_ps().ilog10().saturating_sub(view.column(width).0.ilog10());
        let text = format!("{} {}", format::time_with_decimals(time, ruler.unit, decimals), ruler.unit.symbol());
        let room = crate::chart::plot::label::width(&text, NAME_SIZE) + 14.0;
        let left = (x - room / 2.0).clamp(0.0, (width - room).max(0.0));
        sheet.rect(&colors.ink, (left, 2.0), (room, RULER - 4.0));
        sheet.to.set_fill_style_str(&colors.ground);
        let _ = sheet.to.fill_text(&text, left + 6.0, RULER / 2.0);
    }
}

/// Draws the whole capture, with the visible part and the hits of the search.
pub(super) fn minimap(model: TimelineModel, canvas: &HtmlCanvasElement, colors: &Colors, width: f64) {
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let Some(sheet) = Sheet::new(canvas, colors, whole, (width, MINIMAP)) else { return };
    let top = 7.0;
    model.minimap.with_value(|shown| {
        let Some(shown) = shown else { return };
        for line in shown.lines() {
            for lane in 0..line.n_lanes {
                sheet.columns(shown, (line.line, lane), top, MINIMAP - top - 2.0);
            }
            for of in line.boxes.iter().filter(|of| of.kind != Some(Kind::Container)) {
                let (x, end) = sheet.sides(of.start, of.end);
                sheet.rect(&fill_color(colors, of.kind), (x, top), ((end - x).max(1.0), MINIMAP - top - 2.0));
            }
        }
    });
    model.search.with_untracked(|found| {
        let Some(found) = found.as_ref().filter(|found| found.n > 0) else { return };
        let column = width / found.columns.len().max(1) as f64;
        for (at, _) in found.columns.iter().enumerate().filter(|(_, mark)| **mark > 0) {
            sheet.rect(&colors.accent_line, (at as f64 * column, 0.0), (column.max(1.0), 5.0));
        }
    });
    let (x, end) = sheet.sides(Picos(view.start), Picos(view.end));
    if view != whole {
        sheet.to.set_global_alpha(0.55);
        sheet.rect(&colors.ground, (0.0, top), (x, MINIMAP - top));
        sheet.rect(&colors.ground, (end, top), (width - end, MINIMAP - top));
        sheet.to.set_global_alpha(1.0);
        sheet.to.set_stroke_style_str(&colors.accent_line);
        sheet.to.set_line_width(2.0);
        sheet.to.stroke_rect(x.max(1.0), top, (end - x).max(4.0).min(width - x.max(1.0) - 1.0), MINIMAP - top - 1.0);
    }
}
