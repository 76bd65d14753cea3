//! Codewords of a transmission: transport blocks, and the layers that each of them has.
//!
//! NR has one codeword on up to four layers (TS 38.211, table 7.3.1.3-1). LTE has two from two layers on, and one
//! layer more in the second if their number is odd (TS 36.211, table 6.3.3.2-1).

use super::technology::Technology;

/// Reports of a link: one for each number of layers up to four and each of their codewords.
pub(crate) const STREAMS: usize = 7;

/// A codeword of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codeword {
    /// Its number, 0 or 1.
    pub index: u8,
    /// The first of its layers.
    pub first: u8,
    /// Number of its layers.
    pub layers: u8,
}

const fn codeword(index: u8, first: u8, layers: u8) -> Codeword {
    Codeword { index, first, layers }
}

/// One codeword on all layers, by their number less one.
static ONE: [[Codeword; 1]; 4] =
    [[codeword(0, 0, 1)], [codeword(0, 0, 2)], [codeword(0, 0, 3)], [codeword(0, 0, 4)]];
/// Two codewords, by the number of layers less two.
static TWO: [[Codeword; 2]; 3] = [
    [codeword(0, 0, 1), codeword(1, 1, 1)],
    [codeword(0, 0, 1), codeword(1, 1, 2)],
    [codeword(0, 0, 2), codeword(1, 2, 2)],
];

impl Technology {
    /// The codewords of new data on so many layers, 1 to 4.
    pub(crate) fn codewords(&self, layers: u8) -> &'static [Codeword] {
        match (self, layers) {
            (Technology::Lte(_), 2..) => &TWO[usize::from(layers.min(4)) - 2],
            _ => &ONE[usize::from(layers.clamp(1, 4)) - 1],
        }
    }

    /// Number of reports, by [`stream`], of a link with up to so many layers.
    pub(crate) fn streams(&self, most: u8) -> usize {
        if self.codewords(most).len() > 1 { STREAMS } else { usize::from(most) }
    }
}

/// Index of the report on a codeword of so many layers. Those of codeword 0 are first, by layers.
pub(crate) const fn stream(layers: u8, codeword: u8) -> usize {
    layers as usize - 1 + 3 * codeword as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::McsTable;
    use crate::phy::nr::Nr;

    #[test]
    fn layers_of_codewords() {
        // TS 36.211, table 6.3.3.2-1; TS 38.211, table 7.3.1.3-1.
        let layers = |technology: Technology| {
            [1, 2, 3, 4].map(|layers| {
                let all = technology.codewords(layers).iter();
                all.map(|one| (one.first, one.layers)).collect::<Vec<_>>()
            })
        };
        let lte = layers(Technology::Lte(McsTable::Qam64));
        let pair = |a, b| vec![(0, a), (a, b)];
        assert_eq!(lte, [vec![(0, 1)], pair(1, 1), pair(1, 2), pair(2, 2)]);
        let nr = layers(Technology::Nr(Nr::DEFAULT));
        assert_eq!(nr, [1, 2, 3, 4].map(|layers| vec![(0, layers)]));
    }

    #[test]
    fn each_report_has_an_index() {
        let all = (1..=4).map(|layers| stream(layers, 0)).chain((2..=4).map(|n| stream(n, 1)));
        assert_eq!(all.collect::<Vec<_>>(), (0..STREAMS).collect::<Vec<_>>());
    }
}
