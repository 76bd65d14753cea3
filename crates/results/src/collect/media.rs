//! Counters of a flow of media: frames, and reports of its controller.
//!
//! A frame is complete when all its packets have arrived, wherever its source is; its
//! delay ends with the picture.

use std::collections::VecDeque;

use airpath_base::{Duration, FlowId, Time};
use airpath_net::{FrameMade, MediaState, Packet, Payload, Stage};
use airpath_stats::Welford;

use super::flow::Keep;
use super::{Collector, ShareCounts, ShownCounts};
use crate::Delays;

/// Frames whose fate is open at most; the oldest is given up beyond.
const MOST_OPEN: usize = 4096;

/// Counters of a flow of media.
#[derive(Clone, Debug)]
pub struct MediaCounts {
    /// Frames made.
    pub made: u64,
    /// Of these, key frames.
    pub keys: u64,
    /// Frames of which all packets arrived.
    pub complete: u64,
    /// Frames that came whole after their deadline, or had not come whole at the end although it was over; lost ones left out.
    pub late: u64,
    /// From encoder to picture, of complete frames.
    pub delays: Delays,
    /// From encoder to network, of each packet that arrived.
    pub sender: Delays,
    /// From there on to arrival, of each packet that arrived.
    pub ip: Delays,
    /// The controller's estimates of the queue delay in the network.
    pub network: Delays,
    /// Share that came whole within a time.
    pub share: ShareCounts,
    /// Pictures as a viewer sees them.
    pub shown: ShownCounts,
    /// From the making of the input that a frame shows to its picture.
    pub from_input: Delays,
    /// Target bitrates in bit/s, one for each feedback.
    pub target: Welford,
    /// Time at which the source ended its session for a poor rate.
    pub gave_up: Option<Time>,
    /// Last report of the controller.
    pub state: Option<MediaState>,
    /// Rows of the table of frames, and how many were beyond its limit.
    pub rows: Vec<FrameRow>,
    /// Deadlines that frames missed, not yet taken.
    pub(super) missed: Vec<Time>,
    /// Frames beyond the table's limit.
    pub rows_omitted: u64,
    open: VecDeque<OpenFrame>,
    newest_complete: Option<Time>,
    given_up: u64,
    limit: usize,
    /// Frames of all the run.
    number: u64,
    from: Time,
    deadlines: bool,
    within: Option<Duration>,
    pictures: bool,
    /// Last report of the controller before the end of the warm-up.
    early: Option<MediaState>,
}

/// A row of the table of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameRow {
    /// Number within the flow, from 0.
    pub number: u64,
    /// Time at which it was made.
    pub made: Time,
    /// Bytes of media.
    pub bytes: u32,
    /// Packets.
    pub packets: u32,
    /// True for a key frame.
    pub key: bool,
    /// From encoder to picture; none if it did not arrive whole.
    pub delay: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct OpenFrame {
    number: u64,
    at: Time,
    missing: u32,
    frame: FrameMade,
    input: Option<Time>,
    /// True if a packet of it was dropped.
    lost: bool,
}

impl MediaCounts {
    pub(super) fn new(keep: Keep) -> MediaCounts {
        let Keep { exact_delays, rows: [limit, _], from, deadlines, within, no_pictures } = keep;
        MediaCounts {
            made: 0,
            keys: 0,
            complete: 0,
            late: 0,
            delays: Delays::new(exact_delays),
            sender: Delays::new(exact_delays),
            ip: Delays::new(exact_delays),
            network: Delays::new(exact_delays),
            share: ShareCounts::default(),
            shown: ShownCounts::default(),
            from_input: Delays::new(exact_delays),
            target: Welford::default(),
            gave_up: None,
            state: None,
            rows: Vec::new(),
            missed: Vec::new(),
            rows_omitted: 0,
            open: VecDeque::new(),
            newest_complete: None,
            given_up: 0,
            limit,
            number: 0,
            from,
            deadlines,
            within,
            pictures: !no_pictures,
            early: None,
        }
    }

    /// Frames that have not arrived whole although a later one has, or of which a packet was dropped.
    pub fn lost(&self) -> u64 {
        let counts = self.open.partition_point(|open| open.at < self.from);
        let open = self.open.range(counts..).filter(|open| self.is_lost(open));
        self.given_up + open.count() as u64
    }

    fn is_lost(&self, open: &OpenFrame) -> bool {
        open.lost || self.newest_complete.is_some_and(|newest| open.at < newest)
    }

    /// Pictures as a viewer sees them; none if the frames are no pictures.
    pub fn viewed(&self) -> Option<&ShownCounts> {
        self.pictures.then_some(&self.shown)
    }

    /// Packets thrown out of the RTP queue.
    pub fn discarded_packets(&self) -> u64 {
        self.counted(|state| state.discarded_packets)
    }

    /// Packets that the sender declared lost.
    pub fn declared_lost_packets(&self) -> u64 {
        self.counted(|state| state.lost_packets)
    }

    /// Packets that feedback reported as arrived after the sender had declared them lost.
    pub fn declared_lost_arrived_packets(&self) -> u64 {
        self.counted(|state| state.lost_arrived_packets)
    }

    /// A count of the controller's reports since the end of the warm-up.
    fn counted(&self, count: fn(&MediaState) -> u64) -> u64 {
        let [all, early] = [self.state, self.early].map(|state| state.as_ref().map_or(0, count));
        all.saturating_sub(early)
    }

    /// Begins to count reports of the controller.
    pub(super) fn begin(&mut self) {
        self.early = self.state;
        (self.network, self.target) = (self.network.anew(), Welford::default());
    }

    pub(super) fn frame(&mut self, now: Time, frame: FrameMade, input: Option<Time>) {
        if self.open.len() == MOST_OPEN {
            let oldest = self.open.pop_front();
            oldest.into_iter().for_each(|oldest| self.given_up(&oldest));
        }
        let (number, missing) = (self.number, frame.packets);
        self.open.push_back(OpenFrame { number, at: now, missing, frame, input, lost: false });
        self.number += 1;
        if now >= self.from {
            self.made += 1;
            self.keys += u64::from(frame.key);
            self.share.made(now, self.within.unwrap_or(frame.deadline));
        }
    }

    fn given_up(&mut self, open: &OpenFrame) {
        self.row(open, None);
        self.miss(open);
        self.given_up += u64::from(open.at >= self.from);
    }

    pub(super) fn state(&mut self, state: MediaState) {
        self.network.add(state.queue_delay);
        self.target.add(state.target_bps as f64);
        self.state = Some(state);
    }

    pub(super) fn consumed(&mut self, now: Time, packet: &Packet) {
        if !matches!(packet.payload, Payload::Rtp(_)) {
            return;
        }
        let born = packet.born();
        if born >= self.from {
            let queued = packet.stages.spent(Stage::Sender);
            self.sender.add(queued);
            self.ip.add(now.saturating_since(born).saturating_sub(queued));
        }
        self.frame_of(packet).into_iter().for_each(|at| self.arrived(now, at));
    }

    /// A packet was dropped, so its frame does not come whole.
    pub(super) fn dropped(&mut self, packet: &Packet) {
        let open = self.frame_of(packet).and_then(|at| self.open.get_mut(at));
        open.into_iter().for_each(|open| open.lost = true);
    }

    /// Index of the open frame that an RTP packet belongs to.
    fn frame_of(&self, packet: &Packet) -> Option<usize> {
        let Payload::Rtp(rtp) = &packet.payload else { return None };
        let at = self.open.partition_point(|open| open.at < packet.born());
        self.open.get(at).filter(|open| open.frame.timestamp == rtp.timestamp).map(|_| at)
    }

    /// A packet of the frame with this timestamp has come to the application. Its times are those from the frame to the
    /// network and from there on; none for a packet that was sent again.
    pub(super) fn frame_packet(
        &mut self,
        now: Time,
        timestamp: u32,
        delays: Option<[Duration; 2]>,
    ) {
        if let Some([queued, network]) = delays.filter(|[a, b]| now >= self.from + *a + *b) {
            self.sender.add(queued);
            self.ip.add(network);
        }
        let found = self.open.iter().rposition(|open| open.frame.timestamp == timestamp);
        found.into_iter().for_each(|at| self.arrived(now, at));
    }

    /// A packet of an open frame has arrived.
    fn arrived(&mut self, now: Time, at: usize) {
        let Some(open) = self.open.get_mut(at) else { return };
        open.missing = open.missing.saturating_sub(1);
        if open.missing == 0 {
            let open = self.open.remove(at);
            open.into_iter().for_each(|open| self.completed(now, &open));
        }
    }

    fn completed(&mut self, now: Time, open: &OpenFrame) {
        let delay = now.saturating_since(open.at) + open.frame.processing;
        if delay > open.frame.deadline {
            self.miss(open);
        }
        let counts = open.at >= self.from;
        let picture = now + open.frame.processing;
        self.shown.picture(open.at, picture, counts);
        if counts {
            self.complete += 1;
            let input = open.input.map(|input| picture.saturating_since(input));
            input.into_iter().for_each(|delay| self.from_input.add(delay));
            if delay <= self.within.unwrap_or(open.frame.deadline) {
                self.share.came(open.at);
            }
            self.late += u64::from(delay > open.frame.deadline);
            self.delays.add(delay);
        }
        self.newest_complete = self.newest_complete.max(Some(open.at));
        self.row(open, Some(delay));
    }

    fn row(&mut self, open: &OpenFrame, delay: Option<Duration>) {
        if self.rows.len() >= self.limit {
            self.rows_omitted += u64::from(self.limit > 0);
            return;
        }
        let OpenFrame { number, at: made, frame, .. } = *open;
        let FrameMade { bytes, packets, key, .. } = frame;
        self.rows.push(FrameRow { number, made, bytes, packets, key, delay });
    }

    /// A frame has missed its deadline.
    fn miss(&mut self, open: &OpenFrame) {
        if self.deadlines {
            self.missed.push(open.at + open.frame.deadline);
        }
    }

    /// The run has ended: what is open has not arrived.
    pub(super) fn finish(&mut self, end: Time) {
        let open: Vec<OpenFrame> = self.open.iter().copied().collect();
        open.iter().for_each(|open| self.row(open, None));
        self.share.settle(end);
        self.shown.finish(end, open.last().map(|open| open.at));
        let missed = open.iter().filter(|open| open.at + open.frame.deadline < end);
        missed.for_each(|open| {
            self.miss(open);
            self.late += u64::from(open.at >= self.from && !self.is_lost(open));
        });
    }
}

impl Collector {
    /// A frame was made. It shows the newest input that has come to its source.
    pub(super) fn frame(&mut self, now: Time, flow: FlowId, frame: FrameMade) {
        let input = self.inventory.flows.get(flow.index()).and_then(|info| info.input);
        let input = input.and_then(|input| self.flows.get(input.index())?.newest);
        self.flows.at(flow.index()).frame(now, frame, input);
    }
}

#[cfg(test)]
#[path = "../media_tests.rs"]
mod tests;
