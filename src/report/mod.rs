//! How report structs become text for people and programs: numbers first, writers beside them.

pub mod number;
