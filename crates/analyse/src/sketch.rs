//! The distribution of a flow's RTTs in little memory: exact while there are few, then
//! counts in buckets whose middle is within 0.4 % of what is in them.

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

/// Samples in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sketch {
    n: u32,
    min: f32,
    max: f32,
    sum: f64,
    kept: Kept,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::box_collection, reason = "a million of them hold few samples")]
enum Kept {
    Few(Vec<f32>),
    /// Boxed, so that a sketch of few is small.
    Many(Box<Buckets>),
}

/// Counts of samples.
#[derive(Clone, Debug, Default)]
struct Buckets {
    /// Bucket and count, in order.
    list: Vec<(u16, u32)>,
    /// Which of them was counted in last: often that of the next sample.
    last: usize,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::Few(Vec::new())
    }
}

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
        match &other.kept {
            Kept::Few(values) => values.iter().for_each(|value| self.keep(*value)),
            Kept::Many(theirs) => {
                let many = self.many();
                theirs.list.iter().for_each(|(bucket, n)| many.count(*bucket, *n));
            }
        }
    }

    #[inline]
    fn keep(&mut self, value: f32) {
        match &mut self.kept {
            Kept::Few(values) if values.len() < FEW => values.push(value),
            _ => self.many().count(bucket(value), 1),
        }
    }

    /// The buckets; from now on there are some.
    #[inline]
    fn many(&mut self) -> &mut Buckets {
        if let Kept::Few(_) = &self.kept {
            self.begin_many();
        }
        match &mut self.kept {
            Kept::Many(many) => many,
            Kept::Few(_) => unreachable!("they were turned into buckets just now"),
        }
    }

    fn begin_many(&mut self) {
        if let Kept::Few(values) = &self.kept {
            let mut many = Box::<Buckets>::default();
            values.iter().for_each(|value| many.count(bucket(*value), 1));
            self.kept = Kept::Many(many);
        }
    }

    /// How many there are.
    pub(crate) fn samples(&self) -> u64 {
        self.n.into()
    }

    /// A quantile (nearest rank) in milliseconds.
    pub(crate) fn quantile_ms(&self, q: f64) -> Option<f64> {
        let nanos = || f64::from(self.quantile(q).clamp(self.min, self.max));
        (self.n > 0).then(|| nanos() / 1e6)
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        match &self.kept {
            Kept::Few(values) => 4 * values.capacity(),
            Kept::Many(many) => 8 * many.list.capacity(),
        }
    }

    pub(crate) fn spread(&self) -> Option<Spread> {
        let ms = |nanos: f32| f64::from(nanos) / 1e6;
        Some(Spread {
            samples: self.samples(),
            min: ms(self.min),
            p50: self.quantile_ms(0.5)?,
            mean: self.sum / f64::from(self.n) / 1e6,
            p99: self.quantile_ms(0.99)?,
            max: ms(self.max),
        })
    }

    fn quantile(&self, q: f64) -> f32 {
        let rank = ((q * f64::from(self.n)).ceil() as u32).max(1);
        match &self.kept {
            Kept::Few(values) => {
                let mut sorted = [f32::INFINITY; FEW];
                sorted.iter_mut().zip(values).for_each(|(place, value)| *place = *value);
                let sorted = &mut sorted[..values.len().min(FEW)];
                sorted.sort_unstable_by(f32::total_cmp);
                sorted.get(rank as usize - 1).copied().unwrap_or(self.max)
            }
            Kept::Many(many) => {
                let mut below = 0u32;
                let at = many.list.iter().find(|(_, n)| {
                    below = below.saturating_add(*n);
                    below >= rank
                });
                at.map_or(self.max, |(bucket, _)| middle(*bucket))
            }
        }
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

impl PartialEq for Buckets {
    fn eq(&self, other: &Buckets) -> bool {
        self.list == other.list
    }
}

impl Buckets {
    #[inline]
    fn count(&mut self, bucket: u16, n: u32) {
        match self.list.get_mut(self.last) {
            Some((last, count)) if *last == bucket => *count = count.saturating_add(n),
            _ => self.find(bucket, n),
        }
    }

    fn find(&mut self, bucket: u16, n: u32) {
        let place = self.list.binary_search_by_key(&bucket, |entry| entry.0);
        self.last = place.unwrap_or_else(|at| at);
        match place {
            Ok(at) => self.list[at].1 = self.list[at].1.saturating_add(n),
            Err(at) => self.list.insert(at, (bucket, n)),
        }
    }
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
