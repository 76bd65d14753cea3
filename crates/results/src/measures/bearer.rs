//! Quantities of a bearer: keys of `summary.json` and columns of `bearers.parquet`.

use airpath_base::measure::{BITS, Column, MS, PER_BIT, PLAIN, RESOURCE_BLOCKS, SHARE};
use airpath_base::{BearerId, Duration, fields, measured};
use airpath_net::{Direction, DropCause};
use serde::{Deserialize, Serialize};

use super::queue::QueueAt;
use super::source::{At, DOWN, UP, causes, named};
use crate::{BearerInfo, BudgetCounts, Collector, Named, QueueSummary, RadioQueues};

/// Source of a bearer's quantities, with the traffic of each bearer of the run.
pub(crate) type BearerAt<'a> = At<'a, BearerInfo, RadioQueues, Vec<Carried>>;

/// Traffic of the flows that are mapped to one bearer, by direction.
#[derive(Clone, Copy, Default)]
pub(crate) struct Carried {
    bytes: [u64; 2],
    drops: [u64; DropCause::ALL.len()],
    /// Packets within the delay budget, and all that were judged by it.
    judged: [(u64, u64); 2],
}

measured! {
    from |bearer: &BearerAt<'_>|
    /// A bearer.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct BearerSummary {
        /// Name of the bearer.
        pub name: String = named(bearer.info.map(|info| &*info.name), BearerId(bearer.number as u32)),
        /// Name of its UE.
        pub ue: Option<String> = bearer.info.map(|info| bearer.collector.ue_name(info.ue)),
        /// QoS class identifier; with a 5QI that.
        pub qci: u8 = bearer.info.map(|info| info.qci).unwrap_or_default(),
        /// 5QI; absent where it has a QCI.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub five_qi: Option<u8> = bearer.info.and_then(|info| info.five_qi),
        /// `um` or `am`.
        pub rlc_mode: String = bearer.info.map(|info| info.rlc_mode.clone()).unwrap_or_default(),
        /// Downlink queue at PDCP and RLC.
        pub queue: QueueSummary = bearer.queue(DOWN),
        /// Uplink queue.
        pub queue_up: QueueSummary = bearer.queue(UP),
        /// Drops at the radio by cause, of flows that are mapped to this bearer.
        pub dropped: Named<u64> = causes(&bearer.carried().drops),
        /// Times that RLC AM sent something again, both directions.
        pub rlc_retransmissions: u64 = bearer.counts.rlc_retransmissions.iter().sum(),
        /// Bits of IP, or of full buffers, that arrived of flows that are mapped to this bearer.
        pub delivered_bits: u64 [BITS] = bearer.carried().bytes.iter().sum::<u64>() * 8,
        /// Downlink resource blocks of all transmissions of transport blocks with its data.
        /// Repeated ones count, and so do retransmissions of RLC and its status reports about the
        /// uplink. Where bearers share a block, its resource blocks are divided by bytes of RLC
        /// PDUs. Blocks of padding only count for no bearer.
        pub resource_blocks: f64 [RESOURCE_BLOCKS] = bearer.counts.resource_blocks[DOWN],
        /// Uplink resource blocks of all transmissions of transport blocks with its data, counted
        /// as those of the downlink.
        pub resource_blocks_up: f64 [RESOURCE_BLOCKS] = bearer.counts.resource_blocks[UP],
        /// Downlink resource blocks for each of these bits that arrived downlink.
        pub resource_blocks_per_bit: Option<f64> [PER_BIT] = bearer.cost(DOWN),
        /// Uplink resource blocks for each of these bits that arrived uplink.
        pub resource_blocks_per_bit_up: Option<f64> [PER_BIT] = bearer.cost(UP),
        /// Packet delay budget of its QCI or 5QI in milliseconds (TS 23.203, table 6.1.7-A; TS
        /// 23.501, table 5.7.4-1).
        #[serde(default)]
        pub delay_budget_ms: Option<f64> [MS] =
            bearer.info.and_then(|info| info.delay_budget).map(Duration::as_millis_f64),
        /// Share of the downlink packets within it: from arrival at the gateway to arrival at the
        /// UE, without the path before the gateway (TS 23.501, 5.7.3.4). What was dropped in
        /// between is outside; what was dropped before the gateway, or is on its way at the end,
        /// does not count.
        #[serde(default)]
        pub within_delay_budget: Option<f64> [SHARE] = bearer.within(DOWN),
        /// Share of the uplink packets within the delay budget, from their hand-over by the UE to
        /// their departure from the gateway, wherever they go then.
        #[serde(default)]
        pub within_delay_budget_up: Option<f64> [SHARE] = bearer.within(UP),
    }
}

/// Columns of `bearers.parquet` before those of its queues.
pub fn columns() -> Vec<Column<BearerSummary>> {
    let mut all = Vec::from(fields!(BearerSummary:
        name, ue, qci, five_qi, rlc_mode, delivered_bits, rlc_retransmissions
    ));
    let dropped = "Packets dropped at the radio, of flows that are mapped to this bearer.";
    all.push(Column::count("dropped", PLAIN, dropped, |bearer: &BearerSummary| {
        bearer.dropped.iter().map(|(_, n)| n).sum()
    }));
    all.extend(fields!(BearerSummary:
        resource_blocks, resource_blocks_up, resource_blocks_per_bit, resource_blocks_per_bit_up,
        delay_budget_ms, within_delay_budget, within_delay_budget_up
    ));
    all
}

impl BearerAt<'_> {
    fn carried(&self) -> Carried {
        self.run.get(self.number).copied().unwrap_or_default()
    }

    fn queue(&self, way: usize) -> QueueSummary {
        QueueSummary::of(&QueueAt { queue: &self.counts.queue[way], window: self.window })
    }

    /// Resource blocks for each bit that arrived.
    fn cost(&self, way: usize) -> Option<f64> {
        let bits = self.carried().bytes[way] * 8;
        (bits > 0).then(|| self.counts.resource_blocks[way] / bits as f64)
    }

    /// Share of packets within the delay budget.
    fn within(&self, way: usize) -> Option<f64> {
        let (within, all) = self.carried().judged[way];
        (all > 0).then(|| within as f64 / all as f64)
    }
}

impl Collector {
    /// Traffic of each bearer, by the flows that are mapped to it.
    pub(crate) fn carried(&self) -> Vec<Carried> {
        let mut all = vec![Carried::default(); self.inventory.bearers.len()];
        for (info, counts) in self.inventory.flows.iter().zip(&self.flows.items) {
            let data_up = info.direction == Some(Direction::Uplink);
            let legs = [(&counts.data, data_up), (&counts.feedback, !data_up)];
            for ((bearer, (leg, up)), judged) in info.bearers.iter().zip(legs).zip(counts.budgets) {
                let Some(carried) = bearer.and_then(|b| all.get_mut(b.index())) else { continue };
                carried.bytes[usize::from(up)] += leg.received_bytes;
                if !info.has_packets() {
                    carried.bytes[usize::from(up)] += counts.delivered_bytes();
                }
                if let Some(BudgetCounts { within, outside, .. }) = judged {
                    let judged = &mut carried.judged[usize::from(up)];
                    (judged.0, judged.1) = (judged.0 + within, judged.1 + within + outside);
                }
                carried.drops.iter_mut().zip(leg.radio_drops).for_each(|(all, n)| *all += n);
            }
        }
        all
    }
}
