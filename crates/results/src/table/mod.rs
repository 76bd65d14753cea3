//! Tables and their Parquet files.
//!
//! A [`Table`] is a list of named, typed columns, some nullable. It is written through parquet's
//! low-level writer, without Arrow. Texts on the table and its columns go into the file's key-value
//! metadata, as `description` and `column.NAME`. The metadata of a field are Arrow's, and only a
//! schema written by Arrow has them. The bytes of a file depend on its contents only: no time, host
//! or version is in its metadata. [`TableReader`] reads such files, and [`CsvWriter`] writes the
//! same as CSV.

mod decode;
mod read;
mod schema;
mod text;
mod values;

pub use read::TableReader;
pub use text::CsvWriter;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, GzipLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::{ColumnPath, Type};

use airpath_base::measure::{self as declared, Kind, Measure, Row, Value};

use crate::{Location, Output};

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    description: String,
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    /// Meaning of its values; empty if it has no text.
    meaning: String,
    /// Unit of its values; empty if they have none.
    unit: &'static str,
    cells: Cells,
    /// True for rows with a value; none if all must have one.
    present: Option<Vec<bool>>,
}

/// The values that are present, in order.
#[derive(Clone, Debug, PartialEq)]
enum Cells {
    I64(Vec<i64>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    Utf8(Vec<ByteArray>),
}

/// Reason why a table could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// A column that is needed is not there.
    #[error("there is no column {0}")]
    Missing(String),
    /// Columns differ in length.
    #[error("column {column} has {rows} rows, the first has {expected}")]
    Lengths {
        /// The column.
        column: String,
        /// Its rows.
        rows: usize,
        /// Rows of the first column.
        expected: usize,
    },
    /// Another part of a file had other columns.
    #[error("a part of a table has other columns than the first part")]
    Columns,
    /// Two columns have the same name.
    #[error("two columns are named {0}")]
    Twice(String),
    /// The file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The Parquet writer failed.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// The CSV writer failed.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A file is not there, is none of airpath's, or is damaged.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason, with the column if it lies in one.
        reason: String,
    },
}

impl Table {
    /// A table without columns.
    pub fn new() -> Table {
        Table::default()
    }

    /// Adds a column of integers.
    #[must_use]
    pub fn i64(self, name: &str, values: impl IntoIterator<Item = i64>) -> Table {
        self.with(name, Cells::I64(values.into_iter().collect()), None)
    }

    /// Adds a column of counters; those above `i64::MAX` stop there.
    #[must_use]
    pub fn u64(self, name: &str, values: impl IntoIterator<Item = u64>) -> Table {
        self.i64(name, values.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)))
    }

    /// Adds a column of integers, some of them missing.
    #[must_use]
    pub fn optional_i64(self, n: &str, values: impl IntoIterator<Item = Option<i64>>) -> Table {
        let (values, present) = split(values);
        self.with(n, Cells::I64(values), Some(present))
    }

    /// Adds a column of numbers. It is nullable: what is not finite is missing.
    #[must_use]
    pub fn f64(self, name: &str, values: impl IntoIterator<Item = f64>) -> Table {
        self.optional_f64(name, values.into_iter().map(Some))
    }

    /// Adds a column of numbers, some of them missing or not finite, which is
    /// the same.
    #[must_use]
    pub fn optional_f64(self, n: &str, values: impl IntoIterator<Item = Option<f64>>) -> Table {
        let finite = values.into_iter().map(|value| value.filter(|v| v.is_finite()));
        let (values, present) = split(finite);
        self.with(n, Cells::F64(values), Some(present))
    }

    /// Adds a column of truth values.
    #[must_use]
    pub fn bool(self, name: &str, values: impl IntoIterator<Item = bool>) -> Table {
        self.with(name, Cells::Bool(values.into_iter().collect()), None)
    }

    /// Adds a column of text.
    #[must_use]
    pub fn utf8<S: AsRef<str>>(self, name: &str, values: impl IntoIterator<Item = S>) -> Table {
        self.with(name, Cells::Utf8(values.into_iter().map(text).collect()), None)
    }

    /// Adds a column of text, some of it missing.
    #[must_use]
    pub fn optional_utf8<S: AsRef<str>>(
        self,
        name: &str,
        values: impl IntoIterator<Item = Option<S>>,
    ) -> Table {
        let (values, present) = split(values.into_iter().map(|value| value.map(text)));
        self.with(name, Cells::Utf8(values), Some(present))
    }

    /// Says what a row is.
    #[must_use]
    pub fn describe(self, description: &str) -> Table {
        Table { description: description.to_owned(), ..self }
    }

    /// Says what the values of the column added last mean.
    #[must_use]
    pub fn doc(mut self, meaning: &str) -> Table {
        self.columns.last_mut().into_iter().for_each(|last| last.meaning = meaning.to_owned());
        self
    }

    /// A table whose columns its rows declare.
    ///
    /// ```
    /// use airpath_base::measure::MS;
    /// use airpath_results::Table;
    ///
    /// airpath_base::row! {
    ///     from |(number, delay_ms): (u64, f64)|
    ///     /// A probe that came back.
    ///     struct Probe {
    ///         /// Number of the probe, from 0.
    ///         number: u64 = number,
    ///         /// Time from sending to receiving.
    ///         delay_ms: f64 [MS.less()] = delay_ms,
    ///     }
    /// }
    ///
    /// let table = Table::of([(0, 21.5), (1, 19.0)].into_iter().map(Probe::of));
    /// assert_eq!(table.description(), "A probe that came back.");
    /// let columns: Vec<_> = table.described().map(|(name, _, unit, _)| (name, unit)).collect();
    /// assert_eq!(columns, [("number", ""), ("delay_ms", "ms")]);
    /// assert_eq!(table.meaning("delay_ms"), Some("Time from sending to receiving."));
    /// assert_eq!(table.numbers("delay_ms"), Some(vec![Some(21.5), Some(19.0)]));
    /// ```
    pub fn of<R: Row>(rows: impl Iterator<Item = R>) -> Table {
        let columns = R::COLUMNS.iter().map(|column| Column::empty(column, column.read));
        let mut columns: Vec<Column> = columns.collect();
        for row in rows {
            columns.iter_mut().zip(row.values()).for_each(|(column, value)| column.push(value));
        }
        Table { description: R::MEANING.to_owned(), columns }
    }

    /// Adds declared columns with their texts and units, and a value for each row.
    #[must_use]
    pub fn add<'a, R: 'static>(
        mut self,
        columns: &[declared::Column<R>],
        rows: impl Iterator<Item = &'a R> + Clone,
    ) -> Table {
        for column in columns {
            let mut added = Column::empty(column, column.read.kind);
            rows.clone().for_each(|row| added.push(column.value(row)));
            self.columns.push(added);
        }
        self
    }

    /// Meaning of a row; empty if there is no text.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Names, types, units and meanings of the columns in order.
    pub fn described(&self) -> impl Iterator<Item = (&str, String, &'static str, &str)> {
        self.columns.iter().map(|c| (c.name.as_str(), c.kind(), c.unit, c.meaning.as_str()))
    }

    /// Rows of the first column; zero without columns.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::rows)
    }

    /// Names of the columns in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Writes the table as a Parquet file.
    ///
    /// # Errors
    ///
    /// If columns differ in length or share a name, or the file cannot be written.
    pub fn write_parquet(&self, to: impl Into<Location>) -> Result<(), TableError> {
        let mut writer = TableWriter::create(to, self)?;
        writer.write(self)?;
        writer.finish()
    }

    /// Writes the table as a Parquet file of few bytes.
    ///
    /// # Errors
    ///
    /// As [`Table::write_parquet`].
    pub fn write_small(&self, to: impl Into<Location>) -> Result<(), TableError> {
        let mut writer = TableWriter::of_form(to.into(), self, Form::Small)?;
        writer.write(self)?;
        writer.finish()
    }

    fn with(mut self, name: &str, cells: Cells, present: Option<Vec<bool>>) -> Table {
        self.columns.push(Column {
            name: name.into(),
            meaning: String::new(),
            unit: "",
            cells,
            present,
        });
        self
    }

    fn check_lengths(&self) -> Result<(), TableError> {
        let expected = self.rows();
        match self.columns.iter().find(|column| column.rows() != expected) {
            None => Ok(()),
            Some(c) => {
                Err(TableError::Lengths { column: c.name.clone(), rows: c.rows(), expected })
            }
        }
    }
}

/// Form of a file's pages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Written and read in little time.
    Fast,
    /// In few bytes: the bytes of numbers are split by their significance, which suits numbers of few
    /// digits (Apache Parquet, Encodings.md, "Byte Stream Split").
    Small,
}

/// Writes a Parquet file from several tables with the same columns. Each is a row group, so that a
/// long table need not be in memory as a whole.
pub struct TableWriter {
    schema: Type,
    writer: SerializedFileWriter<Output>,
}

impl TableWriter {
    /// Begins a file with the columns of `like`; writes none of its rows.
    ///
    /// # Errors
    ///
    /// If two columns share a name or the file cannot be created.
    pub fn create(to: impl Into<Location>, like: &Table) -> Result<TableWriter, TableError> {
        TableWriter::of_form(to.into(), like, Form::Fast)
    }

    fn of_form(to: Location, like: &Table, form: Form) -> Result<TableWriter, TableError> {
        let schema = like.schema()?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by("airpath".into())
            .set_key_value_metadata(like.metadata());
        if form == Form::Small {
            properties = properties.set_compression(Compression::GZIP(GzipLevel::try_new(9)?));
            let numbers = like.columns.iter().filter(|c| matches!(c.cells, Cells::F64(_)));
            for path in numbers.map(|column| ColumnPath::from(column.name.as_str())) {
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
            }
        }
        let file = to.create()?;
        let properties = Arc::new(properties.build());
        let writer = SerializedFileWriter::new(file, Arc::new(schema.clone()), properties)?;
        Ok(TableWriter { schema, writer })
    }

    /// Writes the rows of `part`.
    ///
    /// # Errors
    ///
    /// If its columns are not those of the file or differ in length, or the file
    /// cannot be written.
    pub fn write(&mut self, part: &Table) -> Result<(), TableError> {
        part.check_lengths()?;
        if part.schema()? != self.schema {
            return Err(TableError::Columns);
        }
        let mut group = self.writer.next_row_group()?;
        for column in &part.columns {
            column.write(&mut group)?;
        }
        group.close()?;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), TableError> {
        self.writer.close()?;
        Ok(())
    }
}

impl Column {
    /// A declared column without rows.
    fn empty<Read>(declared: &Measure<Read>, kind: Kind) -> Column {
        let (cells, nullable) = match kind {
            Kind::Text => (Cells::Utf8(Vec::new()), false),
            Kind::OptionalText => (Cells::Utf8(Vec::new()), true),
            Kind::Whole => (Cells::I64(Vec::new()), false),
            Kind::OptionalWhole => (Cells::I64(Vec::new()), true),
            Kind::Number => (Cells::F64(Vec::new()), true),
            Kind::Truth => (Cells::Bool(Vec::new()), false),
        };
        Column {
            name: declared.name.clone().into_owned(),
            meaning: declared.meaning.clone().into_owned(),
            unit: declared.scale.unit,
            cells,
            present: nullable.then(Vec::new),
        }
    }

    /// Adds a row. A number that is not finite is missing.
    fn push(&mut self, value: Value<'_>) {
        let there = match (&mut self.cells, value) {
            (Cells::Utf8(cells), Value::Text(Some(value))) => keep(cells, text(value)),
            (Cells::I64(cells), Value::Whole(Some(value))) => keep(cells, value),
            (Cells::F64(cells), Value::Number(Some(value))) if value.is_finite() => {
                keep(cells, value)
            }
            (Cells::Bool(cells), Value::Truth(value)) => keep(cells, value),
            _ => false,
        };
        self.present.iter_mut().for_each(|present| present.push(there));
    }

    fn rows(&self) -> usize {
        match &self.present {
            Some(present) => present.len(),
            None => self.cells.len(),
        }
    }

    /// Its type for people.
    fn kind(&self) -> String {
        let kind = match self.cells {
            Cells::I64(_) => "integer",
            Cells::F64(_) => "number",
            Cells::Bool(_) => "true or false",
            Cells::Utf8(_) => "text",
        };
        let or_null = if self.present.is_some() { " or null" } else { "" };
        format!("{kind}{or_null}")
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, Output>) -> Result<(), ParquetError> {
        let Some(writer) = group.next_column()? else { return Ok(()) };
        // A definition level of 1 says that the value is there.
        let levels: Option<Vec<i16>> =
            self.present.as_ref().map(|p| p.iter().map(|&there| i16::from(there)).collect());
        let levels = levels.as_deref();
        match &self.cells {
            Cells::I64(values) => put::<Int64Type>(writer, values, levels),
            Cells::F64(values) => put::<DoubleType>(writer, values, levels),
            Cells::Bool(values) => put::<BoolType>(writer, values, levels),
            Cells::Utf8(values) => put::<ByteArrayType>(writer, values, levels),
        }
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::I64(values) => values.len(),
            Cells::F64(values) => values.len(),
            Cells::Bool(values) => values.len(),
            Cells::Utf8(values) => values.len(),
        }
    }
}

fn put<T: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    writer.typed::<T>().write_batch(values, levels, None)?;
    writer.close()
}

fn split<T>(values: impl IntoIterator<Item = Option<T>>) -> (Vec<T>, Vec<bool>) {
    let mut present = Vec::new();
    let values = values.into_iter().inspect(|value| present.push(value.is_some())).flatten();
    (values.collect(), present)
}

/// Adds a cell, and says that it is there.
fn keep<T>(cells: &mut Vec<T>, value: T) -> bool {
    cells.push(value);
    true
}

fn text(value: impl AsRef<str>) -> ByteArray {
    ByteArray::from(value.as_ref())
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
