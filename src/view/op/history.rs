//! This module keeps the history of the ops whose panels were open before.

use crate::chart::op::panel;
use crate::protocol::Failure;
use crate::table::format;
use crate::view::state::State;
use crate::view::widgets::clipboard;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use leptos::prelude::*;
/// Copies `text` to the clipboard, and reports the result.
pub(super) fn copied(state: State, text: String) {
    clipboard::copy(&text.clone(), move |done| {
        let title = if done { "Copied" } else { "Not copied: the browser did not allow it" };
        state.inform(Failure { title: title.to_owned(), message: format::middle_cut(&text, 80) });
    });
}

/// The navigation between the ops of a program, with its history.
#[derive(Clone, Copy)]
pub(crate) struct OpHistory {
    pub(super) state: State,
}

impl OpHistory {
    /// Opens the panel of another op, and remembers the op before it.
    pub(super) fn go_to_op(self, name: &str, program: Option<u64>) {
        let from = self.state.op.get_untracked();
        self.state.walked.update(|before| {
            before.push(from);
            let over = before.len().saturating_sub(KEPT);
            before.drain(..over);
        });
        self.state.op.update(|op| *op = panel::sibling_key(op, name, program));
    }

    pub(super) fn back(self) {
        if let Some(name) = self.state.walked.try_update(Vec::pop).flatten() {
            self.state.op.set(name);
        }
    }
}

/// Focuses the name of the op in its panel.
pub(super) fn focus_name() {
    if let Some(name) = document().get_element_by_id("op-name").and_then(|name| name.dyn_into::<HtmlElement>().ok()) {
        let _ = name.focus();
    }
}

/// The largest number of ops in the history.
const KEPT: usize = 100;
