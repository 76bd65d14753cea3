//! Quantities of a frame of media: columns of `frames.parquet`.

use airpath_base::measure::{BYTES, MS, NS, PACKETS};
use airpath_base::{Duration, row};

use crate::FrameRow;

row! {
    from |(flow, frame): (&'a str, &FrameRow)|
    /// A frame of media, in the order in which they arrived.
    pub(crate) struct Frame<'a> {
        /// Name of the flow.
        flow: &'a str = flow,
        /// Number of the frame within its flow, from 0.
        number: u64 = frame.number,
        /// Time at which the encoder made it.
        made_ns: u64 [NS] = frame.made.as_nanos(),
        /// Bytes of media.
        bytes: u32 [BYTES] = frame.bytes,
        /// RTP packets.
        packets: u32 [PACKETS] = frame.packets,
        /// True if it can be decoded without the frames before.
        key: bool = frame.key,
        /// From encoder to picture; null if it did not arrive whole.
        delay_ms: Option<f64> [MS.less()] = frame.delay.map(Duration::as_millis_f64),
    }
}
