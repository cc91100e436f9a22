//! Contract values as JS values, the same way at both ends. Knows no worker and no page.
//!
//! A message is `[value, files]`: the contract's struct as plain JS, and the `File` objects that go with it.
//! Integers above 2⁵³ travel as BigInt; without that, serialising a picosecond count fails.

use js_sys::Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// Packs a value and the files that go with it.
pub fn pack<T: Serialize>(value: &T, files: &[File]) -> Result<JsValue, String> {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true);
    let value = value.serialize(&serializer).map_err(|e| e.to_string())?;
    Ok(Array::of2(&value, &files.iter().collect::<Array>()).into())
}

/// The value and the files of a message.
pub fn unpack<T: DeserializeOwned>(message: JsValue) -> Result<(T, Vec<File>), String> {
    let pair: Array = message.dyn_into().map_err(|_| "not a message of Rooflight".to_owned())?;
    let value = serde_wasm_bindgen::from_value(pair.get(0)).map_err(|e| e.to_string())?;
    let files = pair.get(1).dyn_into::<Array>().unwrap_or_default();
    Ok((value, files.iter().filter_map(|file| file.dyn_into().ok()).collect()))
}
