//! The signal to interference and noise ratio of each resource block.
//!
//! A radio network computes this sum most often, so it is written for the compiler to vectorise.
//! There is one pass over the resource blocks for each interferer, in fixed order, with no sums
//! across resource blocks and no fused operations. Its bits are the same with any width of the
//! processor's vectors.

/// A wanted signal.
#[derive(Clone, Copy, Debug)]
pub struct Signal<'a> {
    /// Mean received power in a resource block.
    pub power: f32,
    /// Gains by resource block ([`Library::matched`](super::Library::matched)).
    pub fading: &'a [f32],
}

/// A cell that disturbs.
#[derive(Clone, Copy, Debug)]
pub struct Interferer<'a> {
    /// Mean gain from it to the UE.
    pub gain: f32,
    /// Gain without fading with which its power has been counted before, to be taken off.
    pub less: f32,
    /// Gains of fading by resource block ([`Library::unmatched`](super::Library::unmatched)).
    pub fading: &'a [f32],
    /// Power that it sends in each resource block, zero where it is silent
    /// ([`spread_power`]).
    pub power: &'a [f32],
}

/// Writes the ratio for each resource block into `ratios`.
///
/// `floor` is what there is in each resource block besides: noise, and the mean power of the
/// interferers that are not listed; above zero. All powers have one unit. Rows are read as far as `ratios`
/// is long.
///
/// # Panics
///
/// If a row is shorter than `ratios`.
pub fn sinr(signal: Signal<'_>, interferers: &[Interferer<'_>], floor: f32, ratios: &mut [f32]) {
    ratios.fill(floor);
    for interferer in interferers {
        disturb(ratios, [*interferer]);
    }
    divide(signal, ratios);
}

/// Adds what interferers bring to what disturbs each resource block, one after another in each.
///
/// # Panics
///
/// If a row is shorter than `sums`.
#[inline]
pub fn disturb<const N: usize>(sums: &mut [f32], interferers: [Interferer<'_>; N]) {
    let count = sums.len();
    let rows =
        interferers.map(|one| (one.gain, one.less, &one.fading[..count], &one.power[..count]));
    for (n, sum) in sums.iter_mut().enumerate() {
        for (gain, less, fading, power) in rows {
            *sum += (gain * fading[n] - less) * power[n];
        }
    }
}

/// Adds what an interferer brings from whom as much is received in each resource block but for
/// fading.
#[inline]
pub fn disturb_evenly(sums: &mut [f32], received: f32, fading: &[f32]) {
    for (sum, fading) in sums.iter_mut().zip(fading) {
        *sum += received * fading;
    }
}

/// The same of many interferers without fading, with one gain: of their power in each resource
/// block but for that of the wanted signal's cell.
#[inline]
pub fn disturb_besides(sums: &mut [f32], gain: f32, all: &[f32], own: &[f32]) {
    for (sum, (all, own)) in sums.iter_mut().zip(all.iter().zip(own)) {
        *sum += gain * (all - own);
    }
}

/// Makes the ratio of what disturbs each resource block, `ratios`.
#[inline]
pub fn divide(signal: Signal<'_>, ratios: &mut [f32]) {
    for (ratio, fading) in ratios.iter_mut().zip(signal.fading) {
        *ratio = signal.power * fading / *ratio;
    }
}

/// Writes the power that a cell sends in each resource block: `power` if its bit of `blocks` is
/// set, else zero. The lowest bit of the first word is resource block 0.
///
/// Once for a cell and slot; blocks beyond the words are silent.
pub fn spread_power(blocks: &[u64], power: f32, row: &mut [f32]) {
    row.fill(0.0);
    for (word, row) in blocks.iter().zip(row.chunks_mut(64)) {
        for (block, sent) in row.iter_mut().enumerate() {
            *sent = if word >> block & 1 == 1 { power } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_by_hand() {
        // 10 * 0.5 / (1 + 2 * 0.25 * 4 + 3 * 2 * 1) = 5 / 9, and the same without the second
        // interferer, which is silent in the second block: 10 * 2 / (1 + 2 * 1 * 4) = 20 / 9.
        let signal = Signal { power: 10.0, fading: &[0.5, 2.0] };
        let first = Interferer { gain: 2.0, less: 0.0, fading: &[0.25, 1.0], power: &[4.0, 4.0] };
        let second = Interferer { gain: 3.0, less: 0.0, fading: &[2.0, 5.0], power: &[1.0, 0.0] };
        let mut ratios = [0.0; 2];
        sinr(signal, &[first, second], 1.0, &mut ratios);
        assert_eq!(ratios, [5.0 / 9.0, 20.0 / 9.0]);
        sinr(signal, &[], 2.0, &mut ratios);
        assert_eq!(ratios, [2.5, 10.0]);
    }

    #[test]
    fn every_block_is_computed_alone() {
        // The bits of a block are those of the formula, with any neighbours and at any lane of a
        // vector.
        let value = |seed: u32, block: u32| ((block * 37 + seed * 101) % 89 + 1) as f32 / 17.0;
        let row = |seed: u32| (0..273).map(|block| value(seed, block)).collect::<Vec<f32>>();
        let rows: Vec<Vec<f32>> = (0..26).map(row).collect();
        let interferer = |i: usize| Interferer {
            gain: 0.1 * i as f32,
            less: 0.0,
            fading: &rows[2 * i],
            power: &rows[2 * i + 1],
        };
        let interferers: Vec<Interferer<'_>> = (1..13).map(interferer).collect();
        let signal = Signal { power: 3.0, fading: &rows[0] };
        let mut ratios = vec![0.0; 273];
        sinr(signal, &interferers, 0.7, &mut ratios);
        for block in 0..273 {
            let mut sum = 0.7_f32;
            for i in &interferers {
                sum += i.gain * i.fading[block] * i.power[block];
            }
            assert_eq!(ratios[block].to_bits(), (3.0 * rows[0][block] / sum).to_bits());
        }
    }

    #[test]
    fn power_where_the_bits_are_set() {
        let mut row = [9.0; 130];
        spread_power(&[1 << 63 | 1, 1], 0.5, &mut row);
        let sent: Vec<usize> = (0..130).filter(|&block| row[block] > 0.0).collect();
        assert_eq!(sent, [0, 63, 64]);
        assert_eq!(row[63], 0.5);
    }
}
