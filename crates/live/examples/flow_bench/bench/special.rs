//! Properties of a flow that its kind asks for.

use airpath_base::random::Stream;
use airpath_live::transfer::Step;

use super::draw::{Draw, Kind, Other, log};

/// A signal with which nothing arrives, as text of a scenario.
pub(super) const NO_SIGNAL: &str = "\"-40.0 dB\"";

const SECOND: f64 = 1e9;
/// Wait of a program to the end of the run.
const LONG: Step = Step::Wait(100_000_000_000);

impl Draw {
    /// Draws the properties of the kind.
    pub(super) fn special(&mut self, s: &mut Stream) {
        use Kind::{
            BeforeCapture, DeepQueue, Fading, IdleClient, Jitter, NearFull, OneRound, OwnQdisc,
            PacingRate, RandomLoss, SendBuffer, ShallowQueue, ShortDownload, SlowReader,
            SmallBuffer, TailLoss, Thinking, Writes, ZeroWindow,
        };
        let depth = s.between(1.0, 4.0);
        match self.kind {
            DeepQueue => {}
            ShallowQueue => {
                self.rate_kbps = self.rate_kbps.min(6_000);
                self.delay_ms = s.between(4.0, 20.0).round();
                self.queue_packets = 5 + s.below(10);
            }
            BeforeCapture => {
                self.wires.near_ms = s.between(0.1, 0.5);
                self.wires.queue_near = true;
            }
            Jitter => {
                self.wires.jitter_ms = s.between(2.0, 12.0);
                if s.chance(0.3) {
                    self.writes(s, 0.05, 0.5);
                }
            }
            RandomLoss => {
                self.loss = log(s, 0.003, 0.06);
                self.delay_ms = self.delay_ms.max(15.0);
                self.controller = loss_based(s);
            }
            Kind::Policer | Kind::SackLoss | Kind::Reordering | Kind::BbrLoss => self.losses(s),
            SlowReader | SmallBuffer | ZeroWindow => self.reader(s),
            Kind::PeerGone | Kind::Outages => self.dead(s),
            Kind::Shared | Kind::NarrowBack | Kind::BesideUpload => self.others(s),
            Fading | Kind::RadioGap | Kind::Promotion | Kind::Drx => self.radio(s),
            Kind::Media | Kind::MediaAbove | Kind::MediaLoss | Kind::MediaBeside => self.media(s),
            OwnQdisc | SendBuffer | PacingRate | Kind::Nagle => self.host(s),
            Writes | Thinking | IdleClient | ShortDownload | OneRound | TailLoss | NearFull => {
                self.application(s);
            }
        }
        if self.queue_packets == 0 {
            self.queue_packets = (self.product() * depth).max(20.0) as u64;
        }
        // The middle is within the path, whatever has become of its delay.
        if self.kind != BeforeCapture {
            self.wires.near_ms =
                self.wires.near_ms.clamp(0.25 * self.delay_ms, 0.75 * self.delay_ms);
        }
    }

    /// Losses and what looks like them.
    fn losses(&mut self, s: &mut Stream) {
        match self.kind {
            Kind::Policer => {
                self.policer = Some((self.rate_kbps, 8 + s.below(56)));
                self.rate_kbps = 1_000_000;
                self.controller = loss_based(s);
            }
            Kind::SackLoss => {
                self.rate_kbps = s.between(5_000.0, 20_000.0) as u64;
                self.delay_ms = s.between(30.0, 100.0).round();
                self.queue_packets = (self.product() * s.between(0.4, 1.0)) as u64;
                self.controller = loss_based(s);
            }
            Kind::Reordering => {
                self.rate_kbps = s.between(2_000.0, 20_000.0) as u64;
                self.delay_ms = self.delay_ms.max(15.0);
                self.queue_packets = (self.product() * s.between(1.0, 3.0)) as u64;
                let gap_ms = 12_000.0 / self.rate_kbps as f64;
                self.wires.late = Some((0.01, gap_ms * s.between(1.5, 8.0)));
                if s.chance(0.4) {
                    self.writes(s, 0.2, 0.5);
                }
            }
            _ => {
                (self.controller, self.loss) = ("bbr".to_owned(), s.between(0.01, 0.02));
                self.rate_kbps = s.between(2_000.0, 20_000.0) as u64;
                self.delay_ms = s.between(10.0, 60.0).round();
                self.queue_packets = (self.product() * s.between(1.5, 4.0)).max(20.0) as u64;
            }
        }
    }

    /// Pictures at 30 Hz, or packets of speech each 20 ms.
    fn media(&mut self, s: &mut Stream) {
        self.rate_kbps = s.between(1_000.0, 10_000.0) as u64;
        let used = match self.kind {
            Kind::MediaAbove => s.between(1.05, 1.4),
            _ => s.between(0.2, 0.6),
        };
        let speech = self.kind != Kind::MediaAbove && s.chance(0.3);
        let (bytes, pause) = match speech {
            true => (160, 20_000_000),
            false => ((self.path_kbps() * 125.0 * used / 30.0) as u64, 33_333_333),
        };
        self.sender = vec![Step::Write(bytes), Step::Wait(pause)];
        match self.kind {
            Kind::MediaLoss => self.loss = log(s, 0.01, 0.08),
            Kind::MediaBeside => self.others = vec![Other { ms: -1_000, back: false }],
            _ => {}
        }
        self.queue_packets =
            (self.path_kbps() * s.between(50.0, 300.0) / 12_000.0).max(10.0) as u64;
    }

    /// Limits within the host of the sender.
    fn host(&mut self, s: &mut Stream) {
        self.rate_kbps = s.between(8_000.0, 30_000.0) as u64;
        self.delay_ms = self.delay_ms.max(if self.kind == Kind::SendBuffer { 25.0 } else { 10.0 });
        let part =
            |s: &mut Stream, low, high| (self.rate_kbps as f64 * s.between(low, high)) as u64;
        match self.kind {
            Kind::OwnQdisc => self.host.bucket_kbps = Some(part(s, 0.1, 0.6)),
            Kind::PacingRate => self.host.pacing_kbps = Some(part(s, 0.1, 0.6)),
            Kind::SendBuffer => {
                // The kernel doubles it, and counts its own headers.
                let buffer = self.product() * 1500.0 * s.between(0.1, 0.35);
                self.host.send_buffer = Some(buffer.max(8_000.0) as u32);
            }
            _ => {
                self.delay_ms = s.between(1.0, 10.0).round();
                self.host.nagle = true;
                let parts = [100 + s.below(400), 100 + s.below(1_200)];
                let (ask, think) = (100 + s.below(300), Step::Wait(s.between(1e5, 4e6) as u64));
                let [first, second] = parts.map(Step::Write);
                self.sender = vec![first, second, Step::Read(ask)];
                self.receiver = vec![Step::Read(parts[0] + parts[1]), think, Step::Write(ask)];
            }
        }
    }

    fn application(&mut self, s: &mut Stream) {
        let rate = self.path_kbps() * 125.0; // bytes a second
        let answer = |seconds: f64| (rate * seconds).max(2_000.0) as u64;
        match self.kind {
            Kind::Writes => self.writes(s, 0.05, 0.5),
            Kind::NearFull => {
                self.rate_kbps = s.between(3_000.0, 20_000.0) as u64;
                self.near_full(s);
            }
            Kind::OneRound => {
                let bytes = 1_000 + s.below(5_000);
                self.up = false;
                self.rate_kbps = self.rate_kbps.max(5_000);
                self.sender = vec![Step::Read(300), Step::Write(bytes), LONG];
                self.receiver = vec![Step::Write(300), Step::Read(bytes), LONG];
                self.lasts_ms = (2.0 * self.delay_ms * 2.4) as u64 + 20;
            }
            Kind::TailLoss => {
                self.rate_kbps = self.rate_kbps.max(5_000);
                self.delay_ms = s.between(5.0, 40.0).round();
                let bytes = 1_448 * (1 + s.below(8)) - s.below(1_000);
                self.dialogue([2e7; 3], [bytes; 3], s.chance(0.5));
                self.wires.tail = Some((bytes, s.between(0.6, 1.0)));
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
                self.sender = vec![Step::Write(bytes), LONG];
                self.lasts_ms = (2.0 * self.delay_ms * (trips as f64 + 1.6)) as u64;
            }
        }
    }

    /// Writes at even intervals that use a share of the path.
    fn writes(&mut self, s: &mut Stream, least: f64, most: f64) {
        let rate = self.path_kbps() * 125.0; // bytes a second
        let (piece, used) = (log(s, 200.0, 60_000.0), s.between(least, most));
        let pause = (piece / (rate * used) * SECOND).clamp(5e6, 0.6 * SECOND);
        let piece = (pause / SECOND * rate * used) as u64;
        self.sender = vec![Step::Write(piece.max(100)), Step::Wait(pause as u64)];
    }

    /// Writes of a few packets that use most of the path, headers included.
    fn near_full(&mut self, s: &mut Stream) {
        let pause = s.between(5e6, 2e7);
        let used = s.between(0.85, 0.88) * 1448.0 / 1500.0;
        let piece = (pause / SECOND * self.path_kbps() * 125.0 * used) as u64;
        self.sender = vec![Step::Write(piece), Step::Wait(pause as u64)];
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
        if self.kind == Kind::ZeroWindow {
            self.rate_kbps = s.between(30_000.0, 80_000.0) as u64;
            self.delay_ms = s.between(0.5, 2.0);
            let buffer = s.between(6_000.0, 20_000.0) as u32;
            self.receive_buffer = Some(buffer);
            self.receiver = vec![Step::Read(u64::from(buffer / 2)), Step::Wait(11_000_000)];
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

    /// Spans in which all is lost.
    fn dead(&mut self, s: &mut Stream) {
        let last = self.lasts_ms as f64;
        if self.kind == Kind::PeerGone {
            // The timer strikes three times within the flow.
            (self.delay_ms, self.lasts_ms) = (self.delay_ms.min(40.0), 9_000);
            self.rate_kbps = self.rate_kbps.max(3_000);
            self.queue_packets = (self.product() * s.between(0.5, 1.5)).max(20.0) as u64;
            let at = (last * s.between(0.15, 0.45)) as u64;
            self.wires.dead_ms = vec![[at, u64::MAX]];
            return;
        }
        let mut at = s.between(500.0, 1_500.0);
        while at < last - 1_000.0 {
            let end = at + s.between(400.0, 1_500.0);
            self.wires.dead_ms.push([at as u64, end as u64]);
            at = end + s.between(300.0, 1_500.0);
        }
    }

    /// The way back, and other flows.
    fn others(&mut self, s: &mut Stream) {
        self.rate_kbps = s.between(4_000.0, 20_000.0) as u64;
        self.delay_ms = s.between(5.0, 40.0).round();
        match self.kind {
            Kind::Shared => {
                self.queue_packets = (self.product() * s.between(1.0, 3.0)).max(20.0) as u64;
                let other =
                    |s: &mut Stream| Other { ms: s.between(-2_000.0, 1_000.0) as i64, back: false };
                self.others = (0..1 + s.below(3)).map(|_| other(s)).collect();
            }
            Kind::NarrowBack => {
                self.queue_packets = (self.product() * s.between(1.0, 2.0)).max(20.0) as u64;
                // An acknowledgement of 52 bytes for each other packet of 1500 takes 1.7%.
                self.wires.back_kbps = (self.rate_kbps as f64 * s.between(0.006, 0.012)) as u64;
                self.wires.back_packets = 30 + s.below(100);
                self.offload = false;
            }
            _ => {
                self.queue_packets = (self.product() * s.between(1.0, 2.0)).max(20.0) as u64;
                self.wires.back_kbps = self.rate_kbps / (8 + s.below(8));
                self.wires.back_packets = 20 + s.below(60);
                self.others = vec![Other { ms: s.between(-2_000.0, 500.0) as i64, back: true }];
            }
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
                    at += s.between(800.0, 2_500.0);
                    self.changes.push((at as u64, set(self.snr_db)));
                    at += s.between(200.0, 700.0);
                }
            }
            kind => self.asleep(kind, s),
        }
    }

    /// Bursts so far from each other that the phone is asleep in between.
    fn asleep(&mut self, kind: Kind, s: &mut Stream) {
        self.lasts_ms = 10_000;
        let most = if kind == Kind::Promotion { 6_000.0 } else { 30_000.0 };
        let piece = s.between(500.0, most) as u64;
        let (pause, rrc) = match kind {
            Kind::Promotion => {
                let release = s.between(80.0, 200.0);
                let rrc =
                    "start = \"idle\"\npromotion = \"quartiles\"\npaging_cycle = \"320 ms\"\n";
                (
                    release * 1.1 + 2.0 * self.delay_ms + 40.0,
                    format!("{rrc}release_after = \"{release:.0} ms\"\n"),
                )
            }
            _ => {
                let cycle = [160, 320, 640][s.below(3) as usize];
                let awake = [10, 20, 40][s.below(3) as usize];
                let drx = format!(
                    "release_after = \"60 s\"\ndrx = {{ on_duration = \"2 ms\", inactivity = \
                     \"{awake} ms\", short_cycle = \"off\", long_cycle = \"{cycle} ms\" }}\n"
                );
                (f64::from(awake) * 1.5 + s.between(0.05, 0.4) * f64::from(cycle), drx)
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

/// A congestion control that losses slow down.
fn loss_based(s: &mut Stream) -> String {
    ["cubic", "reno"][s.below(2) as usize].to_owned()
}
