//! Reading what [`Table`] wrote: whole, or selected columns part by part.
//!
//! It reads Parquet files with flat columns of the four types that airpath writes. It is no reader for Parquet files of others. A file that is cut
//! or altered gives an error, which names the file, and the column if the trouble lies in one.
//! Parts of a file carry no check sum, so an altered value may go unseen.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};

use super::{Column, Table, TableError, decode, schema};

/// A Parquet file of airpath's that is read part by part, so that a long one need not be in
/// memory as a whole.
pub struct TableReader {
    path: PathBuf,
    reader: Box<dyn FileReader>,
    length: u64,
    /// Its columns without their values.
    like: Table,
}

impl TableReader {
    /// Opens a file and reads what it says of itself.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no Parquet file with columns as airpath writes them.
    pub fn open(path: &Path) -> Result<TableReader, TableError> {
        let failed = |reason: String| unreadable(path, None, reason);
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let length = file.metadata().map_err(|error| failed(error.to_string()))?.len();
        TableReader::over(path, file, length)
    }

    /// Opens what is in memory, which errors call `name`.
    ///
    /// # Errors
    ///
    /// As [`TableReader::open`].
    pub fn from_bytes(name: &str, bytes: Cow<'static, [u8]>) -> Result<TableReader, TableError> {
        let length = bytes.len() as u64;
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => Bytes::from(bytes),
        };
        TableReader::over(Path::new(name), bytes, length)
    }

    pub(crate) fn over(
        path: &Path,
        file: impl ChunkReader + 'static,
        length: u64,
    ) -> Result<TableReader, TableError> {
        let failed = |error: ParquetError| unreadable(path, None, plain(&error));
        let reader = SerializedFileReader::new(file).map_err(failed)?;
        let like = schema::table(reader.metadata().file_metadata())
            .map_err(|(column, reason)| unreadable(path, column.as_deref(), reason))?;
        Ok(TableReader { path: path.to_owned(), reader: Box::new(reader), length, like })
    }

    /// A table with the file's description and columns, and no rows.
    pub fn like(&self) -> &Table {
        &self.like
    }

    /// Rows of all parts, as the file says.
    pub fn rows(&self) -> usize {
        usize::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Number of parts: as many as were written.
    pub fn parts(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// All columns of all parts.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged.
    pub fn all(&self) -> Result<Table, TableError> {
        self.select(&self.like.columns().collect::<Vec<_>>())
    }

    /// Columns of these names, of all parts.
    ///
    /// # Errors
    ///
    /// If there is no such column, or the file cannot be read or is damaged.
    pub fn select(&self, names: &[&str]) -> Result<Table, TableError> {
        let mut table = self.empty(names)?;
        for n in 0..self.parts() {
            self.append(n, &mut table)?;
        }
        Ok(table)
    }

    /// Columns of these names, of part `n`.
    ///
    /// # Errors
    ///
    /// If there is no such part or column, or the file cannot be read or is damaged.
    pub fn part(&self, n: usize, names: &[&str]) -> Result<Table, TableError> {
        let mut table = self.empty(names)?;
        self.append(n, &mut table)?;
        Ok(table)
    }

    /// These columns without values.
    fn empty(&self, names: &[&str]) -> Result<Table, TableError> {
        let find = |&name: &&str| match self.like.column(name) {
            Some(column) => Ok(column.clone()),
            None => Err(self.failed(name, format!("is not there, but {}", self.like.names()))),
        };
        let columns = names.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Table { description: self.like.description.clone(), columns })
    }

    /// Adds the rows of part `n`.
    fn append(&self, n: usize, table: &mut Table) -> Result<(), TableError> {
        let whole = |reason: String| unreadable(&self.path, None, reason);
        if n >= self.parts() {
            return Err(whole(format!("there is no part {n}: it has {}", self.parts())));
        }
        let group = self.reader.get_row_group(n).map_err(|error| whole(plain(&error)))?;
        for column in &mut table.columns {
            let index = self.like.columns.iter().position(|c| c.name == column.name);
            let read = self.append_column(&*group, index.unwrap_or(0), column);
            read.map_err(|reason| self.failed(&column.name, reason))?;
        }
        Ok(())
    }

    fn append_column(
        &self,
        group: &dyn RowGroupReader,
        index: usize,
        column: &mut Column,
    ) -> Result<(), String> {
        check_place(group.metadata().column(index), self.length)?;
        let rows = usize::try_from(group.metadata().num_rows()).map_err(|e| e.to_string())?;
        let mut pages = group.get_column_page_reader(index).map_err(|error| plain(&error))?;
        decode::append(column, &mut *pages, rows)
    }

    fn failed(&self, column: &str, reason: String) -> TableError {
        unreadable(&self.path, Some(column), reason)
    }
}

impl Table {
    /// Reads a Parquet file that airpath wrote.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is no such file, or is damaged.
    pub fn read_parquet(path: &Path) -> Result<Table, TableError> {
        TableReader::open(path)?.all()
    }
}

/// Checks that a column's bytes lie within the file.
fn check_place(chunk: &ColumnChunkMetaData, length: u64) -> Result<(), String> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let bounds = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
    let end = bounds.and_then(|(start, bytes)| start.checked_add(bytes));
    match end.is_some_and(|end| end <= length) {
        true => Ok(()),
        false => Err("lies outside the file: the file is damaged".into()),
    }
}

fn unreadable(path: &Path, column: Option<&str>, reason: String) -> TableError {
    let column = column.map(|name| format!("column {name}: ")).unwrap_or_default();
    TableError::Unreadable { path: path.to_owned(), reason: format!("{column}{reason}") }
}

/// A library's text of an error, without the words that are its own.
pub(super) fn plain(error: &ParquetError) -> String {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
