//! This module copies text to the clipboard and saves files as downloads, when the user requests it.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement, Url,
};

/// Copies text to the clipboard, and then calls `then` with `true` if this succeeded.
pub(crate) fn copy(text: &str, then: impl FnOnce(bool) + 'static) {
    let navigator = window().navigator();
    // The clipboard is absent if the page was not loaded securely.
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into()).ok().filter(|c| !c.is_undefined());
    if clipboard.is_none() {
        return then(false);
    }
    let written = JsFuture::from(navigator.clipboard().write_text(text));
    spawn_local(async move { then(written.await.is_ok()) });
}

/// Returns whether text of the page is selected.
pub(crate) fn has_selection() -> bool {
    let get = js_sys::Reflect::get(&window(), &"getSelection".into())
        .ok()
        .and_then(|get| get.dyn_into::<js_sys::Function>().ok());
    let selection = get.and_then(|get| get.call0(&window()).ok());
    let kind = selection.and_then(|selection| js_sys::Reflect::get(&selection, &"type".into()).ok());
    kind.is_some_and(|kind| kind == "Range")
}

/// Saves text as a file of the given name.
pub(crate) fn save(name: &str, mime: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options)?;
    save_blob(name, &blob)
}

/// Saves bytes as a file of the given name.
pub(crate) fn save_bytes(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    save_blob(name, &Blob::new_with_u8_array_sequence(&parts)?)
}

/// Saves a Blob as a file of the given name.
pub(crate) fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The download keeps the Blob; its address is needed only until the download has begun.
    set_timeout(move || drop(Url::revoke_object_url(&url)), std::time::Duration::from_secs(10));
    Ok(())
}

/// Saves an SVG picture of `size` pixels as a PNG with twice as many pixels in each direction. Then calls `then` with
/// `true` if this succeeded.
pub(crate) fn save_png(name: &str, svg: &str, size: (f64, f64), then: impl FnOnce(bool) + 'static) {
    let (name, svg) = (name.to_owned(), svg.to_owned());
    spawn_local(async move { then(png(&name, &svg, size).await.is_ok()) });
}

async fn png(name: &str, svg: &str, (width, height): (f64, f64)) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("image/svg+xml");
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&svg.into()), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let loaded = JsFuture::from(image.decode()).await;
    let _ = Url::revoke_object_url(&url);
    loaded?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand pixels")]
    let pixels = |side: f64| (side * 2.0).ceil() as u32;
    canvas.set_width(pixels(width));
    canvas.set_height(pixels(height));
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or("no canvas")?.unchecked_into();
    context.scale(2.0, 2.0)?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    save_canvas(name, &canvas)
}

/// Saves the picture of a canvas as a PNG of the given name.
fn save_canvas(name: &str, canvas: &HtmlCanvasElement) -> Result<(), JsValue> {
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&canvas.to_data_url_with_type("image/png")?);
    link.set_download(name);
    link.click();
    Ok(())
}
