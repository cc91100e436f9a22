//! This module writes the time by module as a table.

pub mod table;
