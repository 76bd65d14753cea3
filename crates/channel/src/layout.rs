//! Positions of sites, and the wrap-around of a network's edges.
//!
//! Hexagonal layouts are as in TR 36.814, table A.2.1.1-1: the three cells of a site look at
//! neighbouring sites. With wrap-around, the cluster of sites repeats without gaps over the
//! plane, and each UE sees the nearest image of each site. A cluster repeats so if it has
//! i^2 + i j + j^2 sites (MacDonald, "The cellular concept", 1979).

use crate::error::ChannelError;
use crate::geometry::Point;

/// Most sites of a layout.
pub const MOST_SITES: usize = 91;
/// Tolerance of the border of an area in metres.
const CLOSE_M: f64 = 1e-6;
/// Azimuths of the three sectors of a site in degrees (TR 38.901, table 7.8-1).
pub const SECTORS_DEG: [f64; 3] = [30.0, 150.0, 270.0];

/// A base station: its position and its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Position of the site.
    pub at: Point,
    /// Azimuths of its cells' antennas in degrees.
    pub azimuths_deg: Vec<f64>,
}

/// Area into which UEs are dropped, evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Area {
    /// The hexagons around all sites, whose inner diameter is the distance between sites.
    Hexagons {
        /// Distance between sites in metres.
        site_distance_m: f64,
    },
    /// A rectangle from the origin on.
    Rectangle {
        /// The corner that is not the origin.
        to: Point,
    },
    /// A disc around the origin.
    Disc {
        /// Its radius in metres.
        radius_m: f64,
    },
}

/// Sites, the area of their users, and what repeats them.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    sites: Vec<Site>,
    area: Area,
    /// Translations under which the sites repeat; the first is none.
    images: Vec<Point>,
}

impl Layout {
    /// So many sites of three sectors, the nearest to the origin, `site_distance_m` apart.
    ///
    /// # Errors
    ///
    /// A number of sites that is zero, above [`MOST_SITES`], or with wrap-around one that does not
    /// repeat over the plane. A distance that is not above zero.
    pub fn hexagonal(
        sites: usize,
        site_distance_m: f64,
        wrap: bool,
    ) -> Result<Layout, ChannelError> {
        if !(1..=MOST_SITES).contains(&sites) {
            return Err(ChannelError::Sites { sites });
        }
        if !(site_distance_m > 0.0 && site_distance_m.is_finite()) {
            return Err(ChannelError::SiteDistance { metres: site_distance_m });
        }
        let cluster = match (closing(sites), wrap) {
            (Some(cluster), _) => Some(cluster),
            (None, false) => None,
            (None, true) => return Err(ChannelError::WrapAround { sites }),
        };
        let place = |hex: Hex| hex.point().scaled(site_distance_m);
        let site = |hex| Site { at: place(hex), azimuths_deg: SECTORS_DEG.to_vec() };
        let images = match cluster {
            Some(cluster) if wrap => cluster.images().into_iter().map(place).collect(),
            _ => vec![Point::default()],
        };
        Ok(Layout {
            sites: nearest(sites, cluster).into_iter().map(site).collect(),
            area: Area::Hexagons { site_distance_m },
            images,
        })
    }

    /// An office floor: 120 m by 50 m, twelve sites of three sectors in two rows, 20 m apart
    /// (TR 38.901, table 7.2-2 and 7.8-1).
    pub fn office() -> Layout {
        let site = |n: usize| Site {
            at: Point { x: 10.0 + 20.0 * (n % 6) as f64, y: 15.0 + 20.0 * (n / 6) as f64 },
            azimuths_deg: SECTORS_DEG.to_vec(),
        };
        let area = Area::Rectangle { to: Point { x: 120.0, y: 50.0 } };
        Layout { sites: (0..12).map(site).collect(), area, images: vec![Point::default()] }
    }

    /// Sites given one by one, without wrap-around.
    ///
    /// # Errors
    ///
    /// No site, or more than [`MOST_SITES`].
    pub fn given(sites: Vec<Site>, area: Area) -> Result<Layout, ChannelError> {
        if !(1..=MOST_SITES).contains(&sites.len()) {
            return Err(ChannelError::Sites { sites: sites.len() });
        }
        Ok(Layout { sites, area, images: vec![Point::default()] })
    }

    /// Its sites, the one at the centre of a hexagonal layout first.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// Area into which UEs are dropped.
    pub fn area(&self) -> Area {
        self.area
    }

    /// True if the edges wrap around.
    pub fn wraps(&self) -> bool {
        self.images.len() > 1
    }

    /// Vector from a site, or from its nearest image, to a point.
    pub fn way(&self, site: usize, to: Point) -> Point {
        let direct = self.folded(to - self.sites[site].at);
        let square = |way: &Point| way.x * way.x + way.y * way.y;
        let ways = self.images.iter().map(|&image| direct - image);
        ways.min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or(direct)
    }

    /// A vector brought near the origin by translations of the cluster, if it is longer than the images
    /// reach. A UE on a route may go round the network many times.
    fn folded(&self, direct: Point) -> Point {
        let square = |point: Point| point.x * point.x + point.y * point.y;
        let Some(&first) = self.images.get(1) else { return direct };
        // Images reach to the second ring; the third is at 2.65 steps. No point is farther than 0.58 steps
        // from an image, so that one within 1.73 steps of the origin has its nearest there.
        if square(direct) <= 3.0 * square(first) {
            return direct;
        }
        let second = Point::polar(square(first).sqrt(), first.azimuth_deg() + 60.0);
        let cross = |a: Point, b: Point| a.x * b.y - a.y * b.x;
        let whole = cross(first, second);
        let steps = [cross(direct, second) / whole, cross(first, direct) / whole];
        direct - first.scaled(steps[0].round()) - second.scaled(steps[1].round())
    }

    /// True if the line between two points is within the area into which UEs are dropped, to a
    /// micrometre. With wrap-around the area has no end.
    pub fn holds(&self, a: Point, b: Point) -> bool {
        match self.area() {
            _ if self.wraps() => true,
            Area::Rectangle { to } => [a, b].iter().all(|point| {
                let within = |at: f64, end: f64| (-CLOSE_M..=end + CLOSE_M).contains(&at);
                within(point.x, to.x) && within(point.y, to.y)
            }),
            Area::Disc { radius_m } => {
                [a, b].iter().all(|point| point.length() <= radius_m + CLOSE_M)
            }
            Area::Hexagons { site_distance_m } => {
                let inner = site_distance_m / 2.0 + CLOSE_M;
                let parts = self.sites().iter().map(|site| inside(a - site.at, b - site.at, inner));
                let mut parts: Vec<(f64, f64)> = parts.flatten().collect();
                parts.sort_by(|one, other| one.0.total_cmp(&other.0));
                let reached = parts.iter().fold(0.0f64, |reached, &(from, to)| {
                    if from <= reached { reached.max(to) } else { reached }
                });
                reached >= 1.0
            }
        }
    }

    /// Point of three even draws, the first of which chooses among the parts of the area.
    pub fn place(&self, draws: [f64; 3]) -> Point {
        let [choice, a, b] = draws;
        match self.area {
            Area::Rectangle { to } => Point { x: a * to.x, y: b * to.y },
            Area::Disc { radius_m } => Point::polar(radius_m * a.sqrt(), 360.0 * b),
            Area::Hexagons { site_distance_m } => {
                // A hexagon is three rhombi, each between two of its corners.
                let parts = 3 * self.sites.len();
                let part = ((choice * parts as f64) as usize).min(parts - 1);
                let corner = |third: usize| {
                    Point::polar(site_distance_m / 3f64.sqrt(), 120.0 * third as f64)
                };
                let (first, second) = (corner(part % 3), corner(part % 3 + 1));
                self.sites[part / 3].at + first.scaled(a) + second.scaled(b)
            }
        }
    }
}

/// Shares of a line between which it is in a hexagon around the origin, whose sides are `inner` away
/// at 30, 90 and 150 degrees and opposite.
fn inside(a: Point, b: Point, inner: f64) -> Option<(f64, f64)> {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for azimuth in [30.0, 90.0, 150.0] {
        let normal = Point::polar(1.0, azimuth);
        let along = |point: Point| point.x * normal.x + point.y * normal.y;
        let (start, way) = (along(a), along(b) - along(a));
        if way == 0.0 {
            if start.abs() > inner {
                return None;
            }
            continue;
        }
        let ends = [(-inner - start) / way, (inner - start) / way];
        from = from.max(ends[0].min(ends[1]));
        to = to.min(ends[0].max(ends[1]));
    }
    (from <= to).then_some((from, to))
}

/// A point of the lattice of sites, in steps along its axes at 30 and 90 degrees: a sector
/// that looks at 30 degrees looks at a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hex(i32, i32);

impl Hex {
    fn point(self) -> Point {
        Point::polar(f64::from(self.0), 30.0) + Point::polar(f64::from(self.1), 90.0)
    }

    /// Square of the distance from the origin.
    fn square(self) -> i32 {
        self.0 * self.0 + self.0 * self.1 + self.1 * self.1
    }
}

/// The vector by which a cluster repeats; the others are its turns by 60 degrees.
#[derive(Clone, Copy, Debug)]
struct Cluster(Hex);

/// The cluster of so many sites, if there is one.
fn closing(sites: usize) -> Option<Cluster> {
    let pairs = (0..10).flat_map(|j| (j..10).map(move |i| Hex(i, j)));
    pairs.filter(|hex| hex.square() as usize == sites).map(Cluster).next_back()
}

impl Cluster {
    /// True if the whole layout repeats with this difference.
    fn repeats(self, Hex(a, b): Hex) -> bool {
        let (Hex(i, j), n) = (self.0, self.0.square());
        (a * (i + j) + b * j) % n == 0 && (b * i - a * j) % n == 0
    }

    /// The translations to all images up to the second ring, none first.
    fn images(self) -> Vec<Hex> {
        let Hex(i, j) = self.0;
        let steps = (-2..=2).flat_map(|m| (-2..=2).map(move |n| Hex(m, n)));
        let mut steps: Vec<Hex> = steps.filter(|step| step.square() <= 4).collect();
        steps.sort_by_key(|step| step.square());
        steps.into_iter().map(|Hex(m, n)| Hex(m * i - n * j, m * j + n * (i + j))).collect()
    }
}

/// So many points of the lattice nearest to the origin, none an image of another.
fn nearest(sites: usize, cluster: Option<Cluster>) -> Vec<Hex> {
    let mut all: Vec<Hex> = (-10..=10).flat_map(|a| (-10..=10).map(move |b| Hex(a, b))).collect();
    all.sort_by_key(|hex| hex.square());
    let mut chosen: Vec<Hex> = Vec::with_capacity(sites);
    for hex in all {
        let again = |other: &Hex| {
            cluster.is_some_and(|cluster| cluster.repeats(Hex(hex.0 - other.0, hex.1 - other.1)))
        };
        if chosen.len() < sites && !chosen.iter().any(again) {
            chosen.push(hex);
        }
    }
    chosen
}

/// Numbers of sites up to [`MOST_SITES`] that wrap around.
pub fn closing_numbers() -> Vec<usize> {
    (1..=MOST_SITES).filter(|&sites| closing(sites).is_some()).collect()
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
