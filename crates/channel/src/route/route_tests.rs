//! Routes against legs by hand, probabilities and means of distributions.

use airpath_base::math;

use super::*;
use crate::layout::{Area, Layout, Site};
use crate::streets::Streets;

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

fn draws(number: u64) -> Draws {
    Draws::new(Seed(7), number)
}

fn secs(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}

fn is_near(a: Point, b: Point) -> bool {
    (a - b).length() < 1e-6
}

fn disc(radius_m: f64) -> Layout {
    let site = Site { at: Point::default(), azimuths_deg: vec![0.0] };
    Layout::given(vec![site], Area::Disc { radius_m }).expect("a layout")
}

#[test]
fn a_train_of_350_kilometres_an_hour() {
    // North-east: 350 km/h are 97.222 m/s, after 36 s 3500 m, along each axis 2474.874 m.
    let route = straight(point(100.0, 0.0), Some(45.0), FASTEST, draws(0));
    let motion = route.at(secs(36.0));
    assert!(is_near(motion.at, point(100.0 + 2_474.873_734, 2_474.873_734)), "{motion:?}");
    assert!((motion.velocity.length() - 97.222_222).abs() < 1e-6);
    // A UE 2 s behind is 194.444 m behind, from the beginning on.
    let second = route.clone().behind(Duration::from_secs(2));
    let gap = |time: f64| (route.at(secs(time)).at - second.at(secs(time)).at).length();
    assert!([0.0, 1.0, 2.0, 50.0].iter().all(|&time| (gap(time) - 194.444_444).abs() < 1e-5));
    // A UE that begins 2 s later rests until then.
    let later = route.later(Duration::from_secs(2));
    assert_eq!(later.at(secs(1.5)), Motion { at: point(100.0, 0.0), velocity: point(0.0, 0.0) });
    assert!(is_near(later.at(secs(38.0)).at, motion.at));
}

#[test]
fn headings_are_drawn_evenly() {
    let heading = |n| straight(point(0.0, 0.0), None, 1.0, draws(n)).at(Time::ZERO).velocity;
    let quarter = (0..4_000).filter(|&n| heading(n).x > 0.0 && heading(n).y > 0.0).count();
    // A binomial of 4000 and 0.25: 1000, deviation 27.4.
    assert!((890..=1_110).contains(&quarter), "{quarter}");
}

#[test]
fn points_by_hand() {
    let fix = |time: f64, x: f64, y: f64| Fix { time: secs(time), at: point(x, y) };
    let route = through(&[
        fix(1.0, 0.0, 0.0),
        fix(3.0, 20.0, 0.0),
        fix(8.0, 20.0, 0.0),
        fix(9.0, 20.0, 5.0),
    ])
    .expect("a route");
    let expected = [
        (0.0, (0.0, 0.0), (0.0, 0.0)),
        (2.0, (10.0, 0.0), (10.0, 0.0)),
        (3.0, (20.0, 0.0), (0.0, 0.0)),
        (8.5, (20.0, 2.5), (0.0, 5.0)),
        (60.0, (20.0, 5.0), (0.0, 0.0)),
    ];
    for (time, at, velocity) in expected {
        let motion = route.at(secs(time));
        assert!(is_near(motion.at, point(at.0, at.1)), "{time}: {motion:?}");
        assert!(is_near(motion.velocity, point(velocity.0, velocity.1)), "{time}: {motion:?}");
    }
    let back = through(&[fix(1.0, 0.0, 0.0), fix(1.0, 1.0, 0.0)]);
    assert_eq!(back, Err(RouteError::NotLater { point: 2 }));
    // 98 m in a second are 352.8 km/h; 97.2 m are 349.9.
    let fast = through(&[fix(0.0, 0.0, 0.0), fix(1.0, 0.0, 0.0), fix(2.0, 98.0, 0.0)]);
    assert!(
        matches!(fast, Err(RouteError::TooFast { point: 3, kmh }) if (kmh - 352.8).abs() < 1e-9)
    );
    assert!(through(&[fix(0.0, 0.0, 0.0), fix(1.0, 97.2, 0.0)]).is_ok());
}

/// Turn from one velocity to another: 0 for none, 1 to the left, 2 to the right, 3 for a way back.
fn turn(from: Point, to: Point) -> usize {
    let (cross, dot) = (from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y);
    if cross > 0.0 {
        1
    } else if cross < 0.0 {
        2
    } else if dot > 0.0 {
        0
    } else {
        3
    }
}

#[test]
fn turns_have_their_probabilities() {
    let streets = Streets { blocks: [30, 30], block_m: [100.0, 50.0], width_m: 20.0 };
    let (mut inner, mut border) = ([0usize; 4], [0usize; 4]);
    for number in 0..20 {
        let start = streets.along(draws(number).start());
        let lasts = Duration::from_secs(3_600);
        let route = along_streets(&streets, start, 10.0, draws(number), lasts).expect("a route");
        for pair in route.legs().windows(2) {
            let (at, velocity) = (pair[1].motion.at, pair[1].motion.velocity);
            let turned = turn(pair[0].motion.velocity, velocity);
            let edge = [at.x.abs() > 1_499.0, at.y.abs() > 749.0];
            match edge.iter().filter(|edge| **edge).count() {
                0 => inner[turned] += 1,
                1 => border[turned] += 1,
                _ => {}
            }
            assert!(streets.has(at) && (velocity.length() - 10.0).abs() < 1e-9);
        }
        let far = |time: u64| route.at(Time::from_millis(500 * time)).at;
        assert!((0..7_200).all(|time| streets.has(far(time))));
    }
    let all: usize = inner.iter().sum();
    assert!(all > 5_000 && inner[3] == 0 && border[3] == 0, "{inner:?} {border:?}");
    for (count, share) in inner.into_iter().zip([0.5, 0.25, 0.25]) {
        let (mean, deviation) = (all as f64 * share, (all as f64 * share * (1.0 - share)).sqrt());
        assert!((count as f64 - mean).abs() < 4.0 * deviation, "{inner:?}");
    }
    // Along the border one turn leads out: straight on has 0.5 of 0.75. Who comes to the border from within
    // turns left or right alike.
    let all: usize = border.iter().sum();
    assert!(all > 500 && border[1].abs_diff(border[2]) < all / 8, "{border:?}");
}

#[test]
fn a_corner_leaves_one_way() {
    // One block of 100 m by 50 m has corners alone: a UE goes round it, 300 m in 30 s.
    let streets = Streets { blocks: [1, 1], block_m: [100.0, 50.0], width_m: 20.0 };
    for number in 0..20 {
        let route = along_streets(
            &streets,
            point(20.0, 25.0),
            10.0,
            draws(number),
            Duration::from_secs(70),
        )
        .expect("a route");
        assert!(
            [30.0, 60.0].iter().all(|&time| is_near(route.at(secs(time)).at, point(20.0, 25.0)))
        );
        // Half way round, 150 m on, it is opposite.
        assert!(is_near(route.at(secs(15.0)).at, point(-20.0, -25.0)));
    }
    // Both ways are as likely: 500 of 1000, deviation 16.
    let east = |n| {
        let route =
            along_streets(&streets, point(0.0, 25.0), 1.0, draws(n), Duration::from_secs(1));
        route.expect("a route").at(Time::ZERO).velocity.x > 0.0
    };
    let count = (0..1_000).filter(|&n| east(n)).count();
    assert!((436..=564).contains(&count), "{count}");
}

#[test]
fn random_waypoints_have_the_mean_speed_of_their_law() {
    let (layout, lasts) = (disc(500.0), Duration::from_secs(40_000));
    let wander = Wander { speed: (2.0, 20.0), pause: Duration::ZERO };
    let (mut travelled, mut lengths, mut legs) = (0.0, 0.0, 0.0);
    for number in 0..10 {
        let start = point(100.0, 0.0);
        let route =
            random_waypoints(wander, &layout, start, draws(number), lasts).expect("a route");
        assert_eq!(route.at(Time::ZERO).at, start);
        for second in 0..40_000 {
            let motion = route.at(secs(f64::from(second)));
            assert!(motion.at.length() < 500.000_001);
            travelled += motion.velocity.length();
        }
        for pair in route.legs().windows(2).skip(1) {
            lengths += (pair[1].motion.at - pair[0].motion.at).length();
            legs += 1.0;
        }
    }
    // (20 - 2) / ln 10 = 7.817 m/s, and two even points of a disc are 128 / (45 pi) radii apart, 452.7 m.
    // About 6900 legs: deviations of 0.06 m/s and 2.6 m.
    let mean = travelled / 400_000.0;
    assert!((mean - 18.0 / math::ln(10.0)).abs() < 0.25, "{mean}");
    assert!((lengths / legs - 452.7).abs() < 11.0, "{}", lengths / legs);
}

#[test]
fn pauses_are_rests() {
    let wander = Wander { speed: (10.0, 10.0), pause: Duration::from_secs(5) };
    let lasts = Duration::from_secs(600);
    let route =
        random_waypoints(wander, &disc(500.0), point(0.0, 0.0), draws(1), lasts).expect("a route");
    for (n, pair) in route.legs().windows(2).enumerate() {
        let resting = pair[0].motion.velocity == Point::default();
        assert_eq!(resting, n % 2 == 1);
        let length = pair[1].from.since(pair[0].from).as_secs_f64();
        assert!(!resting || (length - 5.0).abs() < 1e-6, "{length}");
    }
}

#[test]
fn no_leg_crosses_a_notch_of_the_border() {
    let layout = Layout::hexagonal(7, 500.0, false).expect("a layout");
    // Sites are at 30 degrees and so on. The border between the hexagons at 30 and 90 degrees has its
    // notch at 60 degrees, 500 * 2 / sqrt(3) = 577.4 m from the centre.
    let tip = |metres| Point::polar(metres, 60.0);
    assert!(
        layout.holds(Point::default(), tip(577.0)) && !layout.holds(Point::default(), tip(578.0))
    );
    // From hexagon to hexagon across the notch, both ends within, and around it.
    let ends = [30.0, 90.0].map(|azimuth| Point::polar(740.0, azimuth));
    assert!(ends.iter().all(|&end| layout.holds(end, end)));
    assert!(!layout.holds(ends[0], ends[1]));
    assert!(layout.holds(ends[0], tip(500.0)) && layout.holds(tip(500.0), ends[1]));
    let wander = Wander { speed: (20.0, 20.0), pause: Duration::ZERO };
    for number in 0..20 {
        let lasts = Duration::from_secs(2_000);
        let route = random_waypoints(wander, &layout, point(50.0, 0.0), draws(number), lasts);
        let route = route.expect("a route");
        // The centre of some hexagon is nearer than its corners, 288.7 m.
        for second in 0..2_000 {
            let at = route.at(secs(f64::from(second))).at;
            let near = layout.sites().iter().any(|site| (at - site.at).length() < 288.7);
            assert!(near && layout.holds(at, at), "{at:?}");
        }
    }
}

#[test]
fn bounds_by_hand() {
    let layout = disc(500.0);
    // From (-300, 30) along x at 10 m/s: 500 m from the centre at x = 499.1 m, after 79.9 s.
    let line = straight(point(-300.0, 30.0), Some(0.0), 10.0, draws(0));
    let check = |least, lasts| super::check(&line, &layout, least, Duration::from_secs(lasts));
    assert_eq!(check(29.0, 79), Ok(()));
    let Err(RouteError::Outside { after: After(after), .. }) = check(29.0, 100) else {
        panic!("a route that leaves the area");
    };
    assert!((79.8..=79.9).contains(&after), "{after}");
    // 50 m from the centre at x = -40 m, after 26 s.
    let Err(RouteError::TooNear { after: After(after), metres, site: 0, .. }) = check(50.0, 79)
    else {
        panic!("a route by the site");
    };
    assert!((after - 26.0).abs() < 0.02 && (49.8..50.0).contains(&metres), "{after} {metres}");
}

#[test]
fn a_line_goes_round_a_network_without_edges() {
    let layout = Layout::hexagonal(7, 500.0, true).expect("a layout");
    assert!(layout.holds(Point::default(), point(1e6, 0.0)));
    // Seven sites repeat after 500 * sqrt(7) = 1322.9 m; no point is farther than 500 / sqrt(3) from all.
    let nearest = |at: Point| (0..7).map(|n| layout.way(n, at).length()).fold(f64::MAX, f64::min);
    let route = straight(point(10.0, 20.0), Some(17.0), FASTEST, draws(0));
    for second in 0..3_600 {
        let at = route.at(secs(f64::from(second))).at;
        assert!(nearest(at) <= 288.676, "{at:?} {}", nearest(at));
        // All ways are as long again at the vector (2 a + b, a + 3 b) of the lattice with steps of 500 m.
        let step = Point::polar(500.0, 30.0).scaled(2.0) + Point::polar(500.0, 90.0);
        for site in 0..7 {
            let (way, other) = (layout.way(site, at), layout.way(site, at + step.scaled(40.0)));
            assert!((way.length() - other.length()).abs() < 1e-6, "{at:?}");
        }
    }
}

#[test]
fn draws_of_a_ue_are_its_own() {
    let streets = Streets::default();
    let lasts = Duration::from_secs(100);
    let route = |n| along_streets(&streets, streets.along(draws(n).start()), 14.0, draws(n), lasts);
    assert_eq!(route(5), route(5));
    assert_ne!(route(5), route(6));
    assert_ne!(draws(5).start(), Draws::new(Seed(8), 5).start());
}
