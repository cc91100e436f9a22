//! This module writes rows as JSON, and JSON as text in the layout of `serde_json` with an indent of two spaces. It
//! depends on the form of numbers, not on any field.

use super::text::is_invisible;
use super::value::Object;
use super::value::RowList;
use super::{Difference, Value};
use serde::Serialize;
use serde::ser::SerializeSeq;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{Result, Write};

/// Formats doubles with the standard library, which the page contains anyway: the formatter of `serde_json` has tables
/// of 10 kB that do not compress. Both write the shortest digits that read as the same double.
struct Plain<'a>(PrettyFormatter<'a>);

impl Formatter for Plain<'_> {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> Result<()> {
        write!(writer, "{value:?}")
    }
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> Result<()> {
        write_escaped(writer, fragment)
    }
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.begin_array(writer)
    }
    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.end_array(writer)
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.0.begin_array_value(writer, first)
    }
    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.end_array_value(writer)
    }
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.begin_object(writer)
    }
    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.end_object(writer)
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.0.begin_object_key(writer, first)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.begin_object_value(writer)
    }
    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.0.end_object_value(writer)
    }
}

/// Writes a part of a text. Invisible characters that JSON itself does not escape are escaped, so that names of a capture
/// cannot act on a terminal that shows the JSON.
fn write_escaped<W: ?Sized + Write>(writer: &mut W, fragment: &str) -> Result<()> {
    let mut rest = fragment;
    while let Some(start) = rest.find(is_invisible) {
        let (before, after) = rest.split_at(start);
        writer.write_all(before.as_bytes())?;
        let mut chars = after.chars();
        for unit in chars.next().into_iter().flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()) {
            write!(writer, "\\u{unit:04x}")?;
        }
        rest = chars.as_str();
    }
    writer.write_all(rest.as_bytes())
}

/// Formats a value in one line.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> Result<()> {
        write_escaped(writer, fragment)
    }
}

/// Writes a value as one line of JSON, without a line break at its end.
///
/// # Errors
/// If the output cannot be written.
pub fn write_line(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, OneLine))?)
}

impl Serialize for Object<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.fields())
    }
}

/// Writes rows one at a time by `write`. After an error, the other rows are skipped.
///
/// # Errors
/// If a row cannot be written.
pub fn write_rows<S: serde::Serializer>(
    rows: &dyn RowList,
    serializer: S,
    write: impl Fn(&mut S::SerializeSeq, &Value<'_>) -> std::result::Result<(), S::Error>,
) -> std::result::Result<S::Ok, S::Error> {
    let mut seq = serializer.serialize_seq(None)?;
    let mut result = Ok(());
    rows.for_each(&mut |row| {
        if result.is_ok() {
            result = write(&mut seq, &row);
        }
    });
    result?;
    seq.end()
}

impl Serialize for Value<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Time(time) => time.serialize(serializer),
            Self::Integer(n) | Self::Difference(Difference { ps: n, .. }) => serializer.serialize_i64(*n),
            Self::Count(n) | Self::Bytes(n) => serializer.serialize_u64(*n),
            Self::Executions(n) => n.serialize(serializer),
            Self::Id(id) => serializer.collect_str(id),
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Percent(fraction) => serializer.serialize_f64(fraction * 100.0),
            Self::Bandwidth(rate) => serializer.serialize_f64(rate / 1e9),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Word(name) | Self::Labelled(name, _) | Self::Ranked(_, name, _) => serializer.serialize_str(name),
            Self::Mixed(text) => text.serialize(serializer),
            Self::Range(first, last) => serializer.collect_seq([first, last]),
            Self::List(values) => serializer.collect_seq(values),
            Self::Record(fields) | Self::Fields(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
            }
            Self::Object(object) => object.serialize(serializer),
            Self::Rows(rows) => write_rows(&**rows, serializer, |seq, row| seq.serialize_element(row)),
        }
    }
}

/// Writes a report in several lines, with a line break at its end.
///
/// # Errors
/// If the output cannot be written.
pub fn write(mut out: impl Write, value: &impl Serialize) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut out, Plain(PrettyFormatter::new())))?;
    out.write_all(b"\n")
}

/// Returns a report as text in several lines, with a line break at its end.
pub fn text(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // The structs have string keys, and their floats are finite or null, so that this cannot fail.
    match write(&mut bytes, value).map(|()| String::from_utf8(bytes)) {
        Ok(Ok(text)) => text,
        _ => "{\"status\":\"error\",\"error\":\"the report could not be written\"}\n".to_owned(),
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::text;
    use proptest::prelude::*;

    #[test]
    fn output_equals_serde_json_except_for_doubles() {
        let value = serde_json::json!({"a": [1, "x\n", null, []], "b": {"c": {}, "d": true}, "e": 0.5, "f": 21.0});
        assert_eq!(text(&value), serde_json::to_string_pretty(&value).unwrap() + "\n");
        assert_eq!(text(&f64::NAN), "null\n");
    }

    #[test]
    fn control_characters_are_escaped_and_round_trip() {
        let name = "a\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{200b}é\u{e0041}b";
        let json = text(&name);
        assert_eq!(json, "\"a\\u001b[2J\\u007f\\u009b31m\\u202e\\u200bé\\udb40\\udc41b\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
        let mut line = Vec::new();
        super::write_line(&mut line, &[name]).unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), format!("[{}]", json.trim()));
    }

    proptest! {
        #[test]
        fn doubles_read_back_as_they_were(value in any::<f64>().prop_filter("JSON has no others", |value| value.is_finite())) {
            let text = text(&value);
            prop_assert!(serde_json::from_str::<f64>(&text).is_ok(), "{text} is no JSON");
            prop_assert_eq!(text.trim().parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
    }
}
