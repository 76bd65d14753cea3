use proptest::prelude::*;

use super::*;
use crate::{Endpoint, Protocol};

fn tuple() -> Tuple {
    let end = |port| Endpoint::new([10, 0, 0, 1], port);
    Tuple { src: end(0x0050), dst: end(0x1f90), protocol: Protocol::TCP }
}

fn bytes(repr: &TcpRepr) -> Vec<u8> {
    let mut out = Vec::new();
    repr.emit(&tuple(), repr.emitted_header() + repr.payload_len as usize, &mut out);
    out
}

fn any_accurate_ecn() -> impl Strategy<Value = AccurateEcn> {
    (any::<[u32; 3]>(), 0usize..4, any::<bool>()).prop_map(|(counters, fields, ect1_first)| {
        let counters = &counters[..fields];
        if ect1_first { AccurateEcn::order_1(counters) } else { AccurateEcn::order_0(counters) }
    })
}

/// Any representation whose options fit into a header.
pub(crate) fn any_repr() -> impl Strategy<Value = TcpRepr> {
    let options =
        (any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>(), any::<Option<(u32, u32)>>());
    let accurate_ecn = prop::option::of(any_accurate_ecn());
    let options = (options, accurate_ecn);
    let blocks = prop::collection::vec(any::<(u32, u32)>(), 0..5);
    (any::<(u32, u32, u16)>(), 0u16..512, options, blocks, 0u32..2000).prop_map(
        |(
            (seq, ack, window),
            flags,
            ((mss, window_scale, sack_permitted, stamps), accurate_ecn),
            blocks,
            payload_len,
        )| {
            let mut repr = TcpRepr {
                seq: SeqNumber(seq),
                ack: SeqNumber(ack),
                flags: TcpFlags(flags),
                window,
                mss,
                window_scale,
                sack_permitted,
                timestamps: stamps.map(|(value, echo)| Timestamps { value, echo }),
                accurate_ecn,
                payload_len,
                ..TcpRepr::default()
            };
            for (left, right) in blocks {
                let mut longer = repr;
                longer.sack.push(SeqNumber(left), SeqNumber(right));
                repr = if longer.options_len() <= 40 { longer } else { repr };
            }
            repr
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(repr in any_repr()) {
        let out = bytes(&repr);
        prop_assert_eq!(out.len() as u32, repr.header_len());
        prop_assert_eq!(TcpRepr::parse(&out, repr.header_len() + repr.payload_len), Ok(repr));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), len in 0u32..100) {
        let _ = TcpRepr::parse(&bytes, len);
    }

    #[test]
    fn a_header_cut_short_gives_no_wrong_option(repr in any_repr(), keep in 20usize..60) {
        let out = bytes(&repr);
        let read = TcpRepr::parse(&out[..keep.min(out.len())], out.len() as u32).unwrap();
        prop_assert!(read.timestamps.is_none() || read.timestamps == repr.timestamps);
        prop_assert!(read.mss.is_none() || read.mss == repr.mss);
    }
}

#[test]
fn lone_timestamps_are_aligned() {
    // RFC 7323, appendix A: NOP, NOP, TS.
    let stamps = Timestamps { value: 0x0102_0304, echo: 0x0506_0708 };
    let out = bytes(&TcpRepr { timestamps: Some(stamps), ..TcpRepr::default() });
    assert_eq!(out[20..], [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_syn_of_a_usual_host() {
    let syn = TcpRepr {
        flags: TcpFlags::SYN.with(TcpFlags::AE),
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 1, echo: 0 }),
        window: 64240,
        ..TcpRepr::default()
    };
    let out = bytes(&syn);
    assert_eq!(out[12..14], [0xa1, 0x02]);
    assert_eq!(out[20..], [2, 4, 5, 180, 4, 2, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 3, 3, 7]);
}

#[test]
fn a_sack_block_too_many_is_left_out() {
    let mut repr = TcpRepr { timestamps: Some(Timestamps::default()), ..TcpRepr::default() };
    for n in 0..4 {
        repr.sack.push(SeqNumber(n), SeqNumber(n + 1));
    }
    let read = TcpRepr::parse(&bytes(&repr), 56).unwrap();
    assert_eq!(read.sack.as_slice(), &repr.sack.as_slice()[..3]);
}

#[test]
fn ill_formed_options_end_the_options() {
    let mut out = bytes(&TcpRepr { mss: Some(1), ..TcpRepr::default() });
    out[21] = 0;
    assert_eq!(TcpRepr::parse(&out, 24).unwrap().mss, None);
    out[21] = 9;
    assert_eq!(TcpRepr::parse(&out, 24).unwrap().mss, None);
}

#[test]
fn impossible_data_offsets_are_malformed() {
    let mut out = bytes(&TcpRepr::default());
    out[12] = 0x40;
    assert_eq!(TcpRepr::parse(&out, 20), Err(ParseError::Malformed));
    out[12] = 0x60;
    assert_eq!(TcpRepr::parse(&out, 20), Err(ParseError::Malformed));
}

#[test]
fn accurate_ecn_stands_behind_aligned_timestamps() {
    // RFC 9768, figure 4; RFC 7323, appendix A.
    let stamps = Timestamps { value: 1, echo: 2 };
    let option = Some(AccurateEcn::order_1(&[0x0001_0203, 5]));
    let ack = TcpRepr { timestamps: Some(stamps), accurate_ecn: option, ..TcpRepr::default() };
    let out = bytes(&ack);
    assert_eq!(out[20..32], [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(out[32..], [174, 8, 1, 2, 3, 0, 0, 5]);
    let mut stripped = ack;
    stripped.strip_accurate_ecn();
    assert_eq!(bytes(&stripped)[32..], [1; 8]);
}
