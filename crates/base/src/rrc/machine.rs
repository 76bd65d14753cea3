//! The states of one UE.

use super::{Config, Drx, Pattern, State};
use crate::{Duration, Time};

/// The radio state of a UE, which changes by what happens and by its timers.
///
/// Whoever drives it calls [`advance`](Machine::advance) before anything else happens, until
/// no change is due any more. Instants may lie a little ahead (a grant that is decided now
/// is on the air later) but may not go back.
#[derive(Clone, Debug)]
pub struct Machine {
    config: Config,
    state: State,
    /// End of the promotion or resume.
    promoted: Time,
    /// The last grant, assignment or end of a promotion or resume.
    active: Time,
    /// The last grant uplink.
    granted: Time,
    /// The last data, which may be waiting still, or the begin of inactive.
    data: Time,
    /// Awake until the next grant: a scheduling request is pending.
    held: bool,
    /// The last DRX command.
    commanded: Option<Time>,
    /// Begin and end of the last skipping of PDCCH monitoring.
    skipped: (Time, Time),
}

impl Machine {
    /// A UE that is idle, or has been connected and active, at `at`.
    pub fn new(config: Config, connected: bool, at: Time) -> Machine {
        let state = if connected { State::Active } else { State::Idle };
        let skipped = (at, at);
        let (held, commanded) = (false, None);
        Machine {
            config,
            state,
            promoted: at,
            active: at,
            granted: at,
            data: at,
            held,
            commanded,
            skipped,
        }
    }

    /// Its timers and cycles.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The state after the last change.
    pub fn state(&self) -> State {
        self.state
    }

    /// Begins the promotion of an idle UE, which will be connected at `until` (TS 36.331,
    /// 5.3.3), or the resume of an inactive one (TS 38.331, 5.3.13). Nothing happens to any other.
    pub fn promote(&mut self, until: Time) {
        self.state = match self.state {
            State::Idle => State::Promotion,
            State::Inactive => State::Resume,
            _ => return,
        };
        self.promoted = until;
    }

    /// The connection is lost at `at`, or does not come about (TS 36.331, 5.3.7.6 and 5.3.3.6; TS
    /// 38.331, 5.3.13.5). Gives whether the UE was not idle before.
    pub fn fail(&mut self, at: Time) -> bool {
        let was_idle = self.state == State::Idle;
        (self.state, self.held) = (State::Idle, false);
        self.data = self.data.max(at);
        !was_idle
    }

    /// A grant uplink for new data, as [`activity`](Machine::activity); the scheduling
    /// request is no longer pending.
    pub fn grant(&mut self, at: Time) -> bool {
        (self.held, self.granted) = (false, at);
        self.activity(at)
    }

    /// A grant or an assignment for new data, the subframe of which ends at `at`: it
    /// (re)starts drx-InactivityTimer (TS 36.321, 5.7) and the tail. Gives whether a
    /// connected UE became active by it.
    pub fn activity(&mut self, at: Time) -> bool {
        self.active = self.active.max(at);
        self.arrival(at);
        self.activate()
    }

    /// Data are there to be sent, or were sent: the tail begins anew.
    pub fn arrival(&mut self, at: Time) {
        self.data = self.data.max(at);
    }

    /// A scheduling request is sent and pending: awake until the grant (TS 36.321, 5.7,
    /// Active Time). A grant that is on its way already answers it. Gives whether the UE
    /// became active by it.
    pub fn request(&mut self, at: Time) -> bool {
        self.held = at >= self.granted;
        self.resume(at);
        self.arrival(at);
        self.activate()
    }

    /// The cell indicates with an assignment that ends at `at` to skip PDCCH monitoring from then on (TS 38.213, 10.4).
    /// Gives begin and end, unless the UE does not skip: without a duration, or with a pending scheduling request.
    pub fn skip(&mut self, at: Time) -> Option<(Time, Time)> {
        let span = self.config.skipping.filter(|_| !self.held)?;
        self.skipped = (at, at.saturating_add(span));
        Some(self.skipped)
    }

    /// A DRX command comes with data that end at `at`: drx-InactivityTimer stops then (TS 38.321, 5.7), unless a scheduling
    /// request is pending. Only with DRX.
    pub fn command(&mut self, at: Time) {
        if self.config.drx.is_some() && !self.held {
            self.commanded = Some(at);
        }
    }

    /// PDCCH monitoring goes on at `at`: a scheduling request or a NACK has been sent (TS 38.213, 10.4). Gives begin and end
    /// of a skipping that ends by it.
    pub fn resume(&mut self, at: Time) -> Option<(Time, Time)> {
        let (from, until) = self.skipped;
        if at >= until {
            return None;
        }
        self.skipped = (from, at.max(from));
        Some(self.skipped)
    }

    fn skips(&self, at: Time) -> bool {
        self.skipped.0 <= at && at < self.skipped.1
    }

    fn activate(&mut self) -> bool {
        let woken = self.state.is_connected() && self.state != State::Active;
        if woken {
            self.state = State::Active;
        }
        woken
    }

    /// True if a connected UE listens at `at`, now or later, provided that nothing happens before
    /// and the connection is not released. A UE that is not connected never listens.
    pub fn is_awake(&self, at: Time) -> bool {
        match self.phase(at) {
            None => false,
            Some(State::Active) => !self.skips(at),
            Some(state) => self.on_durations(state).is_some_and(|on| on.covers(at)),
        }
    }

    /// First instant at or after `at`, now or later, at which a connected UE listens. It holds if
    /// nothing happens before and the connection is not released. None for a UE that is not
    /// connected.
    pub fn next_awake(&self, at: Time) -> Option<Time> {
        let state = self.phase(at)?;
        if state == State::Active && self.skips(at) {
            // DRX outside Active Time ends the skipping (TS 38.213, 10.4).
            return self.next_awake(self.skipped.1.min(self.asleep().max(at)));
        }
        let Some(on) = self.on_durations(state) else { return Some(at) };
        let (next, end) = (on.next_on(at), self.short_end());
        match self.on_durations(State::LongDrx) {
            Some(long) if state == State::ShortDrx && next >= end => Some(long.next_on(end)),
            _ => Some(next),
        }
    }

    fn on_durations(&self, state: State) -> Option<Pattern> {
        self.config.drx.as_ref()?.pattern(state)
    }

    /// Expiry of drx-InactivityTimer (TS 36.321, 5.7); never without DRX.
    fn asleep(&self) -> Time {
        let after = self.config.drx.as_ref().map_or(Duration::MAX, |drx| drx.inactivity);
        let command = self.commanded.filter(|at| *at >= self.active);
        command.unwrap_or(self.active.saturating_add(after))
    }

    /// Expiry of drxShortCycleTimer (TS 36.321, 5.7).
    fn short_end(&self) -> Time {
        let phase = self.config.drx.as_ref().map_or(Duration::ZERO, Drx::short_phase);
        self.asleep().saturating_add(phase)
    }

    /// The state within the connection at `at`, now or later, if nothing happens before; none
    /// if there is no connection.
    fn phase(&self, at: Time) -> Option<State> {
        self.state.is_connected().then(|| match at {
            _ if self.held || at < self.asleep() => State::Active,
            _ if at < self.short_end() => State::ShortDrx,
            _ => State::LongDrx,
        })
    }

    /// The next change within the connection, without its release.
    fn next_phase(&self) -> Option<(Time, State)> {
        let drx = self.config.drx.as_ref()?;
        match self.state {
            State::Active if self.held => None,
            State::Active if drx.short_phase().is_zero() => Some((self.asleep(), State::LongDrx)),
            State::Active => Some((self.asleep(), State::ShortDrx)),
            State::ShortDrx => Some((self.short_end(), State::LongDrx)),
            _ => None,
        }
    }

    /// Release or suspension of the connection by the cell (TS 36.331 and TS 38.331, 5.3.8).
    fn release(&self) -> Option<(Time, State)> {
        let (after, next) = match (self.state, self.config.inactive) {
            (State::Inactive, inactive) => (inactive?.release_after, State::Idle),
            (state, _) if !state.is_connected() => return None,
            (_, Some(_)) => (self.config.release_after, State::Inactive),
            (_, None) => (self.config.release_after, State::Idle),
        };
        after.filter(|_| !self.held).map(|after| (self.data.saturating_add(after), next))
    }

    fn next(&self) -> Option<(Time, State)> {
        if self.state.is_connecting() {
            return Some((self.promoted, State::Active));
        }
        let release = self.release();
        match (self.next_phase(), release) {
            (Some(phase), Some(release)) => {
                Some(if release.0 <= phase.0 { release } else { phase })
            }
            (phase, release) => phase.or(release),
        }
    }

    /// Time of the next change by a timer.
    pub fn next_change(&self) -> Option<Time> {
        self.next().map(|(at, _)| at)
    }

    /// Makes the next change that is due by `now`, and gives when it was and to which state.
    pub fn advance(&mut self, now: Time) -> Option<(Time, State)> {
        let (at, state) = self.next().filter(|(at, _)| *at <= now)?;
        if self.state.is_connecting() {
            (self.active, self.data) = (at, self.data.max(at));
        }
        if state == State::Inactive {
            self.data = self.data.max(at);
        }
        if state != State::Active {
            self.skipped.1 = self.skipped.1.min(at);
        }
        self.state = state;
        Some((at, state))
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
