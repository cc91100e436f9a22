//! This module renders the file picker: the files of the session, and the actions that open, keep and close files.

use crate::protocol::SessionSlot;
use crate::table::format;
use crate::view::shared::files::{choose_files, choose_folder};
use crate::view::sources;
use crate::view::state::{OpenAs, State, is_single};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use crate::view::widgets::popover::{self, Popover};
use leptos::prelude::*;

const ID: &str = "capture";

/// Renders the file picker.
#[component]
pub(crate) fn Capture(state: State) -> impl IntoView {
    let name = move || state.opened.with(|opened| opened.as_ref().map(|o| o.name.clone()).unwrap_or_default());
    let shown = move || format::middle_cut(&name(), 36);
    let files = move || {
        let files = state.opened.with(|opened| opened.as_ref().map(|o| o.session.files.clone()).unwrap_or_default());
        let one = |file: crate::analysis::files::FileInfo| {
            view! {
                <li>
                    <span class="mono">{file.name}</span>
                    <span class="entry-detail">{format!("{}, {}", format::bytes_text(file.bytes), file.format)}</span>
                </li>
            }
            .any()
        };
        files.into_iter().take(200).map(one).collect_view()
    };
    let then = move |act: fn(State)| {
        move |_| {
            popover::hide(ID);
            act(state);
        }
    };
    let keep = move |_| {
        popover::hide(ID);
        sources::store_session(state);
    };
    view! {
        {live(move || state.pair.with(Option::is_some).then(|| pair(state)))}
        <Popover
            id=ID
            class="btn pick"
            label=Signal::derive(move || if shown() == name() { format!("File {}", name()) } else { format!("File {}: {}", shown(), name()) })
            panel_class="menu"
            face=Box::new(move || view! { {icon(Icon::File)} <b>{live(shown)}</b> {icon(Icon::Down)} }.any())
        >
            <ul class="session">{live(files)}</ul>
            <div class="menu-acts">
                <button type="button" class="menu-act" on:click=then(|state| choose_files(state, OpenAs::Replace))>{icon(Icon::File)} "Choose files"</button>
                <button type="button" class="menu-act" on:click=then(choose_folder)>{icon(Icon::Folder)} "Choose a folder"</button>
                {live(move || (!state.is_folder()).then(|| view! {
                    <button type="button" class="menu-act" on:click=then(|state| choose_files(state, OpenAs::Compare))>{icon(Icon::Swap)} "Compare with files"</button>
                }.any()))}
                {live(move || (state.summary().is_none() && !state.is_folder()).then(|| view! {
                    <button type="button" class="menu-act" on:click=then(|state| choose_files(state, OpenAs::AddHosts))>{icon(Icon::More)} "Add files as hosts"</button>
                }.any()))}
                {live(move || state.folder_has_files().then(|| view! {
                    <button type="button" class="menu-act" on:click=then(|state| state.open_as_one_run(state.files()))>{icon(Icon::More)} "Open all as one capture"</button>
                }.any()))}
                {live(move || (!state.is_folder() && state.report.with(|report| report.is_empty() && !is_single())).then(|| {
                    view! { <button type="button" class="menu-act" on:click=keep>{icon(Icon::Copy)} "Keep on this device"</button> }.any()
                }))}
                <button type="button" class="menu-act" on:click=move |_| state.close()>{icon(Icon::Close)} "Close"</button>
            </div>
        </Popover>
    }.any()
}

/// Renders the switch between both captures of a comparison.
fn pair(state: State) -> AnyView {
    let is_swapped = Memo::new(move |_| state.views.with(|views| views.compare.is_swapped));
    let side = move |is_b: bool| {
        let slot = move || if is_b == is_swapped.get() { SessionSlot::First } else { SessionSlot::Second };
        let name = move || {
            let index = usize::from(slot() == SessionSlot::Second);
            state.pair.with(|pair| pair.as_ref().map(|pair| pair.0[index].clone()).unwrap_or_default())
        };
        let letter = if is_b { "B" } else { "A" };
        let title = move || format!("Show {letter}, {}, in all views", name());
        let pressed = move || (state.shown_slot() == slot()).to_string();
        let show = move |_| untrack(|| state.show_session(slot(), state.view.get()));
        view! {
            <button type="button" title=title aria-label=title aria-pressed=pressed on:click=show>{letter}</button>
        }
        .any()
    };
    view! {
        <div class="segmented sides-switch" data-roving="" role="group" aria-label="Capture that the views show">
            {side(false)} {side(true)}
        </div>
    }
    .any()
}
