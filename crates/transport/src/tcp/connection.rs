//! One end of a connection: its state and what its user calls.

use airpath_base::{Duration, Time};
use airpath_net::{PathModel, Reason};
use airpath_wire::{Ecn, SeqNumber, TcpFlags, TcpRepr};

use super::ecn::EcnState;
use super::pacing::Pacer;
use super::rack::Rack;
use super::rate::RateSampler;
use super::receiver::Receiver;
use super::recovery::Recovery;
use super::rtt::RttEstimator;
use super::scoreboard::Scoreboard;
use super::{LossRecovery, TcpConfig, TcpConfigError};
use crate::control::{CongestionControl, Controller};

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Content of the segment.
    pub repr: TcpRepr,
    /// ECN field of its packet.
    pub ecn: Ecn,
    /// Reason of the retransmission, if it carries data or a FIN for a second time.
    pub retransmission: Option<Reason>,
}

/// Event of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEvent {
    /// The handshake is done.
    Established,
    /// A new RTT sample.
    Rtt(Duration),
    /// The retransmission timer ran out for the `backoff`-th time in a row.
    Timeout {
        /// Number of timeouts in a row.
        backoff: u32,
    },
    /// A fast recovery began.
    Recovery,
    /// Retransmissions turned out to have been for nothing.
    Spurious,
    /// [`Connection::sender_state`] changed.
    State,
    /// The application read data.
    Delivered {
        /// Bytes.
        bytes: u64,
    },
    /// All that the peer had to send has been read.
    PeerClosed,
    /// All that was written, and the close, has been acknowledged.
    Flushed,
    /// The peer did not answer, or reset the connection.
    Failed,
}

/// The sending half at a glance, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderState {
    /// Congestion window, without inflation by duplicate acknowledgements.
    pub cwnd: u64,
    /// Slow start threshold; `u64::MAX` before the first loss.
    pub ssthresh: u64,
    /// In flight (RFC 6675's pipe).
    pub in_flight: u64,
    /// Smoothed RTT.
    pub srtt: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    Failed,
}

/// The sending half's positions; the SYN takes 0 and data begin at 1.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    /// First position not acknowledged.
    pub una: u64,
    /// Next position to send.
    pub next: u64,
    /// End of what the application has written.
    pub end: u64,
    /// The application will write no more.
    pub closing: bool,
    pub fin_sent: bool,
    /// Right edge of the peer's window.
    pub edge: u64,
    /// Largest window that the peer has offered.
    pub largest_window: u64,
    /// Window field of the last acknowledgement, to tell duplicates.
    pub window_field: u16,
    /// Time at which data were last sent.
    pub last: Option<Time>,
    /// The congestion window was the limit when data up to here had been sent.
    pub limited_until: u64,
    /// Pacing was the limit when data up to here had been sent.
    pub paced_until: u64,
    /// The retransmission timer, for the SYN too.
    pub timer: Option<Time>,
    /// Time at which the timer was started.
    pub armed: Time,
    pub persist: Option<Time>,
    pub persist_backoff: u32,
    pub probe_due: bool,
    /// A tail loss probe is due (RFC 8985).
    pub probe_tail: bool,
    /// Silly windows may be filled: nothing better came.
    pub fill_window: bool,
}

/// Options that both ends agreed on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Agreed {
    pub segment: u32,
    pub sack: bool,
    pub timestamps: bool,
    pub scaling: bool,
    /// Shift of windows that arrive.
    pub peer_shift: u8,
    /// Shift of windows that leave.
    pub own_shift: u8,
    /// TS.Recent (RFC 7323, 4.3).
    pub echo: u32,
    /// Last.ACK.sent.
    pub last_ack_sent: u64,
}

/// Events that the user has not received yet; each at most once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    pub established: bool,
    pub rtt: Option<Duration>,
    pub timeout: Option<u32>,
    pub recovery: bool,
    pub spurious: bool,
    pub state: bool,
    pub failed: bool,
    pub flushed: bool,
    pub flushed_told: bool,
    pub closed_told: bool,
}

/// One end of a TCP connection.
///
/// After each call of [`receive`](Self::receive), [`on_timeout`](Self::on_timeout),
/// [`write`](Self::write), [`close`](Self::close) or [`connect`](Self::connect),
/// call [`poll_transmit`](Self::poll_transmit) until it answers `None`, then ask
/// [`poll_timeout`](Self::poll_timeout). Events may be polled or not.
pub struct Connection {
    pub(super) config: TcpConfig,
    pub(super) state: State,
    pub(super) initial: SeqNumber,
    pub(super) peer_initial: SeqNumber,
    pub(super) agreed: Agreed,
    pub(super) tx: Sending,
    pub(super) board: Scoreboard,
    pub(super) recovery: Recovery,
    pub(super) rtt: RttEstimator,
    pub(super) rate: RateSampler,
    pub(super) controller: Controller,
    pub(super) ecn: EcnState,
    pub(super) pacer: Pacer,
    pub(super) rack: Rack,
    pub(super) rx: Receiver,
    pub(super) pending: Pending,
    pub(super) syn_due: bool,
    /// Sequence number of a reset that is due.
    pub(super) reset_due: Option<SeqNumber>,
    /// This end has reset the connection.
    pub(super) aborted: bool,
    pub(super) syns: u32,
    /// The acknowledgement that ends the handshake goes alone, before data.
    pub(super) ack_alone: bool,
}

impl Connection {
    /// A closed end with the controller of its options.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn new(config: TcpConfig) -> Result<Connection, TcpConfigError> {
        let controller = Controller::new(&config);
        Connection::with_controller(config, controller)
    }

    /// A closed end with a controller of the user's choice.
    ///
    /// # Errors
    ///
    /// If the options cannot be used.
    pub fn with_controller(
        config: TcpConfig,
        controller: Controller,
    ) -> Result<Connection, TcpConfigError> {
        config.check()?;
        Ok(Connection {
            state: State::Closed,
            initial: SeqNumber(config.initial_sequence),
            peer_initial: SeqNumber(0),
            agreed: Agreed::default(),
            tx: Sending::new(),
            board: Scoreboard::new(config.recovery == LossRecovery::Ns3),
            recovery: Recovery::default(),
            rtt: RttEstimator::new(&config),
            rate: RateSampler::default(),
            controller,
            ecn: EcnState::new(config.ecn_option),
            pacer: Pacer::default(),
            rack: Rack::default(),
            rx: Receiver::new(&config),
            pending: Pending::default(),
            syn_due: false,
            reset_due: None,
            aborted: false,
            syns: 0,
            ack_alone: false,
            config,
        })
    }

    /// Takes a segment with the ECN field of its packet. False if the connection
    /// has no use for it: none is open, or it is malformed.
    pub fn receive(&mut self, now: Time, repr: &TcpRepr, ecn: Ecn) -> bool {
        match self.state {
            State::Closed => false,
            State::Failed => self.answer_by_reset(repr),
            State::Listen => self.on_first_syn(repr, ecn),
            State::SynSent => self.on_syn_answer(now, repr, ecn),
            State::SynReceived | State::Established => self.on_segment(now, repr, ecn),
        }
    }

    fn on_segment(&mut self, now: Time, repr: &TcpRepr, ecn: Ecn) -> bool {
        let near = self.rx.next();
        let Some(start) = super::receiver::position(self.peer_initial, repr.seq, near) else {
            return false;
        };
        if repr.flags.contains(TcpFlags::RST) {
            let expected = start == near;
            if expected {
                self.fail();
            }
            return expected;
        }
        if repr.flags.contains(TcpFlags::SYN) {
            return self.on_repeated_syn(repr, ecn);
        }
        if !repr.flags.contains(TcpFlags::ACK) {
            return false;
        }
        self.note_timestamp(repr, start);
        if !self.on_ack(now, repr) {
            return true;
        }
        let waiting = self.rx.has_unacknowledged();
        if self.ecn.on_packet(repr.flags, ecn, repr.payload_len, waiting) {
            self.rx.acknowledge_now();
        }
        self.rx.on_segment(now, start, repr.payload_len, repr.flags.contains(TcpFlags::FIN));
        true
    }

    /// The application writes; how many bytes the send buffer takes.
    pub fn write(&mut self, bytes: u64) -> u64 {
        if self.tx.closing {
            return 0;
        }
        let space = self.send_space();
        let piece = self.config.write_size.0.min(self.config.send_buffer.bytes());
        let whole = space - space % piece;
        let taken = if bytes <= space { bytes } else { whole };
        self.tx.end += taken;
        taken
    }

    /// Bytes for which there is room; [`write`](Self::write) takes whole pieces.
    pub fn send_space(&self) -> u64 {
        // Positions stay far from the end of u64 so that sums cannot overflow.
        let space = self.config.send_buffer.bytes().min(1 << 60);
        space.saturating_sub(self.tx.end - self.tx.una.max(1))
    }

    /// The application will write no more: a FIN follows what is written.
    pub fn close(&mut self) {
        self.tx.closing = true;
    }

    /// The application stops: it will write no more, and what of it has not been sent is
    /// withdrawn. A FIN follows what has been sent, which is still repaired if it is lost.
    pub fn stop(&mut self) {
        if !self.tx.fin_sent {
            self.tx.end = self.tx.next.max(1);
        }
        self.tx.closing = true;
    }

    /// The application takes back what of it has not been sent; how many bytes that is. Where
    /// that is something, the end is open again to be written to.
    pub fn withdraw(&mut self) -> u64 {
        let sent = self.tx.next.max(1);
        let unsent = self.tx.end.saturating_sub(sent);
        if unsent == 0 || self.tx.fin_sent {
            return 0;
        }
        (self.tx.end, self.tx.closing) = (sent, false);
        (self.tx.persist, self.tx.persist_backoff) = (None, 0);
        unsent
    }

    /// Time at which to call [`on_timeout`](Self::on_timeout), if ever. It may be called earlier or
    /// later.
    pub fn poll_timeout(&self) -> Option<Time> {
        earliest([
            self.rx.next_timeout(),
            self.tx.timer,
            self.tx.persist,
            self.pacer.waits,
            self.rack.due,
            self.rack.probe,
            self.rack.retransmit_by,
        ])
    }

    /// Time has come for something.
    pub fn on_timeout(&mut self, now: Time) {
        self.rx.on_timeout(now);
        self.pacer.waits.take_if(|due| *due <= now);
        if self.uses_rack() {
            self.on_rack_timeout(now);
        }
        if self.tx.timer.is_some_and(|due| due <= now) {
            self.tx.timer = None;
            match self.state {
                State::SynSent | State::SynReceived => self.on_syn_timeout(now),
                State::Established => self.on_retransmission_timeout(now),
                State::Closed | State::Listen | State::Failed => {}
            }
        }
        if self.tx.persist.is_some_and(|due| due <= now) {
            self.on_persist_timeout(now);
        }
    }

    /// The next event, if any. One that has happened several times since the last poll is reported
    /// once, with the latest value.
    pub fn poll_event(&mut self) -> Option<ConnectionEvent> {
        let p = &mut self.pending;
        if p.is_rare()
            && let Some(event) = p.take_rare()
        {
            return Some(event);
        }
        if let Some(rtt) = p.rtt.take() {
            return Some(ConnectionEvent::Rtt(rtt));
        }
        if std::mem::take(&mut p.state) {
            return Some(ConnectionEvent::State);
        }
        match self.rx.take_delivered() {
            0 => self.poll_end(),
            bytes => Some(ConnectionEvent::Delivered { bytes }),
        }
    }

    fn poll_end(&mut self) -> Option<ConnectionEvent> {
        let p = &mut self.pending;
        if self.rx.is_finished() && self.rx.is_read() && !p.closed_told {
            p.closed_told = true;
            return Some(ConnectionEvent::PeerClosed);
        }
        if p.flushed && !p.flushed_told {
            p.flushed_told = true;
            return Some(ConnectionEvent::Flushed);
        }
        std::mem::take(&mut p.failed).then_some(ConnectionEvent::Failed)
    }

    /// The sending half at a glance.
    pub fn sender_state(&self) -> SenderState {
        SenderState {
            cwnd: self.controller.cwnd(),
            ssthresh: self.controller.ssthresh(),
            in_flight: self.board.pipe(),
            srtt: self.rtt.srtt(),
        }
    }

    /// The model of the path that the controller has, if any.
    pub fn model(&self) -> Option<PathModel> {
        self.controller.model()
    }

    /// True if the handshake is done and the connection has not failed.
    pub fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// True if both ends have closed and all has been acknowledged and read.
    pub fn is_closed(&self) -> bool {
        self.pending.flushed && self.rx.is_finished() && self.rx.is_read()
    }

    /// Bytes written and acknowledged so far.
    pub fn acknowledged(&self) -> u64 {
        self.tx.una.saturating_sub(1).min(self.tx.end - 1)
    }

    /// Payload bytes of a full segment, once the connection is established.
    pub fn segment(&self) -> u32 {
        self.agreed.segment
    }

    #[cold]
    pub(super) fn fail(&mut self) {
        self.state = State::Failed;
        self.pending.failed = true;
        (self.tx.timer, self.tx.persist) = (None, None);
        self.rx.stop();
    }
}

impl Pending {
    /// True if something has happened that does not with each acknowledgement.
    fn is_rare(&self) -> bool {
        self.established | self.recovery | self.spurious | self.timeout.is_some()
    }

    /// The first of these.
    #[cold]
    fn take_rare(&mut self) -> Option<ConnectionEvent> {
        if std::mem::take(&mut self.established) {
            return Some(ConnectionEvent::Established);
        }
        if let Some(backoff) = self.timeout.take() {
            return Some(ConnectionEvent::Timeout { backoff });
        }
        if std::mem::take(&mut self.recovery) {
            return Some(ConnectionEvent::Recovery);
        }
        std::mem::take(&mut self.spurious).then_some(ConnectionEvent::Spurious)
    }
}

/// The earliest of some timers; the last instant never comes.
#[inline]
pub fn earliest<const N: usize>(timers: [Option<Time>; N]) -> Option<Time> {
    let mut earliest = Time::MAX;
    for timer in &timers {
        earliest = earliest.min(timer.unwrap_or(Time::MAX));
    }
    (earliest < Time::MAX).then_some(earliest)
}

impl Sending {
    fn new() -> Sending {
        Sending {
            una: 0,
            next: 0,
            end: 1,
            closing: false,
            fin_sent: false,
            edge: 0,
            largest_window: 0,
            window_field: 0,
            last: None,
            limited_until: 0,
            paced_until: 0,
            timer: None,
            armed: Time::ZERO,
            persist: None,
            persist_backoff: 0,
            probe_due: false,
            probe_tail: false,
            fill_window: false,
        }
    }
}
