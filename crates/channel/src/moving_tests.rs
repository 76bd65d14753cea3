//! UEs on routes, against formulas by hand.

use airpath_base::{Duration, Time};

use super::*;
use crate::antenna::{Antenna, Element};
use crate::environment::Environment;
use crate::layout::{Area, Layout, Site};
use crate::network::{Averaging, NetworkConfig};
use crate::penetration::Buildings;
use crate::route::Leg;
use crate::users::{Heights, Surroundings, Users};

/// Sight that is equal everywhere.
#[derive(Debug)]
struct Always(bool);

impl Sights for Always {
    fn sees(&self, _: usize, _: Point, _: f64) -> bool {
        self.0
    }
}

fn given(sees: bool) -> SightRule {
    SightRule::Given(Arc::new(Always(sees)))
}

fn ground(x: f64, y: f64) -> Point {
    Point { x, y }
}

/// One site at the origin with cells in these directions, at 2 GHz, and UEs outdoors at 1.5 m.
fn one_site(environment: Environment, element: Element, azimuths_deg: &[f64]) -> NetworkConfig {
    let site = Site { at: ground(0.0, 0.0), azimuths_deg: azimuths_deg.to_vec() };
    NetworkConfig {
        layout: Layout::given(vec![site], Area::Disc { radius_m: 2_000.0 }).expect("a site"),
        environment,
        carrier_hz: 2e9,
        base_m: 25.0,
        antenna: Antenna { element, ..Antenna::SINGLE },
        averaging: Averaging::Straight,
        users: Users {
            indoors: 0.0,
            in_cars: 0.0,
            heights: Heights::Fixed(1.5),
            buildings: Buildings::Mixed,
            least_m: 35.0,
        },
    }
}

fn links(config: &NetworkConfig, rule: SightRule, seed: u64) -> MovingLinks {
    let network = Network::new(config.clone(), Seed(seed)).expect("valid");
    MovingLinks::new(network, rule, Seed(seed))
}

fn route(legs: &[(u64, Point, Point)]) -> Arc<Route> {
    let leg = |&(seconds, at, velocity): &(u64, Point, Point)| Leg {
        from: Time::ZERO + Duration::from_secs(seconds),
        motion: Motion { at, velocity },
    };
    Arc::new(Route::new(legs.iter().map(leg).collect()))
}

fn track(links: &MovingLinks, route: &Arc<Route>) -> Track {
    let ue = links.network().place(3, ground(500.0, 0.0), Surroundings::Outdoors, None);
    Track::new(ue.expect("a UE"), Arc::clone(route))
}

fn db(factor: f64) -> f64 {
    10.0 * math::log10(factor)
}

/// Losses in dB of cell 0 at these seconds, for each of so many seeds.
fn losses(
    (config, sees): (&NetworkConfig, bool),
    route: &Arc<Route>,
    seconds: &[f64],
    seeds: u64,
) -> Vec<Vec<f64>> {
    let of = |seed: u64| {
        let links = links(config, given(sees), seed);
        let (mut track, mut gains) = (track(&links, route), Vec::new());
        let at = |second: &f64| {
            track.gains(&links, Time::from_millis((second * 1e3) as u64), &mut gains);
            -db(gains[0])
        };
        seconds.iter().map(at).collect()
    };
    (0..seeds).map(of).collect()
}

fn mean(values: impl Iterator<Item = f64>, count: u64) -> f64 {
    values.sum::<f64>() / count as f64
}

#[test]
fn loss_along_a_line_is_that_of_the_formula() {
    // TR 38.901, table 7.4.1-1, UMa at 2 GHz, 23.5 m between the heights. With line of sight the breakpoint is at 4 x 24
    // x 0.5 x 2e9 / 3e8 = 320 m: 28 + 22 lg d + 20 lg 2, beyond it 28 + 40 lg d + 20 lg 2 - 9 lg(320^2 + 23.5^2).
    // Without: 13.54 + 39.08 lg d + 20 lg 2. Distances d are 102.724 m, 300.919 m and 1000.276 m.
    let (config, seeds) = (one_site(Environment::Uma, Element::Isotropic, &[0.0]), 2_000);
    let line = route(&[(0, ground(100.0, 0.0), ground(10.0, 0.0))]);
    let cases =
        [(true, [78.2774, 88.5465, 108.9117], 4.0), (false, [98.1767, 116.4185, 136.8053], 6.0)];
    for (sees, wanted, sigma) in cases {
        let all = losses((&config, sees), &line, &[0.0, 20.0, 90.0], seeds);
        for (n, wanted) in wanted.iter().enumerate() {
            let found = mean(all.iter().map(|one| one[n]), seeds);
            // The mean of shadowing is within 4 sigma / sqrt(n).
            assert!((found - wanted).abs() < 4.0 * sigma / 44.7, "{sees} {n}: {found} {wanted}");
        }
    }
}

#[test]
fn shadowing_decorrelates_along_a_route() {
    // TR 38.901, table 7.5-6: 6 dB and 50 m without sight; 7.4.4: 36 exp(-d / 50 m).
    let (config, seeds) = (one_site(Environment::Uma, Element::Isotropic, &[0.0]), 4_000);
    let line = route(&[(0, ground(300.0, 0.0), ground(0.0, 25.0))]);
    let all = losses((&config, false), &line, &[0.0, 1.0, 2.0, 4.0, 16.0], seeds);
    let mean_of: Vec<f64> = (0..5).map(|n| mean(all.iter().map(|one| one[n]), seeds)).collect();
    for (n, wanted) in [36.0, 21.835, 13.244, 4.872, 0.012].into_iter().enumerate() {
        let products = all.iter().map(|one| (one[0] - mean_of[0]) * (one[n] - mean_of[n]));
        let found = mean(products, seeds);
        // Four times the deviation of a covariance of so many pairs, 36 sqrt(2 / n) at most.
        assert!((found - wanted).abs() < 3.3, "{n}: {found} {wanted}");
    }
}

#[test]
fn share_of_sight_is_the_probability() {
    // TR 38.901, table 7.4.2-1, UMi: 18/d + exp(-d/36) (1 - 18/d) is 0.13364 at 150 m, 0.63106 at 40 m.
    let config =
        NetworkConfig { base_m: 10.0, ..one_site(Environment::Umi, Element::Isotropic, &[0.0]) };
    let ue = |at| Ue { at, ..Network::new(config.clone(), Seed(0)).expect("valid").drop(0) };
    let seeds = 4_000;
    let all: Vec<MovingLinks> =
        (0..seeds).map(|seed| links(&config, SightRule::Probability, seed)).collect();
    let sees = |links: &MovingLinks, at| links.link(0, &ue(at)).condition.sight == Sight::Los;
    for (metres, wanted) in [(150.0, 0.133_64_f64), (40.0, 0.631_06)] {
        for angle in [0.0, 77.0] {
            let at = Point::polar(metres, angle);
            let share = mean(all.iter().map(|one| f64::from(u8::from(sees(one, at)))), seeds);
            // 3.5 deviations of a binomial share.
            let bound = 3.5 * (wanted * (1.0 - wanted) / seeds as f64).sqrt();
            assert!((share - wanted).abs() < bound, "{metres} m: {share} {wanted}");
        }
    }
    // Equally likely states of a Gaussian field with correlation r are alike with probability 1/2 + asin(r) / pi
    // (Sheppard, 1899). At 52.04 m the probability is 0.5000: 0.34589 + 0.23561 x 0.65411.
    let from = Point::polar(52.04, 0.0);
    for metres in [10.0, 50.0, 90.0] {
        // Another point of the circle has the same probability.
        let to = Point::polar(52.04, 2.0 * (metres / 2.0 / 52.04_f64).asin().to_degrees());
        let alike = all.iter().filter(|one| sees(one, from) == sees(one, to)).count();
        let share = alike as f64 / seeds as f64;
        let wanted = 0.5 + math::asin(correlation(from, to, 50.0)) / core::f64::consts::PI;
        assert!((share - wanted).abs() < 0.03, "{metres} m: {share} {wanted}");
    }
}

/// Correlation of two points between nodes of independent values, linear along both axes.
fn correlation(one: Point, other: Point, step_m: f64) -> f64 {
    let hat = |at: f64, node: i32| (1.0 - (at / step_m - f64::from(node)).abs()).max(0.0);
    let weight = |at: Point, i: i32, j: i32| hat(at.x, i) * hat(at.y, j);
    let nodes = || (-5..5).flat_map(|i| (-5..5).map(move |j| (i, j)));
    let product =
        |a: Point, b: Point| nodes().map(|(i, j)| weight(a, i, j) * weight(b, i, j)).sum::<f64>();
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

#[test]
fn gain_of_an_antenna_along_a_circle() {
    // TR 36.873, table 7.1-1: 12 (angle / 65 degrees)^2 dB, so half of the width costs 3 dB. Both cells share all else.
    let config = one_site(Environment::Uma, Element::Sector, &[0.0, 32.5]);
    let links = links(&config, SightRule::Probability, 1);
    for (angle, wanted) in [(0.0, 3.0), (16.25, 0.0), (32.5, -3.0), (65.0, -9.0)] {
        let still = route(&[(0, Point::polar(300.0, angle), ground(0.0, 0.0))]);
        let mut gains = Vec::new();
        track(&links, &still).gains(&links, Time::ZERO, &mut gains);
        let found = db(gains[0] / gains[1]);
        assert!((found - wanted).abs() < 1e-6, "{angle} degrees: {found} dB");
    }
    // On boresight beside it, at 23.5 m below and as far away: 45 degrees down.
    let down = route(&[(0, ground(23.5, 0.0), ground(0.0, 0.0))]);
    let track = track(&links, &down);
    let (azimuth, zenith) = links.direction(1, &track.ue(Time::ZERO));
    assert!((azimuth + 32.5).abs() < 1e-9 && (zenith - 135.0).abs() < 1e-9, "{azimuth} {zenith}");
}

/// Seven sites of three sectors, 500 m apart, perhaps with edges that wrap around.
fn seven_sites(wrap: bool) -> NetworkConfig {
    NetworkConfig {
        layout: Layout::hexagonal(7, 500.0, wrap).expect("seven"),
        averaging: Averaging::Spread,
        ..one_site(Environment::Uma, Element::Sector, &[0.0])
    }
}

/// Largest change of a gain in dB between samples 10 ms apart at 30 km/h, for so many samples.
fn largest_change(links: &MovingLinks, samples: u64) -> f64 {
    let line = route(&[(0, ground(60.0, 40.0), ground(0.0, 25.0 / 3.0))]);
    let (mut track, mut gains) = (track(links, &line), Vec::new());
    let (mut before, mut most): (Vec<f64>, f64) = (Vec::new(), 0.0);
    for n in 0..samples {
        track.gains(links, Time::from_millis(10 * n), &mut gains);
        let changes = before.iter().zip(&gains).map(|(one, other)| db(other / one).abs());
        most = changes.fold(most, f64::max);
        before.clone_from(&gains);
    }
    most
}

#[test]
fn gains_are_continuous() {
    for seed in 0..4 {
        // In one state of sight, and without another image of a site: within a decibel.
        let still = largest_change(&links(&seven_sites(false), given(false), seed), 3_000);
        assert!(still < 1.0, "seed {seed}: {still} dB");
        // A change of sight or image takes 3.7 m, 44 samples: 60 dB of difference are 1.35 dB a sample.
        let all = links(&seven_sites(true), SightRule::Probability, seed);
        let changing = largest_change(&all, 3_000);
        assert!(changing < 1.4, "seed {seed}: {changing} dB");
    }
}

#[test]
fn gains_are_continuous_at_corners_of_a_route() {
    let links = links(&seven_sites(true), given(false), 1);
    let (first, second) = (ground(10.3, 0.0), ground(0.0, -7.7));
    let legs = [(0, ground(60.0, 40.0), first), (3, ground(90.9, 40.0), second)];
    let (corner, mut track, mut gains) = (route(&legs), None, [Vec::new(), Vec::new()]);
    let track = track.get_or_insert_with(|| self::track(&links, &corner));
    for (gains, nanos) in gains.iter_mut().zip([2_999_999_999, 3_000_000_000]) {
        track.gains(&links, Time::from_nanos(nanos), gains);
    }
    for (before, behind) in gains[0].iter().zip(&gains[1]) {
        assert!(db(before / behind).abs() < 1e-6);
    }
}

#[test]
fn wrap_around_keeps_the_distance() {
    // The nearest image changes, and with it the direction; the distance never changes by more than the way.
    let links = links(&seven_sites(true), given(false), 1);
    let layout = &links.network().config().layout;
    let (mut turned, step_m) = (0, 0.5);
    for site in 0..7 {
        let mut last = layout.way(site, ground(0.0, 0.0));
        for n in 1..4_000 {
            let way = layout.way(site, Point::polar(step_m * f64::from(n), 17.0));
            assert!((way.length() - last.length()).abs() <= step_m + 1e-9, "site {site}");
            turned += usize::from((way - last).length() > 10.0);
            last = way;
        }
    }
    assert!(turned > 0, "no image changes");
}

#[test]
fn speed_zero_changes_nothing() {
    let links = links(&seven_sites(true), SightRule::Probability, 5);
    let still = route(&[
        (0, ground(120.0, -80.0), ground(0.0, 0.0)),
        (4, ground(120.0, -80.0), ground(0.0, 0.0)),
    ]);
    let (mut track, mut first, mut gains) = (track(&links, &still), Vec::new(), Vec::new());
    track.gains(&links, Time::ZERO, &mut first);
    assert!(first.len() == 21 && first.iter().all(|gain| *gain > 0.0));
    for n in 1..700 {
        track.gains(&links, Time::from_millis(10 * n), &mut gains);
        assert_eq!(gains, first);
    }
}

#[test]
fn the_way_to_a_position_does_not_count() {
    // At the same piece of a leg after other samples: only the spreads of clusters follow the samples.
    let links = links(&one_site(Environment::Uma, Element::Sector, &[0.0]), given(true), 2);
    let line = route(&[(0, ground(60.0, 40.0), ground(0.0, 10.0))]);
    let (mut often, mut once) = (track(&links, &line), track(&links, &line));
    let (mut gains, mut at_once) = (Vec::new(), Vec::new());
    (0..=700).for_each(|n| {
        often.gains(&links, Time::from_millis(10 * n), &mut gains);
    });
    once.gains(&links, Time::from_millis(7_000), &mut at_once);
    assert_eq!(gains, at_once);
}

#[test]
fn distances_are_those_of_antennas() {
    // 500 m on the ground, 25 m less 1.5 m above each other; 30 m/s for two seconds away from there.
    let config = one_site(Environment::Uma, Element::Isotropic, &[0.0, 120.0]);
    let links = links(&config, given(true), 1);
    let track = track(&links, &route(&[(0, ground(500.0, 0.0), ground(30.0, 0.0))]));
    for (seconds, metres) in [(0, 500.0_f64), (2, 560.0)] {
        let ue = track.ue(Time::ZERO + Duration::from_secs(seconds));
        let expected = (metres * metres + 23.5 * 23.5).sqrt();
        let found = links.distance_m(1, &ue).expect("a cell");
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert_eq!(links.distance_m(2, &track.ue(Time::ZERO)), None);
}

#[test]
fn a_long_decorrelation_makes_no_piece_longer() {
    // A tenth of the shortest distance of UMa in table 7.5-6, which is 37 m with line of sight; of 5 m half a metre.
    let config = one_site(Environment::Uma, Element::Isotropic, &[0.0]);
    let piece = |correlation_m| {
        let rule = ShadowingRule { by_link: false, correlation_m };
        links(&config, given(true), 1).with_shadowing(rule, Seed(1)).piece_m
    };
    let found = [None, Some(1_000.0), Some(5.0)].map(piece);
    assert!(
        found.iter().zip([3.7, 3.7, 0.5]).all(|(one, other)| (one - other).abs() < 1e-9),
        "{found:?}"
    );
}
