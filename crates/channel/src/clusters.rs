//! The clusters in which a link's power leaves the base station.
//!
//! Powers and directions are drawn as by steps 4 to 7 of TR 38.901, 7.5 (TR 36.873, 7.3,
//! steps 4 to 7, has the same). The rays of a cluster are not drawn: the antenna's gain is
//! averaged over their spread. Delays count only as far as they decide powers.

use airpath_base::math;
use airpath_base::random::Keyed;

use crate::angles::{Angles, Clusters, MOST_AZIMUTH_DEG, MOST_CLUSTERS, MOST_ZENITH_DEG, Normal};
use crate::draws::{normal, normals, upper_half};

const NEPER: f64 = core::f64::consts::LN_10 / 10.0;
/// Clusters with less beside the strongest are left out, in dB (step 6); the straight way does
/// not count there.
const WEAKEST_DB: f64 = -25.0;
/// Spread of a cluster in zenith beside the mean of the link's (step 7, equation 7.5-20).
const ZENITH_SHARE: f64 = 0.375;

/// A cluster, beside the straight direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Share of the link's power.
    pub power: f64,
    /// Azimuth from the straight direction in degrees.
    pub azimuth_deg: f64,
    /// Zenith angle from the straight direction in degrees.
    pub zenith_deg: f64,
}

/// Clusters by which a link's power leaves the base station.
#[derive(Clone, Debug)]
pub struct Departure {
    /// Share of the power that goes straight.
    pub straight: f64,
    clusters: [Cluster; MOST_CLUSTERS],
    count: usize,
    /// Azimuth spread of each cluster in degrees.
    pub azimuth_spread_deg: f64,
    /// Zenith spread of each cluster in degrees.
    pub zenith_spread_deg: f64,
}

impl Departure {
    /// The clusters of scattered power.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters[..self.count]
    }

    /// The departure of the link of these two coordinates.
    pub fn draw(angles: &Angles, keyed: Keyed, link: [u64; 2]) -> Departure {
        let own = |n: u64| normal(keyed, [link[0], link[1], n]);
        let k_db = angles.k_db.map(|k| k.mean + k.sigma * own(0));
        let straight = k_db.map_or(0.0, |k_db| 1.0 / (1.0 + math::exp(-NEPER * k_db)));
        let spread = |spread: Normal, n, most: f64| {
            math::exp10(spread.mean + spread.sigma * own(n)).min(most)
        };
        let scale = Scale::new(
            angles.clusters.count,
            k_db,
            spread(angles.azimuth, 1, MOST_AZIMUTH_DEG),
            spread(angles.zenith, 2, MOST_ZENITH_DEG),
        );
        let mut departure = Departure {
            straight,
            clusters: [Cluster::default(); MOST_CLUSTERS],
            count: 0,
            azimuth_spread_deg: angles.clusters.azimuth_deg,
            zenith_spread_deg: ZENITH_SHARE * math::exp10(angles.zenith.mean),
        };
        let rays = Rays::draw(&angles.clusters, straight, keyed, link);
        departure.direct(&rays, &scale, angles.zenith_offset_deg);
        departure
    }

    /// Directions by power: the weaker, the further off (step 7).
    fn direct(&mut self, rays: &Rays, scale: &Scale, offset_deg: f64) {
        let most = rays.power.iter().copied().fold(rays.with_straight(rays.first), f64::max);
        let off = |n: usize| {
            let log = (-math::ln(rays.with_straight(n) / most)).max(0.0);
            let ([azimuth, zenith], [turned, tilted]) = (rays.jitter[n], rays.sign[n]);
            (
                turned * scale.azimuth_deg * log.sqrt() + scale.azimuth_jitter_deg * azimuth,
                tilted * scale.zenith_deg * log + scale.zenith_jitter_deg * zenith,
            )
        };
        // With line of sight, the first cluster is turned into the straight direction.
        let turn = if self.straight > 0.0 { off(rays.first) } else { (0.0, -offset_deg) };
        let strongest = rays.power.iter().copied().fold(0.0, f64::max);
        let least = strongest * math::exp(NEPER * WEAKEST_DB);
        for n in 0..rays.count {
            if rays.power[n] >= least {
                let (azimuth, zenith) = off(n);
                self.clusters[self.count] = Cluster {
                    power: rays.power[n],
                    azimuth_deg: azimuth - turn.0,
                    zenith_deg: zenith - turn.1,
                };
                self.count += 1;
            }
        }
    }
}

/// Degrees of the formulas for directions.
struct Scale {
    azimuth_deg: f64,
    zenith_deg: f64,
    azimuth_jitter_deg: f64,
    zenith_jitter_deg: f64,
}

impl Scale {
    /// Equations 7.5-9 to 7.5-20.
    fn new(count: usize, k_db: Option<f64>, azimuth_deg: f64, zenith_deg: f64) -> Scale {
        let polynomial =
            |[a, b, c, d]: [f64; 4]| k_db.map_or(1.0, |k| a + k * (b + k * (c + k * d)));
        let (azimuth, zenith) = scaling(count);
        // Equations 7.5-10 and 7.5-15.
        let azimuth = azimuth * polynomial([1.1035, -0.028, -0.002, 0.0001]);
        let zenith = zenith * polynomial([1.3086, 0.0339, -0.0077, 0.0002]);
        Scale {
            azimuth_deg: azimuth_deg / 0.7 / azimuth,
            zenith_deg: zenith_deg / zenith,
            azimuth_jitter_deg: azimuth_deg / 7.0,
            zenith_jitter_deg: zenith_deg / 7.0,
        }
    }
}

/// Scaling of azimuths and zeniths by the number of clusters (tables 7.5-2 and 7.5-4).
fn scaling(count: usize) -> (f64, f64) {
    match count {
        ..=10 => (1.090, 0.957),
        11 => (1.123, 1.031),
        12..=14 => (1.146, 1.104),
        15..=18 => (1.211, 1.1088),
        19 => (1.273, 1.184),
        20.. => (1.289, 1.178),
    }
}

/// Draws before those of the clusters.
const FIRST_DRAW: u64 = 8;

/// A link's clusters before they have directions.
struct Rays {
    /// Shares of the link's power.
    power: [f64; MOST_CLUSTERS],
    /// Standard normal, in azimuth and zenith.
    jitter: [[f64; 2]; MOST_CLUSTERS],
    /// To which side, in azimuth and zenith.
    sign: [[f64; 2]; MOST_CLUSTERS],
    count: usize,
    /// The cluster that arrives first.
    first: usize,
    /// Power of the straight path, added to the first cluster.
    straight: f64,
}

impl Rays {
    fn draw(clusters: &Clusters, straight: f64, keyed: Keyed, link: [u64; 2]) -> Rays {
        let mut rays = Rays {
            power: [0.0; MOST_CLUSTERS],
            jitter: [[0.0; 2]; MOST_CLUSTERS],
            sign: [[1.0; 2]; MOST_CLUSTERS],
            count: clusters.count,
            first: 0,
            straight,
        };
        let (mut sum, mut earliest) = (0.0, f64::INFINITY);
        for n in 0..clusters.count {
            let key = |draw: u64| [link[0], link[1], FIRST_DRAW + 3 * n as u64 + draw];
            let bits = keyed.bits(key(0));
            let delay = -math::ln(upper_half(bits));
            let (shadowing, azimuth) = normals(keyed, key(1));
            // Steps 5 and 6 together: with delays of -r ln(X), powers fall as X^(r - 1).
            let loss = NEPER * clusters.shadowing_db * shadowing;
            rays.power[n] = math::exp(-(clusters.delay_scaling - 1.0) * delay - loss);
            rays.jitter[n] = [azimuth, normal(keyed, key(2))];
            rays.sign[n] = [0, 1].map(|bit| if bits >> bit & 1 == 0 { 1.0 } else { -1.0 });
            sum += rays.power[n];
            if delay < earliest {
                (earliest, rays.first) = (delay, n);
            }
        }
        rays.power.iter_mut().for_each(|power| *power *= (1.0 - straight) / sum);
        rays
    }

    /// Power of a cluster, with the straight way's if it is the first.
    fn with_straight(&self, n: usize) -> f64 {
        self.power[n] + if n == self.first { self.straight } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;
    use crate::angles::angles;
    use crate::environment::{Condition, Environment, Sight};
    use crate::geometry::Span;

    const SPAN: Span = Span { ground_m: 200.0, inside_m: 0.0, base_m: 25.0, ue_m: 1.5 };

    fn departures(sight: Sight) -> (Angles, Vec<Departure>) {
        let condition = Condition { sight, indoors: false };
        let angles = angles(Environment::Uma, condition, 6e9, &SPAN);
        let keyed = Seed(1).keyed("test");
        let draws = (0..4_000).map(|ue| Departure::draw(&angles, keyed, [ue, 0]));
        (angles, draws.collect())
    }

    /// Mean of the squared azimuth, weighted by power; its root in degrees.
    fn spread(departure: &Departure) -> f64 {
        let square = |one: &Cluster| one.power * one.azimuth_deg * one.azimuth_deg;
        departure.clusters().iter().map(square).sum::<f64>().sqrt()
    }

    #[test]
    fn powers_add_up() {
        for sight in [Sight::Los, Sight::Nlos] {
            let (_, departures) = departures(sight);
            for one in departures {
                let sum = one.straight + one.clusters().iter().map(|one| one.power).sum::<f64>();
                // The rest is 20 clusters of 25 dB less at most.
                assert!(sum < 1.0 + 1e-9 && sum > 0.9, "{sum}");
            }
        }
    }

    #[test]
    fn the_spread_is_that_of_the_table() {
        // TR 38.901, table 7.5-6, UMa at 6 GHz: 10^1.1467 = 14.0 degrees with line of sight,
        // 10^1.4110 = 25.8 without. The mean of log10 over draws, as in the table.
        for (sight, wanted) in [(Sight::Los, 1.1467), (Sight::Nlos, 1.4110)] {
            let (angles, departures) = departures(sight);
            assert!((angles.azimuth.mean - wanted).abs() < 1e-3);
            let log = departures.iter().map(|one| math::log10(spread(one)));
            let mean = log.sum::<f64>() / departures.len() as f64;
            assert!((mean - wanted).abs() < 0.06, "{sight:?}: {mean} {wanted}");
        }
    }

    #[test]
    fn most_power_goes_straight_in_line_of_sight() {
        let (_, departures) = departures(Sight::Los);
        let mean = departures.iter().map(|one| one.straight).sum::<f64>() / 4_000.0;
        // The mean of k / (1 + k) with k = 9 +- 3.5 dB, by numerical integration: 0.86435.
        assert!((mean - 0.86435).abs() < 0.005, "{mean}");
        assert!(self::departures(Sight::Nlos).1.iter().all(|one| one.straight == 0.0));
    }
}
