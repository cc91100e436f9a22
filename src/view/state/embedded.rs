//! The page as one file: what lies in it. This module knows the names under which `share/boot.js` leaves it.

use super::State;
use crate::worker::client::Picked;
use js_sys::{Reflect, global};
use wasm_bindgen::JsCast;
use web_sys::File;

/// Whether the page is one file, with nothing beside it: no sample, no place of its own to keep things.
pub(crate) fn is_single() -> bool {
    Reflect::has(&global(), &"rooflightPack".into()).unwrap_or(false)
}

impl State {
    /// Opens what lies in the page.
    pub(crate) fn open_inside(self) {
        let inside = Reflect::get(&global(), &"rooflightInside".into()).ok();
        if let Some(file) = inside.and_then(|inside| inside.dyn_into::<File>().ok()) {
            self.open(vec![Picked { path: file.name(), file }]);
        }
    }
}
