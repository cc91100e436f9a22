//! The ops that were open before, back and forward.

use crate::chart::op::panel;
use crate::protocol::Failure;
use crate::table::format;
use crate::view::state::State;
use crate::view::widgets::clipboard;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use leptos::prelude::*;
/// Copies a text, and says so.
pub(super) fn copied(state: State, text: String) {
    clipboard::copy(&text.clone(), move |done| {
        let title = if done { "Copied" } else { "Not copied: the browser did not allow it" };
        state.inform(Failure { title: title.to_owned(), message: format::middle_cut(&text, 80) });
    });
}

/// Goes to another op of the same program.
#[derive(Clone, Copy)]
pub(crate) struct OpHistory {
    pub(super) state: State,
}

impl OpHistory {
    pub(super) fn to(self, name: &str, program: Option<u64>) {
        let from = self.state.op.get_untracked();
        self.state.walked.update(|before| {
            before.push(from);
            let over = before.len().saturating_sub(KEPT);
            before.drain(..over);
        });
        self.state.op.update(|op| *op = panel::beside(op, name, program));
    }

    pub(super) fn back(self) {
        if let Some(name) = self.state.walked.try_update(Vec::pop).flatten() {
            self.state.op.set(name);
        }
    }
}

/// The keyboard goes to the op's name.
pub(super) fn focus_name() {
    if let Some(name) = document().get_element_by_id("op-name").and_then(|name| name.dyn_into::<HtmlElement>().ok()) {
        let _ = name.focus();
    }
}

/// Ops walked through on the way here are kept so far back.
const KEPT: usize = 100;
