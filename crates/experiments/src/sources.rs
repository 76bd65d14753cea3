//! The studies whose data are built in.

use crate::Study;

macro_rules! text {
    ($file:literal) => {
        ($file, include_str!(concat!("../../../studies/l4s-5g/network/", $file)))
    };
}

macro_rules! table {
    ($file:literal) => {
        ($file, include_bytes!(concat!("../../../studies/l4s-5g/network/tables/", $file)))
    };
}

/// All of them.
pub(crate) const STUDIES: &[Study] = &[Study {
    name: "l4s-5g",
    plan: include_str!("../../../studies/l4s-5g/network/plan.json"),
    rows: include_str!("../../../studies/l4s-5g/network/rows.json"),
    page: include_str!("../../../studies/l4s-5g/network/page.md"),
    screen: include_str!("../../../studies/l4s-5g/network/screen.md"),
    files: &[
        text!("network.toml"),
        text!("small.toml"),
        text!("loads-to-10.toml"),
        text!("loads-15.toml"),
        text!("loads-30-50.toml"),
        text!("loads-quick.toml"),
        text!("main.toml"),
        text!("alpha.toml"),
        text!("alpha-small.toml"),
        text!("alpha-bits.toml"),
        text!("thresholds.toml"),
        text!("aqm-none.toml"),
        text!("aqm-l4s.toml"),
        text!("fixed.toml"),
        text!("fixed-high.toml"),
        text!("rtt.toml"),
        text!("loads-small.toml"),
        text!("loads-small-quick.toml"),
        text!("loads-quick-10.toml"),
        text!("loads-quick-30.toml"),
        text!("loads-quick-50.toml"),
        text!("loads-quick-fixed.toml"),
        text!("loads-open.toml"),
        text!("aqm-l4s-quick.toml"),
        text!("fixed-aqm.toml"),
        text!("loads-more.toml"),
        text!("loads-high.toml"),
        text!("open.toml"),
        text!("open-slots.toml"),
        text!("remarked.toml"),
        text!("remarked-pf.toml"),
        text!("beyond.toml"),
        text!("beyond-nr.toml"),
        text!("loads-why.toml"),
        text!("loads-why-web.toml"),
        text!("why-files.toml"),
        text!("why-floor.toml"),
        text!("why-web.toml"),
        text!("loads-why-30.toml"),
        text!("why-scheduler.toml"),
        text!("why-rtt.toml"),
        text!("why-drops.toml"),
        text!("why-drops-web.toml"),
        text!("made.json"),
        text!("traces.json"),
        ("frames.txt", include_str!("../../../studies/l4s-5g/frames.txt")),
    ],
    tables: &[
        table!("traces.parquet"),
        table!("main.runs.parquet"),
        table!("main.users.parquet"),
        table!("main-high.runs.parquet"),
        table!("main-high.users.parquet"),
        table!("rtt.runs.parquet"),
        table!("rtt.users.parquet"),
        table!("thresholds.runs.parquet"),
        table!("thresholds.users.parquet"),
        table!("aqm-none.runs.parquet"),
        table!("aqm-none.users.parquet"),
        table!("why-scheduler.runs.parquet"),
        table!("why-scheduler.users.parquet"),
        table!("why-rtt.runs.parquet"),
        table!("why-rtt.users.parquet"),
        table!("why-drops.runs.parquet"),
        table!("why-drops.users.parquet"),
        table!("why-drops-web.runs.parquet"),
        table!("why-drops-web.users.parquet"),
        table!("aqm-l4s.runs.parquet"),
        table!("aqm-l4s.users.parquet"),
        table!("why-floor.runs.parquet"),
        table!("why-floor.users.parquet"),
        table!("why-web.runs.parquet"),
        table!("why-web.users.parquet"),
        table!("alpha-small.runs.parquet"),
        table!("alpha-small.users.parquet"),
        table!("alpha-bits.runs.parquet"),
        table!("alpha-bits.users.parquet"),
        table!("alpha.runs.parquet"),
        table!("alpha.users.parquet"),
        table!("why-files.runs.parquet"),
        table!("why-files.users.parquet"),
    ],
}];
