//! This module writes data movement as text and JSON.

pub mod json;
pub mod table;
