//! The option AccECN of TCP (RFC 9768, 3.2.3): how many bytes arrived with which code point.

use crate::bytes::{Checksum, rest};
use crate::tcp_bytes::{NOP, options};
use crate::{IpRepr, Protocol, TcpRepr};

/// Kinds of the option: by the order of its counters.
const ORDER_0: u8 = 172;
const ORDER_1: u8 = 174;
/// Bytes of a counter.
const FIELD: usize = 3;
/// Counters of the longest option.
const FIELDS: usize = 3;

/// Counters of the option, each of 24 bits. Those at its end may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccurateEcn {
    bytes: [u8; FIELD * FIELDS],
    fields: u8,
    /// True if the option has order 1: ECT(1), CE, ECT(0).
    ect1_first: bool,
}

impl AccurateEcn {
    /// An option of order 0: ECT(0), CE, ECT(1), shortened to the given counters. The low 24 bits
    /// of each counter count, and the first three counters.
    pub fn order_0(counters: &[u32]) -> AccurateEcn {
        AccurateEcn::new(counters, false)
    }

    /// An option of order 1: ECT(1), CE, ECT(0), shortened to the given counters.
    pub fn order_1(counters: &[u32]) -> AccurateEcn {
        AccurateEcn::new(counters, true)
    }

    fn new(counters: &[u32], ect1_first: bool) -> AccurateEcn {
        let mut option = AccurateEcn { ect1_first, ..AccurateEcn::default() };
        for (field, counter) in option.bytes.chunks_exact_mut(FIELD).zip(counters) {
            field.copy_from_slice(&counter.to_be_bytes()[1..]);
            option.fields += 1;
        }
        option
    }

    /// Bytes of payload that arrived with ECT(0), and one more.
    pub fn ect0(&self) -> Option<u32> {
        self.field(if self.ect1_first { 2 } else { 0 })
    }

    /// Bytes of payload that arrived with CE.
    pub fn ce(&self) -> Option<u32> {
        self.field(1)
    }

    /// Bytes of payload that arrived with ECT(1), and one more.
    pub fn ect1(&self) -> Option<u32> {
        self.field(if self.ect1_first { 0 } else { 2 })
    }

    /// Bytes of the option, without padding: 2, 5, 8 or 11 (table 5).
    pub fn size(&self) -> usize {
        2 + FIELD * usize::from(self.fields)
    }

    fn field(&self, n: usize) -> Option<u32> {
        let field = self.bytes.chunks_exact(FIELD).take(self.fields.into()).nth(n)?;
        let [high, middle, low] = *field.first_chunk()?;
        Some(u32::from_be_bytes([0, high, middle, low]))
    }

    /// The option among the options of a TCP header, as far as they are there; none without it.
    pub fn find(bytes: &[u8]) -> Option<AccurateEcn> {
        options(bytes).find_map(|(kind, data)| AccurateEcn::parse(kind, data))
    }

    /// Of another length than those of table 5, the whole counters that fit (3.2.3).
    pub(crate) fn parse(kind: u8, data: &[u8]) -> Option<AccurateEcn> {
        let ect1_first = match kind {
            ORDER_0 => false,
            ORDER_1 => true,
            _ => return None,
        };
        let fields = (data.len() / FIELD).min(FIELDS);
        let mut option = AccurateEcn { fields: fields as u8, ect1_first, ..Default::default() };
        option.bytes[..fields * FIELD].copy_from_slice(&data[..fields * FIELD]);
        Some(option)
    }

    pub(crate) fn emit(&self, out: &mut Vec<u8>) {
        out.extend([if self.ect1_first { ORDER_1 } else { ORDER_0 }, self.size() as u8]);
        out.extend(&self.bytes[..self.size() - 2]);
    }
}

/// Overwrites the option AccECN of an IP packet's bytes with NOPs, and puts TCP's checksum right by
/// what changed (RFC 1624, equation 3). Whether there was one; other bytes stay as they are.
pub fn strip_accurate_ecn(bytes: &mut [u8]) -> bool {
    let Some((tcp, at, len)) = place(bytes) else { return false };
    let whole = &bytes[tcp..];
    // An option may begin at an odd offset, so whole words around it are summed.
    let words = (at & !1)..(at + len).next_multiple_of(2).min(whole.len());
    let before = whole[words.clone()].to_vec();
    let option = tcp + at..tcp + at + len;
    bytes[option].fill(NOP);
    let mut sum = Checksum::default();
    sum.add(&[!bytes[tcp + 16], !bytes[tcp + 17]]);
    sum.add(&before.iter().map(|byte| !byte).collect::<Vec<_>>());
    sum.add(&bytes[tcp + words.start..tcp + words.end]);
    let sum = sum.finish();
    bytes[tcp + 16..tcp + 18].copy_from_slice(&sum);
    true
}

/// Offset of TCP, offset of the option in TCP, and length of the option, in bytes.
fn place(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    let (ip, payload) = IpRepr::parse(bytes).ok()?;
    if ip.tuple.protocol != Protocol::TCP || ip.fragment.is_some_and(|part| part.offset > 0) {
        return None;
    }
    let tcp = payload.as_ptr().addr() - bytes.as_ptr().addr();
    let header = usize::from(payload.get(12)? >> 4) * 4;
    let fixed = TcpRepr::HEADER as usize;
    let area = rest(payload.get(..header)?, fixed);
    let found = options(area).find(|(kind, data)| AccurateEcn::parse(*kind, data).is_some());
    let (_, data) = found?;
    let at = fixed + data.as_ptr().addr() - area.as_ptr().addr() - 2;
    Some((tcp, at, data.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(bytes: &[u8]) -> Option<[Option<u32>; 3]> {
        AccurateEcn::find(bytes).map(|option| [option.ect0(), option.ce(), option.ect1()])
    }

    #[test]
    fn counters_stand_in_either_order_and_may_be_left_out() {
        let whole = [1, 1, 172, 11, 0, 0, 5, 0, 1, 0, 255, 255, 255, 1];
        assert_eq!(counters(&whole), Some([Some(5), Some(256), Some(0xff_ffff)]));
        let other = [8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 174, 8, 0, 0, 5, 0, 0, 7];
        assert_eq!(counters(&other), Some([None, Some(7), Some(5)]));
        assert_eq!(counters(&[172, 2]), Some([None; 3]));
    }

    #[test]
    fn of_another_length_the_whole_counters_count() {
        // RFC 9768, 3.2.3: the rest is padding.
        assert_eq!(counters(&[174, 4, 0, 0]), Some([None; 3]));
        assert_eq!(counters(&[172, 7, 0, 0, 9, 1, 1]), Some([Some(9), None, None]));
        let long = [172, 14, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4];
        assert_eq!(counters(&long), Some([Some(1), Some(2), Some(3)]));
    }

    #[test]
    fn what_is_cut_is_none() {
        for bytes in [&[172, 11, 0, 0][..], &[172, 14, 0, 0], &[0, 172, 2], &[]] {
            assert_eq!(AccurateEcn::find(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn the_bytes_of_an_option() {
        // RFC 9768, figure 4 and table 5.
        let mut out = Vec::new();
        AccurateEcn::order_1(&[0x0102_0304, 7]).emit(&mut out);
        assert_eq!(out, [174, 8, 2, 3, 4, 0, 0, 7]);
        assert_eq!(AccurateEcn::order_0(&[1, 2, 3]).size(), 11);
    }
}
