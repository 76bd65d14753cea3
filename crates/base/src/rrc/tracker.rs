//! The radio states behind a sequence of packets.

use super::{Config, Machine, State};
use crate::{Bytes, Duration, Time};

/// A stay in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The state.
    pub state: State,
    /// Begin of the state.
    pub start: Time,
    /// End of the state.
    pub end: Time,
}

/// Point at which packets are seen: on the UE's or the network's side of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// At the UE: what it sends waits for the promotion after it is seen, what it receives
    /// has had it.
    AtUe,
    /// In the network: the other way round.
    InNetwork,
}

/// Time of a radio in each state, and the bytes that it carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Idle.
    pub idle: Duration,
    /// Of this and of `inactive`, listening for pages.
    pub paging: Duration,
    /// On the way to connected.
    pub promotion: Duration,
    /// Connected, listening all the time.
    pub active: Duration,
    /// In the short DRX cycle.
    pub short_drx: Duration,
    /// In the long DRX cycle.
    pub long_drx: Duration,
    /// Of both DRX cycles, in on-durations.
    pub listening: Duration,
    /// Of `active`, without PDCCH monitoring.
    pub skipping: Duration,
    /// Inactive: the connection is suspended.
    pub inactive: Duration,
    /// On the way from there to connected.
    pub resume: Duration,
    /// Resumes begun.
    pub resumes: u64,
    /// Promotions begun.
    pub promotions: u64,
    /// Sent.
    pub up: Bytes,
    /// Received.
    pub down: Bytes,
}

impl Usage {
    /// The time in a state.
    pub fn time_in(&self, state: State) -> Duration {
        match state {
            State::Idle => self.idle,
            State::Promotion => self.promotion,
            State::Active => self.active,
            State::ShortDrx => self.short_drx,
            State::LongDrx => self.long_drx,
            State::Inactive => self.inactive,
            State::Resume => self.resume,
        }
    }

    /// All states together.
    pub fn total(&self) -> Duration {
        State::ALL.into_iter().map(|state| self.time_in(state)).sum()
    }

    /// Counts a stay of a UE with these timers.
    pub fn add(&mut self, config: &Config, span: Span) {
        let time = span.end.saturating_since(span.start);
        let listens = |pattern: super::Pattern| pattern.within(span.start, span.end);
        match span.state {
            State::Idle => self.idle += time,
            State::Inactive => self.inactive += time,
            State::Resume => {
                self.resume += time;
                self.resumes += 1;
            }
            State::Promotion => {
                self.promotion += time;
                self.promotions += 1;
            }
            State::Active => self.active += time,
            State::ShortDrx => self.short_drx += time,
            State::LongDrx => self.long_drx += time,
        }
        self.paging += config.paging_in(span.state).map_or(Duration::ZERO, listens);
        let pattern = config.drx.as_ref().and_then(|drx| drx.pattern(span.state));
        self.listening += pattern.map_or(Duration::ZERO, listens);
    }
}

/// Follows a UE's radio by its packets: each makes it active, or begins a promotion of a
/// fixed length if it was idle.
///
/// Packets alone show no waits for a page or an on-duration, so such waits are absent. Nor do they
/// show a suspended connection: [`Config::inactive`] counts as none. A packet
/// with an earlier time than the one before counts as simultaneous with the latest.
#[derive(Clone, Debug)]
pub struct Tracker {
    machine: Machine,
    promotion: Duration,
    seen: Seen,
    /// Begin of the radio's present state.
    since: Time,
    latest: Time,
    /// An active radio stays so for this long after a packet.
    stays: Duration,
    usage: Usage,
}

impl Tracker {
    /// A UE that is idle from `start` on, where its packets are `seen`; a promotion takes
    /// `promotion`.
    pub fn new(config: Config, promotion: Duration, seen: Seen, start: Time) -> Tracker {
        let machine = Machine::new(Config { inactive: None, ..config }, false, start);
        let usage = Usage::default();
        let drx = config.drx.map_or(Duration::MAX, |drx| drx.inactivity);
        let stays = drx.min(config.release_after.unwrap_or(Duration::MAX));
        Tracker { machine, promotion, seen, since: start, latest: start, stays, usage }
    }

    /// It sends a packet; `spans` takes the stays that have ended.
    #[inline]
    pub fn up(&mut self, at: Time, size: Bytes, spans: &mut impl FnMut(Span)) {
        self.usage.up += size;
        self.packet(at, self.seen == Seen::AtUe, spans);
    }

    /// It receives a packet; `spans` takes the stays that have ended.
    #[inline]
    pub fn down(&mut self, at: Time, size: Bytes, spans: &mut impl FnMut(Span)) {
        self.usage.down += size;
        self.packet(at, self.seen == Seen::InNetwork, spans);
    }

    /// Time after a packet within which the next one leaves an active radio's state as it is; zero
    /// if the radio is not active. Of packets that follow each other so soon, the latest is enough
    /// ([`stay`](Tracker::stay)), with the bytes of all ([`carry`](Tracker::carry)).
    pub fn stays(&self) -> Duration {
        if self.machine.state() == State::Active { self.stays } else { Duration::ZERO }
    }

    /// The radio stayed active, with packets up to `latest`.
    pub fn stay(&mut self, latest: Time) {
        self.latest = self.latest.max(latest);
        self.machine.activity(self.latest);
    }

    /// Packets of these bytes were sent and received that were not counted one by one.
    pub fn carry(&mut self, up: Bytes, down: Bytes) {
        self.usage.up += up;
        self.usage.down += down;
    }

    /// Nothing is known from `end` on: the last stay ends there.
    pub fn finish(&mut self, end: Time, spans: &mut impl FnMut(Span)) {
        self.advance(end.max(self.latest), spans);
        self.leave(self.latest, self.machine.state(), spans);
    }

    /// Times and bytes of the stays that have ended.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// The state after the latest packet.
    pub fn state(&self) -> State {
        self.machine.state()
    }

    #[inline]
    fn packet(&mut self, at: Time, waits: bool, spans: &mut impl FnMut(Span)) {
        let active = self.machine.state() == State::Active;
        if active && at.saturating_since(self.latest) < self.stays {
            self.latest = self.latest.max(at);
            self.machine.activity(self.latest);
            return;
        }
        self.change(at, waits, spans);
    }

    fn change(&mut self, at: Time, waits: bool, spans: &mut impl FnMut(Span)) {
        self.advance(at.max(self.latest), spans);
        let at = self.latest;
        if self.machine.state() == State::Idle {
            let begun = if waits { at } else { self.since.max(at.saturating_sub(self.promotion)) };
            self.leave(begun, State::Idle, spans);
            self.machine.promote(if waits { at.saturating_add(self.promotion) } else { at });
            self.advance(at, spans);
        }
        let before = self.machine.state();
        if before.is_connected() && self.machine.activity(at) {
            self.leave(at, before, spans);
        }
    }

    fn advance(&mut self, now: Time, spans: &mut impl FnMut(Span)) {
        self.latest = now;
        let mut state = self.machine.state();
        while let Some((at, next)) = self.machine.advance(now) {
            self.leave(at, state, spans);
            state = next;
        }
    }

    /// Ends the stay in `state`.
    fn leave(&mut self, at: Time, state: State, spans: &mut impl FnMut(Span)) {
        let span = Span { state, start: self.since, end: at };
        self.since = at;
        if span.end > span.start || state == State::Promotion {
            self.usage.add(self.machine.config(), span);
        }
        if span.end > span.start {
            spans(span);
        }
    }
}

#[cfg(test)]
#[path = "tracker_tests.rs"]
mod tests;
