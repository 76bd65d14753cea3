//! Recorder of a flow: captures at both ends, the kernel's readings, and the packets in the model.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddrV4;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use airpath_live::transfer::{Report, Transfer};

use super::draw::Draw;
use super::path::{START_MS, names, scenario};
use super::side::Side;

/// Addresses of the server and of the first UE's network.
const SERVER: &str = "10.46.0.1";
const UES: [&str; 2] = ["10.45.0.2", "10.45.0.3"];
/// Port of the first flow; the other has the next one.
pub const PORT: u16 = 5001;
/// Readings that are further apart than this make a flow doubtful, in nanoseconds.
const READINGS: u64 = 150_000_000;
/// A flow is doubtful, too, if 1% of its packets leave so much later than in the model, in
/// milliseconds. That is a tenth of the shortest round trip of any rule. An emulation itself calls
/// a tenth of that doubtful, as it is made to measure delays.
const LATE_MS: f64 = 5.0;

/// Settings of the recorder of flows.
pub struct Recorder {
    /// The program `airpath`.
    pub program: PathBuf,
    /// Program that carries transfers, with its arguments before the order.
    pub carrier: String,
}

impl Recorder {
    /// Records a flow into a folder; tells why it is doubtful, if it is.
    ///
    /// # Errors
    ///
    /// What could not be done.
    pub fn record(&self, draw: &Draw, folder: &Path) -> io::Result<Option<String>> {
        drop(fs::remove_dir_all(folder));
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        fs::write(folder.join("draw.json"), serde_json::to_string_pretty(draw)?)?;
        fs::write(folder.join("scenario.toml"), scenario(draw))?;
        let ues = names(draw);
        let flows: Vec<[Transfer; 2]> = (0..ues.len()).map(|n| transfers(draw, n)).collect();
        let server: Vec<Transfer> = flows.iter().map(|flow| flow[0].clone()).collect();
        let mut command = Command::new(&self.program);
        command.arg("emulate").arg(folder.join("scenario.toml"));
        command.arg("--out").arg(folder.join("results"));
        command.args(["--server", &self.line(draw, &folder, "server", SERVER, &server)?]);
        for (n, name) in ues.iter().enumerate() {
            let line = self.line(draw, &folder, name, UES[n], &flows[n][1..])?;
            command.args(["--ue", name, "--client", &line]);
        }
        let log = File::create(folder.join("emulate.log"))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let status = command.status()?;
        if !folder.join("results/timing.json").exists() {
            let log = fs::read_to_string(folder.join("emulate.log")).unwrap_or_default();
            return Err(io::Error::other(format!("{status}: {}", log.trim())));
        }
        doubts(&folder)
    }

    /// Writes the script of a side; the line that runs it.
    fn line(
        &self,
        draw: &Draw,
        folder: &Path,
        name: &str,
        address: &str,
        transfers: &[Transfer],
    ) -> io::Result<String> {
        let sends = draw.up != (name == "server");
        let side = Side {
            address,
            transfers,
            carrier: &self.carrier,
            folder: &folder.to_string_lossy(),
            name,
            offload: draw.offload,
            policer: draw.policer.filter(|_| sends),
        };
        let path = folder.join(format!("{name}.sh"));
        fs::write(&path, side.script())?;
        Ok(format!("sh '{}'", path.display()))
    }
}

/// Transfers of server and UE of a flow.
fn transfers(draw: &Draw, flow: usize) -> [Transfer; 2] {
    let port = PORT + flow as u16;
    let at = |address: &str, port| SocketAddrV4::new(address.parse().expect("an address"), port);
    let later = if flow == 0 { 0 } else { draw.other_ms.unwrap_or(0) };
    let start = (START_MS as i64 + later) as u64 * 1_000_000;
    let end = (START_MS + draw.lasts_ms) * 1_000_000;
    let steps = |sends: bool| {
        let steps = if sends { &draw.sender } else { &draw.receiver };
        if flow == 0 { steps.clone() } else { Vec::new() }
    };
    let ue = Transfer {
        sends: draw.up,
        opens: true,
        local: at(UES[flow], port),
        remote: at(SERVER, port),
        start,
        stop: None,
        end,
        bytes: None,
        controller: draw.controller.clone(),
        dscp: 0,
        mss: 1460,
        counts_from: 0,
        steps: steps(draw.up),
        receive_buffer: draw.receive_buffer.filter(|_| !draw.up && flow == 0),
        readings: true,
    };
    let server = Transfer {
        sends: !draw.up,
        opens: false,
        local: ue.remote,
        remote: ue.local,
        steps: steps(!draw.up),
        receive_buffer: draw.receive_buffer.filter(|_| draw.up && flow == 0),
        ..ue.clone()
    };
    [server, ue]
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
fn doubts(folder: &Path) -> io::Result<Option<String>> {
    let draw: Draw = serde_json::from_str(&fs::read_to_string(folder.join("draw.json"))?)?;
    let timing = fs::read_to_string(folder.join("results/timing.json"))?;
    let timing: serde_json::Value = serde_json::from_str(&timing)?;
    let mut doubts: Vec<String> = Vec::new();
    // A failure of `tc`, `ip` or `ethtool` makes the flow another one.
    for name in ["server", "a"] {
        let log = fs::read_to_string(folder.join(format!("{name}.log")))?;
        let failed = log.lines().find(|line| line.contains("Error:") || line.contains("not found"));
        doubts.extend(failed.map(|line| format!("{name}: {line}")));
    }
    let of = |name: &str| timing["real_time"][name].as_f64().unwrap_or(0.0);
    if of("added_p99_ms") > LATE_MS {
        doubts.push(format!("1% of the packets were {} ms late", of("added_p99_ms")));
    }
    if of("unread_packets") + of("refused_packets") > 0.0 {
        doubts.push("packets were lost outside the model".to_owned());
    }
    let [sender, _] = reports(&draw, folder)?;
    let late = sender.readings.windows(2).map(|pair| pair[1].at - pair[0].at).max();
    match late {
        _ if sender.bytes == 0 => doubts.push("nothing was sent".to_owned()),
        None => doubts.push("there was no connection".to_owned()),
        Some(late) if late > READINGS => {
            doubts.push(format!("readings are {} ms apart", late / 1_000_000));
        }
        _ => {}
    }
    Ok((!doubts.is_empty()).then(|| doubts.join("; ")))
}
