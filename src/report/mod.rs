//! This module writes report structs as text for people and as JSON and CSV for programs: one folder for each feature.

pub mod breakdown;
pub mod captures;
pub mod comm;
pub mod compare;
pub mod data_movement;
pub mod files;
pub mod flags;
pub mod gaps;
pub mod json;
pub mod ledger;
pub mod memory;
pub mod modules;
pub mod overview;
pub mod roofline;
pub mod summary;
pub mod timeline;
