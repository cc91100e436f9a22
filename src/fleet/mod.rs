//! This module turns captures into small tables that engines such as DuckDB, Spark and Polars read: one file for each table
//! and capture, as Parquet or as JSON lines.
//!
//! ```text
//!  capture ──session──► analyses ──tables──► rows of cells ──┬─► Parquet     OUT/table=ops/date=2026-11-20/<capture>.parquet
//!                                (columns,    (pseudonyms)   └─► JSON lines  the same cells
//!                                 declared once)
//! ```
//!
//! A column is declared once, with its type: the Arrow schema, JSON lines, pseudonyms and the documentation of the schema
//! follow from the declaration. All figures come from the analyses of the other commands. The same input gives the same
//! bytes: no time of the export and no random number is written. This module does not depend on arguments. Without the feature
//! `fleet`, tables are JSON lines only.

mod anonymise;
#[cfg(feature = "fleet")]
mod arrow;
mod calendar;
mod cell;
mod column;
#[cfg(feature = "fleet")]
mod compact;
mod derive;
mod export;
mod export_record;
mod heads;
mod identity;
mod json;
mod keys;
mod layout;
#[cfg(feature = "fleet")]
mod parquet_file;
mod schema;
mod stored_captures;
mod tables;

#[cfg(feature = "fleet")]
pub use compact::{Compacted, compact};
pub use export::{ExportOutcome, FleetExport};
pub use identity::{capture_groups, shard_of};
pub use keys::Keys;
pub use layout::FileFormat;
pub use schema::{schema_markdown, schema_text};
pub use tables::TableName;

pub use crate::session::captures::imported_tables::SCHEMA_VERSION;

/// The version of the program, which is written into the files.
pub const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");
