//! Plan of a flow: drawn from a seed, over wide ranges.

use airpath_base::random::{Seed, Stream};
use airpath_live::transfer::Step;
use serde::{Deserialize, Serialize};

pub use super::kind::{KINDS, Kind, MEDIA};

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
    /// Other flows of the same hosts.
    #[serde(default)]
    pub others: Vec<Other>,
    /// Changes of the scenario: milliseconds from the flow's beginning, and what is set.
    pub changes: Vec<(u64, String)>,
    /// Duration of the flow in milliseconds.
    pub lasts_ms: u64,
    /// RRC of the phone, as a table of a scenario.
    pub rrc: Option<String>,
    /// True if the cell is of NR; else of LTE.
    #[serde(default)]
    pub nr: bool,
    /// True if both directions of the cell share its slots.
    #[serde(default)]
    pub tdd: bool,
    /// Path in wires, and its middle.
    #[serde(default)]
    pub wires: Wires,
    /// Sender's host.
    #[serde(default)]
    pub host: SendingHost,
    /// Captures.
    #[serde(default)]
    pub taking: Taking,
}

/// Another flow, greedy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Begin, in milliseconds after the first: negative before it.
    pub ms: i64,
    /// True if it goes against the data.
    pub back: bool,
}

/// Wires beyond their rate, delay, queue and loss.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Wires {
    /// Delay between the data's sender and the middle one way, in milliseconds.
    pub near_ms: f64,
    /// True if the narrow link is between sender and middle; else between middle and receiver.
    pub queue_near: bool,
    /// True if packets are lost before that link; else behind it.
    pub loss_near: bool,
    /// Rate of the way back in kbit/s.
    pub back_kbps: u64,
    /// Packets that its queue holds.
    pub back_packets: u64,
    /// Share of the data packets that are late, and by how many milliseconds.
    pub late: Option<(f64, f64)>,
    /// Most of the delay that varies, in milliseconds; packets stay in order.
    pub jitter_ms: f64,
    /// Spans in which all is lost, in milliseconds from the flow's beginning.
    pub dead_ms: Vec<[u64; 2]>,
    /// Bytes of an answer whose last segment is lost twice, and the probability of it.
    pub tail: Option<(u64, f64)>,
}

/// The host of the data's sender.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SendingHost {
    /// Rate of a token bucket in front of its device, in kbit/s.
    pub bucket_kbps: Option<u64>,
    /// Bytes of the send buffer; none for what the kernel finds right.
    pub send_buffer: Option<u32>,
    /// Pacing rate that the program sets, in kbit/s.
    pub pacing_kbps: Option<u64>,
    /// True if Nagle's rule counts.
    pub nagle: bool,
}

/// Properties of the captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taking {
    /// True if segments have timestamps.
    pub timestamps: bool,
    /// Bytes of each packet that are kept.
    pub snap: u32,
    /// Milliseconds after the flow's beginning at which captures begin.
    pub begin_ms: u64,
}

impl Default for Taking {
    fn default() -> Taking {
        Taking { timestamps: true, snap: 128, begin_ms: 0 }
    }
}

impl Draw {
    /// The flow of a seed.
    pub fn of(seed: u64) -> Draw {
        let kind = Kind::of(seed);
        let mut draw = Draw::plain(seed, kind, &mut Seed(seed).stream("path"));
        draw.special(&mut Seed(seed).stream("kind"));
        draw
    }

    /// A path that many kinds have.
    fn plain(seed: u64, kind: Kind, s: &mut Stream) -> Draw {
        let cell = kind.is_radio() || (s.chance(0.2) && kind.may_have_cell());
        let (rate_kbps, delay_ms) = (log(s, 700.0, 20_000.0) as u64, log(s, 5.0, 120.0));
        let controllers = ["cubic", "cubic", "reno", "bbr"];
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
            queue_packets: 0,
            loss: 0.0,
            controller: controllers[s.below(4) as usize].to_owned(),
            offload: s.chance(0.5),
            receive_buffer: None,
            sender: Vec::new(),
            receiver: Vec::new(),
            policer: None,
            others: Vec::new(),
            changes: Vec::new(),
            lasts_ms: s.between(5_000.0, 9_000.0) as u64,
            rrc: None,
            nr: s.chance(0.5),
            tdd: s.chance(0.5),
            wires: Wires {
                near_ms: delay_ms.round() * s.between(0.25, 0.75),
                queue_near: s.chance(0.5),
                loss_near: s.chance(0.5),
                back_kbps: 1_000_000,
                back_packets: 10_000,
                ..Wires::default()
            },
            host: SendingHost::default(),
            taking: Taking::of(kind, cell, s),
        }
    }

    /// Packets that the path holds without a queue; a cell is taken to have 0.6 Mbit/s for each
    /// resource block at 25 dB, 0.1 at 5 dB.
    pub(super) fn product(&self) -> f64 {
        self.path_kbps() * 2.0 * (self.delay_ms + 10.0) / 12_000.0
    }

    /// Rate of the path in kbit/s.
    pub(super) fn path_kbps(&self) -> f64 {
        match self.cell {
            // An uplink of TDD has two slots of five or four of ten.
            true if self.tdd => self.blocks_kbps() * 0.4,
            true => self.blocks_kbps(),
            false => self.rate_kbps as f64,
        }
    }

    fn blocks_kbps(&self) -> f64 {
        f64::from(self.resource_blocks) * (25.0 * self.snr_db - 25.0)
    }
}

impl Taking {
    fn of(kind: Kind, cell: bool, s: &mut Stream) -> Taking {
        let (timestamps, snap) = (!s.chance(0.2), if s.chance(0.5) { 96 } else { 128 });
        let late = s.chance(0.2) && kind.goes_on() && !cell;
        Taking { timestamps, snap, begin_ms: if late { 1_000 + s.below(1_000) } else { 0 } }
    }
}

/// Between two values, evenly on a logarithmic scale.
pub(super) fn log(s: &mut Stream, low: f64, high: f64) -> f64 {
    use airpath_base::math::{exp, ln};
    exp(s.between(ln(low), ln(high)))
}
