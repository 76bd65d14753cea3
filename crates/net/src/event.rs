//! Events of models, and the probe that receives them.

use airpath_base::rrc::State;
use airpath_base::{BearerId, BitRate, CellId, Duration, FlowId, NodeId, Port, Time, UeId};
use airpath_wire::Ecn;
use airpath_wire::radio::bsr::GROUPS;

use crate::layers::LayerEvent;
use crate::{
    AppEvent, Direction, DropCause, Handover, LegChange, LinkChange, Packet, PathEvent, RadioEnd,
    SecondaryStay, Transmission, UePosition,
};

/// A listener. Models know nothing of what it keeps.
pub trait Probe {
    /// `event` happened at `node`.
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>);

    /// True if the probe wants each [`Sent`](Event::Sent) transport block and each
    /// [`BufferStatus`](Event::BufferStatus). Without such a probe, these events are not made.
    fn wants_blocks(&self) -> bool {
        false
    }
}

/// A named point on a wire at which packets can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId(pub u32);

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// An endpoint handed a packet to the network.
    Originated(&'a Packet),
    /// An endpoint took a packet from the network; its stages add up to its delay.
    Consumed(&'a Packet),
    /// An element dropped a packet.
    Dropped {
        /// Dropped packet.
        packet: &'a Packet,
        /// Cause of the drop.
        cause: DropCause,
        /// The end of the radio that dropped it; none elsewhere.
        end: Option<RadioEnd>,
    },
    /// An element changed the ECN field to congestion experienced.
    Marked {
        /// Marked packet, after the change.
        packet: &'a Packet,
        /// The field as it was.
        from: Ecn,
    },
    /// A packet passed a watched point.
    Passed {
        /// Point that the packet passed.
        point: PointId,
        /// The packet.
        packet: &'a Packet,
    },
    /// A packet left through a port that is connected to nothing.
    Left(Port),
    /// A wired queue reports.
    Queue(QueueEvent),
    /// A TCP endpoint reports.
    Tcp(FlowId, TcpEvent),
    /// An application reports.
    App(FlowId, AppEvent),
    /// The radio reports.
    Radio(RadioEvent),
    /// A UE leaves its cell: it has received the command of a handover, or its connection is resumed in another cell. With
    /// DAPS it keeps its cell until the target serves it.
    LeavesCell(UeId),
    /// A handover, or a re-establishment in another cell, has come to its end.
    Handover(&'a Handover),
    /// The leg of a UE has changed, or an attempt at that has come to its end.
    Leg(&'a LegChange),
    /// A UE that may go from cell to cell has a secondary cell no longer, or the run ends with it.
    Secondary(&'a SecondaryStay),
    /// A cell has prepared itself for a conditional handover of a UE, or is no candidate any more.
    Candidate {
        /// UE.
        ue: UeId,
        /// Cell.
        cell: CellId,
        /// True from its preparation on, false at its end.
        kept: bool,
    },
    /// Cells have exchanged their loads, and the offset of a pair has moved (TS 36.300, 22.4.1; TS 38.300, 15.5.1).
    OffsetByLoad {
        /// Cells of the pair, the lower number first.
        cells: [CellId; 2],
        /// Addition of the first to the cell individual offset of the second from now on, dB. The second takes as much off
        /// that of the first.
        offset_db: f64,
        /// Their loads, shares of resource blocks or numbers of UEs.
        loads: [f64; 2],
    },
    /// A downlink packet came to the source cell behind the end of a UE's handover, before the path was switched.
    BehindHandover {
        /// UE.
        ue: UeId,
        /// True if it is forwarded, else it is dropped.
        forwarded: bool,
    },
    /// The downlink user plane of a UE goes to another cell.
    Path(PathEvent<'a>),
    /// A layer of the radio tells what it put into a transport block.
    Layer(LayerEvent<'a>),
    /// A transmission of a transport block has been decided; for listeners that
    /// [ask](Probe::wants_blocks).
    Sent(&'a Transmission<'a>),
    /// A UE sent a buffer status report without data, on the uplink control channel; for listeners
    /// that [ask](Probe::wants_blocks).
    BufferStatus {
        /// UE.
        ue: UeId,
        /// Bytes that wait in it, by group of logical channels.
        bytes: [u32; GROUPS],
    },
    /// Position of a UE that moves, and its links there.
    Moved(UePosition),
    /// A tunnel end met a combination of ECN fields that it should log
    /// (RFC 6040, 4.2).
    SuspiciousEcn {
        /// Inner field on arrival.
        inner: Ecn,
        /// Outer field on arrival.
        outer: Ecn,
    },
}

impl Event<'_> {
    /// True for events that only some listeners want: others count none of them.
    pub fn is_extra(&self) -> bool {
        use Event::{
            BehindHandover, BufferStatus, Candidate, Handover, LeavesCell, Leg, Moved,
            OffsetByLoad, Passed, Path, Secondary, Sent,
        };
        let change = matches!(
            self,
            LeavesCell(_)
                | Handover(_)
                | Leg(_)
                | Secondary(_)
                | Candidate { .. }
                | OffsetByLoad { .. }
        );
        let handover = change || matches!(self, BehindHandover { .. } | Path(_));
        handover || matches!(self, Passed { .. } | Sent(_) | BufferStatus { .. } | Moved(_))
    }
}

/// Report of a wired queue. A packet in transmission has left the queue.
///
/// A queue whose departures are known on arrival reports [`Scheduled`](QueueEvent::Scheduled)
/// packets only. Any other queue reports each change, and each packet that leaves for transmission.
/// A queue of the first kind becomes one of the other when its link changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEvent {
    /// A packet arrived that will begin to be sent at `leaves`, whatever comes. Those of
    /// one queue leave in the order of their arrival.
    Scheduled {
        /// Its bytes on the wire.
        bytes: u32,
        /// Departure of the packet from the queue: now, if it need not wait.
        leaves: Time,
    },
    /// Occupancy of the queue from now on, after arrivals, departures or drops. A queue that has
    /// reported [`Scheduled`](QueueEvent::Scheduled) packets takes those back that have not left:
    /// the last ones, by this number.
    Occupancy {
        /// Packets.
        packets: u32,
        /// Their bytes on the wire.
        bytes: u64,
    },
    /// A packet left to be sent.
    Left {
        /// Wait of the packet.
        waited: Duration,
    },
}

/// Report of a TCP endpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TcpEvent {
    /// A segment was sent again.
    Retransmission {
        /// Cause of the retransmission.
        reason: Reason,
        /// Bytes of data.
        bytes: u32,
    },
    /// The sender's state after an acknowledgement or a loss.
    State {
        /// Congestion window in bytes.
        cwnd: u64,
        /// Slow start threshold in bytes; `u64::MAX` before the first loss.
        ssthresh: u64,
        /// Bytes in flight (RFC 6675's pipe where SACK is on).
        in_flight: u64,
        /// Smoothed RTT, once measured.
        srtt: Option<Duration>,
    },
    /// A new RTT sample.
    Rtt(Duration),
    /// The retransmission timer ran out; `backoff` doublings so far.
    Timeout {
        /// Number of expiries of the timer in a row.
        backoff: u32,
    },
    /// A loss recovery began.
    Recovery,
    /// The handshake is done.
    Established,
    /// The model of the path that a sender with BBR has after an acknowledgement or a loss.
    Model(PathModel),
}

/// Model of the path in a sender with BBR (draft-ietf-ccwg-bbr, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathModel {
    /// State of its machine (BBR.state).
    pub phase: PathPhase,
    /// Largest delivery rate of late, in payload (BBR.max_bw).
    pub max_bw: BitRate,
    /// Rate at which payload leaves (C.pacing_rate).
    pub pacing: BitRate,
}

/// State of BBR's machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPhase {
    /// Startup.
    Startup,
    /// Drain.
    Drain,
    /// ProbeBW_DOWN; of the first version the cycle's phase with a gain below 1.
    Down,
    /// ProbeBW_CRUISE; of the first version the cycle's phases with a gain of 1.
    Cruise,
    /// ProbeBW_REFILL.
    Refill,
    /// ProbeBW_UP; of the first version the cycle's phase with a gain above 1.
    Up,
    /// ProbeRTT.
    ProbeRtt,
}

/// Cause of a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Duplicate acknowledgements or SACK.
    Fast,
    /// The retransmission timer.
    Timeout,
}

/// Report of the radio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadioEvent {
    /// A measurement gap of a UE has passed (TS 36.331, 5.5.2.9; TS 38.331, 5.5.2.9).
    Gap {
        /// UE.
        ue: UeId,
        /// Its serving cell, in which it neither received nor sent.
        cell: CellId,
        /// Begin.
        begin: Time,
        /// End.
        end: Time,
    },
    /// A transport block was received, and decoding was tried.
    Block {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
        /// Number of the TTI in which it was on the air, from 0.
        slot: u64,
        /// HARQ process of the UE in this direction.
        process: u16,
        /// New-data indicator of the process: toggled with each new block.
        new_data: bool,
        /// Number of the transport block among two of the process, 0 or 1 (TS 36.321, 5.3.2.1).
        transport_block: u8,
        /// First of its layers: above 0 for codeword 1, whose resource blocks are those of codeword 0.
        first_layer: u8,
        /// Resource blocks.
        resource_blocks: u16,
        /// Modulation and coding scheme.
        mcs: u8,
        /// Layers of the transmission, with those of another transport block.
        layers: u8,
        /// Bytes of the transport block.
        bytes: u32,
        /// 0 for the first transmission.
        attempt: u8,
        /// Effective SINR in dB.
        sinr_db: f32,
        /// True if the block was decoded.
        decoded: bool,
        /// Bytes of the block that carried nothing.
        padding: u32,
        /// Most UEs in one of its resource blocks, this one among them; 1 alone.
        ues: u8,
        /// Its share of its resource blocks, above 0 to 1: each counts one over the UEs in it. 1 alone.
        share: f32,
    },
    /// A bearer's share of a transport block that was received, reported after the block
    /// for each bearer that is in it. The shares of a block add up to its resource
    /// blocks; a block without data has none. Of those that several UEs have, its own share counts.
    Share {
        /// Cell that received or sent the block: with further carriers, that of its carrier.
        cell: CellId,
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// Resource blocks, by bytes of RLC PDUs among those in the block.
        resource_blocks: f64,
    },
    /// A UE left resource blocks unused that were set aside for it.
    Unused {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
        /// Resource blocks.
        resource_blocks: u16,
    },
    /// A cell with a limited control channel has decided a TTI in which it sends grants or
    /// would have.
    Control {
        /// Cell.
        cell: CellId,
        /// Control channel elements that its grants take.
        used: u16,
        /// Those that there are.
        elements: u16,
        /// UEs that lacked elements, downlink and uplink, each counted once a direction.
        blocked: u16,
    },
    /// A UE that could have been served in a TTI was not, for want of control channel elements.
    Blocked {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
    },
    /// A UE had data in a TTI, and its cell had resource blocks left. Each of the UE's HARQ processes
    /// waited for feedback, or held a block that is to be sent again.
    Stalled {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
    },
    /// A UE missed the grant of a transmission. Downlink the block was sent in vain, and this
    /// report comes when feedback was due, instead of a [`Block`](RadioEvent::Block). Uplink
    /// nothing was sent.
    Missed {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction of the transmission.
        direction: Direction,
        /// Its resource blocks.
        resource_blocks: u16,
    },
    /// The cell took the grant of a transmission back (TS 38.213, 11.2A): nothing is sent, and the block waits to be sent
    /// again.
    Cancelled {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction of the transmission.
        direction: Direction,
        /// HARQ process of the block.
        process: u16,
        /// Its resource blocks.
        resource_blocks: u16,
    },
    /// A UE went out of range of its cell in a direction, or came into range (TS 36.213, 7.2.3; TS
    /// 38.214, 5.2.2.1). Downlink the cell knows the UE's CQI as 0, or as above 0 again. Uplink the
    /// cell's own measurement decides likewise.
    Range {
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
        /// True if the UE is in range now.
        in_range: bool,
        /// Measured SINR over the carrier in dB; uplink with the power that the fewest resource
        /// blocks of a grant can have.
        sinr_db: f32,
    },
    /// A UE sent a scheduling request.
    SchedulingRequest {
        /// UE.
        ue: UeId,
    },
    /// A UE with RRC states changed its own.
    Rrc {
        /// UE.
        ue: UeId,
        /// Time of the change: now, or the reception of a grant that was decided now.
        at: Time,
        /// The new state.
        state: State,
    },
    /// A UE skips PDCCH monitoring, or a skipping with this begin has another end.
    Skipping {
        /// UE.
        ue: UeId,
        /// Begin of the skipping.
        from: Time,
        /// End of the skipping.
        until: Time,
    },
    /// The radio link of a UE failed, or its failure came to an end.
    Link {
        /// UE.
        ue: UeId,
        /// Change of the radio link.
        change: LinkChange,
    },
    /// A cell without room rejected the connection of an idle or inactive UE, which waits for T302 (TS 36.331, 5.3.3.8;
    /// TS 38.331, 5.3.3.5 and 5.3.15).
    Rejected {
        /// UE.
        ue: UeId,
        /// Cell.
        cell: CellId,
    },
    /// A bearer's queue changed; its occupancy after the change.
    Queue {
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// SDUs waiting, whole or in part, at PDCP and RLC.
        packets: u32,
        /// Their bytes.
        bytes: u64,
    },
    /// The last byte of an SDU that waited left a bearer's queue for the air.
    Left {
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// Wait of the SDU, from its arrival at RLC.
        waited: Duration,
    },
    /// Copies of a bearer with duplication by PDCP (TS 38.323, 5.11), since the last report.
    Copies {
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// Packets that were duplicated.
        made: u64,
        /// Copies that were withdrawn before anything of them was sent.
        withdrawn: u64,
        /// Copies that came second, and were discarded.
        needless: u64,
    },
    /// RLC AM sent a PDU or a part of it again.
    RlcRetransmission {
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// Bytes.
        bytes: u32,
    },
}
