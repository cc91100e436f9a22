//! This module writes report structs as text for people and as JSON and CSV for programs.

pub mod comm_json;
pub mod comm_table;
pub mod compare_json;
mod compare_sections;
mod compare_sections_json;
pub mod compare_text;
pub mod data_movement_json;
pub mod data_movement_table;
pub mod flags_json;
pub mod flags_table;
pub mod gaps_json;
pub mod gaps_table;
pub mod inspect;
pub mod json;
pub mod ledger_json;
pub mod ledger_table;
pub mod memory_json;
pub mod memory_table;
pub mod overview_json;
pub mod overview_text;
pub mod roofline_json;
pub mod roofline_table;
mod scopes_json;
mod steps_json;
pub mod summary;
pub mod tables;
pub mod trace_json;
