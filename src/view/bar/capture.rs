//! This module renders the file picker: the files of the session, and the actions that open, keep and close files.

use crate::table::format;
use crate::view::sources;
use crate::view::state::{State, is_single};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::files::{choose_files, choose_folder};
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
    let then = |act: fn()| {
        move |_| {
            popover::hide(ID);
            act();
        }
    };
    let keep = move |_| {
        popover::hide(ID);
        sources::store_session(state);
    };
    view! {
        <Popover
            id=ID
            class="btn pick"
            label=Signal::derive(move || format!("File {}", name()))
            panel_class="menu"
            face=Box::new(move || view! { {icon(Icon::File)} <b>{live(shown)}</b> {icon(Icon::Down)} }.any())
        >
            <ul class="session">{live(files)}</ul>
            <div class="menu-acts">
                <button type="button" class="menu-act" on:click=then(choose_files)>{icon(Icon::File)} "Choose files"</button>
                <button type="button" class="menu-act" on:click=then(choose_folder)>{icon(Icon::Folder)} "Choose a folder"</button>
                {live(move || state.report.with(|report| report.is_empty() && !is_single()).then(|| {
                    view! { <button type="button" class="menu-act" on:click=keep>{icon(Icon::Copy)} "Keep on this device"</button> }.any()
                }))}
                <button type="button" class="menu-act" on:click=move |_| state.close()>{icon(Icon::Close)} "Close"</button>
            </div>
        </Popover>
    }.any()
}
