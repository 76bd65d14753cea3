//! The option AccECN of TCP (RFC 9768, 3.2.3): how many bytes arrived with which code point.

use crate::tcp_bytes::options;

/// Kinds of the option: by the order of its counters.
const ORDER_0: u8 = 172;
const ORDER_1: u8 = 174;
/// Bytes of a counter.
const FIELD: usize = 3;

/// Counters of the option, each of 24 bits. Those at its end may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccurateEcn {
    /// Bytes of payload that arrived with ECT(0), and one more.
    pub ect0: Option<u32>,
    /// The same with CE.
    pub ce: Option<u32>,
    /// The same with ECT(1), and one more.
    pub ect1: Option<u32>,
}

impl AccurateEcn {
    /// The option among the options of a TCP header, as far as they are there; none without it,
    /// or if its length is none that it may have.
    pub fn find(bytes: &[u8]) -> Option<AccurateEcn> {
        let is_it = |(kind, _): &(u8, &[u8])| matches!(*kind, ORDER_0 | ORDER_1);
        let (kind, data) = options(bytes).find(is_it)?;
        if data.len() % FIELD != 0 || data.len() > 3 * FIELD {
            return None;
        }
        let field = |n: usize| {
            let [high, middle, low] = *data.chunks_exact(FIELD).nth(n)?.first_chunk()?;
            Some(u32::from_be_bytes([0, high, middle, low]))
        };
        let [first, ce, last] = [0, 1, 2].map(field);
        Some(match kind {
            ORDER_0 => AccurateEcn { ect0: first, ce, ect1: last },
            _ => AccurateEcn { ect0: last, ce, ect1: first },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stand_in_either_order_and_may_be_left_out() {
        let whole = [1, 1, 172, 11, 0, 0, 5, 0, 1, 0, 255, 255, 255, 1];
        let found = AccurateEcn { ect0: Some(5), ce: Some(256), ect1: Some(0xff_ffff) };
        assert_eq!(AccurateEcn::find(&whole), Some(found));
        let other = [8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 174, 8, 0, 0, 5, 0, 0, 7];
        let found = AccurateEcn { ect0: None, ce: Some(7), ect1: Some(5) };
        assert_eq!(AccurateEcn::find(&other), Some(found));
        assert_eq!(AccurateEcn::find(&[172, 2]), Some(AccurateEcn::default()));
    }

    #[test]
    fn what_is_cut_or_of_another_length_is_none() {
        for bytes in [&[172, 11, 0, 0][..], &[174, 4, 0, 0], &[172, 14, 0, 0], &[0, 172, 2], &[]] {
            assert_eq!(AccurateEcn::find(bytes), None, "{bytes:?}");
        }
    }
}
