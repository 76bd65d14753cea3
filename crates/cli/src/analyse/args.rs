//! Options of `airpath analyse`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use airpath_analyse::{Net, Selection, When};
use airpath_base::Duration;
use clap::Args as ClapArgs;

use super::picture::FlowName;
use crate::args::folder;
use crate::plot::ReportOption;

/// Options of `analyse`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath analyse trace.pcap
  airpath analyse trace.pcap --flow 1 -o flow.svg
  airpath analyse trace.pcap --select 'host 10.0.0.1 and port 443' --from 2.5 --to 10
  airpath analyse --points client.pcap server.pcap
  airpath analyse --client 10.0.0.0/8 --json day-*.pcapng.zst > flows.json
  tcpdump -w - -s 128 | airpath analyse -")]
pub struct AnalyseArgs {
    /// Captures (pcap or pcapng, also .gz or .zst; - for standard input). Several are taken
    /// for parts of one, in the order of their first packets, unless they are --points.
    #[arg(required = true, value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Folder to write the flows to, as a Parquet table; an earlier one of airpath's is
    /// replaced.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportOption,
    /// Draw a flow: its packets over time with acknowledgements and receive window. Below stand
    /// round trips and the causes that limited the flow. It is named by its number in the text
    /// output and JSON, or by an end: 10.0.0.1, 10.0.0.1:443 or [2001:db8::1]:443. Needs -o.
    #[arg(long, value_name = "N|END", requires = "picture", conflicts_with = "points")]
    pub flow: Option<FlowName>,
    /// Picture (.svg, .png) or page (.html) of the flow; one of airpath's own is replaced.
    #[arg(short = 'o', value_name = "FILE", requires = "flow")]
    pub picture: Option<PathBuf>,
    /// Folder to write the 16 largest flows of TCP and QUIC to, each as a file of qlog 0.3 for qvis.
    /// Captures are read again for each.
    #[arg(long, value_name = "DIR", conflicts_with = "points", value_parser = folder())]
    pub qlog: Option<PathBuf>,
    /// Networks of the clients, as 10.0.0.0/8 or 2001:db8::/32; may be repeated. Without it, the
    /// sender of a SYN is the client.
    #[arg(long, value_name = "NET")]
    pub client: Vec<Net>,
    /// Only flows with this port; the end that has it is the server.
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Only packets for which a filter of pcap-filter(7) holds, as 'host 10.0.0.1 and port 443'.
    /// It takes host, net, port and portrange, with src and dst, tcp, udp, ip, ip6, icmp and icmp6.
    /// These are joined by and, or, not and parentheses.
    #[arg(long, value_name = "FILTER")]
    pub select: Option<Selection>,
    /// Only packets from this time on: seconds since the first packet, as 2.5. Or it is a time,
    /// as 2026-11-26T13:44:50Z (UTC without an offset) or @1795700690 (seconds since 1970).
    #[arg(long, value_name = "TIME", conflicts_with = "points")]
    pub from: Option<When>,
    /// Only packets before this time, as --from has it.
    #[arg(long, value_name = "TIME", conflicts_with = "points")]
    pub to: Option<When>,
    /// Look through VXLAN, Geneve, GRE, ERSPAN and MPLS pseudowires, up to four within each other.
    /// Flows are those of the inner packets, and name their tunnels.
    #[arg(long, conflicts_with = "points")]
    pub decapsulate: bool,
    /// Note retransmissions, duplicate ACKs, closed windows and so on, as Wireshark's expert
    /// information. Each kind has the numbers of its first N packets (16).
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "16", require_equals = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=4096), conflicts_with = "points")]
    pub notes: Option<u16>,
    /// Width of the windows in which --out tells bandwidth, in seconds (1 and 0.1); may be
    /// repeated.
    #[arg(long, value_name = "SECONDS", requires = "out", value_parser = width)]
    pub window: Vec<Duration>,
    /// Report the states of the hosts' cellular radio and the energy it took: lte (as measured in
    /// 2012) or a file. The file is TOML with a table `rrc` as in scenarios (- for standard input).
    #[arg(long, value_name = "lte|FILE")]
    pub radio: Option<PathBuf>,
    /// Take the captures for points of one path, in its order, and say what happens between:
    /// delay, loss, and changes of DSCP and ECN. With one capture, its interfaces are the points.
    #[arg(long, conflicts_with_all = ["window", "radio"])]
    pub points: bool,
    /// With --points: the captures' clocks are one, or agree (PTP, GPS). Otherwise offset and
    /// drift are taken out.
    #[arg(long, requires = "points")]
    pub same_clock: bool,
    /// With --points: an interface of the capture that is a point; to be repeated in the order of
    /// the path.
    #[arg(long, value_name = "NAME", requires = "points")]
    pub interface: Vec<String>,
    /// Threads that work (as many as there are cores). The output does not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// A width of windows: a millisecond to a day.
fn width(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    let nanos = |seconds: f64| Duration::from_nanos((seconds * 1e9) as u64);
    seconds.map(nanos).ok_or_else(|| "must be seconds, from 0.001 to 86400".into())
}
