//! This module shows the fetch of a capture as a load, before a worker has anything to do, and can cancel it.
//! `view::sources` and `sample` fetch the bytes.

use super::State;
use super::clock::now;
use super::open_request::OpenRequest;
use super::pending::Fetching;
use crate::chart::loading::Load;
use crate::protocol::{Progress, Stage};
use crate::worker::client::Picked;
use leptos::prelude::*;
use web_sys::AbortController;

impl State {
    /// Starts a fetch, in place of any other load. `abort` cancels it. The page shows the fetch once there is
    /// [progress](Self::fetches).
    pub(crate) fn begin_fetching(self, abort: AbortController) -> Fetching {
        self.cancel();
        self.failure.set(None);
        let fetching = Fetching { serial: self.next_serial(), abort };
        self.workers.update_value(|workers| {
            workers.opens += 1;
            workers.fetching = Some(fetching.clone());
        });
        fetching
    }

    /// Returns whether the fetch is still the current one.
    pub(crate) fn wants(self, fetching: &Fetching) -> bool {
        self.is_fetching(fetching.serial)
    }

    pub(super) fn is_fetching(self, serial: u32) -> bool {
        self.workers.with_value(|workers| workers.fetching.as_ref().is_some_and(|fetching| fetching.serial == serial))
    }

    /// Reports that `done` bytes of `name` have come from `host`. `total` is the size in bytes; `None` if the host does
    /// not report it.
    pub(crate) fn fetches(self, fetching: &Fetching, (name, host): (&str, &str), done: u64, total: Option<u64>) {
        if self.load.with_untracked(Option::is_none) {
            self.show_load(Load::new(name.to_owned(), total.unwrap_or_default(), now()), fetching.serial);
        }
        let progress = Progress {
            stage: Stage::Fetch,
            bytes_done: done,
            bytes_total: total.unwrap_or_default(),
            planes: 0,
            events: 0,
            place: host.to_owned(),
            memory: None,
            notes: Vec::new(),
            can_stop: false,
        };
        self.load.update(|load| {
            if let Some(load) = load {
                load.update(progress, now());
            }
        });
    }

    /// Opens a capture that was fetched completely.
    pub(crate) fn open_fetched(self, file: Picked, src: String) {
        self.workers.update_value(|workers| workers.fetching = None);
        self.start(OpenRequest { files: vec![file], src, ..OpenRequest::default() }, false);
    }

    /// Cancels the fetch under way.
    pub(super) fn stop_fetching(self) {
        if let Some(fetching) = self.workers.try_update_value(|workers| workers.fetching.take()).flatten() {
            fetching.abort.abort();
        }
    }
}
