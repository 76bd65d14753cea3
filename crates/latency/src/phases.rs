//! Distribution of the delay of isolated small packets with time division duplex: by the phase of
//! their arrival.
//!
//! A packet comes at any time of a period alike, and waits for slots that come now and then. So many
//! phases lead to the same slot, and their delays are spread evenly between two bounds. With errors a
//! share of each such part is delivered a retransmission later. Mean and quantiles follow exactly.
//!
//! Steps are those of a setting. Each ends in the next slot that serves it:
//!
//! - Downlink, the wait for a slot to begin counts for half a TTI of processing. Data are sent in the next slot
//!   that carries them. Feedback is sent half a HARQ round trip later or more, and the
//!   retransmission as much later again.
//! - Opportunities for a request or a configured grant come each period from the first slot on, and
//!   wait for a slot that serves them.
//! - A grant is in the latest slot that is its transmission, its decoding and the encoding of the
//!   data before its uplink slot, or more.
//! - Uplink, a block is granted again half a round trip later or more. With instant access it is sent
//!   again as soon as it has been decoded and encoded.
//! - LTE's configurations have grants, feedback and retransmissions uplink by table.

use airpath_base::Direction;

use crate::tdd::Purpose;
use crate::{Access, Errors, ParseError, Rational, Setting, Span, Step, Tdd};

/// Slots of the period of pattern and opportunities at most.
const MOST_SLOTS: u64 = 20_000;
const HALF: Rational = Rational::new(1, 2);

/// The delays of packets in a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delays {
    /// Nanoseconds of a slot.
    slot: Rational,
    /// Slots after which everything repeats.
    period: u64,
    /// Share of first transmissions that fail.
    errors: Rational,
    parts: Vec<Part>,
}

/// Transmissions of a block at most, where none are given.
const USUAL: usize = 2;

/// Arrivals that lead to the same transmission, in slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) from: Rational,
    pub(crate) to: Rational,
    pub(crate) course: Course,
}

/// Consequences of arrivals, in slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    /// Begin of the request, or of the preparation where there is none.
    pub(crate) begun: Rational,
    /// Begin of the first transmission.
    pub(crate) sent: Rational,
    /// Times of delivery by the first transmission, the second and so on.
    pub(crate) delivered: Vec<Rational>,
}

impl Delays {
    /// The delays of packets with a pattern of slots.
    ///
    /// # Errors
    ///
    /// A TTI that is no slot of the pattern, or a period that is no whole number of slots.
    pub fn of(setting: &Setting, tdd: &Tdd, direction: Direction) -> Result<Delays, ParseError> {
        Delays::with_transmissions(setting, (tdd, USUAL), direction)
    }

    /// The delays of packets whose blocks are sent so many times at most; the last of these succeeds.
    ///
    /// # Errors
    ///
    /// As [`of`](Delays::of).
    pub(crate) fn with_transmissions(
        setting: &Setting,
        (tdd, transmissions): (&Tdd, usize),
        direction: Direction,
    ) -> Result<Delays, ParseError> {
        tdd.check(setting.tti)?;
        let cell = Cell { setting, tdd, transmissions };
        let period = cell.period(direction)?;
        // Arrivals of the second period: what they wait for began in the first.
        let [begin, end] = [period, 2 * period].map(Rational::whole);
        let mut parts = Vec::new();
        let mut from = begin;
        let encoding = cell.step(Step::DataEncoding).ceil();
        for event in cell.events(direction, 4 * period + encoding) {
            let to = event.at.min(end);
            if to > from {
                parts.push(Part { from, to, course: event.course });
                from = to;
            }
        }
        let errors = setting.bler.share();
        Ok(Delays { slot: setting.tti.nanos(), period, errors, parts })
    }

    /// Mean in nanoseconds.
    pub fn mean(&self, errors: Errors) -> Rational {
        let of = |part: &Part, delivered: Rational| {
            let middle = (part.from + part.to) * HALF;
            part.to.less(part.from) * delivered.less(middle)
        };
        let shares = self.shares(errors);
        let both = |part: &Part| -> Rational {
            let delivered = shares.iter().zip(&part.course.delivered);
            delivered.map(|(share, delivered)| *share * of(part, *delivered)).sum()
        };
        let sum: Rational = self.parts.iter().map(both).sum();
        sum / Rational::whole(self.period) * self.slot
    }

    /// Delays in nanoseconds and the shares of packets that have at most these: the corners of the
    /// distribution function, which is straight between them.
    pub fn corners(&self, errors: Errors) -> Vec<(Rational, Rational)> {
        let mut bounds: Vec<(Rational, Rational, bool)> = Vec::new();
        for (n, share) in self.shares(errors).into_iter().enumerate() {
            for part in self.parts.iter().filter(|_| !share.is_zero()) {
                let Some(&delivered) = part.course.delivered.get(n) else { continue };
                bounds.push((delivered.less(part.to), share, true));
                bounds.push((delivered.less(part.from), share, false));
            }
        }
        bounds.sort_by_key(|(bound, ..)| *bound);
        let (mut corners, mut reached, mut slope) = (Vec::new(), Rational::ZERO, Rational::ZERO);
        let mut at = Rational::ZERO;
        for (bound, share, begins) in bounds {
            reached = reached + slope * bound.less(at) / Rational::whole(self.period);
            at = bound;
            slope = if begins { slope + share } else { slope.less(share) };
            let corner = (bound * self.slot, reached);
            match corners.last_mut() {
                Some(last) if *last == corner => {}
                _ => corners.push(corner),
            }
        }
        corners
    }

    /// The delay in nanoseconds that a share of packets has at most.
    pub fn quantile(&self, errors: Errors, share: Rational) -> Rational {
        let corners = self.corners(errors);
        let mut before = corners.first().copied().unwrap_or((Rational::ZERO, Rational::ZERO));
        for corner in corners {
            if corner.1 >= share && corner.1 > before.1 {
                let rest = share.less(before.1) / corner.1.less(before.1);
                return before.0 + corner.0.less(before.0) * rest;
            }
            before = corner;
        }
        before.0
    }

    /// Nanoseconds of a slot, slots of a period, and the parts of that.
    pub(crate) fn parts(&self) -> (Rational, u64, &[Part]) {
        (self.slot, self.period, &self.parts)
    }

    /// Shares of packets that are delivered by the first transmission, and by the second.
    fn shares(&self, errors: Errors) -> [Rational; 2] {
        match errors {
            Errors::None => [Rational::ONE, Rational::ZERO],
            Errors::Share => [Rational::ONE.less(self.errors), self.errors],
        }
    }
}

/// Consequence of the arrivals up to a time, in slots.
struct Event {
    at: Rational,
    course: Course,
}

struct Cell<'a> {
    setting: &'a Setting,
    tdd: &'a Tdd,
    /// Transmissions of a block at most.
    transmissions: usize,
}

impl Cell<'_> {
    fn step(&self, step: Step) -> Rational {
        self.setting.steps.get(step).count(self.setting.tti)
    }

    /// Slots after which everything repeats.
    fn period(&self, direction: Direction) -> Result<u64, ParseError> {
        let own = match (direction, self.setting.access) {
            (
                Direction::Uplink,
                Access::SchedulingRequest { period } | Access::Configured { period },
            ) => self.whole(period)?,
            _ => 1,
        };
        let pattern = self.tdd.period();
        let (mut a, mut b) = (pattern, own);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let all = (pattern / a).checked_mul(own).filter(|all| *all <= MOST_SLOTS);
        all.ok_or_else(|| {
            let fault = format!("has with a period of {own} slots more than {MOST_SLOTS} slots");
            ParseError::new(format!("{} {fault}: a shorter period", self.tdd))
        })
    }

    fn whole(&self, period: Span) -> Result<u64, ParseError> {
        let count = period.count(self.setting.tti);
        match count.floor() {
            n if n > 0 && Rational::whole(n) == count => Ok(n),
            _ => Err(ParseError::new(format!("a period of {period} is no whole number of slots"))),
        }
    }

    /// Consequences of arrivals up to slot `end`, in the order of their times.
    fn events(&self, direction: Direction, end: u64) -> Vec<Event> {
        let aligned = |processing: Step| self.step(processing).less(HALF);
        let each = |act: &dyn Fn(Rational) -> Course| {
            let all = (1..=end).map(Rational::whole);
            all.map(|at| Event { at, course: act(at) }).collect()
        };
        match (direction, self.setting.access) {
            (Direction::Downlink, _) => {
                each(&|at| self.downlink(at + aligned(Step::DownlinkProcessing)))
            }
            (Direction::Uplink, Access::Instant) => each(&|at| {
                let ready = at + aligned(Step::DataEncoding);
                self.uplink(at, self.tdd.next(Purpose::UplinkData, ready.ceil()))
            }),
            (Direction::Uplink, Access::SchedulingRequest { period }) => {
                let request =
                    [Step::SrTransmission, Step::GrantPreparation].map(|step| self.step(step));
                let event = |slot| {
                    let at = Rational::whole(slot);
                    let granted = self.granted(at + request[0] + request[1]);
                    Event { at, course: self.uplink(at, granted) }
                };
                self.opportunities(Purpose::UplinkControl, period, end).map(event).collect()
            }
            (Direction::Uplink, Access::Configured { period }) => {
                let encoding = self.step(Step::DataEncoding);
                let event = |slot| {
                    let at = Rational::whole(slot).less(encoding);
                    Event { at, course: self.uplink(at, slot) }
                };
                self.opportunities(Purpose::ConfiguredData, period, end).map(event).collect()
            }
        }
    }

    /// Slots in which opportunities are, up to slot `end`.
    fn opportunities(&self, purpose: Purpose, period: Span, end: u64) -> impl Iterator<Item = u64> {
        let period = self.whole(period).unwrap_or(1);
        let all = (0..=end / period).map(|n| self.tdd.next(purpose, n * period));
        let mut slots: Vec<u64> = all.collect();
        slots.dedup();
        slots.into_iter()
    }

    fn downlink(&self, ready: Rational) -> Course {
        let half = self.setting.harq_round_trip.count(self.setting.tti) * HALF;
        let again = |sent: u64| {
            let feedback = self.tdd.feedback(sent, (Rational::whole(sent) + half).ceil());
            let again = (Rational::whole(feedback) + half).ceil();
            self.tdd.next(Purpose::DownlinkData, again)
        };
        let sent = self.tdd.next(Purpose::DownlinkData, ready.ceil());
        let rest = self.step(Step::DownlinkTransmission) + self.step(Step::DownlinkDecoding);
        self.course(ready, (sent, rest), again)
    }

    /// The course of what is first sent in a slot, with the time from there to its delivery.
    fn course(
        &self,
        begun: Rational,
        (sent, rest): (u64, Rational),
        again: impl Fn(u64) -> u64,
    ) -> Course {
        let slots = core::iter::successors(Some(sent), |slot| Some(again(*slot)));
        let delivered = slots.take(self.transmissions).map(|slot| Rational::whole(slot) + rest);
        Course { begun, sent: Rational::whole(sent), delivered: delivered.collect() }
    }

    /// The first uplink slot that may be granted from `ready` on.
    fn granted(&self, ready: Rational) -> u64 {
        let steps = [Step::GrantTransmission, Step::GrantDecoding, Step::DataEncoding];
        let k2: Rational = steps.into_iter().map(|step| self.step(step)).sum();
        let earliest = if self.tdd.is_lte() { ready } else { ready + k2 };
        let mut slot = self.tdd.next(Purpose::UplinkData, earliest.ceil());
        while self.tdd.grant(slot, k2.ceil()).is_none_or(|grant| Rational::whole(grant) < ready) {
            slot = self.tdd.next(Purpose::UplinkData, slot + 1);
        }
        slot
    }

    /// The course of what is sent in an uplink slot.
    fn uplink(&self, begun: Rational, sent: u64) -> Course {
        let rest = self.step(Step::UplinkTransmission) + self.step(Step::UplinkDecoding);
        self.course(begun, (sent, rest), |slot| self.again(slot, rest))
    }

    /// The slot in which a block of an uplink slot is sent again.
    fn again(&self, sent: u64, rest: Rational) -> u64 {
        let begun = Rational::whole(sent);
        self.tdd.again(sent).unwrap_or_else(|| match self.setting.access {
            Access::Instant => {
                let known = Rational::whole((begun + rest).ceil());
                let ready = known + self.step(Step::DataEncoding).less(HALF);
                self.tdd.next(Purpose::UplinkData, ready.ceil())
            }
            _ => {
                let half = self.setting.harq_round_trip.count(self.setting.tti) * HALF;
                self.granted(begun + half)
            }
        })
    }
}

#[cfg(test)]
#[path = "phases_tests.rs"]
mod tests;
