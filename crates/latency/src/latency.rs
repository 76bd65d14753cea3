//! The sum over the steps.

use core::fmt;
use core::str::FromStr;

use airpath_base::Direction;

use crate::{Access, ParseError, Rational, Setting, Step, Tti};

/// A figure of the source's table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Downlink.
    Downlink,
    /// Uplink, up to the grant as the UE has decoded it ("SR-related").
    UplinkAccess,
    /// Uplink, from there ("Data Tx").
    UplinkData,
    /// Uplink, all of it.
    Uplink,
}

/// Errors that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// None: each first transmission succeeds.
    None,
    /// The setting's share of first transmissions fails and is sent again once.
    Share,
}

/// A line of the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its word: a [`Step`]'s, `wait` or `retransmission`.
    pub word: &'static str,
    /// Name of the step.
    pub what: String,
    /// Source of the length: the source's section, or a note that the length was set otherwise.
    pub source: &'static str,
    /// True if it belongs to the uplink's [`Figure::UplinkAccess`].
    pub access: bool,
    /// Mean time in nanoseconds.
    pub nanos: Rational,
}

/// The latency of an air interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Its TTI.
    pub tti: Tti,
    /// The steps downlink, in their order.
    pub downlink: Vec<Line>,
    /// The steps uplink, in their order.
    pub uplink: Vec<Line>,
}

/// The word of the line that [`Errors::None`] leaves out.
const AGAIN: &str = "retransmission";
/// Note instead of the source of a length that is not the source's.
const OWN: &str = "given, not the source's";

impl Latency {
    /// Adds up the steps of a setting.
    pub fn of(setting: &Setting) -> Latency {
        use Step::{
            DataEncoding, DownlinkDecoding, DownlinkProcessing, DownlinkTransmission,
            UplinkDecoding, UplinkTransmission,
        };
        let step = |step| line(setting, step);
        let downlink = vec![
            step(DownlinkProcessing),
            step(DownlinkTransmission),
            again(setting, "A.1"),
            step(DownlinkDecoding),
        ];
        let mut uplink = access(setting);
        uplink.extend([
            step(DataEncoding),
            step(UplinkTransmission),
            again(setting, "table A.1, step 6"),
            step(UplinkDecoding),
        ]);
        Latency { tti: setting.tti, downlink, uplink }
    }

    /// A figure in nanoseconds.
    pub fn figure(&self, figure: Figure, errors: Errors) -> Rational {
        let lines = match figure {
            Figure::Downlink => &self.downlink,
            _ => &self.uplink,
        };
        let counts = |line: &&Line| {
            let part = match figure {
                Figure::UplinkAccess => line.access,
                Figure::UplinkData => !line.access,
                Figure::Downlink | Figure::Uplink => true,
            };
            part && (errors == Errors::Share || line.word != AGAIN)
        };
        lines.iter().filter(counts).map(|line| line.nanos).sum()
    }

    /// Nanoseconds of this latency in TTIs.
    pub fn ttis(&self, nanos: Rational) -> Rational {
        nanos / self.tti.nanos()
    }
}

/// Steps before a UE may prepare its data.
fn access(setting: &Setting) -> Vec<Line> {
    let wait = |period, what: &str, source| Line {
        word: "wait",
        what: what.to_owned(),
        source,
        access: true,
        nanos: setting.convention.wait(period, setting.tti),
    };
    match setting.access {
        Access::Instant => Vec::new(),
        Access::Configured { period } => {
            vec![wait(period, "wait for a configured grant", "as table A.1, step 1")]
        }
        Access::SchedulingRequest { period } => {
            let steps = [
                Step::SrTransmission,
                Step::GrantPreparation,
                Step::GrantTransmission,
                Step::GrantDecoding,
            ];
            let wait = wait(period, "wait for an SR opportunity", "table A.1, step 1");
            let steps = steps.map(|step| Line { access: true, ..line(setting, step) });
            [wait].into_iter().chain(steps).collect()
        }
    }
}

fn line(setting: &Setting, step: Step) -> Line {
    let usual = setting.steps.get(step) == step.usual();
    Line {
        word: step.word(),
        what: step.what().to_owned(),
        source: if usual { step.source() } else { OWN },
        access: false,
        nanos: setting.steps.get(step).nanos(setting.tti),
    }
}

fn again(setting: &Setting, source: &'static str) -> Line {
    let round_trip = setting.harq_round_trip;
    let usual = round_trip == Setting::default().harq_round_trip;
    Line {
        word: AGAIN,
        what: format!("retransmission: {} of {round_trip}", setting.bler),
        source: if usual { source } else { OWN },
        access: false,
        nanos: setting.bler.share() * round_trip.nanos(setting.tti),
    }
}

impl Errors {
    /// Both.
    pub const ALL: [Errors; 2] = [Errors::None, Errors::Share];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Errors::None => "no-errors",
            Errors::Share => "errors",
        }
    }
}

impl FromStr for Errors {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Errors, ParseError> {
        let found = Errors::ALL.into_iter().find(|errors| errors.word() == text.trim());
        found.ok_or_else(|| ParseError::new("must be no-errors or errors"))
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl From<Direction> for Figure {
    fn from(direction: Direction) -> Figure {
        match direction {
            Direction::Downlink => Figure::Downlink,
            Direction::Uplink => Figure::Uplink,
        }
    }
}

impl Figure {
    /// All figures, in the order of the source's table 2.
    pub const ALL: [Figure; 4] =
        [Figure::Downlink, Figure::UplinkAccess, Figure::UplinkData, Figure::Uplink];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Figure::Downlink => "downlink",
            Figure::UplinkAccess => "uplink-access",
            Figure::UplinkData => "uplink-data",
            Figure::Uplink => "uplink",
        }
    }
}

impl FromStr for Figure {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Figure, ParseError> {
        let found = Figure::ALL.into_iter().find(|figure| figure.word() == text.trim());
        found.ok_or_else(|| {
            let words = Figure::ALL.map(Figure::word).join(", ");
            ParseError::new(format!("is no figure: there are {words}"))
        })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
#[path = "latency_tests.rs"]
mod tests;
