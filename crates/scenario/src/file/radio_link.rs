//! The radio link of a UE: its monitoring, and what a failure leads to.

use airpath_base::Duration;
use airpath_schema::{between, one_of, record};

/// The longest of these steps and timers: T311 (TS 36.331, 6.3.2; TS 38.331, 6.3.2).
const LONGEST: Duration = Duration::from_secs(30);

record! {
    /// Radio link monitoring, radio link failure and re-establishment (TS 36.331, 5.3.11 and
    /// 5.3.7; TS 38.331, 5.3.10 and 5.3.7).
    pub struct RadioLink {
        /// Indications "out of sync" in a row, a radio frame apart, that begin T310. Default: 1
        /// (TS 36.331, 9.2.5; TS 38.331, 9.2.3).
        n310: u32 = 1 => one_of(&[1, 2, 3, 4, 6, 8, 10, 20]);
        /// From there to radio link failure: 0 to 6 s. Default: 1 s (TS 36.331, 9.2.5; TS 38.331,
        /// 9.2.3).
        t310: Duration = Duration::from_millis(1_000)
            => between(Duration::ZERO, Duration::from_secs(6));
        /// Indications "in sync" in a row that end T310. Default: 1 (TS 36.331, 9.2.5; TS 38.331,
        /// 9.2.3).
        n311: u32 = 1 => one_of(&[1, 2, 3, 4, 5, 6, 8, 10]);
        /// Time for which the UE looks for a cell after a failure, before it becomes idle. Default:
        /// 1 s (TS 36.331, 9.2.5); in NR 30 s (TS 38.331, 9.2.3).
        t311: Option<Duration> => between(Duration::ZERO, LONGEST);
        /// Time for which it tries to re-establish the connection in the cell that it has selected,
        /// before it becomes idle. It is 100 ms to 2 s (TS 36.331, 6.3.2; TS 38.331, 6.3.2).
        /// Default: 1 s (TS 36.508, 4.4.3.3).
        t301: Duration = Duration::from_millis(1_000)
            => between(Duration::from_millis(100), Duration::from_millis(2_000));
        /// From the selection of a cell to the re-established connection. Default: 165 ms: 50 ms
        /// and 100 ms to find a known cell (TS 36.133, 6.1.2.1), and 15 ms of random access, the
        /// median of handovers measured in LTE networks in 2022.
        reestablishment: Duration = Duration::from_millis(165) => between(Duration::ZERO, LONGEST);
        /// From the selection of a cell by an idle UE without `rrc` to its new connection; with
        /// `rrc` its `promotion` counts. Default: 260.1 ms, as `promotion`.
        set_up: Duration = Duration::from_micros(260_100) => between(Duration::ZERO, LONGEST);
    }
}
