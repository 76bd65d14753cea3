//! Quantities of a queue: keys of `summary.json`, and columns of tables whose rows have a queue.

use airpath_base::measure::{BYTES, Column, MS, PACKETS};
use airpath_base::{fields, measured};
use serde::{Deserialize, Serialize};

use super::source::Window;
use crate::Occupancy;

/// Source of a queue's quantities.
pub(crate) struct QueueAt<'a> {
    pub queue: &'a Occupancy,
    pub window: Window,
}

measured! {
    from |queue: &QueueAt<'_>|
    /// Packets that waited in a queue. A packet that is being sent has left the queue.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct QueueSummary {
        /// Packets that waited, mean over time.
        pub mean_packets: Option<f64> [PACKETS] = queue.mean().map(|(packets, _)| packets),
        /// Most packets that waited at any time.
        pub max_packets: u32 [PACKETS] = queue.queue.max().0,
        /// Their bytes, mean over time.
        pub mean_bytes: Option<f64> [BYTES] = queue.mean().map(|(_, bytes)| bytes),
        /// Most bytes that waited at any time.
        pub max_bytes: u64 [BYTES] = queue.queue.max().1,
        /// Mean wait in milliseconds of the packets that left to be sent.
        pub mean_delay_ms: Option<f64> [MS] = queue.queue.wait_ms().map(|(mean, _)| mean),
        /// Longest of these waits in milliseconds.
        pub max_delay_ms: Option<f64> [MS] = queue.queue.wait_ms().map(|(_, max)| max),
    }
}

/// Columns of a queue, whose names begin with `prefix` and whose texts begin with `whose`.
pub fn columns(prefix: &str, whose: &str) -> Vec<Column<QueueSummary>> {
    let mut all = Vec::from(fields!(QueueSummary:
        mean_packets, max_packets, mean_bytes, max_bytes, mean_delay_ms, max_delay_ms
    ));
    for column in &mut all {
        column.name = format!("{prefix}_{}", column.name).into();
        column.meaning = format!("{whose}{}", column.meaning).into();
    }
    all
}

impl QueueAt<'_> {
    /// Packets and bytes that waited, mean over time.
    fn mean(&self) -> Option<(f64, f64)> {
        self.queue.mean(self.window.from, self.window.end)
    }
}
