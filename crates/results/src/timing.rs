//! What a run cost: the only results that differ from machine to machine.

use serde::{Deserialize, Serialize};

use crate::documented::documented;

documented! {
    /// The contents of `timing.json`. The caller, who may look at a clock, fills it.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Timing {
        /// Wall time of the run in seconds.
        pub wall_s: f64,
        /// Simulated seconds for each second of wall time; none if no time passed.
        pub simulated_s_per_wall_s: Option<f64>,
        /// Name of the machine.
        pub host: String,
        /// Threads that worked.
        pub threads: usize,
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
