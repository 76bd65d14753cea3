//! TCP segments as bytes (RFC 9293, 3.1 and 3.2).

use crate::bytes::{Checksum, rest, u8_at, u16_at, u32_at};
use crate::{AccurateEcn, ParseError, SackBlocks, SeqNumber, TcpFlags, TcpRepr, Timestamps, Tuple};

/// Option kinds (RFC 9293, 3.2; RFC 7323, 2.2 and 3.2; RFC 2018, 2 and 3).
const END: u8 = 0;
pub(crate) const NOP: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Most bytes of options that the data offset can tell of.
const MOST_OPTIONS: usize = 40;

impl TcpRepr {
    /// Appends the header; its checksum is valid for a segment of `len` bytes that
    /// is zeros behind it. SACK blocks for which there is no room are left out.
    pub(crate) fn emit(&self, tuple: &Tuple, len: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend(tuple.src.port.to_be_bytes());
        out.extend(tuple.dst.port.to_be_bytes());
        out.extend(self.seq.0.to_be_bytes());
        out.extend(self.ack.0.to_be_bytes());
        out.extend([0, self.flags.0 as u8]);
        out.extend(self.window.to_be_bytes());
        out.extend([0; 4]); // checksum; urgent pointer
        self.emit_options(out);
        let header = out.len() - start;
        out[start + 12] = (header as u8 / 4) << 4 | (self.flags.0 >> 8 & 1) as u8;
        let mut sum = Checksum::with_pseudo_header(tuple, len);
        sum.add(&out[start..]);
        out[start + 16..start + 18].copy_from_slice(&sum.finish());
    }

    /// Bytes of the header as [`emit`](TcpRepr::emit) writes it.
    pub(crate) fn emitted_header(&self) -> usize {
        let without_sack = TcpRepr { sack: SackBlocks::default(), ..*self };
        let sack = 2 + 8 * self.sack_room();
        let sack = if sack > 2 { sack } else { 0 };
        20 + (without_sack.options_beside_sack() as usize + sack).next_multiple_of(4)
    }

    /// Number of SACK blocks that fit.
    fn sack_room(&self) -> usize {
        let room = MOST_OPTIONS.saturating_sub(self.options_beside_sack() as usize + 2) / 8;
        room.min(self.sack.as_slice().len())
    }

    /// MSS, SACK-permitted, padding, timestamps, window scale, SACK, AccECN: padding comes
    /// where it aligns lone timestamps and lone SACK blocks (RFC 7323, appendix A).
    fn emit_options(&self, out: &mut Vec<u8>) {
        let blocks = self.sack_room();
        let sack = if blocks > 0 { 2 + 8 * blocks } else { 0 };
        let len = self.options_beside_sack() as usize + sack;
        if let Some(mss) = self.mss {
            out.extend([MSS, 4]);
            out.extend(mss.to_be_bytes());
        }
        if self.sack_permitted {
            out.extend([SACK_PERMITTED, 2]);
        }
        let padding = len.next_multiple_of(4) - len;
        // Two bytes align timestamps; behind AccECN stands what is left.
        let nops = usize::from(self.nops);
        let last = self.accurate_ecn.is_some() || nops > 0;
        let before = if last { padding & 2 } else { padding };
        out.resize(out.len() + before, NOP);
        if let Some(Timestamps { value, echo }) = self.timestamps {
            out.extend([TIMESTAMPS, 10]);
            out.extend(value.to_be_bytes());
            out.extend(echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            out.extend([WINDOW_SCALE, 3, shift]);
        }
        if blocks > 0 {
            out.extend([SACK, sack as u8]);
        }
        for (left, right) in &self.sack.as_slice()[..blocks] {
            out.extend(left.0.to_be_bytes());
            out.extend(right.0.to_be_bytes());
        }
        if let Some(option) = self.accurate_ecn {
            option.emit(out);
        }
        out.resize(out.len() + nops + padding - before, NOP);
    }

    /// Reads a segment of `len` bytes, as the IP header has it, of which `bytes`
    /// are there. Ports are the IP layer's to read. Options are read as far as
    /// they are there; unknown and ill-formed ones are skipped, as hosts do.
    ///
    /// # Errors
    ///
    /// If the fixed header is cut short, or the data offset is impossible.
    #[inline]
    pub fn parse(bytes: &[u8], len: u32) -> Result<TcpRepr, ParseError> {
        u8_at(bytes, TcpRepr::HEADER as usize - 1)?;
        let header = u32::from(bytes[12] >> 4) * 4;
        if header < TcpRepr::HEADER || header > len {
            return Err(ParseError::Malformed);
        }
        let (seq, ack) = (SeqNumber(u32_at(bytes, 4)?), SeqNumber(u32_at(bytes, 8)?));
        let flags = TcpFlags(u16::from_be_bytes([bytes[12] & 1, bytes[13]]));
        let (window, payload_len) = (u16_at(bytes, 14)?, len - header);
        let repr = |timestamps| {
            let rest = TcpRepr::default();
            TcpRepr { seq, ack, flags, window, payload_len, timestamps, ..rest }
        };
        let options = &bytes[TcpRepr::HEADER as usize..bytes.len().min(header as usize)];
        match *options {
            [] => Ok(repr(None)),
            // The order of options in most segments (RFC 7323, appendix A).
            [NOP, NOP, TIMESTAMPS, 10, ref data @ ..] if data.len() == 8 => {
                let (value, echo) = pair(data);
                Ok(repr(Some(Timestamps { value, echo })))
            }
            _ => Ok(repr(None).with_options(options)),
        }
    }

    #[inline(never)]
    fn with_options(mut self, bytes: &[u8]) -> TcpRepr {
        options(bytes).for_each(|(kind, data)| self.parse_option(kind, data));
        self
    }

    #[inline]
    fn parse_option(&mut self, kind: u8, data: &[u8]) {
        match (kind, data) {
            (MSS, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (WINDOW_SCALE, &[shift]) => self.window_scale = Some(shift),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (TIMESTAMPS, data) if data.len() == 8 => {
                let (value, echo) = pair(data);
                self.timestamps = Some(Timestamps { value, echo });
            }
            (SACK, data) if data.len() % 8 == 0 => {
                for block in data.chunks_exact(8) {
                    let (left, right) = pair(block);
                    self.sack.push(SeqNumber(left), SeqNumber(right));
                }
            }
            _ => self.accurate_ecn = AccurateEcn::parse(kind, data).or(self.accurate_ecn),
        }
    }
}

/// Kinds of options and what is in them, up to the end of the list or what is ill-formed.
#[inline]
pub(crate) fn options(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    core::iter::from_fn(move || {
        while let [NOP, others @ ..] = bytes {
            bytes = others;
        }
        match *bytes {
            [] | [END, ..] => None,
            [kind, len, ..] if len >= 2 && usize::from(len) <= bytes.len() => {
                let data = &bytes[2..usize::from(len)];
                bytes = rest(bytes, usize::from(len));
                Some((kind, data))
            }
            _ => None,
        }
    })
}

/// Two 32-bit numbers from eight bytes.
#[inline]
fn pair(bytes: &[u8]) -> (u32, u32) {
    let number = |at| u32_at(bytes, at).unwrap_or_default();
    (number(0), number(4))
}

#[cfg(test)]
#[path = "tcp_bytes_tests.rs"]
pub(crate) mod tests;
