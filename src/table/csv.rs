//! This module writes rows as CSV with exact values, under the names of the JSON.

use super::text::Table;
use super::{Column, Difference, Outputs, Value};

/// Returns a table of the rows.
pub fn table<'r, R: 'r>(columns: &[Column<R>], rows: impl Iterator<Item = &'r R>) -> Table {
    let mut table = empty_table(heads(columns));
    rows.for_each(|row| table.row(cells(columns, row).collect()));
    table
}

/// Returns a table without rows whose columns have these names.
pub fn empty_table<'h>(heads: impl Iterator<Item = &'h str>) -> Table {
    Table::new(&heads.map(|id| (id, true)).collect::<Vec<_>>())
}

/// Returns the names of the columns that [are in CSV](Outputs::CSV).
pub fn heads<R>(columns: &[Column<R>]) -> impl Iterator<Item = &'static str> {
    in_csv(columns).map(|column| column.id)
}

/// Returns the cells of a row, in the order of [`heads`].
pub fn cells<R>(columns: &[Column<R>], row: &R) -> impl Iterator<Item = String> {
    in_csv(columns).map(move |column| cell(&(column.value)(row)))
}

/// Returns the cells of a row in the columns with these names, in the order of the names.
pub fn chosen_cells<R>(columns: &[Column<R>], ids: &[&str], row: &R) -> impl Iterator<Item = String> {
    let column = |id: &str| columns.iter().find(|column| column.id == id);
    ids.iter().map(move |id| column(id).map_or_else(String::new, |column| cell(&(column.value)(row))))
}

fn in_csv<R>(columns: &[Column<R>]) -> impl Iterator<Item = &Column<R>> {
    columns.iter().filter(|column| column.outputs.contains(Outputs::CSV))
}

/// Returns the text of a cell. Empty if the value is absent.
fn cell(value: &Value<'_>) -> String {
    match value {
        Value::Absent | Value::Record(_) | Value::Fields(_) | Value::Object(_) | Value::Rows(_) => String::new(),
        Value::Time(time) => time.0.to_string(),
        Value::Integer(n) | Value::Difference(Difference { ps: n, .. }) => n.to_string(),
        Value::Count(n) | Value::Bytes(n) | Value::Id(n) => n.to_string(),
        Value::Executions(n) => n.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Percent(fraction) => (fraction * 100.0).to_string(),
        Value::Bandwidth(rate) => (rate / 1e9).to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Text(text) => text.clone().into_owned(),
        Value::Word(name) | Value::Labelled(name, _) | Value::Ranked(_, name, _) => (*name).to_owned(),
        Value::Mixed(text) => text.as_deref().unwrap_or_default().to_owned(),
        Value::Range(first, last) => format!("{first} {last}"),
        Value::List(values) => values.iter().map(cell).collect::<Vec<_>>().join(" "),
    }
}
