//! Random scenarios.

use std::fmt::Write as _;

use airpath_base::Duration;
use airpath_path::ImpairConfig;
use proptest::prelude::*;

/// A flow with any options of TCP and RTP, finite or not.
#[derive(Clone, Debug)]
struct Flow {
    tcp: bool,
    up: bool,
    start: u32,
    size: Option<u32>,
    payload: u32,
    dscp: bool,
}

fn flow() -> impl Strategy<Value = Flow> {
    let size = prop::option::of(1u32..200_000);
    (any::<bool>(), any::<bool>(), 0u32..300, size, 12u32..3_000, any::<bool>()).prop_map(
        |(tcp, up, start, size, payload, dscp)| Flow { tcp, up, start, size, payload, dscp },
    )
}

fn flow_text(n: usize, flow: &Flow, text: &mut String) {
    let Flow { tcp, up, start, size, payload, dscp } = flow.clone();
    let (kind, direction) = (if tcp { "tcp" } else { "rtp" }, if up { "up" } else { "down" });
    let dscp = if dscp { "dscp = \"EF\"\n" } else { "" };
    write!(
        text,
        "[[flow]]\nname = \"f{n}\"\nkind = \"{kind}\"\ndirection = \"{direction}\"\n\
         start = {{ min = \"{} ms\", max = \"{start} ms\" }}\n{dscp}",
        start / 2
    )
    .expect("a string takes what is written");
    match (tcp, size) {
        (true, Some(size)) => _ = writeln!(text, "size = \"{size} B\""),
        (true, None) => {}
        (false, _) => _ = writeln!(text, "rtp = {{ payload = \"{payload} B\" }}"),
    }
}

/// The carriers of LTE up to 10 MHz, and some of NR: slots, mini-slots, 256QAM.
const CARRIERS: [&str; 7] = [
    "resource_blocks = 6",
    "resource_blocks = 15",
    "resource_blocks = 25",
    "resource_blocks = 50",
    "technology = \"nr\"\nbandwidth = \"5 MHz\"\nnumerology = 0",
    "technology = \"nr\"\nlink_adaptation.mcs_table = \"256qam\"",
    "technology = \"nr\"\ntti = \"mu3/7sym\"\nlink_adaptation.error_curves = \"sionna\"",
];

/// A cell whose blocks fail up to so often as is the target, with HARQ of few attempts.
fn cell() -> impl Strategy<Value = String> {
    (
        prop::sample::select(CARRIERS.to_vec()),
        prop::sample::select(vec!["proportional-fair", "round-robin"]),
        prop::sample::select(vec!["by-need", "whole"]),
        prop::sample::select(vec!["priority", "equal"]),
        prop::sample::select(vec!["scheduling-request", "reported"]),
        (any::<bool>(), 1u32..=4, prop::sample::select(vec![0.001, 0.1, 0.3])),
        (any::<bool>(), prop::sample::select(vec!["lte", "nr"])),
    )
        .prop_map(|(carrier, scheduler, allocation, sharing, access, harq, plane)| {
            let (header, user_plane) = plane;
            let (harq, attempts, bler) = harq;
            format!(
                "[cell]\n{carrier}\nuser_plane = \"{user_plane}\"\n\
                 link_adaptation.bler_target = {bler}\n\
                 scheduler = \"{scheduler}\"\n\
                 allocation = \"{allocation}\"\nsharing = \"{sharing}\"\nmac_header = {header}\n\
                 [cell.harq]\nenabled = {harq}\nmax_transmissions = {attempts}\n\
                 [cell.uplink]\naccess = \"{access}\"\n"
            )
        })
}

/// No further carriers, or one or two with an uplink or without, always active or by traffic.
fn carriers() -> impl Strategy<Value = String> {
    let of = |name: &str, ghz: &str, (uplink, keys): (bool, &str)| {
        format!(
            "[[carrier]]\nname = \"{name}\"\nfrequency = \"{ghz} GHz\"\nuplink = {uplink}\n{keys}"
        )
    };
    let keys = prop::sample::select(vec![
        "activation = \"always\"\n",
        "activation_threshold = \"2 kB\"\ndeactivation_timer = \"30 ms\"\n",
    ]);
    let one = (any::<bool>(), keys);
    prop_oneof![
        Just(String::new()),
        one.clone().prop_map(move |one| of("b", "1.84", one)),
        (one.clone(), one).prop_map(move |(b, c)| of("b", "1.84", b) + &of("c", "2.655", c)),
    ]
}

fn wires() -> impl Strategy<Value = String> {
    let loss = || prop::sample::select(vec![0.0, 0.01, 0.3]);
    (1u32..100_000, 1u32..200, 0u32..60, loss(), loss(), any::<bool>(), any::<bool>()).prop_map(
        |(rate, queue, delay, loss, loss_up, ipsec, s5)| {
            let ipsec = if ipsec { "ipsec = {}\n" } else { "" };
            let s5 = if s5 { "s5 = { delay = \"1 ms\" }\n" } else { "" };
            format!(
                "[path]\n{ipsec}{s5}[path.sgi]\ndelay = \"{delay} ms\"\nloss = {loss}\n\
                 [path.s1]\nrate = \"{rate} kbit/s\"\nqueue = \"{queue} packets\"\n\
                 up = {{ loss = {loss_up} }}\n"
            )
        },
    )
}

/// Bearers with any queues and modes.
fn bearers() -> impl Strategy<Value = String> {
    let mode = || prop::sample::select(vec!["um", "am"]);
    let queue = prop::sample::select(vec![
        "\"unlimited\"",
        "\"10 packets\"",
        "\"20 KiB\"",
        "{ kind = \"codel\" }",
        "{ kind = \"fq-codel\" }",
        "{ kind = \"dualpi2\", limit = \"20 packets\" }",
        "{ kind = \"ramp\", drop_not_ect = true }",
        "{ kind = \"age\", one = \"20 ms\", all = \"80 ms\" }",
    ]);
    let queue = (queue.clone(), queue);
    let timer = || prop::sample::select(vec!["5 ms", "50 ms", "infinity"]);
    let retransmissions = prop::sample::select(vec![1, 4, 32]);
    let modes = (mode(), mode(), timer(), timer(), retransmissions);
    (modes, queue).prop_map(|(modes, queue)| {
        let (default, voice, timer, voice_timer, retransmissions) = modes;
        let (queue, uplink_queue) = queue;
        format!(
            "[[bearer]]\nname = \"default\"\ndefault = true\nrlc = \"{default}\"\n\
             queue = {queue}\nuplink_queue = {uplink_queue}\ndiscard_timer = \"{timer}\"\n\
             am = {{ max_retransmissions = {retransmissions} }}\n\
             [[bearer]]\nname = \"voice\"\nqci = 7\nrlc = \"{voice}\"\n\
             discard_timer = \"{voice_timer}\"\nfilter = [{{ dscp = \"EF\" }}]\n"
        )
    })
}

fn radio() -> impl Strategy<Value = String> {
    (1u32..5, -12i32..35, -12i32..35, bearers()).prop_map(|(count, down, up, bearers)| {
        format!(
            "[[ue]]\nname = \"u\"\ncount = {count}\n\
             snr = {{ down = \"{down} dB\", up = \"{up} dB\" }}\n\
             [[ue]]\nname = \"far\"\ndistance = {{ min = \"50 m\", max = \"3 km\" }}\n\
             {bearers}"
        )
    })
}

/// UEs in as many cells as eight threads share, perhaps with further carriers. DRX, short timers of a failed
/// radio link and a controller whose packets are marked are drawn too.
pub fn network() -> impl Strategy<Value = String> {
    let rrc = prop::sample::select(vec![
        "",
        "[cell.rrc]\nrelease_after = \"100 ms\"\npromotion = \"20 ms\"\n\
         [cell.rrc.drx]\non_duration = \"2 ms\"\ninactivity = \"10 ms\"\nlong_cycle = \"40 ms\"\n",
        "[cell.radio_link]\nt310 = \"50 ms\"\nreestablishment = \"20 ms\"\n",
    ]);
    let (ues, distance) = (40u32..80, prop::sample::select(vec![200, 500, 5_000]));
    let flows = prop::collection::vec(flow(), 1..4);
    (cell(), carriers(), rrc, wires(), (ues, distance), bearers(), flows).prop_map(
        |(cell, carriers, rrc, wires, (ues, distance), bearers, mut flows)| {
            flows[0].dscp = true; // or the filter would match nothing
            let mut text = format!(
                "duration = \"300 ms\"\n{wires}{cell}{rrc}\
                 [network]\nsites = 7\nsite_distance = \"{distance} m\"\ncarrier = \"2.14 GHz\"\n{carriers}\
                 [[ue]]\nname = \"u\"\ncount = {ues}\n{bearers}\
                 [[flow]]\nname = \"marked\"\nkind = \"tcp\"\ndirection = \"down\"\n\
                 tcp.controller = \"prague\"\n"
            );
            flows.iter().enumerate().for_each(|(n, flow)| flow_text(n, flow, &mut text));
            text
        },
    )
}

/// A scenario with all that may lose a packet.
pub fn scenario() -> impl Strategy<Value = String> {
    let flows = prop::collection::vec(flow(), 1..4);
    let parts = (cell(), carriers(), wires(), radio(), flows);
    parts.prop_map(|(cell, carriers, wires, radio, mut flows)| {
        flows[0].dscp = true; // or the filter would match nothing
        let mut text = format!("duration = \"700 ms\"\n{wires}{cell}{carriers}{radio}");
        flows.iter().enumerate().for_each(|(n, flow)| flow_text(n, flow, &mut text));
        text
    })
}

/// Loss and reordering of a wire.
pub fn impair() -> impl Strategy<Value = ImpairConfig> {
    (0.0..0.3, 0.0..0.5, 1u64..40).prop_map(|(loss, reorder, extra)| ImpairConfig {
        loss,
        reorder,
        extra: Duration::from_millis(extra),
    })
}

/// Options of TCP that decide how losses are noticed and repaired.
fn tcp() -> impl Strategy<Value = String> {
    let any_of = |words: &[&'static str]| prop::sample::select(words.to_vec());
    (
        any_of(&["cubic", "newreno"]),
        any_of(&["sack", "newreno"]),
        any_of(&["segments", "timestamps"]),
        (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        any_of(&["\"off\"", "{ count = 2, timeout = \"40 ms\" }"]),
        (any_of(&["3000 B", "64 KiB", "1 MiB"]), any_of(&["200 kbit/s", "unlimited"])),
        any_of(&["200 ms", "1 s"]),
    )
        .prop_map(|(controller, recovery, rtt, flags, acks, (buffer, reader), rto)| {
            let (sack, limited, rescue, idle, server) = flags;
            let opener = if server { "server" } else { "ue" };
            // Of 8 SYNs with 30 % loss either way, all fail in one of 200 handshakes.
            format!(
                "tcp = {{ controller = \"{controller}\", recovery = \"{recovery}\", \
                 rtt_source = \"{rtt}\", sack = {sack}, limited_transmit = {limited}, \
                 rescue_retransmission = {rescue}, idle_restart = {idle}, \
                 opened_by = \"{opener}\", delayed_ack = {acks}, receive_buffer = \"{buffer}\", \
                 read_rate = \"{reader}\", min_rto = \"{rto}\", syn_retries = 127 }}\n"
            )
        })
}

/// Finite transfers, and finite calls beside them, over a radio that loses (UM) or
/// repairs (AM) what HARQ gave up. Gives the bytes of each transfer, too.
pub fn transfers() -> impl Strategy<Value = (String, Vec<u64>)> {
    let flow = (1u64..60_000, any::<bool>(), tcp());
    let harq = (1u32..=2, prop::sample::select(vec![0.01, 0.1, 0.3]));
    let mode = prop::sample::select(vec![("um", "lte"), ("am", "lte"), ("um", "nr"), ("am", "nr")]);
    let link = (64u32..20_000, 2u32..50, 0u32..80);
    let access = prop::sample::select(vec!["scheduling-request", "reported"]);
    let flows = prop::collection::vec(flow, 1..4);
    (link, harq, mode, access, -2i32..25, flows).prop_map(
        |((rate, queue, delay), (attempts, bler), (mode, user_plane), access, snr, flows)| {
            let mut text = format!(
                "duration = \"1 s\"\n[path.sgi]\ndelay = \"{delay} ms\"\n\
                 [path.s1]\nrate = \"{rate} kbit/s\"\nqueue = \"{queue} packets\"\n\
                 [cell]\nresource_blocks = 6\nuser_plane = \"{user_plane}\"\n[cell.uplink]\naccess = \"{access}\"\n\
                 [cell.harq]\nmax_transmissions = {attempts}\n\
                 [cell.link_adaptation]\nbler_target = {bler}\n\
                 [[ue]]\nname = \"u\"\nsnr = \"{snr} dB\"\n\
                 [[bearer]]\nname = \"default\"\ndefault = true\nrlc = \"{mode}\"\n\
                 am = {{ max_retransmissions = 32 }}\n\
                 [[flow]]\nname = \"call\"\nkind = \"rtp\"\ndirection = \"up\"\n\
                 rtp = {{ count = 20 }}\n"
            );
            for (n, (size, up, tcp)) in flows.iter().enumerate() {
                let direction = if *up { "up" } else { "down" };
                write!(
                    text,
                    "[[flow]]\nname = \"f{n}\"\nkind = \"tcp\"\ndirection = \"{direction}\"\n\
                     size = \"{size} B\"\n{tcp}"
                )
                .expect("a string takes what is written");
            }
            (text, flows.iter().map(|(size, ..)| *size).collect())
        },
    )
}
