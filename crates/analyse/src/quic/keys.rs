//! Opening Initial packets. Their keys follow from the connection ID that the client chose for
//! the server, so who sees the first packet can read them (RFC 9001, 5.2 to 5.4).

use aes_gcm::aes::Aes128;
use aes_gcm::aes::cipher::BlockCipherEncrypt;
use aes_gcm::{AeadInOut, Aes128Gcm, KeyInit};
use hkdf::Hkdf;
use sha2::Sha256;

use super::packet::Packet;
use super::version::Version;

/// Bytes of the tag behind what is encrypted, and of the sample that protects the header.
const TAG: usize = 16;
/// Longest label of a secret, with what is around it (RFC 8446, 7.1).
const LONGEST_LABEL: usize = 32;

/// Keys of one end's Initial packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) key: [u8; 16],
    pub(super) iv: [u8; 12],
    pub(super) hp: [u8; 16],
}

/// An Initial packet that was opened.
pub(super) struct Opened {
    /// The packet's number.
    pub(super) number: u64,
    bytes: Vec<u8>,
    frames: usize,
}

impl Keys {
    /// The keys of client or server, if the version is known; `id` is the client's first choice.
    pub(super) fn new(version: Version, id: &[u8], server: bool) -> Option<Keys> {
        let recipe = version.recipe()?;
        let initial = Hkdf::<Sha256>::new(Some(&recipe.salt), id);
        let end: [u8; 32] = expand(&initial, if server { "server in" } else { "client in" })?;
        let end = Hkdf::<Sha256>::from_prk(&end).ok()?;
        let (key, iv) = (expand(&end, recipe.key)?, expand(&end, recipe.iv)?);
        Some(Keys { key, iv, hp: expand(&end, recipe.hp)? })
    }

    /// Opens a packet; `next` is one more than the greatest number that its sender has used.
    /// None if these are not its keys, or it was not captured to its end.
    pub(super) fn open(&self, packet: &Packet<'_>, next: u64) -> Option<Opened> {
        let sample = packet.body + 4;
        let sample = packet.bytes.get(sample..sample + TAG).filter(|_| packet.whole)?;
        let mask = self.mask(sample)?;
        let mut bytes = packet.bytes.to_vec();
        bytes[0] ^= mask[0] & 0x0f;
        let len = usize::from(bytes[0] & 3) + 1;
        let frames = packet.body + len;
        let field = &mut bytes[packet.body..frames];
        field.iter_mut().zip(&mask[1..]).for_each(|(byte, mask)| *byte ^= mask);
        let short = field.iter().fold(0, |n, byte| n << 8 | u64::from(*byte));
        let number = full_number(short, len, next);
        let (header, rest) = bytes.split_at_mut(frames);
        let (content, tag) = rest.split_at_mut(rest.len().checked_sub(TAG)?);
        let tag: &[u8; TAG] = (&*tag).try_into().ok()?;
        let cipher = Aes128Gcm::new(&self.key.into());
        let nonce = self.nonce(number).into();
        cipher.decrypt_inout_detached(&nonce, header, content.into(), tag.into()).ok()?;
        bytes.truncate(bytes.len() - TAG);
        Some(Opened { number, bytes, frames })
    }

    /// Mask of header protection (RFC 9001, 5.4.3).
    pub(super) fn mask(&self, sample: &[u8]) -> Option<[u8; 16]> {
        let mut block = <[u8; TAG]>::try_from(sample).ok()?.into();
        Aes128::new(&self.hp.into()).encrypt_block(&mut block);
        Some(block.into())
    }

    /// The nonce of a packet (RFC 9001, 5.3).
    pub(super) fn nonce(&self, number: u64) -> [u8; 12] {
        let mut nonce = self.iv;
        nonce[4..].iter_mut().zip(number.to_be_bytes()).for_each(|(to, byte)| *to ^= byte);
        nonce
    }
}

impl Opened {
    /// Its frames.
    pub(super) fn frames(&self) -> &[u8] {
        self.bytes.get(self.frames..).unwrap_or_default()
    }
}

/// A secret made of another (RFC 8446, 7.1).
fn expand<const N: usize>(from: &Hkdf<Sha256>, label: &str) -> Option<[u8; N]> {
    let mut info = [0; LONGEST_LABEL];
    let name = 6 + label.len();
    info[..3].copy_from_slice(&[0, N as u8, name as u8]);
    info.get_mut(3..9)?.copy_from_slice(b"tls13 ");
    info.get_mut(9..3 + name)?.copy_from_slice(label.as_bytes());
    let mut secret = [0; N];
    from.expand(info.get(..4 + name)?, &mut secret).ok()?;
    Some(secret)
}

/// The number of which `len` bytes were sent (RFC 9000, A.3).
fn full_number(short: u64, len: usize, next: u64) -> u64 {
    let window = 1u64 << (8 * len);
    let near = next & !(window - 1) | short;
    if near.saturating_add(window / 2) <= next {
        near.wrapping_add(window)
    } else if near > next.saturating_add(window / 2) && near >= window {
        near - window
    } else {
        near
    }
}

#[cfg(test)]
#[path = "keys_tests.rs"]
mod tests;
