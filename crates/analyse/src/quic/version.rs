//! Versions of QUIC, and the differences between them: the types of long headers, and the input of
//! the keys of Initial packets. Sources: RFC 9001, 5.2; RFC 9369, 3.2 and 3.3; the drafts of
//! QUIC-TLS from 23 on.

use core::fmt;

/// A version number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(pub(crate) u32);

/// Input of the keys of Initial packets, beside a connection ID.
pub(super) struct Recipe {
    pub(super) salt: [u8; 20],
    pub(super) key: &'static str,
    pub(super) iv: &'static str,
    pub(super) hp: &'static str,
}

/// Type of a packet with a long header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Initial,
    ZeroRtt,
    Handshake,
    Retry,
    Negotiation,
}

const TWO: u32 = 0x6b33_43cf;
/// RFC 9001, 5.2, and the drafts 33 and 34.
const SALT: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad,
    0xcc, 0xbb, 0x7f, 0x0a,
];
/// RFC 9369, 3.3.1.
const SALT_TWO: [u8; 20] = [
    0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb,
    0xf9, 0xbd, 0x2e, 0xd9,
];
/// draft-ietf-quic-tls-29, 5.2.
const SALT_DRAFT_29: [u8; 20] = [
    0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0,
    0x43, 0x90, 0xa8, 0x99,
];
/// draft-ietf-quic-tls-23, 5.2.
const SALT_DRAFT_23: [u8; 20] = [
    0xc3, 0xee, 0xf7, 0x12, 0xc7, 0x2e, 0xbb, 0x5a, 0x11, 0xa7, 0xd2, 0x43, 0x2b, 0xb4, 0x63, 0x65,
    0xbe, 0xf9, 0xf5, 0x02,
];

impl Version {
    /// Of packets that say which versions a server has (RFC 9000, 17.2.1).
    pub(crate) const NEGOTIATION: Version = Version(0);

    /// True for version 1, version 2 and drafts.
    pub(crate) fn is_known(self) -> bool {
        matches!(self.0, 1 | TWO) || self.draft().is_some()
    }

    /// True for a version that no server has, which makes servers answer with their versions (RFC
    /// 9000, 15).
    pub(crate) fn is_reserved(self) -> bool {
        self.0 & 0x0f0f_0f0f == 0x0a0a_0a0a
    }

    /// The type that a long header's first byte says (RFC 9000, 17.2; RFC 9369, 3.2).
    pub(crate) fn kind(self, first: u8) -> Kind {
        let bits = first >> 4 & 3;
        let bits = if self.0 == TWO { bits.wrapping_sub(1) & 3 } else { bits };
        match bits {
            _ if self == Version::NEGOTIATION => Kind::Negotiation,
            0 => Kind::Initial,
            1 => Kind::ZeroRtt,
            2 => Kind::Handshake,
            _ => Kind::Retry,
        }
    }

    /// Input of the keys of Initial packets, if it is known.
    pub(super) fn recipe(self) -> Option<Recipe> {
        let salt = match (self.0, self.draft()) {
            (1, _) | (_, Some(33..)) => SALT,
            (TWO, _) => SALT_TWO,
            (_, Some(29..=32)) => SALT_DRAFT_29,
            (_, Some(23..=28)) => SALT_DRAFT_23,
            _ => return None,
        };
        let [key, iv, hp] = match self.0 {
            TWO => ["quicv2 key", "quicv2 iv", "quicv2 hp"],
            _ => ["quic key", "quic iv", "quic hp"],
        };
        Some(Recipe { salt, key, iv, hp })
    }

    fn draft(self) -> Option<u32> {
        (self.0 >> 8 == 0x00ff_0000).then_some(self.0 & 0xff)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.draft()) {
            (1, _) => f.write_str("1"),
            (TWO, _) => f.write_str("2"),
            (_, Some(draft)) => write!(f, "draft-{draft}"),
            (number, _) => write!(f, "{number:#010x}"),
        }
    }
}
