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
        let direct = to - self.sites[site].at;
        let square = |way: &Point| way.x * way.x + way.y * way.y;
        let ways = self.images.iter().map(|&image| direct - image);
        ways.min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or(direct)
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
