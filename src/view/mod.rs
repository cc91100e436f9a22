//! This module is the page: Leptos components over the signals of [`state`]. Components render and handle input.
//! Geometry and texts are in `chart`. The page never reads a file: a worker does.
//!
//! ```text
//!   bar · landing · loading · breakdown · roofline · memory · comm · files · op · share · sources · empty
//!                      │         one folder for each part of the screen: reads signals, calls functions of the state
//!                    state  ── loader, queries ──►  worker::client  ──►  worker
//! ```

use crate::worker::program;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

mod app;
mod bar;
mod breakdown;
mod captures;
mod comm;
mod compare;
mod data_movement;
mod drop;
mod empty;
mod files;
mod gaps;
mod glossary;
mod hint;
mod keys;
mod landing;
mod loading;
mod memory;
mod op;
mod overview;
mod roofline;
mod share;
mod shared;
mod sources;
mod state;
mod timeline;
mod type_erasure;
mod widgets;

/// Mounts the page. After the first frame, the worker's program is fetched, so that a dropped file does not wait for
/// it.
pub fn mount() {
    if let Some(boot) = document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(app::App);
    request_animation_frame(|| drop(Timeout::new(0, program::prefetch).forget()));
}
