//! The radio link of one UE: its monitoring, its failure, and what comes of that.
//!
//! - **Monitoring** (TS 36.133, 7.6; TS 38.133, 8.1): each radio frame layer 1 compares the errors
//!   of a hypothetical PDCCH with 10% over 200 ms (Qout) and with 2% over 100 ms (Qin).
//! - **Radio link failure** (TS 36.331, 5.3.11; TS 38.331, 5.3.10): N310 indications "out of sync"
//!   in a row begin T310, N311 "in sync" in a row end it, and its expiry is a failure. So is
//!   maxRetxThreshold of RLC AM.
//! - **Re-establishment** (TS 36.331, 5.3.7; TS 38.331, 5.3.7): T311 runs until a cell has been
//!   selected, T301 until the connection is re-established there. Where one of them runs out, or
//!   the selected cell is not suitable any more, the UE is idle.
//!
//! Left out: random access problems as a cause of failure, measurements with DRX, which take
//! longer, selection of other cells, and single messages of RRC.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};
use airpath_net::{Direction, Held, Packet};

use crate::index::FlowIndex;
use crate::phy::grant_missed;

/// A radio frame: the time between indications of layer 1 at least (TS 36.133, 7.6.2.1; TS
/// 38.133, 8.1.1).
pub(crate) const FRAME: Duration = Duration::from_millis(10);
/// Radio frames over which Qout and Qin are evaluated (TS 36.133, 7.6.2.1; TS 38.133, tables
/// 8.1.2.2-1 and 8.1.2.2-2): 200 and 100 ms.
const OUT_FRAMES: usize = 20;
const IN_FRAMES: usize = 10;
/// Share of errors at Qout and at Qin (TS 36.133, 7.6.1; TS 38.133, 8.1.1).
const Q_OUT: f32 = 0.1;
const Q_IN: f32 = 0.02;
/// Elements of the hypothetical PDCCH, and its power over that of the reference signals as a
/// factor, 4 dB and 0 dB. Sources: TS 36.133, tables 7.6.1-1 (above 1.4 MHz) and 7.6.1-2; TS
/// 38.133, tables 8.1.2.1-1 and 8.1.2.1-2.
const OUT_ELEMENTS: u8 = 8;
const OUT_POWER: f64 = 2.511_886_431_509_58;
const IN_ELEMENTS: u8 = 4;

/// Timers and counters of a UE's radio link, and how long it takes to have another connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioLinkConfig {
    /// Indications "out of sync" in a row that begin T310.
    pub n310: u32,
    /// From there to radio link failure.
    pub t310: Duration,
    /// Indications "in sync" in a row that end T310.
    pub n311: u32,
    /// Time for which the UE looks for a cell after a radio link failure.
    pub t311: Duration,
    /// Time for which the UE tries to re-establish the connection there.
    pub t301: Duration,
    /// From the selection of a cell to the re-established connection with its bearers.
    pub reestablishment: Duration,
    /// From the selection of a cell by an idle UE without RRC states to its connection.
    pub set_up: Duration,
}

impl RadioLinkConfig {
    /// Timers and counters of LTE by TS 36.331, 9.2.5. T301: 1 s (TS 36.508, 4.4.3.3).
    /// Re-establishment: 50 ms and 100 ms to find a known cell (TS 36.133, 6.1.2.1), 15 ms of
    /// random access (median of measured handovers). Set-up: 260.1 ms (MobiSys 2012, table 3).
    pub const LTE: RadioLinkConfig = RadioLinkConfig {
        n310: 1,
        t310: Duration::from_millis(1_000),
        n311: 1,
        t311: Duration::from_millis(1_000),
        t301: Duration::from_millis(1_000),
        reestablishment: Duration::from_millis(165),
        set_up: Duration::from_micros(260_100),
    };

    /// Timers and counters of NR: those of LTE, with T311 of 30 s (TS 38.331, 9.2.3).
    pub const NR: RadioLinkConfig =
        RadioLinkConfig { t311: Duration::from_secs(30), ..RadioLinkConfig::LTE };
}

/// State of a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// In use, or the UE is idle in a cell.
    Up,
    /// A failure was found: the UE looks for a cell until T311 runs out.
    Searching { t311: Time },
    /// It has selected a cell: the connection is re-established at `done` at the earliest, if
    /// not by the expiry of T301.
    Accessing { done: Time, t301: Time },
    /// Idle, without a cell.
    Idle,
    /// Idle, with a cell: the connection will be there at `done`.
    SettingUp { done: Time },
    /// On its way to another cell; the handover decides about its end.
    HandingOver,
    /// Failed, and its UE goes on to another cell by a DAPS handover.
    Abandoned,
}

/// The radio link of a UE.
#[derive(Debug)]
pub(crate) struct RadioLink {
    pub config: RadioLinkConfig,
    pub phase: Phase,
    pub monitor: Monitor,
    /// Packets of an idle UE without RRC states, in the order of their arrival.
    pub waiting: VecDeque<(FlowIndex, Direction, Packet)>,
    /// Expiry of T302 of an idle or inactive UE, while it runs.
    pub t302: Option<Time>,
    /// Time of the next measurement.
    pub armed: Option<Time>,
    /// Time of the last failure.
    pub failed: Time,
    /// True while the UE has the command of a DAPS handover and keeps this link.
    pub kept: bool,
}

impl RadioLink {
    pub fn new(config: RadioLinkConfig) -> RadioLink {
        let (phase, monitor, waiting) = (Phase::Up, Monitor::default(), VecDeque::new());
        let (t302, armed, failed) = (None, None, Time::ZERO);
        RadioLink { config, phase, monitor, waiting, t302, armed, failed, kept: false }
    }

    /// True if the link is in sync and no timer runs.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.phase == Phase::Up
    }

    /// True if its UE is idle because of a failure.
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle | Phase::SettingUp { .. })
    }

    /// Packets that wait for a connection.
    pub fn held(&self) -> Held {
        Held::of(self.waiting.iter().map(|(.., packet)| packet))
    }

    /// Time of the next measurement after `now`, if there is one: each radio frame, and when a step
    /// ends. While T302 runs there is none before its end.
    pub fn next_due(&self, now: Time) -> Time {
        if let Some(t302) = self.t302 {
            return t302;
        }
        let frame = Time::ZERO + FRAME * (now.since(Time::ZERO) / FRAME + 1);
        let due = match self.phase {
            Phase::Up => self.monitor.t310,
            Phase::Searching { t311 } => Some(t311),
            Phase::Accessing { done, .. } | Phase::SettingUp { done } => Some(done),
            Phase::Idle | Phase::HandingOver | Phase::Abandoned => None,
        };
        due.filter(|due| *due > now).map_or(frame, |due| due.min(frame))
    }
}

/// State of layer 1 and RRC of a UE on the quality of its link.
#[derive(Debug, Default)]
pub(crate) struct Monitor {
    /// Errors of the hypothetical PDCCH for Qout and for Qin, the newest last.
    errors: VecDeque<[f32; 2]>,
    out_of_sync: u32,
    in_sync: u32,
    /// Expiry of T310.
    pub t310: Option<Time>,
}

impl Monitor {
    /// Errors of the hypothetical PDCCH at a linear SINR, for Qout and for Qin.
    fn errors(sinr: f64) -> [f32; 2] {
        let out = grant_missed(sinr * OUT_POWER, OUT_ELEMENTS);
        [out as f32, grant_missed(sinr, IN_ELEMENTS) as f32]
    }

    /// True if a link of constant SINR is worse than Qout.
    pub fn is_out(sinr: f64) -> bool {
        Monitor::errors(sinr)[0] > Q_OUT
    }

    /// It begins anew, for a link that has been like this.
    pub fn begin(&mut self, sinr: f64) {
        *self = Monitor::default();
        let errors = Monitor::errors(sinr);
        self.errors.extend(std::iter::repeat_n(errors, OUT_FRAMES));
    }

    /// A radio frame ends, in which the linear SINR was this. Gives whether T310 has run out.
    pub fn frame(&mut self, now: Time, sinr: f64, config: &RadioLinkConfig) -> bool {
        if self.errors.len() == OUT_FRAMES {
            self.errors.pop_front();
        }
        self.errors.push_back(Monitor::errors(sinr));
        match self.indication() {
            Some(true) => (self.in_sync, self.out_of_sync) = (self.in_sync + 1, 0),
            Some(false) => (self.in_sync, self.out_of_sync) = (0, self.out_of_sync + 1),
            None => {}
        }
        if self.t310.is_some() && self.in_sync >= config.n311 {
            self.t310 = None;
        }
        if self.t310.is_none() && self.out_of_sync >= config.n310 {
            self.t310 = Some(now + config.t310);
        }
        self.t310.is_some_and(|expiry| expiry <= now)
    }

    /// Indication of layer 1: in sync, out of sync, or none.
    fn indication(&self) -> Option<bool> {
        let mean = |frames: usize, n: usize| {
            let newest = self.errors.iter().rev().take(frames);
            let sum: f32 = newest.map(|errors| errors[n]).sum();
            (self.errors.len() >= frames).then_some(sum / frames as f32)
        };
        if mean(IN_FRAMES, 1).is_some_and(|errors| errors < Q_IN) {
            return Some(true);
        }
        mean(OUT_FRAMES, 0).is_some_and(|errors| errors > Q_OUT).then_some(false)
    }

    /// True if nothing will change as long as the link does not: T310 does not run, and all frames
    /// were alike.
    pub fn is_settled(&self) -> bool {
        let last = self.errors.back();
        let alike = self.errors.iter().all(|errors| Some(errors) == last);
        self.t310.is_none() && self.errors.len() == OUT_FRAMES && alike
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Db;

    use super::*;

    const CONFIG: RadioLinkConfig = RadioLinkConfig::LTE;

    /// Frames of a link that was at 20 dB, by its SINR in dB from each frame on. Returns the frames
    /// at which T310 begins, ends, and runs out.
    fn frames(
        levels: &[(u64, f64)],
        config: RadioLinkConfig,
        all: u64,
    ) -> Vec<(u64, &'static str)> {
        let mut monitor = Monitor::default();
        monitor.begin(100.0);
        let mut seen = Vec::new();
        for frame in 1..=all {
            let level = levels.iter().rev().find(|(from, _)| frame >= *from).map_or(20.0, |l| l.1);
            let before = monitor.t310.is_some();
            let now = Time::ZERO + FRAME * frame;
            let failed = monitor.frame(now, Db(level).linear(), &config);
            match (before, monitor.t310.is_some()) {
                (false, true) => seen.push((frame, "begins")),
                (true, false) => seen.push((frame, "ends")),
                _ => {}
            }
            if failed {
                seen.push((frame, "runs out"));
                break;
            }
        }
        seen
    }

    #[test]
    fn levels_of_the_conformance_tests() {
        // TS 38.133, A.6.5.1.1: T310 does not begin at -7 dB, and at -15 dB the link is out of
        // sync within 200 ms and some frames. A.6.5.1.2: in sync at 1 dB and not at -4.5 dB.
        assert!(frames(&[(1, -7.0)], CONFIG, 300).is_empty());
        let out = frames(&[(1, -15.0)], CONFIG, 300);
        assert!(out[0].0 <= 20 && out[0].1 == "begins", "{out:?}");
        let back = |level| frames(&[(1, -15.0), (41, level)], CONFIG, 300);
        assert_eq!((back(-4.5).len(), back(-4.5)[1].1), (2, "runs out"));
        assert_eq!(back(1.0)[1], (50, "ends"));
    }

    #[test]
    fn levels_by_hand() {
        // 10% is 1.28155 deviations above the mean: -8 + 3.10 - 4 = -8.90 dB. 2% is 2.05375:
        // -8 + 4.97 + 3.01 = -0.02 dB with half of the eight elements.
        let out = |db: f64| Monitor::errors(Db(db).linear());
        assert!(out(-8.92)[0] > Q_OUT && out(-8.88)[0] < Q_OUT);
        assert!(out(-0.04)[1] > Q_IN && out(0.01)[1] < Q_IN);
    }

    #[test]
    fn t310_runs_from_the_first_bad_mean_until_it_ends() {
        // Two of twenty frames lost are 10%, which is not worse than Qout; the third is. Then
        // 1 s.
        assert_eq!(frames(&[(1, -30.0)], CONFIG, 300), [(3, "begins"), (103, "runs out")]);
        let counted = RadioLinkConfig { n310: 10, ..CONFIG };
        assert_eq!(frames(&[(1, -30.0)], counted, 300)[0], (12, "begins"));
        // Ten good frames are in sync; with N311 of 5 four more.
        assert_eq!(frames(&[(1, -30.0), (51, 20.0)], CONFIG, 300)[1], (60, "ends"));
        let counted = RadioLinkConfig { n311: 5, ..CONFIG };
        assert_eq!(frames(&[(1, -30.0), (51, 20.0)], counted, 300)[1], (64, "ends"));
    }
}
