//! Facts that parts receive. Times and delays in seconds, sizes in bytes, rates in bit/s.

use airpath_base::{Duration, Time};
use airpath_net::Packet as NetPacket;
use airpath_ran::mac::{Candidate as RanCandidate, Grants, Placement, Slot as RanSlot};
use airpath_transport::control::{self, EcnFeedback};
use airpath_wire::{Ecn, Tuple};
use pyo3::prelude::*;

fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64())
}

/// A connection is established.
#[pyclass(frozen, get_all, module = "airpath")]
pub struct Start {
    /// Seconds of simulated time.
    now: f64,
    /// Payload bytes of a full segment.
    segment: u32,
    /// Initial window, in bytes.
    initial_window: u64,
    /// RTT of the handshake in seconds, if it gave one.
    rtt: Option<f64>,
    /// Feedback of the peer about congestion marks: "none", "classic" (RFC 3168) or "accurate" (RFC
    /// 9768).
    feedback: &'static str,
}

impl From<&control::Start> for Start {
    fn from(start: &control::Start) -> Start {
        Start {
            now: start.now.as_secs_f64(),
            segment: start.segment,
            initial_window: start.initial_window,
            rtt: seconds(start.rtt),
            feedback: match start.feedback {
                EcnFeedback::None => "none",
                EcnFeedback::Classic => "classic",
                EcnFeedback::Accurate => "accurate",
            },
        }
    }
}

/// Information in an acknowledgement. Sizes are bytes of payload.
#[pyclass(frozen, get_all, module = "airpath")]
pub struct Ack {
    /// Arrival in seconds of simulated time.
    now: f64,
    /// Bytes by which the cumulative acknowledgement moved, as far as it counts for the window.
    acked: u64,
    /// Newly reported by SACK.
    sacked: u64,
    /// Newly known to have arrived, by either; a byte counts once.
    delivered: u64,
    /// Segments that these bytes make up.
    packets: u32,
    /// All bytes known to have arrived so far, these included.
    delivered_in_all: u64,
    /// All bytes known to have arrived when the newest of the segments that have now arrived was
    /// sent. A round trip has passed once this reaches what `delivered_in_all` was at its
    /// beginning.
    prior_delivered: u64,
    /// RTT in seconds of the segment sent last among those reported here for the first time,
    /// unless it had been retransmitted.
    rtt: Option<f64>,
    /// Smoothed RTT (RFC 6298) in seconds.
    srtt: Option<f64>,
    /// Lowest RTT of the connection so far, in seconds.
    min_rtt: Option<f64>,
    /// Delivery rate in bit/s, if this acknowledgement allows an estimate.
    rate: Option<f64>,
    /// In flight after it.
    in_flight: u64,
    /// Bytes that met congestion (CE), newly reported.
    ce_bytes: u64,
    /// Packets that did.
    ce_packets: u32,
    /// True if it carried ECE (RFC 3168).
    ece: bool,
    /// True if the application had nothing more to send.
    app_limited: bool,
    /// True if the window held data back.
    cwnd_limited: bool,
    /// True if a fast recovery goes on, so that windows like Reno's must not grow.
    in_recovery: bool,
}

impl From<&control::AckSample> for Ack {
    fn from(sample: &control::AckSample) -> Ack {
        Ack {
            now: sample.now.as_secs_f64(),
            acked: sample.acked,
            sacked: sample.sacked,
            delivered: sample.delivered,
            packets: sample.packets,
            delivered_in_all: sample.delivered_in_all,
            prior_delivered: sample.prior_delivered,
            rtt: seconds(sample.rtt),
            srtt: seconds(sample.srtt),
            min_rtt: seconds(sample.min_rtt),
            rate: sample.rate.map(|rate| rate.rate().as_bps() as f64),
            in_flight: sample.in_flight,
            ce_bytes: sample.ce_bytes,
            ce_packets: sample.ce_packets,
            ece: sample.ece,
            app_limited: sample.app_limited,
            cwnd_limited: sample.cwnd_limited,
            in_recovery: sample.in_recovery,
        }
    }
}

/// A loss, or marks, that the controller must answer.
#[pyclass(frozen, get_all, module = "airpath")]
pub struct Loss {
    /// Detection in seconds of simulated time.
    now: f64,
    /// Bytes of which the answer is a share.
    in_flight: u64,
    /// True if the timer has run out before for the same segment.
    repeated: bool,
}

impl From<&control::LossEvent> for Loss {
    fn from(loss: &control::LossEvent) -> Loss {
        Loss { now: loss.now.as_secs_f64(), in_flight: loss.in_flight, repeated: loss.repeated }
    }
}

/// A packet at a queue.
#[pyclass(frozen, module = "airpath")]
pub struct Packet {
    /// Bytes on the wire, tunnels included.
    #[pyo3(get)]
    size: u32,
    /// Differentiated services code point, 0 to 63.
    #[pyo3(get)]
    dscp: u8,
    /// Time that it has waited in this queue, in seconds.
    #[pyo3(get)]
    waited: f64,
    ecn: Ecn,
    tuple: Tuple,
}

impl Packet {
    pub fn new(packet: &NetPacket, size: u32, waited: Duration) -> Packet {
        let (ecn, tuple, dscp) = (packet.visible_ecn(), packet.tuple, packet.dscp);
        Packet { size, dscp, waited: waited.as_secs_f64(), ecn, tuple }
    }
}

#[pymethods]
impl Packet {
    /// The ECN field that is seen: "not-ect", "ect0", "ect1" or "ce".
    #[getter]
    fn ecn(&self) -> &'static str {
        match self.ecn {
            Ecn::NotEct => "not-ect",
            Ecn::Ect0 => "ect0",
            Ecn::Ect1 => "ect1",
            Ecn::Ce => "ce",
        }
    }

    /// Address and port that it comes from.
    #[getter]
    fn source(&self) -> (String, u16) {
        (self.tuple.src.addr.to_string(), self.tuple.src.port)
    }

    /// Address and port that it goes to.
    #[getter]
    fn destination(&self) -> (String, u16) {
        (self.tuple.dst.addr.to_string(), self.tuple.dst.port)
    }
}

/// Contents of a queue.
#[pyclass(frozen, get_all, module = "airpath")]
pub struct Backlog {
    /// Seconds of simulated time.
    now: f64,
    /// Packets.
    packets: usize,
    /// Their bytes on the wire.
    bytes: u64,
    /// Wait of the oldest packet in seconds; 0 if none waits.
    delay: f64,
}

impl Backlog {
    pub fn new(now: Time, packets: usize, bytes: u64, oldest: Option<Time>) -> Backlog {
        let delay = oldest.map_or(0.0, |oldest| now.saturating_since(oldest).as_secs_f64());
        Backlog { now: now.as_secs_f64(), packets, bytes, delay }
    }
}

/// A slot that is to be decided.
#[pyclass(frozen, get_all, module = "airpath")]
pub struct Slot {
    /// Number of the TTI, from 0; those in which nothing could be sent may be missing.
    tti: u64,
    /// Length of a TTI, in seconds.
    tti_length: f64,
    /// Resource blocks of the carrier.
    resource_blocks: u16,
    /// Those that are free.
    free: u16,
    /// Grants fill whole groups of so many.
    group: u16,
    /// The UEs that have something, in their order.
    candidates: Vec<Py<Candidate>>,
}

impl Slot {
    pub fn new(
        py: Python<'_>,
        slot: &RanSlot<'_>,
        grants: &Grants,
        ues: &[String],
    ) -> PyResult<Slot> {
        let all = slot.candidates.iter().enumerate();
        let candidates = all.map(|(n, one)| Py::new(py, Candidate::new(n, one, slot, ues)));
        Ok(Slot {
            tti: slot.tti,
            tti_length: slot.tti_length.as_secs_f64(),
            resource_blocks: slot.carrier,
            free: grants.free(),
            group: match grants.placement() {
                Placement::Groups(group) => group,
                Placement::Blocks | Placement::Contiguous => 1,
            },
            candidates: candidates.collect::<PyResult<_>>()?,
        })
    }
}

/// A UE that has something in a slot.
#[pyclass(frozen, module = "airpath")]
pub struct Candidate {
    pub place: usize,
    /// Its name.
    #[pyo3(get)]
    ue: String,
    /// Bytes that a transport block would need to carry all of it.
    #[pyo3(get)]
    wanted: u32,
    /// Time that its oldest packet has waited, in seconds.
    #[pyo3(get)]
    head_of_line: f64,
    /// Least logical channel priority value with data; lower goes first.
    #[pyo3(get)]
    priority: u8,
    /// Guaranteed bit rates of what waits, together, in bit/s.
    #[pyo3(get)]
    guaranteed: f64,
    /// Mean rate at which it was served, in bit/s.
    #[pyo3(get)]
    mean_rate: f64,
    /// Layers of its transport blocks: its rank by the last report.
    #[pyo3(get)]
    layers: u8,
    /// Control channel elements that its grant takes.
    #[pyo3(get)]
    control_elements: u8,
    /// Bits a symbol in each group of resource blocks; empty where they are all alike.
    #[pyo3(get)]
    group_rates: Vec<f32>,
    bytes: Vec<u32>,
}

impl Candidate {
    fn new(place: usize, one: &RanCandidate<'_>, slot: &RanSlot<'_>, ues: &[String]) -> Candidate {
        Candidate {
            place,
            ue: ues.get(one.ue.index()).cloned().unwrap_or_else(|| one.ue.to_string()),
            wanted: one.wanted,
            head_of_line: one.head_of_line.as_secs_f64(),
            priority: one.priority,
            guaranteed: one.guaranteed.as_bps() as f64,
            mean_rate: slot.mean_rate(one) * 8.0 / slot.tti_length.as_secs_f64(),
            layers: one.layers,
            control_elements: one.control_elements,
            group_rates: slot.group_rates(place).to_vec(),
            bytes: one.bytes.to_vec(),
        }
    }
}

#[pymethods]
impl Candidate {
    /// Bytes that it would get in so many resource blocks.
    fn bytes(&self, resource_blocks: usize) -> PyResult<u32> {
        let most = self.bytes.len() - 1;
        self.bytes.get(resource_blocks).copied().ok_or_else(|| {
            super::nonsense(format!("bytes({resource_blocks}): there are {most} resource blocks"))
        })
    }

    /// The fewest resource blocks that carry what it wants, and at most `most`.
    fn needed(&self, most: usize) -> usize {
        let enough = self.bytes.iter().position(|bytes| *bytes >= self.wanted);
        enough.unwrap_or(most).clamp(1.min(most), most)
    }
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Start>()?;
    module.add_class::<Ack>()?;
    module.add_class::<Loss>()?;
    module.add_class::<Packet>()?;
    module.add_class::<Backlog>()?;
    module.add_class::<Slot>()?;
    module.add_class::<Candidate>()
}
