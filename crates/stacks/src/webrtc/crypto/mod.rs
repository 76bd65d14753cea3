//! Cryptography of str0m by ring, without random numbers of the process in keys.
//!
//! str0m's own providers draw from the operating system, and bring further libraries.
//!
//! - Records of DTLS 1.2: AES-128-GCM with ECDHE and ECDSA (RFC 5289).
//! - Key exchange: X25519 (RFC 8422).
//! - Media: SRTP (RFC 3711, RFC 7714).
//!
//! Random numbers are those of the end ([`random`](crate::random)). Ring draws nonces of signatures from the operating
//! system. The length of a signature does not depend on them ([`sign`]).

mod dtls;
mod sign;
mod srtp;
mod suite;

use std::sync::Arc;

use ring::{digest, hmac};
use str0m::crypto::{CryptoProvider, Sha1HmacProvider, Sha1Provider, Sha256Provider};

pub(super) use dtls::certificate;

/// The provider of str0m.
pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        srtp_provider: &srtp::Srtp,
        sha1_hmac_provider: &Hashes,
        sha1_provider: &Hashes,
        sha256_provider: &Hashes,
        dtls_provider: &dtls::Dtls,
    })
}

/// Hashes of ring.
#[derive(Debug)]
struct Hashes;

impl Sha1HmacProvider for Hashes {
    fn sha1_hmac(&self, key: &[u8], payloads: &[&[u8]]) -> [u8; 20] {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key);
        let mut context = hmac::Context::with_key(&key);
        payloads.iter().for_each(|payload| context.update(payload));
        array(context.sign().as_ref())
    }
}

impl Sha1Provider for Hashes {
    fn sha1(&self, data: &[u8]) -> [u8; 20] {
        array(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, data).as_ref())
    }
}

impl Sha256Provider for Hashes {
    fn sha256(&self, data: &[u8]) -> [u8; 32] {
        array(digest::digest(&digest::SHA256, data).as_ref())
    }
}

/// A hash as an array of its length.
fn array<const N: usize>(hash: &[u8]) -> [u8; N] {
    let mut own = [0; N];
    own.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_their_standards() {
        // RFC 3174, 7.3, test 1; FIPS 180-2, B.1; RFC 2202, 3, test 2.
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(&Hashes.sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&Hashes.sha256(b"abc")), sha256);
        let mac = Hashes.sha1_hmac(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(hex(&mac), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
    }
}
