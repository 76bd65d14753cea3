//! Configuration of random access.

use airpath_base::{Db, Dbm, Duration};

use super::{RangeError, require};

/// Random access to a cell (TS 36.321, 5.1; TS 38.321, 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessConfig {
    /// Time between PRACH occasions, above zero. LTE: 20 ms (configuration index 0), 10 ms (3), 5 ms
    /// (6), 1 ms (14), TS 36.211, table 5.7.1-2. NR: 10 to 160 ms, TS 38.211, 6.3.3.2.
    pub period: Duration,
    /// First occasion of a period, from its begin; it counts modulo the period.
    pub offset: Duration,
    /// True if the command has a preamble for this UE alone, so that there is no contention.
    pub dedicated: bool,
    /// Preambles for contention, 1 to 64.
    pub preambles: u32,
    /// Length of a preamble.
    pub preamble: Duration,
    /// From the end of a preamble to the begin of the response window. LTE: 2 ms, as it begins three
    /// subframes after the one in which the preamble ends (TS 36.321, 5.1.4).
    pub to_window: Duration,
    /// Length of the response window (`ra-ResponseWindowSize`, `ra-ResponseWindow`).
    pub window: Duration,
    /// From the begin of the window to the end of the response: at least a subframe or slot, and at
    /// most the window. A longer one counts as the window.
    pub response: Duration,
    /// From the end of the response to the begin of message 3. LTE: 5 ms, as it is sent six
    /// subframes after the response (TS 36.213, 6.1.1).
    pub to_message_3: Duration,
    /// Length of message 3, which completes the handover.
    pub message_3: Duration,
    /// From the end of message 3 to the end of the contention resolution, with contention.
    pub resolution: Duration,
    /// `mac-ContentionResolutionTimer`, `ra-ContentionResolutionTimer`.
    pub resolution_timer: Duration,
    /// Preambles at most, at least 1 (`preambleTransMax`).
    pub max_preambles: u32,
    /// Power of the first preamble at the cell (`preambleInitialReceivedTargetPower`).
    pub target_power: Dbm,
    /// Increase of the power from one preamble to the next, dB, 0 to 20 (`powerRampingStep`).
    pub ramping_step: Db,
    /// Largest power of the UE.
    pub max_power: Dbm,
    /// Backoff at most, uniformly drawn before another preamble; LTE has up to 960 ms (TS
    /// 36.321, 7.2), NR 1920 ms (TS 38.321, 7.2).
    pub backoff: Duration,
    /// Ratio of a preamble to noise and interference over its bandwidth at which a cell with two
    /// antennas detects 99% in a fading channel.
    pub detection: Db,
}

impl AccessConfig {
    /// Random access of LTE FDD with PRACH configuration index 3 and format 0 (TS 36.211, 5.7.1).
    ///
    /// - Response in the first subframe of its window, message 3 at the earliest.
    /// - Window, power, preambles and timer by TS 36.508, `RACH-ConfigCommon-DEFAULT`.
    /// - Contention resolution: a subframe after a processing time of 4 ms (TR 36.912, B.1.1).
    /// - Detection at -8 dB: TS 36.104, table 8.4.2.1-1, ETU 70 Hz.
    pub const LTE: AccessConfig = AccessConfig {
        period: Duration::from_millis(10),
        offset: Duration::from_millis(1),
        dedicated: true,
        preambles: 52,
        preamble: Duration::from_millis(1),
        to_window: Duration::from_millis(2),
        window: Duration::from_millis(10),
        response: Duration::from_millis(1),
        to_message_3: Duration::from_millis(5),
        message_3: Duration::from_millis(1),
        resolution: Duration::from_millis(5),
        resolution_timer: Duration::from_millis(48),
        max_preambles: 6,
        target_power: Dbm(-104.0),
        ramping_step: Db(2.0),
        max_power: Dbm(23.0),
        backoff: Duration::ZERO,
        detection: Db(-8.0),
    };

    /// Random access of NR in FR1 with a spacing of 30 kHz and format 0.
    ///
    /// - The window begins a symbol after the preamble at the earliest, with the next slot (TS 38.213,
    ///   8.2). The response is in its second slot, after a slot of processing (TR 37.910).
    /// - Message 3 is sent k2 + delta slots after the response, 1 + 3 (TS 38.214, 6.1.2.1.1): 1.5 ms
    ///   from its end.
    /// - Contention resolution: a slot after a processing time of 3 ms (TR 37.910).
    /// - Detection at -6 dB: TS 38.141-1, table 8.4.1.5-1, TDLC300-100.
    pub const NR: AccessConfig = AccessConfig {
        to_window: Duration::ZERO,
        response: Duration::from_millis(1),
        to_message_3: Duration::from_micros(1_500),
        message_3: Duration::from_micros(500),
        resolution: Duration::from_micros(3_500),
        resolution_timer: Duration::from_millis(64),
        max_preambles: 10,
        detection: Db(-6.0),
        ..AccessConfig::LTE
    };

    /// Power of the `n`th preamble of a UE, from 1, over a path loss (TS 36.213, 6.1; TS 38.213,
    /// 7.4).
    pub fn power(&self, n: u32, path_loss: Db) -> Dbm {
        let ramped = self.ramping_step.0 * f64::from(n.max(1) - 1);
        Dbm((self.target_power.0 + ramped + path_loss.0).min(self.max_power.0))
    }

    /// From the begin of a preamble to the end of its response.
    pub fn to_response(&self) -> Duration {
        self.preamble + self.to_window + self.response.min(self.window)
    }

    /// From the begin of a preamble to the end of its window without a response.
    pub fn to_window_end(&self) -> Duration {
        self.preamble + self.to_window + self.window
    }

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        let most = Duration::from_secs(10);
        let good = !self.period.is_zero() && self.period <= most;
        require(good, "period of PRACH occasions", "above 0, to 10 s")?;
        require((1..=64).contains(&self.preambles), "preambles", "1 to 64")?;
        let steps = [
            self.preamble,
            self.to_window,
            self.window,
            self.to_message_3,
            self.message_3,
            self.resolution,
            self.resolution_timer,
            self.backoff,
        ];
        require(steps.iter().all(|step| *step <= most), "times of random access", "0 to 10 s")?;
        require(!self.window.is_zero(), "response window", "above 0, to 10 s")?;
        require((1..=200).contains(&self.max_preambles), "preambles at most", "1 to 200")?;
        let powers = [self.target_power.0, self.max_power.0, self.detection.0];
        let good = powers.iter().all(|power| (-210.0..=100.0).contains(power));
        require(good, "powers of random access", "-210 to 100 dBm or dB")?;
        require((0.0..=20.0).contains(&self.ramping_step.0), "power ramping step", "0 to 20 dB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_ramps_up_to_the_limit() {
        // TS 36.321, 5.1.3: -104 + 2 (n - 1) dBm at the cell, over 120 dB, at most 23 dBm.
        let powers = [1, 2, 3, 4, 5, 6].map(|n| AccessConfig::LTE.power(n, Db(120.0)).0);
        assert_eq!(powers, [16.0, 18.0, 20.0, 22.0, 23.0, 23.0]);
    }

    #[test]
    fn earliest_times_of_lte() {
        // Preamble in subframe 1, response in subframe 1 + 3 = 4, message 3 in 4 + 6 = 10.
        let lte = AccessConfig::LTE;
        assert_eq!(lte.offset + lte.to_response(), Duration::from_millis(5));
        assert_eq!(lte.offset + lte.to_response() + lte.to_message_3, Duration::from_millis(10));
        // A response of 30 ms comes with the end of the window of 10 ms, after 1 + 2 ms.
        let late = AccessConfig { response: Duration::from_millis(30), ..lte };
        assert_eq!([late.to_response(), late.to_window_end()], [Duration::from_millis(13); 2]);
    }
}
