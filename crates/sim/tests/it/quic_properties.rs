//! Property: QUIC over any path ends, with all data or with the reason of its stack.

use airpath_base::{Duration, FlowId, Time};

use proptest::prelude::*;

use crate::lab::{Lab, draw};
use crate::properties::cases;

const STEP: Duration = Duration::from_millis(100);
/// Time within which each flow is over: its data come in seconds, and connections end 30 s behind their last packet. A
/// client that loses three of ten packets doubles its timer some times.
const END: Time = Time::from_millis(600_000);

/// Work of a flow.
#[derive(Clone, Copy, Debug)]
enum Work {
    Transfer(u32),
    Requests { count: u32, response: u32 },
    Datagrams { payload: u32, every_ms: u32 },
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        3 => (1u32..300_000).prop_map(Work::Transfer),
        2 => (1u32..8, 0u32..40_000).prop_map(|(count, response)| Work::Requests { count, response }),
        1 => (1u32..1_163, 1u32..40)
            .prop_map(|(payload, every_ms)| Work::Datagrams { payload, every_ms }),
    ]
}

prop_compose! {
    /// A path with a flow of QUIC, and its work. The UE may have another port in the first second, if that is wanted. Before
    /// the end of the handshake no connection survives that (RFC 9000, 9).
    fn scenario(another_port: bool)(
        work in work(),
        radio in any::<bool>(),
        up in any::<bool>(),
        kbps in 300u32..50_000,
        delay in 0u32..60,
        queue in 4u32..200,
        several in 1u32..4,
        parallel in 1u32..6,
        control in prop::sample::select(vec!["cubic", "newreno", "bbr"]),
        ecn in prop::sample::select(vec!["classic", "off"]),
        window in prop::option::of(2_048u32..100_000),
        largest in 1_200u32..9_000,
        new_port in prop::option::of(1u32..1_000),
    ) -> (String, Work) {
        let radio = match radio {
            true => "[path.s1]\n[cell]\nresource_blocks = 25\n[[ue]]\nname = \"ue\"\nsnr = \"15 dB\"\n",
            false => "radio = \"none\"\n",
        };
        let datagrams = matches!(work, Work::Datagrams { .. });
        let (connections, streams) = if datagrams { (1, 1) } else { (several, parallel) };
        let direction = if up && !matches!(work, Work::Requests { .. }) { "up" } else { "down" };
        let window = window.map_or(String::new(), |w| format!("receive_window = \"{w} B\"\n"));
        let (flow, table) = match work {
            Work::Transfer(bytes) => (format!("size = \"{bytes} B\"\n"), String::new()),
            Work::Requests { count, response } => (String::new(), format!(
                "[flow.requests]\nresponse = \"{response} B\"\ncount = {count}\nperiod = \"100 ms\"\n"
            )),
            Work::Datagrams { payload, every_ms } => ("stop = \"2 s\"\n".to_owned(), format!(
                "[flow.quic.datagrams]\npayload = \"{payload} B\"\ninterval = \"{every_ms} ms\"\n"
            )),
        };
        let new_port = new_port.filter(|_| another_port).map_or(String::new(), |ms| format!("new_port = \"{ms} ms\"\n"));
        let (head, tail) = if radio.starts_with("radio") { (radio, "") } else { ("", radio) };
        let text = format!(
            "duration = \"600 s\"\n{head}[path.sgi]\nrate = \"{kbps} kbit/s\"\ndelay = \"{delay} ms\"\n\
             queue = \"{queue} packets\"\n{tail}[[flow]]\nname = \"quic\"\nkind = \"quic\"\n\
             direction = \"{direction}\"\n{flow}[flow.quic]\nconnections = {connections}\n\
             streams = {streams}\ncongestion_control = \"{control}\"\necn = \"{ecn}\"\n\
             largest_payload = \"{largest} B\"\n{window}{new_port}{table}"
        );
        (text, work)
    }
}

/// Runs until nothing will ever happen again; gives what is wrong then.
fn complete(lab: &mut Lab, work: Work) -> Result<(), String> {
    lab.run(STEP, END)?;
    if let Some(due) = lab.engine.next_wake() {
        return Err(format!("something is to come at {due}"));
    }
    let flow = FlowId(0);
    let (audit, failed) = (&lab.auditor, lab.auditor.failed.get(&flow));
    let delivered = audit.delivered.get(&flow).copied().unwrap_or(0);
    let answered = audit.answered.get(&flow).copied().unwrap_or(0);
    let is_whole = match work {
        Work::Transfer(bytes) => delivered == u64::from(bytes),
        Work::Requests { count, .. } => answered == u64::from(count),
        Work::Datagrams { payload, .. } => delivered % u64::from(payload) == 0,
    };
    match is_whole || failed.is_some() {
        true => Ok(()),
        false => Err(format!("{delivered} B, {answered} answers, and no reason")),
    }
}

proptest! {
    #![proptest_config(cases(192))]

    #[test]
    fn a_flow_has_all_data_or_a_reason(
        (text, work) in scenario(true), impair in draw::impair(), seed: u64,
    ) {
        let mut lab = Lab::new(&text, seed, impair);
        if let Err(flaw) = complete(&mut lab, work) {
            panic!("{flaw}\n{impair:?}, seed {seed}\n{text}");
        }
    }

    #[test]
    fn without_loss_a_flow_has_all_data((text, work) in scenario(false), seed: u64) {
        let mut lab = Lab::new(&text, seed, Default::default());
        if let Err(flaw) = complete(&mut lab, work) {
            panic!("{flaw}\nseed {seed}\n{text}");
        }
        if let Some(cause) = lab.auditor.failed.get(&FlowId(0)) {
            panic!("{cause}\nseed {seed}\n{text}");
        }
    }
}

/// A debug assertion of quinn-proto 0.11.19 fails here, after the UE has changed its port (`pto_time_and_space`).
#[test]
fn a_stack_that_panics_ends_its_flow() {
    let text = "duration = \"600 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"23812 kbit/s\"\n\
                delay = \"26 ms\"\nqueue = \"9 packets\"\n[[flow]]\nname = \"quic\"\nkind = \"quic\"\n\
                direction = \"down\"\n[flow.quic]\nconnections = 3\nstreams = 1\n\
                congestion_control = \"newreno\"\nlargest_payload = \"5132 B\"\n\
                receive_window = \"18488 B\"\nnew_port = \"330 ms\"\n[flow.requests]\n\
                response = \"17502 B\"\ncount = 2\nperiod = \"100 ms\"\n";
    let extra = Duration::from_millis(38);
    let impair =
        airpath_path::ImpairConfig { loss: 0.188066128314148, reorder: 0.4084781544684918, extra };
    let mut lab = Lab::new(text, 1_893_599_068_522_461_563, impair);
    let work = Work::Requests { count: 2, response: 17_502 };
    assert_eq!(complete(&mut lab, work), Ok(()));
    let failed = lab.auditor.failed.get(&FlowId(0));
    assert!(cfg!(not(debug_assertions)) || failed == Some(&"its stack has panicked"), "{failed:?}");
}
