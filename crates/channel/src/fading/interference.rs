//! The signal to interference and noise ratio of each resource block.
//!
//! A radio network computes this sum most often. Kernels are functions of their own, which the
//! compiler vectorises. They go through a carrier in [eights](Eight), each with all interferers, so
//! that the processor waits for the rows of all of them at once. In each resource block interferers are
//! added in fixed order, with no sums across resource blocks and no fused operations. The bits are
//! the same with any width of the processor's vectors.

/// Values of eight resource blocks of a carrier beside each other, the first of them a multiple of
/// eight. A row has zeros beyond the carrier.
pub type Eight = [f32; 8];

/// A wanted signal, whose fading is the sum of `N` readings.
#[derive(Clone, Copy, Debug)]
pub struct Signal<'a, const N: usize = 1> {
    /// Mean received power in a resource block, for each reading.
    pub power: f32,
    /// Gains by resource block ([`Library::matched`](super::Library::matched)), for each reading.
    pub fading: [&'a [Eight]; N],
}

/// A cell that disturbs, whose fading is the sum of `N` readings.
#[derive(Clone, Copy, Debug)]
pub struct Interferer<'a, const N: usize = 1> {
    /// Mean gain from it to the UE, for each reading.
    pub gain: f32,
    /// Gain without fading with which its power has been counted before, to be taken off.
    pub less: f32,
    /// Gains of fading by resource block ([`Library::unmatched`](super::Library::unmatched)), for each reading.
    pub fading: [&'a [Eight]; N],
    /// Power that it sends in each resource block, zero where it is silent
    /// ([`spread_power`]).
    pub power: &'a [Eight],
}

/// Sum of the readings in an eight.
fn sum_of<const N: usize>(fading: &[&[Eight]; N], n: usize) -> Eight {
    let mut sum = fading[0][n];
    for row in &fading[1..] {
        sum.iter_mut().zip(&row[n]).for_each(|(sum, one)| *sum += one);
    }
    sum
}

impl<const N: usize> Interferer<'_, N> {
    /// An interferer that sends nothing, in no resource block.
    pub const NONE: Self = Interferer { gain: 0.0, less: 0.0, fading: [&[]; N], power: &[] };

    #[inline(always)]
    fn add(&self, n: usize, sums: &mut Eight) {
        let (fading, power) = (sum_of(&self.fading, n), &self.power[n]);
        for (sum, (fading, power)) in sums.iter_mut().zip(fading.iter().zip(power)) {
            *sum += (self.gain * fading - self.less) * power;
        }
    }
}

/// Turns what else disturbs the eights of a carrier into the ratio in each resource block.
///
/// `ratios` has the set bits of `eights`, the lowest first: noise, and the mean power of the
/// interferers that are not listed; above zero. All powers have one unit.
///
/// # Panics
///
/// If a row is shorter than the carrier up to the highest bit.
#[inline(never)]
pub fn sinr<const N: usize>(
    signal: Signal<'_, N>,
    interferers: &[Interferer<'_, N>],
    eights: u64,
    ratios: &mut [Eight],
) {
    for (n, ratios) in set_bits(eights).zip(ratios) {
        let mut sums = *ratios;
        interferers.iter().for_each(|one| one.add(n, &mut sums));
        let fading = sum_of(&signal.fading, n);
        for (ratio, (fading, sum)) in ratios.iter_mut().zip(fading.iter().zip(sums)) {
            *ratio = signal.power * fading / sum;
        }
    }
}

/// Adds what interferers bring to what else disturbs the eights of a carrier
/// ([`sinr`]).
///
/// # Panics
///
/// If a row is shorter than the carrier up to the highest bit.
#[inline(never)]
pub fn disturb<const N: usize>(interferers: &[Interferer<'_, N>], eights: u64, sums: &mut [Eight]) {
    for (n, sums) in set_bits(eights).zip(sums) {
        interferers.iter().for_each(|one| one.add(n, sums));
    }
}

/// Adds interferers without fading that have one gain: their power in each resource block, without
/// that of the wanted signal's cell.
///
/// # Panics
///
/// If a row is shorter than the carrier up to the highest bit.
#[inline(never)]
pub fn disturb_besides(
    (all, own): (&[Eight], &[Eight]),
    gain: f32,
    eights: u64,
    sums: &mut [Eight],
) {
    for (n, sums) in set_bits(eights).zip(sums) {
        for (sum, (all, own)) in sums.iter_mut().zip(all[n].iter().zip(&own[n])) {
            *sum += gain * (all - own);
        }
    }
}

/// Adds what an interferer brings from whom as much is received in each resource block but for
/// fading, for each of `N` readings.
#[inline(never)]
pub fn disturb_evenly<const N: usize>(sums: &mut [f32], received: f32, fading: [&[f32]; N]) {
    let fading = fading.map(|row| &row[..sums.len()]);
    for (n, sum) in sums.iter_mut().enumerate() {
        *sum += received * fading[1..].iter().fold(fading[0][n], |sum, row| sum + row[n]);
    }
}

/// Gains of precoded signals at antennas: the sum over ports of gain times weight, for real and imaginary
/// parts.
///
/// - `gains` are rows by port, then antenna ([`Library::disturbing`](super::Library::disturbing)).
/// - `weights` are rows by layer, then port ([`Library::weights`](super::Library::weights)).
/// - The result has rows by layer, then antenna.
///
/// # Panics
///
/// If there are fewer gains than `ports` and `antennas`.
pub fn precode(
    (gains, weights): (&[Eight], &[Eight]),
    (ports, antennas): (usize, usize),
    eights: u64,
) -> Vec<Eight> {
    let stride = gains.len() / (2 * ports * antennas);
    let layers = weights.len() / (2 * ports * stride);
    let mut signals = vec![[0.0; 8]; 2 * layers * antennas * stride];
    for n in set_bits(eights) {
        for layer in 0..layers {
            for antenna in 0..antennas {
                let (mut re, mut im) = ([0.0; 8], [0.0; 8]);
                for port in 0..ports {
                    let own = 2 * (port * antennas + antenna) * stride + n;
                    let (h_re, h_im) = (&gains[own], &gains[own + stride]);
                    let own = 2 * (layer * ports + port) * stride + n;
                    let (w_re, w_im) = (&weights[own], &weights[own + stride]);
                    for lane in 0..8 {
                        re[lane] += h_re[lane] * w_re[lane] - h_im[lane] * w_im[lane];
                        im[lane] += h_re[lane] * w_im[lane] + h_im[lane] * w_re[lane];
                    }
                }
                let own = 2 * (layer * antennas + antenna) * stride + n;
                (signals[own], signals[own + stride]) = (re, im);
            }
        }
    }
    signals
}

/// Positions of the set bits of a word, the lowest first.
#[inline]
pub fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        word &= word.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    })
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
        // interferer, which is silent in the second eight: 10 * 2 / (1 + 2 * 1 * 4) = 20 / 9.
        let row = |one: f32, two: f32| [[one; 8], [two; 8]];
        let (wanted, fading) = (row(0.5, 2.0), [row(0.25, 1.0), row(2.0, 5.0)]);
        let power = [row(4.0, 4.0), row(1.0, 0.0)];
        let signal = Signal { power: 10.0, fading: [&wanted] };
        let interferer = |gain, n: usize| Interferer {
            gain,
            less: 0.0,
            fading: [&fading[n][..]],
            power: &power[n],
        };
        let mut ratios = row(1.0, 1.0);
        sinr(signal, &[interferer(2.0, 0), interferer(3.0, 1)], 0b11, &mut ratios);
        assert_eq!(ratios, row(5.0 / 9.0, 20.0 / 9.0));
        // Without interferers, in the second eight alone.
        let mut ratios = [[2.0; 8]];
        sinr(signal, &[], 0b10, &mut ratios);
        assert_eq!(ratios, [[10.0; 8]]);
    }

    #[test]
    fn two_readings_by_hand() {
        // 10 * (0.5 + 1.5) / (1 + 2 * (0.25 + 0.75) * 4) = 20 / 9; evenly, 1 + 3 * (0.25 + 0.75) = 4.
        let row = |value: f32| [[value; 8]];
        let (one, two, power) = (row(0.5), row(1.5), row(4.0));
        let (first, second) = (row(0.25), row(0.75));
        let fading = [&first[..], &second[..]];
        let signal = Signal { power: 10.0, fading: [&one, &two] };
        let interferer = Interferer { gain: 2.0, less: 0.0, fading, power: &power };
        let mut ratios = row(1.0);
        sinr(signal, &[interferer], 0b1, &mut ratios);
        assert_eq!(ratios, row(20.0 / 9.0));
        let mut sums = [1.0; 8];
        disturb_evenly(&mut sums, 3.0, fading.map(|row| row.as_flattened()));
        assert_eq!(sums, [4.0; 8]);
    }

    #[test]
    fn every_block_is_computed_alone() {
        // The bits of a block are those of the formula, with any neighbours and at any lane of a
        // vector.
        let value = |seed: u32, block: u32| ((block * 37 + seed * 101) % 89 + 1) as f32 / 17.0;
        let row = |seed: u32| (0..280).map(|block| value(seed, block)).collect::<Vec<f32>>();
        let rows: Vec<Vec<f32>> = (0..26).map(row).collect();
        let eights = |n: usize| rows[n].as_chunks::<8>().0;
        let interferer = |i: usize| Interferer {
            gain: 0.1 * i as f32,
            less: 0.0,
            fading: [eights(2 * i)],
            power: eights(2 * i + 1),
        };
        let interferers: Vec<Interferer<'_>> = (1..13).map(interferer).collect();
        let signal = Signal { power: 3.0, fading: [eights(0)] };
        let mut ratios = vec![[0.7; 8]; 35];
        disturb(&interferers[..5], u64::MAX >> 29, &mut ratios);
        sinr(signal, &interferers[5..], u64::MAX >> 29, &mut ratios);
        for (block, ratio) in ratios.as_flattened().iter().enumerate() {
            let mut sum = 0.7_f32;
            for i in &interferers {
                sum += i.gain * i.fading[0].as_flattened()[block] * i.power.as_flattened()[block];
            }
            assert_eq!(ratio.to_bits(), (3.0 * rows[0][block] / sum).to_bits());
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
