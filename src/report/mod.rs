//! How report structs become text for people and programs: numbers first, writers beside them.

pub mod comm_json;
pub mod comm_table;
pub mod data_movement_json;
pub mod data_movement_table;
pub mod inspect;
pub mod json;
pub mod memory_json;
pub mod memory_table;
pub mod roofline_json;
pub mod roofline_table;
mod scopes_json;
mod steps_json;
pub mod summary;
pub mod tables;
