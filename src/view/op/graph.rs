//! This module renders the graph around the op whose panel is open. The graph can be dragged and zoomed, mouse and keys
//! walk its nodes, and bodies of nodes can be expanded. The layout is in `chart::op::graph`.

use crate::analysis::op::graph::OpGraph;
use crate::chart::op::graph::{self, Drawing, Pan};
use crate::chart::op::panel;
use crate::chart::plot::hit_test::{self, Direction};
use crate::chart::plot::popover_position::Rect;
use crate::chart::plot::scene::Scene;
use crate::protocol::{Failure, Reply, requests};
use crate::view::shared::chart::{self, Model};
use crate::view::state::{PtrEq, SharedMemo, SharedSignal, State};
use crate::view::type_erasure::{EraseType, If, effect, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::size::rect;
use leptos::prelude::*;
use leptos::{ev, html};

/// At a smaller scale, names cannot be read. A graph that would be smaller is drawn at this scale, with the op in the
/// middle.
const READABLE: f64 = 0.7;
/// A pointer that moves at most this far, in pixels, makes a click and no drag.
const STILL: f64 = 4.0;
/// The exponent of the zoom factor for each unit of the wheel's delta.
const WHEEL: f64 = 0.0015;

/// The last answer, with its layout and its scene.
#[derive(Debug)]
struct Drawn {
    graph: OpGraph,
    drawing: Drawing,
    scene: Scene,
}

/// Renders the graph, while it is switched on and an op is open.
#[component]
pub(crate) fn Graph(state: State) -> impl IntoView {
    let open = Memo::new(move |_| state.graph.get() && state.op.with(|op| !op.is_empty()));
    view! {
        <If when=open>
            <Sheet state />
        </If>
    }
    .any()
}

/// Closes the graph, and focuses the name of the op in its panel.
pub(crate) fn close(state: State) {
    state.graph.set(false);
    super::history::focus_name();
}

/// Returns whether the graph has the keyboard focus.
pub(super) fn has_focus() -> bool {
    let element = document().active_element();
    element.and_then(|element| element.closest(".graph").ok().flatten()).is_some()
}

#[component]
fn Sheet(state: State) -> impl IntoView {
    let (drawn, failure) = (SharedSignal::<Drawn>::none(), SharedSignal::<Failure>::none());
    let inside = RwSignal::new(Vec::<String>::new());
    let request = Memo::new(move |_| (state.header_query(), state.op.get(), inside.get()));
    state.request_answer_on_change(
        move || {
            let (query, op, open) = request.get();
            Some(requests::Graph { query, op: panel::op_ref(&op), open })
        },
        move |answer| match answer {
            Ok(graph) => {
                let drawing = graph::draw(&graph);
                let scene = graph::scene(&graph, &drawing);
                failure.set(None);
                drawn.set(Some(PtrEq::new(Drawn { graph, drawing, scene })));
            }
            Err(Reply::Failed(why)) => failure.set(Some(PtrEq::new(why))),
            _ => {}
        },
    );
    let node = NodeRef::<html::Div>::new();
    let (frame, pan) = (RwSignal::new((0.0_f64, 0.0_f64)), RwSignal::new(Pan { x: 0.0, y: 0.0, scale: 1.0 }));
    effect(move || {
        if let Some(node) = node.get() {
            let measured = node.clone();
            crate::view::widgets::size::on_width(&node, move |width| {
                frame.set((width, f64::from(measured.client_height())));
            });
        }
    });
    let focus = RwSignal::new(None::<u32>);
    let size = |drawn: &Drawn| (drawn.drawing.width, drawn.drawing.height);
    let fit = move || {
        let Some(drawn) = drawn.get_untracked() else { return };
        let (all, frame) = (Pan::fit(size(&drawn), frame.get_untracked()), frame.get_untracked());
        let centre = drawn.drawing.nodes.iter().find(|node| node.is_centre).map(|node| node.rect);
        pan.set(match centre {
            Some(centre) if all.scale < READABLE => {
                let middle = (centre.x + centre.width / 2.0, centre.y + centre.height / 2.0);
                Pan { scale: READABLE, ..all }.centred(middle, frame).clamp_to(size(&drawn), frame)
            }
            _ => all,
        });
    };
    // Another op or frame size resets the zoom. If only a body was expanded or collapsed, the visible part stays.
    let shown = StoredValue::new(String::new());
    effect(move || {
        let (Some(drawn), frame) = (drawn.get(), frame.get()) else { return };
        if frame.0 <= 0.0 {
            return;
        }
        let centre = drawn.graph.nodes.get(drawn.graph.centre as usize).map(|node| node.name.clone());
        let key = format!("{}{frame:?}", centre.unwrap_or_default());
        if shown.with_value(|shown| *shown == key) {
            pan.update(|pan| *pan = pan.clamp_to(size(&drawn), frame));
        } else {
            shown.set_value(key);
            focus.set(None);
            fit();
        }
    });
    let zoom = move |place: (f64, f64), factor: f64| {
        let size = drawn.with_untracked(|drawn| drawn.as_ref().map(|drawn| size(drawn)));
        let frame = frame.get_untracked();
        pan.update(|pan| *pan = pan.zoomed(place, factor).clamp_to(size.unwrap_or(frame), frame));
    };
    let middle = move || {
        let (width, height) = frame.get_untracked();
        (width / 2.0, height / 2.0)
    };
    let model = Model {
        scene: SharedMemo::new(move || drawn.with(|drawn| Some(PtrEq::new(drawn.as_ref()?.scene.clone())))),
        tip: Callback::new(|_| None),
        press: Callback::new(|_| ()),
        out: Callback::new(|()| false),
        walk: None,
        key: None,
        focus,
    };
    let hand = GraphHandlers { state, drawn, inside, pan, frame, focus };
    let table = RwSignal::new(false);
    let entries = chart::entries(state, model, "graph", table);
    let notes = move || {
        let note = |note: &xla_profile::profile::Note| note.message.clone();
        drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.graph.notes.iter().map(note).collect::<Vec<_>>().join(" ")))
    };
    let button = move |label: &'static str, face: &'static str, act: Callback<()>| {
        view! {
            <button type="button" class="btn icon-only small" aria-label=label title=label on:click=move |_| act.run(())>{face}</button>
        }
        .any()
    };
    let body = move || {
        if let Some(failure) = failure.get() {
            return view! { <p class="panel-none">{failure.message.clone()}</p> }.any();
        }
        if table.get() { chart::as_table(model) } else { canvas(hand, node, Callback::new(move |()| fit())) }
    };
    let name = move || state.op.with(|op| panel::op_ref(op).name);
    view! {
        <section class="graph" aria-label="Graph">
            <header>
                <b>"Around"</b> <span class="mono">{live(name)}</span>
                <span class="grow"></span>
                {button("Zoom out", "−", Callback::new(move |()| zoom(middle(), 1.0 / Pan::STEP)))}
                {button("Zoom in", "+", Callback::new(move |()| zoom(middle(), Pan::STEP)))}
                <button type="button" class="btn small-text" title="Fit (0)" on:click=move |_| fit()>"Fit"</button>
                {chart::tools("graph-menu", entries)}
                <button type="button" class="btn icon-only small" aria-label="Close the graph" title="Close (Esc)" on:click=move |_| close(state)>
                    {icon(Icon::Close)}
                </button>
            </header>
            {live(body)}
            <p class="graph-notes">{live(notes)}</p>
        </section>
    }
    .any()
}

/// The signals that the handlers of pointer and keys use. They are cheap to copy.
#[derive(Clone, Copy)]
struct GraphHandlers {
    state: State,
    drawn: SharedSignal<Drawn>,
    inside: RwSignal<Vec<String>>,
    pan: RwSignal<Pan>,
    frame: RwSignal<(f64, f64)>,
    focus: RwSignal<Option<u32>>,
}

impl GraphHandlers {
    /// Expands or collapses the body of a node.
    fn toggle(self, id: u32) {
        let name = self.drawn.with_untracked(|drawn| {
            let node = drawn.as_ref()?.drawing.nodes.get(id as usize)?;
            node.toggle.map(|_| node.name.clone())
        });
        let Some(name) = name else { return };
        self.inside.update(|open| match open.iter().position(|other| *other == name) {
            Some(index) => drop(open.swap_remove(index)),
            None => open.push(name),
        });
    }

    /// Opens the panel of a node's op, which also becomes the centre of the graph.
    fn go(self, id: u32) {
        let name = self.drawn.with_untracked(|drawn| {
            let drawn = drawn.as_ref()?;
            let node = drawn.drawing.nodes.get(id as usize).filter(|node| node.is_op && !node.is_centre)?;
            Some((node.name.clone(), drawn.graph.program_id))
        });
        if let Some((name, program)) = name {
            self.state.tips.hide();
            super::history::OpHistory { state: self.state }.go_to_op(&name, program);
        }
    }

    /// Returns the node at `place`, in pixels of the frame, and whether its expand switch is there.
    fn find(self, place: (f64, f64)) -> Option<(u32, bool)> {
        let (x, y) = self.pan.get_untracked().to_drawing(place);
        self.drawn.with_untracked(|drawn| {
            let drawn = drawn.as_ref()?;
            let id = hit_test::mark_at(&drawn.scene.marks, x, y)?;
            let within =
                |rect: Rect| x >= rect.x && y >= rect.y && x <= rect.x + rect.width && y <= rect.y + rect.height;
            Some((id, drawn.drawing.nodes.get(id as usize)?.toggle.is_some_and(within)))
        })
    }

    /// Returns the rectangle of a node on the screen. `frame` is the rectangle of the canvas.
    fn screen_rect(self, id: u32, frame: Rect) -> Option<Rect> {
        let pan = self.pan.get_untracked();
        let rect = self.drawn.with_untracked(|drawn| Some(drawn.as_ref()?.drawing.nodes.get(id as usize)?.rect))?;
        Some(Rect {
            x: frame.x + (rect.x - pan.x) * pan.scale,
            y: frame.y + (rect.y - pan.y) * pan.scale,
            width: rect.width * pan.scale,
            height: rect.height * pan.scale,
        })
    }

    fn tip(self, id: u32) -> Option<crate::chart::widgets::tip::Tip> {
        self.drawn.with_untracked(|drawn| Some(drawn.as_ref()?.drawing.nodes.get(id as usize)?.tip.clone()))
    }
}

fn place_of(event: &ev::PointerEvent, node: NodeRef<html::Div>) -> (f64, f64) {
    let frame = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
    (f64::from(event.client_x()) - frame.x, f64::from(event.client_y()) - frame.y)
}

fn canvas(hand: GraphHandlers, node: NodeRef<html::Div>, fit: Callback<()>) -> AnyView {
    let GraphHandlers { state, drawn, pan, frame, focus, .. } = hand;
    // The place at which the pointer went down, its last place, and whether it has moved since.
    let grabbed = StoredValue::new(None::<((f64, f64), (f64, f64), bool)>);
    let clamped = move |pan: Pan| {
        let size =
            drawn.with_untracked(|drawn| drawn.as_ref().map(|drawn| (drawn.drawing.width, drawn.drawing.height)));
        let frame = frame.get_untracked();
        pan.clamp_to(size.unwrap_or(frame), frame)
    };
    let down = move |event: ev::PointerEvent| {
        if event.button() == 0 {
            let place = place_of(&event, node);
            grabbed.set_value(Some((place, place, false)));
            if let Some(node) = node.get_untracked() {
                let _ = node.set_pointer_capture(event.pointer_id());
            }
        }
    };
    let moved = move |event: ev::PointerEvent| {
        let place = place_of(&event, node);
        if let Some((start, last, moving)) = grabbed.get_value() {
            let far = (place.0 - start.0).hypot(place.1 - start.1) > STILL;
            if moving || far {
                pan.update(|pan| *pan = clamped(pan.moved(place.0 - last.0, place.1 - last.1)));
                state.tips.hide();
            }
            grabbed.set_value(Some((start, place, moving || far)));
        } else if let Some((id, _)) = hand.find(place) {
            let (x, y) = (f64::from(event.client_x()) + 12.0, f64::from(event.client_y()) - 8.0);
            if let Some(tip) = hand.tip(id) {
                state.tips.point(&event, tip, Rect { x, y, width: 0.0, height: 16.0 });
            }
        } else {
            state.tips.leave();
        }
    };
    let up = move |event: ev::PointerEvent| {
        let Some((_, place, moving)) = grabbed.get_value() else { return };
        grabbed.set_value(None);
        if let Some(node) = node.get_untracked() {
            let _ = node.release_pointer_capture(event.pointer_id());
        }
        match hand.find(place).filter(|_| !moving) {
            Some((id, true)) => hand.toggle(id),
            Some((id, false)) => {
                focus.set(Some(id));
                hand.go(id);
            }
            None => {}
        }
    };
    let wheel = move |event: ev::WheelEvent| {
        event.prevent_default();
        let frame = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
        let place = (f64::from(event.client_x()) - frame.x, f64::from(event.client_y()) - frame.y);
        // A pinch arrives as a wheel event with Ctrl. With Shift, the wheel moves the graph sideways.
        if event.shift_key() {
            pan.update(|pan| *pan = clamped(pan.moved(-event.delta_y() - event.delta_x(), 0.0)));
        } else {
            let strength = if event.ctrl_key() { 6.0 } else { 1.0 };
            pan.update(|pan| *pan = clamped(pan.zoomed(place, (-event.delta_y() * WHEEL * strength).exp())));
        }
    };
    let key = move |event: ev::KeyboardEvent| {
        let half = |size: (f64, f64)| (size.0 / 2.0, size.1 / 2.0);
        let direction = match &*event.key() {
            "ArrowLeft" => Direction::Left,
            "ArrowRight" => Direction::Right,
            "ArrowUp" => Direction::Up,
            "ArrowDown" => Direction::Down,
            pressed @ ("Enter" | " " | "+" | "=" | "-" | "0") => {
                event.prevent_default();
                event.stop_propagation();
                match (pressed, focus.get_untracked()) {
                    ("Enter", Some(id)) => hand.go(id),
                    (" ", Some(id)) => hand.toggle(id),
                    ("+" | "=", _) => {
                        pan.update(|pan| *pan = clamped(pan.zoomed(half(frame.get_untracked()), Pan::STEP)));
                    }
                    ("-", _) => {
                        pan.update(|pan| *pan = clamped(pan.zoomed(half(frame.get_untracked()), 1.0 / Pan::STEP)));
                    }
                    ("0", _) => fit.run(()),
                    _ => {}
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let to = drawn.with_untracked(|drawn| graph::next(&drawn.as_ref()?.drawing, focus.get_untracked(), direction));
        let Some(to) = to else { return };
        focus.set(Some(to));
        // The node with the keyboard focus is moved into view.
        let room = node.get_untracked().map(|node| rect(&node)).unwrap_or_default();
        if let Some(place) = hand.screen_rect(to, Rect { x: 0.0, y: 0.0, ..room }) {
            let out = place.x < 0.0
                || place.y < 0.0
                || place.x + place.width > room.width
                || place.y + place.height > room.height;
            if out {
                let (dx, dy) =
                    (place.x + place.width / 2.0 - room.width / 2.0, place.y + place.height / 2.0 - room.height / 2.0);
                pan.update(|pan| *pan = clamped(pan.moved(-dx, -dy)));
            }
        }
        if let (Some(tip), Some(place)) = (hand.tip(to), hand.screen_rect(to, room)) {
            state.tips.focus(tip, place);
        }
    };
    let ring = move || {
        let rect = drawn.with(|drawn| Some(drawn.as_ref()?.drawing.nodes.get(focus.get()? as usize)?.rect))?;
        let (x, y, width, height) = (rect.x - 2.0, rect.y - 2.0, rect.width + 4.0, rect.height + 4.0);
        Some(view! { <rect class="chart-focus" x=x.to_string() y=y.to_string() width=width.to_string() height=height.to_string() rx="5" /> }.any())
    };
    let status = move || {
        let title = drawn.with(|drawn| drawn.as_ref().map(|drawn| drawn.drawing.title.clone()).unwrap_or_default());
        let on = focus
            .get()
            .and_then(|id| drawn.with(|drawn| Some(drawn.as_ref()?.drawing.nodes.get(id as usize)?.label.clone())));
        format!("{title} {}", on.unwrap_or_default())
    };
    let picture = move || drawn.get().map(|drawn| chart::draw(&drawn.scene));
    let view_box = move || pan.get().view_box(frame.get());
    view! {
        <div class="graph-canvas" node_ref=node on:pointerdown=down on:pointermove=moved on:pointerup=up
            on:wheel=wheel on:pointercancel=move |_| grabbed.set_value(None) on:pointerleave=move |_| state.tips.leave()>
            <svg class="scene" role="img" tabindex="0" aria-label=status viewBox=view_box on:keydown=key on:blur=move |_| state.tips.hide()>
                {live(picture)}
                {live(ring)}
            </svg>
        </div>
    }
    .any()
}
