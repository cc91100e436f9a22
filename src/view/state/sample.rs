//! This module fetches the sample that lies beside the page, and opens it like any other file.

use super::State;
use crate::protocol::Failure;
use crate::worker::client::Picked;
use js_sys::Array;
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, AbortSignal, File, RequestInit, Response};

/// The name of the sample on the page's host.
pub(super) const NAME: &str = "sample.xplane.pb.xz";

/// Fetches the sample and opens it.
pub(crate) fn open(state: State) {
    let Ok(abort) = AbortController::new() else { return };
    let signal = abort.signal();
    let fetching = state.begin_fetching(abort);
    let host = window().location().host().unwrap_or_default();
    state.fetches(&fetching, (NAME, &host), 0, None);
    spawn_local(async move {
        let fetched = fetch(&signal).await;
        // Another capture may have been opened meanwhile, or the fetch was cancelled.
        if !state.wants(&fetching) {
            return;
        }
        match fetched {
            Ok(file) => state.open(vec![Picked::new(NAME, file)]),
            Err(why) => state.load_failed(Failure {
                title: "The sample could not be fetched".to_owned(),
                message: format!("{why} Captures of your own need no network: drop one."),
            }),
        }
    });
}

async fn fetch(signal: &AbortSignal) -> Result<File, String> {
    let failed = |_: JsValue| "The page's host did not answer.".to_owned();
    let init = RequestInit::new();
    init.set_signal(Some(signal));
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(NAME, &init)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("The page's host says {} {}.", response.status(), response.status_text()));
    }
    let blob = JsFuture::from(response.blob().map_err(failed)?).await.map_err(failed)?;
    File::new_with_blob_sequence(&Array::of1(&blob), NAME).map_err(failed)
}
