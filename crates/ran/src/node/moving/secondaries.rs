//! Secondary cells of a UE that goes to another cell, and their release while the connection goes on.
//!
//! - With a handover the blocks of the source's secondary cells end as those of its primary cell do.
//! - A release beside a connection that goes on ends HARQ of the secondary cell alone. What its blocks carried is lost for
//!   RLC, as blocks are that were sent too often.

use airpath_base::Time;
use airpath_net::{Direction, SecondaryEnd};

use crate::index::UeIndex;
use crate::node::cell::{Cell, links_of};
use crate::node::common::Moment;
use crate::node::harq::Harq;

impl Cell {
    /// The link of a UE here is known by its mean alone, and it has had nothing.
    pub fn begin_links(&mut self, ue: UeIndex) {
        let expected = links_of(&self.ues[ue.index()], self.carrier_index(), &self.config);
        self.links.restart(&self.config, ue, expected);
        self.means.iter_mut().for_each(|means| means.restart(ue));
    }

    /// The secondary cells of this one are those of a UE that has come to it, once they are added. Its carriers have its
    /// power, and what its category allows in a TTI, anew.
    pub(super) fn take_in_carriers(&mut self, ue: UeIndex) {
        let own = &mut self.ues[ue.index()];
        own.power = own.power.take().map(|power| Box::new(power.anew()));
        own.tti_limit = own.config.most_bytes_of_carriers.map(crate::tti_limit::TtiLimit::new);
        self.for_each_secondary(|cell| cell.begin_links(ue));
    }

    /// The secondary cells of a UE are released, and its connection goes on in the primary cell.
    pub fn release_secondaries(
        &mut self,
        ue: UeIndex,
        why: (Time, SecondaryEnd),
        at: &mut Moment<'_, '_>,
    ) {
        if self.secondaries.is_empty() {
            return;
        }
        self.for_each_secondary(|cell| cell.release_secondary(ue, why, at));
        self.guests.iter_mut().for_each(|book| book.end_away(ue, why, true));
        self.bearers_used(ue);
        self.notice(at.now, ue);
        self.look_at_retransmissions(ue, at);
    }

    /// This secondary cell of a UE is released.
    pub fn release_secondary(
        &mut self,
        ue: UeIndex,
        why: (Time, SecondaryEnd),
        at: &mut Moment<'_, '_>,
    ) {
        self.deactivate(ue, why);
        self.backlogged.set(ue, false);
        self.reported.set(ue, false);
        for direction in Direction::ALL {
            for key in self.take_failed(ue, direction) {
                self.wait_no_longer(key);
                let block = self.blocks.remove(key);
                self.ends_block(ue);
                self.give_up(block, at);
            }
        }
        for key in self.blocks.of(ue) {
            let block = self.take_from_air(key, at.cx);
            self.give_up(block, at);
        }
        for grant in self.harq[ue.index()].up.take_grants() {
            self.withdraw(at.now, ue, grant);
        }
        self.harq[ue.index()] = Harq::default();
    }
}
