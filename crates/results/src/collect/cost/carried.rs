//! Throughput and delay of a UE's flows between two samples of its position.

use airpath_base::Time;
use airpath_net::{Leg, Packet};

/// Sums since the last sample: 40 bytes a UE, where a time series has a row for each flow and interval.
#[derive(Default)]
pub(super) struct Carried {
    bytes: u64,
    packets: u64,
    delay_nanos: u64,
    since: Option<Time>,
}

impl Carried {
    /// A packet of a flow of the UE has arrived.
    pub(super) fn packet(&mut self, now: Time, packet: &Packet) {
        if packet.leg == Leg::Data {
            self.bytes += u64::from(packet.size);
            self.packets += 1;
            self.delay_nanos += now.saturating_since(packet.born()).as_nanos();
        }
    }

    /// Bytes of a full buffer have arrived.
    pub(super) fn bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Bits a second and mean delay in ms since the sample before, if there are any; begins anew.
    pub(super) fn take(&mut self, now: Time) -> [Option<f32>; 2] {
        let Carried { bytes, packets, delay_nanos, since } = std::mem::take(self);
        self.since = Some(now);
        let span = since.map(|since| now.saturating_since(since)).filter(|span| !span.is_zero());
        let rate = span.map(|span| (bytes as f64 * 8.0 / span.as_secs_f64()) as f32);
        let delay = (packets > 0).then(|| (delay_nanos as f64 / packets as f64 / 1e6) as f32);
        [rate, delay.filter(|_| rate.is_some())]
    }
}
