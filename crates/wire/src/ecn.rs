//! The two ECN bits of the IP header (RFC 3168, 5).

/// Explicit congestion notification code point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not understand ECN.
    #[default]
    NotEct = 0b00,
    /// ECN-capable; by RFC 9331 also the identifier of L4S.
    Ect1 = 0b01,
    /// ECN-capable, classic.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// The code point in the two low bits of `bits`.
    pub const fn from_bits(bits: u8) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// The two bits.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// True if a queue may mark the packet instead of dropping it.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }
}
