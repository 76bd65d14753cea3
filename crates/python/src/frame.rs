//! Tables as Python gets them: Arrow's, handed over through its C interface without a copy.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use airpath_results::measures::unit;
use airpath_results::{Digests, Refused, Table, TableReader};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use crate::errors;

/// Columns of equal length. A field's metadata have `unit` and `meaning`, a schema's `description`.
#[pyclass(frozen, module = "airpath._airpath")]
pub struct Frame {
    batch: RecordBatch,
}

/// Words on a column of a frame.
pub struct About {
    pub name: String,
    /// Unit of the values; empty if they have none.
    pub unit: String,
    /// Meaning of the values; empty if there is no text.
    pub meaning: String,
    /// True if a row may have no value.
    pub nullable: bool,
}

impl Frame {
    /// The columns of `like`, whose values are `columns`.
    pub fn new(like: &Table, columns: Vec<ArrayRef>) -> Result<Frame, ArrowError> {
        let about = |(name, kind, _, meaning): (&str, String, _, &str)| About {
            name: name.to_owned(),
            unit: unit(name).to_owned(),
            meaning: meaning.to_owned(),
            nullable: kind.ends_with("or null"),
        };
        Frame::of_arrays(like.description(), like.described().map(about).collect(), columns)
    }

    /// Columns of equal length.
    pub fn of_arrays(
        description: &str,
        abouts: Vec<About>,
        columns: Vec<ArrayRef>,
    ) -> Result<Frame, ArrowError> {
        let fields = abouts.into_iter().zip(&columns).map(|(about, column)| {
            let texts = [("meaning", about.meaning), ("unit", about.unit)];
            let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
            let texts: HashMap<_, _> = texts.map(|(key, text)| (key.to_owned(), text)).collect();
            let kind = column.data_type().clone();
            Field::new(about.name, kind, about.nullable).with_metadata(texts)
        });
        let texts = HashMap::from([("description".to_owned(), description.to_owned())]);
        let schema = Schema::new(fields.collect::<Vec<_>>()).with_metadata(texts);
        let rows = columns.first().map_or(0, |column| column.len());
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)?;
        Ok(Frame { batch })
    }

    /// Words on each column.
    pub fn abouts(&self) -> Vec<About> {
        let schema = self.batch.schema();
        let text = |field: &Field, key| field.metadata().get(key).cloned().unwrap_or_default();
        let about = |field: &Arc<Field>| About {
            name: field.name().clone(),
            unit: text(field, "unit"),
            meaning: text(field, "meaning"),
            nullable: field.is_nullable(),
        };
        schema.fields().iter().map(about).collect()
    }

    /// Values of each column.
    pub fn arrays(&self) -> &[ArrayRef] {
        self.batch.columns()
    }

    /// All of a table.
    pub fn of(table: &Table) -> Result<Frame, ArrowError> {
        let columns = table.columns().map(|name| column(table, name));
        Frame::new(table, columns.collect::<Result<_, _>>()?)
    }
}

fn column(table: &Table, name: &str) -> Result<ArrayRef, ArrowError> {
    if let Some(values) = table.integers(name) {
        return Ok(Arc::new(Int64Array::from(values)));
    }
    if let Some(values) = table.numbers(name) {
        return Ok(Arc::new(Float64Array::from(values)));
    }
    if let Some(values) = table.truths(name) {
        return Ok(Arc::new(BooleanArray::from(values)));
    }
    let texts = table.texts(name);
    let texts = texts.ok_or_else(|| ArrowError::SchemaError(format!("column {name}")))?;
    Ok(Arc::new(StringArray::from(texts)))
}

#[pymethods]
impl Frame {
    /// The stream that Arrow's `PyCapsule` interface asks for, of one batch. A requested schema is
    /// for hints only, and none is followed.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = [Ok(self.batch.clone())];
        let batches = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The schema for the same.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref());
        let schema = schema.map_err(|error| errors::failed(py, error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Meaning of a row.
    #[getter]
    fn description(&self) -> String {
        self.batch.schema().metadata().get("description").cloned().unwrap_or_default()
    }

    /// Bytes of all columns.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batch.columns().iter().map(|column| column.get_buffer_memory_size()).sum()
    }

    /// Name, unit and meaning of each column.
    #[getter]
    fn fields(&self) -> Vec<(String, String, String)> {
        self.abouts().into_iter().map(|about| (about.name, about.unit, about.meaning)).collect()
    }

    /// Values of a column, of rows from one number to another.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let column = self.batch.column_by_name(name);
        let column = column.ok_or_else(|| errors::input(py, format!("no column {name}")))?;
        let values: PyResult<Vec<_>> =
            (start..end.min(column.len())).map(|row| value(py, column, row)).collect();
        PyList::new(py, values?)
    }
}

fn value(py: Python<'_>, column: &ArrayRef, row: usize) -> PyResult<Py<PyAny>> {
    if column.is_null(row) {
        return Ok(py.None());
    }
    let any = column.as_any();
    if let Some(column) = any.downcast_ref::<Int64Array>() {
        return column.value(row).into_py_any(py);
    }
    if let Some(column) = any.downcast_ref::<Float64Array>() {
        return column.value(row).into_py_any(py);
    }
    if let Some(column) = any.downcast_ref::<BooleanArray>() {
        return column.value(row).into_py_any(py);
    }
    if let Some(column) = any.downcast_ref::<StringArray>() {
        return column.value(row).into_py_any(py);
    }
    let dictionary =
        arrow_array::cast::as_dictionary_array::<arrow_array::types::UInt32Type>(column);
    value(py, dictionary.values(), dictionary.keys().value(row) as usize)
}

/// Handling of a folder with a damaged file.
pub fn digests(unchecked: bool) -> Digests {
    if unchecked { Digests::Unchecked } else { Digests::Checked }
}

/// A Parquet file of a results folder.
#[pyfunction]
#[pyo3(signature = (folder, name, unchecked=false))]
fn read_table(py: Python<'_>, folder: PathBuf, name: &str, unchecked: bool) -> PyResult<Frame> {
    let checked = py.detach(|| digests(unchecked).check(&folder));
    checked.map_err(|refused: Refused| errors::input(py, refused))?;
    let path = folder.join(name);
    let table = py.detach(|| TableReader::open(&path).and_then(|reader| reader.all()));
    let table = table.map_err(|error| errors::input(py, error))?;
    Frame::of(&table).map_err(|error| errors::failed(py, error))
}

/// A table of JSON objects, which have numbers, texts and truth values.
#[pyfunction]
fn table_of(py: Python<'_>, json: &str, description: &str) -> PyResult<Frame> {
    let rows: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(json).map_err(|error| errors::input(py, error))?;
    let mut names: Vec<&String> = Vec::new();
    for row in &rows {
        names.extend(row.keys().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    let table = names.iter().fold(Table::new().describe(description), |table, name| {
        let values: Vec<_> =
            rows.iter().map(|row| row.get(*name).filter(|v| !v.is_null())).collect();
        let all = |is: fn(&serde_json::Value) -> bool| values.iter().flatten().all(|v| is(v));
        if all(|v| v.is_i64()) && values.iter().any(Option::is_some) {
            return table.optional_i64(name, values.iter().map(|v| (*v)?.as_i64()));
        }
        if all(serde_json::Value::is_number) {
            return table.optional_f64(name, values.iter().map(|v| (*v)?.as_f64()));
        }
        let text = |v: &serde_json::Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
        table.optional_utf8(name, values.iter().map(|v| v.map(text)))
    });
    Frame::of(&table).map_err(|error| errors::failed(py, error))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_table, module)?)?;
    module.add_function(wrap_pyfunction!(table_of, module)?)
}
