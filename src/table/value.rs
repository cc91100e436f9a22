//! This module defines the value of a cell, with its type and unit, and the objects and rows that documents consist of.

use super::kind::{Head, Kind, Outputs};
use std::borrow::Cow;
use std::fmt::{Debug, Formatter};
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

    /// Returns named values as a record, in the order of their names.
    pub fn map(values: impl Iterator<Item = (&'r str, Self)>) -> Self {
        let mut fields: Vec<_> = values.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        fields.small_sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Record(fields)
    }
}

/// The rows of a table as values.
pub trait RowList {
    /// Calls a function with each row.
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>));
}

impl Debug for dyn RowList + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut list = f.debug_list();
        self.for_each(&mut |row| {
            list.entry(&row);
        });
        list.finish()
    }
}

/// An object of JSON. `object!` makes it.
#[derive(Clone, Debug)]
pub struct Object<'r> {
    fields: Vec<(Cow<'r, str>, Value<'r>)>,
    /// What the object consists of. The page does not carry it.
    #[cfg(not(target_arch = "wasm32"))]
    pub declared: Rc<Declared>,
}

/// The declaration of an object: its name and its parts.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: &'static str,
    pub parts: Vec<Part>,
}

/// A part of the declaration of an object.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Debug)]
pub enum Part {
    /// A field, with the declaration of its value where that is an object itself.
    Field(Head, Vec<Rc<Declared>>),
    /// The fields of another object.
    Object(Rc<Declared>),
}

impl<'r> Object<'r> {
    /// Returns an object without fields.
    #[cfg_attr(target_arch = "wasm32", expect(unused_variables, reason = "the page does not carry names of types"))]
    pub fn new(name: &'static str) -> Self {
        Self {
            fields: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            declared: Rc::new(Declared { name, parts: Vec::new() }),
        }
    }

    /// Adds a field.
    pub fn push(&mut self, head: Head, value: Value<'r>) {
        #[cfg(not(target_arch = "wasm32"))]
        {
            let part = match &value {
                Value::Object(object) if matches!(head.kind, Kind::OwnFields) => Part::Object(object.declared.clone()),
                value => Part::Field(head, objects(value)),
            };
            Rc::make_mut(&mut self.declared).parts.push(part);
        }
        match value {
            Value::Fields(fields) => self.fields.extend(fields),
            Value::Object(object) if matches!(head.kind, Kind::OwnFields) => self.fields.extend(object.fields),
            Value::Absent if head.outputs.contains(Outputs::IF_PRESENT) => {}
            value => self.fields.push((Cow::Borrowed(head.id), value)),
        }
    }

    /// Returns the fields with their names, in their order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value<'r>)> {
        self.fields.iter().map(|(name, value)| (&**name, value))
    }
}

/// Returns the declarations of the objects that a value is or lists.
#[cfg(not(target_arch = "wasm32"))]
fn objects(value: &Value<'_>) -> Vec<Rc<Declared>> {
    match value {
        Value::Object(object) => vec![object.declared.clone()],
        Value::List(values) => values.iter().flat_map(objects).collect(),
        Value::Record(fields) => fields.iter().flat_map(|(_, value)| objects(value)).collect(),
        _ => Vec::new(),
    }
}
