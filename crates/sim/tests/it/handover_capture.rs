//! Captures of runs whose UEs go from cell to cell: Wireshark's dissectors find in them what the run did.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::skipped::skipped;
use airpath_base::{CellId, NodeId, Time, UeId};
use airpath_net::layers::{AccessMessage, LayerEvent};
use airpath_net::{Event, Handover, HandoverOutcome, Probe};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

/// A column of six cars through seven sites, with packets each 20 ms both ways.
fn scenario(cell: &str, handover: &str) -> String {
    format!(
        "duration = \"5700 ms\"\n[network]\nsites = 7\n[network.handover]\npath_switch = \"20 ms\"\n\
         preparation = {{ kind = \"fixed\", delay = \"2 ms\" }}\nfilter = 0\n\
         event = {{ kind = \"a3\", hysteresis = \"1 dB\", time_to_trigger = \"0 ms\" }}\n{handover}\n\
         [cell]\n{cell}\n[[ue]]\nname = \"car\"\ncount = 6\n\
         place = {{ x = \"-200 m\", y = \"30 m\" }}\n\
         route = {{ kind = \"straight\", speed = \"200 km/h\", heading = \"0 deg\", spacing = \"1 m\" }}\n\
         [[flow]]\nname = \"down\"\nkind = \"rtp\"\ndirection = \"down\"\n\
         rtp = {{ payload = \"300 B\", interval = \"5 ms\" }}\n\
         [[flow]]\nname = \"up\"\nkind = \"rtp\"\ndirection = \"up\"\n\
         rtp = {{ payload = \"100 B\", interval = \"20 ms\" }}\n\
         [output]\npcap = [\"mac\", \"s1\", \"x2\"]\n"
    )
}

const LTE: &str = "resource_blocks = 25";
const NR: &str = "technology = \"nr\"\nbandwidth = \"10 MHz\"";

/// Preambles for all that collide at times, and are often not detected.
const CROWDED: &str = "random_access = \"contention\"\npreambles = 2\nprach_period = \"160 ms\"\n\
                       preamble_power = \"-126 dBm\"";

/// Messages of random access.
#[derive(Default)]
struct Messages {
    preambles: u64,
    again: u64,
    /// Occasions with a response, and number of preambles answered there.
    responses: BTreeMap<(CellId, Time), u64>,
    messages_3: u64,
    contention: u64,
    collided: u64,
    assigned: u64,
}

impl Probe for Messages {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        let Event::Layer(event) = event else { return };
        self.assigned += u64::from(matches!(event, LayerEvent::Assigned { .. }));
        let LayerEvent::Access { cell, message, .. } = event else { return };
        match message {
            AccessMessage::Preamble { attempt, .. } => {
                self.preambles += 1;
                self.again += u64::from(*attempt > 1);
            }
            AccessMessage::Response { occasion, detected } => {
                self.responses.insert((*cell, *occasion), detected.len() as u64);
            }
            AccessMessage::Message3 { contention, decoded, .. } => {
                self.messages_3 += 1;
                self.contention += u64::from(*contention);
                self.collided += u64::from(!decoded);
            }
        }
    }
}

/// A run, and the folder of its results.
struct Ran {
    messages: Messages,
    outcome: Outcome,
    folder: tempfile::TempDir,
}

impl Ran {
    fn new(text: &str) -> Ran {
        let scenario = Scenario::parse("radio.toml", text, &[]);
        let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let mut messages = Messages::default();
        let options =
            RunOptions { out: Some(&out), listener: Some(&mut messages), ..RunOptions::default() };
        let outcome = run(&scenario, options).unwrap_or_else(|failure| panic!("{failure}"));
        Ran { messages, outcome, folder }
    }

    /// Rows of `handovers.parquet`.
    fn rows(&self) -> Vec<Handover> {
        self.outcome.collector.handovers().cloned().collect()
    }

    /// Lines of tshark's answer about the capture of a point; none without tshark.
    fn lines(&self, point: &str, arguments: &[&str]) -> Option<Vec<String>> {
        let out = self.folder.path().join("out");
        tshark(&out, point, arguments)
    }

    /// Number of packets that a filter finds.
    fn count(&self, point: &str, filter: &str) -> u64 {
        self.lines(point, &["-Y", filter]).expect("tshark").len() as u64
    }
}

fn tshark(out: &Path, point: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new("tshark");
    command.env("WIRESHARK_CONFIG_DIR", out.join("wireshark"));
    let capture = out.join(format!("capture-{point}.pcapng"));
    let output = command.arg("-r").arg(capture).args(arguments).output();
    let Ok(output) = output else {
        skipped("tshark is not installed (apt-get install tshark)");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().map(str::to_owned).collect())
}

/// Errors that tshark finds at a point, but for CRC failures and NACKs that RLC repeats: both are what a bad link does.
fn errors(ran: &Ran, point: &str) -> Option<Vec<String>> {
    let lines = ran.lines(point, &["-q", "-z", "expert"])?;
    let errors = lines.into_iter().skip_while(|line| !line.starts_with("Errors"));
    let errors = errors.skip(3).take_while(|line| !line.is_empty());
    let expected =
        |line: &String| line.contains("CRC error") || line.contains("in successive Status");
    Some(errors.filter(|line| !expected(line)).collect())
}

/// Cells and C-RNTIs of each UE in the order of their transmissions. `fields` are those of the number and the C-RNTI.
fn stays(ran: &Ran, technology: &str) -> BTreeMap<u32, Vec<(String, u32)>> {
    let [ue, rnti] = ["ueid", "rnti"].map(|field| format!("{technology}.{field}"));
    // Temporary C-RNTIs are behind all others.
    let filter = format!("{technology}.rnti-type == 3 && {rnti} < 60061");
    let fields = ["frame.interface_name", &ue, &rnti].into_iter().flat_map(|field| ["-e", field]);
    let arguments: Vec<&str> = ["-Y", &filter, "-T", "fields"].into_iter().chain(fields).collect();
    let mut stays: BTreeMap<u32, Vec<(String, u32)>> = BTreeMap::new();
    for line in ran.lines("mac", &arguments).expect("tshark") {
        let [cell, ue, rnti] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [ue, rnti] = [ue, rnti].map(|text| match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).expect("a number"),
            None => text.parse().expect("a number"),
        });
        let own = stays.entry(ue % 100).or_default();
        if own.last().is_none_or(|last| *last != (cell.to_owned(), rnti)) {
            own.push((cell.to_owned(), rnti));
        }
    }
    stays
}

/// Compares the cells of UEs in the capture with those in the table, and gives the number of new C-RNTIs.
fn check_stays(ran: &Ran, technology: &str) -> usize {
    let stays = stays(ran, technology);
    let mut changes = 0;
    for (n, ue) in ran.outcome.facts.ues.iter().enumerate() {
        let cells = &ran.outcome.facts.cells;
        let name = |cell: CellId| cells[cell.index()].name.clone();
        let own = &stays[&(n as u32 + 1)];
        let rows = ran.rows().into_iter().filter(|row| row.ue == UeId(n as u32));
        let reached = rows.filter_map(|row| row.reached);
        let wanted: Vec<String> = ue.cell.into_iter().chain(reached).map(name).collect();
        let found: Vec<String> = own.iter().map(|(cell, _)| cell.clone()).collect();
        assert_eq!(found, wanted, "UE {n}");
        let rntis: BTreeSet<u32> = own.iter().map(|(_, rnti)| *rnti).collect();
        assert_eq!(rntis.len(), own.len(), "a C-RNTI of UE {n} comes twice");
        changes += own.len() - 1;
    }
    changes
}

/// Compares the tunnels of a run with its table.
fn check_tunnels(ran: &Ran) {
    for point in ["s1", "x2"] {
        assert_eq!(errors(ran, point), Some(Vec::new()), "{point}");
    }
    let rows = ran.rows();
    // One bearer a UE: an end marker each.
    let switched = rows.iter().filter(|row| row.path_switched.is_some()).count() as u64;
    let forwarded: u64 = rows.iter().map(|row| row.forwarded).sum();
    assert!(switched > 5 && forwarded > 50, "{switched} {forwarded}");
    assert_eq!(ran.count("s1", "gtp.message == 0xfe"), switched);
    assert_eq!(ran.count("x2", "gtp.message == 0xfe"), switched);
    assert_eq!(ran.count("x2", "gtp.message == 0xff"), forwarded);
    // Addresses and TEIDs of their own; between core network and cells the gateway is one end of all.
    let own = "ip.src == 198.19.0.0/16 && ip.dst == 198.19.0.0/16 && gtp.teid >= 0x80000001";
    assert_eq!(ran.count("x2", &format!("!({own})")), 0);
    let own = "ip.addr == 192.0.2.1 && ip.addr == 198.18.0.0/16 && gtp.teid <= 6";
    assert_eq!(ran.count("s1", &format!("!({own})")), 0);
    // The packet behind a marker in its tunnel goes to another cell.
    let fields = ["-Y", "ip.src == 192.0.2.1", "-T", "fields", "-E", "occurrence=f"];
    let fields = fields.into_iter().chain(["-e", "gtp.message", "-e", "ip.dst", "-e", "gtp.teid"]);
    let lines = ran.lines("s1", &fields.collect::<Vec<&str>>()).expect("tshark");
    let mut left: BTreeMap<String, String> = BTreeMap::new();
    for line in lines {
        let [message, to, teid] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        match message == "0xfe" || message == "254" {
            true => _ = left.insert(teid.to_owned(), to.to_owned()),
            false => assert_ne!(left.remove(teid), Some(to.to_owned()), "{line}"),
        }
    }
}

/// All handovers succeed, and each is complete in the capture.
fn check_successes(ran: &Ran, technology: &str) {
    let rows = ran.rows();
    assert!(rows.iter().all(|row| row.outcome == HandoverOutcome::Success), "{rows:?}");
    assert!(rows.len() > 5, "{}", rows.len());
    assert_eq!(check_stays(ran, technology), rows.len());
    let preambles: u64 = rows.iter().map(|row| u64::from(row.preambles)).sum();
    assert_eq!((ran.messages.preambles, ran.messages.assigned), (preambles, rows.len() as u64));
}

/// Compares random access of LTE with the run.
fn check_lte(ran: &Ran) {
    let Messages { preambles, again, responses, messages_3, contention, collided, .. } =
        &ran.messages;
    assert_eq!(ran.count("mac", "mac-lte.preamble-sent"), *preambles);
    assert_eq!(ran.count("mac", "mac-lte.preamble-sent.attempt > 1"), *again);
    let rnti = "mac-lte.rnti-type == 2 && mac-lte.rnti == 2 && mac-lte.rar";
    assert_eq!(ran.count("mac", rnti), responses.len() as u64);
    let fields = ["-Y", "mac-lte.rar", "-T", "fields", "-e", "mac-lte.rar.temporary-crnti"];
    let temporary = ran.lines("mac", &fields).expect("tshark");
    let bodies: usize = temporary.iter().map(|line| line.split(',').count()).sum();
    assert_eq!(bodies as u64, responses.values().sum::<u64>());
    assert_eq!(ran.count("mac", "mac-lte.control.crnti"), *contention);
    assert_eq!(ran.count("mac", "mac-lte.control.crnti && mac-lte.crc-status == 0"), *collided);
    // Message 3 without contention is padding alone, with the C-RNTI of the UE.
    let padding = "mac-lte.direction == 0 && mac-lte.length == 7 && mac-lte.padding-data \
                   && !mac-lte.control.crnti && !mac-lte.control.bsr && !mac-lte.sch.sdu \
                   && !rlc-lte";
    assert_eq!(ran.count("mac", padding), messages_3 - contention);
    // IP comes whole out of PDCP, RLC and MAC.
    assert!(ran.count("mac", "ip.addr == 10.45.0.0/24") > 1_000);
    assert_eq!(ran.count("mac", "ip && !(ip.addr == 10.45.0.0/24)"), 0);
}

/// Compares random access of NR with the run.
fn check_nr(ran: &Ran) {
    let Messages { preambles, again, responses, contention, collided, .. } = &ran.messages;
    let comment = |text: &str| format!("!mac-nr && frame.comment contains \"{text}\"");
    assert_eq!(ran.count("mac", &comment("preamble ")), *preambles);
    let first = ran.count("mac", &comment(", attempt 1,"));
    assert_eq!(first, preambles - again);
    // The occasion is in subframe 1: 1 + 14.
    let rnti = "mac-nr.rnti-type == 2 && mac-nr.rnti == 15 && mac-nr.rar";
    assert_eq!(ran.count("mac", rnti), responses.len() as u64);
    let fields = ["-Y", "mac-nr.rar", "-T", "fields", "-e", "mac-nr.rar.temp_crnti"];
    let temporary = ran.lines("mac", &fields).expect("tshark");
    let bodies: usize = temporary.iter().map(|line| line.split(',').count()).sum();
    assert_eq!(bodies as u64, responses.values().sum::<u64>());
    assert_eq!(ran.count("mac", "mac-nr.control.crnti"), contention - collided);
    assert_eq!(ran.count("mac", &comment("message 3")), *collided);
}

#[test]
fn handovers_of_lte_are_what_wireshark_finds() {
    for access in ["dedicated", "contention"] {
        let ran = Ran::new(&scenario(LTE, &format!("random_access = \"{access}\"")));
        let Some(errors) = errors(&ran, "mac") else { return };
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(ran.messages.contention > 0, access == "contention");
        check_lte(&ran);
        check_successes(&ran, "mac-lte");
        check_tunnels(&ran);
    }
}

#[test]
fn handovers_of_nr_are_what_wireshark_finds() {
    for access in ["dedicated", "contention"] {
        let ran = Ran::new(&scenario(NR, &format!("random_access = \"{access}\"")));
        let Some(errors) = errors(&ran, "mac") else { return };
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(ran.messages.contention > 0, access == "contention");
        check_nr(&ran);
        check_successes(&ran, "mac-nr");
        check_tunnels(&ran);
    }
}

#[test]
fn preambles_that_are_lost_or_collide_are_what_wireshark_finds() {
    for (cell, technology) in [(LTE, "mac-lte"), (NR, "mac-nr")] {
        let ran = Ran::new(&scenario(cell, CROWDED));
        let Some(errors) = errors(&ran, "mac") else { return };
        assert_eq!(errors, Vec::<String>::new(), "{technology}");
        let Messages { again, collided, contention, .. } = ran.messages;
        assert!(again > 5 && collided > 1 && contention > collided, "{again} {collided}");
        if technology == "mac-lte" {
            check_lte(&ran)
        } else {
            check_nr(&ran)
        }
        check_tunnels(&ran);
    }
}

#[test]
fn handovers_without_random_access_have_other_c_rntis() {
    let ran = Ran::new(&scenario(LTE, "random_access = \"none\""));
    let Some(errors) = errors(&ran, "mac") else { return };
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!((ran.messages.preambles, ran.messages.messages_3), (0, 0));
    assert_eq!(check_stays(&ran, "mac-lte"), ran.rows().len());
}

#[test]
fn captures_leave_a_run_with_handovers_as_it_is() {
    let text = scenario(LTE, CROWDED);
    let bare = text.replace("pcap = [\"mac\", \"s1\", \"x2\"]", "pcap = []");
    let [with, without] = [text, bare].map(|text| {
        let ran = Ran::new(&text);
        let metrics = ran.folder.path().join("out").join("metrics.json");
        (ran.rows(), std::fs::read_to_string(metrics).expect("metrics"))
    });
    assert!(with.0.len() > 5 && with == without);
}

#[test]
fn secondary_cells_have_the_c_rnti_of_their_ue_and_decode() {
    let carrier = "[[carrier]]\nname = \"low\"\nfrequency = \"800 MHz\"\nactivation = \"always\"\n";
    let a6 = "[network.handover.secondary]\nother_sites = true\n\
              a6 = { offset = \"-1 dB\", hysteresis = \"0 dB\", time_to_trigger = \"0 ms\" }\n";
    for (cell, technology, events) in
        [(LTE, "mac-lte", ""), (NR, "mac-nr", ""), (LTE, "mac-lte", a6)]
    {
        let text = scenario(cell, events)
            .replace("300 B\", interval = \"5 ms\"", "1200 B\", interval = \"2 ms\"");
        let ran = Ran::new(&format!("{text}{carrier}"));
        let Some(errors) = errors(&ran, "mac") else { return };
        assert_eq!(errors, Vec::<String>::new(), "{technology}");
        let fields = [format!("{technology}.ueid"), format!("{technology}.rnti")];
        let filter = format!("{technology}.rnti-type == 3 && {} < 60061", fields[1]);
        let arguments = ["-Y", &filter, "-T", "fields", "-e", "frame.interface_name"];
        let fields = fields.iter().flat_map(|field| ["-e", field]);
        let arguments: Vec<&str> = arguments.into_iter().chain(fields).collect();
        // Numbers of the cells of each C-RNTI on both carriers.
        let mut cells: BTreeMap<String, [BTreeSet<String>; 2]> = BTreeMap::new();
        for line in ran.lines("mac", &arguments).expect("tshark") {
            let (name, identity) = line.split_once('\t').expect("fields");
            let (carrier, number) = name.split_once('-').expect("a name");
            let is_low = carrier == "low";
            let own = cells.entry(identity.to_owned()).or_default();
            own[usize::from(is_low)].insert(number.to_owned());
        }
        let secondary = ran.outcome.summary.cells[21..].iter();
        let sent: u64 = secondary.map(|cell| cell.down.transmissions).sum();
        let blocks = ran.count("mac", "frame.interface_name contains \"low-\"");
        assert!(blocks > 500 && blocks == sent, "{blocks} {sent}");
        for [first, second] in cells.values().filter(|own| events.is_empty() && !own[1].is_empty())
        {
            assert!(first.len() == 1 && first == second, "{first:?} {second:?}");
        }
        check_tunnels(&ran);
    }
}
