//! Filling of a transport block from the logical channels of a UE.

use airpath_base::Time;
use airpath_net::{Cx, Direction};

use super::Bearer;
use crate::config::Sharing;
use crate::index::BearerIndex;
use crate::rlc::Pdu;

/// Result of filling a transport block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filled {
    /// Bytes of PDUs and headers.
    pub used: u32,
}

/// Fills one transport block.
pub struct Filler<'a> {
    /// Bearers of the UE.
    pub bearers: &'a mut [Bearer],
    /// List that receives PDUs.
    pub pdus: &'a mut Vec<(BearerIndex, Pdu)>,
    /// Direction.
    pub direction: Direction,
    /// The present.
    pub now: Time,
    /// True if MAC headers take room.
    pub mac_header: bool,
    /// Bytes of the block.
    pub size: u32,
    used: u32,
    last_pdu: u32,
}

impl<'a> Filler<'a> {
    /// Begins an empty block of `size` bytes of which `reserved` are taken by MAC
    /// control elements.
    pub fn new(
        bearers: &'a mut [Bearer],
        pdus: &'a mut Vec<(BearerIndex, Pdu)>,
        (direction, now): (Direction, Time),
        mac_header: bool,
        (size, reserved): (u32, u32),
    ) -> Filler<'a> {
        let used = reserved.min(size);
        Filler { bearers, pdus, direction, now, mac_header, size, used, last_pdu: 0 }
    }

    /// Fills the block from the bearers in this order, that of their priority.
    pub fn fill(mut self, order: &[BearerIndex], sharing: Sharing, cx: &mut Cx<'_>) -> Filled {
        match sharing {
            Sharing::Equal => self.equally(order, cx),
            Sharing::Priority => self.by_priority(order, cx),
        }
        Filled { used: self.used }
    }

    fn equally(&mut self, order: &[BearerIndex], cx: &mut Cx<'_>) {
        let mut count = 0;
        for &own in order {
            let believed = self.bearers[own.index()].believed(self.direction, self.now);
            self.bearers[own.index()].planned = believed;
            count += u32::from(believed > 0);
        }
        let Some(share) = (self.size - self.used).checked_div(count) else { return };
        for &own in order {
            let bearer = &mut self.bearers[own.index()];
            if bearer.planned > 0 {
                if self.direction == Direction::Downlink {
                    bearer.report_share(share);
                }
                self.build(own, share, cx);
            }
        }
    }

    /// TS 36.321, 5.4.3.1: first what the buckets allow (step 1), then strictly by priority
    /// (step 3). A channel that has both parts is served with both at once, so that it makes
    /// one PDU of them. Its bucket pays for the first part alone (step 2).
    fn by_priority(&mut self, order: &[BearerIndex], cx: &mut Cx<'_>) {
        let mut left = self.size - self.used;
        for &own in order {
            let wanted = self.wanted(own);
            let bearer = &mut self.bearers[own.index()];
            let allowed = bearer.bucket_mut(self.direction).allowance(self.now);
            let first = wanted.min(allowed).min(left);
            bearer.planned = first;
            left -= first;
        }
        for &own in order {
            let wanted = self.wanted(own);
            let planned = self.bearers[own.index()].planned;
            // The unused rest of this channel's part goes to the channels behind it.
            let share = planned + left.min(wanted.saturating_sub(planned).saturating_add(HEADER));
            if wanted == 0 || share == 0 {
                continue;
            }
            let (used, served) = self.build(own, share, cx);
            let in_step_1 = served.min(planned);
            self.bearers[own.index()].bucket_mut(self.direction).spend(in_step_1);
            left = (left + planned).saturating_sub(used);
        }
    }

    fn wanted(&self, own: BearerIndex) -> u32 {
        match self.bearers[own.index()].queued(self.direction, self.now) {
            0 => 0,
            total if self.mac_header => total.saturating_add(HEADER),
            total => total,
        }
    }

    /// Builds PDUs of one channel within `share` bytes, their headers included;
    /// gives the bytes taken, and those of them that are MAC SDUs.
    #[inline(always)]
    fn build(&mut self, own: BearerIndex, share: u32, cx: &mut Cx<'_>) -> (u32, u32) {
        let (before, mut served) = (self.used, 0);
        loop {
            // PDUs of NR have their MAC subheaders in them.
            let header = if self.bearers[own.index()].is_nr() { 0 } else { self.header() };
            let taken = self.used - before;
            let free = (share.saturating_sub(taken)).min(self.size - self.used);
            let Some(room) = free.checked_sub(header).filter(|&room| room > 0) else { break };
            let bearer = &mut self.bearers[own.index()];
            let Some(pdu) = bearer.build(self.direction, self.now, room, cx) else { break };
            self.used += header + pdu.size;
            self.last_pdu = pdu.size;
            served += pdu.size;
            self.pdus.push((own, pdu));
        }
        (self.used - before, served)
    }

    /// Bytes of the subheader of one more PDU. They are its own byte, and the length field that the
    /// PDU before needs when it is no longer the last (TS 36.321, 6.1.2).
    fn header(&self) -> u32 {
        match (self.mac_header, self.last_pdu) {
            (false, _) => 0,
            (true, 0) => 1,
            (true, 1..=127) => 2,
            (true, _) => 3,
        }
    }
}

/// The largest subheader.
const HEADER: u32 = 3;

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
