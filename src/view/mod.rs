//! The page: Leptos components over [`state`]. Knows how things look and what a press does; knows no figure's
//! formula and no geometry (`chart`), and never reads a file (`engine` does, in a worker).
//!
//! ```text
//!   bar · landing · loading · breakdown · file · op · empty   one folder per part of the screen: signals in, calls out
//!                      │
//!                    state  ── opening, asking ──►  engine::client  ──►  worker
//! ```

mod app;
mod bar;
mod breakdown;
mod drop;
mod empty;
mod erase;
mod file;
mod keys;
mod landing;
mod loading;
mod op;
mod state;
mod widgets;

/// Puts the page into the document.
pub fn mount() {
    if let Some(boot) = leptos::prelude::document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(app::App);
}
