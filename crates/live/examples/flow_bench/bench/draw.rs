//! Plan of a flow: drawn from a seed, over wide ranges.

use airpath_base::random::{Seed, Stream};
use airpath_live::transfer::Step;
use serde::{Deserialize, Serialize};

/// Kind of a flow, by the cause that limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Greedy data, behind a queue of one or a few round trips.
    DeepQueue,
    /// Greedy data behind a queue of a few packets.
    ShallowQueue,
    /// Greedy data, of which packets are lost at random.
    RandomLoss,
    /// Greedy data through a policer: what is above a rate is dropped.
    Policer,
    /// Writes at even intervals.
    Writes,
    /// A server that thinks before it answers.
    Thinking,
    /// A client that pauses before it asks.
    IdleClient,
    /// A reader slower than the path.
    SlowReader,
    /// A receive buffer smaller than the path holds.
    SmallBuffer,
    /// The bytes that slow start brings, over a fast and long path.
    ShortDownload,
    /// The path is dead from some time on.
    PeerGone,
    /// The path is dead for a time, several times.
    Outages,
    /// Another flow has the same queue.
    Shared,
    /// A cell whose signal gets better and worse.
    Fading,
    /// A cell without a signal for a time, several times.
    RadioGap,
    /// A phone that has to be promoted for each burst.
    Promotion,
    /// A phone that sleeps between bursts.
    Drx,
}

/// All kinds, in the order in which they are drawn.
pub const KINDS: [Kind; 17] = [
    Kind::DeepQueue,
    Kind::ShallowQueue,
    Kind::RandomLoss,
    Kind::Policer,
    Kind::Writes,
    Kind::Thinking,
    Kind::IdleClient,
    Kind::SlowReader,
    Kind::SmallBuffer,
    Kind::ShortDownload,
    Kind::PeerGone,
    Kind::Outages,
    Kind::Shared,
    Kind::Fading,
    Kind::RadioGap,
    Kind::Promotion,
    Kind::Drx,
];

/// A flow, and its path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// The seed it was drawn from.
    pub seed: u64,
    /// Kind of the flow.
    pub kind: Kind,
    /// True if the UE sends the data; else the server.
    pub up: bool,
    /// True if there is a cell; else wires.
    pub cell: bool,
    /// Resource blocks of the cell.
    pub resource_blocks: u32,
    /// Signal in the cell, in dB.
    pub snr_db: f64,
    /// Rate of the wire in kbit/s.
    pub rate_kbps: u64,
    /// Delay of the wire one way, in milliseconds.
    pub delay_ms: f64,
    /// Packets that the queue of the bottleneck holds.
    pub queue_packets: u64,
    /// Share of the data packets that are lost at random.
    pub loss: f64,
    /// Congestion control of the kernel.
    pub controller: String,
    /// True if segments are merged at the capture (segmentation and receive offload).
    pub offload: bool,
    /// Bytes of the receive buffer; none for what the kernel finds right.
    pub receive_buffer: Option<u32>,
    /// Steps of the sender of the data, over and over; nothing for all it can.
    pub sender: Vec<Step>,
    /// Steps of the receiver.
    pub receiver: Vec<Step>,
    /// Rate and burst of the policer, in kbit/s and KiB.
    pub policer: Option<(u64, u64)>,
    /// Begin of the other flow, in milliseconds after the first: negative before it.
    pub other_ms: Option<i64>,
    /// Changes of the scenario: milliseconds from the flow's beginning, and what is set.
    pub changes: Vec<(u64, String)>,
    /// Duration of the flow in milliseconds.
    pub lasts_ms: u64,
    /// RRC of the phone, as a table of a scenario.
    pub rrc: Option<String>,
}

const SECOND: f64 = 1e9;

impl Draw {
    /// The flow of a seed. Seeds that follow each other have kinds that follow each other.
    pub fn of(seed: u64) -> Draw {
        let kind = KINDS[(seed % KINDS.len() as u64) as usize];
        let mut draw = Draw::plain(seed, kind, &mut Seed(seed).stream("path"));
        draw.special(&mut Seed(seed).stream("kind"));
        draw
    }

    /// A path that many kinds have.
    fn plain(seed: u64, kind: Kind, s: &mut Stream) -> Draw {
        use Kind::{Drx, Fading, Policer, Promotion, RadioGap, ShallowQueue};
        let wires = matches!(kind, ShallowQueue | Policer);
        let radio = matches!(kind, Fading | RadioGap | Promotion | Drx);
        let cell = radio || (s.chance(0.3) && !wires);
        let (rate_kbps, delay_ms) = (log(s, 700.0, 20_000.0) as u64, log(s, 5.0, 120.0));
        let controllers = ["cubic", "cubic", "cubic", "reno", "bbr"];
        // A rate below this in a cell of these sizes is below the cell's.
        let resource_blocks = [6, 15, 25, 50][s.below(4) as usize];
        Draw {
            seed,
            kind,
            up: s.chance(0.4),
            cell,
            resource_blocks,
            snr_db: s.between(5.0, 25.0),
            rate_kbps: if cell { 1_000_000 } else { rate_kbps },
            delay_ms: delay_ms.round(),
            queue_packets: 1000,
            loss: 0.0,
            controller: controllers[s.below(5) as usize].to_owned(),
            offload: s.chance(0.5),
            receive_buffer: None,
            sender: Vec::new(),
            receiver: Vec::new(),
            policer: None,
            other_ms: None,
            changes: Vec::new(),
            lasts_ms: s.between(5_000.0, 12_000.0) as u64,
            rrc: None,
        }
    }

    /// Draws the properties of the kind.
    fn special(&mut self, s: &mut Stream) {
        self.queue_packets = (self.product() * s.between(1.0, 4.0)).max(20.0) as u64;
        match self.kind {
            Kind::DeepQueue => {}
            Kind::ShallowQueue => self.queue_packets = 3 + s.below(10),
            Kind::RandomLoss => {
                self.loss = log(s, 0.003, 0.06);
                self.delay_ms = self.delay_ms.max(15.0);
                self.controller = ["cubic", "reno"][s.below(2) as usize].to_owned();
            }
            Kind::Policer => {
                self.policer = Some((self.rate_kbps, 8 + s.below(56)));
                // To a bucket, merged segments are one packet.
                self.offload = false;
                self.rate_kbps = 1_000_000;
            }
            Kind::SlowReader | Kind::SmallBuffer => self.reader(s),
            Kind::PeerGone | Kind::Outages | Kind::Shared => self.path(s),
            Kind::Fading | Kind::RadioGap | Kind::Promotion | Kind::Drx => self.radio(s),
            Kind::Writes | Kind::Thinking | Kind::IdleClient | Kind::ShortDownload => {
                self.application(s);
            }
        }
    }

    /// Packets that the path holds without a queue; a cell is taken to have 0.6 Mbit/s for each
    /// resource block at 25 dB, 0.1 at 5 dB.
    fn product(&self) -> f64 {
        self.path_kbps() * 2.0 * (self.delay_ms + 10.0) / 12_000.0
    }

    fn path_kbps(&self) -> f64 {
        match self.cell {
            true => f64::from(self.resource_blocks) * (25.0 * self.snr_db - 25.0),
            false => self.rate_kbps as f64,
        }
    }

    fn application(&mut self, s: &mut Stream) {
        let rate = self.path_kbps() * 125.0; // bytes a second
        let piece = log(s, 200.0, 60_000.0);
        let answer = |seconds: f64| (rate * seconds).max(2_000.0) as u64;
        match self.kind {
            Kind::Writes => {
                let used = s.between(0.05, 0.5);
                let pause = (piece / (rate * used) * SECOND).clamp(5e6, 0.6 * SECOND);
                let piece = (pause / SECOND * rate * used) as u64;
                self.sender = vec![Step::Write(piece.max(100)), Step::Wait(pause as u64)];
            }
            Kind::Thinking | Kind::IdleClient => {
                let pauses = [0.3, 0.8, 1.5].map(|n| n * s.between(0.3, 2.0) * SECOND);
                let answers = [0.2, 0.6, 1.0].map(|n| answer(n * s.between(0.1, 0.8)));
                let thinks = self.kind == Kind::Thinking;
                self.dialogue(pauses, answers, thinks);
            }
            _ => {
                self.delay_ms = s.between(60.0, 250.0).round();
                (self.cell, self.rate_kbps) = (false, s.between(50_000.0, 100_000.0) as u64);
                // Round trips of slow start, from ten segments on, and the handshake.
                let trips = 3 + s.below(3);
                let bytes = 14_480 * ((1 << trips) - 1);
                self.sender = vec![Step::Write(bytes), Step::Wait(100 * SECOND as u64)];
                self.lasts_ms = (2.0 * self.delay_ms * (trips as f64 + 1.6)) as u64;
            }
        }
    }

    /// Three requests and answers, over and over.
    fn dialogue(&mut self, pauses: [f64; 3], answers: [u64; 3], thinks: bool) {
        self.up = false;
        for (pause, answer) in pauses.into_iter().zip(answers) {
            let pause = pause as u64;
            let (think, idle) = if thinks { (pause, 1_000_000) } else { (1_000_000, pause) };
            self.sender.extend([Step::Read(300), Step::Wait(think), Step::Write(answer)]);
            self.receiver.extend([Step::Write(300), Step::Read(answer), Step::Wait(idle)]);
        }
    }

    fn reader(&mut self, s: &mut Stream) {
        let product = self.product() * 1500.0;
        if self.kind == Kind::SmallBuffer {
            self.delay_ms = self.delay_ms.max(20.0);
            self.receive_buffer = Some((product * s.between(0.15, 0.7)).max(6_000.0) as u32);
            return;
        }
        let rate = self.path_kbps() * 125.0 * s.between(0.05, 0.5);
        let pause = log(s, 5e6, 0.4 * SECOND);
        let piece = (rate * pause / SECOND).max(500.0) as u64;
        self.receiver = vec![Step::Read(piece), Step::Wait(pause as u64)];
        let buffer = [None, Some(20_000), Some(65_536), Some(150_000)][s.below(4) as usize];
        // Default buffers of the kernel are megabytes, which take a slow reader long to fill.
        self.receive_buffer = buffer.or_else(|| (rate * 8.0 < 6e6).then_some(100_000));
    }

    fn path(&mut self, s: &mut Stream) {
        let last = self.lasts_ms as f64;
        match self.kind {
            Kind::PeerGone => {
                let at = (last * s.between(0.15, 0.45)) as u64;
                self.changes = vec![(at, dead(true))];
            }
            Kind::Outages => {
                self.cell = false;
                self.rate_kbps = self.rate_kbps.min(20_000);
                let mut at = s.between(500.0, 1_500.0);
                while at < last - 1_000.0 {
                    self.changes.push((at as u64, dead(true)));
                    at += s.between(400.0, 1_500.0);
                    self.changes.push((at as u64, dead(false)));
                    at += s.between(300.0, 1_500.0);
                }
            }
            _ => self.other_ms = Some(s.between(-3_000.0, 1_000.0) as i64),
        }
    }

    fn radio(&mut self, s: &mut Stream) {
        let last = self.lasts_ms as f64;
        let mut at = s.between(300.0, 1_500.0);
        let set = |db: f64| format!("\"ue.a.snr\" = \"{db:.1} dB\"");
        match self.kind {
            Kind::Fading => {
                while at < last {
                    self.changes.push((at as u64, set(s.between(-3.0, 25.0))));
                    at += s.between(200.0, 1_500.0);
                }
            }
            Kind::RadioGap => {
                while at < last - 500.0 {
                    self.changes.push((at as u64, set(-40.0)));
                    at += s.between(400.0, 2_000.0);
                    self.changes.push((at as u64, set(self.snr_db)));
                    at += s.between(200.0, 1_500.0);
                }
            }
            kind => self.asleep(kind, s),
        }
    }

    /// Bursts so far from each other that the phone is asleep in between.
    fn asleep(&mut self, kind: Kind, s: &mut Stream) {
        self.lasts_ms = 10_000;
        let piece = s.between(500.0, 30_000.0) as u64;
        let (pause, rrc) = match kind {
            Kind::Promotion => {
                let release = s.between(150.0, 400.0);
                let rrc =
                    "start = \"idle\"\npromotion = \"quartiles\"\npaging_cycle = \"320 ms\"\n";
                (release * 1.3, format!("{rrc}release_after = \"{release:.0} ms\"\n"))
            }
            _ => {
                let cycle = [160, 320, 640][s.below(3) as usize];
                let awake = [10, 20, 40][s.below(3) as usize];
                let drx = format!(
                    "release_after = \"60 s\"\ndrx = {{ on_duration = \"2 ms\", inactivity = \
                     \"{awake} ms\", short_cycle = \"off\", long_cycle = \"{cycle} ms\" }}\n"
                );
                (f64::from(awake) * 2.0 + s.between(0.1, 1.0) * f64::from(cycle), drx)
            }
        };
        self.up = kind == Kind::Promotion && self.up;
        (self.rrc, self.controller) = (Some(rrc), "cubic".to_owned());
        self.sender = vec![Step::Write(piece), Step::Wait((pause * 1e6) as u64)];
        if self.up && s.chance(0.5) {
            self.sender[0] = Step::Write(300);
        }
    }
}

/// A path that loses all, or as little as before.
fn dead(is: bool) -> String {
    let loss = if is { "1.0" } else { "0.0" };
    format!("\"path.sgi.loss\" = {loss}, \"path.sgi.up.loss\" = {loss}")
}

/// Between two values, evenly on a logarithmic scale.
fn log(s: &mut Stream, low: f64, high: f64) -> f64 {
    use airpath_base::math::{exp, ln};
    exp(s.between(ln(low), ln(high)))
}
