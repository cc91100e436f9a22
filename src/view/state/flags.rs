//! This module takes the XLA flags of the run from a file, and shows them.

use super::State;
use crate::protocol::Failure;
use crate::protocol::url::View;
use crate::protocol::url::comm::Pane;
use leptos::prelude::*;

impl State {
    /// Sets the XLA flags of the run to the text of a file, and shows them if a session is open.
    pub(super) fn set_flags(self, text: String, path: &str) {
        if self.opened.with_untracked(Option::is_none) && self.load.with_untracked(Option::is_none) {
            return self.fail(Failure {
                title: format!("{path} holds XLA flags"),
                message: "Flags are judged by a capture. Open the capture first, or together with this file."
                    .to_owned(),
            });
        }
        self.flags.set(text);
        if self.load.with_untracked(Option::is_none) {
            self.show_flags();
        }
    }

    /// Shows the flags of the run in the communication view.
    pub(crate) fn show_flags(self) {
        self.change_views(|views| views.comm.pane = Pane::Flags);
        self.open_view(View::Communication);
    }
}
