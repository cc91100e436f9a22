//! This module writes rows as JSON lines: one object for each row, with the fields of the table.

use super::calendar::rfc3339;
use super::cell::Cell;
use super::column::{ColumnHead, ColumnType};
use crate::table::json::write_line;
use serde::{Serialize, Serializer};
use std::io::{Result, Write};

/// A cell with its type, whose records know the names of their fields.
struct Typed<'a>(&'a ColumnType, &'a Cell);

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (_, Cell::Text(text)) => serializer.serialize_str(text),
            (_, Cell::Integer(n)) => serializer.serialize_i64(*n),
            (_, Cell::Real(number)) => serializer.serialize_f64(*number),
            (_, Cell::Flag(flag)) => serializer.serialize_bool(*flag),
            (_, Cell::Instant(micros)) => serializer.serialize_str(&rfc3339(*micros)),
            (ColumnType::List(of), Cell::List(cells)) => {
                serializer.collect_seq(cells.iter().map(|cell| Typed(of, cell)))
            }
            (ColumnType::Record(fields), Cell::Record(cells)) => {
                let fields = fields.iter().zip(cells).map(|(field, cell)| (field.id, Typed(&field.kind, cell)));
                serializer.collect_map(fields)
            }
            (ColumnType::Map(of), Cell::Map(cells)) => {
                serializer.collect_map(cells.iter().map(|(name, cell)| (name, Typed(of, cell))))
            }
            _ => serializer.serialize_none(),
        }
    }
}

/// A row of a table.
struct Row<'a>(&'a [ColumnHead], &'a [Cell]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1).map(|(head, cell)| (head.id, Typed(&head.kind, cell))))
    }
}

/// Writes rows as JSON lines.
///
/// # Errors
/// If the output cannot be written.
pub fn write_lines(out: &mut impl Write, heads: &[ColumnHead], rows: impl Iterator<Item = Vec<Cell>>) -> Result<()> {
    for row in rows {
        write_line(out, &Row(heads, &row))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
