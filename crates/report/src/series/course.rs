//! Metrics with a course over time, and the names of their charts.

use airpath_results::measures::{series_label, series_unit};

use crate::words::shown;

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

/// Names of a course.
#[derive(Debug)]
pub(super) struct About {
    /// Name in addresses of charts.
    pub name: &'static str,
    /// Metric in the table of series.
    pub metric: &'static str,
    /// Meaning in a sentence below the chart.
    pub meaning: &'static str,
}

const QUEUE_DELAY: About = About {
    name: "queue-delay",
    metric: "queue_delay_ms",
    meaning: "mean wait in the queues of links and bearers, over time",
};

const QUEUE: About = About {
    name: "queue",
    metric: "queue_bytes",
    meaning: "what waits in the queues of links and bearers, over time",
};

const RATE: About = About {
    name: "rate",
    metric: "in_order_goodput_bps",
    meaning: "what applications get in order, over time",
};

const ARRIVALS: About = About {
    name: "arrivals",
    metric: "arrival_rate_bps",
    meaning: "IP bytes of data packets that arrive, over time",
};

const CWND: About =
    About { name: "cwnd", metric: "cwnd_bytes", meaning: "congestion windows, over time" };

const IN_FLIGHT: About =
    About { name: "in-flight", metric: "in_flight_bytes", meaning: "bytes in flight, over time" };

const RTT: About =
    About { name: "rtt", metric: "srtt_ms", meaning: "smoothed RTT of TCP, over time" };

const BUFFER: About = About {
    name: "buffer",
    metric: "buffer_s",
    meaning: "what players could play without more, over time",
};

const RESOURCE_BLOCKS: About = About {
    name: "resource-blocks",
    metric: "resource_blocks",
    meaning: "share of their resource blocks that cells use, over time",
};

const MCS: About = About {
    name: "mcs",
    metric: "mcs",
    meaning: "mean modulation and coding scheme of cells, over time",
};

const SINR: About = About {
    name: "sinr",
    metric: "sinr_db",
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

    /// Factor of a value of the table, and the unit that people read.
    pub(super) fn shown(self) -> (f64, &'static str) {
        match self {
            Course::ResourceBlocks => (1.0, "%"),
            _ => shown(series_unit(self.about().metric)),
        }
    }

    /// Label of the axis.
    pub(super) fn label(self) -> &'static str {
        series_label(self.about().metric)
    }

    pub(crate) fn name(self) -> &'static str {
        self.about().name
    }

    pub(crate) fn meaning(self) -> &'static str {
        self.about().meaning
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
        all.iter().for_each(|course| assert!(is_declared(course.about().metric), "{course:?}"));
        all.iter().for_each(|course| assert!(!course.label().is_empty(), "{course:?}"));
        assert_eq!(Course::Rate.shown(), (1e-6, "Mbit/s"));
        assert_eq!(Course::Queue.shown(), (1e-3, "kB"));
        assert_eq!(Course::Mcs.shown(), (1.0, ""));
    }
}
