use super::*;
use crate::association::Association;
use crate::calibration::{TR_38901, setup};
use crate::penetration::Buildings;
use crate::users::Heights;

fn uma() -> NetworkConfig {
    setup(TR_38901, "UMa", 6.0).expect("known").expect("valid").network
}

fn geometry_db(network: &Network, ue: &Ue) -> f64 {
    let mut gains = Vec::new();
    network.gains(ue, &mut gains);
    10.0 * math::log10(Association::strongest(&gains).expect("cells").geometry(0.0))
}

/// Largest difference between the distributions of two samples (Kolmogorov and Smirnov).
fn distance(first: &mut [f64], second: &mut [f64]) -> f64 {
    first.sort_by(f64::total_cmp);
    second.sort_by(f64::total_cmp);
    let share = |sorted: &[f64], value: f64| {
        sorted.partition_point(|&other| other <= value) as f64 / sorted.len() as f64
    };
    let all = first.iter().chain(second.iter());
    all.map(|&value| (share(first, value) - share(second, value)).abs()).fold(0.0, f64::max)
}

#[test]
fn centre_and_edge_have_the_same_geometry() {
    // In each seed new shadowing, so that UEs of one site are all but independent.
    let (mut centre, mut edge) = (Vec::new(), Vec::new());
    for seed in 0..120 {
        let network = Network::new(uma(), Seed(seed)).expect("valid");
        for number in 0..400 {
            let ue = network.drop(number);
            let nearest = (0..19).min_by(|&a, &b| {
                let from = |site| network.config().layout.way(site, ue.at).length();
                from(a).total_cmp(&from(b))
            });
            match nearest {
                Some(0..=6) => centre.push(geometry_db(&network, &ue)),
                _ => edge.push(geometry_db(&network, &ue)),
            }
        }
    }
    // The bound of a test at 1%: 1.628 sqrt((n + m) / (n m)) (Massey, 1951).
    let (n, m) = (centre.len() as f64, edge.len() as f64);
    let bound = 1.628 * ((n + m) / (n * m)).sqrt();
    let found = distance(&mut centre, &mut edge);
    assert!(n > 15_000.0 && m > 25_000.0 && found < bound, "{n} {m}: {found} {bound}");
}

#[test]
fn without_wrap_around_the_edge_is_better() {
    let mut config = uma();
    config.layout = Layout::hexagonal(19, 500.0, false).expect("nineteen");
    let (mut centre, mut edge) = (Vec::new(), Vec::new());
    for seed in 0..20 {
        let network = Network::new(config.clone(), Seed(seed)).expect("valid");
        for number in 0..400 {
            let ue = network.drop(number);
            let value = geometry_db(&network, &ue);
            if ue.at.length() < 700.0 { centre.push(value) } else { edge.push(value) }
        }
    }
    assert!(distance(&mut centre, &mut edge) > 0.05);
}

#[test]
fn a_ue_depends_on_seed_and_number_only() {
    let network = Network::new(uma(), Seed(3)).expect("valid");
    let alone = network.drop(41);
    let after: Vec<Ue> = (0..60).map(|number| network.drop(number)).collect();
    assert_eq!(alone, after[41]);
    let mut gains = [Vec::new(), Vec::new()];
    network.gains(&alone, &mut gains[0]);
    after.iter().for_each(|ue| network.gains(ue, &mut Vec::new()));
    network.gains(&after[41], &mut gains[1]);
    assert_eq!(gains[0], gains[1]);
    let mut anew = network.clone();
    anew.reseed(Seed(4));
    assert_ne!(anew.drop(41).at, alone.at);
    anew.reseed(Seed(3));
    assert_eq!(anew.drop(41), alone);
}

#[test]
fn cells_of_a_site_share_all_but_the_antenna() {
    let mut config = uma();
    config.antenna.element = crate::antenna::Element::Isotropic;
    let network = Network::new(config, Seed(1)).expect("valid");
    let mut gains = Vec::new();
    network.gains(&network.drop(5), &mut gains);
    for site in gains.chunks(3) {
        assert_eq!([site[0]; 3], [site[0], site[1], site[2]]);
    }
    assert_ne!(gains[0], gains[3]);
}

#[test]
fn shares_and_heights_are_those_asked_for() {
    let network = Network::new(uma(), Seed(9)).expect("valid");
    let ues: Vec<Ue> = (0..20_000).map(|number| network.drop(number)).collect();
    let indoors: Vec<&Ue> =
        ues.iter().filter(|ue| ue.surroundings == Surroundings::Building).collect();
    let share = indoors.len() as f64 / ues.len() as f64;
    assert!((share - 0.8).abs() < 0.01, "{share}");
    let mean =
        |of: fn(&Ue) -> f64| indoors.iter().map(|ue| of(ue)).sum::<f64>() / indoors.len() as f64;
    // Floors 4 to 8: a mean of 6; floor 1 to that: 3.5; 3 x 2.5 + 1.5 m.
    let height = mean(|ue| ue.height_m);
    assert!((height - 9.0).abs() < 0.15, "{height}");
    // The lesser of two draws from 0 to 25 m: a third of it.
    let inside = mean(|ue| ue.inside_m);
    assert!((inside - 25.0 / 3.0).abs() < 0.15, "{inside}");
    for ue in &ues {
        assert!((0..19).all(|site| network.config().layout.way(site, ue.at).length() >= 35.0));
    }
}

#[test]
fn walls_of_20_db_are_the_links_own() {
    let mut config = uma();
    config.users.buildings = Buildings::Legacy;
    let network = Network::new(config, Seed(9)).expect("valid");
    let ue = (0..).map(|number| network.drop(number)).find(|ue| ue.penetration_db > 0.0);
    let ue = ue.expect("one indoors");
    assert_eq!((ue.penetration_db, ue.inside_m), (20.0, 0.0));
    let inside: Vec<f64> = (0..19).map(|site| network.site_link(site, &ue).span.inside_m).collect();
    assert!(inside.iter().all(|&metres| metres < 25.0));
    assert_ne!(inside[0], inside[1]);
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |change: fn(&mut NetworkConfig)| {
        let mut config = uma();
        change(&mut config);
        Network::new(config, Seed(1)).map(|_| ()).expect_err("refused").to_string()
    };
    for (change, word) in [
        ((|c| c.carrier_hz = 0.1e9) as fn(&mut NetworkConfig), "0.5 GHz to 100 GHz"),
        (|c| c.base_m = 1.0, "3 m to 150 m"),
        (|c| c.users.indoors = 1.2, "from 0 to 1"),
        (|c| c.users.in_cars = 0.3, "both together 1"),
        (|c| c.users.least_m = 3.0, "10 m to 250 m"),
        (|c| c.users.least_m = 300.0, "10 m to 250 m"),
        (|c| c.layout = Layout::hexagonal(7, 15.0, true).expect("closes"), "must be farther apart"),
        (|c| c.users.heights = Heights::Fixed(30.0), "1.5 m to 22.5 m"),
        (|c| c.antenna.elements = 0, "needs an element"),
        (|c| c.antenna.elements = 1, "no electrical downtilt"),
        (|c| (c.environment, c.base_m) = (Environment::InhOpen, 3.0), "without walls"),
    ] {
        let message = refused(change);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn given_ues_keep_to_the_models() {
    let network = Network::new(uma(), Seed(1)).expect("valid");
    let place = |x, height| {
        network.place(0, Point { x, y: 0.0 }, Surroundings::Outdoors, height).map(|ue| ue.height_m)
    };
    assert_eq!(place(40.0, None), Ok(1.5));
    assert_eq!(place(40.0, Some(10.0)), Ok(10.0));
    assert_eq!(
        place(5.0, None),
        Err(ChannelError::TooNear { metres: 5.0, site: 0, least_m: 10.0 })
    );
    assert!(matches!(place(40.0, Some(50.0)), Err(ChannelError::UeHeight { .. })));
}

#[test]
fn the_clutter_of_high_floors_has_the_heights_of_the_note() {
    let span = Span { ground_m: 100.0, inside_m: 0.0, base_m: 25.0, ue_m: 22.5 };
    let heights = |draw: f64| clutter_m(Environment::Uma, &span, || draw);
    // C is 0.594: up to 1 / 1.594 = 0.627 it is 1 m, then 12, 15, 18 or 21 m.
    assert_eq!(
        [0.0, 0.62, 0.63, 0.75, 0.85, 0.999].map(heights),
        [1.0, 1.0, 12.0, 15.0, 18.0, 21.0]
    );
    assert_eq!(clutter_m(Environment::Umi, &span, || 0.99), 1.0);
}
