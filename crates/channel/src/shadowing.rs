//! Shadowing: a field over the ground for each site.
//!
//! A field is a sum of plane waves. Their wave numbers are drawn so that the field's correlation
//! falls as exp(-distance / decorrelation distance) (TR 38.901, 7.4.4). The method is Cai and
//! Giannakis, "A two-dimensional channel simulation model for shadowing processes", 2003. A field
//! is a pure function of the point: no UE's value depends on another's. Fields of different sites
//! are independent, and so are those with line of sight, without it, and indoors. The cells of a
//! site share its fields. Left out: correlation between sites, with height, and with other
//! parameters of a link.

use airpath_base::math;
use airpath_base::random::{Keyed, Seed};

use crate::environment::{Condition, Environment, Sight};
use crate::geometry::Point;

/// Waves of a field; its fourth moment is 3 - 1.5 / `WAVES`.
const WAVES: u64 = 64;
/// Bits of a site's number in the key of a draw.
const SITE_BITS: u32 = 20;
const TURN: f64 = 2.0 * core::f64::consts::PI;

/// The shadowing fields of a network.
#[derive(Clone, Debug)]
pub struct Shadowing {
    fields: Vec<[Field; 3]>,
}

/// The fields of a site, one for each kind of condition.
const CONDITIONS: [Condition; 3] = [
    Condition { sight: Sight::Los, indoors: false },
    Condition { sight: Sight::Nlos, indoors: false },
    Condition { sight: Sight::Los, indoors: true },
];

impl Shadowing {
    /// Fields for so many sites, drawn from the stream "shadowing" of the seed.
    pub fn new(seed: Seed, environment: Environment, sites: usize) -> Shadowing {
        Shadowing::drawn(seed.keyed("shadowing"), 0, environment, sites, None)
    }

    /// Fields for UEs on routes, with this decorrelation distance in metres if there is one. A `ue` has fields of its own,
    /// drawn from the stream "shadowing of links" of the seed.
    pub fn of_routes(
        seed: Seed,
        (environment, sites): (Environment, usize),
        ue: Option<u64>,
        correlation_m: Option<f64>,
    ) -> Shadowing {
        let (stream, ue) = match ue {
            None => ("shadowing", 0),
            Some(ue) => ("shadowing of links", ue),
        };
        Shadowing::drawn(seed.keyed(stream), ue, environment, sites, correlation_m)
    }

    fn drawn(
        keyed: Keyed,
        ue: u64,
        environment: Environment,
        sites: usize,
        correlation_m: Option<f64>,
    ) -> Shadowing {
        let field = |site: usize, kind: usize| {
            let statistics = environment.shadowing(CONDITIONS[kind]);
            let key = [ue << SITE_BITS | site as u64, kind as u64];
            let correlation_m = correlation_m.unwrap_or(statistics.correlation_m);
            Field::new(keyed, key, statistics.sigma_db, correlation_m)
        };
        let fields = (0..sites).map(|site| [0, 1, 2].map(|kind| field(site, kind))).collect();
        Shadowing { fields }
    }

    /// Shadowing in dB of the link from a site to the UE that is `away` from it: what it adds
    /// to the path loss.
    pub fn db(&self, site: usize, condition: Condition, away: Point) -> f64 {
        let kind = match condition {
            Condition { indoors: true, .. } => 2,
            Condition { sight: Sight::Nlos, .. } => 1,
            Condition { sight: Sight::Los, .. } => 0,
        };
        self.fields[site][kind].at(away)
    }
}

/// A Gaussian field with exponential correlation.
#[derive(Clone, Debug)]
struct Field {
    amplitude: f64,
    waves: Vec<Wave>,
}

/// Wave numbers and phase, in radians.
#[derive(Clone, Copy, Debug)]
struct Wave {
    along: Point,
    phase: f64,
}

impl Field {
    fn new(keyed: Keyed, [site, kind]: [u64; 2], sigma_db: f64, correlation_m: f64) -> Field {
        let draw = |wave: u64, n: u64| keyed.uniform([site, kind, 3 * wave + n]);
        let wave = |n: u64| {
            // Stratified: the n-th wave's number is from the n-th part of the distribution
            // 1 - 1 / sqrt(1 + (k d)^2), the spectrum of exp(-r / d) in the plane.
            let share = (n as f64 + draw(n, 0)) / WAVES as f64;
            let rest = (1.0 - share).max(1e-6);
            let number = (1.0 / (rest * rest) - 1.0).sqrt() / correlation_m;
            let angle = TURN * draw(n, 1);
            let along = Point { x: number * math::cos(angle), y: number * math::sin(angle) };
            Wave { along, phase: TURN * draw(n, 2) }
        };
        let amplitude = sigma_db * (2.0 / WAVES as f64).sqrt();
        Field { amplitude, waves: (0..WAVES).map(wave).collect() }
    }

    fn at(&self, place: Point) -> f64 {
        let of =
            |wave: &Wave| math::cos(wave.along.x * place.x + wave.along.y * place.y + wave.phase);
        self.amplitude * self.waves.iter().map(of).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NLOS: Condition = Condition { sight: Sight::Nlos, indoors: false };

    /// Mean product of two fields over many seeds, and over points 400 m apart.
    fn covariance(sites: [usize; 2], apart_m: f64) -> f64 {
        let (seeds, places) = (200, 25);
        let mut sum = 0.0;
        for seed in 0..seeds {
            let fields = Shadowing::new(Seed(seed), Environment::Uma, 2);
            for place in 0..places {
                let from =
                    Point { x: 400.0 * f64::from(place % 5), y: 400.0 * f64::from(place / 5) };
                let angle = f64::from(place) * 14.4;
                let to = from + Point::polar(apart_m, angle);
                sum += fields.db(sites[0], NLOS, from) * fields.db(sites[1], NLOS, to);
            }
        }
        sum / (seeds as f64 * f64::from(places))
    }

    #[test]
    fn correlation_falls_exponentially() {
        // TR 38.901, table 7.5-6: 6 dB and 50 m, so 36 exp(-distance / 50 m).
        for (apart_m, wanted) in [(0.0, 36.0), (25.0, 21.835), (50.0, 13.244), (100.0, 4.872)] {
            let ours = covariance([0, 0], apart_m);
            assert!((ours - wanted).abs() < 1.8, "{apart_m} m: {ours} {wanted}");
        }
        assert!(covariance([0, 0], 400.0).abs() < 1.8);
    }

    #[test]
    fn ues_with_fields_of_their_own_are_independent_and_decorrelate_over_the_given_distance() {
        // 6 dB (TR 38.901, table 7.5-6) and 10 m: 36 exp(-1) at 10 m.
        let (mut own, mut cross) = (0.0, 0.0);
        let count = 4_000;
        for seed in 0..count {
            let fields =
                |ue| Shadowing::of_routes(Seed(seed), (Environment::Uma, 1), Some(ue), Some(10.0));
            let (one, other) = (fields(3), fields(4));
            let (from, to) = (Point { x: 90.0, y: 20.0 }, Point { x: 96.0, y: 28.0 });
            own += one.db(0, NLOS, from) * one.db(0, NLOS, to);
            cross += one.db(0, NLOS, from) * other.db(0, NLOS, from);
        }
        let (own, cross) = (own / count as f64, cross / count as f64);
        assert!((own - 13.244).abs() < 1.8 && cross.abs() < 1.8, "{own} {cross}");
    }

    #[test]
    fn sites_are_independent() {
        assert!(covariance([0, 1], 0.0).abs() < 1.8);
    }

    #[test]
    fn fields_are_nearly_normal() {
        let fields: Vec<Shadowing> =
            (0..4_000).map(|seed| Shadowing::new(Seed(seed), Environment::Umi, 1)).collect();
        let place = Point { x: 31.0, y: -7.0 };
        let moment = |power: i32| {
            let values = fields.iter().map(|field| (field.db(0, NLOS, place) / 7.82).powi(power));
            values.sum::<f64>() / fields.len() as f64
        };
        // A sum of n waves has a fourth moment of 3 - 1.5 / n.
        assert!(moment(1).abs() < 0.06, "{}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.08, "{}", moment(2));
        assert!((moment(4) - 2.977).abs() < 0.4, "{}", moment(4));
    }
}
