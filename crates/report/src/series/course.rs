//! Metrics with a course over time, and the labels of their charts.

/// A metric that has a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Waits in queues.
    QueueDelay,
    /// Bytes in queues.
    Queue,
    /// Goodput of applications.
    Rate,
    /// Packets that arrive.
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

/// Labels of a course.
#[derive(Debug)]
pub(super) struct About {
    /// Name in addresses of charts.
    pub name: &'static str,
    /// Metric in the table of series.
    pub metric: &'static str,
    /// Label of the axis.
    pub label: &'static str,
    /// Factor from the metric to the unit of the axis.
    pub factor: f64,
    /// Unit of the axis; empty without.
    pub unit: &'static str,
    /// Meaning in a sentence below the chart.
    pub meaning: &'static str,
}

const QUEUE_DELAY: About = About {
    name: "queue-delay",
    metric: "queue_delay_ms",
    label: "queueing delay",
    factor: 1.0,
    unit: "ms",
    meaning: "mean wait in the queues of links and bearers, over time",
};

const QUEUE: About = About {
    name: "queue",
    metric: "queue_bytes",
    label: "bytes in queue",
    factor: 1e-3,
    unit: "kB",
    meaning: "what waits in the queues of links and bearers, over time",
};

const RATE: About = About {
    name: "rate",
    metric: "in_order_goodput_bps",
    label: "goodput",
    factor: 1e-6,
    unit: "Mbit/s",
    meaning: "what applications get in order, over time",
};

const ARRIVALS: About = About {
    name: "arrivals",
    metric: "arrival_rate_bps",
    label: "rate of arrivals",
    factor: 1e-6,
    unit: "Mbit/s",
    meaning: "IP bytes of data packets that arrive, over time",
};

const CWND: About = About {
    name: "cwnd",
    metric: "cwnd_bytes",
    label: "congestion window",
    factor: 1e-3,
    unit: "kB",
    meaning: "congestion windows of TCP, over time",
};

const IN_FLIGHT: About = About {
    name: "in-flight",
    metric: "in_flight_bytes",
    label: "in flight",
    factor: 1e-3,
    unit: "kB",
    meaning: "bytes in flight of TCP, over time",
};

const RTT: About = About {
    name: "rtt",
    metric: "srtt_ms",
    label: "smoothed RTT",
    factor: 1.0,
    unit: "ms",
    meaning: "smoothed RTT of TCP, over time",
};

const BUFFER: About = About {
    name: "buffer",
    metric: "buffer_s",
    label: "media in the buffer",
    factor: 1.0,
    unit: "s",
    meaning: "what players could play without more, over time",
};

const RESOURCE_BLOCKS: About = About {
    name: "resource-blocks",
    metric: "resource_blocks",
    label: "resource blocks used",
    factor: 1.0,
    unit: "%",
    meaning: "share of their resource blocks that cells use, over time",
};

const MCS: About = About {
    name: "mcs",
    metric: "mcs",
    label: "modulation and coding scheme",
    factor: 1.0,
    unit: "",
    meaning: "mean modulation and coding scheme of cells, over time",
};

const SINR: About = About {
    name: "sinr",
    metric: "sinr_db",
    label: "SINR",
    factor: 1.0,
    unit: "dB",
    meaning: "mean effective SINR of the transmissions of cells, over time",
};

impl Course {
    pub(super) fn about(self) -> &'static About {
        match self {
            Course::QueueDelay => &QUEUE_DELAY,
            Course::Queue => &QUEUE,
            Course::Rate => &RATE,
            Course::Arrivals => &ARRIVALS,
            Course::Cwnd => &CWND,
            Course::InFlight => &IN_FLIGHT,
            Course::Rtt => &RTT,
            Course::Buffer => &BUFFER,
            Course::ResourceBlocks => &RESOURCE_BLOCKS,
            Course::Mcs => &MCS,
            Course::Sinr => &SINR,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        self.about().name
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.about().meaning
    }
}
