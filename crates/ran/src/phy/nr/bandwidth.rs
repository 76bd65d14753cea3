//! Resource blocks of a carrier (TS 38.101-1 and TS 38.101-2, tables 5.3.2-1).

/// The highest numerology of the tables, 120 kHz between subcarriers (TS 38.211, table 4.2-1).
pub const MAX_NUMEROLOGY: u8 = 3;

/// Bandwidths in MHz and their resource blocks, by numerology. With 60 kHz between
/// subcarriers those of frequency range 1, and 200 MHz of range 2.
const CARRIERS: [&[(u16, u16)]; 4] = [
    &[
        (5, 25),
        (10, 52),
        (15, 79),
        (20, 106),
        (25, 133),
        (30, 160),
        (35, 188),
        (40, 216),
        (45, 242),
        (50, 270),
    ],
    &[
        (5, 11),
        (10, 24),
        (15, 38),
        (20, 51),
        (25, 65),
        (30, 78),
        (35, 92),
        (40, 106),
        (45, 119),
        (50, 133),
        (60, 162),
        (70, 189),
        (80, 217),
        (90, 245),
        (100, 273),
    ],
    &[
        (10, 11),
        (15, 18),
        (20, 24),
        (25, 31),
        (30, 38),
        (35, 44),
        (40, 51),
        (45, 58),
        (50, 65),
        (60, 79),
        (70, 93),
        (80, 107),
        (90, 121),
        (100, 135),
        (200, 264),
    ],
    &[(50, 32), (100, 66), (200, 132), (400, 264)],
];

/// Resource blocks of a carrier of `bandwidth_hz`; none if the numerology has no such
/// carrier.
pub fn resource_blocks(numerology: u8, bandwidth_hz: u64) -> Option<u16> {
    let carriers = CARRIERS.get(usize::from(numerology))?;
    let carrier = carriers.iter().find(|(mhz, _)| u64::from(*mhz) * 1_000_000 == bandwidth_hz)?;
    Some(carrier.1)
}

/// The bandwidths of a numerology in MHz, rising; none above [`MAX_NUMEROLOGY`].
pub fn bandwidths(numerology: u8) -> impl Iterator<Item = u16> {
    CARRIERS.get(usize::from(numerology)).into_iter().flat_map(|all| all.iter()).map(|c| c.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_of_the_standard() {
        let mhz = |numerology, mhz: u64| resource_blocks(numerology, mhz * 1_000_000);
        assert_eq!([5, 20, 50, 100].map(|n| mhz(0, n)), [Some(25), Some(106), Some(270), None]);
        assert_eq!([5, 20, 50, 100].map(|n| mhz(1, n)), [Some(11), Some(51), Some(133), Some(273)]);
        assert_eq!([5, 20, 50, 100].map(|n| mhz(2, n)), [None, Some(24), Some(65), Some(135)]);
        assert_eq!([20, 50, 100, 400].map(|n| mhz(3, n)), [None, Some(32), Some(66), Some(264)]);
        assert_eq!((mhz(4, 100), resource_blocks(0, 5_000_001)), (None, None));
        assert_eq!(bandwidths(3).collect::<Vec<_>>(), [50, 100, 200, 400]);
        assert_eq!(bandwidths(4).count(), 0);
    }

    #[test]
    fn resource_blocks_fit_their_carriers() {
        // 12 subcarriers of 15 kHz times two to the power of the numerology, with room left
        // at the edges; at least 79% is used (5 MHz at 30 kHz: 3.96).
        for (numerology, carriers) in CARRIERS.iter().enumerate() {
            for &(mhz, blocks) in *carriers {
                let used = f64::from(blocks) * 0.18 * f64::from(1 << numerology) / f64::from(mhz);
                assert!((0.79..0.99).contains(&used), "{numerology} {mhz} MHz: {used}");
            }
        }
    }
}
