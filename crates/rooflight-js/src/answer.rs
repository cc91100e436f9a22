//! This module makes JavaScript values from the JSON documents of commands.

use rooflight::table::Object;
use rooflight::table::Value;
use rooflight::table::json::write_rows;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use wasm_bindgen::JsValue;

/// The largest number up to which JavaScript has all whole numbers: 2⁵³ − 1.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Returns a document as an object of JavaScript, equal to what `JSON.parse` makes of its text.
pub fn js_object(object: &Object<'_>) -> JsValue {
    // The document has string keys and no bytes, so that this does not fail.
    Fields(object).serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::NULL)
}

/// The fields of a document.
struct Fields<'a>(&'a Object<'a>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.fields().map(|(name, value)| (name, Answer(value))))
    }
}

/// A value whose numbers are those of JavaScript: whole numbers above 2⁵³ are rounded, and numbers that are not finite are null.
struct Answer<'a>(&'a Value<'a>);

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Time(time) => serialize_whole(time.0, serializer),
            Value::Count(n) | Value::Bytes(n) => serialize_whole(*n, serializer),
            Value::Integer(n) if n.unsigned_abs() > MAX_SAFE => serializer.serialize_f64(rounded(*n)),
            Value::Number(number) | Value::Percent(number) | Value::Bandwidth(number) if !number.is_finite() => {
                serializer.serialize_none()
            }
            Value::Record(fields) | Value::Fields(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, Answer(value))))
            }
            Value::List(values) => serializer.collect_seq(values.iter().map(Answer)),
            Value::Object(object) => Fields(object).serialize(serializer),
            Value::Rows(rows) => write_rows(&**rows, serializer, |seq, row| seq.serialize_element(&Answer(row))),
            value => value.serialize(serializer),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of JavaScript are doubles")]
fn serialize_whole<S: Serializer>(n: u64, serializer: S) -> Result<S::Ok, S::Error> {
    if n > MAX_SAFE { serializer.serialize_f64(n as f64) } else { serializer.serialize_u64(n) }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of JavaScript are doubles")]
const fn rounded(n: i64) -> f64 {
    n as f64
}
