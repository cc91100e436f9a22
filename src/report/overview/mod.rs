//! This module writes the overview as text and JSON.

pub mod json;
pub mod text;
