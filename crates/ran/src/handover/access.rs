//! Random access of a UE to a cell (TS 36.321, 5.1; TS 38.321, 5.1).
//!
//! - The UE waits for a PRACH occasion, sends a preamble, and waits for the response in its window.
//!   Message 3 completes a handover, with contention the resolution after it.
//! - Without a response, and after a collision, the UE sends another preamble with more power, after
//!   its backoff. After `preambleTransMax` preambles the access has failed.
//! - **Detection.** The channel fades independently at two antennas (Rayleigh), and the cell detects
//!   a preamble whose summed power exceeds a threshold. With a mean ratio of s to noise the
//!   probability is (1 + x) exp(-x), x inversely proportional to s. [`AccessConfig::detection`] has
//!   the ratio for 99%, the requirement of TS 36.104, 8.4.2.1, and TS 38.104, 8.4.2.2.
//! - **Collision.** UEs with one preamble in one occasion have one response. Their messages 3
//!   collide, and the cell decodes none: each waits for the end of its contention resolution timer.
//!
//! Simplified: messages 2, 3 and 4 are always received, and the cell has room for all of its
//! responses. After `preambleTransMax` the standard's UE goes on until T304 expires.

use airpath_base::random::Seed;
use airpath_base::{Db, Dbm, Duration, Time, UeId, math};

use super::{AccessConfig, Draws, Occasions};

/// Solution of (1 + x) exp(-x) = 0.99.
const MISSED_1_PERCENT: f64 = 0.148_554_740_3;

/// Purposes of draws, the third coordinate beside UE and occasion.
const PREAMBLE: u64 = 0;
const DETECTION: u64 = 1;
const BACKOFF: u64 = 2;

/// Path of a preamble.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reception {
    /// Loss from the UE to the cell with both antennas. The UE knows it by the RSRP.
    pub path_loss: Db,
    /// Noise and interference at an antenna of the cell over the bandwidth of a preamble, 1.08 MHz
    /// for format 0.
    pub noise: Dbm,
}

/// A step of a random access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccessStep {
    /// The UE begins to send a preamble.
    Preamble {
        /// Number of preambles so far, this one included.
        number: u32,
        /// Index of the preamble.
        preamble: u32,
        /// Power of the UE.
        power: Dbm,
    },
    /// The UE has received the response.
    Response,
    /// The window has ended without a response.
    NoResponse,
    /// The UE begins to send message 3.
    Message3,
    /// Message 3 with contention has ended.
    Message3Ended {
        /// True unless it has collided.
        decoded: bool,
    },
    /// The contention resolution timer has expired.
    Collision,
    /// The cell has message 3, or with contention the UE has the resolution.
    Completed,
    /// The last preamble was without success.
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Listening,
    Unanswered,
    Granted,
    Sending,
    Resolving,
    Colliding,
    Exhausted,
    Ended,
}

/// Random access of one UE.
#[derive(Clone, Debug)]
pub struct Access {
    config: AccessConfig,
    ue: UeId,
    draws: Draws,
    dedicated: Option<u32>,
    phase: Phase,
    due: Time,
    /// Occasion and index of the last preamble.
    sent: (Time, u32),
    number: u32,
}

impl Access {
    /// Begins a random access. `dedicated` is the UE's own preamble; without one it has contention.
    pub fn begin(
        config: &AccessConfig,
        ue: UeId,
        seed: Seed,
        now: Time,
        dedicated: Option<u32>,
    ) -> Access {
        let (phase, number) = (Phase::Waiting, 0);
        let draws = Draws::new(seed, "random access");
        let due = occasion(config, now);
        Access { config: *config, ue, draws, dedicated, phase, due, sent: (due, 0), number }
    }

    /// Time of the next step; `None` after the end.
    pub fn next_due(&self) -> Option<Time> {
        (self.phase != Phase::Ended).then_some(self.due)
    }

    /// True if the access has ended, with or without success.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// True if the UE has a preamble of its own.
    pub fn is_dedicated(&self) -> bool {
        self.dedicated.is_some()
    }

    /// Occasion and index of the last preamble.
    pub fn sent(&self) -> (Time, u32) {
        self.sent
    }

    /// The next step, if its time has come, with this time. The caller polls until there is none.
    ///
    /// UEs of one cell are polled in the order of time: a preamble is known to the others from its
    /// step on.
    pub fn poll(
        &mut self,
        now: Time,
        reception: &Reception,
        occasions: &mut Occasions,
    ) -> Option<(Time, AccessStep)> {
        while self.phase != Phase::Ended && self.due <= now {
            let at = self.due;
            if let Some(step) = self.step(at, reception, occasions) {
                return Some((at, step));
            }
        }
        None
    }

    fn step(
        &mut self,
        at: Time,
        reception: &Reception,
        occasions: &mut Occasions,
    ) -> Option<AccessStep> {
        let config = self.config;
        let (next, after, step) = match self.phase {
            Phase::Waiting => {
                let step = self.send(at, reception, occasions);
                (Phase::Listening, config.to_response(), Some(step))
            }
            Phase::Listening if occasions.is_detected(self.sent) => {
                (Phase::Granted, config.to_message_3, Some(AccessStep::Response))
            }
            Phase::Listening => {
                let rest = config.to_window_end().saturating_sub(config.to_response());
                (Phase::Unanswered, rest, None)
            }
            Phase::Granted => (Phase::Sending, config.message_3, Some(AccessStep::Message3)),
            Phase::Sending if self.dedicated.is_some() => {
                (Phase::Ended, Duration::ZERO, Some(AccessStep::Completed))
            }
            Phase::Sending => {
                let decoded = !occasions.collides(self.sent, self.ue);
                let ended = Some(AccessStep::Message3Ended { decoded });
                if decoded && config.resolution <= config.resolution_timer {
                    (Phase::Resolving, config.resolution, ended)
                } else {
                    (Phase::Colliding, config.resolution_timer, ended)
                }
            }
            Phase::Resolving => (Phase::Ended, Duration::ZERO, Some(AccessStep::Completed)),
            Phase::Unanswered => {
                self.repeat(at);
                return Some(AccessStep::NoResponse);
            }
            Phase::Colliding => {
                self.repeat(at);
                return Some(AccessStep::Collision);
            }
            Phase::Exhausted => (Phase::Ended, Duration::ZERO, Some(AccessStep::Failed)),
            Phase::Ended => return None,
        };
        (self.phase, self.due) = (next, at.saturating_add(after));
        step
    }

    /// Sends a preamble in an occasion.
    fn send(&mut self, at: Time, reception: &Reception, occasions: &mut Occasions) -> AccessStep {
        self.number += 1;
        let coordinates = |purpose| [u64::from(self.ue.0), at.as_nanos(), purpose];
        let any = || self.draws.below(coordinates(PREAMBLE), self.config.preambles);
        let preamble = self.dedicated.unwrap_or_else(any);
        let power = self.config.power(self.number, reception.path_loss);
        let ratio = power - reception.path_loss - reception.noise;
        let chance = detection(ratio - self.config.detection);
        let detected = self.draws.uniform(coordinates(DETECTION)) < chance;
        self.sent = (at, preamble);
        let config = &self.config;
        let to_end = config.to_response() + config.to_message_3 + config.message_3;
        let until = at.saturating_add(to_end.max(config.to_window_end()));
        occasions.send(self.sent, self.ue, detected, until);
        AccessStep::Preamble { number: self.number, preamble, power }
    }

    /// Waits for the occasion of another preamble, or has sent all of them.
    fn repeat(&mut self, at: Time) {
        if self.number >= self.config.max_preambles {
            (self.phase, self.due) = (Phase::Exhausted, at);
            return;
        }
        let coordinates = [u64::from(self.ue.0), at.as_nanos(), BACKOFF];
        let backoff = self.config.backoff.mul_f64(self.draws.uniform(coordinates));
        let due = occasion(&self.config, at.saturating_add(backoff));
        (self.phase, self.due) = (Phase::Waiting, due);
    }
}

/// Probability that a cell detects a preamble whose ratio to noise is this much above that for 99%.
fn detection(above: Db) -> f64 {
    let x = MISSED_1_PERCENT * (-above).linear();
    if x > 700.0 { 0.0 } else { (1.0 + x) * math::exp(-x) }
}

/// The first PRACH occasion that is not before a time.
fn occasion(config: &AccessConfig, from: Time) -> Time {
    let period = config.period.max(Duration::from_nanos(1));
    let first = Time::ZERO + config.offset % period;
    let wait = from.saturating_since(first).as_nanos().div_ceil(period.as_nanos());
    let span = period.as_nanos().saturating_mul(wait);
    first.saturating_add(Duration::from_nanos(span))
}

#[cfg(test)]
#[path = "access_tests.rs"]
mod tests;
