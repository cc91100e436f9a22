//! This module writes rows and record batches as Parquet, compressed with zstd, and reads how captures were exported.

use super::cell::Cell;
use super::export_record::ExportRecord;
use super::{PROGRAM_VERSION, SCHEMA_VERSION, arrow};
use crate::table::kind::Head;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::SchemaRef;
use indexmap::IndexMap;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The largest number of rows of a row group.
const MAX_ROWS: usize = 128 << 10;

/// The number of rows that are in memory before they are encoded.
const BATCH_ROWS: usize = 4 << 10;

/// The columns that tell how a capture was exported.
const COLUMNS: [&str; 5] = ["capture_id", "schema_version", "program_version", "request", "status"];

/// Creates the writer of a file. The file has no Arrow schema beside that of Parquet: readers derive the same one.
///
/// # Errors
/// If the file cannot be written.
pub fn writer<W: Write + Send>(out: W, schema: SchemaRef) -> Result<ArrowWriter<W>> {
    let version = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let metadata = vec![
        version("rooflight.schema_version", SCHEMA_VERSION.to_string()),
        version("rooflight.program_version", PROGRAM_VERSION.to_owned()),
    ];
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("rooflight {PROGRAM_VERSION}"))
        .set_key_value_metadata(Some(metadata))
        // Statistics of pages would be as large as the pages of a small file.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(MAX_ROWS))
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    ArrowWriter::try_new_with_options(out, schema, options)
}

/// Writes the rows of a table as one file.
///
/// # Errors
/// If the file cannot be written.
pub fn write_rows<W: Write + Send>(out: W, heads: &[Head], mut rows: impl Iterator<Item = Vec<Cell>>) -> Result<()> {
    let mut writer = writer(out, arrow::schema(heads).into())?;
    loop {
        let batch: Vec<Vec<Cell>> = rows.by_ref().take(BATCH_ROWS).collect();
        if batch.is_empty() {
            return writer.close().map(drop);
        }
        writer.write(&arrow::batch(heads, &batch).map_err(ParquetError::from)?)?;
    }
}

/// Reads how the captures of a file were exported, by their ids.
///
/// # Errors
/// If the file cannot be read, or is no table of captures.
pub fn read_records(path: &Path) -> io::Result<IndexMap<String, ExportRecord>> {
    let bad = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("{} is no table of captures: {error}", path.display()))
    };
    let file = File::open(path).map_err(|error| bad(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| bad(&error))?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
    let reader = builder.with_projection(mask).build().map_err(|error| bad(&error))?;
    let mut rows = IndexMap::default();
    for batch in reader {
        let batch = batch.map_err(|error| bad(&error))?;
        let text = |column: &str| batch.column_by_name(column).and_then(|column| column.as_string_opt::<i32>());
        let versions = batch.column_by_name("schema_version").and_then(|column| column.as_primitive_opt::<Int64Type>());
        let (Some(ids), Some(versions), Some(programs), Some(requests), Some(statuses)) =
            (text("capture_id"), versions, text("program_version"), text("request"), text("status"))
        else {
            return Err(bad(&"a column is missing"));
        };
        for row in 0..batch.num_rows() {
            let exported = ExportRecord {
                schema_version: versions.value(row),
                program_version: programs.value(row).to_owned(),
                request: requests.value(row).to_owned(),
                status: statuses.value(row).to_owned(),
            };
            rows.insert(ids.value(row).to_owned(), exported);
        }
    }
    Ok(rows)
}
