//! A store of a direction with duplication by PDCP (TS 38.323, 5.11): another path may have its packets as well.

use airpath_net::{DropCause, Packet};

use super::Store;

/// News of the SDUs of a store, for PDCP.
#[derive(Debug, Default)]
pub(crate) struct Copied {
    /// True in acknowledged mode.
    acknowledged: bool,
    /// SDUs that will not come, with PDCP's counts.
    pub lost: Vec<(u64, Packet, DropCause)>,
    /// Counts of SDUs whose delivery has been confirmed.
    pub confirmed: Vec<u64>,
}

impl Copied {
    /// The transmitter has done with an SDU of this count: in acknowledged mode its delivery is confirmed, and that of all
    /// before it.
    pub(super) fn confirm(&mut self, count: u64) {
        if self.acknowledged {
            self.confirmed.push(count);
        }
    }
}

impl Store {
    /// Keeps news of its SDUs from now on, where it drops none itself.
    pub fn keep_news(&mut self, acknowledged: bool) {
        self.copied = Some(Box::new(Copied { acknowledged, ..Copied::default() }));
    }

    /// News since they were taken out; none without duplication.
    pub fn news(&mut self) -> Option<&mut Copied> {
        self.copied.as_deref_mut()
    }

    /// An SDU is lost, which another path may have.
    pub(super) fn note_loss(&mut self, id: u64, packet: Packet, cause: DropCause) {
        let count = self.get(id).map_or(id, |sdu| sdu.count);
        self.copied.get_or_insert_default().lost.push((count, packet, cause));
    }
}
