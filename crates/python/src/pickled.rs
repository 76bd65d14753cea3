//! Frames as values that `pickle` takes: the bytes of each buffer of Arrow's columnar format.

use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::errors;
use crate::frame::{About, Frame};

/// An array: type, rows, bits of the rows with a value (none if all have one), buffers. `B` is a buffer's bytes.
type Kept<B> = (String, usize, Option<B>, Vec<B>);

/// A column: name, unit, meaning, true if rows may have no value, and its array. A column of
/// numbers into a list of names has the list as a second array.
type Column<B> = (String, String, String, bool, Vec<Kept<B>>);

/// Types of arrays that frames have.
const KINDS: [DataType; 5] =
    [DataType::Boolean, DataType::Float64, DataType::Int64, DataType::UInt32, DataType::Utf8];

/// The columns of a frame as values of Python's.
#[pyfunction]
fn columns_kept(frame: &Frame) -> Vec<Column<Vec<u8>>> {
    let columns = frame.abouts().into_iter().zip(frame.arrays());
    columns.map(|(of, array)| (of.name, of.unit, of.meaning, of.nullable, kept(array))).collect()
}

/// The frame of such columns.
#[pyfunction]
fn frame_of_kept(
    py: Python<'_>,
    description: &str,
    columns: Vec<Column<PyBackedBytes>>,
) -> PyResult<Frame> {
    let made = || {
        let column = |(name, unit, meaning, nullable, arrays)| {
            Ok((About { name, unit, meaning, nullable }, array(arrays)?))
        };
        let columns: Result<Vec<_>, ArrowError> = columns.into_iter().map(column).collect();
        let (abouts, arrays) = columns?.into_iter().unzip();
        Frame::of_arrays(description, abouts, arrays)
    };
    made().map_err(|error| errors::input(py, error))
}

/// Arrays of frames are whole, so each begins with its buffers.
fn kept(array: &ArrayRef) -> Vec<Kept<Vec<u8>>> {
    let one = |data: &ArrayData, kind: &DataType| {
        let bits = data.nulls().map(|nulls| nulls.inner().sliced().to_vec());
        (kind.to_string(), data.len(), bits, data.buffers().iter().map(|b| b.to_vec()).collect())
    };
    let data = array.to_data();
    match data.data_type() {
        DataType::Dictionary(keys, names) => {
            vec![one(&data, keys), one(&data.child_data()[0], names)]
        }
        kind => vec![one(&data, kind)],
    }
}

fn array(kept: Vec<Kept<PyBackedBytes>>) -> Result<ArrayRef, ArrowError> {
    let mut parts = kept.into_iter().map(part).collect::<Result<Vec<_>, _>>()?.into_iter();
    match (parts.next(), parts.next(), parts.next()) {
        // Whole numbers of 32 bits are keys of names alone.
        (Some((kind, data)), None, None) if kind != DataType::UInt32 => {
            Ok(make_array(data.data_type(kind).build()?))
        }
        (Some((keys, data)), Some((kind, names)), None) => {
            let names = names.data_type(kind.clone()).build()?;
            let kind = DataType::Dictionary(Box::new(keys), Box::new(kind));
            Ok(make_array(data.data_type(kind).add_child_data(names).build()?))
        }
        _ => Err(ArrowError::SchemaError("a column has one array or two".to_owned())),
    }
}

fn part(kept: Kept<PyBackedBytes>) -> Result<(DataType, ArrayDataBuilder), ArrowError> {
    let (name, rows, bits, buffers) = kept;
    let kind = KINDS.into_iter().find(|kind| kind.to_string() == name);
    let kind = kind.ok_or_else(|| ArrowError::SchemaError(format!("no frame has type {name}")))?;
    let buffer = |bytes: PyBackedBytes| Buffer::from(&bytes[..]);
    let data = ArrayDataBuilder::new(DataType::Null).len(rows).align_buffers(true);
    let buffers = buffers.into_iter().map(buffer).collect();
    Ok((kind, data.null_bit_buffer(bits.map(buffer)).buffers(buffers)))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(columns_kept, module)?)?;
    module.add_function(wrap_pyfunction!(frame_of_kept, module)?)
}
