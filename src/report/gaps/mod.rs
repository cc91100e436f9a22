//! This module writes gaps as text and JSON.

pub mod json;
pub mod table;
