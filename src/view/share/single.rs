//! This module builds one HTML file from the packed page and a report file, which become blocks of text. `share::html`
//! defines the file.
//!
//! ```text
//!  page.pack, beside the page ──────┐
//!  or the pack of this page's file ─┴─► text ─┬─► a Blob
//!  report file ──► text, piece by piece ──────┘
//! ```

use crate::share::html;
use js_sys::{Array, Reflect, Uint8Array, global};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Response, window};

/// The number of bytes that become text at once, in whole groups of 3 bytes as base64 needs them.
const PIECE: u32 = 3 << 20;

/// Returns the packed page. A page that is one file has its own pack; any other page fetches it.
///
/// # Errors
/// Returns a sentence that explains why the packed page is missing.
pub(super) async fn pack() -> Result<Blob, String> {
    if let Some(pack) = embedded_pack() {
        return Ok(pack);
    }
    let gone = || {
        format!("{} of this page could not be fetched. Are you offline? The report file needs no network.", html::PACK)
    };
    let window = window().ok_or_else(gone)?;
    let response: Response =
        JsFuture::from(window.fetch_with_str(html::PACK)).await.map_err(|_| gone())?.unchecked_into();
    let blob = response.blob().ok().filter(|_| response.ok()).ok_or_else(gone)?;
    Ok(JsFuture::from(blob).await.map_err(|_| gone())?.unchecked_into())
}

/// Builds the HTML file. `name` is the name of the report file inside, `place` is the state of its views, and `base` is
/// the address of the page that links open.
///
/// # Errors
/// Returns a sentence that names the missing data.
pub(super) async fn page(pack: &Blob, (name, place, base): (&str, &str, &str), inside: &Blob) -> Result<Blob, String> {
    let out = Array::new();
    let text = |text: &str| {
        out.push(&text.into());
    };
    text(&(html::start(name) + html::PAGE_BLOCK));
    push(&out, pack).await.map_err(|_| "The browser does not give the page’s own bytes.".to_owned())?;
    text(&(html::CLOSED.to_owned() + &html::inside_block(name, place, base)));
    push(&out, inside)
        .await
        .map_err(|_| "The browser does not give the capture’s bytes: was the file changed or moved?".to_owned())?;
    text(&(html::CLOSED.to_owned() + &html::tail()));
    let options = BlobPropertyBag::new();
    options.set_type("text/html");
    Blob::new_with_blob_sequence_and_options(&out, &options).map_err(|_| "The browser has no room for it.".to_owned())
}

/// Adds a Blob as text, in pieces that are Blobs themselves, so that the browser may move them out of memory.
async fn push(out: &Array, blob: &Blob) -> Result<(), JsValue> {
    let (mut start, size) = (0.0, blob.size());
    while start < size {
        let end = (start + f64::from(PIECE)).min(size);
        let bytes = JsFuture::from(blob.slice_with_f64_and_f64(start, end)?.array_buffer()).await?;
        let text = html::base64(&Uint8Array::new(&bytes).to_vec());
        out.push(Blob::new_with_str_sequence(&Array::of1(&text.into()))?.as_ref());
        start = end;
    }
    Ok(())
}

/// Returns the size of a Blob in bytes.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length: whole, below 2⁵³")]
pub(super) fn size(blob: &Blob) -> u64 {
    blob.size() as u64
}

/// Returns the pack of this page, if the page is one file.
fn embedded_pack() -> Option<Blob> {
    Reflect::get(&global(), &"rooflightPack".into()).ok()?.dyn_into().ok()
}
