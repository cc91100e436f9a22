//! This module takes the columns of the tables from the declarations of the views.

use super::cell::{Cell, cell};
use super::heads::record_heads;
use crate::table::kind::{Head, Kind};
use crate::table::{Column, Outputs, Value};

/// Columns of a table that are about one part of its rows of type `R`.
pub struct Part<R: 'static> {
    /// Returns the declarations of the columns.
    pub heads: fn() -> Vec<Head>,
    /// Appends the cells of a row, in the order of the declarations.
    pub append_cells: fn(&R, &mut Vec<Cell>),
}

/// Makes a [`Part`] from columns, and from an expression that gives the part of a row that they are about, or `None`.
macro_rules! part {
    ($columns:path, |$row:ident| $part:expr) => {
        $crate::fleet::column::Part {
            heads: || $crate::fleet::heads::table_heads($columns),
            append_cells: |$row, cells| $crate::fleet::column::append_cells($columns, $part, cells),
        }
    };
}
pub(super) use part;

/// Appends the cells of a part of a row. They are null if the row does not have the part.
pub fn append_cells<R>(columns: &[Column<R>], part: Option<&R>, cells: &mut Vec<Cell>) {
    for column in columns.iter().filter(|column| column.outputs.contains(Outputs::TABLE)) {
        let value = part.map(|part| (column.value)(part));
        match (column.head.kind, value) {
            (Kind::Fields(object), value) => {
                let fields = if let Some(Value::Fields(fields)) = value { fields } else { Vec::new() };
                let field = |head: &Head| fields.iter().find(|(name, _)| name == head.id).map(|(_, value)| value);
                cells.extend(record_heads(object).iter().map(|head| cell(&head.kind, field(head))));
            }
            (kind, value) => cells.push(cell(&kind, value.as_ref())),
        }
    }
}
