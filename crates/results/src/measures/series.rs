//! Quantities of the time series, by the metric of a row.

use airpath_base::measure::{BPS, BYTES, DB, MS, Measure, PACKETS, PLAIN, RESOURCE_BLOCKS, S};
use airpath_base::measures;

pub(crate) const MEASURES: &[Measure<()>] = measures! {
    /// Bits that the application of a flow got in order in the interval, a second.
    in_order_goodput_bps [BPS.more()] = (),
    /// Bits of IP of the data packets of a flow that arrived in the interval, a second.
    arrival_rate_bps [BPS] = (),
    /// Congestion window of TCP at the end of the interval.
    cwnd_bytes [BYTES] = (),
    /// Bytes of TCP in flight at the end of the interval.
    in_flight_bytes [BYTES] = (),
    /// Smoothed RTT of TCP at the end of the interval.
    srtt_ms [MS.less()] = (),
    /// Media that a player could play at the end of the interval without more arriving.
    buffer_s [S.more()] = (),
    /// Packets that waited in a queue, mean over the interval.
    queue_packets [PACKETS] = (),
    /// Bytes that waited in a queue, mean over the interval.
    queue_bytes [BYTES] = (),
    /// Mean wait of the packets that left a queue in the interval.
    queue_delay_ms [MS.less()] = (),
    /// Resource blocks of a cell that were used in the interval.
    resource_blocks [RESOURCE_BLOCKS] = (),
    /// Mean modulation and coding scheme of the transmissions of a cell in the interval.
    mcs [PLAIN.more()] = (),
    /// Mean effective SINR of the transmissions of a cell in the interval.
    sinr_db [DB.more()] = (),
};
