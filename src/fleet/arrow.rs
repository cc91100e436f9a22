//! This module derives the Arrow schema of a table from its columns, and turns rows into a record batch.

use super::cell::Cell;
use super::heads::record_heads;
use crate::table::kind::{Head, Kind};
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, MapArray, NullArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, TimeUnit};
use std::sync::Arc;

const UTC: &str = "UTC";

/// Returns the Arrow type of a column.
fn data_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Text(_) | Kind::Word(_) => DataType::Utf8,
        Kind::Integer(_) => DataType::Int64,
        Kind::Real => DataType::Float64,
        Kind::Flag => DataType::Boolean,
        Kind::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
        Kind::List(item) => DataType::List(Arc::new(element(item))),
        Kind::Object(object) => {
            let field = |head: &Head| Field::new(head.id, data_type(&head.kind), true);
            DataType::Struct(record_heads(*object).iter().map(field).collect())
        }
        Kind::Maybe(item) => data_type(item),
        Kind::Map(item) => DataType::Map(Arc::new(entries(item)), false),
        Kind::Pair | Kind::Fields(_) | Kind::Own | Kind::OwnFields | Kind::Any => DataType::Null,
    }
}

/// Returns the field of the elements of a list, with the name that Parquet prescribes.
fn element(kind: &Kind) -> Field {
    Field::new("element", data_type(kind), true)
}

fn entry_fields(kind: &Kind) -> Fields {
    vec![Field::new("key", DataType::Utf8, false), Field::new("value", data_type(kind), true)].into()
}

fn entries(kind: &Kind) -> Field {
    Field::new("key_value", DataType::Struct(entry_fields(kind)), false)
}

/// Returns the Arrow schema of a table.
pub fn schema(heads: &[Head]) -> Schema {
    Schema::new(heads.iter().map(|head| Field::new(head.id, data_type(&head.kind), true)).collect::<Vec<Field>>())
}

/// Returns rows as a record batch.
///
/// # Errors
/// If a list has more than 2³¹ elements.
pub fn batch(heads: &[Head], rows: &[Vec<Cell>]) -> Result<RecordBatch, ArrowError> {
    let column = |(index, head): (usize, &Head)| {
        let cells: Vec<&Cell> = rows.iter().map(|row| row.get(index).unwrap_or(&Cell::Null)).collect();
        array(&head.kind, &cells)
    };
    let arrays = heads.iter().enumerate().map(column).collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::new(schema(heads)), arrays, &options)
}

fn array(kind: &Kind, cells: &[&Cell]) -> Result<ArrayRef, ArrowError> {
    let integers =
        || cells.iter().map(|cell| if let Cell::Integer(n) | Cell::Instant(n) = cell { Some(*n) } else { None });
    Ok(match kind {
        Kind::Text(_) | Kind::Word(_) => {
            let texts = cells.iter().map(|cell| if let Cell::Text(text) = cell { Some(text.as_str()) } else { None });
            Arc::new(texts.collect::<StringArray>())
        }
        Kind::Integer(_) => Arc::new(integers().collect::<Int64Array>()),
        Kind::Instant => Arc::new(integers().collect::<TimestampMicrosecondArray>().with_timezone(UTC)),
        Kind::Real => {
            let reals = cells.iter().map(|cell| if let Cell::Real(real) = cell { Some(*real) } else { None });
            Arc::new(reals.collect::<Float64Array>())
        }
        Kind::Flag => {
            let flags = cells.iter().map(|cell| if let Cell::Flag(flag) = cell { Some(*flag) } else { None });
            Arc::new(flags.collect::<BooleanArray>())
        }
        Kind::List(item) => {
            let lists = cells.iter().map(|cell| if let Cell::List(cells) = cell { cells.as_slice() } else { &[] });
            let values: Vec<&Cell> = lists.clone().flatten().collect();
            let offsets = OffsetBuffer::from_lengths(lists.map(<[Cell]>::len));
            Arc::new(ListArray::try_new(Arc::new(element(item)), offsets, array(item, &values)?, nulls(cells))?)
        }
        Kind::Object(object) => {
            let field_array = |(index, head): (usize, &Head)| {
                let values: Vec<&Cell> = cells.iter().map(|cell| field_of(cell, index)).collect();
                array(&head.kind, &values)
            };
            let heads = record_heads(*object);
            let arrays = heads.iter().enumerate().map(field_array).collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
            let DataType::Struct(fields) = data_type(kind) else { return Err(no_struct()) };
            Arc::new(StructArray::try_new(fields, arrays, nulls(cells))?)
        }
        Kind::Maybe(item) => array(item, cells)?,
        Kind::Map(item) => {
            let maps = cells.iter().map(|cell| if let Cell::Map(pairs) = cell { pairs.as_slice() } else { &[] });
            let keys: StringArray = maps.clone().flatten().map(|(key, _)| Some(key.as_str())).collect();
            let values: Vec<&Cell> = maps.clone().flatten().map(|(_, value)| value).collect();
            let pairs = StructArray::try_new(entry_fields(item), vec![Arc::new(keys), array(item, &values)?], None)?;
            let offsets = OffsetBuffer::from_lengths(maps.map(<[(String, Cell)]>::len));
            Arc::new(MapArray::try_new(Arc::new(entries(item)), offsets, pairs, nulls(cells), false)?)
        }
        Kind::Pair | Kind::Fields(_) | Kind::Own | Kind::OwnFields | Kind::Any => Arc::new(NullArray::new(cells.len())),
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
