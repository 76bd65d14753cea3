//! Streets: a grid of rectangular blocks, and line of sight between them.
//!
//! A block is measured between the centre lines of the streets around it, as TR 37.885, 6.1.2, and
//! TR 36.885, A.1.2, measure it. Its building fills what the streets leave. The grid is centred at
//! the origin. Left out: lanes, heights of buildings, and signals that pass around corners.

use crate::geometry::Point;

/// Distance in metres within which a point counts as one of a centre line.
const CLOSE_M: f64 = 0.01;

/// A grid of streets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streets {
    /// Number of blocks along the x axis and the y axis, each at least 1.
    pub blocks: [u32; 2],
    /// Distance between neighbouring centre lines along both axes in metres.
    pub block_m: [f64; 2],
    /// Width of a street from building to building in metres, less than a block.
    pub width_m: f64,
}

impl Default for Streets {
    /// Two by two blocks of 433 m by 250 m. A street has four lanes of 3.5 m and two sidewalks of
    /// 3 m (TR 37.885, 6.1.2).
    fn default() -> Streets {
        Streets { blocks: [2, 2], block_m: [433.0, 250.0], width_m: 20.0 }
    }
}

impl Streets {
    /// Distance in metres from the origin to the outermost centre lines along both axes.
    pub fn reach_m(&self) -> [f64; 2] {
        [0, 1].map(|axis| f64::from(self.blocks[axis]) * self.block_m[axis] / 2.0)
    }

    /// The crossing of these centre lines, counted from 0 at the least x and y.
    pub fn crossing(&self, lines: [u32; 2]) -> Point {
        let [x, y] = [0, 1].map(|axis| self.line_m(axis, lines[axis]));
        Point { x, y }
    }

    /// Both ends of each centre line.
    pub fn centre_lines(&self) -> impl Iterator<Item = [Point; 2]> {
        let [columns, rows] = self.blocks;
        let upright = (0..=columns).map(move |x| [[x, 0], [x, rows]]);
        let level = (0..=rows).map(move |y| [[0, y], [columns, y]]);
        upright.chain(level).map(|ends| ends.map(|lines| self.crossing(lines)))
    }

    /// The point of the centre lines that is nearest to a point.
    pub fn nearest(&self, to: Point) -> Point {
        let [x, y] = self.reach_m();
        let held = Point { x: to.x.clamp(-x, x), y: to.y.clamp(-y, y) };
        let line = |axis: usize, at: f64| {
            let steps = ((at + self.reach_m()[axis]) / self.block_m[axis]).round();
            self.line_m(axis, steps as u32)
        };
        let (upright, level) =
            (Point { x: line(0, held.x), ..held }, Point { y: line(1, held.y), ..held });
        if (upright - to).length() <= (level - to).length() { upright } else { level }
    }

    /// True for a point of a centre line, to a centimetre.
    pub fn has(&self, point: Point) -> bool {
        (self.nearest(point) - point).length() <= CLOSE_M
    }

    /// Point of the centre lines at this share of their whole length, 0 to 1. Even shares give points
    /// that are spread evenly.
    pub fn along(&self, share: f64) -> Point {
        let length = |[a, b]: [Point; 2]| (b - a).length();
        let mut left = share * self.centre_lines().map(length).sum::<f64>();
        let mut last = Point::default();
        for [a, b] in self.centre_lines() {
            let own = length([a, b]);
            if left <= own {
                return a + (b - a).scaled(left / own);
            }
            left -= own;
            last = b;
        }
        last
    }

    /// True if no building is between two points. A line that only touches a building is free.
    pub fn sees(&self, a: Point, b: Point) -> bool {
        let [columns, rows] = self.blocks;
        let mut blocks = (0..columns).flat_map(|x| (0..rows).map(move |y| [x, y]));
        !blocks.any(|block| self.building(block).is_crossed(a, b))
    }

    /// Coordinate of a centre line along an axis in metres.
    fn line_m(&self, axis: usize, line: u32) -> f64 {
        f64::from(line) * self.block_m[axis] - self.reach_m()[axis]
    }

    fn building(&self, [x, y]: [u32; 2]) -> Building {
        let half = self.width_m / 2.0;
        let edge = Point { x: half, y: half };
        Building { low: self.crossing([x, y]) + edge, high: self.crossing([x + 1, y + 1]) - edge }
    }
}

/// A rectangle by two of its corners.
struct Building {
    low: Point,
    high: Point,
}

impl Building {
    /// True if the line from one point to another has a part within the building.
    fn is_crossed(&self, a: Point, b: Point) -> bool {
        let mut share = (0.0f64, 1.0f64);
        for (from, to, low, high) in
            [(a.x, b.x, self.low.x, self.high.x), (a.y, b.y, self.low.y, self.high.y)]
        {
            let way = to - from;
            if way == 0.0 {
                if from <= low || from >= high {
                    return false;
                }
                continue;
            }
            let ends = [(low - from) / way, (high - from) / way];
            share.0 = share.0.max(ends[0].min(ends[1]));
            share.1 = share.1.min(ends[0].max(ends[1]));
        }
        // The share of a line that touches a corner is empty but for rounding.
        share.1 - share.0 > 1e-12 || (a == b && share.0 < share.1)
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    fn point(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    /// Two by two blocks of 100 m by 60 m with streets of 20 m. Buildings are at 10 to 90 m from
    /// the origin along x, and at 10 to 50 m along y.
    const SMALL: Streets = Streets { blocks: [2, 2], block_m: [100.0, 60.0], width_m: 20.0 };

    #[test]
    fn sight_by_hand() {
        let cases = [
            // Along a street, across it, and from one end of the grid to the other.
            (point(0.0, 0.0), point(100.0, 0.0), true),
            (point(-9.0, 60.0), point(9.0, -60.0), true),
            (point(-100.0, 0.0), point(100.0, 9.0), true),
            // Around a corner: the line from (50, 0) to (0, 30) passes (10, 24), in the building.
            (point(50.0, 0.0), point(0.0, 30.0), false),
            // The corner at (10, 10) is cut by (30, 0) to (0, 30), touched by (20, 0) to (0, 20).
            (point(30.0, 0.0), point(0.0, 30.0), false),
            (point(20.0, 0.0), point(0.0, 20.0), true),
            // Along a wall, behind the building, and in it.
            (point(10.0, 0.0), point(10.0, 60.0), true),
            (point(0.0, 60.0), point(100.0, 60.0), true),
            (point(-50.0, 60.0), point(-50.0, 0.0), false),
            (point(50.0, 30.0), point(50.0, 0.0), false),
            (point(50.0, 30.0), point(50.0, 30.0), false),
            (point(50.0, 0.0), point(50.0, 0.0), true),
            // Beyond the grid there is no building.
            (point(110.0, -300.0), point(110.0, 300.0), true),
        ];
        for (a, b, seen) in cases {
            assert_eq!(SMALL.sees(a, b), seen, "{a:?} {b:?}");
        }
    }

    #[test]
    fn sight_is_the_same_both_ways() {
        let draws = Seed(3).keyed("points");
        let mut seen = 0;
        for n in 0..2_000 {
            let draw = |c, reach: f64| reach * (2.0 * draws.uniform([n, c, 0]) - 1.0);
            let (a, b) =
                (point(draw(0, 100.0), draw(1, 60.0)), point(draw(2, 100.0), draw(3, 60.0)));
            assert_eq!(SMALL.sees(a, b), SMALL.sees(b, a), "{a:?} {b:?}");
            seen += usize::from(SMALL.sees(a, b));
        }
        assert!((1..2_000).contains(&seen), "{seen}");
    }

    #[test]
    fn crossings_of_the_usual_grid() {
        let grid = Streets::default();
        assert_eq!(grid.reach_m(), [433.0, 250.0]);
        assert_eq!(grid.crossing([0, 2]), point(-433.0, 250.0));
        assert_eq!(grid.crossing([1, 1]), point(0.0, 0.0));
        assert_eq!(grid.centre_lines().count(), 6);
        assert_eq!(grid.nearest(point(30.0, 100.0)), point(0.0, 100.0));
        assert_eq!(grid.nearest(point(500.0, 240.0)), point(433.0, 240.0));
        assert!(grid.has(point(-200.0, -250.0)) && !grid.has(point(-200.0, -249.0)));
    }

    #[test]
    fn points_along_the_streets_are_even() {
        // Three streets of 500 m upright and three of 866 m level: 1500 m of 4098 m are upright.
        let grid = Streets::default();
        let n = 4_098;
        let at = |n: i32| grid.along((f64::from(n) + 0.5) / 4_098.0);
        let upright = (0..n).filter(|&n| [-433.0, 0.0, 433.0].contains(&at(n).x)).count();
        assert!((1_500..=1_503).contains(&upright), "{upright}");
        assert!((0..n).all(|n| grid.has(at(n))));
        assert_eq!(grid.along(0.0), point(-433.0, -250.0));
    }
}
