//! This module replaces the names in the rows of a capture by pseudonyms, as a report does.

use super::cell::Cell;
use super::heads::record_heads;
use crate::share::Pseudonyms;
use crate::table::kind::{Head, Kind, Privacy};

/// Replaces the names in a row. `pseudonyms` are those of the capture: a name has the same pseudonym in all its tables.
pub fn anonymise(pseudonyms: &mut Pseudonyms, heads: &[Head], row: &mut [Cell]) {
    for (head, cell) in heads.iter().zip(row) {
        replace(pseudonyms, &head.kind, cell);
    }
}

fn replace(pseudonyms: &mut Pseudonyms, kind: &Kind, cell: &mut Cell) {
    match (kind, &mut *cell) {
        (Kind::Text(Privacy::Removed) | Kind::Integer(Privacy::Removed), _) => *cell = Cell::Null,
        (Kind::Text(Privacy::Name(kind)), Cell::Text(name)) => {
            *cell = pseudonyms.pseudonym(*kind, name).map_or(Cell::Null, Cell::Text);
        }
        (Kind::Text(Privacy::ProgramId), Cell::Text(digits)) => {
            *cell = digits.parse().map_or(Cell::Null, |id| Cell::Text(pseudonyms.program_id(id).to_string()));
        }
        (Kind::List(item), Cell::List(cells)) => {
            cells.iter_mut().for_each(|cell| replace(pseudonyms, item, cell));
        }
        (Kind::Object(object), Cell::Record(cells)) => {
            record_heads(*object).iter().zip(cells).for_each(|(head, cell)| replace(pseudonyms, &head.kind, cell));
        }
        (Kind::Map(item), Cell::Map(cells)) => {
            cells.iter_mut().for_each(|(_, cell)| replace(pseudonyms, item, cell));
        }
        _ => {}
    }
}
