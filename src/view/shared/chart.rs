//! This module renders any scene as a chart, with tooltips for the mark under the pointer or the keyboard. The chart
//! can be saved as SVG or PNG, and shown as a table. It is one tab stop, and arrow keys walk its marks.

use crate::chart::plot::hit_test::{self, Direction};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::{Anchor, Mark, Scene, Shape, Size, path_data};
use crate::chart::plot::svg;
use crate::chart::widgets::table::TWO_LINES;
use crate::chart::widgets::tip::Tip;
use crate::protocol::Failure;
use crate::view::state::{PtrEq, SharedMemo, State};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::clipboard;
use crate::view::widgets::menu::{Entry, MenuButton};
use crate::view::widgets::size::{rect, screen};
use leptos::prelude::*;
use leptos::{ev, html};
use web_sys::Element;

/// The scene of a chart, and its handlers. They are cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Model {
    /// The scene to draw; `None` while there is none.
    pub(crate) scene: SharedMemo<Scene>,
    /// Returns the tooltip of a mark.
    pub(crate) tip: Callback<u32, Option<Tip>>,
    /// Handles a click on a mark, or with `true` the keys Enter and Space.
    pub(crate) press: Callback<(u32, bool)>,
    /// Handles Esc, Backspace and `-` by a step back out. Returns `false` if there is nothing to leave.
    pub(crate) out: Callback<(), bool>,
    /// Returns the mark to which an arrow key leads; `None` decides by the places of the marks.
    pub(crate) walk: Option<Callback<(u32, Direction), Option<u32>>>,
    /// Handles keys of the view, before those of the chart. Returns `false` for a key without a use.
    pub(crate) key: Option<Callback<String, bool>>,
    /// The mark with the keyboard focus.
    pub(crate) focus: RwSignal<Option<u32>>,
}

/// Returns the margin on each side of a chart in a view of `width`, in pixels. As in the style sheet, the margin
/// depends on the width of the window.
pub(crate) fn gutter(width: f64) -> f64 {
    let window = screen().0.max(width);
    if window < TWO_LINES {
        12.0
    } else if window < LARGE_TYPE {
        16.0
    } else {
        24.0
    }
}

/// From this width of the window on, type and margins are one step larger, as in `tokens.css`.
const LARGE_TYPE: f64 = 2200.0;

/// Returns the width that is left for a chart in a view of `width`, in pixels.
pub(crate) fn room(width: f64) -> f64 {
    (width - 2.0 * gutter(width)).max(0.0)
}

/// Renders the ring around the mark with the keyboard focus.
fn focus_ring(bounds: Rect) -> AnyView {
    view! {
        <rect
            class="chart-focus"
            x=(bounds.x + 1.0).to_string()
            y=(bounds.y + 1.0).to_string()
            width=(bounds.width - 2.0).max(2.0).to_string()
            height=(bounds.height - 2.0).max(2.0).to_string()
        />
    }
    .any()
}

/// Renders the chart in the size of its scene. The view that makes the scene measures the room for it.
#[component]
pub(crate) fn Chart(state: State, model: Model) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let focused = RwSignal::new(false);
    // A new scene with the same marks (after rows were sorted, for example) is not drawn again.
    let drawn = Memo::new(move |old: Option<&Option<PtrEq<Scene>>>| {
        let now = model.scene.get();
        let before = old.and_then(Option::as_ref);
        before.filter(|old| now.as_ref().is_some_and(|now| now.marks == old.marks)).cloned().or(now)
    });
    let drawing = move || drawn.get().map(|scene| draw(&scene));
    let sentence =
        move || model.scene.with(|scene| scene.as_ref().map(|scene| scene.title.clone()).unwrap_or_default());
    // The label of the mark with the keyboard focus, for screen readers.
    let current = move || {
        let focus = model.focus.get()?;
        model
            .scene
            .with(|scene| Some(scene.as_ref()?.marks.iter().rev().find(|mark| mark.id == Some(focus))?.label.clone()))
    };
    let ring = move || {
        let focus = model.focus.get().filter(|_| focused.get())?;
        let bounds = model.scene.with(|scene| bounds_of(scene.as_ref()?, focus))?;
        Some(focus_ring(bounds))
    };
    let find = move |event: &ev::PointerEvent| {
        let frame = rect(&event.current_target().map(wasm_bindgen::JsCast::unchecked_into::<Element>)?);
        let (x, y) = (f64::from(event.client_x()) - frame.x, f64::from(event.client_y()) - frame.y);
        model.scene.with_untracked(|scene| hit_test::mark_at(&scene.as_ref()?.marks, x, y))
    };
    let hover = move |event: ev::PointerEvent| {
        if event.pointer_type() == "touch" {
            return;
        }
        match find(&event).and_then(|id| untrack(|| model.tip.run(id))) {
            Some(tip) => {
                let (x, y) = (f64::from(event.client_x()) + 12.0, f64::from(event.client_y()) - 8.0);
                state.tips.hover(tip, Rect { x, y, width: 0.0, height: 16.0 });
            }
            None => state.tips.leave(),
        }
    };
    let press = move |event: ev::PointerEvent| {
        if let Some(id) = find(&event).filter(|_| event.button() == 0) {
            model.focus.set(Some(id));
            state.tips.hide();
            model.press.run((id, false));
        }
    };
    let tell = move |id: u32| {
        let frame = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
        let bounds = model.scene.with_untracked(|scene| bounds_of(scene.as_ref()?, id)).unwrap_or_default();
        if let Some(tip) = untrack(|| model.tip.run(id)) {
            state.tips.focus(tip, Rect { x: frame.x + bounds.x, y: frame.y + bounds.y, ..bounds });
        }
    };
    let key = move |event: ev::KeyboardEvent| {
        if model.key.is_some_and(|key| key.run(event.key())) {
            event.prevent_default();
            event.stop_propagation();
            return;
        }
        let direction = match event.key().as_str() {
            "ArrowLeft" => Direction::Left,
            "ArrowRight" => Direction::Right,
            "ArrowUp" => Direction::Up,
            "ArrowDown" => Direction::Down,
            // The keys `+` and `=` do what a click does, in charts where Enter does something else.
            key @ ("Enter" | " " | "+" | "=") => {
                event.prevent_default();
                if let Some(focus) = model.focus.get_untracked() {
                    model.press.run((focus, matches!(key, "Enter" | " ")));
                }
                return;
            }
            "-" => {
                model.out.run(());
                return;
            }
            "Escape" | "Backspace" => {
                if !state.tips.is_shown() && model.out.run(()) {
                    event.prevent_default();
                    event.stop_propagation();
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let from = model.focus.get_untracked();
        let to = match (from, model.walk) {
            (Some(from), Some(walk)) => untrack(|| walk.run((from, direction))),
            _ => model.scene.with_untracked(|scene| hit_test::walk(&scene.as_ref()?.marks, from, direction)),
        };
        if let Some(to) = to {
            model.focus.set(Some(to));
            tell(to);
        }
    };
    let enter = move |_| {
        focused.set(true);
        let there = model.focus.get_untracked().filter(|focus| {
            model.scene.with_untracked(|scene| scene.as_ref().is_some_and(|scene| bounds_of(scene, *focus).is_some()))
        });
        let first = || model.scene.with_untracked(|scene| scene.as_ref()?.marks.iter().find_map(|mark| mark.id));
        model.focus.set(there.or_else(first));
    };
    let leave = move |_| {
        focused.set(false);
        state.tips.hide();
    };
    let size = move |length: fn(&Scene) -> f64| {
        move || model.scene.with(|scene| scene.as_ref().map_or(0.0, |scene| length(scene))).to_string()
    };
    // The view box lets the chart shrink on paper.
    let whole = move || {
        let (width, height) =
            model.scene.with(|scene| scene.as_ref().map_or((1.0, 1.0), |scene| (scene.width, scene.height)));
        format!("0 0 {} {}", width.max(1.0), height.max(1.0))
    };
    view! {
        <div class="chart" node_ref=node>
            <svg
                class="scene"
                role="img"
                tabindex="0"
                aria-label=move || format!("{} {}", sentence(), current().unwrap_or_default())
                width=size(|scene| scene.width)
                height=size(|scene| scene.height)
                viewBox=whole
                on:pointermove=hover
                on:pointerleave=move |_| state.tips.leave()
                on:pointerup=press
                on:keydown=key
                on:focus=enter
                on:blur=leave
            >
                {live(drawing)}
                {live(ring)}
            </svg>
        </div>
    }
    .any()
}

/// Returns the bounds of the first mark with an id.
fn bounds_of(scene: &Scene, id: u32) -> Option<Rect> {
    scene.marks.iter().find(|mark| mark.id == Some(id)).map(|mark| mark.shape.bounds())
}

/// Renders the marks of a scene as elements.
pub(crate) fn draw(scene: &Scene) -> AnyView {
    scene.marks.iter().filter(|mark| mark.paint.is_drawn()).map(mark).collect_view().into_any()
}

fn mark(mark: &Mark) -> AnyView {
    let paint = mark.paint;
    let (fill, stroke) = (paint.fill_css(), paint.stroke_css());
    let width = paint.stroke.is_some().then(|| paint.width.to_string());
    let dash = paint.dash.then_some("3 3");
    let opacity = (paint.opacity < 1.0).then(|| paint.opacity.to_string());
    match &mark.shape {
        Shape::Rect { x, y, w, h, r } => view! {
            <rect x=x.to_string() y=y.to_string() width=w.to_string() height=h.to_string() rx=(*r > 0.0).then(|| r.to_string()) fill=fill stroke=stroke stroke-width=width stroke-dasharray=dash opacity=opacity />
        }.any(),
        Shape::Line { x1, y1, x2, y2 } => view! {
            <line x1=x1.to_string() y1=y1.to_string() x2=x2.to_string() y2=y2.to_string() stroke=stroke stroke-width=width stroke-dasharray=dash opacity=opacity />
        }.any(),
        Shape::Path(points, closed) => view! {
            <path d=path_data(points, *closed) fill=fill stroke=stroke stroke-width=width stroke-dasharray=dash opacity=opacity />
        }.any(),
        Shape::Circle { x, y, r } => view! {
            <circle cx=x.to_string() cy=y.to_string() r=r.to_string() fill=fill stroke=stroke stroke-width=width opacity=opacity />
        }.any(),
        Shape::Text { x, y, text, anchor, size, mono, halo } => {
            let anchor = (*anchor != Anchor::Start).then(|| anchor.key());
            view! {
                <text x=x.to_string() y=y.to_string() class="chart-text" class:dense=*size == Size::Dense class:mono=*mono class:halo=*halo text-anchor=anchor fill=fill opacity=opacity>
                    {text.clone()}
                </text>
            }.any()
        }
    }
}

/// Builds the entries of the chart's menu: show as a table, and save as a picture. `name` is a part of the file's name.
pub(crate) fn entries(state: State, model: Model, name: &'static str, table: RwSignal<bool>) -> Signal<Vec<Entry>> {
    let picture = move |png: bool| Callback::new(move |()| save(state, model, name, png));
    let show = Callback::new(move |()| table.update(|shown| *shown = !*shown));
    Signal::derive(move || {
        let words = if table.get() { "Show as a picture" } else { "Show as a table" };
        vec![
            Entry::new(words, show),
            Entry::new("Save SVG", picture(false)).separated(),
            Entry::new("Save PNG", picture(true)),
        ]
    })
}

/// Renders the button with the chart's menu.
pub(crate) fn tools(id: &'static str, entries: Signal<Vec<Entry>>) -> AnyView {
    use crate::view::widgets::icon::{Icon, icon};
    view! {
        <MenuButton
            id
            class="btn icon-only small"
            label=Signal::stored("Save or show this chart".to_owned())
            entries
            face=Box::new(|| icon(Icon::More))
        />
    }
    .any()
}

fn save(state: State, model: Model, name: &'static str, png: bool) {
    if let Some(scene) = model.scene.get_untracked() {
        save_scene(state, &scene, name, png);
    }
}

/// Saves a scene as SVG or PNG in the theme on screen. `name` is a part of the file's name.
pub(crate) fn save_scene(state: State, scene: &Scene, name: &'static str, png: bool) {
    let style = document().document_element().and_then(|root| window().get_computed_style(&root).ok().flatten());
    let colour = |token: &str| {
        style.as_ref().and_then(|style| style.get_property_value(token).ok()).unwrap_or_default().trim().to_owned()
    };
    let text = svg::write(scene, &colour);
    let capture = state.opened.with_untracked(|opened| opened.as_ref().map(|o| o.name.clone())).unwrap_or_default();
    let file = |end: &str| crate::chart::widgets::table::file_name(&capture, name, end);
    if !png {
        if clipboard::save(&file("svg"), "image/svg+xml", &text).is_err() {
            refused(state);
        }
        return;
    }
    let file = file("png");
    clipboard::save_png(&file, &text, (scene.width, scene.height), move |done| {
        if !done {
            refused(state);
        }
    });
}

/// Tells that the browser does not save files from this page.
pub(crate) fn refused(state: State) {
    let message = "The browser refuses to save a file from this page.".to_owned();
    state.inform(Failure { title: "Nothing was saved".to_owned(), message });
}

/// Renders the chart, or its data while `table` is true.
pub(crate) fn chart_or_table(state: State, model: Model, table: RwSignal<bool>) -> AnyView {
    let body = move || if table.get() { as_table(model) } else { view! { <Chart state model /> }.any() };
    live(body).into_any()
}

/// Renders the data of the chart as a table of at most 2,000 rows.
pub(crate) fn as_table(model: Model) -> AnyView {
    let table = move || {
        model.scene.get().map(|scene| {
            let heads =
                scene.table.heads.iter().map(|head| view! { <th scope="col">{head.clone()}</th> }.any()).collect_view();
            let row = |row: &Vec<String>| {
                let cells = row.iter().map(|cell| view! { <td>{cell.clone()}</td> }.any()).collect_view();
                view! { <tr>{cells}</tr> }.any()
            };
            let rows = scene.table.rows.iter().take(2000).map(row).collect_view();
            view! { <thead><tr>{heads}</tr></thead><tbody>{rows}</tbody> }.any()
        })
    };
    view! { <div class="chart-table" tabindex="0" role="region" aria-label="The chart as a table"><table>{live(table)}</table></div> }.any()
}
