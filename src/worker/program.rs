//! This module fetches and compiles the worker's program once, as soon as the page is drawn, and hands it to every
//! worker that starts.
//!
//! `index.html` names the files that lie beside the page (`<meta name="worker" content="script program">`). A page that
//! is one HTML file has no files beside it: `share/boot.js` leaves both as Blobs in `globalThis.rooflightWorker`.

use js_sys::{Array, Promise, Reflect, WebAssembly, global};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{Blob, Response, Url, window};

thread_local! {
    /// The promise of `[script, module]`; `None` before the first request, and after a failed one.
    static PROGRAM: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Starts to fetch and compile the program, unless this has begun before. A failure here is not reported: the first
/// worker that starts tries again.
pub fn prefetch() {
    spawn_local(async { drop(program().await) });
}

/// Returns the program as the first message of a worker holds it: the script's address, or the script as a Blob, and
/// the compiled module.
///
/// # Errors
/// Returns the browser's error if the program could not be fetched or compiled. The next call tries again.
pub(crate) async fn program() -> Result<JsValue, JsValue> {
    let found = JsFuture::from(promise()).await;
    if found.is_err() {
        PROGRAM.set(None);
    }
    found
}

fn promise() -> Promise {
    PROGRAM.with_borrow_mut(|program| program.get_or_insert_with(|| future_to_promise(load())).clone())
}

async fn load() -> Result<JsValue, JsValue> {
    let single = Reflect::get(&global(), &"rooflightWorker".into()).ok().filter(JsValue::is_object);
    let (script, program) = if let Some(files) = single {
        let blob = |name: &str| Reflect::get(&files, &name.into())?.dyn_into::<Blob>();
        (blob("script")?.into(), Response::new_with_opt_blob(Some(&blob("program")?))?)
    } else {
        let (script, program) = addresses()?;
        let window = window().ok_or("no window")?;
        let response: Response = JsFuture::from(window.fetch_with_str(&program)).await?.dyn_into()?;
        if !response.ok() {
            return Err(format!("{program} was answered with {}", response.status()).into());
        }
        (script.into(), response)
    };
    let module =
        match JsFuture::from(WebAssembly::compile_streaming(Promise::resolve(&program.clone()?).unchecked_ref())).await
        {
            Ok(module) => module,
            // Some hosts serve the program with a type other than `application/wasm`.
            Err(_) => JsFuture::from(WebAssembly::compile(&JsFuture::from(program.array_buffer()?).await?)).await?,
        };
    Ok(Array::of2(&script, &module).into())
}

/// Returns the addresses of the script and of the program.
fn addresses() -> Result<(String, String), JsValue> {
    let document = window().and_then(|window| window.document()).ok_or("no document")?;
    let named = document.query_selector("meta[name=worker]")?.and_then(|meta| meta.get_attribute("content"));
    let named = named.unwrap_or_default();
    let (script, program) = named.split_once(' ').ok_or("the page does not name its worker")?;
    let base = document.base_uri()?.unwrap_or_default();
    let whole = |address: &str| Url::new_with_base(address, &base).map(|url| url.href());
    Ok((whole(script)?, whole(program)?))
}
