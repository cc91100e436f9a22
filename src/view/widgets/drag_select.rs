//! A drag across a chart: from where to where, with a band over what it covers. This module knows the pointer; not what lies there.

use super::size::rect;
use super::tooltip::Tips;
use crate::view::type_erasure::{EraseType, live};
use leptos::prelude::*;
use leptos::{ev, html};

/// A press that moves this far is a drag.
const FAR: f64 = 6.0;

/// A drag over an element. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct Across {
    node: NodeRef<html::Div>,
    tips: Tips,
    /// Where the press was.
    from: StoredValue<Option<f64>>,
    /// From where to where, in pixels of the element.
    now: RwSignal<Option<(f64, f64)>>,
}

impl Across {
    /// Over the element that is made with this reference.
    pub(crate) fn new(node: NodeRef<html::Div>, tips: Tips) -> Self {
        Self { node, tips, from: StoredValue::new(None), now: RwSignal::new(None) }
    }

    fn x(self, event: &ev::PointerEvent) -> f64 {
        f64::from(event.client_x()) - self.node.get_untracked().map_or(0.0, |node| rect(&node).x)
    }

    /// A pointer came down. A finger scrolls instead.
    pub(crate) fn down(self, event: &ev::PointerEvent) {
        if event.button() == 0 && event.pointer_type() != "touch" {
            self.from.set_value(Some(self.x(event)));
        }
    }

    /// It moved.
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

    /// It is up: what it covered, from left to right; `None` where it was a press.
    pub(crate) fn up(self) -> Option<(f64, f64)> {
        self.from.set_value(None);
        let (a, b) = self.now.get_untracked()?;
        self.now.set(None);
        Some((a.min(b), a.max(b)))
    }

    /// What is covered so far.
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
