//! The page: Leptos components over [`state`]. Knows how things look and what a press does; knows no figure's
//! formula and no geometry (`chart`), and never reads a file (`engine` does, in a worker).
//!
//! ```text
//!   bar · landing · loading · breakdown · roofline · memory · file · op · empty   one folder per part of the screen: signals in, calls out
//!                      │
//!                    state  ── opening, asking ──►  engine::client  ──►  worker
//! ```

use leptos::prelude::*;

mod app;
mod bar;
mod breakdown;
mod comm;
mod drop;
mod empty;
mod erase;
mod file;
mod keys;
mod landing;
mod loading;
mod memory;
mod op;
mod parts;
mod roofline;
mod share;
mod state;
mod ways;
mod widgets;

pub use parts::{Act, Draw, Parts};

/// What the part of an op brings. Nothing of the page may name it: it would be no part.
pub fn op() -> Draw {
    Draw(|state| leptos::view! { <op::Op state /> }.into_any())
}

/// What the part of the roofline brings.
pub fn roofline() -> Draw {
    Draw(|state| leptos::view! { <roofline::Roofline state /> }.into_any())
}

/// What the part of memory brings.
pub fn memory() -> Draw {
    Draw(|state| leptos::view! { <memory::Memory state /> }.into_any())
}

/// What the compute waits for.
pub fn comm() -> Draw {
    Draw(|state| leptos::view! { <comm::Comm state /> }.into_any())
}

/// What the part of the files brings.
pub fn file() -> Draw {
    Draw(|state| leptos::view! { <file::File state /> }.into_any())
}

/// What the part of the audit brings.
pub fn audit() -> Draw {
    Draw(|state| leptos::view! { <breakdown::AuditPicture state /> }.into_any())
}

/// What the part of other ways in brings.
pub fn ways() -> Draw {
    Draw(|state| leptos::view! { <ways::Ways state /> }.into_any())
}

/// What chooses of large files: of the same part.
pub fn choice() -> Draw {
    Draw(|state| leptos::view! { <ways::Choose state /> }.into_any())
}

/// What keeps a capture on this device: of the same part.
pub fn keep() -> Act {
    Act(ways::keep)
}

/// What the part of sharing brings.
pub fn share() -> Draw {
    Draw(|state| leptos::view! { <share::Share state /> }.into_any())
}

/// Puts the page into the document.
pub fn mount(parts: Parts) {
    if let Some(boot) = leptos::prelude::document().get_element_by_id("boot") {
        boot.remove();
    }
    leptos::mount::mount_to_body(move || leptos::view! { <app::App parts /> });
}
