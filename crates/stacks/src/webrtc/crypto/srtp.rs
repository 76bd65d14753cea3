//! Ciphers of SRTP: AES-GCM (RFC 7714), and AES-128 in counter mode (RFC 3711, 4.1.1).

use std::fmt;

use aes_gcm::KeyInit;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::aes::{Aes128, Aes256, Block};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, Algorithm, LessSafeKey, Nonce, UnboundKey};
use str0m::crypto::{
    AeadAes128GcmCipher, AeadAes256GcmCipher, Aes128CmSha1_80Cipher, CryptoError, SrtpProvider,
    SupportedAeadAes128Gcm, SupportedAeadAes256Gcm, SupportedAes128CmSha1_80,
};

/// Bytes of a block of AES.
const BLOCK: usize = 16;

/// The provider.
#[derive(Debug)]
pub(super) struct Srtp;

impl SrtpProvider for Srtp {
    fn aes_128_cm_sha1_80(&self) -> &'static dyn SupportedAes128CmSha1_80 {
        &Srtp
    }

    fn aead_aes_128_gcm(&self) -> &'static dyn SupportedAeadAes128Gcm {
        &Srtp
    }

    fn aead_aes_256_gcm(&self) -> &'static dyn SupportedAeadAes256Gcm {
        &Srtp
    }

    fn srtp_aes_128_ecb_round(&self, key: &[u8], input: &[u8], output: &mut [u8]) {
        if let Ok(aes) = Aes128::new_from_slice(key) {
            round(&aes, input, output);
        }
    }

    fn srtp_aes_256_ecb_round(&self, key: &[u8], input: &[u8], output: &mut [u8]) {
        if let Ok(aes) = Aes256::new_from_slice(key) {
            round(&aes, input, output);
        }
    }
}

/// Encrypts one block.
fn round(
    aes: &impl BlockCipherEncrypt<BlockSize = aes_gcm::aes::cipher::consts::U16>,
    input: &[u8],
    output: &mut [u8],
) {
    let Ok(mut block) = <[u8; BLOCK]>::try_from(&input[..BLOCK.min(input.len())]).map(Block::from)
    else {
        return;
    };
    aes.encrypt_block(&mut block);
    output.iter_mut().zip(block.iter()).for_each(|(to, from)| *to = *from);
}

impl SupportedAes128CmSha1_80 for Srtp {
    fn create_cipher(&self, key: [u8; 16], _: bool) -> Box<dyn Aes128CmSha1_80Cipher> {
        Box::new(Counter(Aes128::new(&key.into())))
    }
}

impl SupportedAeadAes128Gcm for Srtp {
    fn create_cipher(&self, key: [u8; 16], _: bool) -> Box<dyn AeadAes128GcmCipher> {
        Box::new(Gcm::new(&AES_128_GCM, &key))
    }
}

impl SupportedAeadAes256Gcm for Srtp {
    fn create_cipher(&self, key: [u8; 32], _: bool) -> Box<dyn AeadAes256GcmCipher> {
        Box::new(Gcm::new(&AES_256_GCM, &key))
    }
}

/// AES-128 in counter mode.
struct Counter(Aes128);

impl Aes128CmSha1_80Cipher for Counter {
    fn encrypt(
        &mut self,
        iv: &[u8; 16],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        let mut counter = u128::from_be_bytes(*iv);
        for (from, to) in input.chunks(BLOCK).zip(output.chunks_mut(BLOCK)) {
            let mut block = Block::from(counter.to_be_bytes());
            self.0.encrypt_block(&mut block);
            to.iter_mut()
                .zip(from)
                .zip(block.iter())
                .for_each(|((to, from), key)| *to = from ^ key);
            counter = counter.wrapping_add(1);
        }
        Ok(())
    }

    fn decrypt(
        &mut self,
        iv: &[u8; 16],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        self.encrypt(iv, input, output)
    }
}

/// AES-GCM.
struct Gcm {
    /// None for a key of another length than that of the algorithm.
    key: Option<LessSafeKey>,
    scratch: Vec<u8>,
}

impl Gcm {
    fn new(algorithm: &'static Algorithm, key: &[u8]) -> Gcm {
        let key = UnboundKey::new(algorithm, key).ok().map(LessSafeKey::new);
        Gcm { key, scratch: Vec::new() }
    }

    fn seal(
        &self,
        iv: &[u8; 12],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        let room = output.len().checked_sub(input.len()).ok_or_else(|| failed("encrypt"))?;
        let (data, tail) = output.split_at_mut(input.len());
        data.copy_from_slice(input);
        let key = self.key.as_ref().ok_or_else(|| failed("encrypt"))?;
        let nonce = Nonce::assume_unique_for_key(*iv);
        let tag = key.seal_in_place_separate_tag(nonce, Aad::from(aad), data);
        let tag = tag.map_err(|_| failed("encrypt"))?;
        let tag = tag.as_ref();
        if room < tag.len() {
            return Err(failed("encrypt"));
        }
        tail[..tag.len()].copy_from_slice(tag);
        Ok(())
    }

    fn open(
        &mut self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        let key = self.key.as_ref().ok_or_else(|| failed("decrypt"))?;
        self.scratch.clear();
        self.scratch.extend_from_slice(input);
        let (nonce, aad) = (Nonce::assume_unique_for_key(*iv), Aad::from(aads.concat()));
        let plain = key.open_in_place(nonce, aad, &mut self.scratch);
        let plain = plain.map_err(|_| failed("decrypt"))?;
        let to = output.get_mut(..plain.len()).ok_or_else(|| failed("decrypt"))?;
        to.copy_from_slice(plain);
        Ok(plain.len())
    }
}

impl AeadAes128GcmCipher for Gcm {
    fn encrypt(
        &mut self,
        iv: &[u8; 12],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        self.seal(iv, aad, input, output)
    }

    fn decrypt(
        &mut self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        self.open(iv, aads, input, output)
    }
}

impl AeadAes256GcmCipher for Gcm {
    fn encrypt(
        &mut self,
        iv: &[u8; 12],
        aad: &[u8],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), CryptoError> {
        self.seal(iv, aad, input, output)
    }

    fn decrypt(
        &mut self,
        iv: &[u8; 12],
        aads: &[&[u8]],
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CryptoError> {
        self.open(iv, aads, input, output)
    }
}

fn failed(act: &str) -> CryptoError {
    CryptoError::Other(format!("AES cannot {act}"))
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Counter")
    }
}

impl fmt::Debug for Gcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gcm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(hex: &str) -> [u8; N] {
        let byte = |n: usize| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).expect("hex");
        std::array::from_fn(byte)
    }

    #[test]
    fn the_key_stream_is_that_of_rfc_3711() {
        // RFC 3711, B.2: the first blocks of a key stream.
        let key = bytes("2b7e151628aed2a6abf7158809cf4f3c");
        let iv = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfd0000");
        let mut cipher = SupportedAes128CmSha1_80::create_cipher(&Srtp, key, true);
        let mut out = [0; 32];
        cipher.encrypt(&iv, &[0; 32], &mut out).expect("a key stream");
        let stream = bytes("e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab");
        assert_eq!(out, stream);
    }

    #[test]
    fn a_round_is_that_of_fips_197() {
        // FIPS 197, C.1 and C.3.
        let plain: [u8; 16] = bytes("00112233445566778899aabbccddeeff");
        let key: [u8; 32] = std::array::from_fn(|n| n as u8);
        let mut out = [0; 16];
        Srtp.srtp_aes_128_ecb_round(&key[..16], &plain, &mut out);
        assert_eq!(out, bytes("69c4e0d86a7b0430d8cdb78070b4c55a"));
        Srtp.srtp_aes_256_ecb_round(&key, &plain, &mut out);
        assert_eq!(out, bytes("8ea2b7ca516745bfeafc49904b496089"));
    }

    #[test]
    fn a_packet_opens_unless_it_has_changed() {
        let mut cipher = SupportedAeadAes128Gcm::create_cipher(&Srtp, [7; 16], true);
        let (iv, mut out, mut back) = ([3; 12], [0; 21], [0; 21]);
        cipher.encrypt(&iv, b"header", b"media", &mut out).expect("sealed");
        let opened = cipher.decrypt(&iv, &[b"hea", b"der"], &out, &mut back);
        assert_eq!(opened.expect("opened"), 5);
        assert_eq!(&back[..5], b"media");
        out[0] ^= 1;
        assert!(cipher.decrypt(&iv, &[b"header"], &out, &mut back).is_err());
    }
}
