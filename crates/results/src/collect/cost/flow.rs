//! A flow and what changes of its UE's cell cost it.
//!
//! The receiver waits from a delivery on if data packets are on their way then; else from the sending of the next
//! one. So a pause of the application is no gap. A flow without retransmissions that has sent nothing for a second
//! pauses, whatever became of its last packets.
//!
//! A wait is compared with the change by the times at which packets left the radio, as uplink packets cross wires
//! behind it. Its length is that at the receiver.

use airpath_base::{Duration, NodeId, Time, UeId};
use airpath_net::{AppEvent, Direction, DropCause, Leg, Packet, Reason, Stage, TcpEvent};

use super::WINDOW;
use super::timeouts::Timeouts;
use crate::FlowInfo;

/// Cost of a change of the UE's cell for a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowCost {
    /// Receipt of the command, or failure of the radio link.
    pub begin: Time,
    /// Begin and length of the longest wait of the receiver that touches the change.
    pub gap: Option<(Time, Duration)>,
    /// Data packets that were dropped by the change.
    pub lost: u64,
    /// Acknowledgements and reports that were dropped by the change.
    pub lost_feedback: u64,
    /// Data packets that were dropped in the window by other causes.
    pub lost_otherwise: u64,
    /// Retransmission timeouts in the window.
    pub timeouts: u64,
    /// Of these, spurious ones.
    pub spurious: u64,
    /// Congestion window in bytes at the begin, the least in the window, and that at its end.
    pub cwnd: [Option<u64>; 3],
    /// Frames that missed their deadline in the window.
    pub late_frames: u64,
    /// End of the change.
    pub(super) end: Option<Time>,
    /// End of the window.
    pub(super) until: Option<Time>,
    /// Number of its record.
    pub(super) handover: Option<usize>,
    /// True if it is a resume, which is no handover.
    pub(super) resumed: bool,
    /// True until the wait that touches it has ended.
    waits: bool,
    /// True if the congestion window at the end is known.
    settled: bool,
}

/// A flow.
pub(super) struct FlowState {
    pub ue: Option<UeId>,
    pub tcp: bool,
    /// True once it has made a frame.
    pub frames: bool,
    /// In the order of their begins, and of their records.
    pub rows: Vec<FlowCost>,
    packets: bool,
    uplink: bool,
    /// Data packets on their way.
    underway: u64,
    /// Begin of the present wait: when its packet left the radio, and at the receiver.
    since: Option<[Time; 2]>,
    /// Time of the last sending, and the node that sent.
    sent: Option<(Time, NodeId)>,
    cwnd: Option<u64>,
    timeouts: Timeouts,
}

impl FlowState {
    pub fn new(info: &FlowInfo) -> FlowState {
        FlowState {
            ue: info.ue,
            tcp: info.kind == FlowInfo::TCP,
            frames: false,
            rows: Vec::new(),
            packets: info.has_packets(),
            uplink: info.direction == Some(Direction::Uplink),
            underway: 0,
            since: None,
            sent: None,
            cwnd: None,
            timeouts: Timeouts::default(),
        }
    }

    /// A change of the UE's cell, or a failure of its link, begins. One before it without a record was no change.
    pub fn begin(&mut self, at: Time) {
        if self.rows.pop_if(|row| row.handover.is_none()).is_some() {
            self.timeouts.forget(self.rows.len());
        }
        if let Some(last) = self.rows.last_mut() {
            last.settle(self.cwnd);
            last.until = last.until.min(Some(at));
        }
        let cwnd = [self.cwnd, self.cwnd, None];
        self.rows.push(FlowCost { begin: at, cwnd, waits: true, ..FlowCost::default() });
    }

    /// The change has come to its end, in the record of this number.
    pub fn end(&mut self, now: Time, number: usize, resumed: bool) {
        if let Some(last) = self.rows.last_mut() {
            (last.handover, last.resumed) = (Some(number), resumed);
            (last.end, last.until) = (Some(now), Some(now + WINDOW));
        }
    }

    /// The run has ended.
    pub fn finish(&mut self) {
        let cwnd = self.cwnd;
        self.rows.last_mut().into_iter().for_each(|row| row.settle(cwnd));
    }

    /// The row of the record of this number.
    pub fn row_of(&self, number: usize) -> Option<&FlowCost> {
        let recorded = self.rows.partition_point(|row| row.handover.is_some());
        let recorded = &self.rows[..recorded];
        let found = recorded.binary_search_by_key(&Some(number), |row| row.handover).ok()?;
        recorded.get(found)
    }

    pub fn originated(&mut self, at: (Time, NodeId), packet: &Packet) {
        self.timeouts.originated(at, packet);
        if packet.leg == Leg::Feedback {
            return;
        }
        let (now, _) = at;
        let before = self.sent.replace(at);
        let pauses = before.is_none_or(|(sent, _)| now.saturating_since(sent) > WINDOW);
        if self.since.is_none() || (self.underway == 0 && pauses && !self.tcp) {
            self.since = Some([now; 2]);
        }
        self.underway += 1;
    }

    /// A packet has arrived. Gives the number of a row whose gap is known by it.
    pub fn consumed(&mut self, now: Time, packet: &Packet) -> Option<usize> {
        for row in self.timeouts.consumed(now, packet) {
            self.rows.get_mut(row).into_iter().for_each(|row| row.spurious += 1);
        }
        if packet.leg == Leg::Feedback {
            return None;
        }
        self.underway = self.underway.saturating_sub(1);
        let wires = packet.stages.spent(Stage::Wired) + packet.stages.spent(Stage::WiredQueue);
        let left = if self.uplink { now.saturating_sub(wires) } else { now };
        let found = self.delivered(left, now);
        self.since = (self.underway > 0).then_some([left, now]);
        found
    }

    /// Data that left the radio at `left` are delivered. Gives the number of a row whose gap is known by it.
    fn delivered(&mut self, left: Time, now: Time) -> Option<usize> {
        let [before, from] = self.since?;
        let wait = now.saturating_since(from);
        let mut found = None;
        let rows = self.rows.iter_mut().enumerate().rev();
        for (n, row) in rows.take_while(|(_, row)| row.waits) {
            let touches = row.end.is_none_or(|end| before <= end) && left >= row.begin;
            if touches && row.gap.is_none_or(|(_, longest)| wait > longest) {
                row.gap = Some((from, wait));
            }
            row.waits = row.end.is_none_or(|end| left <= end);
            if !row.waits && row.gap.is_some() {
                found = Some(n);
            }
        }
        found
    }

    pub fn dropped(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        let data = packet.leg == Leg::Data;
        self.underway = self.underway.saturating_sub(u64::from(data));
        let Some(row) = self.rows.last_mut() else { return };
        match (cause, data) {
            (DropCause::Handover, true) => row.lost += 1,
            (DropCause::Handover, false) => row.lost_feedback += 1,
            (_, data) => row.lost_otherwise += u64::from(data && row.is_open(now)),
        }
    }

    pub fn tcp(&mut self, (now, node): (Time, NodeId), event: &TcpEvent) {
        match event {
            // The receiver of the data has a window of its own.
            TcpEvent::State { cwnd, .. } if self.sent.is_none_or(|(_, sender)| sender == node) => {
                self.window(now, *cwnd);
            }
            TcpEvent::Timeout { .. } => {
                let number = self.rows.len().saturating_sub(1);
                if let Some(row) = self.rows.last_mut().filter(|row| row.is_open(now)) {
                    row.timeouts += 1;
                    self.timeouts.expired(now, node, number);
                }
            }
            TcpEvent::Retransmission { reason: Reason::Timeout, .. } => self.timeouts.sends_again(),
            _ => {}
        }
    }

    /// An application reports. Gives the bytes of a full buffer that have arrived.
    pub fn app(&mut self, now: Time, event: &AppEvent) -> u64 {
        match event {
            AppEvent::Frame(_) => self.frames = true,
            AppEvent::Media(state) => self.window(now, state.cwnd),
            AppEvent::Started if !self.packets => self.since = Some([now; 2]),
            AppEvent::Delivered { bytes } if !self.packets && *bytes > 0 => {
                _ = self.delivered(now, now);
                self.since = Some([now; 2]);
                return *bytes;
            }
            _ => {}
        }
        0
    }

    /// The congestion window is of so many bytes from now on.
    fn window(&mut self, now: Time, cwnd: u64) {
        if let Some(row) = self.rows.last_mut() {
            match row.is_open(now) {
                true => row.cwnd[1] = Some(row.cwnd[1].map_or(cwnd, |least| least.min(cwnd))),
                false => row.settle(self.cwnd),
            }
        }
        self.cwnd = Some(cwnd);
    }

    /// A frame has missed its deadline.
    pub fn missed(&mut self, deadline: Time) {
        let row = self.rows.iter_mut().rev().find(|row| row.begin <= deadline);
        let row = row.filter(|row| row.is_open(deadline));
        row.into_iter().for_each(|row| row.late_frames += 1);
    }
}

impl FlowCost {
    /// True if a time is before the end of the window.
    fn is_open(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// The window is at its end: the congestion window is this.
    fn settle(&mut self, cwnd: Option<u64>) {
        if !std::mem::replace(&mut self.settled, true) {
            self.cwnd[2] = cwnd;
        }
    }
}
