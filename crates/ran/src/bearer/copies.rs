//! A split bearer with duplication (TS 38.323, 5.11): copies that are lost, not needed, or withdrawn.

use airpath_base::Time;
use airpath_net::{Cx, Direction, DropCause, Event, Held, Packet, RadioEvent};

use super::Bearer;
use crate::pdcp::CopyNews;

impl Bearer {
    /// There is a leg from now on: packets are duplicated in the directions with duplication.
    pub(crate) fn begin_copying(&mut self) {
        for direction in Direction::ALL {
            self.pdcp.sender_mut(direction).begin_copying();
        }
    }

    /// There is no leg any more. Gives the packets that waited for it and have to be sent again, with their counts.
    pub(crate) fn end_copying(&mut self, direction: Direction) -> Vec<(u64, Packet)> {
        let waited = self.pdcp.sender_mut(direction).end_copying();
        self.without_others(direction, waited)
    }

    /// Leaves those of a leg's packets that have to be sent again, as nothing else of them is on its way or has come.
    pub(crate) fn without_others(
        &mut self,
        direction: Direction,
        mut packets: Vec<(u64, Packet)>,
    ) -> Vec<(u64, Packet)> {
        let sender = self.pdcp.sender_mut(direction);
        packets.retain(|(count, _)| sender.comes_back(*count));
        packets
    }

    /// Packets that RLC has lost since the last call: drops those of which nothing else is on its way or has come.
    pub(super) fn heed_losses(&mut self, cx: &mut Cx<'_>) {
        for direction in Direction::ALL {
            for (count, packet, cause) in self.take_lost(direction) {
                self.lose_copy(direction, (count, packet), cause, cx);
            }
        }
    }

    /// Takes out the packets that RLC has lost since the last call, with their counts.
    pub(crate) fn take_lost(&mut self, direction: Direction) -> Vec<(u64, Packet, DropCause)> {
        self.rlc.news(direction).map(|news| std::mem::take(&mut news.lost)).unwrap_or_default()
    }

    /// Takes out the counts of packets that RLC has confirmed since the last call.
    pub(crate) fn take_confirmed(&mut self, direction: Direction) -> Vec<u64> {
        self.rlc.news(direction).map(|news| std::mem::take(&mut news.confirmed)).unwrap_or_default()
    }

    /// A path has lost a packet, which counts as lost if nothing else of it is on its way or has come.
    pub(crate) fn lose_copy(
        &mut self,
        direction: Direction,
        (count, packet): (u64, Packet),
        cause: DropCause,
        cx: &mut Cx<'_>,
    ) {
        let [sender, receiver] = self.ends(direction);
        let end = if self.rlc.is_acknowledged() { sender } else { receiver };
        if self.pdcp.sender_mut(direction).ends(count) {
            cx.at_end(end, |cx| cx.drop(packet, cause));
        }
    }

    /// The other path has confirmed packets: takes out those of which nothing has been sent. Gives their counts.
    pub(crate) fn confirm(
        &mut self,
        (direction, now): (Direction, Time),
        counts: &[u64],
        cx: &mut Cx<'_>,
    ) -> Vec<u64> {
        let took = self.pdcp.sender_mut(direction).confirm(counts);
        if !took.is_empty() {
            self.rlc.settle(direction, now, self.pdcp.sender(direction));
            self.report_queue(direction, cx);
            self.report_arrival();
        }
        took
    }

    /// A leg has withdrawn copies of these counts.
    pub(crate) fn note_withdrawals(&mut self, direction: Direction, counts: &[u64]) {
        let sender = self.pdcp.sender_mut(direction);
        counts.iter().for_each(|count| {
            sender.note_withdrawal(*count);
        });
    }

    /// Packets that are in the bearer and in its leg, or between them, and count once: those beyond the first of each.
    pub(crate) fn surplus(&self) -> Held {
        let of = |direction| self.pdcp.sender(direction).surplus();
        Direction::ALL.map(of).into_iter().fold(Held::default(), Held::plus)
    }

    /// Reports copies since the last report.
    pub(crate) fn report_copies(&mut self, cx: &mut Cx<'_>) {
        let bearer = self.id();
        for direction in Direction::ALL {
            let news = self.pdcp.sender_mut(direction).take_copy_news();
            if news != CopyNews::default() {
                let CopyNews { made, withdrawn, needless } = news;
                let event = RadioEvent::Copies { bearer, direction, made, withdrawn, needless };
                cx.emit(|| Event::Radio(event));
            }
        }
    }
}

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;
