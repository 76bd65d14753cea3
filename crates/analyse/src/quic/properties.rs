//! Initial packets with anything in them, properly encrypted, do no harm.

use airpath_base::Time;
use proptest::collection::vec;
use proptest::prelude::*;

use super::Connection;
use super::testing::{crypto, initial};
use crate::datagram::Datagram;
use crate::names::testing::hello;

/// Most bytes that a connection may take.
const MOST: usize = 20_000;

fn frames() -> impl Strategy<Value = Vec<u8>> {
    let message = hello("www.example", b"h3")[5..].to_vec();
    let len = message.len();
    let piece = (0..len, 0..len, any::<u16>(), 0..8u8).prop_map(move |(a, b, offset, wrong)| {
        let data = &message[a.min(b)..a.max(b)];
        crypto(if wrong == 0 { offset & 0x3fff } else { a.min(b) as u16 }, data)
    });
    let other = prop_oneof![
        piece,
        vec(any::<u8>(), 0..40),
        Just(vec![0; 30]),
        (any::<[u8; 4]>()).prop_map(|[a, b, c, d]| vec![2, a, b, c & 3, d]),
        (any::<u8>()).prop_map(|code| vec![0x1c, 0x41, code, 0, 0]),
    ];
    vec(other, 1..12).prop_map(|frames| frames.concat())
}

proptest! {
    #[test]
    fn whatever_is_in_them(packets in vec((any::<bool>(), 0..6u32, frames(), 0..40u64), 1..60)) {
        let mut connection = Connection::default();
        for (up, number, frames, at) in packets {
            let payload = initial(&[1, 2, 3, 4], !up, number, &[frames, vec![0; 20]].concat());
            let (at, len) = (Time::from_millis(at), payload.len() as u32);
            let side = usize::from(!up);
            let datagram = Datagram { at, side, up, port: 443, len, payload: &payload };
            connection.datagram(&datagram, true);
            prop_assert!(connection.heap() < MOST);
        }
        let name = connection.said().server_name;
        prop_assert!(name.is_none_or(|name| name.len() <= 255));
        prop_assert!(connection.round_trips().iter().flatten().all(|rtt| *rtt <= 40_000_000));
    }
}
