//! Cost of a run: the only results that differ from machine to machine.

use serde::{Deserialize, Serialize};

use airpath_base::documented;
use airpath_base::measure::{MS, PACKETS, S, SHARE};

documented! {
    /// The contents of `timing.json`. The caller, who may look at a clock, fills it.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Timing {
        /// Wall time of the run in seconds.
        pub wall_s: f64 [S],
        /// Simulated seconds for each second of wall time; none if no time passed.
        pub simulated_s_per_wall_s: Option<f64> [SHARE],
        /// Name of the machine.
        pub host: String,
        /// Threads that worked.
        pub threads: usize,
        /// Keys that were set over the scenario's file, as `--set` takes them; `unset KEY` takes a
        /// key out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub overrides: Vec<String>,
        /// Punctuality against the clock; of an emulation only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub real_time: Option<RealTime>,
    }
}

documented! {
    /// Punctuality of an emulation against the clock.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct RealTime {
        /// Wake-ups that the program had planned, and got.
        pub wakes: u64,
        /// Median of how late it then was.
        pub wake_p50_ms: f64 [MS],
        /// 99th percentile of that.
        pub wake_p99_ms: f64 [MS],
        /// The latest.
        pub wake_max_ms: f64 [MS],
        /// Median of the delay that packets had beyond what the model gave them.
        pub added_p50_ms: f64 [MS],
        /// 99th percentile of that.
        pub added_p99_ms: f64 [MS],
        /// The most.
        pub added_max_ms: f64 [MS],
        /// Times that what was due happened more than 1 ms late.
        pub missed: u64,
        /// Processor time of the program for each second; 1 is a whole core.
        pub cpu: f64,
        /// Packets that the kernel discarded before they were read: a loss outside the model.
        pub unread_packets: u64 [PACKETS],
        /// Packets that the kernel did not take when they arrived: also a loss outside the model.
        pub refused_packets: u64 [PACKETS],
        /// Packets that arrived and did not fit into a socket of a program: a loss behind the model.
        /// These are datagrams beyond its receive buffer, and segments beyond its queues.
        #[serde(default)]
        pub socket_lost_packets: u64 [PACKETS],
        /// Packets of programs that the model does not know: multicast, or to unknown addresses.
        pub strange_packets: u64 [PACKETS],
        /// Reason why the results are doubtful; null if they are not.
        pub warning: Option<String>,
    }
}

impl Timing {
    /// The cost of simulating `simulated_s` seconds in `wall_s` seconds.
    pub fn new(simulated_s: f64, wall_s: f64, host: impl Into<String>, threads: usize) -> Timing {
        let speed = simulated_s / wall_s;
        Timing {
            wall_s,
            simulated_s_per_wall_s: speed.is_finite().then_some(speed),
            host: host.into(),
            threads,
            overrides: Vec::new(),
            real_time: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_simulated_over_wall() {
        let timing = Timing::new(5.0, 0.5, "host", 2);
        assert_eq!(timing.simulated_s_per_wall_s, Some(10.0));
        assert_eq!(Timing::new(5.0, 0.0, "host", 2).simulated_s_per_wall_s, None);
    }
}
