//! Recorder of a flow: captures at both ends, the kernel's readings, and the packets in the model.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddrV4;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use airpath_live::transfer::{Report, Transfer};

use super::draw::{Draw, Kind};
use super::machine::Machine;
use super::path::scenario;
use super::pcap::cut;
use super::side::Side;

/// Begin of the transfer, in milliseconds of the world: programs are there then for certain.
pub const START_MS: u64 = 4_000;
/// Address of the server.
pub const SERVER: &str = "10.46.0.1";
/// Address of the client.
pub const UE: &str = "10.45.0.2";
/// Port of the first flow's server; others have the next ones.
pub const PORT: u16 = 5001;
/// Port of the first flow's client.
const CLIENT_PORT: u16 = 45_001;
/// Readings that are further apart than this make a flow doubtful, in nanoseconds.
const READINGS: u64 = 100_000_000;
/// A flow is doubtful, too, if 1% of its packets leave so much later than in the model, in
/// milliseconds. That is a tenth of the shortest round trip of any rule. An emulation itself calls
/// a tenth of that doubtful, as it is made to measure delays.
const LATE_MS: f64 = 5.0;

/// Settings of the recorder of flows.
pub struct Recorder {
    /// The program `airpath`.
    pub program: PathBuf,
    /// This program, which carries transfers and packets.
    pub own: PathBuf,
}

impl Recorder {
    /// Records a flow into a folder; tells why it is doubtful, if it is.
    ///
    /// # Errors
    ///
    /// Step that failed.
    pub fn record(&self, draw: &Draw, folder: &Path) -> io::Result<Option<String>> {
        drop(fs::remove_dir_all(folder));
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        fs::write(folder.join("draw.json"), serde_json::to_string_pretty(draw)?)?;
        let flows: Vec<[Transfer; 2]> =
            (0..=draw.others.len()).map(|number| transfers(draw, number)).collect();
        let [server, ue] = [0, 1].map(|end| flows.iter().map(|flow| flow[end].clone()).collect());
        let server: String = self.line(draw, &folder, "server", server)?;
        let ue: String = self.line(draw, &folder, "a", ue)?;
        let log = File::create(folder.join("path.log"))?;
        let mut command = match draw.cell {
            true => {
                fs::write(folder.join("scenario.toml"), scenario(draw))?;
                let mut command = Command::new(&self.program);
                command.arg("emulate").arg(folder.join("scenario.toml"));
                command.arg("--out").arg(folder.join("results"));
                command.args(["--server", &server, "--ue", "a", "--client", &ue]);
                command
            }
            false => {
                let mut command = Command::new(&self.own);
                command.arg("path").arg(&folder);
                command
            }
        };
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let status = command.status()?;
        let ended = if draw.cell { "results/timing.json" } else { "machine.json" };
        if !folder.join(ended).exists() {
            let log = fs::read_to_string(folder.join("path.log")).unwrap_or_default();
            return Err(io::Error::other(format!("{status}: {}", log.trim())));
        }
        let doubts = doubts(draw, &folder)?;
        if doubts.is_none() {
            begin_late(draw, &folder)?;
        }
        Ok(doubts)
    }

    /// Writes the script of a side; the line that runs it.
    fn line(
        &self,
        draw: &Draw,
        folder: &Path,
        name: &str,
        transfers: Vec<Transfer>,
    ) -> io::Result<String> {
        let sends = draw.up != (name == "server");
        let side = Side {
            address: if name == "server" { SERVER } else { UE },
            transfers: &transfers,
            carriers: ["carry", "media"].map(|word| format!("{} {word}", self.own.display())),
            media: draw.kind.is_media(),
            folder: &folder.to_string_lossy(),
            name,
            offload: draw.offload,
            bucket_kbps: draw.host.bucket_kbps.filter(|_| sends),
            taking: &draw.taking,
        };
        let path = folder.join(format!("{name}.sh"));
        fs::write(&path, side.script())?;
        Ok(format!("sh '{}'", path.display()))
    }
}

/// Transfers of server and UE of a flow; the first is the judged one.
fn transfers(draw: &Draw, flow: usize) -> [Transfer; 2] {
    let at = |client: bool| {
        let (address, port) = if client { (UE, CLIENT_PORT) } else { (SERVER, PORT) };
        SocketAddrV4::new(address.parse().expect("an address"), port + flow as u16)
    };
    let other = flow.checked_sub(1).map(|number| draw.others[number]);
    let up = draw.up != other.is_some_and(|other| other.back);
    let start = START_MS as i64 + other.map_or(0, |other| other.ms);
    let first = |wanted: bool| wanted && other.is_none();
    let steps = |sends: bool| match (other, sends) {
        (Some(_), _) => Vec::new(),
        (None, true) => draw.sender.clone(),
        (None, false) => draw.receiver.clone(),
    };
    let end = |sends: bool| Transfer {
        sends,
        opens: sends == up,
        local: at(sends == up),
        remote: at(sends != up),
        start: start as u64 * 1_000_000,
        stop: None,
        end: (START_MS + draw.lasts_ms) * 1_000_000,
        bytes: None,
        controller: draw.controller.clone(),
        dscp: 0,
        mss: 1460,
        counts_from: 0,
        steps: steps(sends),
        receive_buffer: draw.receive_buffer.filter(|_| first(!sends)),
        send_buffer: draw.host.send_buffer.filter(|_| first(sends)),
        pacing: draw.host.pacing_kbps.filter(|_| first(sends)).map(|kbps| kbps as u32 * 125),
        nodelay: !draw.host.nagle,
        readings: true,
    };
    [end(!up), end(up)]
}

/// Takes the begin out of the captures, if they are to begin in the middle of the flow.
fn begin_late(draw: &Draw, folder: &Path) -> io::Result<()> {
    let [sender, _] = reports(draw, folder)?;
    let from = sender.origin_unix_ns.unwrap_or(0) + (START_MS + draw.taking.begin_ms) * 1_000_000;
    if draw.taking.begin_ms == 0 {
        return Ok(());
    }
    ["server", "middle", "a"]
        .iter()
        .try_for_each(|name| cut(&folder.join(format!("{name}.pcap")), from))
}

/// The reports of sender and receiver of the first flow.
///
/// # Errors
///
/// If a report cannot be read.
pub fn reports(draw: &Draw, folder: &Path) -> io::Result<[Report; 2]> {
    let report = |name: &str| -> io::Result<Report> {
        let text = fs::read_to_string(folder.join(format!("{name}-0.json")))?;
        Ok(serde_json::from_str(&text)?)
    };
    let (server, ue) = (report("server")?, report("a")?);
    Ok(if draw.up { [ue, server] } else { [server, ue] })
}

/// Reason for which the recording is doubtful.
fn doubts(draw: &Draw, folder: &Path) -> io::Result<Option<String>> {
    let mut doubts: Vec<String> = Vec::new();
    // A failure of `tc`, `ip` or `ethtool` makes the flow another one.
    for name in ["server", "a"] {
        let log = fs::read_to_string(folder.join(format!("{name}.log")))?;
        let failed = log.lines().find(|line| line.contains("rror:") || line.contains("not found"));
        doubts.extend(failed.map(|line| format!("{name}: {line}")));
    }
    doubts.extend(machine(draw, folder)?);
    let [sender, receiver] = reports(draw, folder)?;
    if [&sender, &receiver].iter().any(|end| end.began > (START_MS + 20) * 1_000_000) {
        doubts.push("a program began late".to_owned());
    }
    let late = sender.readings.windows(2).map(|pair| pair[1].at - pair[0].at).max();
    match late {
        _ if sender.bytes == 0 => doubts.push("nothing was sent".to_owned()),
        None if draw.kind != Kind::OneRound && !draw.kind.is_media() => {
            doubts.push("there was no connection".to_owned())
        }
        Some(late) if late > READINGS => {
            doubts.push(format!("readings are {} ms apart", late / 1_000_000));
        }
        _ => {}
    }
    Ok((!doubts.is_empty()).then(|| doubts.join("; ")))
}

/// Reason for which the machine was the limit.
fn machine(draw: &Draw, folder: &Path) -> io::Result<Option<String>> {
    if !draw.cell {
        let text = fs::read_to_string(folder.join("machine.json"))?;
        return Ok(serde_json::from_str::<Machine>(&text)?.doubt());
    }
    let timing = fs::read_to_string(folder.join("results/timing.json"))?;
    let timing: serde_json::Value = serde_json::from_str(&timing)?;
    let of = |name: &str| timing["real_time"][name].as_f64().unwrap_or(0.0);
    Ok(if of("added_p99_ms") > LATE_MS {
        Some(format!("1% of the packets were {} ms late", of("added_p99_ms")))
    } else {
        let lost = of("unread_packets") + of("refused_packets") > 0.0;
        lost.then(|| "packets were lost outside the model".to_owned())
    })
}
