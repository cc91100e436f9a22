//! This module writes the contents of the files as text and JSON.

pub mod json;
pub mod table;
