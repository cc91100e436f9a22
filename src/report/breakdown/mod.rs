//! This module writes the breakdown as text, CSV and JSON.

pub mod json;
pub(super) mod scopes_json;
pub mod steps_table;
pub mod table;
