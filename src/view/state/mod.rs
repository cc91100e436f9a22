//! What the page knows, in one place: signals that components read, and the calls they make.
//! Knows the engine's contract; knows no component. `loader` loads files, `queries` asks about the open ones.

mod address;
mod clock;
mod embedded;
mod engines;
mod fetching;
mod files;
mod loader;
mod open_request;
mod pending;
mod ptr_eq;
mod queries;
mod requests;
pub(crate) mod sample;
mod theme;
mod waiting;

pub(crate) use super::state::open_request::total_size;
pub(crate) use super::state::pending::Fetching;
pub(crate) use embedded::is_single;
pub(crate) use files::{from_drop, from_input};
pub(crate) use ptr_eq::PtrEq;
pub(crate) use theme::{KEPT, Theme, remember, remembered};

pub(crate) use super::state::clock::now;
use super::widgets::table::{GridCell, Model};
use crate::analysis::base::{FilterError, Query};
use crate::chart::loading::Load;
use crate::protocol::url::{FilePlace, Picture, View};
use crate::protocol::{BreakdownHead, Capabilities, Estimate, Failure, SessionInfo, SummaryInfo};
use crate::table::page::SortBy;
use crate::view::widgets::tooltip::Tips;
use engines::Engines;
use gloo::timers::callback::Timeout;
use leptos::prelude::*;
use open_request::Wanted;

/// What is open.
#[derive(Debug)]
pub(crate) struct Opened {
    /// What it is called.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) session: SessionInfo,
}

/// Something that is reported in the corner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Toast {
    pub(crate) id: u32,
    pub(crate) failure: Failure,
    /// It is no failure: it goes by itself.
    pub(crate) passing: bool,
}

/// How long information stays, milliseconds.
const PASSING: u32 = 6000;

/// Handles on everything the page knows. Copied freely.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// What is open; `None` on the landing page.
    pub(crate) opened: RwSignal<Option<PtrEq<Opened>>>,
    /// The breakdown on screen; `None` where the open session has none.
    shown: RwSignal<Option<PtrEq<BreakdownHead>>>,
    /// The load under way.
    pub(crate) load: RwSignal<Option<Load>>,
    /// Whether it lasts long enough to be shown.
    pub(crate) load_shown: RwSignal<bool>,
    /// What there is to choose from of files that are too large to be read whole.
    pub(crate) estimate: RwSignal<Option<PtrEq<Estimate>>>,
    large: StoredValue<Option<Wanted>, LocalStorage>,
    /// Why nothing is open, where a load failed with nothing open.
    pub(crate) failure: RwSignal<Option<Failure>>,
    /// What is reported in the corner.
    pub(crate) toasts: RwSignal<Vec<Toast>>,
    /// What is asked.
    pub(crate) query: RwSignal<Query>,
    /// The order of the breakdown's rows; `None`: the table's own.
    pub(crate) sort: RwSignal<Option<SortBy>>,
    /// Whether an answer is awaited.
    pub(crate) busy: RwSignal<bool>,
    /// Where the keyboard is in the table.
    pub(crate) place: RwSignal<GridCell>,
    /// The ids of the breakdown's columns that were chosen; `None`: as many as fit.
    pub(crate) columns: RwSignal<Option<Vec<String>>>,
    /// The rows that are selected, by name.
    pub(crate) selected: RwSignal<Vec<String>>,
    /// The picture above the table.
    pub(crate) picture: RwSignal<Picture>,
    /// The scope that the icicle is zoomed to; empty: all.
    pub(crate) zoom: RwSignal<String>,
    /// The op whose panel is open, named as its row; empty: none.
    pub(crate) op: RwSignal<String>,
    /// The ops whose panels were open on the way to it.
    pub(crate) walked: RwSignal<Vec<String>>,
    /// Whether that op's neighbourhood is drawn.
    pub(crate) graph: RwSignal<bool>,
    /// The view.
    pub(crate) view: RwSignal<View>,
    /// Where on the web the capture is from, as the address says it; empty: from this machine.
    pub(crate) src: RwSignal<String>,
    /// Under which name what is open is kept on this device; empty: it is not.
    pub(crate) stored: RwSignal<String>,
    /// The name of what the address wants that is kept on this device, until it is opened or not found.
    pub(crate) kept_wanted: RwSignal<String>,
    /// What the address is of, while that is not open: what it is called, empty where the address does not say it.
    pub(crate) needs: RwSignal<Option<String>>,
    /// How often it was asked to fetch that: also the same once more.
    pub(crate) to_fetch: RwSignal<u32>,
    /// Up to which of these times it was.
    pub(crate) begun: StoredValue<u32>,
    /// The report that is open, as its link has it; empty: what is open is of files.
    pub(crate) report: RwSignal<String>,
    /// Where in the programs of the file.
    pub(crate) file: RwSignal<FilePlace>,
    /// Counts the times that someone went to a line of a program, also to the same one again.
    pub(crate) jumps: RwSignal<u32>,
    /// How the roofline is shown, as the address says it.
    pub(crate) roofline: RwSignal<String>,
    /// How memory is shown, as the address says it.
    pub(crate) memory: RwSignal<String>,
    /// What buffers are looked for.
    pub(crate) memory_filter: RwSignal<String>,
    /// How communication is shown, as the address says it.
    pub(crate) comm: RwSignal<String>,
    /// What collectives are looked for.
    pub(crate) comm_filter: RwSignal<String>,
    /// Why the filter that was typed last is not applied.
    pub(crate) filter_error: RwSignal<Option<FilterError>>,
    /// The table on screen, for keys that work anywhere.
    pub(crate) table: StoredValue<Option<Model>>,
    /// Whether the dialog of what leaves is open.
    pub(crate) sharing: RwSignal<bool>,
    /// Whether single-letter keys do something.
    pub(crate) keys_on: RwSignal<bool>,
    /// Light, dark, or what the system says.
    pub(crate) theme: RwSignal<Theme>,
    /// The one tooltip.
    pub(crate) tips: Tips,
    /// Since when an answer is awaited that takes long, milliseconds of the page's clock.
    pub(crate) slow: RwSignal<Option<f64>>,
    /// How many questions of what is on screen were cancelled.
    pub(crate) stopped: RwSignal<u32>,
    /// Counts up where such questions are to be asked again.
    tries: RwSignal<u32>,
    engines: StoredValue<Engines, LocalStorage>,
}

/// Adds an item to a selection, or takes it away.
pub(crate) fn toggle<T: PartialEq>(selected: &mut Vec<T>, item: T) {
    match selected.iter().position(|other| *other == item) {
        Some(at) => drop(selected.remove(at)),
        None => selected.push(item),
    }
}

impl State {
    /// The state of a page that was just opened.
    pub(crate) fn new() -> Self {
        Self {
            opened: RwSignal::new(None),
            shown: RwSignal::new(None),
            load: RwSignal::new(None),
            load_shown: RwSignal::new(false),
            estimate: RwSignal::new(None),
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
            file: RwSignal::new(FilePlace::default()),
            jumps: RwSignal::new(0),
            roofline: RwSignal::new(String::new()),
            memory: RwSignal::new(String::new()),
            memory_filter: RwSignal::new(String::new()),
            comm: RwSignal::new(String::new()),
            comm_filter: RwSignal::new(String::new()),
            filter_error: RwSignal::new(None),
            table: StoredValue::new(None),
            sharing: RwSignal::new(false),
            keys_on: RwSignal::new(theme::remembered("keys").as_deref() != Some("off")),
            theme: RwSignal::new(Theme::remembered()),
            tips: Tips::new(),
            slow: RwSignal::new(None),
            stopped: RwSignal::new(0),
            tries: RwSignal::new(0),
            engines: StoredValue::new_local(Engines::default()),
        }
    }

    /// The figures on screen.
    pub(crate) fn head(self) -> Memo<Option<PtrEq<BreakdownHead>>> {
        Memo::new(move |_| self.shown.get())
    }

    /// What is open is a summary of, where it is one.
    pub(crate) fn summary(self) -> Option<SummaryInfo> {
        self.opened.with(|opened| opened.as_ref()?.session.summary.clone())
    }

    /// Whether what is open can answer a question. Before anything is open, it can.
    pub(crate) fn can(self, capability: impl Fn(&Capabilities) -> bool) -> bool {
        self.opened.with(|opened| opened.as_ref().is_none_or(|opened| capability(&opened.session.capabilities)))
    }

    /// Tells a failure: on the landing page where nothing is open, in the corner otherwise.
    pub(crate) fn fail(self, failure: Failure) {
        if self.opened.with_untracked(Option::is_none) {
            self.failure.set(Some(failure));
            return;
        }
        self.show_toast(failure, false);
    }

    /// Tells something that is no failure; it goes by itself.
    pub(crate) fn inform(self, words: Failure) {
        let id = self.show_toast(words, true);
        Timeout::new(PASSING, move || self.dismiss(id)).forget();
    }

    fn show_toast(self, failure: Failure, passing: bool) -> u32 {
        // No earlier one's: its time may not be over yet.
        let id = self.next_serial();
        self.toasts.update(|toasts| {
            toasts.push(Toast { id, failure, passing });
            if toasts.len() > 3 {
                toasts.remove(0);
            }
        });
        id
    }

    /// Takes back what was reported.
    pub(crate) fn dismiss(self, id: u32) {
        self.toasts.update(|toasts| toasts.retain(|toast| toast.id != id));
    }

    /// Goes to a line of the program's text, counted from 1.
    pub(crate) fn go_to_line(self, line: u32) {
        self.file.update(|place| place.line = Some(line));
        self.jumps.update(|jumps| *jumps += 1);
    }

    /// Switches single-letter keys, and remembers it.
    pub(crate) fn switch_keys(self, on: bool) {
        self.keys_on.set(on);
        theme::remember("keys", (!on).then_some("off"));
    }
}

impl State {
    /// Goes on to the next theme, and remembers it.
    pub(crate) fn switch_theme(self) {
        let theme = self.theme.get_untracked().next();
        self.theme.set(theme);
        remember("theme", theme.key());
        theme.apply();
    }
}
