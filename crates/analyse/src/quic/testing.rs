//! Making QUIC packets for tests.

use aes_gcm::{AeadInOut, Aes128Gcm, KeyInit};

use super::keys::Keys;
use super::version::{Kind, Version};

/// The bytes that hexadecimal digits say.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).map(digit).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// A packet with a number of four bytes (RFC 9001, 5.3 and 5.4).
pub(super) fn protect(keys: &Keys, head: &[u8], number: u32, frames: &[u8]) -> Vec<u8> {
    let header = [head, &number.to_be_bytes()].concat();
    let mut content = frames.to_vec();
    let cipher = Aes128Gcm::new(&keys.key.into());
    let nonce = keys.nonce(number.into()).into();
    let tag =
        cipher.encrypt_inout_detached(&nonce, &header, content.as_mut_slice().into()).unwrap();
    let mut packet = [&header[..], &content, &tag].concat();
    let sample = head.len() + 4;
    let mask = keys.mask(&packet[sample..sample + 16]).unwrap();
    packet[0] ^= mask[0] & 0x0f;
    (0..4).for_each(|n| packet[head.len() + n] ^= mask[1 + n]);
    packet
}

/// An Initial packet of version 1 of the client or the server, with keys of a connection ID.
pub(crate) fn initial(id: &[u8], server: bool, number: u32, frames: &[u8]) -> Vec<u8> {
    initial_of(Version(1), id, server, number, frames)
}

/// An Initial packet of any version that has keys.
pub(super) fn initial_of(
    version: Version,
    id: &[u8],
    server: bool,
    number: u32,
    frames: &[u8],
) -> Vec<u8> {
    let keys = Keys::new(version, id, server).unwrap();
    let to = if server { &[5; 5][..] } else { id };
    let len = (0x4000 | (4 + frames.len() + 16) as u16).to_be_bytes();
    let first = if version.kind(0xc0) == Kind::Initial { 0xc3 } else { 0xd3 };
    let ids = [&[to.len() as u8][..], to, &[0, 0]].concat();
    let head = [&[first][..], &version.0.to_be_bytes(), &ids, &len].concat();
    protect(&keys, &head, number, frames)
}

/// A CRYPTO frame.
pub(crate) fn crypto(offset: u16, data: &[u8]) -> Vec<u8> {
    let fields = [offset, data.len() as u16].map(|n| (0x4000 | n).to_be_bytes());
    [&[6][..], fields.as_flattened(), data].concat()
}
