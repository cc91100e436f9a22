//! This module renders the tracks: the names at the left, and beside them the canvas with its gestures and keys.

use super::axis::{self, MARKS, MINIMAP, RULER};
use super::canvas;
use super::export::CANVAS;
use super::gestures::{Gestures, to_time, wheel};
use super::model::{TimelineModel, Tool};
use super::picture::Colors;
use super::print::draw_for_print;
use crate::analysis::timeline::{EventQuery, Neighbour, TrackId};
use crate::chart::timeline::{Band, BandKind, text};
use crate::protocol::url::timeline::TimelineRows;
use crate::table::page::row_key;
use crate::units::Picos;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::size::size_of;
use leptos::prelude::*;
use leptos::{ev, html};

/// The zoom factor of a key or a button.
pub(super) const STEP: f64 = 0.5;
/// The part of the width by which a key moves the visible part, and the factor with Shift.
const ASIDE: f64 = 0.2;
const FAST: f64 = 4.0;
/// Renders the picture of the whole capture, the ruler and the tracks.
#[component]
pub(super) fn Tracks(model: TimelineModel) -> impl IntoView {
    let (area, sheet) = (NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
    let (map, scale) = (NodeRef::<html::Canvas>::new(), NodeRef::<html::Canvas>::new());
    let size = size_of(area);
    let pointer = RwSignal::new(None::<f64>);
    let gestures = Gestures::new(model, sheet, pointer);
    let colors = RwSignal::new(None::<Colors>);
    effect(move || {
        model.state.theme.track();
        // The style sheet applies in the next frame.
        request_animation_frame(move || {
            let _ = model.shown.try_set_value(None);
            let _ = model.minimap.try_set_value(None);
            let _ = colors.try_set(Some(Colors::read()));
        });
    });
    let is_due = StoredValue::new(false);
    let draw = move || {
        let _ = is_due.try_set_value(false);
        let (Some(size), Some(Some(colors))) = (size.try_get_untracked(), colors.try_get_untracked()) else { return };
        if let (Some(sheet), Some(map), Some(scale)) =
            (sheet.get_untracked(), map.get_untracked(), scale.get_untracked())
        {
            canvas::tracks(model, &sheet, &colors, size);
            axis::ruler_of(model, &scale, &colors, size.0, pointer.get_untracked());
            model.request_minimap(size.0, &colors);
            axis::minimap(model, &map, &colors, size.0);
        }
    };
    draw_for_print(colors, draw);
    effect(move || {
        model.view.track();
        model.scroll.track();
        model.view_state.track();
        model.drag.track();
        model.drawn.track();
        pointer.track();
        colors.track();
        size.track();
        model.layout.with(|_| ());
        model.selected.with(|_| ());
        model.search.with(|_| ());
        model.flows.with(|_| ());
        if !is_due.get_value() {
            is_due.set_value(true);
            request_animation_frame(draw);
        }
    });
    let height = move || model.layout.with(|layout| layout.as_ref().map_or(0.0, |layout| layout.height));
    let scrolled = move |event: ev::Event| {
        model.state.tips.hide();
        model.scroll.set(event_target::<web_sys::Element>(&event).scroll_top().into());
    };
    let selected_sentence = move || {
        let event = model.selected.get()?;
        Some(text::sentence(&event, &model.track_name(event.line)))
    };
    view! {
        <div class="timeline-tracks">
            <div class="timeline-side timeline-corner">"Capture"</div>
            <canvas
                node_ref=map
                id="timeline-map"
                class="timeline-map"
                style:height=format!("{MINIMAP}px")
                aria-hidden="true"
                on:pointerdown=move |event| to_time(model, map, &event)
                on:pointermove=move |event| if event.buttons() == 1 { to_time(model, map, &event) }
            />
            <div class="timeline-side timeline-unit">{live(move || Some(unit(model, size.get().0)))}</div>
            <canvas node_ref=scale id="timeline-ruler" class="timeline-ruler" style:height=format!("{RULER}px") aria-hidden="true" />
            <div class="timeline-scroll" on:scroll=scrolled>
                <div class="timeline-names timeline-side" style:height=move || format!("{}px", height())>{live(move || Some(names(model)))}</div>
                <div node_ref=area class="timeline-area">
                    <canvas
                        node_ref=sheet
                        class="timeline-canvas"
                        class:pans=move || model.tool.get() == Tool::Pan
                        id=CANVAS
                        tabindex="0"
                        role="application"
                        aria-label="Events. Arrow keys move between events, J goes to a linked event, W and S zoom, A and D pan."
                        aria-describedby="timeline-event"
                        on:keydown=move |event| key(model, &event)
                        on:wheel=move |event| wheel(model, sheet, &event)
                        on:pointerdown=move |event| gestures.pointer_down(&event)
                        on:pointermove=move |event| gestures.moved(&event)
                        on:pointerup=move |event| gestures.pointer_up(&event)
                        on:pointercancel=move |event| gestures.cancel(&event)
                        on:pointerleave=move |_| gestures.leave()
                        on:dblclick=move |_| model.fit()
                    />
                </div>
            </div>
            <p class="visually-hidden" role="status" id="timeline-event">{live(selected_sentence)}</p>
        </div>
    }
    .any()
}

/// Returns the label of the ruler.
fn unit(model: TimelineModel, width: f64) -> String {
    let ruler = crate::chart::timeline::ruler::ruler(model.view.get(), width.max(1.0), MARKS);
    model.timeline.with(|timeline| text::unit(ruler.unit.symbol(), timeline.as_ref().is_some_and(|of| of.is_aligned())))
}

/// Renders the names of the groups and the tracks.
fn names(model: TimelineModel) -> AnyView {
    let (Some(layout), Some(timeline)) = (model.layout.get(), model.timeline.get()) else { return ().into_any() };
    let name = |band: &Band| {
        let group = timeline.groups.get(band.group as usize)?;
        let at = band.group;
        let body = match band.kind {
            BandKind::Head { is_open, .. } => {
                let mark = if is_open { Icon::Down } else { Icon::Right };
                let note = text::group_note(&timeline, group);
                view! {
                    <button type="button" class="timeline-group" title=note.clone() aria-expanded=is_open.to_string() on:click=move |_| model.fold(at)>
                        {icon(mark)} <b>{group.name.clone()}</b> <span class="sub">{note.clone()}</span>
                    </button>
                }
                .any()
            }
            BandKind::Track { track, .. } => {
                let track = group.tracks.get(track as usize)?;
                let note = text::track_note(track, band.n_lanes);
                let note_below = (band.n_lanes > 1).then(|| note.clone());
                track_name(model, band, &group.name, &track.name, &note, note_below)
            }
            BandKind::Idle { .. } => {
                track_name(model, band, &group.name, "Idle", "What the device waits for between ops.", None)
            }
            BandKind::Series { id } => {
                let series = group.series.get(id.series as usize)?;
                let scale = model.scales.with(|scales| scales.get(&id).copied());
                let (note, about) = model.series_ranges.with(|ranges| {
                    let range = ranges.get(&id);
                    (text::series_note(series, scale, range), text::series_about(series, range))
                });
                track_name(model, band, &group.name, &series.name, &about, Some(note))
            }
            BandKind::More { n, is_open } => {
                let (words, label) = if is_open {
                    ("Fewer".to_owned(), "Fewer threads".to_owned())
                } else {
                    (format!("{n} more"), format!("{n} more threads"))
                };
                let (title, press) = (label.clone(), move |_| model.show_all(at));
                view! { <button type="button" class="timeline-group sub" aria-label=label title=title on:click=press>{words}</button> }.any()
            }
        };
        Some(view! { <div class="timeline-band" style:height=format!("{}px", band.height)>{body}</div> }.any())
    };
    let (pinned, others): (Vec<&Band>, Vec<&Band>) = layout.bands().iter().partition(|band| band.is_pinned);
    view! {
        <div class="timeline-pins">{pinned.into_iter().filter_map(name).collect_view()}</div>
        {others.into_iter().filter_map(name).collect_view()}
    }
    .any()
}

/// Renders the name of a track, with the button that pins it. A pinned track also has the name of its group.
fn track_name(
    model: TimelineModel,
    band: &Band,
    group: &str,
    name: &str,
    note: &str,
    below: Option<String>,
) -> AnyView {
    let title = format!("{group}, {name}: {note}");
    let below =
        if band.is_pinned && !matches!(band.kind, BandKind::Series { .. }) { Some(group.to_owned()) } else { below };
    let pin = band.track().map(|track| {
        let label = if band.is_pinned { format!("Unpin {name}") } else { format!("Pin {name}") };
        let title = label.clone();
        view! {
            <button type="button" class="timeline-pin" tabindex="-1" aria-label=label title=title aria-pressed=band.is_pinned.to_string() on:click=move |_| model.pin(track)>
                {icon(Icon::Pin)}
            </button>
        }
        .any()
    });
    view! {
        <div class="timeline-track" title=title>
            <span>{name.to_owned()}</span>
            {below.map(|below| view! { <span class="sub">{below}</span> }.any())}
            {pin}
        </div>
    }
    .any()
}

/// Handles the keys of the canvas.
fn key(model: TimelineModel, event: &ev::KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let (view, whole) = (model.view.get_untracked(), model.whole.get_untracked());
    let aside = if event.shift_key() { ASIDE * FAST } else { ASIDE };
    let selected = model.selected.get_untracked();
    let next = |to: Neighbour| {
        if let Some(event) = &selected {
            model.find_event(EventQuery::Next { line: event.line, event: event.event, to }, true);
        } else {
            first_event(model);
        }
    };
    match &*event.key() {
        "w" | "W" | "+" | "=" => model.show(view.zoom(whole, STEP, 0.5)),
        "s" | "S" | "-" | "−" => model.show(view.zoom(whole, 1.0 / STEP, 0.5)),
        "a" | "A" => model.show(view.pan(whole, -aside)),
        "d" | "D" => model.show(view.pan(whole, aside)),
        "0" => model.show(whole),
        "f" | "F" => model.fit(),
        "[" => model.step(-1),
        "]" => model.step(1),
        "ArrowLeft" => next(Neighbour::Previous),
        "ArrowRight" => next(Neighbour::Next),
        "ArrowUp" => next(Neighbour::Parent),
        "ArrowDown" => next(Neighbour::Child),
        "j" | "J" => {
            if let Some(flow) = selected.as_ref().and_then(|event| event.flows.first()) {
                model.find_event(EventQuery::Index { line: flow.event.line, event: flow.event.event }, true);
            }
        }
        "v" | "V" => model.tool.set(Tool::Pan),
        "r" | "R" => {
            model.tool.set(Tool::Range);
            let event = selected.as_ref().map(|event| (event.start.0, event.end.0));
            if let Some(range) = event.or_else(|| model.view_state.with_untracked(|view_state| view_state.measure)) {
                model.select_range(Some(range));
            }
        }
        "m" | "M" => {
            model.tool.set(Tool::Measure);
            model.measure_event();
        }
        "p" | "P" => {
            if let Some(event) = &selected {
                model.pin(TrackId::Line(event.line));
            }
        }
        "g" | "G" => model.change(|view_state| view_state.rows = TimelineRows::Idle),
        "Enter" => {
            if let Some(event) = selected.filter(|event| event.kind.is_some()) {
                model.state.op.set(row_key(&event.name, event.program));
            }
        }
        "Escape" if model.selected.with_untracked(Option::is_some) => model.deselect(),
        "Escape" if model.view_state.with_untracked(|view_state| view_state.measure.is_some()) => {
            model.change(|view_state| view_state.measure = None);
        }
        "Escape" if model.view_state.with_untracked(|view_state| view_state.range.is_some()) => {
            model.select_range(None);
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Selects the event in the middle of the first visible line.
fn first_event(model: TimelineModel) {
    let view = model.view.get_untracked();
    let line = model.layout.with_untracked(|layout| {
        let scroll = model.scroll.get_untracked();
        layout.as_ref()?.visible(scroll, f64::INFINITY).find_map(|visible| visible.band.line())
    });
    if let Some(line) = line {
        let (time, tolerance) = (Picos(view.start + view.length() / 2), Picos(view.length()));
        model.find_event(EventQuery::At { line, lane: 0, time, tolerance }, true);
    }
}
