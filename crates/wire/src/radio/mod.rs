//! PDUs of the radio's layers as bytes: MAC, RLC, PDCP and SDAP of LTE and NR, and what Wireshark
//! wants around them.
//!
//! Only the sending way, and only what the model has: user plane data, status reports, buffer
//! status reports, random access and padding.

mod bits;
pub mod bsr;
pub mod exported;
pub mod mac_lte;
pub mod mac_nr;
pub mod pdcp;
pub mod random_access;
pub mod rlc_lte;
pub mod rlc_nr;

/// A mode of RLC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RlcMode {
    /// Of LTE.
    Lte(rlc_lte::Mode),
    /// Of NR.
    Nr(rlc_nr::Mode),
}

/// A MAC SDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacSdu {
    /// Logical channel.
    pub lcid: u8,
    /// Its bytes: a PDU of RLC.
    pub bytes: Vec<u8>,
}

/// Gap in a status report of RLC: a missing PDU or part of a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nack {
    /// NACK_SN, not wrapped.
    pub sn: u64,
    /// First and last byte that are missing, unless all is; none for the last of all.
    pub offsets: Option<(u32, Option<u32>)>,
}

/// Direction of a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the cell to a UE.
    Down,
    /// From a UE to the cell.
    Up,
}

/// Duplex mode of a carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioType {
    /// Frequency division duplex.
    Fdd,
    /// Time division duplex.
    Tdd,
}

impl Way {
    /// Code in Wireshark's framings of MAC.
    const fn code(self) -> u8 {
        match self {
            Way::Up => 0,
            Way::Down => 1,
        }
    }
}

impl RadioType {
    /// Code in Wireshark's framings of MAC.
    const fn code(self) -> u8 {
        match self {
            RadioType::Fdd => 1,
            RadioType::Tdd => 2,
        }
    }
}
