//! This module handles a page that is one HTML file. `share/boot.js` sets the global names that it reads.

use super::State;
use crate::worker::client::Picked;
use js_sys::{Reflect, global};
use wasm_bindgen::JsCast;
use web_sys::File;

/// Returns whether the page is one HTML file. Such a page has no sample beside it, and no storage of its own.
pub(crate) fn is_single() -> bool {
    Reflect::has(&global(), &"rooflightPack".into()).unwrap_or(false)
}

impl State {
    /// Opens the file inside the page, if the page holds one.
    pub(crate) fn open_inside(self) {
        let inside = Reflect::get(&global(), &"rooflightInside".into()).ok();
        if let Some(file) = inside.and_then(|inside| inside.dyn_into::<File>().ok()) {
            self.open(vec![Picked::new(&file.name(), file)]);
        }
    }
}
