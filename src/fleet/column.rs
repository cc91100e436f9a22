//! This module declares columns: their names, types, values, and which pseudonyms replace their texts.

use crate::share::NameKind;
use crate::table::{Column, Value};

/// The type of a column or of a value in one.
#[derive(Clone, Copy, Debug)]
pub enum ColumnType {
    Text(Privacy),
    /// A whole number of 64 bits: picoseconds, bytes, counts and digests.
    Integer(Privacy),
    /// A double. Ratios are fractions of 1 unless the name ends with `pct`.
    Real,
    Flag,
    /// A moment in microseconds since 1970, UTC.
    Instant,
    List(&'static Self),
    Record(&'static [Field]),
    /// Values by name.
    Map(&'static Self),
}

/// What `--anonymise` does with a text or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// It stays.
    Plain,
    /// It is removed.
    Removed,
    /// A pseudonym replaces it.
    Name(NameKind),
    /// The id of a program, which a small number replaces.
    ProgramId,
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub id: &'static str,
    pub kind: ColumnType,
}

/// A column of a table with rows of type `R`.
pub struct FleetColumn<R: 'static> {
    /// Name. Durations end in `_ps`, sizes in `_bytes`.
    pub id: &'static str,
    pub kind: ColumnType,
    /// Description for the documentation.
    pub about: &'static str,
    /// Returns the value of a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
}

/// A column without its values.
#[derive(Clone, Copy, Debug)]
pub struct ColumnHead {
    pub id: &'static str,
    pub kind: ColumnType,
    pub about: &'static str,
}

/// A text that stays.
pub const TEXT: ColumnType = ColumnType::Text(Privacy::Plain);
/// A whole number that stays.
pub const INTEGER: ColumnType = ColumnType::Integer(Privacy::Plain);
/// The id of a program, as decimal digits.
pub const PROGRAM_ID: ColumnType = ColumnType::Text(Privacy::ProgramId);
/// A text that `--anonymise` removes.
pub const REMOVED: ColumnType = ColumnType::Text(Privacy::Removed);

/// Returns the type of a text that a pseudonym replaces.
pub const fn name(kind: NameKind) -> ColumnType {
    ColumnType::Text(Privacy::Name(kind))
}

impl<R> FleetColumn<R> {
    /// Declares a column.
    pub const fn new(
        id: &'static str,
        kind: ColumnType,
        about: &'static str,
        value: for<'r> fn(&'r R) -> Value<'r>,
    ) -> Self {
        Self { id, kind, about, value }
    }

    /// Returns the column without its values.
    pub const fn head(&self) -> ColumnHead {
        ColumnHead { id: self.id, kind: self.kind, about: self.about }
    }
}

/// Returns the value of a column that the JSON of a view has, so that both are the same. Absent if no column has this name.
pub fn of_view<'r, S>(columns: &[Column<S>], id: &str, row: &'r S) -> Value<'r> {
    let column = columns.iter().find(|column| column.id == id);
    debug_assert!(column.is_some(), "the view has no column {id}");
    column.map_or(Value::Absent, |column| (column.value)(row))
}

impl ColumnType {
    /// Returns the type as SQL writes it.
    pub fn sql(&self) -> String {
        match self {
            Self::Text(_) => "VARCHAR".to_owned(),
            Self::Integer(_) => "BIGINT".to_owned(),
            Self::Real => "DOUBLE".to_owned(),
            Self::Flag => "BOOLEAN".to_owned(),
            Self::Instant => "TIMESTAMPTZ".to_owned(),
            Self::List(of) => format!("{}[]", of.sql()),
            Self::Map(of) => format!("MAP(VARCHAR, {})", of.sql()),
            Self::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|field| format!("{} {}", field.id, field.kind.sql())).collect();
                format!("STRUCT({})", fields.join(", "))
            }
        }
    }
}
