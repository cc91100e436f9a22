//! How wide an element is, kept up to date. This module knows the browser's observer; decides nothing.

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

/// What is to be done with what was read.
pub(crate) type OnSize = Box<dyn FnOnce()>;

/// Calls `resized` with the element's content width, once it is laid out and whenever it changes, until the owner is gone.
pub(crate) fn on_width(element: &Element, resized: impl Fn(f64) + Clone + 'static) {
    on_size(element, move |(width, _)| resized(width));
}

/// The same with its content height.
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

/// Calls `read` when the browser has laid the page out and the element has another size than before, until the owner is
/// gone: sizes and places are known then, where asking at another time makes it lay out all that was changed, at once. What
/// the first size leads to (rows, marks) is done in a task of its own, so that the frame is not longer for it.
pub(crate) fn on_resize(element: &Element, read: Box<dyn Fn() -> OnSize>) {
    let first = Rc::new(Cell::new(None::<Timeout>));
    let (later, is_sent) = (Rc::clone(&first), Cell::new(false));
    let heard = Closure::<dyn FnMut()>::new(move || {
        let then = read();
        if is_sent.replace(true) {
            // A first size that still waits for its task is no longer the size.
            drop(later.take());
            then();
        } else {
            later.set(Some(Timeout::new(0, then)));
        }
    });
    let Ok(observer) = ResizeObserver::new(heard.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let cleanup = StoredValue::new_local(Some((observer, heard, first)));
    on_cleanup(move || {
        if let Some(Some((observer, _, first))) = cleanup.try_update_value(Option::take) {
            observer.disconnect();
            drop(first.take());
        }
    });
}

/// Calls `read` with the next frame, which lays the page out anyway, and then what it wants done: after that frame.
pub(crate) fn with_frame(read: impl FnOnce() -> OnSize + 'static) {
    request_animation_frame(move || drop(Timeout::new(0, read()).forget()));
}

/// Calls `scrolled` whenever anything on the page is scrolled, until the owner is gone. Only the page's own scrolling bubbles:
/// that of a part of it is heard on its way down.
pub(crate) fn on_scroll(scrolled: impl Fn() + 'static) {
    let down = EventListenerOptions::run_in_capture_phase();
    let listener = EventListener::new_with_options(&window(), "scroll", down, move |_| scrolled());
    let cleanup = StoredValue::new_local(Some(listener));
    on_cleanup(move || drop(cleanup.try_update_value(Option::take)));
}

/// The width of an element that is made with this reference; 0 until it is there.
pub(crate) fn width_of(node: NodeRef<Div>) -> ReadSignal<f64> {
    let (width, set_width) = signal(0.0);
    effect(move || {
        if let Some(node) = node.get() {
            on_width(&node, move |width| set_width.set(width));
        }
    });
    width
}

/// The width and height of an element that is made with this reference; 0 until it is there.
pub(crate) fn size_of(node: NodeRef<Div>) -> ReadSignal<(f64, f64)> {
    let (size, set_size) = signal((0.0, 0.0));
    effect(move || {
        if let Some(node) = node.get() {
            on_size(&node, move |now| set_size.set(now));
        }
    });
    size
}

/// An element's rectangle on the screen.
pub(crate) fn rect(element: &Element) -> crate::chart::plot::popover_position::Rect {
    let rect = element.get_bounding_client_rect();
    crate::chart::plot::popover_position::Rect { x: rect.x(), y: rect.y(), width: rect.width(), height: rect.height() }
}

/// The screen's size.
pub(crate) fn screen() -> (f64, f64) {
    let side = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0);
    (side(window().inner_width()), side(window().inner_height()))
}
