//! Fields that are no whole bytes.

/// Appends bits to bytes, the most significant first.
pub(super) struct Bits<'a> {
    out: &'a mut Vec<u8>,
    /// Bits of the last byte that are taken.
    taken: u32,
}

impl<'a> Bits<'a> {
    /// Begins with a byte of its own.
    pub fn new(out: &'a mut Vec<u8>) -> Bits<'a> {
        Bits { out, taken: 8 }
    }

    /// Appends the lowest `width` bits of a value; what is above them is left out.
    pub fn put(&mut self, value: u64, width: u32) -> &mut Self {
        for bit in (0..width).rev() {
            if self.taken == 8 {
                self.out.push(0);
                self.taken = 0;
            }
            self.taken += 1;
            if let Some(last) = self.out.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (8 - self.taken);
            }
        }
        self
    }

    /// Appends a flag.
    pub fn flag(&mut self, flag: bool) -> &mut Self {
        self.put(u64::from(flag), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_each_other_from_the_top() {
        let mut out = vec![0xff];
        Bits::new(&mut out).flag(true).put(0b0101, 4).put(0x3ff, 10).put(0x10f, 4);
        // 1 0101 111 | 1111111 1 | 111 00000.
        assert_eq!(out, [0xff, 0b1010_1111, 0xff, 0b1110_0000]);
    }
}
