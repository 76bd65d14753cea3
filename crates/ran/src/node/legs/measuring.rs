//! Measurements of legs by a UE with an anchor, and reports of events.
//!
//! Without a leg the UE reports cells of NR by event B1 (TS 36.331, 5.5.4.7). With a leg it reports another cell by event
//! A3, and the leg by event A2 (TS 38.331, 5.5.4.4 and 5.5.4.3).
//!
//! Decision: no measurement gaps. Reason: a UE of EN-DC has a second receiver, and its leg is on another band than its
//! anchor. Price: a UE that shares a receiver between both needs gaps before the addition.

use airpath_base::{CellId, Dbm, Time, UeId};

use super::Legs;
use crate::config::DualConnectivity;
use crate::handover::{Report, Sample, Trigger, View};
use crate::node::Ran;

/// A reported change of the leg.
enum Wanted {
    /// Another leg, or the first one.
    Target(CellId),
    /// No leg.
    None,
}

impl Ran {
    /// A sample of the carrier of legs may be due, and reports with it. A report begins a change.
    pub(super) fn measure_legs(&mut self, legs: &mut Legs, (now, ue): (Time, UeId)) {
        let sampled = legs.ue(ue).measuring.next_due() <= now;
        if sampled {
            legs.measure(now, ue);
        }
        match legs.report((now, sampled), ue) {
            Some(Wanted::Target(target)) => self.begin_change(legs, (now, ue), Some(target)),
            Some(Wanted::None) => self.begin_change(legs, (now, ue), None),
            None => {}
        }
    }
}

impl Legs {
    /// Takes a sample of all cells on the carrier of legs.
    fn measure(&mut self, now: Time, ue: UeId) {
        self.rsrp.clear();
        let mut noise = Dbm(-200.0);
        let own = &mut self.ues[ue.index()];
        for n in 0..self.occasions.len() {
            let link = own.channel.mean_link(ue, CellId(n as u16));
            self.rsrp.push(link.map_or(f64::NEG_INFINITY, |link| link.rsrp.0));
            noise = link.map_or(noise, |link| link.noise);
        }
        own.measuring.sample(now, &Sample { rsrp: &self.rsrp, noise: noise.0 });
    }

    /// The change that a UE's events report now, if they report any.
    fn report(&mut self, (now, sampled): (Time, bool), ue: UeId) -> Option<Wanted> {
        let first = self.first;
        let serving = self.leg(ue).map(|leg| self.position(leg).index());
        let own = &mut self.ues[ue.index()];
        if !own.measuring.is_complete() {
            return None;
        }
        let view = View {
            serving: serving.unwrap_or(usize::MAX),
            secondary: None,
            values: own.measuring.values(),
            offsets: DualConnectivity::offsets(),
        };
        let report = |trigger: &mut Trigger| match sampled {
            true => trigger.measure(now, &view),
            false => trigger.poll(now, &view),
        };
        let best = |report: Report| {
            let best = report.neighbours.first()?;
            Some(Wanted::Target(CellId((first + best.cell) as u16)))
        };
        if serving.is_none() {
            own.change.iter_mut().chain(&mut own.release).for_each(Trigger::reset);
            return report(&mut own.addition).and_then(best);
        }
        own.addition.reset();
        let change = own.change.as_mut().and_then(report).and_then(best);
        let release = own.release.as_mut().and_then(report).map(|_| Wanted::None);
        change.or(release)
    }
}
