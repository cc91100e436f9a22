//! Contract values as messages, the same way at both ends. This module knows no worker and no page.
//!
//! A message is `[bytes, files]`: the contract's struct as postcard writes it, and the `File` objects that go with it.
//! Bytes and not JS values: that takes 33 kB (gzip) less at both ends, and every integer crosses as it is. Both ends are
//! of one build, which Hello makes sure of: it stays the first kind of request and of reply, so that any build reads it.

use js_sys::{Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// Packs a value and the files that go with it.
pub fn pack<T: Serialize>(value: &T, files: &[File]) -> Result<JsValue, String> {
    let bytes = postcard::to_allocvec(value).map_err(|e| e.to_string())?;
    Ok(Array::of2(&Uint8Array::from(&*bytes), &files.iter().collect::<Array>()).into())
}

/// The value and the files of a message.
pub fn unpack<T: DeserializeOwned>(message: JsValue) -> Result<(T, Vec<File>), String> {
    let pair: Array = message.dyn_into().map_err(|_| "not a message of Rooflight".to_owned())?;
    let bytes: Uint8Array = pair.get(0).dyn_into().map_err(|_| "a message of another build".to_owned())?;
    let value = postcard::from_bytes(&bytes.to_vec()).map_err(|e| e.to_string())?;
    let files = pair.get(1).dyn_into::<Array>().unwrap_or_default();
    Ok((value, files.iter().filter_map(|file| file.dyn_into().ok()).collect()))
}
