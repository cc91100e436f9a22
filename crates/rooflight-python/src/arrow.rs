//! This module exports columns through the Arrow PyCapsule interface, from which other libraries take them without a
//! copy.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch, RecordBatchIterator, RecordBatchOptions,
    StringArray, UInt64Array,
};
use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// Returns a capsule with a stream of one batch. Each column is a name, a type and its values; a value may be `None`.
/// The types are `int64`, `uint64`, `float64`, `bool`, `string` and `null`.
#[pyfunction]
pub fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, String, Bound<'py, PyAny>)>,
    n_rows: usize,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (name, kind, values) in columns {
        let array = array(&kind, &values, n_rows)?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let schema = Arc::new(Schema::new(fields));
    let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
    let batch =
        RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options).map_err(|error| bad(&error))?;
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn array(kind: &str, values: &Bound<'_, PyAny>, n_rows: usize) -> PyResult<ArrayRef> {
    Ok(match kind {
        "int64" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
        "uint64" => Arc::new(UInt64Array::from(values.extract::<Vec<Option<u64>>>()?)),
        "float64" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
        "bool" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "string" => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
        "null" => Arc::new(NullArray::new(n_rows)),
        other => return Err(bad(&format!("there is no column type {other}"))),
    })
}

fn bad(error: &impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
