//! The user plane in whole scenarios: what waits where, what marks, and what is lost.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

fn summary(text: &str) -> RunSummary {
    let scenario = match Scenario::parse("user-plane.toml", text, &[]) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{}\n{text}", errors.plain()),
    };
    match run(&scenario, RunOptions::default()) {
        Ok(outcome) => outcome.summary,
        Err(failure) => panic!("{failure}\n{text}"),
    }
}

/// A cell of 6 resource blocks that is given more than it carries, by video and the web, with
/// blocks that fail.
fn loaded(user_plane: &str, bearer: &str) -> String {
    format!(
        "duration = \"8 s\"\n[path.sgi]\ndelay = \"10 ms\"\n\
         [cell]\nresource_blocks = 6\nuser_plane = \"{user_plane}\"\n\
         harq.max_transmissions = 1\nharq.error = 0.2\n\
         [[ue]]\nname = \"u\"\ncount = 3\nsnr = \"12 dB\"\n\
         [[bearer]]\nname = \"default\"\ndefault = true\nrlc = \"am\"\nqueue = \"unlimited\"\n\
         discard_timer = \"infinity\"\nam = {{ max_retransmissions = 32 }}\n{bearer}\n\
         [[flow]]\nname = \"game\"\nkind = \"rtp\"\ndirection = \"down\"\n\
         rtp = {{ congestion_control = \"scream\", video = {{}}, scream = {{}} }}\n\
         [[flow]]\nname = \"web\"\nkind = \"tcp\"\ndirection = \"down\"\nweb = {{}}\n"
    )
}

#[test]
fn without_aqm_and_with_rlc_am_nothing_is_lost_at_the_highest_load() {
    for user_plane in ["lte", "nr"] {
        let summary = summary(&loaded(user_plane, ""));
        let lost: u64 = summary.flows.iter().map(|flow| flow.lost_packets).sum();
        assert_eq!(lost, 0, "{user_plane}");
        // The cell is full, and RLC had to send again what HARQ gave up.
        let cell = &summary.cells[0];
        assert!(cell.utilisation > Some(0.95), "{:?}", cell.utilisation);
        let again = summary.bearers.iter().map(|bearer| bearer.rlc_retransmissions);
        assert!(again.sum::<u64>() > 100);
    }
}

#[test]
fn marks_appear_on_no_packet_that_is_not_ecn_capable() {
    let kinds = ["ramp", "step", "codel", "fq-codel", "dualpi2", "l4span"];
    for kind in kinds {
        let queue = format!("kind = \"{kind}\"");
        let queues = format!("queue = {{ {queue} }}\nuplink_queue = {{ {queue} }}");
        let text = loaded("nr", "").replace("queue = \"unlimited\"", &queues);
        let summary = summary(&text);
        let marks = |name: &str| -> u64 {
            let flows = summary.flows.iter().filter(|flow| flow.name.starts_with(name));
            flows.map(|flow| flow.marks).sum()
        };
        // SCReAM sends ECT(1); CUBIC does not ask for ECN.
        assert!(marks("game") > 0, "{kind}");
        assert_eq!(marks("web"), 0, "{kind}");
    }
}

#[test]
fn a_qos_flow_has_a_queue_of_its_own() {
    let flow = "[[bearer.qos_flow]]\nname = \"video\"\nqueue = { kind = \"ramp\" }\n\
                filter = [{ protocol = \"udp\" }]";
    let [with, without] = [flow, ""].map(|flow| summary(&loaded("nr", flow)));
    let marks = |summary: &RunSummary, name: &str| -> u64 {
        summary.flows.iter().filter(|flow| flow.name.starts_with(name)).map(|flow| flow.marks).sum()
    };
    assert!(marks(&with, "game") > 0);
    assert_eq!((marks(&with, "web"), marks(&without, "game")), (0, 0));
    // Both are of one bearer, which three UEs have.
    assert_eq!(with.bearers.len(), 3);
}

/// An upload of a controller that answers marks, over a slow uplink with this user plane.
fn upload(user_plane: &str, bearer: &str) -> RunSummary {
    summary(&format!(
        "duration = \"6 s\"\n[path.sgi]\ndelay = \"10 ms\"\n\
         [cell]\nresource_blocks = 6\nuser_plane = \"{user_plane}\"\n\
         [[ue]]\nname = \"u\"\nsnr = \"15 dB\"\n\
         [[bearer]]\nname = \"default\"\ndefault = true\nqueue = \"unlimited\"\n{bearer}\n\
         [[flow]]\nname = \"up\"\nkind = \"tcp\"\ndirection = \"up\"\n\
         tcp = {{ controller = \"prague\" }}\n"
    ))
}

#[test]
fn uplink_is_marked_in_the_ue_or_by_the_cell() {
    let in_ue = "uplink_queue = { kind = \"ramp\" }";
    let at_cell = "uplink_marking = {}";
    let share = |user_plane: &str, bearer: &str| {
        let [none, marked] = ["", bearer].map(|bearer| upload(user_plane, bearer));
        let delay = |summary: &RunSummary| summary.flows[0].delay_ms.as_ref().map(|d| d.mean);
        let goodput = |summary: &RunSummary| summary.flows[0].goodput_bps.unwrap_or(0.0);
        let flow = &marked.flows[0];
        assert!(none.flows[0].marks == 0 && flow.marks > 0 && flow.lost_packets == 0);
        assert!(delay(&marked) < delay(&none).map(|mean| mean / 4.0), "{:?}", delay(&marked));
        goodput(&marked) / goodput(&none)
    };
    assert!(share("nr", in_ue) > 0.7);
    // The cell marks by the upper end of the level that the UE reports. LTE's levels rise by 1.17 (TS
    // 36.321, table 6.1.3.1-1), those of NR's short report by 1.39 (TS 38.321, table 6.1.3.1-1): the
    // same queue looks longer there, at most by 1.39.
    let [lte, nr] = ["lte", "nr"].map(|user_plane| share(user_plane, at_cell));
    assert!(lte > 0.7 && nr < lte && nr > lte / 1.39, "{lte} {nr}");
}

/// Downloads of these controllers through a bearer of a fixed cell with this queue, from the fifth
/// second on.
fn downloads(controllers: &[&str], queue: &str) -> RunSummary {
    let mut text = format!(
        "duration = \"25 s\"\n[path.sgi]\ndelay = \"10 ms\"\n\
         [cell]\nresource_blocks = 50\nuser_plane = \"nr\"\n\
         [[ue]]\nname = \"u\"\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"default\"\ndefault = true\nqueue = {queue}\n\
         [output]\nwarm_up = \"5 s\"\n"
    );
    for controller in controllers {
        text += &format!(
            "[[flow]]\nname = \"{controller}\"\nkind = \"tcp\"\ndirection = \"down\"\n\
             tcp = {{ controller = \"{controller}\" }}\n"
        );
    }
    summary(&text)
}

fn goodputs(summary: &RunSummary) -> Vec<f64> {
    summary.flows.iter().map(|flow| flow.goodput_bps.unwrap_or(0.0)).collect()
}

/// Wires, preparation and the air: what a packet takes that finds no queue, in ms.
const WITHOUT_QUEUE: f64 = 13.0;

#[test]
fn prague_fills_a_dualpi2_bearer_with_a_threshold_of_five_subframes() {
    let threshold = "{ kind = \"dualpi2\", marking = \"step\", step = \"5 ms\" }";
    let full = goodputs(&downloads(&["prague"], "\"unlimited\""))[0];
    let marked = downloads(&["prague"], threshold);
    assert!(goodputs(&marked)[0] > 0.9 * full, "{:?} of {full}", goodputs(&marked));
    let delay = marked.flows[0].delay_ms.as_ref().expect("packets");
    assert!(delay.p99 - WITHOUT_QUEUE < 10.0, "{}", delay.p99);
    let both = goodputs(&downloads(&["prague", "cubic"], threshold));
    assert!((0.5..2.0).contains(&(both[0] / both[1])), "{both:?}");
}

#[test]
fn a_threshold_of_one_subframe_leaves_most_of_a_cell_unused() {
    // Packets come out once a subframe, so that they find 0.8 ms of delay without any queue.
    let full = goodputs(&downloads(&["prague"], "\"unlimited\""))[0];
    let rfc = goodputs(&downloads(&["prague"], "{ kind = \"dualpi2\" }"))[0];
    assert!(rfc < 0.5 * full, "{rfc} of {full}");
}
