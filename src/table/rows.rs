//! This module defines rows that are made one at a time while they are written: as values, the rows of a large table would take a
//! multiple of their memory.

use super::kind::ObjectType;
use super::{Column, Value};
use std::fmt::{Debug, Formatter, Result};

/// The rows of a table as values.
pub trait RowList {
    /// Calls a function with each row.
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>));

    /// Returns the type of a row.
    fn object_type(&self) -> ObjectType;
}

impl Debug for dyn RowList + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut list = f.debug_list();
        self.for_each(&mut |row| {
            list.entry(&row);
        });
        list.finish()
    }
}

/// Rows, each as a record with a field for each column.
pub struct Rows<'r, R: 'static> {
    /// Columns in the order of the fields.
    pub columns: &'static [Column<R>],
    pub rows: &'r [R],
}

impl<R> RowList for Rows<'_, R> {
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>)) {
        self.rows.iter().for_each(|row| write(Value::record(self.columns, row)));
    }

    fn object_type(&self) -> ObjectType {
        ObjectType::new(self.columns)
    }
}
