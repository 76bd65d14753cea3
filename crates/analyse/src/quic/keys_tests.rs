use super::*;
use crate::quic::packet::{Part, Parts};
use crate::quic::testing::{bytes, protect};

/// RFC 9001, A: the connection ID of all examples.
const ID: [u8; 8] = [0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08];
const ONE: Version = Version(1);
const TWO: Version = Version(0x6b33_43cf);

/// The client's first message with its frame (RFC 9001, A.2).
const HELLO: &str = "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e868\
    04fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578\
    616d706c652e636f6dff01000100000a00080006001d00170018001000070005\
    04616c706e000500050100000000003300260024001d00209370b2c9caa47fba\
    baf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b000302030400\
    0d0010000e0403050306030203080408050806002d00020101001c0002400100\
    3900320408ffffffffffffffff05048000ffff07048000ffff08011001048000\
    75300901100f088394c8f03e51570806048000ffff";

/// Packet of the server (RFC 9001, A.3).
const ANSWER: &str = "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf739\
    88cfc79825df566dc5430b9a045a1200130100002e00330024001d00209d3c94\
    0d89690b84d08a60993c144eca684d1081287c834d5311bcf32bb9da1a002b00\
    020304";

fn keys(version: Version, server: bool) -> [String; 3] {
    let keys = Keys::new(version, &ID, server).unwrap();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    [hex(&keys.key), hex(&keys.iv), hex(&keys.hp)]
}

#[test]
fn keys_are_those_of_the_documents() {
    // RFC 9001, A.1.
    let client = ["1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c"];
    assert_eq!(keys(ONE, false), [client[0], client[1], "9f50449e04a0e810283a1e9933adedd2"]);
    let server = ["cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e"];
    assert_eq!(keys(ONE, true), [server[0], server[1], "c206b8d9b9f0f37644430b490eeaa314"]);
    // RFC 9369, A.1.
    let client = ["8b1a0bc121284290a29e0971b5cd045d", "91f73e2351d8fa91660e909f"];
    assert_eq!(keys(TWO, false), [client[0], client[1], "45b95e15235d6f45a6b19cbcb0294ba9"]);
    let server = ["82db637861d55e1d011f19ea71d5d2a7", "dd13c276499c0249d3310652"];
    assert_eq!(keys(TWO, true), [server[0], server[1], "edf6d05c83121201b436e16877593c3a"]);
}

#[test]
fn keys_of_drafts_are_those_of_the_drafts() {
    // draft-ietf-quic-tls-27 and 29, A.1.
    let client = ["af7fd7efebd21878ff66811248983694", "8681359410a70bb9c92f0420"];
    let old = [client[0], client[1], "a980b8b4fb7d9fbc13e814c23164253d"];
    let client = ["175257a31eb09dea9366d8bb79ad80ba", "6b26114b9cba2b63a9e8dd4f"];
    let later = [client[0], client[1], "9ddd12c994c0698b89374a9c077a3077"];
    let of = |draft: u32| keys(Version(0xff00_0000 | draft), false);
    assert_eq!([of(23), of(28)], [old, old]);
    assert_eq!([of(29), of(32)], [later, later]);
    assert_eq!(of(34), keys(ONE, false));
    assert!(Keys::new(Version(0xff00_0016), &ID, false).is_none());
}

/// Opens a datagram's only packet.
fn open(keys: &Keys, datagram: &[u8]) -> Option<Opened> {
    let Some(Part::Long(packet)) = Parts::new(datagram).next() else { return None };
    keys.open(&packet, 0)
}

#[test]
fn the_servers_packets_of_the_documents_are_opened() {
    // RFC 9001, A.3, and RFC 9369, A.3.
    let one = "cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a\
        5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3\
        dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84\
        022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4\
        2158407dd074ee";
    let two = "dc6b3343cf0008f067a5502a4262b5004075d92faaf16f05d8a4398c47089698\
        baeea26b91eb761d9b89237bbf87263017915358230035f7fd3945d88965cf17\
        f9af6e16886c61bfc703106fbaf3cb4cfa52382dd16a393e42757507698075b2\
        c984c707f0a0812d8cd5a6881eaf21ceda98f4bd23f6fe1a3e2c43edd9ce7ca8\
        4bed8521e2e140";
    for (version, packet) in [(ONE, one), (TWO, two)] {
        let keys = Keys::new(version, &ID, true).unwrap();
        let mut packet = bytes(packet);
        let opened = open(&keys, &packet).unwrap();
        assert_eq!((opened.number, opened.frames()), (1, &bytes(ANSWER)[..]));
        assert!(open(&keys, &packet[..packet.len() - 1]).is_none(), "cut");
        packet[40] ^= 1;
        assert!(open(&keys, &packet).is_none(), "changed");
    }
}

#[test]
fn the_clients_packets_of_the_documents_are_made_and_opened() {
    // RFC 9001, A.2, and RFC 9369, A.2: how they begin and end; the end proves all of it.
    let one = [
        "c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11",
        "e221af44860018ab0856972e194cd934",
    ];
    let two = [
        "d76b3343cf088394c8f03e5157080000449ea0c95e82ffe67b6abcdb4298b485",
        "a18b2faa745b6fe189cf772a9f84cbfc",
    ];
    let mut frames = bytes(HELLO);
    frames.resize(1162, 0);
    for (version, [begin, end], first) in [(ONE, one, 0xc3), (TWO, two, 0xd3)] {
        let keys = Keys::new(version, &ID, false).unwrap();
        let head =
            [&[first][..], &version.0.to_be_bytes(), &[8], &ID, &[0, 0, 0x44, 0x9e]].concat();
        let packet = protect(&keys, &head, 2, &frames);
        assert_eq!((packet.len(), &packet[..32]), (1200, &bytes(begin)[..]));
        assert_eq!(packet[1184..], bytes(end));
        let opened = open(&keys, &packet).unwrap();
        assert_eq!((opened.number, opened.frames()), (2, &frames[..]));
    }
}

#[test]
fn numbers_are_made_whole() {
    // RFC 9000, A.3.
    assert_eq!(full_number(0x9b32, 2, 0xa82f_30ea + 1), 0xa82f_9b32);
    assert_eq!(full_number(0, 1, 0), 0);
    assert_eq!((full_number(1, 1, 0x1ff), full_number(0xff, 1, 0x101)), (0x201, 0xff));
}

#[test]
fn versions_that_are_not_known_have_no_keys() {
    assert!(Keys::new(Version(0x1a2a_3a4a), &ID, false).is_none());
    assert_eq!(Version(0x1a2a_3a4a).to_string(), "0x1a2a3a4a");
    assert_eq!([ONE, TWO, Version(0xff00_001d)].map(|v| v.to_string()), ["1", "2", "draft-29"]);
}
