//! This module saves the visible part of the timeline as a picture in the theme on screen, and the events of the range as a
//! smaller capture or as trace JSON.

use super::model::TimelineModel;
use crate::analysis::timeline::{PictureQuery, TraceQuery};
use crate::chart::timeline::VisibleBand;
use crate::chart::timeline::scene::{Content, MAX_MARKS, scene};
use crate::chart::timeline::text;
use crate::protocol::requests::{self, TypedRequest};
use crate::protocol::{ExcerptRequest, ExportedFile, Failure, ViewRequest};
use crate::view::shared::chart;
use crate::view::widgets::clipboard;
use leptos::prelude::*;
use xla_profile::units::Picos;

/// The id of the canvas of the tracks.
pub(super) const CANVAS: &str = "timeline-canvas";

/// Saves the visible tracks as SVG or PNG.
pub(super) fn save_picture(model: TimelineModel, is_png: bool) {
    let Some(canvas) = document().get_element_by_id(CANVAS) else { return };
    let size = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
    let (view, scroll) = (model.view.get_untracked(), model.scroll.get_untracked());
    let bands: Vec<VisibleBand> = model.layout.with_untracked(|layout| {
        layout.as_ref().map(|layout| layout.visible(scroll, size.1).collect()).unwrap_or_default()
    });
    let Some(mut query) = model.wanted(&bands, size.0) else { return };
    query.start = Picos(view.start);
    request(model, PictureQuery { n_columns: n_columns(&query, view.end), ..query }, size, is_png);
}

/// Returns the number of columns until a time.
fn n_columns(query: &PictureQuery, end: u64) -> u32 {
    end.saturating_sub(query.start.0).div_ceil(query.column.0.max(1)).clamp(1, PictureQuery::MAX_COLUMNS.into()) as u32
}

/// Requests a picture and saves it. With too many marks, it is requested again with columns of twice the width.
fn request(model: TimelineModel, query: PictureQuery, size: (f64, f64), is_png: bool) {
    let view = model.view.get_untracked();
    model.request_answer(requests::Picture(query), move |answer| {
        let Some(picture) = model.state.shown(answer) else { return };
        let (Some(layout), Some(timeline)) = (model.layout.get_untracked(), model.timeline.get_untracked()) else {
            return;
        };
        let name = model
            .state
            .opened
            .with_untracked(|opened| opened.as_ref().map_or_else(String::new, |opened| opened.name.clone()));
        let range = model.view_state.with_untracked(|view_state| view_state.range);
        let content = Content {
            title: &name,
            timeline: &timeline,
            layout: &layout,
            picture: &picture,
            view,
            scroll: model.scroll.get_untracked(),
            size,
            range,
        };
        let scene = scene(&content);
        if scene.marks.len() > MAX_MARKS && picture.query.n_columns > 100 {
            let mut query = picture.query.clone();
            query.column = Picos(query.column.0.saturating_mul(2));
            query.n_columns = n_columns(&query, view.end);
            return request(model, query, size, is_png);
        }
        chart::save_scene(model.state, &scene, "timeline", is_png);
    });
}

/// Saves the events of the range, or of the visible part, as smaller captures. All files are cut to the range on the event clock of
/// the device of the sums.
pub(super) fn save_capture(model: TimelineModel) {
    let range = untrack(|| model.event_clock_range(model.device()));
    let request = ExcerptRequest { range, with_programs: true };
    save_files(model, requests::ExportXSpace(request), |files| files);
}

/// Saves the events of the range, or of the visible part, as trace JSON, on the event clock.
pub(super) fn save_trace(model: TimelineModel) {
    let range = untrack(|| model.event_clock_range(model.device()));
    let query = TraceQuery { range, max_events: TraceQuery::MAX_EVENTS };
    save_files(model, requests::ExportTrace(query), |file| vec![file]);
}

/// Requests files and saves them, or reports why there are none.
fn save_files<A: TypedRequest + Into<ViewRequest>>(
    model: TimelineModel,
    typed: A,
    files: impl FnOnce(A::Answer) -> Vec<ExportedFile> + 'static,
) {
    let state = model.state;
    let clock = untrack(|| model.device()).filter(|_| model.is_aligned());
    let clock = clock.map_or_else(String::new, |device| text::exported_clock(&model.device_name(device)));
    model.request_answer(typed, move |answer| {
        if let Some(files) = state.shown(answer.map(files)) {
            for ExportedFile { name, bytes, summary } in files {
                let message = Failure { title: format!("Saved {name}"), message: format!("{summary}{clock}") };
                match clipboard::save_bytes(&name, &bytes) {
                    Ok(()) => state.inform(message),
                    Err(_) => chart::refused(state),
                }
            }
        }
    });
}
