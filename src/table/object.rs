//! This module defines an object whose fields are declared where it is made: a document, or a part of one that more than one row
//! gives.

use super::Value;
use super::column::Outputs;
use super::kind::{Head, Kind};
use std::borrow::Cow;
#[cfg(not(target_arch = "wasm32"))]
use std::rc::Rc;

/// An object of JSON. [`object!`](super::object!) makes it.
#[derive(Clone, Debug)]
pub struct Object<'r> {
    pub(super) fields: Vec<(Cow<'r, str>, Value<'r>)>,
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
}

impl<'r> Object<'r> {
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
