//! The rules of Prague in whole numbers, as the reference implementation has them
//! (L4STeam/udp_prague, prague_cc.cpp; draft-briscoe-iccrg-prague-congestion-control,
//! 2.4).
//!
//! Time is in microseconds, the window in millionths of a byte, so that window over RTT is a rate
//! in bytes / s. Shares have 20 binary digits. All packets are counted, as the feedback of RFC 8888
//! or RFC 9768 reports them. Divisions round where the reference rounds and cut where it cuts.
//!
//! Beyond the reference:
//!
//! - slow start, in which a window is kept whatever the RTT;
//! - answers for the time since the one before ([`PragueResponse`]);
//! - a window at RTTs at which the reference keeps a rate ([`PragueCoreConfig::rate_up_to`]);
//! - no panic when nothing arrived in a round.

use super::arithmetic::{divide, multiply};
use super::options::{Counts, PragueCoreConfig, PragueResponse};

/// The RTT that shorter ones are treated as, in us (draft, 2.4.4).
pub(super) const REFERENCE_RTT: i64 = 25_000;
/// Binary digits of shares.
const SHARE_BITS: u32 = 20;
/// The share that is everything.
pub(super) const WHOLE: i64 = 1 << SHARE_BITS;
/// The moving average's gain is 1/16 (draft, 2.3.2); the reference cuts towards zero.
const GAIN_DIVISOR: i64 = 16;
/// Below this RTT, in us, the reference has no window to grow, and its rounding is too coarse.
const FINE_RTT: i64 = 2_000;
/// Virtual round trips without marks until growth gets faster: so many, and one
/// more for each `RATE_STEP` bytes / s.
const MIN_WAIT: u64 = 7;
const RATE_STEP: u64 = 1_920_000;
/// Faster growth adds so many us of queue in each virtual round trip.
const QUEUE_GROWTH: u64 = 1_000;
/// Data that may leave at once, in us at the rate.
const BURST: u64 = 250;
/// Least packets in the window.
const MIN_WINDOW: u64 = 2;
/// Swing of the rate around its mean within a virtual round trip, in percent; the window leaves
/// room for it.
const SWING: u64 = 3;
const MICRO: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    SlowStart,
    Avoidance,
    InLoss,
    /// The window has answered a mark less than a virtual round trip ago.
    Reduced,
}

/// Quantity that stays constant while the RTT moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    Window,
    Rate,
}

/// The beginning of a virtual round trip.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    at: i64,
    sent: i64,
}

/// Window that the answer to a loss took away.
#[derive(Clone, Copy, Debug)]
struct Taken {
    keeps: Keeps,
    window: u64,
    rate: u64,
    wait: i64,
    /// Losses before it.
    lost: i64,
}

/// Prague's state.
#[derive(Clone, Debug)]
pub struct PragueCore {
    config: PragueCoreConfig,
    state: State,
    keeps: Keeps,
    srtt: i64,
    vrtt: i64,
    alpha: i64,
    /// Reductions are not below this share (fall-back to classic behaviour).
    pub(super) floor: i64,
    observed: Mark,
    before: Counts,
    at_observation: Counts,
    loss: Mark,
    taken: Option<Taken>,
    reduced: Mark,
    wait: i64,
    window: u64,
    rate: u64,
    packet: u64,
    ssthresh: u64,
}

impl PragueCore {
    /// The state at the beginning, at `now` us.
    pub fn new(config: PragueCoreConfig, now: i64) -> PragueCore {
        let mut core = PragueCore {
            state: State::Initial,
            keeps: Keeps::Window,
            srtt: 0,
            vrtt: 0,
            alpha: config.initial_alpha,
            floor: 0,
            observed: Mark { at: now, sent: 0 },
            before: Counts::default(),
            at_observation: Counts::default(),
            loss: Mark::default(),
            taken: None,
            reduced: Mark::default(),
            wait: 0,
            window: config.initial_window.unwrap_or(0).saturating_mul(MICRO),
            rate: config.initial_rate,
            packet: config.max_packet,
            ssthresh: u64::MAX,
            config,
        };
        core.wait = core.wait_for_growth();
        core.packet = core.packet_for(REFERENCE_RTT);
        core
    }

    /// A new RTT sample in us: smoothed with 1/8.
    pub fn rtt(&mut self, rtt: i64) {
        let first = self.state == State::Initial;
        self.smoothed_rtt(if first { rtt } else { self.srtt + ((rtt - self.srtt) >> 3) });
    }

    /// The smoothed RTT in us, where somebody else keeps it.
    pub fn smoothed_rtt(&mut self, srtt: i64) {
        self.srtt = srtt.max(1);
        self.vrtt = self.srtt.max(REFERENCE_RTT);
    }

    /// New counts at `now` us; `limited` says that the window or the rate was what
    /// held data back, so that it may grow. True if alpha has been renewed. Older
    /// counts are passed over.
    pub fn ack(&mut self, now: i64, counts: Counts, limited: bool) -> bool {
        if counts.received < self.before.received || counts.ce < self.before.ce || self.srtt == 0 {
            return false;
        }
        self.begin();
        self.choose_what_to_keep();
        let renewed = self.renew_alpha(now, counts);
        self.undo(counts);
        if self.state == State::InLoss && self.is_past(self.loss, now, counts) {
            self.state = State::Avoidance;
        }
        if self.state != State::InLoss && counts.lost > self.before.lost {
            self.answer_loss(now, counts);
        }
        if limited {
            self.grow(now, counts);
        }
        self.answer_marks(now, counts);
        self.align();
        self.before = counts;
        renewed
    }

    fn begin(&mut self) {
        if self.state != State::Initial {
            return;
        }
        if self.config.initial_window.is_none() {
            self.window = (self.srtt as u64).saturating_mul(self.rate);
        }
        let slow = self.config.slow_start;
        self.state = if slow { State::SlowStart } else { State::Avoidance };
    }

    /// With an RTT too short to tell a queue, or below the packets' spacing, the
    /// rate stays when the RTT moves. Slow start counts in windows: it begins with one
    /// packet after a timeout, when the RTT is still that of a full queue.
    fn choose_what_to_keep(&mut self) {
        let spacing = (self.packet * MICRO / self.rate.max(1)) as i64;
        let short = self.srtt <= self.config.rate_up_to || self.srtt <= spacing;
        if short && self.state != State::SlowStart {
            self.keeps = Keeps::Rate;
        } else {
            if self.keeps == Keeps::Rate {
                self.window = (self.srtt as u64).saturating_mul(self.rate);
            }
            self.keeps = Keeps::Window;
        }
    }

    /// True if both a window and a virtual round trip have passed since `mark`.
    fn is_past(&self, mark: Mark, now: i64, counts: Counts) -> bool {
        counts.received + counts.lost - mark.sent > 0 && now - mark.at - self.vrtt >= 0
    }

    /// The moving average of the share of marked packets (draft, 2.3.2), in steps
    /// of virtual round trips (2.4.4).
    fn renew_alpha(&mut self, now: i64, counts: Counts) -> bool {
        if !self.is_past(self.observed, now, counts) || self.state == State::SlowStart {
            return false;
        }
        let arrived = counts.received - self.at_observation.received;
        let marked = counts.ce - self.at_observation.ce;
        if arrived > 0 {
            let share = (marked << SHARE_BITS) / arrived;
            self.alpha = (self.alpha + (share - self.alpha) / GAIN_DIVISOR).min(WHOLE);
        }
        self.observed = Mark { at: now, sent: counts.sent };
        self.at_observation = counts;
        self.wait = (self.wait - 1).max(0);
        true
    }

    /// The losses are no more than before the answer to them: it was reordering.
    fn undo(&mut self, counts: Counts) {
        let Some(taken) = self.taken.filter(|t| t.lost >= counts.lost) else { return };
        self.keeps = taken.keeps;
        match taken.keeps {
            Keeps::Rate => self.rate += taken.rate,
            Keeps::Window => self.window += taken.window,
        }
        self.wait = (self.wait - taken.wait).max(0);
        self.taken = None;
        self.state = State::Avoidance;
    }

    /// Half the window goes (draft, 2.4.1).
    fn answer_loss(&mut self, now: i64, counts: Counts) {
        if self.state == State::SlowStart {
            self.leave_slow_start(now);
        }
        let vrtt = self.vrtt as u64;
        let reference = REFERENCE_RTT as u64;
        // Time after which a flow with the reference RTT is back.
        let wait = self.rate / 2 / self.config.max_packet.max(1) * reference / vrtt * reference;
        let wait = (wait / MICRO) as i64;
        let longer = self.taken.map_or(0, |t| t.wait) + wait - self.wait;
        self.wait = wait;
        let (mut window, mut rate) = (0, 0);
        match self.keeps {
            Keeps::Window => window = self.window / 2,
            Keeps::Rate => rate = self.rate / 2,
        }
        self.window -= window;
        self.rate -= rate;
        self.ssthresh = self.window;
        self.state = State::InLoss;
        self.loss = Mark { at: now, sent: counts.sent };
        self.reduced.at = now;
        let lost = self.before.lost;
        let keeps = self.keeps;
        self.taken = Some(Taken { keeps, window, rate, wait: longer.min(wait), lost });
    }

    /// Grows for what arrived unmarked: a packet in each virtual round trip
    /// (draft, 2.4.3 and 2.4.4), also while a reduction is not over.
    fn grow(&mut self, now: i64, counts: Counts) {
        let plain = (counts.received - self.before.received) - (counts.ce - self.before.ce);
        if self.state == State::InLoss || plain <= 0 {
            return;
        }
        let plain = plain as u64;
        if self.state == State::SlowStart {
            let growth = multiply(plain * self.packet, MICRO);
            self.window = self.window.saturating_add(growth);
            if self.window >= self.ssthresh {
                self.leave_slow_start(now);
            }
            return;
        }
        let mut step = multiply(self.rate, QUEUE_GROWTH) / MICRO;
        if step < self.config.max_packet || self.wait > 0 || !self.config.faster_increase {
            step = self.config.max_packet;
        }
        match self.keeps {
            Keeps::Window => self.grow_window(plain, step),
            Keeps::Rate => self.grow_rate(plain, step),
        }
    }

    /// acks * packet / window * (srtt / vrtt)^2 steps.
    fn grow_window(&mut self, acks: u64, step: u64) {
        let vrtt = self.vrtt as u64;
        let srtt = self.srtt as u64;
        if self.srtt < FINE_RTT {
            let [share, steps] = [acks * self.packet, step].map(u128::from);
            let squares = [srtt, vrtt].map(|rtt| u128::from(rtt * rtt));
            let micros = share * steps * squares[0] * u128::from(MICRO * MICRO);
            let growth = micros / (squares[1] * u128::from(self.window.max(1)));
            self.window = self.window.saturating_add(u64::try_from(growth).unwrap_or(u64::MAX));
            return;
        }
        let scale = divide(multiply(multiply(srtt, MICRO), srtt), multiply(vrtt, vrtt));
        let share = multiply(multiply(acks * self.packet, scale), MICRO);
        let share = divide(share, self.window);
        self.window = self.window.saturating_add(multiply(share, step));
    }

    fn grow_rate(&mut self, acks: u64, step: u64) {
        let vrtt = self.vrtt as u64;
        let packets = divide(multiply(self.rate, vrtt), multiply(self.packet, MICRO));
        let growth = divide(multiply(acks * step, MICRO), vrtt);
        self.rate = self.rate.saturating_add(divide(growth, packets.max(1)));
    }

    fn answer_marks(&mut self, now: i64, counts: Counts) {
        if self.state == State::Reduced && self.is_past(self.reduced, now, counts) {
            self.state = State::Avoidance;
        }
        if counts.ce <= self.before.ce {
            return;
        }
        match self.state {
            State::SlowStart => self.leave_slow_start(now),
            State::Avoidance => {}
            State::Initial | State::InLoss | State::Reduced => return,
        }
        self.reduce(now);
        self.state = State::Reduced;
        self.reduced = Mark { at: now, sent: counts.sent };
    }

    /// Takes half of alpha's share away (draft, 2.4.2), for each virtual round trip
    /// that the answer is for.
    fn reduce(&mut self, now: i64) {
        self.wait = self.wait_for_growth();
        let share = self.alpha.max(self.floor) as u128;
        let (span, vrtt) = (self.answered_span(now) as u128, self.vrtt as u128);
        let part =
            |whole: u64| ((u128::from(whole) * share * span / vrtt) >> (SHARE_BITS + 1)) as u64;
        match self.keeps {
            Keeps::Window => self.window -= part(self.window),
            Keeps::Rate => self.rate -= part(self.rate),
        }
        self.ssthresh = self.window;
    }

    /// The time in us that an answer to a mark is for.
    fn answered_span(&self, now: i64) -> i64 {
        match self.config.response {
            PragueResponse::AtMark => self.vrtt,
            PragueResponse::SinceLast => {
                (now - self.reduced.at).clamp(self.vrtt, self.vrtt + self.vrtt / 2)
            }
        }
    }

    fn leave_slow_start(&mut self, now: i64) {
        self.state = State::Avoidance;
        self.at_observation = self.before;
        self.observed = Mark { at: now, sent: self.before.sent };
        self.reduced.at = now;
    }

    /// Rate and window agree, and the packets' size follows.
    fn align(&mut self) {
        let srtt = self.srtt as u64;
        if self.keeps == Keeps::Window {
            self.rate = self.window / srtt;
        }
        self.rate = self.rate.max(self.config.min_rate).min(self.config.max_rate).max(1);
        self.window = self.rate.saturating_mul(srtt).max(1);
        self.packet = self.packet_for(self.vrtt);
    }

    fn packet_for(&self, vrtt: i64) -> u64 {
        let fits = multiply(self.rate, vrtt as u64) / MICRO / MIN_WINDOW;
        fits.max(self.config.min_packet).min(self.config.max_packet).max(1)
    }

    fn wait_for_growth(&self) -> i64 {
        (self.rate / RATE_STEP + MIN_WAIT) as i64
    }

    /// The retransmission timer ran out: one packet, from which slow start goes
    /// back to half of the window.
    pub fn timeout(&mut self, repeated: bool) {
        if !repeated {
            // RFC 5681, 3.1: at least two segments.
            let least = multiply(MIN_WINDOW * self.config.max_packet, MICRO);
            self.ssthresh = (self.window / 2).max(least);
        }
        self.window = self.config.max_packet.saturating_mul(MICRO);
        self.keeps = Keeps::Window;
        if self.state != State::Initial {
            self.state = State::SlowStart;
            self.align();
        }
        self.taken = None;
    }

    /// The estimated share of marked packets, of 2^20.
    pub fn alpha(&self) -> i64 {
        self.alpha
    }

    /// The window in millionths of a byte.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// The rate in bytes / s.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// The rate at `now` us. It is above the mean in the first half of a virtual round trip and
    /// below it in the second. Flows then do not lock in step.
    pub fn swinging_rate(&self, now: i64) -> u64 {
        if now - self.observed.at - (self.vrtt >> 1) >= 0 {
            multiply(self.rate, 100) / (100 + SWING)
        } else {
            multiply(self.rate, 100 + SWING) / 100
        }
    }

    /// Bytes of a packet.
    pub fn packet(&self) -> u64 {
        self.packet
    }

    /// Packets that may leave at once.
    pub fn burst(&self) -> u64 {
        (multiply(self.rate, BURST) / MICRO / self.packet).max(1)
    }

    /// Packets that may be in flight: room for the rate's swing, and one more.
    pub fn packets(&self) -> u64 {
        let room = multiply(self.window, 100 + SWING) / (100 * MICRO);
        (room / self.packet + 1).max(MIN_WINDOW)
    }

    /// The virtual RTT in us.
    pub fn vrtt(&self) -> i64 {
        self.vrtt
    }

    /// Virtual round trips until growth gets faster.
    pub fn growth_wait(&self) -> i64 {
        self.wait
    }

    /// True if the window doubles each round trip.
    pub fn in_slow_start(&self) -> bool {
        matches!(self.state, State::Initial | State::SlowStart) && self.config.slow_start
            || self.state == State::SlowStart
    }

    /// Slow start ends at so many bytes.
    pub(super) fn limit_slow_start(&mut self, bytes: u64) {
        self.ssthresh = multiply(bytes, MICRO);
    }

    /// Window at which slow start ends, in millionths of a byte.
    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}

#[cfg(test)]
#[path = "core_tests.rs"]
mod tests;
