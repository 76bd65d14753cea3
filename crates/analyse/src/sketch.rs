//! Distribution of a flow's RTTs in little memory. It is exact for few values. Later it has counts
//! in buckets, whose middle is within 0.4 % of their values.

use serde::Serialize;

/// Samples that are kept as they are.
const FEW: usize = 32;
/// Bits of an `f32` below a bucket's number: 7 bits of mantissa are left.
const SHIFT: u32 = 16;

/// A distribution in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Samples.
    pub samples: u64,
    /// Least.
    pub min: f64,
    /// Median (nearest rank).
    pub p50: f64,
    /// Mean.
    pub mean: f64,
    /// 99th percentile (nearest rank).
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

/// Quartiles of a distribution (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quartiles {
    /// Samples.
    pub samples: u64,
    /// Lower quartile.
    pub p25: f64,
    /// Median.
    pub p50: f64,
    /// Upper quartile.
    pub p75: f64,
}

/// Source of RTTs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RttSource {
    /// Acknowledgements of TCP, the handshake's included.
    Acks,
    /// The spin bit of QUIC (RFC 9000, 17.4).
    SpinBit,
    /// Reports of RTCP (RFC 3550, 6.4.1).
    Rtcp,
}

impl RttSource {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            RttSource::Acks => "acks",
            RttSource::SpinBit => "spin_bit",
            RttSource::Rtcp => "rtcp",
        }
    }
}

/// Samples in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    n: u32,
    min: f32,
    max: f32,
    sum: f64,
    /// Samples as they are: all of them, or, once there are buckets, those that have not been
    /// counted there.
    few: Vec<f32>,
    /// Boxed, so that a sketch of few is small.
    many: Option<Box<Buckets>>,
}

/// Buckets and how many samples each has, in order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Buckets(Vec<(u16, u32)>);

impl Sketch {
    #[inline]
    pub(crate) fn add(&mut self, nanos: u64) {
        let value = nanos as f32;
        self.min = if self.n == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += nanos as f64;
        self.n = self.n.saturating_add(1);
        self.keep(value);
    }

    /// Adds the samples of another.
    pub(crate) fn join(&mut self, other: &Sketch) {
        if other.n == 0 {
            return;
        }
        self.min = if self.n == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.n = self.n.saturating_add(other.n);
        if let Some(theirs) = &other.many {
            let many = self.many.get_or_insert_default();
            theirs.0.iter().for_each(|(bucket, n)| many.count(*bucket, *n));
        }
        other.few.iter().for_each(|value| self.keep(*value));
    }

    #[inline]
    fn keep(&mut self, value: f32) {
        if self.few.len() == FEW {
            self.sort_in();
        }
        self.few.push(value);
    }

    /// Counts what is kept as it is in buckets.
    fn sort_in(&mut self) {
        let many = self.many.get_or_insert_default();
        self.few.drain(..).for_each(|value| many.count(bucket(value), 1));
    }

    /// Buckets of all samples, if there are any.
    fn buckets(&self) -> Option<Buckets> {
        let mut all = Buckets::clone(self.many.as_deref()?);
        self.few.iter().for_each(|value| all.count(bucket(*value), 1));
        Some(all)
    }

    /// Number of values.
    pub(crate) fn samples(&self) -> u64 {
        self.n.into()
    }

    /// Their sum in nanoseconds.
    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    /// Quantiles (nearest rank) in milliseconds.
    fn quantiles_ms<const N: usize>(&self, q: [f64; N]) -> Option<[f64; N]> {
        let buckets = self.buckets();
        let nanos = |q: f64| {
            let rank = ((q * f64::from(self.n)).ceil() as u32).max(1);
            let nanos = match &buckets {
                Some(buckets) => buckets.of_rank(rank),
                None => self.of_rank(rank),
            };
            nanos.unwrap_or(self.max).clamp(self.min, self.max)
        };
        (self.n > 0).then(|| q.map(|q| f64::from(nanos(q)) / 1e6))
    }

    /// Quartiles, in units of so many of the samples'.
    pub(crate) fn quartiles(&self, unit: f64) -> Option<Quartiles> {
        let quartiles = self.quantiles_ms([0.25, 0.5, 0.75])?;
        let [p25, p50, p75] = quartiles.map(|ms| ms * (1e6 / unit));
        Some(Quartiles { samples: self.samples(), p25, p50, p75 })
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        4 * self.few.capacity() + self.many.as_ref().map_or(0, |many| 8 * many.0.capacity())
    }

    pub(crate) fn spread(&self) -> Option<Spread> {
        let ms = |nanos: f32| f64::from(nanos) / 1e6;
        let [p50, p99] = self.quantiles_ms([0.5, 0.99])?;
        Some(Spread {
            samples: self.samples(),
            min: ms(self.min),
            p50,
            mean: self.sum / f64::from(self.n) / 1e6,
            p99,
            max: ms(self.max),
        })
    }

    /// The sample of a rank, if all are kept as they are.
    fn of_rank(&self, rank: u32) -> Option<f32> {
        let mut sorted = [f32::INFINITY; FEW];
        sorted.iter_mut().zip(&self.few).for_each(|(place, value)| *place = *value);
        let sorted = &mut sorted[..self.few.len().min(FEW)];
        sorted.sort_unstable_by(f32::total_cmp);
        sorted.get(rank as usize - 1).copied()
    }
}

/// Values that are not counted in yet make no difference.
impl PartialEq for Sketch {
    fn eq(&self, other: &Sketch) -> bool {
        let all = |sketch: &Sketch| (sketch.n, sketch.min, sketch.max, sketch.sum);
        let few = |sketch: &Sketch| sketch.many.is_none().then(|| sketch.few.clone());
        all(self) == all(other) && few(self) == few(other) && self.buckets() == other.buckets()
    }
}

impl Buckets {
    fn count(&mut self, bucket: u16, n: u32) {
        match self.0.binary_search_by_key(&bucket, |entry| entry.0) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(n),
            Err(at) => self.0.insert(at, (bucket, n)),
        }
    }

    /// The middle of the bucket in which the sample of a rank is.
    fn of_rank(&self, rank: u32) -> Option<f32> {
        let mut below = 0u32;
        let at = self.0.iter().find(|(_, n)| {
            below = below.saturating_add(*n);
            below >= rank
        });
        at.map(|(bucket, _)| middle(*bucket))
    }
}

fn bucket(value: f32) -> u16 {
    (value.to_bits() >> SHIFT) as u16
}

fn middle(bucket: u16) -> f32 {
    if bucket == 0 {
        return 0.0;
    }
    f32::from_bits(u32::from(bucket) << SHIFT | 1 << (SHIFT - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_are_exact() {
        let mut sketch = Sketch::default();
        [3, 1, 2].iter().for_each(|ms| sketch.add(ms * 1_000_000));
        let spread = sketch.spread().unwrap();
        assert_eq!((spread.min, spread.p50, spread.mean, spread.p99), (1.0, 2.0, 2.0, 3.0));
    }

    #[test]
    fn many_samples_are_within_half_a_percent() {
        let mut sketch = Sketch::default();
        (1..=100_000u64).for_each(|n| sketch.add(n * 1_000));
        let spread = sketch.spread().unwrap();
        for (found, exact) in [(spread.p50, 50.0), (spread.p99, 99.0), (spread.mean, 50.0005)] {
            assert!((found / exact - 1.0).abs() < 0.005, "{found} {exact}");
        }
        assert!(sketch.heap() < 32_768);
    }

    #[test]
    fn joined_sketches_are_as_one_of_all_samples() {
        for (few, many) in [(3, 5), (3, 40), (40, 3), (40, 50), (0, 7), (7, 0)] {
            let (mut all, mut a, mut b) = (Sketch::default(), Sketch::default(), Sketch::default());
            (0..few).for_each(|n| a.add(7_000_000 + n * n * 1_000_000));
            (0..many).for_each(|n| b.add(3_000_000 + n * 1_500_000));
            (0..few).for_each(|n| all.add(7_000_000 + n * n * 1_000_000));
            (0..many).for_each(|n| all.add(3_000_000 + n * 1_500_000));
            a.join(&b);
            assert_eq!(a, all, "{few} {many}");
        }
    }

    #[test]
    fn samples_of_zero_stay_zero() {
        let mut sketch = Sketch::default();
        (0..100).for_each(|n| sketch.add(n / 99));
        assert_eq!(sketch.spread().map(|spread| spread.p50), Some(0.0));
    }

    #[test]
    fn without_samples_there_is_no_spread() {
        assert_eq!(Sketch::default().spread(), None);
    }
}
