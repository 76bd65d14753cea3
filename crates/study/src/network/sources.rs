//! The studies whose data are built in.

use crate::network::Experiments;

macro_rules! text {
    ($file:literal) => {
        ($file, include_str!(concat!("../../../../studies/l4s-5g/network/", $file)))
    };
}

macro_rules! table {
    ($name:literal, $end:literal) => {
        (
            concat!($name, $end),
            include_bytes!(concat!("../../../../studies/l4s-5g/network/tables/", $name, $end))
                as &[u8],
        )
    };
}

/// The traces of paired runs, and the runs and users of each experiment.
macro_rules! tables {
    ($($name:literal),* $(,)?) => {
        [
            table!("traces", ".parquet"),
            $(table!($name, ".runs.parquet"), table!($name, ".users.parquet")),*
        ]
    };
}

/// Experiments of the study `l4s-5g`.
pub(crate) const L4S_5G: Experiments = Experiments {
    name: "l4s-5g",
    plan: include_str!("../../../../studies/l4s-5g/network/plan.json"),
    rows: include_str!("../../../../studies/l4s-5g/network/rows.json"),
    page: include_str!("../../../../studies/l4s-5g/network/page.md"),
    screen: include_str!("../../../../studies/l4s-5g/network/screen.md"),
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
        text!("loads-some.toml"),
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
        text!("loads-open-15.toml"),
        text!("loads-why-5.toml"),
        text!("loads-why-few.toml"),
        text!("loads-why-small.toml"),
        text!("why-still.toml"),
        text!("why-wide.toml"),
        text!("why-drops-low.toml"),
        text!("why-target.toml"),
        text!("why-spacing.toml"),
        text!("why-spacing-floor.toml"),
        text!("why-target-full.toml"),
        text!("why-starvation.toml"),
        text!("why-nr.toml"),
        text!("why-even.toml"),
        text!("more-aqm-2.toml"),
        text!("more-rtt-2.toml"),
        text!("more-aqm-5.toml"),
        text!("more-fixed-10.toml"),
        text!("more-prio-15.toml"),
        text!("more-fixed-30.toml"),
        text!("more-30.toml"),
        text!("more-50.toml"),
        text!("why-floor.toml"),
        text!("why-web.toml"),
        text!("loads-why-30.toml"),
        text!("why-scheduler.toml"),
        text!("why-rtt.toml"),
        text!("why-drops.toml"),
        text!("why-drops-web.toml"),
        text!("made.json"),
        text!("traces.json"),
        ("frames.txt", include_str!("../../../../studies/l4s-5g/frames.txt")),
    ],
    tables: &tables!(
        "main",
        "main-high",
        "rtt",
        "thresholds",
        "aqm-none",
        "aqm-l4s",
        "alpha-small",
        "alpha-bits",
        "alpha",
        "fixed",
        "fixed-high",
        "open",
        "open-slots",
        "remarked",
        "remarked-pf",
        "beyond",
        "beyond-nr",
        "why-files",
        "why-floor",
        "why-web",
        "why-scheduler",
        "why-rtt",
        "why-drops",
        "why-drops-web",
        "why-still",
        "why-wide",
        "why-drops-low",
        "why-target",
        "why-spacing",
        "why-spacing-floor",
        "why-target-full",
        "why-starvation",
        "why-even",
        "why-nr",
        "more-aqm-2",
        "more-rtt-2",
        "more-aqm-5",
        "more-fixed-10",
        "more-prio-15",
        "more-fixed-30",
        "more-30",
        "more-50",
    ),
};
