//! This module writes communication as text and JSON.

pub mod json;
pub mod table;
