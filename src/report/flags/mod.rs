//! This module writes the verdicts about flags as text and JSON.

pub mod json;
pub mod table;
