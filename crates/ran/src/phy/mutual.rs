//! Mutual information of a coded bit against SINR, and the effective SINR of several
//! resource blocks.
//!
//! Maps of QPSK, 16QAM and 64QAM were published with the error curves. That of 256QAM is computed
//! ([`computed`]), and its curves belong to it.
//!
//! Below its first point a map goes straight to zero. Beyond its last it approaches one
//! exponentially with the slope of its last step, so that it has an inverse.

use std::sync::LazyLock;

use airpath_base::math;
use airpath_net::Direction;

use super::McsTable;
use super::grid::Grid;
use super::nr::information as computed;
use super::tables;

include!(concat!(env!("OUT_DIR"), "/lte_maps.rs"));

/// Mutual information at equal steps of linear SINR.
pub(super) struct Map {
    first: f64,
    step: f64,
    /// The SINR of the last point.
    pub(super) last: f64,
    values: &'static [f64],
}

/// The published map of a modulation with 2, 4 or 6 bits a symbol.
pub(super) fn map(modulation_bits: u8) -> &'static Map {
    match modulation_bits {
        0..=2 => &QPSK,
        3..=4 => &QAM16,
        _ => &QAM64,
    }
}

impl Map {
    /// Mutual information of a coded bit at a SINR above zero.
    pub(super) fn at(&self, sinr: f64) -> f64 {
        if sinr <= self.first {
            return self.values[0] * (sinr / self.first);
        }
        if sinr >= self.last {
            return 1.0 - self.missing() * math::exp((self.last - sinr) * self.decay());
        }
        let position = (sinr - self.first) / self.step;
        let below = (position as usize).min(self.values.len() - 2);
        let (from, to) = (self.values[below], self.values[below + 1]);
        from + (to - from) * (position - below as f64).min(1.0)
    }

    /// The SINR at which a coded bit has this mutual information; infinite from one on.
    fn inverse(&self, information: f64) -> f64 {
        let above = self.values.partition_point(|&value| value < information);
        if above == 0 {
            return self.first * (information / self.values[0]);
        }
        if above == self.values.len() {
            let left = (1.0 - information) / self.missing();
            return if left > 0.0 {
                self.last - math::ln(left) / self.decay()
            } else {
                f64::INFINITY
            };
        }
        let (from, to) = (self.values[above - 1], self.values[above]);
        let part = (information - from) / (to - from);
        self.first + self.step * ((above - 1) as f64 + part)
    }

    /// Mutual information at the last point.
    pub(super) fn most(&self) -> f64 {
        self.values[self.values.len() - 1]
    }

    /// Information that the last point lacks.
    fn missing(&self) -> f64 {
        1.0 - self.most()
    }

    /// Decay of the rest beyond the last point.
    fn decay(&self) -> f64 {
        let last = self.values.len() - 1;
        (self.values[last] - self.values[last - 1]) / (self.step * self.missing())
    }
}

/// The SINR that would give each of several resource blocks the mutual information they
/// have on average, all linear. Zero for no resource blocks; what is no number above zero
/// counts as zero.
#[cfg(test)]
pub(crate) fn effective_sinr(modulation_bits: u8, sinrs: &[f64]) -> f64 {
    let positive = || sinrs.iter().map(|&sinr| if sinr > 0.0 { sinr } else { 0.0 });
    let least = positive().fold(f64::INFINITY, f64::min);
    let most = positive().fold(0.0, f64::max);
    if least >= most {
        return most;
    }
    let map = map(modulation_bits);
    let sum: f64 = positive().map(|sinr| map.at(sinr)).sum();
    map.inverse(sum / sinrs.len() as f64).clamp(least, most)
}

/// The maps for many resource blocks, by half the bits of a symbol less one.
static GRIDS: LazyLock<[Grid; 3]> =
    LazyLock::new(|| [2, 4, 6].map(|bits| Grid::new(|sinr| map(bits).at(sinr))));

fn grid(modulation_bits: u8) -> &'static Grid {
    match modulation_bits {
        0..=2 => &GRIDS[0],
        3..=4 => &GRIDS[1],
        5..=6 => &GRIDS[2],
        _ => computed::map(modulation_bits),
    }
}

/// Mutual information of a coded bit at a linear SINR above zero.
pub(super) fn at(modulation_bits: u8, sinr: f64) -> f64 {
    match modulation_bits {
        0..=6 => map(modulation_bits).at(sinr),
        _ => computed::map(modulation_bits).at(sinr as f32),
    }
}

/// The linear SINR of the last point of a map, and the mutual information there.
pub(super) fn end(modulation_bits: u8) -> (f64, f64) {
    match modulation_bits {
        0..=6 => (map(modulation_bits).last, map(modulation_bits).most()),
        _ => computed::map(modulation_bits).end(),
    }
}

/// Mean mutual information of a coded bit over resource blocks with these linear SINRs. The uplink
/// may have another modulation than the downlink. The effective SINR is then by its own modulation,
/// and the information by the downlink's, to which the error curves belong.
pub(super) fn information(table: McsTable, direction: Direction, mcs: u8, sinrs: &[f32]) -> f64 {
    let own = tables::modulation_bits_in(table, direction, mcs);
    let mean = grid(own).mean(sinrs);
    match tables::modulation_bits(table, mcs) {
        of_curve if of_curve == own => mean,
        of_curve => map(of_curve).at(map(own).inverse(mean)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn points_of_the_maps() {
        // Rows of the published maps.
        assert!((map(2).at(0.017) - 0.011_813).abs() < 1e-9);
        assert!((map(4).at(9.983) - 0.764_626).abs() < 1e-9);
        assert!((map(6).at(157.96) - 0.985_302).abs() < 1e-9);
        // Half-way between two.
        assert!((map(6).at(0.355) - (0.036_455 + 0.064_415) / 2.0).abs() < 1e-9);
    }

    #[test]
    fn average_of_two_points() {
        // 16QAM: rows 0.063 -> 0.018884 and 0.083 -> 0.024808; their mean 0.021846 lies
        // between 0.063 -> 0.018884 and 0.073 -> 0.021859.
        let expected = 0.063 + 0.01 * (0.021_846 - 0.018_884) / (0.021_859 - 0.018_884);
        assert!((effective_sinr(4, &[0.063, 0.083]) - expected).abs() < 1e-9);
    }

    #[test]
    fn edges() {
        assert_eq!(effective_sinr(2, &[]), 0.0);
        assert_eq!(effective_sinr(2, &[f64::NAN, -1.0]), 0.0);
        assert_eq!(effective_sinr(6, &[1e12, 1e12]), 1e12);
        assert_eq!(effective_sinr(6, &[f64::INFINITY; 3]), f64::INFINITY);
        assert!(effective_sinr(2, &[f64::INFINITY, 0.0]) < 3.0);
    }

    proptest! {
        #[test]
        fn inverse_undoes_the_map(bits in prop::sample::select(vec![2u8, 4, 6]), part in 1e-3..1.3) {
            let map = map(bits);
            let sinr = map.last * part;
            let back = map.inverse(map.at(sinr));
            prop_assert!((back / sinr - 1.0).abs() < 1e-9, "{} {}", sinr, back);
        }

        #[test]
        fn effective_sinr_lies_between(
            bits in 0u8..8,
            sinrs in prop::collection::vec(1e-4..1e4, 1..20),
        ) {
            let effective = effective_sinr(bits, &sinrs);
            prop_assert!(sinrs.iter().any(|&sinr| sinr <= effective));
            prop_assert!(sinrs.iter().any(|&sinr| sinr >= effective));
        }
    }
}
