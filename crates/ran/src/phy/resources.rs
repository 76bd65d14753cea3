//! The room of a transport block on the air: resource elements and coded bits.

use airpath_net::Direction;

use super::tables;

/// Symbols of a subframe with normal cyclic prefix (TS 36.211, tables 5.2.3-1, 6.2.3-1).
const SYMBOLS: u32 = 14;
/// Subcarriers of a resource block (TS 36.211, table 6.2.3-1).
const SUBCARRIERS: u32 = 12;
/// Symbols of a subframe with reference signals of antenna port 0, two elements in each
/// resource block (TS 36.211, 6.10.1.2).
const REFERENCE_SYMBOLS: [u32; 4] = [0, 4, 7, 11];
/// Symbols of an uplink subframe with demodulation reference signals (TS 36.211, 5.5.2.1).
const DEMODULATION_SYMBOLS: u32 = 2;
/// Bits of the check of a transport block (TS 36.212, 5.3.2.1).
pub(super) const BLOCK_CHECK_BITS: u32 = 24;

/// Signals that take room in the resource blocks of a subframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Symbols of the control region, downlink (TS 36.211, table 6.7-1).
    pub control_symbols: u8,
    /// True if the last symbol, uplink, is left to sounding reference signals (TS 36.211, 5.5.3.3).
    pub srs: bool,
}

impl Resources {
    /// Resource elements for data in a pair of resource blocks.
    pub fn elements(&self, direction: Direction) -> u32 {
        match direction {
            Direction::Downlink => {
                let control = u32::from(self.control_symbols).min(SYMBOLS);
                let reference = REFERENCE_SYMBOLS.iter().filter(|&&at| at >= control).count();
                SUBCARRIERS * (SYMBOLS - control) - 2 * reference as u32
            }
            Direction::Uplink => {
                SUBCARRIERS * (SYMBOLS - DEMODULATION_SYMBOLS - u32::from(self.srs))
            }
        }
    }

    /// Bits of the channel that carry a transport block.
    pub fn coded_bits(&self, direction: Direction, mcs: u8, resource_blocks: u16) -> u32 {
        let bits = u32::from(tables::modulation_bits_in(direction, mcs));
        self.elements(direction) * u32::from(resource_blocks) * bits
    }

    /// Code rate of a transport block: its bits and those of its check to the bits of the
    /// channel (TS 36.213, 7.1.7). Infinite where there is no room.
    pub fn code_rate(&self, direction: Direction, mcs: u8, resource_blocks: u16) -> f64 {
        let bits = tables::block_bytes(direction, mcs, resource_blocks) * 8 + BLOCK_CHECK_BITS;
        f64::from(bits) / f64::from(self.coded_bits(direction, mcs, resource_blocks))
    }
}

/// Bits of the channel that carry a transport block, without sounding reference signals.
pub fn coded_bits(direction: Direction, mcs: u8, resource_blocks: u16, control_symbols: u8) -> u32 {
    Resources { control_symbols, srs: false }.coded_bits(direction, mcs, resource_blocks)
}

/// Code rate of a transport block, without sounding reference signals.
pub fn code_rate(direction: Direction, mcs: u8, resource_blocks: u16, control_symbols: u8) -> f64 {
    Resources { control_symbols, srs: false }.code_rate(direction, mcs, resource_blocks)
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::{Downlink, Uplink};

    use super::*;

    #[test]
    fn elements_of_a_pair_of_resource_blocks() {
        // 168 elements; downlink without the control region and the reference signals
        // behind it, uplink without 24 for demodulation.
        let elements =
            |control_symbols| Resources { control_symbols, srs: false }.elements(Downlink);
        assert_eq!([0, 1, 3, 4, 5].map(elements), [160, 150, 126, 114, 104]);
        assert_eq!(elements(255), 0);
        assert_eq!(Resources { control_symbols: 3, srs: false }.elements(Uplink), 144);
        assert_eq!(Resources { control_symbols: 3, srs: true }.elements(Uplink), 132);
    }

    #[test]
    fn room_and_rate() {
        assert_eq!(coded_bits(Downlink, 28, 50, 3), 126 * 50 * 6);
        // The uplink has QPSK up to MCS 10.
        assert_eq!(coded_bits(Uplink, 10, 2, 3), 144 * 2 * 2);
        // (36 696 + 24) / 37 800
        assert!((code_rate(Downlink, 28, 50, 3) - 0.971_428_571).abs() < 1e-9);
        assert_eq!(code_rate(Downlink, 0, 0, 3), f64::INFINITY);
    }
}
