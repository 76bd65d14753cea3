//! Quantities of the transport blocks of one direction, of a cell or of a UE.

use airpath_base::measure::{BITS, BPS, BYTES, Column, DB, PLAIN, RESOURCE_BLOCKS, S};
use airpath_base::{documented, fields, measured};
use serde::{Deserialize, Serialize};

use super::source::Window;
use crate::{BlockCounts, DecibelSummary, RangeCounts};

/// Source of the quantities of a direction.
pub(crate) struct RadioAt<'a> {
    pub blocks: &'a BlockCounts,
    /// Time that the UE was out of range; none for a cell.
    pub range: Option<RangeCounts>,
    pub window: Window,
}

measured! {
    from |radio: &RadioAt<'_>|
    /// Transport blocks of one direction.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RadioSummary {
        /// Transmissions, repeated ones too.
        pub transmissions: u64 = radio.blocks.transmissions(),
        /// Resource blocks that they took.
        pub resource_blocks: u64 [RESOURCE_BLOCKS] = radio.blocks.resource_blocks,
        /// Bytes of decoded blocks.
        pub bytes: u64 [BYTES] = radio.blocks.bytes,
        /// Of these, padding.
        pub padding_bytes: u64 [BYTES] = radio.blocks.padding,
        /// Bits delivered, without padding, for each resource block.
        pub bits_per_resource_block: Option<f64> [BITS] = radio.blocks.bits_per_resource_block(),
        /// Share of first transmissions that failed.
        pub bler_first: Option<f64> = radio.blocks.bler().first().copied().flatten(),
        /// Share of transmissions that failed, by attempt.
        pub bler_by_attempt: Vec<Option<f64>> = radio.blocks.bler(),
        /// Mean modulation and coding scheme.
        pub mean_mcs: Option<f64> = radio.blocks.mean_mcs(),
        /// Mean effective SINR.
        pub mean_sinr_db: Option<f64> [DB] = radio.blocks.mean_sinr_db(),
        /// Effective SINR while scheduled: of its transmissions.
        #[serde(default)]
        pub sinr: Option<DecibelSummary> = radio.blocks.sinr.summary(),
        /// Shares of transmissions with one layer, with two and so on, where some have several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub layers: Option<Vec<f64>> = radio.blocks.layer_shares(),
        /// Mean number of UEs in a resource block, where some were sent to several at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ues_per_resource_block: Option<f64> = radio.blocks.shared.mean_ues(),
        /// Mean number of layers in a resource block, of all UEs together, likewise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub layers_per_resource_block: Option<f64> = radio.blocks.shared.mean_layers(),
        /// Bytes of new blocks, decoded or not.
        #[serde(default)]
        pub granted_bytes: u64 [BYTES] = radio.blocks.granted,
        /// Bits of decoded blocks without padding, a second of the run behind its warm-up.
        #[serde(default)]
        pub throughput_bps: Option<f64> [BPS] = radio.throughput(),
        /// Times that a UE could have been served in a TTI but for want of control channel
        /// elements.
        #[serde(default)]
        pub blocked: u64 = radio.blocks.blocked,
        /// Times that a UE had data and resource blocks were left in a TTI, but each of its HARQ processes
        /// (`cell.harq.processes`) was busy. Where there were any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub harq_stalls: Option<u64> = Some(radio.blocks.stalled).filter(|count| *count > 0),
        /// Share of TTIs in which that was so, of these and the TTIs with a transmission. Those of a cell are
        /// the TTIs of all its UEs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub harq_stalled_share: Option<f64> = radio.blocks.stalled_share(),
        /// Grants and assignments that UEs missed: what they were for took its resource blocks in
        /// vain and counts as no transmission.
        #[serde(default)]
        pub missed: u64 = radio.blocks.missed,
        /// Grants uplink that the cell took back for other UEs (`cell.uplink.cancellation`), where there were any. Nothing was
        /// sent, and the block was granted again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cancelled: Option<u64> = Some(radio.blocks.cancelled).filter(|count| *count > 0),
        /// Time out of range, for UEs that were out of range only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub out_of_range: Option<OutOfRangeSummary> =
            radio.range.and_then(|range| out_of_range(range, radio.window)),
    }
}

documented! {
    /// Time that a UE was out of range of its cell in a direction, and got no new data: its CQI was
    /// 0 (TS 36.213, 7.2.3; TS 38.214, 5.2.2.1). In a network its link is measured while it has
    /// something to send or to get.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct OutOfRangeSummary {
        /// Seconds out of range.
        pub seconds: f64 [S],
        /// Time out of range as a share of the run behind its warm-up; of a UE that arrives, of its
        /// stay.
        pub share: f64,
        /// The lowest SINR in dB by which it went out of range, measured over the carrier.
        pub sinr_db: f64 [DB],
    }
}

/// Columns of `cells.parquet`.
pub fn of_cells() -> Vec<Column<RadioSummary>> {
    let mut all = Vec::from(fields!(RadioSummary:
        transmissions, resource_blocks, bytes, padding_bytes, bits_per_resource_block, bler_first,
        mean_mcs, mean_sinr_db
    ));
    all.extend(common());
    all
}

/// Columns of `ues.parquet`.
pub fn of_ues() -> Vec<Column<RadioSummary>> {
    let mut all = Vec::from(fields!(RadioSummary:
        transmissions, resource_blocks, bytes, padding_bytes, bler_first, mean_mcs
    ));
    all.extend(common());
    all
}

/// Columns that cells and UEs have in common behind their own.
fn common() -> Vec<Column<RadioSummary>> {
    let mut all: Vec<_> = ["bler_second", "bler_third", "bler_fourth"]
        .into_iter()
        .zip(1..)
        .map(|(name, attempt)| {
            let meaning = format!(
                "Share of transmissions that failed, of those with number {}.",
                attempt + 1
            );
            Column::number(name, PLAIN, meaning, move |radio: &RadioSummary| {
                radio.bler_by_attempt.get(attempt).copied().flatten()
            })
        })
        .collect();
    let sinr = |name, meaning, read: fn(&DecibelSummary) -> f64| {
        Column::number(name, DB, meaning, move |radio: &RadioSummary| radio.sinr.as_ref().map(read))
    };
    all.extend([
        sinr("sinr_mean_db", "Mean effective SINR of its transmissions.", |s| s.mean_db),
        sinr("sinr_p5_db", "Its 5th percentile.", |s| s.p5_db),
        sinr("sinr_p50_db", "Its median.", |s| s.p50_db),
        sinr("sinr_p95_db", "Its 95th percentile.", |s| s.p95_db),
    ]);
    all.extend(fields!(RadioSummary: granted_bytes, throughput_bps, blocked, missed));
    all
}

impl RadioAt<'_> {
    fn throughput(&self) -> Option<f64> {
        let seconds = self.window.seconds();
        (seconds > 0.0).then(|| self.blocks.delivered_bits() as f64 / seconds)
    }
}

fn out_of_range(counts: RangeCounts, present: Window) -> Option<OutOfRangeSummary> {
    let (out, lowest) = counts.by(present.end)?;
    let (seconds, all) = (out.as_secs_f64(), present.seconds());
    let share = if all > 0.0 { (seconds / all).min(1.0) } else { 1.0 };
    Some(OutOfRangeSummary { seconds, share, sinr_db: f64::from(lowest) })
}
