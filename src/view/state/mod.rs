//! This module holds the state of the page: signals that components read, and functions that change them. `loader`
//! opens files, and `queries` sends queries about the open session.

mod address;
mod clock;
mod embedded;
mod fetching;
mod files;
mod flags;
mod folder;
mod large;
mod loader;
mod open_request;
mod pair;
mod pending;
mod ptr_eq;
mod queries;
mod remaining_files;
mod requests;
pub(crate) mod sample;
mod shared_signal;
mod show;
mod theme;
mod waiting;
mod workers;

pub(crate) use super::state::pending::Fetching;
pub(crate) use crate::worker::client::total_size;
pub(crate) use embedded::is_single;
pub(crate) use files::{from_drop, from_input};
pub(crate) use pair::{OpenAs, PairNames};
pub(crate) use ptr_eq::PtrEq;
pub(crate) use shared_signal::{SharedMemo, SharedSignal};
pub(crate) use theme::{KEPT, Theme, remember, remembered};
pub(crate) use workers::end as end_later;

pub(crate) use super::state::clock::now;
use super::widgets::table::{GridCell, Model};
use crate::analysis::base::{FilterError, Query};
use crate::chart::loading::Load;
use crate::protocol::url::ViewStates;
use crate::protocol::url::view_states::BadPart;
use crate::protocol::url::{FilesViewState, Picture, View};
use crate::protocol::{BreakdownHead, Capabilities, Estimate, Failure, SessionInfo, SessionSlot, SharedReportInfo};
use crate::table::page::SortBy;
use crate::view::widgets::tooltip::Tips;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use open_request::OpenRequest;
use web_sys::KeyboardEvent;
use workers::Workers;

/// The open session, with its name.
#[derive(Debug, PartialEq)]
pub(crate) struct Opened {
    pub(crate) name: String,
    pub(crate) session: SessionInfo,
}

/// A message in the corner of the page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Toast {
    pub(crate) id: u32,
    pub(crate) failure: Failure,
    /// Whether the message is information, which disappears by itself.
    pub(crate) passing: bool,
}

/// The name under which the page remembers that the hint of the first visit was seen.
const HINT: &str = "hint";

/// The time for which information is shown, in milliseconds.
const PASSING: u32 = 6000;

/// Handles on the whole state of the page. They are cheap to copy.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The open session; `None` on the landing page.
    pub(crate) opened: SharedSignal<Opened>,
    /// The breakdown on screen; `None` if the open session has none.
    shown: SharedSignal<BreakdownHead>,
    /// The names of both sessions, if a second one is open; `None` if there is only one.
    pub(crate) pair: SharedSignal<PairNames>,
    /// The name of the list of captures from which the open session was opened; `None` if there is none.
    pub(crate) folder: SharedSignal<String>,
    /// Which of both sessions is shown. Use [`State::shown_slot`] to read it.
    shown_slot: RwSignal<SessionSlot>,
    /// What is done with the files that the user is choosing.
    pub(crate) choose_as: StoredValue<OpenAs>,
    /// The load under way.
    pub(crate) load: RwSignal<Option<Load>>,
    /// The progress of the rest of the open session's files, while its first device is shown.
    pub(crate) remaining_files: RwSignal<Option<Load>>,
    /// Whether the load lasts long enough to be shown.
    pub(crate) load_shown: RwSignal<bool>,
    /// The planes to choose from, if files are too large to be read whole.
    pub(crate) estimate: SharedSignal<Estimate>,
    large: StoredValue<Option<OpenRequest>, LocalStorage>,
    /// The reason why a load failed while no session was open.
    pub(crate) failure: RwSignal<Option<Failure>>,
    /// The messages in the corner of the page.
    pub(crate) toasts: RwSignal<Vec<Toast>>,
    /// The query of the breakdown.
    pub(crate) query: RwSignal<Query>,
    /// The order of the breakdown's rows; `None` means the table's own order.
    pub(crate) sort: RwSignal<Option<SortBy>>,
    /// Whether the breakdown of the current query is pending.
    pub(crate) busy: RwSignal<bool>,
    /// The keyboard's place in the table.
    pub(crate) place: RwSignal<GridCell>,
    /// The ids of the breakdown's columns that the user chose; `None` means as many columns as fit.
    pub(crate) columns: RwSignal<Option<Vec<String>>>,
    /// The keys of the selected rows.
    pub(crate) selected: RwSignal<Vec<String>>,
    /// The picture above the table.
    pub(crate) picture: RwSignal<Picture>,
    /// The scope that the icicle is zoomed to; empty means all ops.
    pub(crate) zoom: RwSignal<String>,
    /// The key of the op whose panel is open; empty if no panel is open.
    pub(crate) op: RwSignal<String>,
    /// The keys of the ops whose panels were open before, the latest one last.
    pub(crate) walked: RwSignal<Vec<String>>,
    /// Whether the graph around the op is shown.
    pub(crate) graph: RwSignal<bool>,
    pub(crate) view: RwSignal<View>,
    /// The web address of the capture; empty if its files come from this machine.
    pub(crate) src: RwSignal<String>,
    /// The name under which the open session is stored on this device; empty if it is not stored.
    pub(crate) stored: RwSignal<String>,
    /// The name of the stored capture that the address names, until the capture is opened or not found.
    pub(crate) kept_wanted: RwSignal<String>,
    /// The name of the capture that the address needs, while it is not open; empty if the address gives no name. `None`
    /// if the address needs no capture.
    pub(crate) needs: RwSignal<Option<String>>,
    /// Counts the requests to fetch the capture at `src`, including repeated ones.
    pub(crate) to_fetch: RwSignal<u32>,
    /// The value of `to_fetch` up to which fetches have begun.
    pub(crate) begun: StoredValue<u32>,
    /// The open report, as its link encodes it; empty if the session is of files.
    pub(crate) report: RwSignal<String>,
    /// The chosen program, its current line, and the search in its text.
    pub(crate) file: RwSignal<FilesViewState>,
    /// Counts the jumps to a line of a program, including repeated ones to the same line.
    pub(crate) jumps: RwSignal<u32>,
    /// The states of the views.
    pub(crate) views: RwSignal<ViewStates>,
    /// The parts of the address that cannot be read, until they are reported.
    bad_parts: RwSignal<Vec<BadPart>>,
    /// The filter of the table of buffers.
    pub(crate) memory_filter: RwSignal<String>,
    /// The filter of the table of collectives or copies.
    pub(crate) comm_filter: RwSignal<String>,
    /// The filter of the table of the comparison.
    pub(crate) compare_filter: RwSignal<String>,
    /// The key of the row of the comparison whose ops are shown; empty if none is.
    pub(crate) compared_row: RwSignal<String>,
    /// Whether the user or the address chose the devices. If not, the other views show the device of the overview, too.
    pub(crate) has_chosen_device: RwSignal<bool>,
    /// The device that the overview on screen is about, which the picker shows in place of a mean or a sum. `None` while no
    /// overview is shown.
    pub(crate) overview_device: RwSignal<Option<u32>>,
    /// The label of the device of the last overview of the open session; empty if there was none.
    pub(crate) judged_device: RwSignal<String>,
    /// The XLA flags of the run, as the user pasted them. They stay in this tab.
    pub(crate) flags: RwSignal<String>,
    /// The reason why the last filter is not applied.
    pub(crate) filter_error: RwSignal<Option<FilterError>>,
    /// The table on screen, for keys that work anywhere.
    pub(crate) table: StoredValue<Option<Model>>,
    /// Handles the keys of the view on screen anywhere on the page, and returns whether a key has a meaning there.
    pub(crate) view_key: StoredValue<Option<Callback<KeyboardEvent, bool>>>,
    /// Whether the share dialog is open.
    pub(crate) sharing: RwSignal<bool>,
    /// The term at which the glossary is open; empty if it is open at its start. `None` if it is closed.
    pub(crate) glossary: RwSignal<Option<String>>,
    /// The step of the hint of the first visit. `None` if the hint has been seen.
    pub(crate) hint: RwSignal<Option<usize>>,
    /// Whether single-letter keys are enabled.
    pub(crate) keys_on: RwSignal<bool>,
    pub(crate) theme: RwSignal<Theme>,
    /// The only tooltip of the page.
    pub(crate) tips: Tips,
    /// The time of the oldest request, if its answer takes long, in milliseconds of the page's clock.
    pub(crate) slow: RwSignal<Option<f64>>,
    /// The number of requests for what is on screen that were cancelled.
    pub(crate) stopped: RwSignal<u32>,
    /// Counts up when the cancelled requests are to be sent again.
    tries: RwSignal<u32>,
    workers: StoredValue<Workers, LocalStorage>,
}

/// Adds `item` to a selection, or removes it.
pub(crate) fn toggle<T: PartialEq>(selected: &mut Vec<T>, item: T) {
    match selected.iter().position(|other| *other == item) {
        Some(index) => drop(selected.remove(index)),
        None => selected.push(item),
    }
}

impl State {
    /// Creates the state of a page that was just opened.
    pub(crate) fn new() -> Self {
        Self {
            opened: SharedSignal::none(),
            shown: SharedSignal::none(),
            pair: SharedSignal::none(),
            folder: SharedSignal::none(),
            shown_slot: RwSignal::new(SessionSlot::First),
            choose_as: StoredValue::new(OpenAs::default()),
            load: RwSignal::new(None),
            remaining_files: RwSignal::new(None),
            load_shown: RwSignal::new(false),
            estimate: SharedSignal::none(),
            large: StoredValue::new_local(None),
            failure: RwSignal::new(None),
            toasts: RwSignal::new(Vec::new()),
            query: RwSignal::new(Query::default()),
            sort: RwSignal::new(None),
            busy: RwSignal::new(false),
            place: RwSignal::new(GridCell { row: Some(0), column: 0 }),
            columns: RwSignal::new(None),
            selected: RwSignal::new(Vec::new()),
            picture: RwSignal::new(Picture::default()),
            zoom: RwSignal::new(String::new()),
            op: RwSignal::new(String::new()),
            walked: RwSignal::new(Vec::new()),
            graph: RwSignal::new(false),
            view: RwSignal::new(View::default()),
            src: RwSignal::new(String::new()),
            stored: RwSignal::new(String::new()),
            kept_wanted: RwSignal::new(String::new()),
            needs: RwSignal::new(None),
            to_fetch: RwSignal::new(0),
            begun: StoredValue::new(0),
            report: RwSignal::new(String::new()),
            file: RwSignal::new(FilesViewState::default()),
            jumps: RwSignal::new(0),
            views: RwSignal::new(ViewStates::default()),
            bad_parts: RwSignal::new(Vec::new()),
            memory_filter: RwSignal::new(String::new()),
            comm_filter: RwSignal::new(String::new()),
            compare_filter: RwSignal::new(String::new()),
            compared_row: RwSignal::new(String::new()),
            has_chosen_device: RwSignal::new(false),
            overview_device: RwSignal::new(None),
            judged_device: RwSignal::new(String::new()),
            flags: RwSignal::new(String::new()),
            filter_error: RwSignal::new(None),
            table: StoredValue::new(None),
            view_key: StoredValue::new(None),
            sharing: RwSignal::new(false),
            glossary: RwSignal::new(None),
            // A page that is one file cannot remember that the hint was seen.
            hint: RwSignal::new((theme::remembered(HINT).is_none() && !is_single()).then_some(0)),
            keys_on: RwSignal::new(theme::remembered("keys").as_deref() != Some("off")),
            theme: RwSignal::new(Theme::remembered()),
            tips: Tips::new(),
            slow: RwSignal::new(None),
            stopped: RwSignal::new(0),
            tries: RwSignal::new(0),
            workers: StoredValue::new_local(Workers::default()),
        }
    }

    /// Returns the breakdown on screen.
    pub(crate) fn head(self) -> SharedMemo<BreakdownHead> {
        SharedMemo::new(move || self.shown.get())
    }

    /// Returns the description of the open summary. `None` if no summary is open.
    pub(crate) fn summary(self) -> Option<SharedReportInfo> {
        self.opened.with(|opened| opened.as_ref()?.session.summary.clone())
    }

    /// Returns whether the open session is a comparison that was shared.
    pub(crate) fn is_shared_comparison(self) -> bool {
        self.opened.with(|opened| opened.as_ref().is_some_and(|opened| opened.session.is_comparison()))
    }

    /// Returns whether there is a comparison: of both open sessions, or one that was shared.
    pub(crate) fn is_compared(self) -> bool {
        self.pair.with(Option::is_some) || self.is_shared_comparison()
    }

    /// Returns whether the open session has a capability. Without an open session, the result is `true`.
    pub(crate) fn can(self, capability: impl Fn(&Capabilities) -> bool) -> bool {
        self.opened.with(|opened| opened.as_ref().is_none_or(|opened| capability(&opened.session.capabilities)))
    }

    /// Reports a failure: on the landing page if no session is open, otherwise in the corner.
    pub(crate) fn fail(self, failure: Failure) {
        if self.opened.with_untracked(Option::is_none) {
            self.failure.set(Some(failure));
            return;
        }
        self.show_toast(failure, false);
    }

    /// Reports information in the corner, which disappears by itself.
    pub(crate) fn inform(self, words: Failure) {
        let id = self.show_toast(words, true);
        Timeout::new(PASSING, move || self.dismiss(id)).forget();
    }

    fn show_toast(self, failure: Failure, passing: bool) -> u32 {
        // The id is a new one, because the timer of an earlier message may still run.
        let id = self.next_serial();
        self.toasts.update(|toasts| {
            // Two requests may fail for one reason.
            toasts.retain(|toast| toast.failure != failure);
            toasts.push(Toast { id, failure, passing });
            if toasts.len() > 3 {
                toasts.remove(0);
            }
        });
        id
    }

    /// Removes a message from the corner.
    pub(crate) fn dismiss(self, id: u32) {
        self.toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
    }

    /// Goes to a line of the program's text. Lines are counted from 1.
    pub(crate) fn go_to_line(self, line: u32) {
        self.file.update(|place| place.line = Some(line));
        self.jumps.update(|jumps| *jumps += 1);
    }

    /// Removes the hint of the first visit for good.
    pub(crate) fn dismiss_hint(self) {
        self.hint.set(None);
        theme::remember(HINT, Some("seen"));
    }

    /// Enables or disables single-letter keys, and remembers this.
    pub(crate) fn switch_keys(self, on: bool) {
        self.keys_on.set(on);
        theme::remember("keys", (!on).then_some("off"));
    }
}

impl State {
    /// Switches to the next theme, and remembers it.
    pub(crate) fn switch_theme(self) {
        let theme = self.theme.get_untracked().next();
        self.theme.set(theme);
        remember("theme", theme.key());
        theme.apply();
    }
}
