//! This module renders the tabs of the HTML file and of the report file, and saves these files. `single` builds the
//! HTML file.

use super::link::caution;
use super::model::{ShareModel, Tab};
use super::single;
use crate::chart::share;
use crate::chart::widgets::table::file_name;
use crate::protocol::{CaptureRange, Reply, requests};
use crate::table::format::bytes_text;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use crate::worker::client::Picked;
use js_sys::{Array, Uint8Array};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::Blob;

/// The largest size in bytes of a capture in an HTML file. The capture is text in the page, and browsers open no page
/// that is much larger.
const MOST_HTML: u64 = 256 << 20;

/// Renders the tab of one of the two files.
pub(super) fn view(model: ShareModel, tab: Tab) -> AnyView {
    let node = NodeRef::<html::Button>::new();
    effect(move || {
        if let Some(button) = node.get() {
            let _ = button.focus();
        }
    });
    let (about, label) = match tab {
        Tab::Html => (
            "The page and what you look at in one file. It opens from disk, in any browser, with the network off.",
            "Save HTML file",
        ),
        _ => (
            "Small, for a colleague who has Rooflight open: it is dropped on the page like a capture.",
            "Save report file",
        ),
    };
    let (report, capture) = (
        move || model.shared.with(|shared| shared.as_ref().map(|shared| bytes_text(shared.file_size))),
        bytes_text(model.capture_size()),
    );
    let has_capture = model.has_capture();
    let no_capture = if model.is_comparison {
        "A comparison holds no captures. Share each capture by itself."
    } else {
        "This is a summary: there is no capture to go with it."
    };
    let is_large = move || tab == Tab::Html && model.with_capture.get() && model.capture_size() > MOST_HTML;
    let choice = |with: bool, words: &'static str, size: AnyView| {
        view! {
            <label>
                <input
                    type="radio"
                    name="share-contents"
                    prop:checked=move || model.with_capture.get() == with
                    on:change=move |_| model.with_capture.set(with)
                />
                <span>{words} " " <span class="sub">{size}</span></span>
            </label>
        }
        .any()
    };
    let too_large = move || {
        is_large().then(|| {
            caution(format!(
                "The capture is too large to be text in a page ({} are the most): save a report file.",
                bytes_text(MOST_HTML)
            ))
        })
    };
    let leads_to = move || {
        let base = model.base.get();
        (tab == Tab::Html && !base.is_empty() && !model.query.with(|query| query.anonymise)).then(|| {
            view! { <p class="sub">"Links made from this file will open " <span class="mono">{base}</span></p> }.any()
        })
    };
    view! {
        <p class="share-about">{about}</p>
        <fieldset class="share-contents">
            <legend class="visually-hidden">"Contents"</legend>
            {choice(false, if model.is_comparison { "The comparison: every row, exact figures" } else { "The report: every op, exact figures" }, live(report).into_any())}
            {if has_capture {
                choice(true, "The report and the capture: all views, every event", capture.into_any())
            } else {
                view! { <p class="sub">{no_capture}</p> }.any()
            }}
        </fieldset>
        {live(too_large)}
        {live(leads_to)}
        <div class="acts">
            <button
                node_ref=node
                type="button"
                class="btn solid"
                prop:disabled=move || is_large() || model.busy.get()
                on:click=move |_| save(model, tab)
            >
                {icon(Icon::Save)}
                {label}
            </button>
        </div>
    }
    .any()
}

/// Requests the head of the report file, and saves it with the unchanged bytes of the captures behind it.
fn save(model: ShareModel, tab: Tab) {
    let Some(shared) = model.shared.get_untracked() else { return };
    let files = model.state.files();
    let captures =
        if model.with_capture.get_untracked() { capture_parts(&files, &shared.capture_ranges) } else { Vec::new() };
    model.done.set("Writing …".to_owned());
    let names = captures.iter().map(|capture| (share::own_name(&capture.name).to_owned(), capture.bytes)).collect();
    let query = model.query.get_untracked();
    // The user may change the choices or close the dialog while the worker writes. The saved file is the one that was
    // requested.
    let opened = model.state.opened.with_untracked(|opened| opened.as_ref().map(|opened| opened.name.clone()));
    let name = match (query.anonymise, model.is_comparison) {
        (_, true) => "comparison".to_owned(),
        (true, false) => "profile".to_owned(),
        (false, false) => opened.unwrap_or_default(),
    };
    let place = untrack(|| model.address());
    // The base address may reveal the place of work, as names may, so the address is removed with the names.
    let base = if query.anonymise { String::new() } else { model.base.get_untracked() };
    let done = move |words: String| drop(model.done.try_set(words));
    let request = requests::ShareFile { query, captures: names };
    model.state.request_answer(request, move |answer| match answer {
        Ok(head) => spawn_local(async move {
            done(match write(model, (tab, &name, &place, &base), &head, &files, &captures).await {
                Ok((name, size)) => format!("Saved {name}, {size}."),
                Err(why) => format!("Nothing was saved. {why}"),
            });
        }),
        Err(Reply::Failed(failure)) => done(failure.message),
        Err(_) => done("Nothing was saved: the report did not come.".to_owned()),
    });
}

/// Returns the place of each capture: a whole file, or a part of a report file.
fn capture_parts(files: &[Picked], capture_ranges: &[CaptureRange]) -> Vec<CaptureRange> {
    if !capture_ranges.is_empty() {
        return capture_ranges.to_vec();
    }
    let whole = |(file, picked): (usize, &Picked)| CaptureRange {
        name: picked.path.clone(),
        file: u32::try_from(file).unwrap_or(u32::MAX),
        start: 0,
        bytes: crate::view::state::total_size(std::slice::from_ref(picked)),
    };
    files.iter().enumerate().map(whole).collect()
}

async fn write(
    model: ShareModel,
    (tab, name, place, base): (Tab, &str, &str, &str),
    head: &[u8],
    files: &[Picked],
    captures: &[CaptureRange],
) -> Result<(String, String), String> {
    let failed = |_: JsValue| "The browser refuses to save a file from this page.".to_owned();
    let parts = Array::of1(&Uint8Array::from(head));
    for capture in captures {
        let Some(picked) = files.get(capture.file as usize) else { continue };
        #[expect(clippy::cast_precision_loss, reason = "places in a file: below 2⁵³")]
        let (start, end) = (capture.start as f64, (capture.start + capture.bytes) as f64);
        parts.push(picked.file.slice_with_f64_and_f64(start, end).map_err(failed)?.as_ref());
    }
    let inside = Blob::new_with_blob_sequence(&parts).map_err(failed)?;
    let (name, blob) = if tab == Tab::Html {
        let within = file_name(name, "report", "rooflight");
        (file_name(name, "report", "html"), single::page(&model.pack().await?, (&within, place, base), &inside).await?)
    } else {
        (file_name(name, "report", "rooflight"), inside)
    };
    clipboard::save_blob(&name, &blob).map_err(failed)?;
    Ok((name, bytes_text(single::size(&blob))))
}
