//! LTE's uplink-downlink configurations 0 to 6 and special subframes 0 to 9 with the normal cyclic
//! prefix (TS 36.211, tables 4.2-1 and 4.2-2), and their HARQ (TS 36.213).
//!
//! - A PUSCH has its grant in the subframe of table 8-2. In configuration 0 the second part of a
//!   grant (the least bit of its uplink index) is for the subframe 7 later.
//! - Feedback for the downlink is sent in the uplink subframe of table 10.1.3.1-1.
//! - HARQ uplink is synchronous: a process has each n-th uplink subframe, n of table 8-1. So PHICH
//!   (table 9.1.2-1) and table 8-2 have it together.
//! - A process downlink is one of table 7-1.
//! - A transport block in the downlink part of a special subframe is as large as in 3/4 of its
//!   resource blocks, with special subframe 9 as in 3/8 (7.1.7). Special subframes 0 and 5 carry
//!   none.
//! - The uplink part of special subframes carries no PUSCH and no PUCCH (TS 36.211, 5.3.4 and 5.4).
//!
//! A bit of feedback is sent for each block. Left out: bundling of feedback and of subframes, the
//! extended cyclic prefix, special subframe 10, and enhanced interference mitigation (eIMTA).

use airpath_net::Direction;

use super::{Duplex, Pattern, SpecialSlot, Symbols};
use crate::mac::SLOT_SYMBOLS;

/// The last special subframe configuration.
pub const MAX_SPECIAL_SUBFRAME: u8 = 9;
/// Symbols of the control region in special subframes at most (TS 36.211, table 6.7-1).
const SPECIAL_CONTROL: u8 = 2;
/// Downlink and uplink symbols of the special subframes 0 to 9 (TS 36.211, table 4.2-1).
const SPECIAL: [[u8; 2]; 10] =
    [[3, 1], [9, 1], [10, 1], [11, 1], [12, 1], [3, 2], [9, 2], [10, 2], [11, 2], [6, 2]];
/// Downlink symbols of special subframe 9, and eighths of resource blocks that count there and in
/// others (TS 36.213, 7.1.7).
const SHORT: u8 = 6;
const EIGHTHS: [u32; 2] = [3, 6];

/// A configuration. Lists are by subframe; 0 stands for none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// Downlink, uplink and special subframes (TS 36.211, table 4.2-2).
    letters: &'static str,
    /// From the grant of an uplink subframe to it (TS 36.213, table 8-2).
    grant: [u8; 10],
    /// From a subframe with data downlink to its feedback (TS 36.213, table 10.1.3.1-1).
    feedback: [u8; 10],
    /// HARQ processes downlink and uplink (TS 36.213, tables 7-1 and 8-1).
    processes: [u8; 2],
}

const CONFIGURATIONS: [Configuration; 7] = [
    Configuration {
        letters: "DSUUUDSUUU",
        grant: [0, 0, 6, 7, 4, 0, 0, 6, 7, 4],
        feedback: [4, 6, 0, 0, 0, 4, 6, 0, 0, 0],
        processes: [4, 7],
    },
    Configuration {
        letters: "DSUUDDSUUD",
        grant: [0, 0, 6, 4, 0, 0, 0, 6, 4, 0],
        feedback: [7, 6, 0, 0, 4, 7, 6, 0, 0, 4],
        processes: [7, 4],
    },
    Configuration {
        letters: "DSUDDDSUDD",
        grant: [0, 0, 4, 0, 0, 0, 0, 4, 0, 0],
        feedback: [7, 6, 0, 4, 8, 7, 6, 0, 4, 8],
        processes: [10, 2],
    },
    Configuration {
        letters: "DSUUUDDDDD",
        grant: [0, 0, 4, 4, 4, 0, 0, 0, 0, 0],
        feedback: [4, 11, 0, 0, 0, 7, 6, 6, 5, 5],
        processes: [9, 3],
    },
    Configuration {
        letters: "DSUUDDDDDD",
        grant: [0, 0, 4, 4, 0, 0, 0, 0, 0, 0],
        feedback: [12, 11, 0, 0, 8, 7, 7, 6, 5, 4],
        processes: [12, 2],
    },
    Configuration {
        letters: "DSUDDDDDDD",
        grant: [0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
        feedback: [12, 11, 0, 9, 8, 7, 6, 5, 4, 13],
        processes: [15, 1],
    },
    Configuration {
        letters: "DSUUUDSUUD",
        grant: [0, 0, 7, 7, 5, 0, 0, 7, 7, 0],
        feedback: [7, 7, 0, 0, 0, 7, 7, 0, 0, 5],
        processes: [6, 6],
    },
];

impl Pattern {
    /// Subframes of LTE's uplink-downlink configuration with a configuration of special subframes;
    /// none outside 0 to 6 and 0 to 9.
    pub fn lte(configuration: u8, special: u8) -> Option<Pattern> {
        let own = CONFIGURATIONS.get(usize::from(configuration))?;
        let [downlink, _] = *SPECIAL.get(usize::from(special))?;
        let slot = |letter| match letter {
            'D' => SpecialSlot::DOWNLINK,
            'U' => SpecialSlot::UPLINK,
            _ => SpecialSlot::fixed(downlink, 0),
        };
        let slots = own.letters.chars().map(|letter| Symbols::of(&slot(letter)));
        Some(Pattern::of(slots, Some(own)))
    }

    /// Letters of LTE's uplink-downlink configuration: D, S and U.
    pub fn lte_letters(configuration: u8) -> Option<&'static str> {
        CONFIGURATIONS.get(usize::from(configuration)).map(|own| own.letters)
    }

    /// Downlink, guard and uplink symbols of a special subframe.
    pub fn lte_special(special: u8) -> Option<[u8; 3]> {
        let [downlink, uplink] = *SPECIAL.get(usize::from(special))?;
        Some([downlink, SLOT_SYMBOLS - downlink - uplink, uplink])
    }

    /// Symbols of the control region of such a slot at most.
    pub(super) fn most_control(&self, symbols: Symbols) -> u8 {
        match self.lte.is_some() && symbols.downlink < SLOT_SYMBOLS {
            true => SPECIAL_CONTROL,
            false => u8::MAX,
        }
    }
}

impl Duplex {
    fn configuration(&self) -> Option<&'static Configuration> {
        match self {
            Duplex::Fdd => None,
            Duplex::Tdd(pattern) => pattern.lte,
        }
    }

    /// HARQ processes downlink and uplink that the standard has for it.
    pub(crate) fn processes(&self) -> Option<[u64; 2]> {
        self.configuration().map(|own| own.processes.map(u64::from))
    }

    /// TTIs from a grant to its data in TTI `n` uplink, where a table has it.
    pub(crate) fn grant_to_data(&self, n: u64) -> Option<u64> {
        self.configuration().map(|own| u64::from(own.grant[(n % 10) as usize]))
    }

    /// TTIs from data downlink in TTI `n` to their feedback, where a table has it.
    pub(crate) fn data_to_feedback(&self, n: u64) -> Option<u64> {
        self.configuration().map(|own| u64::from(own.feedback[(n % 10) as usize]))
    }

    /// Resource blocks and symbols that decide the size of a transport block in so many of them,
    /// where these are others.
    pub(crate) fn size_of(
        &self,
        (direction, symbols): (Direction, u8),
        resource_blocks: u16,
    ) -> Option<(u16, u8)> {
        let special = direction == Direction::Downlink && symbols < SLOT_SYMBOLS;
        self.configuration().filter(|_| special && resource_blocks > 0)?;
        let eighths = EIGHTHS[usize::from(symbols > SHORT)];
        let counted = u32::from(resource_blocks) * eighths / 8;
        Some((counted.max(1) as u16, SLOT_SYMBOLS))
    }
}

#[cfg(test)]
#[path = "lte_tests.rs"]
pub(crate) mod tests;
