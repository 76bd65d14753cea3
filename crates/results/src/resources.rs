//! Use of the cells' resource blocks and control channel, by QCI and by class of traffic.

use std::collections::{BTreeMap, BTreeSet};

use airpath_base::CellId;
use serde::{Deserialize, Serialize};

use crate::measures::source::{DOWN, UP, Window};
use crate::{BearerInfo, CellCounts, CellInfo, Collector, Named};
use airpath_base::documented;
use airpath_base::measure::SHARE;

documented! {
    /// Resources that all cells together used, of those in all slots behind the warm-up (D. Brunello,
    /// KTH 2020, 5.3.8 and appendix C).
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct ResourcesSummary {
        /// Share of the downlink's resource blocks (PDSCH), 0 to 1: transmissions, repeated ones
        /// too, and what UEs missed.
        pub pdsch: Option<f64> [SHARE],
        /// Share of these that transmissions with data of bearers took, by class of traffic. That
        /// is `bearer.traffic_class`, or else the kinds of application whose packets the bearer
        /// carries in this direction, as `video` or `tcp+web`; `other` if none. Without blocks of
        /// padding only, and blocks that UEs missed, they add up to `pdsch`.
        pub pdsch_by_class: Named<f64> [SHARE],
        /// Share of the uplink's resource blocks (PUSCH), 0 to 1, counted as `pdsch`, with what UEs
        /// left unused.
        pub pusch: Option<f64> [SHARE],
        /// Share of the uplink's resource blocks by class of traffic, counted as `pdsch_by_class`.
        /// Acknowledgements and reports count for the application that they answer.
        pub pusch_by_class: Named<f64> [SHARE],
        /// Share of the control channel elements (PDCCH) that grants took; null with an ideal
        /// control channel. A cell without grants counts with as many elements as others have.
        pub pdcch: Option<f64> [SHARE],
    }
}

/// Resource blocks that a cell has in the window downlink and uplink, and control channel
/// elements.
pub(crate) fn offered(info: Option<&CellInfo>, elements: u16, window: Window) -> [f64; 3] {
    let Some(info) = info.filter(|info| !info.slot.is_zero()) else { return [0.0; 3] };
    let slots = window.seconds() / info.slot.as_secs_f64();
    let [down, up] = info.resource_blocks;
    let mut each = [down, up, elements].map(f64::from).into_iter();
    info.shares.map(|share| slots * share * each.next().unwrap_or(0.0))
}

/// The share of what is offered, if anything is.
pub(crate) fn share(used: f64, offered: f64) -> Option<f64> {
    (offered > 0.0).then(|| used / offered)
}

/// Shares by name.
pub(crate) fn shares<K>(
    used: BTreeMap<K, f64>,
    name: impl Fn(K) -> String,
    offered: f64,
) -> Named<f64> {
    let shares = used.into_iter();
    shares.filter_map(|(class, used)| Some((name(class), share(used, offered)?))).collect()
}

impl Collector {
    /// Resource blocks that bearers took in a direction, by `class`; in one cell, or in all.
    pub(crate) fn used_by<K: Ord>(
        &self,
        cell: Option<CellId>,
        direction: usize,
        class: impl Fn(usize, &BearerInfo) -> K,
    ) -> BTreeMap<K, f64> {
        let mut used = BTreeMap::new();
        let bearers = self.inventory.bearers.iter().zip(&self.bearers.items).enumerate();
        for (n, (info, counts)) in bearers {
            let own = self.inventory.cell_of(info.ue);
            let further = |of: CellId| counts.in_carriers.iter().find(|(cell, _)| *cell == of);
            let taken = match cell {
                Some(cell) if own != Some(cell) => further(cell).map(|(_, taken)| taken[direction]),
                Some(_) => {
                    let further = counts.in_carriers.iter().map(|(_, taken)| taken[direction]);
                    Some(counts.resource_blocks[direction] - further.sum::<f64>())
                }
                None => Some(counts.resource_blocks[direction]),
            };
            if let Some(taken) = taken {
                *used.entry(class(n, info)).or_default() += taken;
            }
        }
        used
    }

    /// Classes of traffic of all bearers, downlink and uplink.
    pub(crate) fn traffic_classes(&self) -> Vec<[String; 2]> {
        let bearers = &self.inventory.bearers;
        let mut kinds: Vec<[BTreeSet<&str>; 2]> = vec![Default::default(); bearers.len()];
        for flow in &self.inventory.flows {
            let Some((direction, kind)) = flow.direction.zip(flow.application.as_deref()) else {
                continue;
            };
            let data = direction as usize;
            for (bearer, way) in flow.bearers.iter().zip([data, 1 - data]) {
                if let Some(kinds) = bearer.and_then(|bearer| kinds.get_mut(bearer.index())) {
                    kinds[way].insert(kind);
                }
            }
        }
        let class = |(info, kinds): (&BearerInfo, &[BTreeSet<&str>; 2])| {
            [DOWN, UP].map(|way| match (&info.traffic_class, &kinds[way], &kinds[1 - way]) {
                (Some(class), ..) => class.clone(),
                (None, own, other) if own.is_empty() => joined(other),
                (None, own, _) => joined(own),
            })
        };
        bearers.iter().zip(&kinds).map(class).collect()
    }

    pub(crate) fn resources(&self, window: Window, classes: &[[String; 2]]) -> ResourcesSummary {
        let most = self.cells.items.iter().map(|cell| cell.control.elements).max().unwrap_or(0);
        let (mut used, mut all) = ([0.0; 3], [0.0; 3]);
        let none = CellCounts::default();
        for (n, info) in self.inventory.cells.iter().enumerate() {
            let counts = self.cells.items.get(n).unwrap_or(&none);
            let elements = match counts.control.elements {
                0 => most,
                elements => elements,
            };
            let blocks = |way: usize| counts.blocks[way].resource_blocks as f64;
            add(&mut used, [blocks(DOWN), blocks(UP), counts.control.used as f64]);
            add(&mut all, offered(Some(info), elements, window));
        }
        let [pdsch, pusch, pdcch] = [0, 1, 2].map(|n| share(used[n], all[n]));
        let [pdsch_by_class, pusch_by_class] = [DOWN, UP].map(|way| {
            let used = self.used_by(None, way, |n, _| classes[n][way].as_str());
            shares(used, str::to_owned, all[way])
        });
        ResourcesSummary { pdsch, pdsch_by_class, pusch, pusch_by_class, pdcch }
    }
}

fn add(sum: &mut [f64; 3], more: [f64; 3]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

fn joined(kinds: &BTreeSet<&str>) -> String {
    let kinds: Vec<&str> = kinds.iter().copied().collect();
    if kinds.is_empty() { "other".to_owned() } else { kinds.join("+") }
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
