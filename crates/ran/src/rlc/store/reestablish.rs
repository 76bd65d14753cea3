//! A store whose RLC is re-established, or whose bearer is released.

use airpath_base::Time;
use airpath_net::{Cx, DropCause, Held, Packet, Stage};

use super::{Out, Store};
use crate::pdcp::Waiting;

impl Store {
    /// SDUs from `first` on are to be sent anew, the whole of each. The receiver keeps those that it
    /// has all of.
    pub fn rewind(&mut self, first: u64) {
        let unsent = self.unsent();
        self.partial = None;
        self.waiting = Waiting::default();
        self.head = first.max(self.base);
        for (id, sdu) in (self.base..).zip(&mut self.sdus) {
            if id < self.head {
                continue;
            }
            sdu.kept |= sdu.packet.is_some() && sdu.arrived == sdu.size;
            sdu.reported |= id < unsent;
            (sdu.arrived, sdu.doomed) = (0, None);
            self.waiting.sdus += 1;
            self.waiting.bytes += u64::from(sdu.size);
        }
    }

    /// Calls `visit` for each packet that the receiver does not have as a whole.
    pub fn for_each_undelivered(&self, visit: &mut dyn FnMut(&Packet)) {
        let missing = self.sdus.iter().filter(|sdu| !sdu.kept && !sdu.has_arrived());
        missing.filter_map(|sdu| sdu.packet.as_ref()).for_each(visit);
    }

    /// Takes out the packets that the receiver does not have, with their counts. The store ends with its bearer.
    pub fn take_back(&mut self) -> Vec<(u64, Packet)> {
        self.held = Held::default();
        let sdus = self.sdus.iter_mut();
        sdus.filter_map(|sdu| Some((sdu.count, sdu.packet.take()?))).collect()
    }

    /// Hands up all SDUs that the receiver has kept: what is missing between them will not come.
    pub fn hand_up_all_kept(&mut self, now: Time, out: Out<'_>) {
        for id in self.base..self.end() {
            self.hand_up_kept(id, now, out);
        }
    }

    /// Drops all that is here and forgets it; gives the number of the next SDU.
    pub fn clear(&mut self, cause: DropCause, cx: &mut Cx<'_>) -> u64 {
        let end = self.end();
        for id in self.base..end {
            self.drop(id, cause, cx);
        }
        self.sdus.clear();
        (self.base, self.head) = (end, end);
        (self.partial, self.waiting) = (None, Waiting::default());
        end
    }

    /// Books the time of each packet by where it stands: partly sent or not, on the air, or complete
    /// at the receiver, out of turn.
    pub fn charge(&mut self, now: Time, on_air: Stage) {
        let unsent = self.unsent();
        for (id, sdu) in (self.base..).zip(&mut self.sdus) {
            let stage = match sdu.kept || sdu.arrived == sdu.size {
                true => Stage::Reordering,
                false if id >= unsent => Stage::Rlc,
                false => on_air,
            };
            sdu.packet.iter_mut().for_each(|packet| {
                packet.charge(stage, now.max(packet.stages.until()));
            });
        }
    }

    /// Books the time of each packet to `stage`.
    pub fn charge_all(&mut self, now: Time, stage: Stage) {
        for packet in self.sdus.iter_mut().filter_map(|sdu| sdu.packet.as_mut()) {
            packet.charge(stage, now.max(packet.stages.until()));
        }
    }
}
