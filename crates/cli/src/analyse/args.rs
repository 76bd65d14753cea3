//! Options of `airpath analyse`.

use std::path::PathBuf;

use airpath_analyse::Net;
use clap::Args as ClapArgs;

/// Options of `analyse`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath analyse trace.pcap
  airpath analyse --client 10.0.0.0/8 --json day-*.pcapng.zst > flows.json
  tcpdump -w - -s 128 | airpath analyse -")]
pub struct AnalyseArgs {
    /// Captures (pcap or pcapng, also .gz or .zst; - for standard input). Several are taken
    /// for parts of one, in this order.
    #[arg(required = true, value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Folder to write the flows to, as a Parquet table; an earlier one of airpath's is
    /// replaced.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where clients are, as 10.0.0.0/8 or 2001:db8::/32; may be repeated. Without it, who
    /// sends a SYN is the client.
    #[arg(long, value_name = "NET")]
    pub client: Vec<Net>,
    /// Only flows with this port; the end that has it is the server.
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
}
