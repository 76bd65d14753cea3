//! A bearer whose radio link fails, and what becomes of it.

use airpath_base::Time;
use airpath_net::layers::LayerEvent;
use airpath_net::{Cx, Direction, DropCause, Packet, Stage};

use super::Bearer;

impl Bearer {
    /// The radio link has failed: books the time of each packet by where it waits. Uplink, PDCP's
    /// packets have waited in `uplink`.
    pub(crate) fn fail(&mut self, now: Time, uplink: Stage) {
        for (direction, stage) in Direction::ALL.into_iter().zip([Stage::Pdcp, uplink]) {
            self.charge_waiting(direction, now, stage);
        }
        self.rlc.charge_before_failure(now);
        for receiver in self.receivers.iter_mut().flat_map(|both| both.iter_mut()) {
            receiver.charge(now, Stage::Reordering);
        }
    }

    /// The failure, or the handover, is at its end: books the time of each packet since then.
    pub(crate) fn end_failure(&mut self, now: Time, stage: Stage) {
        Direction::ALL.into_iter().for_each(|way| self.charge_waiting(way, now, stage));
        self.rlc.charge_all(now, stage);
        for receiver in self.receivers.iter_mut().flat_map(|both| both.iter_mut()) {
            receiver.charge(now, stage);
        }
    }

    fn charge_waiting(&mut self, direction: Direction, now: Time, stage: Stage) {
        let charge = &mut |packet: &mut Packet| {
            packet.charge(stage, now.max(packet.stages.until()));
        };
        self.for_each_waiting(direction, charge);
    }

    /// Downlink data are on their way to the cell until a time.
    pub(crate) fn hold(&mut self, until: Time) {
        self.held_until = Some(until);
    }

    /// True while the data of a direction are on their way to the cell.
    pub(super) fn is_held(&self, direction: Direction) -> bool {
        self.held_until.is_some() && direction == Direction::Downlink
    }

    /// Downlink data may have come to the cell: books their time to the handover.
    pub(super) fn end_hold(&mut self, now: Time) {
        if self.held_until.take_if(|until| *until <= now).is_some() {
            self.charge_waiting(Direction::Downlink, now, Stage::Handover);
            self.rlc.charge_side(Direction::Downlink, now, Stage::Handover);
        }
    }

    /// Calls `visit` for each packet that goes along to another cell. In acknowledged mode those of RLC come first that the
    /// receiver does not have as a whole. Those that wait at PDCP follow.
    pub(crate) fn for_each_undelivered(
        &mut self,
        direction: Direction,
        visit: &mut dyn FnMut(&Packet),
    ) {
        self.rlc.for_each_undelivered(direction, visit);
        self.for_each_waiting(direction, &mut |packet| visit(packet));
    }

    /// The connection is re-established: so are RLC and PDCP (TS 36.331, 5.3.5.3; TS 38.331,
    /// 5.3.5.5.4 and 5.3.5.6.5). Packets have waited for it in `stage`.
    pub(crate) fn reestablish(
        &mut self,
        (now, stage): (Time, Stage),
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        self.held_until = None;
        self.end_failure(now, stage);
        let mut handed = std::mem::take(&mut self.handed);
        let ends = Direction::ALL.map(|direction| self.ends(direction));
        let ends = |direction: Direction| ends[direction as usize];
        let cause = match stage {
            Stage::Handover => DropCause::Handover,
            _ => DropCause::LinkFailure,
        };
        let heeds_sets = self.begin_sets(cx);
        let next = self.rlc.reestablish((now, cause), ends, cx, &mut |one| handed.push(one));
        if self.duplicates {
            self.heed_losses(cx);
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        let mut sieve = self.sieve();
        let mut pass = |way, packet| sieve.pass(way, packet).into_iter().for_each(|p| out(way, p));
        self.pass_up(&mut handed, now, cx, &mut pass);
        self.handed = handed;
        for (direction, next) in Direction::ALL.into_iter().zip(next) {
            // Packets of a host have counts before RLC takes them, and its receiver goes on.
            let next = next.filter(|_| self.pdcp.sender(direction).next_count().is_none());
            if let (Some(receivers), Some(next)) = (&mut self.receivers, next) {
                let out = &mut |packet| pass(direction, packet);
                receivers[direction as usize].restart(next, now, out);
            }
        }
        self.end_sieve(sieve, cx);
        self.report_new_state(cx);
    }

    /// The bearer is released with the connection: what it has is dropped, but for what PDCP has
    /// received in NR (TS 38.323, 5.1.3).
    pub(crate) fn release(
        &mut self,
        now: Time,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) {
        self.held_until = None;
        self.end_failure(now, Stage::Reestablishment);
        let ends = Direction::ALL.map(|direction| self.ends(direction));
        let ends = |direction: Direction| ends[direction as usize];
        let heeds_sets = self.begin_sets(cx);
        let next = self.rlc.release(ends, cx);
        if self.duplicates {
            self.heed_losses(cx);
        }
        for (direction, next) in Direction::ALL.into_iter().zip(next) {
            let ([end, _], pdcp) = (ends(direction), &mut self.pdcp);
            cx.at_end(end, |cx| {
                pdcp.sender_mut(direction).drop_all(now, DropCause::LinkFailure, cx);
            });
            let next = self.pdcp.sender(direction).next_count().unwrap_or(next);
            if let Some(receivers) = &mut self.receivers {
                let out = &mut |packet| out(direction, packet);
                receivers[direction as usize].restart(next, now, out);
            }
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        self.report_new_state(cx);
    }

    /// Drops the downlink packets that wait at the cell, or are not confirmed: the target cell does not have
    /// them (TS 36.300, 10.1.2.3). Nothing may be on the air. Packets that the UE has, out of turn, are
    /// delivered. Gives the number of dropped packets.
    pub(crate) fn leave_behind(
        &mut self,
        now: Time,
        cx: &mut Cx<'_>,
        out: &mut impl FnMut(Direction, Packet),
    ) -> u64 {
        let (way, before, mut delivered) = (Direction::Downlink, self.held().packets, 0);
        let out = &mut |way: Direction, packet: Packet| {
            delivered += 1;
            out(way, packet);
        };
        let [end, _] = self.ends(way);
        let heeds_sets = self.begin_sets(cx);
        let mut handed = std::mem::take(&mut self.handed);
        let next =
            cx.at_end(end, |cx| self.rlc.leave_behind((way, now), cx, &mut |one| handed.push(one)));
        if self.duplicates {
            self.heed_losses(cx);
        }
        self.pass_up(&mut handed, now, cx, out);
        self.handed = handed;
        let pdcp = &mut self.pdcp;
        cx.at_end(end, |cx| pdcp.sender_mut(way).drop_all(now, DropCause::Handover, cx));
        let next = pdcp.sender(way).next_count().unwrap_or(next);
        if let Some(receivers) = &mut self.receivers {
            receivers[way as usize].restart(next, now, &mut |packet| out(way, packet));
        }
        if heeds_sets {
            self.end_sets(now, cx);
        }
        self.report_new_state(cx);
        before - self.held().packets - delivered
    }

    fn report_new_state(&mut self, cx: &mut Cx<'_>) {
        cx.tell_layer(|| LayerEvent::Restarted { bearer: self.rlc.bearer() });
        Direction::ALL.into_iter().for_each(|direction| self.report_queue(direction, cx));
        self.report_arrival();
    }
}
