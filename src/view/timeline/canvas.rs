//! This module draws the tracks: those that scroll, and above them the pinned ones.

use super::axis::MARKS;
use super::events::{draw_idle, draw_line, draw_series};
use super::marks;
use super::model::TimelineModel;
use super::picture::Colors;
use super::sheet::Sheet;
use crate::chart::timeline::ruler::ruler;
use crate::chart::timeline::{BandKind, VisibleBand};
use leptos::prelude::*;
use web_sys::HtmlCanvasElement;

/// Draws the tracks that are visible, and requests their picture if the one that is shown does not fit.
pub(super) fn tracks(model: TimelineModel, canvas: &HtmlCanvasElement, colors: &Colors, size: (f64, f64)) {
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let Some(sheet) = Sheet::new(canvas, colors, view, size) else { return };
    let (bands, pinned) = model.layout.with_untracked(|layout| {
        let visible = |layout: &crate::chart::timeline::Layout| layout.visible(scroll, size.1).collect::<Vec<_>>();
        layout.as_ref().map(|layout| (visible(layout), layout.pinned)).unwrap_or_default()
    });
    let (pins, others): (Vec<VisibleBand>, Vec<VisibleBand>) = bands.iter().partition(|visible| visible.band.is_pinned);
    for (bands, top, height) in [(others, pinned, size.1 - pinned), (pins, 0.0, pinned)] {
        if height > 0.0 {
            sheet.clipped(top, height, || draw_bands(model, &sheet, &bands));
        }
    }
    if pinned > 0.0 {
        sheet.rect(&colors.line, (0.0, pinned - 1.0), (size.0, 1.0));
    }
    model.drawn_range().into_iter().for_each(|range| sheet.range_sides(range));
    marks::flows(model, &sheet, scroll);
    marks::measure(model, &sheet, pinned);
    model.request_picture(model.wanted(&bands, size.0), colors);
}

/// Draws bands with their ground.
fn draw_bands(model: TimelineModel, sheet: &Sheet<'_>, bands: &[VisibleBand]) {
    for visible in bands.iter().filter(|visible| matches!(visible.band.kind, BandKind::Head { .. })) {
        sheet.rect(&sheet.colors.sunken, (0.0, visible.y), (sheet.width, visible.band.height - 1.0));
    }
    model.drawn_range().into_iter().for_each(|range| sheet.range_ground(range));
    let marks = ruler(sheet.view, sheet.width, MARKS).marks;
    sheet.lines(marks.iter().map(|mark| mark.time), &sheet.colors.grid);
    model.shown.with_value(|shown| {
        let Some(shown) = shown else { return };
        let is_hit = model.search.with_untracked(|found| {
            let names = found.as_ref().map(|found| &found.names).filter(|names| !names.is_empty());
            names.map(|names| shown.picture.names.iter().map(|name| names.contains(name)).collect::<Vec<bool>>())
        });
        let is_hit = is_hit.unwrap_or_default();
        for visible in bands {
            match (visible.band.line(), visible.band.kind) {
                (Some(line), _) => draw_line(sheet, shown, visible, line, &is_hit),
                (None, BandKind::Idle { device }) => draw_idle(sheet, shown, visible, device),
                (None, BandKind::Series { id }) => draw_series(sheet, shown, visible, id),
                _ => {}
            }
            marks::selected(model, sheet, visible);
        }
    });
}
