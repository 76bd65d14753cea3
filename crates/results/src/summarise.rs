//! From counters to the summary of a run.

use std::collections::BTreeMap;

use airpath_base::{CellId, NodeId, Time, UeId};

use crate::collect::Drops;
use crate::measures::link::LinkAt;
use crate::measures::source::{At, Window, causes, named};
use crate::summary::*;
use crate::users::over;
use crate::{
    BearerSummary, CellSummary, Collector, FlowCounts, FlowInfo, FlowSummary, LinkSummary, Named,
    UeSummary,
};

/// Facts of a run that the caller knows.
#[derive(Clone, Debug, Default)]
pub struct RunFacts {
    /// The scenario as it was run.
    pub scenario: serde_json::Value,
    /// Seed.
    pub seed: u64,
    /// End of the run.
    pub end: Time,
    /// True if that was the planned end.
    pub complete: bool,
    /// Changes while it ran.
    pub changes: Vec<ChangeSummary>,
}

impl Collector {
    /// Summary of the run. A flow, UE, cell or bearer that the inventory does not name goes by its
    /// number.
    pub fn summary(&self, facts: RunFacts) -> RunSummary {
        let window = Window { from: self.from(), end: facts.end };
        let classes = self.traffic_classes();
        let named = &self.inventory;
        RunSummary {
            format: FORMAT.into(),
            version: VERSION.into(),
            complete: facts.complete,
            changes: facts.changes,
            scenario: facts.scenario,
            seed: facts.seed,
            duration_s: facts.end.as_secs_f64(),
            warm_up_s: self.from().as_secs_f64(),
            flows: self.each(&named.flows, &self.flows.items, window, &(), FlowSummary::of),
            ues: self.each(&named.ues, &self.ues.items, window, &(), UeSummary::of),
            cells: self.each(&named.cells, &self.cells.items, window, &classes, CellSummary::of),
            bearers: self.each(
                &named.bearers,
                &self.bearers.items,
                window,
                &self.carried(),
                BearerSummary::of,
            ),
            links: self.link_summaries(window),
            resources: self.resources(window, &classes),
            users: over::summaries(&self.users(facts.end), self.low_rate),
            events: EventCounts::of(self),
        }
    }

    /// One summary for each thing that is named or counted, read from its [`At`].
    fn each<I, C: Clone + Default, R, S>(
        &self,
        infos: &[I],
        counts: &[C],
        window: Window,
        run: &R,
        summary: impl Fn(&At<'_, I, C, R>) -> S,
    ) -> Vec<S> {
        let nothing = C::default();
        let all = 0..infos.len().max(counts.len());
        let at = |number| At {
            collector: self,
            number,
            info: infos.get(number),
            counts: counts.get(number).unwrap_or(&nothing),
            window,
            run,
        };
        all.map(|number| summary(&at(number))).collect()
    }

    fn link_summaries(&self, window: Window) -> Vec<LinkSummary> {
        let links = self.inventory.links.iter().map(|info| {
            let queue = self.queue(info.node, window.end).unwrap_or_default();
            LinkSummary::of(&LinkAt { collector: self, info, queue, window })
        });
        links.collect()
    }

    /// Drops by name of node, cell or UE; those of the same name together.
    pub(crate) fn dropped_at(&self) -> Named<Named<u64>> {
        let mut places = BTreeMap::new();
        let mut all: Vec<(String, Drops)> = Vec::new();
        for ((node, end), drops) in self.drops_by_spot() {
            if drops.iter().all(|n| *n == 0) {
                continue;
            }
            let name = self.inventory.spot(node, end);
            let place = *places.entry(name.clone()).or_insert(all.len());
            match all.get_mut(place) {
                Some((_, sum)) => sum.iter_mut().zip(drops).for_each(|(sum, n)| *sum += n),
                None => all.push((name, drops)),
            }
        }
        all.into_iter().map(|(name, drops)| (name, causes(&drops))).collect()
    }

    pub(crate) fn node_name(&self, node: NodeId) -> String {
        named(self.inventory.nodes.get(node.index()).map(|n| &**n), node)
    }

    pub(crate) fn ue_name(&self, ue: UeId) -> String {
        named(self.inventory.ues.get(ue.index()).map(|i| &*i.name), ue)
    }

    pub(crate) fn cell_name(&self, cell: CellId) -> String {
        named(self.inventory.cells.get(cell.index()).map(|i| &*i.name), cell)
    }
}

/// End of a flow. Packets on their way at its planned stop are delivered after, and take time too.
pub(crate) fn active_until(info: Option<&FlowInfo>, counts: &FlowCounts, end: Time) -> Time {
    let gave_up = counts.media.as_ref().and_then(|media| media.gave_up);
    let stop = gave_up.or(info.and_then(|info| info.stop));
    let stop = stop.map(|stop| match counts.last_delivery {
        Some(last) => last.max(stop),
        None => stop,
    });
    counts.finished.or(stop).map_or(end, |over| over.min(end))
}

#[cfg(test)]
#[path = "summarise_tests.rs"]
pub(crate) mod tests;
