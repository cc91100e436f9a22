//! How report structs become text for people and programs: numbers first, writers beside them.

pub mod inspect;
pub mod json;
pub mod number;
mod scopes_json;
mod steps_json;
pub mod tables;
pub mod text;
