//! This module writes rows and record batches as Parquet, compressed with zstd.

use super::cell::Cell;
use super::column::ColumnHead;
use super::{PROGRAM_VERSION, SCHEMA_VERSION, arrow};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::io::Write;

/// The largest number of rows of a row group.
const MAX_ROWS: usize = 128 << 10;

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
pub fn write_rows<W: Write + Send>(out: W, heads: &[ColumnHead], rows: &[Vec<Cell>]) -> Result<()> {
    let batch: RecordBatch = arrow::batch(heads, rows).map_err(ParquetError::from)?;
    let mut writer = writer(out, batch.schema())?;
    writer.write(&batch)?;
    writer.close().map(drop)
}
