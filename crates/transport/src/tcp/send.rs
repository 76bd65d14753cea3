//! Choice of the next segment (RFC 6675, 4, NextSeg; RFC 5681, 3.1 and 4.1; RFC 9293, 3.8.6).

use airpath_base::Time;
use airpath_net::Reason;
use airpath_wire::{AccurateEcn, Ecn, TcpFlags, TcpRepr, Timestamps};

use super::connection::{Connection, Segment, State};
use super::rate::Snapshot;
use super::receiver::wire;
use super::recovery::Phase;
use super::rtt::after;
use super::scoreboard::Sent;
use crate::control::CongestionControl;

/// Most bytes of options (RFC 9293, 3.1).
const MOST_OPTIONS: u32 = 40;

/// Permission of new data to leave.
enum New {
    /// So many bytes, with a FIN or not.
    Send(u32, bool),
    /// The congestion window is full.
    Congestion,
    /// The peer's window is full or silly.
    Window,
    /// There are none.
    Nothing,
}

impl Connection {
    /// The next segment to send now, if any. Acknowledgements ride on data,
    /// except those with SACK blocks.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        match self.state {
            State::SynSent | State::SynReceived => return self.poll_syn(now),
            State::Established => {}
            State::Failed => return self.reset(),
            State::Closed | State::Listen => return None,
        }
        let alone = self.ack_alone || self.rx.has_holes();
        if alone && self.rx.must_acknowledge() {
            self.ack_alone = false;
            return Some(self.acknowledgement(now));
        }
        if self.is_idle() {
            // An end that only receives; a sender without data is limited by them.
            self.rate.app_limited(0);
        } else if let Some(segment) = self.poll_data(now) {
            return Some(segment);
        }
        if std::mem::take(&mut self.tx.probe_tail)
            && let Some(segment) = self.probe_tail(now)
        {
            return Some(segment);
        }
        if std::mem::take(&mut self.tx.probe_due) {
            return Some(self.probe(now));
        }
        self.rx.must_acknowledge().then(|| self.acknowledgement(now))
    }

    /// True if there is nothing to send and nothing under way.
    fn is_idle(&self) -> bool {
        let tx = &self.tx;
        self.board.is_empty() && tx.end == tx.next && (!tx.closing || tx.fin_sent)
    }

    fn poll_data(&mut self, now: Time) -> Option<Segment> {
        let forced = self.take_forced();
        if !forced && self.has_data() && self.is_paced_out(now) {
            self.tx.paced_until = self.tx.next;
            return None;
        }
        if let Some(n) = self.next_lost() {
            if forced || self.fits(self.board.get(n)?.len) {
                return self.retransmit(now, n, false);
            }
            self.tx.limited_until = self.tx.next;
            return None;
        }
        match self.new_data(forced) {
            New::Send(len, fin) => return Some(self.send_new(now, len, fin)),
            New::Congestion => {
                self.tx.limited_until = self.tx.next;
                return None;
            }
            New::Window => self.wait_for_window(now),
            New::Nothing if forced => return self.retransmit(now, 0, false),
            New::Nothing => {
                if self.board.pipe() < self.window() {
                    self.rate.app_limited(self.board.pipe());
                }
            }
        }
        self.poll_unlikely(now)
    }

    /// True if the next segment leaves whatever the window says.
    fn take_forced(&mut self) -> bool {
        if std::mem::take(&mut self.recovery.forced) {
            return true;
        }
        let resend = std::mem::take(&mut self.recovery.retransmit_head);
        if resend {
            self.board.forget_retransmission();
        }
        resend
    }

    /// Rule 1 of NextSeg. What was sent after a timeout and is lost as well waits
    /// until a new recovery may begin (RFC 6675, 5.1).
    #[inline(always)]
    fn next_lost(&mut self) -> Option<usize> {
        let below = match self.recovery.phase {
            _ if self.as_ns3() => u64::MAX,
            Phase::Open => return None,
            Phase::Fast => u64::MAX,
            Phase::Timeout => self.recovery.point,
        };
        self.board.next_lost().filter(|n| self.board.get(*n).is_some_and(|s| s.start < below))
    }

    /// Rules 3 and 4 of NextSeg, for a recovery with nothing else to send.
    #[cold]
    fn poll_unlikely(&mut self, now: Time) -> Option<Segment> {
        let may = self.recovery.phase == Phase::Fast && self.uses_sack() && !self.uses_rack();
        if !may || !self.fits(self.agreed.segment) {
            return None;
        }
        if self.config.speculative_retransmission
            && let Some(n) = self.board.next_speculative()
        {
            return self.retransmit(now, n, false);
        }
        if !std::mem::take(&mut self.recovery.rescue_left) {
            return None;
        }
        let n = self.board.last_missing()?;
        self.retransmit(now, n, true)
    }

    /// A tail loss probe: new data, or the last segment once more (RFC 8985, 7.3).
    #[cold]
    fn probe_tail(&mut self, now: Time) -> Option<Segment> {
        if let New::Send(len, fin) = self.new_data(true) {
            let segment = self.send_new(now, len, fin);
            self.note_probe(now, false);
            return Some(segment);
        }
        let n = self.board.last_missing()?;
        self.board.lose(n);
        let segment = self.retransmit(now, n, true);
        self.note_probe(now, true);
        segment
    }

    /// The congestion window with its inflation; at least a segment.
    fn window(&self) -> u64 {
        if let Some(window) = self.recovery.prr.window {
            return window;
        }
        let least = u64::from(self.agreed.segment);
        self.controller.cwnd().max(least) + self.recovery.inflation
    }

    /// True if `len` more may be in flight.
    fn fits(&self, len: u32) -> bool {
        let mut flight = self.board.pipe();
        if self.recovery.phase == Phase::Open && !self.config.limited_transmit {
            flight += self.board.sacked_bytes();
        }
        flight == 0 || flight + u64::from(len) <= self.window()
    }

    /// By `forced` whatever the congestion window says.
    fn new_data(&mut self, forced: bool) -> New {
        let unsent = self.tx.end.saturating_sub(self.tx.next);
        if self.tx.fin_sent || (unsent == 0 && !self.tx.closing) {
            return New::Nothing;
        }
        let full = self.agreed.segment.saturating_sub(self.option_bytes()).max(1);
        let mut len = unsent.min(u64::from(full));
        let usable = self.tx.edge.saturating_sub(self.tx.next);
        if usable < len {
            // RFC 9293, 3.8.6.2.1: no silly windows, unless nothing better comes.
            let fills = self.tx.fill_window && self.board.is_empty();
            if usable == 0 || (usable < self.tx.largest_window / 2 && !fills) {
                return New::Window;
            }
            len = usable;
        }
        let fin = self.tx.closing && len == unsent;
        let len = len as u32;
        if forced || self.fits(len) { New::Send(len, fin) } else { New::Congestion }
    }

    fn send_new(&mut self, now: Time, len: u32, fin: bool) -> Segment {
        self.restart_after_idle(now);
        let (start, pipe) = (self.tx.next, self.board.pipe());
        let takes = len + u32::from(fin);
        let flight = start - self.tx.una + u64::from(takes);
        if self.recovery.phase == Phase::Open && flight > self.controller.cwnd() {
            self.recovery.limited_bytes += u64::from(takes);
        }
        let snapshot = self.snapshot(now, takes);
        self.controller.on_sent(now, takes, pipe);
        self.note_paced(now, takes);
        self.recovery.prr.out += u64::from(takes);
        self.board.push(Sent {
            start,
            len: takes,
            fin,
            sacked: false,
            lost: false,
            retx_in_flight: false,
            retransmitted: false,
            at: now,
            snapshot,
        });
        self.tx.next += u64::from(takes);
        self.tx.fin_sent |= fin;
        self.tx.fill_window = false;
        (self.tx.persist, self.tx.persist_backoff) = (None, 0);
        let segment = self.data(now, start, len, fin, false);
        self.schedule_probe(now);
        segment
    }

    #[cold]
    fn retransmit(&mut self, now: Time, n: usize, rescue: bool) -> Option<Segment> {
        let Sent { start, len, fin, .. } = *self.board.get(n)?;
        let payload = self.board.get(n)?.payload();
        self.note_retransmission(now);
        let pipe = self.board.pipe();
        let snapshot = self.snapshot(now, len);
        self.controller.on_sent(now, len, pipe);
        self.note_paced(now, len);
        self.recovery.prr.out += u64::from(len);
        self.board.on_retransmit(n, now, snapshot, rescue);
        self.rearm_for_retransmission(now, n);
        let after_timeout = self.recovery.phase == Phase::Timeout;
        let reason = if after_timeout { Reason::Timeout } else { Reason::Fast };
        Some(Segment { retransmission: Some(reason), ..self.data(now, start, payload, fin, true) })
    }

    /// State when a segment of `len` leaves.
    fn snapshot(&mut self, now: Time, len: u32) -> Snapshot {
        let sent = self.rate.on_sent(now, self.board.is_empty());
        let in_flight = self.board.pipe() + u64::from(len);
        sent.with_flight(in_flight, self.board.lost_in_all())
    }

    /// True if there may be something for which to wait.
    fn has_data(&mut self) -> bool {
        let new = self.tx.end > self.tx.next || (self.tx.closing && !self.tx.fin_sent);
        new || self.next_lost().is_some()
    }

    /// RFC 5681, 4.1.
    fn restart_after_idle(&mut self, now: Time) {
        let idle = self.tx.last.map(|last| now.saturating_since(last));
        if self.config.idle_restart
            && self.board.is_empty()
            && idle.is_some_and(|idle| idle > self.rtt.rto())
        {
            let window = self.config.initial_window;
            self.controller.on_idle(u64::from(window) * u64::from(self.agreed.segment));
        }
    }

    /// Arms the persist timer when nothing else would wake the sender.
    fn wait_for_window(&mut self, now: Time) {
        if self.board.is_empty() && self.tx.persist.is_none() {
            self.tx.persist = Some(after(now, self.rtt.rto()));
        }
    }

    /// A segment with data or FIN; arms the timer (RFC 6298, 5.1).
    #[inline(always)]
    fn data(
        &mut self,
        now: Time,
        start: u64,
        len: u32,
        fin: bool,
        retransmission: bool,
    ) -> Segment {
        self.tx.last = Some(now);
        if self.tx.timer.is_none() {
            self.arm_timer(now);
        }
        let new = len > 0 && !retransmission;
        let mut repr = self.header(now, start, new);
        repr.payload_len = len;
        // A retransmission was sized without the option.
        if new {
            repr.accurate_ecn = self.take_option(true);
        }
        if fin {
            repr.flags = repr.flags.with(TcpFlags::FIN);
        }
        if start + u64::from(len) >= self.tx.end {
            repr.flags = repr.flags.with(TcpFlags::PSH); // RFC 9293, 3.9.1.2
        }
        let ecn = if len > 0 { self.ecn_field(retransmission) } else { Ecn::NotEct };
        Segment { ecn, ..Segment::of(repr) }
    }

    fn acknowledgement(&mut self, now: Time) -> Segment {
        let mut repr = self.header(now, self.tx.next, false);
        repr.accurate_ecn = self.take_option(false);
        if self.agreed.sack && self.rx.has_holes() {
            // At least two fit beside the option (RFC 9768, 3.2.3.3).
            let room = (MOST_OPTIONS - 2 - repr.options_beside_sack()) as usize / 8;
            for (left, right) in self.rx.blocks().take(room) {
                repr.sack.push(wire(self.peer_initial, left), wire(self.peer_initial, right));
            }
        }
        Segment::of(repr)
    }

    /// The option AccECN of a segment that leaves now, with `data` or without.
    #[inline]
    fn take_option(&mut self, data: bool) -> Option<AccurateEcn> {
        let option = self.ecn.option(data)?;
        self.ecn.received.option_sent(data);
        Some(option)
    }

    /// By how many bytes the option AccECN shortens the next new segment (RFC 6691, 2), unless the
    /// payload of a segment is fixed.
    #[inline]
    fn option_bytes(&self) -> u32 {
        let Some(option) = self.ecn.option(true).filter(|_| self.config.segment.is_none()) else {
            return 0;
        };
        let beside: u32 = if self.agreed.timestamps { 10 } else { 0 };
        let with = (beside + option.size() as u32).next_multiple_of(4);
        with - beside.next_multiple_of(4)
    }

    /// A window probe: an old sequence number, which the peer must answer.
    #[cold]
    fn probe(&mut self, now: Time) -> Segment {
        Segment::of(self.header(now, self.tx.una - 1, false))
    }

    /// A header that acknowledges what has arrived, with or without `new` data.
    #[inline(always)]
    fn header(&mut self, now: Time, at: u64, new: bool) -> TcpRepr {
        let next = self.rx.next();
        self.rx.acknowledged();
        self.agreed.last_ack_sent = next;
        let stamp = Timestamps { value: self.clock(now), echo: self.agreed.echo };
        TcpRepr {
            seq: wire(self.initial, at),
            ack: wire(self.peer_initial, next),
            flags: TcpFlags::ACK.with(self.ecn.flags(new)),
            window: self.rx.window(self.agreed.own_shift),
            timestamps: self.agreed.timestamps.then_some(stamp),
            ..TcpRepr::default()
        }
    }
}

impl Segment {
    /// A segment that is sent for the first time.
    pub(super) fn of(repr: TcpRepr) -> Segment {
        Segment { repr, ecn: Ecn::NotEct, retransmission: None }
    }
}
