//! This module derives the Arrow schema of a table from its columns, and turns rows into a record batch.

use super::cell::Cell;
use super::column::{ColumnHead, ColumnType};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, MapArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, TimeUnit};
use std::sync::Arc;

const UTC: &str = "UTC";

/// Returns the Arrow type of a column.
fn data_type(kind: &ColumnType) -> DataType {
    match kind {
        ColumnType::Text(_) => DataType::Utf8,
        ColumnType::Integer(_) => DataType::Int64,
        ColumnType::Real => DataType::Float64,
        ColumnType::Flag => DataType::Boolean,
        ColumnType::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        ColumnType::List(of) => DataType::List(Arc::new(element(of))),
        ColumnType::Record(fields) => {
            DataType::Struct(fields.iter().map(|field| Field::new(field.id, data_type(&field.kind), true)).collect())
        }
        ColumnType::Map(of) => DataType::Map(Arc::new(entries(of)), false),
    }
}

/// Returns the field of the elements of a list, with the name that Parquet prescribes.
fn element(column_type: &ColumnType) -> Field {
    Field::new("element", data_type(column_type), true)
}

fn entry_fields(column_type: &ColumnType) -> Fields {
    vec![Field::new("key", DataType::Utf8, false), Field::new("value", data_type(column_type), true)].into()
}

fn entries(column_type: &ColumnType) -> Field {
    Field::new("key_value", DataType::Struct(entry_fields(column_type)), false)
}

/// Returns the Arrow schema of a table.
pub fn schema(heads: &[ColumnHead]) -> Schema {
    Schema::new(heads.iter().map(|head| Field::new(head.id, data_type(&head.kind), true)).collect::<Vec<Field>>())
}

/// Returns rows as a record batch.
///
/// # Errors
/// If a list has more than 2³¹ elements.
pub fn batch(heads: &[ColumnHead], rows: &[Vec<Cell>]) -> Result<RecordBatch, ArrowError> {
    let column = |(at, head): (usize, &ColumnHead)| {
        let cells: Vec<&Cell> = rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Null)).collect();
        array(&head.kind, &cells)
    };
    let arrays = heads.iter().enumerate().map(column).collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(schema(heads)), arrays, &options)
}

fn array(kind: &ColumnType, cells: &[&Cell]) -> Result<ArrayRef, ArrowError> {
    let integers =
        || cells.iter().map(|cell| if let Cell::Integer(n) | Cell::Instant(n) = cell { Some(*n) } else { None });
    Ok(match kind {
        ColumnType::Text(_) => {
            let texts = cells.iter().map(|cell| if let Cell::Text(text) = cell { Some(text.as_str()) } else { None });
            Arc::new(texts.collect::<StringArray>())
        }
        ColumnType::Integer(_) => Arc::new(integers().collect::<Int64Array>()),
        ColumnType::Instant => Arc::new(integers().collect::<TimestampMicrosecondArray>().with_timezone(UTC)),
        ColumnType::Real => {
            let reals = cells.iter().map(|cell| if let Cell::Real(real) = cell { Some(*real) } else { None });
            Arc::new(reals.collect::<Float64Array>())
        }
        ColumnType::Flag => {
            let flags = cells.iter().map(|cell| if let Cell::Flag(flag) = cell { Some(*flag) } else { None });
            Arc::new(flags.collect::<BooleanArray>())
        }
        ColumnType::List(of) => {
            let lists = cells.iter().map(|cell| if let Cell::List(cells) = cell { cells.as_slice() } else { &[] });
            let values: Vec<&Cell> = lists.clone().flatten().collect();
            let offsets = OffsetBuffer::from_lengths(lists.map(<[Cell]>::len));
            Arc::new(ListArray::try_new(Arc::new(element(of)), offsets, array(of, &values)?, nulls(cells))?)
        }
        ColumnType::Record(fields) => {
            let of_field = |(at, field): (usize, &super::column::Field)| {
                let values: Vec<&Cell> = cells.iter().map(|cell| field_of(cell, at)).collect();
                array(&field.kind, &values)
            };
            let arrays = fields.iter().enumerate().map(of_field).collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
            let DataType::Struct(fields) = data_type(kind) else { return Err(no_struct()) };
            Arc::new(StructArray::try_new(fields, arrays, nulls(cells))?)
        }
        ColumnType::Map(of) => {
            let maps = cells.iter().map(|cell| if let Cell::Map(pairs) = cell { pairs.as_slice() } else { &[] });
            let keys: StringArray = maps.clone().flatten().map(|(key, _)| Some(key.as_str())).collect();
            let values: Vec<&Cell> = maps.clone().flatten().map(|(_, value)| value).collect();
            let pairs = StructArray::try_new(entry_fields(of), vec![Arc::new(keys), array(of, &values)?], None)?;
            let offsets = OffsetBuffer::from_lengths(maps.map(<[(String, Cell)]>::len));
            Arc::new(MapArray::try_new(Arc::new(entries(of)), offsets, pairs, nulls(cells), false)?)
        }
    })
}

/// Returns the value of a field of a record. Null if the record is null.
fn field_of(cell: &Cell, index: usize) -> &Cell {
    let value = if let Cell::Record(cells) = cell { cells.get(index) } else { None };
    value.unwrap_or(&Cell::Null)
}

/// Returns which cells are null. `None` if none is.
fn nulls(cells: &[&Cell]) -> Option<NullBuffer> {
    let has_null = cells.iter().any(|cell| **cell == Cell::Null);
    has_null.then(|| cells.iter().map(|cell| **cell != Cell::Null).collect::<Vec<bool>>().into())
}

fn no_struct() -> ArrowError {
    ArrowError::SchemaError("a record is no struct".to_owned())
}
