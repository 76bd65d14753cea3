//! Arguments of `emulate`.

use std::ffi::OsString;
use std::path::PathBuf;

use airpath_base::Duration;
use clap::Args as ClapArgs;

use crate::args::{Overrides, folder};

/// Options of `emulate`.
#[derive(Debug, ClapArgs)]
#[command(
    override_usage = "airpath emulate [OPTIONS] [SCENARIO] [-- PROGRAM...]",
    after_help = "\
Examples:
  airpath emulate lte-6rb.toml -- curl -o /dev/null http://{server}:8000/file
  airpath emulate lte-6rb.toml --server 'python3 -m http.server' --client 'curl http://{server}:8000/'
  airpath emulate lte-6rb.toml                  a shell behind the cell
  airpath emulate lte-6rb.toml --against-simulation --runs 10
  airpath emulate --trace down.trace --up up.trace -- iperf3 -c {server}
  airpath emulate --cellreplay traces -- iperf3 -c {server}

{server} and {server6} stand for the addresses of the server's side.
The exit code is that of the program."
)]
pub struct EmulateArgs {
    /// Scenario file (TOML); - for standard input.
    #[arg(required_unless_present_any = ["trace", "cellreplay", "clean", "attach", "tell"])]
    pub scenario: Option<PathBuf>,
    #[command(flatten)]
    pub over: Overrides,
    /// Recorded capacity to the program, in mahimahi's format, instead of a scenario.
    #[arg(long, value_name = "FILE", conflicts_with = "scenario")]
    pub trace: Option<PathBuf>,
    /// Recorded capacity from the program [default: that of --trace].
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub up: Option<PathBuf>,
    /// Folder with recordings of CellReplay, instead of a scenario: down.light, down.heavy, up.light, up.heavy.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scenario", "trace"])]
    pub cellreplay: Option<PathBuf>,
    /// A UE whose packets are those of a program; may be repeated [default: the first].
    #[arg(long, value_name = "NAME")]
    pub ue: Vec<String>,
    /// These UEs keep the flows that the scenario gives them.
    #[arg(long)]
    pub with_flows: bool,
    /// Start this line of a shell at the server's side first; may be repeated.
    #[arg(long, value_name = "LINE")]
    pub server: Vec<String>,
    /// Start this line of a shell at a UE; the second at the second UE, and so on.
    #[arg(long, value_name = "LINE", conflicts_with = "program")]
    pub client: Vec<String>,
    /// The program, and what it is given [default: a shell].
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Programs reach what this machine reaches.
    #[arg(long)]
    pub outside: bool,
    /// End after this time, as "30 s", if the programs have not ended.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub limit: Option<Duration>,
    /// Largest packet of the devices, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1500,
          value_parser = clap::value_parser!(u32).range(1280..=65_535))]
    pub mtu: u32,
    /// Set a key of the kernel in the namespaces, as net.ipv4.tcp_congestion_control=reno; may be
    /// repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub sysctl: Vec<(String, String)>,
    /// Seed of all randomness, instead of the scenario's.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Folder to write results to; an earlier one of airpath's is replaced.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    /// Print a row for each flow and UE.
    #[arg(long)]
    pub all: bool,
    /// Run the scenario once with the simulated TCP and once with the kernel's, and print both side
    /// by side. Its flows of TCP that send by themselves are carried by the kernel, all others stay
    /// simulated. There is no program.
    #[arg(long, conflicts_with_all = ["trace", "cellreplay", "ue", "with_flows", "server", "client", "program",
          "outside", "sysctl", "mtu", "all", "watch", "attach", "tell",
          "clean"])]
    pub against_simulation: bool,
    /// Runs of both, with seeds from the scenario's on.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "against_simulation",
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub runs: u64,
    /// Runs of the kernel's half at the same time; the clock judges whether the machine can.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "against_simulation",
          value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// The simulated flows keep what the scenario says, and take nothing from the kernel.
    #[arg(long, requires = "against_simulation")]
    pub as_written: bool,
    /// Print the comparison as JSON.
    #[arg(long, requires = "against_simulation")]
    pub json: bool,
    /// Show the emulation while it goes on; for programs that do not use the terminal.
    #[arg(long)]
    pub watch: bool,
    /// Show an emulation of another terminal; its name is needed if there are several.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, require_equals = true,
          conflicts_with_all = ["scenario", "trace", "cellreplay"])]
    pub attach: Option<Option<String>>,
    /// Set a key in an emulation that goes on, as path.s1.rate="5 Mbit/s"; may be repeated. With
    /// several emulations, name one by --attach=SESSION.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["scenario", "trace", "cellreplay", "program"])]
    pub tell: Vec<String>,
    /// Remove what emulations left that were killed, and do nothing else.
    #[arg(long, conflicts_with_all = ["scenario", "trace", "cellreplay"])]
    pub clean: bool,
}

/// A time with its unit, above zero.
fn time(text: &str) -> Result<Duration, String> {
    match airpath_scenario::duration(text) {
        Ok(time) if time.is_zero() => Err("it must be above 0 s".to_owned()),
        other => other,
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if key.starts_with("net.") && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("a setting is written as net.ipv4.tcp_ecn=1".to_owned()),
    }
}
