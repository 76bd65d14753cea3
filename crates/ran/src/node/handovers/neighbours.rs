//! Measurements of neighbours and of other carriers, which the serving cell configures by reports of A1 and A2.
//!
//! Simplified: the message of the serving cell has the time of a command and of its processing, and is not lost. A UE
//! that seeks a cell, or is idle, measures all cells.

use airpath_base::{Time, UeId};

use super::{Handovers, Phase};
use crate::handover::{Offsets, View};
use crate::node::Ran;
use crate::node::cell::Cell;
use crate::node::serving::Serving;

impl Ran {
    /// Reports of A1 and A2 of a UE, and measurements that begin or end by s-Measure. `sampled` says whether there are
    /// new measurements.
    pub(super) fn follow_neighbours(
        &mut self,
        all: &mut Handovers,
        (now, sampled): (Time, bool),
        ue: UeId,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let serving = cell.index();
        let config = &all.config.handover;
        let offsets = Offsets::of(&config.offsets, serving);
        let own = &mut all.ues[ue.index()];
        let view = View { serving, secondary: None, values: own.measuring.values(), offsets };
        let source = &self.cells[serving];
        let heard = |cell: &Cell| cell.has_link(index) && cell.hears(index);
        // With several carriers a cell has no finite value before its first measurement.
        let known = view.values.get(serving).is_none_or(|value| value.is_finite());
        for neighbours in [&mut own.neighbours, &mut own.others].into_iter().filter(|_| known) {
            if let Some(on) = neighbours.report((now, sampled), &view)
                && heard(source)
            {
                let sent = source.config.timing.downlink_preparation + source.config.tti.length();
                neighbours.configure(now + sent + config.procedure.rrc_processing, on);
            }
        }
        if sampled {
            all.restart_neighbours(now, ue, serving);
        }
        if matches!(all.ue(ue).phase, Phase::Served) && self.cells[serving].has_link(index) {
            all.release_unmeasured(now, ue);
        }
    }
}

impl Handovers {
    /// The source begins to release candidates whose measurement it has ended: the UE cannot execute there.
    fn release_unmeasured(&mut self, now: Time, ue: UeId) {
        let own = &mut self.ues[ue.index()];
        let Some(conditional) = own.conditional.as_deref_mut() else { return };
        let (all, others) = (own.neighbours.are_configured(), own.others.are_configured());
        if all && others {
            return;
        }
        let unmeasured = |cell: &usize| !all || !own.measuring.is_own(*cell);
        let cells = conditional.candidates.all().iter().map(|one| one.cell).filter(unmeasured);
        let cells: Vec<usize> = cells.collect();
        conditional.release(now, cells);
    }

    /// Begins measurements of a UE's neighbours, if it is time.
    pub(super) fn restart_neighbours(&mut self, now: Time, ue: UeId, serving: usize) {
        let own = &mut self.ues[ue.index()];
        let value = own.measuring.values().get(serving).copied().filter(|value| value.is_finite());
        let (all, others) = (own.neighbours.follow(now, value), own.others.follow(now, None));
        match (all, others) {
            (true, _) => own.measuring.restart(serving),
            (false, true) => own.measuring.restart_others(),
            (false, false) => {}
        }
    }
}
