//! Configuration of measurement events.

use airpath_base::Duration;

use super::{RangeError, require};

/// Event of a measurement report. Thresholds are dBm of RSRP, or dB of RSRQ and SINR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The serving cell becomes better than a threshold (TS 36.331 and TS 38.331, 5.5.4.2).
    A1 {
        /// Threshold.
        threshold: f64,
    },
    /// The serving cell becomes worse than a threshold (5.5.4.3).
    A2 {
        /// Threshold.
        threshold: f64,
    },
    /// A neighbour becomes better than the serving cell by an offset (5.5.4.4).
    A3 {
        /// `a3-Offset`, dB, -15 to 15.
        offset: f64,
    },
    /// A neighbour becomes better than a threshold (5.5.4.5).
    A4 {
        /// Threshold.
        threshold: f64,
    },
    /// The serving cell becomes worse than one threshold, and a neighbour better than another
    /// (5.5.4.6).
    A5 {
        /// Threshold of the serving cell.
        serving: f64,
        /// Threshold of the neighbour.
        neighbour: f64,
    },
    /// A neighbour becomes better than the secondary cell by an offset (TS 36.331, 5.5.4.6a; TS
    /// 38.331, 5.5.4.7).
    A6 {
        /// `a6-Offset`, dB, -15 to 15.
        offset: f64,
    },
}

/// An event and its reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventConfig {
    /// Event with its thresholds or offset.
    pub event: Event,
    /// Hysteresis, dB, 0 to 15; steps of 0.5 dB in the standard.
    pub hysteresis: f64,
    /// Time for which a condition must hold. [`EventConfig::TIMES_TO_TRIGGER`] has the standard's.
    pub time_to_trigger: Duration,
    /// Time between repeated reports, above zero; 120 ms to 30 min in the standard.
    pub report_interval: Duration,
    /// Reports while a condition holds, at least 1; `None` has no limit. The standard has 1, 2, 4
    /// to 64, and infinity (`reportAmount`).
    pub report_amount: Option<u32>,
    /// Neighbours of a report at most, 1 to 8 (`maxReportCells`).
    pub max_cells: u8,
    /// True if a cell that leaves causes a report (`reportOnLeave`).
    pub report_on_leave: bool,
}

impl EventConfig {
    /// Times to trigger of the standard, ms (`TimeToTrigger`: TS 36.331, 6.3.5; TS 38.331, 6.3.2).
    pub const TIMES_TO_TRIGGER: [u64; 16] =
        [0, 40, 64, 80, 100, 128, 160, 256, 320, 480, 512, 640, 1024, 1280, 2560, 5120];

    /// Event A3 with a hysteresis of 3 dB and 256 ms, the defaults of ns-3. A report is repeated each
    /// 240 ms.
    pub const A3: EventConfig = EventConfig {
        event: Event::A3 { offset: 0.0 },
        hysteresis: 3.0,
        time_to_trigger: Duration::from_millis(256),
        report_interval: Duration::from_millis(240),
        report_amount: None,
        max_cells: 8,
        report_on_leave: false,
    };

    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first value that is out of its range.
    pub fn check(&self) -> Result<(), RangeError> {
        let level = |value: f64| (-200.0..=100.0).contains(&value);
        let (levels, offset) = match self.event {
            Event::A1 { threshold } | Event::A2 { threshold } | Event::A4 { threshold } => {
                (level(threshold), 0.0)
            }
            Event::A5 { serving, neighbour } => (level(serving) && level(neighbour), 0.0),
            Event::A3 { offset } | Event::A6 { offset } => (true, offset),
        };
        require(levels, "threshold", "-200 to 100 dBm or dB")?;
        require((-15.0..=15.0).contains(&offset), "offset", "-15 to 15 dB")?;
        require((0.0..=15.0).contains(&self.hysteresis), "hysteresis", "0 to 15 dB")?;
        let most = Duration::from_secs(60);
        require(self.time_to_trigger <= most, "time to trigger", "0 to 60 s")?;
        let interval = self.report_interval;
        let good = interval >= Duration::from_millis(1) && interval <= most * 60;
        require(good, "report interval", "1 ms to 1 h")?;
        require(self.report_amount != Some(0), "report amount", "at least 1")?;
        require((1..=8).contains(&self.max_cells), "cells of a report", "1 to 8")
    }
}

/// Offsets of cells, dB, by number of the cell. A cell without an entry has 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offsets {
    /// Cell individual offset, Oc, -24 to 24 (`cellIndividualOffset`).
    pub cell: Vec<f64>,
    /// Offset of the frequency of the cell, Of, -24 to 24 (`offsetFreq`, `offsetMO`).
    pub frequency: Vec<f64>,
}

impl Offsets {
    /// Offsets that a serving cell configures; none of a cell beyond `all`, which is by serving cell.
    pub fn of(all: &[Offsets], serving: usize) -> &Offsets {
        static NONE: Offsets = Offsets { cell: Vec::new(), frequency: Vec::new() };
        all.get(serving).unwrap_or(&NONE)
    }

    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<(), RangeError> {
        let mut all = self.cell.iter().chain(&self.frequency);
        let good = all.all(|offset| (-24.0..=24.0).contains(offset));
        require(good, "offset of a cell", "-24 to 24 dB")
    }

    /// Cell individual offset of a cell.
    pub fn cell(&self, cell: usize) -> f64 {
        self.cell.get(cell).copied().unwrap_or(0.0)
    }

    /// Sum of both offsets of a cell.
    pub fn sum(&self, cell: usize) -> f64 {
        self.cell(cell) + self.frequency.get(cell).copied().unwrap_or(0.0)
    }
}
