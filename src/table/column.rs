//! This module declares the columns of a table. A column is declared once: its name, its type, what it means, where it appears, and
//! the value of a row.
//!
//! ```text
//! columns! {
//!     /// The columns of gaps.
//!     pub GAPS(row: Gap) {
//!         /// The number of the step.
//!         step: Count or null = row.step,
//!         /// The time that a thread had work and recorded nothing.
//!         untraced_ps: Time or null in json = row.untraced,
//!     }
//! }
//! ```
//!
//! Without `in`, a column is in JSON and in CSV.

#[cfg(not(target_arch = "wasm32"))]
use super::kind::Head;
use super::kind::{Kind, ObjectType, Outputs};
use super::value::{RowList, Value};
use std::borrow::Cow;
use std::rc::Rc;

/// A column of a table with rows of type `R`.
pub struct Column<R> {
    /// Name in JSON and in the header of a CSV file. It ends with its unit: `_ps`, `_gbps`, `_pct`.
    pub id: &'static str,
    /// Returns the value of a row.
    pub value: for<'r> fn(&'r R) -> Value<'r>,
    pub outputs: Outputs,
    /// Whether the values are texts, which tables align to the left.
    pub is_text: bool,
    /// The declaration without the value. The page does not carry it.
    #[cfg(not(target_arch = "wasm32"))]
    pub head: Head,
}

impl<R> Column<R> {
    /// Declares a column. `columns!` writes the call.
    #[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "the page does not carry descriptions"))]
    pub const fn new(
        id: &'static str,
        (kind, is_nullable): (Kind, bool),
        outputs: Outputs,
        about: &'static str,
        value: for<'r> fn(&'r R) -> Value<'r>,
    ) -> Self {
        Self {
            id,
            value,
            outputs,
            is_text: matches!(kind, Kind::Text(_) | Kind::Word(_) | Kind::List(_)),
            #[cfg(not(target_arch = "wasm32"))]
            head: Head { id, kind, is_nullable, outputs, about },
        }
    }
}

impl ObjectType {
    /// Returns the type of the rows of some columns. It has the path of their Rust type as its name.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn new<R>(columns: &[Column<R>]) -> Self {
        Self { name: std::any::type_name::<R>(), fields: columns.iter().map(|column| column.head).collect() }
    }

    /// Returns no fields, because the page does not carry them.
    #[cfg(target_arch = "wasm32")]
    pub fn new<R>(_: &[Column<R>]) -> Self {
        Self { name: "", fields: Vec::new() }
    }
}

impl<'r> Value<'r> {
    /// Returns the values of a row as a record with a field for each column.
    pub fn record<R>(columns: &[Column<R>], row: &'r R) -> Self {
        Self::Record(json_fields(columns, row).collect())
    }

    /// Returns the values of a row whose fields take the place of a column.
    pub fn fields<R>(columns: &[Column<R>], row: &'r R) -> Self {
        Self::Fields(json_fields(columns, row).collect())
    }

    /// Returns rows, each as a record with a field for each column.
    pub fn rows<R>(columns: &'static [Column<R>], rows: &'r [R]) -> Self {
        Self::Rows(Rc::new(Rows { columns, rows }))
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
}

/// Returns the fields of a row in JSON, each with its name.
fn json_fields<'r, R>(columns: &[Column<R>], row: &'r R) -> impl Iterator<Item = (Cow<'r, str>, Value<'r>)> {
    let in_json = columns.iter().filter(|column| column.outputs.contains(Outputs::JSON));
    in_json.flat_map(move |column| match (column.value)(row) {
        Value::Fields(fields) => fields,
        Value::Absent if column.outputs.contains(Outputs::IF_PRESENT) => Vec::new(),
        value => vec![(Cow::Borrowed(column.id), value)],
    })
}

/// Declares columns.
///
/// A kind is the name of a [`Value`] or of a list of columns, and the expression gives what that value holds:
///
/// | kind | expression |
/// |---|---|
/// | `Text`, `Name(Op)`, `Removed` | a text: one that stays, a name that a pseudonym replaces, one that is removed with names |
/// | `Time`, `Bytes`, `Count`, `Executions`, `Integer`, `Number`, `Percent`, `Bandwidth`, `Flag`, `Pair` | the number |
/// | `ProgramId`, `Digest` | a number that files hold as text, and a digest |
/// | `Word`, `Word(E)`, `Ranked(E)`, `Labelled(E)` | a word, or a value of the keyed enum `E` |
/// | `List(K)`, `Map(K)` | values, or pairs of a name and a value, each as `K` expects it |
/// | `Maybe(K)` | an `Option`, as an item of a list |
/// | `Object(C)`, `Rows(C)`, `Fields(C)` | a row of the columns `C`, several rows, a row whose fields take the place of the column |
/// | `Own`, `OwnFields` | an [`Object`](super::value::Object), and one whose fields take the place of the column |
/// | `Value(K)` | a [`Value`] that is one of kind `K` |
macro_rules! columns {
    ($(
        $(#[doc = $list_about:literal])*
        $visibility:vis $name:ident ($row:ident : $Row:ty) {
            $(
                $(#[doc = $about:literal])*
                $id:ident : $kind:ident $(($($arg:tt)*))? $(or $null:ident)? $(in $($output:ident)+)? = $value:expr
            ),* $(,)?
        }
    )+) => { $(
        $(#[doc = $list_about])*
        $visibility const $name: &[$crate::table::Column<$Row>] = &[$(
            $crate::table::Column::new(
                $crate::table::column::name_of(stringify!($id)),
                ($crate::table::kind_of!($kind $(($($arg)*))?), $crate::table::is_nullable!($($null)?)),
                $crate::table::outputs_of!($($($output)+)?),
                $crate::table::column::sentence(concat!($($about, "\n"),*)),
                |$row| {
                    // A value may be the same in all rows.
                    let _ = $row;
                    $crate::table::value_of!([$($null)?] $kind $(($($arg)*))?, $value)
                },
            ),
        )*];
    )+ };
}
pub(crate) use columns;

/// Makes an [`Object`](super::value::Object) from fields, which are declared as [`columns!`] declares columns.
macro_rules! object {
    ($name:ident {
        $(
            $(#[doc = $about:literal])*
            $id:ident : $kind:ident $(($($arg:tt)*))? $(or $null:ident)? $(in $($output:ident)+)? = $value:expr
        ),* $(,)?
    }) => {{
        let mut object = $crate::table::Object::new(stringify!($name));
        $(object.push(
            $crate::table::kind::Head {
                id: $crate::table::column::name_of(stringify!($id)),
                kind: $crate::table::kind_of!($kind $(($($arg)*))?),
                is_nullable: $crate::table::is_nullable!($($null)?),
                outputs: $crate::table::outputs_of!($($($output)+)?),
                about: $crate::table::column::sentence(concat!($($about, "\n"),*)),
            },
            $crate::table::value_of!([$($null)?] $kind $(($($arg)*))?, $value),
        );)*
        object
    }};
}
pub(crate) use object;

/// Returns the name of a field without the prefix of a raw identifier.
pub const fn name_of(id: &'static str) -> &'static str {
    match id.as_bytes() {
        [b'r', b'#', ..] => id.split_at(2).1,
        _ => id,
    }
}

/// Returns the text of a comment without the space at its start and the line break at its end.
pub const fn sentence(comment: &'static str) -> &'static str {
    comment.trim_ascii()
}

macro_rules! is_nullable {
    () => {
        false
    };
    (null) => {
        true
    };
}
pub(crate) use is_nullable;

macro_rules! outputs_of {
    () => { $crate::table::outputs_of!(json csv) };
    (@ page) => { $crate::table::Outputs::PAGE };
    (@ json) => { $crate::table::Outputs::JSON };
    (@ csv) => { $crate::table::Outputs::CSV };
    (@ table) => { $crate::table::Outputs::TABLE };
    (@ if_present) => { $crate::table::Outputs::IF_PRESENT };
    ($($output:ident)+) => { $crate::table::Outputs::PAGE$(.with($crate::table::outputs_of!(@ $output)))+ };
}
pub(crate) use outputs_of;

/// Returns the [`Kind`] of a column.
macro_rules! kind_of {
    (Text) => { $crate::table::kind::Kind::Text($crate::table::kind::Privacy::Plain) };
    (Name($name:ident)) => {
        $crate::table::kind::Kind::Text($crate::table::kind::Privacy::Name($crate::table::kind::NameKind::$name))
    };
    (Removed) => { $crate::table::kind::Kind::Text($crate::table::kind::Privacy::Removed) };
    (ProgramId) => { $crate::table::kind::Kind::Text($crate::table::kind::Privacy::ProgramId) };
    (Digest) => { $crate::table::kind::Kind::Integer($crate::table::kind::Privacy::Removed) };
    (Word) => { $crate::table::kind::Kind::Word(Vec::new) };
    (Word($Enum:ty)) => { $crate::table::kind::Kind::Word(|| <$Enum>::ALL.into_iter().map(<$Enum>::key).collect()) };
    (Ranked($Enum:ty)) => { $crate::table::kind_of!(Word($Enum)) };
    (Labelled($Enum:ty)) => { $crate::table::kind_of!(Word($Enum)) };
    (Time) => { $crate::table::kind::Kind::Integer($crate::table::kind::Privacy::Plain) };
    (Bytes) => { $crate::table::kind_of!(Time) };
    (Count) => { $crate::table::kind_of!(Time) };
    (Integer) => { $crate::table::kind_of!(Time) };
    (Executions) => { $crate::table::kind::Kind::Real };
    (Number) => { $crate::table::kind::Kind::Real };
    (Percent) => { $crate::table::kind::Kind::Real };
    (Bandwidth) => { $crate::table::kind::Kind::Real };
    (Flag) => { $crate::table::kind::Kind::Flag };
    (Instant) => { $crate::table::kind::Kind::Instant };
    (Pair) => { $crate::table::kind::Kind::Pair };
    (Any) => { $crate::table::kind::Kind::Any };
    (Own) => { $crate::table::kind::Kind::Own };
    (OwnFields) => { $crate::table::kind::Kind::OwnFields };
    (Maybe($($kind:tt)+)) => { $crate::table::kind::Kind::Maybe(&$crate::table::kind_of!($($kind)+)) };
    (List($($item:tt)+)) => { $crate::table::kind::Kind::List(&$crate::table::kind_of!($($item)+)) };
    (Map($($item:tt)+)) => { $crate::table::kind::Kind::Map(&$crate::table::kind_of!($($item)+)) };
    (Object($columns:path)) => {
        $crate::table::kind::Kind::Object(|| $crate::table::kind::ObjectType::new($columns))
    };
    (Rows($columns:path)) => { $crate::table::kind::Kind::List(&$crate::table::kind_of!(Object($columns))) };
    (Fields($columns:path)) => {
        $crate::table::kind::Kind::Fields(|| $crate::table::kind::ObjectType::new($columns))
    };
    (Value($($kind:tt)+)) => { $crate::table::kind_of!($($kind)+) };
}
pub(crate) use kind_of;

/// Returns the [`Value`] of a column.
macro_rules! value_of {
    ([null] Value($($kind:tt)+), $value:expr) => { $value };
    ([null] $kind:ident $(($($arg:tt)*))?, $value:expr) => {
        match $value {
            Some(value) => $crate::table::value_of!([] $kind $(($($arg)*))?, value),
            None => $crate::table::Value::Absent,
        }
    };
    ([] Text, $value:expr) => { $crate::table::Value::Text($value.into()) };
    ([] Name($name:ident), $value:expr) => { $crate::table::Value::Text($value.into()) };
    ([] Removed, $value:expr) => { $crate::table::Value::Text($value.into()) };
    ([] ProgramId, $value:expr) => { $crate::table::Value::Id($value) };
    ([] Digest, $value:expr) => { $crate::table::Value::Integer($value) };
    ([] Word($Enum:ty), $value:expr) => { $crate::table::Value::Word(<$Enum>::key($value)) };
    ([] Ranked($Enum:ty), $value:expr) => {{
        let value: $Enum = $value;
        $crate::table::Value::Ranked(value as u8, value.key(), value.label())
    }};
    ([] Labelled($Enum:ty), $value:expr) => {{
        let value: $Enum = $value;
        $crate::table::Value::Labelled(value.key(), value.label())
    }};
    ([] Pair, $value:expr) => {{
        let (first, last) = $value;
        $crate::table::Value::Range(first, last)
    }};
    ([] Instant, $value:expr) => { $crate::table::Value::Integer($value) };
    ([] Own, $value:expr) => { $crate::table::Value::Object($value) };
    ([] OwnFields, $value:expr) => { $crate::table::Value::Object($value) };
    ([] Maybe($kind:ident $(($($arg:tt)*))?), $value:expr) => {
        $crate::table::value_of!([null] $kind $(($($arg)*))?, $value)
    };
    ([] List($item:ident $(($($arg:tt)*))?), $value:expr) => {
        $crate::table::Value::List(
            $value.into_iter().map(|item| $crate::table::value_of!([] $item $(($($arg)*))?, item)).collect(),
        )
    };
    ([] Map($item:ident $(($($arg:tt)*))?), $value:expr) => {
        $crate::table::Value::Record(
            $value
                .into_iter()
                .map(|(name, item)| (name.into(), $crate::table::value_of!([] $item $(($($arg)*))?, item)))
                .collect(),
        )
    };
    ([] Object($columns:path), $value:expr) => { $crate::table::Value::record($columns, $value) };
    ([] Rows($columns:path), $value:expr) => { $crate::table::Value::rows($columns, $value) };
    ([] Fields($columns:path), $value:expr) => { $crate::table::Value::fields($columns, $value) };
    ([] Value($($kind:tt)+), $value:expr) => { $value };
    ([] $kind:ident, $value:expr) => { $crate::table::Value::$kind($value) };
}
pub(crate) use value_of;
