//! Cipher suites, hashes and key exchange of DTLS.

use std::fmt;

use aes_gcm::KeyInit;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::aes::{Aes128, Block};
use dimpl::crypto::{
    ActiveKeyExchange, Buf, Cipher, Dtls12CipherSuite, Dtls13CipherSuite, HashContext,
    HashProvider, HmacProvider, SecureRandom, SupportedDtls12CipherSuite,
    SupportedDtls13CipherSuite, SupportedKxGroup, TmpBuf,
};
use dimpl::{CryptoError, CryptoOperation, HashAlgorithm, NamedGroup};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::{digest, hmac};
use x25519_dalek::{PublicKey, StaticSecret};

use crate::random;

/// Bytes of the tag of AES-GCM.
const TAG: usize = 16;

/// TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 (RFC 5289, 3.2) and TLS_AES_128_GCM_SHA256 (RFC 8446, B.4).
#[derive(Debug)]
pub(super) struct Suite;

impl SupportedDtls12CipherSuite for Suite {
    fn suite(&self) -> Dtls12CipherSuite {
        Dtls12CipherSuite::ECDHE_ECDSA_AES128_GCM_SHA256
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn key_lengths(&self) -> (usize, usize, usize) {
        (0, 16, 4)
    }

    fn explicit_nonce_len(&self) -> usize {
        8
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn create_cipher(&self, key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
        gcm(key)
    }
}

impl SupportedDtls13CipherSuite for Suite {
    fn suite(&self) -> Dtls13CipherSuite {
        Dtls13CipherSuite::AES_128_GCM_SHA256
    }

    fn hash_algorithm(&self) -> HashAlgorithm {
        HashAlgorithm::SHA256
    }

    fn key_len(&self) -> usize {
        16
    }

    fn iv_len(&self) -> usize {
        12
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn create_cipher(&self, key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
        gcm(key)
    }

    fn encrypt_sn(&self, key: &[u8], sample: &[u8; 16]) -> [u8; 16] {
        let mut block = Block::from(*sample);
        if let Ok(aes) = Aes128::new_from_slice(key) {
            aes.encrypt_block(&mut block);
        }
        block.into()
    }
}

/// AES-128-GCM of records.
struct Gcm(LessSafeKey);

/// A cipher with this key.
fn gcm(key: &[u8]) -> Result<Box<dyn Cipher>, CryptoError> {
    let key = UnboundKey::new(&AES_128_GCM, key);
    let key = key.map_err(|_| failed(CryptoOperation::CreateCipher))?;
    Ok(Box::new(Gcm(LessSafeKey::new(key))))
}

impl Cipher for Gcm {
    fn encrypt(
        &mut self,
        data: &mut Buf,
        aad: dimpl::crypto::Aad,
        nonce: dimpl::crypto::Nonce,
    ) -> Result<(), CryptoError> {
        let (nonce, aad) = (Nonce::assume_unique_for_key(nonce.0), Aad::from(&aad[..]));
        let tag = self.0.seal_in_place_separate_tag(nonce, aad, &mut data[..]);
        let tag = tag.map_err(|_| failed(CryptoOperation::Encrypt))?;
        data.extend_from_slice(tag.as_ref());
        Ok(())
    }

    fn decrypt(
        &mut self,
        data: &mut TmpBuf,
        aad: dimpl::crypto::Aad,
        nonce: dimpl::crypto::Nonce,
    ) -> Result<(), CryptoError> {
        let (nonce, aad) = (Nonce::assume_unique_for_key(nonce.0), Aad::from(&aad[..]));
        let plain = self.0.open_in_place(nonce, aad, data.as_mut());
        let len = plain.map_err(|_| failed(CryptoOperation::Decrypt))?.len();
        data.truncate(len);
        Ok(())
    }
}

impl fmt::Debug for Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gcm")
    }
}

/// Hashes, their keyed form, and random numbers.
#[derive(Debug)]
pub(super) struct Hashes;

struct Running(digest::Context);

impl HashProvider for Hashes {
    fn create_hash(&self, algorithm: HashAlgorithm) -> Box<dyn HashContext> {
        let algorithm = match algorithm {
            HashAlgorithm::SHA384 => &digest::SHA384,
            _ => &digest::SHA256,
        };
        Box::new(Running(digest::Context::new(algorithm)))
    }
}

impl HashContext for Running {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn clone_and_finalize(&self, out: &mut Buf) {
        out.clear();
        out.extend_from_slice(self.0.clone().finish().as_ref());
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

impl HmacProvider for Hashes {
    fn hmac(
        &self,
        hash: HashAlgorithm,
        key: &[u8],
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, CryptoError> {
        let algorithm = match hash {
            HashAlgorithm::SHA256 => hmac::HMAC_SHA256,
            HashAlgorithm::SHA384 => hmac::HMAC_SHA384,
            other => return Err(CryptoError::UnsupportedHmacHash(other)),
        };
        let tag = hmac::sign(&hmac::Key::new(algorithm, key), data);
        let own = tag.as_ref();
        let to = out.get_mut(..own.len()).ok_or(failed(CryptoOperation::ComputeHmac))?;
        to.copy_from_slice(own);
        Ok(own.len())
    }
}

impl SecureRandom for Hashes {
    fn fill(&self, buf: &mut [u8]) -> Result<(), CryptoError> {
        random::fill(buf).then_some(()).ok_or(failed(CryptoOperation::FillRandom))
    }
}

/// X25519 (RFC 7748, 6.1).
#[derive(Debug)]
pub(super) struct X25519;

struct Exchange {
    secret: StaticSecret,
    public: PublicKey,
}

impl SupportedKxGroup for X25519 {
    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }

    fn start_exchange(&self, _: Buf) -> Result<Box<dyn ActiveKeyExchange>, CryptoError> {
        let mut secret = [0; 32];
        Hashes.fill(&mut secret)?;
        let secret = StaticSecret::from(secret);
        Ok(Box::new(Exchange { public: PublicKey::from(&secret), secret }))
    }
}

impl ActiveKeyExchange for Exchange {
    fn pub_key(&self) -> &[u8] {
        self.public.as_bytes()
    }

    fn complete(self: Box<Self>, peer: &[u8], out: &mut Buf) -> Result<(), CryptoError> {
        let invalid = CryptoError::InvalidPublicKey(NamedGroup::X25519);
        let peer = <[u8; 32]>::try_from(peer).map_err(|_| invalid.clone())?;
        let shared = self.secret.diffie_hellman(&PublicKey::from(peer));
        if !shared.was_contributory() {
            return Err(invalid);
        }
        out.clear();
        out.extend_from_slice(shared.as_bytes());
        Ok(())
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exchange")
    }
}

fn failed(operation: CryptoOperation) -> CryptoError {
    CryptoError::OperationFailed(operation)
}
