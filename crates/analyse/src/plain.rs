//! The packets that nearly all are: IPv4 without options and whole, TCP without options or
//! with timestamps as all senders write them. They are read in one go, by fixed places.
//!
//! What is not so plain is left to [`decode`](crate::decode), which reads anything, and what
//! is read here just the same.

use airpath_wire::link::LinkType;
use airpath_wire::{Protocol, SeqNumber, TcpFlags, TcpRepr, Timestamps};

use crate::key::Key;

/// Bytes of an IPv4 header without options, and with that of TCP without options behind it.
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
    /// As in the header.
    pub(crate) window: u16,
    pub(crate) stamped: bool,
}

/// A plain packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain<'a> {
    /// Its flow, if the lesser end is the client, and which end sent it.
    pub(crate) key: Key,
    pub(crate) side: usize,
    pub(crate) segment: Segment,
    /// What it carries, as far as that was captured.
    pub(crate) data: &'a [u8],
}

impl Segment {
    /// The same in full.
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
    /// Reads a frame; none if it is not plain.
    #[inline(always)]
    pub(crate) fn read(link: LinkType, frame: &'a [u8]) -> Option<Plain<'a>> {
        let ip = match link {
            LinkType::RAW | LinkType::IPV4 => frame,
            LinkType::ETHERNET if frame.get(12..14)? == [8, 0] => &frame[14..],
            _ => return None,
        };
        let head: &[u8; BOTH] = ip.first_chunk()?;
        let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        // No more than a fragment's bits: whether it may be divided does not matter.
        let whole = half(6) & 0x3fff == 0;
        if head[0] != 0x45 || head[9] != Protocol::TCP.0 || !whole {
            return None;
        }
        let (total, options) = (usize::from(half(2)), usize::from(head[32] >> 4));
        let (header, value, echo) = match options {
            5 => (BOTH, 0, 0),
            8 => {
                let stamps: &[u8; OPTIONS] = ip[BOTH..].first_chunk()?;
                if stamps[..4] != BEGIN {
                    return None;
                }
                let word = |at: usize| {
                    u32::from_be_bytes([stamps[at], stamps[at + 1], stamps[at + 2], stamps[at + 3]])
                };
                (BOTH + OPTIONS, word(4), word(8))
            }
            _ => return None,
        };
        let len = total.checked_sub(header)?;
        let (key, side) = Key::v4([word(12), word(16)], [half(20), half(22)]);
        let segment = Segment {
            seq: word(24),
            ack: word(28),
            value,
            echo,
            len: len as u32,
            flags: half(32) & 0x1ff,
            window: half(34),
            stamped: header > BOTH,
        };
        let data = &ip[header..];
        Some(Plain { key, side, segment, data: &data[..data.len().min(len)] })
    }
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
