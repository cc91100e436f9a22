//! The sample that lies beside the page: fetched when it is asked for, then opened as any file. Knows its name.

use super::State;
use crate::engine::Failure;
use crate::engine::client::Picked;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, Response};

/// Its name, as the page's host has it.
const NAME: &str = "sample.xplane.pb.xz";

/// Fetches the sample and opens it.
pub(crate) fn open(state: State) {
    spawn_local(async move {
        match fetch().await {
            Ok(file) => state.open(vec![Picked { path: NAME.to_owned(), file }]),
            Err(why) => state.load_failed(Failure {
                title: "The sample could not be fetched".to_owned(),
                message: format!("{why} Captures of your own need no network: drop one."),
            }),
        }
    });
}

async fn fetch() -> Result<File, String> {
    let failed = |_: JsValue| "The page's host did not answer.".to_owned();
    let window = web_sys::window().ok_or("This page has no window.")?;
    let response: Response = JsFuture::from(window.fetch_with_str(NAME)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("The page's host says {} {}.", response.status(), response.status_text()));
    }
    let blob = JsFuture::from(response.blob().map_err(failed)?).await.map_err(failed)?;
    File::new_with_blob_sequence(&Array::of1(&blob), NAME).map_err(failed)
}
