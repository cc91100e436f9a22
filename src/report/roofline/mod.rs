//! This module writes the roofline as text and JSON.

pub mod json;
pub mod table;
