//! The links of a window block by block: SINR, modulation and coding scheme, and layers where there are several.

use std::collections::BTreeMap;

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use airpath_stats::percentile;

use super::rows::{Block, Rows};
use crate::words::with_unit;

/// Greatest number of UEs with colours of their own.
const MOST_UES: usize = 12;
/// Index of grey among the colours of charts.
const GREY: usize = 6;

fn resource_blocks(block: &Block) -> i64 {
    block.numbers[6]
}

/// Blocks by UE, each with the index of the colour that the timeline gives to the UE.
fn groups<'a>(rows: &'a Rows, own: &[&'a Block]) -> Vec<(usize, &'a str, Vec<&'a Block>)> {
    let mut busy: BTreeMap<&str, i64> = BTreeMap::new();
    for block in &rows.blocks {
        *busy.entry(&block.ue).or_default() += resource_blocks(block);
    }
    let mut ues: Vec<(&str, i64)> = busy.into_iter().collect();
    ues.sort_by_key(|(_, used)| std::cmp::Reverse(*used));
    if ues.len() > MOST_UES {
        return vec![(0, "all UEs", own.to_vec())];
    }
    let of = |(n, (ue, _)): (usize, (&'a str, i64))| {
        let blocks: Vec<&Block> = own.iter().copied().filter(|block| block.ue == ue).collect();
        // The timeline leaves out the grey of the palette, which is for other UEs.
        (if n < GREY { n } else { n + 1 }, ue, blocks)
    };
    let all = ues.into_iter().enumerate().map(of);
    all.filter(|(_, _, blocks)| !blocks.is_empty()).collect()
}

/// SINR, MCS and layers over time of the blocks of the direction that used more resource blocks; none if
/// none was received. Downlink, MCSs from `first_256qam` on are 256QAM.
pub fn chart(rows: &Rows, first_256qam: Option<u8>) -> Option<Chart> {
    let measured = || rows.blocks.iter().filter(|block| block.sinr_db.is_some());
    let used = |up: bool| measured().filter(move |block| block.up == up).map(resource_blocks);
    let up = used(true).sum::<i64>() > used(false).sum::<i64>();
    let way = if up { "uplink" } else { "downlink" };
    let own: Vec<&Block> = measured().filter(|block| block.up == up).collect();
    let groups = groups(rows, &own);
    let panel = |y: Axis, value: &dyn Fn(&Block) -> f64| {
        let layer = |(n, ue, blocks): &(usize, &str, Vec<&Block>)| {
            let mark = Mark::Points {
                x: blocks.iter().map(|block| block.start() as f64 / 1e9).collect(),
                y: blocks.iter().map(|block| value(block)).collect(),
                values: Vec::new(),
                names: Vec::new(),
            };
            let meaning = format!("point: a transport block {way}");
            Layer::new(&Series { colour: *n, ..Series::new(*ue, *n) }, mark).meaning(&meaning)
        };
        let layers = groups.iter().map(layer).collect();
        Panel { x: Axis::new("time", "s"), y, layers, ..Panel::default() }
    };
    let sinr: Vec<f64> = own.iter().filter_map(|block| block.sinr_db).collect();
    let at = |per_mille| Some(with_unit(percentile(&sinr, per_mille)?, "dB"));
    let sentence = format!(
        "SINR of {} blocks {way}: {} in the median, {} at the 5th and {} at the 95th percentile.",
        sinr.len(),
        at(500)?,
        at(50)?,
        at(950)?
    );
    let mut panels = vec![
        Panel {
            title: "SINR".into(),
            ..panel(Axis::new("effective SINR", "dB"), &|block| block.sinr_db.unwrap_or(f64::NAN))
        },
        Panel {
            title: match first_256qam.filter(|_| !up) {
                Some(first) => format!("MCS, 256QAM from {first} on"),
                None => "MCS".to_owned(),
            },
            ..panel(Axis::new("MCS", "").from_zero(), &|block| block.mcs() as f64)
        },
    ];
    if own.iter().any(|block| block.layers() > 1) {
        let layers = Axis::new("layers", "").from_zero();
        let layers = panel(layers, &|block| block.layers() as f64);
        panels.push(Panel { title: "Layers".into(), ..layers });
    }
    Some(Chart {
        id: "link".into(),
        title: format!("The radio link {way}, block by block"),
        sentence,
        panels,
        columns: 1,
        shared_x: true,
    })
}
