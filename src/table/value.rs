//! This module defines the value of a cell, with its type and unit.

use super::Column;
use super::column::json_fields;
use super::object::Object;
use super::rows::{RowList, Rows};
use std::borrow::Cow;
use std::rc::Rc;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// The word for a text that differs between the parts of a row.
pub const MIXED: &str = "mixed";

/// The value of a cell, with its type and unit.
#[derive(Clone, Debug)]
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
    /// Named values that stand in place of the column.
    Fields(Vec<(Cow<'r, str>, Self)>),
    /// Named values with their types and descriptions.
    Object(Object<'r>),
    /// Rows of another table. They are made while they are written.
    Rows(Rc<dyn RowList + 'r>),
}

/// A difference of two times in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub ps: i64,
    /// Whether it is larger than times vary by chance.
    pub is_real: bool,
}

impl<'r> Value<'r> {
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

    /// Returns the values of a row whose fields take the place of a column.
    pub fn fields<R>(columns: &[Column<R>], row: &'r R) -> Self {
        Self::Fields(json_fields(columns, row).collect())
    }

    /// Returns named values as a record, in the order of their names.
    pub fn map(values: impl Iterator<Item = (&'r str, Self)>) -> Self {
        let mut fields: Vec<_> = values.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        fields.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Record(fields)
    }

    /// Returns rows, each as a record with a field for each column.
    pub fn rows<R>(columns: &'static [Column<R>], rows: &'r [R]) -> Self {
        Self::Rows(Rc::new(Rows { columns, rows }))
    }

    /// Returns whether there is no value.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}
