//! This module renders the captures that are stored on this device as a table. A click opens a capture.
//! `stored_captures` reads the files.

use super::stored_captures::{self, StoredCapture};
use crate::chart::widgets::relative_time::ago;
use crate::protocol::Failure;
use crate::table::format;
use crate::view::state::{KEPT, State, remember};
use crate::view::type_erasure::{EraseType, live};
use crate::view::widgets::icon::{Icon, icon};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Renders the table. Without stored captures, nothing is rendered.
#[component]
pub(super) fn List(state: State) -> impl IntoView {
    let all = RwSignal::new(Vec::<StoredCapture>::new());
    let read = move || {
        spawn_local(async move {
            // A list that cannot be read now is read again when the page is opened again.
            let Ok(list) = stored_captures::list().await else { return };
            // The landing page renders this table only if the flag is set.
            remember(KEPT, (!list.is_empty()).then_some("1"));
            let _ = all.try_set(list);
        });
    };
    read();
    let open = move |one: StoredCapture| {
        spawn_local(open_stored(state, one));
    };
    let forget = move |id: String| {
        spawn_local(async move {
            stored_captures::forget(&id).await;
            read();
        });
    };
    let forget_all = move |_| {
        spawn_local(async move {
            stored_captures::forget_all().await;
            read();
        });
    };
    let row = move |one: StoredCapture| {
        let (id, name, opened) = (one.id.clone(), one.name.clone(), one.clone());
        view! {
            <tr>
                <th scope="row">
                    <button type="button" class="link mono" on:click=move |_| open(opened.clone())>{format::middle_cut(&name, 44)}</button>
                </th>
                <td class="about">{one.about}</td>
                <td class="num">{format::bytes_text(one.bytes)}</td>
                <td class="num">{ago(one.stored_ms, stored_captures::now())}</td>
                <td class="act">
                    <button
                        type="button"
                        class="btn icon-only"
                        aria-label=format!("Forget {name}")
                        title="Forget"
                        on:click=move |_| forget(id.clone())
                    >
                        {icon(Icon::Close)}
                    </button>
                </td>
            </tr>
        }
        .any()
    };
    let table = move || {
        let rows = all.get();
        (!rows.is_empty()).then(|| {
            view! {
                <div class="kept">
                    <p class="stored-head">
                        <span>"Stored on this device"</span>
                        <button type="button" class="link" on:click=forget_all>"forget all"</button>
                    </p>
                    <table>
                        <caption class="visually-hidden">"Stored on this device"</caption>
                        <tbody>{rows.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </div>
            }
            .any()
        })
    };
    view! { {live(table)} }.into_any()
}

/// Opens a stored capture, unless another capture was opened meanwhile.
pub(super) async fn open_stored(state: State, one: StoredCapture) {
    let opens = state.opens();
    let files = stored_captures::files(&one).await;
    if state.opens() != opens {
        return;
    }
    match files {
        Ok(files) => state.open_kept(files, one.id),
        Err(why) => state.fail(Failure {
            title: format!("{} is no longer kept on this device", one.name),
            message: format!("{why}. Forget it, and open the files again."),
        }),
    }
}
