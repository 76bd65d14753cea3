//! The warm-up: time at the beginning that no statistic counts.
//!
//! Packets, frames and requests count by their birth. Blocks, queues, deliveries, retransmissions
//! and a controller's reports count by their time. Events at the end of the warm-up are behind it,
//! but for transport blocks: one that is received at that instant was sent before. One that is received
//! at the end of the run counts. So a window has no more blocks than intervals. Control channels count
//! from the end of the warm-up until before the end of the run, by the interval that a decision begins.

use airpath_base::{Duration, Time};

use super::{Collector, RadioQueues, UeCounts};

impl Collector {
    /// Beginning of the statistics.
    pub fn from(&self) -> Time {
        self.from
    }

    /// End of the run.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Takes the samples that are due by `now`, and ends the warm-up if it is over. Events at an
    /// instant belong to the interval that it begins.
    #[cold]
    pub(super) fn catch_up(&mut self, now: Time) {
        if self.warming && now >= self.from {
            self.sample(self.from);
            self.begin(self.from);
        }
        if now >= self.blocks_from() {
            self.begin_blocks();
        }
        self.sample(now);
        self.plan();
    }

    /// Says when something is to be done next.
    pub(super) fn plan(&mut self) {
        let begins = if self.warming { self.from } else { self.blocks_from() };
        self.due = begins.min(self.series.next());
    }

    /// The instant behind the end of the warm-up, until blocks count from there.
    fn blocks_from(&self) -> Time {
        match self.blocks_warming {
            true => self.from + Duration::from_nanos(1),
            false => Time::MAX,
        }
    }

    /// Begins the statistics of transport blocks.
    pub(super) fn begin_blocks(&mut self) {
        self.blocks_warming = false;
        self.carry_blocks_over();
        self.cells.items.iter_mut().for_each(|cell| cell.blocks = Default::default());
        self.ues.items.iter_mut().for_each(|ue| ue.blocks = Default::default());
        for bearer in &mut self.bearers.items {
            (bearer.resource_blocks, bearer.in_carriers) = Default::default();
        }
    }

    /// Begins the statistics of queues, cells and receivers at `at`, and goes on with the samples
    /// as if nothing had happened.
    pub(super) fn begin(&mut self, at: Time) {
        self.warming = false;
        self.carry_over(at);
        for node in &mut self.nodes.items {
            node.early = (node.drops, node.marks);
            if let Some(queue) = &mut node.queue {
                queue.begin(at);
            }
        }
        self.bearers.items.iter_mut().for_each(|bearer| bearer.begin(at));
        self.cells.items.iter_mut().for_each(|cell| cell.control.begin());
        self.ues.items.iter_mut().for_each(|ue| ue.begin(at));
        self.flows.items.iter_mut().for_each(|flow| flow.begin(at));
    }
}

impl UeCounts {
    fn begin(&mut self, at: Time) {
        self.radio_link.begin(at);
        self.range.iter_mut().for_each(|range| range.begin(at));
        self.scheduling_requests = 0;
    }
}

impl RadioQueues {
    fn begin(&mut self, at: Time) {
        let queue = self.queue.map(|queue| queue.begun(at));
        let RadioQueues { resource_blocks, in_carriers, .. } = std::mem::take(self);
        *self = RadioQueues { queue, resource_blocks, in_carriers, ..RadioQueues::default() };
    }
}

#[cfg(test)]
#[path = "../warm_up_tests.rs"]
mod tests;
