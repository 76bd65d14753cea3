//! Fingerprints of data: 128 bits, the same on any machine.
//!
//! FNV-1a by Fowler, Noll and Vo, with its constants for 128 bits. It tells data apart that
//! differ by accident; it does not protect from somebody who looks for a collision.
//!
//! This file stands alone, so that build scripts can use it too.

/// The hash of no bytes.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
/// Factor of the hash after each byte (FNV-1a, 128 bits).
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// A fingerprint of the fields that went into it, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest(u128);

impl Digest {
    /// Of nothing yet.
    pub const fn new() -> Digest {
        Digest(BASIS)
    }

    /// With one more field. Its length counts, so that fields do not run into each other.
    #[must_use]
    pub fn field(self, bytes: &[u8]) -> Digest {
        self.bytes(&(bytes.len() as u64).to_be_bytes()).bytes(bytes)
    }

    /// With one more number.
    #[must_use]
    pub fn number(self, number: u64) -> Digest {
        self.bytes(&number.to_be_bytes())
    }

    /// Its value.
    pub const fn value(self) -> u128 {
        self.0
    }

    fn bytes(self, bytes: &[u8]) -> Digest {
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        Digest(bytes.iter().fold(self.0, step))
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn bytes_hash_to_the_published_values() {
        // The authors' own test vectors for FNV-1a of 128 bits: "", "a", "foobar".
        let hash = |text: &str| Digest::new().bytes(text.as_bytes()).value();
        assert_eq!(hash(""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash("a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(hash("foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let of = |fields: &[&str]| {
            fields.iter().fold(Digest::new(), |digest, field| digest.field(field.as_bytes()))
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["abc"]), of(&["abc", ""]));
        assert_ne!(Digest::new().number(1), Digest::new().number(256));
    }
}
