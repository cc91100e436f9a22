//! This module holds a canvas with the visible part of the time axis, and draws what all pictures of the timeline share.

use super::picture::{Colors, Shown};
use crate::analysis::timeline::LineRef;
use crate::chart::timeline::Viewport;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};
use xla_profile::units::Picos;

/// A canvas of a size in px, ready to be drawn.
pub(super) struct Sheet<'a> {
    pub(super) to: CanvasRenderingContext2d,
    pub(super) colors: &'a Colors,
    pub(super) view: Viewport,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl<'a> Sheet<'a> {
    /// Clears a canvas. `None` if it has no size.
    pub(super) fn new(
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

    pub(super) fn x(&self, time: Picos) -> f64 {
        self.view.x(time.0, self.width)
    }

    pub(super) fn rect(&self, color: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.to.set_fill_style_str(color);
        self.to.fill_rect(x, y, width, height);
    }

    /// Returns the left and the right side of a time in px, cut at the sides of the sheet.
    pub(super) fn sides(&self, start: Picos, end: Picos) -> (f64, f64) {
        (self.x(start).max(-4.0), self.x(end).min(self.width + 4.0))
    }

    /// Draws in a horizontal strip alone.
    pub(super) fn clipped(&self, top: f64, height: f64, draw: impl FnOnce()) {
        self.to.save();
        self.to.begin_path();
        self.to.rect(0.0, top, self.width, height);
        self.to.clip();
        draw();
        self.to.restore();
    }

    /// Draws the columns of a lane of a picture.
    pub(super) fn columns(&self, shown: &Shown, event: (LineRef, u32), y: f64, height: f64) {
        let query = shown.query();
        let (x, end) = (self.x(query.start), self.x(query.end()));
        shown.draw_columns(&self.to, event, (x, y), (end - x, height));
    }

    /// Draws marks at times of the axis, as vertical lines.
    pub(super) fn lines(&self, times: impl Iterator<Item = u64>, color: &str) {
        for time in times {
            self.rect(color, (self.x(Picos(time)).round(), 0.0), (1.0, self.height));
        }
    }

    /// Draws the ground of a range, which lies below the events.
    pub(super) fn range_ground(&self, (start, end): (u64, u64)) {
        let (x, right) = self.sides(Picos(start), Picos(end));
        self.rect(&self.colors.select, (x, 0.0), (right - x, self.height));
    }

    /// Draws the two sides of a range, which lie above the events.
    pub(super) fn range_sides(&self, (start, end): (u64, u64)) {
        let (x, right) = self.sides(Picos(start), Picos(end));
        for side in [x, right - 1.0] {
            self.rect(&self.colors.accent_line, (side, 0.0), (1.0, self.height));
        }
    }
}
