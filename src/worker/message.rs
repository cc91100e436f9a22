//! This module encodes values of the protocol as messages. The page and the worker use the same format.
//!
//! A message is `[bytes, files, ports]`: a value that postcard has encoded, and the `File` objects and the ports that belong
//! to it. Bytes
//! need 33 kB (gzip) less code in page and worker than JS values do, and every integer keeps its value. Page and worker
//! are of the same build, which Hello checks. Hello must stay the first variant of requests and of replies, so that
//! every build can read it.

use crate::protocol::page_text::{encode_for_page, encode_for_worker};
use crate::protocol::{Answer, Call};
use js_sys::{Array, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessagePort};

/// Encodes a value and its files as a message between workers.
///
/// # Errors
/// Returns the message of the encoder.
pub fn encode_message<T: Serialize>(value: &T, files: &[File]) -> Result<JsValue, String> {
    message(postcard::to_allocvec(value), files, &[])
}

/// Encodes a request of the page, its files and its ports as a message. The ports must be in the transfer list of the
/// message.
///
/// # Errors
/// Returns the message of the encoder.
pub fn encode_call(call: &Call, files: &[File], ports: &[MessagePort]) -> Result<JsValue, String> {
    message(encode_for_worker(call), files, ports)
}

/// Encodes an answer for the page. Invisible characters of its texts are escaped.
///
/// # Errors
/// Returns the message of the encoder.
pub fn encode_answer(answer: &Answer) -> Result<JsValue, String> {
    message(encode_for_page(answer), &[], &[])
}

fn message(bytes: postcard::Result<Vec<u8>>, files: &[File], ports: &[MessagePort]) -> Result<JsValue, String> {
    let bytes = bytes.map_err(|e| e.to_string())?;
    let (files, ports) = (files.iter().collect::<Array>(), ports.iter().collect::<Array>());
    Ok(Array::of3(&Uint8Array::from(&*bytes), &files, &ports).into())
}

/// Returns the ports of a message.
pub fn ports(message: &JsValue) -> Array {
    let third = message.dyn_ref::<Array>().map(|message| message.get(2));
    third.and_then(|ports| ports.dyn_into().ok()).unwrap_or_default()
}

/// Returns what is moved with a message instead of being copied: the memory of its bytes.
#[cfg(feature = "worker")]
pub(super) fn transfer_list(message: &JsValue) -> Array {
    let bytes = message.unchecked_ref::<Array>().get(0);
    Array::of1(&bytes.unchecked_into::<Uint8Array>().buffer())
}

/// Decodes the value and the files of a message.
///
/// # Errors
/// Returns a text if `message` is not a message of this build.
pub fn decode_message<T: DeserializeOwned>(message: JsValue) -> Result<(T, Vec<File>), String> {
    let pair: Array = message.dyn_into().map_err(|_| "not a message of Rooflight".to_owned())?;
    let bytes: Uint8Array = pair.get(0).dyn_into().map_err(|_| "a message of another build".to_owned())?;
    let value = postcard::from_bytes(&bytes.to_vec()).map_err(|e| e.to_string())?;
    let files = pair.get(1).dyn_into::<Array>().unwrap_or_default();
    Ok((value, files.iter().filter_map(|file| file.dyn_into().ok()).collect()))
}
