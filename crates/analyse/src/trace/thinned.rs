//! Long series in bounded memory: neighbours are put together, and no extreme is lost.

/// Buckets that a series has at most; a bucket has up to four points.
const MOST: usize = 2_000;

/// Points over time. Of many neighbours the first, the last, the least and the greatest stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course(Thinned<Bucket>);

/// Ranges over time. Of many neighbours one stays that holds them all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranges(Thinned<Range>);

/// A range of positions at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Seconds.
    pub at: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// An element that can take up the next one.
trait Joins: Copy {
    fn join(&mut self, next: Self);
}

/// Buckets of equally many things, but for the last. Where there would be too many buckets, each
/// is joined with the next.
#[derive(Clone, Debug, PartialEq)]
struct Thinned<B> {
    buckets: Vec<B>,
    /// Things in a bucket, and in the last one.
    size: u64,
    last: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bucket {
    first: (f64, f64),
    least: (f64, f64),
    most: (f64, f64),
    last: (f64, f64),
}

impl Course {
    /// Adds a point: seconds, and a figure.
    pub(crate) fn add(&mut self, at: f64, value: f64) {
        let point = (at, value);
        self.0.add(Bucket { first: point, least: point, most: point, last: point });
    }

    /// Its points, in order.
    pub fn points(&self) -> Vec<(f64, f64)> {
        self.0.buckets.iter().flat_map(Bucket::points).collect()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.0.buckets.is_empty()
    }

    /// True if some points were left out.
    pub fn is_thinned(&self) -> bool {
        self.0.size > 1
    }
}

impl Ranges {
    /// Adds a range.
    pub(crate) fn add(&mut self, range: Range) {
        self.0.add(range);
    }

    /// The ranges, in order.
    pub fn as_slice(&self) -> &[Range] {
        &self.0.buckets
    }
}

impl<B: Joins> Thinned<B> {
    fn add(&mut self, one: B) {
        match self.buckets.last_mut().filter(|_| self.last < self.size) {
            Some(bucket) => bucket.join(one),
            None => {
                self.make_room();
                self.buckets.push(one);
                self.last = 0;
            }
        }
        self.last += 1;
    }

    fn make_room(&mut self) {
        if self.buckets.len() < MOST {
            return;
        }
        let join = |pair: &[B]| {
            let mut first = pair[0];
            pair.iter().skip(1).for_each(|next| first.join(*next));
            first
        };
        self.buckets = self.buckets.chunks(2).map(join).collect();
        self.size *= 2;
    }
}

impl<B> Default for Thinned<B> {
    fn default() -> Thinned<B> {
        Thinned { buckets: Vec::new(), size: 1, last: 0 }
    }
}

impl Bucket {
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let mut all = vec![self.first, self.least, self.most, self.last];
        all[1..3].sort_by(|a, b| a.0.total_cmp(&b.0));
        all.dedup();
        all.into_iter()
    }
}

impl Joins for Bucket {
    fn join(&mut self, next: Bucket) {
        if next.least.1 < self.least.1 {
            self.least = next.least;
        }
        if next.most.1 > self.most.1 {
            self.most = next.most;
        }
        self.last = next.last;
    }
}

impl Joins for Range {
    fn join(&mut self, next: Range) {
        self.low = self.low.min(next.low);
        self.high = self.high.max(next.high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_stay_as_they_are() {
        let mut course = Course::default();
        let points: Vec<(f64, f64)> = (0..MOST).map(|n| (n as f64, (n * n % 7) as f64)).collect();
        points.iter().for_each(|(at, value)| course.add(*at, *value));
        assert_eq!(course.points(), points);
        assert!(!course.is_thinned());
    }

    #[test]
    fn of_many_points_extremes_stay_and_the_beginning_is_as_fine_as_the_end() {
        let mut course = Course::default();
        let peaks = [(3_001.0, 1e6), (77_777.0, -1e6), (499_999.0, 2e6)];
        for n in 0..500_000 {
            let peak = peaks.iter().find(|(at, _)| *at == f64::from(n));
            course.add(f64::from(n), peak.map_or(f64::from(n % 10), |(_, value)| *value));
        }
        let points = course.points();
        assert!(course.is_thinned() && points.len() <= 4 * MOST, "{}", points.len());
        assert!(points.is_sorted_by_key(|(at, _)| *at));
        for peak in peaks {
            assert!(points.contains(&peak), "{peak:?}");
        }
        assert_eq!((points[0].0, points[points.len() - 1].0), (0.0, 499_999.0));
        let half = points.iter().filter(|(at, _)| *at < 250_000.0).count();
        assert!((0.45..0.55).contains(&(half as f64 / points.len() as f64)), "{half}");
    }

    #[test]
    fn many_ranges_are_held_by_few() {
        let mut ranges = Ranges::default();
        for n in 0..10_000 {
            let at = f64::from(n);
            ranges.add(Range { at, low: at, high: at + 5.0 });
        }
        let all = ranges.as_slice();
        assert!(all.len() <= MOST && all.is_sorted_by_key(|range| range.at));
        assert_eq!((all[0].low, all[all.len() - 1].high), (0.0, 10_004.0));
    }
}
