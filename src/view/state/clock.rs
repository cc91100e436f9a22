//! The time of the page, in milliseconds.
use leptos::prelude::window;

/// Milliseconds of the page's clock.
pub(crate) fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
