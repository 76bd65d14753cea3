//! Which metrics have a course over time.

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

/// Name, metric in the table, label, factor, unit, meaning.
pub(super) type About = (&'static str, &'static str, &'static str, f64, &'static str, &'static str);

impl Course {
    pub(super) fn about(self) -> About {
        match self {
            Course::QueueDelay => (
                "queue-delay",
                "queue_delay_ms",
                "queueing delay",
                1.0,
                "ms",
                "mean wait in the queues of links and bearers, over time",
            ),
            Course::Queue => (
                "queue",
                "queue_bytes",
                "bytes in queue",
                1e-3,
                "kB",
                "what waits in the queues of links and bearers, over time",
            ),
            Course::Rate => (
                "rate",
                "in_order_goodput_bps",
                "goodput",
                1e-6,
                "Mbit/s",
                "what applications get in order, over time",
            ),
            Course::Arrivals => (
                "arrivals",
                "arrival_rate_bps",
                "rate of arrivals",
                1e-6,
                "Mbit/s",
                "IP bytes of data packets that arrive, over time",
            ),
            Course::Cwnd => (
                "cwnd",
                "cwnd_bytes",
                "congestion window",
                1e-3,
                "kB",
                "congestion windows of TCP, over time",
            ),
            Course::InFlight => (
                "in-flight",
                "in_flight_bytes",
                "in flight",
                1e-3,
                "kB",
                "bytes in flight of TCP, over time",
            ),
            Course::Rtt => {
                ("rtt", "srtt_ms", "smoothed RTT", 1.0, "ms", "smoothed RTT of TCP, over time")
            }
            Course::Buffer => (
                "buffer",
                "buffer_s",
                "media in the buffer",
                1.0,
                "s",
                "what players could play without more, over time",
            ),
            Course::ResourceBlocks => (
                "resource-blocks",
                "resource_blocks",
                "resource blocks used",
                1.0,
                "%",
                "share of their resource blocks that cells use, over time",
            ),
            Course::Mcs => (
                "mcs",
                "mcs",
                "modulation and coding scheme",
                1.0,
                "",
                "mean modulation and coding scheme of cells, over time",
            ),
            Course::Sinr => (
                "sinr",
                "sinr_db",
                "SINR",
                1.0,
                "dB",
                "mean effective SINR of the transmissions of cells, over time",
            ),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.about().0
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.about().5
    }
}
