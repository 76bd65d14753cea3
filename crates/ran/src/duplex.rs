//! Purposes of slots: frequency division duplex, or time division duplex with a pattern of slots
//! that repeats from the first slot on (TS 38.213, 11.1).
//!
//! A slot of a pattern is for the downlink, for the uplink, or special: symbols downlink, a
//! guard, symbols uplink.
//!
//! - PDSCH is sent in downlink slots and in the downlink symbols of special slots, if the control
//!   region leaves at least three of them (TS 38.214, table 5.1.2.1-1, mapping type A).
//! - PUSCH is sent in uplink slots only.
//! - PDCCH is sent in any slot with downlink symbols.
//! - A scheduling request or HARQ feedback is sent in any slot with uplink symbols: a short
//!   PUCCH takes one or two (TS 38.211, 6.3.2.1).
//!
//! Left out: flexible symbols that the network assigns later (TS 38.213, 11.1.1), PUSCH in special
//! slots, and different patterns in one network. LTE's uplink-downlink configurations with their
//! synchronous uplink are left out, too.

use airpath_net::Direction;
use airpath_schema::{Decoder, Field, Json, Node, json};

use crate::mac::SLOT_SYMBOLS;

/// Slots of a pattern at most: 20 ms, which whole patterns fill (TS 38.213, 11.1), at 240 kHz.
pub const MAX_PATTERN: usize = 320;
/// Symbols of a PDSCH of mapping type A at least (TS 38.214, table 5.1.2.1-1).
const LEAST_PDSCH: u8 = 3;

/// Duplex mode of the carrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Duplex {
    /// In frequency: each slot carries both.
    #[default]
    Fdd,
    /// In time.
    Tdd(Pattern),
}

/// Symbols of a special slot, 14 together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialSlot {
    downlink: u8,
    uplink: u8,
}

impl SpecialSlot {
    /// Symbols downlink, guard, symbols uplink; none if they are not 14 together.
    pub const fn new(downlink: u8, guard: u8, uplink: u8) -> Option<SpecialSlot> {
        match downlink as u32 + guard as u32 + uplink as u32 == SLOT_SYMBOLS as u32 {
            true => Some(SpecialSlot { downlink, uplink }),
            false => None,
        }
    }
}

impl Field for SpecialSlot {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "downlink symbols, guard and uplink symbols, 14 together, as \"10:2:2\"";
        let text = cx.text(node, allowed)?;
        let parts: Option<Vec<u8>> = text.split(':').map(|part| part.parse().ok()).collect();
        let fail = |cx: &mut Decoder, is_wrong: &str| {
            cx.fail(&node.place, is_wrong, format!("it must be {allowed}"))
        };
        match parts.as_deref() {
            Some(&[downlink, guard, uplink]) => {
                SpecialSlot::new(downlink, guard, uplink).or_else(|| {
                    let sum = u32::from(downlink) + u32::from(guard) + u32::from(uplink);
                    fail(cx, &format!("has {sum} symbols"))
                })
            }
            _ => fail(cx, "is no special slot"),
        }
    }
    fn encode(&self) -> Json {
        let SpecialSlot { downlink, uplink } = *self;
        json!(format!("{downlink}:{}:{uplink}", SLOT_SYMBOLS - downlink - uplink))
    }
    fn schema() -> Json {
        json!({"type": "string", "pattern": "^[0-9]+:[0-9]+:[0-9]+$", "examples": ["10:2:2"]})
    }
}

/// A pattern of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    slots: Vec<Slot>,
}

/// A slot of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    symbols: Symbols,
    /// For each purpose, slots until the next that serves it, from this one on.
    next: [u16; PURPOSES],
    /// And since the last, up to this one.
    last: [u16; PURPOSES],
}

/// Symbols of a slot by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbols {
    downlink: u8,
    uplink: u8,
    /// Those of the downlink that the control region takes, if there are so many.
    control: u8,
}

/// Error in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// A letter other than D, S and U.
    Letter(char),
    /// It has no downlink slot.
    NoDownlink,
    /// It has no uplink slot.
    NoUplink,
    /// It has special slots, and nobody says what they are like.
    NoSpecial,
    /// It has no special slot, but somebody says what they are like.
    UnusedSpecial,
    /// It has more slots than [`MAX_PATTERN`].
    Length(usize),
}

/// Purpose of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// PDSCH.
    DownlinkData,
    /// PUSCH.
    UplinkData,
    /// A scheduling request, a report or HARQ feedback.
    UplinkControl,
    /// PDCCH.
    Grant,
}

const PURPOSES: usize = 4;

impl Purpose {
    const ALL: [Purpose; PURPOSES] =
        [Purpose::DownlinkData, Purpose::UplinkData, Purpose::UplinkControl, Purpose::Grant];
}

impl Symbols {
    fn serve(self, purpose: Purpose) -> bool {
        match purpose {
            Purpose::DownlinkData => self.data(Direction::Downlink) > 0,
            Purpose::UplinkData => self.data(Direction::Uplink) > 0,
            Purpose::UplinkControl => self.uplink > 0,
            Purpose::Grant => self.downlink > 0,
        }
    }

    fn data(self, direction: Direction) -> u8 {
        match direction {
            Direction::Downlink if self.downlink == SLOT_SYMBOLS => self.downlink,
            Direction::Downlink if self.downlink >= self.control.saturating_add(LEAST_PDSCH) => {
                self.downlink
            }
            Direction::Uplink if self.uplink == SLOT_SYMBOLS && self.downlink == 0 => self.uplink,
            _ => 0,
        }
    }
}

impl Pattern {
    /// The pattern of these letters: D downlink, U uplink, S special. Two patterns that follow
    /// each other are one with the letters of both.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn new(letters: &str, special: Option<SpecialSlot>) -> Result<Pattern, PatternError> {
        let count = letters.chars().count();
        if count > MAX_PATTERN {
            return Err(PatternError::Length(count));
        }
        let slots: Result<Vec<Symbols>, PatternError> =
            letters.chars().map(|letter| symbols(letter, special)).collect();
        let slots = slots?;
        match () {
            () if !letters.contains('D') => Err(PatternError::NoDownlink),
            () if !letters.contains('U') => Err(PatternError::NoUplink),
            () if special.is_some() && !letters.contains('S') => Err(PatternError::UnusedSpecial),
            () => Ok(Pattern::of(&slots)),
        }
    }

    fn of(slots: &[Symbols]) -> Pattern {
        Pattern { slots: (0..slots.len()).map(|n| Slot::new(slots, n)).collect() }
    }

    /// Number of its slots.
    pub fn period(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Data symbols of its special slots downlink, if it has any and they carry data.
    pub(crate) fn special_symbols(&self) -> Option<u8> {
        let data = self.slots.iter().map(|slot| slot.symbols.data(Direction::Downlink));
        data.filter(|&symbols| symbols > 0).find(|&symbols| symbols < SLOT_SYMBOLS)
    }

    fn slot(&self, n: u64) -> &Slot {
        &self.slots[(n % self.period()) as usize]
    }
}

impl Slot {
    /// Slot `n` of a pattern.
    fn new(all: &[Symbols], n: usize) -> Slot {
        let period = all.len();
        let distance = |at: &dyn Fn(usize) -> usize, purpose| {
            let found = (0..period).find(|&steps| all[at(steps) % period].serve(purpose));
            // There is one: a pattern has downlink and uplink slots.
            found.unwrap_or(0) as u16
        };
        Slot {
            symbols: all[n],
            next: Purpose::ALL.map(|purpose| distance(&|steps| n + steps, purpose)),
            last: Purpose::ALL.map(|purpose| distance(&|steps| n + period - steps, purpose)),
        }
    }
}

fn symbols(letter: char, special: Option<SpecialSlot>) -> Result<Symbols, PatternError> {
    let symbols = |downlink, uplink| Ok(Symbols { downlink, uplink, control: 0 });
    match (letter, special) {
        ('D', _) => symbols(SLOT_SYMBOLS, 0),
        ('U', _) => symbols(0, SLOT_SYMBOLS),
        ('S', Some(SpecialSlot { downlink, uplink })) => symbols(downlink, uplink),
        ('S', None) => Err(PatternError::NoSpecial),
        (other, _) => Err(PatternError::Letter(other)),
    }
}

impl Duplex {
    /// This duplex with a control region that takes so many symbols of each slot.
    #[must_use]
    pub(crate) fn with_control(self, control: u8) -> Duplex {
        match self {
            Duplex::Fdd => Duplex::Fdd,
            Duplex::Tdd(pattern) => {
                let slots = pattern.slots.iter().map(|slot| Symbols { control, ..slot.symbols });
                Duplex::Tdd(Pattern::of(&slots.collect::<Vec<_>>()))
            }
        }
    }

    /// Share of TTIs that serve a purpose.
    pub(crate) fn share(&self, purpose: Purpose) -> f64 {
        let serving = (0..self.period()).filter(|&n| self.serves(purpose, n)).count();
        serving as f64 / self.period() as f64
    }

    /// TTIs after which everything repeats.
    pub(crate) fn period(&self) -> u64 {
        match self {
            Duplex::Fdd => 1,
            Duplex::Tdd(pattern) => pattern.period(),
        }
    }

    /// Symbols of TTI `n` that carry data in a direction.
    pub(crate) fn data_symbols(&self, n: u64, direction: Direction) -> u8 {
        match self {
            Duplex::Fdd => SLOT_SYMBOLS,
            Duplex::Tdd(pattern) => pattern.slot(n).symbols.data(direction),
        }
    }

    /// True if TTI `n` serves a purpose.
    #[inline]
    pub(crate) fn serves(&self, purpose: Purpose, n: u64) -> bool {
        self.next(purpose, n) == n
    }

    /// The first TTI from `n` on that serves a purpose.
    #[inline]
    pub(crate) fn next(&self, purpose: Purpose, n: u64) -> u64 {
        match self {
            Duplex::Fdd => n,
            Duplex::Tdd(pattern) => n + u64::from(pattern.slot(n).next[purpose as usize]),
        }
    }

    /// The last TTI up to `n` that serves a purpose, if there is one.
    #[inline]
    pub(crate) fn last(&self, purpose: Purpose, n: u64) -> Option<u64> {
        match self {
            Duplex::Fdd => Some(n),
            Duplex::Tdd(pattern) => {
                n.checked_sub(u64::from(pattern.slot(n).last[purpose as usize]))
            }
        }
    }
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PatternError::Letter(letter) => write!(f, "has the letter {letter:?}"),
            PatternError::NoDownlink => write!(f, "has no downlink slot"),
            PatternError::NoUplink => write!(f, "has no uplink slot"),
            PatternError::NoSpecial => write!(f, "has special slots that nobody describes"),
            PatternError::UnusedSpecial => write!(f, "has no special slot"),
            PatternError::Length(slots) => write!(f, "has {slots} slots"),
        }
    }
}

impl std::error::Error for PatternError {}

#[cfg(test)]
#[path = "duplex_tests.rs"]
mod tests;
