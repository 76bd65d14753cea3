//! Quantities of a UE: keys of `summary.json` and columns of `ues.parquet`.

use std::collections::BTreeSet;

use airpath_base::measure::{JOULES, S};
use airpath_base::rrc::{State, Usage};
use airpath_base::{Bytes, CellId, Time, UeId, documented, measured};
use serde::{Deserialize, Serialize};

use super::radio::RadioAt;
use super::source::{At, DOWN, UP, Window, named};
use crate::summarise::active_until;
use crate::{Named, RadioLinkCounts, RadioSummary, RrcInfo, UeCounts, UeInfo};

/// Source of a UE's quantities.
pub(crate) type UeAt<'a> = At<'a, UeInfo, UeCounts>;

measured! {
    from |ue: &UeAt<'_>|
    /// A UE.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct UeSummary {
        /// Name of the UE.
        pub name: String = named(ue.info.map(|info| &*info.name), ue.id()),
        /// Name of its cell at the start.
        pub cell: Option<String> =
            ue.info.and_then(|info| info.cell).map(|cell| ue.collector.cell_name(cell)),
        /// Cells that served it as its cell or as a leg, if there was more than one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cells: Option<u64> = ue.cells(),
        /// For UEs without service only: nothing of theirs passes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub no_service: Option<NoServiceSummary> = ue.info.and_then(NoServiceSummary::of),
        /// Time of its arrival, for UEs that arrive. Its throughput is over its stay: from then
        /// until it left, as far as that is behind the warm-up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub arrival_s: Option<f64> [S] = ue.arrival().map(Time::as_secs_f64),
        /// End of the last of its flows; absent if it stayed to the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub left_s: Option<f64> [S] = ue.left().map(Time::as_secs_f64),
        /// Its downlink.
        pub down: RadioSummary = ue.radio(DOWN),
        /// Its uplink.
        pub up: RadioSummary = ue.radio(UP),
        /// Scheduling requests sent.
        pub scheduling_requests: u64 = ue.counts.scheduling_requests,
        /// Failures of its radio link, if there were any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub radio_link: Option<RadioLinkSummary> = RadioLinkSummary::of_any(&ue.counts.radio_link),
        /// Radio states and energy, for UEs with RRC only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rrc: Option<RrcSummary> = ue.rrc(),
    }
}

documented! {
    /// A UE without service: no cell is suitable (TS 36.304, 5.2.3.2; TS 38.304, 5.2.3.2).
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct NoServiceSummary {
        /// RSRP of its strongest cell in dBm; it is not above `cell.q_rx_lev_min`.
        pub rsrp_dbm: f64,
    }
}

measured! {
    from |counts: &RadioLinkCounts|
    /// Failures of a UE's radio link (TS 36.331, 5.3.11; TS 38.331, 5.3.10), and what came of them.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct RadioLinkSummary {
        /// Radio link failures.
        pub failures: u64 = counts.failures(),
        /// Of these, those by the expiry of T310: the UE was out of sync.
        pub out_of_sync: u64 = counts.out_of_sync,
        /// Of these, those by maxRetxThreshold of RLC, at the UE or at the cell.
        pub retransmissions: u64 = counts.retransmissions,
        /// Connections that were re-established.
        pub reestablished: u64 = counts.reestablished,
        /// Times that the UE became idle instead, by the expiry of T311 or T301. What its bearers
        /// held was lost.
        pub lost: u64 = counts.lost,
        /// Time from failures until the connection was there again, or with RRC the cell of an
        /// idle UE.
        pub outage_s: f64 [S] = counts.outage.as_secs_f64(),
    }
}

documented! {
    /// Radio states of a UE over the run, and the energy that they took.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RrcSummary {
        /// Promotions begun.
        pub promotions: u64,
        /// Resumes begun, for UEs that may be inactive.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub resumes: Option<u64>,
        /// Seconds in each state; in `inactive` and `resume` for UEs that may be inactive.
        pub seconds: Named<f64> [S],
        /// Share of the run in each state.
        pub share: Named<f64>,
        /// Seconds of idle and inactive in which it was awake for pages.
        pub paging_s: f64 [S],
        /// Seconds of DRX in which it listened.
        pub on_duration_s: f64 [S],
        /// Seconds of `active` in which it skipped PDCCH monitoring, for UEs that may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub skipping_s: Option<f64> [S],
        /// Joules by what they were spent on; inactive counts as `idle`, a resume as `promotion`.
        pub energy_j: Named<f64> [JOULES],
        /// All of them.
        pub total_energy_j: f64 [JOULES],
        /// Stays in a state that are not in `states.parquet`, which has reached its limit.
        pub states_omitted: u64,
    }
}

impl UeAt<'_> {
    fn id(&self) -> UeId {
        UeId(self.number as u32)
    }

    fn cells(&self) -> Option<u64> {
        let (collector, id) = (self.collector, self.id());
        let moves = collector.handovers().filter(|record| record.ue == id);
        let legs = collector.leg_changes().filter(|leg| leg.ue == id && leg.completed.is_some());
        let mut cells: BTreeSet<CellId> = self.info?.cell.into_iter().collect();
        cells.extend(moves.filter_map(|record| record.reached));
        cells.extend(legs.filter_map(|leg| leg.target));
        (cells.len() > 1).then_some(cells.len() as u64)
    }

    fn arrival(&self) -> Option<Time> {
        self.info.and_then(|info| info.arrival)
    }

    /// Instant at which the UE left, if it arrived and left before the end of the run.
    fn left(&self) -> Option<Time> {
        let end = self.present().end;
        self.arrival().map(|_| end).filter(|left| *left < self.window.end)
    }

    /// The part of the window in which the UE was there: of one that arrives, its stay.
    fn present(&self) -> Window {
        self.arrival().map_or(self.window, |arrival| Window {
            from: self.window.from.max(arrival),
            end: self.last_flow(),
        })
    }

    /// End of the last flow of the UE.
    fn last_flow(&self) -> Time {
        let collector = self.collector;
        let flows = collector.inventory.flows.iter().zip(&collector.flows.items);
        let own = flows.filter(|(info, _)| info.ue == Some(self.id()));
        let ends = own.map(|(info, counts)| active_until(Some(info), counts, self.window.end));
        ends.max().unwrap_or(self.window.end)
    }

    fn radio(&self, way: usize) -> RadioSummary {
        let (blocks, range) = (&self.counts.blocks[way], Some(self.counts.range[way]));
        RadioSummary::of(&RadioAt { blocks, range, window: self.present() })
    }

    fn rrc(&self) -> Option<RrcSummary> {
        rrc(self.info?.rrc.as_ref()?, self.counts)
    }
}

impl NoServiceSummary {
    fn of(info: &UeInfo) -> Option<NoServiceSummary> {
        info.no_service_dbm.map(|rsrp_dbm| NoServiceSummary { rsrp_dbm })
    }
}

impl RadioLinkSummary {
    /// The summary of a link that failed or was away.
    fn of_any(counts: &RadioLinkCounts) -> Option<RadioLinkSummary> {
        let link = RadioLinkSummary::of(counts);
        (link.failures > 0 || link.outage_s > 0.0).then_some(link)
    }
}

fn rrc(info: &RrcInfo, counts: &UeCounts) -> Option<RrcSummary> {
    let rrc = counts.rrc.as_ref()?;
    let bits = |direction: usize| Bytes(counts.blocks[direction].delivered_bits() / 8);
    let usage = Usage { up: bits(UP), down: bits(DOWN), ..rrc.usage };
    let (energy, total) = (info.power.energy(&usage), usage.total().as_secs_f64());
    let seconds = |state: State| usage.time_in(state).as_secs_f64();
    let share = |state| if total > 0.0 { seconds(state) / total } else { 0.0 };
    let inactive = info.states.inactive.is_some();
    let states = || State::ALL.into_iter().filter(|state| inactive || !state.is_suspended());
    let parts = [
        ("idle", energy.idle),
        ("promotion", energy.promotion),
        ("active", energy.active),
        ("drx", energy.drx),
        ("up", energy.up),
        ("down", energy.down),
    ];
    Some(RrcSummary {
        promotions: usage.promotions,
        resumes: inactive.then_some(usage.resumes),
        seconds: states().map(|state| (state.name(), seconds(state))).collect(),
        share: states().map(|state| (state.name(), share(state))).collect(),
        paging_s: usage.paging.as_secs_f64(),
        on_duration_s: usage.listening.as_secs_f64(),
        skipping_s: info.states.skipping.map(|_| usage.skipping.as_secs_f64()),
        energy_j: parts.into_iter().collect(),
        total_energy_j: energy.total(),
        states_omitted: rrc.omitted,
    })
}
