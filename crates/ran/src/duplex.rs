//! Purposes of slots: frequency division duplex, or time division duplex with a pattern of slots
//! that repeats from the first slot on (TS 38.213, 11.1).
//!
//! A slot of a pattern is for the downlink, for the uplink, or special: symbols downlink, a
//! guard, symbols uplink.
//!
//! - PDSCH is sent in downlink slots and in the downlink symbols of special slots, if the control
//!   region leaves at least three of them (TS 38.214, table 5.1.2.1-1, mapping type A).
//! - PUSCH is sent in uplink slots, and if the pattern has it so, in the uplink symbols of special
//!   slots, at least two of them (TS 38.214, table 6.1.2.1-1, mapping type B).
//! - PDCCH is sent in any slot with downlink symbols.
//! - A scheduling request or HARQ feedback is sent in any slot with uplink symbols: a short
//!   PUCCH takes one or two (TS 38.211, 6.3.2.1).
//!
//! - Flexible symbols are a guard: nothing is sent in them. Slots that are all flexible may be
//!   assigned by DCI (TS 38.213, 11.1.1): the cell gives each to a direction by need. Two symbols
//!   of them are a guard.
//!
//! Slots may be cut into mini-slots, which then have these purposes. PUSCH is sent in a mini-slot of a special slot
//! only if the pattern has it so.
//!
//! LTE's uplink-downlink configurations are patterns of subframes with tables of their own ([`lte`]).
//!
//! Left out: different patterns in one network.

use airpath_net::Direction;
use airpath_schema::{Decoder, Field, Json, Node, json};

use crate::mac::SLOT_SYMBOLS;

pub(crate) mod lte;

pub use lte::MAX_SPECIAL_SUBFRAME;

/// Slots of a pattern at most: 20 ms, which whole patterns fill (TS 38.213, 11.1), at 240 kHz.
pub const MAX_PATTERN: usize = 320;
/// Symbols of a PDSCH of mapping type A at least (TS 38.214, table 5.1.2.1-1).
const LEAST_PDSCH: u8 = 3;
/// Symbols of a PUSCH at least: one for reference signals and one for data.
const LEAST_PUSCH: u8 = 2;
/// Symbols of a guard in slots that are assigned by need: after the downlink, or before it.
const GUARD: u8 = 2;

/// Duplex mode of the carrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Duplex {
    /// In frequency: each slot carries both.
    #[default]
    Fdd,
    /// In time.
    Tdd(Pattern),
}

/// Symbols of a slot by direction, 14 with those between: of a special slot as the scenario has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialSlot {
    downlink: u8,
    uplink: u8,
    /// True if the cell chooses one of both.
    by_need: bool,
}

impl SpecialSlot {
    /// A downlink slot.
    pub const DOWNLINK: SpecialSlot = SpecialSlot::fixed(SLOT_SYMBOLS, 0);
    /// An uplink slot.
    pub const UPLINK: SpecialSlot = SpecialSlot::fixed(0, SLOT_SYMBOLS);
    /// A slot that is all flexible, and unused.
    pub const FLEXIBLE: SpecialSlot = SpecialSlot::fixed(0, 0);
    /// One that the cell gives to a direction by need.
    const BY_NEED: SpecialSlot = {
        let symbols = SLOT_SYMBOLS - GUARD;
        SpecialSlot { by_need: true, ..SpecialSlot::fixed(symbols, symbols) }
    };

    const fn fixed(downlink: u8, uplink: u8) -> SpecialSlot {
        SpecialSlot { downlink, uplink, by_need: false }
    }

    /// Symbols downlink, guard, symbols uplink; none if they are not 14 together.
    pub const fn new(downlink: u8, guard: u8, uplink: u8) -> Option<SpecialSlot> {
        match downlink as u32 + guard as u32 + uplink as u32 == SLOT_SYMBOLS as u32 {
            true => Some(SpecialSlot::fixed(downlink, uplink)),
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
        let SpecialSlot { downlink, uplink, .. } = *self;
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
    /// LTE's tables, if it is a configuration of LTE.
    lte: Option<&'static lte::Configuration>,
}

/// A slot of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    symbols: Symbols,
    /// For each purpose, slots until the next that serves it, from this one on.
    next: [u16; PURPOSES],
    /// And since the last, up to this one.
    last: [u16; PURPOSES],
    /// Slots of the pattern before this one that carry data uplink.
    uplink_before: u16,
}

/// Symbols of a slot by direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symbols {
    downlink: u8,
    uplink: u8,
    /// Those of the downlink that the control region takes, if there are so many.
    control: u8,
    /// True if those of the uplink carry data.
    uplink_data: bool,
    /// True if the cell chooses a direction, for data alone.
    by_need: bool,
}

/// Error in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// A letter other than D, F, S and U.
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
    /// PUSCH of a configured grant.
    ConfiguredData,
    /// A scheduling request, a report or HARQ feedback.
    UplinkControl,
    /// PDCCH.
    Grant,
}

const PURPOSES: usize = 5;

impl Purpose {
    const ALL: [Purpose; PURPOSES] = [
        Purpose::DownlinkData,
        Purpose::UplinkData,
        Purpose::ConfiguredData,
        Purpose::UplinkControl,
        Purpose::Grant,
    ];
}

impl Symbols {
    fn serve(self, purpose: Purpose) -> bool {
        match purpose {
            Purpose::DownlinkData => self.data(Direction::Downlink) > 0,
            Purpose::UplinkData => self.data(Direction::Uplink) > 0,
            Purpose::ConfiguredData => self.data(Direction::Uplink) > 0 && !self.by_need,
            Purpose::UplinkControl => self.uplink > 0 && !self.by_need,
            Purpose::Grant => self.downlink > 0 && !self.by_need,
        }
    }

    fn data(self, direction: Direction) -> u8 {
        match direction {
            Direction::Downlink if self.downlink == SLOT_SYMBOLS => self.downlink,
            Direction::Downlink if self.downlink >= self.control.saturating_add(LEAST_PDSCH) => {
                self.downlink
            }
            Direction::Uplink if self.uplink_data && self.uplink >= LEAST_PUSCH => self.uplink,
            _ => 0,
        }
    }
}

impl Pattern {
    /// The pattern of these letters: D downlink, U uplink, S special, F flexible. Two patterns that
    /// follow each other are one with the letters of both.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn new(letters: &str, special: Option<SpecialSlot>) -> Result<Pattern, PatternError> {
        let count = letters.chars().count();
        if count > MAX_PATTERN {
            return Err(PatternError::Length(count));
        }
        let slot = |letter| match (letter, special) {
            ('D', _) => Ok(SpecialSlot::DOWNLINK),
            ('U', _) => Ok(SpecialSlot::UPLINK),
            ('F', _) => Ok(SpecialSlot::FLEXIBLE),
            ('S', Some(special)) => Ok(special),
            ('S', None) => Err(PatternError::NoSpecial),
            (other, _) => Err(PatternError::Letter(other)),
        };
        let slots: Result<Vec<SpecialSlot>, PatternError> = letters.chars().map(slot).collect();
        let pattern = Pattern::of_slots(&slots?)?;
        match special.is_some() && !letters.contains('S') {
            true => Err(PatternError::UnusedSpecial),
            false => Ok(pattern),
        }
    }

    /// The pattern of these slots.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn of_slots(slots: &[SpecialSlot]) -> Result<Pattern, PatternError> {
        match () {
            () if slots.len() > MAX_PATTERN => Err(PatternError::Length(slots.len())),
            () if !slots.contains(&SpecialSlot::DOWNLINK) => Err(PatternError::NoDownlink),
            () if !slots.contains(&SpecialSlot::UPLINK) => Err(PatternError::NoUplink),
            () => Ok(Pattern::of(slots.iter().map(Symbols::of), None)),
        }
    }

    /// This pattern with data uplink in the uplink symbols of special slots, too.
    #[must_use]
    pub fn with_special_uplink(self) -> Pattern {
        self.map(|symbols| Symbols { uplink_data: true, ..symbols })
    }

    /// This pattern with each of its slots cut into mini-slots of so many symbols, which divide 14. Purposes then
    /// are those of mini-slots.
    #[must_use]
    pub fn in_mini_slots(self, symbols: u8) -> Pattern {
        let cut = |slot: &Slot| {
            let whole = slot.symbols;
            (0..SLOT_SYMBOLS / symbols).map(move |n| whole.mini_slot(n * symbols, symbols))
        };
        Pattern::of(self.slots.iter().flat_map(cut), self.lte)
    }

    /// This pattern, where the cell gives each slot that is all flexible to a direction by need.
    #[must_use]
    pub fn with_flexible_by_need(self) -> Pattern {
        let flexible = Symbols::of(&SpecialSlot::FLEXIBLE);
        let by_need = Symbols::of(&SpecialSlot::BY_NEED);
        self.map(|symbols| if symbols == flexible { by_need } else { symbols })
    }

    fn of(
        slots: impl Iterator<Item = Symbols>,
        lte: Option<&'static lte::Configuration>,
    ) -> Pattern {
        let slots: Vec<Symbols> = slots.collect();
        Pattern { slots: (0..slots.len()).map(|n| Slot::new(&slots, n)).collect(), lte }
    }

    fn map(&self, change: impl Fn(Symbols) -> Symbols) -> Pattern {
        Pattern::of(self.slots.iter().map(|slot| change(slot.symbols)), self.lte)
    }

    /// Number of its slots.
    pub fn period(&self) -> u64 {
        self.slots.len() as u64
    }

    /// True if slots are given to a direction by need.
    pub fn is_by_need(&self) -> bool {
        self.slots.iter().any(|slot| slot.symbols.by_need)
    }

    /// Slots from one that may be a configured grant's to the next at most.
    pub fn longest_wait(&self) -> u64 {
        let next = |slot: &Slot| slot.next[Purpose::ConfiguredData as usize];
        self.slots.iter().map(next).max().map_or(1, |most| u64::from(most) + 1)
    }

    /// True if special slots carry data uplink.
    pub fn has_special_uplink(&self) -> bool {
        let special = |slot: &Slot| !slot.symbols.by_need && slot.symbols.uplink < SLOT_SYMBOLS;
        let mut special = self.slots.iter().filter(|slot| special(slot));
        special.any(|slot| slot.symbols.serve(Purpose::UplinkData))
    }

    /// True if it is a configuration of LTE.
    pub fn is_lte(&self) -> bool {
        self.lte.is_some()
    }

    /// Numbers of data symbols in a direction that slots have, if they are not all.
    fn part_symbols(&self, direction: Direction) -> Vec<u8> {
        let data = self.slots.iter().map(|slot| slot.symbols.data(direction));
        let mut parts: Vec<u8> = data.filter(|data| (1..SLOT_SYMBOLS).contains(data)).collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    fn slot(&self, n: u64) -> &Slot {
        &self.slots[(n % self.period()) as usize]
    }
}

impl Symbols {
    fn of(slot: &SpecialSlot) -> Symbols {
        let SpecialSlot { downlink, uplink, by_need } = *slot;
        let uplink_data = by_need || uplink == SLOT_SYMBOLS;
        Symbols { downlink, uplink, control: 0, uplink_data, by_need }
    }

    /// The mini-slot of so many symbols that begins with this one. One that is all downlink or all uplink counts
    /// as a whole slot does.
    fn mini_slot(self, first: u8, symbols: u8) -> Symbols {
        let counted = |own: u8| if own >= symbols { SLOT_SYMBOLS } else { own };
        let uplink = (first + symbols).saturating_sub(SLOT_SYMBOLS - self.uplink);
        let downlink = counted(self.downlink.saturating_sub(first));
        Symbols { downlink, uplink: counted(uplink), ..self }
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
        let uplink = all[..n].iter().filter(|slot| slot.serve(Purpose::UplinkData));
        Slot {
            symbols: all[n],
            next: Purpose::ALL.map(|purpose| distance(&|steps| n + steps, purpose)),
            last: Purpose::ALL.map(|purpose| distance(&|steps| n + period - steps, purpose)),
            uplink_before: uplink.count() as u16,
        }
    }
}

impl Duplex {
    /// This duplex with a control region that takes so many symbols of each slot.
    #[must_use]
    pub(crate) fn with_control(self, control: u8) -> Duplex {
        match self {
            Duplex::Fdd => Duplex::Fdd,
            Duplex::Tdd(pattern) => {
                let most = |symbols| pattern.most_control(symbols).min(control);
                let changed = |symbols| Symbols { control: most(symbols), ..symbols };
                Duplex::Tdd(pattern.map(changed))
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

    /// Numbers of data symbols in a direction of TTIs that do not have all.
    pub(crate) fn part_symbols(&self, direction: Direction) -> Vec<u8> {
        match self {
            Duplex::Fdd => Vec::new(),
            Duplex::Tdd(pattern) => pattern.part_symbols(direction),
        }
    }

    /// The direction that TTI `n` is for first, if it is given by need: they take turns.
    pub(crate) fn by_need(&self, n: u64) -> Option<Direction> {
        let Duplex::Tdd(pattern) = self else { return None };
        let slots = &pattern.slots;
        let own = (n % pattern.period()) as usize;
        let count =
            |slots: &[Slot]| slots.iter().filter(|slot| slot.symbols.by_need).count() as u64;
        slots[own].symbols.by_need.then(|| {
            let before = n / pattern.period() * count(slots) + count(&slots[..own]);
            if before.is_multiple_of(2) { Direction::Uplink } else { Direction::Downlink }
        })
    }

    /// Number of TTIs before TTI `n` that carry data uplink.
    pub(crate) fn uplink_before(&self, n: u64) -> u64 {
        match self {
            Duplex::Fdd => n,
            Duplex::Tdd(pattern) => {
                let [last, own] = [pattern.period() - 1, n].map(|n| pattern.slot(n));
                let all = last.uplink_before + u16::from(last.symbols.serve(Purpose::UplinkData));
                n / pattern.period() * u64::from(all) + u64::from(own.uplink_before)
            }
        }
    }

    /// True if TTI `n` carries data in a direction.
    pub fn carries_data(&self, direction: Direction, n: u64) -> bool {
        let purpose = match direction {
            Direction::Downlink => Purpose::DownlinkData,
            Direction::Uplink => Purpose::UplinkData,
        };
        self.serves(purpose, n)
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
