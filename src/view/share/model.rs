//! This module holds the state of the share dialog: the user's choices, and the worker's answer.

use super::single;
use crate::analysis::comm::CommQuery;
use crate::protocol::url::address::PageAddress;
use crate::protocol::url::{View, shared_address, shared_comparison_address};
use crate::protocol::{Reply, ShareAnswer, ShareQuery, SharedReportInfo, requests};
use crate::share::{Level, base_address, html};
use crate::table::format::bytes_text;
use crate::view::state::{PtrEq, SharedSignal, State, total_size};
use crate::view::type_erasure::effect;
use crate::view::widgets::icon::Icon;
use js_sys::{Reflect, global};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Blob;

/// The form in which a profile is shared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Link,
    Html,
    File,
}

impl Tab {
    pub(super) const ALL: [Self; 3] = [Self::Link, Self::Html, Self::File];

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Link => "Link",
            Self::Html => "HTML file",
            Self::File => "Report file",
        }
    }

    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Link => "share-link",
            Self::Html => "share-html",
            Self::File => "share-file",
        }
    }

    pub(super) const fn icon(self) -> Icon {
        match self {
            Self::Link => Icon::Link,
            Self::Html => Icon::File,
            Self::File => Icon::Save,
        }
    }
}

/// Handles on the state of the dialog. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct ShareModel {
    pub(super) state: State,
    /// Whether the comparison on screen is shared, and not one session.
    pub(super) is_comparison: bool,
    pub(super) tab: RwSignal<Tab>,
    /// The level of detail of the link, from 0 to 100. Files have the full level.
    pub(super) level: RwSignal<u8>,
    /// Whether source lines are removed.
    pub(super) without_sources: RwSignal<bool>,
    /// Whether names are replaced by pseudonyms.
    pub(super) anonymise: RwSignal<bool>,
    /// Whether files include the captures.
    pub(super) with_capture: RwSignal<bool>,
    pub(super) query: Memo<ShareQuery>,
    /// The last answer; `None` before the first one, and after a failure.
    pub(super) shared: SharedSignal<ShareAnswer>,
    /// Whether an answer is pending.
    pub(super) busy: RwSignal<bool>,
    /// The address of the page that links open; empty if it is unknown.
    pub(super) base: RwSignal<String>,
    /// The whole link; `None` before the first answer, or without the address of a page.
    pub(super) address: Memo<Option<String>>,
    /// The result of the last action in the dialog, as text.
    pub(super) done: RwSignal<String>,
    /// The packed page, for an HTML file; `None` until it is fetched.
    pack: RwSignal<Option<Blob>, LocalStorage>,
}

impl ShareModel {
    pub(super) fn new(state: State) -> Self {
        let compared = untrack(|| state.is_compared() && state.view.get() == View::Compare);
        let comparison = compared.then(|| state.views.with_untracked(|views| views.compare.query()));
        // The detail of an open summary does not limit that of a comparison with it.
        let is_own = comparison.is_some() && !untrack(|| state.is_shared_comparison());
        let summary = untrack(|| state.summary()).filter(|_| !is_own);
        let tab = RwSignal::new(Tab::Link);
        let level = RwSignal::new(
            summary.as_ref().map_or(Level::USUAL.position, |summary| summary.level.min(Level::USUAL.position)),
        );
        // The level that was set here and not by the user. It follows the highest level that fits.
        let chosen = StoredValue::new(level.get_untracked());
        let (without_sources, anonymise) = (RwSignal::new(true), RwSignal::new(false));
        let with_capture = RwSignal::new(false);
        let request = Memo::new(move |_| {
            // A capture holds all data, so nothing is removed from its report.
            let is_cut = tab.get() == Tab::Link || !with_capture.get();
            // The rows of a report are those of the device that the header names, like the overview in it.
            let query = state.header_query();
            let (roofline, comm) = state.views.with(|views| (views.roofline.clone(), views.comm.clone()));
            ShareQuery {
                roofline: roofline.to_query(query.clone()),
                comm: CommQuery { query, machine: comm.machine, ..CommQuery::default() },
                level: if tab.get() == Tab::Link { level.get() } else { Level::FULL.position },
                with_sources: !(is_cut && without_sources.get()),
                anonymise: is_cut && anonymise.get(),
                comparison: comparison.clone(),
            }
        });
        let (shared, busy) = (SharedSignal::<ShareAnswer>::none(), RwSignal::new(true));
        let done = RwSignal::new(String::new());
        state.request_answer_on_change(
            move || {
                busy.set(true);
                Some(requests::Share(request.get()))
            },
            move |answer| {
                busy.set(false);
                let found = match answer {
                    Ok(found) => Some(PtrEq::new(found)),
                    Err(Reply::Failed(failure)) => {
                        done.set(format!("{}. {}", failure.title, failure.message));
                        None
                    }
                    Err(_) => None,
                };
                let fits = found.as_ref().map(|found| found.fits.unwrap_or(Level::SMALL.position));
                if let Some(fits) = fits.filter(|_| level.get_untracked() == chosen.get_value()) {
                    let fits = summary.as_ref().map_or(fits, |summary| summary.level.min(fits));
                    chosen.set_value(fits);
                    if level.get_untracked() != fits {
                        level.set(fits);
                    }
                }
                shared.set(found);
            },
        );
        // A result belongs to the choices at its time.
        effect(move || {
            request.track();
            tab.track();
            done.set(String::new());
        });
        let base = RwSignal::new(base());
        let address = Memo::new(move |_| {
            let base = base.with(|base| base_address(base).map(str::to_owned))?;
            let now: PageAddress = state.address();
            shared.with(|shared| {
                let shared = shared.as_ref()?;
                let request = request.get();
                let (sources, names) = (request.with_sources, request.anonymise);
                let address = match compared {
                    true => shared_comparison_address(&now, &shared.link, sources, names),
                    false => shared_address(&now, &shared.link, &shared.breakdown_groups, sources, names),
                };
                Some(format!("{base}#{address}"))
            })
        });
        // The packed page is fetched only for the HTML tab, because a link does not need it.
        let pack = RwSignal::new_local(None);
        effect(move || {
            if tab.get() == Tab::Html && pack.with_untracked(Option::is_none) {
                spawn_local(async move {
                    let _ = pack.try_set(single::pack().await.ok());
                });
            }
        });
        Self {
            state,
            is_comparison: compared,
            tab,
            level,
            without_sources,
            anonymise,
            with_capture,
            query: request,
            shared,
            busy,
            base,
            address,
            done,
            pack,
        }
    }

    pub(super) fn choose(self, tab: Tab) {
        self.tab.set(tab);
    }

    /// Returns the description of the summary that is shared. `None` if a capture is shared, or the comparison of two
    /// sessions. A summary has no capture to share.
    pub(super) fn summary(self) -> Option<SharedReportInfo> {
        let is_own = self.is_comparison && !untrack(|| self.state.is_shared_comparison());
        untrack(|| self.state.summary()).filter(|_| !is_own)
    }

    /// Returns whether files can include the captures.
    pub(super) fn has_capture(self) -> bool {
        !self.is_comparison && self.summary().is_none()
    }

    /// Returns the size of the open files in bytes.
    pub(super) fn capture_size(self) -> u64 {
        total_size(&self.state.files())
    }

    /// Returns the size of a tab's file as text. `None` for the link, and while the size is unknown.
    pub(super) fn size(self, tab: Tab) -> Option<String> {
        let report = self.shared.with(|shared| shared.as_ref().map(|shared| shared.file_size))?;
        let inside = if self.with_capture.get() { report + self.capture_size() } else { report };
        match tab {
            Tab::Link => None,
            Tab::File => Some(bytes_text(inside)),
            Tab::Html => {
                let pack = self.pack.with(|pack| pack.as_ref().map(single::size))?;
                Some(bytes_text(html::size(pack, inside)))
            }
        }
    }
}

impl ShareModel {
    /// Returns the packed page. If the first fetch failed, the page is fetched again.
    ///
    /// # Errors
    /// Returns a sentence that explains why the packed page is missing.
    pub(super) async fn pack(self) -> Result<Blob, String> {
        // The dialog may be closed by now.
        match self.pack.try_get_untracked().flatten() {
            Some(pack) => Ok(pack),
            None => single::pack().await,
        }
    }

    /// Returns the state of the views, for the page in an HTML file.
    pub(super) fn address(self) -> String {
        let now = self.state.address();
        if self.with_capture.get() {
            // The captures are in the same file, so the address names none.
            let none = String::new;
            return PageAddress { src: none(), capture: none(), stored: none(), report: none(), ..now }.to_string();
        }
        let query = self.query.get();
        if self.is_comparison {
            return shared_comparison_address(&now, "", query.with_sources, query.anonymise).to_string();
        }
        let groups = self.shared.with(|shared| shared.as_ref().map(|shared| shared.breakdown_groups.clone()));
        shared_address(&now, "", &groups.unwrap_or_default(), query.with_sources, query.anonymise).to_string()
    }
}

/// Returns the address of the page that links open: this page's own address, or in a page that is one file, the address
/// that was written into it. Empty if none was written.
fn base() -> String {
    let location = window().location();
    let part = |part: Result<String, _>| part.unwrap_or_default();
    if part(location.protocol()).starts_with("http") {
        part(location.origin()) + &part(location.pathname())
    } else {
        let written = Reflect::get(&global(), &"rooflightBase".into()).ok().and_then(|base| base.as_string());
        written.filter(|base| base_address(base).is_some()).unwrap_or_default()
    }
}
