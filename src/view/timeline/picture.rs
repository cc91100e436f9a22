//! This module holds a picture of the worker in a form that is drawn fast: the columns of narrow events as images, and the
//! boxes of wide events ordered by colour.

use crate::analysis::classify::Kind;
use crate::analysis::timeline::{
    EventBox, IdleBox, LinePicture, LineRef, Picture, PictureQuery, SeriesPicture, SeriesRef,
};
use crate::chart::plot::paint::Tone;
use crate::chart::plot::time_part::TimePart;
use crate::chart::timeline::pixels::{Rgb, Strips, parse_color};
use leptos::prelude::*;
use std::collections::BTreeMap;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use xla_profile::lanes::N_CLASSES;

/// The CSS variables of the colours of the classes: the kinds of time in their order, then events without a kind.
const CLASS_COLORS: [&str; N_CLASSES] =
    ["--k-compute", "--k-fused", "--k-comm", "--k-move", "--k-host", "--k-container", "--k-other", "--s-5"];

/// The colours of the style sheet that the canvas uses.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Colors {
    pub(super) classes: [Rgb; N_CLASSES],
    /// Text on each class.
    pub(super) on: [String; N_CLASSES],
    pub(super) ground: String,
    pub(super) sunken: String,
    pub(super) idle: String,
    pub(super) line: String,
    pub(super) grid: String,
    pub(super) series: String,
    pub(super) ink: String,
    pub(super) ink_2: String,
    pub(super) ink_3: String,
    pub(super) select: String,
    pub(super) accent: String,
    pub(super) accent_line: String,
    pub(super) mono: String,
    pub(super) sans: String,
}

impl Colors {
    /// Reads the colours of the theme that is shown.
    pub(super) fn read() -> Self {
        let style = document().document_element().and_then(|root| window().get_computed_style(&root).ok().flatten());
        let text = |name: &str| {
            style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().to_owned()
        };
        let on = ["--on-compute", "--on-fused", "--on-comm", "--on-move", "--on-host", "--ink", "--on-other", "--ink"];
        Self {
            classes: CLASS_COLORS.map(|name| parse_color(&text(name)).unwrap_or([128; 3])),
            on: on.map(text),
            ground: text("--ground"),
            sunken: text("--sunken"),
            idle: text("--k-idle"),
            line: text("--line-2"),
            grid: text("--grid"),
            series: text(Tone::Seq(3).css_var()),
            ink: text("--ink"),
            ink_2: text("--ink-2"),
            ink_3: text("--ink-3"),
            select: text("--select"),
            accent: text("--accent"),
            accent_line: text("--accent-line"),
            mono: text("--mono"),
            sans: text("--sans"),
        }
    }
}

impl Colors {
    /// Returns the colour of events of a kind; `None` for events without a kind.
    pub(super) fn fill(&self, kind: Option<Kind>) -> String {
        match kind.map(Kind::index) {
            Some(index) => {
                let [r, g, b] = self.classes[index];
                format!("rgb({r},{g},{b})")
            }
            None => self.line.clone(),
        }
    }

    /// Returns the colour of the hatch of idle time, by its tone.
    pub(super) fn idle(&self, tone: Tone) -> String {
        match tone {
            Tone::Kind(TimePart::Kind(kind)) => self.fill(Some(kind)),
            Tone::Ink2 => self.ink_2.clone(),
            _ => self.idle.clone(),
        }
    }

    /// Returns the colour of text on events of a kind.
    pub(super) fn text(&self, kind: Option<Kind>) -> &str {
        kind.map_or(&self.ink, |kind| &self.on[kind.index()])
    }
}

/// A picture that is drawn.
pub(super) struct Shown {
    pub(super) picture: Picture,
    images: BTreeMap<LineRef, LaneImages>,
}

/// The columns of the lanes of a line.
struct LaneImages {
    canvas: HtmlCanvasElement,
    /// Height of the strip of a lane in pixels.
    height: usize,
    lanes: Vec<u8>,
}

impl Shown {
    /// Prepares a picture.
    pub(super) fn new(mut picture: Picture, colors: &Colors) -> Self {
        let width = picture.query.n_columns as usize;
        let mut images = BTreeMap::new();
        for line in &mut picture.lines {
            line.boxes.sort_by_key(|event_box| event_box.kind);
            let strips = Strips::new(line, width, &colors.classes);
            if let Some(canvas) = image(&strips) {
                images.insert(line.line, LaneImages { canvas, height: strips.height, lanes: strips.lanes });
            }
            line.cells = Vec::new();
        }
        Self { picture, images }
    }

    pub(super) const fn query(&self) -> &PictureQuery {
        &self.picture.query
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &LinePicture> {
        self.picture.lines.iter()
    }

    pub(super) fn line(&self, line_ref: LineRef) -> Option<&LinePicture> {
        self.lines().find(|line| line.line == line_ref)
    }

    /// Returns the idle time of a device, in order of time; empty if it has not been drawn.
    pub(super) fn idle(&self, device: u32) -> &[IdleBox] {
        self.picture.idle.iter().find(|idle| idle.device == device).map_or(&[], |idle| &idle.boxes)
    }

    /// Returns the values of a series. `None` if it has not been drawn.
    pub(super) fn series(&self, id: SeriesRef) -> Option<&SeriesPicture> {
        self.picture.series.iter().find(|series_picture| series_picture.id == id)
    }

    pub(super) fn name(&self, event: &EventBox) -> &str {
        self.picture.names.get(event.name as usize).map_or("", String::as_str)
    }

    /// Draws the columns of a lane from `x` on, `width` px wide.
    pub(super) fn draw_columns(
        &self,
        to: &CanvasRenderingContext2d,
        column: (LineRef, u32),
        (x, y): (f64, f64),
        (width, height): (f64, f64),
    ) {
        let Some(images) = self.images.get(&column.0) else { return };
        let Some(strip) = u8::try_from(column.1).ok().and_then(|lane| images.lanes.binary_search(&lane).ok()) else {
            return;
        };
        let (columns, top) = (f64::from(images.canvas.width()), (strip * images.height) as f64);
        let _ = to.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
            &images.canvas,
            0.0,
            top,
            columns,
            images.height as f64,
            x,
            y,
            width,
            height,
        );
    }
}

/// Makes an image of strips. `None` if there are no strips.
fn image(strips: &Strips) -> Option<HtmlCanvasElement> {
    let (width, height) = (u32::try_from(strips.width).ok()?, u32::try_from(strips.lanes.len() * strips.height).ok()?);
    if width == 0 || height == 0 {
        return None;
    }
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.unchecked_into();
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&strips.rgba), width, height).ok()?;
    context.put_image_data(&data, 0.0, 0.0).ok()?;
    Some(canvas)
}
