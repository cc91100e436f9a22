//! This module renders the tracks: the names at the left, and beside them the canvas with its gestures and keys.

use super::axis::{self, MARKS, MINIMAP, RULER};
use super::canvas;
use super::export::CANVAS;
use super::gestures::{Gestures, to_time, wheel};
use super::keys::key;
use super::model::{TimelineModel, Tool};
use super::picture::Colors;
use super::print::draw_for_print;
use crate::chart::timeline::{Band, BandKind, text};
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::size::size_of;
use leptos::prelude::*;
use leptos::{ev, html};
use web_sys::{FocusOptions, HtmlCanvasElement};

/// Renders the picture of the whole capture, the ruler and the tracks.
#[component]
pub(super) fn Tracks(model: TimelineModel) -> impl IntoView {
    let (area, sheet) = (NodeRef::<html::Div>::new(), NodeRef::<html::Canvas>::new());
    let scroller = NodeRef::<html::Div>::new();
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
        if let Some(canvas) = sheet.get() {
            take_free_focus(&canvas);
        }
    });
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
    // The place to which this view has scrolled, to tell a scroll of the user from its own.
    let own_scroll = StoredValue::new(0);
    let scrolled = move |event: ev::Event| {
        model.state.tips.hide();
        let top = event_target::<web_sys::Element>(&event).scroll_top();
        model.scroll.set(top.into());
        if top != own_scroll.get_value() {
            model.sight.set(None);
        }
    };
    effect(move || {
        let height = size.get().1;
        let Some(sight) = model.sight.get().filter(|_| height > 0.0) else { return };
        model.layout.with(|_| ());
        // The heights of the tracks change with this frame.
        request_animation_frame(move || {
            if model.sight.try_get_untracked().flatten().is_none() {
                return;
            }
            let Some(node) = scroller.get_untracked() else { return };
            let now = f64::from(node.scroll_top());
            let to = model.layout.with_untracked(|layout| {
                model.timeline.with_untracked(|timeline| {
                    layout
                        .as_ref()
                        .zip(timeline.as_ref())
                        .map_or(now, |(layout, timeline)| sight.scroll(layout, timeline, now, height))
                })
            });
            node.set_scroll_top(to.ceil() as i32);
            own_scroll.set_value(node.scroll_top());
        });
    });
    model.state.view_key.set_value(Some(Callback::new(move |event| key(model, &event, false))));
    on_cleanup(move || model.state.view_key.set_value(None));
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
            <div node_ref=scroller class="timeline-scroll" on:scroll=scrolled>
                <div class="timeline-names timeline-side" style:height=move || format!("{}px", height())>{live(move || Some(names(model)))}</div>
                <div node_ref=area class="timeline-area">
                    <canvas
                        node_ref=sheet
                        class="timeline-canvas"
                        class:pans=move || model.tool.get() == Tool::Pan
                        id=CANVAS
                        tabindex="0"
                        role="application"
                        aria-label="Events. Arrow keys move between events, j goes to a linked event, w and s zoom, a and d pan."
                        aria-describedby="timeline-event"
                        on:keydown=move |event| {
                            if key(model, &event, true) {
                                event.prevent_default();
                                event.stop_propagation();
                            }
                        }
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

/// Focuses the tracks when the view opens, so that the arrow keys move between events at once. A keyboard that moves
/// along the tabs stays there.
fn take_free_focus(canvas: &HtmlCanvasElement) {
    let is_in_use = document().active_element().is_some_and(|element| {
        let is_tab = element.get_attribute("role").as_deref() == Some("tab");
        element.tag_name() != "BODY" && (!is_tab || element.matches(":focus-visible").unwrap_or(true))
    });
    if !is_in_use {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = canvas.focus_with_options(&options);
    }
}

/// Returns the label of the ruler.
fn unit(model: TimelineModel, width: f64) -> String {
    let ruler = crate::chart::timeline::ruler::ruler(model.view.get(), width.max(1.0), MARKS);
    model.timeline.with(|timeline| {
        text::unit(ruler.unit.symbol(), timeline.as_ref().is_some_and(|timeline| timeline.is_aligned()))
    })
}

/// Renders the names of the groups and the tracks.
fn names(model: TimelineModel) -> AnyView {
    let (Some(layout), Some(timeline)) = (model.layout.get(), model.timeline.get()) else { return ().into_any() };
    let name = |band: &Band| {
        let group = timeline.groups.get(band.group as usize)?;
        let group_index = band.group;
        let body = match band.kind {
            BandKind::Head { is_open, .. } => {
                let mark = if is_open { Icon::Down } else { Icon::Right };
                let note = text::group_note(&timeline, group);
                view! {
                    <button type="button" class="timeline-group" title=note.clone() aria-expanded=is_open.to_string() on:click=move |_| model.fold(group_index)>
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
                let (title, press) = (label.clone(), move |_| model.show_all(group_index));
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
