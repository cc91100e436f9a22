//! This module writes comparisons as text and JSON.

pub mod explanation;
pub mod format;
pub mod json;
pub mod program;
pub mod sections;
pub(super) mod sections_json;
pub mod series;
pub mod text;
