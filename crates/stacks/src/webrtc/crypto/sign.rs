//! Signatures of DTLS: ECDSA with P-256 and SHA-256 (RFC 8422, 5.4).
//!
//! A signature in DER has 70, 71 or 72 bytes in most cases, by the first bits of both its numbers. [`Key`] signs until a
//! signature has [`LENGTH`], as times and sizes of packets must not depend on a draw.

use std::fmt;

use dimpl::crypto::{Buf, KeyProvider, SignatureAlgorithm, SignatureVerifier, SigningKey};
use dimpl::{CryptoError, CryptoOperation, HashAlgorithm, NamedGroup};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};

/// Bytes of a signature: that of every second one.
const LENGTH: usize = 71;
/// Signatures that are tried; so many fail by a chance of 2^-64.
const MOST: usize = 64;
/// Bytes before a public key of P-256 in a certificate: its SubjectPublicKeyInfo up to the point (RFC 5480, 2).
const LEAD: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// Bytes of an uncompressed point of P-256.
const POINT: usize = 65;

/// Reads keys, and verifies signatures.
#[derive(Debug)]
pub(super) struct Signatures;

impl KeyProvider for Signatures {
    fn load_private_key(&self, key: &[u8]) -> Result<Box<dyn SigningKey>, CryptoError> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key, &random);
        let pair = pair.map_err(|_| CryptoError::InvalidPrivateKey)?;
        Ok(Box::new(Key { pair, random }))
    }
}

impl SignatureVerifier for Signatures {
    fn verify_signature(
        &self,
        certificate: &[u8],
        data: &[u8],
        signature: &[u8],
        hash: HashAlgorithm,
        algorithm: SignatureAlgorithm,
    ) -> Result<(), CryptoError> {
        let group = NamedGroup::Secp256r1;
        dimpl::crypto::check_verify_scheme(algorithm, hash, group)?;
        let wrong = CryptoError::SignatureVerificationFailed { signature: algorithm, hash, group };
        if hash != HashAlgorithm::SHA256 {
            return Err(wrong);
        }
        let key = point(certificate).ok_or(CryptoError::InvalidSubjectPublicKey)?;
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key);
        key.verify(data, signature).map_err(|_| wrong)
    }
}

/// The public key of a certificate.
fn point(certificate: &[u8]) -> Option<&[u8]> {
    let at = certificate.windows(LEAD.len()).position(|bytes| bytes == LEAD)? + LEAD.len();
    certificate.get(at..at + POINT)
}

/// A key that signs.
struct Key {
    pair: EcdsaKeyPair,
    random: SystemRandom,
}

impl SigningKey for Key {
    fn sign(&mut self, data: &[u8], hash: HashAlgorithm, out: &mut Buf) -> Result<(), CryptoError> {
        if hash != HashAlgorithm::SHA256 {
            let group = NamedGroup::Secp256r1;
            return Err(CryptoError::SigningKeyUnsupportedHash { group, hash });
        }
        let all = (0..MOST).filter_map(|_| self.pair.sign(&self.random, data).ok());
        let fit = all.into_iter().find(|signature| signature.as_ref().len() == LENGTH);
        let fit = fit.ok_or(CryptoError::OperationFailed(CryptoOperation::Sign))?;
        out.clear();
        out.extend_from_slice(fit.as_ref());
        Ok(())
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ECDSA
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn supported_hash_algorithms(&self) -> &[HashAlgorithm] {
        &[HashAlgorithm::SHA256]
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_have_one_length_and_are_those_of_the_certificate() {
        let own = super::super::certificate();
        let mut key = Signatures.load_private_key(&own.private_key).expect("a key");
        let (hash, algorithm) = (HashAlgorithm::SHA256, SignatureAlgorithm::ECDSA);
        for n in 0..50u8 {
            let mut signature = Buf::new();
            key.sign(&[n; 100], hash, &mut signature).expect("a signature");
            assert_eq!(signature.len(), 71);
            let verify = |data: &[u8]| {
                Signatures.verify_signature(&own.certificate, data, &signature, hash, algorithm)
            };
            assert_eq!(verify(&[n; 100]), Ok(()));
            assert!(verify(&[n; 99]).is_err());
        }
    }
}
