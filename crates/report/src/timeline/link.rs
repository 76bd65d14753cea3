//! The links of a window block by block: SINR, and the modulation and coding scheme chosen.

use std::collections::BTreeMap;

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use airpath_stats::percentile;

use super::rows::{Block, Rows};
use crate::words::with_unit;

/// More UEs are not told apart.
const MOST_UES: usize = 12;

/// SINR and MCS of the blocks downlink over time; none if none was received.
pub fn chart(rows: &Rows) -> Option<Chart> {
    let own: Vec<&Block> =
        rows.blocks.iter().filter(|block| !block.up && block.sinr_db.is_some()).collect();
    let mut groups: BTreeMap<&str, Vec<&Block>> = BTreeMap::new();
    for block in &own {
        groups.entry(&block.ue).or_default().push(block);
    }
    if groups.len() > MOST_UES {
        groups = BTreeMap::from([("all UEs", own.clone())]);
    }
    let panel = |y: Axis, value: &dyn Fn(&Block) -> f64| {
        let layer = |(n, (ue, blocks)): (usize, (&&str, &Vec<&Block>))| {
            let mark = Mark::Points {
                x: blocks.iter().map(|block| block.start() as f64 / 1e9).collect(),
                y: blocks.iter().map(|block| value(block)).collect(),
                values: Vec::new(),
                names: Vec::new(),
            };
            Layer::new(&Series::new(*ue, n), mark).meaning("point: a transport block downlink")
        };
        let layers = groups.iter().enumerate().map(layer).collect();
        Panel { x: Axis::new("time", "s"), y, layers, ..Panel::default() }
    };
    let sinr: Vec<f64> = own.iter().filter_map(|block| block.sinr_db).collect();
    let at = |per_mille| Some(with_unit(percentile(&sinr, per_mille)?, "dB"));
    let sentence = format!(
        "SINR of {} blocks downlink: {} in the median, {} at the 5th and {} at the 95th percentile.",
        sinr.len(),
        at(500)?,
        at(50)?,
        at(950)?
    );
    let panels = vec![
        Panel {
            title: "SINR".into(),
            ..panel(Axis::new("effective SINR", "dB"), &|block| block.sinr_db.unwrap_or(f64::NAN))
        },
        Panel {
            title: "MCS".into(),
            ..panel(Axis::new("MCS", "").from_zero(), &|block| block.numbers[10] as f64)
        },
    ];
    Some(Chart {
        id: "link".into(),
        title: "The radio link, block by block".into(),
        sentence,
        panels,
        columns: 1,
        shared_x: true,
    })
}
