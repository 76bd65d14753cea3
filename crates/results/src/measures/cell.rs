//! Quantities of a cell: keys of `summary.json` and columns of `cells.parquet`.

use airpath_base::measure::{Column, SHARE};
use airpath_base::{CellId, measured};
use airpath_net::Direction;
use serde::{Deserialize, Serialize};

use super::radio::RadioAt;
use super::source::{At, DOWN, UP};
use crate::resources;
use crate::{BearerInfo, CellCounts, CellInfo, Named, RadioSummary};

/// Source of a cell's quantities, with the classes of traffic of all bearers.
pub(crate) type CellAt<'a> = At<'a, CellInfo, CellCounts, Vec<[String; 2]>>;

measured! {
    from |cell: &CellAt<'_>|
    /// A cell.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct CellSummary {
        /// Name of the cell.
        pub name: String = cell.collector.cell_name(cell.id()),
        /// Share of the downlink's resource blocks that were used, 0 to 1; with time division
        /// duplex, of the slots that carry it.
        pub utilisation: Option<f64> [SHARE] = cell.used(DOWN),
        /// Share of the uplink's resource blocks that were used, 0 to 1; with time division duplex,
        /// of the slots that carry it.
        pub utilisation_up: Option<f64> [SHARE] = cell.used(UP),
        /// Share of the downlink's resource blocks that transmissions with data of bearers took, by
        /// their QCI ("5QI 80" for a 5QI). Without blocks of padding only they add up to
        /// `utilisation`.
        #[serde(default)]
        pub utilisation_by_qci: Named<f64> [SHARE] = cell.used_by_qci(DOWN),
        /// Share of the uplink's resource blocks that transmissions with data of bearers took, by
        /// their QCI or 5QI.
        #[serde(default)]
        pub utilisation_by_qci_up: Named<f64> [SHARE] = cell.used_by_qci(UP),
        /// Share of the downlink's resource blocks by class of traffic, as in
        /// `resources.pdsch_by_class`.
        #[serde(default)]
        pub utilisation_by_class: Named<f64> [SHARE] = cell.used_by_class(DOWN),
        /// Share of the uplink's resource blocks by class of traffic, as in
        /// `resources.pusch_by_class`.
        #[serde(default)]
        pub utilisation_by_class_up: Named<f64> [SHARE] = cell.used_by_class(UP),
        /// Share of the control channel elements that grants took; null with an ideal control
        /// channel, and where there was no grant.
        #[serde(default)]
        pub control_utilisation: Option<f64> [SHARE] =
            resources::share(cell.counts.control.used as f64, cell.offered()[2]),
        /// Its downlink.
        pub down: RadioSummary = cell.radio(DOWN),
        /// Its uplink.
        pub up: RadioSummary = cell.radio(UP),
    }
}

/// Column of the direction that a row is of.
pub fn direction() -> Column<Direction> {
    Column::text("direction", "`down` or `up`.", |way: &Direction| way.name())
}

/// Column of the share of resource blocks used in that direction.
pub fn utilisation() -> Column<Option<f64>> {
    let meaning = "Share of the resource blocks that were used, 0 to 1.";
    Column::number("utilisation", SHARE, meaning, |share: &Option<f64>| *share)
}

impl CellAt<'_> {
    fn id(&self) -> CellId {
        CellId(self.number as u16)
    }

    /// Resource blocks in each direction and control channel elements that there were.
    fn offered(&self) -> [f64; 3] {
        resources::offered(self.info, self.counts.control.elements, self.window)
    }

    fn used(&self, way: usize) -> Option<f64> {
        resources::share(self.counts.blocks[way].resource_blocks as f64, self.offered()[way])
    }

    fn used_by_qci(&self, way: usize) -> Named<f64> {
        let class = |_, info: &BearerInfo| (info.five_qi, info.qci);
        let used = self.collector.used_by(Some(self.id()), way, class);
        resources::shares(used, class_name, self.offered()[way])
    }

    fn used_by_class(&self, way: usize) -> Named<f64> {
        let class = |n: usize, _: &_| self.run[n][way].as_str();
        let used = self.collector.used_by(Some(self.id()), way, class);
        resources::shares(used, str::to_owned, self.offered()[way])
    }

    fn radio(&self, way: usize) -> RadioSummary {
        RadioSummary::of(&RadioAt {
            blocks: &self.counts.blocks[way],
            range: None,
            window: self.window,
        })
    }
}

/// Class of service: 5QI, if it is one, and identifier.
type Class = (Option<u8>, u8);

/// `9` for QCI 9, `5QI 9` for 5QI 9.
pub(crate) fn class_name((five_qi, identifier): Class) -> String {
    five_qi.map_or_else(|| identifier.to_string(), |five_qi| format!("5QI {five_qi}"))
}
