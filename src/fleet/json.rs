//! This module writes rows as JSON lines: one object for each row, with the fields of the table.

use super::calendar::rfc3339;
use super::cell::Cell;
use super::heads::record_heads;
use crate::table::json::write_line;
use crate::table::kind::{Head, Kind};
use serde::{Serialize, Serializer};
use std::io::{Result, Write};

/// A cell with its type, whose records know the names of their fields.
struct Typed<'a>(&'a Kind, &'a Cell);

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (_, Cell::Text(text)) => serializer.serialize_str(text),
            (_, Cell::Integer(n)) => serializer.serialize_i64(*n),
            (_, Cell::Real(number)) => serializer.serialize_f64(*number),
            (_, Cell::Flag(flag)) => serializer.serialize_bool(*flag),
            (_, Cell::Instant(micros)) => serializer.serialize_str(&rfc3339(*micros)),
            (Kind::List(item), Cell::List(cells)) => serializer.collect_seq(cells.iter().map(|cell| Typed(item, cell))),
            (Kind::Object(object), Cell::Record(cells)) => {
                let heads = record_heads(*object);
                serializer.collect_map(heads.iter().zip(cells).map(|(head, cell)| (head.id, Typed(&head.kind, cell))))
            }
            (Kind::Map(item), Cell::Map(cells)) => {
                serializer.collect_map(cells.iter().map(|(name, cell)| (name, Typed(item, cell))))
            }
            _ => serializer.serialize_none(),
        }
    }
}

/// A row of a table.
struct Row<'a>(&'a [Head], &'a [Cell]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1).map(|(head, cell)| (head.id, Typed(&head.kind, cell))))
    }
}

/// Writes rows as JSON lines.
///
/// # Errors
/// If the output cannot be written.
pub fn write_lines(out: &mut impl Write, heads: &[Head], rows: impl Iterator<Item = Vec<Cell>>) -> Result<()> {
    for row in rows {
        write_line(out, &Row(heads, &row))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
