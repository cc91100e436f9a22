//! One HTML file: the page's own files, packed, and what is inside, as text blocks. Knows how the browser fetches and packs; what
//! the file looks like is `share::html`'s.
//!
//! ```text
//!  files.json ──► each file ──► gzip ──► base64 ──┐
//!  or the blocks of the page that this is ────────┴──► blocks ─┬─► a Blob
//!  what is inside ──► base64, a piece at a time ──► a block ───┘
//! ```

use crate::share::html;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use js_sys::{Array, Function, Object, Reflect, Uint8Array, global};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, ReadableWritablePair, Response, window};

/// The list of the page's files, beside them.
const LIST: &str = "files.json";
/// Bytes that become text at once: whole groups of three.
const PIECE: u32 = 3 << 20;

/// A file of the page, packed, as text.
struct Part {
    name: String,
    kind: String,
    text: JsValue,
}

/// Characters of the page's own files within such a file; `None` where it cannot be told.
pub(super) async fn own_size() -> Option<u64> {
    if let Some(parts) = within() {
        let length = |part: &Part| u64::from(js_sys::JsString::from(part.text.clone()).length());
        return Some(parts.iter().map(length).sum());
    }
    let sizes = listed().await.ok()?;
    Some(sizes.into_iter().map(|(_, packed)| packed.div_ceil(3) * 4).sum())
}

/// The file. `name` is what is inside called, `place` how it is looked at.
///
/// # Errors
/// A sentence that says what was missing.
pub(super) async fn page(name: &str, place: &str, inside: &Blob) -> Result<Blob, String> {
    let parts = match within() {
        Some(parts) => parts,
        None => fetched().await?,
    };
    let out = Array::of1(&html::head(name).into());
    for part in parts {
        out.push(&html::opened("part", &part.name, &part.kind, "").into());
        out.push(&part.text);
        out.push(&html::CLOSED.into());
    }
    out.push(&html::opened("inside", name, "application/octet-stream", place).into());
    push_text(&out, inside)
        .await
        .map_err(|_| "The browser does not give the capture’s bytes: was the file changed or moved?".to_owned())?;
    out.push(&html::CLOSED.into());
    out.push(&html::tail().into());
    let options = BlobPropertyBag::new();
    options.set_type("text/html");
    Blob::new_with_blob_sequence_and_options(&out, &options).map_err(|_| "The browser has no room for it.".to_owned())
}

/// A Blob as base64, in pieces that are Blobs themselves: the browser may put them aside.
async fn push_text(out: &Array, blob: &Blob) -> Result<(), JsValue> {
    let (mut at, size) = (0.0, blob.size());
    while at < size {
        let end = (at + f64::from(PIECE)).min(size);
        let bytes = bytes(&blob.slice_with_f64_and_f64(at, end)?).await?;
        let text = STANDARD.encode(bytes);
        out.push(Blob::new_with_str_sequence(&Array::of1(&text.into()))?.as_ref());
        at = end;
    }
    Ok(())
}

async fn bytes(blob: &Blob) -> Result<Vec<u8>, JsValue> {
    Ok(Uint8Array::new(&JsFuture::from(blob.array_buffer()).await?).to_vec())
}

/// The parts of the page that this is, where it is one such file.
fn within() -> Option<Vec<Part>> {
    let parts = Reflect::get(&global(), &"rooflightParts".into()).ok()?.dyn_into::<Array>().ok()?;
    let part = |part: JsValue| {
        let of = |name: &str| Reflect::get(&part, &name.into()).unwrap_or_default();
        let text = |name: &str| of(name).as_string().unwrap_or_default();
        Part { name: text("name"), kind: text("kind"), text: of("text") }
    };
    Some(parts.iter().map(part).collect())
}

/// The names of the page's files, and how large they are when packed.
async fn listed() -> Result<Vec<(String, u64)>, String> {
    let response = fetch(LIST).await?;
    let wrong = |_: JsValue| format!("{LIST} of the page’s host cannot be read.");
    let list = JsFuture::from(response.json().map_err(wrong)?).await.map_err(wrong)?;
    let entries = Object::entries(list.unchecked_ref());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length: whole, below 2⁵³")]
    let entry = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        Some((entry.get(0).as_string()?, entry.get(1).as_f64()? as u64))
    };
    Ok(entries.iter().filter_map(entry).collect())
}

async fn fetched() -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for (name, _) in listed().await? {
        let Some(kind) = html::kind(&name) else { continue };
        let packed =
            packed(&fetch(&name).await?).await.map_err(|_| format!("{name} of this page could not be packed."))?;
        parts.push(Part { kind: kind.to_owned(), text: STANDARD.encode(packed).into(), name });
    }
    Ok(parts)
}

async fn fetch(name: &str) -> Result<Response, String> {
    let gone =
        || format!("{name} of this page could not be fetched. Are you offline? The report file needs no network.");
    let window = window().ok_or_else(gone)?;
    let response: Response = JsFuture::from(window.fetch_with_str(name)).await.map_err(|_| gone())?.unchecked_into();
    if response.ok() { Ok(response) } else { Err(gone()) }
}

async fn packed(response: &Response) -> Result<Vec<u8>, JsValue> {
    let body = response.body().ok_or("no body")?;
    // By name: web-sys has no stable binding.
    let stream: Function = Reflect::get(&global(), &"CompressionStream".into())?.dyn_into()?;
    let gzip: ReadableWritablePair = Reflect::construct(&stream, &Array::of1(&"gzip".into()))?.unchecked_into();
    let packed = Response::new_with_opt_readable_stream(Some(&body.pipe_through(&gzip)))?;
    Ok(Uint8Array::new(&JsFuture::from(packed.array_buffer()?).await?).to_vec())
}
