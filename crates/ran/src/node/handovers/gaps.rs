//! Measurement gaps of a UE, and its change from carrier to carrier.
//!
//! A UE has gaps while a cell serves it, it is connected and measures other carriers. They begin when nothing that the
//! cell has decided before can fall into one, and end with the command of a handover.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, Event, RadioEvent};

use super::{Handovers, UeHandover};
use crate::node::Ran;
use crate::node::serving::Serving;

impl UeHandover {
    /// True if the UE measures cells on other carriers.
    fn measures_others(&self) -> bool {
        self.neighbours.are_measured() && self.others.are_measured()
    }
}

impl Ran {
    /// A gap of a UE may end now.
    pub(super) fn end_gap(&self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let own = all.ue(ue);
        let Some(from) = own.gaps_from else { return };
        let length = own.measuring.gaps().length();
        let begin = now.saturating_sub(length);
        if own.measuring.due(now).other.is_some() && begin >= from {
            let cell = self.serving[ue.index()].cell;
            cx.emit(|| Event::Radio(RadioEvent::Gap { ue, cell, begin, end: now }));
        }
    }

    /// A UE may be served on another carrier, and may begin or end to have gaps.
    pub(super) fn follow_carrier(&mut self, all: &mut Handovers, now: Time, ue: UeId) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let needs = all.config.handover.other_carriers.needs_gaps;
        let carrier = all.carriers.of(cell).0;
        let own = all.ue(ue);
        own.measuring.serve(now, carrier);
        let source = &mut self.cells[cell.index()];
        let served = !own.phase.is_between() && source.has_link(index);
        let has_gaps = needs && served && own.measures_others();
        match (has_gaps, source.has_gaps(index)) {
            (true, false) => {
                let from = source.next_free(now);
                source.set_gaps(index, Some((own.measuring.gaps(), from)));
                own.gaps_from = Some(from);
            }
            (false, true) => source.set_gaps(index, None),
            _ => {}
        }
        own.gaps_from = own.gaps_from.filter(|_| has_gaps);
        own.measuring.set_gaps(own.gaps_from.is_some_and(|from| from <= now));
    }
}
