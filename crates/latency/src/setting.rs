//! An air interface, as far as its latency goes.

use core::fmt;
use core::str::FromStr;

use airpath_base::Direction;

use crate::parse::number;
use crate::{Errors, Latency, ParseError, Rational, Span, Steps, Tti};

/// An air interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Transmission time interval.
    pub tti: Tti,
    /// Uplink access of a UE.
    pub access: Access,
    /// Convention for the wait for an opportunity.
    pub convention: Convention,
    /// Share of first transmissions that fail.
    pub bler: Bler,
    /// From a transmission to its retransmission, in both directions.
    pub harq_round_trip: Span,
    /// Length of each step.
    pub steps: Steps,
}

impl Default for Setting {
    /// The source's first case: 1 ms, a scheduling request every five TTIs, 10% errors, a
    /// HARQ round trip of eight TTIs.
    fn default() -> Setting {
        Setting {
            tti: Tti::LTE,
            access: Access::SchedulingRequest { period: Span::ttis(5, 1) },
            convention: Convention::Table,
            bler: Bler(Rational::new(1, 10)),
            harq_round_trip: Span::ttis(8, 1),
            steps: Steps::default(),
        }
    }
}

impl Setting {
    /// Mean one-way delay of isolated small packets, in nanoseconds, with any convention of the
    /// setting. The wait is half a period, as it is for packets that come at any time of the period
    /// alike. The figure holds if
    ///
    /// - the delay of a downlink packet runs from its arrival at the base station to its
    ///   delivery in the UE, that of an uplink packet from its arrival in the UE to its
    ///   delivery at the base station: nothing of the wired path and no GTP-U counts;
    /// - packets come one at a time into empty queues, at times that have nothing to do
    ///   with the radio's, and none meets a scheduling request, a grant or a block of
    ///   another under way;
    /// - a packet fits into one transport block, and what a request is answered with;
    /// - a share [`Bler`] of first transmissions fails, and each of these succeeds the
    ///   second time, one HARQ round trip after the first began; no other packet waits
    ///   for it, and requests and grants never fail.
    ///
    /// Of [`Step::DownlinkProcessing`](crate::Step::DownlinkProcessing), half a TTI is the
    /// mean wait for the beginning of a TTI. Uplink, that wait is in the wait for the
    /// opportunity, after which everything keeps to TTIs; with [`Access::Instant`] it is
    /// in [`Step::DataEncoding`](crate::Step::DataEncoding). A model that rounds a time
    /// which is no multiple of its TTI up to the next TTI gives more than this sum.
    pub fn mean_delay(&self, direction: Direction) -> Rational {
        let latency = Latency::of(&Setting { convention: Convention::HalfPeriod, ..*self });
        latency.figure(direction.into(), Errors::Share)
    }
}

/// Uplink access of a UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It asks for a grant (TS 36.321, 5.4.4) at its next opportunity.
    SchedulingRequest {
        /// Time between opportunities.
        period: Span,
    },
    /// It sends in its next configured grant (TS 38.321, 5.8.2), or semi-persistent one
    /// (TS 36.321, 5.10.2). Not in the source: steps 2 to 4 and the decoding of a grant
    /// fall away, and the wait of step 1 is that for the grant.
    Configured {
        /// Time between grants.
        period: Span,
    },
    /// Resources of its own are there in each TTI, without contention: the source's data
    /// part alone. As downlink, half a TTI of alignment is in the 1.5 TTIs of
    /// preparation, here [`Step::DataEncoding`](crate::Step::DataEncoding).
    Instant,
}

impl fmt::Display for Access {
    /// `sr 5 TTI`, `configured 10 ms`, `instant`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::SchedulingRequest { period } => f.pad(&format!("sr {period}")),
            Access::Configured { period } => f.pad(&format!("configured {period}")),
            Access::Instant => f.pad("instant"),
        }
    }
}

/// Convention for the wait for an opportunity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// The source's table 2: half a period, but nothing if there is an opportunity in each TTI.
    Table,
    /// The source's table A.1, step 1: half a period, always.
    HalfPeriod,
}

impl Convention {
    /// Both, the source's table first.
    pub const ALL: [Convention; 2] = [Convention::Table, Convention::HalfPeriod];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Convention::Table => "table",
            Convention::HalfPeriod => "half-period",
        }
    }

    /// The mean wait in nanoseconds where an opportunity comes each `period`.
    pub fn wait(self, period: Span, tti: Tti) -> Rational {
        let each_tti = period.nanos(tti) <= tti.nanos();
        match self {
            Convention::Table if each_tti => Rational::ZERO,
            _ => period.nanos(tti) * Rational::new(1, 2),
        }
    }
}

impl FromStr for Convention {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Convention, ParseError> {
        let found = Convention::ALL.into_iter().find(|known| known.word() == text.trim());
        found.ok_or_else(|| ParseError::new("is no convention: there are table and half-period"))
    }
}

impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// The share of first transmissions that fail, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bler(Rational);

impl Bler {
    /// None fails.
    pub const NONE: Bler = Bler(Rational::ZERO);

    /// The share `share`; none if it is above 1.
    pub fn new(share: Rational) -> Option<Bler> {
        (share <= Rational::ONE).then_some(Bler(share))
    }

    /// The share.
    pub const fn share(self) -> Rational {
        self.0
    }
}

impl FromStr for Bler {
    type Err = ParseError;

    /// `0.1` or `10%`.
    fn from_str(text: &str) -> Result<Bler, ParseError> {
        let share = number(text).and_then(|(value, unit)| match unit {
            "" => Bler::new(value),
            "%" => Bler::new(value * Rational::new(1, 100)),
            _ => None,
        });
        let fault = "is no share from 0 to 1, as \"0.1\" or \"10%\"";
        share.ok_or_else(|| ParseError::new(fault))
    }
}

impl fmt::Display for Bler {
    /// In percent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", self.0 * Rational::whole(100)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_differ_only_with_an_opportunity_in_each_tti() {
        let halves = |ttis: u64| Span::ttis(ttis, 1).nanos(Tti::LTE) * Rational::new(1, 2);
        for (ttis, table) in [(1, Rational::ZERO), (2, halves(2)), (5, halves(5))] {
            let period = Span::ttis(ttis, 1);
            assert_eq!(Convention::Table.wait(period, Tti::LTE), table);
            assert_eq!(Convention::HalfPeriod.wait(period, Tti::LTE), halves(ttis));
        }
    }

    #[test]
    fn shares_are_read_both_ways() {
        let tenth = Bler::new(Rational::new(1, 10)).expect("below 1");
        for text in ["0.1", "10%", "10 %", "0.10"] {
            assert_eq!(text.parse(), Ok(tenth));
        }
        assert_eq!(tenth.to_string(), "10%");
        for text in ["1.1", "101%", "-0.1", "", "0.1 ms"] {
            let error = text.parse::<Bler>().expect_err(text).to_string();
            assert!(error.contains("0 to 1"), "{error}");
        }
    }

    #[test]
    fn words_read_back() {
        for convention in Convention::ALL {
            assert_eq!(convention.to_string().parse(), Ok(convention));
        }
        assert!("both".parse::<Convention>().is_err());
    }
}
