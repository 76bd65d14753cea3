//! The warm-up: time at the beginning that no statistic counts.
//!
//! Packets, frames and requests count by their birth. Blocks, queues, deliveries, retransmissions
//! and a controller's reports count by their time. Events at the end of the warm-up are behind it.

use airpath_base::Time;

use super::{CellCounts, Collector, RadioQueues, UeCounts};

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
        self.sample(now);
        self.plan();
    }

    /// Says when something is to be done next.
    pub(super) fn plan(&mut self) {
        let begins = if self.warming { self.from } else { Time::MAX };
        self.due = begins.min(self.series.next());
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
        self.cells.items.iter_mut().for_each(CellCounts::begin);
        self.ues.items.iter_mut().for_each(|ue| ue.begin(at));
        self.flows.items.iter_mut().for_each(|flow| flow.begin(at));
    }
}

impl CellCounts {
    fn begin(&mut self) {
        self.blocks = Default::default();
        self.control.used = 0;
    }
}

impl UeCounts {
    fn begin(&mut self, at: Time) {
        self.radio_link.begin(at);
        self.blocks = Default::default();
        self.range.iter_mut().for_each(|range| range.begin(at));
        self.scheduling_requests = 0;
    }
}

impl RadioQueues {
    fn begin(&mut self, at: Time) {
        let queue = self.queue.map(|queue| queue.begun(at));
        *self = RadioQueues { queue, ..RadioQueues::default() };
    }
}

#[cfg(test)]
#[path = "../warm_up_tests.rs"]
mod tests;
