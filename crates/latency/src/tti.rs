//! The transmission time interval: a time, or a slot or mini-slot of NR.

use core::fmt;
use core::str::FromStr;

use airpath_base::Duration;

use crate::parse::{number, unit};
use crate::{ParseError, Rational};

/// The longest TTI that text may name.
const LONGEST: Duration = Duration::from_secs(1);
/// Symbols of a slot with the normal cyclic prefix (TS 38.211, table 4.3.2-1).
const SLOT: u8 = 14;

/// A transmission time interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tti {
    /// Any time above zero; 1 ms is a subframe of LTE (TS 36.211, 4).
    Time(Duration),
    /// A slot of NR or a part of one.
    Nr(Numerology, Length),
}

/// An NR numerology, 0 to 4. Subcarriers are 15 kHz times two to its power apart, and a slot is a
/// millisecond divided by as much (TS 38.211, tables 4.2-1 and 4.3.2-1). The table's largest, 240
/// kHz, carries synchronisation signals only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numerology(u8);

/// Part of a slot that a transmission takes. Parts of 2, 4 and 7 symbols are those of PDSCH mapping
/// type B (TS 38.214, table 5.1.2.1-1, normal cyclic prefix).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// All 14 symbols.
    Slot,
    /// Seven symbols.
    Seven,
    /// Four symbols.
    Four,
    /// Two symbols.
    Two,
}

impl Numerology {
    /// Numerology `mu`; none above 4.
    pub const fn new(mu: u8) -> Option<Numerology> {
        if mu <= 4 { Some(Numerology(mu)) } else { None }
    }

    /// Its number.
    pub const fn mu(self) -> u8 {
        self.0
    }
}

impl Length {
    /// All lengths with their words.
    pub const ALL: [(&str, Length); 4] = [
        ("slot", Length::Slot),
        ("7sym", Length::Seven),
        ("4sym", Length::Four),
        ("2sym", Length::Two),
    ];

    /// Symbols.
    pub const fn symbols(self) -> u8 {
        match self {
            Length::Slot => SLOT,
            Length::Seven => 7,
            Length::Four => 4,
            Length::Two => 2,
        }
    }

    fn word(self) -> &'static str {
        let known = Length::ALL.iter().find(|(_, length)| *length == self);
        known.map_or("", |(word, _)| word)
    }
}

impl Tti {
    /// LTE's, 1 ms (TS 36.211, 4).
    pub const LTE: Tti = Tti::Time(Duration::from_millis(1));

    /// Its length in nanoseconds. Symbols count as equal parts of their slot: that the
    /// first of each half millisecond is a little longer (TS 38.211, 5.3.1) is left out.
    pub const fn nanos(self) -> Rational {
        match self {
            Tti::Time(time) => Rational::nanos(time),
            Tti::Nr(Numerology(mu), length) => {
                let slots = (SLOT as u128) << mu;
                Rational::new(1_000_000 * length.symbols() as u128, slots)
            }
        }
    }
}

impl FromStr for Tti {
    type Err = ParseError;

    /// Parses a TTI. `1 ms`, `0.5ms` and `100us` are a time above zero up to 1 s in whole
    /// nanoseconds. `mu1`, `mu1/slot`, `mu1/7sym`, `mu1/4sym` and `mu1/2sym` are a slot or
    /// mini-slot of an NR numerology from 0 to 4.
    fn from_str(text: &str) -> Result<Tti, ParseError> {
        let fault = || {
            ParseError::new(
                "is neither a time above zero up to 1 s with its unit (ns, us, ms, s), as \
                 \"0.5 ms\", nor an NR slot or mini-slot: mu0 to mu4, alone or with /slot, \
                 /7sym, /4sym or /2sym, as \"mu1/2sym\"",
            )
        };
        let text = text.trim();
        if let Some(nr) = text.strip_prefix("mu") {
            return numerology(nr).ok_or_else(fault);
        }
        let (value, name) = number(text).ok_or_else(fault)?;
        let time = value * unit(name).ok_or_else(fault)?;
        let whole = time.to_duration();
        let fits = Rational::nanos(whole) == time && !whole.is_zero() && whole <= LONGEST;
        fits.then_some(Tti::Time(whole)).ok_or_else(fault)
    }
}

/// Numerology and part of the slot behind `mu`.
fn numerology(text: &str) -> Option<Tti> {
    let (mu, length) = text.split_once('/').unwrap_or((text, "slot"));
    let mut mus = (0..=4).filter_map(Numerology::new);
    let mu = mus.find(|known| known.0.to_string() == mu)?;
    let (_, length) = Length::ALL.iter().find(|(word, _)| *word == length)?;
    Some(Tti::Nr(mu, *length))
}

impl fmt::Display for Tti {
    /// Writes the text that the parser reads: times in milliseconds of any size.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tti::Time(_) => {
                let millis = self.nanos() / Rational::whole(1_000_000);
                f.pad(&format!("{millis} ms"))
            }
            Tti::Nr(mu, length) => f.pad(&format!("mu{}/{}", mu.0, length.word())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(text: &str) -> Rational {
        text.parse::<Tti>().expect("a TTI").nanos()
    }

    #[test]
    fn slots_of_nr_are_those_of_the_table() {
        // TS 38.211, table 4.3.2-1: 1, 2, 4, 8, 16 slots a subframe.
        for (text, slot) in
            [("mu0", 1_000_000), ("mu1", 500_000), ("mu2", 250_000), ("mu3", 125_000)]
        {
            assert_eq!(nanos(text), Rational::whole(slot));
        }
        assert_eq!(nanos("mu4/slot"), Rational::whole(62_500));
    }

    #[test]
    fn mini_slots_are_parts_of_their_slot() {
        assert_eq!(nanos("mu1/2sym"), Rational::new(500_000, 7));
        assert_eq!(nanos("mu0/4sym"), Rational::new(2_000_000, 7));
        assert_eq!(nanos("mu3/7sym"), Rational::whole(62_500));
    }

    #[test]
    fn text_reads_back() {
        for (text, shown) in [
            ("1ms", "1 ms"),
            ("0.5 ms", "0.5 ms"),
            ("100us", "0.1 ms"),
            ("1ns", "0.000001 ms"),
            ("1 s", "1000 ms"),
            ("mu2", "mu2/slot"),
            ("mu0/2sym", "mu0/2sym"),
        ] {
            let tti: Tti = text.parse().expect(text);
            assert_eq!(tti.to_string(), shown);
            assert_eq!(shown.parse(), Ok(tti));
        }
    }

    #[test]
    fn what_is_no_tti_is_refused_with_what_is() {
        let bad = ["", "1", "0 ms", "-1 ms", "2 s", "0.5 ns", "mu", "mu5", "mu1/3sym", "mu01", "x"];
        for text in bad {
            let error = text.parse::<Tti>().expect_err(text).to_string();
            assert!(error.contains("0.5 ms") && error.contains("mu1/2sym"), "{error}");
        }
    }
}
