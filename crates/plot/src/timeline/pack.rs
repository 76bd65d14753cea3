//! Numbers as bytes, and fewer of them.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Appends a number: seven bits a byte, the lowest first, with its sign in the lowest bit.
pub fn varint(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    loop {
        let low = (rest & 0x7F) as u8;
        rest >>= 7;
        if rest == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}

/// The bytes deflated (RFC 1951).
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in prop::collection::vec(any::<i64>(), 0..50)) {
            let mut bytes = Vec::new();
            values.iter().for_each(|value| varint(&mut bytes, *value));
            let mut text = Vec::new();
            DeflateDecoder::new(&deflated(&bytes)[..]).read_to_end(&mut text).expect("bytes");
            prop_assert_eq!(&text, &bytes);
            let (mut found, mut number, mut shift) = (Vec::new(), 0_u64, 0);
            for byte in bytes {
                number |= u64::from(byte & 0x7F) << shift;
                shift += 7;
                if byte < 0x80 {
                    found.push((number >> 1) as i64 ^ -((number & 1) as i64));
                    (number, shift) = (0, 0);
                }
            }
            prop_assert_eq!(found, values);
        }
    }
}
