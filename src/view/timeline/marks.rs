//! This module draws what lies above the events: links, the selected event, and the measured time.

use super::model::TimelineModel;
use super::sheet::Sheet;
use crate::analysis::timeline::{FlowLine, LineRef};
use crate::chart::timeline::VisibleBand;
use crate::table::format;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// The distance from the canvas beyond which an arrow is not drawn, in px.
const FAR: f64 = 200.0;
/// Height of the tag of the measured time, and the size of its text, in px.
const TAG: f64 = 18.0;
const TAG_SIZE: f64 = 11.0;

/// Draws the links of the selected event and, if they are shown, those of all events, each from the event that started the
/// other one.
pub(super) fn flows(model: TimelineModel, sheet: &Sheet<'_>, scroll: f64) {
    let middle = |line: LineRef, lane: u32| {
        model.layout.with_untracked(|layout| {
            let visible = layout.as_ref()?.band_of(line, scroll)?;
            Some(visible.lane_top(lane) + visible.band.block() / 2.0)
        })
    };
    let draw = |flow_line: &FlowLine, width: f64| {
        let (Some(from), Some(to)) = (
            middle(flow_line.source.line, flow_line.source.lane),
            middle(flow_line.target.line, flow_line.target.lane),
        ) else {
            return;
        };
        // A call that lasts until the work has begun hands it over before its end.
        let time = flow_line.source.end.min(flow_line.target.start).max(flow_line.source.start);
        arrow(sheet, (sheet.x(time), from), (sheet.x(flow_line.target.start), to), width);
    };
    if model.view_state.with_untracked(|view_state| view_state.has_flows) {
        model.flows.with_untracked(|flows| {
            flows.iter().flat_map(|flows| &flows.flows).for_each(|flow_line| draw(flow_line, 0.8));
        });
    }
    model.selected.with_untracked(|event| {
        event.iter().flat_map(|event| event.flow_lines()).for_each(|flow_line| draw(&flow_line, 1.4));
    });
}

/// Draws an arrow from one place to another one.
fn arrow(sheet: &Sheet<'_>, from: (f64, f64), to: (f64, f64), width: f64) {
    let is_outside = |x: f64| x < -FAR || x > sheet.width + FAR;
    if is_outside(from.0) && is_outside(to.0) && (from.0 < 0.0) == (to.0 < 0.0) {
        return;
    }
    let bend = ((to.0 - from.0).abs() / 2.0).clamp(12.0, 80.0);
    for (color, width) in [(&sheet.colors.ground, width + 2.0), (&sheet.colors.ink, width)] {
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
    sheet.to.set_line_width(1.0);
}

/// Draws the outline of the selected event in a band.
pub(super) fn selected(model: TimelineModel, sheet: &Sheet<'_>, visible: &VisibleBand) {
    model.selected.with_untracked(|event| {
        let Some(event) = event.as_ref().filter(|event| visible.band.line() == Some(event.line)) else { return };
        let (x, end) = sheet.sides(event.start, event.end);
        let (y, block) = (visible.lane_top(event.lane), visible.band.block());
        sheet.to.set_stroke_style_str(&sheet.colors.accent);
        sheet.to.set_line_width(3.0);
        sheet.to.stroke_rect(x - 0.5, y - 0.5, (end - x).max(3.0), block + 1.0);
        sheet.to.set_line_width(1.0);
    });
}

/// Draws the measured time: a line at both ends, and between them the time.
pub(super) fn measure(model: TimelineModel, sheet: &Sheet<'_>, top: f64) {
    let Some((start, end)) = model.drawn_measure() else { return };
    let (x, right) = (sheet.x(Picos(start)), sheet.x(Picos(end)));
    if right < 0.0 || x > sheet.width {
        return;
    }
    let color = &sheet.colors.accent_line;
    for side in [x, right] {
        sheet.rect(color, (side.round() - 1.0, top), (2.0, sheet.height - top));
    }
    let (left, right) = (x.max(0.0), right.min(sheet.width));
    let y = top + TAG / 2.0 + 4.0;
    sheet.rect(color, (left, y - 1.0), (right - left, 2.0));
    let text = format::time_text(Picos(end - start));
    sheet.to.set_font(&format!("600 {TAG_SIZE}px {}", sheet.colors.sans));
    let width = crate::chart::plot::label::width(&text, TAG_SIZE) + 18.0;
    let from = ((left + right - width) / 2.0).clamp(0.0, (sheet.width - width).max(0.0));
    sheet.rect(&sheet.colors.ink, (from, y - TAG / 2.0), (width, TAG));
    sheet.to.set_fill_style_str(&sheet.colors.ground);
    let _ = sheet.to.fill_text(&text, from + 8.0, y + 0.5);
}
