//! What can change while the network runs.
//!
//! - The SNR of a UE whose link is fixed counts at once: for what is received from then on, also
//!   for blocks that were decided for another, and for what the cell decides, which knows it at
//!   once as it knows fixed links from the beginning. A link of a network follows from the place
//!   where its UE was dropped.
//! - Queues and markers of bearers change as their kinds do; what waits stays.
//! - A full buffer that is paused has no data; what of it is in blocks still arrives.

use airpath_base::{BearerId, Db, Time, UeId};
use airpath_net::{BearerQueue, Change, ChangeError, Cx, Direction, QueueChange};

use super::Ran;
use super::telling::tell_range;
use crate::air::Link;

impl Ran {
    pub(super) fn alter(
        &mut self,
        now: Time,
        change: &Change,
        cx: &mut Cx<'_>,
    ) -> Result<(), ChangeError> {
        match *change {
            Change::Snr { ue, direction, snr } => {
                self.change_snr((ue, direction), snr, cx)?;
                self.link_changes(now, ue);
                Ok(())
            }
            Change::BearerQueue(queue, change) => self.change_queue(now, queue, change),
            Change::UplinkMarker(bearer, change) => {
                let bearer = self.bearers.get_mut(bearer.index());
                bearer.ok_or_else(no_bearer)?.change_marker(change)
            }
            Change::FullBuffer { bearer, direction, active } => {
                self.pause_full_buffer(now, (bearer, direction), !active, cx)
            }
            _ => Err(ChangeError::new("is a radio access network")),
        }
    }

    fn change_snr(
        &mut self,
        (id, direction): (UeId, Direction),
        snr: Db,
        cx: &mut Cx<'_>,
    ) -> Result<(), ChangeError> {
        let ue = self.ues.get_mut(id.index()).ok_or_else(|| ChangeError::new("has no such UE"))?;
        let Link::Fixed { downlink, uplink, full_power } = &mut ue.config.link else {
            let why = "has links that follow from where UEs were dropped, and no SNR to set";
            return Err(ChangeError::new(why));
        };
        let ratio = snr.linear();
        match direction {
            Direction::Downlink => *downlink = ratio,
            Direction::Uplink => (*uplink, *full_power) = (ratio, f64::INFINITY),
        }
        ue.full_power = *full_power;
        ue.expected[direction as usize] = ratio;
        let (c, place) = self.serving(id);
        let cell = &mut self.cells[c];
        if let Some(range) = cell.links.fix(&cell.config, direction, place, ratio) {
            tell_range(id, direction, range, cx);
        }
        Ok(())
    }

    fn change_queue(
        &mut self,
        now: Time,
        BearerQueue { bearer, flow, direction }: BearerQueue,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        let bearer = self.bearers.get_mut(bearer.index()).ok_or_else(no_bearer)?;
        bearer.change_queue(now, (direction, usize::from(flow)), change)
    }

    fn pause_full_buffer(
        &mut self,
        now: Time,
        (bearer, direction): (BearerId, Direction),
        pause: bool,
        cx: &mut Cx<'_>,
    ) -> Result<(), ChangeError> {
        let entity = self.bearers.get_mut(bearer.index()).ok_or_else(no_bearer)?;
        let full = entity.config.full_buffers[direction as usize];
        let full = full.ok_or_else(|| ChangeError::new("has no full buffer there"))?;
        if std::mem::replace(&mut entity.paused[direction as usize], pause) != pause {
            let is_on = full.start <= now && full.stop.is_none_or(|stop| now < stop);
            let flow = Some(full.flow).filter(|_| is_on);
            self.set_full_buffer(now, (bearer, direction), flow, cx);
        }
        Ok(())
    }
}

fn no_bearer() -> ChangeError {
    ChangeError::new("has no such bearer")
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
