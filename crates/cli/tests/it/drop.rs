//! `airpath drop` as a user meets it.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::airpath;

const NETWORK: &str = r#"duration = "1 s"
[network]
sites = 7
carrier = "700 MHz"
[[ue]]
name = "video"
count = 60
"#;

fn drop(text: &str, args: &[&str]) -> (i32, String, String) {
    let folder = TempDir::new().expect("a folder");
    drop_in(folder.path(), text, args)
}

fn drop_in(folder: &Path, text: &str, args: &[&str]) -> (i32, String, String) {
    fs::write(folder.join("network.toml"), text).expect("written");
    let output = airpath(folder, &[&["drop", "network.toml"], args].concat());
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn json(text: &str, args: &[&str]) -> Value {
    let (code, out, error) = drop(text, &[&["--json"], args].concat());
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn ues_are_in_the_hexagons_and_served_by_the_strongest() {
    let all = json(NETWORK, &[]);
    assert_eq!(all["cells"].as_array().expect("cells").len(), 21);
    let ues = all["ues"].as_array().expect("ues");
    assert_eq!(ues.len(), 60);
    for ue in ues {
        let number = |key: &str| ue[key].as_f64().expect(key);
        // Seven hexagons of 500 m reach 764 m from the centre.
        assert!(number("x_m").powi(2) + number("y_m").powi(2) < 765.0_f64.powi(2), "{ue}");
        assert!(number("distance_m") >= 35.0 && number("cell") < 21.0, "{ue}");
        // 46 dBm over 600 subcarriers: 18.218 dBm each.
        let off = number("rsrp_dbm") - number("coupling_gain_db") - 18.218;
        assert!(off.abs() < 0.002, "{ue}");
    }
    // -174 dBm/Hz over 9 MHz and 9 dB.
    assert_eq!(all["noise_dbm"], -95.458);
}

#[test]
fn one_more_ue_and_another_group_move_nobody() {
    let before = json(NETWORK, &[]);
    let more = NETWORK.replace("[[ue]]", "[[ue]]\nname = \"web\"\ncount = 3\n[[ue]]");
    let after = json(&more.replace("count = 60", "count = 61"), &[]);
    let ues = after["ues"].as_array().expect("ues");
    assert_eq!(before["ues"].as_array().expect("ues")[..], ues[3..63]);
    assert_ne!(before["ues"], json(NETWORK, &["--seed", "2"])["ues"]);
    assert_eq!(before, json(NETWORK, &["--seed", "1"]));
}

#[test]
fn a_place_is_kept_and_sites_may_be_given() {
    let text = r#"duration = "1 s"
[network]
environment = "umi"
radius = "150 m"
[[network.site]]
x = "0 m"
y = "0 m"
sectors = ["0 deg"]
[[network.site]]
x = "-100 m"
y = "50 m"
[[ue]]
name = "fixed"
place = { x = "40 m", y = "-20 m", height = "4.5 m", inside = "building" }
[[ue]]
name = "dropped"
count = 20
"#;
    let all = json(text, &[]);
    let cells = all["cells"].as_array().expect("cells");
    let azimuths: Vec<f64> =
        cells.iter().map(|cell| cell["azimuth_deg"].as_f64().expect("degrees")).collect();
    assert_eq!(azimuths, [0.0, 30.0, 150.0, 270.0]);
    let ues = all["ues"].as_array().expect("ues");
    let fixed = ["x_m", "y_m", "height_m"].map(|key| ues[0][key].as_f64().expect("a number"));
    assert_eq!((fixed, &ues[0]["inside"]), ([40.0, -20.0, 4.5], &"building".into()));
    for ue in &ues[1..] {
        let [x, y] = ["x_m", "y_m"].map(|key| ue[key].as_f64().expect("a number"));
        assert!(x * x + y * y <= 150.0 * 150.0, "{ue}");
    }
}

#[test]
fn tables_fit_the_screen_and_the_map_is_drawn() {
    let folder = TempDir::new().expect("a folder");
    let (code, out, error) = drop_in(folder.path(), NETWORK, &["--map", "map.svg"]);
    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with("UMa, 0.7 GHz, 7 sites, 21 cells, wrap-around; 60 UEs"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    assert!(
        out.contains("and 48 more: --json has them all\n") && out.lines().count() < 24,
        "{out}"
    );
    let last = out.lines().last().expect("lines");
    assert!(last.starts_with("geometry, dB"), "{out}");
    let map = fs::read_to_string(folder.path().join("map.svg")).expect("a map");
    assert!(map.starts_with("<svg ") && map.ends_with("</svg>\n"), "{map}");
    assert_eq!(map.matches("<title>video-").count(), 60);
    assert_eq!(map.matches("<title>cell ").count(), 21);
    let (code, _, error) = drop_in(folder.path(), NETWORK, &["--map", "map.PNG"]);
    assert_eq!(code, 0, "{error}");
    let pixels = fs::read(folder.path().join("map.PNG")).expect("a map");
    assert!(pixels.starts_with(b"\x89PNG\r\n"));
}

#[test]
fn what_cannot_be_is_refused_at_its_line() {
    let given = |place: &str| format!("{NETWORK}[[ue]]\nname = \"one\"\nplace = {place}\n");
    for (text, words) in [
        (NETWORK.replace("sites = 7", "sites = 8"), ["network.toml:3", "1, 3, 4, 7, 9, 12"]),
        (NETWORK.replace("700 MHz", "200 MHz"), ["network.toml:4", "0.5 GHz to 100 GHz"]),
        (
            NETWORK.replace("sites = 7", "indoors = 0.9\nin_cars = 0.2"),
            ["network.toml:3", "from 0 to 1"],
        ),
        (
            NETWORK.replace("sites = 7", "min_distance = \"400 m\""),
            ["network.toml:3", "10 m to 250 m"],
        ),
        (
            NETWORK.replace("sites = 7", "radius = \"1 km\""),
            ["network.toml:3", "layout = \"given\""],
        ),
        (
            NETWORK.replace("sites = 7", "layout = \"given\""),
            ["network.toml:3", "[[network.site]]"],
        ),
        (
            NETWORK.replace("sites = 7", "layout = \"office\""),
            ["network.toml:3", "\"inh-open\" or"],
        ),
        (
            NETWORK.replace("sites = 7", "site_distance = \"15 m\""),
            ["network.toml", "must be farther apart"],
        ),
        (NETWORK.replace("count = 60", "snr = \"20 dB\""), ["network.toml:7", "leave it out"]),
        (NETWORK.replace("count = 60", "distance = \"500 m\""), ["network.toml:7", "leave it out"]),
        (
            NETWORK.replace("count = 60", "count = 2\nplace = { x = \"90 m\", y = \"0 m\" }"),
            ["network.toml:8", "a group of one UE"],
        ),
        (
            given("{ x = \"3 m\", y = \"4 m\" }"),
            ["network.toml:10", "5.0 m from site 0: at least 10 m"],
        ),
        (
            given("{ x = \"90 m\", y = \"4 m\", height = \"90 m\" }"),
            ["network.toml:10", "1.5 m to 22.5 m"],
        ),
        (
            "duration = \"1 s\"\n[[ue]]\nname = \"one\"\nplace = { x = \"3 m\", y = \"4 m\" }\n"
                .to_owned(),
            ["network.toml:4", "add [network]"],
        ),
        (
            "duration = \"1 s\"\n[[ue]]\nname = \"one\"\nsnr = \"3 dB\"\n".to_owned(),
            ["network.toml has no network", "add [network]"],
        ),
        (format!("radio = \"none\"\n{NETWORK}"), ["network.toml:3", "needs a radio"]),
    ] {
        let (code, _, error) = drop(&text, &[]);
        let plain = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, 2, "{text}");
        assert!(words.iter().all(|word| plain.contains(word)), "{error} {words:?}");
    }
}

#[test]
fn a_network_that_runs_shows_its_cells_and_ends_with_its_flows() {
    let folder = TempDir::new().expect("a folder");
    let flow = "[[flow]]\nname = \"page\"\nkind = \"rtp\"\ndirection = \"down\"\n";
    fs::write(folder.path().join("network.toml"), NETWORK.to_owned() + flow).expect("written");
    let output = airpath(folder.path(), &["run", "network.toml"]);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(0), "{error}");
    let text = String::from_utf8(output.stdout).expect("text");
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}: {text}"));
    // Seven sites of three cells; in a network the control channel is limited.
    assert!(place("of 21 cells") < place("\nmedian"), "{text}");
    assert!(place("PDCCH") < place("goodput, Mbit/s"), "{text}");
    assert!(text.lines().count() < 30 && text.lines().all(|line| line.len() <= 80), "{text}");
    let check = airpath(folder.path(), &["check", "network.toml", "--resolved"]);
    let resolved = String::from_utf8(check.stdout).expect("text");
    for line in ["site_distance = \"500 m\"", "downtilt = \"12 deg\"", "buildings = \"mixed\""] {
        assert!(resolved.contains(line), "{resolved}");
    }
}
