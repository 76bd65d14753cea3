//! One direction of a TCP connection: what its sender sent, counted, and what is needed
//! of it to classify the next segment.

use airpath_base::{BitRate, Duration, Time};
use airpath_wire::{SackBlocks, TcpFlags};

use super::idents::Idents;
use super::notes::Notes;
use super::queue::Queue;
use crate::accurate::Reports;
use crate::causes::{Keep, Watch};
use crate::dscp::CodePoints;
use crate::methods::{Bandwidth, Clock, Point, Series, SlowStarts};
use crate::sequence::after;
use crate::sketch::Sketch;

/// Segments from which on a direction has estimators.
const LARGE: u32 = 24;
/// Segments below which memory is given back as soon as nothing is under way.
const SMALL: u32 = 64;

/// Largest TCP payload in a frame of Ethernet without options: 1500 bytes less the headers of IPv4 and TCP.
const ETHERNET: u32 = 1460;

/// Least time until the timer strikes. It is 200 ms (Linux, TCP_RTO_MIN), less the longest tick of
/// the clock that counts it (Linux, HZ of 100), which begins before the timer is set.
pub(crate) const LEAST_TIMEOUT: Duration = Duration::from_millis(190);

/// Window scale not known: the handshake was not seen.
pub(crate) const UNKNOWN_SCALE: u8 = u8::MAX;
/// The SYN was seen and offered no window scaling.
pub(crate) const NOT_OFFERED: u8 = u8::MAX - 1;
/// The greatest shift (RFC 7323, 2.3).
pub(crate) const MOST_SCALE: u8 = 14;

/// Marks of a direction.
pub(crate) mod mark {
    /// A segment was seen, so the next sequence number is known.
    pub(crate) const NEXT: u8 = 1;
    /// An acknowledgement was seen.
    pub(crate) const ACK: u8 = 2;
    /// The last segment was a keep-alive.
    pub(crate) const KEEP_ALIVE: u8 = 4;
    /// The last segment was a zero-window probe.
    pub(crate) const PROBE: u8 = 8;
    /// A FIN was seen.
    pub(crate) const FIN: u8 = 16;
    /// A SYN was seen.
    pub(crate) const SYN: u8 = 32;
    /// A SYN permitted selective acknowledgements.
    pub(crate) const SACK: u8 = 64;
    /// The last ACK reported something behind a gap.
    pub(crate) const SACKED: u8 = 128;
}

/// Options of the analysis that concern a flow.
#[derive(Clone, Debug)]
pub(crate) struct Study {
    /// The study's C.
    pub(crate) most: BitRate,
    /// Widths of windows of bandwidth.
    pub(crate) windows: Vec<Duration>,
    /// Flows whose intervals are kept.
    pub(crate) keep: Keep,
    /// Packets that are kept of each kind of note; zero without notes.
    pub(crate) notes: usize,
}

/// Counts of segments of a direction, by classification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) fast: u32,
    pub(crate) timeout: u32,
    pub(crate) spurious: u32,
    pub(crate) out_of_order: u32,
    /// Packets of the MSS that were sent again, at least and at most.
    pub(crate) resent: [u32; 2],
    /// Packets of which the receiver reports that they came twice (RFC 2883), and packets that had been acknowledged
    /// when they were sent again.
    pub(crate) reported_twice: u32,
    pub(crate) acknowledged: u32,
    pub(crate) duplicate_acks: u32,
    pub(crate) zero_windows: u32,
    pub(crate) window_full: u32,
    /// Copies of packets that had just passed, and segments that are either copies or
    /// retransmissions.
    pub(crate) copies: u32,
    pub(crate) open: u32,
    /// Packets with ECT(1), ECT(0) and CE (RFC 3168, 5), and segments with ECE and CWR (6.1).
    pub(crate) ecn: [u32; 3],
    pub(crate) ece: u32,
    pub(crate) cwr: u32,
    /// Reports of accurate feedback, if the ends agreed on it.
    pub(crate) reports: Option<Box<Reports>>,
    /// Notes with the numbers of packets, if they are kept.
    pub(crate) notes: Option<Box<Notes>>,
    /// Code points, if there were several.
    pub(crate) code_points: Option<Box<CodePoints>>,
    /// Time of the first of these.
    pub(crate) first_full: Option<Time>,
}

/// A direction (half-connection). Kept small: there may be two million of them.
#[derive(Debug)]
pub(crate) struct HalfConnection {
    pub(crate) bytes: u64,
    pub(crate) payload: u64,
    /// Time of the highest sequence number, and time of the last acknowledgement.
    pub(crate) next_at: Time,
    pub(crate) ack_at: Time,
    /// There once it has sent data.
    pub(crate) sent: Option<Box<Sent>>,
    /// There once it is large.
    pub(crate) estimators: Option<Box<Estimators>>,
    /// There once one of them is not zero.
    pub(crate) counts: Option<Box<Counts>>,
    pub(crate) packets: u32,
    /// First sequence number, and that behind the highest.
    pub(crate) base: u32,
    pub(crate) next: u32,
    pub(crate) last_ack: u32,
    /// Receive window as in the last header, and by how many bits that is to be shifted.
    pub(crate) raw_window: u16,
    pub(crate) shift: u8,
    /// Window scale as the SYN offered it, or [`NOT_OFFERED`], or [`UNKNOWN_SCALE`].
    pub(crate) scale: u8,
    /// Largest segment that it takes, by its SYN; zero if that is not known.
    pub(crate) mss: u16,
    /// Duplicate ACKs in a row.
    pub(crate) duplicates: u16,
    /// Fingerprints of the last packet, and of the one with the highest sequence number.
    pub(crate) ack_print: u16,
    pub(crate) next_print: u32,
    pub(crate) marks: u8,
    /// Course of identifications.
    pub(crate) idents: Idents,
    /// DSCP of the last packet.
    pub(crate) dscp: u8,
}

/// State of sent data.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// Highest acknowledgement.
    pub(crate) una: u32,
    pub(crate) most_in_flight: u32,
    /// Least and greatest window that the receiver announced, in bytes.
    pub(crate) windows: Option<(u32, u32)>,
    /// End of the recovery: while this number is not acknowledged, a retransmission is under way.
    pub(crate) recovery: Option<u32>,
    pub(crate) queue: Queue,
    /// Watch over the causes of the sender's limited rate, from its first data on.
    pub(crate) watch: Option<Box<Watch>>,
    /// Time of the highest acknowledgement.
    pub(crate) una_at: Time,
    pub(crate) rtt: Sketch,
    /// True if duplicate ACKs began the recovery.
    pub(crate) fast: bool,
    /// Number of marks that the receiver has reported, as the watch knows it.
    pub(crate) marked: u32,
}

/// Congestion signals in a packet's headers. They are the two bits of ECN in IP's, and ECE and CWR
/// in TCP's (RFC 3168, 5 and 6.1), 4 and 8. The DSCP is beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signals {
    ecn: u8,
    dscp: u8,
}

impl Signals {
    /// Of a packet with this octet of DSCP and ECN, and flags of TCP if it is that.
    #[inline]
    pub(crate) fn new(tos: u8, flags: u16) -> Signals {
        let ecn = tos & 3 | ((flags & (TcpFlags::ECE.0 | TcpFlags::CWR.0)) >> 4) as u8;
        Signals { ecn, dscp: tos >> 2 }
    }
}

impl Counts {
    /// Packets that came twice, for whatever reason.
    pub(crate) fn twice(&self) -> u32 {
        self.copies.saturating_add(self.open)
    }

    /// Packets that were sent again, at least and at most.
    pub(crate) fn retransmitted(&self) -> [u64; 2] {
        let [least, most] = self.resent;
        [least.into(), u64::from(most) + u64::from(self.open)]
    }

    /// Packets that were lost, at least and at most. Without SACK (`sack` is false) nobody reports what came twice, so
    /// the timer may have sent for nothing.
    pub(crate) fn lost(&self, sack: bool) -> [u64; 2] {
        let twice = u64::from(self.acknowledged.max(self.reported_twice));
        let timer = if sack { 0 } else { u64::from(self.timeout.saturating_sub(1)) };
        let [least, most] = self.retransmitted();
        [least.saturating_sub(twice + timer), most.saturating_sub(twice)]
    }

    fn signals(&mut self, bits: u8) {
        if let Some(count) = usize::from(bits & 3).checked_sub(1).map(|n| &mut self.ecn[n]) {
            *count += 1;
        }
        self.ece += u32::from(bits >> 2 & 1);
        self.cwr += u32::from(bits >> 3 & 1);
    }
}

impl Sent {
    /// True if enough time has passed since data was acknowledged for the timer to strike.
    pub(crate) fn timer_ran(&self, at: Time) -> bool {
        at.saturating_since(self.una_at) >= LEAST_TIMEOUT
    }
}

/// Estimators of the methods for one direction.
#[derive(Debug)]
pub(crate) struct Estimators {
    /// The clock of its sender.
    pub(crate) clock: Clock,
    /// Bandwidth as time series, if there are any.
    pub(crate) series: Vec<Series>,
    pub(crate) bandwidth: Bandwidth,
    pub(crate) slow: SlowStarts,
    /// SACK blocks of the last ACK of the data.
    pub(crate) sacked: SackBlocks,
}

impl Estimators {
    /// An ACK that acknowledges the end of a packet exactly came.
    pub(crate) fn point(&mut self, point: Point) {
        self.bandwidth.ack(point);
        self.series.iter_mut().for_each(|series| series.ack(point));
    }

    /// Data out of order, or a duplicate ACK.
    pub(crate) fn disturbed(&mut self) {
        self.bandwidth.disturbed();
        self.series.iter_mut().for_each(Series::disturbed);
    }

    fn heap(&self) -> usize {
        let series = self.series.iter().map(|series| size_of::<Series>() + series.heap());
        self.clock.heap() + self.slow.heap() + series.sum::<usize>()
    }
}

impl Default for HalfConnection {
    fn default() -> HalfConnection {
        HalfConnection {
            bytes: 0,
            payload: 0,
            next_at: Time::ZERO,
            ack_at: Time::ZERO,
            sent: None,
            estimators: None,
            counts: None,
            packets: 0,
            base: 0,
            next: 0,
            last_ack: 0,
            raw_window: 0,
            shift: 0,
            scale: UNKNOWN_SCALE,
            mss: 0,
            duplicates: 0,
            ack_print: 0,
            next_print: 0,
            marks: 0,
            idents: Idents::default(),
            dscp: 0,
        }
    }
}

impl HalfConnection {
    pub(crate) fn has(&self, marks: u8) -> bool {
        self.marks & marks == marks
    }

    /// Sets or clears marks.
    pub(crate) fn mark(&mut self, marks: u8, set: bool) {
        self.marks = if set { self.marks | marks } else { self.marks & !marks };
    }

    /// Receive window in bytes.
    #[inline]
    pub(crate) fn window(&self) -> u32 {
        u32::from(self.raw_window) << self.shift
    }

    /// By how many bits windows of segments that are no SYNs are to be shifted. Both SYNs must
    /// have offered to scale (RFC 7323, 2.2).
    #[inline]
    pub(crate) fn shift(&self, peer: &HalfConnection) -> u8 {
        let agreed = self.scale <= MOST_SCALE && peer.scale != NOT_OFFERED;
        if agreed { self.scale } else { 0 }
    }

    /// Right edge of the receive window, and whether it is closed. Without the scale there is no
    /// edge: what the header says is not what it means.
    #[inline]
    pub(crate) fn edge(&self, peer: &HalfConnection) -> (Option<u32>, bool) {
        let closed = self.has(mark::ACK) && self.raw_window == 0;
        let known = self.scale != UNKNOWN_SCALE || peer.scale == NOT_OFFERED;
        let edge = self.last_ack.wrapping_add(self.window());
        ((known && self.has(mark::ACK)).then_some(edge), closed)
    }

    /// The largest segment that this one sends, as the SYNs say, with options that all segments
    /// have; zero if a SYN was not seen.
    #[inline]
    pub(crate) fn segment_size(&self, peer: &HalfConnection, stamped: bool) -> u32 {
        const TIMESTAMPS: u32 = 12;
        let least = u32::from(self.mss.min(peer.mss));
        least.saturating_sub(if stamped { TIMESTAMPS } else { 0 })
    }

    /// A packet passes with an identification of IPv4 and so many bytes of payload.
    #[inline]
    pub(crate) fn identified(
        &mut self,
        peer: &HalfConnection,
        ident: u16,
        len: u32,
        stamped: bool,
    ) {
        let packets = if len <= ETHERNET { 1 } else { self.packets_of(peer, len, stamped) };
        self.idents.pass(ident, packets);
    }

    /// Number of packets of the MSS that so many bytes take; an offloaded segment has several. Without the SYNs, the
    /// packets are taken to be those of Ethernet.
    pub(crate) fn packets_of(&self, peer: &HalfConnection, bytes: u32, stamped: bool) -> u32 {
        let size = match self.segment_size(peer, stamped) {
            0 => ETHERNET,
            size => size,
        };
        bytes.div_ceil(size).max(1)
    }

    /// Counts a packet of so many bytes with so much payload; `signals` are those of ECN.
    #[inline]
    pub(crate) fn count(&mut self, bytes: u32, payload: u32, signals: Signals) {
        if signals.ecn != 0 {
            self.tally().signals(signals.ecn);
        }
        if signals.dscp != self.dscp {
            self.other_code_point(signals.dscp);
        }
        self.packets = self.packets.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes.into());
        self.payload = self.payload.saturating_add(payload.into());
    }

    /// A packet has another DSCP than the last, or is the first.
    #[cold]
    fn other_code_point(&mut self, dscp: u8) {
        let (old, packets) = (std::mem::replace(&mut self.dscp, dscp), self.packets);
        if packets > 0 {
            self.tally().code_points.get_or_insert_default().change(old, packets);
        }
    }

    /// A segment without SYN, before its acknowledgement is noted: what it reports of marks. What
    /// acknowledges less than the last is old.
    #[inline]
    pub(crate) fn report(&mut self, flags: u16, ack: u32, payload: u32, options: &[u8]) {
        let (known, last, mss) = (self.has(mark::ACK), self.last_ack, self.mss);
        let Some(reports) = self.counts.as_mut().and_then(|counts| counts.reports.as_mut()) else {
            return;
        };
        if flags & TcpFlags::ACK.0 == 0 || known && after(last, ack) {
            return reports.old_options(options);
        }
        reports.segment(TcpFlags(flags), payload);
        if !options.is_empty() {
            reports.options(options, mss);
        }
    }

    /// Number of reported marks: packets, by accurate feedback; else segments with ECE. The latter
    /// are marks only if the SYN was seen.
    #[inline]
    pub(crate) fn marks_told(&self) -> u32 {
        let Some(counts) = &self.counts else { return 0 };
        let classic = if self.mss > 0 { counts.ece } else { 0 };
        counts.reports.as_ref().map_or(classic, |reports| reports.marked())
    }

    /// State of sent data, created at the first call; all data before is then acknowledged. None
    /// without `detailed`.
    pub(crate) fn sent(&mut self, peer: &HalfConnection, detailed: bool) -> Option<&mut Sent> {
        if !detailed && self.sent.is_none() {
            return None;
        }
        let una = match (peer.has(mark::ACK), self.has(mark::NEXT)) {
            (true, _) => peer.last_ack,
            (false, true) => self.next,
            (false, false) => self.base,
        };
        Some(self.sent.get_or_insert_with(|| Box::new(Sent { una, ..Sent::default() })))
    }

    /// To count in.
    pub(crate) fn tally(&mut self) -> &mut Counts {
        self.counts.get_or_insert_default()
    }

    /// True if the state is about to be large.
    #[inline]
    pub(crate) fn is_nearly_large(&self) -> bool {
        self.packets + 1 >= LARGE
    }

    /// Creates the estimators of a large flow.
    pub(crate) fn begin_estimators(&mut self, study: &Study, start: Time, detailed: bool) {
        if detailed && self.estimators.is_none() && self.packets >= LARGE {
            let (clock, slow) = (Clock::default(), SlowStarts::default());
            let bandwidth = Bandwidth::new(study.most);
            let windows = study.windows.iter();
            let series = windows.map(|width| Series::new(study.most, *width, start)).collect();
            let sacked = SackBlocks::default();
            self.estimators = Some(Box::new(Estimators { clock, bandwidth, series, slow, sacked }));
        }
    }

    /// Bytes that are sent and not acknowledged, as `peer` has acknowledged.
    pub(crate) fn outstanding(&self) -> u32 {
        let una = self.sent.as_ref().map_or(self.next, |sent| sent.una);
        (self.next.wrapping_sub(una) as i32).max(0) as u32
    }

    /// Gives back what a small direction does not need while nothing is under way.
    pub(crate) fn tidy(&mut self) {
        if self.packets < SMALL
            && let Some(sent) = &mut self.sent
        {
            sent.queue.release();
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        const ALLOCATION: usize = 16; // Bytes of an allocation beside its size.
        let sent = self.sent.as_ref().map_or(0, |sent| {
            let queue = if sent.queue.is_kept() { sent.queue.heap() + ALLOCATION } else { 0 };
            let watch = (sent.watch.as_ref())
                .map_or(0, |watch| size_of::<Watch>() + watch.heap() + 2 * ALLOCATION);
            size_of::<Sent>() + sent.rtt.heap() + 2 * ALLOCATION + queue + watch
        });
        let estimators = (self.estimators.as_ref())
            .map_or(0, |e| size_of::<Estimators>() + e.heap() + 2 * ALLOCATION);
        let counts = self.counts.as_ref().map_or(0, |counts| {
            let reports = counts.reports.as_ref().map_or(0, |_| size_of::<Reports>() + ALLOCATION);
            let points = counts
                .code_points
                .as_ref()
                .map_or(0, |points| size_of::<CodePoints>() + points.heap() + 2 * ALLOCATION);
            let notes = counts
                .notes
                .as_ref()
                .map_or(0, |notes| size_of::<Notes>() + notes.heap() + 2 * ALLOCATION);
            size_of::<Counts>() + ALLOCATION + reports + points + notes
        });
        sent + estimators + counts
    }
}
