//! The one tooltip: after a moment on hover, at once on focus. It can be hovered, holds no control, and Esc
//! hides it. This module knows where it goes; not what it says.

use super::size::{rect, screen};
use crate::chart::plot::popover_position::{self, Rect};
use crate::chart::widgets::tip::Tip;
use crate::view::type_erasure::{EraseType, effect, live};
use gloo::timers::callback::Timeout;
use leptos::html;
use leptos::prelude::*;

/// Hover this long, milliseconds.
const AFTER: u32 = 120;
/// And this long after the pointer left, so that it can reach the tooltip.
const LINGER: u32 = 140;

/// Shows and hides the tooltip. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct Tips {
    shown: RwSignal<Option<(Tip, Rect)>>,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Tips {
    pub(crate) fn new() -> Self {
        Self { shown: RwSignal::new(None), timer: StoredValue::new_local(None) }
    }

    fn after(self, ms: u32, then: impl FnOnce() + 'static) {
        self.timer.set_value(Some(Timeout::new(ms, then)));
    }

    /// The pointer came to rest on something at `anchor`.
    pub(crate) fn hover(self, tip: Tip, anchor: Rect) {
        self.after(AFTER, move || self.shown.set(Some((tip, anchor))));
    }

    /// Something at `anchor` has the focus.
    pub(crate) fn focus(self, tip: Tip, anchor: Rect) {
        self.timer.set_value(None);
        self.shown.set(Some((tip, anchor)));
    }

    /// The pointer or the focus left.
    pub(crate) fn leave(self) {
        self.after(LINGER, move || self.shown.set(None));
    }

    /// At once.
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

/// Where the tooltip is drawn.
#[component]
pub(crate) fn Tooltip(tips: Tips) -> impl IntoView {
    let node = NodeRef::<html::Aside>::new();
    let (corner, set_corner) = signal((0.0, 0.0));
    effect(move || {
        if let (Some((_, anchor)), Some(node)) = (tips.shown.get(), node.get()) {
            let size = rect(&node);
            set_corner.set(popover_position::beside(anchor, (size.width, size.height), screen(), 8.0));
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
