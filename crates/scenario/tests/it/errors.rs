//! Messages that a user sees about a faulty scenario.

use std::path::Path;

use airpath_scenario::{Errors, Scenario, template};
use miette::{GraphicalReportHandler, GraphicalTheme};

fn shown(errors: &Errors) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    handler.with_width(90).render_report(&mut text, errors).expect("a string takes the report");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The report on the smallest template, changed.
fn changed(from: &str, to: &str) -> String {
    let text = template("lte-6rb").expect("a template").text;
    assert!(text.contains(from), "the template has no {from:?}");
    report(&text.replacen(from, to, 1), &[])
}

fn report(text: &str, overrides: &[&str]) -> String {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    match Scenario::parse("lte-6rb.toml", text, &overrides) {
        Ok(_) => panic!("the scenario is valid"),
        Err(errors) => shown(&errors),
    }
}

fn overridden(overrides: &[&str]) -> String {
    report(template("lte-6rb").expect("a template").text, overrides)
}

#[test]
fn a_missing_file() {
    let errors = Scenario::read(Path::new("no/such/scenario.toml"), &[]).expect_err("no file");
    insta::assert_snapshot!(shown(&errors));
}

#[test]
fn a_file_that_is_no_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("binary.toml");
    std::fs::write(&path, [0xff, 0xfe, 0x00]).expect("a file");
    let errors = Scenario::read(&path, &[]).expect_err("no text");
    assert!(errors.plain().contains("it is not UTF-8 text"), "{}", errors.plain());
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(changed("resource_blocks = 6", "resource_blocks = = 6"));
}

#[test]
fn an_unknown_key() {
    insta::assert_snapshot!(changed("queue = \"100 packets\"", "qeue = \"100 packets\""));
}

#[test]
fn a_misspelt_key_is_not_missing_besides() {
    let problems = |text: &str| -> Vec<String> {
        let errors = Scenario::parse("s.toml", text, &[]).expect_err("a mistake");
        errors.problems().iter().map(|problem| problem.message().to_owned()).collect()
    };
    let wires = "duration = \"1 s\"\nradio = \"none\"\npath.sgi.delay = \"1 ms\"\n";
    let unknown = ["unknown key `path.sgi.loss.evry`"];
    assert_eq!(problems(&format!("{wires}path.sgi.loss = {{ evry = 3 }}\n")), unknown);
    // One that is like no other may be anything.
    let both = ["unknown key `path.sgi.loss.nth`", "`path.sgi.loss` lacks `every`"];
    assert_eq!(problems(&format!("{wires}path.sgi.loss = {{ nth = 3 }}\n")), both);
}

#[test]
fn keys_within_a_table_of_an_override_have_their_names() {
    let wires = "duration = \"1 s\"\nradio = \"none\"\npath.sgi.delay = \"1 ms\"\n";
    for (table, expected) in [
        ("{ every = 5, frst = 3 }", "--set:1: unknown key `path.sgi.loss.frst`"),
        ("{ every = 0 }", "--set:1: `path.sgi.loss.every` is zero"),
        ("{ every = inf }", "--set:1: `path.sgi.loss.every` is a number"),
    ] {
        let over = format!("path.sgi.loss={table}");
        let plain = Scenario::parse("s.toml", wires, &[over]).expect_err("a mistake").plain();
        assert!(plain.starts_with(expected), "{plain}");
    }
}

#[test]
fn a_wrong_unit() {
    insta::assert_snapshot!(changed("rate = \"5 Mbit/s\"", "rate = \"5 ms\""));
}

#[test]
fn a_unit_in_the_wrong_case() {
    insta::assert_snapshot!(changed("rate = \"5 Mbit/s\"", "rate = \"5 mbit/s\""));
}

#[test]
fn a_number_without_unit() {
    insta::assert_snapshot!(changed("delay = \"1 ms\"", "delay = 1"));
}

#[test]
fn a_negative_size() {
    insta::assert_snapshot!(changed("\"172 B\"", "\"-172 B\""));
}

#[test]
fn a_rate_of_zero() {
    insta::assert_snapshot!(changed("\"5 Mbit/s\"", "\"0 Mbit/s\""));
}

#[test]
fn a_duration_of_zero() {
    insta::assert_snapshot!(changed("duration = \"5 s\"", "duration = \"0 s\""));
}

#[test]
fn a_warm_up_as_long_as_the_run() {
    insta::assert_snapshot!(changed("\n[output]", "\n[output]\nwarm_up = \"5 s\""));
}

#[test]
fn a_million_ues() {
    insta::assert_snapshot!(changed("name = \"ue\"\n", "name = \"ue\"\ncount = 1000000\n"));
}

#[test]
fn many_groups_of_many_ues() {
    let more = "\n[[ue]]\nname = \"more\"\ncount = 10000\nsnr = \"1 dB\"\n";
    insta::assert_snapshot!(changed("\n[output]", &format!("{more}\n[output]")));
}

#[test]
fn a_bearer_for_no_ue() {
    insta::assert_snapshot!(changed("name = \"voice\"\nqci", "name = \"voice\"\nue = \"eu\"\nqci"));
}

#[test]
fn a_flow_for_an_unknown_ue() {
    insta::assert_snapshot!(changed("kind = \"tcp\"", "ue = [\"ue\", \"phone\"]\nkind = \"tcp\""));
}

#[test]
fn a_filter_that_matches_nothing() {
    insta::assert_snapshot!(changed(
        "tos = \"0x14\"                # must",
        "tos = \"0x18\" # must"
    ));
}

#[test]
fn a_start_after_the_end() {
    insta::assert_snapshot!(changed("start = \"1 s\"", "start = \"7 s\""));
}

#[test]
fn a_missing_key() {
    insta::assert_snapshot!(changed("duration = \"5 s\"\n", ""));
}

#[test]
fn a_table_where_a_list_is_due() {
    insta::assert_snapshot!(changed("[[ue]]", "[ue]"));
}

#[test]
fn an_unknown_word() {
    insta::assert_snapshot!(changed("\"proportional-fair\"", "\"proportional_fair\""));
}

#[test]
fn several_errors_at_once() {
    let text = template("lte-6rb").expect("a template").text;
    let text = text
        .replace("resource_blocks = 6", "resource_blocks = 7")
        .replace("kind = \"rtp\"", "kind = \"udp\"")
        .replace("snr = ", "snir = ");
    insta::assert_snapshot!(report(&text, &["path.s1.rate=fast"]));
}

#[test]
fn an_override_without_value() {
    insta::assert_snapshot!(overridden(&["duration"]));
}

#[test]
fn an_override_of_no_item() {
    insta::assert_snapshot!(overridden(&["flow.downlod.start=1 s"]));
}

#[test]
fn an_override_of_an_unknown_key() {
    insta::assert_snapshot!(overridden(&["cell.ressource_blocks=15"]));
}

#[test]
fn an_override_with_an_impossible_value() {
    insta::assert_snapshot!(overridden(&["flow.download.start=20 s"]));
}

#[test]
fn plain_lines_name_file_line_key_and_what_is_allowed() {
    let text = "duration = \"0 s\"\n[cell]\nresource_blocks = 7\n";
    let errors = Scenario::parse("bad.toml", text, &[]).expect_err("two errors");
    assert_eq!(
        errors.plain(),
        "bad.toml:1: `duration` is zero (allowed: more than 0 s, at most 86400 s)\n\
         bad.toml:3: `cell.resource_blocks` cannot be 7 \
         (allowed: one of 6, 15, 25, 50, 75, 100)"
    );
}

#[test]
fn a_filter_may_match_nothing_if_that_is_meant() {
    let meant = "protocol = \"tcp\"\nmay_be_unused = true";
    let text = template("lte-6rb").expect("a template").text;
    assert!(text.contains("protocol = \"udp\""));
    let text = text.replacen("protocol = \"udp\"", meant, 1);
    assert!(Scenario::parse("lte-6rb.toml", &text, &[]).is_ok());
}

/// Changes of the template, each with a part of the message that it must give.
const REFUSED: &[(&str, &str, &str)] = &[
    ("qci = 7", "qci = 10", "`bearer.voice.qci` cannot be 10"),
    ("qci = 7", "qci = 7\nguaranteed_bit_rate = \"1 Mbit/s\"", "no bearer of QCI 7"),
    (
        "qci = 7",
        "qci = 7\nuplink_queue = { kind = \"ramp\", free_above = 0.2 }",
        "`bearer.voice.uplink_queue.free_above` is at the UE",
    ),
    ("qci = 7", "five_qi = 81", "`bearer.voice.five_qi` cannot be 81"),
    ("qci = 7", "qci = 7\nfive_qi = 7", "`bearer.voice.five_qi` stands beside qci"),
    ("qci = 7", "five_qi = 80\nguaranteed_bit_rate = \"1 Mbit/s\"", "no bearer of 5QI 80"),
    ("qci = 7", "qci = 7\npdcp_sn = 15", "`bearer.voice.pdcp_sn` cannot be 15"),
    ("qci = 7", "qci = 7\ndefault = true", "second default bearer"),
    ("qci = 7", "qci = 7\nonly = \"1-2\"", "`bearer.voice.only` has no UE of number 2"),
    ("protocol = \"udp\"", "protocol = \"icmp\"", "cannot be \"icmp\""),
    ("protocol = \"udp\"", "dscp = 5", "`bearer.voice.filter.0.dscp` is beside tos"),
    ("protocol = \"udp\"", "remote_port = \"10-5\"", "cannot be \"10-5\""),
    ("protocol = \"udp\"", "remote_address = \"1.2.3.4/33\"", "cannot be \"1.2.3.4/33\""),
    ("protocol = \"udp\"", "protocol = \"tcp\"", "matches nothing that is sent"),
    ("size = \"greedy\"", "size = \"0 B\"", "`flow.download.size` is zero"),
    ("size = \"greedy\"", "stop = \"10 ms\"", "`flow.download.stop` is before start"),
    ("size = \"greedy\"", "tos = \"0x15\"", "ECN bits"),
    ("size = \"greedy\"", "rtp = {}", "`flow.download.rtp` is in a flow of kind"),
    ("name = \"download\"", "name = \"voice\"", "`flow.voice.name` is a second"),
    ("name = \"download\"", "name = \"a.b\"", "is no name"),
    ("controller = \"cubic\"", "newreno = {}", "is for another controller"),
    ("controller = \"cubic\"", "min_rto = \"2 min\"", "is above max_rto"),
    ("interval = \"20 ms\"", "interval = \"0 ms\"", "`flow.voice.rtp.interval` is zero"),
    ("snr = \"100 dB\"", "", "has neither snr nor distance"),
    ("snr = \"100 dB\"", "snr = \"1 dB\"\ndistance = \"1 m\"", "is beside snr"),
    ("snr = \"100 dB\"", "distance = { min = \"9 m\", max = \"8 m\" }", "is less than min"),
    ("[cell]", "[cell]\ncontrol_symbols = 1", "`cell.control_symbols` cannot be 1"),
    (
        "[cell]",
        "[cell]\ncontrol_elements = 5",
        "`cell.control_elements` does not count with pdcch \"ideal\"",
    ),
    ("[cell]", "[cell]\ntti = \"20 ms\"", "`cell.tti` cannot be 20 ms"),
    ("[cell]", "[cell]\ntti = \"mu1/3sym\"", "`cell.tti` cannot be \"mu1/3sym\""),
    ("[cell]", "[cell]\ntti = \"0.3 ms\"\nuplink.sr_period = \"5 ms\"", "no multiple of the tti"),
    ("[cell]", "[cell]\nuplink.sr_period = \"0 tti\"", "is zero"),
    (
        "[cell]",
        "[cell]\nuplink = { access = \"configured\", configured_resource_blocks = 7 }",
        "needs 7 resource blocks in one interval",
    ),
    (
        "[cell]",
        "[cell]\nuplink.access = \"configured\"\ntiming.data_preparation = \"7 tti\"",
        "`cell.timing.data_preparation` is too long",
    ),
    ("[cell]", "[cell]\nduplex = \"tdd\"", "`cell.tdd_pattern` is missing"),
    ("[cell]", "[cell]\ntdd_pattern = \"DU\"", "does not count with duplex \"fdd\""),
    ("[cell]", "[cell]\nspecial_slot = \"10:2:2\"", "does not count with duplex \"fdd\""),
    ("[cell]", "[cell]\nspecial_slot = \"10:2:3\"", "`cell.special_slot` has 15 symbols"),
    ("[cell]", "[cell]\nspecial_slot = \"10:2\"", "`cell.special_slot` is no special slot"),
    ("[cell]", "[cell]\nspecial_slot = 10", "`cell.special_slot` is a number"),
    ("[cell]", "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DDXU\"", "has the letter 'X'"),
    ("[cell]", "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DD\"", "has no uplink slot"),
    ("[cell]", "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"UU\"", "has no downlink slot"),
    ("[cell]", "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DSU\"", "that nobody describes"),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\nspecial_slot = \"10:2:2\"",
        "`cell.special_slot` is of slots that the pattern does not have",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\ntti = \"mu1/7sym\"",
        "`cell.tti` is no whole slot",
    ),
    (
        "[cell]",
        "[cell]\ntechnology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\ntti = \"mu1/4sym\"",
        "`cell.tti` has mini-slots of 4 symbols, which do not divide a slot",
    ),
    (
        "[cell]",
        "[cell]\ntechnology = \"nr\"\nduplex = \"tdd\"\ntdd_pattern = \"DFU\"\ntti = \"mu1/7sym\"\n\
         flexible = \"by-need\"",
        "`cell.flexible` cannot be \"by-need\"",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\ntti = \"0.3 ms\"",
        "`cell.tti` is no whole slot",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\nharq.uplink = \"synchronous\"",
        "`cell.harq.uplink` cannot be synchronous",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\ntiming.harq_round_trip = \"4 tti\"",
        "`cell.timing.harq_round_trip` is too short",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\ntiming.data_to_feedback = \"0 tti\"",
        "`cell.timing.data_to_feedback` is too short",
    ),
    (
        "[cell]",
        "[cell]\ntiming.data_to_feedback = \"1.5 tti\"",
        "`cell.timing.data_to_feedback` is no multiple of the tti",
    ),
    (
        "[cell]",
        "[cell]\nspecial_uplink = true",
        "`cell.special_uplink` does not count with duplex \"fdd\"",
    ),
    ("[cell]", "[cell]\ntdd_configuration = 2", "does not count with duplex \"fdd\""),
    ("[cell]", "[cell]\nspecial_subframe = 7", "does not count with duplex \"fdd\""),
    ("[cell]", "[cell]\nflexible = \"unused\"", "does not count with duplex \"fdd\""),
    (
        "[cell]",
        "[cell]\ntdd_common = [{ period = \"5 ms\" }]",
        "does not count with duplex \"fdd\"",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 7",
        "`cell.tdd_configuration` is too large: 7",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\nspecial_subframe = 10",
        "`cell.special_subframe` is too large: 10",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\ntechnology = \"nr\"",
        "`cell.tdd_configuration` is LTE's",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\ntti = \"0.5 ms\"",
        "`cell.tti` is no subframe",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\nspecial_slot = \"10:2:2\"",
        "`cell.special_slot` does not count with tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\nspecial_uplink = true",
        "`cell.special_uplink` does not count with tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\nharq.uplink = \"asynchronous\"",
        "`cell.harq.uplink` cannot be asynchronous",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\nharq.processes = 8",
        "does not count with synchronous HARQ",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\ntiming.grant_to_transmission = \"5 tti\"",
        "`cell.timing.grant_to_transmission` does not count with tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\ntiming.uplink_processing = \"4 tti\"",
        "`cell.timing.uplink_processing` is too long",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\ntdd_pattern = \"DSUUUDSUUU\"",
        "`cell.tdd_pattern` is not that of tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_configuration = 2\n\
         tdd_common = [{ period = \"5 ms\", downlink_slots = 4, uplink_slots = 1 }]",
        "`cell.tdd_common` is beside tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\nspecial_subframe = 7",
        "does not count without tdd_configuration",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DSU\"\nspecial_slot = \"11:2:1\"\nspecial_uplink = true",
        "`cell.special_uplink` has no room in the pattern",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DU\"\nflexible = \"uplink\"",
        "`cell.flexible` is of slots that the pattern does not have",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu1\"\n\
         tdd_common = [{ period = \"1.5 ms\", downlink_slots = 2, uplink_slots = 1 }]",
        "`cell.tdd_common.0.period` cannot be 1.5 ms",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu0\"\n\
         tdd_common = [{ period = \"2.5 ms\", downlink_slots = 1, uplink_slots = 1 }]",
        "1, 2, 3, 4, 5, 10 ms with these slots",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu1\"\n\
         tdd_common = [{ period = \"3 ms\", downlink_slots = 3, uplink_slots = 3 },\
         { period = \"4 ms\", downlink_slots = 4, uplink_slots = 4 }]",
        "`cell.tdd_common.1.period` makes 7 ms of all parts",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu1\"\n\
         tdd_common = [{ period = \"2.5 ms\", downlink_slots = 3, downlink_symbols = 10, \
         uplink_symbols = 5, uplink_slots = 1 }]",
        "`cell.tdd_common.0` has 3 slots and 10 symbols downlink, 1 and 5 uplink",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu1\"\n\
         tdd_common = [{ period = \"2.5 ms\", downlink_slots = 5 }]",
        "`cell.tdd_common` has no uplink slot",
    ),
    (
        "[cell]",
        "[cell]\nduplex = \"tdd\"\ntti = \"mu1\"\ntdd_common = [\
         { period = \"1 ms\", downlink_slots = 2 }, { period = \"1 ms\", uplink_slots = 2 },\
         { period = \"2 ms\", uplink_slots = 2 }]",
        "`cell.tdd_common` has 3 parts",
    ),
    (
        "[cell]",
        "[network]\nsites = 1\n[cell]\nduplex = \"tdd\"\ntdd_pattern = \"DFU\"\nflexible = \"by-need\"",
        "`cell.flexible` cannot be \"by-need\"",
    ),
    ("[cell]", "[cell]\nharq.processes = 8", "does not count with synchronous HARQ"),
    (
        "[cell]",
        "[cell]\nharq = { uplink = \"asynchronous\", processes = 33 }",
        "`cell.harq.processes` is too large: 33",
    ),
    (
        "[cell]",
        "[[ue]]\nname = \"more\"\ncount = 6\nsnr = \"9 dB\"\n\
         [cell]\nduplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n\
         uplink = { access = \"configured\", configured_period = \"7 tti\" }",
        "needs 10 resource blocks in one interval",
    ),
    ("[cell]", "[cell]\nharq.error = 1.5", "`cell.harq.error` is too large: 1.5"),
    ("[cell]", "[cell]\nuplink.sr_period = \"2 s\"", "is too long"),
    ("[cell]", "[cell]\nuplink.sr_offset = \"5 ms\"", "is beyond the period"),
    ("[cell]", "[cell]\nuplink.sr_period = \"1.5 ms\"", "is no multiple of the tti"),
    ("[cell]", "[cell]\nlink_adaptation = { min_mcs = 9, max_mcs = 8 }", "above max_mcs"),
    ("seed = 1", "seed = -1", "`seed` is negative"),
    ("seed = 1", "seed = 1.5", "`seed` is a number"),
    ("title = ", "title = 5 # ", "`title` is a number"),
    ("[path.sgi]", "[path.sgi]\nloss = 1.5", "`path.sgi.loss` is too large: 1.5"),
    ("[path.sgi]", "[path.sgi]\nloss = nan", "`path.sgi.loss` is a number"),
    ("[cell]", "[cell]\nharq.error = nan", "`cell.harq.error` is NaN (it must be finite)"),
    (
        "[cell]",
        "[cell]\nuplink = { access = \"reported\", proactive_period = \"5 ms\" }",
        "`cell.uplink.proactive_period` does not count with access \"reported\"",
    ),
    ("[path.sgi]", "[path.sgi]\nloss = -0.1", "`path.sgi.loss` is too small: -0.1"),
    ("[path.sgi]", "[path.sgi]\nloss = \"1%\"", "as { every = 1000 }"),
    ("[path.sgi]", "[path.sgi]\nloss = { every = 0 }", "`path.sgi.loss.every` is zero"),
    ("[path.sgi]", "[path.sgi]\nloss = { each = 5 }", "unknown key `path.sgi.loss.each`"),
    ("[path.sgi]", "[path.sgi]\nmark = {}", "`path.sgi.mark` lacks `every`"),
    ("[path.sgi]", "[path.sgi]\nmark = 2", "`path.sgi.mark` is too large: 2"),
];

#[test]
fn more_that_cannot_be() {
    for &(from, to, expected) in REFUSED {
        let text = template("lte-6rb").expect("a template").text;
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        match Scenario::parse("s.toml", &text, &[]) {
            Ok(_) => panic!("{to:?} is accepted"),
            Err(errors) => {
                let plain = errors.plain();
                assert!(plain.contains(expected), "{to:?}: {plain}");
                assert!(plain.lines().all(|line| line.starts_with("s.toml:")), "{plain}");
            }
        }
    }
}

#[test]
fn twelve_bearers_are_too_many() {
    let mut text = template("lte-6rb").expect("a template").text.to_owned();
    for n in 0..9 {
        text.push_str(&format!(
            "\n[[bearer]]\nname = \"extra {n}\"\n[[bearer.filter]]\nprotocol = \"udp\"\n"
        ));
    }
    assert!(Scenario::parse("s.toml", &text, &[]).is_ok(), "eleven are allowed");
    text.push_str("\n[[bearer]]\nname = \"last\"\n[[bearer.filter]]\nprotocol = \"udp\"\n");
    let errors = Scenario::parse("s.toml", &text, &[]).expect_err("twelve");
    assert!(errors.plain().contains("`bearer.last` is bearer 12 of a UE"), "{}", errors.plain());
}
