//! The values of a column of a part, from its pages.
//!
//! Page headers and compression are parquet's. The values of a page are decoded here. Reason:
//! parquet's decoders trust the lengths in a file, and panic where a damaged file lies. The
//! encodings are those that airpath's files have: levels and dictionary indices in runs, values
//! plain or, of numbers, split by their bytes. Source: Apache Parquet, Encodings.md ("Plain",
//! "RLE/Bit-Packing Hybrid", "Dictionary Encoding", "Byte Stream Split").

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::data_type::ByteArray;

use super::{Cells, Column};

/// Adds the values of all pages to a column, which has `rows` rows in this part.
pub(super) fn append(
    column: &mut Column,
    pages: &mut dyn PageReader,
    rows: usize,
) -> Result<(), String> {
    let mut dictionary = None;
    let end = column.rows() + rows;
    while let Some(page) = pages.get_next_page().map_err(|error| super::read::plain(&error))? {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => {
                let mut entries = column.cells.without_values();
                entries.plain(&mut Bytes(buf), num_values as usize)?;
                dictionary = Some(entries);
            }
            Page::DataPage { buf, num_values, encoding, .. } => {
                if num_values as usize > end - column.rows() {
                    return Err(format!("has more than the {rows} rows of its part"));
                }
                let dictionary = dictionary.as_ref();
                column.page(Bytes(buf), num_values as usize, encoding, dictionary)?;
            }
            Page::DataPageV2 { .. } => return Err(foreign("a page of version 2")),
        }
    }
    match column.rows() {
        all if all == end => Ok(()),
        all => Err(format!("lacks {} of {rows} rows of its part", end - all)),
    }
}

impl Column {
    /// Adds the values of a data page.
    fn page(
        &mut self,
        mut bytes: Bytes,
        count: usize,
        encoding: Encoding,
        dictionary: Option<&Cells>,
    ) -> Result<(), String> {
        let mut there = count;
        if let Some(present) = &mut self.present {
            let length = u32::from_le_bytes(bytes.array()?) as usize;
            let before = present.len();
            runs(&mut bytes.take(length)?, 1, count, |level| {
                present.push(level > 0);
                Ok(())
            })?;
            there = present[before..].iter().filter(|&&there| there).count();
        }
        match (encoding, dictionary) {
            (Encoding::PLAIN, _) => self.cells.plain(&mut bytes, there),
            (Encoding::RLE_DICTIONARY, Some(entries)) => {
                let [width] = bytes.array()?;
                let cells = &mut self.cells;
                runs(&mut bytes, width, there, |index| cells.pick(entries, index as usize))
            }
            (Encoding::BYTE_STREAM_SPLIT, _) => self.cells.split(&mut bytes, there),
            (other, _) => Err(foreign(&format!("encoding {other}"))),
        }
    }
}

impl Cells {
    /// A list for values of the same type.
    fn without_values(&self) -> Cells {
        match self {
            Cells::I64(_) => Cells::I64(Vec::new()),
            Cells::F64(_) => Cells::F64(Vec::new()),
            Cells::Bool(_) => Cells::Bool(Vec::new()),
            Cells::Utf8(_) => Cells::Utf8(Vec::new()),
        }
    }

    /// Adds `count` values that stand one behind the other.
    fn plain(&mut self, bytes: &mut Bytes, count: usize) -> Result<(), String> {
        match self {
            Cells::Bool(values) => {
                let bits = bytes.take(count.div_ceil(8))?.0;
                values.extend((0..count).map(|n| bits[n / 8] >> (n % 8) & 1 > 0));
            }
            Cells::I64(values) => {
                for _ in 0..count {
                    values.push(i64::from_le_bytes(bytes.array()?));
                }
            }
            Cells::F64(values) => {
                for _ in 0..count {
                    values.push(f64::from_le_bytes(bytes.array()?));
                }
            }
            Cells::Utf8(values) => {
                for _ in 0..count {
                    values.push(bytes.text()?);
                }
            }
        }
        Ok(())
    }

    /// Adds `count` numbers, of which all first bytes stand before all second ones, and so on.
    fn split(&mut self, bytes: &mut Bytes, count: usize) -> Result<(), String> {
        let Cells::F64(values) = self else {
            return Err(foreign("encoding BYTE_STREAM_SPLIT"));
        };
        let mut streams = [(); 8].map(|()| bytes::Bytes::new());
        for stream in &mut streams {
            *stream = bytes.take(count)?.0;
        }
        let number = |n: usize| f64::from_le_bytes(std::array::from_fn(|at| streams[at][n]));
        values.extend((0..count).map(number));
        Ok(())
    }

    /// Adds an entry of a dictionary.
    fn pick(&mut self, entries: &Cells, index: usize) -> Result<(), String> {
        let found = match (self, entries) {
            (Cells::I64(to), Cells::I64(from)) => from.get(index).map(|&value| to.push(value)),
            (Cells::F64(to), Cells::F64(from)) => from.get(index).map(|&value| to.push(value)),
            (Cells::Utf8(to), Cells::Utf8(from)) => {
                from.get(index).map(|value| to.push(value.clone()))
            }
            _ => None,
        };
        found.ok_or_else(|| format!("has an index {index} beyond its dictionary"))
    }
}

/// Reads `count` numbers of `width` bits, which stand in runs of equal ones and in packed groups
/// of eight.
fn runs(
    bytes: &mut Bytes,
    width: u8,
    count: usize,
    mut each: impl FnMut(u32) -> Result<(), String>,
) -> Result<(), String> {
    if width > 32 {
        return Err(format!("has indices of {width} bits"));
    }
    let mut left = count;
    while left > 0 {
        let header = bytes.varint()?;
        let length = (header >> 1) as usize;
        if header & 1 == 0 {
            let value = bytes.number(width)?;
            for _ in 0..length.min(left) {
                each(value)?;
            }
            left -= length.min(left);
        } else {
            let packed = bytes.take(length.saturating_mul(usize::from(width)))?.0;
            let values = length.saturating_mul(8).min(left);
            for n in 0..values {
                each(unpack(&packed, n, width))?;
            }
            left -= values;
        }
        if length == 0 {
            return Err("has an empty run".into());
        }
    }
    Ok(())
}

/// The `n`th of numbers of `width` bits, which are packed from the least significant bit.
fn unpack(packed: &[u8], n: usize, width: u8) -> u32 {
    let width = usize::from(width);
    let bit = |at: usize| u32::from(packed[at / 8] >> (at % 8) & 1);
    (0..width).fold(0, |value, k| value | bit(n * width + k) << k)
}

/// The rest of a page.
struct Bytes(bytes::Bytes);

impl Bytes {
    fn take(&mut self, length: usize) -> Result<Bytes, String> {
        match length <= self.0.len() {
            true => Ok(Bytes(self.0.split_to(length))),
            false => Err(format!("ends early: {} bytes are left of {length}", self.0.len())),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let taken = self.take(N)?;
        Ok(std::array::from_fn(|n| taken.0[n]))
    }

    /// A number of `width` bits, in as many bytes as it needs.
    fn number(&mut self, width: u8) -> Result<u32, String> {
        let taken = self.take(usize::from(width).div_ceil(8))?;
        Ok(taken.0.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    /// A number in groups of seven bits, at most five.
    fn varint(&mut self) -> Result<u32, String> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            value |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("has a run without length".into())
    }

    fn text(&mut self) -> Result<ByteArray, String> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        let text = ByteArray::from(self.take(length)?.0);
        match text.as_utf8() {
            Ok(_) => Ok(text),
            Err(_) => Err("has text that is not UTF-8".into()),
        }
    }
}

fn foreign(what: &str) -> String {
    format!("has {what}, which airpath does not write")
}
