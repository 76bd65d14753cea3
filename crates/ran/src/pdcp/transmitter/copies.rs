//! The transmitter of a split bearer with duplication (TS 38.323, 5.11).

use airpath_base::{Duration, Time};
use airpath_net::{Cx, DropCause, Held, Packet, Stage};

use super::{Sdu, Transmitter};
use crate::pdcp::copies::{self, CopyNews};
use crate::pdcp::counts::Counts;

impl Transmitter {
    /// There is a leg that copies go to.
    pub fn begin_copying(&mut self) {
        self.copies_mut().into_iter().for_each(|copies| copies.active = true);
    }

    /// There is no leg that copies go to any more: gives those that waited for it, with their counts.
    pub fn end_copying(&mut self) -> Vec<(u64, Packet)> {
        let Some(copies) = self.copies_mut() else { return Vec::new() };
        copies.active = false;
        copies.other.drain(..).collect()
    }

    /// True if packets are duplicated now.
    pub fn is_copying(&self) -> bool {
        self.copies().is_some_and(|copies| copies.active)
    }

    /// True if something waits that a leg has not got.
    pub fn has_for_leg(&self) -> bool {
        match self.copies() {
            Some(copies) if copies.active => {
                !copies.other.is_empty() || self.oldest_new().is_some()
            }
            _ => self.waiting.sdus > 0,
        }
    }

    /// RLC of the anchor takes a packet: its copy waits for the leg.
    pub(super) fn copy_for_leg(&mut self, sdu: &Sdu, cx: &mut Cx<'_>) {
        let (limit, header) = (self.limit, self.header);
        let (Some(count), Some(copies)) = (sdu.count, self.copies_mut()) else { return };
        if !copies.active {
            return;
        }
        let copy = copies.double(count, &sdu.packet);
        copies.other.push_back((count, copy));
        let beyond = copies.pop_beyond(limit, header);
        self.books.received.book(&sdu.packet);
        if let Some((count, packet)) = beyond {
            self.withdraw(count, packet, DropCause::QueueFull, cx);
        }
    }

    /// The next copy for the leg: of a packet that RLC of the anchor has taken, else of the next new one. That waits for
    /// the anchor then.
    pub(super) fn take_copy(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let waiting = self.copies_mut().and_then(|copies| copies.other.pop_front());
        if let Some((count, packet)) = waiting {
            let size = self.size(&packet);
            return Some(Sdu { size, packet, flow: 0, count: Some(count), reported: true });
        }
        let mut sdu = self.take_new(now, cx)?;
        self.books.received.book(&sdu.packet);
        if let (Some(count), Some(copies)) = (sdu.count, self.copies_mut()) {
            let copy = copies.double(count, &sdu.packet);
            copies.own.push_back((count, std::mem::replace(&mut sdu.packet, copy)));
        }
        Some(sdu)
    }

    /// One of this count has come to the receiver. True if it is to be delivered: none of it came before.
    pub fn comes_first(&mut self, count: u64) -> bool {
        self.copies_mut().is_none_or(|copies| copies.come(count))
    }

    /// One of this count will not come. True if its packet is lost with it.
    pub fn ends(&mut self, count: u64) -> bool {
        self.copies_mut().is_none_or(|copies| copies.end(count))
    }

    /// One of this count comes back from a leg that ends. True if it has to be sent again.
    pub fn comes_back(&mut self, count: u64) -> bool {
        self.copies_mut().is_none_or(|copies| copies.come_back(count))
    }

    /// RLC of the other path has confirmed these counts: takes them out if they wait here. Gives the counts that did.
    pub fn confirm(&mut self, counts: &[u64]) -> Vec<u64> {
        let took = counts.iter().copied().filter(|count| match self.counts.as_deref_mut() {
            Some(Counts::Twin(waiting)) => copies::take(waiting, *count).is_some(),
            Some(own) => own.copies_mut().is_some_and(|copies| copies.take(*count).is_some()),
            None => false,
        });
        let took: Vec<u64> = took.collect();
        for count in &took {
            self.note_withdrawal(*count);
        }
        self.count();
        took
    }

    /// A copy was withdrawn. True if its packet is lost with it.
    pub fn note_withdrawal(&mut self, count: u64) -> bool {
        self.copies_mut().is_some_and(|copies| copies.withdraw(count))
    }

    /// The discard timer of duplicated packets that wait may have run out (TS 38.323, 5.3).
    pub(super) fn discard_copies_after(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        if self.oldest_copy().is_none_or(|oldest| now.saturating_since(oldest) < limit) {
            return;
        }
        let begin = now.saturating_sub(limit);
        while let Some((count, packet)) =
            self.copies_mut().and_then(|copies| copies.pop_older(begin))
        {
            self.withdraw(count, packet, DropCause::DiscardTimer, cx);
            self.count();
        }
    }

    fn withdraw(&mut self, count: u64, packet: Packet, cause: DropCause, cx: &mut Cx<'_>) {
        if self.note_withdrawal(count) {
            cx.waiting_in(Stage::Pdcp, |cx| cx.drop(packet, cause));
        }
    }

    /// Drops all that waits outside of the queues, for this cause.
    pub(super) fn drop_counted(&mut self, cause: DropCause, cx: &mut Cx<'_>) {
        while let Some((count, packet, _)) =
            self.counts.as_mut().and_then(|counts| counts.pop_again())
        {
            if self.ends(count) {
                cx.drop(packet, cause);
            }
        }
        while let Some((count, packet)) =
            self.copies_mut().and_then(|copies| copies.other.pop_front())
        {
            if self.ends(count) {
                cx.drop(packet, cause);
            }
        }
    }

    /// Packets that are there twice, with their bytes.
    pub fn surplus(&self) -> Held {
        self.copies().map(|copies| copies.surplus()).unwrap_or_default()
    }

    /// Takes out the counts of copies since the last call.
    pub(crate) fn take_copy_news(&mut self) -> CopyNews {
        self.copies_mut().map(|copies| copies.take_news()).unwrap_or_default()
    }

    /// Begin of the wait of the oldest duplicated packet.
    pub(super) fn oldest_copy(&self) -> Option<Time> {
        self.copies()?.oldest()
    }

    fn copies(&self) -> Option<&copies::Copies> {
        self.counts.as_ref()?.copies()
    }

    fn copies_mut(&mut self) -> Option<&mut copies::Copies> {
        self.counts.as_mut()?.copies_mut()
    }
}
