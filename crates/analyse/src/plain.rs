//! Plain packets, which nearly all are: IPv4 without options and whole, TCP without options or with
//! timestamps in the usual order. They are read in one step, at fixed offsets. For packets with
//! other options of TCP, IP's header is read so.
//!
//! What is not so plain is left to [`decode`](crate::decode), which reads anything, and what
//! is read here just the same.

use airpath_wire::link::LinkType;
use airpath_wire::{Protocol, SeqNumber, TcpFlags, TcpRepr, Timestamps};

use crate::key::Key;

/// Bytes of an IPv4 header, and of both with TCP's behind it, without options.
const IP: usize = 20;
const BOTH: usize = IP + 20;
/// Bytes of TCP's options if there are timestamps, and how these begin: two paddings, kind,
/// length (RFC 7323, appendix A).
const OPTIONS: usize = 12;
const BEGIN: [u8; 4] = [1, 1, 8, 10];

/// A segment, in few words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    /// Of the timestamps, if it has any; else zero.
    pub(crate) value: u32,
    pub(crate) echo: u32,
    /// Bytes of data.
    pub(crate) len: u32,
    pub(crate) flags: u16,
    /// Window field of the header.
    pub(crate) window: u16,
    pub(crate) stamped: bool,
}

/// A plain packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<'a> {
    /// Headers without TCP's options.
    head: &'a [u8; BOTH],
    options: Options<'a>,
    /// Bytes of data, and as much of it as was captured; with other options, the same of what
    /// is behind IP's header.
    pub(crate) len: u32,
    pub(crate) data: &'a [u8],
}

/// TCP's options.
#[derive(Clone, Copy, Debug)]
enum Options<'a> {
    None,
    Timestamps(&'a [u8; OPTIONS]),
    Other,
}

impl Segment {
    /// TCP header of the segment with all its fields.
    pub(crate) fn repr(&self) -> TcpRepr {
        let Segment { value, echo, len, window, .. } = *self;
        TcpRepr {
            seq: SeqNumber(self.seq),
            ack: SeqNumber(self.ack),
            flags: TcpFlags(self.flags),
            window,
            payload_len: len,
            timestamps: self.stamped.then_some(Timestamps { value, echo }),
            ..TcpRepr::default()
        }
    }
}

impl<'a> Plain<'a> {
    /// Looks at a frame of so many bytes on the wire; none if it is not plain.
    #[inline(always)]
    pub(crate) fn read(link: LinkType, frame: &'a [u8], len: u32) -> Option<Plain<'a>> {
        let (ip, room) = match link {
            LinkType::RAW | LinkType::IPV4 => (frame, len),
            LinkType::ETHERNET if frame.get(12..14)? == [8, 0] => {
                (&frame[14..], len.saturating_sub(14))
            }
            _ => return None,
        };
        let (head, rest) = ip.split_first_chunk::<BOTH>()?;
        // No more than a fragment's bits: whether it may be divided does not matter.
        let whole = half(head, 6) & 0x3fff == 0;
        let total = u32::from(half(head, 2));
        if head[0] != 0x45 || head[9] != Protocol::TCP.0 || !whole || total > room {
            return None;
        }
        let (options, header, data) = match (head[32] >> 4, rest.split_first_chunk()) {
            (5, _) => (Options::None, BOTH, rest),
            (8, Some((stamps, data))) if stamps[..4] == BEGIN => {
                (Options::Timestamps(stamps), BOTH + OPTIONS, data)
            }
            _ if total < BOTH as u32 => return None,
            _ => (Options::Other, IP, &ip[IP..]),
        };
        let len = total.checked_sub(header as u32)?;
        Some(Plain { head, options, len, data: &data[..data.len().min(len as usize)] })
    }

    /// True if the packet is plain up to TCP's options only.
    #[inline(always)]
    pub(crate) fn has_other_options(&self) -> bool {
        matches!(self.options, Options::Other)
    }

    /// Its flow, if the lesser end is the client, and which end sent it.
    #[inline(always)]
    pub(crate) fn key(&self) -> (Key, usize) {
        let ports = [half(self.head, 20), half(self.head, 22)];
        Key::v4([word(self.head, 12), word(self.head, 16)], ports)
    }

    /// The octet of DSCP and ECN.
    #[inline(always)]
    pub(crate) fn tos(&self) -> u8 {
        self.head[1]
    }

    /// The identification.
    #[inline(always)]
    pub(crate) fn ident(&self) -> u16 {
        half(self.head, 4)
    }

    /// Control bits.
    #[inline(always)]
    pub(crate) fn flags(&self) -> TcpFlags {
        TcpFlags(half(self.head, 32) & 0x1ff)
    }

    /// The segment, if it has no other options.
    #[inline(always)]
    pub(crate) fn segment(&self) -> Segment {
        let head = self.head;
        let stamps =
            if let Options::Timestamps(stamps) = self.options { Some(stamps) } else { None };
        Segment {
            seq: word(head, 24),
            ack: word(head, 28),
            value: stamps.map_or(0, |stamps| word(stamps, 4)),
            echo: stamps.map_or(0, |stamps| word(stamps, 8)),
            len: self.len,
            flags: self.flags().0,
            window: half(head, 34),
            stamped: stamps.is_some(),
        }
    }
}

#[inline(always)]
fn half<const N: usize>(bytes: &[u8; N], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

#[inline(always)]
fn word<const N: usize>(bytes: &[u8; N], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
