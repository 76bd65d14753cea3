//! The room of a transport block on the air: resource elements and coded bits.

use airpath_net::Direction;

use super::McsTable;
use super::tables;

/// Symbols of a subframe with normal cyclic prefix (TS 36.211, tables 5.2.3-1, 6.2.3-1).
const SYMBOLS: u32 = 14;
/// Subcarriers of a resource block (TS 36.211, table 6.2.3-1).
const SUBCARRIERS: u32 = 12;
/// Symbols of a subframe with reference signals of antenna port 0, two elements in each
/// resource block (TS 36.211, 6.10.1.2).
const REFERENCE_SYMBOLS: [u32; 4] = [0, 4, 7, 11];
/// Those with reference signals of antenna ports 2 and 3, two elements for each port (TS 36.211, 6.10.1.2).
const MORE_REFERENCE_SYMBOLS: [u32; 2] = [1, 8];
/// Symbols of an uplink subframe with demodulation reference signals (TS 36.211, 5.5.2.1).
const DEMODULATION_SYMBOLS: u32 = 2;
/// Bits of the check of a transport block (TS 36.212, 5.3.2.1).
pub(super) const BLOCK_CHECK_BITS: u32 = 24;

/// Reference signals downlink that take room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceSignals {
    /// Cell-specific antenna ports: 1, 2 or 4 (TS 36.211, 6.10.1.2).
    pub ports: u8,
    /// Resource elements of a UE's own in a pair of resource blocks: 12 with one or two layers, 24 with three
    /// or four, 0 without (TS 36.211, 6.10.3.2, ports 7 to 10).
    pub own: u8,
}

impl ReferenceSignals {
    /// Those of one port.
    pub const ONE_PORT: ReferenceSignals = ReferenceSignals { ports: 1, own: 0 };
}

/// Signals that take room in the resource blocks of a subframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Symbols of the control region, downlink (TS 36.211, table 6.7-1).
    pub control_symbols: u8,
    /// True if the last symbol, uplink, is left to sounding reference signals (TS 36.211, 5.5.3.3).
    pub srs: bool,
    /// Reference signals, downlink.
    pub reference: ReferenceSignals,
}

impl Resources {
    /// Resource elements for data in a pair of resource blocks.
    pub fn elements(&self, direction: Direction) -> u32 {
        match direction {
            Direction::Downlink => self.elements_downlink(SYMBOLS),
            Direction::Uplink => {
                SUBCARRIERS * (SYMBOLS - DEMODULATION_SYMBOLS - u32::from(self.srs))
            }
        }
    }

    /// Those downlink in the first symbols of a subframe.
    pub(crate) fn elements_downlink(&self, symbols: u32) -> u32 {
        let control = u32::from(self.control_symbols).min(symbols);
        let data = control..symbols;
        let in_data = |all: &[u32]| all.iter().filter(|at| data.contains(at)).count() as u32;
        let [first, more] = match self.reference.ports {
            0..=1 => [2, 0],
            2..=3 => [4, 0],
            _ => [4, 4],
        };
        let cell = first * in_data(&REFERENCE_SYMBOLS) + more * in_data(&MORE_REFERENCE_SYMBOLS);
        (SUBCARRIERS * (symbols - control)).saturating_sub(cell + u32::from(self.reference.own))
    }

    /// Bits of the channel that carry a transport block.
    pub fn coded_bits(
        &self,
        table: McsTable,
        direction: Direction,
        mcs: u8,
        resource_blocks: u16,
    ) -> u32 {
        let bits = u32::from(tables::modulation_bits_in(table, direction, mcs));
        self.elements(direction) * u32::from(resource_blocks) * bits
    }

    /// Code rate of a transport block: its bits and those of its check to the bits of the
    /// channel (TS 36.213, 7.1.7). Infinite where there is no room.
    pub fn code_rate(
        &self,
        table: McsTable,
        direction: Direction,
        mcs: u8,
        resource_blocks: u16,
    ) -> f64 {
        let bytes = tables::block_bytes(table, direction, mcs, resource_blocks);
        let coded = self.coded_bits(table, direction, mcs, resource_blocks);
        f64::from(bytes * 8 + BLOCK_CHECK_BITS) / f64::from(coded)
    }
}

#[cfg(test)]
mod tests {
    use airpath_net::Direction::{Downlink, Uplink};

    use super::*;
    use crate::phy::McsTable::{Qam64, Qam256};

    const USUAL: Resources =
        Resources { control_symbols: 3, srs: false, reference: ReferenceSignals::ONE_PORT };

    #[test]
    fn reference_signals_of_ports() {
        // TS 36.211, figures 6.10.1.2-1 and 6.10.3.2-1: 8, 16 and 24 elements of one, two and four ports.
        // The first symbol has those of ports 0 and 1, the second those of ports 2 and 3.
        let elements = |control_symbols, ports, own| {
            let reference = ReferenceSignals { ports, own };
            Resources { control_symbols, reference, ..USUAL }.elements(Downlink)
        };
        assert_eq!([1, 2, 4].map(|ports| elements(0, ports, 0)), [160, 152, 144]);
        assert_eq!([1, 2, 4].map(|ports| elements(1, ports, 0)), [150, 144, 136]);
        assert_eq!([1, 2, 4].map(|ports| elements(3, ports, 0)), [126, 120, 116]);
        assert_eq!([12, 24].map(|own| elements(1, 2, own)), [132, 120]);
        assert_eq!(elements(14, 2, 24), 0);
    }

    #[test]
    fn elements_of_a_pair_of_resource_blocks() {
        // 168 elements; downlink without the control region and the reference signals
        // behind it, uplink without 24 for demodulation.
        let elements = |control_symbols| Resources { control_symbols, ..USUAL }.elements(Downlink);
        assert_eq!([0, 1, 3, 4, 5].map(elements), [160, 150, 126, 114, 104]);
        assert_eq!(elements(255), 0);
        assert_eq!(USUAL.elements(Uplink), 144);
        assert_eq!(Resources { srs: true, ..USUAL }.elements(Uplink), 132);
    }

    #[test]
    fn room_and_rate() {
        let usual = USUAL;
        assert_eq!(usual.coded_bits(Qam64, Downlink, 28, 50), 126 * 50 * 6);
        assert_eq!(usual.coded_bits(Qam256, Downlink, 20, 50), 126 * 50 * 8);
        // The uplink has QPSK up to MCS 10.
        assert_eq!(usual.coded_bits(Qam64, Uplink, 10, 2), 144 * 2 * 2);
        // (36 696 + 24) / 37 800; 20 MHz with one symbol of control: (97 896 + 24) / 120 000.
        let wide = Resources { control_symbols: 1, ..USUAL };
        assert!((wide.code_rate(Qam256, Downlink, 27, 100) - 0.816).abs() < 1e-9);
        assert!((usual.code_rate(Qam64, Downlink, 28, 50) - 0.971_428_571).abs() < 1e-9);
        assert_eq!(usual.code_rate(Qam64, Downlink, 0, 0), f64::INFINITY);
    }
}
