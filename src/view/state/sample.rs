//! This module fetches the samples that lie beside the page, and opens them like any other file.

use super::State;
use crate::protocol::Failure;
use crate::worker::client::Picked;
use js_sys::Array;
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, AbortSignal, File, RequestInit, Response};

/// A capture on the page's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The name on the host.
    file: &'static str,
    /// The name of the capture on screen and in addresses.
    name: &'static str,
}

/// The simulated run on TPUs.
pub(crate) const TPU: Sample = Sample { file: "sample.xplane.pb.xz", name: "sample.xplane.pb.xz" };
/// The run on an H100, as the profiler recorded it (`samples/gpu/train.py`).
pub(crate) const GPU: Sample = Sample { file: "xla.graphs.xplane.pb.xz", name: "h100.xplane.pb.xz" };

/// Returns the sample of a name in an address.
pub(super) fn named(name: &str) -> Option<Sample> {
    [TPU, GPU].into_iter().find(|sample| sample.name == name)
}

/// Fetches a sample and opens it.
pub(crate) fn open(state: State, sample: Sample) {
    let Ok(abort) = AbortController::new() else { return };
    let signal = abort.signal();
    let fetching = state.begin_fetching(abort);
    let host = window().location().host().unwrap_or_default();
    state.fetches(&fetching, (sample.name, &host), 0, None);
    spawn_local(async move {
        let fetched = fetch(sample, &signal).await;
        // Another capture may have been opened meanwhile, or the fetch was cancelled.
        if !state.wants(&fetching) {
            return;
        }
        match fetched {
            Ok(file) => state.open(vec![Picked::new(sample.name, file)]),
            Err(why) => state.load_failed(Failure {
                title: "The sample could not be fetched".to_owned(),
                message: format!("{why} Captures of your own need no network: drop one."),
            }),
        }
    });
}

async fn fetch(sample: Sample, signal: &AbortSignal) -> Result<File, String> {
    let failed = |_: JsValue| "The page's host did not answer.".to_owned();
    let init = RequestInit::new();
    init.set_signal(Some(signal));
    let response: Response =
        JsFuture::from(window().fetch_with_str_and_init(sample.file, &init)).await.map_err(failed)?.unchecked_into();
    if !response.ok() {
        return Err(format!("The page's host says {} {}.", response.status(), response.status_text()));
    }
    let blob = JsFuture::from(response.blob().map_err(failed)?).await.map_err(failed)?;
    File::new_with_blob_sequence(&Array::of1(&blob), sample.name).map_err(failed)
}
