//! Signs that the machine kept up with the clock.

use std::fs;

use serde::{Deserialize, Serialize};

/// Most of the packets' lateness that does not disturb a flow, in milliseconds: of 99% of packets,
/// and of all. The first is a tenth of the shortest time that a rule of the truth looks at.
const LATE_MS: [f64; 2] = [2.0, 20.0];

/// State of the machine while a flow was recorded.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// Packets by their lateness: below 2, 4, 8 … µs.
    late: Vec<u64>,
    /// The greatest lateness, in milliseconds.
    pub late_max_ms: f64,
    /// Lateness of 99% of the packets, in milliseconds.
    pub late_p99_ms: f64,
    /// Time in which the relay was ready to run and did not, in milliseconds.
    pub relay_waited_ms: f64,
    /// Mean number of tasks that were ready to run.
    pub load: f64,
    /// Share of the processors' time that other work took.
    pub busy: f64,
    /// Packets that the relay did not read in time.
    pub unread: u64,
    /// Packets that the kernel did not take.
    pub refused: u64,
}

/// Counters at the beginning.
pub struct Load {
    waited_ns: u64,
    busy: [u64; 2],
}

impl Load {
    /// Counters now.
    pub fn now() -> Load {
        Load { waited_ns: waited_ns(), busy: busy() }
    }
}

impl Machine {
    /// A packet left so many nanoseconds late.
    pub fn left(&mut self, late: u64) {
        let bin = (late / 1000).max(1).ilog2() as usize;
        self.late.resize(self.late.len().max(bin + 1), 0);
        self.late[bin] += 1;
        self.late_max_ms = self.late_max_ms.max(late as f64 / 1e6);
    }

    /// Ends the record.
    pub fn close(&mut self, begin: &Load) {
        let all: u64 = self.late.iter().sum();
        let mut seen = 0;
        let bin = self.late.iter().position(|count| {
            seen += count;
            seen * 100 >= all * 99
        });
        // The upper edge of the bin.
        self.late_p99_ms = bin.map_or(0.0, |bin| 2_f64.powi(bin as i32 + 1) / 1e3);
        self.relay_waited_ms = (waited_ns() - begin.waited_ns) as f64 / 1e6;
        let now = busy();
        let [used, all] = [now[0] - begin.busy[0], now[1] - begin.busy[1]];
        self.busy = used as f64 / all.max(1) as f64;
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        self.load = load.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    }

    /// Reason for which the recording is disturbed.
    pub fn doubt(&self) -> Option<String> {
        let Machine { late_p99_ms, late_max_ms, unread, refused, .. } = self;
        match () {
            () if *late_p99_ms > LATE_MS[0] => Some(format!("1% of packets {late_p99_ms} ms late")),
            () if *late_max_ms > LATE_MS[1] => Some(format!("a packet {late_max_ms:.1} ms late")),
            () if unread + refused > 0 => Some("packets lost outside the path".to_owned()),
            () => None,
        }
    }
}

/// Time in which this thread was ready to run and did not.
fn waited_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Ticks of all processors at work, and all ticks (proc(5), `/proc/stat`).
fn busy() -> [u64; 2] {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks: Vec<u64> = ticks.filter_map(|text| text.parse().ok()).collect();
    let all: u64 = ticks.iter().take(8).sum();
    let idle: u64 = ticks.iter().skip(3).take(2).sum();
    [all - idle, all]
}
