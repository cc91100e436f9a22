//! This module opens captures that are not local files: captures on the web, and captures that are stored on this
//! device. It also stores the open session. `remote` fetches, and `stored_captures` stores.

mod choice;
mod list;
mod remote;
mod stored_captures;

use crate::chip::usual_name;
use crate::protocol::url::address::PageAddress;
use crate::protocol::{Failure, SessionInfo};
use crate::session::open::remote::{Refusal, WebAddress, question};
use crate::table::format;
use crate::view::state::{KEPT, State, remember};
use crate::view::type_erasure::{EraseType, effect};
use crate::view::widgets::icon::{Icon, icon};
pub(crate) use choice::Choose;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use list::List;
use remote::Head;
use wasm_bindgen::JsValue;

/// Renders the stored captures and the question before a fetch. Also opens the capture that the address names.
#[component]
pub(crate) fn OtherSources(state: State) -> impl IntoView {
    let question = RwSignal::new_local(None::<Head>);
    let begin = move |text: String| match remote::parse_capture_url(&text) {
        Ok(place) if remote::is_allowed(&place) => spawn_local(ask_before_fetch(state, place, question)),
        Ok(place) => start_anew(state, &place),
        Err((place, refusal)) => refused(state, &place, &refusal),
    };
    // The capture that the address names is fetched once no load is under way. `begun` prevents another fetch if this
    // component is rendered again, as happens after a fetch was cancelled or has failed.
    effect(move || {
        let to_fetch = state.to_fetch.get();
        let src = state.src.get_untracked();
        if to_fetch != state.begun.get_value() && !src.is_empty() && untrack(|| state.load.with(Option::is_none)) {
            state.begun.set_value(to_fetch);
            begin(src);
        }
    });
    // The stored capture that the address names is opened. If it is not stored any more, the page shows that the
    // address needs it.
    effect(move || {
        let stored = state.kept_wanted.get();
        if !stored.is_empty() {
            spawn_local(reopen(state, stored));
        }
    });
    let go_on = move |head: Head| {
        question.set(None);
        spawn_local(fetch(state, head));
    };
    let leave = move || {
        question.set(None);
        state.src.set(String::new());
        state.cancel();
    };
    view! {
        <section class="sources" aria-label="Open from the web or from this device">
            {move || question.get().map(|head| question_view(head, go_on, leave))}
            <List state />
        </section>
    }
    .any()
}

/// Renders the question before a large capture is fetched.
fn question_view(head: Head, go_on: impl Fn(Head) + 'static, leave: impl Fn() + 'static) -> AnyView {
    let node = NodeRef::<html::Button>::new();
    effect(move || {
        if let Some(button) = node.get() {
            let _ = button.focus();
        }
    });
    let (words, url) = (question(&head.place, head.size), head.place.url.clone());
    let head = StoredValue::new_local(head);
    let (go_on, leave) = (StoredValue::new_local(go_on), StoredValue::new_local(leave));
    view! {
        <section class="asks" role="alertdialog" aria-labelledby="asks-title" aria-describedby="asks-where">
            <b id="asks-title">{words}</b>
            <p id="asks-where" class="mono">{url}</p>
            <div class="acts">
                <button
                    node_ref=node
                    type="button"
                    class="btn solid"
                    on:click=move |_| go_on.with_value(|go_on| go_on(head.get_value()))
                >
                    {icon(Icon::File)}
                    "Fetch"
                </button>
                <button type="button" class="btn line" on:click=move |_| leave.with_value(|leave| leave())>"Cancel"</button>
            </div>
        </section>
    }
    .any()
}

/// Reloads the page with an address that names the capture, because the page's policy does not allow requests to its
/// host yet.
fn start_anew(state: State, place: &WebAddress) {
    let address = PageAddress { src: place.url.clone(), ..untrack(|| state.address()) };
    let address = format!("#{address}");
    if window().history().is_ok_and(|history| history.push_state_with_url(&JsValue::NULL, "", Some(&address)).is_ok()) {
        let _ = window().location().reload();
    }
}

async fn ask_before_fetch(state: State, place: WebAddress, question: RwSignal<Option<Head>, LocalStorage>) {
    question.set(None);
    match remote::request_head(state, &place).await {
        Ok(Some(head)) if head.is_asked() => question.set(Some(head)),
        Ok(Some(head)) => fetch(state, head).await,
        Ok(None) => {}
        Err(refusal) => refused(state, &place, &refusal),
    }
}

async fn fetch(state: State, head: Head) {
    let place = head.place.clone();
    match remote::fetch(state, head).await {
        Ok(Some(picked)) => state.open_fetched(picked, place.url),
        Ok(None) => {}
        Err(refusal) => refused(state, &place, &refusal),
    }
}

fn refused(state: State, place: &WebAddress, refusal: &Refusal) {
    let page = window().location().origin().unwrap_or_default();
    state.load_failed(refusal.message(place, &page));
}

/// Stores the files of the open session on this device.
pub(super) fn store_session(state: State) {
    let about =
        state.opened.with_untracked(|opened| opened.as_ref().map(|o| (o.name.clone(), describe_devices(&o.session))));
    let Some((name, about)) = about else { return };
    let opens = state.opens();
    spawn_local(async move {
        // The flag is set first. If the tab is closed during the write, the table that the flag enables removes the
        // incomplete files.
        remember(KEPT, Some("1"));
        match stored_captures::store(&name, &about, &state.files()).await {
            Ok(stored) => {
                if state.opens() == opens {
                    state.mark_stored(&stored.id);
                }
                state.inform(Failure {
                    title: format!("{} is kept on this device", stored.name),
                    message: format!(
                        "{}, in this browser’s storage. It opens from the start page, and again when this page is reloaded.",
                        format::bytes_text(stored.bytes)
                    ),
                });
            }
            Err(why) => state.fail(Failure {
                title: format!("{name} could not be kept on this device"),
                message: format!("The browser says: {why}. What is open stays open."),
            }),
        }
    });
}

/// Opens the stored capture `id`, unless another capture was opened meanwhile.
async fn reopen(state: State, id: String) {
    let opens = state.opens();
    let found = stored_captures::list().await.unwrap_or_default().into_iter().find(|one| one.id == id);
    state.kept_wanted.set(String::new());
    if state.opens() != opens {
        return;
    }
    match found {
        Some(one) => list::open_stored(state, one).await,
        None => state.needs.set(Some(state.address_capture())),
    }
}

/// Describes the devices of a session, such as "TPU v5p × 8". Empty without devices.
fn describe_devices(session: &SessionInfo) -> String {
    let Some(first) = session.devices.first() else { return String::new() };
    let what = first.device_type.as_deref().map_or(&*first.label, usual_name).to_owned();
    if session.devices.len() > 1 { format!("{what} × {}", session.devices.len()) } else { what }
}
