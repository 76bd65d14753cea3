//! Rates that a cell exposes to the encoders of media.

use airpath_base::random::Seed;
use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, Probe};
use airpath_scenario::Scenario;
use airpath_scenario::world::World;

const NR: &str = "technology = \"nr\"\nbandwidth = \"5 MHz\"";

/// Video over a cell with these keys of cell, bearer and flow, beside full buffers of this number of UEs.
fn text(cell: &str, bearer: &str, flow: &str, others: u32) -> String {
    let others = match others {
        0 => String::new(),
        n => format!(
            "[[ue]]\nname = \"other\"\ncount = {n}\nsnr = \"30 dB\"\n[[flow]]\nname = \"load\"\n\
             ue = \"other\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
        ),
    };
    format!(
        "duration = \"2 s\"\n[path]\nsgi = {{ rate = \"1 Gbit/s\", delay = \"2 ms\" }}\n[cell]\n{cell}\n\
         [[ue]]\nname = \"phone\"\nsnr = \"30 dB\"\n{others}[[bearer]]\nname = \"media\"\n\
         default = true\nue = \"phone\"\n{bearer}\n\
         [[flow]]\nname = \"video\"\nue = \"phone\"\nkind = \"rtp\"\n{flow}\n"
    )
}

fn read(text: &str) -> Result<Scenario, String> {
    Scenario::parse("s.toml", text, &[]).map_err(|errors| errors.plain())
}

/// Bytes of the frames that the encoder makes in the last second.
#[derive(Default)]
struct Made(u64);

impl Probe for Made {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        if let Event::App(FlowId(_), AppEvent::Frame(made)) = event
            && (Time::from_millis(1_000)..Time::from_millis(2_000)).contains(&now)
        {
            self.0 += u64::from(made.bytes);
        }
    }
}

/// Encoder of equal frames.
const FIXED: &str = "rtp.video = { frame_rate = 100, key_frames = \"off\", variation = 0, \
                     min_rate = \"100 kbit/s\", max_rate = \"60 Mbit/s\" }";

/// Rate that the cell gives one UE alone, and that of its encoders, in bit/s.
fn made(bearer: &str, flow: &str, others: u32) -> (f64, f64) {
    let text = text(NR, bearer, &format!("direction = \"down\"\n{flow}"), others);
    let scenario = read(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let reach = world.facts.ues[0].reach.expect("a radio")[0].rate.as_bps() as f64;
    let mut seen = Made::default();
    world.engine.run_until(Time::from_millis(2_000), Some(&mut seen)).expect("a run");
    (reach, 8.0 * seen.0 as f64)
}

#[test]
fn a_fixed_encoder_takes_the_rate_of_the_cell_or_its_half() {
    let (reach, own) = made("rate_exposure = \"50 ms\"", FIXED, 0);
    assert!((own / (0.9 * reach) - 1.0).abs() < 0.02, "{own} of {reach}");
    let (reach, half) = made("rate_exposure = { share = 0.8 }", FIXED, 1);
    assert!((half / (0.8 * reach / 2.0) - 1.0).abs() < 0.02, "{half} of {reach}");
    // Without the exposure the encoder makes its largest rate.
    let (_, most) = made("", FIXED, 0);
    assert!((most / 60e6 - 1.0).abs() < 0.01, "{most}");
}

#[test]
fn flows_of_a_bearer_share_the_rate_and_control_stays_below_it() {
    let second =
        "[[flow]]\nname = \"other\"\nue = \"phone\"\nkind = \"rtp\"\ndirection = \"down\"\n";
    let (reach, own) = made("rate_exposure = {}", &format!("{FIXED}\n{second}{FIXED}"), 0);
    assert!((own / (0.9 * reach) - 1.0).abs() < 0.02, "{own} of {reach}");
    // GCC begins with more than the exposed part of the rate.
    let gcc = "rtp.congestion_control = \"gcc\"\nrtp.gcc.start_rate = \"5 Mbit/s\"";
    let controlled = format!("{FIXED}\n{gcc}");
    let (reach, own) = made("rate_exposure = { share = 0.1 }", &controlled, 0);
    assert!((own / (0.1 * reach) - 1.0).abs() < 0.02, "{own} of {reach}");
    let (_, free) = made("", &controlled, 0);
    assert!(free > 4e6 && free > 0.11 * reach, "{free}");
}

#[test]
fn faults_name_the_key_and_the_mend() {
    let video = "direction = \"down\"\nrtp.video = {}";
    let wanted = "rate_exposure = {}";
    for (cell, bearer, flow, words) in [
        ("", wanted, video, "is for a user plane of NR"),
        (NR, wanted, "direction = \"down\"", "has no flow that can follow it"),
        (NR, wanted, "direction = \"up\"\nrtp.video = {}", "has no flow that can follow it"),
        (NR, "rate_exposure = { delay = \"0 ms\" }", video, "rate_exposure.delay` is zero"),
        (NR, "rate_exposure = { share = 1.5 }", video, "rate_exposure.share` is too large"),
    ] {
        let message = read(&text(cell, bearer, flow, 0)).expect_err(bearer);
        assert!(message.contains(words), "{bearer}: {message}");
    }
    let moving = text(NR, wanted, video, 0)
        .replace("[[ue]]", "[network]\nsites = 7\nhandover = {}\n[[ue]]")
        .replace("snr = \"30 dB\"", "route = { kind = \"random-waypoint\", speed = \"3 km/h\" }");
    let message = read(&moving).expect_err("a fault");
    assert!(message.contains("is beside network.handover"), "{message}");
}
