//! `airpath drop` as a user meets it.

use std::fs;
use std::path::Path;

use airpath_base::math::log10;
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
fn ues_with_256qam_are_counted() {
    let text = "duration = \"1 s\"\n[[ue]]\nname = \"near\"\nsnr = \"40 dB\"\n\
                [[ue]]\nname = \"far\"\nsnr = \"5 dB\"\n";
    let large = ["--set", "cell.link_adaptation.mcs_table=256qam"];
    let (_, screen, _) = drop(text, &large);
    assert!(
        screen.contains("1 of 2 UEs have 256QAM downlink, which is MCS 20 and above"),
        "{screen}"
    );
    // 40 dB: MCS 26, as MCS 27 is above a code rate of 0.93 with three symbols of control.
    let all = json(text, &large);
    assert_eq!((&all["first_256qam"], &all["ues"][0]["down"]["mcs"]), (&20.into(), &26.into()));
    assert_eq!(all["ues"][0]["up"]["mcs"], 28);
    let (_, screen, _) = drop(text, &[]);
    assert!(!screen.contains("QAM"), "{screen}");
    assert!(json(text, &[]).get("first_256qam").is_none());
}

/// Two further carriers: a high one of the same width with uplink, a low one of half the width.
const CARRIERS: &str = r#"
[[carrier]]
name = "high"
frequency = "2.6 GHz"
uplink = true
frequency_up = "2.5 GHz"
[[carrier]]
name = "low"
frequency = "700 MHz"
resource_blocks = 25
"#;

#[test]
fn each_carrier_of_a_network_has_its_path_loss() {
    // UMi with line of sight, nearer than the breakpoint: 20 lg of the frequency (TR 38.901, table
    // 7.4.1-1). Shadowing is that of the cells' own carrier. Half the width has twice the power for each resource
    // element. 4 h' h' f / c is 42 m at 0.7 GHz, with 9 m and 0.5 m.
    let text = format!(
        "duration = \"1 s\"\n[network]\nlayout = \"single\"\nenvironment = \"umi\"\n\
         indoors = 0\nin_cars = 0\ncarrier = \"2 GHz\"\nue_height = \"1.5 m\"\n\
         [cell]\nresource_blocks = 50\n{CARRIERS}\
         [[ue]]\nname = \"a\"\ncount = 20\ndistance = \"30 m\"\n"
    );
    let all = json(&text, &[]);
    let ues = all["ues"].as_array().expect("ues");
    let seen: Vec<&Value> = ues.iter().filter(|ue| ue["line_of_sight"] == true).collect();
    assert!(seen.len() > 5, "{}", seen.len());
    for ue in seen {
        let rsrp = |n: usize| ue["carriers"][n]["rsrp_dbm"].as_f64().expect("a level");
        assert_eq!(ue["carriers"][0]["rsrp_dbm"], ue["rsrp_dbm"]);
        let off = [1, 2].map(|n| rsrp(n) - rsrp(0));
        let expected = [-20.0 * log10(1.3), 20.0 * log10(2.0 / 0.7) + 10.0 * log10(2.0)];
        assert!(off.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.003), "{off:?}");
    }
    for ue in ues {
        let sum = |way: &str| {
            let rates = ue["carriers"].as_array().expect("carriers").iter();
            rates.filter_map(|one| one[way]["rate_bps"].as_u64()).sum::<u64>()
        };
        for way in ["down", "up"] {
            assert_eq!(ue[way]["rate_bps"].as_u64(), Some(sum(way)), "{ue}");
        }
        assert!(ue["carriers"][2]["up"].is_null() && !ue["carriers"][2]["down"].is_null());
    }
}

#[test]
fn each_carrier_of_a_single_cell_is_shown() {
    // Friis: 20 lg of the frequency, far beyond the least coupling loss. Half the width has twice the power.
    let text = format!(
        "duration = \"1 s\"\n[cell]\nresource_blocks = 50\nradio.path_loss = \"free-space\"\n\
         radio.carrier = \"2.12 GHz\"\n{CARRIERS}\
         [[ue]]\nname = \"far\"\ndistance = \"20 km\"\n[[ue]]\nname = \"given\"\nsnr = \"20 dB\"\n"
    );
    let all = json(&text, &[]);
    let rsrp = |n: usize| all["ues"][0]["carriers"][n]["rsrp_dbm"].as_f64().expect("a level");
    let expected = 20.0 * log10(2.12 / 0.7) + 10.0 * log10(2.0);
    assert!((rsrp(2) - rsrp(0) - expected).abs() < 0.003, "{} {}", rsrp(2), rsrp(0));
    // Noise of a resource element: -174 dBm/Hz over 15 kHz and 9 dB.
    for carrier in all["ues"][0]["carriers"].as_array().expect("carriers") {
        let sinr = carrier["down"]["sinr_db"].as_f64().expect("a level");
        let off = sinr - carrier["rsrp_dbm"].as_f64().expect("a level");
        assert!((off - (174.0 - 10.0 * log10(15_000.0) - 9.0)).abs() < 0.01, "{carrier}");
    }
    let names = all["ues"][1]["carriers"].as_array().expect("carriers");
    assert!(names.iter().map(|one| &one["name"]).eq(["cell", "high", "low"]));
    let (_, screen, _) = drop(&text, &[]);
    assert_eq!(screen.lines().filter(|line| line.starts_with("+ ")).count(), 4, "{screen}");
    assert!(screen.contains("high (2.6 GHz), low (0.7 GHz)"), "{screen}");
    // With many carriers the screen shows fewer UEs.
    let many: String = (0..4)
        .map(|n| format!("[[carrier]]\nname = \"c{n}\"\nfrequency = \"{} MHz\"\n", 1000 + 100 * n))
        .collect();
    let all = text.replace(CARRIERS, &many).replace("name = \"far\"", "name = \"far\"\ncount = 30");
    let (code, screen, error) = drop(&all, &[]);
    assert!(code == 0 && screen.lines().count() <= 24, "{error}{screen}");
    assert!(screen.contains("and 29 more: --json has them all"), "{screen}");
}

#[test]
fn screens_with_many_carriers_and_long_names_stay_narrow_and_short() {
    let name = |n: usize| format!("a carrier with the number {n}");
    let carriers: String = (0..16)
        .map(|n| {
            let (name, mhz) = (name(n), 3_000 + 50 * n);
            format!("[[carrier]]\nname = \"{name}\"\nfrequency = \"{mhz} MHz\"\n")
        })
        .collect();
    let text = format!(
        "duration = \"1 s\"\n[cell]\ntechnology = \"nr\"\nbandwidth = \"20 MHz\"\nduplex = \"tdd\"\n\
         tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n\
         [network]\nsites = 1\ncarrier = \"2.6 GHz\"\n{carriers}[[ue]]\nname = \"a\"\ncount = 9\n"
    );
    let (code, screen, error) = drop(&text, &[]);
    assert!(code == 0 && screen.lines().count() <= 47, "{error}{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    assert!(screen.contains("and 12 more, which --json has"), "{screen}");
    let all = json(&text, &[]);
    let carriers = all["ues"][0]["carriers"].as_array().expect("carriers");
    assert_eq!((carriers.len(), &carriers[16]["name"]), (17, &name(15).into()));
    assert_eq!(
        (&carriers[0]["carrier_ghz"], &carriers[1]["carrier_ghz"]),
        (&2.6.into(), &3.0.into())
    );
}

#[test]
fn a_ue_out_of_range_in_its_cell_has_the_rate_of_a_further_carrier() {
    // MCS 20 is I_TBS 18: 19 848 bits in 50 resource blocks (TS 36.213, tables 7.1.7.1-1 and 7.1.7.2.1-1).
    let text = "duration = \"1 s\"\n[cell]\nresource_blocks = 50\n[[carrier]]\nname = \"good\"\n\
                frequency = \"2.14 GHz\"\nsnr_offset = \"20 dB\"\n\
                [[ue]]\nname = \"a\"\nsnr = { down = \"-7.5 dB\", up = \"20 dB\" }\n";
    let (_, screen, _) = drop(text, &[]);
    let row = |name: &str| screen.lines().find(|line| line.starts_with(name)).unwrap_or("");
    assert!(row("a ").contains("-7.5    -     19.8"), "{screen}");
    assert!(row("+ good").contains("12.5   20     19.8"), "{screen}");
}

#[test]
fn a_ue_without_service_has_no_carriers() {
    let text = format!(
        "duration = \"1 s\"\n[cell]\nresource_blocks = 50\nq_rx_lev_min = \"-60 dBm\"\n\
         radio.path_loss = \"free-space\"\nradio.carrier = \"2.12 GHz\"\n{CARRIERS}\
         [[ue]]\nname = \"far\"\ndistance = \"10 km\"\n"
    );
    let (_, screen, _) = drop(&text, &[]);
    assert!(screen.contains("no service") && !screen.contains("+ low"), "{screen}");
    let all = json(&text, &[]);
    assert!(all["ues"][0]["carriers"][2]["down"].is_null());
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
        out.contains("and 56 more: --json has them all\n") && out.lines().count() <= 24,
        "{out}"
    );
    let last = out.lines().last().expect("lines");
    assert_eq!(last, "all 60 UEs are within reach in both directions");
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
        (format!("radio = \"none\"\n{NETWORK}"), ["network.toml:3", "needs a radio"]),
    ] {
        let (code, _, error) = drop(&text, &[]);
        let plain = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, 2, "{text}");
        assert!(words.iter().all(|word| plain.contains(word)), "{error} {words:?}");
    }
}

const CELL: &str = r#"duration = "1 s"
[[ue]]
name = "near"
snr = "30 dB"
[[ue]]
name = "far"
snr = { down = "-15 dB", up = "20 dB" }
[[ue]]
name = "ring"
distance = "500 m"
[[ue]]
name = "cellar"
distance = "60 km"
"#;

#[test]
fn a_single_cell_says_what_each_ue_will_have() {
    let all = json(CELL, &[]);
    let ue = |n: usize| &all["ues"][n];
    // TS 36.213, table 7.1.7.2.1-1: I_TBS 26 in 50 resource blocks, 36 696 bits a millisecond;
    // downlink I_TBS 25, 31 704 bits, as a code rate above 0.93 need not be decoded (7.1.7).
    assert_eq!((ue(0)["down"]["mcs"].as_u64(), ue(0)["up"]["mcs"].as_u64()), (Some(27), Some(28)));
    assert_eq!(ue(0)["down"]["rate_bps"], 31_704_000);
    assert_eq!(ue(0)["up"]["rate_bps"], 36_696_000);
    assert_eq!(
        (&ue(1)["down"]["in_range"], &ue(1)["up"]["in_range"]),
        (&false.into(), &true.into())
    );
    assert_eq!((&ue(1)["down"]["sinr_db"], &ue(1)["down"]["mcs"]), (&(-15.0).into(), &Value::Null));
    // TR 36.942, 4.5.2, at 2120 MHz and 500 m, 15 m above roofs: 80 - 18 log10(15) + 21 log10(2120)
    // + 37.6 log10(0.5) = 117.365 dB. A resource element has 46 + 15 - 27.782 dBm before that.
    let rsrp = ue(2)["rsrp_dbm"].as_f64().expect("RSRP");
    assert!((rsrp + 84.147).abs() < 0.005, "{rsrp}");
    assert_eq!((&ue(3)["service"], &ue(3)["down"]), (&false.into(), &Value::Null));
    assert_eq!((&ue(0)["rsrp_dbm"], &ue(0)["service"]), (&Value::Null, &true.into()));
    assert_eq!(all["warnings"].as_array().map(Vec::len), Some(2));
    let (code, out, error) = drop(CELL, &[]);
    assert_eq!(code, 0, "{error}");
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    for words in [
        "one cell, LTE; 4 UEs, seed 1",
        "2 of 4 UEs are within reach in both directions",
        "warning: 1 UE has no service, no cell is suitable: cellar",
        "warning: 1 UE is out of range downlink, CQI 0: far (SINR -15.0 dB)",
        "cell.q_rx_lev_min, is -140 dBm",
    ] {
        assert!(out.contains(words), "no {words}: {out}");
    }
    let (code, _, error) = drop(CELL, &["--map", "map.svg"]);
    assert!(code == 2 && error.contains("no network, which --map draws"), "{error}");
    let (code, _, error) =
        drop("duration = \"1 s\"\nradio = \"none\"\n[[ue]]\nname = \"a\"\n", &[]);
    assert!(code == 2 && error.contains("has no cell"), "{error}");
}

#[test]
fn any_technology_is_said_and_ues_in_any_number() {
    let nr = "[cell]\ntechnology = \"nr\"\nbandwidth = \"100 MHz\"\nduplex = \"tdd\"\n\
              tdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n";
    let text =
        format!("duration = \"1 s\"\n{nr}[[ue]]\nname = \"a\"\ncount = 40\nsnr = \"-20 dB\"\n");
    let (code, out, error) = drop(&text, &[]);
    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with("one cell, NR; 40 UEs"), "{out}");
    assert!(
        out.contains("and 30 more: --json has them all\n") && out.lines().count() <= 24,
        "{out}"
    );
    assert!(out.contains("0 of 40 UEs are within reach"), "{out}");
    assert!(out.contains("40 UEs are out of range uplink: a-0 (SINR -20.0 dB)"), "{out}");
    assert!(out.contains("and 34 more"), "{out}");
    let near = json(&text.replace("-20 dB", "40 dB"), &[]);
    let rate = |way: &str| near["ues"][0][way]["rate_bps"].as_f64().expect("a rate") / 1e6;
    // Three whole slots and 9 of 14 symbols of a special one in five; one uplink. Downlink has 7.4063
    // bits a symbol, uplink 5.5547 (TS 38.214, tables 5.1.3.1-2 and 5.1.3.1-1): 4/3 of 3.4 to 3.8.
    assert!((4.5..5.1).contains(&(rate("down") / rate("up"))), "{} {}", rate("down"), rate("up"));
}

#[test]
fn rates_with_time_division_of_lte() {
    // Six whole subframes and two special ones of ten, two uplink (TS 36.211, table 4.2-2): 36 696
    // bits in 50 resource blocks, 27 376 in 37 (TS 36.213, 7.1.7 and table 7.1.7.2.1-1).
    let text = "duration = \"1 s\"\n[cell]\nresource_blocks = 50\nduplex = \"tdd\"\n\
                tdd_configuration = 2\nlink_adaptation.code_rate_limit = \"none\"\n\
                [[ue]]\nname = \"a\"\nsnr = \"60 dB\"\n";
    let found = json(text, &[]);
    let rates = ["down", "up"].map(|way| found["ues"][0][way]["rate_bps"].as_u64());
    assert_eq!(rates, [Some(100 * (6 * 36_696 + 2 * 27_376)), Some(100 * 2 * 36_696)]);
}

#[test]
fn a_run_warns_of_who_is_out_of_reach() {
    let flow = "[[flow]]\nname = \"page\"\nkind = \"rtp\"\ndirection = \"down\"\n";
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("cell.toml"), CELL.to_owned() + flow).expect("written");
    let output = airpath(folder.path(), &["run", "cell.toml"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "page far: nothing arrived: far is out of range downlink, at SINR -15.0 dB (CQI 0).",
        "page cellar: nothing arrived: cellar has no service:",
        "warning: 1 UE is out of range downlink, CQI 0: far (SINR -15.0 dB)",
        "warning: 1 UE has no service",
    ] {
        assert!(text.contains(words), "no {words}: {text}");
    }
    assert!(!text.contains("page near: nothing") && !text.contains("page ring: nothing"), "{text}");
    let output = airpath(folder.path(), &["run", "cell.toml", "--json"]);
    let error = String::from_utf8(output.stderr).expect("text");
    assert!(error.contains("warning: 1 UE is out of range downlink, CQI 0: far"), "{error}");
    let (code, _, error) = drop(
        &CELL.replace(
            "[[ue]]\nname = \"near\"",
            "[cell.radio]\npath_loss = \"uma\"\n[[ue]]\nname = \"near\"",
        ),
        &[],
    );
    let plain = error.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        code == 2 && plain.contains("UMa, UMi and RMa (TR 38.901) are in [network]"),
        "{plain}"
    );
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

/// A car that goes 800 m from one of two sites to the other in 40 s.
const ROUTE: &str = r#"duration = "40 s"
[network]
layout = "given"
radius = "2 km"
site = [{ x = "0 m", y = "0 m" }, { x = "1 km", y = "0 m" }]
[network.handover]
[[ue]]
name = "desk"
place = { x = "100 m", y = "40 m" }
[[ue]]
name = "car"
inside = "car"
route = { kind = "waypoints", point = [{ x = "100 m", y = "40 m" }, { x = "900 m", y = "40 m" }], speed = "72 km/h" }
"#;

#[test]
fn a_path_has_positions_cells_and_rates() {
    let path = json(ROUTE, &["--along", "car", "--every", "200 m"]);
    assert_eq!((&path["ue"], &path["every_m"]), (&"car".into(), &200.0.into()));
    let points = path["points"].as_array().expect("points");
    // 20 m/s: 200 m each 10 s, and the last point at the end of the route and of the run.
    let of = |key: &str| -> Vec<f64> {
        points.iter().map(|point| point[key].as_f64().expect(key)).collect()
    };
    assert_eq!(of("time_s"), [0.0, 10.0, 20.0, 30.0, 40.0]);
    assert_eq!(of("x_m"), [100.0, 300.0, 500.0, 700.0, 900.0]);
    assert_eq!(of("way_m"), [0.0, 200.0, 400.0, 600.0, 800.0]);
    assert_eq!(of("y_m"), [40.0; 5]);
    // Sites have three cells each.
    assert!(of("cell")[0] < 3.0 && of("cell")[4] > 2.0, "{points:?}");
    // The first point is the drop.
    let dropped = &json(ROUTE, &[])["ues"][1];
    for key in ["cell", "rsrp_dbm", "geometry_db", "down", "up"] {
        assert_eq!(points[0][key], dropped[key], "{key}");
    }
    assert_ne!(points[0]["down"], points[2]["down"]);
    let kept = ROUTE.replace("[network.handover]", "");
    let kept = json(&kept, &["--along", "car", "--every", "10 s"]);
    let kept = kept["points"].as_array().expect("points");
    assert!(kept.iter().all(|point| point["cell"] == points[0]["cell"]), "{kept:?}");
    // Far from its cell and near to the other site, all cells sending.
    assert!(kept[4]["geometry_db"].as_f64() < Some(-10.0), "{}", kept[4]);
}

#[test]
fn a_path_is_at_most_a_screen() {
    for every in [&[][..], &["--every", "10 ms"]] {
        let (code, screen, _) = drop(ROUTE, &[&["--along", "car"], every].concat());
        let lines: Vec<&str> = screen.lines().collect();
        assert!(code == 0 && lines.len() <= 24, "{screen}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{screen}");
    }
    let (_, screen, _) = drop(ROUTE, &["--along", "car", "--every", "10 ms"]);
    // 4,001 positions, of which 13 are shown.
    assert!(screen.contains("and 3988 more: --json has them all"), "{screen}");
    let (_, screen, _) = drop(ROUTE, &[]);
    assert!(screen.ends_with("on its route: airpath drop network.toml --along car\n"), "{screen}");
}

#[test]
fn a_path_needs_a_ue_with_a_route() {
    for (args, says) in [
        (&["--along", "desk"][..], "desk has no route: give its group a ue.route"),
        (&["--along", "bus"], "no UE is named bus: groups are desk, car"),
        (&["--along", "car", "--every", "1 ms"], "more than 10000 positions"),
        (&["--along", "car", "--every", "0 m"], "it must be above 0 m"),
        (&["--every", "1 s"], "--along"),
    ] {
        let (code, _, error) = drop(ROUTE, args);
        assert!(code == 2 && error.contains(says), "{code} {error}");
    }
}
