//! Wireshark's expert analysis, summed up.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{Count, Way, endpoint};

const FIELDS: [&str; 19] = [
    "frame.len",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
    "tcp.srcport",
    "tcp.dstport",
    "udp.srcport",
    "udp.dstport",
    "tcp.analysis.retransmission",
    "tcp.analysis.out_of_order",
    "tcp.analysis.duplicate_ack",
    "tcp.analysis.zero_window",
    "tcp.analysis.window_full",
    "icmp.type",
    "icmpv6.type",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
    "tcp.hdr_len",
];

/// Output of tshark on a capture, by line.
pub fn lines(capture: &Path, args: &[&str]) -> Vec<String> {
    let mut command = Command::new("tshark");
    let output = command.arg("-n").arg("-r").arg(capture).args(args).output().expect("tshark");
    let said = String::from_utf8_lossy(&output.stderr);
    // At the end of a capture that is cut short it fails as well.
    assert!(output.status.success() || !output.stdout.is_empty(), "{said}");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Counts of tshark in a capture by direction, of the innermost packets.
pub fn counts(capture: &Path) -> BTreeMap<Way, Count> {
    let mut args = vec!["-T", "fields", "-E", "separator=;", "-E", "occurrence=l"];
    args.extend(["-Y", "tcp || udp"]);
    args.extend(FIELDS.iter().flat_map(|field| ["-e", *field]));
    let mut counts = BTreeMap::new();
    for line in lines(capture, &args) {
        let fields: Vec<&str> = line.split(';').collect();
        assert_eq!(fields.len(), FIELDS.len(), "{line}");
        frame(&fields, &mut counts);
    }
    counts
}

fn frame(fields: &[&str], counts: &mut BTreeMap<Way, Count>) {
    let field = |name: &str| fields[FIELDS.iter().position(|f| *f == name).expect("a field")];
    let told = |name: &str| u64::from(!field(name).is_empty());
    // An ICMP message quotes a packet that did not pass.
    if told("icmp.type") + told("icmpv6.type") > 0 {
        return;
    }
    let tcp = told("tcp.srcport") > 0;
    let (protocol, ports) = match tcp {
        true => ("tcp", [field("tcp.srcport"), field("tcp.dstport")]),
        false => ("udp", [field("udp.srcport"), field("udp.dstport")]),
    };
    let v6 = told("ip.src") == 0;
    let addrs = if v6 { ["ipv6.src", "ipv6.dst"] } else { ["ip.src", "ip.dst"] };
    let way = (endpoint(field(addrs[0]), ports[0]), endpoint(field(addrs[1]), ports[1]), protocol);
    let count: &mut Count = counts.entry(way).or_default();
    count.packets += 1;
    count.bytes += field("frame.len").parse::<u64>().expect("a length");
    count.retransmissions += told("tcp.analysis.retransmission");
    count.out_of_order += told("tcp.analysis.out_of_order");
    count.duplicate_acks += told("tcp.analysis.duplicate_ack");
    count.zero_windows += told("tcp.analysis.zero_window");
    count.window_full += told("tcp.analysis.window_full");
}
