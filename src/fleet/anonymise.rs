//! This module replaces the names in the rows of a capture by pseudonyms, as a report does.

use super::cell::Cell;
use super::column::{ColumnHead, ColumnType, Privacy};
use crate::share::Pseudonyms;

/// Replaces the names in a row. `pseudonyms` are those of the capture: a name has the same pseudonym in all its tables.
pub fn anonymise(pseudonyms: &mut Pseudonyms, heads: &[ColumnHead], row: &mut [Cell]) {
    for (head, cell) in heads.iter().zip(row) {
        replace(pseudonyms, &head.kind, cell);
    }
}

fn replace(pseudonyms: &mut Pseudonyms, kind: &ColumnType, cell: &mut Cell) {
    match (kind, &mut *cell) {
        (ColumnType::Text(Privacy::Removed) | ColumnType::Integer(Privacy::Removed), _) => *cell = Cell::Null,
        (ColumnType::Text(Privacy::Name(kind)), Cell::Text(name)) => {
            *cell = pseudonyms.pseudonym(*kind, name).map_or(Cell::Null, Cell::Text);
        }
        (ColumnType::Text(Privacy::ProgramId), Cell::Text(digits)) => {
            *cell = digits.parse().map_or(Cell::Null, |id| Cell::Text(pseudonyms.program_id(id).to_string()));
        }
        (ColumnType::List(of), Cell::List(cells)) => cells.iter_mut().for_each(|cell| replace(pseudonyms, of, cell)),
        (ColumnType::Record(fields), Cell::Record(cells)) => {
            fields.iter().zip(cells).for_each(|(field, cell)| replace(pseudonyms, &field.kind, cell));
        }
        (ColumnType::Map(of), Cell::Map(cells)) => {
            cells.iter_mut().for_each(|(_, cell)| replace(pseudonyms, of, cell));
        }
        _ => {}
    }
}
