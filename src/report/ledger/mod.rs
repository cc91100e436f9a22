//! This module writes the ledger as text and JSON.

pub mod json;
pub mod table;
