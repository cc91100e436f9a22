//! This module defines a column of a table, and the value of a cell.

use crate::small_sort::SmallSort;
use crate::units::{Count, Picos};
use std::borrow::Cow;

/// A column of a table with rows of type `R`.
pub struct Column<R> {
    /// Name in JSON and in the header of a CSV file. It ends with its unit: `_ps`, `_gbps`, `_pct`.
    pub id: &'static str,
    /// Returns the value of a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
    /// The files that have the column.
    pub files: Files,
}

/// The files that have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// JSON and CSV.
    All,
    /// JSON only: lists, records, and values that are rarely needed.
    Json,
    /// JSON only, and only in rows that have a value.
    JsonIfPresent,
    /// CSV only: the first value of a list that JSON holds completely.
    Csv,
    /// JSON only: the fields of a record take the place of the record. The column has no name.
    JsonFields,
    /// No file: the column is shown only in a table on the page or in its tooltip.
    None,
}

impl<R> Column<R> {
    /// Creates a column of JSON and CSV.
    pub const fn new(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::All }
    }

    /// Creates a column of JSON.
    pub const fn json(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::Json }
    }

    /// Creates a column of JSON for rows that have a value.
    pub const fn json_if_present(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::JsonIfPresent }
    }

    /// Creates columns of JSON from the fields of a record.
    pub const fn json_fields(value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id: "", value, files: Files::JsonFields }
    }

    /// Creates a column of a table on the page or of its tooltip, which no file has.
    pub const fn shown(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::None }
    }

    /// Creates a column of CSV.
    pub const fn csv(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::Csv }
    }
}

/// The word for a text that differs between the parts of a row.
pub const MIXED: &str = "mixed";

/// The value of a cell, with its type and unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// No value. The notes of the report give the reason.
    Absent,
    /// A duration, or a point in time.
    Time(Picos),
    /// A whole number that may be negative.
    Integer(i64),
    /// A difference in picoseconds.
    Difference(Difference),
    Count(u64),
    /// A number of executions or events, which may be a fraction in a mean over steps.
    Executions(Count),
    /// A size in bytes.
    Bytes(u64),
    /// An identifier. JSON holds it as a string, because a double cannot hold all its digits.
    Id(u64),
    /// A real number in the unit at the end of the column's name. Without a unit in the name, a fraction of 1.
    Number(f64),
    /// A fraction of 1, which files hold as a percentage.
    Percent(f64),
    /// A bandwidth in bytes per second, which files hold in GB/s.
    Bandwidth(f64),
    /// True or false.
    Flag(bool),
    /// A text of the capture.
    Text(Cow<'r, str>),
    /// A word of a fixed list, by its name in files.
    Word(&'static str),
    /// A word of a fixed list: its name in files, and its label for users.
    Labelled(&'static str, &'static str),
    /// A word of an ordered list: its position, its name in files, and its label for users.
    Ranked(u8, &'static str, &'static str),
    /// The text that holds for the largest part of a row whose parts differ, if there is one. Files hold the text, and
    /// texts for users say [`MIXED`].
    Mixed(Option<Cow<'r, str>>),
    /// First and last point of a range.
    Range(u64, u64),
    /// Several values. CSV holds them in one cell, separated by spaces.
    List(Vec<Self>),
    /// Named values.
    Record(Vec<(Cow<'r, str>, Self)>),
}

/// A difference of two times in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub ps: i64,
    /// Whether it is larger than times vary by chance.
    pub is_real: bool,
}

impl<'r> Value<'r> {
    /// Returns a text.
    pub fn text(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// Returns a text, or [`Value::Absent`].
    pub fn maybe_text(text: Option<&'r str>) -> Self {
        text.map_or(Self::Absent, Self::text)
    }

    /// Returns the value that `kind` makes, or [`Value::Absent`].
    pub fn maybe<T>(value: Option<T>, kind: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Absent, kind)
    }

    /// Returns a list of texts.
    pub fn texts(texts: &'r [String]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text)).collect())
    }

    /// Returns the values of a row as a record with a field for each column.
    pub fn record<R>(columns: &[Column<R>], row: &'r R) -> Self {
        Self::Record(json_fields(columns, row).collect())
    }

    /// Returns named values as a record, in the order of their names.
    pub fn map(values: impl Iterator<Item = (&'r str, Self)>) -> Self {
        let mut fields: Vec<_> = values.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        fields.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Record(fields)
    }

    /// Returns a list of records, one for each row.
    pub fn records<R: 'r>(columns: &[Column<R>], rows: impl IntoIterator<Item = &'r R>) -> Self {
        Self::List(rows.into_iter().map(|row| Self::record(columns, row)).collect())
    }
}

/// Returns the fields of a row in JSON, each with its name.
pub(super) fn json_fields<'r, R>(columns: &[Column<R>], row: &'r R) -> impl Iterator<Item = (Cow<'r, str>, Value<'r>)> {
    let in_json = columns.iter().filter(|column| !matches!(column.files, Files::Csv | Files::None));
    in_json.flat_map(move |column| match (column.files, (column.value)(row)) {
        (Files::JsonFields, Value::Record(fields)) => fields,
        (Files::JsonIfPresent, Value::Absent) => Vec::new(),
        (_, value) => vec![(Cow::Borrowed(column.id), value)],
    })
}
