//! Quantities of a sample of a UE that moves: columns of `positions.parquet`.

use airpath_base::measure::{BPS, Column, DB, DBM, KMH, METRES, MS, S};
use airpath_base::row;

use crate::{Collector, PositionRow};

row! {
    from |(run, row): (&Collector, &PositionRow)|
    /// A UE that moves, at a time.
    pub(crate) struct Position {
        /// Time of the sample.
        time_s: f64 [S] = row.at.as_secs_f64(),
        /// Name of the UE.
        ue: String = run.ue_name(row.position.ue),
        /// Position to the east.
        x_m: f64 [METRES] = row.position.at_m[0],
        /// Position to the north.
        y_m: f64 [METRES] = row.position.at_m[1],
        /// Speed.
        speed_kmh: f64 [KMH] = row.position.speed * 3.6,
        /// Name of the cell that serves it.
        cell: String = run.cell_name(row.position.cell),
        /// RSRP of that cell, without fading (TS 36.214, 5.1.1; TS 38.215, 5.1.1).
        rsrp_dbm: f64 [DBM] = row.position.rsrp_dbm,
        /// Ratio of that cell to noise and all other cells, with all sending and without fading.
        geometry_db: f64 [DB] = row.position.sinr_db,
    }
}

/// Columns of what the flows of the UE carried before a position, for runs with handovers.
pub(crate) fn carried() -> [Column<[f32; 2]>; 2] {
    let value = |value: f32| Some(f64::from(value)).filter(|value| !value.is_nan());
    [
        Column::number(
            "throughput_bps",
            BPS.more(),
            "Bits of IP of the data packets of its flows that arrived since the position before, a second; of full \
             buffers the bits in decoded blocks. No column without `network.handover`.",
            move |carried: &[f32; 2]| value(carried[0]),
        ),
        Column::number(
            "delay_ms",
            MS.less(),
            "Mean one-way delay of these packets. No column without `network.handover`.",
            move |carried: &[f32; 2]| value(carried[1]),
        ),
    ]
}
