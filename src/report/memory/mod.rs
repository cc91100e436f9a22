//! This module writes memory as text and JSON.

pub mod json;
pub mod table;
