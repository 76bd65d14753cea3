//! Time division duplex: patterns of slots of NR, and LTE's uplink-downlink configurations with
//! their HARQ timing.

use core::fmt;
use core::str::FromStr;

use crate::{ParseError, Tti};

/// Slots of a pattern at most: 20 ms, which whole patterns fill (TS 38.213, 11.1), at 240 kHz.
const MOST_SLOTS: usize = 320;

/// LTE's subframes by configuration (TS 36.211, table 4.2-2).
const SUBFRAMES: [&str; 7] = [
    "DSUUUDSUUU",
    "DSUUDDSUUD",
    "DSUDDDSUDD",
    "DSUUUDDDDD",
    "DSUUDDDDDD",
    "DSUDDDDDDD",
    "DSUUUDSUUD",
];
/// Subframes with a grant, and subframes from there to its PUSCH (TS 36.213, table 8-2). In
/// configuration 0 a grant may also be for the PUSCH seven subframes later.
const GRANTS: [&[(u64, u64)]; 7] = [
    &[(0, 4), (1, 6), (5, 4), (6, 6), (0, 7), (1, 7), (5, 7), (6, 7)],
    &[(1, 6), (4, 4), (6, 6), (9, 4)],
    &[(3, 4), (8, 4)],
    &[(0, 4), (8, 4), (9, 4)],
    &[(8, 4), (9, 4)],
    &[(8, 4)],
    &[(0, 7), (1, 7), (5, 7), (6, 7), (9, 5)],
];
/// Uplink subframes, and subframes from data downlink to their feedback there (TS 36.213, table
/// 10.1.3.1-1).
const FEEDBACK: [&[(u64, &[u64])]; 7] = [
    &[(2, &[6]), (4, &[4]), (7, &[6]), (9, &[4])],
    &[(2, &[7, 6]), (3, &[4]), (7, &[7, 6]), (8, &[4])],
    &[(2, &[8, 7, 4, 6]), (7, &[8, 7, 4, 6])],
    &[(2, &[7, 6, 11]), (3, &[6, 5]), (4, &[5, 4])],
    &[(2, &[12, 8, 7, 11]), (3, &[6, 5, 4, 7])],
    &[(2, &[13, 12, 9, 8, 7, 5, 4, 11, 6])],
    &[(2, &[7]), (3, &[7]), (4, &[5]), (7, &[7]), (8, &[7])],
];
/// HARQ processes uplink (TS 36.213, table 8-1).
const PROCESSES: [u64; 7] = [7, 4, 2, 3, 2, 1, 6];

/// A pattern of slots that repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tdd {
    letters: String,
    special_uplink: bool,
    flexible_by_need: bool,
    lte: Option<u8>,
    /// True if each slot serves all purposes: frequency division duplex.
    fdd: bool,
}

/// Purpose of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    DownlinkData,
    UplinkData,
    /// Data of a configured grant.
    ConfiguredData,
    /// A scheduling request or feedback.
    UplinkControl,
    Grant,
}

impl Tdd {
    /// Frequency division duplex: a pattern of one TTI that serves both directions.
    pub fn fdd() -> Tdd {
        let letters = "U".to_owned();
        Tdd { letters, special_uplink: false, flexible_by_need: false, lte: None, fdd: true }
    }

    /// This pattern with data uplink in special slots, too.
    ///
    /// # Errors
    ///
    /// A pattern that has none, or LTE's.
    pub fn with_special_uplink(self) -> Result<Tdd, ParseError> {
        match self.lte.is_none() && self.slots().contains(&b'S') {
            true => Ok(Tdd { special_uplink: true, ..self }),
            false => Err(ParseError::new(format!(
                "sends no data uplink in special slots: {self} has none of NR's"
            ))),
        }
    }

    /// This pattern with data in flexible slots, in either direction.
    ///
    /// # Errors
    ///
    /// A pattern that has none.
    pub fn with_flexible_by_need(self) -> Result<Tdd, ParseError> {
        match self.slots().contains(&b'F') {
            true => Ok(Tdd { flexible_by_need: true, ..self }),
            false => {
                Err(ParseError::new(format!("is of flexible slots: {self} has none, as DFSU")))
            }
        }
    }

    /// Checks that a TTI is a slot of the pattern.
    ///
    /// # Errors
    ///
    /// A message with the TTIs that are possible.
    pub fn check(&self, tti: Tti) -> Result<(), ParseError> {
        let slots: Vec<Tti> =
            ["mu0", "mu1", "mu2", "mu3", "mu4"].map(str::parse).into_iter().flatten().collect();
        let is_slot = slots.iter().any(|slot| slot.nanos() == tti.nanos());
        match self.lte {
            None if self.fdd => Ok(()),
            Some(_) if tti.nanos() != Tti::LTE.nanos() => {
                Err(ParseError::new(format!("{self} has subframes of 1 ms, and no TTI of {tti}")))
            }
            None if !is_slot => Err(ParseError::new(format!(
                "{self} has slots, and {tti} is none: mu0 to mu4, or a time as long"
            ))),
            _ => Ok(()),
        }
    }

    fn slots(&self) -> &[u8] {
        self.letters.as_bytes()
    }

    /// True if it is a configuration of LTE.
    pub fn is_lte(&self) -> bool {
        self.lte.is_some()
    }

    /// Number of its slots.
    pub(crate) fn period(&self) -> u64 {
        self.slots().len() as u64
    }

    pub(crate) fn serves(&self, purpose: Purpose, slot: u64) -> bool {
        let letter = self.slots()[(slot % self.period()) as usize];
        match (purpose, letter) {
            _ if self.fdd => true,
            (Purpose::DownlinkData | Purpose::Grant, b'D' | b'S') => true,
            (Purpose::UplinkData | Purpose::ConfiguredData | Purpose::UplinkControl, b'U') => true,
            (Purpose::UplinkControl, b'S') => self.lte.is_none(),
            (Purpose::UplinkData | Purpose::ConfiguredData, b'S') => self.special_uplink,
            (Purpose::DownlinkData | Purpose::UplinkData, b'F') => self.flexible_by_need,
            _ => false,
        }
    }

    /// The first slot from `slot` on that serves a purpose; a pattern has one.
    pub(crate) fn next(&self, purpose: Purpose, slot: u64) -> u64 {
        let mut all = slot..slot + self.period();
        all.find(|&slot| self.serves(purpose, slot)).unwrap_or(slot)
    }

    /// The slot of the grant for an uplink slot that needs one `k2` slots before or more; none before
    /// the first.
    pub(crate) fn grant(&self, uplink: u64, k2: u64) -> Option<u64> {
        match self.lte {
            Some(configuration) => {
                let rows = GRANTS[usize::from(configuration)].iter();
                let own = rows.filter(|(grant, k)| (grant + k) % 10 == uplink % 10);
                uplink.checked_sub(own.map(|(_, k)| *k).min()?)
            }
            None => {
                let latest = uplink.checked_sub(k2)?;
                (0..=latest).rev().find(|&slot| self.serves(Purpose::Grant, slot))
            }
        }
    }

    /// The slot of the feedback for data downlink, from slot `earliest` on where no table has it.
    pub(crate) fn feedback(&self, data: u64, earliest: u64) -> u64 {
        let Some(configuration) = self.lte else {
            return self.next(Purpose::UplinkControl, earliest);
        };
        let rows = FEEDBACK[usize::from(configuration)].iter();
        let mut own = rows.flat_map(|(uplink, all)| all.iter().map(move |k| (uplink + 20 - k, *k)));
        let k = own.find(|(downlink, _)| downlink % 10 == data % 10).map_or(0, |(_, k)| k);
        data + k
    }

    /// The slot in which LTE's synchronous HARQ sends again what it sent in an uplink slot.
    pub(crate) fn again(&self, uplink: u64) -> Option<u64> {
        let processes = PROCESSES[usize::from(self.lte?)];
        Some((0..processes).fold(uplink, |slot, _| self.next(Purpose::UplinkData, slot + 1)))
    }
}

impl FromStr for Tdd {
    type Err = ParseError;

    /// `DDDSU`: D downlink, F flexible, S special, U uplink. `lte0` to `lte6` are LTE's
    /// configurations, and `fdd` is frequency division duplex.
    fn from_str(text: &str) -> Result<Tdd, ParseError> {
        let text = text.trim();
        if text == "fdd" {
            return Ok(Tdd::fdd());
        }
        if let Some(number) = text.strip_prefix("lte") {
            let configuration =
                number.parse::<u8>().ok().filter(|n| usize::from(*n) < SUBFRAMES.len());
            let configuration = configuration.ok_or_else(|| {
                ParseError::new("is no configuration of LTE: there are lte0 to lte6")
            })?;
            let letters = SUBFRAMES[usize::from(configuration)].to_owned();
            return Ok(Tdd {
                letters,
                special_uplink: false,
                flexible_by_need: false,
                lte: Some(configuration),
                fdd: false,
            });
        }
        let known = text.bytes().all(|letter| b"DFSU".contains(&letter));
        let both = text.contains('D') && text.contains('U');
        if !known || !both || text.len() > MOST_SLOTS {
            return Err(ParseError::new(
                "is no pattern of slots: D downlink, F flexible, S special, U uplink, as DDDSU, at \
                 least one D and one U and 320 slots at most, or lte0 to lte6, or fdd",
            ));
        }
        Ok(Tdd {
            letters: text.to_owned(),
            special_uplink: false,
            flexible_by_need: false,
            lte: None,
            fdd: false,
        })
    }
}

impl fmt::Display for Tdd {
    /// `DDDSU`, `lte2`; with data uplink in special slots `DDDSU with PUSCH in S`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.lte {
            None if self.fdd => "FDD".to_owned(),
            Some(configuration) => format!("lte{configuration}"),
            None => {
                let with = if self.special_uplink { " with PUSCH in S" } else { "" };
                let by_need = if self.flexible_by_need { ", F by need" } else { "" };
                format!("{}{with}{by_need}", self.letters)
            }
        };
        f.pad(&text)
    }
}
