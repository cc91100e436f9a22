//! This module writes lists of captures as text and JSON.

pub mod json;
