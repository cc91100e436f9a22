//! This module defines the type of a column: for the types of the npm package, the tables of the fleet export, the documentation
//! and the anonymiser.

use super::Column;
use super::column::Outputs;

/// The type of the values of a column, which its [`Value`](super::Value)s have.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Text(Privacy),
    /// A word of a list, which the function returns.
    Word(fn() -> Vec<&'static str>),
    /// A whole number: picoseconds, bytes, counts and digests.
    Integer(Privacy),
    /// A real number, or a count that may be a fraction in a mean. Ratios are fractions of 1 unless the name ends with `pct`.
    Real,
    Flag,
    /// A moment in microseconds since 1970, UTC.
    Instant,
    /// Two numbers.
    Pair,
    /// A value that may be absent, as an item of a list.
    Maybe(&'static Self),
    List(&'static Self),
    /// Values by name.
    Map(&'static Self),
    /// Named fields.
    Object(fn() -> ObjectType),
    /// Named fields that stand in place of the column.
    Fields(fn() -> ObjectType),
    /// An [`Object`](super::object::Object) that declares its own fields.
    Own,
    /// Such an object whose fields stand in place of the field.
    OwnFields,
    /// A value whose type differs between rows.
    Any,
}

/// What happens with a text or a number when names are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// It stays.
    Plain,
    Removed,
    /// A pseudonym replaces it.
    Name(NameKind),
    /// The id of a program, which a small number replaces.
    ProgramId,
}

/// The kind of a name, which decides its pseudonym.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Op,
    Program,
    Scope,
    /// A source line, which is removed.
    Source,
    /// The name of a file or of a host.
    File,
    Device,
    Axis,
    Category,
    Chip,
    Allocator,
    /// A shape, which loses its dimensions.
    Shape,
}

/// A column without its values.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    pub id: &'static str,
    pub kind: Kind,
    /// Whether the value may be absent.
    pub is_nullable: bool,
    pub outputs: Outputs,
    /// Description for the documentation.
    pub about: &'static str,
}

impl Head {
    /// Returns the description in one line.
    pub fn description(&self) -> String {
        self.about.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// The type of an object: its name and its fields.
#[derive(Clone, Debug)]
pub struct ObjectType {
    pub name: &'static str,
    pub fields: Vec<Head>,
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

impl Kind {
    /// Returns the type as SQL writes it.
    pub fn sql(&self) -> String {
        match self {
            Self::Text(_) | Self::Word(_) => "VARCHAR".to_owned(),
            Self::Integer(_) => "BIGINT".to_owned(),
            Self::Real => "DOUBLE".to_owned(),
            Self::Flag => "BOOLEAN".to_owned(),
            Self::Instant => "TIMESTAMPTZ".to_owned(),
            Self::Pair => "DOUBLE[]".to_owned(),
            Self::Maybe(item) => item.sql(),
            Self::List(item) => format!("{}[]", item.sql()),
            Self::Map(item) => format!("MAP(VARCHAR, {})", item.sql()),
            Self::Object(object) | Self::Fields(object) => {
                let field = |field: &Head| format!("{} {}", field.id, field.kind.sql());
                format!("STRUCT({})", object().fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Self::Own | Self::OwnFields | Self::Any => "JSON".to_owned(),
        }
    }
}
