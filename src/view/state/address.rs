//! This module keeps the page's address and the state of the page equal. It decides which changes are steps of the
//! browser's history. `protocol::url::address` encodes the address.

use super::embedded::is_single;
use super::theme::{KEPT, remembered};
use super::{State, sample};
use crate::analysis::base::{DeviceChoice, GroupBy, Query};
use crate::protocol::Failure;
use crate::protocol::url::address::{MAX, PageAddress};
use crate::protocol::url::captures::CapturesViewState;
use crate::protocol::url::view_states::{BadPart, ViewStates};
use crate::view::type_erasure::effect;
use gloo::timers::callback::Timeout;
use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

/// The delay before a change is written to the address, in milliseconds. Typing is not a step of the history, and
/// browsers limit how often the address may change.
const AFTER: u32 = 250;
/// A selection of more bytes in all is left out of the address.
const MAX_SELECTION: usize = 2_000;
/// A filter by single ops with more bytes in all is left out of the address.
const MAX_OPS: usize = 16_000;

impl State {
    /// Returns the address of the current state.
    pub(crate) fn address(self) -> PageAddress {
        let bytes = |keys: &[String]| keys.iter().map(String::len).sum::<usize>();
        let selection = self.selected.get();
        let fits = bytes(&selection) <= MAX_SELECTION;
        let mut query = self.query.get();
        if bytes(&query.filter.ops) > MAX_OPS {
            query.filter.ops.clear();
        }
        let usual = self.usual_query();
        // A mean that the user chose is named, so that it stays.
        let is_chosen_mean = query.device.single().is_none() && self.has_chosen_device.get();
        let names_device = query.device != usual.device || is_chosen_mean;
        let names_grouping = query.by != usual.by;
        // An address without a device or a grouping stands for the usual one.
        query.device = if names_device { query.device } else { DeviceChoice::default() };
        query.by = if names_grouping { query.by } else { GroupBy::default() };
        PageAddress {
            names_device,
            names_grouping,
            query,
            sort: self.sort.get(),
            columns: self.columns.get(),
            selection: if fits { selection } else { Vec::new() },
            picture: self.picture.get(),
            zoom: self.zoom.get(),
            op: self.op.get(),
            graph: self.graph.get(),
            view: self.view.get(),
            src: self.src.get(),
            capture: self.capture_name(),
            stored: self.stored.get(),
            file: self.file.get(),
            views: self.views.with(|views| match self.is_folder() {
                true => views.clone(),
                false => ViewStates { captures: CapturesViewState::default(), ..views.clone() },
            }),
            bad_parts: Vec::new(),
            report: self.report.get(),
        }
    }

    /// Returns the query that the open session shows first.
    fn usual_query(self) -> Query {
        self.opened.with(|opened| opened.as_ref().map(|opened| opened.session.usual_query.clone()).unwrap_or_default())
    }

    /// Applies an address to the state. If a session is open, the breakdown is requested.
    fn apply_address(self, address: PageAddress) {
        let says_something = address != PageAddress::default();
        let is_open = self.opened.with_untracked(Option::is_some);
        let query = match is_open {
            true => address.named_query(address.query.clone(), &untrack(|| self.usual_query())),
            false => address.query.clone(),
        };
        self.columns.set(address.columns);
        self.sort.set(address.sort);
        self.picture.set(address.picture);
        self.zoom.set(address.zoom);
        self.op.set(address.op);
        self.graph.set(address.graph);
        self.view.set(address.view);
        let is_own = address.src.is_empty() && address.report.is_empty();
        if is_own && self.opened.with_untracked(Option::is_none) {
            self.reopen_local(address.capture.clone(), address.stored.clone(), says_something);
        }
        self.apply_source(address.src);
        // The link of a report opens the report, even if another session is open.
        if !address.report.is_empty() && self.report.with_untracked(|now| *now != address.report) {
            self.open_report(address.report);
        }
        self.file.set(address.file);
        self.bad_parts.set(address.bad_parts);
        // The address of a capture says nothing about the list from which the capture was opened.
        let keeps_captures = self.folder.with_untracked(Option::is_some);
        self.change_views(|views| {
            let captures = if keeps_captures { views.captures.clone() } else { address.views.captures.clone() };
            *views = ViewStates { captures, ..address.views };
        });
        self.has_chosen_device.set(address.names_device);
        if is_open {
            self.choose(|query_now| *query_now = query);
        } else {
            self.query.set(query);
        }
        self.selected.set(address.selection);
    }

    /// Applies the web source of an address. Without an open session, the capture is fetched. Beside an open session,
    /// another source is only reported, so that the session is not lost.
    fn apply_source(self, src: String) {
        let is_other = !src.is_empty() && self.src.with_untracked(|now| *now != src);
        if self.opened.with_untracked(Option::is_none) {
            if !src.is_empty() {
                self.to_fetch.update(|n| *n += 1);
            }
            self.src.set(src);
        } else if is_other {
            let title = "The address names another capture".to_owned();
            self.inform(Failure { title, message: format!("Reload the page to fetch {src}.") });
        }
    }

    /// Returns the name of the open capture, if its files come from this machine. Otherwise the text is empty, because
    /// other parts of the address name the capture.
    fn capture_name(self) -> String {
        let is_own = self.src.with(String::is_empty) && self.report.with(String::is_empty) && !is_single();
        self.opened
            .with(|opened| opened.as_ref().filter(|_| is_own).map(|opened| opened.name.clone()))
            .unwrap_or_default()
    }

    /// Returns the name of the capture in the browser's address; empty if there is none.
    pub(crate) fn address_capture(self) -> String {
        let hash = window().location().hash().unwrap_or_default();
        hash.parse().map_or_else(|_| String::new(), |address: PageAddress| address.capture)
    }

    /// Handles an address of a capture from this machine. A stored capture and a sample open again. For any other
    /// capture, the page shows which one the address needs.
    fn reopen_local(self, capture: String, stored: String, says_something: bool) {
        if let Some(sample) = sample::named(&capture).filter(|_| !is_single()) {
            sample::open(self, sample);
        } else if !stored.is_empty() && remembered(KEPT).is_some() {
            self.needs.set(None);
            self.kept_wanted.set(stored);
        } else if !is_single() {
            self.needs.set(says_something.then_some(capture));
        }
    }

    /// Returns the state of one view.
    pub(crate) fn view_state<T>(self, part: fn(&ViewStates) -> &T) -> Memo<T>
    where
        T: Clone + PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.views.with(|views| part(views).clone()))
    }

    /// Changes the states of views. `with` may read them.
    pub(crate) fn change_views(self, with: impl FnOnce(&mut ViewStates)) {
        let mut views = self.views.get_untracked();
        with(&mut views);
        self.views.set(views);
    }

    /// Returns whether the address names a device. If it does not, the session's usual device is shown.
    pub(super) fn names_device() -> bool {
        Self::written_address().names_device
    }

    /// Returns the address that is written in the address bar; the default one if it cannot be read.
    pub(super) fn written_address() -> PageAddress {
        window().location().hash().unwrap_or_default().parse().unwrap_or_default()
    }

    /// Reads the address that the page was opened with. From then on, the address follows the state, and the state
    /// follows the address.
    pub(crate) fn follow_address(self) {
        self.read_address();
        if self.report.with_untracked(String::is_empty) {
            self.open_inside();
        }
        effect(move || self.report_bad_parts());
        let timer = StoredValue::new_local(None::<Timeout>);
        let is_from_history = StoredValue::new_local(false);
        // The event is also fired if the user edits the address.
        window_event_listener(ev::popstate, move |_| {
            let before = untrack(|| self.address());
            self.read_address();
            is_from_history.set_value(untrack(|| self.address()) != before);
        });
        Effect::new(move |old: Option<(bool, PageAddress)>| {
            let now = self.address();
            let open = self.opened.with(Option::is_some);
            let (was_open, old) = old.map_or((false, None), |(open, address)| (open, Some(address)));
            let is_from_history = is_from_history.try_update_value(std::mem::take).unwrap_or_default();
            if was_open && !open {
                // The address of the closed session does not describe the next one.
                timer.set_value(None);
                write("", false);
            } else if open && old.as_ref() != Some(&now) {
                let before = old.filter(|old| is_step(old, &now));
                let text = now.to_string();
                let is_late = timer.try_update_value(Option::take).flatten().is_some();
                match before {
                    // A new history entry would remove the entries for going forward.
                    Some(_) if is_from_history => write(&text, false),
                    Some(before) => {
                        // The history entry that is left gets the last state of its place.
                        if is_late {
                            write(&before.to_string(), false);
                        }
                        write(&text, true);
                    }
                    None => timer.set_value(Some(Timeout::new(AFTER, move || write(&text, false)))),
                }
            }
            (open, now)
        });
    }

    /// Reports the parts of the address that cannot be read, once there is a session that they are about.
    fn report_bad_parts(self) {
        if self.opened.with(Option::is_none) || self.bad_parts.with(Vec::is_empty) {
            return;
        }
        for BadPart { view, pair } in self.bad_parts.try_update(std::mem::take).unwrap_or_default() {
            let title = "The address could not be read".to_owned();
            let message = format!("Its part for {view} is {pair}, which Rooflight does not know.");
            self.inform(Failure { title, message });
        }
    }

    fn read_address(self) {
        let hash = window().location().hash().unwrap_or_default();
        if hash == format!("#{}", untrack(|| self.address())) {
            return;
        }
        match hash.parse() {
            Ok(address) => self.apply_address(address),
            Err(error) => {
                let title = "The address could not be read".to_owned();
                self.inform(Failure { title, message: error.to_string() });
            }
        }
    }
}

/// Returns whether a change is a step of the history: another device, step, grouping, kind, module, phase, scope, picture, zoom, op,
/// graph, view or program, or another figure of a list of captures. Typing and the order of rows are no steps.
fn is_step(old: &PageAddress, new: &PageAddress) -> bool {
    let key = |address: &PageAddress| {
        let query = &address.query;
        (
            query.device,
            query.step,
            query.by,
            (query.filter.kind, query.filter.module, query.filter.phase),
            query.filter.scope.clone(),
            address.picture,
            address.zoom.clone(),
            address.op.clone(),
            (address.graph, address.view, address.file.program, address.views.captures.figure),
        )
    };
    key(old) != key(new)
}

fn write(text: &str, step: bool) {
    let Ok(history) = window().history() else { return };
    // An address that was just read is not written again, because this would remove the entries for going forward. An
    // empty address means the default state.
    let hash = window().location().hash().unwrap_or_default();
    let same = hash.parse::<PageAddress>().is_ok_and(|address| address.to_string() == text);
    if text.len() > MAX || same {
        return;
    }
    let address = format!("#{text}");
    let _ = if step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}
