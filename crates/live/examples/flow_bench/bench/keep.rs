//! Records of flows that are small enough to be kept: truth and verdicts, and a capture of each
//! kind at each point.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::draw::{Draw, Kind};
use super::halves::is_held_out;
use super::judge::{Judged, Point, capture, judge_at};
use super::pcap::shorten;
use super::record::PORT;
use super::truth::{Cause, Truth};
use super::verdict::{Category, Verdict};

/// Bytes of a packet that are kept: the longest headers, and what link layer they have.
const SNAP: usize = 96;
/// Packets of a capture that are kept.
const MOST: usize = 2_000;

/// A flow.
#[derive(Serialize, Deserialize)]
struct Kept {
    seed: u64,
    kind: Kind,
    held_out: bool,
    shares: Vec<(Cause, f64)>,
    drops: [u32; 2],
    retransmissions: u32,
    again: Option<[u32; 2]>,
    /// Leading category, its likelihood, whether it is called certain, and segments sent again.
    verdicts: BTreeMap<Point, (Category, f64, bool, [u64; 2])>,
}

/// Writes truth and verdicts of judged flows, a line each.
///
/// # Errors
///
/// If files cannot be read or written.
pub fn records(out: &Path, folders: &[&str], all: &[Judged]) -> io::Result<()> {
    let mut text = String::new();
    for folder in folders {
        let truth = fs::read_to_string(Path::new(folder).join("truth.json"));
        let Ok(truth) = truth else { continue };
        let truth: Truth = serde_json::from_str(&truth)?;
        let seed = truth.draw.seed;
        let verdicts = all.iter().filter(|one| one.seed == seed);
        let shares: Vec<(Cause, f64)> =
            truth.shares.iter().map(|(cause, share)| (*cause, rounded(*share))).collect();
        let kept = Kept {
            seed,
            kind: truth.draw.kind,
            held_out: is_held_out(seed),
            shares,
            drops: truth.drops,
            retransmissions: truth.retransmissions,
            again: truth.again,
            verdicts: verdicts.map(|one| (one.point, brief(&one.verdict))).collect(),
        };
        text += &(serde_json::to_string(&kept)? + "\n");
    }
    fs::create_dir_all(out)?;
    fs::write(out.join("flows.jsonl"), text)
}

/// Judges the captures of a folder that [`records`] and [`captures`] wrote. Numbers of segments sent
/// again are those of whole captures, and are left out.
///
/// # Errors
///
/// If files cannot be read or the analyser fails.
pub fn judged(program: &Path, folder: &Path) -> io::Result<Vec<Judged>> {
    let text = fs::read_to_string(folder.join("flows.jsonl"))?;
    let all: Vec<Kept> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut judged = Vec::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(name) = name.strip_suffix(".pcap.zst") else { continue };
        let mut parts = name.rsplitn(3, '-');
        let seed = parts.next().and_then(|seed| seed.parse::<u64>().ok());
        let point = parts.next().map(|point| serde_json::from_value(point.into())).transpose()?;
        let kept = all.iter().find(|kept| Some(kept.seed) == seed);
        let (Some(kept), Some(point)) = (kept, point) else {
            return Err(io::Error::other(format!("{}: no flow is kept for it", path.display())));
        };
        judged.push(Judged { again: None, ..judge_at(program, &kept.truth(), point, &path)? });
    }
    Ok(judged)
}

impl Kept {
    /// Truth, without what is not kept.
    fn truth(&self) -> Truth {
        let Kept { drops, retransmissions, again, .. } = *self;
        Truth {
            draw: Draw::of(self.seed),
            port: PORT,
            origin_unix_ns: 0,
            from_s: 0.0,
            to_s: 0.0,
            shares: self.shares.clone(),
            rate_bps: 0.0,
            queue_ms: None,
            drops,
            retransmissions,
            again,
            samples: Vec::new(),
        }
    }
}

/// A share or a likelihood in thousandths.
fn rounded(share: f64) -> f64 {
    (share * 1e3).round() / 1e3
}

/// Verdict without its sentence.
fn brief(verdict: &Verdict) -> (Category, f64, bool, [u64; 2]) {
    let Verdict { category, likelihood, certain, retransmissions, .. } = verdict;
    (*category, rounded(*likelihood), *certain, *retransmissions)
}

/// Packs the smallest capture of each kind at each point, with its seed in its name.
///
/// # Errors
///
/// If files cannot be read or written, or there is no program `zstd`.
pub fn captures(out: &Path, folders: &[&str], all: &[Judged]) -> io::Result<()> {
    let mut smallest: BTreeMap<(Kind, Point), (u64, u64, PathBuf)> = BTreeMap::new();
    for one in all.iter().filter(|one| one.truth.is_some()) {
        let name = one.seed.to_string();
        let folder = folders.iter().find(|folder| Path::new(folder).ends_with(&name));
        let Some(folder) = folder.map(Path::new) else { continue };
        let draw = fs::read_to_string(folder.join("draw.json"))?;
        let up = serde_json::from_str::<Draw>(&draw)?.up;
        // The capture within a cell has another format.
        let path = capture(folder, up, one.point);
        let path = path.filter(|path| path.extension().is_some_and(|end| end == "pcap"));
        let Some(path) = path else { continue };
        let found = (fs::metadata(&path)?.len(), one.seed, path);
        let known = smallest.entry((one.kind, one.point)).or_insert_with(|| found.clone());
        if found.0 < known.0 {
            *known = found;
        }
    }
    for ((kind, point), (_, seed, path)) in smallest {
        let [kind, point] = [serde_json::to_value(kind)?, serde_json::to_value(point)?];
        let [kind, point] = [&kind, &point].map(|name| name.as_str().unwrap_or_default());
        let plain = out.join(format!("{kind}-{point}-{seed}.pcap"));
        shorten(&path, &plain, MOST, SNAP)?;
        let status = Command::new("zstd")
            .args(["-q", "-f", "--rm", "-19", "--ultra"])
            .arg(&plain)
            .status()?;
        if !status.success() {
            return Err(io::Error::other(format!("zstd: {status}")));
        }
    }
    Ok(())
}
