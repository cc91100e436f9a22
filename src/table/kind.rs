//! This module defines the type of a column: for the types of the npm package, the tables of the fleet export, the documentation
//! and the anonymiser.

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
    /// An [`Object`](super::Object) that declares its own fields.
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

/// The files that have a column. A column that no file has is shown on the page, in a table or its tooltip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs(u8);

impl Outputs {
    pub const PAGE: Self = Self(0);
    pub const JSON: Self = Self(1);
    pub const CSV: Self = Self(1 << 1);
    /// The tables of the fleet export.
    pub const TABLE: Self = Self(1 << 2);
    /// An absent value leaves the field out of JSON.
    pub const IF_PRESENT: Self = Self(1 << 3);

    /// Returns the outputs of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether all of some outputs are among them.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
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
