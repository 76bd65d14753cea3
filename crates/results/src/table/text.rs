//! Tables as CSV (RFC 4180): a line of names, then a line for each row.
//!
//! A number is the shortest text that reads back as the same. A missing value is empty, as is an
//! empty text; truth values are `true` and `false`. Texts on table and columns are left out: CSV
//! has no field for them.
//!
//! Spreadsheets take a cell for a formula, and run it, if it begins with `=`, `+`, `-` or `@`
//! (OWASP, "CSV Injection"). A tab or carriage return may be before it. Names come from others. So
//! a text that begins like a formula has an apostrophe before it, which makes it text; numbers
//! stay.

use csv::{Terminator, Writer, WriterBuilder};

use super::{Cells, Column, Table, TableError};
use crate::{Location, Output};

/// Writes a CSV file from several tables with the same columns.
pub struct CsvWriter {
    names: Vec<String>,
    writer: Writer<Output>,
}

impl CsvWriter {
    /// Begins a file with the names of the columns of `like`; writes none of its rows.
    ///
    /// # Errors
    ///
    /// If two columns share a name or the file cannot be created.
    pub fn create(to: impl Into<Location>, like: &Table) -> Result<CsvWriter, TableError> {
        like.schema()?;
        let file = to.into().create()?;
        let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(file);
        let names: Vec<String> = like.columns().map(str::to_owned).collect();
        writer.write_record(names.iter().map(|name| text_only(name)))?;
        Ok(CsvWriter { names, writer })
    }

    /// Writes the rows of `part`.
    ///
    /// # Errors
    ///
    /// If its columns have other names than those of the file or differ in length, or the
    /// file cannot be written.
    pub fn write(&mut self, part: &Table) -> Result<(), TableError> {
        part.check_lengths()?;
        if !part.columns().eq(self.names.iter().map(String::as_str)) {
            return Err(TableError::Columns);
        }
        let mut columns: Vec<_> = part.columns.iter().map(Column::texts).collect();
        for _ in 0..part.rows() {
            let row = columns.iter_mut().map(|column| column.next().unwrap_or_default());
            self.writer.write_record(row)?;
        }
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<(), TableError> {
        Ok(self.writer.flush()?)
    }
}

impl Table {
    /// Writes the table as a CSV file (RFC 4180). Lines end with CR LF, a missing value is empty,
    /// and a number is the shortest text that reads back as the same. A text that a spreadsheet
    /// would take for a formula has an apostrophe before it.
    ///
    /// # Errors
    ///
    /// If columns differ in length or share a name, or the file cannot be written.
    pub fn write_csv(&self, to: impl Into<Location>) -> Result<(), TableError> {
        let mut writer = CsvWriter::create(to, self)?;
        writer.write(self)?;
        writer.finish()
    }
}

impl Column {
    /// Its values as text, empty where there is none.
    fn texts(&self) -> Box<dyn Iterator<Item = String> + '_> {
        match &self.cells {
            Cells::I64(values) => self.filled(values.iter().map(i64::to_string)),
            Cells::F64(values) => self.filled(values.iter().map(|&value| shortest(value))),
            Cells::Bool(values) => self.filled(values.iter().map(bool::to_string)),
            Cells::Utf8(values) => self
                .filled(values.iter().map(|value| text_only(value.as_utf8().unwrap_or_default()))),
        }
    }

    fn filled<'a>(
        &'a self,
        mut values: impl Iterator<Item = String> + 'a,
    ) -> Box<dyn Iterator<Item = String> + 'a> {
        match &self.present {
            None => Box::new(values),
            Some(present) => Box::new(present.iter().map(move |&there| match there {
                true => values.next().unwrap_or_default(),
                false => String::new(),
            })),
        }
    }
}

/// A text that no spreadsheet takes for a formula.
fn text_only(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// The shortest text that reads back as the same number: with an exponent where digits alone
/// would be long.
fn shortest(value: f64) -> String {
    match value.abs() {
        0.0 | 1e-5..1e17 => value.to_string(),
        _ => format!("{value:e}"),
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
