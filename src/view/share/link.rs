//! This module renders the tab of the link: its length, its level of detail, and the buttons that copy it.

use super::model::ShareModel;
use crate::chart::share;
use crate::protocol::{Reply, requests};
use crate::share::{Fit, TARGET_LINK_LENGTH, base_address};
use crate::table::format;
use crate::view::type_erasure::{EraseType, effect, live};
use crate::view::widgets::clipboard;
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;
use leptos::{ev, html};
use web_sys::HtmlInputElement;

/// Renders the tab of the link.
pub(super) fn view(model: ShareModel) -> AnyView {
    let copy_node = NodeRef::<html::Button>::new();
    let length = move || model.address.with(|address| address.as_ref().map_or(0, String::len));
    let fit = move || Fit::from_length(length());
    // A link of earlier choices cannot be copied, because this link may hold data that is to be removed.
    let is_out = move || model.busy.get() || model.address.with(Option::is_none) || fit() == Fit::TooLong;
    focus_once(copy_node, Signal::derive(move || !is_out()));
    let shown = move || model.address.get().filter(|_| fit() != Fit::TooLong).unwrap_or_default();
    let text = move || fit().sentence(length()).map(caution);
    let select = |event: ev::FocusEvent| event_target::<HtmlInputElement>(&event).select();
    view! {
        <div class="share-link">
            <span class="field">
                <input type="text" class="mono" readonly=true aria-label="Link" prop:value=shown on:focus=select />
            </span>
            <button node_ref=copy_node type="button" class="btn solid" prop:disabled=is_out on:click=move |_| copy(model)>
                {icon(Icon::Copy)}
                "Copy link"
            </button>
            <button type="button" class="btn line" prop:disabled=move || model.busy.get() on:click=move |_| copy_markdown(model)>
                "Copy as Markdown"
            </button>
        </div>
        {base_field(model)}
        {live(text)}
        {detail(model, length)}
        <p class="sub share-note">{icon(Icon::Info)} "The report is in the part of the link after #. Browsers send that part to no server."</p>
    }
    .any()
}

/// Focuses a button once it is enabled, unless the user has moved the focus into the body or the tabs of the dialog. A
/// dialog that opens focuses its first button, which is Close.
fn focus_once(node: NodeRef<html::Button>, is_ready: Signal<bool>) {
    let done = StoredValue::new(false);
    effect(move || {
        if node.get().is_none() || !is_ready.get() || done.get_value() {
            return;
        }
        done.set_value(true);
        // The browser focuses a button only once it has processed that the button is enabled.
        request_animation_frame(move || {
            let active = document().active_element();
            let moved = active.and_then(|active| active.closest(".share-body, .share-tabs").ok().flatten()).is_some();
            if let (Some(button), false) = (node.try_get_untracked().flatten(), moved) {
                let _ = button.focus();
            }
        });
    });
}

/// Renders the field for the address of the page that links open. Only a page that is a file on a disk needs the field.
fn base_field(model: ShareModel) -> Option<AnyView> {
    let is_known = model.base.with_untracked(|base| !base.is_empty());
    if is_known {
        return None;
    }
    let is_wrong = move || model.base.with(|base| !base.trim().is_empty() && base_address(base).is_none());
    let field = view! {
        <div class="share-base">
            <label for="share-base">"A file on a disk has no address for links. Enter the address of a Rooflight page that you trust: that page can read what the link holds."</label>
            <span class="field">
                <input
                    id="share-base"
                    type="url"
                    class="mono"
                    placeholder="https://example.com/rooflight/"
                    autocomplete="off"
                    spellcheck="false"
                    aria-invalid=move || is_wrong().to_string()
                    prop:value=move || model.base.get()
                    on:input=move |event| model.base.set(event_target_value(&event))
                />
            </span>
        </div>
    };
    Some(field.any().into_any())
}

/// Renders the slider for the level of detail.
fn detail(model: ShareModel, length: impl Fn() -> usize + Copy + Send + Sync + 'static) -> AnyView {
    let turn = move |event: ev::Event| {
        if let Ok(level) = event_target_value(&event).parse() {
            model.level.set(level);
        }
    };
    let most = model.summary().map_or(100, |summary| summary.level);
    let fits = move || {
        model.shared.with(|shared| shared.as_ref().and_then(|shared| shared.fits)).filter(|level| *level < most)
    };
    let mark = move || {
        fits().map(|level| {
            // The middle of the slider's thumb moves from half its width to half its width before the end.
            let left = format!("calc(8px + (100% - 16px) * {:.3})", f64::from(level) / f64::from(most));
            view! { <span class="share-mark" style:left=left title=format!("{} characters", format::count(TARGET_LINK_LENGTH as u64))></span> }.any()
        })
    };
    let is_over = move || length() > TARGET_LINK_LENGTH;
    let count = move || format::count(length() as u64);
    view! {
        <div class="share-detail" class:waits=move || model.busy.get()>
            <div class="share-line">
                <label for="share-level"><b>"Detail"</b></label>
                <span class="grow"></span>
                <output for="share-level" class:over=is_over>
                    <b>{live(count)}</b>
                    {format!(" of {} characters", format::count(TARGET_LINK_LENGTH as u64))}
                </output>
            </div>
            <div class="share-slide">
                {live(mark)}
                <input
                    id="share-level"
                    type="range"
                    min="0"
                    max=most.to_string()
                    step="1"
                    prop:value=move || model.level.get().to_string()
                    aria-valuetext=move || share::level_text(model.level.get(), length())
                    on:input=turn
                />
            </div>
            <div class="share-line sub"><span>"totals, a few ops"</span><span class="grow"></span><span>"every op, exact"</span></div>
        </div>
    }
    .any()
}

pub(super) fn caution(sentence: String) -> AnyView {
    view! { <p class="share-caution">{icon(Icon::Warn)} {sentence}</p> }.any()
}

fn copy(model: ShareModel) {
    let Some(address) = model.address.get_untracked() else { return };
    let n = format::count(address.len() as u64);
    clipboard::copy(&address, move |is_done| {
        model.done.set(done_message(is_done, &format!("Copied, {n} characters.")));
    });
}

fn copy_markdown(model: ShareModel) {
    let address = model.address.get_untracked().filter(|address| Fit::from_length(address.len()) != Fit::TooLong);
    let request = requests::ShareMarkdown { query: model.query.get_untracked(), url: address };
    model.state.request_answer(request, move |answer| match answer {
        Ok(text) => clipboard::copy(&text, move |is_done| {
            model.done.set(done_message(is_done, "Copied a summary as Markdown, with the link in it."));
        }),
        Err(Reply::Failed(failure)) => model.done.set(failure.message),
        Err(_) => {}
    });
}

fn done_message(is_done: bool, done: &str) -> String {
    if is_done { done } else { "The browser does not let this page use the clipboard: copy the link from its field." }
        .to_owned()
}
