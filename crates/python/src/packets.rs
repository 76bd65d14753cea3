//! The table of packets. It may have a million rows, so it is laid out at once as Arrow has it:
//! names as numbers into lists of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use airpath_base::NodeId;
use airpath_net::{DropCause, Leg, RadioEnd, Stage};
use airpath_results::{Collector, PacketRow, tables};
use arrow_array::types::UInt32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int64Array, StringArray, UInt32Array,
};
use arrow_buffer::{BooleanBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use crate::frame::Frame;

/// The table of a run's packets.
pub fn frame(collector: &Collector) -> Result<Frame, ArrowError> {
    let rows = collector.packets();
    let like = tables::packets(collector, &[]);
    let columns: Result<Vec<ArrayRef>, ArrowError> =
        like.columns().map(|name| column(name, collector, rows)).collect();
    Frame::new(&like, columns?)
}

/// The names of what packets ended at, each once.
#[derive(Default)]
struct Spots {
    names: Vec<String>,
    known: BTreeMap<(NodeId, Option<RadioEnd>), usize>,
}

impl Spots {
    fn key(&mut self, collector: &Collector, row: &PacketRow) -> usize {
        let names = &mut self.names;
        *self.known.entry((row.node, row.end)).or_insert_with(|| {
            let name = collector.inventory().spot(row.node, row.end);
            let place = names.iter().position(|known| *known == name);
            place.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        })
    }
}

fn column(name: &str, collector: &Collector, rows: &[PacketRow]) -> Result<ArrayRef, ArrowError> {
    let count = |get: fn(&PacketRow) -> u64| {
        let values = rows.iter().map(|row| i64::try_from(get(row)).unwrap_or(i64::MAX));
        Ok(integers(values))
    };
    let truth = |get: fn(&PacketRow) -> bool| -> ArrayRef {
        let bits = BooleanBuffer::collect_bool(rows.len(), |n| get(&rows[n]));
        Arc::new(BooleanArray::new(bits, None))
    };
    match name {
        "flow" => {
            let names = collector.inventory().flows.iter().map(|flow| flow.name.clone());
            names_of(names.collect(), rows.iter().map(|row| Some(row.flow.index())))
        }
        "leg" => names_of(
            vec!["data".to_owned(), "feedback".to_owned()],
            rows.iter().map(|row| Some(usize::from(row.leg == Leg::Feedback))),
        ),
        "node" => {
            let mut spots = Spots::default();
            let keys: Vec<usize> = rows.iter().map(|row| spots.key(collector, row)).collect();
            names_of(spots.names, keys.into_iter().map(Some))
        }
        "dropped" => {
            let causes: Vec<DropCause> = DropCause::ALL.to_vec();
            let place = |cause: DropCause| causes.iter().position(|known| *known == cause);
            let names = causes.iter().map(|cause| cause.name().to_owned()).collect();
            names_of(names, rows.iter().map(|row| row.dropped.and_then(place)))
        }
        "number" => count(|row| row.number),
        "id" => count(|row| row.id),
        "size" => count(|row| u64::from(row.size)),
        "born_ns" => count(|row| row.born.as_nanos()),
        "ended_ns" => count(|row| row.ended.as_nanos()),
        "delivered" => Ok(truth(|row| row.dropped.is_none())),
        "ce" => Ok(truth(|row| row.ce)),
        other => match Stage::ALL.into_iter().find(|stage| format!("{}_ns", stage.name()) == other)
        {
            Some(stage) => Ok(integers(rows.iter().map(move |row| {
                i64::try_from(row.stages.spent(stage).as_nanos()).unwrap_or(i64::MAX)
            }))),
            None => Err(ArrowError::SchemaError(format!("no column {other}"))),
        },
    }
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::new(ScalarBuffer::from_iter(values), None))
}

fn names_of(
    names: Vec<String>,
    keys: impl Iterator<Item = Option<usize>>,
) -> Result<ArrayRef, ArrowError> {
    let keys: UInt32Array = keys.map(|key| key.and_then(|key| u32::try_from(key).ok())).collect();
    // A list of what is missing is for columns in which something may be.
    let keys = match keys.null_count() {
        0 => UInt32Array::new(keys.values().clone(), None),
        _ => keys,
    };
    let names = Arc::new(StringArray::from(names));
    Ok(Arc::new(DictionaryArray::<UInt32Type>::try_new(keys, names)?))
}
