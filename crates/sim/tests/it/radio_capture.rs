//! Captures of the radio: Wireshark's dissectors find in them what the run did.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::skipped::skipped;
use airpath_base::{NodeId, Time, UeId};
use airpath_net::layers::{LayerEvent, RlcPdu};
use airpath_net::{Direction, Event, Probe, RadioEvent};
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const CELL: &str = "resource_blocks = 25";

/// Three UEs with TCP both ways and voice, where a fifth of all first transmissions fails.
fn scenario(cell: &str) -> String {
    format!(
        "duration = \"2 s\"\n[path.sgi]\ndelay = \"10 ms\"\n[cell]\n{cell}\n\
         harq.max_transmissions = 2\nharq.error = 0.2\n\
         [[ue]]\nname = \"u\"\ncount = 3\nsnr = \"12 dB\"\n\
         [[bearer]]\nname = \"default\"\ndefault = true\nrlc = \"am\"\n\
         [[bearer]]\nname = \"voice\"\nrlc = \"um\"\n[[bearer.filter]]\nprotocol = \"udp\"\n\
         [[flow]]\nname = \"web\"\nkind = \"tcp\"\ndirection = \"down\"\nsize = \"300 kB\"\n\
         [[flow]]\nname = \"up\"\nkind = \"tcp\"\ndirection = \"up\"\nsize = \"100 kB\"\n\
         [[flow]]\nname = \"voice\"\nkind = \"rtp\"\ndirection = \"down\"\n\
         rtp = {{ payload = \"160 B\", interval = \"20 ms\" }}\n\
         [output]\npcap = [\"mac\"]\n"
    )
}

/// Packets of each UE and direction.
#[derive(Default)]
struct Counts {
    filling: u64,
    held: BTreeMap<(UeId, Direction, u16, u8), u64>,
    /// PDUs of RLC in all transmissions that were received.
    pdus: BTreeMap<(UeId, Direction), u64>,
    blocks: u64,
    again: u64,
    failed: u64,
    requests: u64,
    /// Transmissions downlink with an MCS of 20 or more.
    large: u64,
    /// Transmissions of several layers by codeword.
    codewords: [u64; 2],
}

impl Probe for Counts {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Layer(LayerEvent::Pdu { pdu, .. }) => {
                self.filling += match pdu {
                    RlcPdu::Run { sdus, .. } => sdus.last + 1 - sdus.first,
                    _ => 1,
                };
            }
            Event::Layer(LayerEvent::Block { ue, direction, process, transport_block, .. }) => {
                let count = std::mem::take(&mut self.filling);
                self.held.insert((*ue, *direction, *process, *transport_block), count);
            }
            Event::Radio(RadioEvent::SchedulingRequest { .. }) => self.requests += 1,
            Event::Radio(RadioEvent::Block {
                ue,
                direction,
                process,
                transport_block,
                first_layer,
                layers,
                attempt,
                decoded,
                mcs,
                ..
            }) => {
                self.large += u64::from(*direction == Direction::Downlink && *mcs >= 20);
                self.blocks += 1;
                self.again += u64::from(*attempt > 0);
                self.failed += u64::from(!decoded);
                *self.pdus.entry((*ue, *direction)).or_default() +=
                    self.held[&(*ue, *direction, *process, *transport_block)];
                if *layers > 1 {
                    self.codewords[usize::from(*first_layer > 0)] += 1;
                }
            }
            _ => {}
        }
    }
}

/// Runs a scenario and gives what was counted, and tshark's answer to some arguments.
fn captured(text: &str, asked: &[&[&str]]) -> Option<(Counts, Vec<String>)> {
    let scenario = Scenario::parse("radio.toml", text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut counts = Counts::default();
    let options =
        RunOptions { out: Some(&out), listener: Some(&mut counts), ..RunOptions::default() };
    run(&scenario, options).unwrap_or_else(|failure| panic!("{failure}"));
    let answers: Option<Vec<String>> =
        asked.iter().map(|arguments| tshark(&out, arguments)).collect();
    if answers.is_none() {
        skipped("tshark is not installed (apt-get install tshark)");
    }
    Some((counts, answers?))
}

fn tshark(out: &Path, arguments: &[&str]) -> Option<String> {
    let profile = out.join("wireshark");
    let mut command = Command::new("tshark");
    command.env("WIRESHARK_CONFIG_DIR", &profile);
    let output = command.arg("-r").arg(out.join("capture-mac.pcapng")).args(arguments).output();
    let output = output.ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn lines(text: &str) -> u64 {
    text.lines().count() as u64
}

/// Expert information that is no finding of the capture: CRC failures are what they say.
fn findings(text: &str) -> Vec<&str> {
    let errors = text.lines().skip_while(|line| !line.starts_with("Errors"));
    let errors = errors.skip(3).take_while(|line| !line.is_empty());
    errors.filter(|line| !line.contains("CRC error")).collect()
}

#[test]
fn lte_is_what_wireshark_finds() {
    let asked: [&[&str]; 6] = [
        &["-q", "-z", "expert"],
        &["-q", "-z", "rlc-lte,stat"],
        &["-Y", "mac-lte.crc-status == 0"],
        &["-Y", "mac-lte.retx-count > 0 || mac-lte.dl-phy.dl-retx == 1"],
        &["-Y", "ip && !(ip.addr == 10.45.0.0/24)"],
        &["-Y", "mac-lte.sr-req"],
    ];
    let Some((counts, answers)) = captured(&scenario(CELL), &asked) else { return };
    assert_eq!(findings(&answers[0]), Vec::<&str>::new());
    assert!(counts.again > 100 && counts.failed >= counts.again && counts.requests > 10);
    for n in 0..3u32 {
        let row = answers[1].lines().find(|line| line.trim().starts_with(&format!("{} ", n + 1)));
        let row: Vec<&str> = row.expect("a row").split_whitespace().collect();
        let ways = [(Direction::Uplink, row[1]), (Direction::Downlink, row[7])];
        for (direction, frames) in ways {
            assert_eq!(frames, counts.pdus[&(UeId(n), direction)].to_string(), "UE {n}");
        }
    }
    assert_eq!(lines(&answers[2]), counts.failed);
    assert_eq!(lines(&answers[3]), counts.again);
    assert_eq!(lines(&answers[4]), 0);
    assert_eq!(lines(&answers[5]), counts.requests);
}

#[test]
fn nr_with_time_division_is_what_wireshark_finds() {
    let cell = "technology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\n\
                special_slot = \"10:2:2\"";
    let asked: [&[&str]; 4] = [
        &["-q", "-z", "expert"],
        &["-Y", "mac-nr"],
        &["-Y", "frame.comment contains \"CRC failed\""],
        &["-Y", "frame.comment contains \"retransmission\""],
    ];
    let Some((counts, answers)) = captured(&scenario(cell), &asked) else { return };
    assert_eq!(findings(&answers[0]), Vec::<&str>::new());
    assert!(counts.failed > 100);
    assert_eq!(lines(&answers[1]), counts.blocks - counts.failed);
    assert_eq!(lines(&answers[2]), counts.failed);
    assert_eq!(lines(&answers[3]), counts.again);
}

#[test]
fn lte_with_time_division_is_what_wireshark_finds() {
    let asked: [&[&str]; 5] = [
        &["-q", "-z", "expert"],
        &["-Y", "mac-lte.radio-type != 2"],
        &["-Y", "mac-lte.crc-status == 0"],
        &["-Y", "mac-lte.retx-count > 0 || mac-lte.dl-phy.dl-retx == 1"],
        &[
            "-Y",
            "mac-lte.direction == 0 && mac-lte.crc-status && !(mac-lte.subframe in {2, 3, 4, 7, 8})",
        ],
    ];
    let cell = format!("{CELL}\nduplex = \"tdd\"\ntdd_configuration = 6");
    let Some((counts, answers)) = captured(&scenario(&cell), &asked) else { return };
    assert_eq!(findings(&answers[0]), Vec::<&str>::new());
    assert!(counts.again > 100 && counts.failed >= counts.again && counts.requests > 10);
    assert_eq!([lines(&answers[1]), lines(&answers[4])], [0; 2]);
    assert_eq!(lines(&answers[2]), counts.failed);
    assert_eq!(lines(&answers[3]), counts.again);
}

#[test]
fn two_codewords_are_two_packets() {
    let asked: [&[&str]; 6] = [
        &["-q", "-z", "expert"],
        &["-q", "-z", "rlc-lte,stat"],
        &["-Y", "mac-lte.crc-status == 0"],
        &["-Y", "ip && !(ip.addr == 10.45.0.0/24)"],
        &["-Y", "frame.comment contains \"2 layers, codeword 0\""],
        &["-Y", "frame.comment contains \"2 layers, codeword 1\""],
    ];
    let text =
        scenario(&format!("{CELL}\nlayers = 2")).replace("12 dB", "20 dB\"\nreceivers = 2 #");
    let Some((counts, answers)) = captured(&text, &asked) else { return };
    assert_eq!(findings(&answers[0]), Vec::<&str>::new());
    for n in 0..3u32 {
        let row = answers[1].lines().find(|line| line.trim().starts_with(&format!("{} ", n + 1)));
        let row: Vec<&str> = row.expect("a row").split_whitespace().collect();
        let frames = counts.pdus[&(UeId(n), Direction::Downlink)];
        assert_eq!(row[7], frames.to_string(), "UE {n}");
    }
    assert_eq!(lines(&answers[2]), counts.failed);
    assert_eq!(lines(&answers[3]), 0);
    assert_eq!([lines(&answers[4]), lines(&answers[5])], counts.codewords);
    assert!(counts.codewords.iter().all(|count| *count > 50), "{:?}", counts.codewords);
}

#[test]
fn blocks_with_256qam_say_so() {
    let marked = |table: &str| {
        let cell = format!("{CELL}\nlink_adaptation.mcs_table = \"{table}\"");
        let text = scenario(&cell).replace("12 dB", "30 dB");
        let scenario = Scenario::parse("radio.toml", &text, &[]).expect("a scenario");
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let mut counts = Counts::default();
        let options =
            RunOptions { out: Some(&out), listener: Some(&mut counts), ..RunOptions::default() };
        run(&scenario, options).expect("a run");
        let capture = fs::read(out.join("capture-mac.pcapng")).expect("a capture");
        let marked = capture.windows(6).filter(|bytes| bytes == b"256QAM").count() as u64;
        (marked, counts.large)
    };
    let (marked_small, large_mcs) = marked("64qam");
    assert!(marked_small == 0 && large_mcs > 100);
    let (marked, large) = marked("256qam");
    assert!(marked == large && large > 100, "{marked} {large}");
}

#[test]
fn captures_of_the_radio_leave_the_run_as_it_is() {
    let summary = |text: &str| {
        let scenario = Scenario::parse("radio.toml", text, &[]).expect("a scenario");
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let options = RunOptions { out: Some(&out), ..RunOptions::default() };
        run(&scenario, options).expect("a run");
        fs::read_to_string(out.join("metrics.json")).expect("metrics")
    };
    let text = scenario(CELL);
    assert_eq!(summary(&text), summary(&text.replace("\"mac\"", "")));
}
