//! Runs of pairs: simulated as the case has them, simulated with the kernel's settings, and with the kernel.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use airpath_live::EmulationError;
use airpath_live::against::{Against, AgainstError, Halves, Simulated};
use airpath_live::os::OsError;
use airpath_results::Table;
use airpath_scenario::Scenario;
use airpath_study::Packets;

use crate::list::{Pair, Wanted};

/// First argument of this program as one end of a transfer.
pub const CARRY: &str = "--carry-transfer";
/// Packets a second above which a run has the machine for itself.
const FAST: u64 = 4_000;
/// Slow runs of the kernel at a time.
const TOGETHER: usize = 2;
/// Settings by which CUBIC's segments leave one or two at a time, as simulated ones do. Linux otherwise hands over a
/// millisecond of them at once (tcp_tso_autosize), which only an offloading device or the queue `fq` spreads. BBR paces.
const SEGMENTS: [(&str, &str); 3] = [
    ("net.ipv4.tcp_min_tso_segs", "1"),
    ("net.ipv4.tcp_pacing_ss_ratio", "1"),
    ("net.ipv4.tcp_pacing_ca_ratio", "1"),
];
/// Attempts to make a run of the kernel whose clock is not late.
const TRIES: usize = 3;

/// The three ways of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Simulated, as the case has it.
    Written,
    /// Simulated, with the settings of the kernel.
    Adopted,
    /// With the kernel's controller.
    Kernel,
}

/// Packets of all runs, by index of the pair, way and seed; then by the name of the run.
#[derive(Default)]
pub struct Made {
    pub packets: BTreeMap<(usize, Way, u64), BTreeMap<String, Packets>>,
    /// Names of runs of the kernel whose clock was late in each attempt.
    pub late: Vec<String>,
}

/// Reason for which there are no runs.
pub enum Stopped {
    /// The machine has no namespaces, devices or controllers.
    NotHere(String),
    /// A run failed.
    Failed(String),
}

struct Job {
    pair: usize,
    run: String,
    seed: u64,
    name: String,
    halves: Halves,
    adopted: Halves,
}

/// A job whose simulated halves are made.
struct Begun {
    job: Job,
    simulated: Simulated,
    /// Packets a second.
    rate: u64,
}

fn jobs(pairs: &[Pair], wanted: &Wanted) -> Result<Vec<Job>, Stopped> {
    let mut all = Vec::new();
    for (n, pair) in pairs.iter().enumerate() {
        for (run, set) in pair.runs() {
            let name = format!("{} {run}", pair.name());
            let fault = |why: String| Stopped::Failed(format!("{name}: {why}"));
            let scenario = Scenario::read(&pair.scenario, &set);
            let scenario = scenario.map_err(|errors| fault(errors.plain()))?;
            let halves = |as_written| match Halves::new(&scenario, as_written) {
                Err(why) if why.contains("congestion control") => Err(Stopped::NotHere(why)),
                Err(why) => Err(fault(why)),
                Ok(halves) => Ok(halves),
            };
            for seed in 1..=pair.seeds(wanted) {
                let (mut halves, adopted) = (halves(true)?, halves(false)?);
                let segments = SEGMENTS.map(|(key, value)| (key.to_owned(), value.to_owned()));
                halves.settings.extend(segments);
                let carried = |own: &String| {
                    let mut all = halves.carried.iter().map(|n| &halves.scenario.flow[*n].name);
                    all.any(|name| name == own)
                };
                if let Some(flow) = pair.case.file.subjects.iter().find(|own| !carried(own)) {
                    return Err(fault(format!("the kernel does not carry {flow}")));
                }
                let (name, run) = (format!("{name} {seed}"), run.clone());
                all.push(Job { pair: n, run, seed, name, halves, adopted });
            }
        }
    }
    Ok(all)
}

/// Makes all runs.
pub fn make(pairs: &[Pair], wanted: &Wanted) -> Result<Made, Stopped> {
    let folder = tempfile::tempdir().map_err(|error| Stopped::Failed(error.to_string()))?;
    let mut made = Made::default();
    let mut begun = Vec::new();
    for job in jobs(pairs, wanted)? {
        begun.push(simulate(job, folder.path(), &mut made)?);
    }
    eprintln!("{} runs are simulated; the kernel's follow in real time", begun.len());
    let (fast, slow): (Vec<Begun>, Vec<Begun>) = begun.into_iter().partition(|own| own.rate > FAST);
    let made = Mutex::new(made);
    side_by_side(&slow, TOGETHER, folder.path(), &made)?;
    side_by_side(&fast, 1, folder.path(), &made)?;
    Ok(made.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

fn against(halves: &Halves) -> Result<Against<'_>, Stopped> {
    let program = std::env::current_exe().map_err(|error| Stopped::Failed(error.to_string()))?;
    Ok(Against { halves, program, arguments: vec![CARRY.to_owned()], interrupt: None })
}

fn simulate(job: Job, folder: &Path, made: &mut Made) -> Result<Begun, Stopped> {
    let fault = |error: EmulationError| Stopped::Failed(format!("{}: {error}", job.name));
    let out = folder.join("simulated");
    let adopted = against(&job.adopted)?.simulated(job.seed, Some(&out)).map(|_| packets(&out));
    let adopted = adopted.map_err(fault)?.map_err(Stopped::Failed)?;
    made.insert(&job, Way::Adopted, adopted);
    let simulated = against(&job.halves)?.simulated(job.seed, Some(&out)).map_err(fault)?;
    made.insert(&job, Way::Written, packets(&out).map_err(Stopped::Failed)?);
    let sent: u64 = simulated.half.flows.iter().map(|flow| flow.sent_packets).sum();
    let rate = sent as f64 / job.halves.scenario.duration.as_secs_f64();
    Ok(Begun { job, simulated, rate: rate as u64 })
}

impl Made {
    fn insert(&mut self, job: &Job, way: Way, packets: Packets) {
        let runs = self.packets.entry((job.pair, way, job.seed)).or_default();
        runs.insert(job.run.clone(), packets);
    }
}

/// The packets of a folder of results, which is removed.
fn packets(folder: &Path) -> Result<Packets, String> {
    let table = Table::read_parquet(&folder.join("packets.parquet"));
    let packets = Packets::of(&table.map_err(|error| error.to_string())?);
    let packets = packets.map_err(|error| error.to_string())?;
    std::fs::remove_dir_all(folder).map_err(|error| error.to_string())?;
    Ok(packets)
}

fn side_by_side(
    all: &[Begun],
    together: usize,
    folder: &Path,
    made: &Mutex<Made>,
) -> Result<(), Stopped> {
    let next = AtomicUsize::new(0);
    let work = |worker: usize| -> Result<(), Stopped> {
        while let Some(begun) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = carry(begun, &folder.join(format!("kernel-{worker}")));
            // The others end with the run that goes on.
            let (packets, late) =
                result.inspect_err(|_| next.store(all.len(), Ordering::Relaxed))?;
            let mut made = made.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            made.insert(&begun.job, Way::Kernel, packets);
            made.late.extend(late.map(|why| format!("{}: {why}", begun.job.name)));
        }
        Ok(())
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..together).map(|n| scope.spawn(move || work(n))).collect();
        let ended = all
            .into_iter()
            .map(|one| one.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
        ended.collect::<Result<(), Stopped>>()
    })
}

/// The packets of a run of the kernel, and the warning of its clock if each attempt has one.
fn carry(begun: &Begun, out: &Path) -> Result<(Packets, Option<String>), Stopped> {
    let Begun { job, simulated, .. } = begun;
    let mut last = None;
    for _ in 0..TRIES {
        let half = against(&job.halves)?.kernel(job.seed, simulated, Some(out));
        let half = half.map_err(|error| stopped(&job.name, &error))?;
        let packets = packets(out).map_err(Stopped::Failed)?;
        match half.real_time.and_then(|own| own.warning) {
            None => return Ok((packets, None)),
            Some(why) => {
                eprintln!("{}: {why}", job.name);
                last = Some((packets, Some(why)));
            }
        }
    }
    last.ok_or_else(|| Stopped::Failed(format!("{}: no run was made", job.name)))
}

fn stopped(name: &str, error: &AgainstError) -> Stopped {
    let why = format!("{name}: {error}");
    match error {
        AgainstError::Emulation(EmulationError::System(
            OsError::NoTun
            | OsError::TunDenied { .. }
            | OsError::Denied { .. }
            | OsError::ReadOnly { .. }
            | OsError::NoIpv6,
        )) => Stopped::NotHere(why),
        _ => Stopped::Failed(why),
    }
}
