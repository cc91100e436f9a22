//! This module zooms charts with a time axis: by a drag, the wheel, keys and buttons.

use crate::view::state::State;
use crate::view::type_erasure::EraseType;
use crate::view::widgets::drag_select::DragSelect;
use crate::view::widgets::size::rect;
use leptos::prelude::*;
use leptos::{ev, html};

/// The zoom factor of one press of a key or button. [`TURN`] is the factor of one wheel event, and [`ASIDE`] is the fraction of the
/// visible part by which the keys `a` and `d` move.
const STEP: f64 = 2.0;
const TURN: f64 = 1.25;
const ASIDE: f64 = 0.25;

/// What a chart does to zoom. Places are in pixels from the left of the chart's element. It is cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Zoom {
    /// Multiplies the length of the visible part by a factor. The time at the place stays there; `None` keeps the middle.
    pub(crate) by: Callback<(f64, Option<f64>)>,
    /// Shows the part between two places.
    pub(crate) between: Callback<(f64, f64)>,
    /// Moves the visible part by a fraction of its length.
    pub(crate) aside: Callback<f64>,
    /// Shows everything.
    pub(crate) all: Callback<()>,
    /// Everything is visible.
    pub(crate) is_whole: Signal<bool>,
}

impl Zoom {
    /// Handles a key of the chart. Returns `false` for a key without a use.
    pub(crate) fn key(self, key: &str) -> bool {
        match key {
            "0" => self.all.run(()),
            "+" | "=" | "w" => self.by.run((1.0 / STEP, None)),
            "-" | "s" => self.by.run((STEP, None)),
            "a" => self.aside.run(-ASIDE),
            "d" => self.aside.run(ASIDE),
            _ => return false,
        }
        true
    }

    /// Shows everything. Returns `false` if everything was visible.
    pub(crate) fn reset(self) -> bool {
        let was_whole = self.is_whole.get_untracked();
        self.all.run(());
        !was_whole
    }

    pub(crate) fn buttons(self) -> AnyView {
        let is_whole = self.is_whole;
        view! {
            <span class="zooms">
                <button type="button" class="btn icon-only small" aria-label="Zoom in" title="Zoom in (+)" on:click=move |_| self.by.run((1.0 / STEP, None))>"+"</button>
                <button type="button" class="btn icon-only small" aria-label="Zoom out" title="Zoom out (−)" disabled=move || is_whole.get() on:click=move |_| self.by.run((STEP, None))>"−"</button>
                <button type="button" class="btn small-text" title="Reset zoom (0)" disabled=move || is_whole.get() on:click=move |_| self.all.run(())>"All"</button>
            </span>
        }
        .any()
    }

    /// Renders the element of the chart, `node`, which handles drags and the wheel.
    pub(crate) fn element(
        self,
        state: State,
        node: NodeRef<html::Div>,
        class: &'static str,
        content: AnyView,
    ) -> AnyView {
        let drag = DragSelect::new(node, state.tips);
        let up = move |_: ev::PointerEvent| {
            if let Some(places) = drag.pointer_up() {
                self.between.run(places);
            }
        };
        let wheel = move |event: ev::WheelEvent| {
            // Without Ctrl or Command, the wheel scrolls the page.
            if !event.ctrl_key() && !event.meta_key() {
                return;
            }
            event.prevent_default();
            let x = f64::from(event.client_x()) - node.get_untracked().map_or(0.0, |node| rect(&node).x);
            self.by.run((if event.delta_y() < 0.0 { 1.0 / TURN } else { TURN }, Some(x)));
        };
        view! {
            <div
                class=class
                node_ref=node
                on:pointerdown=move |event| drag.pointer_down(&event)
                on:pointermove=move |event| drag.moved(&event)
                on:pointerup=up
                on:wheel=wheel
            >
                {content}
                {drag.band()}
            </div>
        }
        .any()
    }
}
