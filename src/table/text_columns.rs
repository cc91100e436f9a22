//! This module makes tables of text from rows: each column has its head, its side and its cells in one place.
//!
//! ```text
//! TextColumns::new()
//!     .declared(GAPS, "device", "Device")
//!     .text("Host events", |gap| host_events(gap))
//!     .table(&gaps)
//! ```

use super::format::{ABSENT, TimeUnit, bytes_text, count, executions, gbs, percent_text, signed_time};
use super::text::Table;
use super::{Column, Value, cells, format};
use std::borrow::{Borrow, Cow};
use xla_profile::units::Picos;

/// The columns of a table of text with rows of type `R`, in their order.
#[must_use]
pub struct TextColumns<'a, R>(Vec<TextColumn<'a, R>>);

struct TextColumn<'a, R> {
    head: Cow<'a, str>,
    is_text: bool,
    cell: Box<dyn Fn(&R) -> String + 'a>,
}

impl<R> Default for TextColumns<'_, R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, R: 'a> TextColumns<'a, R> {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column of texts, which are left-aligned.
    pub fn text(self, head: impl Into<Cow<'a, str>>, cell: impl Fn(&R) -> String + 'a) -> Self {
        self.push(head.into(), true, Box::new(cell))
    }

    /// Adds a column of numbers, which are right-aligned.
    pub fn number(self, head: impl Into<Cow<'a, str>>, cell: impl Fn(&R) -> String + 'a) -> Self {
        self.push(head.into(), false, Box::new(cell))
    }

    /// Adds a column of times in one unit, which the head gives.
    pub fn time<T: Into<Option<Picos>>>(self, head: &str, unit: TimeUnit, time: impl Fn(&R) -> T + 'a) -> Self {
        let cell = move |row: &R| or_absent(time(row).into(), |time| format::time(time, unit));
        self.number(head_in_unit(head, unit), cell)
    }

    /// Adds a column of differences of times in picoseconds. The head gives their unit.
    pub fn difference(self, head: &str, unit: TimeUnit, difference: impl Fn(&R) -> i64 + 'a) -> Self {
        self.number(head_in_unit(head, unit), move |row| signed_time(difference(row), unit))
    }

    /// Adds a column with the values of a declared column. Their units stand in the cells, but for GB/s.
    ///
    /// # Panics
    /// In debug builds, if no column has the id.
    pub fn declared(self, columns: &'static [Column<R>], id: &str, head: impl Into<Cow<'a, str>>) -> Self {
        let column = columns.iter().find(|column| column.id == id);
        debug_assert!(column.is_some(), "no column {id}");
        let cell = move |row: &R| column.map_or_else(String::new, |column| text(&(column.value)(row)));
        self.push(head.into(), column.is_some_and(|column| column.is_text), Box::new(cell))
    }

    fn push(mut self, head: Cow<'a, str>, is_text: bool, cell: Box<dyn Fn(&R) -> String + 'a>) -> Self {
        self.0.push(TextColumn { head, is_text, cell });
        self
    }

    /// Returns a table of the rows.
    pub fn table(&self, rows: impl IntoIterator<Item: Borrow<R>>) -> Table {
        let mut table = self.empty_table();
        self.add_rows(&mut table, rows);
        table
    }

    /// Returns a table without rows.
    pub fn empty_table(&self) -> Table {
        Table::new(&self.0.iter().map(|column| (&*column.head, column.is_text)).collect::<Vec<_>>())
    }

    /// Adds rows to a table of these columns.
    pub fn add_rows(&self, table: &mut Table, rows: impl IntoIterator<Item: Borrow<R>>) {
        for row in rows {
            table.row(self.0.iter().map(|column| (column.cell)(row.borrow())).collect());
        }
    }
}

/// Returns the head of a column with its unit, such as "Self ms".
pub fn head_in_unit(head: &str, unit: TimeUnit) -> String {
    format!("{head} {}", unit.symbol())
}

/// Returns the text of a value, or [`ABSENT`].
pub fn or_absent<T, S: Into<String>>(value: Option<T>, text: impl FnOnce(T) -> S) -> String {
    value.map_or_else(|| ABSENT.to_owned(), |value| text(value).into())
}

/// Returns the text of a value for people. A text stays as it is, even if it is empty.
fn text(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => text.clone().into_owned(),
        Value::Time(time) => format::time_text(*time),
        Value::Count(n) => count(*n),
        Value::Executions(n) => executions(*n),
        Value::Bytes(n) => bytes_text(*n),
        Value::Number(fraction) | Value::Percent(fraction) => percent_text(*fraction),
        Value::Bandwidth(rate) => gbs(*rate),
        value => or_absent(cells::exact(value), |text| text),
    }
}
