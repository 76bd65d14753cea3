//! Course of IPv4's identifications in a direction, by which packets that were lost before the capture point are known.
//!
//! Many hosts count the packets of a connection up (Linux with DF set; RFC 6864, 4). Where the count goes on from packet to
//! packet and then leaps by a few, these did not pass.

/// Score from which the count is known. A packet with the identification that is due adds two, a leap takes one away.
const KNOWN: u8 = 4;
/// Greatest score.
const MOST_SCORE: u8 = 16;
/// Greatest number of packets that are missing, and not the sign of another counter.
const MOST: u16 = 64;

/// Course of the identifications.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Idents {
    /// Identification that is due next, and the score.
    next: u16,
    score: u8,
    /// True if packets are missing before the last one.
    skips: bool,
}

impl Idents {
    /// Takes an identification of so many packets, which offload may have merged.
    #[inline]
    pub(crate) fn pass(&mut self, ident: u16, packets: u32) {
        let skipped = ident.wrapping_sub(self.next);
        self.next = ident.wrapping_add(packets as u16);
        self.skips = self.score >= KNOWN && (1..=MOST).contains(&skipped);
        self.score = match skipped {
            0 => (self.score + 2).min(MOST_SCORE),
            1..=MOST => self.score.saturating_sub(1),
            _ => 0,
        };
    }

    /// True if packets are missing before the last one.
    pub(crate) fn skips(self) -> bool {
        self.skips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(idents: impl IntoIterator<Item = u16>) -> Vec<bool> {
        let mut course = Idents::default();
        let pass = |ident| {
            course.pass(ident, 1);
            course.skips()
        };
        idents.into_iter().map(pass).collect()
    }

    #[test]
    fn a_count_that_leaps_shows_what_is_missing() {
        let found = skips((65_530..=u16::MAX).chain(0..5).chain(7..9));
        assert!(found.iter().enumerate().all(|(n, skips)| *skips == (n == 11)), "{found:?}");
    }

    #[test]
    fn identifications_of_another_kind_show_nothing() {
        assert!(!skips([0; 30]).contains(&true));
        assert!(!skips((0..30).map(|n: u16| n.wrapping_mul(40_503))).contains(&true));
        assert!(!skips((0..30).map(|n| 3 * n)).contains(&true));
    }
}
