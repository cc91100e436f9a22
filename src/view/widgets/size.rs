//! This module measures elements, and calls back when their size changes.

use crate::view::type_erasure::effect;
use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use leptos::html::Div;
use leptos::prelude::*;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

/// The work that is done with a size that was read.
pub(crate) type OnSize = Box<dyn FnOnce()>;

/// Calls `resized` with the content width of the element in pixels, once it is laid out and whenever it changes, until
/// the owner is disposed.
pub(crate) fn on_width(element: &Element, resized: impl Fn(f64) + Clone + 'static) {
    on_size(element, move |(width, _)| resized(width));
}

/// Calls `resized` with the content width and height in pixels, at the same times.
fn on_size(element: &Element, resized: impl Fn((f64, f64)) + Clone + 'static) {
    let watched = element.clone();
    on_resize(
        element,
        Box::new(move || {
            let (size, resized) = ((watched.client_width().into(), watched.client_height().into()), resized.clone());
            Box::new(move || resized(size))
        }),
    );
}

/// Calls `read` when the browser has computed the layout and the size of the element has changed, until the owner is
/// disposed. Sizes and places are known at that time; reading them at another time forces the browser to compute the
/// layout of all changes at once. The work after the first size (rows, marks) is done in a task of its own, so that it
/// does not make the frame longer.
pub(crate) fn on_resize(element: &Element, read: Box<dyn Fn() -> OnSize>) {
    let first = Rc::new(Cell::new(None::<Timeout>));
    let (later, is_sent) = (Rc::clone(&first), Cell::new(false));
    let listener = Closure::<dyn FnMut()>::new(move || {
        let then = read();
        if is_sent.replace(true) {
            // A first size whose task still waits is outdated.
            drop(later.take());
            then();
        } else {
            later.set(Some(Timeout::new(0, then)));
        }
    });
    let Ok(observer) = ResizeObserver::new(listener.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let cleanup = StoredValue::new_local(Some((observer, listener, first)));
    on_cleanup(move || {
        if let Some(Some((observer, _, first))) = cleanup.try_update_value(Option::take) {
            observer.disconnect();
            drop(first.take());
        }
    });
}

/// Calls `read` in the next frame, which computes the layout anyway, and does the returned work after that frame.
pub(crate) fn with_frame(read: impl FnOnce() -> OnSize + 'static) {
    request_animation_frame(move || drop(Timeout::new(0, read()).forget()));
}

/// Calls `scrolled` whenever anything on the page is scrolled, until the owner is disposed. Only scroll events of the
/// page itself bubble, so those of its parts are handled in the capture phase.
pub(crate) fn on_scroll(scrolled: impl Fn() + 'static) {
    let down = EventListenerOptions::run_in_capture_phase();
    let listener = EventListener::new_with_options(&window(), "scroll", down, move |_| scrolled());
    let cleanup = StoredValue::new_local(Some(listener));
    on_cleanup(move || drop(cleanup.try_update_value(Option::take)));
}

/// Returns the width of the element `node` in pixels; 0 until it exists.
pub(crate) fn width_of(node: NodeRef<Div>) -> ReadSignal<f64> {
    let (width, set_width) = signal(0.0);
    effect(move || {
        if let Some(node) = node.get() {
            on_width(&node, move |width| set_width.set(width));
        }
    });
    width
}

/// Returns the width and the height of the element `node` in pixels; 0 until it exists.
pub(crate) fn size_of(node: NodeRef<Div>) -> ReadSignal<(f64, f64)> {
    let (size, set_size) = signal((0.0, 0.0));
    effect(move || {
        if let Some(node) = node.get() {
            on_size(&node, move |now| set_size.set(now));
        }
    });
    size
}

/// Returns the rectangle of an element on the screen, in pixels.
pub(crate) fn rect(element: &Element) -> crate::chart::plot::popover_position::Rect {
    let rect = element.get_bounding_client_rect();
    crate::chart::plot::popover_position::Rect { x: rect.x(), y: rect.y(), width: rect.width(), height: rect.height() }
}

/// Returns the inner width and height of the window, in pixels.
pub(crate) fn screen() -> (f64, f64) {
    let side = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0);
    (side(window().inner_width()), side(window().inner_height()))
}
