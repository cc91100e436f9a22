//! This module reads the clock of the page.
use leptos::prelude::window;

/// Returns the milliseconds since the page was opened; 0 if the browser has no such clock.
pub(crate) fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
