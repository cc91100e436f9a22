//! This module writes parts of the timeline as text and JSON.

pub mod trace_json;
