//! Patterns of slots with time division duplex, in the three forms of the file.

use airpath_base::Duration;
use airpath_ran::{self as ran, Pattern, PatternError, SpecialSlot};
use airpath_schema::{between, choice, record};

use super::{Cell, Duplex};

/// Symbols of a slot with the normal cyclic prefix (TS 38.211, table 4.3.2-1).
const SYMBOLS: u32 = 14;
/// The special subframe of LTE unless the file names one.
pub(crate) const USUAL_SPECIAL_SUBFRAME: u8 = 7;

record! {
    /// A pattern of slots as system information has it (TS 38.213, 11.1; TS 38.331, 6.3.2,
    /// TDD-UL-DL-Pattern). Downlink slots and symbols are at its beginning, uplink symbols and slots
    /// at its end. Symbols between them are flexible.
    pub struct TddPart {
        /// Period, dl-UL-TransmissionPeriodicity: 0.5, 0.625, 1, 1.25, 2, 2.5, 3, 4, 5 or 10 ms.
        period: Duration;
        /// Slots that are all downlink, nrofDownlinkSlots. Default: 0.
        downlink_slots: u32 = 0 => between(0, 320);
        /// Downlink symbols of the slot behind them, nrofDownlinkSymbols. Default: 0.
        downlink_symbols: u32 = 0 => between(0, 13);
        /// Slots that are all uplink, nrofUplinkSlots. Default: 0.
        uplink_slots: u32 = 0 => between(0, 320);
        /// Uplink symbols of the slot before them, nrofUplinkSymbols. Default: 0.
        uplink_symbols: u32 = 0 => between(0, 13);
    }
}

choice! {
    /// Use of slots that are all flexible.
    pub enum Flexible: Unused {
        /// Nothing is sent in them, as where no DCI assigns them.
        Unused = "unused",
        /// They are downlink slots.
        Downlink = "downlink",
        /// They are uplink slots.
        Uplink = "uplink",
        /// The cell gives each to the direction that has something to send, in turn where both have.
        /// Two of their symbols are a guard. Not between cells of a network.
        ByNeed = "by-need",
    }
}

impl TddPart {
    /// Its slots where one is so long. None if they are no whole number, or if what is downlink and
    /// uplink does not fit.
    pub(crate) fn slots(&self, slot: ran::Tti, flexible: Flexible) -> Option<Vec<SpecialSlot>> {
        let count = slot.count(self.period)?;
        let whole = u64::from(self.downlink_slots) + u64::from(self.uplink_slots);
        let (down, up) = (self.downlink_symbols, self.uplink_symbols);
        let between = usize::try_from(count.checked_sub(whole)?).ok()?;
        let part = |down: u32, up: u32| {
            let guard = SYMBOLS.checked_sub(down + up)?;
            SpecialSlot::new(down as u8, guard as u8, up as u8)
        };
        let own = match (between, down > 0, up > 0) {
            (0, false, false) => Vec::new(),
            (0, ..) => return None,
            (1, true, _) | (1, _, true) => vec![part(down, up)?],
            (n, before, after) => {
                let all = n - usize::from(before) - usize::from(after);
                let first = if before { Some(part(down, 0)?) } else { None };
                let last = if after { Some(part(0, up)?) } else { None };
                let free = std::iter::repeat_n(flexible.slot(), all);
                first.into_iter().chain(free).chain(last).collect()
            }
        };
        let mut slots = vec![SpecialSlot::DOWNLINK; self.downlink_slots as usize];
        slots.extend(own);
        slots.extend(vec![SpecialSlot::UPLINK; self.uplink_slots as usize]);
        Some(slots)
    }
}

impl Flexible {
    const fn slot(self) -> SpecialSlot {
        match self {
            Flexible::Unused | Flexible::ByNeed => SpecialSlot::FLEXIBLE,
            Flexible::Downlink => SpecialSlot::DOWNLINK,
            Flexible::Uplink => SpecialSlot::UPLINK,
        }
    }

    const fn letter(self) -> &'static str {
        match self {
            Flexible::Unused | Flexible::ByNeed => "F",
            Flexible::Downlink => "D",
            Flexible::Uplink => "U",
        }
    }
}

impl Cell {
    /// The pattern of intervals with time division duplex, slots or mini-slots, if the file has one whose parts
    /// fit.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn pattern(&self) -> Option<Result<Pattern, PatternError>> {
        let cut = |pattern: Pattern| match self.tti.mini_slot() {
            Some(symbols) => pattern.in_mini_slots(symbols),
            None => pattern,
        };
        Some(self.pattern_of_slots()?.map(cut))
    }

    /// The pattern of whole slots, if the file has one whose parts fit.
    pub(crate) fn pattern_of_slots(&self) -> Option<Result<Pattern, PatternError>> {
        if self.duplex == Duplex::Fdd {
            return None;
        }
        if let Some(configuration) = self.tdd_configuration {
            let special = self.special_subframe.unwrap_or(USUAL_SPECIAL_SUBFRAME);
            return Pattern::lte(configuration, special).map(Ok);
        }
        let flexible = self.flexible.unwrap_or(Flexible::Unused);
        let pattern = match &self.tdd_common[..] {
            [] => {
                let letters = self.tdd_pattern.as_deref()?.replace('F', flexible.letter());
                Pattern::new(&letters, self.special_slot)
            }
            parts => {
                let slots = |part: &TddPart| part.slots(self.tti.slot(), flexible);
                let slots: Option<Vec<_>> = parts.iter().map(slots).collect();
                Pattern::of_slots(&slots?.concat())
            }
        };
        Some(pattern.map(|pattern| {
            let special = |pattern: Pattern| match self.special_uplink {
                true => pattern.with_special_uplink(),
                false => pattern,
            };
            // By need first: slots that are all flexible are no special ones.
            special(match flexible {
                Flexible::ByNeed => pattern.with_flexible_by_need(),
                _ => pattern,
            })
        }))
    }

    /// Letters of the slots of `tdd_common` or `tdd_configuration`: D, F, S and U.
    pub(crate) fn pattern_letters(&self) -> Option<String> {
        if let Some(configuration) = self.tdd_configuration {
            return Pattern::lte_letters(configuration).map(str::to_owned);
        }
        let slots = |part: &TddPart| part.slots(self.tti.slot(), Flexible::Unused);
        let slots: Option<Vec<_>> = self.tdd_common.iter().map(slots).collect();
        let letters = slots?.concat().into_iter().map(|slot| match slot {
            SpecialSlot::DOWNLINK => 'D',
            SpecialSlot::UPLINK => 'U',
            SpecialSlot::FLEXIBLE => 'F',
            _ => 'S',
        });
        Some(letters.collect()).filter(|letters: &String| !letters.is_empty())
    }
}

#[cfg(test)]
#[path = "tdd_tests.rs"]
mod tests;
