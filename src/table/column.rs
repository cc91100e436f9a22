//! A column of a table, and the value of a cell.

use crate::small_sort::SmallSort;
use crate::units::Picos;
use std::borrow::Cow;

/// A column of rows of type `R`.
pub struct Column<R> {
    /// The name in JSON and in the head of a CSV file. It ends with its unit: `_ps`, `_gbps`, `_pct`.
    pub id: &'static str,
    /// The value of a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
    /// Which files have the column.
    pub files: Files,
}

/// The files that have a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// JSON and CSV.
    All,
    /// JSON only: lists, records, and what is rarely needed.
    Json,
    /// JSON only, and only in rows that have a value.
    JsonIfPresent,
    /// CSV only: the first value of a list that JSON has whole.
    Csv,
    /// JSON only: the fields of a record, in place of the record. The column has no name.
    JsonFields,
    /// No file: what only a table on the page or its tooltip shows.
    None,
}

impl<R> Column<R> {
    /// A column of JSON and CSV.
    pub const fn new(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::All }
    }

    /// A column of JSON.
    pub const fn json(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::Json }
    }

    /// A column of JSON, for rows that have a value.
    pub const fn json_if_present(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::JsonIfPresent }
    }

    /// The columns of a record, as columns of JSON.
    pub const fn json_fields(value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id: "", value, files: Files::JsonFields }
    }

    /// A column of a table on the page or of its tooltip, and of no file.
    pub const fn shown(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::None }
    }

    /// A column of CSV.
    pub const fn csv(id: &'static str, value: for<'r> fn(&'r R) -> Value<'r>) -> Self {
        Self { id, value, files: Files::Csv }
    }
}

/// The value of a cell, with its type and unit.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'r> {
    /// No value. The notes of the report say why.
    Absent,
    /// A duration, or a point in time.
    Time(Picos),
    /// A whole number that may be negative, such as a difference in picoseconds.
    Integer(i64),
    /// A count.
    Count(u64),
    /// A size in bytes.
    Bytes(u64),
    /// An identifier. JSON has it as a string, because a double cannot hold all of its digits.
    Id(u64),
    /// A real number, in the unit that the column's name ends with; a fraction of 1 where the name has none.
    Number(f64),
    /// A fraction of 1, which files have as a percentage.
    Percent(f64),
    /// A bandwidth in bytes per second, which files have in GB/s.
    Bandwidth(f64),
    /// Yes or no.
    Flag(bool),
    /// A text of the capture.
    Text(Cow<'r, str>),
    /// A word of a fixed list: its name in files.
    Word(&'static str),
    /// The same with the name that people read behind it.
    Labelled(&'static str, &'static str),
    /// The same of a list with an order: the place in the list stands before both names.
    Ranked(u8, &'static str, &'static str),
    /// The first and the last of a range of points.
    Range(u64, u64),
    /// Several values. CSV has them in one cell, separated by spaces.
    List(Vec<Self>),
    /// Named values.
    Record(Vec<(Cow<'r, str>, Self)>),
}

impl<'r> Value<'r> {
    /// A text.
    pub fn text(text: &'r str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// A text, or [`Value::Absent`].
    pub fn maybe_text(text: Option<&'r str>) -> Self {
        text.map_or(Self::Absent, Self::text)
    }

    /// A value of some kind, or [`Value::Absent`].
    pub fn maybe<T>(value: Option<T>, kind: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Absent, kind)
    }

    /// Texts.
    pub fn texts(texts: &'r [String]) -> Self {
        Self::List(texts.iter().map(|text| Self::text(text)).collect())
    }

    /// The values of a row, by column.
    pub fn record<R>(columns: &[Column<R>], row: &'r R) -> Self {
        Self::Record(json_fields(columns, row).collect())
    }

    /// Named values, in the order of their names.
    pub fn map(values: impl Iterator<Item = (&'r str, Self)>) -> Self {
        let mut fields: Vec<_> = values.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        fields.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Record(fields)
    }

    /// The values of rows, each by column.
    pub fn records<R: 'r>(columns: &[Column<R>], rows: impl IntoIterator<Item = &'r R>) -> Self {
        Self::List(rows.into_iter().map(|row| Self::record(columns, row)).collect())
    }
}

/// The fields of a row in JSON, each with its name.
pub(super) fn json_fields<'r, R>(columns: &[Column<R>], row: &'r R) -> impl Iterator<Item = (Cow<'r, str>, Value<'r>)> {
    let in_json = columns.iter().filter(|column| !matches!(column.files, Files::Csv | Files::None));
    in_json.flat_map(move |column| match (column.files, (column.value)(row)) {
        (Files::JsonFields, Value::Record(fields)) => fields,
        (Files::JsonIfPresent, Value::Absent) => Vec::new(),
        (_, value) => vec![(Cow::Borrowed(column.id), value)],
    })
}
