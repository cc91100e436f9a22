//! This module saves the visible part of the timeline as a PNG: the names, the ruler and the tracks, in the theme on screen.

use super::axis::{MINIMAP, RULER};
use super::model::TimelineModel;
use super::picture::Colors;
use crate::chart::timeline::BandKind;
use crate::protocol::Failure;
use crate::view::widgets::clipboard;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Width of the names, in px.
const NAMES: f64 = 200.0;
/// Height of the line with the name of the file, in px.
const TITLE: f64 = 26.0;

/// Saves the picture, or reports that the browser cannot.
pub(super) fn save_png(model: TimelineModel) {
    if write(model).is_err() {
        let message = "The browser does not let this page make a picture of this size.".to_owned();
        model.state.fail(Failure { title: "The picture was not saved".to_owned(), message });
    }
}

fn canvas(id: &str) -> Result<HtmlCanvasElement, JsValue> {
    let element = document().get_element_by_id(id).ok_or("no canvas")?;
    Ok(element.dyn_into::<HtmlCanvasElement>()?)
}

fn write(model: TimelineModel) -> Result<(), JsValue> {
    let colors = Colors::read();
    let (map, ruler, tracks) = (canvas("timeline-map")?, canvas("timeline-ruler")?, canvas("timeline-canvas")?);
    let (width, height) = (f64::from(tracks.client_width()), f64::from(tracks.client_height()));
    let whole = (NAMES + width, TITLE + MINIMAP + RULER + height);
    let sheet: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    sheet.set_width((whole.0 * 2.0).ceil() as u32);
    sheet.set_height((whole.1 * 2.0).ceil() as u32);
    let to: CanvasRenderingContext2d = sheet.get_context("2d")?.ok_or("no canvas")?.unchecked_into();
    to.scale(2.0, 2.0)?;
    to.set_fill_style_str(&colors.ground);
    to.fill_rect(0.0, 0.0, whole.0, whole.1);
    to.set_text_baseline("middle");
    to.set_fill_style_str(&colors.ink);
    to.set_font(&format!("600 13px {}", colors.sans));
    let name = model.state.opened.with_untracked(|of| of.as_ref().map_or_else(String::new, |of| of.name.clone()));
    to.fill_text(&name, 12.0, TITLE / 2.0)?;
    let mut y = TITLE;
    for (from, height) in [(&map, MINIMAP), (&ruler, RULER), (&tracks, height)] {
        to.draw_image_with_html_canvas_element_and_dw_and_dh(from, NAMES, y, width, height)?;
        y += height;
    }
    write_names(model, &to, &colors, (whole.1 - height, height))?;
    clipboard::save_canvas(&format!("{name} timeline.png"), &sheet)
}

/// Writes the names of the visible tracks at the left. `top` is the top of the tracks, and `height` their visible height.
fn write_names(
    model: TimelineModel,
    to: &CanvasRenderingContext2d,
    colors: &Colors,
    (top, height): (f64, f64),
) -> Result<(), JsValue> {
    let scroll = model.scroll.get_untracked();
    let (Some(layout), Some(timeline)) = (model.layout.get_untracked(), model.timeline.get_untracked()) else {
        return Ok(());
    };
    for visible in layout.visible(scroll, height) {
        let band = &visible.band;
        let Some(group) = timeline.groups.get(band.group as usize) else { continue };
        let (name, weight, x) = match band.kind {
            BandKind::Head { .. } => (group.name.as_str(), 600, 12.0),
            BandKind::Track { track, .. } => {
                (group.tracks.get(track as usize).map_or("", |track| track.name.as_str()), 400, 28.0)
            }
            BandKind::Idle { .. } => ("Idle", 400, 28.0),
            BandKind::More { .. } => continue,
        };
        let middle = top + visible.y + 10.0;
        if middle < top || !band.is_pinned && visible.y + 10.0 < layout.pinned {
            continue;
        }
        to.set_font(&format!("{weight} 12px {}", colors.sans));
        to.set_fill_style_str(if weight == 600 { &colors.ink } else { &colors.ink_2 });
        to.fill_text_with_max_width(name, x, middle, NAMES - x - 8.0)?;
    }
    Ok(())
}
