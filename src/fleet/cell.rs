//! This module holds the values of a row, each of the type of its column. Parquet and JSON lines are written from them.

use super::heads::record_heads;
use crate::table::kind::Kind;
use crate::table::{Difference, Value};

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Integer(i64),
    Real(f64),
    Flag(bool),
    /// Microseconds since 1970, UTC.
    Instant(i64),
    List(Vec<Self>),
    /// The values of the fields, in the order of the type.
    Record(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// Returns the value of a cell in the type of its column. A value that is not there and a number that is not finite are null, and a
/// whole number above 2⁶³ − 1 is cut to it.
pub fn cell(kind: &Kind, value: Option<&Value<'_>>) -> Cell {
    let Some(value) = value else { return Cell::Null };
    let cell = match (kind, value) {
        // Ops that have no text in common have none in a table either.
        (_, Value::Absent | Value::Mixed(None)) => return Cell::Null,
        (Kind::Maybe(item), value) => return cell(item, Some(value)),
        (Kind::List(item), Value::List(values)) => {
            Cell::List(values.iter().map(|value| cell(item, Some(value))).collect())
        }
        (Kind::List(item), Value::Rows(rows)) => {
            let mut cells = Vec::new();
            rows.for_each(&mut |row| cells.push(cell(item, Some(&row))));
            Cell::List(cells)
        }
        (Kind::Object(object), Value::Record(values)) => {
            let value = |id: &str| values.iter().find(|(name, _)| name == id).map(|(_, value)| value);
            Cell::Record(record_heads(*object).iter().map(|head| cell(&head.kind, value(head.id))).collect())
        }
        (Kind::Map(item), Value::Record(values)) => {
            Cell::Map(values.iter().map(|(name, value)| (name.clone().into_owned(), cell(item, Some(value)))).collect())
        }
        (Kind::Text(_) | Kind::Word(_), value) => text(value),
        (Kind::Integer(_), value) => integer(value).map_or(Cell::Null, Cell::Integer),
        (Kind::Instant, value) => integer(value).map_or(Cell::Null, Cell::Instant),
        (Kind::Real, value) => real(value).filter(|real| real.is_finite()).map_or(Cell::Null, Cell::Real),
        (Kind::Flag, Value::Flag(flag)) => Cell::Flag(*flag),
        _ => Cell::Null,
    };
    let is_infinite = matches!(value, Value::Number(n) | Value::Percent(n) | Value::Bandwidth(n) if !n.is_finite());
    debug_assert!(cell != Cell::Null || is_infinite, "{value:?} is no {kind:?}");
    cell
}

fn text(value: &Value<'_>) -> Cell {
    match value {
        Value::Text(text) | Value::Mixed(Some(text)) => Cell::Text(text.clone().into_owned()),
        Value::Word(name) | Value::Labelled(name, _) | Value::Ranked(_, name, _) => Cell::Text((*name).to_owned()),
        Value::Id(id) => Cell::Text(id.to_string()),
        _ => Cell::Null,
    }
}

fn integer(value: &Value<'_>) -> Option<i64> {
    let cut = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    Some(match value {
        Value::Time(time) => cut(time.0),
        Value::Count(n) | Value::Bytes(n) => cut(*n),
        Value::Integer(n) | Value::Difference(Difference { ps: n, .. }) => *n,
        _ => return None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a count in a column of doubles")]
fn real(value: &Value<'_>) -> Option<f64> {
    Some(match value {
        Value::Executions(n) => n.as_f64(),
        Value::Number(number) => *number,
        Value::Percent(fraction) => fraction * 100.0,
        Value::Bandwidth(rate) => rate / 1e9,
        Value::Count(n) => *n as f64,
        _ => return None,
    })
}
