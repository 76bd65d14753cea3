//! Power uplink of a UE that sends on several carriers (TS 36.213, 5.1.1.1; TS 38.213, 7.5).
//!
//! A transmission takes a share of the UE's largest power: its resource blocks over those that get the
//! most power. In each instant the shares of all carriers sum to one at most. Above one, they are scaled
//! down:
//!
//! - LTE: all by the same factor. The transmission with feedback for the downlink keeps its power, and
//!   the others share the rest.
//! - NR: the primary cell keeps its power, then secondary cells in their order. It has the feedback, if
//!   it sends at all.
//!
//! Feedback goes on a PUSCH where the UE sends one, that of the first carrier (TS 36.213, 10.1; TS
//! 38.213, 9). So no PUCCH competes for power.
//!
//! A transmission has the same power in all its symbols: the least that it may have in any of them. The
//! cell knows the headroom of each carrier, and grants in a carrier what the others have left.
//!
//! Left out: PUCCH beside a PUSCH (`simultaneousPUCCH-PUSCH`), random access, and sounding.

use airpath_base::{Duration, Time};

/// Rule by which carriers share the power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One factor for all carriers without feedback (TS 36.213, 5.1.1.1).
    Alike,
    /// Carriers in their order (TS 38.213, 7.5).
    InOrder,
}

/// A transmission of a carrier, and its share of the largest power, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// Number of the carrier; 0 is the primary cell.
    pub carrier: u64,
    /// Number of its TTI in the carrier.
    pub tti: u64,
    pub start: Time,
    pub end: Time,
    pub resource_blocks: u16,
    pub share: f64,
}

/// A transmission that the UE makes.
#[derive(Clone, Copy, Debug)]
struct Sending {
    part: Part,
    /// The factor of its power that [`SharedPower::changed`] has given.
    given: f64,
}

/// Power of a UE over its carriers.
#[derive(Clone, Debug)]
pub(crate) struct SharedPower {
    rule: Rule,
    /// Time for which a transmission counts after its end: until all that overlap it are decoded.
    memory: Duration,
    /// Transmissions that the UE makes.
    sent: Vec<Sending>,
    /// Transmissions that the cell has granted, or expects again.
    granted: Vec<Part>,
    /// Times of feedback for the downlink.
    feedback: Vec<Time>,
}

impl SharedPower {
    /// No transmission yet.
    pub fn new(rule: Rule, memory: Duration) -> SharedPower {
        let (sent, granted) = (Vec::new(), Vec::new());
        SharedPower { rule, memory, sent, granted, feedback: Vec::new() }
    }

    /// Power of the UE in another cell, without a transmission.
    pub fn anew(&self) -> SharedPower {
        SharedPower::new(self.rule, self.memory)
    }

    /// The cell expects a transmission.
    pub fn grant(&mut self, now: Time, part: Part) {
        let before = now.saturating_sub(self.memory);
        self.granted.retain(|other| other.end >= before && !other.is_instead_of(&part));
        self.granted.push(part);
    }

    /// The UE makes a transmission, which the cell expects.
    pub fn send(&mut self, now: Time, part: Part) {
        self.grant(now, part);
        let before = now.saturating_sub(self.memory);
        self.sent.retain(|other| other.part.end >= before && !other.part.is_instead_of(&part));
        self.sent.push(Sending { part, given: 1.0 });
    }

    /// Feedback for the downlink is due at a time.
    pub fn expect_feedback(&mut self, now: Time, due: Time) {
        let before = now.saturating_sub(self.memory);
        self.feedback.retain(|other| *other >= before && *other != due);
        self.feedback.push(due);
    }

    /// The share of the largest power that is left from `start` to `end` beside what is granted.
    pub fn left(&self, (start, end): (Time, Time)) -> f64 {
        let taken = |at: Time| -> f64 {
            let own = self.granted.iter().filter(|part| part.is_at(at));
            own.map(|part| part.share).sum()
        };
        let begun = self.granted.iter().map(|part| part.start);
        let instants = begun.filter(|at| *at > start && *at < end).chain([start]);
        1.0 - instants.map(taken).fold(0.0, f64::max)
    }

    /// The most resource blocks that a new transmission gets, of a carrier with so many, of which
    /// `full_power` get the most power.
    pub fn most(&self, span: (Time, Time), (carrier, full_power): (u16, f64)) -> u16 {
        let left = self.left(span);
        match left >= 1.0 {
            true => carrier,
            false => (left * full_power).floor().clamp(0.0, f64::from(carrier)) as u16,
        }
    }

    /// Transmissions that are not over and whose power is scaled down by another factor than before, with
    /// this factor. It is 1 at first.
    pub fn changed(&mut self, now: Time) -> Vec<(Part, f64)> {
        let factors = self.sent.iter().map(|own| self.factor_of(&own.part)).collect::<Vec<f64>>();
        let mut changed = Vec::new();
        for (own, factor) in self.sent.iter_mut().zip(factors) {
            if own.part.end > now && own.given != factor {
                own.given = factor;
                changed.push((own.part, factor));
            }
        }
        changed
    }

    /// The factor by which the power of a transmission is scaled down, 0 to 1.
    pub fn factor(&self, carrier: u64, start: Time) -> f64 {
        let is_own = |part: &&Part| part.carrier == carrier && part.start == start;
        self.parts().find(is_own).map_or(1.0, |own| self.factor_of(own))
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.sent.iter().map(|own| &own.part)
    }

    fn factor_of(&self, own: &Part) -> f64 {
        let begun = self.parts().map(|part| part.start);
        let instants = begun.filter(|at| *at > own.start && *at < own.end).chain([own.start]);
        instants.map(|at| self.factor_at(own, at)).fold(1.0, f64::min)
    }

    /// The factor of a transmission in an instant.
    fn factor_at(&self, own: &Part, at: Time) -> f64 {
        let beside = || self.parts().filter(|part| part.is_at(at));
        let first = beside().min_by_key(|part| part.carrier).filter(|first| match self.rule {
            Rule::Alike => self.has_feedback(first),
            Rule::InOrder => true,
        });
        let shares = |of: &dyn Fn(&Part) -> bool| -> f64 {
            beside().filter(|part| of(part)).map(|part| part.share).sum()
        };
        let (before, alike) = match (self.rule, first) {
            (_, Some(first)) if first.carrier == own.carrier => return 1.0,
            (Rule::Alike, None) => (0.0, shares(&|_| true)),
            (Rule::Alike, Some(first)) => {
                (first.share, shares(&|part| part.carrier != first.carrier))
            }
            (Rule::InOrder, _) => (shares(&|part| part.carrier < own.carrier), own.share),
        };
        let rest = (1.0 - before).max(0.0);
        if alike > rest { rest / alike } else { 1.0 }
    }

    fn has_feedback(&self, part: &Part) -> bool {
        self.feedback.iter().any(|due| part.is_at(*due))
    }
}

impl Part {
    fn is_at(&self, at: Time) -> bool {
        self.start <= at && at < self.end
    }

    /// True if a carrier has this one in the TTI of another.
    fn is_instead_of(&self, other: &Part) -> bool {
        (self.carrier, self.start) == (other.carrier, other.start)
    }
}

#[cfg(test)]
#[path = "power_tests.rs"]
mod tests;
