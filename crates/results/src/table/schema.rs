//! The columns of a table as the schema and the metadata of a Parquet file.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, KeyValue};
use parquet::schema::types::Type;

use super::{Cells, Column, Table, TableError};

/// Prefix of a column's name in the key of its text.
const COLUMN: &str = "column.";
/// The key of a table's text.
const DESCRIPTION: &str = "description";

impl Table {
    /// The texts as a file's key-value metadata.
    pub(super) fn metadata(&self) -> Option<Vec<KeyValue>> {
        let table = (DESCRIPTION.to_owned(), &self.description);
        let columns = self.columns.iter().map(|c| (format!("{COLUMN}{}", c.name), &c.meaning));
        let said = std::iter::once(table).chain(columns).filter(|(_, text)| !text.is_empty());
        let pairs: Vec<_> = said.map(|(key, text)| KeyValue::new(key, text.clone())).collect();
        (!pairs.is_empty()).then_some(pairs)
    }

    pub(super) fn schema(&self) -> Result<Type, TableError> {
        for (n, column) in self.columns.iter().enumerate() {
            if self.columns[..n].iter().any(|other| other.name == column.name) {
                return Err(TableError::Twice(column.name.clone()));
            }
        }
        let fields: Result<_, _> = self.columns.iter().map(|c| c.field().map(Arc::new)).collect();
        Ok(Type::group_type_builder("schema").with_fields(fields?).build()?)
    }
}

impl Column {
    fn field(&self) -> Result<Type, ParquetError> {
        let (physical, logical, converted) = match self.cells {
            Cells::I64(_) => (Physical::INT64, None, ConvertedType::NONE),
            Cells::F64(_) => (Physical::DOUBLE, None, ConvertedType::NONE),
            Cells::Bool(_) => (Physical::BOOLEAN, None, ConvertedType::NONE),
            Cells::Utf8(_) => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String), ConvertedType::UTF8)
            }
        };
        let repetition =
            if self.present.is_some() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(&self.name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .with_converted_type(converted)
            .build()
    }

    /// A column without values as a file declares it; an error says what is not airpath's.
    fn declared(field: &Type) -> Result<Column, String> {
        let foreign = |what: String| format!("is {what}, which airpath does not write");
        if !field.is_primitive() {
            return Err(foreign("a group".into()));
        }
        let cells = match field.get_physical_type() {
            Physical::INT64 => Cells::I64(Vec::new()),
            Physical::DOUBLE => Cells::F64(Vec::new()),
            Physical::BOOLEAN => Cells::Bool(Vec::new()),
            Physical::BYTE_ARRAY => Cells::Utf8(Vec::new()),
            other => return Err(foreign(format!("of type {other}"))),
        };
        let info = field.get_basic_info();
        let present = match info.has_repetition().then(|| info.repetition()) {
            Some(Repetition::OPTIONAL) => Some(Vec::new()),
            Some(Repetition::REQUIRED) => None,
            _ => return Err(foreign("repeated".into())),
        };
        Ok(Column { name: field.name().into(), meaning: String::new(), unit: "", cells, present })
    }
}

/// The table that a file describes, without rows; an error names the column that airpath
/// would not have written.
pub(super) fn table(file: &FileMetaData) -> Result<Table, (Option<String>, String)> {
    let schema = file.schema_descr().root_schema_ptr();
    let mut table = Table::new();
    for field in schema.get_fields() {
        let column = Column::declared(field);
        table.columns.push(column.map_err(|reason| (Some(field.name().into()), reason))?);
    }
    if file.schema_descr().num_columns() != table.columns.len() {
        return Err((None, "its columns are not flat".into()));
    }
    table.schema().map_err(|error| (None, error.to_string()))?;
    for pair in file.key_value_metadata().into_iter().flatten() {
        table.say(&pair.key, pair.value.as_deref().unwrap_or_default());
    }
    Ok(table)
}

impl Table {
    /// Takes over a pair of a file's metadata.
    fn say(&mut self, key: &str, text: &str) {
        if key == DESCRIPTION {
            self.description = text.to_owned();
        } else if let Some(name) = key.strip_prefix(COLUMN) {
            let column = self.columns.iter_mut().find(|column| column.name == name);
            column.into_iter().for_each(|column| column.meaning = text.to_owned());
        }
    }
}
