//! A single cell with the channel of a network.

use airpath_base::random::Seed;
use airpath_scenario::Scenario;
use airpath_scenario::world::{DroppedUe, NetworkDrop};

fn text(network: &str, ue: &str) -> String {
    format!(
        "duration = \"1 s\"\n[cell]\n[network]\nlayout = \"single\"\n{network}\n\
         [[ue]]\nname = \"phone\"\n{ue}\n\
         [[flow]]\nname = \"down\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    )
}

/// The UEs of 40 seeds.
fn dropped(network: &str, ue: &str) -> Vec<DroppedUe> {
    let scenario = Scenario::parse("s.toml", &text(network, ue), &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let drop = |seed| NetworkDrop::new(&scenario, Seed(seed)).expect("a drop").expect("a network");
    (1..=40).flat_map(|seed| drop(seed).ues).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn loss_and_sight_at_a_distance() {
    // UMi at 100 m and 2 GHz, 10 m to 1.5 m high, 100.36 m apart. 18/d + exp(-d/36) (1 - 18/d) of the
    // UEs see the cell (TR 38.901, table 7.4.2-1). Their loss is 32.4 + 21 log d + 20 log f. That of the
    // others is 35.3 log d + 22.4 + 21.3 log f (table 7.4.1-1).
    let ues = dropped("environment = \"umi\"\nindoors = 0", "count = 50\ndistance = \"100 m\"");
    assert!(ues.iter().all(|ue| (ue.link.span.ground_m - 100.0).abs() < 1e-9 && ue.cell == 0));
    let seen = |ue: &&DroppedUe| format!("{:?}", ue.link.condition.sight) == "Los";
    let share = ues.iter().filter(seen).count() as f64 / ues.len() as f64;
    assert!((share - 0.231).abs() < 0.04, "{share}");
    let loss = |sees| mean(ues.iter().filter(|ue| seen(ue) == sees).map(|ue| ue.link.loss_db));
    let [los, nlos] = [loss(true), loss(false)];
    assert!((los - 80.45).abs() < 2.0, "{los}");
    assert!((nlos - 99.47).abs() < 3.0, "{nlos}");
    // An antenna of one element sends alike in all directions.
    let one = "environment = \"umi\"\nindoors = 0\nantenna = { elements = 1, gain = \"straight\" }";
    for ue in dropped(one, "count = 20\ndistance = \"100 m\"") {
        assert!((ue.gain.0 + ue.link.loss_db).abs() < 1e-6, "{:?}", ue.gain);
    }
}

#[test]
fn distances_are_drawn_evenly_by_area() {
    let ring = "count = 50\ndistance = { min = \"100 m\", max = \"300 m\" }";
    let ues = dropped("environment = \"rma\"", ring);
    let metres = |ue: &DroppedUe| ue.link.span.ground_m;
    assert!(ues.iter().all(|ue| (100.0..=300.0).contains(&metres(ue))));
    // The mean square of a ring is that of its radii; all directions are alike.
    let square = mean(ues.iter().map(|ue| metres(ue) * metres(ue)));
    assert!((square / 50_000.0 - 1.0).abs() < 0.05, "{square}");
    let east = mean(ues.iter().map(|ue| ue.ue.at.x / metres(ue)));
    assert!(east.abs() < 0.07, "{east}");
    // Without a distance they are within the radius.
    let ues = dropped("environment = \"rma\"\nradius = \"400 m\"", "count = 10");
    assert!(ues.iter().all(|ue| (35.0..=400.0).contains(&metres(ue))));
}

#[test]
fn mistakes_say_what_is_allowed() {
    let error = |network: &str, ue: &str| {
        let read = Scenario::parse("s.toml", &text(network, ue), &[]);
        read.expect_err(ue).plain()
    };
    let near = error("environment = \"umi\"", "distance = { min = \"2 m\", max = \"50 m\" }");
    assert!(near.contains("distance` cannot be so"), "{near}");
    let both = error("", "distance = \"50 m\"\nplace = { x = \"50 m\", y = \"0 m\" }");
    assert!(both.contains("is beside distance"), "{both}");
    let snr = error("", "snr = \"9 dB\"");
    assert!(snr.contains("does not count in a network"), "{snr}");
    let sites = error("sites = 3", "distance = \"50 m\"");
    assert!(sites.contains("does not count with layout \"single\""), "{sites}");
    let other = text("sites = 1", "distance = \"50 m\"").replace("\"single\"", "\"hexagonal\"");
    let other = Scenario::parse("s.toml", &other, &[]).expect_err("no distance").plain();
    assert!(other.contains("network.layout = \"single\""), "{other}");
}
