//! The page: Leptos components over [`state`]. This module knows how things look and what a press does; it knows no figure's
//! formula and no geometry (`chart`), and never reads a file (`engine` does, in a worker).
//!
//! ```text
//!   bar · landing · loading · breakdown · roofline · memory · file · op · empty   one folder per part of the screen: signals in, calls out
//!                      │
//!                    state  ── loader, queries ──►  worker::client  ──►  worker
//! ```

use crate::worker::program;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;

mod app;
mod bar;
mod breakdown;
mod comm;
mod data_movement;
mod drop;
mod empty;
mod files;
mod keys;
mod landing;
mod loading;
mod memory;
mod op;
mod roofline;
mod share;
mod sources;
mod state;
mod type_erasure;
mod widgets;

/// Puts the page into the document. Once that is drawn, the worker's program is fetched: a file that is dropped does not wait for it.
pub fn mount() {
    if let Some(boot) = document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(app::App);
    request_animation_frame(|| drop(Timeout::new(0, program::prefetch).forget()));
}
