//! The values of a table's columns.

use super::{Cells, Column, Table};

impl Table {
    /// The numbers of a column of numbers or integers, missing ones as `None`; none if there
    /// is no such column, or it holds something else. An integer beyond 2^53 is rounded.
    pub fn numbers(&self, name: &str) -> Option<Vec<Option<f64>>> {
        let column = self.column(name)?;
        match &column.cells {
            Cells::I64(values) => Some(column.spread(values.iter().map(|&n| n as f64))),
            Cells::F64(values) => Some(column.spread(values.iter().copied())),
            Cells::Bool(_) | Cells::Utf8(_) => None,
        }
    }

    /// Values of a column of integers; none for a column of another kind.
    pub fn integers(&self, name: &str) -> Option<Vec<Option<i64>>> {
        let column = self.column(name)?;
        match &column.cells {
            Cells::I64(values) => Some(column.spread(values.iter().copied())),
            Cells::F64(_) | Cells::Bool(_) | Cells::Utf8(_) => None,
        }
    }

    /// Values of a column of truth values; none for a column of another kind.
    pub fn truths(&self, name: &str) -> Option<Vec<Option<bool>>> {
        let column = self.column(name)?;
        match &column.cells {
            Cells::Bool(values) => Some(column.spread(values.iter().copied())),
            Cells::I64(_) | Cells::F64(_) | Cells::Utf8(_) => None,
        }
    }

    /// Values of a column of text; none for a column of another kind.
    pub fn texts(&self, name: &str) -> Option<Vec<Option<&str>>> {
        let column = self.column(name)?;
        match &column.cells {
            Cells::Utf8(values) => {
                Some(column.spread(values.iter().map(|value| value.as_utf8().unwrap_or_default())))
            }
            Cells::I64(_) | Cells::F64(_) | Cells::Bool(_) => None,
        }
    }

    /// Meaning of a column's values; empty if there is no text, none if there is no such column.
    pub fn meaning(&self, name: &str) -> Option<&str> {
        self.column(name).map(|column| column.meaning.as_str())
    }

    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The names of its columns, for a message.
    pub(super) fn names(&self) -> String {
        self.columns().collect::<Vec<_>>().join(", ")
    }
}

impl Column {
    /// A value or none for each row.
    fn spread<T>(&self, values: impl Iterator<Item = T>) -> Vec<Option<T>> {
        match &self.present {
            None => values.map(Some).collect(),
            Some(present) => {
                let mut values = values;
                present.iter().map(|&there| there.then(|| values.next()).flatten()).collect()
            }
        }
    }
}
