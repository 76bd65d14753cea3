//! Metrics that have a course over time.

use airpath_results::measures::series_unit;

use crate::words::shown;

/// A metric that has a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Waits in queues.
    QueueDelay,
    /// Bytes in queues.
    Queue,
    /// What applications get.
    Rate,
    /// What arrives.
    Arrivals,
    /// Congestion windows.
    Cwnd,
    /// Bytes in flight.
    InFlight,
    /// Smoothed RTT.
    Rtt,
    /// Media that a player has.
    Buffer,
    /// Resource blocks of cells.
    ResourceBlocks,
    /// Modulation and coding scheme of cells.
    Mcs,
    /// SINR of cells.
    Sinr,
}

/// Name, metric in the table, label, meaning.
pub(super) type About = (&'static str, &'static str, &'static str, &'static str);

impl Course {
    pub(super) fn about(self) -> About {
        match self {
            Course::QueueDelay => (
                "queue-delay",
                "queue_delay_ms",
                "queueing delay",
                "mean wait in the queues of links and bearers, over time",
            ),
            Course::Queue => (
                "queue",
                "queue_bytes",
                "bytes in queue",
                "what waits in the queues of links and bearers, over time",
            ),
            Course::Rate => (
                "rate",
                "in_order_goodput_bps",
                "goodput",
                "what applications get in order, over time",
            ),
            Course::Arrivals => (
                "arrivals",
                "arrival_rate_bps",
                "rate of arrivals",
                "IP bytes of data packets that arrive, over time",
            ),
            Course::Cwnd => {
                ("cwnd", "cwnd_bytes", "congestion window", "congestion windows of TCP, over time")
            }
            Course::InFlight => {
                ("in-flight", "in_flight_bytes", "in flight", "bytes in flight of TCP, over time")
            }
            Course::Rtt => ("rtt", "srtt_ms", "smoothed RTT", "smoothed RTT of TCP, over time"),
            Course::Buffer => (
                "buffer",
                "buffer_s",
                "media in the buffer",
                "what players could play without more, over time",
            ),
            Course::ResourceBlocks => (
                "resource-blocks",
                "resource_blocks",
                "resource blocks used",
                "share of their resource blocks that cells use, over time",
            ),
            Course::Mcs => (
                "mcs",
                "mcs",
                "modulation and coding scheme",
                "mean modulation and coding scheme of cells, over time",
            ),
            Course::Sinr => (
                "sinr",
                "sinr_db",
                "SINR",
                "mean effective SINR of the transmissions of cells, over time",
            ),
        }
    }

    /// Factor of a value of the table, and the unit that people read.
    pub(super) fn shown(self) -> (f64, &'static str) {
        match self {
            Course::ResourceBlocks => (1.0, "%"),
            _ => shown(series_unit(self.about().1)),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.about().0
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.about().3
    }
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        let all = [
            Course::QueueDelay,
            Course::Queue,
            Course::Rate,
            Course::Arrivals,
            Course::Cwnd,
            Course::InFlight,
            Course::Rtt,
            Course::Buffer,
            Course::ResourceBlocks,
            Course::Mcs,
            Course::Sinr,
        ];
        all.iter().for_each(|course| assert!(is_declared(course.about().1), "{course:?}"));
        assert_eq!(Course::Rate.shown(), (1e-6, "Mbit/s"));
        assert_eq!(Course::Queue.shown(), (1e-3, "kB"));
        assert_eq!(Course::Mcs.shown(), (1.0, ""));
    }
}
