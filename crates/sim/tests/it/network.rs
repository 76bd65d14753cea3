//! Networks, from the file to the results.

use airpath_results::{FlowSummary, RunSummary};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn summary(text: &str, overrides: &[&str]) -> RunSummary {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scenario = Scenario::parse("s.toml", text, &overrides);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

const FULL: &str = r#"
duration = "20 s"
[cell]
resource_blocks = 50
[network]
sites = 1
site_distance = "500 m"
[[ue]]
name = "phone"
count = 12
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
"#;

/// Bits a second of all, and the share of first transmissions that failed by UE. UEs count that had
/// many, and neither the least nor the largest MCS all the time.
fn full_buffers(overrides: &[&str]) -> (f64, Vec<f64>) {
    let summary = summary(FULL, overrides);
    let rates = summary.flows.iter().filter_map(|flow| flow.goodput_bps);
    let within = |mcs: f64| (1.0..26.0).contains(&mcs);
    let both = summary.ues.iter().flat_map(|ue| [&ue.down, &ue.up]);
    let many = both.filter(|one| one.transmissions >= 5_000 && one.mean_mcs.is_some_and(within));
    (rates.sum(), many.filter_map(|one| one.bler_first).collect())
}

#[test]
fn one_in_ten_first_transmissions_fails_at_any_speed() {
    for (speed, direction) in
        [("0 km/h", "down"), ("3 km/h", "down"), ("30 km/h", "down"), ("3 km/h", "up")]
    {
        let speed = format!("ue.phone.speed=\"{speed}\"");
        let direction = format!("flow.down.direction=\"{direction}\"");
        let still = "network.fading.scatterers=\"0 km/h\"";
        let (_, failing) = full_buffers(&[&speed, &direction, still]);
        let what = format!("{speed} {direction}: {failing:?}");
        assert!(failing.len() >= 4, "{what}");
        assert!(failing.iter().all(|share| (0.09..0.11).contains(share)), "{what}");
    }
}

#[test]
fn proportional_fair_gains_by_fading_that_it_can_follow() {
    let gain = |speed: &str| {
        let speed = format!("ue.phone.speed=\"{speed}\"");
        let of =
            |scheduler: &str| full_buffers(&[&speed, &format!("cell.scheduler=\"{scheduler}\"")]).0;
        of("proportional-fair") / of("round-robin")
    };
    let (slow, fast) = (gain("3 km/h"), gain("120 km/h"));
    assert!(slow > 1.15 && fast < 1.03, "{slow} {fast}");
}

/// Two cells that look at each other; a user of each between them.
const UPLOADS: &str = r#"
duration = "8 s"
[cell]
resource_blocks = 25
[network]
antenna = { elements = 1 }
[[network.site]]
x = "0 m"
y = "0 m"
sectors = ["0 deg"]
[[network.site]]
x = "400 m"
y = "0 m"
sectors = ["180 deg"]
[[ue]]
name = "web"
place = { x = "150 m", y = "10 m" }
[[ue]]
name = "rest"
place = { x = "250 m", y = "-10 m" }
[[flow]]
name = "request"
ue = ["web"]
kind = "tcp"
direction = "up"
size = "500 kB"
start = "1 s"
[[flow]]
name = "upload"
ue = ["rest"]
kind = "tcp"
direction = "up"
"#;

fn request(overrides: &[&str]) -> FlowSummary {
    summary(UPLOADS, overrides).flows.swap_remove(0)
}

#[test]
fn what_users_of_other_cells_send_delays_uploads() {
    let mean = |overrides: &[&str]| request(overrides).delay_ms.expect("packets").mean;
    let [busy, alone] = [mean(&[]), mean(&["flow.upload.start=\"7900 ms\""])];
    assert!(busy > 1.2 * alone, "{alone} {busy}");
    // The other one has less path loss: it is quiet by power control, and loud without.
    let users = ["flow.request.ue=[\"rest\"]", "flow.upload.ue=[\"web\"]"];
    let off = "network.uplink.power_control=\"off\"";
    let (quiet, loud) = (mean(&users), mean(&[users[0], users[1], off]));
    assert!(loud > 1.2 * quiet, "{quiet} {loud}");
}

#[test]
fn one_more_ue_moves_nobody() {
    let more = UPLOADS.replacen("[[ue]]", "[[ue]]\nname = \"idle\"\ncount = 3\n[[ue]]", 1);
    let [before, after] = [UPLOADS, &more].map(|text| summary(text, &[]).flows);
    assert_eq!(before, after);
}

#[test]
fn the_channel_of_a_single_cell_moves() {
    let text = FULL.replace("sites = 1\nsite_distance = \"500 m\"", "layout = \"single\"");
    let text = text.replace("count = 12", "count = 3\ndistance = \"200 m\"");
    let text = text.replace("20 s", "5 s");
    let spread = |overrides: &[&str]| -> Vec<f64> {
        let spread = |ue: &airpath_results::UeSummary| {
            let sinr = ue.down.sinr.as_ref().expect("transmissions");
            sinr.p95_db - sinr.p5_db
        };
        summary(&text, overrides).ues.iter().map(spread).collect()
    };
    // Rayleigh fading over 9 MHz and nine ways at least halves and doubles the power now and then.
    let moving = spread(&["ue.phone.speed=\"30 km/h\""]);
    assert!(moving.iter().all(|db| *db > 3.0), "{moving:?}");
    let still = spread(&["network.fading.scatterers=\"0 km/h\""]);
    assert!(still.iter().all(|db| *db < 1.0), "{still:?}");
}
