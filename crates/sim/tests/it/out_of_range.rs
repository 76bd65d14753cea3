//! UEs out of range, and without service: what they take, what is counted, why nothing arrived.

use airpath_base::{NodeId, Time, UeId};
use airpath_net::{Direction, Event, Probe, RadioEvent};
use airpath_results::{OutOfReach, RunSummary, reach_warnings};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn scenario(text: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scenario = Scenario::parse("s.toml", text, &overrides);
    scenario.unwrap_or_else(|e| panic!("{}", e.plain()))
}

fn summary(text: &str, overrides: &[&str]) -> RunSummary {
    let outcome = run(&scenario(text, overrides), RunOptions::default());
    outcome.expect("a run without failure").summary
}

/// New data that was decided while its UE was out of range, and all.
#[derive(Default)]
struct Decided {
    /// Times at which each UE came into range or went out of it, by direction.
    changes: Vec<[Vec<(Time, bool)>; 2]>,
    wrong: u64,
    all: u64,
    /// Time for which each UE was out of range, in a direction with data.
    out: u64,
}

/// From a decision to its subframe: 1 ms downlink, 2 and 4 ms uplink (k = 4: TS 36.213, 8.0).
const LEAD_MS: [u64; 2] = [1, 6];

impl Probe for Decided {
    fn on(&mut self, now: Time, _node: NodeId, event: &Event<'_>) {
        match *event {
            Event::Radio(RadioEvent::Range { ue, direction, in_range, .. }) => {
                let UeId(n) = ue;
                self.changes.resize_with(self.changes.len().max(n as usize + 1), Default::default);
                self.changes[n as usize][direction as usize].push((now, in_range));
                self.out += u64::from(!in_range);
            }
            Event::Radio(RadioEvent::Block { ue, direction, slot, attempt: 0, .. }) => {
                let way = direction as usize;
                let decided = Time::from_millis(slot.saturating_sub(LEAD_MS[way]));
                let changes = self.changes.get(ue.index()).map(|both| &both[way]);
                let last = changes.and_then(|all| all.iter().rfind(|(at, _)| *at <= decided));
                self.wrong += u64::from(last.is_some_and(|(_, in_range)| !in_range));
                self.all += 1;
            }
            _ => {}
        }
    }
}

const WIDE: &str = r#"
duration = "1500 ms"
[network]
sites = 7
site_distance = "1732 m"
[[ue]]
name = "phone"
count = 84
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
[[flow]]
name = "up"
kind = "full-buffer"
direction = "up"
"#;

#[test]
fn in_a_wide_network_who_is_out_of_range_takes_nothing() {
    for overrides in [&[][..], &["cell.technology=\"nr\"", "cell.numerology=0"]] {
        let mut decided = Decided::default();
        let options = RunOptions { listener: Some(&mut decided), ..RunOptions::default() };
        let outcome = run(&scenario(WIDE, overrides), options).expect("a run without failure");
        assert!(decided.all > 10_000 && decided.out > 0, "{} {}", decided.all, decided.out);
        assert_eq!(decided.wrong, 0);
        let run = &outcome.summary;
        for (direction, way) in Direction::ALL.into_iter().zip(["down", "up"]) {
            let of = |ue: &airpath_results::UeSummary| match direction {
                Direction::Downlink => ue.down.resource_blocks,
                Direction::Uplink => ue.up.resource_blocks,
            };
            let starved = |ue: &str| {
                let own = |flow: &&airpath_results::FlowSummary| {
                    flow.ue.as_deref() == Some(ue) && flow.direction.as_deref() == Some(way)
                };
                let flow = run.flows.iter().find(own).expect("a flow");
                flow.goodput_bps.unwrap_or(0.0) < 1_000.0
            };
            let all: u64 = run.ues.iter().map(of).sum();
            let starved: u64 = run.ues.iter().filter(|ue| starved(&ue.name)).map(of).sum();
            assert!(100 * starved <= all, "{way}: {starved} of {all}");
        }
    }
}

const TWO: &str = r#"
duration = "3 s"
[[ue]]
name = "near"
snr = "20 dB"
[[ue]]
name = "far"
snr = "-15 dB"
[[flow]]
name = "down"
kind = "tcp"
direction = "down"
[[flow]]
name = "up"
kind = "tcp"
direction = "up"
"#;

#[test]
fn the_other_has_what_it_has_alone() {
    let alone = TWO.replace("[[ue]]\nname = \"far\"\nsnr = \"-15 dB\"\n", "");
    for technology in ["lte", "nr"] {
        let technology = format!("cell.technology=\"{technology}\"");
        let both = summary(TWO, &[&technology]);
        let alone = summary(&alone, &[&technology]);
        let far = both.ues.iter().find(|ue| ue.name == "far").expect("a UE");
        assert_eq!((far.down.resource_blocks, far.up.resource_blocks), (0, 0));
        let out = far.down.out_of_range.expect("out of range");
        assert_eq!((out.seconds, out.share, out.sinr_db), (3.0, 1.0, -15.0));
        let near = |run: &RunSummary| {
            let own = run.flows.iter().filter(|flow| flow.ue.as_deref() == Some("near"));
            own.map(|flow| flow.delivered_bytes as f64).collect::<Vec<_>>()
        };
        for (both, alone) in near(&both).into_iter().zip(near(&alone)) {
            assert!((both / alone - 1.0).abs() < 0.01, "{both} {alone}");
        }
        let expected = [
            "1 UE is out of range downlink, CQI 0: far (SINR -15.0 dB)",
            "1 UE is out of range uplink: far (SINR -15.0 dB)",
        ];
        assert_eq!(reach_warnings(&OutOfReach::of(&both)), expected);
        assert!(reach_warnings(&OutOfReach::of(&alone_run(&technology))).is_empty());
    }
}

fn alone_run(technology: &str) -> RunSummary {
    summary(TWO, &[technology, "ue.far.snr=\"18 dB\"", "duration=\"100 ms\""])
}

/// Free space at 2.12 GHz: 32.45 + 20 log10(2120) + 20 log10(km) dB. 46 dBm and 15 dB over 600
/// subcarriers, 27.78 dB: 33.22 dBm. At 20 km the loss is 125.0 dB, so that RSRP is -91.8 dBm.
const CELLAR: &str = r#"
duration = "1 s"
[cell.radio]
path_loss = "free-space"
[[ue]]
name = "cellar"
distance = "20 km"
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
[[flow]]
name = "upload"
kind = "rtp"
direction = "up"
[[flow]]
name = "fill"
kind = "full-buffer"
direction = "down"
"#;

#[test]
fn below_the_floor_of_cell_selection_there_is_no_service() {
    for floor in ["-92", "-91"] {
        let floor_key = format!("cell.q_rx_lev_min=\"{floor} dBm\"");
        let run = summary(CELLAR, &[&floor_key]);
        let ue = &run.ues[0];
        let served = floor == "-92";
        assert_eq!(ue.no_service.is_none(), served);
        if served {
            assert!(run.flows.iter().all(|flow| flow.delivered_bytes > 0));
            continue;
        }
        let rsrp = ue.no_service.expect("no service").rsrp_dbm;
        assert!((rsrp + 91.8).abs() < 0.05, "{rsrp}");
        assert_eq!((ue.down.resource_blocks, ue.up.resource_blocks), (0, 0));
        for flow in &run.flows {
            assert_eq!(flow.delivered_bytes, 0);
            let dropped = flow.dropped.get("no_service").copied().unwrap_or(0);
            assert_eq!(dropped, flow.sent_packets);
            let why = run.why_nothing(flow).expect("nothing arrived");
            assert_eq!(
                why,
                "cellar has no service: its RSRP of -91.8 dBm is not above cell.q_rx_lev_min."
            );
        }
        assert_eq!(
            reach_warnings(&OutOfReach::of(&run)),
            ["1 UE has no service, no cell is suitable: cellar (RSRP -91.8 dBm)"]
        );
    }
}

const ONE: &str = r#"
duration = "2 s"
[[ue]]
name = "phone"
snr = "20 dB"
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
rtp = { payload = "900 B", interval = "20 ms" }
"#;

#[test]
fn nothing_arrived_for_a_reason() {
    let why = |overrides: &[&str]| {
        let run = summary(ONE, overrides);
        run.why_nothing(&run.flows[0])
    };
    assert_eq!(why(&[]), None);
    let far = why(&["ue.phone.snr=\"-15 dB\""]).expect("out of range");
    assert_eq!(far, "phone is out of range downlink, at SINR -15.0 dB (CQI 0).");
    // A queue of 500 bytes takes no packet of 940.
    let queue = "path.sgi.queue={ kind = \"drop-tail\", limit = \"500 B\" }";
    let queue = why(&[queue, "path.sgi.rate=\"10 Mbit/s\""]).expect("dropped");
    assert_eq!(
        queue,
        "all 101 packets were dropped at sgi down: the queue was full, or is smaller than a packet."
    );
    let lossy = why(&["path.sgi.loss=1.0"]).expect("lost");
    assert!(lossy.ends_with("dropped at sgi down: by the losses of the link."), "{lossy}");
    let late = why(&["flow.voice.active=false"]).expect("not begun");
    assert_eq!(late, "it had not begun by the end of the run, at 2 s.");
}

#[test]
fn nothing_arrived_for_an_outage() {
    // A bearer with a discard timer, so that nothing is left when the outage is over.
    let bearer = "[[bearer]]\nname = \"b\"\nqci = 7\ndefault = true\ndiscard_timer = \"50 ms\"\n";
    let outage = format!(
        "{ONE}{bearer}[[change]]\nat = \"200 ms\"\nset = {{ \"ue.phone.snr\" = \"-30 dB\" }}\n\
         [[change]]\nat = \"1200 ms\"\nset = {{ \"ue.phone.snr\" = \"20 dB\" }}\n"
    );
    let run = summary(&outage, &["flow.voice.start=\"400 ms\"", "flow.voice.stop=\"800 ms\""]);
    let why = run.why_nothing(&run.flows[0]);
    let expected = "an outage: phone was out of range downlink for 1 s, 50% of the run, at SINR \
                    -30.0 dB (CQI 0).";
    assert_eq!(why.as_deref(), Some(expected));
}

#[test]
fn a_bearer_whose_filters_match_no_packet_is_named() {
    let bearers = |value: &str| {
        format!(
            "{ONE}[[bearer]]\nname = \"other\"\nqci = 9\ndefault = true\n\
             [[bearer]]\nname = \"low\"\nqci = 7\n\
             filter = [{{ tos = \"{value}\", tos_mask = \"0x03\" }}]\n"
        )
    };
    // The flow sends Not-ECT, 00 (RFC 3168, 5): a filter for ECT(1), 01, has no packet.
    let none = summary(&bearers("0x01"), &[]).warnings();
    assert_eq!(none, ["bearer low carried nothing: its filters matched no packet that was sent"]);
    assert!(summary(&bearers("0x00"), &[]).warnings().is_empty());
    let meant = bearers("0x01").replace("\"0x03\" }", "\"0x03\", may_be_unused = true }");
    assert!(summary(&meant, &[]).warnings().is_empty());
}

/// A fixed link of 100 MHz at which MCS 27 barely suffices for a block in 50 resource blocks: 38 code
/// blocks of 273 fail with 1 - (1 - p)^38.
const BARELY: &str = r#"
duration = "1 s"
[cell]
technology = "nr"
bandwidth = "100 MHz"
numerology = 1
[[ue]]
name = "wide"
snr = "27.6 dB"
[[bearer]]
name = "default"
default = true
[[flow]]
name = "all"
ue = "wide"
kind = "full-buffer"
direction = "down"
"#;

#[test]
fn a_fixed_link_that_fails_too_often_is_named() {
    let reference = |value| format!("cell.link_adaptation.cqi_reference=\"{value}\"");
    let failing = summary(BARELY, &[&reference("50-rb")]);
    let warned = failing.warnings();
    let begin = "1 UE loses more than 25% of first transmissions downlink: wide (";
    assert!(warned.iter().any(|text| text.starts_with(begin)), "{warned:?}");
    // The default of so wide a carrier.
    let usual = summary(BARELY, &[]);
    assert!(usual.ues[0].down.bler_first.is_some_and(|failed| failed <= 0.1));
    assert!(usual.warnings().is_empty());
    assert_eq!(usual.flows[0].delivered_bytes, {
        let same = summary(BARELY, &[&reference("grant")]);
        same.flows[0].delivered_bytes
    });
    // More arrives than with the higher MCS that fails.
    assert!(usual.flows[0].delivered_bytes > failing.flows[0].delivered_bytes);
    // A share that the scenario sets needs no warning.
    let set = summary(BARELY, &[&reference("50-rb"), "cell.harq.error=0.4"]);
    assert!(set.warnings().is_empty());
}
