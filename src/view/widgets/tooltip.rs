//! This module renders the only tooltip of the page, which appears after a moment on hover and at once on focus. The
//! pointer can move onto the tooltip, it holds no control, and Esc hides it.

use super::size::{rect, screen};
use crate::chart::plot::popover_position::{self, Rect};
use crate::chart::widgets::tip::Tip;
use crate::view::type_erasure::{EraseType, effect, live};
use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;
use web_sys::PointerEvent;

/// The delay between hover and tooltip, in milliseconds.
const AFTER: u32 = 120;
/// The time for which the tooltip stays after the pointer has left, in milliseconds, so that the pointer can reach the
/// tooltip.
const LINGER: u32 = 140;

/// A handle that shows and hides the tooltip. It is cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct Tips {
    shown: RwSignal<Option<(Tip, Rect)>>,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Tips {
    pub(crate) fn new() -> Self {
        Self { shown: RwSignal::new(None), timer: StoredValue::new_local(None) }
    }

    fn start_timer(self, ms: u32, then: impl FnOnce() + 'static) {
        self.timer.set_value(Some(Timeout::new(ms, then)));
    }

    /// Shows a tooltip at `anchor`, once the pointer has rested for the delay.
    pub(crate) fn hover(self, tip: Tip, anchor: Rect) {
        self.start_timer(AFTER, move || self.shown.set(Some((tip, anchor))));
    }

    /// Shows a tooltip for an event of the pointer, as [`hover`](Self::hover) does. A finger that scrolls shows none.
    pub(crate) fn point(self, event: &PointerEvent, tip: Tip, anchor: Rect) {
        if event.pointer_type() != "touch" {
            self.hover(tip, anchor);
        }
    }

    /// Shows a tooltip at `anchor` at once, for an element that has the focus.
    pub(crate) fn focus(self, tip: Tip, anchor: Rect) {
        self.timer.set_value(None);
        self.shown.set(Some((tip, anchor)));
    }

    /// Hides the tooltip after a moment, because the pointer or the focus has left.
    pub(crate) fn leave(self) {
        self.start_timer(LINGER, move || self.shown.set(None));
    }

    /// Hides the tooltip at once.
    pub(crate) fn hide(self) {
        self.timer.set_value(None);
        if self.is_shown() {
            self.shown.set(None);
        }
    }

    pub(crate) fn is_shown(self) -> bool {
        self.shown.with_untracked(Option::is_some)
    }
}

/// Renders the tooltip at its place.
#[component]
pub(crate) fn Tooltip(tips: Tips) -> impl IntoView {
    let node = NodeRef::<html::Aside>::new();
    let (corner, set_corner) = signal((0.0, 0.0));
    effect(move || {
        if let (Some((_, anchor)), Some(node)) = (tips.shown.get(), node.get()) {
            let size = rect(&node);
            set_corner.set(popover_position::popover_corner(anchor, (size.width, size.height), screen(), 8.0));
        }
    });
    let body = move || {
        tips.shown.get().map(|(tip, _)| {
            let line = |(label, value): (String, String)| view! { <dt>{label}</dt><dd>{value}</dd> }.any();
            view! {
                <b class="tip-title">{tip.title}</b>
                <dl class="tip-rows">{tip.rows.into_iter().map(line).collect_view()}</dl>
            }
            .any()
        })
    };
    view! {
        <aside
            node_ref=node
            class="tip"
            aria-label="Exact values"
            hidden=move || tips.shown.with(Option::is_none)
            style:left=move || format!("{}px", corner.get().0)
            style:top=move || format!("{}px", corner.get().1)
            on:pointerenter=move |_| tips.timer.set_value(None)
            on:pointerleave=move |_| tips.leave()
        >
            <div id="tip" role="tooltip">{live(body)}</div>
        </aside>
    }
    .any()
}
