//! This module handles a horizontal drag over a chart, with a band over the range that the drag covers.

use super::size::rect;
use super::tooltip::Tips;
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;
use leptos::{ev, html};

/// A pointer that moves farther than this, in pixels, makes a drag.
const FAR: f64 = 6.0;

/// A horizontal drag over an element. It is cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct DragSelect {
    node: NodeRef<html::Div>,
    tips: Tips,
    /// The x position at which the pointer went down.
    from: StoredValue<Option<f64>>,
    /// The start and the current end of the drag, in pixels of the element.
    now: RwSignal<Option<(f64, f64)>>,
}

impl DragSelect {
    /// Creates a drag over the element `node`.
    pub(crate) fn new(node: NodeRef<html::Div>, tips: Tips) -> Self {
        Self { node, tips, from: StoredValue::new(None), now: RwSignal::new(None) }
    }

    fn x(self, event: &ev::PointerEvent) -> f64 {
        f64::from(event.client_x()) - self.node.get_untracked().map_or(0.0, |node| rect(&node).x)
    }

    /// Handles a pointer that goes down. A finger scrolls instead.
    pub(crate) fn pointer_down(self, event: &ev::PointerEvent) {
        if event.button() == 0 && event.pointer_type() != "touch" {
            self.from.set_value(Some(self.x(event)));
        }
    }

    /// Handles a pointer that moves.
    pub(crate) fn moved(self, event: &ev::PointerEvent) {
        let Some(start) = self.from.get_value() else { return };
        let to = self.x(event);
        if event.buttons() == 0 {
            self.from.set_value(None);
            self.now.set(None);
        } else if self.now.with_untracked(Option::is_some) || (to - start).abs() > FAR {
            if let Some(node) = self.node.get_untracked() {
                let _ = node.set_pointer_capture(event.pointer_id());
            }
            self.tips.hide();
            self.now.set(Some((start, to)));
        }
    }

    /// Handles a pointer that goes up. Returns the covered range from left to right, in pixels; `None` for a click.
    pub(crate) fn pointer_up(self) -> Option<(f64, f64)> {
        self.from.set_value(None);
        let (a, b) = self.now.get_untracked()?;
        self.now.set(None);
        Some((a.min(b), a.max(b)))
    }

    /// Renders the band over the range that is covered so far.
    pub(crate) fn band(self) -> AnyView {
        let band = move || {
            self.now.get().map(|(a, b)| {
                let px = |n: f64| format!("{n}px");
                view! { <div class="brush" style:left=px(a.min(b)) style:top="0" style:bottom="0" style:width=px((a - b).abs())></div> }.any()
            })
        };
        live(band).into_any()
    }
}
