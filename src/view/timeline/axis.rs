//! This module draws the ruler and the picture of the whole capture.

use super::model::TimelineModel;
use super::picture::Colors;
use super::sheet::Sheet;
use crate::analysis::classify::Kind;
use crate::chart::timeline::ruler::ruler;
use crate::table::format;
use leptos::prelude::*;
use web_sys::HtmlCanvasElement;
use xla_profile::units::Picos;

/// Px between two marks of the ruler.
pub(super) const MARKS: f64 = 96.0;
/// Height of the ruler, and of the picture of the whole capture, in px.
pub(super) const RULER: f64 = 22.0;
pub(super) const MINIMAP: f64 = 34.0;
/// Size of the labels of the ruler, in px.
const LABEL_SIZE: f64 = 11.0;

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
    sheet.to.set_font(&format!("{LABEL_SIZE}px {}", colors.sans));
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
        let room = crate::chart::plot::label::width(&text, LABEL_SIZE) + 14.0;
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
            for event_box in line.boxes.iter().filter(|event_box| event_box.kind != Some(Kind::Container)) {
                let (x, end) = sheet.sides(event_box.start, event_box.end);
                sheet.rect(&colors.fill(event_box.kind), (x, top), ((end - x).max(1.0), MINIMAP - top - 2.0));
            }
        }
    });
    model.search.with_untracked(|found| {
        let Some(found) = found.as_ref().filter(|found| found.n > 0) else { return };
        let column = width / found.columns.len().max(1) as f64;
        for (index, _) in found.columns.iter().enumerate().filter(|(_, mark)| **mark > 0) {
            sheet.rect(&colors.accent_line, (index as f64 * column, 0.0), (column.max(1.0), 5.0));
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
